//! Joints of the tree and of loops.

use super::*;

/// Joints of the tree in the plane.
pub(super) const TREE_2: &[&str] =
    &["revolute", "prismatic", "point-on-line", "distance", "free", "fixed", "revolute", "revolute"];
/// Joints of the tree in space.
pub(super) const TREE_3: &[&str] = &[
    "revolute",
    "prismatic",
    "cylindrical",
    "screw",
    "spherical",
    "universal",
    "planar",
    "fixed",
    "free",
    "distance",
    "point-on-line",
    "point-on-plane",
    "revolute",
    "cylindrical",
];
/// Joints of loops in the plane, and the degrees of freedom that they remove.
const LOOP_2: &[(&str, isize)] = &[("distance", 1), ("revolute", 2), ("point-on-line", 1)];
/// Joints of loops in space, and the degrees of freedom that they remove.
const LOOP_3: &[(&str, isize)] = &[
    ("distance", 1),
    ("spherical", 3),
    ("point-on-plane", 1),
    ("point-on-line", 2),
    ("universal", 4),
    ("cylindrical", 4),
    ("planar", 3),
    ("constant-velocity", 4),
];

/// Numbers of a joint (1).
struct Numbers {
    u: V3,
    w: V3,
    θ: f64,
    s: f64,
    /// Place on a plane across u.
    place: [f64; 2],
}

