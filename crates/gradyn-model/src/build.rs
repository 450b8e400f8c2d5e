//! Mechanism → system in natural coordinates: order, patterns, slots, checks.

mod bodies;
mod drawn;
mod forces;
mod joints;
mod numbers;
mod sensors;

use crate::element::Element;
use crate::error::ModelError;
use crate::functional::Functional;
use crate::geometry::Kind;
use crate::mechanism::{JointKind, Mechanism, Number, Text};
use crate::natural::{Driver, Natural};
use crate::ports::{Affine, Entry, Ports};
use crate::program::{Graph, Program, Sym};
use crate::quadratic::{QuadraticRows, RowTerms};
use crate::signal::{Signal, Signals};
use crate::spline::{self, SplineError, UniformSpline};
use crate::system::{Dims, Patterns};
use bodies::{Frame, Port, Shape, fixed};
use gradyn_num::{Pattern, Scalar};
use joints::{Ends, Reaction, Rows};
use numbers::{Numbers, SlotTable, unknown};
use std::collections::{BTreeMap, HashMap, HashSet};

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
    forces: Vec<forces::Compiled<'g>>,
    signals: Vec<Signal>,
    signal_names: HashMap<String, u32>,
    splines: Vec<UniformSpline>,
    /// (body 1, body 2) of each angle with a branch, and its element.
    angles: Vec<((usize, usize), Element)>,
    /// Joints whose reaction is read.
    wanted: HashSet<String>,
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
    };
    b.check_names()?;
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

/// Classes of coincident points: number of classes that are shared or on the ground, and what each knows.
pub(crate) struct Classes {
    /// Members (body, point) of each class.
    pub members: Vec<Vec<PointRef>>,
}

