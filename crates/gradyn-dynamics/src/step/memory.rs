//! What steps remember of the steps before them.
//!
//! A record follows from the plan and the record before it. Its bits also depend on what sparse
//! factorisations remember: the matrices that their pivots were chosen for. Other things that a step keeps
//! between calls are either written before they are read, or are known by the bits of the node that they
//! belong to. So a run that goes on from a record with these pivots repeats every bit (design 37).

use crate::error::StepError;
use crate::kkt::MotionMatrix;
use gradyn_num::{Factor, Pivots};
use std::sync::Arc;

/// What one factorisation remembers: independent coordinates that its pattern is made for, and its pivots.
/// Without pivots it is as new.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    pub choice: Vec<u32>,
    pub pivots: Option<Arc<Pivots>>,
}

impl Remembered {
    /// Memory that it takes [bytes], with pivots that others may share.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.choice) + self.pivots.as_ref().map_or(0, |p| p.bytes())
    }
}

/// A visit of all factorisations of a step, in an order that does not change.
pub(crate) enum Visit<'a> {
    /// Writes down what they remember.
    Save(&'a mut Vec<Remembered>),
    /// Goes back to what was written down; those that are not in the list are made as new.
    Restore(std::slice::Iter<'a, Remembered>),
}

impl Visit<'_> {
    /// A factorisation whose pattern does not change.
    pub(crate) fn factor(&mut self, factor: &mut Factor) {
        match self {
            Self::Save(list) => list.push(Remembered { choice: vec![], pivots: factor.pivots() }),
            Self::Restore(list) => factor.restore(list.next().and_then(|r| r.pivots.as_ref())),
        }
    }
    /// The saddle-point matrix of a system; factors of a tree remember nothing.
    pub(crate) fn motion(&mut self, matrix: &mut MotionMatrix) {
        if let MotionMatrix::Matrix(kkt) = matrix {
            self.factor(kkt.factor());
        }
    }
    /// A factorisation `of` something whose pattern is made for a choice, and anew with every other choice.
    pub(crate) fn chosen<T>(
        &mut self,
        slot: &mut Option<T>,
        choice: impl Fn(&T) -> &[u32],
        factor: impl Fn(&mut T) -> &mut Factor,
        make: impl FnOnce(&[u32]) -> Result<T, StepError>,
    ) -> Result<(), StepError> {
        let list = match self {
            Self::Save(list) => {
                let present =
                    |t: &mut T| Remembered { choice: choice(t).to_vec(), pivots: factor(t).pivots() };
                list.push(slot.as_mut().map_or_else(Remembered::default, present));
                return Ok(());
            }
            Self::Restore(list) => list,
        };
        match list.next().filter(|r| r.pivots.is_some()) {
            // as new
            None => slot.iter_mut().for_each(|t| factor(t).restore(None)),
            Some(saved) => {
                if slot.as_ref().is_none_or(|t| choice(t) != saved.choice) {
                    *slot = Some(make(&saved.choice)?);
                }
                slot.iter_mut().for_each(|t| factor(t).restore(saved.pivots.as_ref()));
            }
        }
        Ok(())
    }
}
