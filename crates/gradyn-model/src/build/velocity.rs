//! Rows of velocity level: knife edges, rolling without slipping and user constraints.
//!
//! ```text
//! particle of a body at p     v(p) = ṙ + Σ_k (e_k·(p - r)) ė_k          r, e_k: a point and the axes of the body    (1)
//! knife edge                  w·(v₂ - v₁(r₂)) = 0                       w: the axis, in body 2                      (2)
//! contact of a thin disc      n·(r₂ - r₁) - R s = 0,  s = √(1 - (n·a)²)  a: its axis, n: normal of the plane        (3)
//! its lowest point            ρ = -R (n - (n·a) a)/s,   p = r₂ + ρ                                                  (4)
//! rolling                     t·(v₂(p) - v₁(p)) = 0                     for each t across n                         (5)
//! ```
//! Body 1 carries the plane, body 2 is the disc with its centre r₂; in the plane n = t⊥ of the line t, and s
//! = 1. The force on body 2 is -λ w at r₂, or -(λ₀ n + Σ λ_k t_k) at p. (3) is a row of position level, whose
//! gradient is the force n at p because p is the lowest point. Undefined where the disc lies flat on the
//! plane (s = 0).

use super::Builder;
use super::symbols::SensorEnv;
use super::vectors::{Symbols, cross, difference, dot, scaled, sum};
use crate::error::ModelError;
use crate::expression::Value;
use crate::formula::Formula;
use crate::functional::Sensor;
use crate::mechanism::{JointKind, Text};
use crate::program::Sym;
use crate::row::{Owner, RowName};
use crate::signal::Input;

type Made<T> = Result<T, ModelError>;

/// Where a disc touches a plane.
struct Touch<'h> {
    /// n.
    normal: Symbols<'h>,
    /// t: one in the plane, two in space.
    tangents: Vec<Symbols<'h>>,
    /// ρ.
    arm: Symbols<'h>,
    /// R s.
    height: Sym<'h>,
}

