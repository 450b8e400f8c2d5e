//! The time of a record as its last number, where conditions of the motion decide it.
//!
//! ```text
//! R(x, x⁻, t, h; p) = 0,    t = τ⁻,   h = τ - τ⁻                                                        (1)
//! τ - t_n(p) = 0,   τ - τ⁻ = 0   or   g(τ, x; p) = 0        a node, a restart, an event                 (2)
//! R_x s + R_h τ' = -(R_past s⁻ + (R_t - R_h) τ⁻' + R_p p')                                              (3)
//! τ' = -(g_p p' - g_x R_x⁻¹ (…))/(g_τ - g_x R_x⁻¹ R_h)       the pivot is the rate of g in the step      (4)
//! ```
//! Only an event, the restart after it and the step after that depend on the time of the event: later nodes
//! are numbers of the plan. Record 0 has R_t in place of R_h. Products are those of any record, one longer.

use super::chain_residual::PlainResidual;
use super::{Residual, Span, StepArgs, StepRecipe};
use crate::error::StepError;
use crate::moving::Moving;
use crate::plan::{ClockRow, Frozen};
use crate::record::Layout;
use gradyn_model::{Evaluator, FunctionalSet};
use gradyn_num::Wide;

/// A pivot (4) below this, relative to what it is made of, grazes.
const GRAZES: f64 = 1e-10;

/// (2) to (4) of the record that is linearised.
pub(super) struct Clock {
    layout: Layout,
    residual: PlainResidual<Wide>,
    terms: Evaluator<f64>,
    moving: Moving,
    /// Record, past and residual on duals.
    wide: [Vec<Wide>; 3],
    /// Row (2) of the record.
    row: ClockRow,
    /// Do the time of the record or that of its past move?
    moves: bool,
    /// Column of the time of the record, R_h, and that of its past, R_t - R_h.
    own: Vec<f64>,
    past: Vec<f64>,
    /// g_x over (q, v, a, λ | support), g_τ, and the pivot (4) of an event.
    gradient: Vec<f64>,
    slope: f64,
    pivot: f64,
    /// R_x⁻¹ R_h of an event.
    pub along: Vec<f64>,
    /// Slots that g can depend on.
    support: Vec<u32>,
}

