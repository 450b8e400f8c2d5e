//! Order and step size of the next step [Shampine & Gordon, chapter 7].
//!
//! The local errors that the orders j = k - 2 … k + 1 would make on equal steps, from the differences at the
//! new node,
//!
//! ```text
//! σ_1 = 1,  σ_{i+1} = i α_i σ_i,     E_j = h |γ*_j| σ_{j+1} ‖φ_{j+1}‖,     E = h |g_k - g_{k+1}| ‖φ_{k+1}‖  (1)
//! ```
//! with the rates of the predicted point in φ. E decides on the step (accepted: E ≤ 1, in units of the
//! tolerance). Then
//!
//! ```text
//! order:  k - 1 if max(E_{k-1}, E_{k-2}) ≤ E_k, or E_{k-1} ≤ min(E_k, E_{k+1});
//!         k + 1 if E_{k+1} < E_k after k + 1 equal steps                                        (2)
//! size:   2 h if 2^{k+1} E_k ≤ ½,   h if E_k ≤ ½,   else h clamp((½/E_k)^{1/(k+1)}, ½, 0.9)                   (3)
//! ```
//! While the run starts, every step raises the order and doubles the size until an estimate says otherwise. A
//! rejected step is halved; the third time in a row it starts again at order 1.
//!
//! On steps that double again and again a polynomial of order k amplifies rounding by about 2^{k²/2}: 1e3 at
//! order 5, 3e8 at order 8, which the tolerance hides and the sensitivities show. Unlike in STEP the start
//! therefore ends at order [`GEOMETRIC`], and above it a step is doubled only after more than k/2 equal ones.

use super::Adams;
use super::coefficients::{Coefficients, EQUAL, MOST, kept};
use crate::step::Tolerance;

/// Highest order on steps that double one after the other.
pub(crate) const GEOMETRIC: usize = 5;

/// h L above which a step of low order is taken to be limited by stability.
const STIFF: f64 = 0.5;

/// E_{k-2} … E_{k+1} and E of (1); what does not exist is infinite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimates {
    /// E_{k-2}, E_{k-1}, E_k, E_{k+1}.
    pub orders: [f64; 4],
    /// Error E of the step in units of the tolerance.
    pub error: f64,
    /// h ‖Δf‖/‖Δy‖ between prediction and correction.
    pub stiffness: f64,
}

impl Estimates {
    /// No attempt has been measured.
    pub(super) const NONE: Self = Self { orders: [f64::INFINITY; 4], error: f64::INFINITY, stiffness: 0.0 };

    /// (1); `norms` are those of φ_{k-1} … φ_{k+2}, where they exist.
    pub(super) fn of(c: &Coefficients<f64>, h: f64, norms: [Option<f64>; 4], stiffness: f64) -> Self {
        let k = c.order;
        let mut σ = [1.0; MOST + 3];
        for i in 1..=(k + 1).min(c.known) {
            σ[i + 1] = i as f64 * c.alpha[i] * σ[i];
        }
        let mut orders = [f64::INFINITY; 4];
        for (j, (e, norm)) in orders.iter_mut().zip(norms).enumerate() {
            // order k - 2 + j needs φ_{k - 1 + j}
            if let Some(norm) = norm {
                *e = h * EQUAL[k + j - 2] * σ[k + j - 1] * norm;
            }
        }
        let error = h * (c.g[k] - c.g[k + 1]).abs() * norms[2].unwrap_or(f64::INFINITY);
        Self { orders, error, stiffness }
    }
}

/// What the next attempt will do; forward runs only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Order of the next attempt, if the history allows it.
    pub order: usize,
    /// Rejections since the last accepted step.
    pub failures: usize,
    /// Was the last accepted step limited by stability?
    pub limited: bool,
    /// Does the order still rise with every step?
    starting: bool,
    /// Steps of equal size that end with this one.
    equal: usize,
    /// Accepted steps since the history began.
    since: usize,
    estimates: Estimates,
}

