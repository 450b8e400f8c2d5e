//! An element: a geometric quantity on ports, with everything the terms need of it.
//!
//! ```text
//! y(q, t; p) = Y(C q + d, u)                                                                     (1)
//! c₀y + c₁ẏ + c₂ÿ:   x̄ = c₀J + c₁J̇ + c₂J̈,   x̄̇ = c₁J + 2c₂J̇,   x̄̈ = c₂J                        (2)
//! ```
//! (2) are the cotangents of the port arguments; C maps them to coordinates, C_p to slots.

use crate::geometry::{Geometry, Kind, dispatch};
use crate::ports::Ports;
use gradyn_num::{Jet, Scalar};

/// The most arguments that a kernel has.
pub const MOST: usize = 5;

/// Extended parameters: slots, then signals of t, then angle references; rates of the signals.
#[derive(Clone, Debug)]
pub struct Args<S> {
    /// Values.
    pub values: Vec<S>,
    /// (u̇, ü) of the signals.
    pub rates: Vec<(S, S)>,
    /// Where the signals start.
    pub slots: usize,
}

impl<S: Scalar> Args<S> {
    /// Argument `i` with its rates.
    #[inline]
    pub fn jet(&self, i: u32) -> Jet<S> {
        let i = i as usize;
        let x = self.values[i];
        match self.rates.get(i.wrapping_sub(self.slots)) {
            Some(&(d, dd)) => Jet::new(x, d, dd),
            None => Jet::new(x, S::zero(), S::zero()),
        }
    }
}

/// Cotangents of the extended parameters: values, and first and second rates of the signals.
pub struct ArgsBar<'a> {
    /// ū of slots, signals and angle references.
    pub values: &'a mut [f64],
    /// Cotangents of u̇ and ü of the signals.
    pub rates: &'a mut [(f64, f64)],
    /// Where the signals start.
    pub slots: usize,
}

/// Tangents of the extended parameters, split like [`ArgsBar`]: δ of the slots and (δu, δu̇, δü) of the signals.
#[derive(Clone, Copy)]
pub struct ArgsDot<'a> {
    /// δp of the slots.
    pub slots: &'a [f64],
    /// (δu, δu̇, δü) of the signals.
    pub signals: &'a [[f64; 3]],
}
impl ArgsDot<'_> {
    #[inline]
    fn level(&self, i: u32, level: usize) -> f64 {
        let i = i as usize;
        match i.checked_sub(self.slots.len()) {
            None => [self.slots[i], 0.0, 0.0][level],
            Some(k) => self.signals.get(k).map_or(0.0, |s| s[level]),
        }
    }
    /// δ of argument `i` itself.
    #[inline]
    pub fn value(&self, i: u32) -> f64 {
        self.level(i, 0)
    }
}

/// (1): which quantity, on which ports, with which parameters.
#[derive(Clone, Debug)]
pub struct Element {
    /// The quantity.
    pub kind: Kind,
    /// Ports.
    pub ports: Ports,
    /// Extended-parameter index of each argument after the ports.
    pub params: Vec<u32>,
}

/// Cotangents (2) of the arguments and their rates.
pub type Bars = [[f64; MOST]; 3];