impl Clock {
    /// Memory for the records of a recipe, without their time.
    pub(super) fn new(recipe: &StepRecipe, p: &[f64]) -> Self {
        let sys = recipe.system();
        let layout = recipe.plain_layout();
        let zero = Wide::from(0.0);
        let p_wide: Vec<Wide> = p.iter().map(|&p| Wide::from(p)).collect();
        let support = sys.support(FunctionalSet::Condition).to_vec();
        Self {
            layout,
            residual: PlainResidual::new(recipe, &p_wide),
            terms: sys.evaluator(p),
            moving: Moving::new(sys, p, layout, FunctionalSet::Condition),
            wide: [(); 3].map(|()| vec![zero; layout.len]),
            row: ClockRow::Fixed,
            moves: false,
            own: vec![0.0; layout.len],
            past: vec![0.0; layout.len],
            gradient: vec![0.0; layout.z() + support.len()],
            slope: 0.0,
            pivot: 1.0,
            along: vec![0.0; layout.len],
            support,
        }
    }
    /// Columns and rows of a record, which has no time here.
    pub(super) fn set(&mut self, a: &StepArgs) {
        self.row = a.frozen.clock;
        self.moves = a.frozen.past_moves || self.row != ClockRow::Fixed;
        if !self.moves {
            return;
        }
        // R_h and R_t - R_h
        let [x, past, r] = &mut self.wide;
        x.iter_mut().zip(a.x).for_each(|(to, x)| *to = Wide::from(*x));
        past.iter_mut().zip(a.past).for_each(|(to, x)| *to = Wide::from(*x));
        let span = Span { t: Wide::var(a.span.t, 1), h: Wide::var(a.span.h, 0) };
        let args = StepArgs { span, frozen: a.frozen, x, past: &past[..a.past.len()] };
        self.residual.residual(&args, r);
        for (i, r) in r.iter().enumerate() {
            let [h, t] = [r.eps[0], r.eps[1]];
            (self.own[i], self.past[i]) = if a.is_start() { (t, 0.0) } else { (h, t - h) };
        }
        // g_x and g_τ
        if let ClockRow::Event(k) = self.row {
            self.set_gradient(k as usize, a.span.end(), a.frozen.branches, a.x);
        }
    }
    /// g_x over the node and its support, and g_τ with everything else at rest.
    fn set_gradient(&mut self, k: usize, t: f64, branches: &[f64], x: &[f64]) {
        let lay = self.layout;
        self.terms.set_branches(branches);
        self.terms.at_time(t);
        self.terms.measure_row(FunctionalSet::Condition, k, &lay.node(t, x), &mut self.gradient);
        self.slope = self.moving.stand(t, branches, x)[k].eps[0];
    }
    /// (g, ġ) of a condition at the end of a step.
    pub(super) fn rate(&mut self, k: u32, span: Span<f64>, frozen: Frozen, records: [&[f64]; 2]) -> [f64; 2] {
        let g = self.moving.look(span, frozen.branches, records)[k as usize];
        [g.re, g.eps[0]]
    }
    /// g_x over (q, v, a, λ).
    fn node_gradient(&self) -> &[f64] {
        &self.gradient[..self.layout.z()]
    }
    /// R_h of an event, to be solved for `along`.
    pub(super) fn begin_event(&mut self) -> bool {
        let event = matches!(self.row, ClockRow::Event(_));
        if event {
            self.along.copy_from_slice(&self.own);
        }
        event
    }
    /// The pivot (4), once `along` is solved for.
    pub(super) fn end_event(&mut self, t: f64) -> Result<(), StepError> {
        let change = dot(self.node_gradient(), &self.along);
        self.pivot = self.slope - change;
        if self.pivot.abs() <= GRAZES * (self.slope.abs() + change.abs()) || self.pivot == 0.0 {
            return Err(StepError::Grazes { t, rate: self.pivot });
        }
        Ok(())
    }
    /// What the time takes from b before R_x is solved with; of an event nothing.
    pub(super) fn before_solve(&self, b: &mut [f64], time: f64) {
        if self.moves && !matches!(self.row, ClockRow::Event(_)) {
            b.iter_mut().zip(&self.own).for_each(|(b, c)| *b -= c * time);
        }
    }
    /// (4): the time of an event after R_x was solved with, and what it changes.
    pub(super) fn after_solve(&self, b: &mut [f64], time: &mut f64) {
        if let ClockRow::Event(_) = self.row {
            *time = (*time - dot(self.node_gradient(), b)) / self.pivot;
            b.iter_mut().zip(&self.along).for_each(|(b, w)| *b -= w * *time);
        }
    }
    /// The transpose of `after_solve`, before R_xᵀ is solved with.
    pub(super) fn before_solve_t(&self, b: &mut [f64], time: &mut f64) {
        if let ClockRow::Event(_) = self.row {
            *time = (*time - dot(&self.along, b)) / self.pivot;
            b.iter_mut().zip(self.node_gradient()).for_each(|(b, g)| *b -= g * *time);
        }
    }
    /// The transpose of `before_solve`, after R_xᵀ was solved with.
    pub(super) fn after_solve_t(&self, mu: &[f64], time: &mut f64) {
        if self.moves && !matches!(self.row, ClockRow::Event(_)) {
            *time -= dot(&self.own, mu);
        }
    }
    /// r += (R_t - R_h) τ⁻', and the row (2) of a restart.
    pub(super) fn past_mul(&self, s: f64, r: &mut [f64], time: &mut f64) {
        if self.moves {
            r.iter_mut().zip(&self.past).for_each(|(r, c)| *r += c * s);
        }
        if self.row == ClockRow::Past {
            *time -= s;
        }
    }
    /// The transpose of `past_mul`, added to the cotangent of τ⁻.
    pub(super) fn past_mul_t(&self, mu: &[f64], time: f64, out: &mut f64) {
        if self.moves {
            *out += dot(&self.past, mu);
        }
        if self.row == ClockRow::Past {
            *out -= time;
        }
    }
    /// (2) along slots.
    pub(super) fn slot_mul(&self, delta: &[f64], time: &mut f64) {
        match self.row {
            ClockRow::Declared(slot) => *time -= delta[slot as usize],
            ClockRow::Event(_) => {
                let g_p = &self.gradient[self.layout.z()..];
                *time += self.support.iter().zip(g_p).map(|(&s, g)| g * delta[s as usize]).sum::<f64>();
            }
            ClockRow::Fixed | ClockRow::Past => {}
        }
    }
    /// The transpose of `slot_mul`, times s.
    pub(super) fn slot_mul_t(&self, time: f64, s: f64, grad: &mut [f64]) {
        match self.row {
            ClockRow::Declared(slot) => grad[slot as usize] -= time * s,
            ClockRow::Event(_) => {
                let g_p = &self.gradient[self.layout.z()..];
                self.support.iter().zip(g_p).for_each(|(&slot, g)| grad[slot as usize] += g * time * s);
            }
            ClockRow::Fixed | ClockRow::Past => {}
        }
    }
}

/// aᵀ b over what both have.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
