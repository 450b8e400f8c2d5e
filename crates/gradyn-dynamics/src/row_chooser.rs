//! Which rows of redundant constraints are kept, chosen again along a run.
//!
//! A row that is left out follows from those that are kept. With rows over the largest length that each of
//! them has had,
//!
//! ```text
//! ĵ_r = Σ_k d_rk ĵ_k,     [ I  Ĵᵀ ] [ y ]   [ ĵ_r ]
//!                         [ Ĵ   0 ] [ d ] = [  0  ]                                                  (1)
//! ```
//! The volume of the kept rows grows by |d_rk| if r takes the place of k. Where a |d_rk| exceeds [`BAD`], the
//! kept rows approach a dependency that the mechanism does not have, or one of them vanishes, as rows of
//! joint coordinates may. Then r and k are exchanged where |d_rk| is largest, until all are at most
//! [`GOOD`]:
//!
//! ```text
//! c = 1/d_rk,   d_rj ← -c d_rj,  d_rk ← c,   d_ij ← d_ij + d_ik d_rj,  d_ik ← d_ik d_rk                 (2)
//! ```
//! Rows of velocity level take the place of such rows only, and lengths of Euler parameters stay. How many
//! are kept never changes: fewer independent rows are a singular position, which the step itself finds. A
//! choice is data of a record, like the references of angles: all stages and projections of a step have the
//! same rows, and (q, v, a) do not depend on which they are.

use crate::error::StepError;
use crate::trajectory::Trajectory;
use gradyn_model::{Evaluator, RowChoice, Setup};
use gradyn_num::{Pattern, Saddle, nothing};

/// |d| of (1) above which rows are exchanged.
const BAD: f64 = 4.0;

/// Largest |d| of (1) after that.
const GOOD: f64 = 1.2;

/// Choices of rows besides that of the system, and the number of that of each record and of the one after the
/// last, that a run with multipliers has where this one has been; 0 where there is no choice.
pub fn rows_along(sys: &Setup, p: &[f64], run: &Trajectory) -> (Vec<RowChoice>, Vec<u32>) {
    // where events switch rows, the choices are those of the run
    if sys.switches_rows() {
        let mut numbers: Vec<u32> = run.plan.rows.iter().collect();
        numbers.extend(run.plan.rows.last());
        return (run.plan.row_choices.clone(), numbers);
    }
    let mut choices = vec![];
    let mut numbers = vec![0];
    let mut chooser = RowChooser::new(sys, p).ok().flatten();
    for n in 0..=run.plan.steps() {
        let decide =
            |c| RowChooser::decide(c, run.plan.t[n], &run.record(n)[..run.layout.n], &run.branches(n));
        let fresh = chooser.as_mut().and_then(decide);
        let number = fresh.map_or(numbers[n], |choice| number_of(choice, sys, &mut choices));
        numbers.push(number);
    }
    (choices, numbers)
}

/// The number of a choice: 0 is that of the system, the others are appended where they are new.
pub(crate) fn number_of(choice: &RowChoice, sys: &Setup, others: &mut Vec<RowChoice>) -> u32 {
    let known = std::iter::once(sys.row_choice()).chain(&*others).position(|c| c == choice);
    let number = known.unwrap_or_else(|| {
        others.push(choice.clone());
        others.len()
    });
    number as u32
}

/// The choice of a run on its way, and memory for (1).
pub(crate) struct RowChooser {
    /// The system with all its rows, and its terms.
    sys: Setup,
    terms: Evaluator<f64>,
    choice: RowChoice,
    /// Largest length of each row.
    longest: Vec<f64>,
    /// The matrix of (1), and the rows ĵ of Ĵ.
    saddle: Saddle,
    kept: Vec<f64>,
    b: Vec<f64>,
    /// d of each row that is left out, over all rows.
    d: Vec<Vec<f64>>,
}

