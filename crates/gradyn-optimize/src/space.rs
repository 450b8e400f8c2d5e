//! The variables of the optimiser: transforms, scales and the chain rule, in this one place.
//!
//! ```text
//! x = T(z):      s z,            s exp(z),      l + (u - l) σ(z),   σ = 1/(1 + exp(-z))       (1)
//! x_z:           s,              s exp(z),      (u - l) σ(z) σ(-z)                            (2)
//! f̂ = f/s_f,   f̂_z = f_x x_z / s_f,   ĉ = c/s_c,   ĉ_z = c_x x_z / s_c,   r̂ = r/√s_f          (3)
//! ```
//! (2) is of z: x rounds to its bound where x_z does not vanish yet. Optimisers see z, f̂, ĉ, r̂ only.
//! Multipliers go back by λ = λ̂ s_f/s_c, those of bounds by π = π̂ s_f/x_z.

use crate::evaluation::{Evaluation, Residuals};
use crate::problem::{Problem, Side, Transform, Variable};
use crate::settings::Settings;
use crate::vector::along;

/// Rounding of sums of numbers of size 1: thousands of operations × 2⁻⁵².
const ROUNDING: f64 = 1e-12;
/// The least x_z that multipliers are divided by.
const LEAST_X_Z: f64 = 1e-200;
/// x_z/(u - l) of a bounded transform below which a small f_z says nothing about f_x: √ε.
const FLAT_X_Z: f64 = 1.5e-8;

/// A design and its evaluation, in the variables and units of the optimiser (3).
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub z: Vec<f64>,
    pub f: f64,
    pub g: Vec<f64>,
    pub c: Vec<f64>,
    /// Jacobian of the constraints, by rows.
    pub c_z: Vec<f64>,
    pub residuals: Option<Residuals>,
}

impl Point {
    /// Are all its numbers finite?
    pub(crate) fn is_finite(&self) -> bool {
        let (r, r_z) = self.residuals.as_ref().map_or((&[][..], &[][..]), |r| (&r.values, &r.jacobian));
        [&[self.f][..], &self.g, &self.c, &self.c_z, r, r_z].into_iter().flatten().all(|x| x.is_finite())
    }
}

/// Sizes and bounds of z, tolerances and limits.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    pub problem: Problem,
    pub settings: Settings,
    pub n: usize,
    pub m: usize,
    pub m_eq: usize,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

/// z of x, the inverse of (1).
fn to_z(v: &Variable, x: f64) -> f64 {
    match v.transform {
        Transform::Identity => x / v.scale,
        Transform::Log if x <= 0.0 => f64::NEG_INFINITY,
        Transform::Log => (x / v.scale).ln(),
        Transform::Bounded => ((x - v.lower) / (v.upper - x)).ln(),
    }
}

/// x of z (1), rounded into the bounds.
fn to_x(v: &Variable, z: f64) -> f64 {
    let x = match v.transform {
        Transform::Identity => v.scale * z,
        Transform::Log => v.scale * z.exp(),
        Transform::Bounded => v.lower + (v.upper - v.lower) / (1.0 + (-z).exp()),
    };
    x.clamp(v.lower, v.upper)
}

/// x_z (2) at z, not below what multipliers can be divided by.
fn x_z(v: &Variable, z: f64) -> f64 {
    let x_z = match v.transform {
        Transform::Identity => v.scale,
        Transform::Log => v.scale * z.exp(),
        Transform::Bounded => (v.upper - v.lower) / ((1.0 + z.exp()) * (1.0 + (-z).exp())),
    };
    x_z.max(LEAST_X_Z)
}

/// The size of x, and the end of the transform where x_z is next to nothing beside it, if it is.
fn flat(v: &Variable, z: f64) -> Option<(f64, Side)> {
    let (size, least, side) = match v.transform {
        Transform::Identity => return None,
        Transform::Log => (v.scale, f64::EPSILON, Side::Lower),
        Transform::Bounded => (v.upper - v.lower, FLAT_X_Z, if z < 0.0 { Side::Lower } else { Side::Upper }),
    };
    (x_z(v, z) <= least * size).then_some((size, side))
}

