//! Elements on natural coordinates: points and unit vectors shared by the bodies that they belong to.
//!
//! ```text
//! r = C(p) q + d(p)       every point and direction of a body                                     (1)
//! M constant, rows quadratic, drivers and couplings by formula                                   (2)
//! ```
//! A plane body has two points, or a point and a unit vector along its local x axis; a body in space has four
//! points and vectors, a rod two points. Joints share points and axes, so that they need fewer rows.
//! [`build`](crate::build::build) makes the system from a [`Mechanism`](crate::mechanism::Mechanism).

mod penalty;
mod rows;
mod terms;

pub(crate) use terms::Acting;

pub(crate) use penalty::RowPenalties;

use crate::cut::Cut;
use crate::element::{Args, MOST};
use crate::event::EventRule;
use crate::force::{Force, ForceAt, LawScratch};
use crate::formula::{FormulaRow, FormulaScratch};
use crate::functional::{Cotangent, Functional, FunctionalScratch, Sensed, quadratic};
use crate::geometry::Kind;
use crate::guard::{Guard, Outside, Undefined};
use crate::load::{LoadRows, LoadScratch};
use crate::ports::Tangents;
use crate::quadratic::{Form, QuadraticRows};
use crate::row::RowName;
use crate::row_status::{Active, RowStatus};
use crate::side::Side;
use crate::signal::{Scratch, Signals};
use crate::start::Start;
use crate::system::{AngleName, At, Dims, Patterns};
use gradyn_num::Scalar;
use std::sync::Arc;

/// The elements of a mechanism with its functionals, on natural coordinates or on the frames of a tree.
#[derive(Clone, Debug)]
pub struct Elements {
    pub(crate) dims: Dims,
    pub(crate) patterns: Patterns,
    /// (i, j, slot): entries of M, both triangles; positions in `inertia_at`.
    pub(crate) inertia: Vec<(u32, u32, u32)>,
    pub(crate) inertia_at: Vec<u32>,
    /// (coordinate, slot).
    pub(crate) weights: Vec<(u32, u32)>,
    /// Slot of the constant of the gravity potential.
    pub(crate) level: u32,
    pub(crate) rows: QuadraticRows,
    /// Rows by formula, after the quadratic ones.
    pub(crate) formulas: Vec<FormulaRow>,
    pub(crate) forces: Vec<Force>,
    pub(crate) loads: Vec<LoadRows>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) signals: Signals,
    /// (Y, X) of each angle atan2(Y, X) with a branch, in order.
    pub(crate) angles: Vec<(Form, Form)>,
    pub(crate) angle_names: Vec<AngleName>,
    /// Is the angle read after the start?
    pub(crate) tracked: Vec<bool>,
    pub(crate) integrand: Functional,
    pub(crate) terminal: Functional,
    pub(crate) output: Functional,
    /// g of every condition whose side is data of a run, and what is known of it.
    pub(crate) conditions: Functional,
    pub(crate) sides: Vec<Side>,
    /// Where expressions may jump or kink without a condition, with values and functions g.
    pub(crate) cuts: Vec<Cut>,
    pub(crate) cut_values: Functional,
    /// Velocities that events give and their values, and the events.
    pub(crate) event_rows: Functional,
    pub(crate) events: Vec<EventRule>,
    pub(crate) position: Vec<Functional>,
    pub(crate) velocity: Vec<Functional>,
    /// The rate of each coordinate, where everything is at rest in an equilibrium.
    pub(crate) at_rest: Vec<Functional>,
    /// Joints that hold directions parallel, with their product, which is positive.
    pub(crate) aligned: Vec<(String, Form)>,
    pub(crate) penalties: RowPenalties,
    pub(crate) row_names: Vec<RowName>,
    /// Sensors of the position and of the velocity conditions, as written.
    pub(crate) condition_names: [Vec<String>; 2],
    pub(crate) coordinate_names: Vec<String>,
}

