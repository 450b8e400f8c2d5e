//! Mechanism → system in natural coordinates: order, patterns, slots, checks.

mod bodies;
mod builder;
mod check;
mod coordinates;
mod cuts;
mod drawn;
mod energies;
mod events;
mod finish;
mod forces;
mod formulas;
mod frames;
mod functionals;
mod inputs;
pub mod joint;
mod joints;
mod loads;
mod numbering;
mod numbers;
mod rest;
mod roads;
mod sensors;
mod shapes;
mod sides;
mod symbols;
mod tree;
pub mod tyre;
mod vectors;
mod velocity;

use crate::error::ModelError;
use crate::maximum::Maximum;
use crate::mechanics::{Coordinates, Mechanics};
use crate::mechanism::{Mechanism, Number, Objective, Source, Text};
use crate::ports::Ports;
use crate::program::{Graph, Program};
use crate::row::Owner;
use crate::spline::UniformSpline;
use crate::warning::{Subject, Warning};
use bodies::Solid;
pub(crate) use builder::{Builder, PointRef};
use coordinates::{Carried, Chooser};
use forces::ForceMaker;
use gradyn_num::Scalar;
use numbers::{Numbers, unknown};
use std::collections::HashSet;
use std::sync::Arc;
use tree::{Edge, TreeChooser};

/// Provisional indices of signals, sides and angle references, until the number of slots is known.
const SIGNAL: u32 = 1 << 29;
const SIDE: u32 = 1 << 30;
const ANGLE: u32 = 1 << 31;

/// The parameter that is the final time where a condition gives it: nobody writes such a name.
const FINAL_TIME: &str = "final_time_by_until__";

/// What errors call the condition that gives the final time.
pub const UNTIL: &str = "`until` of [study]";

/// A number that no parameters may make negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Positive {
    /// The element that has it.
    pub subject: Subject,
    /// Which number of the element, for messages.
    pub what: String,
    /// The slot that holds it.
    pub slot: u32,
    /// Is zero refused too?
    pub strict: bool,
}

impl Positive {
    fn new((kind, name): (Owner, &dyn std::fmt::Display), what: &str, slot: u32, strict: bool) -> Self {
        Self { subject: Subject::new(kind, name), what: what.into(), slot, strict }
    }
}

/// A parameter as the run sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterInfo {
    /// Name in the file.
    pub name: String,
    /// Nominal value [SI].
    pub value: f64,
    /// Label of the SI unit.
    pub unit: String,
    /// Lower and upper bound [SI], where the model gives them.
    pub bounds: (Option<f64>, Option<f64>),
    /// Typical size s_i.
    pub scale: f64,
    /// Does anything in the model read it?
    pub used: bool,
}

/// A mechanism ready to run: the system, e(ρ), and the names of what it computes.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the model.
    pub name: String,
    /// The system of equations.
    pub system: Mechanics,
    /// The equations with all rows, where `system` drops redundant ones.
    #[doc(hidden)]
    pub full: Option<Mechanics>,
    /// The coordinates of both.
    pub family: Coordinates,
    /// Frames of the bodies in natural coordinates, if they were asked for: what relative coordinates are
    /// drawn by. Number of components, and where they are.
    pub(crate) frames: Vec<(usize, Ports)>,
    /// The program of the slots, p = e(ρ).
    #[doc(hidden)]
    pub slots: Arc<Program>,
    /// The parameters ρ, in the order of the file.
    pub parameters: Vec<ParameterInfo>,
    /// Names of the objectives.
    pub objectives: Vec<String>,
    /// Those that are smooth maxima of their integrands.
    #[doc(hidden)]
    pub maxima: Vec<Option<Maximum>>,
    /// Names of the output columns.
    pub columns: Vec<String>,
    /// Slots of the start time, the break times and the final time.
    #[doc(hidden)]
    pub times: Times,
    /// Is the final time given by a condition? Then the last objective is the condition and the last
    /// parameter the final time.
    pub until: bool,
    /// Spline knots: times at which the system is only C² [s].
    #[doc(hidden)]
    pub splines: Vec<UniformSpline>,
    /// Their names.
    pub spline_names: Vec<String>,
    /// References of the angles at the start.
    pub angles: Vec<f64>,
    /// (what, slot, must not be zero): numbers that must not be negative.
    #[doc(hidden)]
    pub positive: Vec<Positive>,
    /// Things to know: non-smooth functions, shapes no real body has.
    pub warnings: Vec<Warning>,
    /// (position, velocity) conditions as written, for messages.
    pub conditions: (Vec<Text>, Vec<Text>),
    /// Do the velocity conditions say that everything is at rest?
    pub rest: bool,
    /// Where elements stand in the file, by name.
    pub places: Vec<(String, Option<std::ops::Range<usize>>)>,
    /// Number of bodies, joints, forces, drivers.
    pub counts: [usize; 4],
}

/// Slots of times.
#[derive(Clone, Debug)]
pub struct Times {
    /// Slot of the start time [s].
    pub start: u32,
    /// Slots of the break times [s].
    pub breaks: Vec<u32>,
    /// Slot of the final time [s].
    pub end: u32,
}

