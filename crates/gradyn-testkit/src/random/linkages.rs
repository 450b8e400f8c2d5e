//! Overconstrained linkages: loops that move because of a condition on their lengths and axes.
//!
//! ```text
//! skew isogram    P₃ = S P₁, P₄ = S P₂, u_k across both bars at P_k            (Bennett)           (1)
//! line-symmetric  P_{k+3} = S P_k, u_{k+3} = S u_k,  S: a half turn            (Bricard)           (2)
//! plane-symmetric P₆ = S P₂, P₅ = S P₃ with their axes, S: a mirror that has P₁, P₄ and u₁, u₄     (3)
//! parallel axes   u_k = e_z                                                                        (4)
//! three cranks    B_k = A_k + c on one coupler, in the plane and in space                          (5)
//! ```
//! The coordinates of points and axes are symbols that images share, and some of them are parameters: every
//! design near the drawn one is a linkage that moves.

use super::*;
use crate::parametrise::only_used;

/// A hinge where it is drawn: components of its point and of its axis, as expressions.
#[derive(Clone)]
struct Hinge {
    at: [String; 3],
    axis: [String; 3],
}

impl Hinge {
    /// Its image by a half turn about a coordinate axis or by a mirror, given by signs.
    fn image(&self, signs: [&str; 3]) -> Self {
        let of = |x: &[String; 3]| std::array::from_fn(|k| format!("{}({})", signs[k], x[k]));
        Self { at: of(&self.at), axis: of(&self.axis) }
    }
}

/// Half turn about z.
const HALF_TURN: [&str; 3] = ["-", "-", ""];
/// Mirror at the plane y = 0.
const MIRROR: [&str; 3] = ["", "-", ""];

/// An overconstrained linkage with one degree of freedom, at its first hinge `H0`.
pub fn linkage(seed: u64) -> Mechanism {
    let mut r = Random(seed);
    let kind = r.below(6);
    let m = if kind == 5 { Mechanism::new("cranks") } else { Mechanism::space("linkage") };
    let mut draft = Linkage { m, r };
    match kind {
        0 => draft.isogram(),
        1 => draft.line_symmetric(),
        2 => draft.plane_symmetric(),
        3 => draft.parallel(),
        _ => draft.cranks(),
    }
    draft.finish()
}

/// A linkage as it grows.
struct Linkage {
    m: Mechanism,
    r: Random,
}

