//! Functionals: expressions of sensors, t and parameters.
//!
//! ```text
//! y_k = sensor_k(q, v, a, λ; p),   f_j = program(y, t, p)                                        (1)
//! f_x = Σ_k f_{y_k} (y_k)_x          reverse sweep of the program, then of each sensor             (2)
//! ```
//! Sensors: components of points and directions with their rates, from which the program makes distances,
//! angles, forces of elements and their rates; joint reactions Σ λ_k ψ_k(q) (on body 2 by body 1, from
//! -Φ_qᵀλ); multipliers; kinetic and potential energy.

mod sensor;

use crate::element::{Args, ArgsBar};
use crate::ports::Ports;
use crate::program::Program;
use crate::quadratic::Form;
use crate::signal::Input;
use crate::system::At;
use gradyn_num::{Pattern, Scalar};

/// What a sensor reads of the system.
pub(crate) struct Sensed<'a> {
    /// (coordinate, slot): weight on each coordinate.
    pub weights: &'a [(u32, u32)],
    /// (i, j, slot): entries of M.
    pub inertia: &'a [(u32, u32, u32)],
    /// Slot of the constant part of the gravity potential.
    pub level: u32,
    /// The pattern n × n of M.
    pub nn: &'a Pattern,
}

/// A scalar sensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sensor {
    /// Affine in q (level 0), v (1) or a (2): argument 0 of the port.
    Affine(Ports, usize),
    /// A component Σ λ_row ψ(q) of a reaction.
    Reaction(Vec<(usize, Form)>),
    /// The multiplier λ of a row.
    Multiplier(usize),
    /// The kinetic energy ½ vᵀ M v [J].
    Kinetic,
    /// Potential of gravity, zero at the origin.
    Gravity,
}

/// Cotangents of (q, v, a, λ) and of the extended parameters.
#[derive(Clone, Debug)]
pub(crate) struct Cotangent<S> {
    /// The cotangent q̄ of positions.
    pub q: Vec<S>,
    /// The cotangent v̄ of velocities.
    pub v: Vec<S>,
    /// The cotangent ā of accelerations.
    pub a: Vec<S>,
    /// The cotangent λ̄ of multipliers.
    pub lam: Vec<S>,
    /// Slots, signals and angle references.
    pub args: Vec<S>,
    /// Rates of the signals.
    pub rates: Vec<(S, S)>,
    /// Where the signals start.
    pub slots: usize,
}
impl<S> Cotangent<S> {
    /// The extended parameters.
    pub(crate) fn bar(&mut self) -> ArgsBar<'_, S> {
        ArgsBar { values: &mut self.args, rates: &mut self.rates, slots: self.slots }
    }
}

/// The value of a form.
pub(crate) fn quadratic<S: Scalar>(row: &Form, p: &[S], q: &[S]) -> S {
    let mut sum = S::zero();
    row.bilinear.iter().for_each(|&(i, j, s)| sum += p[s as usize] * q[i] * q[j]);
    row.linear.iter().for_each(|&(i, s)| sum += p[s as usize] * q[i]);
    row.constant.iter().for_each(|&s| sum += p[s as usize]);
    sum
}

/// Its cotangents.
fn quadratic_t<S: Scalar>(row: &Form, bar: S, q: &[S], p: &[S], q_bar: &mut [S], p_bar: &mut [S]) {
    for &(i, j, s) in &row.bilinear {
        q_bar[i] += bar * p[s as usize] * q[j];
        q_bar[j] += bar * p[s as usize] * q[i];
        p_bar[s as usize] += bar * q[i] * q[j];
    }
    for &(i, s) in &row.linear {
        q_bar[i] += bar * p[s as usize];
        p_bar[s as usize] += bar * q[i];
    }
    row.constant.iter().for_each(|&s| p_bar[s as usize] += bar);
}

/// (1): some outputs over shared sensors.
#[derive(Clone, Debug)]
pub(crate) struct Functional {
    /// Sensors that the outputs share.
    pub sensors: Vec<Sensor>,
    /// The program of all outputs.
    pub program: Program,
    /// What each input of the program reads.
    pub inputs: Vec<Input>,
    /// Slots that it can depend on, sorted.
    pub support: Vec<u32>,
    /// Coordinates that it can depend on, sorted.
    pub coords: Vec<u32>,
}

