//! Final indices: signals, sides and angle references follow the slots once their number is known.

use super::forces::Compiled;
use super::functionals::Draft;
use super::{ANGLE, SIDE, SIGNAL};
use crate::element::Element;
use crate::elements::Elements;
use crate::force::{Force, Law};
use crate::formula::{Formula, FormulaRow};
use crate::functional::Functional;
use crate::guard::Guard;
use crate::load::{Load, LoadRows};
use crate::signal::{Input, Signal};
use crate::system::Patterns;
use gradyn_num::Pattern;

/// Final indices of signals, sides and angle references.
pub(crate) struct Numbering {
    pub(super) slots: u32,
    pub(super) signals: u32,
    pub(super) sides: u32,
}
impl Numbering {
    pub(super) fn arg(&self, i: u32) -> u32 {
        match i {
            i if i >= ANGLE => self.slots + self.signals + self.sides + (i - ANGLE),
            i if i >= SIDE => self.slots + self.signals + (i - SIDE),
            i if i >= SIGNAL => self.slots + (i - SIGNAL),
            i => i,
        }
    }
    pub(super) fn element(&self, e: &Element) -> Element {
        Element { params: e.params.iter().map(|&i| self.arg(i)).collect(), ..e.clone() }
    }
    pub(super) fn formula(&self, f: Formula, row: usize, patterns: &Patterns) -> FormulaRow {
        FormulaRow::new(Formula { inputs: self.inputs(&f.inputs), ..f }, row, patterns)
    }
    pub(super) fn load(&self, l: Load, nn: &Pattern) -> LoadRows {
        LoadRows::new(Load { inputs: self.inputs(&l.inputs), ..l }, nn)
    }
    pub(super) fn guard(&self, g: Guard) -> Guard {
        Guard { load: Load { inputs: self.inputs(&g.load.inputs), ..g.load }, ..g }
    }
    fn inputs(&self, inputs: &[Input]) -> Vec<Input> {
        let renumber = |i: &Input| match i {
            Input::Arg(i) => Input::Arg(self.arg(*i)),
            Input::Rate(i, level) => Input::Rate(self.arg(*i), *level),
            i => *i,
        };
        inputs.iter().map(renumber).collect()
    }
    pub(super) fn signal(&self, s: &Signal) -> Signal {
        match s {
            Signal::Spline(spline, slots) => Signal::Spline(*spline, slots.clone()),
            Signal::Expression(p, inputs) => Signal::Expression(p.clone(), self.inputs(inputs)),
        }
    }
    pub(super) fn force(&self, f: &Compiled, nn: &Pattern) -> Force {
        let law = Law {
            stiffness: self.arg(f.law.stiffness),
            damping: self.arg(f.law.damping),
            rest: self.arg(f.law.rest),
            applied: self.arg(f.law.applied),
            program: f.law.program.as_ref().map(|(p, i)| (p.clone(), self.inputs(i))),
        };
        Force::new(f.name.clone(), self.element(&f.element), law, f.motion, nn)
    }
    pub(super) fn functional(&self, f: Draft, system: &Elements) -> Functional {
        let signals = &system.signals;
        let slots = self.slots as usize;
        let behind = |k: usize, out: &mut Vec<u32>| {
            if k < signals.list.len() {
                signals.reads(k, slots, out);
            }
        };
        Functional::new(
            f.sensors,
            f.program,
            self.inputs(&f.inputs),
            &system.sensed(),
            system.dims.n,
            slots,
            behind,
        )
    }
}
