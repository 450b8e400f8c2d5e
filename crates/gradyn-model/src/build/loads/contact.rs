//! Stops and contacts.
//!
//! ```text
//! δ = -(r - r₀)·n,   N = k p(δ) (1 + d δ̇),   friction -μ N v_t/√(|v_t|² + v_s²)                     (1)
//! p(δ) = 0;  w (s³ - s⁴/2), s = δ/w;  δ - w/2      for δ ≤ 0, δ ≤ w, beyond                         (2)
//! ```
//! p is twice continuously differentiable.

use super::{Applied, Made, push};
use crate::build::symbols::SensorEnv;
use crate::build::vectors::{Symbols, combination, difference, dot, opposite, scaled};
use crate::expression::Value;
use crate::mechanism::{ContactLaw, Number, Text, Vector};
use crate::program::Sym;

/// (2) and the normal force k p(δ) (1 + d δ̇).
fn push_back<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    delta: Sym<'h>,
    law: &ContactLaw,
    name: &Text,
) -> Made<Sym<'h>> {
    let [k, d, w] = [
        env.expression(&law.stiffness, name, "stiffness")?,
        env.expression(&law.damping, name, "damping")?,
        env.expression(&law.width, name, "width")?,
    ];
    let rate = env.speed_of(delta, name)?;
    let zero = env.graph.constant(0.0);
    let s = delta / w;
    let soft = w * (s * s * s - s * s * s * s * 0.5);
    let deep = s.beyond(env.graph.constant(1.0)).select(delta - w * 0.5, soft);
    let p = zero.beyond(s).select(zero, deep);
    Ok(k * p * (d * rate + 1.0))
}

pub(super) fn bump_stop<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    name: &Text,
    between: &[Text; 2],
    length: &Number,
    pull: bool,
    law: &ContactLaw,
) -> Made<Applied<'g, 'h>> {
    // δ: how far the distance is beyond the stop
    let (l, u) = env.length(between)?;
    let stop = env.expression(length, name, "length")?;
    let speed = env.speed_of(l, name)?;
    let delta = if pull { l - stop } else { stop - l };
    // N along the line of the points
    let n = push_back(env, delta, law, name)?;
    let n = if pull { -n } else { n };
    let refs = [env.b.point_ref(&between[0])?, env.b.point_ref(&between[1])?].map(|r| env.b.port(r));
    let f = scaled(n, &u);
    // the force on point 2, its opposite on point 1
    let sensors =
        [("force", -n), ("length", l), ("speed", speed)].map(|(k, s)| (k, Value::Scalar(s))).to_vec();
    let mut a = Applied { sensors, ..Applied::default() };
    push(&mut a.work, &refs[1], &f);
    push(&mut a.work, &refs[0], &opposite(&f));
    Ok(a)
}

/// Normal force and friction (1) of a point that touches a plane.
pub(super) fn contact<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    name: &Text,
    [point, plane]: [&Text; 2],
    normal: Option<&Vector>,
    law: &ContactLaw,
    [friction, speed]: [&Number; 2],
) -> Made<Applied<'g, 'h>> {
    let refs = [env.b.point_ref(plane)?, env.b.point_ref(point)?];
    env.oriented_body(&Text { text: env.b.solids[refs[0].0].name.clone(), place: plane.place.clone() })?;
    let [r0, r] = refs.map(|r| env.b.port(r));
    let last = env.b.m.dimension - 1;
    let n = env.b.numbers.direction(normal, last, &format!("force `{name}`: the normal"))?;
    let n = env.b.frames[refs[0].0].direction(&n);
    let n = env.port(&n);
    let d = difference(&env.port(&r), &env.port(&r0));
    let gap = dot(&d, &n);
    let push_back = push_back(env, -gap, law, name)?;
    let [mu, slip] = [env.expression(friction, name, "friction")?, env.expression(speed, name, "speed")?];
    let mut f = scaled(push_back, &n);
    if mu.as_constant() != Some(0.0) {
        // velocity of the point as seen from the plane's body: rate of the local components
        let body = refs[0].0;
        let axes = env.axes(body);
        let local: Symbols = axes.iter().map(|u| dot(u, &d)).collect();
        let v = combination(&env.speeds_of(&local, name)?, &axes);
        let tangential = difference(&v, &scaled(dot(&v, &n), &n));
        let size = (dot(&tangential, &tangential) + slip * slip).sqrt();
        f = difference(&f, &scaled(mu * push_back / size, &tangential));
    }
    let sensors = vec![
        ("force", Value::Vector(f.clone())),
        ("normal", Value::Scalar(push_back)),
        ("gap", Value::Scalar(gap)),
    ];
    let mut a = Applied { sensors, ..Applied::default() };
    env.push_pair(&mut a.work, refs, &f, name)?;
    Ok(a)
}
