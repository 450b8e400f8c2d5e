//! Space: rough poses, from body to body through the joints.
//!
//! ```text
//! A₂ F₂ = A₁ F₁ R_z(θ),   o₂ + A₂ x₂ = o₁ + A₁ (x₁ + s a₁),   F = [n, b, a]                        (1)
//! ```
//! and of a universal joint, with a₂ across a₁,
//!
//! ```text
//! n₂ = c₂ a₁ + s₂ g,  b₂ = c₂ g - s₂ a₁,  a₂ = c₁ n₁ + s₁ b₁,   g = s₁ n₁ - c₁ b₁                  (2)
//! ```
//! θ and s are what conditions and drivers say of a joint, or 0. Bodies with hard points start where they are
//! drawn; attitudes (roll, pitch, yaw) and points come from conditions and from `near`; a body that a joint
//! lets turn is turned towards its points.

mod hints;
mod rotation;

use super::super::joint::{Attitude, Swing};
use super::super::joints::number_of;
use super::super::{Builder, unknown};
use crate::error::ModelError;
use crate::mechanism::{Number, Source, Text, Vector};
use rotation::{add, along, attitude, cross, dot, times, transposed, turn, universal, vec3};
use std::collections::HashMap;

type V3 = [f64; 3];
/// Columns are the axes.
type M3 = [V3; 3];

/// Rough pose of a body: origin of its frame and its axes.
#[derive(Clone, Copy)]
struct Pose {
    o: V3,
    a: M3,
}

/// What conditions, drivers and `near` say.
#[derive(Default)]
struct Hints {
    /// Roll, pitch, yaw of bodies.
    attitude: HashMap<usize, V3>,
    /// Coordinates of points (body, point).
    points: HashMap<(usize, usize), [Option<f64>; 3]>,
    /// (angle, position, second angle) of joints.
    joints: HashMap<usize, [f64; 3]>,
}

const EYE: M3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A drawing of a mechanism in space.
pub(super) struct SpaceDrawing<'a, 'g, 'm> {
    /// What is drawn.
    pub b: &'a mut Builder<'g, 'm>,
}

