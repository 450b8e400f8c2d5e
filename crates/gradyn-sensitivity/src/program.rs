//! Derivatives of the program: duals (automatic) and complex step through the steps of a run.
//!
//! The real parts are those of the run. The derivative parts are corrected with whole block sweeps on the f64
//! factor,
//!
//! ```text
//! x ← x - A⁻¹ R(x)   on the derivative parts, until the correction itself is at rounding               (1)
//! ```
//! so that A (the factor of `linearise`) affects the number of corrections, never the result: the residual
//! kernels are the only truth [C12, automatic differentiation; M13, Eq. 86, complex step]. With an exact A
//! one correction and one confirming evaluation suffice. Each block (q, v, a, λ, z) of a correction is
//! measured against `StepRecipe::noise` of the largest derivative parts that the blocks have had in the run,
//! or x/ρ where that is larger: below it a derivative is noise around zero. Integrals take over the noise of
//! what they read: where an integrand is zero to rounding, such as a square along a straight line, that is
//! all there is,
//!
//! ```text
//! noise(z) ≥ h Σ |g_x| noise(x),   g the integrand, x = (q, v, a, λ)                                    (2)
//! ```
//!
//! In joint coordinates angles may be zero and accelerations cancel where the rotor of a machine spins:
//!
//! ```text
//! |q| ≥ 1, |a| ≥ |v|²   where angles are coordinates                                                    (3)
//! ```

use crate::objective::{Case, Gradient, terminal};
use gradyn_dynamics::formulation::{largest_mass, smallest_row};
use gradyn_dynamics::{Chain, Products, Residual, StepArgs, StepError};
use gradyn_model::{Evaluator, FunctionalSet, RunScalar};
use gradyn_num::complex::STEP;
use gradyn_num::{Complex, Wide, largest};

/// What the iterated correction needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corrections {
    /// Most corrections above rounding in a record.
    pub worst: usize,
    /// Corrections above rounding in all records.
    pub total: usize,
    /// Number of records.
    pub records: usize,
}

impl Corrections {
    /// Counts a record.
    fn add(&mut self, count: usize) {
        self.worst = self.worst.max(count);
        self.total += count;
        self.records += 1;
    }
}

/// Records whose corrections are confirmed by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// Every record.
    All,
    /// One of eight, the first and the last, those of events and restarts, and those that declared times
    /// move. With an exact A others need one correction; where a confirmed record needs more than two, A is
    /// not exact, and every record is confirmed.
    Some,
}

/// Distance between records that are confirmed in any case.
const CONFIRMED: usize = 8;
/// Corrections that an exact A may need: the second where noise is amplified.
const EXACT: usize = 2;

impl Confirm {
    /// Is record `n` confirmed?
    pub fn asks(self, case: &Case, n: usize) -> bool {
        let plan = &case.run.plan;
        let special = || plan.restarts[n] || plan.edges[n].is_some() || plan.moves(n);
        self == Self::All || n.is_multiple_of(CONFIRMED) || n == plan.steps() || special()
    }
}

/// Corrections of a record, at most.
const MOST: usize = 20;
/// The noise of stages beside that of nodes: coefficients of DOP853 reach 43.
const STAGES: f64 = 100.0;

/// Carries seeded parameters through the run: ψ with its derivative parts. `unit` is the size of a seed,
/// `scales[k]` the typical size of the parameter behind direction k; `observe` gets each record's number and
/// the record. Records that are not confirmed have one correction.
pub(crate) fn program<S: RunScalar>(
    case: &Case,
    rho: &[S],
    unit: f64,
    scales: &[f64],
    (stats, confirm): (&mut Corrections, Confirm),
    mut observe: impl FnMut(usize, &[S]),
) -> Result<Vec<S>, StepError> {
    let (recipe, run, lay) = (case.recipe, case.run, case.run.layout);
    let p = case.design.slots(rho);
    let p_re = case.slots();
    // memory
    let mut residual = recipe.residual(&p);
    let mut chain = recipe.chain(&p_re)?;
    let mut noise = Noise::new(case, &p_re, unit, scales, S::DIRECTIONS);
    let zero = vec![S::zero(); lay.len];
    let mut x = zero.clone();
    let mut past = zero.clone();
    let mut r = zero;
    let mut b = vec![0.0; lay.len];
    for n in 0..=run.plan.steps() {
        // A and the real parts, which are those of the run
        let link = run.link(n);
        let record = link.args(&p_re);
        chain.linearise(&record)?;
        let confirmed = confirm.asks(case, n);
        noise.begin(n, &chain, confirmed);
        x.iter_mut().zip(record.x).for_each(|(x, re)| *x = S::from(*re));
        // (1)
        let mut count = 0;
        loop {
            let earlier = &past[..record.past.len()];
            let args = StepArgs { span: run.plan.span(n, &p), frozen: record.frozen, x: &x, past: earlier };
            residual.residual(&args, &mut r);
            let mut worst = (0.0f64, 0, 0);
            for k in 0..S::DIRECTIONS {
                b.iter_mut().zip(&r).for_each(|(b, r)| *b = r.part(k));
                chain.solve(&mut b);
                x.iter_mut().zip(&b).for_each(|(x, b)| *x.part_mut(k) -= b);
                noise.measure(k, &record, &x, &b, &mut worst);
            }
            if worst.0 <= 1.0 {
                break;
            }
            count += 1;
            if !confirmed && worst.0.is_finite() {
                break;
            }
            if count == MOST || worst.0.is_nan() {
                return Err(unsettled(case, record.span.end(), count, worst));
            }
        }
        stats.add(count);
        observe(n, &x);
        std::mem::swap(&mut x, &mut past);
    }
    run.check_made()?;
    Ok(terminal(recipe, run, &p, &past))
}

