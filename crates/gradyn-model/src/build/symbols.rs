//! Sensors as symbols of one graph: affine ports are its inputs, everything else follows from them by
//! formulas.
//!
//! ```text
//! angle of joint        θ = atan2(n₂·b₁, n₂·n₁) + 2πk                                                 (1)
//! attitude of 2 in 1    yaw atan2(R₂₁, R₁₁), pitch atan2(-R₃₁, √(R₃₂² + R₃₃²)), roll atan2(R₃₂, R₃₃)  (2)
//! angular velocity      ω = ½ Σ u_k × u̇_k                                                            (3)
//! ```
//! R_ij = a_i·b_j with the axes a of body 1 and b of body 2. The rate of any expression is an
//! expression of ports one level higher.

use super::Builder;
use super::functionals::Draft;
use super::joint::Coordinate;
use super::numbers::Quad;
use super::vectors::{Port, Symbols, cross, difference, dot, normal, scaled, sum};
use crate::functional::Sensor;
use crate::ports::Affine;
use crate::program::{Graph, Program, Sym};
use crate::signal::Input;
use std::collections::{HashMap, HashSet};

/// An angle with a branch: atan2(y.0·y.1, x.0·x.1).
pub(crate) struct AngleDef<'g> {
    /// What it is, for messages.
    pub text: String,
    /// Numerator and denominator.
    pub y: (Port<'g>, Port<'g>),
    pub x: (Port<'g>, Port<'g>),
    /// A value near which it starts, if a condition or a driver says so.
    pub near: Option<f64>,
    /// Bodies 1 and 2 whose relative plane angle it is.
    pub bodies: Option<(usize, usize)>,
    /// Is it a yaw or a roll, which jumps where the pitch is a right angle?
    pub attitude: bool,
}
impl<'g> AngleDef<'g> {
    /// (Y, X) as forms.
    pub(crate) fn quads(&self, graph: &'g Graph) -> [Quad<'g>; 2] {
        [&self.y, &self.x].map(|(a, b)| Quad::zero(graph).plus_dot(graph.constant(1.0), a, b))
    }
}

/// What identifies an affine input: coordinates with coefficients, constant, level.
type AffineKey = (Vec<(usize, usize)>, usize, usize);

