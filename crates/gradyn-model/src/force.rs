//! Scalar forces: a law F acting along a geometric quantity y(q).
//!
//! Springs, dampers, torsional springs, force and torque actuators all do the virtual work F δy, so that
//!
//! ```text
//! Q = F J Cᵀ,   J = y_x                                                                          (1)
//! F = -k (y - y₀) - c ẏ + u(t) - f(y, ẏ, t; p)                                                   (2)
//! K = -Q_q:   -(J ⊗ (F_y J + F_ẏ J̇) + F H),   C = -Q_v:   -F_ẏ J ⊗ J,    H = y_xx, J̇ = H ẋ         (3)
//! ```
//! mapped by C on both sides. y is a distance, an angle or a coordinate of a point; k, c, y₀ may be slots or
//! signals. For a spring the tension is -F. Undefined where y is (coincident ends).

use crate::element::{Args, ArgsBar, ArgsDot, Element};
use crate::geometry::{Geometry, dispatch};
use crate::ports::Tangents;
use crate::program::Program;
use crate::signal::Input;
use gradyn_num::{Dual, Pattern, Scalar};

/// (2): extended-parameter indices; `program` inputs: sensor 0 is y, sensor 1 is ẏ.
#[derive(Clone, Debug)]
pub(crate) struct Law {
    /// k [N/m or N m/rad].
    pub stiffness: u32,
    /// c [N s/m or N m s/rad].
    pub damping: u32,
    /// y₀ [m or rad].
    pub rest: u32,
    /// u(t) [N or N m].
    pub applied: u32,
    /// f(y, ẏ, t; p).
    pub program: Option<(Program, Vec<Input>)>,
}

/// Scratch for the law's program.
#[derive(Clone, Debug)]
pub(crate) struct LawScratch<S> {
    inputs: Vec<S>,
    regs: Vec<S>,
    bars: Vec<S>,
    inputs_bar: Vec<S>,
}
impl<S: Scalar> LawScratch<S> {
    /// Memory for the largest of some laws.
    pub(crate) fn new<'a>(laws: impl Iterator<Item = &'a Law>) -> Self {
        let mut inputs = 0;
        let mut regs = 0;
        for (p, i) in laws.filter_map(|l| l.program.as_ref()) {
            inputs = inputs.max(i.len());
            regs = regs.max(p.registers());
        }
        let z = S::zero();
        Self {
            inputs: vec![z; inputs],
            regs: vec![z; regs],
            bars: vec![z; regs],
            inputs_bar: vec![z; inputs],
        }
    }
}

/// F with its slopes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slope<S> {
    /// The force F [N] or torque [N m].
    pub f: S,
    /// Its slope F_y over the quantity.
    pub f_y: S,
    /// Its slope F_ẏ over the rate of the quantity.
    pub f_d: S,
}