impl Linkage {
    /// A new symbol: a parameter in one of three cases, otherwise a constant.
    fn symbol(&mut self, value: f64) -> String {
        let k = self.m.parameters.len() + self.m.constants.len();
        let name = format!("s{k}");
        if self.r.unit() < 0.33 {
            self.m.parameter(&name, value);
            if let Some(p) = self.m.parameters.last_mut() {
                p.scale = Some(1.0.into());
            }
        } else {
            self.m.constants.push((name.as_str().into(), value.into()));
        }
        name
    }
    /// A point near a place.
    fn place(&mut self, near: V3) -> [String; 3] {
        near.map(|x| {
            let x = x + self.r.between(-0.15, 0.15);
            self.symbol(x)
        })
    }
    /// An axis that points anywhere.
    fn axis(&mut self) -> [String; 3] {
        self.r.direction(3).map(|x| self.symbol(x))
    }
    /// A hinge near a place with an axis that points anywhere.
    fn hinge(&mut self, near: V3) -> Hinge {
        Hinge { at: self.place(near), axis: self.axis() }
    }
    /// (1)
    fn isogram(&mut self) {
        let first = Hinge { at: self.place([0.5, 0.0, -0.3]), axis: Default::default() };
        let second = Hinge { at: self.place([0.1, 0.6, 0.3]), axis: Default::default() };
        let mut ring = vec![first.clone(), second.clone(), first.image(HALF_TURN), second.image(HALF_TURN)];

        // axes across both bars
        for k in 0..4 {
            let bar = |to: usize| -> [String; 3] {
                std::array::from_fn(|i| format!("({} - ({}))", ring[to].at[i], ring[k].at[i]))
            };
            let [a, b] = [bar((k + 1) % 4), bar((k + 3) % 4)];
            let across = |i: usize, j: usize| format!("{}*{} - {}*{}", a[i], b[j], a[j], b[i]);
            ring[k].axis = [across(1, 2), across(2, 0), across(0, 1)];
        }
        self.ring(&ring);
    }
    /// (2)
    fn line_symmetric(&mut self) {
        let half = [[0.6, 0.0, -0.2], [0.3, 0.5, 0.3], [-0.3, 0.5, -0.2]].map(|near| self.hinge(near));
        let ring: Vec<Hinge> = half.iter().cloned().chain(half.iter().map(|h| h.image(HALF_TURN))).collect();
        self.ring(&ring);
    }
    /// (3)
    fn plane_symmetric(&mut self) {
        let mut inside = |near: V3| {
            let mut hinge = self.hinge(near);
            hinge.at[1] = "0".into();
            hinge.axis[1] = "0".into();
            hinge
        };
        let [first, fourth] = [inside([0.6, 0.0, 0.0]), inside([-0.6, 0.0, 0.1])];
        let [second, third] = [[0.3, 0.5, 0.3], [-0.3, 0.5, -0.2]].map(|near| self.hinge(near));
        let images = [third.image(MIRROR), second.image(MIRROR)];
        let ring: Vec<Hinge> = [first, second, third, fourth].into_iter().chain(images).collect();
        self.ring(&ring);
    }
    /// (4)
    fn parallel(&mut self) {
        let axis = ["0", "0", "1"].map(String::from);
        let near = [[0.0, 0.0, 0.0], [0.1, 0.5, 0.1], [0.9, 0.8, 0.0], [1.1, 0.0, -0.1]];
        let ring = near.map(|near| Hinge { at: self.place(near), axis: axis.clone() });
        self.ring(&ring);
    }
    /// A closed loop of hinges and bars; the bar from the last to the first is the ground.
    fn ring(&mut self, hinges: &[Hinge]) {
        let n = hinges.len();
        for (k, h) in hinges.iter().enumerate() {
            self.m.hard_points.push((format!("P{k}").into(), h.at.clone().into()));
        }
        self.m.ground_point("first", hinges[0].at.clone());
        self.m.ground_point("last", hinges[n - 1].at.clone());
        for k in 1..n {
            self.bar(&format!("B{k}"), &[format!("P{}", k - 1), format!("P{k}")]);
        }

        // a hinge between neighbours
        for (k, h) in hinges.iter().enumerate() {
            let before = if k == 0 { "ground.first".into() } else { format!("B{k}.P{k}") };
            let after = if k == n - 1 { "ground.last".into() } else { format!("B{}.P{k}", k + 1) };
            self.m.joint(Joint::revolute(&format!("H{k}"), &before, &after).axis(h.axis.clone()));
        }
    }
    /// (5)
    fn cranks(&mut self) {
        let d = self.m.dimension;
        let crank = [0.35, 0.2].map(|x| self.symbol(x));
        for (k, near) in [[0.0, 0.0], [0.9, 0.1], [0.4, 0.7]].into_iter().enumerate() {
            // both points of a crank
            let at = near.map(|x| {
                let x = x + self.r.between(-0.1, 0.1);
                self.symbol(x)
            });
            let end: [String; 2] = std::array::from_fn(|i| format!("{} + {}", at[i], crank[i]));
            let [at, end] = [at, end].map(|x| {
                let third = (d == 3).then(|| Number::from(0.1 * k as f64));
                Vector::Components(x.into_iter().map(Number::from).chain(third).collect(), None)
            });
            self.m.ground_point(&format!("G{k}"), at.clone());
            self.m.hard_points.push((format!("A{k}").into(), at));
            self.m.hard_points.push((format!("C{k}").into(), end));
            self.bar(&format!("B{k}"), &[format!("A{k}"), format!("C{k}")]);
        }

        // the coupler, and hinges at both ends of each crank
        self.bar("B3", &["C0", "C1", "C2"].map(String::from));
        for k in 0..3 {
            let foot = Joint::revolute(&format!("H{k}"), &format!("ground.G{k}"), &format!("B{k}.A{k}"));
            let head = Joint::revolute(&format!("K{k}"), &format!("B{k}.C{k}"), &format!("B3.C{k}"));
            for hinge in [foot, head] {
                let axis = [0.0, 0.0, 1.0];
                self.m.joint(if d == 3 { hinge.axis(axis) } else { hinge });
            }
        }
    }
    /// A body on hard points, with its centre of mass in their middle.
    fn bar(&mut self, name: &str, hard: &[String]) {
        let middle = format!("({})/{}", hard.join(" + "), hard.len());
        let mass = self.r.between(0.5, 2.0);
        let mass = self.symbol(mass);
        let mut body = Body::new(name).mass(mass.as_str()).com(Vector::Expression(middle.as_str().into()));
        body.hard = hard.iter().map(|p| p.as_str().into()).collect();
        let inertia = |i: f64| format!("{i}*{mass}");
        let body = match self.m.dimension {
            2 => body.inertia(inertia(0.05)),
            _ => body.tensor([0.05, 0.06, 0.08, 0.01, -0.01, 0.005].map(inertia)),
        };
        self.m.body(body);
    }
    /// Gravity, the start, and objectives that read no reaction.
    fn finish(mut self) -> Mechanism {
        let g = self.r.vector(self.m.dimension, 6.0);
        self.m.gravity = Vector::Components(g[..self.m.dimension].iter().map(|&x| x.into()).collect(), None);

        // it turns by half a turn or more
        let speed = self.r.between(2.5, 5.0) * if self.r.unit() < 0.5 { 1.0 } else { -1.0 };
        self.m.parameter("speed", speed);
        self.m.initial.position = vec![("H0.angle".into(), 0.0.into())];
        self.m.initial.velocity = InitialVelocity::Conditions(vec![("H0.angle".into(), "speed".into())]);

        // what is read
        self.m.integral("swing", "vel(H0.angle)^2");
        self.m.integral("path", "norm2(B2.com)");
        self.m.terminal("end", "H0.angle + B1.com.x + 0.1*vel(B2.com.y) + 0.01*acc(B2.com.x)");
        only_used(&self.m)
    }
}
