//! Sequential quadratic programming.
//!
//! ```text
//! d, λ from the subproblem at z                                              qp.rs (1), (2)
//! φ = f + Σ ν |c|⁺,   ν ← max(1.5 |λ|, (ν + 1.5 |λ|)/2)                                    (1)
//! φ′ = gᵀd - Σ ν (|c|⁺ - |c + c_z d|⁺)                                                     (2)
//! φ(z + α d) ≤ φ(z) + c₁ α φ′                                                              (3)
//! s = z⁺ - z,   y = ∇L(z⁺, λ) - ∇L(z, λ)                                                   (4)
//! y ← θ y + (1 - θ) B s,   θ = 1 if yᵀs ≥ 0.2 sᵀBs, else 0.8 sᵀBs/(sᵀBs - yᵀs)             (5)   Powell
//! B⁺ = B - B s sᵀB/(sᵀBs) + y yᵀ/(yᵀs)                                                     (6)
//! ```
//! Where the full step does not satisfy (3) and the constraints have grown, the step of the subproblem with
//! c(z + d) - c_z d in place of c is tried (second-order correction). Where the linearised constraints are
//! inconsistent, or so nearly that λ is very large, the subproblem is elastic; where its largest ρ does not
//! lower the violation either, the problem is locally infeasible. B starts again from a multiple of the unit
//! matrix where no step is found.

use crate::line_search::{C1, SHORTEST, parabola};
use crate::optimality::{lagrangian_gradient, violations};
use crate::oracle::{Iteration, Oracle, Pause, Step};
use crate::progress::{Progress, allowance};
use crate::qp::{Qp, Solution, corrected};
use crate::space::{Point, Space};
use crate::status::Status;
use crate::vector::{diagonal, dot, largest, minus, mul};

/// ν over |λ|; with 1, full steps that halve the violation can be refused near the optimum.
const PENALTY_MARGIN: f64 = 1.5;
/// Weights ρ of the elastic subproblem, times max(1, |g|).
const ELASTIC_WEIGHTS: [f64; 3] = [1e2, 1e4, 1e6];
/// Largest |λ| of consistent constraints, times max(1, |g|): above, they are as good as inconsistent.
const LARGEST_MULTIPLIER: f64 = 1e4;

/// State between two iterations.
struct Sqp {
    b: Vec<f64>,
    /// B has no curvature yet.
    fresh: bool,
    nu: Vec<f64>,
    plan: Result<Solution, Status>,
}

/// The merit function along d.
struct Merit<'a> {
    space: &'a Space,
    nu: &'a [f64],
    value: f64,
    slope: f64,
    noise: f64,
}

impl Merit<'_> {
    /// The merit φ (1) of a point.
    fn at(&self, point: &Point) -> f64 {
        point.f + dot(self.nu, &violations(self.space, &point.c))
    }
    /// Is the decrease (3) sufficient?
    fn accepts(&self, step: f64, point: &Point) -> bool {
        self.at(point) <= self.value + C1 * step * self.slope + self.noise
    }
}

/// The start, and a start again at a point where no step was found.
pub(crate) struct Restart {
    nu: Vec<f64>,
}

impl Restart {
    /// The first start, without penalties.
    pub(crate) fn new(space: &Space) -> Self {
        Self { nu: vec![0.0; space.m] }
    }
}

impl Iteration for Restart {
    fn iterate(&self, oracle: &Oracle, progress: &mut Progress) -> Result<Step, Pause> {
        // B without curvature: a step of length 1 at most
        let b = diagonal(oracle.space.n, largest(progress.point.g.iter().copied()).max(1.0));
        let next = Sqp::planned(oracle.space, &progress.point, b, true, self.nu.clone(), &[]);
        if let Ok(plan) = &next.plan {
            progress.lam = plan.lam.clone();
        }
        Ok(Step::Next(Box::new(next)))
    }
}

impl Sqp {
    /// The state at a point, with the subproblem solved and the penalties (1) raised.
    fn planned(
        space: &Space,
        point: &Point,
        b: Vec<f64>,
        fresh: bool,
        mut nu: Vec<f64>,
        guess: &[bool],
    ) -> Self {
        let plan = plan(space, point, &b, guess);
        if let Ok(solution) = &plan {
            for (nu, lam) in nu.iter_mut().zip(&solution.lam) {
                let least = PENALTY_MARGIN * lam.abs();
                *nu = least.max(0.5 * (*nu + least)); // (1)
            }
        }
        Self { b, fresh, nu, plan }
    }
    /// A point that satisfies (3); nothing if there is none along d.
    fn search(
        &self,
        oracle: &Oracle,
        from: &Point,
        plan: &Solution,
        merit: &Merit,
    ) -> Result<Option<Point>, Pause> {
        let mut step = 1.0;
        while step > SHORTEST {
            // φ(z + α d); half the step after a failed trial
            let Some(trial) = oracle.at(&oracle.space.shifted(&from.z, step, &plan.d))? else {
                step *= 0.5;
                continue;
            };
            if merit.accepts(step, &trial) {
                return Ok(Some(trial));
            }

            // the second-order correction of the full step
            let corrected =
                if step == 1.0 { self.correction(oracle, from, plan, &trial, merit)? } else { None };
            if corrected.is_some() {
                return Ok(corrected);
            }

            // α ← α times the minimiser of a parabola
            step *= parabola(merit.value, step * merit.slope, merit.at(&trial));
        }
        Ok(None)
    }
    /// The second-order correction, where it is acceptable.
    fn correction(
        &self,
        oracle: &Oracle,
        from: &Point,
        plan: &Solution,
        trial: &Point,
        merit: &Merit,
    ) -> Result<Option<Point>, Pause> {
        let space = oracle.space;
        let sum = |p: &Point| violations(space, &p.c).iter().sum::<f64>();
        if sum(trial) <= sum(from) {
            return Ok(None);
        }
        let c = corrected(from, trial, &plan.d);
        let Some(solution) = Qp::new(space, from, &c, &self.b).solve(&plan.active) else { return Ok(None) };
        let trial = oracle.at(&space.shifted(&from.z, 1.0, &solution.d))?;
        Ok(trial.filter(|trial| merit.accepts(1.0, trial)))
    }
}

