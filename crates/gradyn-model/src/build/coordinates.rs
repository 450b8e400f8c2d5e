//! Which points and vectors become coordinates, and the rows that keep bodies rigid and joints closed.

use super::bodies::{Frame, Port, fixed};
use super::joints::{self, Ends};
use super::{Builder, PointRef, sensors};
use crate::error::ModelError;
use crate::mechanism::JointKind;
use crate::ports::Affine;
use std::collections::HashMap;

/// Classes of coincident points.
pub(crate) struct Classes {
    /// Members (body, point) of each class.
    pub members: Vec<Vec<PointRef>>,
}

impl<'g> Builder<'g, '_> {
    /// Union of points that revolute joints make one, except where the joint's reaction is asked for.
    pub(super) fn share_points(&mut self) -> Result<Classes, ModelError> {
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
    pub(super) fn choose_coordinates(&mut self, classes: &Classes) {
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
    pub(super) fn add_rows(&mut self) -> Result<(), ModelError> {
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
            self.aligned.extend(reaction.aligned.iter().map(|q| (j.name.text.clone(), q.clone())));
            self.reactions.insert(j.name.text.clone(), reaction);
        }
        Ok(())
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
