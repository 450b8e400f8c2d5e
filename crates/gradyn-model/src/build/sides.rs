//! Conditions of expressions, gathered over all elements: each one once, whoever reads it.
//!
//! ```text
//! g = u - v of u > v;   u = t:  it changes at the time v;   else affine in t:  at -g(0)/(g(1) - g(0))    (1)
//! g(1) = g(0):   it never changes, or did so before all time where g is not positive                    (2)
//! ```

use super::functionals::Draft;
use super::inputs::SharedInputs;
use super::symbols::SensorEnv;
use super::{Builder, SIDE, SIGNAL};
use crate::program::{Edge, Graph, SideOf, Sym};
use crate::side::Side;
use crate::signal::Input;

/// A time that no run has [s].
const NEVER: f64 = 1e300;

/// The conditions that were met so far, over inputs that they share.
#[derive(Default)]
pub(crate) struct SideTable {
    shared: SharedInputs,
    /// Numbers of u and v in the graph, and what is known of each.
    list: Vec<([usize; 2], Side)>,
}

impl SideTable {
    /// The number of the side of u > v, the outputs of a draft; false where it is that of v > u.
    pub(super) fn side(&mut self, draft: &Draft, edge: Edge, what: &str) -> (usize, bool) {
        // u and v over the shared inputs
        let symbols = self.shared.replay(draft);
        let pair = operands(symbols[0].graph(), symbols[0], symbols[1]);
        // a condition that was met before keeps the sharpest edge
        for (k, ([u, v], side)) in self.list.iter_mut().enumerate() {
            let same = pair == [*u, *v];
            if same || pair == [*v, *u] {
                side.edge = side.edge.max(edge);
                return (k, same);
            }
        }
        self.list
            .push((pair, Side { what: what.to_owned(), edge, time: None, events: [false; 2], mode: None }));
        (self.list.len() - 1, true)
    }
    /// The number of a side that events set, for what they switch; `on` at the start.
    pub(super) fn mode(&mut self, what: String, on: bool) -> u32 {
        let nothing = self.shared.graph.constant(0.0).id();
        let side = Side { what, edge: Edge::Joined, time: None, events: [false; 2], mode: Some(on) };
        self.list.push(([nothing; 2], side));
        self.list.len() as u32 - 1
    }
    /// Events happen where a side becomes 0, and where it becomes 1.
    pub(super) fn mark_event(&mut self, side: usize, changes: [bool; 2]) {
        let events = &mut self.list[side].1.events;
        (0..2).for_each(|k| events[k] |= changes[k]);
    }
    /// (1): the slot of the time at which side `k` changes, if nothing but time decides.
    fn time<'g>(&self, k: usize, slots: &mut super::numbers::SlotTable<'g>, graph: &'g Graph) -> Option<u32> {
        // g reads t and slots only, and is affine in t
        let SharedInputs { graph: own, inputs, .. } = &self.shared;
        let [u, v] = self.list[k].0.map(|id| own.symbol(id));
        let g = own.program(&[u - v]);
        let timed = |i: &usize| inputs[*i] == Input::Time;
        let plain = |i: &usize| timed(i) || matches!(inputs[*i], Input::Arg(s) if s < SIGNAL);
        let used = g.used_inputs();
        if !used.iter().all(plain) || !used.iter().any(timed) || !g.affine(|i| timed(&i)) {
            return None;
        }
        // an operand in the graph of the slots, at a given t
        let symbols = slots.symbols.clone();
        let at = |x: Sym, t: f64| {
            own.program(&[x]).replay(graph, |i| match inputs[i] {
                Input::Arg(s) => symbols[s as usize],
                _ => graph.constant(t),
            })[0]
        };
        let is_time = |x: Sym| inputs.iter().position(|i| *i == Input::Time) == lone_input(x);
        let time = match (is_time(u), is_time(v)) {
            (true, false) if !depends(v, inputs) => at(v, 0.0),
            (false, true) if !depends(u, inputs) => at(u, 0.0),
            _ => zero_of(at(u - v, 0.0), at(u - v, 1.0)),
        };
        Some(slots.slot(time))
    }
}

/// The time at which g is zero, by its values at 0 and 1; the side of a constant g follows from (2).
fn zero_of<'g>(g0: Sym<'g>, g1: Sym<'g>) -> Sym<'g> {
    let graph = g0.graph();
    let constant = g0.eq(g1);
    let never = g0.gt(graph.constant(0.0)).select(graph.constant(NEVER), graph.constant(-NEVER));
    // no number is divided by zero: the derivative of a branch that is not taken stays finite
    let fall = constant.select(graph.constant(1.0), g0 - g1);
    constant.select(never, g0 / fall)
}

