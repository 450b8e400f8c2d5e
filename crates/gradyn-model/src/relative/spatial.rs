//! Vectors of three components and twists.
//!
//! ```text
//! (ω, u):   ṙ = u + ω × r,   ė = ω × e      of a point r and a direction e, about one fixed point       (1)
//! [a, b] = (ω_a × ω_b, ω_a × u_b + u_a × ω_b)      rate of the screw b that is carried by the motion a  (2)
//! ```

use gradyn_num::Scalar;

/// A vector of three components.
pub(super) type V3<S> = [S; 3];

/// The vector product a × b.
#[inline]
pub(super) fn cross<S: Scalar>(a: &V3<S>, b: &V3<S>) -> V3<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
/// The scalar product a·b.
#[inline]
pub(super) fn dot<S: Scalar>(a: &V3<S>, b: &V3<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
/// The sum a + b of vectors.
#[inline]
pub(super) fn add<S: Scalar>(a: &V3<S>, b: &V3<S>) -> V3<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
/// The difference a - b of vectors.
#[inline]
pub(super) fn sub<S: Scalar>(a: &V3<S>, b: &V3<S>) -> V3<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
/// The multiple s a of a vector.
#[inline]
pub(super) fn scale<S: Scalar>(s: S, a: &V3<S>) -> V3<S> {
    [s * a[0], s * a[1], s * a[2]]
}
/// Adds in place, a += b.
#[inline]
pub(crate) fn increase<S: Scalar>(a: &mut V3<S>, b: &V3<S>) {
    (0..3).for_each(|i| a[i] += b[i]);
}
/// The combination Σ_k e_k s_k of axes.
#[inline]
pub(super) fn combine<S: Scalar>(e: &[V3<S>; 3], s: &V3<S>) -> V3<S> {
    std::array::from_fn(|i| e[0][i] * s[0] + e[1][i] * s[1] + e[2][i] * s[2])
}

/// A motion (1), or, as a cotangent, the moment about the origin and the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Twist<S> {
    /// Angular velocity ω; of a cotangent, the moment.
    pub w: V3<S>,
    /// Velocity u at the origin; of a cotangent, the force.
    pub u: V3<S>,
}

impl<S: Scalar> Twist<S> {
    /// The motion that is at rest.
    #[inline]
    pub(crate) fn zero() -> Self {
        Self { w: [S::zero(); 3], u: [S::zero(); 3] }
    }
    /// Component i of (ω, u).
    #[inline]
    pub(crate) fn get(&self, i: usize) -> S {
        if i < 3 { self.w[i] } else { self.u[i - 3] }
    }
    /// Component i of (ω, u), to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, i: usize) -> &mut S {
        if i < 3 { &mut self.w[i] } else { &mut self.u[i - 3] }
    }
    /// Component i is 1.
    pub(crate) fn unit(i: usize) -> Self {
        let one = |k: usize| S::from(f64::from(u8::from(i == k)));
        Self { w: std::array::from_fn(one), u: std::array::from_fn(|k| one(k + 3)) }
    }
    /// The turn about the axis a through p.
    #[inline]
    pub(crate) fn screw(a: V3<S>, p: &V3<S>) -> Self {
        Self { w: a, u: cross(p, &a) }
    }
    /// The velocity of a point.
    #[inline]
    pub(crate) fn at(&self, r: &V3<S>) -> V3<S> {
        add(&self.u, &cross(&self.w, r))
    }
    /// Adds a multiple, self += s o.
    #[inline]
    pub(crate) fn increase(&mut self, s: S, o: &Self) {
        for i in 0..3 {
            self.w[i] += s * o.w[i];
            self.u[i] += s * o.u[i];
        }
    }
    /// The sum self + o.
    #[inline]
    pub(crate) fn plus(&self, o: &Self) -> Self {
        Self { w: add(&self.w, &o.w), u: add(&self.u, &o.u) }
    }
    /// [self, o], (2).
    #[inline]
    pub(crate) fn bracket(&self, o: &Self) -> Self {
        Self { w: cross(&self.w, &o.w), u: add(&cross(&self.w, &o.u), &cross(&self.u, &o.w)) }
    }
    /// Power of a wrench on the motion.
    #[inline]
    pub(crate) fn dot(&self, o: &Self) -> S {
        dot(&self.w, &o.w) + dot(&self.u, &o.u)
    }
    /// ([a, b]·f)_a: what `self` = b adds to the cotangent of a.
    #[inline]
    pub(crate) fn bracket_left(&self, f: &Self) -> Self {
        Self { w: add(&cross(&self.w, &f.w), &cross(&self.u, &f.u)), u: cross(&self.w, &f.u) }
    }
    /// ([a, b]·f)_b: what `self` = a adds to the cotangent of b.
    #[inline]
    pub(crate) fn bracket_right(&self, f: &Self) -> Self {
        Self { w: add(&cross(&f.w, &self.w), &cross(&f.u, &self.u)), u: cross(&f.u, &self.w) }
    }
}
