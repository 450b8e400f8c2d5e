//! What a least-squares fit says about its variables.
//!
//! ```text
//! s² = rᵀr/(N - k),   J = r_z = U Σ Vᵀ,   k: singular values above the rank tolerance           (1)
//! C_z = s² V Σ⁻² Vᵀ,   C = x_z C_z x_z                                                          (2)
//! x ± t √C_ii,   t of Student's distribution with N - k degrees of freedom                      (3)
//! constraints that hold:  c_z Z = 0,   J Z = U Σ Wᵀ,   V = Z W                                  (4)
//! ```
//! A singular value below the tolerance belongs to a direction that the residuals do not see: its variables,
//! however small their parts, have no interval. Only at the end of a run that converged. Variables on a bound
//! are held there and count as known. Proposed scale: the change of x that moves the residuals by their own
//! size, s = √(rᵀr/N)/(|r_x|/√N), the same for all residuals if they vanish.

use crate::evaluation::Residuals;
use crate::space::{Point, Space};
use crate::student::quantile;
use crate::vector::largest;

/// Singular values below this part of the largest belong to directions that the residuals do not see.
const RANK_TOLERANCE: f64 = 1e-8;
/// Components of a unit vector below this part of the largest are not named.
const NAMED_PART: f64 = 0.1;
/// Components below this part of the largest are rounding of the singular vector: ε over the rank tolerance,
/// and a margin.
const ROUNDED_PART: f64 = 1e-6;

/// One variable of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Name of the variable.
    pub name: String,
    /// Its value, in the units of the user.
    pub value: f64,
    /// Standard deviation √C_ii; infinite if it is part of an unidentifiable direction, 0 on a bound.
    pub deviation: f64,
    /// Confidence interval (3), from its lower to its upper end.
    pub interval: [f64; 2],
    /// The change of the variable that moves the residuals by their own size: a better scale.
    pub proposed_scale: f64,
}

/// A direction that the residuals do not see: changes of variables, in their scales.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// Singular value over the largest.
    pub strength: f64,
    /// Name and component, the largest first, without those below a tenth of it.
    pub components: Vec<(String, f64)>,
}

/// What a least-squares fit says about its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Identification {
    /// Standard deviation s of the residuals.
    pub residual_deviation: f64,
    /// Degrees of freedom N - k.
    pub freedoms: usize,
    /// One estimate per variable, in the order of the problem.
    pub estimates: Vec<Estimate>,
    /// Covariance C (2) by rows, of what can be identified.
    pub covariance: Vec<f64>,
    /// Directions that cannot be identified.
    pub unidentifiable: Vec<Direction>,
}

impl Identification {
    /// Pairs of variables whose estimates depend on each other: names and C_ij/√(C_ii C_jj), where its size
    /// is above the limit.
    pub fn correlations(&self, limit: f64) -> Vec<(&str, &str, f64)> {
        let n = self.estimates.len();
        let c = |i: usize, j: usize| self.covariance[i * n + j];
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (j, i)));
        let known = pairs.filter(|(i, j)| {
            self.estimates[*i].deviation.is_finite() && self.estimates[*j].deviation.is_finite()
        });
        let named = known.map(|(i, j)| {
            let size = (c(i, i) * c(j, j)).sqrt();
            (self.estimates[i].name.as_str(), self.estimates[j].name.as_str(), c(i, j) / size)
        });
        named.filter(|(.., r)| r.abs() > limit).collect()
    }
}

/// V and Σ of the free variables, with V by rows of singular values over all variables.
struct Decomposition {
    sigma: Vec<f64>,
    v: Vec<Vec<f64>>,
}

/// Z of (4): directions of the free variables along the equalities and the inequalities with λ > -c, all
/// without constraints.
fn null_space(space: &Space, point: &Point, lam: &[f64], free: &[usize]) -> Option<faer::Mat<f64>> {
    let k = free.len();
    let holds = |i: usize| i < space.m_eq || lam[i] > -point.c[i];
    let held: Vec<&[f64]> =
        (0..space.m).filter(|i| holds(*i)).map(|i| &point.c_z[i * space.n..][..space.n]).collect();
    if held.is_empty() {
        return Some(faer::Mat::identity(k, k));
    }
    // rows of zeros, as in `decompose`
    let a = faer::Mat::from_fn(held.len().max(k), k, |i, j| held.get(i).map_or(0.0, |row| row[free[j]]));
    let svd = a.thin_svd().ok()?;
    let s = svd.S().column_vector();
    let rank = (0..k).filter(|i| s[*i] > RANK_TOLERANCE * s[0]).count();
    Some(faer::Mat::from_fn(k, k - rank, |i, j| svd.V()[(i, rank + j)]))
}

