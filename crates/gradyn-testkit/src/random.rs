//! Random mechanisms: trees and loops in the plane and in space, of all joints, forces, drivers and user constraints.
//!
//! A configuration is drawn first: poses of all bodies in the global frame. Elements are then made to fit it, so that it is an
//! assembled position; the conditions at the start are coordinates of it, chosen by pivoting on the null space of Φ_q:
//!
//! ```text
//! A₁ a₁ = A₂ a₂ = u,  A₁ n₁ = w,  A₂ n₂ = R(u, θ) w,  r₂ = r₁ + s u,  lead = 2π s/θ, length = |r₂ - r₁|, …        (1)
//! E_k: the row that is farthest from the span of Φ_q and of the conditions chosen before it                      (2)
//! ```
//! A [`Recipe`] is what proptest draws and shrinks: lists of members, closures and loads; their numbers follow from seeds.

use gradyn_model::mechanism::{
    About, Body, ContactLaw, Coupling, CouplingKind, Driver, ForceKind, InitialVelocity, Joint, JointKind, Mechanism, Number,
    Quantity, Shape, ShapeKind, Source, Spline, Vector,
};
use gradyn_model::{At, System, build};
use gradyn_num::row_dependencies;
use proptest::prelude::*;

/// A body on its parent.
#[derive(Clone, Debug)]
pub struct Member {
    /// Which of the earlier bodies, or the ground.
    pub parent: u8,
    /// Which joint.
    pub joint: u8,
    /// Its numbers.
    pub seed: u64,
}

/// Something between two bodies.
#[derive(Clone, Debug)]
pub struct Link {
    /// Which kind.
    pub kind: u8,
    /// The bodies.
    pub bodies: [u8; 2],
    /// Its numbers.
    pub seed: u64,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// 2 or 3.
    pub dimension: usize,
    /// Bodies and the joints of the tree.
    pub members: Vec<Member>,
    /// Joints that close loops.
    pub loops: Vec<Link>,
    /// Gears, racks, user constraints and drivers.
    pub rows: Vec<Link>,
    /// Forces.
    pub loads: Vec<Link>,
    /// Nothing is tied to the ground and there is no gravity.
    pub floating: bool,
    /// Springs without dampers, and nothing that moves by time.
    pub conservative: bool,
}

/// Recipes of at most four bodies.
pub fn recipes() -> impl Strategy<Value = Recipe> {
    let member = (any::<u8>(), any::<u8>(), any::<u64>()).prop_map(|(parent, joint, seed)| Member { parent, joint, seed });
    let link = || (any::<u8>(), any::<[u8; 2]>(), any::<u64>()).prop_map(|(kind, bodies, seed)| Link { kind, bodies, seed });
    let lists = (
        proptest::collection::vec(member, 1..5),
        proptest::collection::vec(link(), 0..3),
        proptest::collection::vec(link(), 0..3),
        proptest::collection::vec(link(), 0..4),
    );
    (2usize..4, lists).prop_map(|(dimension, (members, loops, rows, loads))| Recipe {
        dimension,
        members,
        loops,
        rows,
        loads,
        floating: false,
        conservative: false,
    })
}

/// Numbers that follow from a seed (SplitMix64).
pub struct Random(pub u64);
impl Random {
    /// In (0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    /// In (a, b).
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }
    /// One of `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }
    /// With components in (-1, 1) · size, in the plane the third is 0.
    fn vector(&mut self, dimension: usize, size: f64) -> V3 {
        std::array::from_fn(|k| if k < dimension { self.between(-size, size) } else { 0.0 })
    }
    fn direction(&mut self, dimension: usize) -> V3 {
        loop {
            let v = self.vector(dimension, 1.0);
            if norm(&v) > 0.3 {
                return scaled(1.0 / norm(&v), &v);
            }
        }
    }
}

type V3 = [f64; 3];