impl Element {
    /// x = C q + d and the parameters, as an argument array.
    #[inline]
    pub fn args<S: Scalar, const Y: usize>(&self, ports: usize, args: &Args<S>, q: &[S]) -> [S; Y] {
        let mut x = [S::zero(); Y];
        self.ports.gather(&args.values, q, &mut x);
        for (x, &i) in x[ports..].iter_mut().zip(&self.params) {
            *x = args.values[i as usize];
        }
        x
    }
    /// ẋ = C v, with the parameters at rest.
    #[inline]
    pub fn port_rates<S: Scalar, const Y: usize>(&self, args: &Args<S>, v: &[S]) -> [S; Y] {
        let mut x = [S::zero(); Y];
        self.ports.gather_rate(&args.values, v, &mut x);
        x
    }
    fn jets<K: Geometry<Y>, const Y: usize, S: Scalar>(&self, args: &Args<S>, q: &[S], v: &[S], a: &[S]) -> [Jet<S>; Y] {
        let x = self.args::<S, Y>(K::PORTS, args, q);
        let (d, dd) = (self.port_rates::<S, Y>(args, v), self.port_rates::<S, Y>(args, a));
        std::array::from_fn(|i| match i.checked_sub(K::PORTS) {
            None => Jet::new(x[i], d[i], dd[i]),
            Some(k) => args.jet(self.params[k]),
        })
    }
    /// y.
    pub fn value<S: Scalar>(&self, args: &Args<S>, q: &[S]) -> S {
        fn f<K: Geometry<Y>, const Y: usize, S: Scalar>(e: &Element, args: &Args<S>, q: &[S]) -> S {
            K::value(&e.args::<S, Y>(K::PORTS, args, q))
        }
        dispatch!(self.kind, f::<S>(self, args, q))
    }
    /// (y, ẏ, ÿ).
    pub fn jet<S: Scalar>(&self, args: &Args<S>, q: &[S], v: &[S], a: &[S]) -> Jet<S> {
        fn f<K: Geometry<Y>, const Y: usize, S: Scalar>(e: &Element, args: &Args<S>, q: &[S], v: &[S], a: &[S]) -> Jet<S> {
            K::value(&e.jets::<K, Y, S>(args, q, v, a))
        }
        dispatch!(self.kind, f::<S>(self, args, q, v, a))
    }
    /// y and J, padded.
    #[inline]
    pub fn gradient<S: Scalar>(&self, args: &Args<S>, q: &[S]) -> (S, [S; MOST]) {
        #[inline]
        fn f<K: Geometry<Y>, const Y: usize, S: Scalar>(e: &Element, args: &Args<S>, q: &[S]) -> (S, [S; MOST]) {
            let (y, j) = K::gradient(&e.args::<S, Y>(K::PORTS, args, q));
            (y, pad(&j))
        }
        dispatch!(self.kind, f::<S>(self, args, q))
    }
    /// y, J and H, padded.
    #[inline]
    pub fn hessian(&self, args: &Args<f64>, q: &[f64]) -> (f64, [f64; MOST], [[f64; MOST]; MOST]) {
        #[inline]
        fn f<K: Geometry<Y>, const Y: usize>(
            e: &Element,
            args: &Args<f64>,
            q: &[f64],
        ) -> (f64, [f64; MOST], [[f64; MOST]; MOST]) {
            let (y, j, h) = K::hessian(&e.args::<f64, Y>(K::PORTS, args, q));
            let mut big = [[0.0; MOST]; MOST];
            big.iter_mut().zip(&h).for_each(|(b, h)| *b = pad(h));
            (y, pad(&j), big)
        }
        dispatch!(self.kind, f(self, args, q))
    }
    /// Cotangents of c₀y + c₁ẏ + c₂ÿ, (2).
    pub fn bars(&self, args: &Args<f64>, q: &[f64], v: &[f64], a: &[f64], c: [f64; 3]) -> Bars {
        fn f<K: Geometry<Y>, const Y: usize>(e: &Element, args: &Args<f64>, q: &[f64], v: &[f64], a: &[f64]) -> Bars {
            let x = e.jets::<K, Y, f64>(args, q, v, a);
            K::rates(&x.map(|x| x.x), &x.map(|x| x.d), &x.map(|x| x.dd)).map(|j| pad(&j))
        }
        if c[1] == 0.0 && c[2] == 0.0 {
            let (_, j) = self.gradient(args, q);
            return [j.map(|j| c[0] * j), [0.0; MOST], [0.0; MOST]];
        }
        let [j, dj, ddj] = dispatch!(self.kind, f(self, args, q, v, a));
        let [c0, c1, c2] = c;
        [
            std::array::from_fn(|i| c0 * j[i] + c1 * dj[i] + c2 * ddj[i]),
            std::array::from_fn(|i| c1 * j[i] + 2.0 * c2 * dj[i]),
            j.map(|j| c2 * j),
        ]
    }
    /// Σ bars · (δx, δẋ, δẍ) for a slot direction.
    pub fn bars_p(&self, bars: &Bars, q: &[f64], v: &[f64], a: &[f64], dot: &ArgsDot) -> f64 {
        let ports = self.kind.arity().0;
        let mut x = [[0.0; MOST]; 3];
        self.ports.gather_p(dot.slots, q, &mut x[0]);
        self.ports.gather_rate_p(dot.slots, v, &mut x[1]);
        self.ports.gather_rate_p(dot.slots, a, &mut x[2]);
        let mut sum = 0.0;
        for level in 0..3 {
            for (k, &i) in self.params.iter().enumerate() {
                x[level][ports + k] = dot.level(i, level);
            }
            sum += bars[level].iter().zip(&x[level]).map(|(b, x)| b * x).sum::<f64>();
        }
        sum
    }
    /// bar += the cotangents' share of each extended parameter.
    pub fn bars_p_t(&self, bars: &Bars, q: &[f64], v: &[f64], a: &[f64], bar: &mut ArgsBar) {
        self.ports.gather_p_t(q, &bars[0], bar.values);
        self.ports.gather_rate_p_t(v, &bars[1], bar.values);
        self.ports.gather_rate_p_t(a, &bars[2], bar.values);
        let ports = self.kind.arity().0;
        for (k, &i) in self.params.iter().enumerate() {
            bar.add(i, [bars[0][ports + k], bars[1][ports + k], bars[2][ports + k]]);
        }
    }
    /// Slots, signals and references that it reads.
    pub fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        self.ports.slots().chain(self.params.iter().copied())
    }
}

impl ArgsBar<'_> {
    /// Adds cotangents of a parameter and of its rates.
    #[inline]
    pub fn add(&mut self, i: u32, bars: [f64; 3]) {
        let i = i as usize;
        self.values[i] += bars[0];
        if let Some(r) = self.rates.get_mut(i.wrapping_sub(self.slots)) {
            r.0 += bars[1];
            r.1 += bars[2];
        }
    }
}

#[inline]
fn pad<S: Scalar, const Y: usize>(x: &[S; Y]) -> [S; MOST] {
    let mut big = [S::zero(); MOST];
    big[..Y].copy_from_slice(x);
    big
}