impl Law {
    /// The force F of (2) at y and ẏ = `d`.
    #[inline]
    pub(crate) fn value<S: Scalar>(&self, t: S, y: S, d: S, args: &Args<S>, w: &mut LawScratch<S>) -> S {
        let p = |i: u32| args.values[i as usize];
        let mut f = p(self.applied) - p(self.stiffness) * (y - p(self.rest)) - p(self.damping) * d;
        if let Some((program, inputs)) = &self.program {
            fill(inputs, t, y, d, args, &mut w.inputs);
            program.eval(&w.inputs, &mut w.regs);
            f -= program.output(0, &w.regs);
        }
        f
    }
    /// F, F_y, F_ẏ; leaves the program's input cotangents in the scratch.
    fn slope<S: Scalar>(&self, t: S, y: S, d: S, args: &Args<S>, w: &mut LawScratch<S>) -> Slope<S> {
        let f = self.value(t, y, d, args, w);
        let p = |i: u32| args.values[i as usize];
        let mut s = Slope { f, f_y: -p(self.stiffness), f_d: -p(self.damping) };
        if let Some((program, inputs)) = &self.program {
            w.inputs_bar.fill(S::zero());
            program.reverse(&w.regs, &[(0, S::from(-1.0))], &mut w.bars, &mut w.inputs_bar);
            for (i, b) in inputs.iter().zip(&w.inputs_bar) {
                match i {
                    Input::Sensor(0) => s.f_y += *b,
                    Input::Sensor(_) => s.f_d += *b,
                    _ => {}
                }
            }
        }
        s
    }
    /// f(i, ∂F/∂arg_i) for each parameter, after `slope`.
    fn each_param<S: Scalar>(
        &self,
        y: S,
        d: S,
        args: &Args<S>,
        w: &LawScratch<S>,
        mut f: impl FnMut(u32, S),
    ) {
        // F_p of (2): u, k, y₀, c
        let p = |i: u32| args.values[i as usize];
        f(self.applied, S::one());
        f(self.stiffness, p(self.rest) - y);
        f(self.rest, p(self.stiffness));
        f(self.damping, -d);
        // the parameters of f
        if let Some((_, inputs)) = &self.program {
            for (i, b) in inputs.iter().zip(&w.inputs_bar) {
                if let Input::Arg(i) = i {
                    f(*i, *b);
                }
            }
        }
    }
    /// Parameters that the law reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        let program = self
            .program
            .iter()
            .flat_map(|(_, i)| i)
            .filter_map(|i| if let Input::Arg(i) = i { Some(*i) } else { None });
        [self.stiffness, self.damping, self.rest, self.applied].into_iter().chain(program)
    }
}

fn fill<S: Scalar>(inputs: &[Input], t: S, y: S, d: S, args: &Args<S>, out: &mut [S]) {
    for (o, i) in out.iter_mut().zip(inputs) {
        *o = match i {
            Input::Time => t,
            Input::Arg(i) => args.values[*i as usize],
            Input::Sensor(0) => y,
            Input::Sensor(_) => d,
            Input::Rate(..) => unreachable!("a law reads values of signals only"),
        };
    }
}

/// (1): a law along an element.
#[derive(Clone, Debug)]
pub(crate) struct Force {
    /// Name of the element.
    pub name: String,
    /// The quantity y that it acts along.
    pub element: Element,
    /// The law F of (2).
    pub law: Law,
    /// Does it act in motion only?
    pub motion: bool,
    /// Position of each pair of port entries in n × n.
    pairs: Vec<u32>,
}

/// A point of evaluation: t, q, v and the extended parameters.
#[derive(Clone, Copy)]
pub(crate) struct ForceAt<'a, S> {
    /// The time t [s].
    pub t: S,
    /// The positions q.
    pub q: &'a [S],
    /// The velocities v.
    pub v: &'a [S],
    /// Slots, signals, angle references.
    pub args: &'a Args<S>,
}

