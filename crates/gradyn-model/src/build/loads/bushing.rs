//! Bushings.
//!
//! ```text
//! d = A₁ᵀ (r₂ - r₁), γ = ½ A₁ᵀ Σ u₁ₖ × u₂ₖ (plane: the angle);   (f, τ) = -(K (d, γ) + C (ḋ, γ̇) + …)          (1)
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

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    /// (1).
    pub(super) fn bushing(
        &mut self,
        name: &Text,
        between: &[Text; 2],
        axes: &[Option<Vector>; 2],
        [stiffness, damping, extra]: [&[Number]; 3],
    ) -> Made<Applied<'g, 'h>> {
        let refs = [self.b.point_ref(&between[0])?, self.b.point_ref(&between[1])?];
        for (r, t) in refs.iter().zip(between) {
            self.oriented_body(&Text { text: self.b.solids[r.0].name.clone(), place: t.place.clone() })?;
        }
        let (frame, y) = self.bushing_motion(refs, axes, name)?;
        let speed = self.speeds_of(&y, name)?;
        let dimension = self.b.m.dimension;
        let mut f = vec![self.graph.constant(0.0); y.len()];
        for (numbers, x, field) in [(stiffness, &y, "stiffness"), (damping, &speed, "damping")] {
            let part = self.product(numbers, x, name, field)?;
            f = difference(&f, &part);
        }
        if !extra.is_empty() {
            if extra.len() != y.len() {
                let e = ModelError::new(format!(
                    "force `{name}`, force: {} expressions are expected here, not {}",
                    y.len(),
                    extra.len()
                ));
                return Err(e.at(&name.place).help("forces, then torques"));
            }
            let names: &[&str] = if dimension == 2 { &["x", "y", "rz", "vx", "vy", "wz"] } else { &BUSHING };
            let local = names.iter().map(|n| n.to_string()).zip(y.iter().chain(&speed).copied()).collect();
            let before = std::mem::replace(&mut self.local, local);
            let more = extra.iter().map(|x| self.expression(x, name, "force")).collect::<Made<Symbols>>();
            self.local = before;
            f = difference(&f, &more?);
        }
        let (force, torque) = f.split_at(dimension);
        let force = combination(force, &frame);
        let tau = if dimension == 2 { torque.to_vec() } else { combination(torque, &frame) };
        let mut a = Applied::default();
        self.push_pair(&mut a.work, refs, &force, name)?;
        self.push_torque(&mut a.work, refs[1].0, &tau, name)?;
        self.push_torque(&mut a.work, refs[0].0, &opposite(&tau), name)?;
        let vector =
            |v: &[Sym<'h>]| if v.len() == 1 { Value::Scalar(v[0]) } else { Value::Vector(v.to_vec()) };
        let (d, gamma) = y.split_at(dimension);
        a.sensors = vec![
            ("force", vector(&force)),
            ("torque", vector(&tau)),
            ("displacement", vector(d)),
            ("rotation", vector(gamma)),
        ];
        Ok(a)
    }
    /// Axes of the bushing, fixed in body 1, and (d, γ) in them.
    fn bushing_motion(
        &mut self,
        refs: [PointRef; 2],
        axes: &[Option<Vector>; 2],
        name: &Text,
    ) -> Made<(Vec<Symbols<'h>>, Symbols<'h>)> {
        let bodies = refs.map(|r| r.0);
        let [r1, r2] = refs.map(|r| self.b.port(r));
        let d = difference(&self.port(&r2), &self.port(&r1));
        let frame = self.bushing_axes(bodies[0], axes, name)?;
        let mut y: Symbols = frame.iter().map(|u| dot(u, &d)).collect();
        if self.b.m.dimension == 2 {
            let k = self.b.plane_angle(bodies[0], bodies[1]);
            y.push(self.angle(k));
            return Ok((frame, y));
        }
        let (u1, u2) = (self.axes(bodies[0]), self.axes(bodies[1]));
        let turns =
            u1.iter().zip(&u2).map(|(a, b)| cross(a, b)).reduce(|a, b| sum(&a, &b)).expect("three axes");
        y.extend(frame.iter().map(|u| dot(u, &turns) * 0.5));
        Ok((frame, y))
    }
    fn bushing_axes(
        &mut self,
        body: usize,
        axes: &[Option<Vector>; 2],
        name: &Text,
    ) -> Made<Vec<Symbols<'h>>> {
        if let (Some(v), true) = (&axes[1], axes[0].is_none() || self.b.m.dimension == 2) {
            let e =
                ModelError::new(format!("force `{name}`: a normal needs an axis, in space")).at(&v.place());
            return Err(e.help("give `axis` too, or remove it"));
        }
        let [Some(axis), normal] = axes else { return Ok(self.axes(body)) };
        let what = format!("force `{name}`: the axis");
        let n = &mut self.b.numbers;
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
        Ok(local
            .iter()
            .map(|w| {
                let port = self.b.frames[body].direction(w);
                self.port(&port)
            })
            .collect())
    }
    /// A matrix given by its diagonal or in full, times x.
    fn product(&mut self, numbers: &[Number], x: &[Sym<'h>], name: &Text, field: &str) -> Made<Symbols<'h>> {
        let n = x.len();
        let a = numbers.iter().map(|k| self.expression(k, name, field)).collect::<Made<Symbols>>()?;
        match a.len() {
            0 => Ok(vec![self.graph.constant(0.0); n]),
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
}

/// Names of the displacements, rotations and their rates of a bushing in space.
const BUSHING: [&str; 12] = ["x", "y", "z", "rx", "ry", "rz", "vx", "vy", "vz", "wx", "wy", "wz"];
