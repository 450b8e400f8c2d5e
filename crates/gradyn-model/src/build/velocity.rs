//! Rows of velocity level: joints that do not slip, and user constraints.
//!
//! ```text
//! particle of a body at p   v(p) = ṙ + Σ_k (e_k·(p - r)) ė_k   r, e_k: a point and the axes of the body  (1)
//! no slip along t           t·(v₂(p) - v₁(p)) = 0              p = r₂ + ρ                                (2)
//! force on body 2           -(λ₀ n + Σ λ_k t_k) at p                                                     (3)
//! ```
//! t, ρ and the normal n of a contact are those of the kind of joint: see `joint/knife_edge.rs` and
//! `joint/rolling.rs`.

use super::Builder;
use super::joint::joint_type;
use super::symbols::SensorEnv;
use super::vectors::{Symbols, cross, difference, dot, scaled, sum};
use crate::error::ModelError;
use crate::expression::Value;
use crate::formula::Formula;
use crate::functional::Sensor;
use crate::mechanism::Text;
use crate::program::Sym;
use crate::row::{Owner, RowName};
use crate::signal::Input;

type Made<T> = Result<T, ModelError>;

impl<'g, 'm> Builder<'g, 'm> {
    /// All rows of velocity level: those of joints, then user constraints.
    pub(super) fn add_velocity_rows(&mut self) -> Made<()> {
        let m = self.m;
        // no-slip rows (2) of joints
        for (k, j) in m.joints.iter().enumerate() {
            let count = j.kind.spec().slips[m.dimension - 2];
            for part in 0..count {
                let row = self.rows.list.len() + self.formulas.len() + self.velocity_rows.len();
                let which = if count == 1 { String::new() } else { format!(" {}", part + 1) };
                let formula =
                    self.velocity_row(&j.name, &format!("joint `{}`", j.name), |env| slip(env, k, part))?;
                let row_name = RowName::new(Owner::Joint, &j.name, format!("{}{which}", j.kind.word()));
                self.velocity_rows.push((row_name, formula));
                self.slip_rows.entry(k).or_default().push(row);
            }
        }
        // constraints of velocities that the user writes
        for (name, x) in &m.velocity_constraints {
            let what = format!("constraint `{name}`");
            let formula = self.velocity_row(name, &what, |env| env.number_expression(x, &what))?;
            self.formula_index.insert(name.text.clone(), self.formulas.len() + self.velocity_rows.len());
            self.velocity_rows.push((RowName::new(Owner::Constraint, name, "velocity constraint"), formula));
        }
        Ok(())
    }
    /// One row: an expression of positions and velocities, affine in velocities, that is kept at zero.
    fn velocity_row(
        &mut self,
        name: &Text,
        what: &str,
        make: impl for<'a, 'h> FnOnce(&mut SensorEnv<'a, 'g, 'm, 'h>) -> Made<Sym<'h>>,
    ) -> Made<Formula> {
        // c as a formula of positions and velocities
        let wrong = |message: String, help: &str| Err(ModelError::new(message).at(&name.place).help(help));
        let Some(f) = self.formula(what, make)? else {
            return wrong(
                format!("{what} reads more than positions and velocities"),
                "accelerations and forces follow from it",
            );
        };
        // it reads velocities, and no second rates
        if !f.velocity() {
            let help = "write the expression itself, without `velocity`, to keep positions at zero";
            return wrong(format!("{what} reads no velocity"), help);
        }
        if f.inputs.iter().any(|i| matches!(i, Input::Rate(_, 2..))) {
            return wrong(
                format!("{what} reads the second rate of a function of time"),
                "write it as an expression of t",
            );
        }
        // c = A v + b
        let moving = |i: usize| matches!(f.inputs[i], Input::Sensor(k) if k as usize >= f.args);
        if !f.program.affine(moving) {
            let help = "it must have the form A v + b, where A and b do not depend on velocities: \
                        no products, powers or norms of them";
            return wrong(format!("{what} is not affine in velocities"), help);
        }
        Ok(f)
    }
}

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    /// A direction given in the frame of a body.
    pub(super) fn direction(&mut self, body: usize, w: &[Sym<'g>]) -> Symbols<'h> {
        let port = self.b.frames[body].direction(w);
        self.port(&port)
    }
    /// A point as symbols.
    pub(super) fn point(&mut self, r: super::PointRef) -> Symbols<'h> {
        let port = self.b.port(r);
        self.port(&port)
    }
}

/// (1) of the body of a point.
fn particle<'g, 'h>(env: &mut SensorEnv<'_, 'g, '_, 'h>, r: super::PointRef, p: &[Sym<'h>]) -> Symbols<'h> {
    let port = env.b.port(r);
    let origin = env.port(&port);
    let arm = difference(p, &origin);
    let mut speed = env.rates(&origin).expect("points have rates");
    for axis in env.axes(r.0) {
        let rate = env.rates(&axis).expect("directions have rates");
        speed = sum(&speed, &scaled(dot(&axis, &arm), &rate));
    }
    speed
}

/// (2) along direction `part` of joint `k`.
fn slip<'g, 'h>(env: &mut SensorEnv<'_, 'g, '_, 'h>, k: usize, part: usize) -> Made<Sym<'h>> {
    let [one, two] = env.b.joint_ends(k);
    // t, p = r₂ + ρ
    let r = env.point(two);
    let slip = joint_type(&env.b.m.joints[k].kind).slip(env, k)?.expect("the kind has such rows");
    let at = slip.arm.map_or(r.clone(), |arm| sum(&r, &arm));
    // t·(v₂(p) - v₁(p))
    let relative = difference(&particle(env, two, &at), &particle(env, one, &at));
    Ok(dot(&slip.tangents[part], &relative))
}

/// (3), or its torque about point 2, of joint `k`.
pub(crate) fn slip_reaction<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    k: usize,
    what: &str,
) -> Made<Value<'h>> {
    let rows = env.b.slip_rows[&k].clone();
    let slip = joint_type(&env.b.m.joints[k].kind).slip(env, k)?.expect("the kind has such rows");
    let directions: Vec<Symbols> = slip.normal.into_iter().chain(slip.tangents).collect();
    // -Σ λ d
    let mut force = vec![env.graph.constant(0.0); env.b.m.dimension];
    for (row, d) in rows.into_iter().zip(&directions) {
        let lam = env.sense(format!("multiplier {row}"), |_| vec![Sensor::Multiplier(row)])[0];
        force = difference(&force, &scaled(lam, d));
    }
    if what == "reaction" {
        return Ok(Value::Vector(force));
    }
    // ρ × F
    let arm = slip.arm.unwrap_or(vec![env.graph.constant(0.0); env.b.m.dimension]);
    Ok(match arm.len() {
        2 => Value::Scalar(arm[0] * force[1] - arm[1] * force[0]),
        _ => Value::Vector(cross(&arm, &force)),
    })
}