impl Model {
    /// The equations with all rows.
    #[doc(hidden)]
    pub fn whole(&self) -> &Mechanics {
        self.full.as_ref().unwrap_or(&self.system)
    }
    /// The equations with all rows, those too that are switched off.
    #[doc(hidden)]
    pub fn every_row(&self) -> Mechanics {
        if !self.system.switches_rows() {
            return self.whole().clone();
        }
        self.system.with_off(vec![]).expect("every row may be on")
    }
    /// Where an element stands in the file.
    pub fn place(&self, name: &str) -> Option<std::ops::Range<usize>> {
        self.places.iter().find(|(n, _)| n == name).and_then(|p| p.1.clone())
    }
    /// The element that a row belongs to; any other name is that of an element.
    pub fn element<'a>(&'a self, name: &'a str) -> &'a str {
        self.system.row_names().iter().find(|r| r.to_string() == name).map_or(name, |r| &r.element)
    }
    /// Frames of the bodies at q, for the slots p; none if they were not asked for.
    pub fn frames_at(&self, p: &[f64], q: &[f64]) -> Vec<Vec<f64>> {
        let at = |(count, ports): &(usize, Ports)| {
            let mut x = vec![0.0; *count];
            ports.gather(p, q, &mut x);
            x
        };
        self.frames.iter().map(at).collect()
    }
    /// Nominal values of ρ [SI].
    pub fn rho(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.value).collect()
    }
    /// p = e(ρ), on any scalar.
    pub fn slots<S: Scalar>(&self, rho: &[S]) -> Vec<S> {
        let mut regs = vec![S::zero(); self.slots.registers()];
        self.slots.eval(rho, &mut regs);
        (0..self.slots.outputs()).map(|k| self.slots.output(k, &regs)).collect()
    }
    /// Refuses parameters whose slots no mechanism can have: not finite, negative masses, lengths that are
    /// not positive.
    pub fn check(&self, rho: &[f64]) -> Result<(), ModelError> {
        let p = self.slots(rho);
        for Positive { subject, what, slot, strict } in &self.positive {
            let x = p[*slot as usize];
            if !x.is_finite() || x < 0.0 || (*strict && x == 0.0) {
                let must = if *strict { "positive" } else { "zero or positive" };
                let Subject { kind, name } = subject;
                return Err(ModelError::new(format!("{kind} `{name}`: {what} is {x}"))
                    .at(&self.place(name))
                    .help(format!("it must be {must}")));
            }
        }
        if let Some(k) = p.iter().position(|x| !x.is_finite()) {
            let message = format!("a number of the model{} is {}", self.read_by(rho, k), p[k]);
            return Err(ModelError::new(message).help(
                "look for a root or a quotient of parameters, or for numbers whose products overflow",
            ));
        }
        Ok(())
    }
    /// " that depends on `a`, `b`": the parameters that reach a slot.
    fn read_by(&self, rho: &[f64], slot: usize) -> String {
        // a sweep from the slot leaves zero where it comes by no way
        let mut seed = vec![0.0; self.slots.outputs()];
        seed[slot] = 1.0;
        let slopes = self.pull_back(rho, &seed);
        let reached = self.parameters.iter().zip(&slopes).filter(|(_, g)| **g != 0.0);
        let names: Vec<String> = reached.take(6).map(|(p, _)| format!("`{}`", p.name)).collect();
        if names.is_empty() { String::new() } else { format!(" that depends on {}", names.join(", ")) }
    }
    /// (∂e/∂ρ)ᵀ applied to a slot gradient, once per run.
    pub fn pull_back(&self, rho: &[f64], slot_gradient: &[f64]) -> Vec<f64> {
        let mut regs = vec![0.0; self.slots.registers()];
        self.slots.eval(rho, &mut regs);
        let seeds: Vec<(usize, f64)> =
            slot_gradient[..self.slots.outputs()].iter().copied().enumerate().collect();
        let mut out = vec![0.0; rho.len()];
        self.slots.reverse(&regs, &seeds, &mut vec![0.0; self.slots.registers()], &mut out);
        out
    }
}

/// Builds the system of a mechanism. Joints share points and axes, except those whose reaction is read; where
/// such a joint would still have no rows, because others hold all that it holds, nothing is shared.
pub fn build(m: &Mechanism) -> Result<Model, ModelError> {
    build_with(m, Sharing::Shared)
}

/// The system in coordinates of some family.
pub fn build_in(m: &Mechanism, family: Coordinates) -> Result<Model, ModelError> {
    match family {
        Coordinates::Natural => build(m),
        _ => build_with(m, Sharing::Frames(family)),
    }
}

/// What bodies share.
#[derive(Clone, Copy, PartialEq)]
enum Sharing {
    /// Points and axes of joints.
    Shared,
    /// Points and axes of joints; frames of all bodies are asked for too.
    Framed,
    /// Nothing: rows for every joint.
    Apart,
    /// Nothing: every body has its own frame, which a tree carries.
    Frames(Coordinates),
}

