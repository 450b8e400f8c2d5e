//! Expressions of several elements over inputs that they share.

use super::functionals::Draft;
use crate::functional::Sensor;
use crate::program::{Graph, Sym};
use crate::signal::Input;

/// A graph, and what its inputs are.
#[derive(Default)]
pub(crate) struct SharedInputs {
    pub graph: Graph,
    pub inputs: Vec<Input>,
    pub sensors: Vec<Sensor>,
}

impl SharedInputs {
    /// The outputs of a draft as symbols of the graph.
    pub(super) fn replay(&mut self, draft: &Draft) -> Vec<Sym<'_>> {
        let mut symbols = vec![None; draft.inputs.len()];
        for &i in draft.program.used_inputs() {
            symbols[i] = Some(self.input(draft, i));
        }
        let graph = &self.graph;
        draft.program.replay(graph, |i| graph.input(symbols[i].expect("a used input")))
    }
    /// The place of an input of a draft among the shared ones.
    fn input(&mut self, draft: &Draft, i: usize) -> usize {
        let input = match draft.inputs[i] {
            Input::Sensor(k) => {
                let sensor = &draft.sensors[k as usize];
                let known = self.sensors.iter().position(|s| s == sensor);
                Input::Sensor(known.unwrap_or_else(|| {
                    self.sensors.push(sensor.clone());
                    self.sensors.len() - 1
                }) as u32)
            }
            input => input,
        };
        self.inputs.iter().position(|x| *x == input).unwrap_or_else(|| {
            self.inputs.push(input);
            self.inputs.len() - 1
        })
    }
}
