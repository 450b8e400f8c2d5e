//! The quadratic subproblem of SQP, by clarabel.
//!
//! ```text
//! minimise ½ dᵀB d + gᵀd   subject to   h + h_z d = 0,   c + c_z d ≤ 0,   l - z ≤ d ≤ u - z        (1)
//! elastic:  + ρ Σ t,   h + h_z d = t⁺ - t⁻,   c + c_z d ≤ t,   t ≥ 0                              (2)
//! B d + A_aᵀ λ = -g,   A_a d = b_a                                                                 (3)
//! ```
//! With the rows a that are active, (3) gives d and λ to rounding where an interior point gives eight digits.
//! B is positive definite: a solution of (3) that is feasible with λ ≥ 0 is the solution of (1). So the
//! active rows of the subproblem before are tried first, and then those of the interior point.

use crate::space::{Point, Space};
use crate::vector::{dot, largest, minus};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT, ZeroConeT,
};
use faer::linalg::solvers::Solve;

/// Feasibility and sign of λ of a solution of (3), relative to the numbers in the rows and to 1, the scale of
/// everything.
const TOLERANCE: f64 = 1e-12;

/// (1) at a point: rows A d ≤ b, the first `eq` of them A d = b; constraints first, then bounds.
pub(crate) struct Qp<'a> {
    n: usize,
    m: usize,
    eq: usize,
    b: &'a [f64],
    g: &'a [f64],
    rows: Vec<Vec<f64>>,
    rhs: Vec<f64>,
}

/// A solution of (1) or (2).
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub d: Vec<f64>,
    /// λ of the constraints.
    pub lam: Vec<f64>,
    /// Which rows are active; empty for (2).
    pub active: Vec<bool>,
}

impl<'a> Qp<'a> {
    /// At a point, with the constraints c (those of the point, or corrected ones).
    pub(crate) fn new(space: &Space, point: &'a Point, c: &[f64], b: &'a [f64]) -> Self {
        let mut rows: Vec<Vec<f64>> = point.c_z.chunks_exact(space.n).map(|row| row.to_vec()).collect();
        let mut rhs: Vec<f64> = c.iter().map(|c| -c).collect();
        let unit = |i: usize, s: f64| (0..space.n).map(|j| if i == j { s } else { 0.0 }).collect();
        for (bounds, sign) in [(&space.upper, 1.0), (&space.lower, -1.0)] {
            for i in (0..space.n).filter(|i| bounds[*i].is_finite()) {
                rows.push(unit(i, sign));
                rhs.push(sign * (bounds[i] - point.z[i]));
            }
        }
        Self { n: space.n, m: space.m, eq: space.m_eq, b, g: &point.g, rows, rhs }
    }

    /// (1); nothing if it is inconsistent. `guess` are the active rows of the subproblem before.
    pub(crate) fn solve(&self, guess: &[bool]) -> Option<Solution> {
        let guessed = if guess.len() == self.rows.len() { self.active_set(guess) } else { None };
        if guessed.is_some() {
            return guessed;
        }
        let (d, lam, slack) = self.interior_point(None)?;
        let active: Vec<bool> = (0..self.rows.len()).map(|i| i < self.eq || lam[i] > slack[i]).collect();
        let polished = self.active_set(&active);
        Some(polished.unwrap_or(Solution { d, lam: lam[..self.m].to_vec(), active }))
    }

    /// The elastic solution (2).
    pub(crate) fn elastic(&self, rho: f64) -> Option<Solution> {
        let (d, lam, _) = self.interior_point(Some(rho))?;
        Some(Solution { d: d[..self.n].to_vec(), lam: lam[..self.m].to_vec(), active: vec![] })
    }

