//! Scalar forces: a law F acting along a geometric quantity y(q).
//!
//! Springs, dampers, torsional springs, force and torque actuators all do the virtual work F δy, so that
//!
//! ```text
//! Q = F J Cᵀ,   J = y_x                                                                          (1)
//! F = -k (y - y₀) - c ẏ + u(t) - f(y, ẏ, t; p)                                                   (2)
//! K = -Q_q:   -(J ⊗ (F_y J + F_ẏ J̇) + F H),   C = -Q_v:   -F_ẏ J ⊗ J,    H = y_xx, J̇ = H ẋ         (3)
//! ```
//! mapped by C on both sides. y is a distance, an angle or a coordinate of a point; k, c, y₀ may be slots or signals. For a
//! spring the tension is -F. Undefined where y is (coincident ends).

use crate::element::{Args, ArgsBar, ArgsDot, Element, MOST};
use crate::program::Program;
use crate::signal::Input;
use gradyn_num::{Pattern, Scalar};

/// (2): extended-parameter indices; `program` inputs: sensor 0 is y, sensor 1 is ẏ.
#[derive(Clone, Debug)]
pub struct Law {
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
pub struct LawScratch<S> {
    inputs: Vec<S>,
    regs: Vec<S>,
    bars: Vec<S>,
    inputs_bar: Vec<S>,
}
impl<S: Scalar> LawScratch<S> {
    /// Memory for the largest of some laws.
    pub fn new<'a>(laws: impl Iterator<Item = &'a Law>) -> Self {
        let (mut inputs, mut regs) = (0, 0);
        for (p, i) in laws.filter_map(|l| l.program.as_ref()) {
            (inputs, regs) = (inputs.max(i.len()), regs.max(p.registers()));
        }
        let z = S::zero();
        Self { inputs: vec![z; inputs], regs: vec![z; regs], bars: vec![z; regs], inputs_bar: vec![z; inputs] }
    }
}

/// F with its slopes.
#[derive(Clone, Copy, Debug)]
pub struct Slope {
    /// F.
    pub f: f64,
    /// F_y.
    pub f_y: f64,
    /// F_ẏ.
    pub f_d: f64,
}

impl Law {
    /// (2).
    #[inline]
    pub fn value<S: Scalar>(&self, t: S, y: S, d: S, args: &Args<S>, w: &mut LawScratch<S>) -> S {
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
    fn slope(&self, t: f64, y: f64, d: f64, args: &Args<f64>, w: &mut LawScratch<f64>) -> Slope {
        let f = self.value(t, y, d, args, w);
        let p = |i: u32| args.values[i as usize];
        let mut s = Slope { f, f_y: -p(self.stiffness), f_d: -p(self.damping) };
        if let Some((program, inputs)) = &self.program {
            w.inputs_bar.fill(0.0);
            program.reverse(&w.regs, &[(0, -1.0)], &mut w.bars, &mut w.inputs_bar);
            for (i, b) in inputs.iter().zip(&w.inputs_bar) {
                match i {
                    Input::Sensor(0) => s.f_y += b,
                    Input::Sensor(_) => s.f_d += b,
                    _ => {}
                }
            }
        }
        s
    }
    /// f(i, ∂F/∂arg_i) for each parameter, after `slope`.
    fn each_param(&self, y: f64, d: f64, args: &Args<f64>, w: &LawScratch<f64>, mut f: impl FnMut(u32, f64)) {
        let p = |i: u32| args.values[i as usize];
        f(self.applied, 1.0);
        f(self.stiffness, p(self.rest) - y);
        f(self.rest, p(self.stiffness));
        f(self.damping, -d);
        if let Some((_, inputs)) = &self.program {
            for (i, b) in inputs.iter().zip(&w.inputs_bar) {
                if let Input::Arg(i) = i {
                    f(*i, *b);
                }
            }
        }
    }
    /// Parameters that the law reads.
    pub fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        let program =
            self.program.iter().flat_map(|(_, i)| i).filter_map(|i| if let Input::Arg(i) = i { Some(*i) } else { None });
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
        };
    }
}

/// (1): a law along an element.
#[derive(Clone, Debug)]
pub struct Force {
    /// Name of the element.
    pub name: String,
    /// y.
    pub element: Element,
    /// F.
    pub law: Law,
    /// Position of each pair of port entries in n × n.
    pairs: Vec<u32>,
}

/// A force linearised at a point.
struct Local {
    j: [f64; MOST],
    h: [[f64; MOST]; MOST],
    /// J̇ = H ẋ.
    dj: [f64; MOST],
    y: f64,
    d: f64,
    slope: Slope,
}

