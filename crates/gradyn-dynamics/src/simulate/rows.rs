//! The rows that hold after an event has switched some of them.
//!
//! ```text
//! rank Φ_q(q)                     of the rows that are on, where the event happens                        (1)
//! rank [Φ_I ; u_q](q⁻) = n        rows I for the way to positions that the event gives                    (2)
//! rank Φ_q(q⁺) = |I|              at its end: as many rows as there have been on the way                  (3)
//! ```
//! Rows that begin with a place hold at q⁺ only: at q⁻ they may follow from others, or say more than they do
//! where it leads. So the freedoms are those of q⁺, and what is given has to be as much.

use super::Walk;
use crate::assembly::{ranks, ranks_at, with_velocities};
use crate::error::{EventError, StepError};
use crate::initial::pair;
use crate::plan::Frozen;
use crate::row_chooser::{RowChooser, number_of};
use crate::start::RANK_TOLERANCE;
use gradyn_model::{At, Evaluator, EventRule, FunctionalSet, Kinematics, Level, RowChoice, Setup};
use gradyn_num::{Basis, largest, unit_rows};

/// |Φ| of a constraint that is switched on, over its gradient and relative to the size of the mechanism.
const HOLDS: f64 = 1e-8;
/// A row of length 1 of which others leave this much is clear of them.
const CLEAR: f64 = 0.1;

