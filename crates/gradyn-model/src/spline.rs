//! Cubic splines through N values at equal distances, as uniform B-splines.
//!
//! ```text
//! f(t) = Σ_j w_j(s) c_{k+j},  s = (t - t_k)/Δt,  t_k = t₀ + k Δt,  j = 0 … 3                       (1)
//! w = [(1-s)³, 3s³ - 6s² + 4, -3s³ + 3s² + 3s + 1, s³] / 6
//! f(t_k) = (c_k + 4 c_{k+1} + c_{k+2})/6 = y_k,   f'(t_k) = (c_{k+2} - c_k)/(2Δt)                  (2)
//! ```
//!
//! Cyclic: Δt = T/N, indices modulo N, C² everywhere, N ≥ 1. The matrix of (2) is circulant, z + 4 + z⁻¹, and
//! factors into two first-order recursions with the root ζ = √3 - 2 of ζ² + 4ζ + 1 = 0:
//!
//! ```text
//! d_k = 6 y_k + ζ d_{k-1},   e_k = ζ (e_{k+1} - d_k),   e_k = c_{k+1},   each periodic             (3)
//! ```
//!
//! Clamped: Δt = T/(N-1), N + 2 coefficients, slopes at both ends given, N ≥ 2. The slopes of (2) eliminate
//! c₀ and c_{N+1}; the rest is tridiagonal. Outside [t₀, t₀ + T] the end value is held, so there a slope
//! other than zero makes a kink. Both solves cost O(N) symbols with constant multipliers.

use crate::program::Sym;
use gradyn_num::Scalar;

/// Why a spline cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SplineError {
    /// Too few values.
    #[error("a {kind} spline needs at least {needed} value(s), not {given}")]
    TooFew {
        /// "cyclic" or "clamped".
        kind: &'static str,
        /// The least number.
        needed: usize,
        /// The given number.
        given: usize,
    },
    /// A period or length that is not positive, or a start that is not finite.
    #[error("a spline needs a finite start and a positive length, not t0 = {t0}, T = {length}")]
    Interval {
        /// The start t₀ [s].
        t0: f64,
        /// Period or length T [s].
        length: f64,
    },
}

/// How a spline goes on at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Periodic, with two continuous derivatives.
    Cyclic,
    /// Given end slopes, held outside.
    Clamped,
}

impl Kind {
    fn check(self, given: usize) -> Result<(), SplineError> {
        let (kind, needed) = match self {
            Kind::Cyclic => ("cyclic", 1),
            Kind::Clamped => ("clamped", 2),
        };
        if given < needed { Err(SplineError::TooFew { kind, needed, given }) } else { Ok(()) }
    }
}

/// Coefficients of the cyclic spline through `values`, (3).
pub fn coefficients_cyclic<'g>(values: &[Sym<'g>]) -> Result<Vec<Sym<'g>>, SplineError> {
    Kind::Cyclic.check(values.len())?;
    let n = values.len();
    let ζ = 3f64.sqrt() - 2.0;
    let ζn = ζ.powi(n.min(1000) as i32);
    // Σ ζᵏ x_k over a period; |ζ|⁴⁰ = 1e-23 is below rounding
    let sum = |x: &dyn Fn(usize) -> Sym<'g>| (1..n.min(40)).fold(x(0), |s, k| s + ζ.powi(k as i32) * x(k));

    // d₀ = 6 Σ ζᵏ y_{-k} / (1 - ζᴺ),  d_k = 6 y_k + ζ d_{k-1}
    let mut d = vec![(6.0 / (1.0 - ζn)) * sum(&|k| values[(n - k) % n])];
    for k in 1..n {
        d.push(6.0 * values[k] + ζ * d[k - 1]);
    }
    // e_{N-1} = -ζ Σ ζᵏ d_{N-1+k} / (1 - ζᴺ),  e_k = ζ (e_{k+1} - d_k)
    let mut e = d.clone();
    e[n - 1] = (-ζ / (1.0 - ζn)) * sum(&|k| d[(n - 1 + k) % n]);
    for k in (0..n - 1).rev() {
        e[k] = ζ * (e[k + 1] - d[k]);
    }
    // c_{k+1} = e_k
    e.rotate_right(1);
    Ok(e)
}

/// Coefficients of the clamped spline through `values`, Δt = `dt` apart; a slope that is not given is zero.
pub fn coefficients_clamped<'g>(
    values: &[Sym<'g>],
    start_slope: Option<Sym<'g>>,
    end_slope: Option<Sym<'g>>,
    dt: f64,
) -> Result<Vec<Sym<'g>>, SplineError> {
    Kind::Clamped.check(values.len())?;
    let n = values.len();
    let zero = values[0].graph().constant(0.0);
    let start = start_slope.unwrap_or(zero) * (2.0 * dt);
    let end = end_slope.unwrap_or(zero) * (2.0 * dt);

    // 4 c₁ + 2 c₂ = 6 y₀ + 2Δt f'(t₀),  c_k + 4 c_{k+1} + c_{k+2} = 6 y_k,  2 c_{N-1} + 4 c_N = 6 y_{N-1} -
    // 2Δt f'(t_{N-1})
    let mut b: Vec<_> = values.iter().map(|&y| 6.0 * y).collect();
    b[0] = b[0] + start;
    b[n - 1] = b[n - 1] - end;
    // elimination: u_k = above/pivot, b_k = (b_k - below b_{k-1})/pivot
    let mut u = vec![0.5; n];
    b[0] = 0.25 * b[0];
    for k in 1..n {
        let below = if k == n - 1 { 2.0 } else { 1.0 };
        let pivot = 4.0 - below * u[k - 1];
        u[k] = 1.0 / pivot;
        b[k] = (1.0 / pivot) * (b[k] - below * b[k - 1]);
    }
    // back substitution
    for k in (0..n - 1).rev() {
        b[k] = b[k] - u[k] * b[k + 1];
    }
    // c₀ = c₂ - 2Δt f'(t₀),  c_{N+1} = c_{N-1} + 2Δt f'(t_{N-1})
    let mut c = vec![b[1] - start];
    c.extend(&b);
    c.push(b[n - 2] + end);
    Ok(c)
}

