//! Memory of programs on port arguments: what formulas and loads evaluate in.

use crate::program::Program;
use crate::signal::Input;
use gradyn_num::Scalar;

/// Memory of one scalar for the largest of some programs.
#[derive(Clone, Debug)]
pub(crate) struct Memory<S> {
    /// Port arguments, or their cotangents.
    pub ports: Vec<S>,
    /// Cotangents of the inputs.
    pub inputs_bar: Vec<S>,
    inputs: Vec<S>,
    regs: Vec<S>,
    bars: Vec<S>,
}

/// Sizes of a program on ports.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    /// Port arguments.
    pub ports: usize,
    /// Number of inputs of a program.
    pub inputs: usize,
    /// Number of registers of a program.
    pub registers: usize,
}
impl Size {
    /// The larger in each respect.
    pub(crate) fn max(self, o: Self) -> Self {
        Self {
            ports: self.ports.max(o.ports),
            inputs: self.inputs.max(o.inputs),
            registers: self.registers.max(o.registers),
        }
    }
}

impl<S: Scalar> Memory<S> {
    /// Memory of some size.
    pub(crate) fn new(size: Size) -> Self {
        let z = S::zero();
        Self {
            ports: vec![z; size.ports],
            inputs_bar: vec![z; size.inputs],
            inputs: vec![z; size.inputs],
            regs: vec![z; size.registers],
            bars: vec![z; size.registers],
        }
    }
    /// Inputs from the port arguments, the time and `arg(i, level)`, a parameter or a rate of it; then the
    /// program.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        inputs: &[Input],
        time: S,
        arg: impl Fn(u32, usize) -> S,
    ) {
        for (x, i) in self.inputs.iter_mut().zip(inputs) {
            *x = match i {
                Input::Time => time,
                Input::Arg(i) => arg(*i, 0),
                Input::Rate(i, level) => arg(*i, usize::from(*level)),
                Input::Sensor(k) => self.ports[*k as usize],
            };
        }
        program.eval(&self.inputs, &mut self.regs);
    }
    /// Value of output `k`.
    pub(crate) fn output(&self, program: &Program, k: usize) -> S {
        program.output(k, &self.regs)
    }
    /// All registers.
    pub(crate) fn registers(&self) -> &[S] {
        &self.regs
    }
    /// Cotangents of the inputs for some seeds.
    pub(crate) fn reverse(&mut self, program: &Program, seeds: &[(usize, S)]) {
        self.inputs_bar.fill(S::zero());
        program.reverse(&self.regs, seeds, &mut self.bars, &mut self.inputs_bar);
    }
    /// Cotangents of the inputs → of the port arguments.
    pub(crate) fn spread(&mut self, inputs: &[Input]) {
        self.ports.fill(S::zero());
        for (i, b) in inputs.iter().zip(&self.inputs_bar) {
            if let Input::Sensor(k) = i {
                self.ports[*k as usize] += *b;
            }
        }
    }
}
