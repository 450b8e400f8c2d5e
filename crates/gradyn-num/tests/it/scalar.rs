//! Duals, jets and complex step against each other and against an independent implementation.

use gradyn_num::{Complex, Dual, Jet, Scalar, complex::STEP};
use num_dual::{Dual2_64, DualNum};

/// Every elementary function at a point inside its domain.
fn functions<S: Scalar>(x: S) -> Vec<(&'static str, S)> {
    vec![
        ("sqrt", x.sqrt()),
        ("exp", x.exp()),
        ("ln", x.ln()),
        ("sin", x.sin()),
        ("cos", x.cos()),
        ("tan", x.tan()),
        ("asin", x.asin()),
        ("acos", x.acos()),
        ("atan", x.atan()),
        ("atan2", (x * x).atan2(x * 2.0 - S::from(1.7))),
        ("sinh", x.sinh()),
        ("cosh", x.cosh()),
        ("tanh", x.tanh()),
        ("powi 5", x.powi(5)),
        ("powi -3", x.powi(-3)),
        ("powi 1", x.powi(1)),
        ("powf", x.powf(x)),
        ("abs", (x - S::from(2.0)).abs()),
        ("min", x.min(x * x)),
        ("max", x.max(x * x)),
        ("quotient", (x + S::from(1.0)) / (x * x - S::from(3.0))),
    ]
}

const POINTS: [f64; 3] = [0.11, 0.37, 0.83];
/// A few operations in a row, each within an ulp or two.
const TOLERANCE: f64 = 2e-14;

fn close(name: &str, a: f64, b: f64) {
    assert!((a - b).abs() <= TOLERANCE * (1.0 + b.abs()), "{name}: {a:e} against {b:e}");
}

/// Complex step keeps its tiny imaginary part in every function and equals the dual derivative.
#[test]
fn complex_step_equals_dual() {
    for x in POINTS {
        let duals = functions(Dual::<f64, 1>::var(x, 0));
        let steps = functions(Complex { re: x, im: STEP });
        for ((name, d), (_, c)) in duals.into_iter().zip(steps) {
            close(name, c.re, d.re);
            close(name, c.im / STEP, d.eps[0]);
        }
    }
}

/// The jet of f along x(t) = x + ẋ t + ½ ẍ t² is the nested dual in t.
#[test]
fn jets_are_second_derivatives_in_time() {
    type D2 = Dual<Dual<f64, 1>, 1>;
    let d = 1.3;
    let dd = -0.7;
    for x in POINTS {
        let nested = D2 { re: Dual { re: x, eps: [d] }, eps: [Dual { re: d, eps: [dd] }] };
        for ((name, j), (_, n)) in functions(Jet::new(x, d, dd)).into_iter().zip(functions(nested)) {
            close(name, j.x, n.re.re);
            close(name, j.d, n.re.eps[0]);
            close(name, j.dd, n.eps[0].eps[0]);
        }
    }
}

/// First and second derivatives against num-dual.
#[test]
fn nested_duals_equal_num_dual() {
    fn theirs(x: Dual2_64) -> Dual2_64 {
        (x.sin() * x.exp() + x.sqrt()) / (x.atan() + x.ln().powi(2) + 2.0)
    }
    fn ours<S: Scalar>(x: S) -> S {
        (x.sin() * x.exp() + x.sqrt()) / (x.atan() + x.ln().powi(2) + S::from(2.0))
    }
    for x in POINTS {
        let n = ours(Dual::<Dual<f64, 1>, 1>::var(Dual::var(x, 0), 0));
        let (f, d, dd) = num_dual::second_derivative(theirs, x);
        close("value", n.re.re, f);
        close("first", n.re.eps[0], d);
        close("second", n.eps[0].eps[0], dd);
    }
}