/// Where the pieces of a spline lie: the pure evaluation (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformSpline {
    /// How it goes on at its ends.
    pub kind: Kind,
    /// Time of the first value t₀ [s].
    pub t0: f64,
    /// Period (cyclic) or length (clamped) T [s], > 0.
    pub length: f64,
    /// Number of values N.
    pub n: usize,
}

impl UniformSpline {
    /// A spline of `n` values from `t0` over `length`, with valid fields.
    pub fn new(kind: Kind, t0: f64, length: f64, n: usize) -> Result<Self, SplineError> {
        kind.check(n)?;
        let good = t0.is_finite() && length.is_finite() && length > 0.0;
        if good { Ok(Self { kind, t0, length, n }) } else { Err(SplineError::Interval { t0, length }) }
    }

    /// Number of coefficients: N cyclic, N + 2 clamped.
    pub fn coefficients(&self) -> usize {
        if self.kind == Kind::Cyclic { self.n } else { self.n + 2 }
    }

    /// Index of coefficient `first + j`, modulo N if cyclic.
    pub fn index(&self, first: usize, j: usize) -> usize {
        (first + j) % self.coefficients()
    }

    /// Width Δt of an interval [s].
    pub fn dt(&self) -> f64 {
        self.length / if self.kind == Kind::Cyclic { self.n as f64 } else { (self.n - 1) as f64 }
    }

    /// t_k = t₀ + k Δt.
    fn knot(&self, k: f64) -> f64 {
        self.t0 + k * self.dt()
    }

    /// The whole number k with t_k ≤ t < t_{k+1}, with the knots as rounded.
    fn position(&self, t: f64) -> f64 {
        let k = ((t - self.t0) / self.dt()).floor();
        if self.knot(k) > t {
            k - 1.0
        } else if self.knot(k + 1.0) <= t {
            k + 1.0
        } else {
            k
        }
    }

    /// The interval of `t`: at a knot the one to the right. Cyclic: 0 … N-1. Clamped: 0 … N-2, the last at
    /// the very end; N-1 after the end, N before the start, where the value is held.
    pub fn interval(&self, t: f64) -> usize {
        let n = self.n;
        match self.kind {
            Kind::Cyclic => self.position(t).rem_euclid(n as f64) as usize % n,
            Kind::Clamped if t < self.t0 => n,
            Kind::Clamped if t > self.knot((n - 1) as f64).max(self.t0 + self.length) => n - 1,
            Kind::Clamped => (self.position(t) as usize).min(n - 2),
        }
    }

    /// First coefficient and weights at `t`, in the interval of its real part: f = Σ_j w_j c[index(first,
    /// j)].
    pub fn active<S: Scalar>(&self, t: S) -> (usize, [S; 4]) {
        self.active_in(self.interval(t.re()), t)
    }

    /// First coefficient and weights by the polynomial of a given [`interval`](Self::interval), continued
    /// to `t`; in the period nearest to `t`.
    pub fn active_in<S: Scalar>(&self, interval: usize, t: S) -> (usize, [S; 4]) {
        let n = self.n;
        let dt = self.dt();
        let mut k = interval as f64;
        match self.kind {
            Kind::Clamped if interval >= n => return (0, weights(S::zero())),
            Kind::Clamped if interval == n - 1 => return (n - 2, weights(S::one())),
            Kind::Clamped => {}
            // k + N round((t - middle)/T)
            Kind::Cyclic => k += n as f64 * ((t.re() - self.knot(k) - 0.5 * dt) / self.length).round(),
        }
        (interval, weights((t - S::from(self.knot(k))) * (1.0 / dt)))
    }

    /// The knots strictly inside (`t_start`, `t_end`), where a third derivative jumps (clamped: at the ends
    /// also lower ones).
    pub fn knots(&self, t_start: f64, t_end: f64) -> Vec<f64> {
        let mut k = self.position(t_start);
        let mut last = self.position(t_end) + 1.0;
        if self.kind == Kind::Clamped {
            (k, last) = (k.max(0.0), last.min((self.n - 1) as f64));
        }
        let mut knots = Vec::new();
        while k <= last && k.abs() < 1e15 {
            let t = self.knot(k);
            if t > t_start && t < t_end {
                knots.push(t);
            }
            k += 1.0;
        }
        knots
    }
}

/// The weights w(s) of (1).
#[inline]
fn weights<S: Scalar>(s: S) -> [S; 4] {
    let r = S::one() - s;
    let s2 = s * s;
    let r2 = r * r;
    let inner = |s: S, s2: S| (s2 * (s * 3.0 - S::from(6.0)) + S::from(4.0)) * (1.0 / 6.0);
    [r * r2 * (1.0 / 6.0), inner(s, s2), inner(r, r2), s * s2 * (1.0 / 6.0)]
}
