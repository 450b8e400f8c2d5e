//! Loads: force components f that do work on affine ports.
//!
//! Bushings, contacts, joint friction, actuators, forces and torques in any frame and user forces are such
//! loads:
//!
//! ```text
//! δW = fᵀ δw,   w = C_w q + d,   Q = C_wᵀ f(x, ẋ, t; p),   x = C q + d                             (1)
//! K = -C_wᵀ f_x C,   C = -C_wᵀ f_ẋ C                                                             (2)
//! ```
//! f is a flat program. Because w is affine, no second derivative appears. A torque τ on a body with unit
//! vectors u_k does the work ½ (τ × u_k)·δu_k summed over k (in the plane τ u⊥·δu).

use crate::element::{ArgsBar, ArgsDot};
use crate::force::ForceAt;
use crate::memory::{Memory, Size};
use crate::ports::{Ports, Tangents};
use crate::program::{Jacobian, Program};
use crate::signal::Input;
use gradyn_num::{Dual, Pattern, Scalar};

/// (1): input `Sensor(k)` is port argument k, positions first, then velocities.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// Name of the element.
    pub name: String,
    /// x: positions of ports, one argument each.
    pub positions: Ports,
    /// Number of position arguments.
    pub position_args: usize,
    /// ẋ: velocities of ports.
    pub velocities: Ports,
    /// Number of velocity arguments.
    pub velocity_args: usize,
    /// What the program reads.
    pub inputs: Vec<Input>,
    /// The program of f.
    pub program: Program,
    /// w: argument i is output i.
    pub work: Ports,
    /// Does it act in motion only?
    pub motion: bool,
}

/// A load on the n × n pattern.
#[derive(Clone, Debug)]
pub(crate) struct LoadRows {
    /// The load, with f and w.
    pub load: Load,
    /// Position of each (work entry, position entry) and (work entry, velocity entry).
    pairs: [Vec<u32>; 2],
    /// f over the port arguments.
    jacobian: Jacobian,
}

/// Scratch of loads.
#[derive(Clone, Debug)]
pub(crate) struct LoadScratch<S> {
    plain: Memory<S>,
    duals: Memory<Dual<S, 1>>,
    live: Vec<bool>,
    partials: Vec<S>,
    seeds: Vec<(usize, S)>,
}
impl<S: Scalar> LoadScratch<S> {
    /// Memory for the largest of some loads, and for those whose values alone are needed.
    pub(crate) fn new<'a>(loads: &'a [LoadRows], values: impl Iterator<Item = &'a Load>) -> Self {
        let mut size = Size::default();
        let mut outputs = 0;
        for l in loads.iter().map(|l| &l.load).chain(values) {
            size =
                size.max(Size { ports: l.args(), inputs: l.inputs.len(), registers: l.program.registers() });
            outputs = outputs.max(l.program.outputs());
        }
        let partials = loads.iter().map(|l| l.jacobian.size()).max().unwrap_or(0);
        let list = |len: usize| vec![S::zero(); len];
        Self {
            plain: Memory::new(size),
            duals: Memory::new(size),
            live: vec![false; size.registers],
            partials: list(partials),
            seeds: Vec::with_capacity(outputs),
        }
    }
}

impl Load {
    fn args(&self) -> usize {
        self.position_args + self.velocity_args
    }
    /// Gathers the arguments x and ẋ of the ports.
    fn gather<S: Scalar>(&self, at: &ForceAt<S>, out: &mut [S]) {
        out.fill(S::zero());
        let (x, d) = out.split_at_mut(self.position_args);
        self.positions.gather(&at.args.values, at.q, x);
        self.velocities.gather_rate(&at.args.values, at.v, d);
    }
    /// Values of the force components f [N, N m].
    pub(crate) fn values<S: Scalar>(&self, at: &ForceAt<S>, w: &mut LoadScratch<S>) -> Vec<S> {
        self.gather(at, &mut w.plain.ports);
        w.plain.run(&self.program, &self.inputs, at.t, |i, _| at.args.values[i as usize]);
        (0..self.program.outputs()).map(|k| w.plain.output(&self.program, k)).collect()
    }
    /// Extended parameters that it reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        let args = self.inputs.iter().filter_map(|i| if let Input::Arg(i) = i { Some(*i) } else { None });
        self.positions.slots().chain(self.velocities.slots()).chain(self.work.slots()).chain(args)
    }
}

