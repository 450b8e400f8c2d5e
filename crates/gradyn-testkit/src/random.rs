//! Random mechanisms: trees and loops in the plane and in space, of all joints, forces, drivers and user
//! constraints.
//!
//! A configuration is drawn first: poses of all bodies in the global frame. Elements are then made to fit it,
//! so that it is an assembled position; the conditions at the start are coordinates of it, chosen by pivoting
//! on the null space of Φ_q:
//!
//! ```text
//! A₁ a₁ = A₂ a₂ = u,   A₁ n₁ = w,   A₂ n₂ = R(u, θ) w,   r₂ = r₁ + s u,   lead = 2π s/θ, …         (1)
//! E_k: the row that is farthest from the span of Φ_q and of the conditions chosen before it       (2)
//! ```
//! A [`Recipe`] is what proptest draws and shrinks: lists of members, closures and loads; their numbers
//! follow from seeds.

mod bodies;
mod conditions;
mod forces;
mod geometry;
mod joints;
mod linkages;
mod numbers;
mod rotors;
mod rows;

pub use linkages::linkage;
pub use numbers::Random;
pub use rotors::{Rotor, rotor};

use geometry::*;
use gradyn_model::mechanism::{
    About, Body, ContactLaw, Coupling, CouplingKind, Driver, ForceKind, InitialVelocity, Joint, JointKind,
    Mechanism, Number, Quantity, Shape, ShapeKind, Source, Spline, Vector,
};
use gradyn_model::{At, build};
use gradyn_num::row_dependencies;
use proptest::prelude::*;

/// A body on its parent.
#[derive(Clone, Debug)]
pub struct Member {
    /// Which of the earlier bodies, or the ground.
    pub parent: u8,
    /// Which kind of joint.
    pub joint: u8,
    /// Seed of its numbers.
    pub seed: u64,
}

/// Something between two bodies.
#[derive(Clone, Debug)]
pub struct Link {
    /// Which kind of joint, row or force.
    pub kind: u8,
    /// Which two bodies it links.
    pub bodies: [u8; 2],
    /// Seed of its numbers.
    pub seed: u64,
}

/// What proptest draws: lists of elements whose numbers follow from seeds.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Dimension, 2 or 3.
    pub dimension: usize,
    /// Bodies and the joints of the tree.
    pub members: Vec<Member>,
    /// Joints that close loops.
    pub loops: Vec<Link>,
    /// Gears, racks, user constraints and drivers.
    pub rows: Vec<Link>,
    /// Forces of all kinds.
    pub loads: Vec<Link>,
    /// True if nothing is tied to the ground and there is no gravity.
    pub floating: bool,
    /// True if there are springs without dampers, and nothing that moves by time.
    pub conservative: bool,
    /// True if one joint is there twice, and no reaction is read.
    pub repeated: bool,
}

/// Recipes of at most four bodies.
pub fn recipes() -> impl Strategy<Value = Recipe> {
    // a member, a link
    let member = (any::<u8>(), any::<u8>(), any::<u64>());
    let member = member.prop_map(|(parent, joint, seed)| Member { parent, joint, seed });
    let link = || {
        let link = (any::<u8>(), any::<[u8; 2]>(), any::<u64>());
        link.prop_map(|(kind, bodies, seed)| Link { kind, bodies, seed })
    };

    // lists of them
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
    /// Components of a vector in the axes of the body.
    fn local(&self, v: &V3) -> V3 {
        self.axes.map(|u| dot(&u, v))
    }
}

/// Axes of a body with this attitude.
fn axes_of([roll, pitch, yaw]: V3) -> [V3; 3] {
    let (sr, cr) = roll.sin_cos();
    let (sp, cp) = pitch.sin_cos();
    let (sy, cy) = yaw.sin_cos();
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
    /// Degrees of freedom of positions that are left.
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

    // gravity, bodies with their joints, loops
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

    // rows of other kinds, forces, a joint again
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
    /// A vector of the mechanism, in the plane without its third component.
    fn vector(&self, v: &V3) -> Vector {
        Vector::Components(v[..self.d].iter().map(|&x| x.into()).collect(), None)
    }
    /// Name of a body or of the ground.
    fn name(&self, b: Option<usize>) -> String {
        b.map_or("ground".into(), |b| self.bodies[b].name.clone())
    }
    /// A point of a body (or the ground) at a global place; its reference.
    fn point(&mut self, b: Option<usize>, at: &V3) -> String {
        let name = format!("P{}", self.points);
        self.points += 1;
        match b {
            // on the ground
            None => {
                let at = self.vector(at);
                self.m.ground.push((name.as_str().into(), at));
                format!("ground.{name}")
            }
            // a hard point
            Some(b) if self.bodies[b].hard => {
                let at = self.vector(at);
                self.m.hard_points.push((name.as_str().into(), at));
                self.bodies[b].body.hard.push(name.as_str().into());
                format!("{}.{name}", self.bodies[b].name)
            }
            // in the frame of the body
            Some(b) => {
                let local = self.bodies[b].local(&add(at, -1.0, &self.bodies[b].origin));
                let at = self.vector(&local);
                self.bodies[b].body.points.push((name.as_str().into(), at));
                format!("{}.{name}", self.bodies[b].name)
            }
        }
    }
    /// A global direction in the frame of a body or of the ground.
    fn direction(&self, b: Option<usize>, u: &V3) -> Vector {
        let local = b.map_or(*u, |b| self.bodies[b].local(u));
        self.vector(&local)
    }
    /// Angle of a body in the plane; 0 of the ground.
    fn angle(&self, b: Option<usize>) -> f64 {
        b.map_or(0.0, |b| self.bodies[b].attitude[2])
    }
}