impl<'g> Builder<'g, '_> {
    fn ground(&self) -> usize {
        self.shapes.len() - 1
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
    /// Union of points that revolute joints make one, except where the joint's reaction is asked for.
    fn share_points(&mut self) -> Result<Classes, ModelError> {
        self.wanted = sensors::reactions_wanted(self.m, &mut self.numbers)?;
        let mut members: Vec<Vec<PointRef>> = vec![];
        for (b, shape) in self.shapes.iter_mut().enumerate() {
            for (i, p) in shape.points.iter_mut().enumerate() {
                p.class = members.len();
                members.push(vec![(b, i)]);
            }
        }
        for j in &self.m.joints {
            let [a, b] = [self.point_ref(&j.between[0])?, self.point_ref(&j.between[1])?];
            if a.0 == b.0 {
                let e = ModelError::new(format!("joint `{}` connects `{}` with itself", j.name, self.shapes[a.0].name));
                return Err(e.at(&j.between[1].place));
            }
            if j.kind != JointKind::Revolute || self.wanted.contains(&j.name.text) {
                continue;
            }
            let [ca, cb] = [a, b].map(|(b, i)| self.shapes[b].points[i].class);
            if ca == cb {
                self.numbers.warnings.push(format!("joint `{}` repeats what other joints already hold", j.name));
                continue;
            }
            let grounded = |c: usize| members[c].iter().any(|r| r.0 == self.shapes.len() - 1);
            if grounded(ca) && grounded(cb) {
                continue; // two ground points: rows will tell whether they coincide
            }
            let moved = std::mem::take(&mut members[cb]);
            for &(b, i) in &moved {
                self.shapes[b].points[i].class = ca;
            }
            members[ca].extend(moved);
        }
        Ok(Classes { members })
    }
    /// Two points, or a point and a vector, for each body.
    fn choose_coordinates(&mut self, classes: &Classes) {
        let ground = self.ground();
        let mut ports: HashMap<usize, Port<'g>> = HashMap::new();
        for (i, p) in self.shapes[ground].points.iter().enumerate() {
            ports.insert(p.class, fixed(self.shapes[ground].points[i].at));
        }
        for b in 0..ground {
            let pair = self.best_pair(b, classes);
            let frame = match pair {
                Some([i, j]) => {
                    let [ri, rj] = [i, j].map(|i| self.class_port(b, i, &mut ports));
                    Frame::two_points(&self.shapes[b], [i, j], ri, rj)
                }
                None => self.point_and_vector(b, classes, &mut ports),
            };
            self.frames.push(frame);
        }
        self.frames.push(Frame::ground(self.graph));
    }
    /// The shared points of body `b` that are farthest apart, if there are two.
    fn best_pair(&self, b: usize, classes: &Classes) -> Option<[usize; 2]> {
        let (shape, ground) = (&self.shapes[b], self.ground());
        let grounded = |i: usize| classes.members[shape.points[i].class].iter().any(|r| r.0 == ground);
        let valid = |i: usize, j: usize| {
            let different = shape.points[i].class != shape.points[j].class && !(grounded(i) && grounded(j));
            different && shape.distance(i, j) > 1e-9
        };
        if let Some([i, j]) = shape.rod.filter(|&[i, j]| valid(i, j)) {
            return Some([i, j]);
        }
        let shared: Vec<usize> = (0..shape.points.len()).filter(|&i| classes.members[shape.points[i].class].len() > 1).collect();
        let pairs = shared.iter().flat_map(|&i| shared.iter().map(move |&j| [i, j])).filter(|&[i, j]| i < j && valid(i, j));
        pairs.max_by(|a, b| shape.distance(a[0], a[1]).total_cmp(&shape.distance(b[0], b[1])))
    }
    fn point_and_vector(&mut self, b: usize, classes: &Classes, ports: &mut HashMap<usize, Port<'g>>) -> Frame<'g> {
        let shape = &self.shapes[b];
        let shared = (0..shape.points.len()).find(|&i| classes.members[shape.points[i].class].len() > 1);
        let point = shared.or(if shape.points.is_empty() { None } else { Some(0) });
        let name = shape.name.clone();
        let origin = point.map_or(shape.com, |i| shape.points[i].at);
        let p = match point {
            Some(i) => self.class_port(b, i, ports),
            None => self.new_pair(&format!("{name}.com.x"), &format!("{name}.com.y")),
        };
        let u = self.new_pair(&format!("{name}.ux"), &format!("{name}.uy"));
        Frame::point_and_vector(self.graph, origin, point, p, u)
    }
    fn new_pair(&mut self, x: &str, y: &str) -> Port<'g> {
        let one = self.graph.constant(1.0);
        [x, y].map(|name| {
            self.coordinates.push(name.into());
            Affine::coordinate(self.coordinates.len() - 1, one)
        })
    }
    /// The coordinates of the class of point `i` of body `b`.
    fn class_port(&mut self, b: usize, i: usize, ports: &mut HashMap<usize, Port<'g>>) -> Port<'g> {
        let point = &self.shapes[b].points[i];
        let class = point.class;
        if let Some(p) = ports.get(&class) {
            return p.clone();
        }
        let name = format!("{}.{}", self.shapes[b].name, point.name);
        let port = self.new_pair(&format!("{name}.x"), &format!("{name}.y"));
        ports.insert(class, port.clone());
        port
    }
    /// Rigid bodies, then joints. Shared points that are not in a body's basis are tied to their class.
    fn add_rows(&mut self) -> Result<(), ModelError> {
        for b in 0..self.ground() {
            let row = self.frames[b].rigid(self.graph);
            self.rows.push(format!("{} (rigid)", self.shapes[b].name), row);
        }
        let mut tied: HashMap<usize, Vec<Vec<Port<'g>>>> = HashMap::new();
        for j in &self.m.joints {
            let refs = [self.point_ref(&j.between[0])?, self.point_ref(&j.between[1])?];
            let ends = Ends { frames: refs.map(|(b, _)| &self.frames[b]), points: refs.map(|r| self.port(r)) };
            let class = refs.map(|(b, i)| self.shapes[b].points[i].class);
            let shared = j.kind == JointKind::Revolute && class[0] == class[1];
            if shared && tie(tied.entry(class[0]).or_default(), &ends.points) {
                if self.wanted.contains(&j.name.text) {
                    let e = ModelError::new(format!("joint `{}` repeats other joints: its reaction is not determined", j.name));
                    return Err(e.at(&j.name.place).help("remove the joint, or read the reaction of the other one"));
                }
                continue;
            }
            let reaction = joints::add(j, &ends, &mut self.numbers, &mut self.rows)?;
            self.reactions.insert(j.name.text.clone(), reaction);
        }
        Ok(())
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
    fn finish(mut self, mut parameters: Vec<ParameterInfo>, rho: &[f64]) -> Result<Model, ModelError> {
        let n = self.coordinates.len();
        if n == 0 {
            return Err(ModelError::new("the model has no moving body"));
        }
        // rows, inertia, weights
        let list = std::mem::take(&mut self.rows.list);
        let rows: Vec<RowTerms> = list.iter().map(|(_, r)| r.row(&mut self.slots)).collect();
        let mut row_names: Vec<String> = list.into_iter().map(|(name, _)| name).collect();
        row_names.extend(self.drivers.iter().map(|(name, _)| format!("{name} (driver)")));
        let (inertia, weights, level) = self.inertia_and_weights()?;
        // functionals: sensors may still add slots and angles
        let objectives = self.objectives()?;
        let outputs = self.outputs()?;
        let conditions = self.conditions()?;
        let times = self.times()?;
        let (drawn, angles) = self.drawn(rho)?;
        // sizes and patterns
        let drivers = std::mem::take(&mut self.drivers);
        let (slots, m) = (self.slots.symbols.len(), rows.len() + drivers.len());
        let signals = self.signals.len();
        let dims = Dims { n, m, slots, angles: self.angles.len(), args: slots + signals + self.angles.len() };
        let fix = Numbering { slots: slots as u32, signals: signals as u32 };
        let patterns = self.patterns(&inertia, &rows, &drivers, n, m);
        // compile onto the patterns
        let signals = Signals { list: self.signals.iter().map(|s| fix.signal(s)).collect() };
        let drivers: Vec<Driver> =
            drivers.into_iter().enumerate().map(|(k, (_, e))| fix.driver(e, rows.len() + k, &patterns)).collect();
        let forces = self.forces.iter().map(|f| fix.force(f, &patterns.nn)).collect::<Vec<_>>();
        let inertia_at =
            inertia.iter().map(|e| patterns.nn.position(e.0 as usize, e.1 as usize).expect("M is in the pattern") as u32);
        let mut system = Natural {
            dims,
            inertia_at: inertia_at.collect(),
            inertia,
            weights,
            level,
            rows: QuadraticRows::new(&rows, &patterns.nn, &patterns.mn),
            driver_elements: drivers.iter().map(|d| d.element.clone()).collect(),
            drivers,
            forces,
            signals,
            angles: self.angles.iter().map(|(_, e)| fix.element(e)).collect(),
            integrand: Functional::empty(),
            terminal: Functional::empty(),
            output: Functional::empty(),
            position: vec![],
            velocity: vec![],
            drawn,
            row_names,
            coordinate_names: std::mem::take(&mut self.coordinates),
            patterns,
        };
        system.integrand = fix.functional(objectives.integrand, &system);
        system.terminal = fix.functional(objectives.terminal, &system);
        system.output = fix.functional(outputs.1, &system);
        system.position = conditions.position.into_iter().map(|f| fix.functional(f, &system)).collect();
        system.velocity = conditions.velocity.into_iter().map(|f| fix.functional(f, &system)).collect();
        let program = self.graph.program(&self.slots.symbols);
        for &i in program.used_inputs() {
            parameters[i].used = true;
        }
        let m = self.m;
        let named =
            m.joints.iter().map(|j| &j.name).chain(m.drivers.iter().map(|d| &d.name)).chain(m.bodies.iter().map(|b| &b.name));
        let named = named.chain(m.forces.iter().map(|f| &f.name));
        Ok(Model {
            name: m.name.clone(),
            system,
            slots: program,
            parameters,
            objectives: m.objectives.iter().map(|o| o.name.text.clone()).collect(),
            columns: outputs.0,
            times,
            splines: self.splines,
            angles,
            warnings: self.numbers.warnings,
            conditions: conditions.names,
            places: named.map(|t| (t.text.clone(), t.place.clone())).collect(),
            counts: [m.bodies.len(), m.joints.len(), m.forces.len(), m.drivers.len()],
        })
    }
    /// Entries (i, j, slot) of M, (coordinate, slot) of the weights, and the slot of the potential's constant.
    fn inertia_and_weights(&mut self) -> Result<(Vec<(u32, u32, u32)>, Vec<(u32, u32)>, u32), ModelError> {
        let g = self.numbers.vector(&self.m.gravity, "gravity")?;
        let mut mass: BTreeMap<(usize, usize), Sym<'g>> = BTreeMap::new();
        let mut weight: BTreeMap<usize, Sym<'g>> = BTreeMap::new();
        let mut level = self.graph.constant(0.0);
        for (frame, shape) in self.frames.iter().zip(&self.shapes[..self.shapes.len() - 1]) {
            frame.inertia(shape, |a, b, c| {
                for (a, b) in a.iter().zip(b) {
                    for (&(i, x), &(j, y)) in a.terms.iter().flat_map(|x| b.terms.iter().map(move |y| (x, y))) {
                        let entry = c * x * y;
                        mass.entry((i, j)).and_modify(|m| *m = *m + entry).or_insert(entry);
                    }
                }
            });
            for (r, g) in frame.at(shape.com).iter().zip(g) {
                for &(i, c) in &r.terms {
                    let w = shape.mass * g * c;
                    weight.entry(i).and_modify(|x| *x = *x + w).or_insert(w);
                }
                level = level - shape.mass * g * r.constant;
            }
        }
        let some = |s: &Sym| s.as_constant() != Some(0.0);
        let mass =
            mass.into_iter().filter(|(_, s)| some(s)).map(|((i, j), s)| (i as u32, j as u32, self.slots.slot(s))).collect();
        let weight = weight.into_iter().filter(|(_, s)| some(s)).map(|(i, s)| (i as u32, self.slots.slot(s))).collect();
        Ok((mass, weight, self.slots.slot(level)))
    }
    fn times(&mut self) -> Result<Times, ModelError> {
        let mut slot = |x: &Number, what: &str| Ok(self.slots.slot(self.numbers.number(x, what)?));
        Ok(Times {
            start: slot(&self.m.t_start, "t_start")?,
            breaks: self.m.breaks.iter().map(|b| slot(b, "break time")).collect::<Result<_, _>>()?,
            end: slot(&self.m.t_end, "t_end")?,
        })
    }
    fn patterns(
        &self,
        inertia: &[(u32, u32, u32)],
        rows: &[RowTerms],
        drivers: &[(String, Element)],
        n: usize,
        m: usize,
    ) -> Patterns {
        let (mut nn, mut mn) = (vec![], vec![]);
        nn.extend((0..n).map(|i| (i, i)));
        nn.extend(inertia.iter().map(|e| (e.0 as usize, e.1 as usize)));
        for (k, row) in rows.iter().enumerate() {
            nn.extend(row.a.iter().map(|&(i, j, _)| (i, j)));
            mn.extend(row.coords().map(|i| (k, i)));
        }
        let mut pairs = |ports: &Ports| {
            let coords: Vec<usize> = ports.coords().map(|i| i as usize).collect();
            nn.extend(coords.iter().flat_map(|&i| coords.iter().map(move |&j| (i, j))));
        };
        for (k, (_, e)) in drivers.iter().enumerate() {
            pairs(&e.ports);
            mn.extend(e.ports.coords().map(|i| (rows.len() + k, i as usize)));
        }
        self.forces.iter().for_each(|f| pairs(&f.element.ports));
        Patterns { nn: Pattern::from_entries(n, n, nn), mn: Pattern::from_entries(m, n, mn) }
    }
}

/// Joins the sets of two ports of one class; true if they were one already.
fn tie<'g>(sets: &mut Vec<Vec<Port<'g>>>, ends: &[Port<'g>; 2]) -> bool {
    let mut find = |p: &Port<'g>| {
        let same = |k: &Port<'g>| k[0].same(&p[0]) && k[1].same(&p[1]);
        sets.iter().position(|s| s.iter().any(same)).unwrap_or_else(|| {
            sets.push(vec![p.clone()]);
            sets.len() - 1
        })
    };
    let (a, b) = (find(&ends[0]), find(&ends[1]));
    if a != b {
        let moved = std::mem::take(&mut sets[b]);
        sets[a].extend(moved);
    }
    a == b
}

/// Final indices of signals and angle references.
pub(crate) struct Numbering {
    slots: u32,
    signals: u32,
}
impl Numbering {
    fn arg(&self, i: u32) -> u32 {
        match i {
            i if i >= ANGLE => self.slots + self.signals + (i - ANGLE),
            i if i >= SIGNAL => self.slots + (i - SIGNAL),
            i => i,
        }
    }
    fn element(&self, e: &Element) -> Element {
        Element { params: e.params.iter().map(|&i| self.arg(i)).collect(), ..e.clone() }
    }
    fn driver(&self, e: Element, row: usize, patterns: &Patterns) -> Driver {
        let coords: Vec<usize> = e.ports.coords().map(|i| i as usize).collect();
        let at = |p: &Pattern, i: usize, j: usize| p.position(i, j).expect("the pattern contains the driver") as u32;
        Driver {
            row: coords.iter().map(|&i| at(&patterns.mn, row, i)).collect(),
            pairs: coords
                .iter()
                .flat_map(|&i| coords.iter().map(move |&j| (i, j)))
                .map(|(i, j)| at(&patterns.nn, i, j))
                .collect(),
            element: self.element(&e),
        }
    }
}