impl Draft {
    /// A joint of the tree with points of its own at the same places: its rows follow from those that are
    /// there.
    pub(super) fn repeat(&mut self) -> Result<(), String> {
        let found = self.tree.iter().rev().find(|j| j.0 != "free").cloned();
        let Some((kind, ends, at, mut r)) = found else { return Err("has nothing to repeat".into()) };
        let freedom = self.freedom;
        self.joint("R", kind, ends, &at, &mut r);
        self.freedom = freedom;
        Ok(())
    }
    /// A joint (1) between two bodies at a place.
    pub(super) fn joint(
        &mut self,
        name: &str,
        kind: &str,
        ends: [Option<usize>; 2],
        at: &V3,
        r: &mut Random,
    ) {
        let numbers = self.numbers(ends, r);
        let (kind, far, removes) = self.kind(kind, at, &numbers, r);

        // points and directions
        let [a, b] = [self.point(ends[0], at), self.point(ends[1], &far)];
        let mut j = Joint::new(name, kind.clone(), &a, &b);
        self.direct(&mut j, ends, &numbers);

        // coordinates
        let position =
            matches!(kind, JointKind::Prismatic { .. } | JointKind::Cylindrical).then_some(numbers.s);
        let angle = matches!(kind, JointKind::Revolute).then_some(numbers.θ);
        self.coordinates.push((name.into(), ends, angle, position));
        self.m.joint(j);
        self.freedom -= removes[self.d - 2];
    }
    /// Numbers of a joint; in the plane the bodies decide its angle.
    fn numbers(&self, ends: [Option<usize>; 2], r: &mut Random) -> Numbers {
        let u = r.direction(self.d);
        let w = if self.d == 2 { [-u[1], u[0], 0.0] } else { across(&u, r) };
        let drawn = if r.unit() < 0.5 { r.between(0.3, 1.2) } else { r.between(-1.2, -0.3) };
        let s = r.between(0.1, 0.6);
        let place = [r.between(-0.4, 0.4), r.between(0.1, 0.4)];
        let θ = if self.d == 2 { self.angle(ends[1]) - self.angle(ends[0]) } else { drawn };
        Numbers { u, w, θ, s, place }
    }
    /// Kind of a joint, place of its second point, degrees of freedom that it removes in the plane and in
    /// space.
    fn kind(&self, name: &str, at: &V3, n: &Numbers, r: &mut Random) -> (JointKind, V3, [isize; 2]) {
        let Numbers { u, w, θ, s, place: [x, y] } = *n;
        // r₁ + s u, or a point of the plane across u
        let along = add(at, s, &u);
        let beside = add(&add(at, x, &w), y, &cross(&u, &w));
        match name {
            "revolute" => (JointKind::Revolute, *at, [2, 5]),
            "prismatic" => (JointKind::Prismatic { angle: θ.into() }, along, [2, 5]),
            "cylindrical" => (JointKind::Cylindrical, along, [0, 4]),
            "screw" => {
                let lead = std::f64::consts::TAU * s / θ;
                (JointKind::Screw { lead: lead.into() }, along, [0, 5])
            }
            "spherical" => (JointKind::Spherical, *at, [0, 3]),
            "universal" => (JointKind::Universal, *at, [0, 4]),
            "constant-velocity" => (JointKind::ConstantVelocity, *at, [0, 4]),
            "planar" => (JointKind::Planar, beside, [0, 3]),
            "fixed" => (JointKind::Fixed { angle: θ.into() }, *at, [3, 6]),
            "distance" => {
                let far = add(at, s, &r.direction(self.d));
                (JointKind::Distance { length: s.into() }, far, [1, 1])
            }
            "point-on-line" => (JointKind::PointOnLine, along, [1, 2]),
            "point-on-plane" => (JointKind::PointOnPlane, beside, [0, 1]),
            "free" => (JointKind::Free, along, [0, 0]),
            other => panic!("there is no random {other} joint"),
        }
    }
    /// Axes and normals of a joint that has them.
    fn direct(&self, j: &mut Joint, ends: [Option<usize>; 2], n: &Numbers) {
        let Numbers { u, w, θ, .. } = n;
        let kind = j.kind.clone();
        let directed = !matches!(kind, JointKind::Spherical | JointKind::Distance { .. } | JointKind::Free);
        if directed && self.d == 3 {
            let second = match kind {
                JointKind::Universal => *w,
                // a bend by θ about w, without a twist
                JointKind::ConstantVelocity => turned(u, w, *θ),
                _ => *u,
            };
            j.axes = [Some(self.direction(ends[0], u)), Some(self.direction(ends[1], &second))];
            if kind == JointKind::ConstantVelocity {
                j.normals = [Some(self.direction(ends[0], w)), Some(self.direction(ends[1], w))];
            } else if !matches!(kind, JointKind::Universal | JointKind::PointOnLine | JointKind::PointOnPlane)
            {
                let turned = turned(w, u, *θ);
                j.normals = [Some(self.direction(ends[0], w)), Some(self.direction(ends[1], &turned))];
            } else if kind != JointKind::Universal {
                j.axes[1] = None;
            }
        } else if directed && matches!(kind, JointKind::Prismatic { .. } | JointKind::PointOnLine) {
            j.axes = [Some(self.direction(ends[0], u)), None];
        }
    }
    /// The two bodies of a link, or one and the ground.
    pub(super) fn pick(&self, link: &Link, floating: bool) -> [Option<usize>; 2] {
        let n = self.bodies.len();
        let all: Vec<Option<usize>> = (0..n).map(Some).chain((!floating).then_some(None)).collect();
        let first = all[link.bodies[0] as usize % all.len()];
        let rest: Vec<Option<usize>> = all.into_iter().filter(|b| *b != first).collect();
        [first, if rest.is_empty() { first } else { rest[link.bodies[1] as usize % rest.len()] }]
    }
    /// A joint that closes a loop, where degrees of freedom are left.
    pub(super) fn close(&mut self, k: usize, link: &Link, floating: bool) {
        let ends = self.pick(link, floating);
        let kinds = if self.d == 2 { LOOP_2 } else { LOOP_3 };
        let (kind, removes) = kinds[link.kind as usize % kinds.len()];
        let rod = ends.iter().flatten().any(|&b| self.bodies[b].rod);
        if ends[0] == ends[1] || self.freedom - removes < 1 || (rod && !["distance"].contains(&kind)) {
            return;
        }
        let mut r = Random(link.seed);
        let middle = ends.map(|b| b.map_or([0.0; 3], |b| self.bodies[b].com));
        let at = add(&scaled(0.5, &add(&middle[0], 1.0, &middle[1])), 1.0, &r.vector(self.d, 0.4));
        if rod {
            return self.tie_rod(k, ends, &at);
        }
        self.joint(&format!("L{k}"), kind, ends, &at, &mut r);
    }
    /// A distance between the end of a rod and a point.
    pub(super) fn tie_rod(&mut self, k: usize, ends: [Option<usize>; 2], at: &V3) {
        let mut other = ends;
        other.sort_by_key(|b| b.is_some_and(|b| self.bodies[b].rod));
        let (Some(rod), false) = (other[1], other[0].is_some_and(|b| self.bodies[b].rod)) else { return };
        let tip =
            add(&self.bodies[rod].com, 1.0, &add(&self.bodies[rod].com, -1.0, &self.bodies[rod].origin));
        let a = self.point(other[0], at);
        let length = norm(&add(at, -1.0, &tip));
        let b = format!("{}.B", self.bodies[rod].name);
        self.m.joint(Joint::new(&format!("L{k}"), JointKind::Distance { length: length.into() }, &a, &b));
        self.freedom -= 1;
    }
    /// A point of a body for a force; of a rod its second end.
    pub(super) fn handle(&mut self, b: Option<usize>, r: &mut Random) -> (String, V3) {
        let at = b.map_or([0.0; 3], |b| self.bodies[b].com);
        match b.filter(|&b| self.bodies[b].rod) {
            Some(b) => {
                (format!("{}.B", self.bodies[b].name), add(&scaled(2.0, &at), -1.0, &self.bodies[b].origin))
            }
            None => {
                let at = add(&at, 1.0, &r.vector(self.d, 0.4));
                (self.point(b, &at), at)
            }
        }
    }
}