/// J Z = U Σ Wᵀ and V = Z W (4) of the free variables; nothing where a decomposition does not converge.
fn decompose(space: &Space, point: &Point, lam: &[f64], r: &Residuals) -> Option<Decomposition> {
    let n = space.n;
    let free: Vec<usize> = (0..n).filter(|i| space.x_on_bound(&point.z, *i).is_none()).collect();

    // J of the free variables; rows of zeros make it at least square, so that V is complete
    let rows = r.values.len().max(free.len());
    let j =
        faer::Mat::from_fn(rows, free.len(), |i, k| r.jacobian.get(i * n + free[k]).copied().unwrap_or(0.0));

    // V = Z W, Σ
    let z = null_space(space, point, lam, &free)?;
    let svd = (&j * &z).thin_svd().ok()?;
    let v = &z * svd.V();
    let s = svd.S().column_vector();

    // V over all variables, by rows of singular values
    let spread = |k: usize| {
        let mut row = vec![0.0; n];
        free.iter().enumerate().for_each(|(i, at)| row[*at] = v[(i, k)]);
        row
    };
    Some(Decomposition {
        sigma: (0..z.ncols()).map(|k| s[k]).collect(),
        v: (0..z.ncols()).map(spread).collect(),
    })
}

/// (1)–(4) at a point with multipliers; nothing without residuals.
pub(crate) fn identify(space: &Space, point: &Point, lam: &[f64], confidence: f64) -> Option<Identification> {
    let r = point.residuals.as_ref()?;
    let n = space.n;

    // Σ, V, N - k
    let Decomposition { sigma, v } = decompose(space, point, lam, r)?;
    let most = largest(sigma.iter().copied());
    let seen: Vec<usize> = (0..sigma.len()).filter(|k| sigma[*k] > RANK_TOLERANCE * most).collect();
    let freedoms = r.values.len().saturating_sub(seen.len());

    // C = s² x_z V Σ⁻² Vᵀ x_z; s² is scaled, and so is Σ
    let x_z = space.x_z(&point.z);
    let s2 = if freedoms > 0 { 2.0 * point.f / freedoms as f64 } else { f64::INFINITY };
    let mut covariance = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let sum: f64 = seen.iter().map(|k| v[*k][i] * v[*k][j] / (sigma[*k] * sigma[*k])).sum();
            covariance[i * n + j] = if sum == 0.0 { 0.0 } else { s2 * x_z[i] * x_z[j] * sum };
        }
    }

    // directions that the residuals do not see, and the variables that are part of one
    let unseen: Vec<usize> = (0..sigma.len()).filter(|k| !seen.contains(k)).collect();
    let unidentifiable: Vec<Direction> =
        unseen.iter().map(|k| direction(space, sigma[*k] / most, &v[*k])).collect();
    let part_of = |i: usize, k: usize| v[k][i].abs() > ROUNDED_PART * largest(v[k].iter().copied());
    let lost: Vec<bool> = (0..n).map(|i| unseen.iter().any(|k| part_of(i, *k))).collect();

    // x ± t √C_ii
    let t = if freedoms > 0 { quantile(confidence, freedoms) } else { f64::INFINITY };
    let estimates = estimates(space, point, &covariance, &lost, t);
    let residual_deviation = (s2 * space.problem.scale_of_value()).sqrt();
    Some(Identification { residual_deviation, freedoms, estimates, covariance, unidentifiable })
}

/// The named components of a singular vector.
fn direction(space: &Space, strength: f64, v: &[f64]) -> Direction {
    let most = largest(v.iter().copied());
    let sign = v.iter().find(|x| x.abs() == most).map_or(1.0, |x| x.signum());
    let names = space.problem.variables().iter().map(|v| v.name.clone());
    let mut components: Vec<(String, f64)> =
        names.zip(v.iter().map(|x| sign * x)).filter(|(_, x)| x.abs() > NAMED_PART * most).collect();
    components.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    Direction { strength: if strength.is_finite() { strength } else { 0.0 }, components }
}

/// Values, deviations, intervals (3) and proposed scales of all variables.
fn estimates(space: &Space, point: &Point, covariance: &[f64], lost: &[bool], t: f64) -> Vec<Estimate> {
    let n = space.n;
    let x = space.to_x(&point.z);
    let x_z = space.x_z(&point.z);

    // |r_x| of a column, |r|
    let column = |i: usize| {
        let r = point.residuals.as_ref().map_or(&[][..], |r| &r.jacobian);
        r.iter().skip(i).step_by(n).map(|x| x * x).sum::<f64>().sqrt() / x_z[i]
    };
    let size = if point.f > 0.0 { (2.0 * point.f).sqrt() } else { 1.0 };

    // x ± t √C_ii and |r|/|r_x|; a variable on a bound is known
    let estimate = |i: usize| {
        let variable = &space.problem.variables()[i];
        let free = space.x_on_bound(&point.z, i).is_none();
        let deviation = if lost[i] { f64::INFINITY } else { covariance[i * n + i].sqrt() };
        let half = if free { t * deviation } else { 0.0 };
        let scale = size / column(i);
        Estimate {
            name: variable.name.clone(),
            value: x[i],
            deviation,
            interval: [x[i] - half, x[i] + half],
            proposed_scale: if scale.is_finite() { scale } else { variable.scale },
        }
    };
    (0..n).map(estimate).collect()
}
