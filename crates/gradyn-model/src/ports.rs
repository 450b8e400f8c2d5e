//! Ports: what an element touches, as affine functions of the natural coordinates.
//!
//! ```text
//! x = C(p) q + d(p),   ẋ = C v,   ẍ = C a,   Q += Cᵀ f                                           (1)
//! ```
//! C and d are sparse and their entries are slots, so that C_p δ = C(δ) and d_p δ = d(δ); slot [`ONE`] is the
//! constant 1 and slot [`ZERO`] the constant 0.

use crate::program::Sym;
use gradyn_num::Scalar;

/// The slot that is always 1.
pub(crate) const ONE: u32 = 0;
/// The slot that is always 0.
pub(crate) const ZERO: u32 = 1;

/// Σ c_i q_i + c₀ with symbolic coefficients: a port while the system is being built.
#[derive(Clone, Debug)]
pub(crate) struct Affine<'g> {
    /// (coordinate, coefficient).
    pub terms: Vec<(usize, Sym<'g>)>,
    /// The constant c₀.
    pub constant: Sym<'g>,
}

impl<'g> Affine<'g> {
    /// The form that is a constant.
    pub(crate) fn constant(c: Sym<'g>) -> Self {
        Self { terms: vec![], constant: c }
    }
    /// Coordinate `i`.
    pub(crate) fn coordinate(i: usize, one: Sym<'g>) -> Self {
        Self { terms: vec![(i, one)], constant: one * 0.0 }
    }
    /// The form self + s o.
    pub(crate) fn plus(&self, s: Sym<'g>, o: &Self) -> Self {
        let mut sum = Self { terms: self.terms.clone(), constant: self.constant + s * o.constant };
        for &(i, c) in &o.terms {
            match sum.terms.iter_mut().find(|(j, _)| *j == i) {
                Some((_, d)) => *d = *d + s * c,
                None => sum.terms.push((i, s * c)),
            }
        }
        sum.terms.retain(|(_, c)| c.as_constant() != Some(0.0));
        sum
    }
    /// The form self - o.
    pub(crate) fn minus(&self, o: &Self) -> Self {
        self.plus(o.constant.graph().constant(-1.0), o)
    }
    /// The form s self.
    pub(crate) fn times(&self, s: Sym<'g>) -> Self {
        Self::constant(s * 0.0).plus(s, self)
    }
    /// Equal to the letter: same coordinates, same coefficients.
    pub(crate) fn same(&self, o: &Self) -> bool {
        let sorted = |a: &Self| {
            let mut t: Vec<_> = a.terms.iter().map(|(i, c)| (*i, c.id())).collect();
            t.sort_unstable();
            t
        };
        self.constant.id() == o.constant.id() && sorted(self) == sorted(o)
    }
}

/// One entry of C: x[arg] += p[slot] q[coord].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    /// Local argument.
    pub arg: u32,
    /// Number of the coordinate.
    pub coord: u32,
    /// Slot of the coefficient.
    pub slot: u32,
}

/// (1), compiled.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ports {
    /// Entries of the matrix C.
    pub linear: Vec<Entry>,
    /// (argument, slot) of d.
    pub constant: Vec<(u32, u32)>,
}

impl Ports {
    /// Adds the arguments, x += C q + d.
    #[inline]
    pub(crate) fn gather<S: Scalar>(&self, p: &[S], q: &[S], x: &mut [S]) {
        self.gather_rate(p, q, x);
        for &(a, s) in &self.constant {
            x[a as usize] += p[s as usize];
        }
    }
    /// Adds the rates of the arguments, x += C v.
    #[inline]
    pub(crate) fn gather_rate<S: Scalar>(&self, p: &[S], v: &[S], x: &mut [S]) {
        for e in &self.linear {
            x[e.arg as usize] += p[e.slot as usize] * v[e.coord as usize];
        }
    }
    /// Adds the transpose, out += Cᵀ f.
    #[inline]
    pub(crate) fn scatter<S: Scalar>(&self, p: &[S], f: &[S], out: &mut [S]) {
        for e in &self.linear {
            out[e.coord as usize] += p[e.slot as usize] * f[e.arg as usize];
        }
    }
    /// grad += (C q + d)_pᵀ x̄.
    pub(crate) fn gather_p_t<S: Scalar>(&self, q: &[S], bar: &[S], grad: &mut [S]) {
        self.gather_rate_p_t(q, bar, grad);
        for &(a, s) in &self.constant {
            grad[s as usize] += bar[a as usize];
        }
    }
    /// grad += (C v)_pᵀ x̄.
    pub(crate) fn gather_rate_p_t<S: Scalar>(&self, v: &[S], bar: &[S], grad: &mut [S]) {
        for e in &self.linear {
            grad[e.slot as usize] += bar[e.arg as usize] * v[e.coord as usize];
        }
    }
    /// Slots that the port reads.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.linear.iter().map(|e| e.slot).chain(self.constant.iter().map(|c| c.1))
    }
    /// Coordinates that the port reads.
    pub(crate) fn coords(&self) -> impl Iterator<Item = u32> + '_ {
        self.linear.iter().map(|e| e.coord)
    }
}

/// Tangents of an element between arguments of ports: rows of work, columns of positions and then of
/// velocities.
#[derive(Clone, Debug)]
pub(crate) struct Tangents<S> {
    /// (K | C) by rows.
    pub values: Vec<S>,
    /// Length of a row.
    pub stride: usize,
    /// Where C begins.
    pub split: usize,
}
impl<S: Scalar> Tangents<S> {
    /// Memory for so many values.
    pub(crate) fn new(len: usize) -> Self {
        Self { values: vec![S::zero(); len], stride: 0, split: 0 }
    }
    /// out += Cᵀ T C' for ports C of the rows and C' of the columns from `first` on, with the position of
    /// each pair of entries.
    #[inline]
    pub(crate) fn expand(
        &self,
        p: &[S],
        [rows, columns]: [&Ports; 2],
        first: usize,
        pairs: &[u32],
        out: &mut [S],
    ) {
        if columns.linear.is_empty() {
            return;
        }
        for (e, pairs) in rows.linear.iter().zip(pairs.chunks_exact(columns.linear.len())) {
            let row = &self.values[e.arg as usize * self.stride + first..];
            let s = p[e.slot as usize];
            for (x, &pos) in columns.linear.iter().zip(pairs) {
                out[pos as usize] += s * row[x.arg as usize] * p[x.slot as usize];
            }
        }
    }
}