/// Numbers of what is compared in u > v: a - b > 0 is a > b.
fn operands(graph: &Graph, u: Sym, v: Sym) -> [usize; 2] {
    let zero = |x: Sym| x.as_constant() == Some(0.0);
    match (graph.difference(u), graph.difference(v)) {
        (Some(pair), _) if zero(v) => pair,
        (_, Some([a, b])) if zero(u) => [b, a],
        _ => [u.id(), v.id()],
    }
}

/// The input that a symbol is, if it is nothing else.
fn lone_input(x: Sym) -> Option<usize> {
    let inputs = x.inputs();
    (inputs.len() == 1 && x.id() == x.graph().input(inputs[0]).id()).then(|| inputs[0])
}

/// Does a symbol read the time?
fn depends(x: Sym, inputs: &[Input]) -> bool {
    x.inputs().iter().any(|i| inputs[*i] == Input::Time)
}

impl Builder<'_, '_> {
    /// All conditions: what is known of them, and the functional of their g.
    pub(super) fn all_sides(&mut self) -> (Vec<Side>, Draft) {
        let table = std::mem::take(&mut self.sides);
        let graph = &table.shared.graph;
        let mut sides = vec![];
        let mut outputs = vec![];
        for (k, ([u, v], side)) in table.list.iter().enumerate() {
            let time = table.time(k, &mut self.slots, self.graph);
            sides.push(Side { time, ..side.clone() });
            outputs.push(graph.symbol(*u) - graph.symbol(*v));
        }
        let program = graph.program(&outputs);
        (sides, Draft { sensors: table.shared.sensors, program, inputs: table.shared.inputs })
    }
}

/// Symbols whose conditions are sides, and √(x x) is |x| where a corner is met exactly: not in constraints.
pub(super) fn sided<'h>(
    symbols: &[Sym<'h>],
    edge_of: fn(Edge) -> Edge,
    side: SideOf<'_, 'h>,
) -> Vec<Sym<'h>> {
    let Some(graph) = symbols.first().map(|s| s.graph()) else { return vec![] };
    let corner = edge_of(Edge::Corner) == Edge::Corner;
    let symbols = if corner { graph.with_absolutes(symbols) } else { symbols.to_vec() };
    graph.sided(&symbols, &mut |pair, edge| side(pair, edge_of(edge)))
}

impl<'h> SensorEnv<'_, '_, '_, 'h> {
    /// The program of some outputs whose conditions are sides; `what` they stand in, and what its edges do.
    pub(crate) fn draft_with_sides(
        &mut self,
        outputs: &[Sym<'h>],
        what: &str,
        edge_of: fn(Edge) -> Edge,
    ) -> Draft {
        let sided = self.with_sides(outputs, what, edge_of);
        self.note_cuts(&sided, what, edge_of);
        self.draft(&sided)
    }
    /// Outputs whose conditions are sides.
    pub(super) fn with_sides(
        &mut self,
        outputs: &[Sym<'h>],
        what: &str,
        edge_of: fn(Edge) -> Edge,
    ) -> Vec<Sym<'h>> {
        sided(outputs, edge_of, &mut |pair, edge| self.side(pair, edge, what))
    }
    /// The side of u > v, if it can change along a run.
    fn side(&mut self, pair: [Sym<'h>; 2], edge: Edge, what: &str) -> Option<Sym<'h>> {
        let (k, same) = self.side_number(pair, edge, what)?;
        let side = self.input(Input::Arg(SIDE + k as u32));
        Some(if same { side } else { 1.0 - side })
    }
    /// The number of the side of u > v, if it can change along a run; false where it is that of v > u.
    fn side_number(&mut self, pair: [Sym<'h>; 2], edge: Edge, what: &str) -> Option<(usize, bool)> {
        let movable = pair.iter().flat_map(|s| s.inputs()).any(|i| moves(&self.inputs[i]));
        let draft = movable.then(|| self.draft(&pair))?;
        Some(self.b.sides.side(&draft, edge, what))
    }
    /// The number of the side of an event where y passes zero, if it can; false where the side is that of -y.
    pub(super) fn event_side(&mut self, y: Sym<'h>, what: &str) -> Option<(usize, bool)> {
        let graph = self.graph;
        // conditions inside are sides of their own
        let inner = graph.sided(&[y], &mut |pair, edge| self.side(pair, edge, what))[0];
        self.side_number([inner, graph.constant(0.0)], Edge::Joined, what)
    }
}

/// Can an input change along a run, other than by a side?
pub(super) fn moves(input: &Input) -> bool {
    match input {
        Input::Arg(i) => (SIGNAL..SIDE).contains(i),
        Input::Time | Input::Rate(..) | Input::Sensor(_) => true,
    }
}