/// Terms of elements at one point, with the memory that evaluation writes.
#[derive(Clone, Debug)]
pub(crate) struct ElementTerms<S> {
    pub(crate) elements: Arc<Elements>,
    /// The decisions about rows and slots that the terms are evaluated with.
    pub(crate) rows: Arc<RowStatus>,
    /// The conditions of the start.
    pub(crate) start: Arc<Start>,
    pub(crate) args: Args<S>,
    pub(crate) phi_q: Vec<S>,
    pub(crate) mass: Vec<S>,
    signals: Scratch<S>,
    law: LawScratch<S>,
    formula: FormulaScratch<S>,
    load: LoadScratch<S>,
    tangents: Tangents<S>,
    functional: FunctionalScratch<S>,
    value: Vec<S>,
    /// Cotangents and tangents of the extended parameters.
    cot: Cotangent<S>,
    dot: Vec<[S; 3]>,
    /// Cotangents of the rows that are not dropped.
    kept: Vec<S>,
    /// One level of the rows, or of their Jacobian.
    level: Vec<S>,
    /// Motion of the angles where a step begins, and when that is.
    references: Vec<[f64; 3]>,
    begun: f64,
    /// Coordinates moved along their rates.
    around: [Vec<S>; 4],
    /// Are forces of motion left out?
    rest: bool,
    /// Is there anything that moves with t?
    timed: bool,
    /// Elements evaluated.
    visits: usize,
}