impl Choice {
    /// The highest order that there is.
    pub(crate) fn new(order: usize) -> Self {
        Self {
            order,
            failures: 0,
            limited: false,
            starting: false,
            equal: 0,
            since: 0,
            estimates: Estimates::NONE,
        }
    }
    /// Before an attempt, `since` steps after a restart.
    pub(crate) fn begin(&mut self, since: usize, restarts: bool) {
        self.since = since;
        // an attempt that fails has none
        self.estimates = Estimates::NONE;
        if restarts && self.failures == 0 {
            self.starting = true;
        }
    }
    /// After an attempt.
    pub(crate) fn measured(&mut self, estimates: Estimates, equal: usize) {
        (self.estimates, self.equal) = (estimates, equal);
    }
    /// The order that (2) finds without E_{k+1}.
    fn lower(&self, k: usize) -> usize {
        let [e2, e1, e, _] = self.estimates.orders;
        let falls = match k {
            1 => false,
            2 => e1 <= 0.5 * e,
            _ => e1.max(e2) <= e,
        };
        if falls { k - 1 } else { k }
    }
    /// (2), (3) after an accepted step of order k: the factor of the step size.
    pub(crate) fn accept(&mut self, k: usize, most: usize, restarts: usize) -> f64 {
        let [_, e1, e, e3] = self.estimates.orders;
        self.failures = 0;
        self.limited = k <= 4 && self.estimates.stiffness > STIFF;
        let mut next = self.lower(k);
        if next < k || k == most.min(GEOMETRIC) {
            self.starting = false;
        }
        // the first steps after a restart have order 1, whatever the estimates say
        let held = self.since + 1 < restarts;
        if self.starting && !held {
            self.order = k + 1;
            return 2.0;
        }
        if next == k && !held && k < most && self.equal > k {
            next = match k {
                1 if e3 < 0.5 * e => 2,
                1 => 1,
                _ if e1 <= e.min(e3) => k - 1,
                _ if e3 < e => k + 1,
                _ => k,
            };
        }
        self.order = next;
        let e = if next < k {
            e1
        } else if next > k {
            e3
        } else {
            e
        };
        match 0.5 / e {
            r if r >= f64::powi(2.0, next as i32 + 1) && (next <= GEOMETRIC || 2 * self.equal > next) => 2.0,
            r if r >= 1.0 => 1.0,
            r => r.powf(1.0 / (next + 1) as f64).clamp(0.5, 0.9),
        }
    }
    /// After a rejected attempt of order k: the factor of the step size. Without estimates the step itself
    /// failed.
    pub(crate) fn reject(&mut self, k: usize) -> f64 {
        let e = self.estimates.orders[2];
        self.order = if self.failures >= 2 { 1 } else { self.lower(k) };
        self.failures += 1;
        self.starting = false;
        self.estimates = Estimates::NONE;
        match self.failures {
            1..=3 => 0.5,
            _ if e.is_finite() => (0.5 / e).sqrt().clamp(0.01, 0.5),
            _ => 0.1,
        }
    }
}

impl Adams {
    /// The estimates of the step and the coordinate with the largest error: root mean squares over (q, v, z),
    /// with the rates of the prediction in φ.
    pub(super) fn estimates(
        &self,
        h: f64,
        x: &[f64],
        past: &[f64],
        tol: Tolerance,
        c: &Coefficients<f64>,
    ) -> (Estimates, usize) {
        let (lay, k) = (self.layout(), c.order);
        let n2 = 2 * lay.n;
        let width = self.width(&lay);
        let p = self.predicted(&lay);
        let mut sums = [0.0; 4];
        let mut rates = 0.0;
        let mut states = 0.0;
        let mut worst = (0.0, 0);
        for d in 0..width {
            let (i, shift) =
                if d < n2 { (d, x[p + lay.v() + d] - x[lay.v() + d]) } else { (lay.z() + d - n2, 0.0) };
            let scale = tol.atol + tol.rtol * x[i].abs().max(past[i].abs());
            let size = |x: f64| (x / scale).powi(2);
            for (j, sum) in sums.iter_mut().enumerate() {
                // φ_{k-1} … φ_{k+2}; φ_1 tells nothing
                let term = if k + j > 2 && k + j <= self.order + 2 {
                    size(x[self.phi(&lay, k + j - 1) + d] + shift)
                } else {
                    0.0
                };
                *sum += term;
                if j == 2 && (term > worst.0 || term.is_nan()) {
                    worst = (term, d % lay.n);
                }
            }
            if d < n2 {
                rates += size(shift);
                states += size(x[p + d] - x[d]);
            }
        }
        let known = kept(k, c.known, self.order);
        let exists = |j: usize| k + j > 2 && k + j - 1 <= known;
        let norms = [0, 1, 2, 3].map(|j| exists(j).then(|| (sums[j] / width as f64).sqrt()));
        let stiffness = if states > 0.0 { h * (rates / states).sqrt() } else { 0.0 };
        (Estimates::of(c, h, norms, stiffness), worst.1)
    }
}
