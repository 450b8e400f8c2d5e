//! splus, smoothstep and join: values, derivatives, no warnings.

use gradyn_model::expression::{constant, parse};

fn at(text: &str, x: f64) -> f64 {
    constant(&text.replace('x', &format!("({x:.17})"))).unwrap_or_else(|e| panic!("{text} at {x}: {e}"))
}

/// The pieces of the data sheets.
#[test]
fn values_are_those_of_the_pieces() {
    let splus = |d: f64, e: f64| match d / e {
        t if t <= -1.0 => 0.0,
        t if t >= 1.0 => d,
        t => e * (t + 1.0).powi(3) * (3.0 - t) / 16.0,
    };
    for d in [-3.0, -2.0, -1.3, -0.1, 0.0, 0.7, 1.9, 2.0, 5.0] {
        assert!((at("splus(x, 2)", d) - splus(d, 2.0)).abs() < 1e-15, "{d}");
    }
    for (z, s) in [(-1.0, 0.0), (0.0, 0.0), (0.5, 0.5), (0.25, 0.103515625), (1.0, 1.0), (3.0, 1.0)] {
        assert!((at("smoothstep(x)", z) - s).abs() < 1e-15, "{z}");
    }
}

/// First and second differences have no jump where the pieces meet.
#[test]
fn pieces_meet_twice_differentiably() {
    let h = 1e-4;
    for (text, corners) in [("splus(x, 2)", [-2.0, 2.0]), ("smoothstep(x)", [0.0, 1.0])] {
        for c in corners {
            let slope = |x: f64| (at(text, x + h) - at(text, x - h)) / (2.0 * h);
            let curve = |x: f64| (at(text, x + h) - 2.0 * at(text, x) + at(text, x - h)) / (h * h);
            let jump = |f: &dyn Fn(f64) -> f64| (f(c + 2.0 * h) - f(c - 2.0 * h)).abs();
            // 4 h times the next derivative, which is at most 60
            assert!(
                jump(&slope) < 1e-3 && jump(&curve) < 0.05,
                "{text} at {c}: {} {}",
                jump(&slope),
                jump(&curve)
            );
        }
    }
}

/// They are smooth: nothing to warn of. The width of a corner is positive, and there are two numbers.
#[test]
fn they_are_smooth_functions() {
    assert_eq!([at("join(x, 1, x^2, 2*x - 1)", 0.5), at("join(x, 1, x^2, 2*x - 1)", 3.0)], [0.25, 5.0]);
    assert!(constant("join(1, 2, 3)").is_err());
    assert!(
        parse("splus(x, 1) + smoothstep(x) + join(x, 1, x^2, 2*x - 1)")
            .expect("parses")
            .nonsmooth()
            .is_empty()
    );
    assert!(
        constant("splus(1, 0)").is_err()
            && constant("splus(1)").is_err()
            && constant("smoothstep(1, 2)").is_err()
    );
}
