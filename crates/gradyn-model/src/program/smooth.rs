//! Smooth corners and steps: twice continuously differentiable, so no reason for a warning.
//!
//! ```text
//! splus(d, e) = 0;  e (t + 1)³ (3 - t)/16, t = d/e;  d            for d ≤ -e, |d| < e, d ≥ e       (1)
//! smoothstep(z) = 0;  z³ (10 - 15 z + 6 z²);  1                   for z ≤ 0, 0 < z < 1, z ≥ 1      (2)
//! ```

use super::Sym;

impl Sym<'_> {
    /// (1): the positive part of self with a corner of half-width `e` > 0.
    pub(crate) fn splus(self, e: Self) -> Self {
        let t = self / e;
        let corner = e * (t + 1.0).powi(3) * (3.0 - t) * 0.0625;
        let constant = |c: f64| self.graph().constant(c);
        let below = constant(-1.0).beyond(t).select(constant(0.0), corner);
        t.beyond(constant(1.0)).select(self, below)
    }
    /// (2): from 0 to 1 while self goes from 0 to 1.
    pub(crate) fn smoothstep(self) -> Self {
        let z = self;
        let constant = |c: f64| self.graph().constant(c);
        let step = z.powi(3) * (10.0 - z * (15.0 - z * 6.0));
        let inside = constant(0.0).beyond(z).select(constant(0.0), step);
        z.beyond(constant(1.0)).select(constant(1.0), inside)
    }
}
