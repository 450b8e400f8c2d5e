//! Constraint rows by formula: φ = f(x, u, t) or c = f(x, ẋ, u, u̇, t) on ports x = C q + d.
//!
//! Drivers, gears, racks, screws, contacts and user constraints are rows φ. The formula is a flat program; a
//! reverse sweep of it on scalars gives J = f_x, on time jets J with its rates, on duals the products with H
//! = f_xx:
//!
//! ```text
//! φ̇ = J ẋ + …,   φ_x = J,   φ̇_x = J̇,   φ̇_ẋ = J,   φ̈_x = J̈,   φ̈_ẋ = 2 J̇,   φ̈_ẍ = J  (1)
//! c₀φ + c₁φ̇ + c₂φ̈:   x̄ = c₀J + c₁J̇ + c₂J̈,   x̄̇ = c₁J + 2c₂J̇,   x̄̈ = c₂J             (2)
//! ```
//! (2) are cotangents of the inputs; C maps those of the ports to coordinates, C_p to slots.
//!
//! Knife edges, rolling and user constraints at velocity level are rows c, affine in ẋ (`program/affine.rs`).
//! Their arguments y = ẋ are inputs like x, one level higher: (2) with the weights (w₀, w₁, 0) of (c, ċ),
//! whose cotangents ȳ belong to v and ȳ̇ to a,
//!
//! ```text
//! A = f_y C,   c_q = f_x C,   ċ_q = (d/dt f_x) C,   ċ_v = f_x C + (d/dt f_y) C = (A v)_q + Ȧ           (3)
//! (Aᵀ λ)_q = λ Cᵀ f_yx C                    not symmetric; at y = 0, because f_y does not depend on y  (4)
//! ```

mod row;

use crate::element::{Args, ArgsBar, ArgsDot};
use crate::memory::{Memory, Size};
use crate::ports::{Entry, Ports};
use crate::program::Program;
use crate::signal::Input;
use crate::system::{At, Patterns, velocity_weights};
use gradyn_num::{Dual, Jet, Scalar};

/// f: a program of one output; input `Sensor(k)` is port argument k, positions first, then velocities.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    /// x: positions of ports, one argument each.
    pub ports: Ports,
    /// Number of position arguments.
    pub args: usize,
    /// ẋ: velocities of ports, arguments from `args` on; a row φ has none.
    pub rates: Ports,
    /// Number of velocity arguments.
    pub rate_args: usize,
    /// What the program reads.
    pub inputs: Vec<Input>,
    /// The program of f.
    pub program: Program,
}

/// A formula as row k of Φ, on the patterns.
#[derive(Clone, Debug)]
pub(crate) struct FormulaRow {
    /// The formula f of the row.
    pub formula: Formula,
    /// Position of each port entry in row k of m × n, positions first.
    row: Vec<u32>,
    /// Position of each pair (entry of the rate, entry of the positions) in n × n.
    pairs: Vec<u32>,
}

/// Scratch of formulas: the program scalar, its jets, and duals.
#[derive(Clone, Debug)]
pub(crate) struct FormulaScratch<S> {
    plain: Memory<S>,
    jets: Memory<Jet<S>>,
    duals: Memory<Dual<S, 8>>,
    /// Cotangents (2) of the inputs, three levels each.
    bars: Vec<[S; 3]>,
    /// A direction of the port arguments.
    direction: Vec<S>,
}

impl<S: Scalar> FormulaScratch<S> {
    /// Memory for the largest of some formulas.
    pub(crate) fn new<'a>(all: impl Iterator<Item = &'a Formula>) -> Self {
        let size = all.map(Formula::size).fold(Size::default(), Size::max);
        Self {
            plain: Memory::new(size),
            jets: Memory::new(size),
            duals: Memory::new(size),
            bars: vec![[S::zero(); 3]; size.inputs],
            direction: vec![S::zero(); size.ports],
        }
    }
}

