//! Constraint rows by formula: φ = f(x, u, t) on ports x = C q + d.
//!
//! Drivers, gears, racks, screws and user constraints are such rows. The formula is a flat program; a reverse sweep of it on
//! scalars gives J = f_x, on time jets J with its rates, on duals the products with H = f_xx:
//!
//! ```text
//! φ̇ = J ẋ + …,   φ_x = J,   φ̇_x = J̇,   φ̇_ẋ = J,   φ̈_x = J̈,   φ̈_ẋ = 2 J̇,   φ̈_ẍ = J                  (1)
//! c₀φ + c₁φ̇ + c₂φ̈:   x̄ = c₀J + c₁J̇ + c₂J̈,   x̄̇ = c₁J + 2c₂J̇,   x̄̈ = c₂J                          (2)
//! ```
//! (2) are cotangents of the inputs; C maps those of the ports to coordinates, C_p to slots.

use crate::element::{Args, ArgsBar, ArgsDot};
use crate::memory::{Memory, Size, spread};
use crate::ports::Ports;
use crate::program::Program;
use crate::signal::Input;
use crate::system::{At, Patterns};
use gradyn_num::{Dual, Jet, Scalar};

/// f: a program of one output; input `Sensor(k)` is port argument k.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Ports, one argument each.
    pub ports: Ports,
    /// Number of port arguments.
    pub args: usize,
    /// What the program reads.
    pub inputs: Vec<Input>,
    /// f.
    pub program: Program,
}

/// A formula as row k of Φ, on the patterns.
#[derive(Clone, Debug)]
pub struct FormulaRow {
    /// f.
    pub formula: Formula,
    /// Position of each port entry in row k of m × n.
    row: Vec<u32>,
    /// Position of each pair of port entries in n × n.
    pairs: Vec<u32>,
}

/// Scratch of formulas: the program scalar, its jets, and duals.
#[derive(Clone, Debug)]
pub struct FormulaScratch<S> {
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
    pub fn new<'a>(all: impl Iterator<Item = &'a Formula>) -> Self {
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

/// Port jets (C q + d, C v, C a).
fn port_jets<S: Scalar>(ports: &Ports, args: &Args<S>, at: &At<S>, out: &mut [Jet<S>]) {
    out.fill(Jet::from(0.0));
    for e in &ports.linear {
        let (c, i, x) = (args.values[e.slot as usize], e.coord as usize, &mut out[e.arg as usize]);
        *x += Jet::new(c * at.q[i], c * at.v[i], c * at.a[i]);
    }
    for &(a, s) in &ports.constant {
        out[a as usize].x += args.values[s as usize];
    }
}

impl Formula {
    fn size(&self) -> Size {
        Size { ports: self.args, inputs: self.inputs.len(), registers: self.program.registers() }
    }
    /// φ.
    pub fn value<S: Scalar>(&self, t: S, q: &[S], args: &Args<S>, w: &mut FormulaScratch<S>) -> S {
        let m = &mut w.plain;
        m.ports.fill(S::zero());
        self.ports.gather(&args.values, q, &mut m.ports);
        m.run(&self.program, &self.inputs, t, |i| args.values[i as usize]);
        m.output(&self.program, 0)
    }
    /// (φ, φ̇, φ̈).
    pub fn jet<S: Scalar>(&self, args: &Args<S>, at: &At<S>, w: &mut FormulaScratch<S>) -> Jet<S> {
        let m = &mut w.jets;
        port_jets(&self.ports, args, at, &mut m.ports);
        m.run(&self.program, &self.inputs, Jet::new(at.t, S::one(), S::zero()), |i| args.jet(i));
        m.output(&self.program, 0)
    }
    /// (2) for c₀φ + c₁φ̇ + c₂φ̈, into the scratch.
    fn bars<S: Scalar>(&self, args: &Args<S>, at: &At<S>, c: [S; 3], w: &mut FormulaScratch<S>) {
        self.jet(args, at, w);
        let m = &mut w.jets;
        m.reverse(&self.program, &[(0, Jet::from(1.0))]);
        for (b, j) in w.bars.iter_mut().zip(&m.inputs_bar[..self.inputs.len()]) {
            *b = [c[0] * j.x + c[1] * j.d + c[2] * j.dd, c[1] * j.x + c[2] * 2.0 * j.d, c[2] * j.x];
        }
    }
    /// J (real parts) and H δ (parts 0) for a direction δ of the inputs, in `duals.inputs_bar`.
    fn along<S: Scalar>(
        &self,
        t: S,
        q: &[S],
        args: &Args<S>,
        w: &mut FormulaScratch<S>,
        port: impl Fn(&Ports, &mut [S]),
        arg: impl Fn(u32) -> S,
    ) {
        let (x, dx, m) = (&mut w.plain.ports, &mut w.direction, &mut w.duals);
        x.fill(S::zero());
        dx.fill(S::zero());
        self.ports.gather(&args.values, q, x);
        port(&self.ports, dx);
        m.ports.iter_mut().zip(x.iter().zip(dx.iter())).for_each(|(m, (&x, &d))| *m = Dual::along(x, d));
        m.run(&self.program, &self.inputs, Dual::constant(t), |i| Dual::along(args.values[i as usize], arg(i)));
        m.reverse(&self.program, &[(0, Dual::from(1.0))]);
    }
    /// Slots, signals and references that it reads.
    pub fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        self.ports.slots().chain(self.inputs.iter().filter_map(|i| if let Input::Arg(i) = i { Some(*i) } else { None }))
    }
}