impl Space {
    pub(crate) fn new(problem: Problem, settings: Settings) -> Self {
        let bound = |end: fn(&Variable) -> f64| problem.variables().iter().map(|v| to_z(v, end(v))).collect();
        let lower = bound(|v| v.lower);
        let upper = bound(|v| v.upper);
        Self { n: problem.n(), m: problem.m(), m_eq: problem.equalities(), lower, upper, problem, settings }
    }
    /// z of a design.
    pub(crate) fn to_z(&self, x: &[f64]) -> Vec<f64> {
        self.problem.variables().iter().zip(x).map(|(v, x)| to_z(v, *x)).collect()
    }
    /// Design of z (1).
    pub(crate) fn to_x(&self, z: &[f64]) -> Vec<f64> {
        self.problem.variables().iter().zip(z).map(|(v, z)| to_x(v, *z)).collect()
    }
    /// x_z (2) of every variable at z.
    pub(crate) fn x_z(&self, z: &[f64]) -> Vec<f64> {
        self.problem.variables().iter().zip(z).map(|(v, z)| x_z(v, *z)).collect()
    }
    /// Are any bounds finite?
    pub(crate) fn bounded(&self) -> bool {
        self.lower.iter().chain(&self.upper).any(|b| b.is_finite())
    }
    /// The bound that z_i is on, up to rounding.
    pub(crate) fn on_bound(&self, z: &[f64], i: usize) -> Option<Side> {
        let near = |bound: f64| bound.is_finite() && (z[i] - bound).abs() <= ROUNDING * bound.abs().max(1.0);
        [(self.lower[i], Side::Lower), (self.upper[i], Side::Upper)]
            .into_iter()
            .find(|b| near(b.0))
            .map(|b| b.1)
    }
    /// The bound that x_i is on, up to rounding: that of z_i, or a flat end of its transform.
    pub(crate) fn x_on_bound(&self, z: &[f64], i: usize) -> Option<Side> {
        self.on_bound(z, i).or_else(|| self.on_flat_bound(z, i))
    }
    /// The bound that x_i is on although z has none there.
    fn on_flat_bound(&self, z: &[f64], i: usize) -> Option<Side> {
        let v = &self.problem.variables()[i];
        let (size, side) = flat(v, z[i])?;
        let bound = if side == Side::Lower { v.lower } else { v.upper };
        ((to_x(v, z[i]) - bound).abs() <= FLAT_X_Z * size).then_some(side)
    }
    /// The variable, if any, at a flat end of its transform although f falls towards the inside: f_z is small
    /// there, f_x is not.
    pub(crate) fn stranded(&self, point: &Point) -> Option<&str> {
        let tol = self.settings.gradient_tol;
        let here = |(i, v): &(usize, &Variable)| {
            flat(v, point.z[*i]).is_some_and(|(size, side)| {
                let inward = if side == Side::Lower { -point.g[*i] } else { point.g[*i] };
                inward <= tol && inward / x_z(v, point.z[*i]) * size > tol
            })
        };
        self.problem.variables().iter().enumerate().find(here).map(|(_, v)| v.name.as_str())
    }
    /// z + α d, within the bounds; what is on a bound up to rounding is on it.
    pub(crate) fn shifted(&self, z: &[f64], step: f64, d: &[f64]) -> Vec<f64> {
        let mut z = along(z, step, d);
        for i in 0..self.n {
            z[i] = match self.on_bound(&z, i) {
                Some(Side::Lower) => self.lower[i],
                Some(Side::Upper) => self.upper[i],
                None => z[i].clamp(self.lower[i], self.upper[i]),
            };
        }
        z
    }
    /// An evaluation at z in the units (3) of the optimiser.
    pub(crate) fn point(&self, z: &[f64], e: Evaluation) -> Point {
        let x_z = self.x_z(z);
        let s_f = self.problem.scale_of_value();
        let chain = |row: &[f64], s: f64| row.iter().zip(&x_z).map(|(c, t)| c * t / s).collect::<Vec<_>>();
        let scales = || self.problem.constraints().iter().map(|c| c.scale);
        let c_z = e.jacobian.chunks_exact(self.n).zip(scales()).flat_map(|(row, s)| chain(row, s)).collect();
        let residuals = e.residuals.map(|r| Residuals {
            values: r.values.iter().map(|r| r / s_f.sqrt()).collect(),
            jacobian: r.jacobian.chunks_exact(self.n).flat_map(|row| chain(row, s_f.sqrt())).collect(),
        });
        let c = e.constraints.iter().zip(scales()).map(|(c, s)| c / s).collect();
        Point { z: z.to_vec(), f: e.value / s_f, g: chain(&e.gradient, s_f), c, c_z, residuals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    /// (3) = central differences of value, constraint and residual over z, for every transform; z → x → z is
    /// the identity.
    #[test]
    fn chain_rule() {
        let transforms = [Transform::Identity, Transform::Log, Transform::Bounded];
        let variables = transforms.iter().enumerate();
        let variables = variables
            .map(|(i, t)| Variable::between(format!("x{i}"), 0.5, 4.0).scale(0.3).transform(*t))
            .collect();
        let problem =
            Problem::new(variables).unwrap().value_scale(7.0).unwrap().inequality("g", 0.2).unwrap();
        let space = Space::new(problem, Settings::default());
        // r = (x₀ x₁ x₂, x₂²), g = x₀ + x₁²
        let at = |z: &[f64]| {
            let [a, b, c] = space.to_x(z)[..] else { unreachable!() };
            let jacobian = vec![b * c, a * c, a * b, 0.0, 0.0, 2.0 * c];
            let e = Evaluation::least_squares(vec![a * b * c, c * c], jacobian, 3);
            space.point(z, e.constrained(vec![a + b * b], vec![1.0, 2.0 * b, 0.0]))
        };
        let z = space.to_z(&[0.9, 2.0, 3.0]);
        let back = space.to_z(&space.to_x(&z));
        let point = at(&z);
        let h = 1e-5;
        for i in 0..3 {
            let moved = |h: f64| {
                at(&along(&z, h, &(0..3).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<_>>()))
            };
            let a = moved(-h);
            let b = moved(h);
            // 1e-8: h² times third derivatives of size 100
            let near = |a: f64, b: f64, d: f64| {
                assert!(((b - a) / (2.0 * h) - d).abs() < 1e-8 * d.abs().max(1.0), "{i}")
            };
            let ra = a.residuals.unwrap();
            let rb = b.residuals.unwrap();
            let r = point.residuals.as_ref().unwrap();
            near(a.f, b.f, point.g[i]);
            near(a.c[0], b.c[0], point.c_z[i]);
            near(ra.values[0], rb.values[0], r.jacobian[i]);
            near(ra.values[1], rb.values[1], r.jacobian[3 + i]);
            assert!((back[i] - z[i]).abs() < 1e-14 * z[i].abs().max(1.0));
        }
    }
}