impl SpaceDrawing<'_, '_, '_> {
    /// Rough coordinates.
    pub(super) fn draw(&mut self, driven: &[(usize, f64)]) -> Result<Vec<f64>, ModelError> {
        // the ground, and bodies whose hard points stand in global components
        let hints = self.hints(driven)?;
        let ground = self.b.ground();
        let mut poses: Vec<Option<Pose>> = vec![None; ground + 1];
        poses[ground] = Some(Pose { o: [0.0; 3], a: EYE });
        for (b, body) in self.b.m.bodies.iter().enumerate() {
            if !body.hard.is_empty() && !hints.attitude.contains_key(&b) {
                poses[b] = Some(Pose { o: [0.0; 3], a: EYE });
            }
        }
        // bodies with hints of their own
        for b in 0..ground {
            if poses[b].is_none() && self.b.solids[b].rod.is_none() {
                poses[b] = self.free_pose(b, &hints);
            }
        }
        // the others from those by the joints, rods last
        self.move_drawing(&hints, &mut poses);
        self.spread_poses(&hints, &mut poses);
        for b in 0..ground {
            if self.b.solids[b].rod.is_some() && poses[b].is_none() {
                poses[b] = self.rod_pose(b, &hints, &poses);
            }
        }
        // what no joint reaches stays at the origin
        let rest = |b: usize| Pose { o: [0.0; 3], a: hints.attitude.get(&b).map_or(EYE, |&x| attitude(x)) };
        let poses: Vec<Pose> =
            poses.into_iter().enumerate().map(|(b, p)| p.unwrap_or_else(|| rest(b))).collect();
        // q: a component of a point o + A x or of a direction A e
        let coordinate = |c: &super::super::coordinates::Coordinate| {
            let p = &poses[c.body];
            match &c.of {
                Ok(i) => add(p.o, 1.0, turn(&p.a, &self.b.solids[c.body].points[*i].value))[c.axis],
                Err(local) => turn(&p.a, local)[c.axis],
            }
        };
        Ok(self.b.coordinates.iter().map(coordinate).collect())
    }
    /// Nearest joints first: breadth-first from bodies that have a pose, joints that say most before those
    /// that say less.
    fn spread_poses(&self, hints: &Hints, poses: &mut [Option<Pose>]) {
        // joints of each body
        let mut joints_of: Vec<Vec<usize>> = vec![vec![]; poses.len()];
        for k in 0..self.b.m.joints.len() {
            let ends = self.b.joint_ends(k);
            ends.iter().for_each(|e| joints_of[e.0].push(k));
        }
        // over joints that say much first: breadth first, from every body that has a pose
        let says = |k: usize| self.b.m.joints[k].kind.spec().pose.says;
        for least in [3, 2, 1, 0] {
            let mut queue: std::collections::VecDeque<usize> =
                (0..poses.len()).filter(|&b| poses[b].is_some()).collect();
            while let Some(b) = queue.pop_front() {
                for &k in joints_of[b].iter().filter(|&&k| says(k) >= least) {
                    let [one, two] = self.b.joint_ends(k).map(|e| e.0);
                    let other = if one == b { two } else { one };
                    if poses[other].is_none() && self.b.solids[other].rod.is_none() {
                        poses[other] = self.joint_pose(k, b, poses[b].expect("queued with a pose"), hints);
                        queue.push_back(other);
                    }
                }
            }
        }
    }
    /// (1): the pose of the other body of joint `k`, from that of body `b`.
    fn joint_pose(&self, k: usize, b: usize, from: Pose, hints: &Hints) -> Option<Pose> {
        // the triads (n, b, a) of both sides, in the frames of the bodies
        let ends = self.b.joint_ends(k);
        let side = usize::from(ends[1].0 == b);
        let other = ends[1 - side];
        let f = self.triads(k);
        // angle θ, position s and second angle that the hints give
        let [θ, s, second] = hints.joints.get(&k).copied().unwrap_or_default();
        let crossed = universal(θ, second);
        let pose = &self.b.m.joints[k].kind.spec().pose;
        let (θ, s) = if side == 0 { (θ, s) } else { (-θ, -s) };
        let rotation: M3 = [[θ.cos(), θ.sin(), 0.0], [-θ.sin(), θ.cos(), 0.0], EYE[2]];
        // A of the other body: given, or A F R Fᵀ of the joint
        let a = match (hints.attitude.get(&other.0), pose.attitude) {
            (Some(&x), _) => attitude(x),
            (None, Attitude::Crossed) => {
                let crossed = if side == 0 { crossed } else { transposed(&crossed) };
                times(&times(&from.a, &f[side]), &times(&crossed, &transposed(&f[1 - side])))
            }
            (None, Attitude::Kept) => from.a,
            (None, Attitude::Turned) => {
                times(&times(&from.a, &f[side]), &times(&rotation, &transposed(&f[1 - side])))
            }
        };
        // its point: that of the first body plus s a
        let value = |r: super::super::PointRef| &self.b.solids[r.0].points[r.1].value;
        let axis = turn(&from.a, &f[side][2]);
        let at = add(add(from.o, 1.0, turn(&from.a, value(ends[side]))), s, axis);
        // turned towards its other points where nothing is given
        let given = hints.attitude.contains_key(&other.0) || hints.joints.contains_key(&k);
        let a = match pose.swing {
            Swing::Axis if !given => self.towards(other, at, a, Some(axis), hints),
            Swing::Any if !given => self.towards(other, at, a, None, hints),
            Swing::Axis | Swing::Any | Swing::None => a,
        };
        Some(Pose { o: add(at, -1.0, turn(&a, value(other))), a })
    }
    /// The triads (n, b, a) of both sides of joint `k`, in the frames of the bodies.
    fn triads(&self, k: usize) -> [M3; 2] {
        let frame = &self.b.joint_frames[k];
        [0, 1].map(|s| {
            let value = |v: &Vec<crate::program::Sym>| vec3(&self.b.numbers.nominal(v));
            let a = value(&frame.axes[s]);
            let n = value(&frame.normals[s]);
            [n, cross(&a, &n), a]
        })
    }
    /// Axes `a` of a body turned about its point `joint`, which is at `at`, so that its point that is
    /// farthest from there and whose place is given comes near to that: about `hinge`, or the shortest way.
    fn towards(&self, joint: super::super::PointRef, at: V3, a: M3, hinge: Option<V3>, hints: &Hints) -> M3 {
        let points = &self.b.solids[joint.0].points;
        let given = |i: usize| {
            let place = self.same_place((joint.0, i)).into_iter().find_map(|r| hints.points.get(&r))?;
            Some([place[0]?, place[1]?, place[2]?])
        };
        let arm = |i: usize| add(vec3(&points[i].value), -1.0, vec3(&points[joint.1].value));
        let known =
            (0..points.len()).filter_map(|i| Some((arm(i), given(i)?))).filter(|(x, _)| dot(x, x) > 1e-18);
        let Some((x, target)) = known.max_by(|(x, _), (y, _)| dot(x, x).total_cmp(&dot(y, y))) else {
            return a;
        };
        let d = turn(&a, &x);
        let e = add(target, -1.0, at);
        let c = hinge.unwrap_or_else(|| cross(&d, &e));
        let size = dot(&c, &c).sqrt();
        if size <= 1e-9 * (dot(&d, &d) * dot(&e, &e)).sqrt() {
            return a;
        }
        let u = c.map(|c| c / size);
        let across = |v: V3| add(v, -dot(&u, &v), u);
        let (s, c) = dot(&u, &cross(&d, &e)).atan2(dot(&across(d), &across(e))).sin_cos();
        // v cos + (u × v) sin + u (u·v)(1 - cos)
        a.map(|v| add(add(v.map(|v| v * c), s, cross(&u, &v)), dot(&u, &v) * (1.0 - c), u))
    }
    /// A body whose attitude, or a point of which, is given.
    fn free_pose(&self, b: usize, hints: &Hints) -> Option<Pose> {
        let point = hints.points.iter().filter(|((body, _), _)| *body == b).min_by_key(|((_, i), _)| *i);
        let jointed = self
            .b
            .m
            .joints
            .iter()
            .enumerate()
            .any(|(k, j)| j.kind.spec().shares_point[1] && self.b.joint_ends(k).iter().any(|e| e.0 == b));
        if point.is_none() || (jointed && !hints.attitude.contains_key(&b)) {
            return None;
        }
        let a = hints.attitude.get(&b).map_or(EYE, |&x| attitude(x));
        let ((_, i), at) = point?;
        let local = &self.b.solids[b].points[*i].value;
        // what is not said of the point is as drawn
        let drawn = if self.b.m.bodies[b].hard.is_empty() { [0.0; 3] } else { vec3(local) };
        let at = std::array::from_fn(|k| at[k].unwrap_or(drawn[k]));
        Some(Pose { o: add(at, -1.0, turn(&a, local)), a })
    }
    /// A drawing that no joint ties to the ground moves as a whole with the one body of it whose attitude and
    /// place are given.
    fn move_drawing(&self, hints: &Hints, poses: &mut [Option<Pose>]) {
        let hard = |b: usize| self.b.m.bodies.get(b).is_some_and(|body| !body.hard.is_empty());
        let tied = (0..self.b.m.joints.len()).any(|k| {
            let [one, two] = self.b.joint_ends(k).map(|e| e.0);
            (one == self.b.ground() && hard(two)) || (two == self.b.ground() && hard(one))
        });
        let given: Vec<usize> =
            (0..self.b.ground()).filter(|&b| hard(b) && hints.attitude.contains_key(&b)).collect();
        if let (false, [body]) = (tied, &given[..]) {
            let pose = poses[*body];
            (0..self.b.ground()).filter(|&b| hard(b)).for_each(|b| poses[b] = pose.or(poses[b]));
        }
    }
    /// A rod between two known points.
    fn rod_pose(&self, b: usize, hints: &Hints, poses: &[Option<Pose>]) -> Option<Pose> {
        let solid = &self.b.solids[b];
        let [i, j] = solid.rod?;
        let known = |i: usize| {
            if let Some(x) = hints.points.get(&(b, i)) {
                return Some(x.map(|x| x.unwrap_or(0.0)));
            }
            self.same_place((b, i)).into_iter().find_map(|(c, k)| {
                let p = poses[c].filter(|_| c != b)?;
                Some(add(p.o, 1.0, turn(&p.a, &self.b.solids[c].points[k].value)))
            })
        };
        let length = solid.distance(i, j);
        // a rod that is held at one end hangs
        let g = vec3(&self.b.numbers.nominal(&self.b.gravity));
        let weight = g.iter().map(|x| x * x).sum::<f64>().sqrt();
        let down = if weight > 0.0 { g.map(|x| x / weight) } else { EYE[0] };
        let (start, end) = match (known(i), known(j)) {
            (Some(x), Some(y)) => (x, y),
            (Some(x), None) => (x, add(x, length, down)),
            (None, Some(y)) => (add(y, length, down), y),
            (None, None) => ([0.0; 3], [length, 0.0, 0.0]),
        };
        let d = add(end, -1.0, start);
        let size = d.iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit = if size > 1e-9 { d.map(|x| x / size) } else { down };
        let local = vec3(&solid.points[j].value)
            .iter()
            .zip(&solid.points[i].value)
            .map(|(b, a)| (b - a) / length)
            .collect::<Vec<_>>();
        let a = times(&along(unit), &transposed(&along(vec3(&local))));
        Some(Pose { o: add(start, -1.0, turn(&a, &solid.points[i].value)), a })
    }
    /// A point and those that are where it is: of its class, and of joints that are not shared because their
    /// reaction is read.
    fn same_place(&self, point: super::super::PointRef) -> Vec<super::super::PointRef> {
        let class = self.b.solids[point.0].points[point.1].class;
        let members = self.b.class_points.get(&class).into_iter().flatten().copied();
        let mut all: Vec<_> = std::iter::once(point).chain(members).collect();
        for (k, _) in self.b.m.joints.iter().enumerate().filter(|(_, j)| j.kind.spec().shares_point[1]) {
            let [one, two] = self.b.joint_ends(k);
            all.extend((one == point).then_some(two).or((two == point).then_some(one)));
        }
        all
    }
}
