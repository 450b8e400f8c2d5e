//! Random mechanisms: trees and loops in the plane and in space, of all joints, forces, drivers and user
//! constraints.
//!
//! A configuration is drawn first: poses of all bodies in the global frame. Elements are then made to fit it,
//! so that it is an assembled position; the conditions at the start are coordinates of it, chosen by pivoting
//! on the null space of Φ_q:
//!
//! ```text
//! A₁ a₁ = A₂ a₂ = u,  A₁ n₁ = w,  A₂ n₂ = R(u, θ) w,  r₂ = r₁ + s u,  lead = 2π s/θ, length = |r₂ - r₁|, …        (1)
//! E_k: the row that is farthest from the span of Φ_q and of the conditions chosen before it                      (2)
//! ```
//! A [`Recipe`] is what proptest draws and shrinks: lists of members, closures and loads; their numbers
//! follow from seeds.

mod conditions;
mod forces;
mod geometry;
mod joints;

use geometry::*;
use gradyn_model::mechanism::{
    About, Body, ContactLaw, Coupling, CouplingKind, Driver, ForceKind, InitialVelocity, Joint, JointKind,
    Mechanism, Number, Quantity, Shape, ShapeKind, Source, Spline, Vector,
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
    /// One joint is there twice, and no reaction is read.
    pub repeated: bool,
}

/// Recipes of at most four bodies.
pub fn recipes() -> impl Strategy<Value = Recipe> {
    let member = (any::<u8>(), any::<u8>(), any::<u64>()).prop_map(|(parent, joint, seed)| Member {
        parent,
        joint,
        seed,
    });
    let link = || {
        (any::<u8>(), any::<[u8; 2]>(), any::<u64>()).prop_map(|(kind, bodies, seed)| Link {
            kind,
            bodies,
            seed,
        })
    };
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
        repeated: false,
    })
}

/// Numbers that follow from a seed (SplitMix64).
#[derive(Clone)]
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
    /// Of positions.
    freedom: isize,
    /// Rows of velocity level.
    slips: isize,
    /// Joints of the tree with directions of their own: kind, bodies, place and numbers.
    tree: Vec<(&'static str, [Option<usize>; 2], V3, Random)>,
    conservative: bool,
    repeated: bool,
}

/// The mechanism of a recipe in its drawn configuration, with conditions at the start; or why there is none.
pub fn mechanism(r: &Recipe) -> Result<Mechanism, String> {
    let m = if r.dimension == 2 { Mechanism::new("random") } else { Mechanism::space("random") };
    let mut d = Draft {
        m,
        d: r.dimension,
        bodies: vec![],
        points: 0,
        coordinates: vec![],
        freedom: 0,
        slips: 0,
        tree: vec![],
        conservative: r.conservative,
        repeated: r.repeated,
    };
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
    if r.repeated {
        d.repeat()?;
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
        3 => ShapeKind::Tube {
            outer: size[0].into(),
            inner: (0.6 * size[0]).into(),
            length: size[1].into(),
            axis,
        },
        _ if dimension == 2 => return body.mass(mass).inertia(0.1 * mass),
        _ => return body.mass(mass).tensor([0.1, 0.12, 0.15, 0.01, -0.02, 0.015].map(|i| i * mass)),
    };
    if r.unit() < 0.5 {
        return body.mass(mass).shape(shape);
    }
    Body { shape: Some(Shape { kind: shape, density: Some((mass / 0.3).into()) }), ..body }
}

const TREE_2: &[&str] =
    &["revolute", "prismatic", "point-on-line", "distance", "free", "fixed", "revolute", "revolute"];
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