/// Builds in natural coordinates with the frames of all bodies: once it is assembled, relative coordinates
/// are drawn by it.
pub fn build_framed(m: &Mechanism) -> Result<Model, ModelError> {
    build_with(m, Sharing::Framed)
}

/// Builds in natural coordinates with rows for every joint: how redundant joints share a load then does not
/// depend on which reactions are read.
pub fn build_apart(m: &Mechanism) -> Result<Model, ModelError> {
    build_with(m, Sharing::Apart)
}

/// A condition for the final time as an objective, and the final time as a parameter that starts at its
/// latest value.
fn with_final_time(m: &Mechanism, until: &Number) -> Mechanism {
    let mut new = Mechanism { t_end: FINAL_TIME.into(), until: None, ..m.clone() };
    new.parameter(FINAL_TIME, m.t_end.clone());
    let name = Text { text: "until".into(), place: until.place.clone() };
    new.objectives.push(Objective { name, integral: None, terminal: Some(until.clone()), maximum: None });
    new
}

/// Is objective `k` the condition that gives the final time? It is the last one.
fn is_condition(m: &Mechanism, k: usize) -> bool {
    let conditional = matches!(&m.t_end.source, Source::Expression(text) if text == FINAL_TIME);
    conditional && k + 1 == m.objectives.len()
}

/// What errors call objective `k`.
fn objective_title(m: &Mechanism, k: usize) -> String {
    if is_condition(m, k) { UNTIL.into() } else { format!("objective `{}`", m.objectives[k].name) }
}

fn build_with(m: &Mechanism, sharing: Sharing) -> Result<Model, ModelError> {
    if let Some(until) = &m.until {
        return Ok(Model { until: true, ..build_with(&with_final_time(m, until), sharing)? });
    }
    // bodies, names, directions of joints
    let graph = Graph::new();
    let (mut b, parameters) = read(m, &graph)?;
    let rho: Vec<f64> = parameters.iter().map(|p| p.value).collect();
    // coordinates, and the rows of bodies and joints
    let (edges, carried) = choose(&mut b, sharing)?;
    if let Some(joint) = b.add_rows(&carried)? {
        if matches!(sharing, Sharing::Shared | Sharing::Framed) {
            return build_apart(m);
        }
        let e =
            ModelError::new(format!("joint `{joint}` repeats other joints: its reaction is not determined"))
                .at(&joint.place);
        return Err(e.help("remove the joint, or read the reaction of the other one"));
    }
    // functions of time, other rows, forces
    b.add_splines()?;
    b.add_roads()?;
    b.add_formulas()?;
    b.add_velocity_rows()?;
    ForceMaker { b: &mut b }.add_forces()?;
    b.finish(parameters, &rho, (sharing, edges))
}

/// The builder of a mechanism whose bodies, names and directions of joints are read and checked.
fn read<'g, 'm>(
    m: &'m Mechanism,
    graph: &'g Graph,
) -> Result<(Builder<'g, 'm>, Vec<ParameterInfo>), ModelError> {
    if ![2, 3].contains(&m.dimension) {
        return Err(ModelError::new(format!(
            "dimension {}: a mechanism is in the plane (2) or in space (3)",
            m.dimension
        )));
    }
    if m.bodies.is_empty() {
        return Err(ModelError::new("the model has no moving body"));
    }
    // parameters and their nominal values
    let mut numbers = Numbers::new(graph, m)?;
    let parameters = check::parameters(m, &mut numbers)?;
    numbers.rho = parameters.iter().map(|p| p.value).collect();
    // bodies and the ground
    let mut solids =
        m.bodies.iter().map(|b| Solid::read(b, m, &mut numbers)).collect::<Result<Vec<_>, _>>()?;
    solids.push(Solid::ground(m, &mut numbers)?);
    for p in solids.iter_mut().flat_map(|s| &mut s.points) {
        p.value = numbers.nominal(&p.at);
    }
    check::check_bodies(m, &mut numbers, &solids)?;
    // names, numbers that must be positive, joints
    let mut b = Builder::new(m, graph, numbers, solids)?;
    b.check_names()?;
    b.require_positive()?;
    b.read_joint_frames()?;
    b.wanted = sensors::reactions_wanted(m, &mut b.numbers)?;
    b.read_switches()?;
    Ok((b, parameters))
}

/// The family and the edges of a tree, if there is one.
type Edges = Option<(Coordinates, Vec<Edge>)>;

/// Chooses coordinates: a tree, or points and vectors.
fn choose(b: &mut Builder, sharing: Sharing) -> Result<(Edges, Carried), ModelError> {
    let Sharing::Frames(family) = sharing else {
        Chooser::share(b, sharing == Sharing::Apart).choose_coordinates()?;
        return Ok((None, Carried::default()));
    };
    let read: HashSet<String> = b.wanted.keys().cloned().collect();
    let list = TreeChooser { b, coordinates: family, read: &read }.choose()?;
    let bodies = list.iter().map(|e| e.body).collect();
    let joints = list.iter().filter_map(|e| Some(e.joint?.0)).collect();
    Chooser::share(b, true).choose_frames()?;
    Ok((Some((family, list)), Carried { bodies, joints }))
}
