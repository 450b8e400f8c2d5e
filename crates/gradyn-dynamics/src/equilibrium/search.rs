//! The search for an equilibrium: Newton with a line search, then a damped motion that Newton finishes.
//!
//! ```text
//! q ← q - s R_q⁻¹ R,   s = 1, ½, … until |R| falls                                                (1)
//! σ q' = -g,  implicit Euler: (1) with K_s + σ I, s = 1;  σ falls with |R| and after short steps      (2)
//! ```
//! |R| is scaled: rows of J to lengths over the size of the mechanism, forces over the largest load. (2) goes
//! downhill where the forces have a potential, so that it ends where the equilibrium is stable; steps uphill,
//! or of a tenth of the size, are taken back with more damping.

use super::stability::{Kind, kind, nearly_free, pivots};
use super::{Balance, Reduced};
use crate::error::StepError;
use crate::start::{StartRows, still};
use gradyn_model::{Evaluator, Kinematics, Setup};
use gradyn_num::{largest, unpivoted_columns};

const NEWTON: usize = 60;
const MOTION: usize = 1000;
/// Damped steps between two trials of Newton, unless |R| has halved.
const PAUSE: usize = 50;
/// Newton that moves further than this part of the size may have left the valley that it began in; a damped
/// step below it is short.
const FAR: f64 = 0.01;
/// |R| at which Newton finishes the damped motion, and at which that is at rounding.
const SMALL: f64 = 1e-7;
const TINY: f64 = 1e-12;
/// Part of the loads that a condition may carry.
const LOAD: f64 = 1e-8;

/// Part of the largest stiffness above which forces hold what a condition holds.
const RESISTANCE: f64 = 1e-7;

/// How an equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Newton's iteration (1) alone.
    Newton,
    /// (2), then (1).
    DampedMotion,
}
impl Search {
    /// Name of the way in words, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Newton => "Newton",
            Self::DampedMotion => "damped motion, then Newton",
        }
    }
}

/// A static equilibrium.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// Positions in equilibrium.
    pub q: Vec<f64>,
    /// Multipliers of all rows; zero for rows that are left out.
    pub lam: Vec<f64>,
    /// Efforts of the conditions: -ν, what a support would apply along each of them.
    pub efforts: Vec<f64>,
    /// Coordinates along which forces were balanced.
    pub balanced: Vec<u32>,
    /// Angles with a branch.
    pub angles: Vec<f64>,
    /// Largest |R|, scaled.
    pub residual: f64,
    /// Iterations of both searches.
    pub iterations: usize,
    /// What found it.
    pub search: Search,
    /// A coordinate that leaves it, if it is unstable.
    pub unstable: Option<String>,
}

/// A position and how good it is.
#[derive(Clone)]
pub struct Found {
    q: Vec<f64>,
    angles: Vec<f64>,
    iterations: usize,
    search: Search,
}

/// Searches from q with these rows of Φ; `p` are the slots.
pub fn find(
    sys: &Setup,
    t: f64,
    p: &[f64],
    angles: &[f64],
    q: &[f64],
    held: &[u32],
) -> Result<Equilibrium, StepError> {
    let mut s = Problem::new(sys, t, p, angles, q, held)?;
    let newton = s.newton(q, angles)?;
    let start = Found { q: q.to_vec(), angles: angles.to_vec(), iterations: 0, search: Search::Newton };
    let mut best = match newton {
        Some(found) => {
            let far = largest(found.q.iter().zip(q).map(|(a, b)| a - b)) > FAR * s.size;
            // Newton may have climbed: is there a stable one downhill?
            let other = if far && s.unstable(&found)? { Some(s.relaxed(&start)?) } else { None };
            let done = found.iterations;
            match other {
                Some(Ok(o)) if !s.unstable(&o)? => Found { iterations: done + o.iterations, ..o },
                _ => found,
            }
        }
        None => match s.relaxed(&start)? {
            Ok(found) => found,
            Err(end) => return Err(s.not_found(&end)),
        },
    };
    best.iterations = best.iterations.max(1);
    s.finish(best)
}

struct Problem<'a> {
    sys: &'a Setup,
    t: f64,
    p: &'a [f64],
    held: &'a [u32],
    terms: Evaluator<f64>,
    balance: Balance,
    size: f64,
    force: f64,
    r: Vec<f64>,
    /// Iterations, also of searches that failed.
    iterations: usize,
}