impl FormulaRow {
    /// Row `k` on the patterns.
    pub fn new(formula: Formula, k: usize, patterns: &Patterns) -> Self {
        let coords: Vec<usize> = formula.ports.coords().map(|i| i as usize).collect();
        let row = coords.iter().map(|&i| patterns.mn.at(k, i)).collect();
        let pairs = coords.iter().flat_map(|&i| coords.iter().map(move |&j| patterns.nn.at(i, j))).collect();
        Self { formula, row, pairs }
    }
    /// Φ_q: out += J C.
    pub fn phi_q<S: Scalar>(&self, t: S, q: &[S], args: &Args<S>, w: &mut FormulaScratch<S>, out: &mut [S]) {
        let f = &self.formula;
        f.value(t, q, args, w);
        w.plain.reverse(&f.program, &[(0, S::one())]);
        w.plain.spread(&f.inputs);
        for (e, &pos) in f.ports.linear.iter().zip(&self.row) {
            out[pos as usize] += w.plain.ports[e.arg as usize] * args.values[e.slot as usize];
        }
    }
    /// out += (c₀φ + c₁φ̇ + c₂φ̈)_q (level 0) or _v (level 1).
    pub fn rate_q<S: Scalar>(
        &self,
        args: &Args<S>,
        at: &At<S>,
        c: [f64; 3],
        level: usize,
        w: &mut FormulaScratch<S>,
        out: &mut [S],
    ) {
        let f = &self.formula;
        f.bars(args, at, c.map(S::from), w);
        spread(&f.inputs, &w.bars, |b| b[level], &mut w.plain.ports);
        for (e, &pos) in f.ports.linear.iter().zip(&self.row) {
            out[pos as usize] += w.plain.ports[e.arg as usize] * args.values[e.slot as usize];
        }
    }
    /// out += λ (J C)ᵀ_q = λ Cᵀ H C.
    pub fn balance_q<S: Scalar>(&self, at: &At<S>, lam: S, args: &Args<S>, w: &mut FormulaScratch<S>, out: &mut [S]) {
        const LANES: usize = 8;
        let f = &self.formula;
        let entries = &f.ports.linear;
        w.plain.ports.fill(S::zero());
        f.ports.gather(&args.values, at.q, &mut w.plain.ports);
        for first in (0..f.args).step_by(LANES) {
            let m = &mut w.duals;
            for k in 0..f.args {
                m.ports[k] = Dual::constant(w.plain.ports[k]);
                if (first..first + LANES).contains(&k) {
                    m.ports[k].eps[k - first] = S::one();
                }
            }
            m.run(&f.program, &f.inputs, Dual::constant(at.t), |i| Dual::constant(args.values[i as usize]));
            m.reverse(&f.program, &[(0, Dual::from(1.0))]);
            m.spread(&f.inputs);
            for (a, pairs) in entries.iter().zip(self.pairs.chunks_exact(entries.len())) {
                let (row, ca) = (&m.ports[a.arg as usize].eps, lam * args.values[a.slot as usize]);
                for (b, &pos) in entries.iter().zip(pairs) {
                    if (first..first + LANES).contains(&(b.arg as usize)) {
                        out[pos as usize] += ca * row[b.arg as usize - first] * args.values[b.slot as usize];
                    }
                }
            }
        }
    }
    /// (c₀φ + c₁φ̇ + c₂φ̈)_p δ.
    pub fn constraint_p<S: Scalar>(
        &self,
        args: &Args<S>,
        at: &At<S>,
        c: [f64; 3],
        dot: &ArgsDot<S>,
        w: &mut FormulaScratch<S>,
    ) -> S {
        let f = &self.formula;
        f.bars(args, at, c.map(S::from), w);
        let mut sum = S::zero();
        for (level, x) in [at.q, at.v, at.a].into_iter().enumerate() {
            w.plain.ports.fill(S::zero());
            match level {
                0 => f.ports.gather(dot.slots, x, &mut w.plain.ports),
                _ => f.ports.gather_rate(dot.slots, x, &mut w.plain.ports),
            }
            for (i, b) in f.inputs.iter().zip(&w.bars) {
                sum += b[level]
                    * match i {
                        Input::Sensor(k) => w.plain.ports[*k as usize],
                        Input::Arg(i) => dot.level(*i, level),
                        Input::Time | Input::Rate(..) => S::zero(),
                    };
            }
        }
        sum
    }
    /// bar += (c₀φ + c₁φ̇ + c₂φ̈)_pᵀ.
    pub fn constraint_p_t<S: Scalar>(
        &self,
        args: &Args<S>,
        at: &At<S>,
        c: [S; 3],
        w: &mut FormulaScratch<S>,
        bar: &mut ArgsBar<S>,
    ) {
        let f = &self.formula;
        f.bars(args, at, c, w);
        for (level, x) in [at.q, at.v, at.a].into_iter().enumerate() {
            spread(&f.inputs, &w.bars, |b| b[level], &mut w.plain.ports);
            match level {
                0 => f.ports.gather_p_t(x, &w.plain.ports, bar.values),
                _ => f.ports.gather_rate_p_t(x, &w.plain.ports, bar.values),
            }
        }
        for (i, b) in f.inputs.iter().zip(&w.bars) {
            if let Input::Arg(i) = i {
                bar.add(*i, *b);
            }
        }
    }
    /// out += λ (Cᵀ J)_p δ = λ (δCᵀ J + Cᵀ H δx).
    pub fn balance_p<S: Scalar>(
        &self,
        at: &At<S>,
        lam: S,
        args: &Args<S>,
        dot: &ArgsDot<S>,
        w: &mut FormulaScratch<S>,
        out: &mut [S],
    ) {
        let f = &self.formula;
        f.along(at.t, at.q, args, w, |ports, x| ports.gather(dot.slots, at.q, x), |i| dot.value(i));
        w.duals.spread(&f.inputs);
        for e in &f.ports.linear {
            let (j, slot) = (&w.duals.ports[e.arg as usize], e.slot as usize);
            out[e.coord as usize] += lam * (args.values[slot] * j.eps[0] + dot.slots[slot] * j.re);
        }
    }
    /// bar += s λ (Cᵀ J)_pᵀ μ.
    pub fn balance_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        s: S,
        mu: &[S],
        args: &Args<S>,
        w: &mut FormulaScratch<S>,
        bar: &mut ArgsBar<S>,
    ) {
        let f = &self.formula;
        f.along(at.t, at.q, args, w, |ports, x| ports.gather_rate(&args.values, mu, x), |_| S::zero());
        for (i, j) in f.inputs.iter().zip(&w.duals.inputs_bar) {
            if let Input::Arg(i) = i {
                bar.add(*i, [s * j.eps[0], S::zero(), S::zero()]);
            }
        }
        w.duals.spread(&f.inputs);
        let j = &w.duals.ports;
        for e in &f.ports.linear {
            let (a, i) = (&j[e.arg as usize], e.coord as usize);
            bar.values[e.slot as usize] += s * (a.eps[0] * at.q[i] + a.re * mu[i]);
        }
        for &(a, slot) in &f.ports.constant {
            bar.values[slot as usize] += s * j[a as usize].eps[0];
        }
    }
}
