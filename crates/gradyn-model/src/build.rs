//! Mechanism → system in natural coordinates: order, patterns, slots, checks.

mod bodies;
mod coordinates;
mod drawn;
mod finish;
mod forces;
mod joints;
mod numbering;
mod numbers;
mod sensors;

use crate::element::Element;
use crate::error::ModelError;
use crate::geometry::Kind;
use crate::mechanism::{JointKind, Mechanism, Number, Text};
use crate::natural::Natural;
use crate::ports::{Affine, Entry, Ports};
use crate::program::{Graph, Program, Sym};
use crate::signal::Signal;
use crate::spline::{self, SplineError, UniformSpline};
use bodies::{Frame, Port, Shape};
use gradyn_num::Scalar;
use joints::{Reaction, Rows};
use numbers::{Numbers, SlotTable, unknown};
use std::collections::{HashMap, HashSet};

/// Provisional indices of signals and angle references, until the number of slots is known.
const SIGNAL: u32 = 1 << 30;
const ANGLE: u32 = 1 << 31;

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
    pub system: Natural,
    /// p = e(ρ).
    pub slots: Program,
    /// ρ.
    pub parameters: Vec<ParameterInfo>,
    /// Names of the objectives.
    pub objectives: Vec<String>,
    /// Names of the output columns.
    pub columns: Vec<String>,
    /// Slots of the start time, the break times and the final time.
    pub times: Times,
    /// Spline knots: times at which the system is only C² [s].
    pub splines: Vec<UniformSpline>,
    /// References of the angles at the start.
    pub angles: Vec<f64>,
    /// (what, slot, must not be zero): numbers that must not be negative.
    pub positive: Vec<(String, u32, bool)>,
    /// Things to know: non-smooth functions, shapes no real body has.
    pub warnings: Vec<String>,
    /// (position, velocity) conditions as written, for messages.
    pub conditions: (Vec<Text>, Vec<Text>),
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
        for (what, slot, strict) in &self.positive {
            let x = p[*slot as usize];
            if !x.is_finite() || x < 0.0 || (*strict && x == 0.0) {
                let must = if *strict { "positive" } else { "zero or positive" };
                return Err(ModelError::new(format!("{what} is {x}")).help(format!("it must be {must}")));
            }
        }
        if let Some(k) = p.iter().position(|x| !x.is_finite()) {
            return Err(
                ModelError::new(format!("a number of the model is {}", p[k])).help("look for a root or a quotient of parameters")
            );
        }
        Ok(())
    }
    /// (∂e/∂ρ)ᵀ applied to a slot gradient, once per run.
    pub fn pull_back(&self, rho: &[f64], slot_gradient: &[f64]) -> Vec<f64> {
        let mut regs = vec![0.0; self.slots.registers()];
        self.slots.eval(rho, &mut regs);
        let seeds: Vec<(usize, f64)> = slot_gradient[..self.slots.outputs()].iter().copied().enumerate().collect();
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
    shapes: Vec<Shape<'g>>,
    frames: Vec<Frame<'g>>,
    coordinates: Vec<String>,
    rows: Rows<'g>,
    reactions: HashMap<String, Reaction<'g>>,
    drivers: Vec<(String, Element)>,
    forces: Vec<forces::Compiled>,
    signals: Vec<Signal>,
    signal_names: HashMap<String, u32>,
    splines: Vec<UniformSpline>,
    /// (body 1, body 2) of each angle with a branch, and its element.
    angles: Vec<((usize, usize), Element)>,
    /// Joints whose reaction is read.
    wanted: HashSet<String>,
    /// Numbers that must not be negative.
    positive: Vec<(String, u32, bool)>,
    /// Joints that hold an angle: x₁'·x₂ is positive where it is held.
    aligned: Vec<(String, numbers::Quad<'g>)>,
}

/// Builds the system of a mechanism.
pub fn build(m: &Mechanism) -> Result<Model, ModelError> {
    if m.dimension != 2 {
        return Err(ModelError::new(format!("dimension {}: only plane mechanisms (dimension = 2) can be built", m.dimension)));
    }
    let graph = Graph::new();
    let mut numbers = Numbers::new(&graph, m)?;
    let parameters = parameters(m, &mut numbers)?;
    let rho: Vec<f64> = parameters.iter().map(|p| p.value).collect();
    let mut shapes = m.bodies.iter().map(|b| Shape::read(b, m, &mut numbers)).collect::<Result<Vec<_>, _>>()?;
    shapes.push(Shape::ground(m, &mut numbers)?);
    nominal(&graph, &rho, &mut shapes);
    check_bodies(m, &graph, &rho, &shapes)?;
    let mut b = Builder {
        m,
        graph: &graph,
        slots: SlotTable::new(&graph),
        numbers,
        shapes,
        frames: vec![],
        coordinates: vec![],
        rows: Rows { list: vec![] },
        reactions: HashMap::new(),
        drivers: vec![],
        forces: vec![],
        signals: vec![],
        signal_names: HashMap::new(),
        splines: vec![],
        angles: vec![],
        wanted: HashSet::new(),
        positive: vec![],
        aligned: vec![],
    };
    b.check_names()?;
    b.require_positive()?;
    let classes = b.share_points()?;
    b.choose_coordinates(&classes);
    b.add_rows()?;
    b.add_splines()?;
    b.add_drivers()?;
    b.add_forces()?;
    b.finish(parameters, &rho)
}

/// Evaluates symbols of ρ.
fn evaluate(graph: &Graph, symbols: &[Sym], rho: &[f64]) -> Vec<f64> {
    let program = graph.program(symbols);
    let mut regs = vec![0.0; program.registers()];
    program.eval(rho, &mut regs);
    (0..symbols.len()).map(|k| program.output(k, &regs)).collect()
}

fn parameters(m: &Mechanism, n: &mut Numbers) -> Result<Vec<ParameterInfo>, ModelError> {
    let mut list = vec![];
    for p in &m.parameters {
        let what = format!("parameter `{}`", p.name);
        let value = n.constant(&p.value, &what)?;
        let mut bound = |b: &Option<Number>, what: String| b.as_ref().map(|b| n.constant(b, &what)).transpose();
        let min = bound(&p.min, format!("{what}, min"))?;
        let max = bound(&p.max, format!("{what}, max"))?;
        let scale = bound(&p.scale, format!("{what}, scale"))?;
        if min.is_some_and(|b| value < b) || max.is_some_and(|b| value > b) {
            let bound = |b: Option<f64>, none: &str| b.map_or(none.into(), |b| b.to_string());
            let bounds = format!("{} … {}", bound(min, "-∞"), bound(max, "∞"));
            return Err(ModelError::new(format!("{what}: {value} is outside its bounds {bounds}")).at(&p.value.place));
        }
        if scale.is_some_and(|s| s <= 0.0) {
            return Err(ModelError::new(format!("{what}: the scale must be positive")).at(&p.name.place));
        }
        let natural = if value == 0.0 { 1.0 } else { value.abs() };
        let (name, unit) = (p.name.text.clone(), p.unit.clone());
        list.push(ParameterInfo { name, value, unit, bounds: (min, max), scale: scale.unwrap_or(natural), used: false });
    }
    Ok(list)
}

/// Nominal values of all local points, in one evaluation.
fn nominal(graph: &Graph, rho: &[f64], shapes: &mut [Shape]) {
    let symbols: Vec<Sym> = shapes.iter().flat_map(|s| s.points.iter().flat_map(|p| p.at)).collect();
    let mut values = evaluate(graph, &symbols, rho).into_iter();
    for p in shapes.iter_mut().flat_map(|s| &mut s.points) {
        p.value = [0, 1].map(|_| values.next().expect("two values for each point"));
    }
}

/// Negative masses and inertias, rods without length.
fn check_bodies(m: &Mechanism, graph: &Graph, rho: &[f64], shapes: &[Shape]) -> Result<(), ModelError> {
    let symbols: Vec<Sym> = shapes.iter().flat_map(|s| [s.mass, s.inertia]).collect();
    let values = evaluate(graph, &symbols, rho);
    for ((body, shape), v) in m.bodies.iter().zip(shapes).zip(values.chunks_exact(2)) {
        let name = &shape.name;
        let wrong = |what: &str, x: f64, place| ModelError::new(format!("body `{name}`: {what} {x} is negative")).at(place);
        // (not a number counts as negative)
        if v[0] < 0.0 || v[0].is_nan() {
            return Err(wrong("mass", v[0], &body.mass.place).help("a mass is zero or positive"));
        }
        if v[1] < 0.0 || v[1].is_nan() {
            let place = body.inertia.as_ref().map_or(&body.name.place, |i| &i.place);
            return Err(wrong("inertia", v[1], place).help("give the inertia about the centre of mass"));
        }
        if let (Some([i, j]), Some(rod)) = (shape.rod, &body.rod) {
            let place = rod.length.as_ref().map_or(&body.name.place, |l| &l.place);
            // the second end of a rod of given length lies at [length, 0]
            let length = if rod.length.is_some() { shape.points[j].value[0] } else { shape.distance(i, j) };
            if length <= 0.0 {
                let e = ModelError::new(format!("body `{name}`: the length of the rod is {length}, not positive")).at(place);
                return Err(e.help("give a length > 0"));
            }
        }
    }
    Ok(())
}

impl<'g> Builder<'g, '_> {
    fn ground(&self) -> usize {
        self.shapes.len() - 1
    }
    /// Masses, inertias, rods and distances that every ρ must keep in order.
    fn require_positive(&mut self) -> Result<(), ModelError> {
        for s in &self.shapes[..self.shapes.len() - 1] {
            let mut list = vec![("mass", s.mass, false), ("inertia", s.inertia, false)];
            if let Some([i, j]) = s.rod {
                let d: Vec<Sym> = (0..2).map(|k| s.points[j].at[k] - s.points[i].at[k]).collect();
                list.push(("length of the rod", (d[0] * d[0] + d[1] * d[1]).sqrt(), true));
            }
            for (what, x, strict) in list {
                self.positive.push((format!("body `{}`: {what}", s.name), self.slots.slot(x), strict));
            }
        }
        for j in &self.m.joints {
            if let JointKind::Distance { length } = &j.kind {
                let l = self.numbers.number(length, &format!("joint `{}`, length", j.name))?;
                self.positive.push((format!("joint `{}`: length", j.name), self.slots.slot(l), true));
            }
        }
        Ok(())
    }
    /// Names of bodies, joints, forces, drivers and splines must differ.
    fn check_names(&self) -> Result<(), ModelError> {
        let m = self.m;
        let mut seen: HashSet<&str> = ["ground", "system", "t"].into();
        let bodies = m.bodies.iter().map(|b| &b.name);
        let rest = m.joints.iter().map(|j| &j.name).chain(m.drivers.iter().map(|d| &d.name));
        let all = bodies.chain(rest).chain(m.forces.iter().map(|f| &f.name)).chain(m.splines.iter().map(|s| &s.name));
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
        let found = self.shapes.iter().position(|s| s.name == t.text);
        found.ok_or_else(|| unknown("body", t, self.shapes.iter().map(|s| s.name.as_str())))
    }
    /// `body.point`.
    fn point_ref(&self, t: &Text) -> Result<PointRef, ModelError> {
        let Some((body, point)) = t.text.split_once('.') else {
            let e = ModelError::new(format!("`{t}` is not a point")).at(&t.place);
            return Err(e.help("write body.point or ground.point"));
        };
        let body = self.body(&Text { text: body.into(), place: t.place.clone() })?;
        let shape = &self.shapes[body];
        match shape.points.iter().position(|p| p.name == point) {
            Some(i) => Ok((body, i)),
            None => {
                let owner = if body == self.ground() { "the ground".into() } else { format!("body `{}`", shape.name) };
                let known: Vec<&str> = shape.points.iter().map(|p| p.name.as_str()).collect();
                let near = crate::error::nearest(point, known.iter().copied())
                    .map_or(String::new(), |n| format!("did you mean `{n}`? "));
                let list = if known.is_empty() { "it has no points".into() } else { format!("it has {}", known.join(", ")) };
                Err(ModelError::new(format!("{owner} has no point `{point}`")).at(&t.place).help(format!("{near}{list}")))
            }
        }
    }
    fn port(&self, (body, point): PointRef) -> Port<'g> {
        self.frames[body].point(&self.shapes[body], point)
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
    fn element(&mut self, kind: Kind, args: &[&Affine<'g>], params: Vec<u32>) -> Element {
        Element { kind, ports: self.ports(args), params }
    }
    /// The angle of body `b` relative to body `a`, with its branch.
    fn angle(&mut self, a: usize, b: usize) -> Element {
        if let Some((_, e)) = self.angles.iter().find(|(k, _)| *k == (a, b)) {
            return e.clone();
        }
        let x = [self.graph.constant(1.0), self.graph.constant(0.0)];
        let (d1, d2) = (self.frames[a].direction(x), self.frames[b].direction(x));
        let reference = ANGLE + self.angles.len() as u32;
        let e = self.element(Kind::Angle, &[&d1[0], &d1[1], &d2[0], &d2[1]], vec![reference]);
        self.angles.push(((a, b), e.clone()));
        e
    }
    fn distance(&mut self, a: PointRef, b: PointRef) -> Element {
        let (a, b) = (self.port(a), self.port(b));
        self.element(Kind::Distance, &[&a[0], &a[1], &b[0], &b[1]], vec![])
    }
    fn add_splines(&mut self) -> Result<(), ModelError> {
        for s in &self.m.splines {
            let what = format!("spline `{}`", s.name);
            let start = self.numbers.constant(&s.start, &format!("{what}, start"))?;
            let duration = self.numbers.constant(&s.duration, &format!("{what}, duration"))?;
            if duration <= 0.0 {
                return Err(ModelError::new(format!("{what}: the duration must be positive")).at(&s.duration.place));
            }
            let values = s.values.iter().map(|v| self.numbers.number(v, &what)).collect::<Result<Vec<_>, _>>()?;
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