impl Force {
    /// Compiles a force onto the n × n pattern.
    pub fn new(name: String, element: Element, law: Law, nn: &Pattern) -> Self {
        let entries = &element.ports.linear;
        let at = |i: u32, j: u32| nn.position(i as usize, j as usize).expect("the pattern contains every pair") as u32;
        let pairs = entries.iter().flat_map(|a| entries.iter().map(move |b| at(a.coord, b.coord))).collect();
        Self { name, element, law, pairs }
    }
    /// y, ẏ, J, F.
    #[inline]
    fn evaluate<S: Scalar>(&self, t: S, q: &[S], v: &[S], args: &Args<S>, w: &mut LawScratch<S>) -> (S, [S; MOST]) {
        let (y, j) = self.element.gradient(args, q);
        let x: [S; MOST] = self.element.port_rates(args, v);
        let mut d = S::zero();
        j.iter().zip(&x).for_each(|(j, x)| d += *j * *x);
        (self.law.value(t, y, d, args, w), j)
    }
    /// F along +y.
    pub fn value<S: Scalar>(&self, t: S, q: &[S], v: &[S], args: &Args<S>, w: &mut LawScratch<S>) -> S {
        self.evaluate(t, q, v, args, w).0
    }
    /// out -= Q, (1).
    #[inline]
    pub fn subtract<S: Scalar>(&self, t: S, q: &[S], v: &[S], args: &Args<S>, w: &mut LawScratch<S>, out: &mut [S]) {
        let (f, j) = self.evaluate(t, q, v, args, w);
        self.element.ports.scatter(&args.values, &j.map(|j| -(f * j)), out);
    }
    fn linearise(&self, t: f64, q: &[f64], v: &[f64], args: &Args<f64>, w: &mut LawScratch<f64>) -> Local {
        let (y, j, h) = self.element.hessian(args, q);
        let x: [f64; MOST] = self.element.port_rates(args, v);
        let dj: [f64; MOST] = std::array::from_fn(|a| dot(&h[a], &x));
        let d = dot(&j, &x);
        Local { j, h, dj, y, d, slope: self.law.slope(t, y, d, args, w) }
    }
    /// K and C, (3).
    pub fn tangents(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        args: &Args<f64>,
        w: &mut LawScratch<f64>,
        k: &mut [f64],
        c: &mut [f64],
    ) {
        let l = self.linearise(t, q, v, args, w);
        let Slope { f, f_y, f_d } = l.slope;
        let entries = &self.element.ports.linear;
        for (ea, pairs) in entries.iter().zip(self.pairs.chunks_exact(entries.len())) {
            let a = ea.arg as usize;
            let pa = args.values[ea.slot as usize];
            for (eb, &pos) in entries.iter().zip(pairs) {
                let b = eb.arg as usize;
                let s = pa * args.values[eb.slot as usize];
                k[pos as usize] -= s * (l.j[a] * (f_y * l.j[b] + f_d * l.dj[b]) + f * l.h[a][b]);
                c[pos as usize] -= s * f_d * l.j[a] * l.j[b];
            }
        }
    }
    /// out -= Q_p δ.
    pub fn slots(&self, t: f64, q: &[f64], v: &[f64], args: &Args<f64>, w: &mut LawScratch<f64>, dp: &ArgsDot, out: &mut [f64]) {
        let l = self.linearise(t, q, v, args, w);
        let (mut dx, mut dd) = ([0.0; MOST], [0.0; MOST]);
        self.element.ports.gather_p(dp.slots, q, &mut dx);
        self.element.ports.gather_rate_p(dp.slots, v, &mut dd);
        // δF = F_y J δx + F_ẏ (J̇ δx + J δẋ) + F_p δp
        let mut df = l.slope.f_y * dot(&l.j, &dx) + l.slope.f_d * (dot(&l.dj, &dx) + dot(&l.j, &dd));
        self.law.each_param(l.y, l.d, args, w, |i, g| df += g * dp.value(i));
        let change: [f64; MOST] = std::array::from_fn(|a| -(df * l.j[a] + l.slope.f * dot(&l.h[a], &dx)));
        self.element.ports.scatter(&args.values, &change, out);
        self.element.ports.scatter_p(dp.slots, &l.j.map(|j| -l.slope.f * j), out);
    }
    /// bar -= s Q_pᵀ μ.
    pub fn slots_t(
        &self,
        at: (f64, &[f64], &[f64]),
        args: &Args<f64>,
        w: &mut LawScratch<f64>,
        mu: &[f64],
        s: f64,
        bar: &mut ArgsBar,
    ) {
        let (t, q, v) = at;
        let l = self.linearise(t, q, v, args, w);
        let Slope { f, f_y, f_d } = l.slope;
        let nu: [f64; MOST] = self.element.port_rates(args, mu);
        let work = dot(&l.j, &nu);
        let x: [f64; MOST] = std::array::from_fn(|a| -s * (work * (f_y * l.j[a] + f_d * l.dj[a]) + f * dot(&l.h[a], &nu)));
        let d = l.j.map(|j| -s * work * f_d * j);
        self.element.ports.gather_p_t(q, &x, bar.values);
        self.element.ports.gather_rate_p_t(v, &d, bar.values);
        self.element.ports.gather_rate_p_t(mu, &l.j.map(|j| -s * f * j), bar.values);
        self.law.each_param(l.y, l.d, args, w, |i, g| bar.values[i as usize] -= s * work * g);
    }
    /// Cotangents of F itself: adds s ∂F/∂(q, v, p).
    pub fn value_t(&self, t: f64, q: &[f64], v: &[f64], args: &Args<f64>, w: &mut LawScratch<f64>, s: f64, out: ForceBar) {
        let l = self.linearise(t, q, v, args, w);
        let x: [f64; MOST] = std::array::from_fn(|a| s * (l.slope.f_y * l.j[a] + l.slope.f_d * l.dj[a]));
        let d = l.j.map(|j| s * l.slope.f_d * j);
        let ports = &self.element.ports;
        ports.scatter(&args.values, &x, out.q);
        ports.scatter(&args.values, &d, out.q_rate);
        ports.gather_p_t(q, &x, out.args.values);
        ports.gather_rate_p_t(v, &d, out.args.values);
        self.law.each_param(l.y, l.d, args, w, |i, g| out.args.values[i as usize] += s * g);
    }
}

/// Where the cotangents of a force value go.
pub struct ForceBar<'a> {
    /// q̄.
    pub q: &'a mut [f64],
    /// v̄.
    pub q_rate: &'a mut [f64],
    /// Extended parameters.
    pub args: ArgsBar<'a>,
}

#[inline]
fn dot(a: &[f64; MOST], b: &[f64; MOST]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
