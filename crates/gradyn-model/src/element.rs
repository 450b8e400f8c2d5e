//! An element: a geometric quantity on ports, and the extended parameters that elements read.
//!
//! ```text
//! y(q; p) = Y(C q + d, u)                                                                        (1)
//! ```

use crate::geometry::{Geometry, Kind, dispatch};
use crate::ports::Ports;
use gradyn_num::{Jet, Scalar};

/// The most arguments that a kernel has.
pub(crate) const MOST: usize = 6;

/// Extended parameters: slots, then signals of t, then angle references; rates of the signals.
#[derive(Clone, Debug)]
pub(crate) struct Args<S> {
    /// Values of slots, signals and angle references, in this order.
    pub values: Vec<S>,
    /// (u̇, ü) of the signals.
    pub rates: Vec<(S, S)>,
    /// Where the signals start.
    pub slots: usize,
}

impl<S: Scalar> Args<S> {
    /// Argument `i` with its rates.
    #[inline]
    pub(crate) fn jet(&self, i: u32) -> Jet<S> {
        let i = i as usize;
        let x = self.values[i];
        match self.rates.get(i.wrapping_sub(self.slots)) {
            Some(&(d, dd)) => Jet::new(x, d, dd),
            None => Jet::new(x, S::zero(), S::zero()),
        }
    }
}

/// Cotangents of the extended parameters: values, and first and second rates of the signals.
pub(crate) struct ArgsBar<'a, S> {
    /// ū of slots, signals and angle references.
    pub values: &'a mut [S],
    /// Cotangents of u̇ and ü of the signals.
    pub rates: &'a mut [(S, S)],
    /// Where the signals start.
    pub slots: usize,
}

/// Tangents of the extended parameters, split like [`ArgsBar`]: δ of the slots and (δu, δu̇, δü) of the
/// signals.
#[derive(Clone, Copy)]
pub(crate) struct ArgsDot<'a, S> {
    /// δp of the slots.
    pub slots: &'a [S],
    /// (δu, δu̇, δü) of the signals.
    pub signals: &'a [[S; 3]],
}
impl<S: Scalar> ArgsDot<'_, S> {
    /// δ of argument `i` (level 0) or of its rates.
    #[inline]
    pub(crate) fn level(&self, i: u32, level: usize) -> S {
        let i = i as usize;
        match i.checked_sub(self.slots.len()) {
            None if level == 0 => self.slots[i],
            None => S::zero(),
            Some(k) => self.signals.get(k).map_or(S::zero(), |s| s[level]),
        }
    }
    /// δ of argument `i` itself.
    #[inline]
    pub(crate) fn value(&self, i: u32) -> S {
        self.level(i, 0)
    }
}

/// (1): which quantity, on which ports, with which parameters.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// The geometric quantity Y.
    pub kind: Kind,
    /// The ports C q + d that it is evaluated on.
    pub ports: Ports,
    /// Extended-parameter index of each argument after the ports.
    pub params: Vec<u32>,
}

impl Element {
    /// x = C q + d and the parameters, as an argument array.
    #[inline]
    pub(crate) fn args<S: Scalar, const Y: usize>(&self, ports: usize, args: &Args<S>, q: &[S]) -> [S; Y] {
        let mut x = [S::zero(); Y];
        self.ports.gather(&args.values, q, &mut x);
        for (x, &i) in x[ports..].iter_mut().zip(&self.params) {
            *x = args.values[i as usize];
        }
        x
    }
    /// ẋ = C v, with the parameters at rest.
    #[inline]
    pub(crate) fn port_rates<S: Scalar, const Y: usize>(&self, args: &Args<S>, v: &[S]) -> [S; Y] {
        let mut x = [S::zero(); Y];
        self.ports.gather_rate(&args.values, v, &mut x);
        x
    }
    /// The quantity y at q, by (1).
    pub(crate) fn value<S: Scalar>(&self, args: &Args<S>, q: &[S]) -> S {
        fn f<K: Geometry<Y>, const Y: usize, S: Scalar>(e: &Element, args: &Args<S>, q: &[S]) -> S {
            K::value(&e.args::<S, Y>(K::PORTS, args, q))
        }
        dispatch!(self.kind, f::<S>(self, args, q))
    }
    /// y and J, padded.
    #[inline]
    pub(crate) fn gradient<S: Scalar>(&self, args: &Args<S>, q: &[S]) -> (S, [S; MOST]) {
        #[inline]
        fn f<K: Geometry<Y>, const Y: usize, S: Scalar>(
            e: &Element,
            args: &Args<S>,
            q: &[S],
        ) -> (S, [S; MOST]) {
            let (y, j) = K::gradient(&e.args::<S, Y>(K::PORTS, args, q));
            (y, pad(&j))
        }
        dispatch!(self.kind, f::<S>(self, args, q))
    }
    /// Slots, signals and references that it reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = u32> + '_ {
        self.ports.slots().chain(self.params.iter().copied())
    }
}

impl<S: Scalar> ArgsBar<'_, S> {
    /// Adds cotangents of a parameter and of its rates.
    #[inline]
    pub(crate) fn add(&mut self, i: u32, bars: [S; 3]) {
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