impl RowChooser {
    /// Begins with the rows of the system; `None` where none is left out.
    pub(crate) fn new(sys: &Setup, p: &[f64]) -> Result<Option<Self>, StepError> {
        let off = &sys.row_choice().off;
        if sys.dropped().len() == off.len() {
            return Ok(None);
        }
        let all = sys.with_all_rows()?;
        let dims = sys.dims();
        let mn = &sys.patterns().mn;
        let identity = Pattern::from_entries(dims.n, dims.n, (0..dims.n).map(|i| (i, i)));
        Ok(Some(Self {
            terms: all.evaluator(p),
            sys: all,
            choice: sys.row_choice().clone(),
            longest: vec![0.0; dims.m],
            saddle: Saddle::new(&identity, mn)?.released(sys.dropped()),
            kept: vec![0.0; mn.nnz()],
            b: vec![0.0; dims.n + dims.m],
            d: vec![vec![0.0; dims.m]; sys.dropped().len() - off.len()],
        }))
    }
    /// Another choice at (t, q), where the present one has become bad.
    pub(crate) fn decide(&mut self, t: f64, q: &[f64], angles: &[f64]) -> Option<&RowChoice> {
        self.terms.set_branches(angles);
        self.terms.at(t, q);
        // where (1) has no solution the position is singular
        if !self.express() || self.worst(BAD).is_none() {
            return None;
        }
        while let Some((i, k)) = self.worst(GOOD) {
            self.exchange(i, k);
        }
        self.choice.dropped.sort_unstable();
        self.saddle = self.saddle.clone().released(&self.choice.dropped);
        Some(&self.choice)
    }
    /// (1) where the terms are; is there a solution?
    fn express(&mut self) -> bool {
        let Self { sys, terms, choice, longest, saddle, kept, b, d } = self;
        let mn = &sys.patterns().mn;
        let n = mn.cols();
        let phi_q = terms.phi_q();
        // ĵ of the kept rows
        for (k, longest) in longest.iter_mut().enumerate() {
            let length = phi_q[mn.row(k)].iter().map(|x| x * x).sum::<f64>().sqrt();
            *longest = longest.max(length);
            mn.row(k).for_each(|p| kept[p] = phi_q[p] / longest.max(f64::MIN_POSITIVE));
        }
        choice.dropped.iter().for_each(|&r| kept[mn.row(r as usize)].fill(0.0));
        if saddle.refactor(|_| 1.0, |p| kept[p], kept, |_| 0.0, 1.0).is_err() {
            return false;
        }
        // d of the others that are on; a row of roundings holds by itself
        let zero = nothing(longest);
        for (d, r) in d.iter_mut().zip(choice.redundant()).map(|(d, r)| (d, r as usize)) {
            b.fill(0.0);
            if longest[r] > zero {
                mn.row(r).for_each(|p| b[mn.col(p)] = phi_q[p] / longest[r]);
            }
            saddle.solve(b);
            d.copy_from_slice(&b[n..]);
        }
        true
    }
    /// The largest |d_rk| above a limit, of rows that may be exchanged: the number of r, and k.
    fn worst(&self, limit: f64) -> Option<(usize, usize)> {
        let holonomic = self.sys.dims().m - self.sys.dims().m_vel;
        let mut worst = None;
        let mut most = limit;
        for (i, (d, r)) in self.d.iter().zip(self.choice.redundant()).enumerate() {
            // a row of velocity level does not determine positions
            let level = (r as usize) < holonomic;
            let may = |k: &usize| (*k < holonomic) == level && self.sys.may_drop(*k);
            for k in (0..d.len()).filter(may) {
                if d[k].abs() > most {
                    most = d[k].abs();
                    worst = Some((i, k));
                }
            }
        }
        worst
    }
    /// Row number `i` of those that are left out takes the place of row k, (2).
    fn exchange(&mut self, i: usize, k: usize) {
        let Some(r) = self.choice.redundant().nth(i).map(|r| r as usize) else { return };
        // row k by r and the others
        let c = 1.0 / self.d[i][k];
        self.d[i].iter_mut().for_each(|d| *d *= -c);
        self.d[i][k] = 0.0;
        self.d[i][r] = c;
        let new = self.d[i].clone();
        for (_, d) in self.d.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let share = std::mem::take(&mut d[k]);
            d.iter_mut().zip(&new).for_each(|(d, n)| *d += share * n);
        }
        // the lists
        self.choice.dropped.iter_mut().filter(|x| **x == r as u32).for_each(|x| *x = k as u32);
        for rows in &mut self.choice.independent {
            rows.iter_mut().filter(|x| **x == k as u32).for_each(|x| *x = r as u32);
            rows.sort_unstable();
        }
    }
}
