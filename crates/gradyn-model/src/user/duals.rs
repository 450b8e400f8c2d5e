//! Partials of a user's functions by duals.

use crate::scalar::Over;
use crate::system::At;
use gradyn_num::{Dual, Scalar};

/// A point on another scalar.
struct Lifted<S> {
    t: S,
    x: [Vec<S>; 4],
    p: Vec<S>,
}
impl<S: Scalar> Lifted<S> {
    fn at(&self) -> At<'_, S> {
        At { t: self.t, q: &self.x[0], v: &self.x[1], a: &self.x[2], lam: &self.x[3] }
    }
}

const LANES: usize = 8;
/// Eight directions at once.
pub(super) type Lanes<S> = Dual<S, LANES>;

/// The point with the variables `first` … of a block seeded.
fn seeded<S: Scalar>(at: &At<S>, p: &[S], over: Over, first: usize) -> Lifted<Lanes<S>> {
    let lift = |x: &[S], on: bool| {
        let seed = |(i, x): (usize, &S)| match on && (first..first + LANES).contains(&i) {
            true => Dual::var(*x, i - first),
            false => Dual::constant(*x),
        };
        x.iter().enumerate().map(seed).collect::<Vec<_>>()
    };
    let x =
        [lift(at.q, over == Over::Q), lift(at.v, over == Over::V), lift(at.a, false), lift(at.lam, false)];
    Lifted { t: Dual::constant(at.t), x, p: lift(p, over == Over::P) }
}

/// Calls `put(row, column, ∂f_row/∂x_column)` for every variable of a block.
pub(super) fn jacobian<S: Scalar>(
    (at, p, over): (&At<S>, &[S], Over),
    f: impl Fn(&At<Lanes<S>>, &[Lanes<S>]) -> Vec<Lanes<S>>,
    mut put: impl FnMut(usize, usize, S),
) {
    let count = if over == Over::P { p.len() } else { at.q.len() };
    for first in (0..count).step_by(LANES) {
        let point = seeded(at, p, over, first);
        for (i, y) in f(&point.at(), &point.p).iter().enumerate() {
            (first..count.min(first + LANES)).for_each(|k| put(i, k, y.eps[k - first]));
        }
    }
}

/// f along p + ε δ.
pub(crate) fn along_p<S: Scalar>(
    (at, p, delta): (&At<S>, &[S], &[S]),
    f: impl Fn(&At<Dual<S, 1>>, &[Dual<S, 1>]) -> Vec<Dual<S, 1>>,
    out: &mut [S],
) {
    let fixed = |x: &[S]| x.iter().map(|x| Dual::constant(*x)).collect::<Vec<_>>();
    let p = p.iter().zip(delta).map(|(p, d)| Dual::along(*p, *d)).collect();
    let point =
        Lifted { t: Dual::constant(at.t), x: [fixed(at.q), fixed(at.v), fixed(at.a), fixed(at.lam)], p };
    out.iter_mut().zip(f(&point.at(), &point.p)).for_each(|(o, y)| *o += y.eps[0]);
}