/// Scratch of a functional.
#[derive(Clone, Debug)]
pub(crate) struct FunctionalScratch<S> {
    sensors: Vec<S>,
    inputs: Vec<S>,
    regs: Vec<S>,
    bars: Vec<S>,
    inputs_bar: Vec<S>,
}
impl<S: Scalar> FunctionalScratch<S> {
    /// Memory for the largest of some functionals.
    pub(crate) fn new<'a>(all: impl Iterator<Item = &'a Functional>) -> Self {
        let mut sensors = 0;
        let mut inputs = 0;
        let mut regs = 0;
        for f in all {
            sensors = sensors.max(f.sensors.len());
            inputs = inputs.max(f.inputs.len());
            regs = regs.max(f.program.registers());
        }
        let z = S::zero();
        Self {
            sensors: vec![z; sensors],
            inputs: vec![z; inputs],
            regs: vec![z; regs],
            bars: vec![z; regs],
            inputs_bar: vec![z; inputs],
        }
    }
}

impl Functional {
    /// A functional without outputs.
    pub(crate) fn empty() -> Self {
        Self { sensors: vec![], program: Program::default(), inputs: vec![], support: vec![], coords: vec![] }
    }
    /// Finds what the functional can depend on; `signal_slots(k)` lists the slots behind a signal.
    pub(crate) fn new(
        sensors: Vec<Sensor>,
        program: Program,
        inputs: Vec<Input>,
        sys: &Sensed,
        n: usize,
        slots: usize,
        signal_slots: impl Fn(usize, &mut Vec<u32>),
    ) -> Self {
        // what the sensors and the program read
        let mut reads = vec![];
        let mut coords = vec![];
        let mut all = false;
        for s in &sensors {
            s.reads(sys, &mut reads);
            all |= s.coords(&mut coords).is_none();
        }
        reads.extend(inputs.iter().filter_map(|i| match i {
            Input::Arg(i) | Input::Rate(i, _) => Some(*i),
            Input::Time | Input::Sensor(_) => None,
        }));
        // slots: directly, or through signals
        let mut support = vec![];
        for i in reads {
            match (i as usize).checked_sub(slots) {
                None => support.push(i),
                Some(k) => signal_slots(k, &mut support),
            }
        }
        // sorted, without repetition
        if all {
            coords = (0..n as u32).collect();
        }
        for list in [&mut support, &mut coords] {
            list.sort_unstable();
            list.dedup();
        }
        Self { sensors, program, inputs, support, coords }
    }
    /// Extended parameters that the program reads itself.
    pub(crate) fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        self.inputs.iter().filter_map(|i| if let Input::Arg(i) = i { Some(*i) } else { None })
    }
    /// (1), into `out`.
    #[inline]
    pub(crate) fn eval<S: Scalar>(
        &self,
        at: &At<S>,
        sys: &Sensed,
        mass: &[S],
        args: &Args<S>,
        w: &mut FunctionalScratch<S>,
        out: &mut [S],
    ) {
        // sensors, then the inputs of the program
        for (y, sensor) in w.sensors.iter_mut().zip(&self.sensors) {
            *y = sensor.value(at, sys, mass, args);
        }
        for (x, i) in w.inputs.iter_mut().zip(&self.inputs) {
            *x = match i {
                Input::Time => at.t,
                Input::Arg(i) => args.values[*i as usize],
                Input::Rate(i, level) => args.jet(*i).level(*level as usize),
                Input::Sensor(k) => w.sensors[*k as usize],
            };
        }
        // outputs of the program
        self.program.eval(&w.inputs, &mut w.regs);
        for (k, o) in out.iter_mut().enumerate() {
            *o = self.program.output(k, &w.regs);
        }
    }
    /// (2) for output `k`, after `eval` at the same point: cot += ∂f_k.
    pub(crate) fn pull_back<S: Scalar>(
        &self,
        k: usize,
        at: &At<S>,
        sys: &Sensed,
        mass: &[S],
        args: &Args<S>,
        w: &mut FunctionalScratch<S>,
        cot: &mut Cotangent<S>,
    ) {
        // cotangents of the inputs for output k
        w.inputs_bar[..self.inputs.len()].fill(S::zero());
        self.program.reverse(&w.regs, &[(k, S::one())], &mut w.bars, &mut w.inputs_bar);
        // from there to parameters, signals and sensors
        for (i, b) in self.inputs.iter().zip(&w.inputs_bar) {
            match i {
                Input::Time => {}
                Input::Arg(i) => cot.args[*i as usize] += *b,
                Input::Rate(i, level) => {
                    let mut rates = [S::zero(); 3];
                    rates[*level as usize] = *b;
                    cot.bar().add(*i, rates);
                }
                Input::Sensor(s) if *b != S::zero() => {
                    self.sensors[*s as usize].pull_back(*b, at, sys, mass, args, cot)
                }
                Input::Sensor(_) => {}
            }
        }
    }
}
