//! Which points and vectors become coordinates, and the rows that keep bodies rigid and joints closed.

mod rows;

use super::frames::{Basis, Frame};
use super::joint::Reaction;
use super::joints::{self, Ends, JointFrame};
use super::vectors::{AXES, Port, Symbols, fixed, same, unit};
use super::{Builder, PointRef};
use crate::error::ModelError;
use crate::mechanism::Text;
use crate::ports::Affine;
use crate::row::{Owner, RowName};
use crate::warning::{Warning, WarningCode};
use std::collections::{HashMap, HashSet};

/// Classes of coincident points and of parallel vectors.
#[derive(Default)]
pub(crate) struct Classes<'g> {
    /// Members (body, point) of each class of points.
    points: Vec<Vec<PointRef>>,
    /// Members of each class of vectors.
    vectors: Vec<Vec<VectorRef<'g>>>,
    /// Vectors of each body: local components and class.
    vectors_of: HashMap<usize, Vec<(Vec<usize>, usize)>>,
    point_ports: HashMap<usize, Port<'g>>,
    vector_ports: HashMap<usize, Port<'g>>,
}

/// A unit vector of a body: its local components and their nominal values.
#[derive(Clone)]
struct VectorRef<'g> {
    body: usize,
    local: Symbols<'g>,
    value: Vec<f64>,
}

/// A coordinate: what it is called, and which component of which point or vector of which body it is.
pub(crate) struct Coordinate {
    pub name: String,
    pub body: usize,
    /// Point (by index), or a vector by its nominal local components.
    pub of: Result<usize, Vec<f64>>,
    pub axis: usize,
}

/// Bodies and joints that a tree carries: they hold by themselves and have no rows.
#[derive(Default)]
pub(crate) struct Carried {
    pub bodies: HashSet<usize>,
    pub joints: HashSet<usize>,
}

/// Directions are independent if what is left after projection is at least this part of their length.
const INDEPENDENT: f64 = 0.3;

/// Chooses what the coordinates of the bodies are.
pub(crate) struct Chooser<'a, 'g, 'm> {
    b: &'a mut Builder<'g, 'm>,
    classes: Classes<'g>,
}