impl LoadRows {
    /// Compiles a load onto the pattern.
    pub(crate) fn new(load: Load, nn: &Pattern) -> Self {
        let pairs = [&load.positions, &load.velocities].map(|ports| {
            let at = |i: u32, j: u32| nn.at(i as usize, j as usize);
            load.work
                .linear
                .iter()
                .flat_map(|w| ports.linear.iter().map(move |x| at(w.coord, x.coord)))
                .collect()
        });
        let jacobian = Jacobian::new(&load.program, |i| matches!(load.inputs[i], Input::Sensor(_)));
        Self { load, pairs, jacobian }
    }
    /// Positions on n × n that it writes.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u32> {
        self.pairs.iter().flatten().copied()
    }
    /// out -= Q, (1).
    pub(crate) fn subtract<S: Scalar>(&self, at: &ForceAt<S>, w: &mut LoadScratch<S>, out: &mut [S]) {
        let l = &self.load;
        l.gather(at, &mut w.plain.ports);
        w.plain.run(&l.program, &l.inputs, at.t, |i, _| at.args.values[i as usize]);
        self.subtract_known(at, w, out);
    }
    /// out -= Q, where f is known.
    fn subtract_known<S: Scalar>(&self, at: &ForceAt<S>, w: &LoadScratch<S>, out: &mut [S]) {
        for e in &self.load.work.linear {
            out[e.coord as usize] -=
                at.args.values[e.slot as usize] * w.plain.output(&self.load.program, e.arg as usize);
        }
    }
    /// -f_x and -f_ẋ, outputs × arguments.
    pub(crate) fn tangents<S: Scalar>(&self, at: &ForceAt<S>, w: &mut LoadScratch<S>, out: &mut Tangents<S>) {
        let l = &self.load;
        let args = self.load.args();
        (out.stride, out.split) = (args, l.position_args);
        l.gather(at, &mut w.plain.ports);
        w.plain.run(&l.program, &l.inputs, at.t, |i, _| at.args.values[i as usize]);
        let values = &mut out.values[..l.program.outputs() * args];
        values.fill(S::zero());
        let LoadScratch { plain, live, partials, .. } = w;
        self.jacobian.each(&l.program, plain.registers(), live, partials, |output, input, value| {
            if let Input::Sensor(k) = l.inputs[input as usize] {
                values[output as usize * args + k as usize] -= value;
            }
        });
    }
    /// k, c += (2), from what `tangents` gave.
    pub(crate) fn expand<S: Scalar>(&self, p: &[S], t: &Tangents<S>, k: &mut [S], c: &mut [S]) {
        let l = &self.load;
        t.expand(p, [&l.work, &l.positions], 0, &self.pairs[0], k);
        t.expand(p, [&l.work, &l.velocities], t.split, &self.pairs[1], c);
    }
    /// Numbers of `tangents`.
    pub(crate) fn size(&self) -> usize {
        self.load.program.outputs() * self.load.args()
    }
    /// Product with the slots, out -= Q_p δ.
    pub(crate) fn slots<S: Scalar>(
        &self,
        at: &ForceAt<S>,
        w: &mut LoadScratch<S>,
        dp: &ArgsDot<S>,
        out: &mut [S],
    ) {
        let l = &self.load;
        // x, ẋ along their slots
        l.gather(at, &mut w.plain.ports);
        w.duals.ports.iter_mut().zip(&w.plain.ports).for_each(|(d, &x)| *d = Dual::constant(x));
        w.plain.ports.fill(S::zero());
        let (x, d) = w.plain.ports.split_at_mut(l.position_args);
        l.positions.gather(dp.slots, at.q, x);
        l.velocities.gather_rate(dp.slots, at.v, d);
        w.duals.ports.iter_mut().zip(&w.plain.ports).for_each(|(d, &x)| d.eps[0] = x);
        // f along all slots, then out -= C_wᵀ f_p δ + (C_w)_pᵀ f δ
        w.duals.run(&l.program, &l.inputs, Dual::constant(at.t), |i, _| {
            Dual::along(at.args.values[i as usize], dp.value(i))
        });
        for e in &l.work.linear {
            let f = w.duals.output(&l.program, e.arg as usize);
            let slot = e.slot as usize;
            out[e.coord as usize] -= at.args.values[slot] * f.eps[0] + dp.slots[slot] * f.re;
        }
    }
    /// Cotangents of -s μᵀQ: of the inputs, and of the port arguments in place of them.
    fn reverse<S: Scalar>(&self, at: &ForceAt<S>, w: &mut LoadScratch<S>, mu: &[S], s: f64) {
        let l = &self.load;
        let m = &mut w.plain;
        l.gather(at, &mut m.ports);
        m.run(&l.program, &l.inputs, at.t, |i, _| at.args.values[i as usize]);
        w.seeds.clear();
        w.seeds.extend((0..l.program.outputs()).map(|k| (k, S::zero())));
        for e in &l.work.linear {
            w.seeds[e.arg as usize].1 -= at.args.values[e.slot as usize] * s * mu[e.coord as usize];
        }
        m.reverse(&l.program, &w.seeds);
        m.spread(&l.inputs);
    }
    /// bar -= s Q_pᵀ μ.
    pub(crate) fn slots_t<S: Scalar>(
        &self,
        at: &ForceAt<S>,
        w: &mut LoadScratch<S>,
        mu: &[S],
        s: f64,
        bar: &mut ArgsBar<S>,
    ) {
        self.reverse(at, w, mu, s);
        self.pull_slots(at, w, mu, s, bar);
    }
    /// q -= s Q_qᵀ μ, v -= s Q_vᵀ μ, f -= Q and `slots_t` where they are wanted.
    pub(crate) fn pull<S: Scalar>(
        &self,
        at: &ForceAt<S>,
        w: &mut LoadScratch<S>,
        mu: &[S],
        s: f64,
        [q, v]: [&mut [S]; 2],
        f: Option<&mut [S]>,
        bar: Option<&mut ArgsBar<S>>,
    ) {
        // f, and its cotangents for -s C_w μ
        self.reverse(at, w, mu, s);
        if let Some(f) = f {
            self.subtract_known(at, w, f);
        }
        // q̄ += Cᵀ x̄, v̄ += Cᵀ ẋ̄
        let (x, d) = w.plain.ports.split_at(self.load.position_args);
        self.load.positions.scatter(&at.args.values, x, q);
        self.load.velocities.scatter(&at.args.values, d, v);
        // p̄ where slots are active
        if let Some(bar) = bar {
            self.pull_slots(at, w, mu, s, bar);
        }
    }
    /// `slots_t` from the cotangents of `reverse`.
    fn pull_slots<S: Scalar>(
        &self,
        at: &ForceAt<S>,
        w: &LoadScratch<S>,
        mu: &[S],
        s: f64,
        bar: &mut ArgsBar<S>,
    ) {
        // -s fᵀ (C_w)_p μ
        let l = &self.load;
        let m = &w.plain;
        for e in &l.work.linear {
            bar.values[e.slot as usize] -= m.output(&l.program, e.arg as usize) * s * mu[e.coord as usize];
        }
        // parameters that f reads
        for (i, b) in l.inputs.iter().zip(&m.inputs_bar) {
            if let Input::Arg(i) = i {
                bar.add(*i, [*b, S::zero(), S::zero()]);
            }
        }
        // C_p of its arguments
        let (x, d) = m.ports.split_at(l.position_args);
        l.positions.gather_p_t(at.q, x, bar.values);
        l.velocities.gather_rate_p_t(at.v, d, bar.values);
    }
}
