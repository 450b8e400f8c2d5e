//! Line search for the weak Wolfe conditions by bisection and interpolation.
//!
//! ```text
//! φ(α) = f(z + α d),   φ(α) ≤ φ(0) + c₁ α φ′(0),   φ′(α) ≥ c₂ φ′(0)                (1)
//! ```
//! [lo, hi] always holds a step that satisfies (1): sufficient decrease at lo, none at hi. A failed trial is
//! an upper end.

use crate::oracle::{Oracle, Pause};
use crate::space::Point;
use crate::vector::{along, dot};

/// Part c₁ of the decrease that every search asks for.
pub(crate) const C1: f64 = 1e-4;
/// Part c₂ of the first slope that may be left.
const C2: f64 = 0.9;
/// Shortest step, relative to the first: below, f changes by rounding only, whatever its slope.
pub(crate) const SHORTEST: f64 = 1e-10;

/// A point that satisfies (1), with `noise` in φ allowed; the best with sufficient decrease if there is none;
/// nothing without.
pub(crate) fn wolfe(
    oracle: &Oracle,
    from: &Point,
    d: &[f64],
    first: f64,
    noise: f64,
) -> Result<Option<Point>, Pause> {
    let slope = dot(&from.g, d);

    // the interval [lo, hi] and the next step in it
    let mut lo = 0.0;
    let mut hi = f64::INFINITY;
    let mut step = first;
    let mut best: Option<Point> = None;
    while step > SHORTEST * first && step < first / SHORTEST && lo < (1.0 - SHORTEST) * hi {
        match oracle.at(&along(&from.z, step, d))? {
            // a failed trial: hi = α
            None => {
                hi = step;
                step = 0.5 * (lo + hi);
            }
            // no sufficient decrease: hi = α, and the parabola through lo
            Some(p) if p.f > from.f + C1 * step * slope + noise => {
                let (f, s) = best.as_ref().map_or((from.f, slope), |b| (b.f, dot(&b.g, d)));
                hi = step;
                step = lo + (hi - lo) * parabola(f, s * (hi - lo), p.f);
            }
            // too steep: lo = α
            Some(p) if dot(&p.g, d) < C2 * slope => {
                lo = step;
                step = if hi.is_finite() { 0.5 * (lo + hi) } else { 2.0 * step };
                best = Some(p);
            }
            Some(p) => return Ok(Some(p)),
        }
    }
    Ok(best)
}

/// Minimiser in [0.1, 0.5] of the parabola with value f and slope s at 0 and value `end` at 1.
pub(crate) fn parabola(f: f64, s: f64, end: f64) -> f64 {
    let minimiser = -0.5 * s / (end - f - s);
    if minimiser.is_finite() { minimiser.clamp(0.1, 0.5) } else { 0.5 }
}
