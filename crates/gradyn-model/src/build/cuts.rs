//! Cuts, poles and kinks of expressions, gathered over all elements.

use super::Builder;
use super::functionals::Draft;
use super::inputs::SharedInputs;
use super::sides::moves;
use super::symbols::SensorEnv;
use crate::cut::{Cut, CutKind};
use crate::program::{Edge, Program, Sym};
use crate::signal::Input;

/// The expressions with cuts that were met so far, over inputs that they share.
#[derive(Default)]
pub(crate) struct CutTable {
    shared: SharedInputs,
    list: Vec<Cut>,
    /// Numbers of the values and of the functions g in the graph.
    outputs: Vec<usize>,
}

/// Outputs of an expression that have cuts, and after them the functions g of these.
pub(super) struct WithCuts {
    pub program: Program,
    kinds: Vec<CutKind>,
}

impl WithCuts {
    /// The outputs that have cuts, if there are any; `input` says what an input of their graph is.
    pub(super) fn find<'h>(outputs: &[Sym<'h>], input: impl Fn(usize) -> Input) -> Option<Self> {
        let graph = outputs.first()?.graph();
        let moving = |s: &Sym| s.inputs().into_iter().any(|i| moves(&input(i)));
        // values and g of those outputs that move
        let mut values = vec![];
        let mut zeros: Vec<(CutKind, Sym)> = vec![];
        for y in outputs {
            let cuts: Vec<_> = graph.cuts(*y).into_iter().filter(|cut| moving(&cut.1)).collect();
            if cuts.is_empty() {
                continue;
            }
            values.push(*y);
            for cut in cuts {
                if zeros.iter().all(|z| z.1.id() != cut.1.id()) {
                    zeros.push(cut);
                }
            }
        }
        let all: Vec<Sym> = values.iter().copied().chain(zeros.iter().map(|z| z.1)).collect();
        let kinds: Vec<CutKind> = zeros.iter().map(|z| z.0).collect();
        (!kinds.is_empty()).then(|| Self { program: graph.program(&all), kinds })
    }
}

impl CutTable {
    /// Adds the cuts of an expression, whose draft has the outputs of `found`.
    pub(super) fn add(&mut self, found: &WithCuts, draft: &Draft, what: &str, edge_of: fn(Edge) -> Edge) {
        let new: Vec<usize> = self.shared.replay(draft).iter().map(|s| s.id()).collect();
        let start = self.outputs.len();
        let values = start..start + new.len() - found.kinds.len();
        let rates = edge_of(Edge::Corner) == Edge::Jump;
        for (k, kind) in found.kinds.iter().enumerate() {
            self.list.push(Cut {
                what: what.to_owned(),
                kind: *kind,
                values: values.clone(),
                zero: values.end + k,
                rates,
            });
        }
        self.outputs.extend(new);
    }
}

impl Builder<'_, '_> {
    /// All cuts, and the functional of their values and functions g.
    pub(super) fn all_cuts(&mut self) -> (Vec<Cut>, Draft) {
        let CutTable { shared, list, outputs } = std::mem::take(&mut self.cuts);
        let symbols: Vec<Sym> = outputs.iter().map(|k| shared.graph.symbol(*k)).collect();
        let program = shared.graph.program(&symbols);
        (list, Draft { sensors: shared.sensors, program, inputs: shared.inputs })
    }
}

impl<'h> SensorEnv<'_, '_, '_, 'h> {
    /// Notes the cuts of some outputs, whose conditions are sides.
    pub(super) fn note_cuts(&mut self, outputs: &[Sym<'h>], what: &str, edge_of: fn(Edge) -> Edge) {
        let Some(found) = WithCuts::find(outputs, |i| self.inputs[i]) else { return };
        let draft = self.draft_of(found.program.clone());
        self.b.cuts.add(&found, &draft, what, edge_of);
    }
}