impl Formula {
    fn size(&self) -> Size {
        Size {
            ports: self.args + self.rate_args,
            inputs: self.inputs.len(),
            registers: self.program.registers(),
        }
    }
    /// Is it a row of velocity level?
    pub(crate) fn velocity(&self) -> bool {
        self.rate_args > 0
    }
    /// Weights of (f, ḟ, f̈) in c₀Φ + c₁Φ̇ + c₂Φ̈.
    fn weights(&self, c: [f64; 3]) -> [f64; 3] {
        if !self.velocity() {
            return c;
        }
        let [w0, w1] = velocity_weights(c);
        [w0, w1, 0.0]
    }
    /// Do these weights leave only f(x)? Rates are not read then: nobody may have computed them.
    fn positions_only(&self, c: [f64; 3]) -> bool {
        !self.velocity() && c[1] == 0.0 && c[2] == 0.0
    }
    /// The ports whose slope is the row of Φ_q: x, or ẋ at velocity level.
    fn moving(&self) -> &Ports {
        if self.velocity() { &self.rates } else { &self.ports }
    }
    /// All entries of ports, positions first.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.ports.linear.iter().chain(&self.rates.linear)
    }
    /// x, with ẋ = 0.
    fn gather<S: Scalar>(&self, q: &[S], args: &Args<S>, x: &mut [S]) {
        x.fill(S::zero());
        self.ports.gather(&args.values, q, x);
    }
    /// Jets (C q + d, C v, C a) of x and (C v, C a, ·) of ẋ.
    fn port_jets<S: Scalar>(&self, args: &Args<S>, at: &At<S>, out: &mut [Jet<S>]) {
        out.fill(Jet::from(0.0));
        for e in &self.ports.linear {
            let c = args.values[e.slot as usize];
            let i = e.coord as usize;
            let x = &mut out[e.arg as usize];
            *x += Jet::new(c * at.q[i], c * at.v[i], c * at.a[i]);
        }
        for e in &self.rates.linear {
            let c = args.values[e.slot as usize];
            let i = e.coord as usize;
            let x = &mut out[e.arg as usize];
            *x += Jet::new(c * at.v[i], c * at.a[i], S::zero());
        }
        for &(a, s) in &self.ports.constant {
            out[a as usize].x += args.values[s as usize];
        }
    }
    /// f, with ẋ = 0.
    fn value<S: Scalar>(&self, t: S, q: &[S], args: &Args<S>, w: &mut FormulaScratch<S>) -> S {
        let m = &mut w.plain;
        self.gather(q, args, &mut m.ports);
        m.run(&self.program, &self.inputs, t, |i, level| args.jet(i).level(level));
        m.output(&self.program, 0)
    }
    /// (f, ḟ, f̈), without the last at velocity level.
    fn jet<S: Scalar>(&self, args: &Args<S>, at: &At<S>, w: &mut FormulaScratch<S>) -> Jet<S> {
        let m = &mut w.jets;
        self.port_jets(args, at, &mut m.ports);
        m.run(&self.program, &self.inputs, Jet::new(at.t, S::one(), S::zero()), |i, level| {
            match (args.jet(i), level) {
                (u, 0) => u,
                (u, _) => Jet::new(u.d, u.dd, S::zero()),
            }
        });
        m.output(&self.program, 0)
    }
    /// (2) for s (c₀Φ + c₁Φ̇ + c₂Φ̈), into the scratch.
    fn bars<S: Scalar>(&self, args: &Args<S>, at: &At<S>, c: [f64; 3], s: S, w: &mut FormulaScratch<S>) {
        if self.positions_only(c) {
            self.value(at.t, at.q, args, w);
            w.plain.reverse(&self.program, &[(0, s * c[0])]);
            w.bars.iter_mut().zip(&w.plain.inputs_bar).for_each(|(b, j)| *b = [*j, S::zero(), S::zero()]);
            return;
        }
        self.jet(args, at, w);
        let m = &mut w.jets;
        let c = self.weights(c).map(|c| s * c);
        m.reverse(&self.program, &[(0, Jet::from(1.0))]);
        for (b, j) in w.bars.iter_mut().zip(&m.inputs_bar[..self.inputs.len()]) {
            *b = [c[0] * j.x + c[1] * j.d + c[2] * j.dd, c[1] * j.x + c[2] * 2.0 * j.d, c[2] * j.x];
        }
    }
    /// Cotangent of an input as part of that of q, v, a (level 0, 1, 2): velocities are one level higher.
    fn bar<S: Scalar>(&self, input: &Input, bars: &[S; 3], level: usize) -> S {
        let own = match input {
            Input::Sensor(k) => usize::from(*k as usize >= self.args),
            Input::Rate(_, level) => usize::from(*level),
            Input::Time | Input::Arg(_) => 0,
        };
        level.checked_sub(own).map_or(S::zero(), |l| bars[l])
    }
    /// Cotangents of a level of the port arguments, into `plain.ports`.
    fn spread<S: Scalar>(&self, level: usize, w: &mut FormulaScratch<S>) {
        let ports = &mut w.plain.ports;
        ports.fill(S::zero());
        for (i, b) in self.inputs.iter().zip(&w.bars) {
            if let Input::Sensor(k) = i {
                ports[*k as usize] += self.bar(i, b, level);
            }
        }
    }
    /// J (real parts) and H δ (parts 0) for a direction δ of the inputs, in `duals.inputs_bar`.
    fn along<S: Scalar>(
        &self,
        t: S,
        q: &[S],
        args: &Args<S>,
        w: &mut FormulaScratch<S>,
        port: impl Fn(&Self, &mut [S]),
        arg: impl Fn(u32, usize) -> S,
    ) {
        // x with its direction
        let x = &mut w.plain.ports;
        let dx = &mut w.direction;
        let m = &mut w.duals;
        self.gather(q, args, x);
        dx.fill(S::zero());
        port(self, dx);
        m.ports.iter_mut().zip(x.iter().zip(dx.iter())).for_each(|(m, (&x, &d))| *m = Dual::along(x, d));
        // the program on duals, forwards and backwards: J with its derivative
        let value = |i: u32, level: usize| Dual::along(args.jet(i).level(level), arg(i, level));
        m.run(&self.program, &self.inputs, Dual::constant(t), value);
        m.reverse(&self.program, &[(0, Dual::from(1.0))]);
    }
    /// Slots, signals and references that it reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        let args = self.inputs.iter().filter_map(|i| match i {
            Input::Arg(i) | Input::Rate(i, _) => Some(*i),
            Input::Time | Input::Sensor(_) => None,
        });
        self.ports.slots().chain(self.rates.slots()).chain(args)
    }
}
