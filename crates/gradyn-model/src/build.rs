//! Mechanism → system in natural coordinates: order, patterns, slots, checks.

mod bodies;
mod coordinates;
mod drawn;
mod energies;
mod finish;
mod forces;
mod formulas;
mod frames;
mod functionals;
mod joints;
mod loads;
mod numbering;
mod numbers;
mod rest;
mod roads;
mod sensors;
mod shapes;
mod symbols;
mod tree;
mod vectors;
mod velocity;

use crate::error::ModelError;
use crate::expression::{UNITS, label_factor};
use crate::formula::Formula;
use crate::guard::Guard;
use crate::load::Load;
use crate::maximum::Maximum;
use crate::mechanics::{Coordinates, Mechanics};
use crate::mechanism::{ForceKind, JointKind, Mechanism, Number, Objective, Parameter, Source, Text};
use crate::ports::{Affine, Entry, Ports};
use crate::program::{Graph, Program, Sym, Table};
use crate::row::{Owner, RowName};
use crate::signal::Signal;
use crate::spline::{self, SplineError, UniformSpline};
use crate::warning::{Subject, Warning, WarningCode};
use bodies::{Inertia, Solid};
use coordinates::{Carried, Coordinate};
use frames::Frame;
use gradyn_num::Scalar;
use joints::{JointFrame, Reaction, Rows};
use numbers::{Numbers, SlotTable, unknown};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use symbols::AngleDef;
use vectors::{Port, Symbols, difference, dot};

/// Provisional indices of signals and angle references, until the number of slots is known.
const SIGNAL: u32 = 1 << 30;
const ANGLE: u32 = 1 << 31;

/// The parameter that is the final time where a condition gives it: nobody writes such a name.
const FINAL_TIME: &str = "final_time_by_until__";

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
    /// Name.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Unit label.
    pub unit: String,
    /// Bounds.
    pub bounds: (Option<f64>, Option<f64>),
    /// Typical size s_i.
    pub scale: f64,
    /// Does anything in the model read it?
    pub used: bool,
}

/// A mechanism ready to run: the system, e(ρ), and the names of what it computes.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name.
    pub name: String,
    /// The system.
    pub system: Mechanics,
    /// The system with all rows, where `system` drops redundant ones.
    pub full: Option<Box<Mechanics>>,
    /// The coordinates of both.
    pub family: Coordinates,
    /// Frames of the bodies in natural coordinates, if they were asked for: what relative coordinates are
    /// drawn by. Number of components, and where they are.
    pub frames: Vec<(usize, Ports)>,
    /// p = e(ρ).
    pub slots: Program,
    /// ρ.
    pub parameters: Vec<ParameterInfo>,
    /// Names of the objectives.
    pub objectives: Vec<String>,
    /// Those that are smooth maxima of their integrands.
    pub maxima: Vec<Option<Maximum>>,
    /// Names of the output columns.
    pub columns: Vec<String>,
    /// Slots of the start time, the break times and the final time.
    pub times: Times,
    /// Is the final time given by a condition? Then the last objective is the condition and the last
    /// parameter the final time.
    pub until: bool,
    /// Spline knots: times at which the system is only C² [s].
    pub splines: Vec<UniformSpline>,
    /// References of the angles at the start.
    pub angles: Vec<f64>,
    /// (what, slot, must not be zero): numbers that must not be negative.
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
    /// Start.
    pub start: u32,
    /// Break times.
    pub breaks: Vec<u32>,
    /// End.
    pub end: u32,
}

impl Model {
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
    /// Nominal ρ.
    pub fn rho(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.value).collect()
    }
    /// p = e(ρ), on any scalar.
    pub fn slots<S: Scalar>(&self, rho: &[S]) -> Vec<S> {
        let mut regs = vec![S::zero(); self.slots.registers()];
        self.slots.eval(rho, &mut regs);
        (0..self.slots.outputs()).map(|k| self.slots.output(k, &regs)).collect()
    }
    /// Refuses slots that no mechanism can have: not finite, negative masses, lengths that are not positive.
    pub fn check(&self, p: &[f64]) -> Result<(), ModelError> {
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
            return Err(ModelError::new(format!("a number of the model is {}", p[k]))
                .help("look for a root or a quotient of parameters"));
        }
        Ok(())
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