impl Elements {
    /// All rows independent, none left out, every slot active.
    pub(crate) fn all_rows(&self) -> RowStatus {
        let active = Active::all(self.forces.len() + self.loads.len(), false);
        RowStatus::new(self.dims, 0, self.penalties.compliances.clone(), active)
    }
    /// What reads an active slot: gradients of the others are not wanted.
    pub(crate) fn active(&self, slots: &[bool]) -> Active {
        // signals and references of angles are not slots
        let wanted = |i: u32| slots.get(i as usize).copied().unwrap_or(true);
        let forces = self.forces.iter().map(|f| !f.element.reads().chain(f.law.reads()).any(wanted));
        let loads = self.loads.iter().map(|l| !l.load.reads().any(wanted));
        let mut rows = self.rows.slots().chain(self.formulas.iter().flat_map(|f| f.formula.reads()));
        Active {
            fixed: forces.chain(loads).collect(),
            inertial: self.inertia.iter().any(|e| wanted(e.2)),
            rowed: rows.any(wanted),
            shaped: false,
        }
    }
    /// Numbers of the conditions of velocity that say that everything is at rest in an equilibrium: the rates
    /// of all coordinates, after the given conditions.
    pub(crate) fn rest_conditions(&self) -> std::ops::Range<u32> {
        let given = self.velocity.len() as u32;
        given..given + self.at_rest.len() as u32
    }
    /// Positions on n × n that forces write, and that rows write.
    pub(crate) fn stiff(&self) -> [std::collections::HashSet<u32>; 2] {
        let forces = self
            .forces
            .iter()
            .flat_map(Force::positions)
            .chain(self.loads.iter().flat_map(LoadRows::positions));
        let rows = self.rows.positions().chain(self.formulas.iter().flat_map(FormulaRow::positions));
        [forces.collect(), rows.collect()]
    }
    pub(crate) fn sensed(&self) -> Sensed<'_> {
        Sensed { weights: &self.weights, inertia: &self.inertia, level: self.level, nn: &self.patterns.nn }
    }
    /// Angles that rows, forces, objectives or outputs read; those of conditions matter at the start only.
    pub(crate) fn tracked_angles(&self) -> Vec<bool> {
        let first = self.dims.args - self.dims.angles;
        let mut tracked = vec![false; self.dims.angles];
        let formulas = self.formulas.iter().flat_map(|f| f.formula.reads());
        let loads = self.loads.iter().flat_map(|l| l.load.reads());
        let forces = self.forces.iter().flat_map(|f| f.element.reads());
        let functionals = self.sets().into_iter().flat_map(|f| f.reads());
        for i in formulas.chain(loads).chain(forces).chain(functionals) {
            if let Some(k) = (i as usize).checked_sub(first) {
                tracked[k] = true;
            }
        }
        tracked
    }
    /// Functionals that are asked along a run.
    fn sets(&self) -> [&Functional; 6] {
        let [conditions, cuts] = [&self.conditions, &self.cut_values];
        [&self.integrand, &self.terminal, &self.output, conditions, cuts, &self.event_rows]
    }
    /// Everything that is compiled to a functional: objectives, outputs, conditions.
    fn all_functionals(&self) -> impl Iterator<Item = &Functional> {
        self.sets().into_iter().chain(&self.position).chain(&self.velocity).chain(&self.at_rest)
    }
    /// Terms with all rows, without conditions of the start.
    pub(crate) fn plain_terms(self: &Arc<Self>, p: &[f64]) -> ElementTerms<f64> {
        let mut terms = self.terms(&Arc::new(self.all_rows()), &Arc::default());
        terms.set_slots(p);
        terms
    }
    /// Memory for one point of evaluation, with what was decided about the rows and the start.
    pub(crate) fn terms<S: Scalar>(
        self: &Arc<Self>,
        rows: &Arc<RowStatus>,
        start: &Arc<Start>,
    ) -> ElementTerms<S> {
        // all memory at once, so that no term allocates
        let Dims { n, m, angles, .. } = self.dims;
        let signals = self.signals.list.len();
        let zero = S::zero();
        ElementTerms {
            elements: Arc::clone(self),
            rows: Arc::clone(rows),
            start: Arc::clone(start),
            args: self.unset_args(),
            phi_q: vec![zero; self.patterns.mn.nnz()],
            mass: vec![zero; self.patterns.nn.nnz()],
            signals: self.signals.scratch(),
            law: LawScratch::new(self.forces.iter().map(|f| &f.law)),
            formula: FormulaScratch::new(self.formulas.iter().map(|f| &f.formula)),
            tangents: Tangents::new(
                self.loads.iter().map(LoadRows::size).chain([2 * MOST * MOST]).max().unwrap_or(0),
            ),
            load: LoadScratch::new(&self.loads, self.guards.iter().map(|g| &g.load)),
            functional: FunctionalScratch::new(self.all_functionals()),
            value: vec![zero; self.all_functionals().map(|f| f.program.outputs()).max().unwrap_or(0)],
            cot: self.cotangent(),
            dot: vec![[zero; 3]; signals],
            kept: vec![zero; m],
            level: vec![zero; m.max(self.patterns.mn.nnz())],
            references: vec![[0.0; 3]; angles],
            begun: 0.0,
            around: [(); 4].map(|()| vec![zero; if angles > 0 { n } else { 0 }]),
            rest: false,
            timed: signals > 0,
            visits: 0,
        }
    }
    /// Extended parameters of which nothing is set; sides are not known.
    fn unset_args<S: Scalar>(&self) -> Args<S> {
        let Dims { slots, args, angles, sides, .. } = self.dims;
        let mut values = vec![S::zero(); args];
        values[args - angles - sides..args - angles].fill(S::from(f64::NAN));
        let rates = vec![(S::zero(), S::zero()); self.signals.list.len()];
        Args { values, rates, slots }
    }
    /// Room for the cotangents of a functional.
    fn cotangent<S: Scalar>(&self) -> Cotangent<S> {
        let Dims { n, m, slots, args, .. } = self.dims;
        let zero = S::zero();
        Cotangent {
            q: vec![zero; n],
            v: vec![zero; n],
            a: vec![zero; n],
            lam: vec![zero; m],
            args: vec![zero; args],
            rates: vec![(zero, zero); self.signals.list.len()],
            slots,
        }
    }
    /// Joints that have their directions half a turn off at q.
    pub(crate) fn flipped(&self, p: &[f64], q: &[f64]) -> Vec<String> {
        let off = self.aligned.iter().filter(|(_, form)| quadratic(form, p, q) < 0.0);
        off.map(|(name, _)| name.clone()).collect()
    }
    /// The first force along a distance whose ends coincide at q.
    pub(crate) fn collapsed_force(self: &Arc<Self>, p: &[f64], q: &[f64]) -> Option<String> {
        let terms = self.plain_terms(p);
        let size = q.iter().fold(0.0f64, |s, q| s.max(q.abs()));
        let collapsed = |f: &&Force| along_distance(f) && f.element.value(&terms.args, q) <= 1e-12 * size;
        self.forces.iter().find(collapsed).map(|f| f.name.clone())
    }
    /// The first force that is not finite at rest.
    pub(crate) fn undefined_at_rest(
        self: &Arc<Self>,
        p: &[f64],
        t: f64,
        angles: &[f64],
        q: &[f64],
    ) -> Option<Undefined> {
        // the point (t, q, 0)
        let mut terms = self.plain_terms(p);
        terms.set_branches(angles);
        terms.at_time(t);
        let zero = vec![0.0; self.dims.n];
        let mut out = vec![0.0; self.dims.n];
        let here = ForceAt { t, q, v: &zero, args: &terms.args };
        // does a guard exclude it?
        if let Some(why) = self.guards.iter().find_map(|g| g.excluded(&here, &mut terms.load)) {
            return Some(Undefined::Place(why));
        }
        // else the first force or load that is not finite there
        for f in self.forces.iter().filter(|f| !f.motion) {
            f.subtract(&here, &mut terms.law, &mut out);
            if out.iter().any(|x| !x.is_finite()) {
                return Some(Undefined::Force(f.name.clone()));
            }
        }
        for l in self.loads.iter().filter(|l| !l.load.motion) {
            l.subtract(&here, &mut terms.load, &mut out);
            if out.iter().any(|x| !x.is_finite()) {
                return Some(Undefined::Force(l.load.name.clone()));
            }
        }
        None
    }
    /// Are there forces that are not defined everywhere?
    pub(crate) fn guarded(&self) -> bool {
        !self.guards.is_empty()
    }
    /// Names of the constraint rows.
    pub(crate) fn row_names(&self) -> &[RowName] {
        &self.row_names
    }
    /// Does any objective or output read the multiplier of a row?
    pub(crate) fn reads_multiplier(&self, row: usize) -> bool {
        [&self.integrand, &self.terminal, &self.output]
            .iter()
            .any(|f| f.sensors.iter().any(|s| s.reads_multiplier(row)))
    }
    /// Does any terminal value read accelerations or multipliers?
    pub(crate) fn reads_final_dynamics(&self) -> bool {
        self.terminal.sensors.iter().any(|s| s.needs_dynamics())
    }
    /// Does any objective read accelerations or multipliers?
    pub(crate) fn reads_dynamics(&self) -> bool {
        [&self.integrand, &self.terminal].iter().any(|f| f.sensors.iter().any(|s| s.needs_dynamics()))
    }
}

impl ElementTerms<f64> {
    /// The first force along a distance whose ends pass through each other between two positions.
    pub(crate) fn reversed_force(&self, from: &[f64], to: &[f64]) -> Option<String> {
        let reversed = |f: &&Force| {
            let a = f.element.gradient(&self.args, from).1;
            let b = f.element.gradient(&self.args, to).1;
            along_distance(f) && a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() < 0.0
        };
        self.elements.forces.iter().find(reversed).map(|f| f.name.clone())
    }
    /// Why a force is not defined at the second of two points, or between them; the time of the terms is that
    /// of the second.
    pub(crate) fn undefined_force(&mut self, from: &At, to: &At) -> Option<Outside> {
        let Self { args, load, .. } = self;
        let from = ForceAt { t: from.t, q: from.q, v: from.v, args };
        let to = ForceAt { t: to.t, q: to.q, v: to.v, args };
        self.elements.guards.iter().find_map(|g| g.passed([&from, &to], load))
    }
}

/// Does a force act along a distance?
fn along_distance(f: &Force) -> bool {
    matches!(f.element.kind, Kind::Distance2 | Kind::Distance3)
}
