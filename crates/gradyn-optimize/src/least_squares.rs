//! Gauss–Newton and Levenberg–Marquardt.
//!
//! ```text
//! f = ½ rᵀr,   J = r_z = U Σ Vᵀ   of the free variables                                     (1)
//! d = -V (Σ² + η)⁻¹ Σ Uᵀ r                                                                   (2)
//! f(z⁺) ≤ f + c₁ min(gᵀ(z⁺ - z), 0),   z⁺ = P(z + α d)                                       (3)
//! ϱ = (f - f⁺)/(½ dᵀ(η d - g))                                                               (4)
//! ```
//! A variable is free unless it is on a bound and the gradient points out. Gauss–Newton has η = 0, without
//! singular values below 1e-12 of the largest, and halves α. Levenberg–Marquardt takes z⁺ where ϱ > 0, then η
//! ← η max(1/3, 1 - (2ϱ - 1)³), and else raises η by 2, 4, 8…, as after a failed trial; it begins at ε |JᵀJ|
//! at least. Where no trial is taken, the decrease that the first one promised says why.

use crate::evaluation::Residuals;
use crate::line_search::{C1, SHORTEST};
use crate::oracle::{Iteration, Oracle, Pause, Step};
use crate::problem::Side;
use crate::progress::{Progress, allowance};
use crate::space::{Point, Space};
use crate::status::Status;
use crate::vector::{dot, largest, minus};

/// Singular values below this part of the largest are zero to Gauss–Newton.
const RANK_TOLERANCE: f64 = 1e-12;
/// Most trials of an iteration. The last η is 2^(1 + 2 + … + 11) = 7e19 of the first: from the least,
/// ε |JᵀJ|, the last steps are those of the gradient.
const MOST_TRIALS: usize = 12;

/// The decomposition (1) of J of the free variables.
struct Model {
    free: Vec<usize>,
    n: usize,
    /// The columns of V.
    v: Vec<Vec<f64>>,
    sigma: Vec<f64>,
    /// The residuals in the basis U, Uᵀ r.
    beta: Vec<f64>,
}

impl Model {
    /// At a point; nothing where the decomposition does not converge.
    fn new(space: &Space, point: &Point) -> Option<Self> {
        let Residuals { values, jacobian } = point.residuals.as_ref()?;
        let n = space.n;

        // free variables: not on a bound, or the gradient points inside
        let held = |i: usize| match space.on_bound(&point.z, i) {
            Some(Side::Lower) => point.g[i] > 0.0,
            Some(Side::Upper) => point.g[i] < 0.0,
            None => false,
        };
        let free: Vec<usize> = (0..n).filter(|i| !held(*i)).collect();

        // J = U Σ Vᵀ
        let j = faer::Mat::from_fn(values.len(), free.len(), |i, k| jacobian[i * n + free[k]]);
        let svd = j.thin_svd().ok()?;
        let u = svd.U();
        let v = svd.V();
        let s = svd.S().column_vector();
        let rank = s.nrows();
        Some(Self {
            n,
            v: (0..rank).map(|k| (0..free.len()).map(|i| v[(i, k)]).collect()).collect(),
            sigma: (0..rank).map(|k| s[k]).collect(),
            beta: (0..rank).map(|k| (0..values.len()).map(|i| u[(i, k)] * values[i]).sum()).collect(),
            free,
        })
    }
    /// The step d (2) with damping η.
    fn step(&self, eta: f64) -> Vec<f64> {
        let mut d = vec![0.0; self.n];
        let least = if eta > 0.0 { 0.0 } else { RANK_TOLERANCE * largest(self.sigma.iter().copied()) };
        for k in (0..self.sigma.len()).filter(|k| self.sigma[*k] > least) {
            let s = -self.sigma[k] * self.beta[k] / (self.sigma[k] * self.sigma[k] + eta);
            for (i, v) in self.free.iter().zip(&self.v[k]) {
                d[*i] += s * v;
            }
        }
        d
    }
}

/// Gauss–Newton has no state.
pub(crate) struct GaussNewton;

