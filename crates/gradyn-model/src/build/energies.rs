//! Energies and momenta of bodies and of the system.
//!
//! ```text
//! T = ½ Σ J_ab ẋ_a·ẋ_b,  L = Σ J_ab x_a × ẋ_b,  p = m ṙ_G,  V = -m g·r_G (+ ½ k (y - y₀)² of springs)  (1)
//! ```
//! J is the pseudo-inertia in the basis x of the body. The kinetic energy and the weights of the system are
//! sensors of their own.

use super::symbols::SensorEnv;
use super::vectors::{Port, Symbols, cross, dot, scaled, sum};
use crate::expression::Value;
use crate::functional::Sensor;
use crate::program::Sym;

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    /// Energies and momenta of bodies.
    pub(super) fn energy(&mut self, which: &str, bodies: &[usize], system: bool) -> Option<Value<'h>> {
        // (1), of the system by its matrices, of single bodies by their frames
        match which {
            "kinetic" if system => {
                Some(Value::Scalar(self.sense("kinetic".into(), |_| vec![Sensor::Kinetic])[0]))
            }
            "potential" if system => {
                let gravity = self.sense("gravity".into(), |_| vec![Sensor::Gravity])[0];
                Some(Value::Scalar(self.springs().into_iter().fold(gravity, |sum, e| sum + e)))
            }
            "kinetic" => Some(Value::Scalar(moments(self, bodies, |_, rx, ry| vec![dot(rx, ry)])[0] * 0.5)),
            "potential" => Some(Value::Scalar(weight_energy(self, bodies))),
            "energy" => {
                let parts = ["kinetic", "potential"].map(|w| self.energy(w, bodies, system));
                let [Some(Value::Scalar(t)), Some(Value::Scalar(v))] = parts else { return None };
                Some(Value::Scalar(t + v))
            }
            "momentum" => {
                let mut total: Option<Symbols<'h>> = None;
                for &b in bodies {
                    let port = self.b.frames[b].at(&self.b.solids[b].com);
                    let r = self.port(&port);
                    let v = self.rates(&r).expect("points have rates");
                    let m = self.parameter(self.b.solids[b].mass);
                    let p = scaled(m, &v);
                    total = Some(total.map_or(p.clone(), |t| sum(&t, &p)));
                }
                total.map(Value::Vector)
            }
            "angular_momentum" => {
                let plane = self.b.m.dimension == 2;
                let l = moments(self, bodies, |x, _, ry| match plane {
                    true => vec![x[0] * ry[1] - x[1] * ry[0]],
                    false => cross(x, ry),
                });
                Some(if plane { Value::Scalar(l[0]) } else { Value::Vector(l) })
            }
            _ => None,
        }
    }
}

/// Σ J_ab f(x_a, ẋ_a, ẋ_b) over the products of velocities in M.
fn moments<'g, 'h>(
    env: &mut SensorEnv<'_, 'g, '_, 'h>,
    bodies: &[usize],
    f: impl Fn(&Symbols<'h>, &Symbols<'h>, &Symbols<'h>) -> Symbols<'h>,
) -> Symbols<'h> {
    let mut total: Option<Symbols<'h>> = None;
    for (a, b, j) in products(env, bodies) {
        let x = env.port(&a);
        let y = env.port(&b);
        let j = env.parameter(j);
        let [rx, ry] = [&x, &y].map(|p| env.rates(p).expect("ports have rates"));
        let part = scaled(j, &f(&x, &rx, &ry));
        total = Some(total.map_or(part.clone(), |t| sum(&t, &part)));
    }
    total.expect("a body has inertia terms")
}

#[allow(clippy::type_complexity)] // (a, b, J_ab)
fn products<'g, 'h>(env: &SensorEnv<'_, 'g, '_, 'h>, bodies: &[usize]) -> Vec<(Port<'g>, Port<'g>, Sym<'g>)> {
    let mut list = vec![];
    for &b in bodies {
        env.b.frames[b].inertia(&env.b.solids[b], |x, y, j| list.push((x.clone(), y.clone(), j)));
    }
    list
}

/// Potential of gravity -Σ m g·r [J] of some bodies.
fn weight_energy<'g, 'h>(env: &mut SensorEnv<'_, 'g, '_, 'h>, bodies: &[usize]) -> Sym<'h> {
    let g = env.b.gravity.clone();
    let g = env.parameters(&g);
    let mut total = env.graph.constant(0.0);
    for &b in bodies {
        let port = env.b.frames[b].at(&env.b.solids[b].com);
        let r = env.port(&port);
        let m = env.parameter(env.b.solids[b].mass);
        total = total - m * dot(&g, &r);
    }
    total
}