fn add(a: &V3, s: f64, b: &V3) -> V3 {
    std::array::from_fn(|i| a[i] + s * b[i])
}
fn scaled(s: f64, a: &V3) -> V3 {
    a.map(|x| s * x)
}
fn dot(a: &V3, b: &V3) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
fn norm(a: &V3) -> f64 {
    dot(a, a).sqrt()
}
fn cross(a: &V3, b: &V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
/// w turned about the unit vector u, which is across it.
fn turned(w: &V3, u: &V3, θ: f64) -> V3 {
    add(&scaled(θ.cos(), w), θ.sin(), &cross(u, w))
}

/// A body in the drawn configuration.
struct Placed {
    name: String,
    /// Roll, pitch, yaw; in the plane the angle is the third.
    attitude: V3,
    /// Columns: its axes.
    axes: [V3; 3],
    origin: V3,
    /// Its frame is the global one: its points are hard points.
    hard: bool,
    /// A rod in space.
    rod: bool,
    com: V3,
    body: Body,
}

impl Placed {
    fn local(&self, v: &V3) -> V3 {
        self.axes.map(|u| dot(&u, v))
    }
}

fn axes_of([roll, pitch, yaw]: V3) -> [V3; 3] {
    let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
    [
        [cy * cp, sy * cp, -sp],
        [cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr],
        [cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr],
    ]
}

/// The mechanism as it grows. Index `ground` = `bodies.len()` of the finished list is written as `None`.
struct Draft {
    m: Mechanism,
    d: usize,
    bodies: Vec<Placed>,
    points: usize,
    /// (name, bodies, angle, position) of joints that have coordinates.
    coordinates: Vec<(String, [Option<usize>; 2], Option<f64>, Option<f64>)>,
    freedom: isize,
    conservative: bool,
}

/// The mechanism of a recipe in its drawn configuration, with conditions at the start; or why there is none.
pub fn mechanism(r: &Recipe) -> Result<Mechanism, String> {
    let m = if r.dimension == 2 { Mechanism::new("random") } else { Mechanism::space("random") };
    let mut d =
        Draft { m, d: r.dimension, bodies: vec![], points: 0, coordinates: vec![], freedom: 0, conservative: r.conservative };
    let mut random = Random(r.members[0].seed ^ 0x5eed);
    if !r.floating {
        let g = random.vector(d.d, 9.81);
        d.m.gravity = d.vector(&g);
    }
    for (k, member) in r.members.iter().enumerate() {
        d.member(k, member, r.floating)?;
    }
    for (k, link) in r.loops.iter().enumerate() {
        d.close(k, link, r.floating);
    }
    if !r.conservative && !r.floating {
        r.rows.iter().enumerate().for_each(|(k, link)| d.row(k, link));
    }
    for (k, link) in r.loads.iter().enumerate() {
        d.load(k, link, r.floating);
    }
    d.finish(&mut random)
}

impl Draft {
    fn vector(&self, v: &V3) -> Vector {
        Vector::Components(v[..self.d].iter().map(|&x| x.into()).collect(), None)
    }
    fn name(&self, b: Option<usize>) -> String {
        b.map_or("ground".into(), |b| self.bodies[b].name.clone())
    }
    /// A point of a body (or the ground) at a global place; its reference.
    fn point(&mut self, b: Option<usize>, at: &V3) -> String {
        let name = format!("P{}", self.points);
        self.points += 1;
        match b {
            None => {
                let at = self.vector(at);
                self.m.ground.push((name.as_str().into(), at));
                format!("ground.{name}")
            }
            Some(b) if self.bodies[b].hard => {
                let at = self.vector(at);
                self.m.hard_points.push((name.as_str().into(), at));
                self.bodies[b].body.hard.push(name.as_str().into());
                format!("{}.{name}", self.bodies[b].name)
            }
            Some(b) => {
                let local = self.bodies[b].local(&add(at, -1.0, &self.bodies[b].origin));
                let at = self.vector(&local);
                self.bodies[b].body.points.push((name.as_str().into(), at));
                format!("{}.{name}", self.bodies[b].name)
            }
        }
    }
    fn direction(&self, b: Option<usize>, u: &V3) -> Vector {
        let local = b.map_or(*u, |b| self.bodies[b].local(u));
        self.vector(&local)
    }
    fn angle(&self, b: Option<usize>) -> f64 {
        b.map_or(0.0, |b| self.bodies[b].attitude[2])
    }
    /// A body near its parent, and its joint.
    fn member(&mut self, k: usize, member: &Member, floating: bool) -> Result<(), String> {
        let mut r = Random(member.seed);
        let parents: Vec<Option<usize>> =
            (0..k).filter(|&b| !self.bodies[b].rod).map(Some).chain((!floating || k == 0).then_some(None)).collect();
        let Some(&parent) = parents.get(member.parent as usize % parents.len().max(1)) else { return Err("no parent".into()) };
        let near = parent.map_or([0.0; 3], |b| self.bodies[b].com);
        let hard = r.unit() < 0.4;
        let rod = self.d == 3 && r.unit() < 0.12 && (k > 0 || !floating);
        let (attitude, origin) = if hard && !rod {
            ([0.0; 3], [0.0; 3])
        } else if self.d == 2 {
            ([0.0, 0.0, r.between(-1.2, 1.2)], add(&near, 1.0, &r.vector(2, 0.8)))
        } else {
            ([r.between(-1.2, 1.2), r.between(-0.8, 0.8), r.between(-1.2, 1.2)], add(&near, 1.0, &r.vector(3, 0.8)))
        };
        let (axes, name) = (axes_of(attitude), format!("B{k}"));
        let com = add(if hard && !rod { &near } else { &origin }, 1.0, &r.vector(self.d, 0.3));
        let mut placed =
            Placed { name: name.clone(), attitude, axes, origin, hard: hard && !rod, rod, com, body: Body::new(&name) };
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
        self.joint(&format!("J{k}"), kind, ends, &at, &mut r);
        Ok(())
    }
    /// (1).
    fn joint(&mut self, name: &str, kind: &str, ends: [Option<usize>; 2], at: &V3, r: &mut Random) {
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
            "prismatic" => (removes = [2, 5], far = add(at, s, &u), JointKind::Prismatic { angle: θ.into() }).2,
            "cylindrical" => (removes = [0, 4], far = add(at, s, &u), JointKind::Cylindrical).2,
            "screw" => {
                (removes = [0, 5], far = add(at, s, &u), JointKind::Screw { lead: (std::f64::consts::TAU * s / θ).into() }).2
            }
            "spherical" => (removes = [0, 3], JointKind::Spherical).1,
            "universal" => (removes = [0, 4], JointKind::Universal).1,
            "planar" => (removes = [0, 3], far = add(&add(at, x, &w), y, &cross(&u, &w)), JointKind::Planar).2,
            "fixed" => (removes = [3, 6], JointKind::Fixed { angle: θ.into() }).1,
            "distance" => {
                far = add(at, s, &r.direction(self.d));
                (removes = [1, 1], JointKind::Distance { length: s.into() }).1
            }
            "point-on-line" => (removes = [1, 2], far = add(at, s, &u), JointKind::PointOnLine).2,
            "point-on-plane" => (removes = [0, 1], far = add(&add(at, x, &w), y, &cross(&u, &w)), JointKind::PointOnPlane).2,
            _ => (far = add(at, s, &u), JointKind::Free).1,
        };
        let [a, b] = [self.point(ends[0], at), self.point(ends[1], &far)];
        let mut j = Joint::new(name, kind.clone(), &a, &b);
        let directed = !matches!(kind, JointKind::Spherical | JointKind::Distance { .. } | JointKind::Free);
        if directed && self.d == 3 {
            let second = if kind == JointKind::Universal { w } else { u };
            j.axes = [Some(self.direction(ends[0], &u)), Some(self.direction(ends[1], &second))];
            if !matches!(kind, JointKind::Universal | JointKind::PointOnLine | JointKind::PointOnPlane) {
                j.normals = [Some(self.direction(ends[0], &w)), Some(self.direction(ends[1], &turned(&w, &u, θ)))];
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
    fn pick(&self, link: &Link, floating: bool) -> [Option<usize>; 2] {
        let n = self.bodies.len();
        let all: Vec<Option<usize>> = (0..n).map(Some).chain((!floating).then_some(None)).collect();
        let first = all[link.bodies[0] as usize % all.len()];
        let rest: Vec<Option<usize>> = all.into_iter().filter(|b| *b != first).collect();
        [first, if rest.is_empty() { first } else { rest[link.bodies[1] as usize % rest.len()] }]
    }
    /// A joint that closes a loop, where degrees of freedom are left.
    fn close(&mut self, k: usize, link: &Link, floating: bool) {
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
    fn tie_rod(&mut self, k: usize, ends: [Option<usize>; 2], at: &V3) {
        let mut other = ends;
        other.sort_by_key(|b| b.is_some_and(|b| self.bodies[b].rod));
        let (Some(rod), false) = (other[1], other[0].is_some_and(|b| self.bodies[b].rod)) else { return };
        let tip = add(&self.bodies[rod].com, 1.0, &add(&self.bodies[rod].com, -1.0, &self.bodies[rod].origin));
        let a = self.point(other[0], at);
        let length = norm(&add(at, -1.0, &tip));
        let b = format!("{}.B", self.bodies[rod].name);
        self.m.joint(Joint::new(&format!("L{k}"), JointKind::Distance { length: length.into() }, &a, &b));
        self.freedom -= 1;
    }
    /// A point of a body for a force; of a rod its second end.
    fn handle(&mut self, b: Option<usize>, r: &mut Random) -> (String, V3) {
        let at = b.map_or([0.0; 3], |b| self.bodies[b].com);
        match b.filter(|&b| self.bodies[b].rod) {
            Some(b) => (format!("{}.B", self.bodies[b].name), add(&scaled(2.0, &at), -1.0, &self.bodies[b].origin)),
            None => {
                let at = add(&at, 1.0, &r.vector(self.d, 0.4));
                (self.point(b, &at), at)
            }
        }
    }
    /// A user constraint, a driver, a gear or a rack, where a degree of freedom is left for it.
    fn row(&mut self, k: usize, link: &Link) {
        let mut r = Random(link.seed);
        let ends = self.pick(link, false);
        // a driver may take the last degree of freedom: then it moves the mechanism alone
        if self.freedom < if link.kind % 6 < 4 { 1 } else { 2 } || ends[0] == ends[1] {
            return;
        }
        let name = format!("D{k}");
        let push = |s: &mut Self, quantity: Quantity, value: String| {
            s.m.drivers.push(Driver { name: name.as_str().into(), quantity, value: value.into() });
            s.freedom -= 1;
        };
        let motion = "0.2 * t + 0.05 * sin(4 * t)";
        match link.kind % 6 {
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
                push(self, Quantity::Angle(self.name(ends[0]).into(), self.name(ends[1]).into()), format!("{θ:e} + {motion}"));
            }
            2 | 3 => {
                let Some((joint, _, angle, position)) = self.coordinates.iter().find(|c| c.2.or(c.3).is_some()).cloned() else {
                    return;
                };
                let (what, value) = if let Some(x) = position { ("position", x) } else { ("angle", angle.unwrap_or(0.0)) };
                push(self, Quantity::Sensor(format!("{joint}.{what}").into()), format!("{value:e} + {motion}"));
            }
            4 => self.coupling(&name, &mut r),
            _ => {
                let ((a, ra), (b, rb)) = (self.handle(ends[0], &mut r), self.handle(ends[1], &mut r));
                let c = norm(&add(&ra, -1.0, &rb)) + 0.3 * ra[0] * rb[1] - 0.2 * ra[1];
                let text = format!("distance({a}, {b}) + 0.3 * {a}.x * {b}.y - 0.2 * {a}.y - ({c:e})");
                self.m.constraints.push((name.as_str().into(), text.into()));
                self.freedom -= 1;
            }
        }
    }
    /// A gear or a rack between two joints with a body in common.
    fn coupling(&mut self, name: &str, r: &mut Random) {
        let all = self.coordinates.clone();
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                let (Some(θ), true) = (a.2, i != j && a.1.iter().any(|x| b.1.contains(x))) else { continue };
                let factor = r.between(0.3, 1.5);
                let (kind, offset) = match (b.2, b.3) {
                    (Some(other), _) if i < j => (CouplingKind::Gear { ratio: factor.into() }, θ - factor * other),
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
    fn load(&mut self, k: usize, link: &Link, floating: bool) {
        let mut r = Random(link.seed);
        let ends = self.pick(link, floating);
        let Some(moving) = ends[0].or(ends[1]) else { return };
        let rod = ends.iter().flatten().any(|&b| self.bodies[b].rod);
        let kind = if self.conservative { link.kind % 2 } else { link.kind % 10 };
        if (rod && ![0, 2].contains(&kind)) || (ends[0] == ends[1] && ![2, 3].contains(&kind)) {
            return;
        }
        if let Some(force) = self.force_kind(kind, ends, moving, floating, &mut r) {
            self.m.force(&format!("F{k}"), force);
        }
    }
    fn force_kind(
        &mut self,
        kind: u8,
        ends: [Option<usize>; 2],
        moving: usize,
        floating: bool,
        r: &mut Random,
    ) -> Option<ForceKind> {
        let damping: f64 = if self.conservative { 0.0 } else { r.between(0.1, 1.0) };
        let body = self.bodies[moving].name.clone();
        let read = format!("{:e} + sin(3 * t) - 0.2 * vel({body}.com.x)", r.between(-1.0, 1.0));
        let law = ContactLaw { stiffness: r.between(20.0, 60.0).into(), damping: r.between(0.0, 0.3).into(), width: 0.3.into() };
        let joint = |s: &Self, angle: bool| {
            let mut fits = s.coordinates.iter().filter(|c| if angle { c.2.is_some() } else { c.2.or(c.3).is_some() });
            fits.next_back().map(|c| gradyn_model::mechanism::Text::from(c.0.as_str()))
        };
        let frame = (r.unit() < 0.5).then(|| body.as_str().into());
        let rod = self.bodies[moving].rod;
        Some(match kind {
            0 | 6 => {
                let ((a, ra), (b, rb)) = (self.handle(ends[0], r), self.handle(ends[1], r));
                let (between, length) = ([a.into(), b.into()], norm(&add(&ra, -1.0, &rb)));
                let force = (!self.conservative).then(|| "0.3 * length * speed + length^3".into());
                let stiffness = r.between(5.0, 50.0).into();
                if kind == 6 {
                    let pull = r.unit() < 0.5;
                    let stop = if pull { length - 0.1 } else { length + 0.1 };
                    return Some(ForceKind::BumpStop { between, length: stop.into(), pull, law });
                }
                ForceKind::SpringDamper { between, stiffness, damping: damping.into(), length: (0.8 * length).into(), force }
            }
            1 => {
                let by_joint = joint(self, true).filter(|_| self.d == 3 || r.unit() < 0.5);
                let about = match by_joint {
                    Some(j) => About::Joint(j),
                    None if self.d == 2 => About::Bodies(ends.map(|b| self.name(b).into())),
                    None => return None,
                };
                let torque = (!self.conservative).then(|| "0.3 * angle^3 + 0.1 * speed * angle".into());
                ForceKind::Torsion {
                    about,
                    stiffness: r.between(0.5, 4.0).into(),
                    damping: damping.into(),
                    angle: 0.2.into(),
                    torque,
                }
            }
            2 if !floating => {
                let at = self.handle(Some(moving), r).0.into();
                let force = Vector::Components(
                    (0..self.d).map(|k| if k == 0 { read.as_str().into() } else { Number::from("wave") }).collect(),
                    None,
                );
                ForceKind::Point { at, force, frame: frame.filter(|_| !rod) }
            }
            3 => {
                let reaction = self.name(ends.iter().copied().find(|b| *b != Some(moving)).unwrap_or(None));
                let torque = (0..if self.d == 2 { 1 } else { 3 })
                    .map(|k| if k == 0 { read.as_str().into() } else { Number::from("0.3 * wave") });
                ForceKind::Torque {
                    on: body.as_str().into(),
                    reaction: reaction.into(),
                    torque: torque.collect(),
                    frame: frame.filter(|_| self.d == 3),
                }
            }
            4 => ForceKind::Actuator { joint: joint(self, false)?, effort: read.into() },
            5 => ForceKind::Friction {
                joint: joint(self, false)?,
                limit: r.between(0.1, 1.0).into(),
                speed: 0.5.into(),
                viscous: 0.1.into(),
            },
            7 => {
                let ((a, _), (b, _)) = (self.handle(ends[0], r), self.handle(ends[1], r));
                let n = if self.d == 2 { 3 } else { 6 };
                let mut list = |a: f64, b: f64| (0..n).map(|_| r.between(a, b).into()).collect::<Vec<Number>>();
                let (stiffness, damping) = (list(2.0, 20.0), list(0.1, 1.0));
                let axis = (self.d == 3).then(|| self.direction(None, &[0.2, -0.3, 1.0]));
                ForceKind::Bushing { between: [a.into(), b.into()], axes: [axis, None], stiffness, damping, force: vec![] }
            }
            8 => {
                let u = r.direction(self.d);
                let (plane, at) = self.handle(ends[0], r);
                let side = add(&at, -r.between(0.05, 0.25), &u);
                let point = self.point(
                    ends[1],
                    &add(&side, r.between(-0.3, 0.3), &if self.d == 2 { [-u[1], u[0], 0.0] } else { across(&u, r) }),
                );
                let normal = Some(self.direction(ends[0], &u));
                ForceKind::Contact {
                    point: point.into(),
                    plane: plane.into(),
                    normal,
                    law,
                    friction: 0.3.into(),
                    speed: 0.2.into(),
                }
            }
            _ => return None,
        })
    }
    /// Names, objectives and conditions.
    fn finish(mut self, r: &mut Random) -> Result<Mechanism, String> {
        if self.freedom == 0 && self.m.drivers.is_empty() {
            return Err("does not move".into());
        }
        let values = (0..4).map(|_| r.between(-1.0, 1.0).into()).collect();
        if format!("{:?}", self.m.forces).contains("wave") {
            self.m.splines.push(Spline { name: "wave".into(), cyclic: true, start: 0.0.into(), duration: 0.1.into(), values });
        }
        for p in &self.bodies {
            self.m.bodies.push(p.body.clone());
            if self.d == 3 && !p.rod && !p.hard {
                self.m.initial.near.push((format!("{}.attitude", p.name).into(), p.attitude.into()));
            }
            if p.rod {
                let tip = add(&scaled(2.0, &p.com), -1.0, &p.origin);
                self.m.initial.near.push((format!("{}.A", p.name).into(), self.vector(&p.origin)));
                self.m.initial.near.push((format!("{}.B", p.name).into(), self.vector(&tip)));
            } else {
                self.m.initial.near.push((format!("{}.com", p.name).into(), self.vector(&p.com)));
                if let (2, false, Some((name, Vector::Components(x, _)))) = (self.d, p.hard, p.body.points.first()) {
                    let [x, y] = [0, 1].map(|k| if let Source::Value(v) = x[k].source { v } else { 0.0 });
                    let at = add(&add(&p.origin, x, &p.axes[0]), y, &p.axes[1]);
                    self.m.initial.near.push((format!("{}.{name}", p.name).into(), self.vector(&at)));
                }
            }
        }
        let body = self.bodies[r.below(self.bodies.len())].name.clone();
        let joint = (!self.m.joints.is_empty()).then(|| self.m.joints[r.below(self.m.joints.len())].name.text.clone());
        // the points of a free joint are there to be read
        let free = self.m.joints.iter().filter(|j| j.kind == JointKind::Free);
        let free: String = free.map(|j| format!(" + norm2({} - {})", j.between[0], j.between[1])).collect();
        let reaction = joint.filter(|_| r.unit() < 0.5).map_or(String::new(), |j| format!(" + norm2({j}.reaction) / 1000"));
        self.m
            .integral("path", &format!("norm2({body}.com - [1, 0.5{}]){reaction}{free}", if self.d == 3 { ", 0.2" } else { "" }));
        self.m
            .terminal("end", &format!("system.kinetic + norm2({body}.com) + vel({body}.com.x) + 0.01 * norm2(acc({body}.com))"));
        self.conditions(r)?;
        Ok(self.m)
    }
    /// (2).
    fn conditions(&mut self, r: &mut Random) -> Result<(), String> {
        let mut candidates: Vec<(String, f64)> = vec![];
        for p in &self.bodies {
            let place = |what: &str, at: &V3| -> Vec<(String, f64)> {
                (0..self.d).map(|k| (format!("{}.{what}.{}", p.name, ["x", "y", "z"][k]), at[k])).collect()
            };
            candidates.extend(place("com", &p.com));
            if p.rod {
                candidates.extend(place("B", &add(&scaled(2.0, &p.com), -1.0, &p.origin)));
            } else if self.d == 2 {
                candidates.push((format!("{}.angle", p.name), p.attitude[2]));
            } else {
                candidates.extend((0..3).map(|k| (format!("{}.{}", p.name, ["roll", "pitch", "yaw"][k]), p.attitude[k])));
            }
        }
        let mut all = self.m.clone();
        all.initial.position = candidates.iter().map(|(k, x)| (k.as_str().into(), (*x).into())).collect();
        let chosen = pivots(&all, self.freedom)?;
        self.m.initial.position = chosen.iter().map(|&k| (candidates[k].0.as_str().into(), candidates[k].1.into())).collect();
        let rates = chosen.iter().map(|&k| (candidates[k].0.as_str().into(), r.between(-1.0, 1.0).into())).collect();
        self.m.initial.velocity = InitialVelocity::Conditions(rates);
        Ok(())
    }
}

/// Indices of independent conditions that fix what the rows of a mechanism leave free in its drawn configuration.
/// `freedom` is what the table of joints leaves.
fn pivots(m: &Mechanism, freedom: isize) -> Result<Vec<usize>, String> {
    let model = build(m).map_err(|e| format!("does not build: {e}"))?;
    let (sys, p) = (&model.system, model.slots(&model.rho()));
    let (n, rows) = (sys.dims().n, sys.dims().m);
    let (t, q, zero) = (p[model.times.start as usize], sys.drawn().to_vec(), vec![0.0; n.max(rows)]);
    let mut d = sys.data();
    sys.prepare(&p, &mut d);
    sys.set_angles(&model.angles, &mut d);
    sys.place(t, &q, &mut d);
    let at = At { t, q: &q, v: &zero[..n], a: &zero[..n], lam: &zero[..rows] };
    let mut phi = vec![0.0; rows];
    sys.constraint(&at, [1.0, 0.0, 0.0], &mut d, &mut phi);
    let worst = (0..rows).fold(0, |w, k| if phi[k].abs() > phi[w].abs() { k } else { w });
    if phi.get(worst).is_some_and(|x| x.abs() > 1e-9) {
        return Err(format!("is not drawn where it is: {} is off by {:.1e}", sys.row_name(worst), phi[worst]));
    }
    let dependencies = row_dependencies(&sys.patterns().mn, sys.phi_q(&d), 1e-9);
    // loops may repeat to the letter what shared axes hold already: such rows are left out as long as the letters are the same
    let left = n as isize - rows as isize;
    if left < freedom || (left > freedom && !looped(m)) {
        return Err(format!("has {n} - {rows} degrees of freedom, not {freedom}"));
    }
    if left > freedom || !dependencies.dependent.is_empty() {
        return Err("is redundant".into());
    }
    if dependencies.condition < 1e-3 {
        return Err("is close to singular".into());
    }
    let mut kept: Vec<Vec<f64>> = vec![];
    let mut dense = vec![vec![0.0; n]; rows];
    sys.patterns().mn.iter().for_each(|(i, j, k)| dense[i][j] = sys.phi_q(&d)[k]);
    for row in dense {
        let row = rest(&kept, row);
        keep(&mut kept, row);
    }
    let count = model.conditions.0.len();
    let mut conditions: Vec<Vec<f64>> = (0..count)
        .map(|k| {
            let (pattern, support) = (sys.condition_pattern(false, k), sys.condition_support(false, k));
            let (mut q, mut v, mut s) = (vec![0.0; pattern.len()], vec![0.0; pattern.len()], vec![0.0; support.len()]);
            sys.condition_row(false, k, &at, &mut d, &mut q, &mut v, &mut s);
            let size = q.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
            let mut row = vec![0.0; n];
            pattern.iter().zip(&q).for_each(|(&i, x)| row[i as usize] = x / size);
            row
        })
        .collect();
    let mut chosen = vec![];
    while kept.len() < n {
        conditions.iter_mut().for_each(|c| *c = rest(&kept, std::mem::take(c)));
        let size = |c: &[f64]| c.iter().map(|x| x * x).sum::<f64>();
        let best = (0..count).fold(0, |b, k| if size(&conditions[k]) > size(&conditions[b]) { k } else { b });
        if size(&conditions[best]) < 1e-4 {
            return Err("is not fixed by poses".into());
        }
        keep(&mut kept, conditions[best].clone());
        chosen.push(best);
    }
    chosen.sort_unstable();
    Ok(chosen)
}

/// Does it have more joints than bodies?
fn looped(m: &Mechanism) -> bool {
    m.joints.len() > m.bodies.len()
}

/// A row without its part in the span of orthonormal ones.
fn rest(kept: &[Vec<f64>], mut row: Vec<f64>) -> Vec<f64> {
    for _ in 0..2 {
        for k in kept {
            let along: f64 = k.iter().zip(&row).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(k).for_each(|(x, k)| *x -= along * k);
        }
    }
    row
}

fn keep(kept: &mut Vec<Vec<f64>>, row: Vec<f64>) {
    let size = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    kept.push(row.into_iter().map(|x| x / size).collect());
}

/// Some unit vector across a unit vector.
fn across(u: &V3, r: &mut Random) -> V3 {
    loop {
        let v = r.direction(3);
        let w = add(&v, -dot(&v, u), u);
        if norm(&w) > 0.3 {
            return scaled(1.0 / norm(&w), &w);
        }
    }
}

/// Mass and inertia: numbers, or a shape.
fn solid(r: &mut Random, name: &str, dimension: usize) -> Body {
    let (mass, size) = (r.between(0.5, 2.0), [r.between(0.3, 0.8), r.between(0.3, 0.8), r.between(0.3, 0.8)]);
    let axis: Option<Vector> = (dimension == 3).then(|| r.direction(3).into());
    let body = Body::new(name);
    let shape = match r.below(5) {
        0 => ShapeKind::Box(size[..dimension].iter().map(|&x| x.into()).collect()),
        1 => ShapeKind::Sphere(size[0].into()),
        2 => ShapeKind::Cylinder { radius: size[0].into(), length: size[1].into(), axis },
        3 => ShapeKind::Tube { outer: size[0].into(), inner: (0.6 * size[0]).into(), length: size[1].into(), axis },
        _ if dimension == 2 => return body.mass(mass).inertia(0.1 * mass),
        _ => return body.mass(mass).tensor([0.1, 0.12, 0.15, 0.01, -0.02, 0.015].map(|i| i * mass)),
    };
    if r.unit() < 0.5 {
        return body.mass(mass).shape(shape);
    }
    Body { shape: Some(Shape { kind: shape, density: Some((mass / 0.3).into()) }), ..body }
}

const TREE_2: &[&str] = &["revolute", "prismatic", "point-on-line", "distance", "free", "fixed", "revolute", "revolute"];
const TREE_3: &[&str] = &[
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
const LOOP_2: &[(&str, isize)] = &[("distance", 1), ("revolute", 2), ("point-on-line", 1)];
const LOOP_3: &[(&str, isize)] = &[
    ("distance", 1),
    ("spherical", 3),
    ("point-on-plane", 1),
    ("point-on-line", 2),
    ("universal", 4),
    ("cylindrical", 4),
    ("planar", 3),
];