/// Sensors as inputs of one graph.
pub(crate) struct SensorEnv<'a, 'g, 'm, 'h> {
    pub b: &'a mut Builder<'g, 'm>,
    pub graph: &'h Graph,
    pub sensors: Vec<Sensor>,
    pub inputs: Vec<Input>,
    input_index: HashMap<Input, usize>,
    affine: HashMap<AffineKey, Sym<'h>>,
    /// The port component that a sensor is.
    components: HashMap<u32, Affine<'g>>,
    named: HashMap<String, Symbols<'h>>,
    /// Sensor k one level higher.
    higher: HashMap<u32, u32>,
    /// Names that mean something here only.
    pub local: Vec<(String, Sym<'h>)>,
    /// Forces whose expressions are being read.
    pub reading: Vec<String>,
    /// Symbols of angles with a branch.
    pub angle_symbols: Vec<(Sym<'h>, usize)>,
}

impl<'a, 'g, 'm, 'h> SensorEnv<'a, 'g, 'm, 'h> {
    pub(crate) fn new(b: &'a mut Builder<'g, 'm>, graph: &'h Graph) -> Self {
        Self {
            b,
            graph,
            sensors: vec![],
            inputs: vec![],
            input_index: HashMap::new(),
            affine: HashMap::new(),
            components: HashMap::new(),
            named: HashMap::new(),
            higher: HashMap::new(),
            local: vec![],
            reading: vec![],
            angle_symbols: vec![],
        }
    }
    /// The program of some outputs, with the sensors that they need.
    pub(crate) fn draft(&self, outputs: &[Sym<'h>]) -> Draft {
        self.draft_of(self.graph.program(outputs))
    }
    /// A program of this graph, with the sensors that it needs.
    pub(super) fn draft_of(&self, program: Program) -> Draft {
        let used: HashSet<usize> = program.used_inputs().iter().copied().collect();
        let mut sensors = vec![];
        let keep = |(i, input): (usize, &Input)| match input {
            Input::Sensor(k) if used.contains(&i) => {
                sensors.push(self.sensors[*k as usize].clone());
                Input::Sensor(sensors.len() as u32 - 1)
            }
            input if used.contains(&i) => *input,
            _ => Input::Time, // a place that the program does not read
        };
        let inputs = self.inputs.iter().enumerate().map(keep).collect();
        Draft { program, inputs, sensors }
    }
    /// Do some symbols read velocities?
    pub(crate) fn read_velocities(&self, symbols: &[Sym<'h>]) -> bool {
        let sensor = |i: usize| {
            if let Input::Sensor(k) = self.inputs[i] { Some(&self.sensors[k as usize]) } else { None }
        };
        symbols.iter().flat_map(|s| s.inputs()).filter_map(sensor).any(Sensor::needs_velocity)
    }
    pub(crate) fn input(&mut self, i: Input) -> Sym<'h> {
        let next = self.inputs.len();
        let k = *self.input_index.entry(i).or_insert(next);
        if k == next {
            self.inputs.push(i);
        }
        self.graph.input(k)
    }
    fn sensor(&mut self, s: Sensor) -> Sym<'h> {
        self.sensors.push(s);
        self.input(Input::Sensor(self.sensors.len() as u32 - 1))
    }
    /// Sensors under a key, once.
    pub(crate) fn sense(
        &mut self,
        key: String,
        make: impl FnOnce(&mut Builder<'g, 'm>) -> Vec<Sensor>,
    ) -> Symbols<'h> {
        if let Some(found) = self.named.get(&key) {
            return found.clone();
        }
        let sensors = make(self.b);
        let symbols: Symbols<'h> = sensors.into_iter().map(|s| self.sensor(s)).collect();
        self.named.insert(key, symbols.clone());
        symbols
    }
    /// A symbol of ρ: its slot, or itself if constant.
    pub(crate) fn parameter(&mut self, s: Sym<'g>) -> Sym<'h> {
        match s.as_constant() {
            Some(c) => self.graph.constant(c),
            None => {
                let slot = self.b.slots.slot(s);
                self.input(Input::Arg(slot))
            }
        }
    }
    pub(crate) fn parameters(&mut self, v: &[Sym<'g>]) -> Symbols<'h> {
        v.iter().map(|&s| self.parameter(s)).collect()
    }
    /// A component of a port.
    pub(crate) fn component(&mut self, x: &Affine<'g>) -> Sym<'h> {
        if x.terms.is_empty() {
            return self.parameter(x.constant);
        }
        let mut terms: Vec<(usize, usize)> = x.terms.iter().map(|(i, c)| (*i, c.id())).collect();
        terms.sort_unstable();
        let key = (terms, x.constant.id(), 0);
        if let Some(&s) = self.affine.get(&key) {
            return s;
        }
        let ports = self.b.ports(&[x]);
        self.components.insert(self.sensors.len() as u32, x.clone());
        let s = self.sensor(Sensor::Affine(ports, 0));
        self.affine.insert(key, s);
        s
    }
    /// A port as symbols.
    pub(crate) fn port(&mut self, p: &Port<'g>) -> Symbols<'h> {
        p.iter().map(|x| self.component(x)).collect()
    }
    /// First rates of symbols; the name of what has none where there is none.
    pub(crate) fn rates(&mut self, symbols: &[Sym<'h>]) -> Result<Symbols<'h>, String> {
        let mut needed: Vec<usize> = symbols.iter().flat_map(|s| s.inputs()).collect();
        needed.sort_unstable();
        needed.dedup();
        let mut rate = HashMap::new();
        for i in needed {
            rate.insert(i, self.input_rate(self.inputs[i])?);
        }
        Ok(self.graph.rates(symbols, |i| rate[&i]))
    }
    pub(crate) fn rate(&mut self, s: Sym<'h>) -> Result<Sym<'h>, String> {
        Ok(self.rates(&[s])?[0])
    }
    fn input_rate(&mut self, i: Input) -> Result<Sym<'h>, String> {
        // ṫ = 1; slots and references are constant; signals and affine sensors have rates one level higher
        match i {
            Input::Time => Ok(self.graph.constant(1.0)),
            Input::Arg(s) if (super::SIGNAL..super::SIDE).contains(&s) => Ok(self.input(Input::Rate(s, 1))),
            Input::Arg(_) => Ok(self.graph.constant(0.0)),
            Input::Rate(s, 1) => Ok(self.input(Input::Rate(s, 2))),
            Input::Rate(..) => Err("the third rate of a function of time".into()),
            Input::Sensor(k) => {
                if let Some(&h) = self.higher.get(&k) {
                    return Ok(self.input(Input::Sensor(h)));
                }
                match &self.sensors[k as usize] {
                    Sensor::Affine(ports, level) if *level < 2 => {
                        let s = Sensor::Affine(ports.clone(), level + 1);
                        self.higher.insert(k, self.sensors.len() as u32);
                        Ok(self.sensor(s))
                    }
                    Sensor::Affine(..) => Err("the rate of an acceleration".into()),
                    Sensor::Kinetic | Sensor::Gravity => Err("the rate of an energy of the system".into()),
                    Sensor::Reaction(_) | Sensor::Multiplier(_) => Err("the rate of a reaction".into()),
                }
            }
        }
    }
    /// ∂s/∂x of every port component x that `s` reads; `None` if it reads more than positions.
    pub(crate) fn gradient(&self, s: Sym<'h>) -> Option<Vec<(Affine<'g>, Sym<'h>)>> {
        let constant = |c: bool| self.graph.constant(f64::from(u8::from(c)));
        let mut parts = vec![];
        for i in s.inputs() {
            let Input::Sensor(k) = self.inputs[i] else { continue };
            let slope = self.graph.rates(&[s], |j| constant(i == j))[0];
            parts.push((self.components.get(&k)?.clone(), slope));
        }
        Some(parts)
    }
    /// An angle with a branch.
    pub(crate) fn angle(&mut self, k: usize) -> Sym<'h> {
        let y = self.b.angles[k].y.clone();
        let x = self.b.angles[k].x.clone();
        let [y0, y1, x0, x1] = [&y.0, &y.1, &x.0, &x.1].map(|p| self.port(p));
        let reference = self.input(Input::Arg(super::ANGLE + k as u32));
        let s = dot(&y0, &y1).atan2(dot(&x0, &x1)).unwrap_near(reference);
        self.angle_symbols.push((s, k));
        s
    }
    /// Directions of the local axes of a body.
    pub(crate) fn axes(&mut self, b: usize) -> Vec<Symbols<'h>> {
        self.b.frames[b].axes().iter().map(|p| self.port(p)).collect()
    }
    /// Components of a vector in the axes of a body.
    pub(crate) fn local(&mut self, v: &[Sym<'h>], b: usize) -> Symbols<'h> {
        self.axes(b).iter().map(|axis| dot(axis, v)).collect()
    }
    /// (3); a number in the plane.
    pub(crate) fn omega(&mut self, b: usize) -> Symbols<'h> {
        let axes = self.axes(b);
        let rates: Vec<Symbols> =
            axes.iter().map(|a| self.rates(a).expect("directions have rates")).collect();
        if self.b.m.dimension == 2 {
            return vec![axes[0][0] * rates[0][1] - axes[0][1] * rates[0][0]];
        }
        let parts = axes.iter().zip(&rates).map(|(u, d)| cross(u, d)).reduce(|a, b| sum(&a, &b));
        scaled(self.graph.constant(0.5), &parts.expect("three axes"))
    }
    /// (2) of body 2 in body 1.
    pub(crate) fn attitude(&mut self, which: &str, [one, two]: [usize; 2]) -> Sym<'h> {
        if which != "pitch" {
            let k = self.b.attitude_angle(which, [one, two]);
            return self.angle(k);
        }
        let a = self.axes(one);
        let b = self.axes(two);
        let r = |i: usize, j: usize| dot(&a[i], &b[j]);
        (-r(2, 0)).atan2((r(2, 1) * r(2, 1) + r(2, 2) * r(2, 2)).sqrt())
    }
    /// The slide (r₂ - r₁)·a₁ of a joint.
    pub(crate) fn joint_position(&mut self, k: usize, direction: &[Sym<'g>]) -> Sym<'h> {
        let ends = self.b.joint_ends(k);
        let [r1, r2] = ends.map(|r| self.b.port(r));
        let axis = self.b.frames[ends[0].0].direction(direction);
        let [r1, r2, axis] = [&r1, &r2, &axis].map(|p| self.port(p));
        dot(&difference(&r2, &r1), &axis)
    }
}

impl<'g> Builder<'g, '_> {
    fn angle_def(&mut self, key: String, def: impl FnOnce(&Self) -> AngleDef<'g>) -> usize {
        if let Some(&k) = self.angle_index.get(&key) {
            return k;
        }
        let def = def(self);
        self.angles.push(def);
        self.angle_index.insert(key, self.angles.len() - 1);
        self.angles.len() - 1
    }
    /// The plane angle of body `b` relative to body `a`.
    pub(super) fn plane_angle(&mut self, a: usize, b: usize) -> usize {
        self.angle_def(format!("angle {a} {b}"), |s| {
            // the x axes of both bodies
            let x = super::vectors::unit(s.graph, 2, 0);
            let d1 = s.frames[a].direction(&x);
            let d2 = s.frames[b].direction(&x);
            let name = |k: usize| &s.solids[k].name;
            let text = match a == s.ground() {
                true => format!("the angle of `{}`", name(b)),
                false => format!("the angle from `{}` to `{}`", name(a), name(b)),
            };
            // atan2(d₁⊥·d₂, d₁·d₂)
            AngleDef {
                text,
                y: (normal(&d1), d2.clone()),
                x: (d1, d2),
                near: None,
                bodies: Some((a, b)),
                attitude: false,
            }
        })
    }
    /// Yaw or roll of body 2 in body 1, (2).
    fn attitude_angle(&mut self, which: &str, [one, two]: [usize; 2]) -> usize {
        self.angle_def(format!("{which} {one} {two}"), |s| {
            let a = s.frames[one].axes();
            let b = s.frames[two].axes();
            let pick = |i: usize, j: usize| (a[i].clone(), b[j].clone());
            let (y, x) = if which == "yaw" { (pick(1, 0), pick(0, 0)) } else { (pick(2, 1), pick(2, 2)) };
            AngleDef {
                text: format!("the {which} of `{}`", s.solids[two].name),
                y,
                x,
                near: None,
                bodies: None,
                attitude: true,
            }
        })
    }
    /// (1): an angle of joint `k`, where it has it.
    pub(super) fn joint_angle(&mut self, k: usize, angle: Coordinate) -> Option<usize> {
        let j = &self.m.joints[k];
        let [one, two] = self.joint_ends(k).map(|e| e.0);
        if !j.kind.spec().coordinates[self.m.dimension - 2].contains(&angle) {
            return None;
        }
        if self.m.dimension == 2 {
            return Some(self.plane_angle(one, two));
        }
        let which = match angle {
            Coordinate::Angle | Coordinate::FirstAngle => 1,
            Coordinate::SecondAngle => 2,
            Coordinate::Position | Coordinate::X | Coordinate::Y => return None,
        };
        let text = format!("the angle of joint `{}`", j.name);
        Some(self.angle_def(format!("joint {k} {which}"), |s| {
            let f = &s.joint_frames[k];
            let dir = |side: usize, w: &[Sym<'g>]| s.frames[[one, two][side]].direction(w);
            let n1 = dir(0, &f.normals[0]);
            let b1 = dir(0, &cross(&f.axes[0], &f.normals[0]));
            let a1 = dir(0, &f.axes[0]);
            let a2 = dir(1, &f.axes[1]);
            let n2 = dir(1, &f.normals[1]);
            let minus_b2 = dir(1, &cross(&f.normals[1], &f.axes[1]));
            let (y, x) = match angle {
                Coordinate::FirstAngle => ((a2.clone(), b1), (a2, n1)),
                // a₁ seen from body 2 turns backwards
                Coordinate::SecondAngle => ((a1.clone(), minus_b2), (a1, n2)),
                _ => ((n2.clone(), b1), (n2, n1)),
            };
            AngleDef { text, y, x, near: None, bodies: None, attitude: false }
        }))
    }
}
