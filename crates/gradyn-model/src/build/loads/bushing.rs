//! Bushings.
//!
//! ```text
//! d = A₁ᵀ (r₂ - r₁), γ = ½ A₁ᵀ Σ u₁ₖ × u₂ₖ (plane: the angle);   (f, τ) = -(K (d, γ) + C (ḋ, γ̇) + …)  (1)
//! ```

use super::{Applied, Made};
use crate::build::PointRef;
use crate::build::joints::normal_of;
use crate::build::symbols::SensorEnv;
use crate::build::vectors::{Symbols, combination, cross, difference, dot, opposite, sum};
use crate::error::ModelError;
use crate::expression::Value;
use crate::mechanism::{Number, Text, Vector};
use crate::program::Sym;

/// Force and torque (1) of a bushing between two points.
pub(super) fn bushing<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    name: &Text,
    between: &[Text; 2],
    axes: &[Option<Vector>; 2],
    [stiffness, damping, extra]: [&[Number]; 3],
) -> Made<Applied<'g, 'h>> {
    // points on bodies that have an orientation
    let refs = [env.b.point_ref(&between[0])?, env.b.point_ref(&between[1])?];
    for (r, t) in refs.iter().zip(between) {
        env.oriented_body(&Text { text: env.b.solids[r.0].name.clone(), place: t.place.clone() })?;
    }
    // (d, γ), and f by them and their rates
    let (frame, y) = bushing_motion(env, refs, axes, name)?;
    let f = restoring(env, &y, [stiffness, damping, extra], name)?;
    let dimension = env.b.m.dimension;
    // force and torque in global components, with their reactions
    let (force, torque) = f.split_at(dimension);
    let force = combination(force, &frame);
    let tau = if dimension == 2 { torque.to_vec() } else { combination(torque, &frame) };
    let mut a = Applied::default();
    env.push_pair(&mut a.work, refs, &force, name)?;
    env.push_torque(&mut a.work, refs[1].0, &tau, name)?;
    env.push_torque(&mut a.work, refs[0].0, &opposite(&tau), name)?;
    // what sensors read
    let (d, gamma) = y.split_at(dimension);
    a.sensors = vec![
        ("force", value(&force)),
        ("torque", value(&tau)),
        ("displacement", value(d)),
        ("rotation", value(gamma)),
    ];
    Ok(a)
}

/// f = -(K (d, γ) + C (ḋ, γ̇) + …) in the axes of the bushing.
fn restoring<'h>(
    env: &mut SensorEnv<'_, '_, '_, 'h>,
    y: &Symbols<'h>,
    [stiffness, damping, extra]: [&[Number]; 3],
    name: &Text,
) -> Made<Symbols<'h>> {
    let speed = env.speeds_of(y, name)?;
    let mut f = vec![env.graph.constant(0.0); y.len()];
    for (numbers, x, field) in [(stiffness, y, "stiffness"), (damping, &speed, "damping")] {
        let part = product(env, numbers, x, name, field)?;
        f = difference(&f, &part);
    }
    if !extra.is_empty() {
        let more = added(env, extra, [y, &speed], name)?;
        f = difference(&f, &more);
    }
    Ok(f)
}

/// A vector as a sensor reads it; in the plane a torque is a number.
fn value<'h>(v: &[Sym<'h>]) -> Value<'h> {
    if v.len() == 1 { Value::Scalar(v[0]) } else { Value::Vector(v.to_vec()) }
}

/// What is added to a bushing: expressions of its displacements, rotations and their rates.
fn added<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    extra: &[Number],
    [y, speed]: [&Symbols<'h>; 2],
    name: &Text,
) -> Made<Symbols<'h>> {
    // one for each direction
    if extra.len() != y.len() {
        let e = ModelError::new(format!(
            "force `{name}`, force: {} expressions are expected here, not {}",
            y.len(),
            extra.len()
        ));
        return Err(e.at(&name.place).help("forces, then torques"));
    }
    // their names hold while the expressions are compiled
    let plane = env.b.m.dimension == 2;
    let names: &[&str] = if plane { &["x", "y", "rz", "vx", "vy", "wz"] } else { &BUSHING };
    let local = names.iter().map(|n| n.to_string()).zip(y.iter().chain(speed).copied()).collect();
    let before = std::mem::replace(&mut env.local, local);
    let more = extra.iter().map(|x| env.expression(x, name, "force")).collect::<Made<Symbols>>();
    env.local = before;
    more
}