impl Walk<'_> {
    /// The rows that the next step has.
    pub(super) fn row_choice(&self) -> &RowChoice {
        let own = self.recipe.system().row_choice();
        self.run.plan.row_choice(self.rows).unwrap_or(own)
    }
    /// Chooses rows at the last record where some are off; those that are new hold there.
    pub(super) fn choose_with(&mut self, off: Vec<u32>, new: &[u32], event: u32) -> Result<(), StepError> {
        let rule = self.rule(event);
        let t = self.run.plan.t[self.run.plan.steps()];
        let sys = self.recipe.system().with_off(off)?;
        // independent rows of those that are on
        let independent = if rule.is_place() {
            self.rows_of_place(&sys, event)?
        } else {
            let q = &self.run.last()[..self.run.layout.n];
            self.check_new(&sys, (t, q), new, &rule)?;
            ranks_at(&sys, t, &self.p, self.turns.references(), q).independent
        };
        let choice = self.left_out(&sys, independent);
        let own = self.recipe.system();
        self.chooser = RowChooser::new(&own.with_rows(&choice)?, &self.p)?;
        self.rows = number_of(&choice, own, &mut self.run.plan.row_choices);
        // independent coordinates, of which there are others now
        self.choice.fill(u32::MAX);
        Ok(())
    }
    /// The choice with some independent rows of those that are on.
    fn left_out(&self, sys: &Setup, independent: [Vec<u32>; 2]) -> RowChoice {
        // with compliances the multipliers of redundant rows are unique; those of an iteration are none, as
        // for the rows of the start
        let soft = self.recipe.restart_law().law.compliance.factor > 0.0;
        let off = sys.row_choice().off.clone();
        let redundant = |k: &u32| !soft && !independent[1].contains(k);
        let dropped = (0..sys.dims().m as u32).filter(|k| off.contains(k) || redundant(k)).collect();
        RowChoice { independent, dropped, off }
    }
    /// Independent rows where an event gives positions, (2) and (3); `sys` has all that are on.
    fn rows_of_place(&mut self, sys: &Setup, event: u32) -> Result<[Vec<u32>; 2], StepError> {
        let n = self.run.plan.steps();
        let t = self.run.plan.t[n];
        let rule = self.rule(event);
        let past = self.run.last().to_vec();
        // (2)
        let mut terms = sys.evaluator(&self.p);
        terms.set_branches(self.run.plan.branches(n));
        let at = self.run.layout.node(t, &past);
        terms.at(t, at.q);
        let on = self.rows_of_way(sys, &rule, &at, &mut terms);
        let way = self.left_out(sys, with_velocities(sys, terms.phi_q(), on.clone()).0);
        // its end
        let frozen = Frozen {
            branches: self.run.plan.branches(n),
            past_branches: self.run.plan.branches(n),
            rows: Some(&way),
            restart: true,
            event: Some(event),
            ..Frozen::default()
        };
        let Some(placed) = self.chain.place(t, frozen, &past)? else { return Ok(way.independent) };
        // (3)
        terms.set_branches(&self.turns.placed(t, &placed.angles));
        terms.at(t, &placed.q);
        let found = ranks(sys, terms.phi_q()).independent;
        if found[0].len() != on.len() {
            let (kind, given) = (Kinematics::Position.name(), rule.places.1 as usize);
            let free = sys.dims().n - found[0].len();
            return Err(EventError::PlacedInPart { t, event: rule.name, kind, given, free }.into());
        }
        Ok(with_velocities(sys, terms.phi_q(), on).0)
    }
    /// Rows of positions for the way to what an event gives: those of (1), or where they are more than (2)
    /// has room for, some of them, those that held before first.
    fn rows_of_way(&self, sys: &Setup, rule: &EventRule, at: &At, terms: &mut Evaluator<f64>) -> Vec<u32> {
        let n = sys.dims().n;
        let (first, given) = rule.places;
        let [found, _] = ranks(sys, terms.phi_q()).independent;
        let wanted = n.saturating_sub(given as usize);
        if found.len() <= wanted {
            return found;
        }
        // u_q, then rows of constraints that it leaves open
        let mut basis = Basis::default();
        let mut row = vec![0.0; self.run.layout.z() + sys.support(FunctionalSet::Event).len()];
        for j in first..first + given {
            terms.measure_row(FunctionalSet::Event, pair(j as usize)[0], at, &mut row);
            let length = row[..n].iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            basis.add(row[..n].iter().map(|x| x / length).collect(), RANK_TOLERANCE);
        }
        let (_, unit) = unit_rows(&sys.patterns().mn, terms.phi_q());
        let before = &self.row_choice().independent[0];
        let holonomic = 0..(sys.dims().m - sys.dims().m_vel) as u32;
        let on = holonomic.filter(|k| !sys.row_choice().off.contains(k));
        let (old, new): (Vec<u32>, Vec<u32>) = on.partition(|k| before.contains(k));
        let mut kept: Vec<u32> = vec![];
        for least in [CLEAR, RANK_TOLERANCE] {
            for &k in old.iter().chain(&new) {
                let open = kept.len() < wanted && !kept.contains(&k);
                if open && basis.add(unit[k as usize].clone(), least) > least {
                    kept.push(k);
                }
            }
        }
        // where what is given follows from itself the way is singular, which it says
        let more: Vec<u32> = found.into_iter().filter(|k| !kept.contains(k)).collect();
        kept.extend(more.into_iter().take(wanted - kept.len()));
        kept.sort_unstable();
        kept
    }
    /// Constraints that an event switches on hold at the positions that it gives, whether they have been on
    /// the way or follow from the others there.
    pub(super) fn check_placed(&self, event: u32) -> Result<(), StepError> {
        let rule = self.rule(event);
        let n = self.run.plan.steps();
        let on: Vec<&String> = rule.constraints.iter().filter(|c| c.1).map(|c| &c.0).collect();
        if !rule.is_place() || on.is_empty() {
            return Ok(());
        }
        let own = self.recipe.system();
        let choice = self.run.plan.rows(n).unwrap_or_else(|| own.row_choice());
        let sys = own.with_off(choice.off.clone())?;
        let new: Vec<u32> = on.iter().flat_map(|name| sys.rows_of(name)).collect();
        let q = &self.run.last()[..self.run.layout.n];
        self.check_new(&sys, (self.run.plan.t[n], q), &new, &rule)
    }
    /// Rows that are switched on hold already.
    fn check_new(
        &self,
        sys: &Setup,
        (t, q): (f64, &[f64]),
        new: &[u32],
        rule: &EventRule,
    ) -> Result<(), StepError> {
        let (n, m) = (sys.dims().n, sys.dims().m);
        let mut terms = sys.evaluator(&self.p);
        terms.set_branches(self.turns.references());
        terms.at(t, q);
        // Φ over the lengths of its rows; rows of velocities begin by an impact
        let node = [q, &vec![0.0; 2 * n + m]].concat();
        let mut phi = vec![0.0; m];
        terms.constraint(&At::of(t, &node, n, m), Level::POSITION, &mut phi);
        let mn = &sys.patterns().mn;
        let holonomic = |k: &&u32| (**k as usize) < m - sys.dims().m_vel;
        for k in new.iter().filter(holonomic).map(|&k| k as usize) {
            let length = largest(mn.row(k).map(|at| terms.phi_q()[at])).max(f64::MIN_POSITIVE);
            if phi[k].abs() > HOLDS * length * sys.size_of(q) {
                let (event, row, residual) = (rule.name.clone(), sys.row_name(k), phi[k]);
                return Err(EventError::DoesNotHold { t, event, row, residual }.into());
            }
        }
        // rows of directions are quadratic, and hold of opposite ones too
        let opposed = sys.flipped(&self.p, q);
        let on = |joint: &String| new.iter().any(|k| sys.rows_of(joint).contains(k));
        match opposed.into_iter().find(on) {
            Some(joint) => Err(EventError::Opposed { t, event: rule.name.clone(), joint }.into()),
            None => Ok(()),
        }
    }
}
