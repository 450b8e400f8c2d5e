//! Which points and vectors become coordinates, and the rows that keep bodies rigid and joints closed.

use super::frames::{Basis, Frame};
use super::joints::{self, Ends, JointFrame};
use super::vectors::{AXES, Port, Symbols, fixed, same, unit};
use super::{Builder, PointRef};
use crate::error::ModelError;
use crate::mechanism::{JointKind, Text};
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

impl<'g, 'm> Builder<'g, 'm> {
    /// Union of points and axes that joints make one, except where the joint's reaction is asked for;
    /// `apart`: nowhere.
    pub(super) fn share(&mut self, apart: bool) -> Classes<'g> {
        for j in self.m.joints.iter().filter(|_| apart) {
            self.wanted.entry(j.name.text.clone()).or_insert(false);
        }
        self.find_spots();
        let mut classes = Classes::default();
        for (b, solid) in self.solids.iter_mut().enumerate() {
            for (i, p) in solid.points.iter_mut().enumerate() {
                p.class = classes.points.len();
                classes.points.push(vec![(b, i)]);
            }
        }
        for k in 0..self.m.joints.len() {
            let j = &self.m.joints[k];
            let ends = self.joint_ends(k);
            if self.wanted.contains_key(&j.name.text) {
                continue;
            }
            if j.kind.shares_point(self.m.dimension) && !self.unite_points(ends, &mut classes) {
                let alone = self.m.dimension == 2 || j.kind == JointKind::Spherical;
                let text = format!("joint `{}` repeats what other joints already hold", j.name);
                let warning = Warning::new(WarningCode::RepeatedJoint, text).about(Owner::Joint, &j.name);
                self.numbers.warnings.extend(alone.then_some(warning));
            }
            if self.m.dimension == 3 && j.kind.shares_axis() {
                let axes = self.joint_frames[k].axes.clone();
                self.unite_vectors([ends[0].0, ends[1].0], &axes, &mut classes);
            }
        }
        classes
    }
    /// Points that joints hold together.
    fn find_spots(&mut self) {
        let all = self.solids.iter_mut().flat_map(|s| &mut s.points);
        let mut held: Vec<usize> = (0..all.enumerate().map(|(i, p)| p.spot = i).count()).collect();
        for k in (0..self.m.joints.len()).filter(|&k| self.m.joints[k].kind.shares_point(self.m.dimension)) {
            let [a, b] = self.joint_ends(k).map(|(b, i)| root(&mut held, self.solids[b].points[i].spot));
            held[b] = a;
        }
        let all = self.solids.iter_mut().flat_map(|s| &mut s.points);
        all.for_each(|p| p.spot = root(&mut held, p.spot));
    }
    /// False if they were one already.
    fn unite_points(&mut self, ends: [PointRef; 2], classes: &mut Classes<'g>) -> bool {
        let [ca, cb] = ends.map(|(b, i)| self.solids[b].points[i].class);
        if ca == cb {
            return false;
        }
        let ground = self.ground();
        let grounded = |c: usize| classes.points[c].iter().any(|r| r.0 == ground);
        if grounded(ca) && grounded(cb) {
            return true; // two ground points: rows will tell whether they coincide
        }
        let (into, from) =
            if classes.points[ca].len() < classes.points[cb].len() { (cb, ca) } else { (ca, cb) };
        let moved = std::mem::take(&mut classes.points[from]);
        for &(b, i) in &moved {
            self.solids[b].points[i].class = into;
        }
        classes.points[into].extend(moved);
        true
    }
    fn unite_vectors(&self, bodies: [usize; 2], axes: &[Symbols<'g>; 2], classes: &mut Classes<'g>) {
        let [ca, cb] = [0, 1].map(|k| classes.vector(bodies[k], &axes[k], || self.numbers.nominal(&axes[k])));
        let (into, from) =
            if classes.vectors[ca].len() < classes.vectors[cb].len() { (cb, ca) } else { (ca, cb) };
        let member = |body: usize, class: usize| classes.vectors_of[&body].iter().any(|v| v.1 == class);
        if ca == cb || classes.vectors[from].iter().any(|v| member(v.body, into)) {
            return; // one already, or two directions of one body: rows will tell
        }
        let moved = std::mem::take(&mut classes.vectors[from]);
        for v in &moved {
            let own = classes.vectors_of.get_mut(&v.body).into_iter().flatten();
            own.filter(|v| v.1 == from).for_each(|v| v.1 = into);
        }
        classes.vectors[into].extend(moved);
    }
    /// The basis of each body.
    pub(super) fn choose_coordinates(&mut self, classes: &mut Classes<'g>) -> Result<(), ModelError> {
        let ground = self.ground();
        for p in &self.solids[ground].points {
            classes.point_ports.insert(p.class, fixed(&p.at));
        }
        for (c, members) in classes.vectors.iter().enumerate() {
            if let Some(v) = members.iter().find(|v| v.body == ground) {
                classes.vector_ports.insert(c, fixed(&v.local));
            }
        }
        for b in 0..ground {
            let frame = if self.solids[b].rod.is_some() || self.m.dimension == 2 {
                self.line_frame(b, classes)?
            } else {
                self.space_frame(b, classes)
            };
            self.frames.push(frame);
        }
        self.frames.push(Frame::ground(self.graph, self.m.dimension));
        let shared = classes.points.iter().enumerate().filter(|(_, members)| members.len() > 1);
        self.class_points = shared.map(|(c, members)| (c, members.clone())).collect();
        Ok(())
    }
    /// The centre of mass and the axes of every body; the points of rods in space.
    pub(super) fn choose_frames(&mut self, classes: &mut Classes<'g>) -> Result<(), ModelError> {
        let (ground, dimension) = (self.ground(), self.m.dimension);
        for b in 0..ground {
            let frame =
                if self.is_thin(b) { self.line_frame(b, classes)? } else { self.own_frame(b, classes) };
            self.frames.push(frame);
        }
        self.frames.push(Frame::ground(self.graph, dimension));
        Ok(())
    }
    fn own_frame(&mut self, b: usize, classes: &mut Classes<'g>) -> Frame<'g> {
        let (dimension, com) = (self.m.dimension, self.solids[b].points.len() - 1);
        let p = self.point_port(b, com, classes);
        let axes = if dimension == 2 { 1 } else { 3 };
        let rest = (0..axes).map(|k| {
            let names: Vec<String> = AXES[..dimension]
                .iter()
                .map(|a| format!("{}.{}{a}", self.solids[b].name, ["u", "v", "w"][k]))
                .collect();
            let value = (0..dimension).map(|i| f64::from(u8::from(i == k))).collect();
            let port = self.new_coordinates(b, Err(value), &names);
            Basis::Vector(unit(self.graph, dimension, k), port)
        });
        let rest = rest.collect();
        Frame::new(&self.solids[b], self.solids[b].com.clone(), Some(com), p, rest, dimension)
    }
    /// A plane body or a rod: two points, or a point and the vector along local x.
    fn line_frame(&mut self, b: usize, classes: &mut Classes<'g>) -> Result<Frame<'g>, ModelError> {
        if let Some([i, j]) = self.best_pair(b, classes) {
            let [ri, rj] = [i, j].map(|i| self.point_port(b, i, classes));
            let origin = self.solids[b].points[i].at.clone();
            let rest = vec![Basis::Point(j, rj)];
            return Ok(Frame::new(&self.solids[b], origin, Some(i), ri, rest, self.m.dimension));
        }
        if self.m.dimension == 3 {
            let name = &self.m.bodies[b].name;
            let e = ModelError::new(format!("body `{name}`: both ends of the rod are fixed to the ground"))
                .at(&name.place);
            return Err(e.help("a rod needs an end that can move"));
        }
        let (origin, i, p) = self.reference_point(b, classes);
        let x = unit(self.graph, 2, 0);
        let names = ["x", "y"].map(|k| format!("{}.u{k}", self.solids[b].name));
        let u = self.new_coordinates(b, Err(vec![1.0, 0.0]), &names);
        Ok(Frame::new(&self.solids[b], origin, Some(i), p, vec![Basis::Vector(x, u)], 2))
    }
    /// The shared points of body `b` that are farthest apart, if there are two; of a rod its ends.
    fn best_pair(&self, b: usize, classes: &Classes) -> Option<[usize; 2]> {
        let (solid, ground) = (&self.solids[b], self.ground());
        let grounded = |i: usize| classes.points[solid.points[i].class].iter().any(|r| r.0 == ground);
        let valid = |i: usize, j: usize| {
            let different = solid.points[i].class != solid.points[j].class && !(grounded(i) && grounded(j));
            different && solid.distance(i, j) > 1e-9
        };
        if let Some([i, j]) = solid.rod.filter(|&[i, j]| valid(i, j)) {
            return Some([i, j]);
        }
        let shared = self.shared_points(b, classes);
        let pairs = shared
            .iter()
            .flat_map(|&i| shared.iter().map(move |&j| [i, j]))
            .filter(|&[i, j]| i < j && valid(i, j));
        pairs.max_by(|a, b| solid.distance(a[0], a[1]).total_cmp(&solid.distance(b[0], b[1])))
    }
    fn shared_points(&self, b: usize, classes: &Classes) -> Vec<usize> {
        let points = &self.solids[b].points;
        (0..points.len()).filter(|&i| classes.points[points[i].class].len() > 1).collect()
    }
    /// A shared point, or the first one of the body.
    fn reference_point(&mut self, b: usize, classes: &mut Classes<'g>) -> (Symbols<'g>, usize, Port<'g>) {
        let i = self.shared_points(b, classes).first().copied().unwrap_or(0);
        (self.solids[b].points[i].at.clone(), i, self.point_port(b, i, classes))
    }
    /// A body in space: a point and three directions, shared ones first, completed with its own unit vectors.
    fn space_frame(&mut self, b: usize, classes: &mut Classes<'g>) -> Frame<'g> {
        let (origin, i, p) = self.reference_point(b, classes);
        let mut chosen: Vec<Vec<f64>> = vec![]; // orthonormal
        let mut rest: Vec<Basis<'g>> = vec![];
        for (v, class) in classes.shared_vectors(b) {
            if rest.len() < 3 && independent(&mut chosen, &v.value) {
                let port = self.vector_port(&v, class, classes);
                rest.push(Basis::Vector(v.local, port));
            }
        }
        let anchored = |s: &Self, k: usize, c: &Classes| {
            c.points[s.solids[b].points[k].class].iter().any(|r| r.0 == s.ground())
        };
        let fixed_origin = anchored(self, i, classes);
        for j in self.shared_points(b, classes) {
            let (x, y) = (&self.solids[b].points[i].value, &self.solids[b].points[j].value);
            let d: Vec<f64> = y.iter().zip(x).map(|(y, x)| y - x).collect();
            let usable = self.solids[b].points[j].class != self.solids[b].points[i].class
                && !(fixed_origin && anchored(self, j, classes));
            if rest.len() < 3 && usable && independent(&mut chosen, &d) {
                rest.push(Basis::Point(j, self.point_port(b, j, classes)));
            }
        }
        while rest.len() < 3 {
            let left = |k: usize| 1.0 - chosen.iter().map(|c| c[k] * c[k]).sum::<f64>();
            let k = (0..3)
                .max_by(|&a, &b| (left(a) + 1e-9 * b as f64).total_cmp(&(left(b) + 1e-9 * a as f64)))
                .unwrap_or(0);
            let value: Vec<f64> = (0..3).map(|i| f64::from(u8::from(i == k))).collect();
            independent(&mut chosen, &value);
            let names = AXES.map(|a| format!("{}.{}{a}", self.solids[b].name, ["u", "v", "w"][k]));
            let port = self.new_coordinates(b, Err(value), &names);
            rest.push(Basis::Vector(unit(self.graph, 3, k), port));
        }
        Frame::new(&self.solids[b], origin, Some(i), p, rest, 3)
    }
    fn new_coordinates(&mut self, body: usize, of: Result<usize, Vec<f64>>, names: &[String]) -> Port<'g> {
        let one = self.graph.constant(1.0);
        let mut port = vec![];
        for (axis, name) in names.iter().enumerate() {
            self.coordinates.push(Coordinate { name: name.clone(), body, of: of.clone(), axis });
            port.push(Affine::coordinate(self.coordinates.len() - 1, one));
        }
        port
    }
    /// The coordinates of the class of point `i` of body `b`.
    fn point_port(&mut self, b: usize, i: usize, classes: &mut Classes<'g>) -> Port<'g> {
        let point = &self.solids[b].points[i];
        let class = point.class;
        if let Some(p) = classes.point_ports.get(&class) {
            return p.clone();
        }
        let name = format!("{}.{}", self.solids[b].name, point.name);
        let names: Vec<String> = AXES[..self.m.dimension].iter().map(|a| format!("{name}.{a}")).collect();
        let port = self.new_coordinates(b, Ok(i), &names);
        classes.point_ports.insert(class, port.clone());
        port
    }
    fn vector_port(&mut self, v: &VectorRef<'g>, class: usize, classes: &mut Classes<'g>) -> Port<'g> {
        if let Some(p) = classes.vector_ports.get(&class) {
            return p.clone();
        }
        let names = AXES.map(|a| format!("{}.axis{class}.{a}", self.solids[v.body].name));
        let port = self.new_coordinates(v.body, Err(v.value.clone()), &names);
        classes.vector_ports.insert(class, port.clone());
        port
    }
    /// Rigid bodies, then joints. Shared points that are not in a body's basis are tied to their class.
    /// Returns a joint whose reaction is read although others hold all that it holds.
    pub(super) fn add_rows(&mut self, carried: &Carried) -> Result<Option<&'m Text>, ModelError> {
        let mut seen: HashSet<Vec<usize>> = HashSet::new();
        for b in (0..self.ground()).filter(|b| !carried.bodies.contains(b)) {
            let rows = self.frames[b].rigid(self.graph);
            let count = rows.len();
            for (k, (row, vectors)) in rows.into_iter().enumerate() {
                // rows of vectors that several bodies share appear once
                if !vectors || seen.insert(row.key()) {
                    let which = if count == 1 { String::new() } else { format!(" {}", k + 1) };
                    let name = RowName::new(Owner::Body, &self.solids[b].name, format!("rigid{which}"));
                    self.rows.push(name, row);
                }
            }
        }
        let mut tied: HashMap<usize, Vec<Vec<Port<'g>>>> = HashMap::new();
        for &k in &carried.joints {
            let none = joints::Reaction::none(self.m.dimension);
            self.reactions.insert(self.m.joints[k].name.text.clone(), none);
        }
        let mut repeated = None;
        for k in (0..self.m.joints.len()).filter(|k| !carried.joints.contains(k)) {
            if self.add_joint_rows(k, &mut tied)? {
                repeated = repeated.or(Some(&self.m.joints[k].name));
            }
        }
        Ok(repeated)
    }
    /// True if its reaction is read and it repeats others.
    fn add_joint_rows(
        &mut self,
        k: usize,
        tied: &mut HashMap<usize, Vec<Vec<Port<'g>>>>,
    ) -> Result<bool, ModelError> {
        let j = &self.m.joints[k];
        let refs = self.joint_ends(k);
        let ends = Ends { frames: refs.map(|(b, _)| &self.frames[b]), points: refs.map(|r| self.port(r)) };
        let class = refs.map(|(b, i)| self.solids[b].points[i].class);
        let wanted = self.wanted.contains_key(&j.name.text);
        let mut closed = j.kind.shares_point(self.m.dimension) && class[0] == class[1];
        if closed && !tie(tied.entry(class[0]).or_default(), &ends.points) {
            closed = false;
        }
        let torque =
            self.m.dimension == 3 && self.wanted.get(&j.name.text) == Some(&true) && j.kind.shares_axis();
        let axis = |s: usize| self.frames[refs[s].0].direction(&self.joint_frames[k].axes[s]);
        let point =
            j.kind.shares_point(self.m.dimension) && (closed || same(&ends.points[0], &ends.points[1]));
        let repeats = (wanted && point) || (torque && same(&axis(0), &axis(1)));
        let frame: &JointFrame<'g> = &self.joint_frames[k];
        let reaction = joints::add(j, frame, &ends, closed, &mut self.numbers, &mut self.rows)?;
        self.aligned.extend(reaction.aligned.iter().map(|q| (j.name.text.clone(), q.clone())));
        self.reactions.insert(j.name.text.clone(), reaction);
        Ok(repeats)
    }
}

impl<'g> Classes<'g> {
    /// The class of a vector of a body.
    fn vector(&mut self, body: usize, local: &Symbols<'g>, value: impl FnOnce() -> Vec<f64>) -> usize {
        let (key, own) = (ids(local), self.vectors_of.entry(body).or_default());
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

/// Joins the sets of two ports of one class; true if they were one already.
fn tie<'g>(sets: &mut Vec<Vec<Port<'g>>>, ends: &[Port<'g>; 2]) -> bool {
    let mut find = |p: &Port<'g>| {
        sets.iter().position(|s| s.iter().any(|k| same(k, p))).unwrap_or_else(|| {
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