/// Σ |c + c_z d|⁺ with weights.
fn linearised(space: &Space, point: &Point, d: &[f64], nu: Option<&[f64]>) -> f64 {
    let c: Vec<f64> =
        point.c.iter().zip(point.c_z.chunks_exact(space.n)).map(|(c, row)| c + dot(row, d)).collect();
    let v = violations(space, &c);
    nu.map_or_else(|| v.iter().sum(), |nu| dot(nu, &v))
}

/// The subproblem, elastic where it must be; at a feasible design λ may be as large as it is.
fn plan(space: &Space, point: &Point, b: &[f64], guess: &[bool]) -> Result<Solution, Status> {
    let qp = Qp::new(space, point, &point.c, b);
    let size = largest(point.g.iter().copied()).max(1.0);

    // the plain subproblem, where |λ| is moderate or the design feasible
    let plain = qp.solve(guess);
    let moderate = |s: &&Solution| largest(s.lam.iter().copied()) <= LARGEST_MULTIPLIER * size;
    if let Some(solution) = plain.as_ref().filter(moderate) {
        return Ok(solution.clone());
    }
    let violation: f64 = violations(space, &point.c).iter().sum();
    let tol = space.settings.violation_tol;
    if let Some(solution) = plain.as_ref().filter(|_| violation <= tol) {
        return Ok(solution.clone());
    }

    // the elastic one, until the violation falls by a tenth
    let mut last = plain.ok_or(Status::NumericalFailure);
    for rho in ELASTIC_WEIGHTS {
        let Some(solution) = qp.elastic(rho * size) else { continue };
        let left = linearised(space, point, &solution.d, None);
        if left <= (0.9 * violation).max(tol) {
            return Ok(solution);
        }
        last = if left <= (1.0 - 1e-6) * violation { Ok(solution) } else { Err(Status::Infeasible) };
    }
    last
}

impl Iteration for Sqp {
    fn iterate(&self, oracle: &Oracle, progress: &mut Progress) -> Result<Step, Pause> {
        let space = oracle.space;
        let from = &progress.point;
        let plan = match &self.plan {
            Ok(plan) => plan,
            Err(status) => return Ok(Step::End(*status)),
        };

        // φ, φ′
        let weighted = dot(&self.nu, &violations(space, &from.c));
        let slope = dot(&from.g, &plan.d) - weighted + linearised(space, from, &plan.d, Some(&self.nu));
        let merit = Merit {
            space,
            nu: &self.nu,
            value: from.f + weighted,
            slope,
            noise: allowance(space, from.f, slope),
        };

        // z⁺ = z + α d
        let found = if slope < 0.0 { self.search(oracle, from, plan, &merit)? } else { None };
        let Some(to) = found else {
            return Ok(match self.fresh {
                false => Step::Next(Box::new(Restart { nu: self.nu.clone() })),
                true => Step::End(progress.stuck(space, slope)),
            });
        };

        // B⁺ and the next subproblem
        let s = minus(&to.z, &from.z);
        let y = minus(&lagrangian_gradient(&to, &plan.lam), &lagrangian_gradient(from, &plan.lam));
        let (b, fresh) = update(&self.b, self.fresh, &s, y);
        let next = Self::planned(space, &to, b, fresh, self.nu.clone(), &plan.active);
        let lam = next.plan.as_ref().map_or_else(|_| plan.lam.clone(), |plan| plan.lam.clone());
        progress.accept(space, to, lam);
        Ok(Step::Next(Box::new(next)))
    }
}

/// B⁺ by (5) and (6), with the scale of the first pair in place of the unit matrix.
fn update(b: &[f64], fresh: bool, s: &[f64], mut y: Vec<f64>) -> (Vec<f64>, bool) {
    let n = s.len();
    let ss = dot(s, s);
    let ys = dot(&y, s);
    if ss == 0.0 {
        return (b.to_vec(), fresh);
    }

    // B s, sᵀBs
    let mut b = if fresh && ys > f64::EPSILON * ss { diagonal(n, dot(&y, &y) / ys) } else { b.to_vec() };
    let bs = mul(&b, s);
    let sbs = dot(s, &bs);

    // (5)
    if ys < 0.2 * sbs {
        let θ = 0.8 * sbs / (sbs - ys);
        y = y.iter().zip(&bs).map(|(y, bs)| θ * y + (1.0 - θ) * bs).collect();
    }

    // (6)
    let ys = dot(&y, s);
    for i in 0..n {
        for j in 0..n {
            b[i * n + j] += y[i] * y[j] / ys - bs[i] * bs[j] / sbs;
        }
    }
    (b, false)
}