impl<'a> Problem<'a> {
    fn new(
        sys: &'a Setup,
        t: f64,
        p: &'a [f64],
        angles: &[f64],
        q: &[f64],
        held: &'a [u32],
    ) -> Result<Self, StepError> {
        let n = sys.dims().n;
        let mut terms = sys.evaluator(p);
        terms.set_branches(angles);
        terms.at(t, q);
        let size = sys.size_of(q);
        let balance = Balance::new(sys, p, held, &choose(sys, t, q, &mut terms, held)?)?;
        let mut s =
            Self { sys, t, p, held, terms, balance, size, force: 1.0, r: vec![0.0; n], iterations: 0 };
        s.measure(q, angles)?;
        // loads, or what the springs would make of a hundredth of the size
        s.balance.set(sys, t, q, &mut s.terms);
        let load = largest(s.balance.reduced.load.iter().copied());
        s.force = Some(load.max(0.01 * size * s.balance.stiffness())).filter(|f| *f > 0.0).unwrap_or(1.0);
        Ok(s)
    }
    /// |R| at q, scaled; `r` holds R.
    fn measure(&mut self, q: &[f64], angles: &[f64]) -> Result<f64, StepError> {
        self.terms.set_branches(angles);
        self.balance.set_branches(angles);
        self.terms.at(self.t, q);
        self.balance.residual(self.sys, self.t, q, &mut self.terms, &mut self.r);
        if !self.balance.reduced.load.iter().all(|x| x.is_finite()) {
            let i = self.balance.reduced.load.iter().position(|x| !x.is_finite()).unwrap_or(0);
            return Err(StepError::NotFinite { t: self.t, equation: self.sys.coordinate_name(i) });
        }
        Ok(self.scaled().fold(0.0, |s, x| s + x * x).sqrt())
    }
    /// R, each entry over its scale.
    fn scaled(&self) -> impl Iterator<Item = f64> + '_ {
        let j: &Reduced<f64> = &self.balance.reduced;
        let rows = j.pattern.rows();
        let length =
            move |i: usize| largest(j.pattern.row(i).map(|p| j.j[p])).max(f64::MIN_POSITIVE) * self.size;
        self.r.iter().enumerate().map(move |(i, r)| if i < rows { r / length(i) } else { r / self.force })
    }
    fn angles_at(&mut self, q: &[f64]) -> Vec<f64> {
        let mut angles = vec![0.0; self.sys.dims().angles];
        self.terms.angles(q, &mut angles);
        angles
    }
    /// B again, where the configuration has moved.
    fn choose_again(&mut self, q: &[f64]) -> Result<(), StepError> {
        self.terms.at(self.t, q);
        let balanced = choose(self.sys, self.t, q, &mut self.terms, self.held)?;
        self.balance = Balance::new(self.sys, self.p, self.held, &balanced)?;
        Ok(())
    }
    /// (1); nothing if it does not converge.
    fn newton(&mut self, start: &[f64], angles: &[f64]) -> Result<Option<Found>, StepError> {
        let mut q = start.to_vec();
        let mut angles = angles.to_vec();
        let mut size = self.measure(&q, &angles)?;
        let mut small = 0;
        for iterations in 1..=NEWTON {
            self.iterations += 1;
            self.balance.set(self.sys, self.t, &q, &mut self.terms);
            if !size.is_finite() || self.balance.factor(0.0).is_err() {
                break;
            }
            let mut step = self.r.clone();
            self.balance.solve(&mut step);
            let moved = largest(step.iter().copied()) / self.size;
            small = if moved < 1e-9 { small + 1 } else { 0 };
            let Some((next, length)) = self.line_search(&q, &angles, &step, size, small > 0)? else { break };
            (q, size) = (next, length);
            angles = self.angles_at(&q);
            if moved < 4.0 * f64::EPSILON || small == 3 {
                self.measure(&q, &angles)?;
                return Ok(Some(Found { q, angles, iterations, search: Search::Newton }));
            }
        }
        Ok(None)
    }
    /// The first of the steps s that makes |R| smaller; a whole one where it is at rounding.
    fn line_search(
        &mut self,
        q: &[f64],
        angles: &[f64],
        step: &[f64],
        size: f64,
        whole: bool,
    ) -> Result<Option<(Vec<f64>, f64)>, StepError> {
        let mut s = 1.0;
        for _ in 0..12 {
            let trial: Vec<f64> = q.iter().zip(step).map(|(q, d)| q - s * d).collect();
            match self.measure(&trial, angles) {
                Ok(length) if whole || length < (1.0 - 1e-4 * s) * size => return Ok(Some((trial, length))),
                Ok(_) | Err(StepError::NotFinite { .. }) => s *= 0.5,
                Err(e) => return Err(e),
            }
        }
        Ok(None)
    }
    /// (2), then (1); where it fails, the position at its end.
    fn relaxed(&mut self, start: &Found) -> Result<Result<Found, Found>, StepError> {
        let mut q = start.q.clone();
        let mut angles = start.angles.clone();
        self.choose_again(&q)?;
        let mut size = self.measure(&q, &angles)?;
        self.balance.set(self.sys, self.t, &q, &mut self.terms);
        let least = self.balance.stiffness().max(self.force / self.size);
        let (mut sigma, mut moved) = (least, 0.0);
        let (mut tried, mut last) = (f64::INFINITY, 0);
        let search = Search::DampedMotion;
        for iterations in 1..=MOTION {
            self.iterations += 1;
            self.balance.set(self.sys, self.t, &q, &mut self.terms);
            // Newton that has failed is tried again further down, or some steps later
            let again = size < 0.5 * tried || iterations >= last + PAUSE || size < TINY;
            if size < SMALL && again {
                (tried, last) = (size, iterations);
                let far = FAR * self.size;
                let near = |f: &Found| largest(f.q.iter().zip(&q).map(|(a, b)| a - b)) < far;
                if let Some(found) = self.newton(&q, &angles)?.filter(near) {
                    return Ok(Ok(Found { iterations: iterations + found.iterations, search, ..found }));
                }
                // where a direction is free, Newton has no matrix
                if size < TINY {
                    return Ok(Ok(Found { q, angles, iterations, search }));
                }
                self.measure(&q, &angles)?;
                self.balance.set(self.sys, self.t, &q, &mut self.terms);
            }
            let Some((next, length)) = self.downhill(&q, &angles, sigma, size)? else {
                sigma *= 4.0;
                if sigma > 1e12 * least {
                    break;
                }
                self.measure(&q, &angles)?;
                continue;
            };
            let step = largest(next.iter().zip(&q).map(|(a, b)| a - b));
            moved += step;
            q = next;
            angles = self.angles_at(&q);
            let fall = if step < FAR * self.size { 0.5 } else { 1.0 };
            sigma = (sigma * (length / size).clamp(0.1, fall)).max(1e-6 * least);
            size = length;
            if moved > 0.2 * self.size {
                moved = 0.0;
                self.choose_again(&q)?;
                size = self.measure(&q, &angles)?;
            }
        }
        Ok(Err(Found { q, angles, iterations: MOTION, search }))
    }
    /// A step of (2), unless it is long or goes uphill.
    fn downhill(
        &mut self,
        q: &[f64],
        angles: &[f64],
        sigma: f64,
        size: f64,
    ) -> Result<Option<(Vec<f64>, f64)>, StepError> {
        if self.balance.factor(sigma).is_err() {
            return Ok(None);
        }
        let mut step = self.r.clone();
        self.balance.solve(&mut step);
        let rows = self.balance.reduced.pattern.rows();
        // work of g = Bᵀ r along the step
        let work: f64 = self
            .balance
            .reduced
            .balanced
            .iter()
            .zip(&self.r[rows..])
            .map(|(&i, r)| r * step[i as usize])
            .sum();
        let off = self.scaled().take(rows).fold(0.0f64, |s, x| s.max(x.abs()));
        if largest(step.iter().copied()) > 0.1 * self.size || (work < 0.0 && off < 1e-6 && size > SMALL) {
            return Ok(None);
        }
        let next: Vec<f64> = q.iter().zip(&step).map(|(q, d)| q - d).collect();
        match self.measure(&next, angles) {
            Ok(length) if length.is_finite() => Ok(Some((next, length))),
            Ok(_) | Err(StepError::NotFinite { .. }) => Ok(None),
            Err(e) => Err(e),
        }
    }
    /// The largest three parts of R by name.
    fn worst(&self) -> Vec<(String, f64)> {
        let rows = self.balance.reduced.pattern.rows();
        let scaled: Vec<f64> =
            self.scaled().map(|x| if x.is_nan() { f64::INFINITY } else { x.abs() }).collect();
        let mut order: Vec<usize> = (0..scaled.len()).filter(|&i| scaled[i] > 1e-9).collect();
        order.sort_by(|&a, &b| scaled[b].total_cmp(&scaled[a]));
        order.truncate(3);
        let name = |i: usize| match self.held.get(i) {
            Some(&k) => format!("`{}`", self.sys.row_name(k as usize)),
            None if i < rows => {
                format!("condition `{}`", self.sys.condition_name(Kinematics::Position, i - self.held.len()))
            }
            None => {
                let c = self.balance.reduced.balanced[i - rows];
                format!("balance of forces along `{}`", self.sys.coordinate_name(c as usize))
            }
        };
        order.into_iter().map(|i| (name(i), self.r[i])).collect()
    }
    /// What is left where the search ended, and the directions that hardly any force holds there.
    fn not_found(&mut self, end: &Found) -> StepError {
        // it may have ended where nothing can be linearised; r is that of its end
        let _ = self.measure(&end.q, &end.angles);
        let open = self.linearised(end).map_or(vec![], |()| nearly_free(&mut self.balance, end.q.len()));
        let open = pivots(open).into_iter().map(|i| self.sys.coordinate_name(i)).collect();
        StepError::NoEquilibrium { iterations: self.iterations, worst: self.worst(), open }
    }
    fn linearised(&mut self, at: &Found) -> Result<(), StepError> {
        self.choose_again(&at.q)?;
        self.measure(&at.q, &at.angles)?;
        self.balance.set(self.sys, self.t, &at.q, &mut self.terms);
        Ok(())
    }
    fn unstable(&mut self, at: &Found) -> Result<bool, StepError> {
        self.linearised(at)?;
        Ok(matches!(kind(&mut self.balance, at.q.len()), Kind::Unstable(_)))
    }
    /// Free directions and loads on conditions are errors.
    fn finish(mut self, at: Found) -> Result<Equilibrium, StepError> {
        let sys = self.sys;
        self.linearised(&at)?;
        let name = |k: usize| sys.condition_name(Kinematics::Position, k);
        let unstable = match kind(&mut self.balance, at.q.len()) {
            Kind::Free(motions) => {
                let free = pivots(motions).into_iter().map(|i| sys.coordinate_name(i)).collect();
                let conditions = (0..self.balance.nu.len()).map(name).collect();
                return Err(StepError::EquilibriumFree { free, conditions });
            }
            Kind::Unstable(motion) => pivots(vec![motion]).first().map(|&i| sys.coordinate_name(i)),
            Kind::Stable => None,
        };
        let efforts: Vec<f64> = self.balance.nu.iter().map(|nu| -nu).collect();
        let held = |k: usize| sys.statics().is_some_and(|s| s.held[k]);
        let j = &self.balance.reduced;
        let rows = self.held.len();
        let carried = |k: usize| (efforts[k] * largest(j.pattern.row(rows + k).map(|p| j.j[p]))).abs();
        if let Some(k) = (0..efforts.len()).find(|&k| !held(k) && carried(k) > LOAD * self.force) {
            return Err(StepError::EquilibriumLoad { condition: name(k), effort: efforts[k] });
        }
        self.balance.factor(0.0).map_err(|s| StepError::Singular {
            t: self.t,
            equation: sys.coordinate_name(s.index.min(at.q.len() - 1)),
        })?;
        let stiff = RESISTANCE * self.balance.stiffness();
        let length = |s: &Self, k: usize| {
            largest(s.balance.reduced.pattern.row(rows + k).map(|p| s.balance.reduced.j[p]))
        };
        for k in (0..efforts.len()).filter(|&k| !held(k)) {
            let scale = length(&self, k).powi(2);
            if self.balance.resistance(k).abs() * scale > stiff {
                return Err(StepError::EquilibriumSurplus { condition: name(k) });
            }
        }
        let residual = self.scaled().fold(0.0f64, |s, x| s.max(x.abs()));
        let (balanced, lam) = (self.balance.reduced.balanced.clone(), self.balance.lam.clone());
        let Found { q, angles, search, iterations } = at;
        Ok(Equilibrium { q, lam, efforts, balanced, angles, residual, iterations, search, unstable })
    }
}

/// Coordinates that J leaves open at q, where `terms` are.
fn choose(
    sys: &Setup,
    t: f64,
    q: &[f64],
    terms: &mut Evaluator<f64>,
    held: &[u32],
) -> Result<Vec<u32>, StepError> {
    let conditions = sys.statics().map_or(0, |s| s.held.len());
    let zero = vec![0.0; q.len().max(sys.dims().m)];
    let mut rows = StartRows::of(sys, Kinematics::Position, held, conditions);
    rows.set(&still(sys, t, q, &zero), terms);
    if let Some(e) = rows.undetermined(sys) {
        return Err(e);
    }
    let all: Vec<u32> = (0..rows.pattern.rows() as u32).collect();
    Ok(unpivoted_columns(&rows.pattern, rows.matrix(), &all))
}