/// What corrections are measured by: the rounding level of derivative parts.
struct Noise<'c> {
    case: &'c Case<'c>,
    unit: f64,
    scales: &'c [f64],
    /// Largest derivative parts of (q, v, a, λ, z) that each direction has had.
    sizes: Vec<[f64; 5]>,
    /// Largest entry of M, and of the smallest row of Φ_q.
    mass: f64,
    row: f64,
    slopes: Slopes,
}

impl<'c> Noise<'c> {
    fn new(case: &'c Case<'c>, p: &[f64], unit: f64, scales: &'c [f64], directions: usize) -> Self {
        let (sys, run) = (case.recipe.system(), case.run);
        let row = smallest_row(sys, p, run.plan.node(0, p), &run.record(0)[..run.layout.n]);
        Self {
            case,
            unit,
            scales,
            sizes: vec![[0.0; 5]; directions],
            mass: largest_mass(sys, p),
            row,
            slopes: Slopes::new(case, p),
        }
    }
    /// Moves on to record n, which is linearised.
    fn begin(&mut self, n: usize, chain: &Chain, confirmed: bool) {
        if n == 0 {
            // in equilibrium a and λ may be zero, whatever the parameters: roundings of loads that cancel
            let loads = chain.start.loads();
            for (size, scale) in self.sizes.iter_mut().zip(self.scales) {
                size[2] = loads / self.mass * self.unit / scale;
                size[3] = loads / self.row * self.unit / scale;
            }
        }
        if confirmed {
            self.slopes.add(self.case, n);
        }
    }
    /// Least sizes of the blocks of a record: angles of joints may all be zero, and centripetal terms cancel
    /// about an axis of symmetry, (3).
    fn least(&self, x: &[f64]) -> [f64; 5] {
        let angle = self.case.recipe.system().least_size();
        let (_, speeds) = &self.case.run.layout.blocks()[1];
        let speed = largest(x[speeds.clone()].iter().copied());
        [angle, 0.0, if angle > 0.0 { speed * speed } else { 0.0 }, 0.0, 0.0]
    }
    /// Compares the correction b of direction k, which led to x, with its noise. `worst` is the largest
    /// ratio, its block and its place there.
    fn measure<S: RunScalar>(
        &mut self,
        k: usize,
        record: &StepArgs,
        x: &[S],
        b: &[f64],
        worst: &mut (f64, usize, usize),
    ) {
        let blocks = self.case.run.layout.blocks();
        let least = self.least(record.x);
        let size = &mut self.sizes[k];
        let mut correction = [0.0f64; 5];
        for (i, (_, range)) in blocks[..5].iter().enumerate() {
            correction[i] = largest(range.clone().map(|i| b[i]));
            // below x/ρ a derivative is noise around zero
            let real = range.clone().fold(least[i], |s, i| s.max(record.x[i].abs()));
            let floor = real * self.unit / self.scales[k];
            size[i] = range.clone().fold(size[i].max(floor), |s, i| s.max(x[i].part(k).abs()));
        }
        // noise of a record, with (2) for that of a step
        let still = record.is_start() || record.frozen.restart;
        let h = if still { 1.0 } else { record.span.h };
        let mut noise = self.case.recipe.noise(h, *size, self.mass, self.row);
        noise[4] += if still { 0.0 } else { STAGES * h * self.slopes.carried(&noise) };
        for (i, (_, range)) in blocks[..5].iter().enumerate() {
            let excess = correction[i] / noise[i];
            if correction[i] != 0.0 && (excess > worst.0 || excess.is_nan()) {
                let at = range.clone().fold(range.start, |w, j| if b[j].abs() > b[w].abs() { j } else { w });
                *worst = (excess, i, at - range.start);
            }
        }
    }
}

/// Largest |g_x| of (2) in the run, summed over each of q, v, a, λ.
struct Slopes {
    terms: Evaluator<f64>,
    sums: [f64; 4],
    row: Vec<f64>,
}