impl<'g, 'm> Builder<'g, 'm> {
    /// (3) of joint `k`.
    pub(super) fn contact_row(&mut self, k: usize) -> Made<()> {
        let name = &self.m.joints[k].name;
        let row = self.rows.list.len() + self.formulas.len();
        self.row(name, &format!("joint `{name}`"), "contact", |env| {
            let ends = env.b.joint_ends(k).map(|r| env.b.port(r));
            let [r1, r2] = [env.port(&ends[0]), env.port(&ends[1])];
            let touch = env.touch(k)?;
            Ok(dot(&touch.normal, &difference(&r2, &r1)) - touch.height)
        })?;
        self.slip_rows.insert(k, vec![row]);
        Ok(())
    }
    /// All rows of velocity level: those of joints, then user constraints.
    pub(super) fn add_velocity_rows(&mut self) -> Made<()> {
        let m = self.m;
        for (k, j) in m.joints.iter().enumerate() {
            let count = match j.kind {
                JointKind::KnifeEdge => 1,
                JointKind::Rolling { .. } => m.dimension - 1,
                _ => continue,
            };
            for part in 0..count {
                let row = self.rows.list.len() + self.formulas.len() + self.velocity_rows.len();
                let which = if count == 1 { String::new() } else { format!(" {}", part + 1) };
                let formula =
                    self.velocity_row(&j.name, &format!("joint `{}`", j.name), |env| env.slip(k, part))?;
                let row_name = RowName::new(Owner::Joint, &j.name, format!("{}{which}", j.kind.word()));
                self.velocity_rows.push((row_name, formula));
                self.slip_rows.entry(k).or_default().push(row);
            }
        }
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
        let wrong = |message: String, help: &str| Err(ModelError::new(message).at(&name.place).help(help));
        let Some(f) = self.formula(make)? else {
            return wrong(
                format!("{what} reads more than positions and velocities"),
                "accelerations and forces follow from it",
            );
        };
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
        let moving = |i: usize| matches!(f.inputs[i], Input::Sensor(k) if k as usize >= f.args);
        if !f.program.affine(moving) {
            let help = "it must have the form A v + b, where A and b do not depend on velocities: no products, powers or norms of them";
            return wrong(format!("{what} is not affine in velocities"), help);
        }
        Ok(f)
    }
}

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    /// A direction given in the frame of a body.
    fn direction(&mut self, body: usize, w: &[Sym<'g>]) -> Symbols<'h> {
        let port = self.b.frames[body].direction(w);
        self.port(&port)
    }
    /// (1) of the body of a point.
    fn particle(&mut self, r: super::PointRef, p: &[Sym<'h>]) -> Symbols<'h> {
        let port = self.b.port(r);
        let origin = self.port(&port);
        let arm = difference(p, &origin);
        let mut speed = self.rates(&origin).expect("points have rates");
        for axis in self.axes(r.0) {
            let rate = self.rates(&axis).expect("directions have rates");
            speed = sum(&speed, &scaled(dot(&axis, &arm), &rate));
        }
        speed
    }
    /// (4) of joint `k`.
    fn touch(&mut self, k: usize) -> Made<Touch<'h>> {
        let j = &self.b.m.joints[k];
        let JointKind::Rolling { radius } = &j.kind else { unreachable!("only discs roll") };
        let radius = self.b.numbers.number(radius, &format!("joint `{}`, radius", j.name))?;
        let (radius, frame) = (self.parameter(radius), self.b.joint_frames[k].clone());
        let bodies = self.b.joint_ends(k).map(|e| e.0);
        if self.b.m.dimension == 2 {
            let t = self.direction(bodies[0], &frame.axes[0]);
            let normal = vec![-t[1], t[0]];
            let arm = scaled(-radius, &normal);
            return Ok(Touch { normal, tangents: vec![t], arm, height: radius });
        }
        let normal = self.direction(bodies[0], &frame.axes[0]);
        let across = [frame.normals[0].clone(), cross(&frame.axes[0], &frame.normals[0])];
        let tangents = across.iter().map(|t| self.direction(bodies[0], t)).collect();
        let a = self.direction(bodies[1], &frame.axes[1]);
        let lean = dot(&normal, &a);
        let s = (1.0 - lean * lean).sqrt();
        let arm = scaled(-radius / s, &difference(&normal, &scaled(lean, &a)));
        Ok(Touch { normal, tangents, arm, height: radius * s })
    }
    /// (2), or part of (5).
    fn slip(&mut self, k: usize, part: usize) -> Made<Sym<'h>> {
        let [one, two] = self.b.joint_ends(k);
        let (along, at) = self.slip_direction(k, part)?;
        let relative = difference(&self.particle(two, &at), &self.particle(one, &at));
        Ok(dot(&along, &relative))
    }
    /// w at r₂, or t at p.
    fn slip_direction(&mut self, k: usize, part: usize) -> Made<(Symbols<'h>, Symbols<'h>)> {
        let two = self.b.joint_ends(k)[1];
        let port = self.b.port(two);
        let r = self.port(&port);
        if self.b.m.joints[k].kind == JointKind::KnifeEdge {
            let axis = self.b.joint_frames[k].axes[1].clone();
            return Ok((self.direction(two.0, &axis), r));
        }
        let touch = self.touch(k)?;
        Ok((touch.tangents[part].clone(), sum(&r, &touch.arm)))
    }
    /// Force, and torque about point 2, on body 2 of a knife edge or a rolling disc.
    pub fn slip_reaction(&mut self, k: usize, what: &str) -> Made<Value<'h>> {
        let rows = self.b.slip_rows[&k].clone();
        let (directions, arm) = match self.b.m.joints[k].kind {
            JointKind::KnifeEdge => (vec![self.slip_direction(k, 0)?.0], None),
            _ => {
                let touch = self.touch(k)?;
                ([vec![touch.normal], touch.tangents].concat(), Some(touch.arm))
            }
        };
        let mut force = vec![self.graph.constant(0.0); self.b.m.dimension];
        for (row, d) in rows.into_iter().zip(&directions) {
            let lam = self.sense(format!("multiplier {row}"), |_| vec![Sensor::Multiplier(row)])[0];
            force = difference(&force, &scaled(lam, d));
        }
        if what == "reaction" {
            return Ok(Value::Vector(force));
        }
        let arm = arm.unwrap_or(vec![self.graph.constant(0.0); self.b.m.dimension]);
        Ok(match arm.len() {
            2 => Value::Scalar(arm[0] * force[1] - arm[1] * force[0]),
            _ => Value::Vector(cross(&arm, &force)),
        })
    }
}