impl Iteration for GaussNewton {
    fn iterate(&self, oracle: &Oracle, progress: &mut Progress) -> Result<Step, Pause> {
        let space = oracle.space;
        let from = &progress.point;

        // d of η = 0
        let Some(model) = Model::new(space, from) else {
            return Ok(Step::End(Status::NumericalFailure));
        };
        let d = model.step(0.0);
        let predicted = dot(&from.g, &d);
        let noise = allowance(space, from.f, predicted);

        // z⁺ = P(z + α d), α = 1, 1/2, 1/4 …
        let mut step = 1.0;
        while step > SHORTEST {
            let z = space.shifted(&from.z, step, &d);
            let limit = from.f + C1 * dot(&from.g, &minus(&z, &from.z)).min(0.0) + noise; // (3)
            match oracle.at(&z)? {
                Some(to) if to.f <= limit => {
                    progress.accept(space, to, vec![]);
                    return Ok(Step::Next(Box::new(GaussNewton)));
                }
                _ => step *= 0.5,
            }
        }
        Ok(Step::End(progress.stuck(space, predicted)))
    }
}

/// Levenberg–Marquardt between two iterations.
pub(crate) struct LevenbergMarquardt {
    eta: f64,
}

impl LevenbergMarquardt {
    /// At the start: η = 1e-3 of the largest diagonal entry of JᵀJ.
    pub(crate) fn new(start: &Point) -> Self {
        let n = start.z.len();
        let squares = |r: &Residuals| {
            largest((0..n).map(|j| r.jacobian.iter().skip(j).step_by(n).map(|x| x * x).sum()))
        };
        Self { eta: 1e-3 * start.residuals.as_ref().map_or(1.0, squares).max(f64::MIN_POSITIVE) }
    }
}

impl Iteration for LevenbergMarquardt {
    fn iterate(&self, oracle: &Oracle, progress: &mut Progress) -> Result<Step, Pause> {
        let space = oracle.space;
        let from = &progress.point;
        let Some(model) = Model::new(space, from) else {
            return Ok(Step::End(Status::NumericalFailure));
        };

        // η of the first trial
        let least = f64::EPSILON * largest(model.sigma.iter().copied()).powi(2);
        let mut eta = self.eta.max(least);
        let mut factor = 2.0;

        // z⁺ = P(z + d(η)), η raised until f falls
        let mut promised = None;
        for _ in 0..MOST_TRIALS {
            let z = space.shifted(&from.z, 1.0, &model.step(eta));
            let d = minus(&z, &from.z);
            let predicted = 0.5 * (eta * dot(&d, &d) - dot(&from.g, &d));
            promised.get_or_insert(predicted);
            match oracle.at(&z)? {
                Some(to) if to.f < from.f && predicted > 0.0 => {
                    let ratio = (from.f - to.f) / predicted; // (4)
                    let eta = eta * (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
                    progress.accept(space, to, vec![]);
                    return Ok(Step::Next(Box::new(LevenbergMarquardt { eta })));
                }
                _ => {
                    eta *= factor;
                    factor *= 2.0;
                }
            }
        }
        Ok(Step::End(progress.stuck(space, promised.unwrap_or(0.0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluation, Problem, Settings, Variable};

    /// r = atan x at x = 3, where full steps diverge: after many good steps η is next to nothing, and still
    /// finds its way back.
    #[test]
    fn damping_comes_back() {
        let space = Space::new(Problem::new(vec![Variable::free("x")]).unwrap(), Settings::default());
        let at = |z: &[f64]| {
            space.point(z, Evaluation::least_squares(vec![z[0].atan()], vec![1.0 / (1.0 + z[0] * z[0])], 1))
        };
        let mut progress = Progress::new(&space, at(&[3.0]));
        let mut known = vec![];
        let state = LevenbergMarquardt { eta: 1e-100 };
        while let Err(Pause(z)) = state.iterate(&Oracle { space: &space, known: &known }, &mut progress) {
            let told = at(&z);
            known.push((z, Some(told)));
        }
        assert_eq!(progress.iterations, 1);
        assert!(progress.point.z[0].abs() < 3.0);
    }
}