impl Slopes {
    fn new(case: &Case, p: &[f64]) -> Self {
        let sys = case.recipe.system();
        let terms = sys.evaluator(p);
        let width = case.run.layout.z() + sys.support(FunctionalSet::Integrand).len();
        Self { terms, sums: [0.0; 4], row: vec![0.0; width] }
    }
    /// Takes in record n.
    fn add(&mut self, case: &Case, n: usize) {
        let plan = &case.run.plan;
        let lay = case.run.layout;
        let record = case.run.record(n);
        let at = lay.node(plan.t[n], &record);
        self.terms.set_branches(&case.run.branches(n));
        self.terms.at(at.t, at.q);
        for k in 0..case.objectives() {
            self.terms.measure_row(FunctionalSet::Integrand, k, &at, &mut self.row);
            for (sum, (_, range)) in self.sums.iter_mut().zip(lay.blocks()) {
                *sum = sum.max(self.row[range].iter().map(|g| g.abs()).sum());
            }
        }
    }
    /// Σ |g_x| noise(x).
    fn carried(&self, noise: &[f64; 5]) -> f64 {
        self.sums.iter().zip(noise).map(|(g, x)| g * x).sum()
    }
}

/// The error of corrections that do not fall: `worst` is a size, a block and an index in it.
fn unsettled(
    case: &Case,
    t: f64,
    corrections: usize,
    (last, block, index): (f64, usize, usize),
) -> StepError {
    let sys = case.recipe.system();
    let worst = match block {
        3 => sys.row_name(index),
        4 => case.design.objective(index),
        _ => sys.coordinate_name(index),
    };
    StepError::Correction { t, corrections, last, block: case.run.layout.blocks()[block].0, worst }
}

/// Duals through the program, 8 parameters at a time.
pub fn automatic(case: &Case) -> Result<(Gradient, Corrections), StepError> {
    let count = case.rho.len();
    let mut gradient = vec![vec![0.0; count]; case.objectives()];
    let mut stats = Corrections::default();
    for first in (0..count).step_by(8) {
        let seed = |i: usize, x: f64| {
            if (first..first + 8).contains(&i) { Wide::var(x, i - first) } else { Wide::from(x) }
        };
        let rho: Vec<Wide> = case.rho.iter().enumerate().map(|(i, &x)| seed(i, x)).collect();
        let scales: Vec<f64> =
            (first..first + 8).map(|k| if k < count { case.design.scale(k) } else { 1.0 }).collect();
        let psi = program(case, &rho, 1.0, &scales, (&mut stats, Confirm::All), |_, _| {})?;
        for (row, psi) in gradient.iter_mut().zip(&psi) {
            row[first..].iter_mut().zip(psi.eps).for_each(|(g, e)| *g = e);
        }
    }
    Ok((gradient, stats))
}

/// Complex step through the program, one parameter at a time.
pub fn complex_step(case: &Case) -> Result<(Gradient, Corrections), StepError> {
    let count = case.rho.len();
    let mut gradient = vec![vec![0.0; count]; case.objectives()];
    let mut stats = Corrections::default();
    for k in 0..count {
        let seed = |i: usize, re: f64| Complex { re, im: if i == k { STEP } else { 0.0 } };
        let rho: Vec<Complex> = case.rho.iter().enumerate().map(|(i, &x)| seed(i, x)).collect();
        let scale = case.design.scale(k);
        let psi = program(case, &rho, STEP, &[scale], (&mut stats, Confirm::All), |_, _| {})?;
        gradient.iter_mut().zip(&psi).for_each(|(row, psi)| row[k] = psi.im / STEP);
    }
    Ok((gradient, stats))
}

/// dψ along one direction of ρ by a complex step; `observe` gets each record's number and its derivative s_n,
/// once more from record 0 on where every record has to be confirmed after all.
pub fn directional(
    case: &Case,
    direction: &[f64],
    confirm: Confirm,
    mut observe: impl FnMut(usize, &[f64]),
) -> Result<Vec<f64>, StepError> {
    let rho: Vec<Complex> =
        case.rho.iter().zip(direction).map(|(&re, d)| Complex { re, im: STEP * d }).collect();
    let mut s = vec![0.0; case.run.layout.len];
    let tell = |n: usize, x: &[Complex]| {
        s.iter_mut().zip(x).for_each(|(s, x)| *s = x.im / STEP);
        observe(n, &s);
    };
    let mut stats = Corrections::default();
    let psi = program(case, &rho, STEP, &[1.0], (&mut stats, confirm), tell)?;
    if confirm == Confirm::Some && stats.worst > EXACT {
        return directional(case, direction, Confirm::All, observe);
    }
    Ok(psi.iter().map(|psi| psi.im / STEP).collect())
}