    /// The solution of (3); nothing if it is not that of (1).
    fn active_set(&self, active: &[bool]) -> Option<Solution> {
        let on: Vec<usize> = (0..self.rows.len()).filter(|i| active[*i]).collect();
        let n = self.n;
        let size = n + on.len();
        if on.len() > n {
            return None;
        }

        // [B A_aᵀ; A_a 0] (d, λ_a) = (-g, b_a)
        let entry = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) => self.b[i * n + j],
            (true, false) => self.rows[on[j - n]][i],
            (false, true) => self.rows[on[i - n]][j],
            (false, false) => 0.0,
        };
        let rhs = faer::Mat::from_fn(size, 1, |i, _| if i < n { -self.g[i] } else { self.rhs[on[i - n]] });
        let solved = faer::Mat::from_fn(size, size, entry).partial_piv_lu().solve(&rhs);

        // d, and λ with zeros in the other rows
        let d: Vec<f64> = (0..n).map(|i| solved[(i, 0)]).collect();
        let mut lam = vec![0.0; self.rows.len()];
        for (k, i) in on.iter().enumerate() {
            lam[*i] = solved[(n + k, 0)];
        }
        self.is_solution(&d, &lam).then(|| Solution {
            d,
            lam: lam[..self.m].to_vec(),
            active: active.to_vec(),
        })
    }

    /// Feasible, λ ≥ 0, and (3) was not singular?
    fn is_solution(&self, d: &[f64], lam: &[f64]) -> bool {
        let size = largest(d.iter().copied());
        let tol_lam = TOLERANCE * largest(self.g.iter().copied()).max(1.0);
        let finite = d.iter().chain(lam).all(|x| x.is_finite());
        let feasible = (0..self.rows.len()).all(|i| {
            let excess = dot(&self.rows[i], d) - self.rhs[i];
            let tol = TOLERANCE * (1.0 + largest(self.rows[i].iter().copied()) * size + self.rhs[i].abs());
            if i < self.eq { excess.abs() <= tol } else { excess <= tol && lam[i] >= -tol_lam }
        });
        finite && feasible && self.stationary(d, lam)
    }

    /// B d + Aᵀλ = -g?
    fn stationary(&self, d: &[f64], lam: &[f64]) -> bool {
        let n = self.n;
        (0..n).all(|j| {
            let terms = (0..n)
                .map(|k| self.b[j * n + k] * d[k])
                .chain((0..lam.len()).map(|i| self.rows[i][j] * lam[i]));
            let (sum, size) =
                terms.fold((self.g[j], self.g[j].abs()), |(sum, size), t| (sum + t, size + t.abs()));
            sum.abs() <= 1e-9 * size
        })
    }

    /// d, λ and b - A d of (1), or with ρ of (2), whose slacks follow d.
    fn interior_point(&self, rho: Option<f64>) -> Option<(Vec<f64>, Vec<f64>, Vec<f64>)> {
        let n = self.n;
        let extra = if rho.is_some() { self.m + self.eq } else { 0 };
        let size = n + extra;
        let count = self.rows.len();

        // columns of t: -1 in the row of its constraint, those of t⁻ +1; and the rows -t ≤ 0
        let only = |here: bool, x: f64| if here { x } else { 0.0 };
        let entry = |i: usize, j: usize| match j {
            _ if j < n => self.rows.get(i).map_or(0.0, |row| row[j]),
            _ if i >= count => only(i - count == j - n, -1.0),
            _ if j < n + self.m => only(i == j - n, -1.0),
            _ => only(i == j - n - self.m, 1.0),
        };
        let a = sparse(count + extra, size, entry);
        let p = sparse(size, size, |i, j| if i <= j && j < n { self.b[i * n + j] } else { 0.0 });
        let q: Vec<f64> = self.g.iter().copied().chain((0..extra).map(|_| rho.unwrap_or(0.0))).collect();
        let rhs: Vec<f64> = self.rhs.iter().copied().chain((0..extra).map(|_| 0.0)).collect();
        let cones: [SupportedConeT<f64>; 2] = [ZeroConeT(self.eq), NonnegativeConeT(count + extra - self.eq)];

        // clarabel, to ten digits
        let tol = 1e-10;
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tol,
            tol_gap_rel: tol,
            tol_feas: tol,
            ..Default::default()
        };
        let mut solver = DefaultSolver::new(&p, &q, &a, &rhs, &cones, settings).ok()?;
        solver.solve();
        let solved = matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
        let solution = solver.solution;
        solved.then_some((solution.x, solution.z, solution.s))
    }
}

/// Matrix by columns, without its zeros.
fn sparse(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> CscMatrix<f64> {
    let mut starts = vec![0];
    let mut places = vec![];
    let mut values = vec![];
    for j in 0..columns {
        for i in 0..rows {
            let x = entry(i, j);
            if x != 0.0 {
                places.push(i);
                values.push(x);
            }
        }
        starts.push(values.len());
    }
    CscMatrix::new(rows, columns, starts, places, values)
}

/// c(z + d) - c_z d: the constraints of a second-order correction.
pub(crate) fn corrected(point: &Point, trial: &Point, d: &[f64]) -> Vec<f64> {
    let c_z_d: Vec<f64> = point.c_z.chunks_exact(d.len()).map(|row| dot(row, d)).collect();
    minus(&trial.c, &c_z_d)
}