impl Force {
    /// Compiles a force onto the n × n pattern.
    pub(crate) fn new(name: String, element: Element, law: Law, motion: bool, nn: &Pattern) -> Self {
        let entries = &element.ports.linear;
        let at = |i: u32, j: u32| nn.at(i as usize, j as usize);
        let pairs = entries.iter().flat_map(|a| entries.iter().map(move |b| at(a.coord, b.coord))).collect();
        Self { name, element, law, motion, pairs }
    }
    /// Positions on n × n that it writes.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u32> {
        self.pairs.iter().copied()
    }
    /// The force F, and the gradient J of y.
    #[inline]
    fn evaluate<K: Geometry<Y>, const Y: usize, S: Scalar>(
        &self,
        at: &ForceAt<S>,
        w: &mut LawScratch<S>,
    ) -> (S, [S; Y]) {
        let (y, j) = K::gradient(&self.element.args::<S, Y>(K::PORTS, at.args, at.q));
        let x: [S; Y] = self.element.port_rates(at.args, at.v);
        (self.law.value(at.t, y, dot(&j, &x), at.args, w), j)
    }
    /// y, J with their derivatives along ẋ and a second direction of the ports, and the slopes of the law:
    /// exact, without H.
    #[inline]
    fn along<K: Geometry<Y>, const Y: usize, S: Scalar>(
        &self,
        at: &ForceAt<S>,
        dx: &[S; Y],
        w: &mut LawScratch<S>,
    ) -> Along<S, Y> {
        let x = self.element.args::<S, Y>(K::PORTS, at.args, at.q);
        let d: [S; Y] = self.element.port_rates(at.args, at.v);
        let (y, j) =
            K::gradient::<Dual<S, 2>>(&std::array::from_fn(|a| Dual { re: x[a], eps: [d[a], dx[a]] }));
        Along { slope: self.law.slope(at.t, y.re, y.eps[0], at.args, w), y, j }
    }
    /// out -= Q, (1).
    #[inline]
    pub(crate) fn subtract<S: Scalar>(&self, at: &ForceAt<S>, w: &mut LawScratch<S>, out: &mut [S]) {
        #[inline]
        fn f<K: Geometry<Y>, const Y: usize, S: Scalar>(
            f: &Force,
            at: &ForceAt<S>,
            w: &mut LawScratch<S>,
            out: &mut [S],
        ) {
            let (value, j) = f.evaluate::<K, Y, S>(at, w);
            f.element.ports.scatter(&at.args.values, &j.map(|j| -(value * j)), out);
        }
        dispatch!(self.element.kind, f::<S>(self, at, w, out));
    }
    /// K and C, (3), between the arguments of the ports: rows (K | C).
    pub(crate) fn tangents<S: Scalar>(&self, at: &ForceAt<S>, w: &mut LawScratch<S>, out: &mut Tangents<S>) {
        dispatch!(self.element.kind, tangents::<S>(self, at, w, out));
    }
    /// k, c += (3), from what `tangents` gave.
    pub(crate) fn expand<S: Scalar>(&self, p: &[S], t: &Tangents<S>, k: &mut [S], c: &mut [S]) {
        let ports = &self.element.ports;
        t.expand(p, [ports, ports], 0, &self.pairs, k);
        t.expand(p, [ports, ports], t.split, &self.pairs, c);
    }
    /// Product with the slots, out -= Q_p δ.
    pub(crate) fn slots<S: Scalar>(
        &self,
        at: &ForceAt<S>,
        w: &mut LawScratch<S>,
        dp: &ArgsDot<S>,
        out: &mut [S],
    ) {
        dispatch!(self.element.kind, slots::<S>(self, at, w, dp, out));
    }
    /// bar -= s Q_pᵀ μ.
    pub(crate) fn slots_t<S: Scalar>(
        &self,
        at: &ForceAt<S>,
        w: &mut LawScratch<S>,
        mu: &[S],
        s: f64,
        bar: &mut ArgsBar<S>,
    ) {
        dispatch!(self.element.kind, pull::<S>(self, at, w, mu, s, None, None, Some(bar)));
    }
    /// q -= s Q_qᵀ μ, v -= s Q_vᵀ μ, f -= Q and `slots_t` where they are wanted.
    pub(crate) fn pull<S: Scalar>(
        &self,
        at: &ForceAt<S>,
        w: &mut LawScratch<S>,
        mu: &[S],
        s: f64,
        state: [&mut [S]; 2],
        f: Option<&mut [S]>,
        bar: Option<&mut ArgsBar<S>>,
    ) {
        dispatch!(self.element.kind, pull::<S>(self, at, w, mu, s, Some(state), f, bar));
    }
}

/// y and J with derivatives: parts 0 along ẋ (ẏ, J̇), parts 1 along the other direction (J·δx, H δx).
struct Along<S, const Y: usize> {
    y: Dual<S, 2>,
    j: [Dual<S, 2>; Y],
    slope: Slope<S>,
}

