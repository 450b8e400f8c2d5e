//! Tyres: a radial spring on the height of the road, and forces along the ground by the slips [P14, Eqs.
//! 56–64].
//!
//! ```text
//! n = (0, 0, 1),   r = z_c - z(x_c, y_c),   p = splus(R - r, e),   F_n = k p + c ṗ  (1)  [Eq. 56]
//! s = ±(u_x, u_y)/√(u_x² + u_y²),   b = s × n = (s_y, -s_x)       with b·v_c > 0    (2)
//! κ = (r ω·s - b·v_c)/(b·v_c),   α = -atan2(s·v_c, b·v_c)                           (3)  [Eqs. 60, 61]
//! F = F_n n + F_x b + F_y s   at the point c - r n of the wheel                     (4)  [Eq. 57]
//! ```
//! c is the centre of the tyre, u the spin axis, ω the angular velocity of the wheel, n × b = s. P14 has b =
//! u × n/|u × n|, which points forwards if u points to the left; with the sign of (2) slips and forces are
//! the same for u and -u and when the wheel runs backwards. arcsin(s·v/|v|) is the arctangent of (3), which
//! has no corner at a right angle.
//!
//! The force along n and those along the ground are two loads: at rest there is no slip, and the second does
//! not act. Undefined where b·v_c = 0 and beyond the ends of a table: the guards say so by name. The laws are
//! in `build/tyre`.

use super::{Applied, Made, push};
use crate::build::PointRef;
use crate::build::symbols::SensorEnv;
use crate::build::tyre::law_type;
use crate::build::vectors::{Port, Symbols, plus};
use crate::expression::Value;
use crate::mechanism::{Text, Tyre};
use crate::program::Sym;

/// What keeps a force from being defined.
pub(crate) struct Guard<'h> {
    /// It ends where this passes zero.
    pub value: Sym<'h>,
    /// Is it undefined at zero too?
    pub strict: bool,
    /// What has happened there.
    pub text: String,
}

/// Normal force and forces along the ground (1)–(4) of a tyre.
pub(super) fn tyre<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    name: &Text,
    tyre: &Tyre,
) -> Made<Applied<'g, 'h>> {
    let wheel = env.b.point_ref(&tyre.at)?;
    let body = env.b.solids[wheel.0].name.clone();
    env.oriented_body(&Text { text: body, place: tyre.at.place.clone() })?;
    let (axis, centre) = axle(env, name, tyre, wheel)?;
    let c = env.port(&centre);
    let mut a = Applied::default();
    // (1)
    let ground = env.height(name, tyre.road.as_ref(), [c[0], c[1]], &mut a.guards)?;
    let r = c[2] - ground;
    let radius = env.expression(&tyre.radius, name, "radius")?;
    let normal = normal(env, name, tyre, radius - r)?;
    push(&mut a.work, &centre[2..].to_vec(), &[normal]);
    // (2), (3)
    let u = env.port(&axis);
    let v = env.speeds_of(&c[..2], name)?;
    let Slip { s, kappa, alpha, speed } = tyre_slip(env, wheel.0, [u[0], u[1]], [v[0], v[1]], r);
    let mut force = vec![env.graph.constant(0.0), env.graph.constant(0.0), normal];
    if let Some(law) = law_type(&tyre.law) {
        let [fx, fy] = law.tangential(env, name, &tyre.law, normal, [kappa, alpha])?;
        // (4): the force and its moment -r n × F
        (force[0], force[1]) = (fx * s[1] + fy * s[0], fy * s[1] - fx * s[0]);
        push(&mut a.motion, &centre[..2].to_vec(), &force[..2]);
        let moment = [r * force[1], -(r * force[0]), env.graph.constant(0.0)];
        env.push_torque(&mut a.motion, wheel.0, &moment, name)?;
        let text = format!("the tyre `{name}` does not move along the ground: it has no slip");
        a.guards.push(Guard { value: speed, strict: true, text });
    }
    let numbers =
        [("normal", normal), ("kappa", kappa), ("alpha", alpha), ("radius", r), ("gap", r - radius)];
    a.sensors = numbers.map(|(n, s)| (n, Value::Scalar(s))).to_vec();
    a.sensors.push(("force", Value::Vector(force)));
    Ok(a)
}

/// The spin axis u, and the centre c of the tyre on it.
fn axle<'g>(
    env: &mut SensorEnv<'_, 'g, '_, '_>,
    name: &Text,
    tyre: &Tyre,
    wheel: PointRef,
) -> Made<(Port<'g>, Port<'g>)> {
    let axis = env.b.numbers.direction(Some(&tyre.axis), 1, &format!("force `{name}`: the axis"))?;
    let axis = env.b.frames[wheel.0].direction(&axis);
    let offset = env.b.numbers.number(&tyre.offset, &format!("force `{name}`, offset"))?;
    let centre = plus(&env.b.port(wheel), offset, &axis);
    Ok((axis, centre))
}

/// F_n of (1) with the deflection R - r.
fn normal<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    name: &Text,
    tyre: &Tyre,
    deflection: Sym<'h>,
) -> Made<Sym<'h>> {
    let [k, c, e] = [
        env.expression(&tyre.stiffness, name, "stiffness")?,
        env.expression(&tyre.damping, name, "damping")?,
        env.expression(&tyre.width, name, "width")?,
    ];
    let p = deflection.splus(e);
    if c.as_constant() == Some(0.0) {
        return Ok(k * p);
    }
    let rate = env.speed_of(p, name)?;
    Ok(k * p + c * rate)
}

/// (2), (3) with the axis and the velocity of the centre along the ground.
fn tyre_slip<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    wheel: usize,
    u: [Sym<'h>; 2],
    v: [Sym<'h>; 2],
    r: Sym<'h>,
) -> Slip<'h> {
    let w: Symbols = env.omega(wheel);
    let length = (u[0] * u[0] + u[1] * u[1]).sqrt();
    let speed = u[1] * v[0] - u[0] * v[1];
    let zero = env.graph.constant(0.0);
    // a tyre that stops is not defined: the sign does not change along a run
    let [ahead, behind] = [1.0, -1.0].map(|x| env.graph.constant(x));
    let forwards = speed.stays(zero).select(ahead, behind) / length;
    let s = [u[0] * forwards, u[1] * forwards];
    let along = s[1] * v[0] - s[0] * v[1];
    let across = s[0] * v[0] + s[1] * v[1];
    let spin = s[0] * w[0] + s[1] * w[1];
    Slip { s, kappa: (r * spin - along) / along, alpha: -across.atan2(along), speed }
}

/// Directions and slips of a tyre.
struct Slip<'h> {
    s: [Sym<'h>; 2],
    kappa: Sym<'h>,
    alpha: Sym<'h>,
    /// b·v_c |u × n|, with the sign of the axis.
    speed: Sym<'h>,
}
