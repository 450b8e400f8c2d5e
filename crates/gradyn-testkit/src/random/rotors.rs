//! Fast rotors whose angle is known at every time.
//!
//! No moment acts along the spin axis u of a rotor that is balanced about it:
//!
//! ```text
//! θ(t) = θ₀ + ω t,   on the ground and on a carrier that slides or turns about an axis across u       (1)
//! θ(t) + φ(t) = θ₀ + φ₀ + ω t,   on a carrier that turns by φ about an axis along u                   (2)
//! ```
//! In (2) ω is the sum of both rates at the start. The carrier moves under gravity.

use super::*;

/// A rotor, and what is known of it.
pub struct Rotor {
    /// The rotor on the ground or on its carrier; its objective `turned` is the left side of (1) or (2).
    pub mechanism: Mechanism,
    /// The value of `turned` at t = 0 [rad].
    pub start: f64,
    /// Speed ω [rad/s].
    pub speed: f64,
}

/// What carries the rotor.
#[derive(Clone, Copy, PartialEq)]
enum Carrier {
    Ground,
    Slider,
    /// A pendulum that turns about an axis across that of the rotor.
    Across,
    /// A pendulum that turns about an axis along that of the rotor.
    Along,
}

/// Coordinate of the carrier and its rate at the start.
const PLACE: [f64; 2] = [0.2, 0.7];

/// A rotor of 100 … 6000 rad/s, in the plane or in space.
pub fn rotor(seed: u64) -> Rotor {
    let mut r = Random(seed);
    let d = 2 + r.below(2);
    let carriers = [Carrier::Ground, Carrier::Slider, Carrier::Along, Carrier::Across];
    let carrier = carriers[r.below(if d == 2 { 3 } else { 4 })];
    let m = if d == 2 { Mechanism::new("rotor") } else { Mechanism::space("rotor") };

    // an axis, and directions across it
    let u = if d == 2 { [0.0, 0.0, 1.0] } else { r.direction(3) };
    let w = if d == 2 { [1.0, 0.0, 0.0] } else { across(&u, &mut r) };
    let speed = 100.0 * 60f64.powf(r.unit()) * if r.unit() < 0.5 { 1.0 } else { -1.0 };
    let angle = r.between(-3.0, 3.0);
    let mut draft = Draft { m, d, u, w, r, rates: vec![] };

    // carrier and rotor
    let on = draft.carrier(carrier);
    draft.rotor(on, angle, speed);
    let Draft { mut m, rates, .. } = draft;
    m.initial.velocity = InitialVelocity::Conditions(rates);

    // the left side of (1) or (2)
    let along = carrier == Carrier::Along;
    let turned = if along { "spin.angle + guide.angle" } else { "spin.angle" };
    m.terminal("turned", turned);
    let [start, rate] = if along { PLACE } else { [0.0; 2] };
    Rotor { mechanism: m, start: angle + start, speed: speed + rate }
}

/// A rotor as it grows: axis u, a direction w across it.
struct Draft {
    m: Mechanism,
    d: usize,
    u: V3,
    w: V3,
    r: Random,
    /// Conditions of velocities.
    rates: Vec<(Number, Number)>,
}

impl Draft {
    /// A vector of the mechanism, in the plane without its third component.
    fn vector(&self, v: &V3) -> Vector {
        Vector::Components(v[..self.d].iter().map(|&x| x.into()).collect(), None)
    }
    /// The carrier; the point that the hinge of the rotor is on.
    fn carrier(&mut self, carrier: Carrier) -> &'static str {
        let g = self.r.vector(self.d, 9.81);
        self.m.gravity = self.vector(&g);
        self.m.ground_point("G", self.vector(&[0.0; 3]));
        if carrier == Carrier::Ground {
            return "ground.G";
        }

        // a body with the hinge of the rotor at R
        let at = scaled(0.4, &self.r.direction(self.d));
        let com = scaled(0.5, &at);
        let body = Body::new("carrier").point("G", self.vector(&[0.0; 3])).point("R", self.vector(&at));
        let body = body.mass(3.0).com(self.vector(&com)).inertia(0.4);
        self.m.body(body);

        // how it moves
        let (joint, coordinate) = match carrier {
            Carrier::Slider => (self.slider(), "guide.position"),
            Carrier::Across => (self.pendulum(self.w, self.u), "guide.angle"),
            _ => (self.pendulum(self.u, self.w), "guide.angle"),
        };
        self.m.joint(joint);
        self.m.integral("path", &format!("{coordinate}^2"));

        // where it begins
        self.m.parameter("slow", PLACE[1]);
        self.m.initial.position.push((coordinate.into(), PLACE[0].into()));
        self.rates.push((coordinate.into(), "slow".into()));
        "carrier.R"
    }
    /// A slider in any direction.
    fn slider(&mut self) -> Joint {
        let along = self.r.direction(self.d);
        let kind = JointKind::Prismatic { angle: 0.0.into() };
        let joint = Joint::new("guide", kind, "ground.G", "carrier.G");
        if self.d == 2 {
            return Joint { axes: [Some(self.vector(&along)), None], ..joint };
        }
        let normal = across(&along, &mut self.r);
        joint.axis(along).normals(normal, normal)
    }
    /// A hinge of the carrier.
    fn pendulum(&self, axis: V3, normal: V3) -> Joint {
        let joint = Joint::revolute("guide", "ground.G", "carrier.G");
        if self.d == 2 { joint } else { joint.axis(axis).normals(normal, normal) }
    }
    /// The rotor with its hinge `spin` on a point.
    fn rotor(&mut self, on: &str, angle: f64, speed: f64) {
        let mass = self.r.between(0.5, 2.0);
        let [polar, across] = [self.r.between(0.01, 0.05), self.r.between(0.01, 0.05)];
        let body = Body::new("rotor").point("R", self.vector(&[0.0; 3])).mass(mass);

        // I = across (1 - u uᵀ) + polar u uᵀ
        self.m.parameter("polar", polar);
        let u = self.u;
        let entry = |i: usize, j: usize| {
            let same = if i == j { across } else { 0.0 };
            format!("{same:e} + {:e}*(polar - {across:e})", u[i] * u[j])
        };
        let body = match self.d {
            2 => body.inertia("polar"),
            _ => body.tensor([[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]].map(|[i, j]| entry(i, j))),
        };
        self.m.body(body);

        // its hinge and its speed
        let hinge = Joint::revolute("spin", on, "rotor.R");
        self.m.joint(if self.d == 2 { hinge } else { hinge.axis(u).normals(self.w, self.w) });
        self.m.parameter("speed", speed);
        self.m.initial.position.push(("spin.angle".into(), angle.into()));
        self.rates.push(("spin.angle".into(), "speed".into()));
    }
}