impl<'a, 'g, 'm> Chooser<'a, 'g, 'm> {
    /// Union of points and axes that joints make one, except where the joint's reaction is asked for;
    /// `apart`: nowhere.
    pub(super) fn share(b: &'a mut Builder<'g, 'm>, apart: bool) -> Self {
        for j in b.m.joints.iter().filter(|_| apart) {
            b.wanted.entry(j.name.text.clone()).or_insert(false);
        }
        let mut new = Self { b, classes: Classes::default() };
        new.find_spots();
        // a class for each point
        for (b, solid) in new.b.solids.iter_mut().enumerate() {
            for (i, p) in solid.points.iter_mut().enumerate() {
                p.class = new.classes.points.len();
                new.classes.points.push(vec![(b, i)]);
            }
        }
        new.unite();
        new
    }
    /// Makes one class of what each joint holds together.
    fn unite(&mut self) {
        for k in 0..self.b.m.joints.len() {
            let j = &self.b.m.joints[k];
            let ends = self.b.joint_ends(k);
            if self.b.wanted.contains_key(&j.name.text) {
                continue;
            }
            let spec = j.kind.spec();
            let d = self.b.m.dimension;
            if spec.shares_point[d - 2] && !self.unite_points(ends) {
                // it holds nothing but its point
                let alone = spec.rows[d - 2] == d;
                let text = format!("joint `{}` repeats what other joints already hold", j.name);
                let warning = Warning::new(WarningCode::RepeatedJoint, text).about(Owner::Joint, &j.name);
                self.b.numbers.warnings.extend(alone.then_some(warning));
            }
            if d == 3 && spec.shares_axis {
                let axes = self.b.joint_frames[k].axes.clone();
                self.unite_vectors([ends[0].0, ends[1].0], &axes);
            }
        }
    }
    /// Points that joints hold together.
    fn find_spots(&mut self) {
        let all = self.b.solids.iter_mut().flat_map(|s| &mut s.points);
        let mut held: Vec<usize> = (0..all.enumerate().map(|(i, p)| p.spot = i).count()).collect();
        let plane = self.b.m.dimension - 2;
        for k in (0..self.b.m.joints.len()).filter(|&k| self.b.m.joints[k].kind.spec().shares_point[plane]) {
            let [a, b] = self.b.joint_ends(k).map(|(b, i)| root(&mut held, self.b.solids[b].points[i].spot));
            held[b] = a;
        }
        let all = self.b.solids.iter_mut().flat_map(|s| &mut s.points);
        all.for_each(|p| p.spot = root(&mut held, p.spot));
    }
    /// False if they were one already.
    fn unite_points(&mut self, ends: [PointRef; 2]) -> bool {
        let [ca, cb] = ends.map(|(b, i)| self.b.solids[b].points[i].class);
        if ca == cb {
            return false;
        }
        let ground = self.b.ground();
        let grounded = |c: usize| self.classes.points[c].iter().any(|r| r.0 == ground);
        if grounded(ca) && grounded(cb) {
            return true; // two ground points: rows will tell whether they coincide
        }
        let (into, from) =
            if self.classes.points[ca].len() < self.classes.points[cb].len() { (cb, ca) } else { (ca, cb) };
        let moved = std::mem::take(&mut self.classes.points[from]);
        for &(b, i) in &moved {
            self.b.solids[b].points[i].class = into;
        }
        self.classes.points[into].extend(moved);
        true
    }
    fn unite_vectors(&mut self, bodies: [usize; 2], axes: &[Symbols<'g>; 2]) {
        let [ca, cb] =
            [0, 1].map(|k| self.classes.vector(bodies[k], &axes[k], || self.b.numbers.nominal(&axes[k])));
        let (into, from) =
            if self.classes.vectors[ca].len() < self.classes.vectors[cb].len() { (cb, ca) } else { (ca, cb) };
        let member = |body: usize, class: usize| self.classes.vectors_of[&body].iter().any(|v| v.1 == class);
        if ca == cb || self.classes.vectors[from].iter().any(|v| member(v.body, into)) {
            return; // one already, or two directions of one body: rows will tell
        }
        let moved = std::mem::take(&mut self.classes.vectors[from]);
        for v in &moved {
            let own = self.classes.vectors_of.get_mut(&v.body).into_iter().flatten();
            own.filter(|v| v.1 == from).for_each(|v| v.1 = into);
        }
        self.classes.vectors[into].extend(moved);
    }
    /// The basis of each body.
    pub(crate) fn choose_coordinates(&mut self) -> Result<(), ModelError> {
        let ground = self.b.ground();
        // points and vectors on the ground are constants
        for p in &self.b.solids[ground].points {
            self.classes.point_ports.insert(p.class, fixed(&p.at));
        }
        for (c, members) in self.classes.vectors.iter().enumerate() {
            if let Some(v) = members.iter().find(|v| v.body == ground) {
                self.classes.vector_ports.insert(c, fixed(&v.local));
            }
        }
        // a basis for each body: a line, or three directions in space
        for b in 0..ground {
            let frame = if self.b.solids[b].rod.is_some() || self.b.m.dimension == 2 {
                self.line_frame(b)?
            } else {
                self.space_frame(b)
            };
            self.b.frames.push(frame);
        }
        self.b.frames.push(Frame::ground(self.b.graph, self.b.m.dimension));
        // points that several bodies share
        let shared = self.classes.points.iter().enumerate().filter(|(_, members)| members.len() > 1);
        self.b.class_points = shared.map(|(c, members)| (c, members.clone())).collect();
        Ok(())
    }
    /// The centre of mass and the axes of every body; the points of rods in space.
    pub(crate) fn choose_frames(&mut self) -> Result<(), ModelError> {
        let ground = self.b.ground();
        let dimension = self.b.m.dimension;
        for b in 0..ground {
            let frame = if self.b.is_thin(b) { self.line_frame(b)? } else { self.own_frame(b) };
            self.b.frames.push(frame);
        }
        self.b.frames.push(Frame::ground(self.b.graph, dimension));
        Ok(())
    }
    fn own_frame(&mut self, b: usize) -> Frame<'g> {
        let dimension = self.b.m.dimension;
        let com = self.b.solids[b].points.len() - 1;
        let p = self.point_port(b, com);
        let axes = if dimension == 2 { 1 } else { 3 };
        let rest = (0..axes).map(|k| {
            let names: Vec<String> = AXES[..dimension]
                .iter()
                .map(|a| format!("{}.{}{a}", self.b.solids[b].name, ["u", "v", "w"][k]))
                .collect();
            let value = (0..dimension).map(|i| f64::from(u8::from(i == k))).collect();
            let port = self.new_coordinates(b, Err(value), &names);
            Basis::Vector(unit(self.b.graph, dimension, k), port)
        });
        let rest = rest.collect();
        Frame::new(&self.b.solids[b], self.b.solids[b].com.clone(), Some(com), p, rest, dimension)
    }
    /// A plane body or a rod: two points, or a point and the vector along local x.
    fn line_frame(&mut self, b: usize) -> Result<Frame<'g>, ModelError> {
        if let Some([i, j]) = self.best_pair(b) {
            let [ri, rj] = [i, j].map(|i| self.point_port(b, i));
            let origin = self.b.solids[b].points[i].at.clone();
            let rest = vec![Basis::Point(j, rj)];
            return Ok(Frame::new(&self.b.solids[b], origin, Some(i), ri, rest, self.b.m.dimension));
        }
        if self.b.m.dimension == 3 {
            let name = &self.b.m.bodies[b].name;
            let e = ModelError::new(format!("body `{name}`: both ends of the rod are fixed to the ground"))
                .at(&name.place);
            return Err(e.help("a rod needs an end that can move"));
        }
        let (origin, i, p) = self.reference_point(b);
        let x = unit(self.b.graph, 2, 0);
        let names = ["x", "y"].map(|k| format!("{}.u{k}", self.b.solids[b].name));
        let u = self.new_coordinates(b, Err(vec![1.0, 0.0]), &names);
        Ok(Frame::new(&self.b.solids[b], origin, Some(i), p, vec![Basis::Vector(x, u)], 2))
    }
    /// The shared points of body `b` that are farthest apart, if there are two; of a rod its ends.
    fn best_pair(&self, b: usize) -> Option<[usize; 2]> {
        let solid = &self.b.solids[b];
        let ground = self.b.ground();
        let grounded = |i: usize| self.classes.points[solid.points[i].class].iter().any(|r| r.0 == ground);
        let valid = |i: usize, j: usize| {
            let different = solid.points[i].class != solid.points[j].class && !(grounded(i) && grounded(j));
            different && solid.distance(i, j) > 1e-9
        };
        if let Some([i, j]) = solid.rod.filter(|&[i, j]| valid(i, j)) {
            return Some([i, j]);
        }
        let shared = self.shared_points(b);
        let pairs = shared
            .iter()
            .flat_map(|&i| shared.iter().map(move |&j| [i, j]))
            .filter(|&[i, j]| i < j && valid(i, j));
        pairs.max_by(|a, b| solid.distance(a[0], a[1]).total_cmp(&solid.distance(b[0], b[1])))
    }
    fn shared_points(&self, b: usize) -> Vec<usize> {
        let points = &self.b.solids[b].points;
        (0..points.len()).filter(|&i| self.classes.points[points[i].class].len() > 1).collect()
    }
    /// A shared point, or the first one of the body.
    fn reference_point(&mut self, b: usize) -> (Symbols<'g>, usize, Port<'g>) {
        let i = self.shared_points(b).first().copied().unwrap_or(0);
        (self.b.solids[b].points[i].at.clone(), i, self.point_port(b, i))
    }
    /// A body in space: a point and three directions, shared ones first, completed with its own unit vectors.
    fn space_frame(&mut self, b: usize) -> Frame<'g> {
        let (origin, i, p) = self.reference_point(b);
        let mut chosen: Vec<Vec<f64>> = vec![]; // orthonormal
        let mut rest: Vec<Basis<'g>> = vec![];
        for (v, class) in self.classes.shared_vectors(b) {
            if rest.len() < 3 && independent(&mut chosen, &v.value) {
                let port = self.vector_port(&v, class);
                rest.push(Basis::Vector(v.local, port));
            }
        }
        let anchored = |s: &Self, k: usize| {
            s.classes.points[s.b.solids[b].points[k].class].iter().any(|r| r.0 == s.b.ground())
        };
        let fixed_origin = anchored(self, i);
        for j in self.shared_points(b) {
            let x = &self.b.solids[b].points[i].value;
            let y = &self.b.solids[b].points[j].value;
            let d: Vec<f64> = y.iter().zip(x).map(|(y, x)| y - x).collect();
            let usable = self.b.solids[b].points[j].class != self.b.solids[b].points[i].class
                && !(fixed_origin && anchored(self, j));
            if rest.len() < 3 && usable && independent(&mut chosen, &d) {
                rest.push(Basis::Point(j, self.point_port(b, j)));
            }
        }
        while rest.len() < 3 {
            let left = |k: usize| 1.0 - chosen.iter().map(|c| c[k] * c[k]).sum::<f64>();
            let k = (0..3)
                .max_by(|&a, &b| (left(a) + 1e-9 * b as f64).total_cmp(&(left(b) + 1e-9 * a as f64)))
                .unwrap_or(0);
            let value: Vec<f64> = (0..3).map(|i| f64::from(u8::from(i == k))).collect();
            independent(&mut chosen, &value);
            let names = AXES.map(|a| format!("{}.{}{a}", self.b.solids[b].name, ["u", "v", "w"][k]));
            let port = self.new_coordinates(b, Err(value), &names);
            rest.push(Basis::Vector(unit(self.b.graph, 3, k), port));
        }
        Frame::new(&self.b.solids[b], origin, Some(i), p, rest, 3)
    }
    fn new_coordinates(&mut self, body: usize, of: Result<usize, Vec<f64>>, names: &[String]) -> Port<'g> {
        let one = self.b.graph.constant(1.0);
        let mut port = vec![];
        for (axis, name) in names.iter().enumerate() {
            self.b.coordinates.push(Coordinate { name: name.clone(), body, of: of.clone(), axis });
            port.push(Affine::coordinate(self.b.coordinates.len() - 1, one));
        }
        port
    }
    /// The coordinates of the class of point `i` of body `b`.
    fn point_port(&mut self, b: usize, i: usize) -> Port<'g> {
        let point = &self.b.solids[b].points[i];
        let class = point.class;
        if let Some(p) = self.classes.point_ports.get(&class) {
            return p.clone();
        }
        let name = format!("{}.{}", self.b.solids[b].name, point.name);
        let names: Vec<String> = AXES[..self.b.m.dimension].iter().map(|a| format!("{name}.{a}")).collect();
        let port = self.new_coordinates(b, Ok(i), &names);
        self.classes.point_ports.insert(class, port.clone());
        port
    }
    fn vector_port(&mut self, v: &VectorRef<'g>, class: usize) -> Port<'g> {
        if let Some(p) = self.classes.vector_ports.get(&class) {
            return p.clone();
        }
        let names = AXES.map(|a| format!("{}.axis{class}.{a}", self.b.solids[v.body].name));
        let port = self.new_coordinates(v.body, Err(v.value.clone()), &names);
        self.classes.vector_ports.insert(class, port.clone());
        port
    }
}

