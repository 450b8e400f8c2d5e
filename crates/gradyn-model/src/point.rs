//! Where the terms of a system are evaluated, and what is measured there.

/// A point of evaluation, by reference into a record.
#[derive(Clone, Copy, Debug)]
pub struct At<'a, S = f64> {
    /// The time t [s].
    pub t: S,
    /// The positions q.
    pub q: &'a [S],
    /// Velocities v = q̇.
    pub v: &'a [S],
    /// Accelerations a = q̈.
    pub a: &'a [S],
    /// Multipliers λ.
    pub lam: &'a [S],
}

impl<'a, S: Copy> At<'a, S> {
    /// The contiguous numbers (q, v, a, λ) of a node or stage.
    #[inline]
    pub fn of(t: S, x: &'a [S], n: usize, m: usize) -> Self {
        let (q, x) = x.split_at(n);
        let (v, x) = x.split_at(n);
        let (a, x) = x.split_at(n);
        Self { t, q, v, a, lam: &x[..m] }
    }
}

/// The functionals of a study, compiled against the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionalSet {
    /// Integrands g of the objectives.
    Integrand,
    /// Terminal values w of the objectives.
    Terminal,
    /// Columns of the output table.
    Output,
    /// Functions g whose signs are the sides of conditions.
    Condition,
    /// Values of expressions that may jump or kink, and functions g that are zero there.
    Cut,
    /// Velocities and positions that events give, each followed by its value: w_0, r_0, w_1, r_1, …
    Event,
}
