//! Bodies on their parents, loops, drivers, gears and user constraints.

use super::*;

impl Draft {
    /// A body near its parent, and its joint.
    pub(super) fn member(&mut self, k: usize, member: &Member, floating: bool) -> Result<(), String> {
        let mut r = Random(member.seed);
        let parents: Vec<Option<usize>> = (0..k)
            .filter(|&b| !self.bodies[b].rod)
            .map(Some)
            .chain((!floating || k == 0).then_some(None))
            .collect();
        let Some(&parent) = parents.get(member.parent as usize % parents.len().max(1)) else {
            return Err("no parent".into());
        };
        let near = parent.map_or([0.0; 3], |b| self.bodies[b].com);
        let hard = r.unit() < 0.4;
        let rod = self.d == 3 && r.unit() < 0.12 && (k > 0 || !floating);
        let (attitude, origin) = if hard && !rod {
            ([0.0; 3], [0.0; 3])
        } else if self.d == 2 {
            ([0.0, 0.0, r.between(-1.2, 1.2)], add(&near, 1.0, &r.vector(2, 0.8)))
        } else {
            (
                [r.between(-1.2, 1.2), r.between(-0.8, 0.8), r.between(-1.2, 1.2)],
                add(&near, 1.0, &r.vector(3, 0.8)),
            )
        };
        let (axes, name) = (axes_of(attitude), format!("B{k}"));
        let com = add(if hard && !rod { &near } else { &origin }, 1.0, &r.vector(self.d, 0.3));
        let mut placed = Placed {
            name: name.clone(),
            attitude,
            axes,
            origin,
            hard: hard && !rod,
            rod,
            com,
            body: Body::new(&name),
        };
        if rod {
            let length = r.between(0.4, 1.2);
            placed.body = Body::new(&name).mass(r.between(0.5, 2.0)).rod("A", "B", length);
            placed.com = add(&origin, 0.5 * length, &axes[0]);
        } else {
            let local = placed.local(&add(&com, -1.0, &origin));
            placed.body = solid(&mut r, &name, self.d).com(self.vector(&local));
        }
        self.bodies.push(placed);
        self.freedom += if self.d == 2 { 3 } else { 6 - isize::from(rod) };
        if floating && k == 0 {
            return Ok(());
        }
        if rod {
            let a = self.point(parent, &origin);
            self.m.joint(Joint::new(&format!("J{k}"), JointKind::Spherical, &a, &format!("{name}.A")));
            self.freedom -= 3;
            return Ok(());
        }
        let kinds = if self.d == 2 { TREE_2 } else { TREE_3 };
        let kind = kinds[member.joint as usize % kinds.len()];
        let reversed = r.unit() < 0.3;
        let ends = if reversed { [Some(k), parent] } else { [parent, Some(k)] };
        let at = add(&scaled(0.5, &add(&near, 1.0, &com)), 1.0, &r.vector(self.d, 0.3));
        self.tree.push((kind, ends, at, r.clone()));
        self.joint(&format!("J{k}"), kind, ends, &at, &mut r);
        Ok(())
    }
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
    /// (1).
    pub(super) fn joint(
        &mut self,
        name: &str,
        kind: &str,
        ends: [Option<usize>; 2],
        at: &V3,
        r: &mut Random,
    ) {
        let u = r.direction(self.d);
        let w = if self.d == 2 { [-u[1], u[0], 0.0] } else { across(&u, r) };
        let mut θ = if r.unit() < 0.5 { r.between(0.3, 1.2) } else { r.between(-1.2, -0.3) };
        let mut s = r.between(0.1, 0.6);
        let (x, y) = (r.between(-0.4, 0.4), r.between(0.1, 0.4));
        if self.d == 2 {
            θ = self.angle(ends[1]) - self.angle(ends[0]);
        }
        let mut removes = [0, 0];
        let mut far = *at;
        let kind = match kind {
            "revolute" => (removes = [2, 5], s = 0.0, JointKind::Revolute).2,
            "prismatic" => {
                (removes = [2, 5], far = add(at, s, &u), JointKind::Prismatic { angle: θ.into() }).2
            }
            "cylindrical" => (removes = [0, 4], far = add(at, s, &u), JointKind::Cylindrical).2,
            "screw" => {
                (
                    removes = [0, 5],
                    far = add(at, s, &u),
                    JointKind::Screw { lead: (std::f64::consts::TAU * s / θ).into() },
                )
                    .2
            }
            "spherical" => (removes = [0, 3], JointKind::Spherical).1,
            "universal" => (removes = [0, 4], JointKind::Universal).1,
            "planar" => {
                (removes = [0, 3], far = add(&add(at, x, &w), y, &cross(&u, &w)), JointKind::Planar).2
            }
            "fixed" => (removes = [3, 6], JointKind::Fixed { angle: θ.into() }).1,
            "distance" => {
                far = add(at, s, &r.direction(self.d));
                (removes = [1, 1], JointKind::Distance { length: s.into() }).1
            }
            "point-on-line" => (removes = [1, 2], far = add(at, s, &u), JointKind::PointOnLine).2,
            "point-on-plane" => {
                (removes = [0, 1], far = add(&add(at, x, &w), y, &cross(&u, &w)), JointKind::PointOnPlane).2
            }
            "free" => (far = add(at, s, &u), JointKind::Free).1,
            other => panic!("there is no random {other} joint"),
        };
        let [a, b] = [self.point(ends[0], at), self.point(ends[1], &far)];
        let mut j = Joint::new(name, kind.clone(), &a, &b);
        let directed = !matches!(kind, JointKind::Spherical | JointKind::Distance { .. } | JointKind::Free);
        if directed && self.d == 3 {
            let second = if kind == JointKind::Universal { w } else { u };
            j.axes = [Some(self.direction(ends[0], &u)), Some(self.direction(ends[1], &second))];
            if !matches!(kind, JointKind::Universal | JointKind::PointOnLine | JointKind::PointOnPlane) {
                j.normals =
                    [Some(self.direction(ends[0], &w)), Some(self.direction(ends[1], &turned(&w, &u, θ)))];
            } else if kind != JointKind::Universal {
                j.axes[1] = None;
            }
        } else if directed && matches!(kind, JointKind::Prismatic { .. } | JointKind::PointOnLine) {
            j.axes = [Some(self.direction(ends[0], &u)), None];
        }
        let position = matches!(kind, JointKind::Prismatic { .. } | JointKind::Cylindrical).then_some(s);
        let angle = matches!(kind, JointKind::Revolute).then_some(θ);
        self.coordinates.push((name.into(), ends, angle, position));
        self.m.joint(j);
        self.freedom -= removes[self.d - 2];
    }
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
    /// A user constraint, a driver, a gear, a rack, a knife edge or a rolling disc, where a degree of freedom
    /// is left for it.
    pub(super) fn row(&mut self, k: usize, link: &Link) {
        let mut r = Random(link.seed);
        let ends = self.pick(link, false);
        // a driver may take the last degree of freedom: then it moves the mechanism alone
        let takes = [0, 0, 0, 0, 1, 1, 1, self.d as isize][link.kind as usize % 8];
        if self.freedom - self.slips < 1 + takes || ends[0] == ends[1] {
            return;
        }
        let name = format!("D{k}");
        let push = |s: &mut Self, quantity: Quantity, value: String| {
            s.m.drivers.push(Driver { name: name.as_str().into(), quantity, value: value.into() });
            s.freedom -= 1;
        };
        let motion = "0.2 * t + 0.05 * sin(4 * t)";
        match link.kind % 8 {
            0 => {
                let ((a, ra), (b, rb)) = (self.handle(ends[0], &mut r), self.handle(ends[1], &mut r));
                let length = norm(&add(&ra, -1.0, &rb));
                push(self, Quantity::Distance(a.into(), b.into()), format!("{length:e} + {motion}"));
            }
            1 => {
                let b = ends[0].or(ends[1]);
                let (a, ra) = self.handle(b, &mut r);
                let axis = r.below(self.d);
                push(
                    self,
                    Quantity::Coordinate(format!("{a}.{}", ["x", "y", "z"][axis]).into()),
                    format!("{:e} + {motion}", ra[axis]),
                );
            }
            2 if self.d == 2 => {
                let θ = self.angle(ends[1]) - self.angle(ends[0]);
                push(
                    self,
                    Quantity::Angle(self.name(ends[0]).into(), self.name(ends[1]).into()),
                    format!("{θ:e} + {motion}"),
                );
            }
            2 | 3 => {
                let Some((joint, _, angle, position)) =
                    self.coordinates.iter().find(|c| c.2.or(c.3).is_some()).cloned()
                else {
                    return;
                };
                let (what, value) =
                    if let Some(x) = position { ("position", x) } else { ("angle", angle.unwrap_or(0.0)) };
                push(
                    self,
                    Quantity::Sensor(format!("{joint}.{what}").into()),
                    format!("{value:e} + {motion}"),
                );
            }
            4 => self.coupling(&name, &mut r),
            6 => self.edge(&name, ends, &mut r),
            7 => self.disc(&name, ends, &mut r),
            _ => {
                let ((a, ra), (b, rb)) = (self.handle(ends[0], &mut r), self.handle(ends[1], &mut r));
                let c = norm(&add(&ra, -1.0, &rb)) + 0.3 * ra[0] * rb[1] - 0.2 * ra[1];
                let text = format!("distance({a}, {b}) + 0.3 * {a}.x * {b}.y - 0.2 * {a}.y - ({c:e})");
                self.m.constraints.push((name.as_str().into(), text.into()));
                self.freedom -= 1;
            }
        }
    }
    /// A knife edge in a body that is no rod.
    fn edge(&mut self, name: &str, mut ends: [Option<usize>; 2], r: &mut Random) {
        ends.sort_by_key(|b| b.is_some_and(|b| !self.bodies[b].rod));
        if ends.iter().any(|b| b.is_some_and(|b| self.bodies[b].rod)) {
            return;
        }
        let [(a, _), (b, _)] = ends.map(|b| self.handle(b, r));
        let axis = r.direction(self.d);
        let mut j = Joint::new(name, JointKind::KnifeEdge, &a, &b);
        j.axes = [None, Some(self.direction(ends[1], &axis))];
        self.m.joint(j);
        self.slips += 1;
    }
    /// A disc that rolls on a line or a plane: R = n·(r₂ - r₁)/s.
    fn disc(&mut self, name: &str, ends: [Option<usize>; 2], r: &mut Random) {
        if ends.iter().any(|b| b.is_some_and(|b| self.bodies[b].rod)) {
            return;
        }
        let [(a, ra), (b, rb)] = ends.map(|b| self.handle(b, r));
        let apart = add(&rb, -1.0, &ra);
        let mut n = r.direction(self.d);
        if dot(&n, &apart) < 0.0 {
            n = scaled(-1.0, &n);
        }
        let (axis, s) = match self.d {
            2 => (None, 1.0),
            _ => {
                let axis = add(&across(&n, r), 0.4, &n);
                let axis = scaled(1.0 / norm(&axis), &axis);
                (Some(axis), (1.0 - dot(&n, &axis).powi(2)).sqrt())
            }
        };
        let first = if self.d == 2 { [n[1], -n[0], 0.0] } else { n };
        let mut j = Joint::new(name, JointKind::Rolling { radius: (dot(&n, &apart) / s).into() }, &a, &b);
        j.axes = [Some(self.direction(ends[0], &first)), axis.map(|u| self.direction(ends[1], &u))];
        self.m.joint(j);
        self.freedom -= 1;
        self.slips += self.d as isize - 1;
    }
    /// A gear or a rack between two joints with a body in common.
    pub(super) fn coupling(&mut self, name: &str, r: &mut Random) {
        let all = self.coordinates.clone();
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                let (Some(θ), true) = (a.2, i != j && a.1.iter().any(|x| b.1.contains(x))) else { continue };
                let factor = r.between(0.3, 1.5);
                let (kind, offset) = match (b.2, b.3) {
                    (Some(other), _) if i < j => {
                        (CouplingKind::Gear { ratio: factor.into() }, θ - factor * other)
                    }
                    (_, Some(s)) => (CouplingKind::Rack { radius: factor.into() }, s - factor * θ),
                    _ => continue,
                };
                let joints = [a.0.as_str().into(), b.0.as_str().into()];
                self.m.couplings.push(Coupling { name: name.into(), kind, joints, offset: offset.into() });
                self.freedom -= 1;
                return;
            }
        }
    }
}