fn tangents<K: Geometry<Y>, const Y: usize, S: Scalar>(
    force: &Force,
    at: &ForceAt<S>,
    w: &mut LawScratch<S>,
    out: &mut Tangents<S>,
) {
    let (y, j, h) = K::hessian(&force.element.args::<S, Y>(K::PORTS, at.args, at.q));
    let x: [S; Y] = force.element.port_rates(at.args, at.v);
    let Slope { f, f_y, f_d } = force.law.slope(at.t, y, dot(&j, &x), at.args, w);
    // F_y J + F_ẏ J̇, J̇ = H ẋ
    let row: [S; Y] = std::array::from_fn(|b| f_y * j[b] + f_d * dot(&h[b], &x));
    out.stride = 2 * K::PORTS;
    out.split = K::PORTS;
    for (a, out) in out.values.chunks_exact_mut(2 * K::PORTS).enumerate().take(K::PORTS) {
        let (k, c) = out.split_at_mut(K::PORTS);
        for b in 0..K::PORTS {
            k[b] = -(j[a] * row[b] + f * h[a][b]);
            c[b] = -(f_d * j[a] * j[b]);
        }
    }
}

fn slots<K: Geometry<Y>, const Y: usize, S: Scalar>(
    force: &Force,
    at: &ForceAt<S>,
    w: &mut LawScratch<S>,
    dp: &ArgsDot<S>,
    out: &mut [S],
) {
    let ports = &force.element.ports;
    let mut dx = [S::zero(); Y];
    let mut dd = [S::zero(); Y];
    ports.gather(dp.slots, at.q, &mut dx);
    ports.gather_rate(dp.slots, at.v, &mut dd);
    let l = force.along::<K, Y, S>(at, &dx, w);
    // δF = F_y J δx + F_ẏ (J̇ δx + J δẋ) + F_p δp
    let rate = (0..Y).fold(S::zero(), |sum, a| sum + (l.j[a].eps[0] * dx[a] + l.j[a].re * dd[a]));
    let mut df = l.slope.f_y * l.y.eps[1] + l.slope.f_d * rate;
    force.law.each_param(l.y.re, l.y.eps[0], at.args, w, |i, g| df += g * dp.value(i));
    ports.scatter(&at.args.values, &l.j.map(|j| -(df * j.re + l.slope.f * j.eps[1])), out);
    ports.scatter(dp.slots, &l.j.map(|j| -l.slope.f * j.re), out);
}

fn pull<K: Geometry<Y>, const Y: usize, S: Scalar>(
    force: &Force,
    at: &ForceAt<S>,
    w: &mut LawScratch<S>,
    mu: &[S],
    s: f64,
    state: Option<[&mut [S]; 2]>,
    out: Option<&mut [S]>,
    bar: Option<&mut ArgsBar<S>>,
) {
    let nu: [S; Y] = force.element.port_rates(at.args, mu);
    let l = force.along::<K, Y, S>(at, &nu, w);
    let Slope { f, f_y, f_d } = l.slope;
    let work = l.y.eps[1];
    let ports = &force.element.ports;
    // -s (F J·ν)_x and -s (F J·ν)_ẋ
    let x = l.j.map(|j| (work * (f_y * j.re + f_d * j.eps[0]) + f * j.eps[1]) * -s);
    let d = l.j.map(|j| work * -s * f_d * j.re);
    if let Some([q, v]) = state {
        ports.scatter(&at.args.values, &x, q);
        ports.scatter(&at.args.values, &d, v);
    }
    if let Some(out) = out {
        ports.scatter(&at.args.values, &l.j.map(|j| -(f * j.re)), out);
    }
    if let Some(bar) = bar {
        ports.gather_p_t(at.q, &x, bar.values);
        ports.gather_rate_p_t(at.v, &d, bar.values);
        ports.gather_rate_p_t(mu, &l.j.map(|j| f * -s * j.re), bar.values);
        force.law.each_param(l.y.re, l.y.eps[0], at.args, w, |i, g| bar.values[i as usize] -= work * s * g);
    }
}

#[inline]
fn dot<S: Scalar, const Y: usize>(a: &[S; Y], b: &[S; Y]) -> S {
    let mut sum = S::zero();
    a.iter().zip(b).for_each(|(a, b)| sum += *a * *b);
    sum
}
