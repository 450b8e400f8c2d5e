//! Geometric quantities: overrides against the duals, rates against differences along a motion.

use gradyn_model::geometry::{Angle, Coordinate, Distance2, Distance3, Geometry, Kind};
use gradyn_num::{Jet, Scalar};
use std::f64::consts::TAU;
use std::marker::PhantomData;

/// A kernel without its overrides: gradient, hessian and rates by duals.
struct Plain<K>(PhantomData<K>);
impl<K: Geometry<Y>, const Y: usize> Geometry<Y> for Plain<K> {
    const PORTS: usize = K::PORTS;
    fn value<S: Scalar>(x: &[S; Y]) -> S {
        K::value(x)
    }
}

/// x + d s + dd s²/2: the arguments along a motion.
const X: [f64; 6] = [0.7, -0.4, 1.3, 0.9, 0.6, -0.2];
const D: [f64; 6] = [-0.3, 1.1, 0.8, -0.6, 0.5, 0.7];
const DD: [f64; 6] = [0.4, -0.9, 0.2, 1.7, -0.8, 0.3];

fn first<const Y: usize>(x: &[f64; 6]) -> [f64; Y] {
    std::array::from_fn(|i| x[i])
}

fn motion<const Y: usize>(s: f64) -> [f64; Y] {
    std::array::from_fn(|i| X[i] + D[i] * s + 0.5 * DD[i] * s * s)
}

fn jets<const Y: usize>() -> [Jet<f64>; Y] {
    std::array::from_fn(|i| Jet::new(X[i], D[i], DD[i]))
}

/// f', f'' at 0 by central differences of order 8. The step balances h⁸ against ε/h².
fn differences(f: impl Fn(f64) -> f64) -> [f64; 2] {
    let h = 0.02;
    let (c1, c2) = (
        [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0],
        [8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0],
    );
    let mut out = [0.0, -205.0 / 72.0 * f(0.0)];
    for k in 0..4 {
        let (up, down) = (f((k + 1) as f64 * h), f(-((k + 1) as f64) * h));
        out[0] += c1[k] * (up - down);
        out[1] += c2[k] * (up + down);
    }
    [out[0] / h, out[1] / (h * h)]
}

fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!(
        (a - b).abs() <= tolerance * b.abs().max(1.0),
        "{what}: {a} ≠ {b}, difference {:.1e}",
        (a - b).abs()
    );
}

fn rows_close<const Y: usize>(a: &[f64; Y], b: &[f64; Y], tolerance: f64, what: &str) {
    (0..Y).for_each(|i| close(a[i], b[i], tolerance, &format!("{what} [{i}]")));
}

/// 1e-13: fewer than a hundred operations on numbers of size 1.
fn overrides<K: Geometry<Y>, const Y: usize>(name: &str) {
    let x: [f64; Y] = first(&X);
    let (y, j, h) = K::hessian(&x);
    let (y0, j0, h0) = Plain::<K>::hessian(&x);
    close(y, y0, 1e-13, name);
    rows_close(&j, &j0, 1e-13, &format!("{name}: hessian's J"));
    (0..Y).for_each(|a| rows_close(&h[a], &h0[a], 1e-13, &format!("{name}: H row {a}")));
    let (y, j) = K::gradient(&x);
    close(y, y0, 1e-13, name);
    rows_close(&j, &j0, 1e-13, &format!("{name}: J"));
    // the gradient on jets carries J̇, J̈ as well
    let ((_, j), (_, j0)) = (K::gradient(&jets()), Plain::<K>::gradient(&jets()));
    for level in 0..3 {
        rows_close(
            &j.map(|j| j.level(level)),
            &j0.map(|j| j.level(level)),
            1e-13,
            &format!("{name}: J on jets, rate {level}"),
        );
    }
}

/// (y, ẏ, ÿ) by jets: against differences, and ẏ = J ẋ, ÿ = J ẍ + ẋᵀ H ẋ.
fn values<K: Geometry<Y>, const Y: usize>(name: &str) {
    let (y, (_, j, h)) = (K::value(&jets()), K::hessian(&first(&X)));
    let d = differences(|s| K::value(&motion(s)));
    close(y.d, d[0], 1e-8, &format!("{name}: dy/dt"));
    close(y.dd, d[1], 1e-8, &format!("{name}: d²y/dt²"));
    let rate: f64 = (0..Y).map(|a| j[a] * D[a]).sum();
    let second: f64 = (0..Y).map(|a| j[a] * DD[a] + (0..Y).map(|b| h[a][b] * D[a] * D[b]).sum::<f64>()).sum();
    close(y.d, rate, 1e-13, &format!("{name}: J ẋ"));
    close(y.dd, second, 1e-13, &format!("{name}: J ẍ + ẋᵀ H ẋ"));
}

/// Calls a check for every kernel; a new [`Kind`] does not compile until it is listed.
macro_rules! for_each_kind {
    ($check:ident) => {
        for kind in Kind::ALL {
            match kind {
                Kind::Coordinate => $check::<Coordinate, 1>("Coordinate"),
                Kind::Distance2 => $check::<Distance2, 4>("Distance2"),
                Kind::Distance3 => $check::<Distance3, 6>("Distance3"),
                Kind::Angle => $check::<Angle, 5>("Angle"),
            }
        }
    };
}

/// Gradient and hessian overrides equal the default duals.
#[test]
fn overrides_equal_the_duals() {
    for_each_kind!(overrides);
}

/// ẏ and ÿ along a motion.
#[test]
fn jets_equal_differences() {
    for_each_kind!(values);
}

/// The branch of an angle is the one nearest to its reference, with the same gradient.
#[test]
fn angle_follows_its_reference_over_turns() {
    for k in -3..=3 {
        let mut x: [f64; 5] = first(&X);
        let principal = Angle::value(&[X[0], X[1], X[2], X[3], 0.0]);
        assert!(principal.abs() <= 0.5 * TAU);
        x[4] = principal + TAU * k as f64 + 3.1; // < π from the branch
        close(Angle::value(&x), principal + TAU * k as f64, 1e-13, "branch");
        rows_close(&Angle::gradient(&x).1, &Angle::gradient(&first(&X)).1, 1e-13, "gradient on a branch");
    }
}