/// What a reference such as `A1.P1` names: body index (the last is the ground) and point index.
pub(crate) type PointRef = (usize, usize);

/// Everything known while the system is being built.
pub(crate) struct Builder<'g, 'm> {
    m: &'m Mechanism,
    graph: &'g Graph,
    numbers: Numbers<'g>,
    slots: SlotTable<'g>,
    solids: Vec<Solid<'g>>,
    body_index: HashMap<String, usize>,
    frames: Vec<Frame<'g>>,
    coordinates: Vec<Coordinate>,
    gravity: Symbols<'g>,
    joint_frames: Vec<JointFrame<'g>>,
    /// Points of the joints.
    joint_points: Vec<[PointRef; 2]>,
    joint_names: HashMap<String, usize>,
    force_names: HashMap<String, usize>,
    /// Points of each class of coincident points.
    class_points: HashMap<usize, Vec<PointRef>>,
    rows: Rows<'g>,
    reactions: HashMap<String, Reaction<'g>>,
    formulas: Vec<(RowName, Formula)>,
    /// Rows of velocity level, which come last.
    velocity_rows: Vec<(RowName, Formula)>,
    /// Rows of the joints that roll or slide on an edge.
    slip_rows: HashMap<usize, Vec<usize>>,
    formula_index: HashMap<String, usize>,
    forces: Vec<forces::Compiled>,
    loads: Vec<Load>,
    signals: Vec<Signal>,
    signal_names: HashMap<String, u32>,
    splines: Vec<UniformSpline>,
    /// Tables of the roads that are given by points.
    road_tables: Vec<Option<Arc<Table>>>,
    guards: Vec<Guard>,
    angles: Vec<AngleDef<'g>>,
    angle_index: HashMap<String, usize>,
    /// (angle, signal) of driven angles.
    driven: Vec<(usize, u32)>,
    /// Joints with rows of their own, because their reaction is read or nothing is shared, and whether their
    /// torque is read.
    wanted: HashMap<String, bool>,
    /// Numbers that must not be negative.
    positive: Vec<Positive>,
    /// Joints that hold directions parallel: their product is positive.
    aligned: Vec<(String, numbers::Quad<'g>)>,
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
    /// The same, and frames of all bodies are asked for.
    Framed,
    /// Nothing: rows for every joint.
    Apart,
    /// Nothing: every body has its own frame, which a tree carries.
    Frames(Coordinates),
}

/// The same with the frames of all bodies: once it is assembled, relative coordinates are drawn by it.
pub fn build_framed(m: &Mechanism) -> Result<Model, ModelError> {
    build_with(m, Sharing::Framed)
}

/// The same with rows for every joint: how redundant joints share a load then does not depend on which
/// reactions are read.
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

fn build_with(m: &Mechanism, sharing: Sharing) -> Result<Model, ModelError> {
    if let Some(until) = &m.until {
        return Ok(Model { until: true, ..build_with(&with_final_time(m, until), sharing)? });
    }
    if ![2, 3].contains(&m.dimension) {
        return Err(ModelError::new(format!(
            "dimension {}: a mechanism is in the plane (2) or in space (3)",
            m.dimension
        )));
    }
    if m.bodies.is_empty() {
        return Err(ModelError::new("the model has no moving body"));
    }
    let graph = Graph::new();
    let mut numbers = Numbers::new(&graph, m)?;
    let parameters = parameters(m, &mut numbers)?;
    let rho: Vec<f64> = parameters.iter().map(|p| p.value).collect();
    numbers.rho.clone_from(&rho);
    let mut solids =
        m.bodies.iter().map(|b| Solid::read(b, m, &mut numbers)).collect::<Result<Vec<_>, _>>()?;
    solids.push(Solid::ground(m, &mut numbers)?);
    for p in solids.iter_mut().flat_map(|s| &mut s.points) {
        p.value = numbers.nominal(&p.at);
    }
    check_bodies(m, &mut numbers, &solids)?;
    let mut b = Builder::new(m, &graph, numbers, solids)?;
    b.check_names()?;
    b.require_positive()?;
    b.read_joint_frames()?;
    b.wanted = sensors::reactions_wanted(m, &mut b.numbers)?;
    let read: HashSet<String> = b.wanted.keys().cloned().collect();
    let mut classes = b.share(!matches!(sharing, Sharing::Shared | Sharing::Framed));
    let (mut edges, mut carried) = (None, Carried::default());
    if let Sharing::Frames(family) = sharing {
        let list = b.choose_tree(family, &read)?;
        carried.bodies = list.iter().map(|e| e.body).collect();
        carried.joints = list.iter().filter_map(|e| Some(e.joint?.0)).collect();
        edges = Some((family, list));
        b.choose_frames(&mut classes)?;
    } else {
        b.choose_coordinates(&mut classes)?;
    }
    if let Some(joint) = b.add_rows(&carried)? {
        if matches!(sharing, Sharing::Shared | Sharing::Framed) {
            return build_apart(m);
        }
        let e =
            ModelError::new(format!("joint `{joint}` repeats other joints: its reaction is not determined"))
                .at(&joint.place);
        return Err(e.help("remove the joint, or read the reaction of the other one"));
    }
    b.add_splines()?;
    b.add_roads()?;
    b.add_formulas()?;
    b.add_velocity_rows()?;
    b.add_forces()?;
    b.finish(parameters, &rho, (sharing, edges))
}

fn parameters(m: &Mechanism, n: &mut Numbers) -> Result<Vec<ParameterInfo>, ModelError> {
    let mut list = vec![];
    for p in &m.parameters {
        // errors of the final time are those of `t_max`, as the file has it
        let what = match p.name.text.as_str() {
            FINAL_TIME => "t_max".to_owned(),
            name => format!("parameter `{name}`"),
        };
        let value = n.constant(&p.value, &what)?;
        let mut bound =
            |b: &Option<Number>, what: String| b.as_ref().map(|b| n.constant(b, &what)).transpose();
        let min = bound(&p.min, format!("{what}, min"))?;
        let max = bound(&p.max, format!("{what}, max"))?;
        let scale = bound(&p.scale, format!("{what}, scale"))?;
        if let Some((min, max)) = min.zip(max).filter(|(min, max)| min > max) {
            return Err(ModelError::new(format!(
                "{what}: its bounds are empty: nothing lies between {min} and {max}"
            ))
            .at(&p.name.place));
        }
        if min.is_some_and(|b| value < b) || max.is_some_and(|b| value > b) {
            let bound = |b: Option<f64>, none: &str| b.map_or(none.into(), |b| b.to_string());
            let bounds = format!("{} … {}", bound(min, "-∞"), bound(max, "∞"));
            return Err(ModelError::new(format!("{what}: {value} is outside its bounds {bounds}"))
                .at(&p.value.place)
                .about(Owner::Parameter, &p.name));
        }
        if scale.is_some_and(|s| s <= 0.0) {
            return Err(ModelError::new(format!("{what}: the scale must be positive")).at(&p.name.place));
        }
        check_label(p, &what)?;
        let natural = if value == 0.0 { 1.0 } else { value.abs() };
        let (name, unit) = (p.name.text.clone(), p.unit.clone());
        list.push(ParameterInfo {
            name,
            value,
            unit,
            bounds: (min, max),
            scale: scale.unwrap_or(natural),
            used: false,
        });
    }
    Ok(list)
}

/// A label that is no SI unit contradicts its number.
fn check_label(p: &Parameter, what: &str) -> Result<(), ModelError> {
    let factor = label_factor(&p.unit).filter(|f| (f - 1.0).abs() > 1e-9);
    let Some(factor) = factor else { return Ok(()) };
    let message = format!("{what}: its label says `{}`, but values are in SI units", p.unit);
    let single = UNITS.iter().any(|u| u.0 == p.unit);
    let instead = match &p.value.source {
        Source::Value(v) if single => format!("write value = \"{v} {}\" without `unit`", p.unit),
        _ => "convert the value, or label it with its SI unit".into(),
    };
    let help = format!("1 {} is {factor} in SI units; {instead}", p.unit);
    Err(ModelError::new(message).at(&p.name.place).help(help))
}

/// Negative masses and inertias, inertias that no body has, rods without length.
fn check_bodies<'g>(
    m: &Mechanism,
    numbers: &mut Numbers<'g>,
    solids: &[Solid<'g>],
) -> Result<(), ModelError> {
    for (body, solid) in m.bodies.iter().zip(solids) {
        let name = &solid.name;
        let wrong = |what: &str, x: f64, place, help: &str| {
            let (is, help) = match x.is_finite() {
                true => ("negative", help),
                false => {
                    ("not a finite number", "look for a root of a negative number or a division by zero")
                }
            };
            ModelError::new(format!("body `{name}`: {what} {x} is {is}")).at(place).help(help)
        };
        let bad = |x: &f64| *x < 0.0 || !x.is_finite();
        let mass = numbers.nominal(&[solid.mass])[0];
        if bad(&mass) {
            let place = body.mass.as_ref().map_or(&body.name.place, |m| &m.place);
            return Err(wrong("mass", mass, place, "a mass is zero or positive"));
        }
        let place = body.inertia.first().map_or(&body.name.place, |i| &i.place);
        let diagonal: Vec<Sym> = match &solid.inertia {
            Inertia::Polar(i) => vec![*i],
            Inertia::Tensor(i) => (0..3).map(|k| i[k][k]).collect(),
        };
        if let Some(i) = numbers.nominal(&diagonal).into_iter().find(bad) {
            return Err(wrong("inertia", i, place, "give the inertia about the centre of mass"));
        }
        if let Inertia::Tensor(_) = &solid.inertia {
            let moments = solid.inertia.second_moments(numbers.graph);
            let s = numbers.nominal(&moments.concat());
            if let Some(least) = bodies::negative(&s) {
                let why = format!("the smallest of ∫x² dm in its principal axes would be {least:.3e} kg m²");
                let text = format!("body `{name}`: no real body has this inertia; {why}");
                numbers
                    .warnings
                    .push(Warning::new(WarningCode::ImpossibleInertia, text).about(Owner::Body, name));
            }
        }
        check_rod(body, solid)?;
    }
    Ok(())
}

fn check_rod(body: &crate::mechanism::Body, solid: &Solid) -> Result<(), ModelError> {
    let (Some([i, j]), Some(rod), name) = (solid.rod, &body.rod, &solid.name) else { return Ok(()) };
    let place = rod.length.as_ref().map_or(&body.name.place, |l| &l.place);
    // the second end of a rod of given length lies at [length, 0]
    let length = if rod.length.is_some() { solid.points[j].value[0] } else { solid.distance(i, j) };
    if length <= 0.0 {
        let e = ModelError::new(format!("body `{name}`: the length of the rod is {length}, not positive"))
            .at(place);
        return Err(e.help("give a length > 0"));
    }
    if solid.points[i].value.len() == 2 {
        return Ok(());
    }
    let (a, b) = (&solid.points[i].value, &solid.points[j].value);
    for p in &solid.points {
        // what is on the line must stay there for all parameters
        let across = rod.length.is_some() && p.at[1..].iter().any(|x| x.as_constant().is_none());
        if across {
            let message =
                format!("body `{name}`: the point `{}` of the rod depends on parameters across it", p.name);
            let help =
                "a rod in space has points on its line only; describe the body by `shape` or `inertia`";
            return Err(ModelError::new(message).at(&body.name.place).help(help));
        }
        let along: f64 = (0..3).map(|k| (p.value[k] - a[k]) * (b[k] - a[k])).sum::<f64>() / length.powi(2);
        let off = (0..3).map(|k| (p.value[k] - a[k] - along * (b[k] - a[k])).powi(2)).sum::<f64>().sqrt();
        if off > 1e-9 * length {
            let message =
                format!("body `{name}`: the point `{}` is not on the rod but {off:.3} m away", p.name);
            let help =
                "a rod in space has points on its line only; describe the body by `shape` or `inertia`";
            return Err(ModelError::new(message).at(&body.name.place).help(help));
        }
    }
    Ok(())
}

impl<'g, 'm> Builder<'g, 'm> {
    fn new(
        m: &'m Mechanism,
        graph: &'g Graph,
        mut numbers: Numbers<'g>,
        solids: Vec<Solid<'g>>,
    ) -> Result<Self, ModelError> {
        let index = |names: &mut dyn Iterator<Item = &Text>| -> HashMap<String, usize> {
            names.enumerate().map(|(k, t)| (t.text.clone(), k)).collect()
        };
        let mut body_index = index(&mut m.bodies.iter().map(|b| &b.name));
        body_index.insert("ground".into(), m.bodies.len());
        let gravity = numbers.vector(&m.gravity, "gravity")?;
        Ok(Self {
            m,
            graph,
            slots: SlotTable::new(graph),
            numbers,
            solids,
            body_index,
            frames: vec![],
            coordinates: vec![],
            gravity,
            joint_frames: vec![],
            joint_points: vec![],
            joint_names: index(&mut m.joints.iter().map(|j| &j.name)),
            force_names: index(&mut m.forces.iter().map(|f| &f.name)),
            class_points: HashMap::new(),
            rows: Rows { list: vec![] },
            reactions: HashMap::new(),
            formulas: vec![],
            velocity_rows: vec![],
            slip_rows: HashMap::new(),
            formula_index: HashMap::new(),
            forces: vec![],
            loads: vec![],
            signals: vec![],
            signal_names: HashMap::new(),
            splines: vec![],
            road_tables: vec![],
            guards: vec![],
            angles: vec![],
            angle_index: HashMap::new(),
            driven: vec![],
            wanted: HashMap::new(),
            positive: vec![],
            aligned: vec![],
        })
    }
    fn ground(&self) -> usize {
        self.solids.len() - 1
    }
    /// Masses, inertias, rods and distances that every ρ must keep in order.
    fn require_positive(&mut self) -> Result<(), ModelError> {
        for s in &self.solids[..self.solids.len() - 1] {
            let mut list = vec![("mass", s.mass, false)];
            match &s.inertia {
                Inertia::Polar(i) => list.push(("inertia", *i, false)),
                Inertia::Tensor(i) => {
                    list.extend([("Ixx", i[0][0], false), ("Iyy", i[1][1], false), ("Izz", i[2][2], false)])
                }
            }
            if let Some([i, j]) = s.rod {
                let d = difference(&s.points[j].at, &s.points[i].at);
                list.push(("length of the rod", dot(&d, &d).sqrt(), true));
            }
            list.extend(&s.sizes);
            for (what, x, strict) in list {
                self.positive.push(Positive::new((Owner::Body, &s.name), what, self.slots.slot(x), strict));
            }
        }
        for f in &self.m.forces {
            let (mut list, mut law) = (vec![], None);
            match &f.kind {
                ForceKind::BumpStop { law: l, .. } => law = Some(l),
                ForceKind::Contact { law: l, friction, speed, .. } => {
                    law = Some(l);
                    list.extend([("speed", speed, true), ("friction", friction, false)]);
                }
                ForceKind::Tyre(tyre) => list.extend(tyre.positive()),
                ForceKind::Friction { speed, limit, .. } => {
                    list.extend([("speed", speed, true), ("limit", limit, false)])
                }
                _ => continue,
            }
            list.extend(
                law.into_iter().flat_map(|l| [("width", &l.width, true), ("stiffness", &l.stiffness, false)]),
            );
            for (what, x, strict) in list {
                // an expression of sensors is not a number of the model
                if let Ok(x) = self.numbers.number(x, &format!("force `{}`, {what}", f.name)) {
                    self.positive.push(Positive::new(
                        (Owner::Force, &f.name),
                        what,
                        self.slots.slot(x),
                        strict,
                    ));
                }
            }
        }
        for j in &self.m.joints {
            let (what, x) = match &j.kind {
                JointKind::Distance { length } => ("length", length),
                JointKind::Rolling { radius } => ("radius", radius),
                _ => continue,
            };
            let x = self.numbers.number(x, &format!("joint `{}`, {what}", j.name))?;
            self.positive.push(Positive::new((Owner::Joint, &j.name), what, self.slots.slot(x), true));
        }
        Ok(())
    }
    /// Names of bodies, joints, forces, drivers and splines must differ.
    fn check_names(&self) -> Result<(), ModelError> {
        let m = self.m;
        let mut seen: HashSet<&str> = ["ground", "system", "t"].into();
        let bodies = m.bodies.iter().map(|b| &b.name);
        let rest = m.joints.iter().map(|j| &j.name).chain(m.drivers.iter().map(|d| &d.name));
        let rest = rest.chain(m.couplings.iter().map(|c| &c.name)).chain(m.constraints.iter().map(|c| &c.0));
        let rest = rest.chain(m.velocity_constraints.iter().map(|c| &c.0));
        let all = bodies
            .chain(rest)
            .chain(m.forces.iter().map(|f| &f.name))
            .chain(m.splines.iter().map(|s| &s.name));
        let all = all.chain(m.roads.iter().map(|r| &r.name));
        for name in all {
            if ["ground", "system", "t"].contains(&name.text.as_str()) {
                return Err(ModelError::new(format!("the name `{name}` is reserved")).at(&name.place));
            }
            if !seen.insert(&name.text) || self.numbers.lookup(&name.text).is_some() {
                return Err(ModelError::new(format!("the name `{name}` is taken twice")).at(&name.place));
            }
        }
        Ok(())
    }
    /// The body of a name.
    fn body(&self, t: &Text) -> Result<usize, ModelError> {
        let found = self.body_index.get(&t.text).copied();
        found.ok_or_else(|| unknown("body", t, self.solids.iter().map(|s| s.name.as_str())))
    }
    /// `body.point`.
    fn point_ref(&self, t: &Text) -> Result<PointRef, ModelError> {
        let Some((body, point)) = t.text.split_once('.') else {
            let e = ModelError::new(format!("`{t}` is not a point")).at(&t.place);
            return Err(e.help("write body.point or ground.point"));
        };
        let body = self.body(&Text { text: body.into(), place: t.place.clone() })?;
        let solid = &self.solids[body];
        match solid.points.iter().position(|p| p.name == point) {
            Some(i) => Ok((body, i)),
            None => {
                let owner = if body == self.ground() {
                    "the ground".into()
                } else {
                    format!("body `{}`", solid.name)
                };
                let known: Vec<&str> = solid.named_points().map(|p| p.name.as_str()).collect();
                let near = crate::error::nearest(point, known.iter().copied())
                    .map_or(String::new(), |n| format!("did you mean `{n}`? "));
                let list = if known.is_empty() {
                    "it has no points".into()
                } else {
                    format!("it has {}", known.join(", "))
                };
                Err(ModelError::new(format!("{owner} has no point `{point}`"))
                    .at(&t.place)
                    .help(format!("{near}{list}")))
            }
        }
    }
    fn port(&self, (body, point): PointRef) -> Port<'g> {
        self.frames[body].point(&self.solids[body], point)
    }
    fn ports(&mut self, args: &[&Affine<'g>]) -> Ports {
        let mut ports = Ports::default();
        for (a, affine) in args.iter().enumerate() {
            for &(i, c) in &affine.terms {
                ports.linear.push(Entry { arg: a as u32, coord: i as u32, slot: self.slots.slot(c) });
            }
            if affine.constant.as_constant() != Some(0.0) {
                ports.constant.push((a as u32, self.slots.slot(affine.constant)));
            }
        }
        ports
    }
    fn add_splines(&mut self) -> Result<(), ModelError> {
        for s in &self.m.splines {
            let what = format!("spline `{}`", s.name);
            let start = self.numbers.constant(&s.start, &format!("{what}, start"))?;
            let duration = self.numbers.constant(&s.duration, &format!("{what}, duration"))?;
            if duration <= 0.0 {
                return Err(
                    ModelError::new(format!("{what}: the duration must be positive")).at(&s.duration.place)
                );
            }
            let values =
                s.values.iter().map(|v| self.numbers.number(v, &what)).collect::<Result<Vec<_>, _>>()?;
            let wrong = |e: SplineError| ModelError::new(format!("{what}: {e}")).at(&s.name.place);
            let kind = if s.cyclic { spline::Kind::Cyclic } else { spline::Kind::Clamped };
            let spline = UniformSpline::new(kind, start, duration, values.len()).map_err(wrong)?;
            let coefficients = match kind {
                spline::Kind::Cyclic => spline::coefficients_cyclic(&values),
                spline::Kind::Clamped => spline::coefficients_clamped(&values, None, None, spline.dt()),
            }
            .map_err(wrong)?;
            let slots = coefficients.into_iter().map(|c| self.slots.slot(c)).collect();
            self.signal_names.insert(s.name.text.clone(), SIGNAL + self.signals.len() as u32);
            self.splines.push(spline);
            self.signals.push(Signal::Spline(spline, slots));
        }
        Ok(())
    }
}
