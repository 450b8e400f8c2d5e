//! What fuzzing has found, each by the name of what was wrong.

use gradyn::optimize::history::record;
use gradyn::{Error, Scalar, Study};
use gradyn_num::{Dual, Jet};

/// A line of a fit with no parameters divided its slopes into rows of no length.
#[test]
fn a_history_line_without_a_design_is_no_record() {
    let head = r#"{"evaluation":3,"start":0,"x":[],"residuals":[0.5],"slopes":[1.0]"#;
    assert_eq!(record(&format!("{head},\"constraints\":[],\"jacobian\":[]}}")), None);
}

/// Lists of other lengths than those of the design were read, and other numbers came of them.
#[test]
fn lists_of_a_history_line_have_the_lengths_of_its_design() {
    let line = |gradient: &str, jacobian: &str| {
        let head = r#"{"evaluation":1,"start":0,"x":[1.0,2.5],"value":3.5"#;
        record(&format!("{head},\"gradient\":{gradient},\"constraints\":[1.0],\"jacobian\":{jacobian}}}"))
    };
    assert!(line("[1.0,2.0]", "[1.0,2.0]").is_some());
    assert_eq!(line("[1.0]", "[1.0,2.0]"), None);
    assert_eq!(line("[1.0,2.0]", "[1.0,2.0,3.0]"), None);
}

/// The error of an edited example, with or without other parameters.
fn refusal(name: &str, edit: [&str; 2], rho: impl Fn(&[f64]) -> Vec<f64>) -> Error {
    let text = gradyn::examples::find(name).expect("listed").replacen(edit[0], edit[1], 1);
    let study = Study::from_text("model.toml", &text).expect("reads");
    match study.defaults().and_then(|values| study.at(&rho(&values))) {
        Ok(_) => panic!("{name}: not refused"),
        Err(e) => e,
    }
}

/// n(n - 1) of the second derivative of xⁿ was an i32: a panic, and another number where overflow wraps.
#[test]
fn powers_of_any_integer_have_their_rates() {
    // rates of tⁿ at t = 1: n and n(n - 1)
    for n in [2, 46_342, 2_000_000_000, i32::MAX, -46_342, i32::MIN] {
        let m = f64::from(n);
        let jet = Jet { x: 1.0, d: 1.0, dd: 0.0 }.powi(n);
        assert_eq!((jet.x, jet.d, jet.dd), (1.0, m, m * (m - 1.0)), "{n}");
        assert_eq!(Dual::<f64, 1>::along(1.0, 1.0).powi(n).eps[0], m);
    }
}

/// A triangle whose sides do not meet was "a number of the model is NaN", without a name or a line.
#[test]
fn a_number_that_is_not_finite_has_a_name() {
    let e = refusal("jansen", ["\"38 cm\"", "\"sqrt(-1 + 0*1)*1 cm\""], <[f64]>::to_vec);
    assert!(e.place.is_some(), "{e}");
    let e = refusal("jansen", ["sqrt(i^2 - xF^2)", "sqrt(xF^2 - i^2)"], <[f64]>::to_vec);
    assert!(e.message.contains("NaN is not a finite number") && e.place.is_some(), "{e}");
}

/// So was one at other parameters: now it says which of them it depends on.
#[test]
fn a_number_that_other_parameters_spoil_names_them() {
    let e = refusal("jansen", ["", ""], |rho| {
        rho.iter().enumerate().map(|(k, x)| if k == 6 { 0.01 } else { *x }).collect()
    });
    assert!(e.message.starts_with("a number of the model that depends on "), "{e}");
    assert!(["`g`", "`h`", "`i`"].iter().all(|name| e.message.contains(name)), "{e}");
    assert!(e.message.ends_with(" is NaN"), "{e}");
}

/// A spline with too many knots had no name.
#[test]
fn a_spline_with_too_many_knots_has_a_name() {
    let text = r#"
        name = "spline"
        ground.points = { O = [0, 0] }
        body.b = { points = { P = [0, 0] }, mass = 1, inertia = 1 }
        joint.j = { type = "revolute", between = ["ground.O", "b.P"] }
        spline.wave = { kind = "cyclic", period = 1e-9, values = [0, 1, 0, -1] }
        force.f = { type = "torque", on = "b", torque = "wave" }
        initial = { position = { "b.angle" = 0 }, velocity = "rest" }
        study.t_end = 1
    "#;
    let e = Study::from_text("model.toml", text).and_then(|s| s.nominal()?.run()).err().expect("refused");
    assert!(e.message.contains("spline `wave` has a knot every"), "{e}");
}
