//! Signals u(t; p): splines and expressions of time that drivers and actuators follow.
//!
//! ```text
//! spline:      u = Σ_j w_j(t) c_{first+j}          four active coefficients, each a slot            (1)
//! expression:  u = f(t, slots, splines)                                                            (2)
//! ```
//! On time jets they give (u, u̇, ü); a reverse sweep on jets gives ∂u/∂p, ∂u̇/∂p, ∂ü/∂p at once.

use crate::element::{Args, ArgsBar};
use crate::program::Program;
use crate::spline::UniformSpline;
use gradyn_num::{Jet, Scalar};

/// An input of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Input {
    /// The time t [s].
    Time,
    /// An extended parameter: slot, signal or angle reference.
    Arg(u32),
    /// First or second rate of a signal.
    Rate(u32, u8),
    /// A sensor of the functional.
    Sensor(u32),
}

/// A spline (1) or an expression (2).
#[derive(Clone, Debug)]
pub(crate) enum Signal {
    /// (1): a spline and its coefficient slots.
    Spline(UniformSpline, Vec<u32>),
    /// (2): a program of one output.
    Expression(Program, Vec<Input>),
}

/// Scratch for programs on jets.
#[derive(Clone, Debug)]
pub(crate) struct Scratch<S> {
    inputs: Vec<Jet<S>>,
    regs: Vec<Jet<S>>,
    bars: Vec<Jet<S>>,
    inputs_bar: Vec<Jet<S>>,
}

/// All signals, splines first; signal k is extended parameter slots + k.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    /// The signals in order of evaluation.
    pub list: Vec<Signal>,
}

impl Signals {
    /// Scratch memory.
    pub(crate) fn scratch<S: Scalar>(&self) -> Scratch<S> {
        let programs = || {
            self.list
                .iter()
                .filter_map(|s| if let Signal::Expression(p, i) = s { Some((p, i)) } else { None })
        };
        let regs = programs().map(|(p, _)| p.registers()).max().unwrap_or(0);
        let inputs = programs().map(|(_, i)| i.len()).max().unwrap_or(0);
        let zero = Jet::from(0.0);
        Scratch {
            inputs: vec![zero; inputs],
            regs: vec![zero; regs],
            bars: vec![zero; regs],
            inputs_bar: vec![zero; inputs],
        }
    }
    /// u, u̇, ü at time t, into `args`.
    pub(crate) fn eval<S: Scalar>(&self, t: S, args: &mut Args<S>, w: &mut Scratch<S>) {
        // (1) or (2) on time jets
        let time = Jet::new(t, S::one(), S::zero());
        for (k, signal) in self.list.iter().enumerate() {
            let u = match signal {
                Signal::Spline(spline, slots) => {
                    let (first, weights) = spline.active(time);
                    let mut u = Jet::from(0.0);
                    for (j, c) in weights.into_iter().enumerate() {
                        u += c * args.jet(slots[spline.index(first, j)]);
                    }
                    u
                }
                Signal::Expression(program, inputs) => {
                    Self::inputs(inputs, time, args, &mut w.inputs);
                    program.eval(&w.inputs, &mut w.regs);
                    program.output(0, &w.regs)
                }
            };
            // u with its rates
            args.values[args.slots + k] = u.x;
            args.rates[k] = (u.d, u.dd);
        }
    }
    fn inputs<S: Scalar>(inputs: &[Input], time: Jet<S>, args: &Args<S>, out: &mut [Jet<S>]) {
        for (o, i) in out.iter_mut().zip(inputs) {
            *o = match i {
                Input::Time => time,
                Input::Arg(i) => args.jet(*i),
                Input::Rate(..) | Input::Sensor(_) => unreachable!("signals read no sensors and no rates"),
            };
        }
    }
    /// (δu, δu̇, δü) of every signal for a slot direction.
    pub(crate) fn tangent<S: Scalar>(
        &self,
        t: S,
        args: &Args<S>,
        delta: &[S],
        w: &mut Scratch<S>,
        out: &mut [[S; 3]],
    ) {
        let time = Jet::new(t, S::one(), S::zero());
        for k in 0..self.list.len() {
            let mut sum = [S::zero(); 3];
            self.weights(k, time, args, w, |i, j| match i.checked_sub(args.slots) {
                None => (0..3).for_each(|l| sum[l] += j.level(l) * delta[i]),
                Some(s) => {
                    // product of the jets ∂u/∂s and δs
                    let d = Jet::new(out[s][0], out[s][1], out[s][2]) * j;
                    (0..3).for_each(|l| sum[l] += d.level(l));
                }
            });
            out[k] = sum;
        }
    }
    /// Pulls the cotangents of the signals back to the slots and clears them.
    pub(crate) fn pull_back<S: Scalar>(
        &self,
        t: S,
        args: &Args<S>,
        w: &mut Scratch<S>,
        bar: &mut ArgsBar<S>,
    ) {
        let time = Jet::new(t, S::one(), S::zero());
        let zero = S::zero();
        for k in (0..self.list.len()).rev() {
            let b = [std::mem::replace(&mut bar.values[bar.slots + k], zero), bar.rates[k].0, bar.rates[k].1];
            bar.rates[k] = (zero, zero);
            if b != [zero; 3] {
                self.weights(k, time, args, w, |i, j| {
                    // u = j s: u̇ = j̇ s + j ṡ, ü = j̈ s + 2 j̇ ṡ + j s̈
                    let s = b[0] * j.x + b[1] * j.d + b[2] * j.dd;
                    bar.add(i as u32, [s, b[1] * j.x + b[2] * 2.0 * j.d, b[2] * j.x]);
                });
            }
        }
    }
    /// f(i, ∂u_k/∂arg_i as a jet) for every parameter that signal k reads at time t.
    fn weights<S: Scalar>(
        &self,
        k: usize,
        time: Jet<S>,
        args: &Args<S>,
        w: &mut Scratch<S>,
        mut f: impl FnMut(usize, Jet<S>),
    ) {
        // ∂u/∂p on time jets: the weights of (1), a reverse sweep of (2)
        match &self.list[k] {
            Signal::Spline(spline, slots) => {
                let (first, weights) = spline.active(time);
                for (j, c) in weights.into_iter().enumerate() {
                    f(slots[spline.index(first, j)] as usize, c);
                }
            }
            Signal::Expression(program, inputs) => {
                Self::inputs(inputs, time, args, &mut w.inputs);
                program.eval(&w.inputs, &mut w.regs);
                w.inputs_bar.fill(Jet::from(0.0));
                program.reverse(&w.regs, &[(0, Jet::from(1.0))], &mut w.bars, &mut w.inputs_bar);
                // sides have no derivatives
                let known = args.slots + self.list.len();
                for (i, j) in inputs.iter().zip(&w.inputs_bar) {
                    if let Input::Arg(i) = i
                        && (*i as usize) < known
                    {
                        f(*i as usize, *j);
                    }
                }
            }
        }
    }
    /// Slots that signal `k` reads, through other signals too.
    pub(crate) fn reads(&self, k: usize, slots: usize, out: &mut Vec<u32>) {
        match &self.list[k] {
            Signal::Spline(_, s) => out.extend(s),
            Signal::Expression(_, inputs) => {
                for i in inputs {
                    match i {
                        Input::Arg(i) if (*i as usize) < slots => out.push(*i),
                        Input::Arg(i) if (*i as usize) < slots + self.list.len() => {
                            self.reads(*i as usize - slots, slots, out)
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}