impl<'g, 'm> Builder<'g, 'm> {}

impl<'g> Classes<'g> {
    /// The class of a vector of a body.
    fn vector(&mut self, body: usize, local: &Symbols<'g>, value: impl FnOnce() -> Vec<f64>) -> usize {
        let key = ids(local);
        let own = self.vectors_of.entry(body).or_default();
        if let Some((_, class)) = own.iter().find(|v| v.0 == key) {
            return *class;
        }
        own.push((key, self.vectors.len()));
        self.vectors.push(vec![VectorRef { body, local: local.clone(), value: value() }]);
        self.vectors.len() - 1
    }
    /// Vectors of a body that other bodies have too, with their classes.
    fn shared_vectors(&self, body: usize) -> Vec<(VectorRef<'g>, usize)> {
        let own = self.vectors_of.get(&body).into_iter().flatten().filter(|v| self.vectors[v.1].len() > 1);
        let member = |class: usize| self.vectors[class].iter().find(|v| v.body == body).cloned();
        own.filter_map(|&(_, class)| Some((member(class)?, class))).collect()
    }
}

fn ids(v: &Symbols) -> Vec<usize> {
    v.iter().map(|s| s.id()).collect()
}

/// Adds the direction of `v` to an orthonormal set if it is far enough from its span.
fn independent(chosen: &mut Vec<Vec<f64>>, v: &[f64]) -> bool {
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let length = norm(v);
    let mut rest = v.to_vec();
    for c in chosen.iter() {
        let along: f64 = c.iter().zip(v).map(|(c, v)| c * v).sum();
        rest.iter_mut().zip(c).for_each(|(r, c)| *r -= along * c);
    }
    let left = norm(&rest);
    let good = left > INDEPENDENT * length && length > 1e-9;
    if good {
        chosen.push(rest.into_iter().map(|r| r / left).collect());
    }
    good
}

/// The point that stands for all that are held together with point `i`; the way to it is halved.
fn root(held: &mut [usize], mut i: usize) -> usize {
    while held[i] != i {
        held[i] = held[held[i]];
        i = held[i];
    }
    i
}