/// Axes of the bushing, fixed in body 1, and (d, γ) in them.
fn bushing_motion<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    refs: [PointRef; 2],
    axes: &[Option<Vector>; 2],
    name: &Text,
) -> Made<(Vec<Symbols<'h>>, Symbols<'h>)> {
    // d = A₁ᵀ (r₂ - r₁)
    let bodies = refs.map(|r| r.0);
    let [r1, r2] = refs.map(|r| env.b.port(r));
    let d = difference(&env.port(&r2), &env.port(&r1));
    let frame = bushing_axes(env, bodies[0], axes, name)?;
    let mut y: Symbols = frame.iter().map(|u| dot(u, &d)).collect();
    // γ: the angle in the plane
    if env.b.m.dimension == 2 {
        let k = env.b.plane_angle(bodies[0], bodies[1]);
        y.push(env.angle(k));
        return Ok((frame, y));
    }
    // γ = ½ A₁ᵀ Σ u₁ₖ × u₂ₖ in space
    let u1 = env.axes(bodies[0]);
    let u2 = env.axes(bodies[1]);
    let turns = u1.iter().zip(&u2).map(|(a, b)| cross(a, b)).reduce(|a, b| sum(&a, &b)).expect("three axes");
    y.extend(frame.iter().map(|u| dot(u, &turns) * 0.5));
    Ok((frame, y))
}

fn bushing_axes<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    body: usize,
    axes: &[Option<Vector>; 2],
    name: &Text,
) -> Made<Vec<Symbols<'h>>> {
    // a normal without an axis says nothing
    if let (Some(v), true) = (&axes[1], axes[0].is_none() || env.b.m.dimension == 2) {
        let e = ModelError::new(format!("force `{name}`: a normal needs an axis, in space")).at(&v.place());
        return Err(e.help("give `axis` too, or remove it"));
    }
    // axes of the bushing in the frame of body 1
    let [Some(axis), normal] = axes else { return Ok(env.axes(body)) };
    let what = format!("force `{name}`: the axis");
    let n = &mut env.b.numbers;
    let z = n.direction(Some(axis), 0, &what)?;
    let local = match (normal, n.dimension) {
        (_, 2) => vec![z.clone(), vec![-z[1], z[0]]],
        (None, _) => {
            let x = normal_of(&z, n)?;
            vec![x.clone(), cross(&z, &x), z]
        }
        (Some(v), _) => {
            let x = n.across(v, &z, &format!("force `{name}`: the normal"))?;
            vec![x.clone(), cross(&z, &x), z]
        }
    };
    // in global components
    Ok(local
        .iter()
        .map(|w| {
            let port = env.b.frames[body].direction(w);
            env.port(&port)
        })
        .collect())
}

/// A matrix given by its diagonal or in full, times x.
fn product<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    numbers: &[Number],
    x: &[Sym<'h>],
    name: &Text,
    field: &str,
) -> Made<Symbols<'h>> {
    let n = x.len();
    // the numbers of the file
    let a = numbers.iter().map(|k| env.expression(k, name, field)).collect::<Made<Symbols>>()?;
    // none, the diagonal, or all rows
    match a.len() {
        0 => Ok(vec![env.graph.constant(0.0); n]),
        k if k == n => Ok(a.iter().zip(x).map(|(&a, &x)| a * x).collect()),
        k if k == n * n => Ok(a.chunks_exact(n).map(|row| dot(row, x)).collect()),
        k => {
            let e = ModelError::new(format!(
                "force `{name}`, {field}: {n} or {} numbers are expected here, not {k}",
                n * n
            ));
            Err(e.at(&name.place).help("the diagonal, or all rows: translations, then rotations"))
        }
    }
}

/// Names of the displacements, rotations and their rates of a bushing in space.
const BUSHING: [&str; 12] = ["x", "y", "z", "rx", "ry", "rz", "vx", "vy", "vz", "wx", "wy", "wz"];
