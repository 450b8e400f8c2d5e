//! Kinks, jumps and impacts at declared times, and pulses that steps may miss.

use super::{prepared, rail, run};
use gradyn::{Formulation, Method, Prepared, Sensitivity};

/// A law with a kink at a declared time that is a parameter: x = f (1 - tb)³/6, dx/dtb = -f (1 - tb)²/2.
#[test]
fn kinks_at_parameter_break_times_are_exact() {
    let model = rail("f * max(t - tb, 0)", r#""tb""#);
    let r = run(&model, "index1", "rk4", 0.03).expect("runs");
    assert!((r.psi[0] - 10.0 * 0.6f64.powi(3) / 6.0).abs() < 1e-14, "{}", r.psi[0]);
    let g = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
    assert!((g[0][0] + 10.0 * 0.36 / 2.0).abs() < 1e-13, "{}", g[0][0]);
}

/// A force that ends with the rounding of a zero does not jump.
#[test]
fn laws_that_end_smoothly_have_gradients() {
    let model = rail("f*if(t < tb, 1 - 3*(t/tb)^2 + 2*(t/tb)^3, 0)", r#""tb""#);
    let r = run(&model, "index1", "rk4", 0.03).expect("runs");
    assert_eq!(r.jump, None);
    assert!(model.gradient(&r, Sensitivity::DiscreteAdjoint).is_ok());
}

/// A law that jumps at a declared time: x = f tb²/2 + f tb (1 - tb) - f (1 - tb)²/2, dx/dtb = 2 f (1 - tb);
/// sensitivities of the equations of motion are refused.
#[test]
fn jumps_at_break_times_are_exact() {
    let model = rail("if(t < tb, f, -f)", r#""tb""#);
    let r = run(&model, "index1", "rk4", 0.03).expect("runs");
    assert!(r.warnings.is_empty(), "{:?}", r.warnings);
    assert!((r.psi[0] - 1.4).abs() < 1e-13, "{}", r.psi[0]);
    for s in Sensitivity::ALL.iter().filter(|s| s.fits(Formulation::Index1)) {
        match model.gradient(&r, *s) {
            Ok(g) => assert!((g.rows[0][0] - 12.0).abs() < 1e-5, "{}: {:?}", s.name(), g.rows),
            Err(e) => assert!(s.is_continuous() && e.message.contains("changes at t = 0.4 s"), "{e}"),
        }
    }
}

/// A trolley that follows a driver, with a break time.
fn trolley(value: &str, breaks: &str) -> Prepared {
    let text = format!(
        r#"
        name = "trolley"
        parameters = {{ v = 0.5, t1 = 0.4 }}
        ground.points = {{ O = [0, 0] }}
        body.trolley = {{ points = {{ A = [0, 0] }}, mass = 2, inertia = 1 }}
        body.load = {{ rod = {{ points = ["B", "C"], length = 1, mass = 1 }} }}
        gravity = [0, -9.81]
        joint.guide = {{ type = "prismatic", between = ["ground.O", "trolley.A"] }}
        joint.pin = {{ type = "revolute", between = ["trolley.A", "load.B"] }}
        driver.winch = {{ coordinate = "trolley.A.x", value = "{value}" }}
        initial.position = {{ "load.angle" = "-90 deg" }}
        objective.swing = {{ terminal = "load.C.x - v*t1" }}
        study = {{ t_end = 1, breaks = [{breaks}] }}
        "#
    );
    prepared(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// A driver whose value or speed jumps at a declared time is an impact that no step applies; kinks and jumps
/// of its acceleration are exact.
#[test]
fn impacts_of_drivers_are_reported() {
    for (value, breaks, what) in [
        ("v*max(0, t - t1)", r#""t1""#, "the speed of `winch (driver)` jumps at"),
        ("v*if(t - t1, 1, 0)", r#""t1""#, "the value of `winch (driver)` jumps at"),
    ] {
        let model = trolley(value, breaks);
        let r = run(&model, "index1", "rk4", 0.01).expect("runs");
        let warning = format!("jump: {what} the declared time t = 0.4 s");
        assert!(r.warnings.iter().any(|w| w.to_string().starts_with(&warning)), "{value}: {:?}", r.warnings);
        let e =
            model.gradient(&r, Sensitivity::DiscreteAdjoint).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.starts_with(&format!("{what} t = 0.4 s")), "{value}: {e}");
    }
    // they arrive with the rounding of a speed and an acceleration of zero
    let arrives = "v*if(t < t1, 10*(t/t1)^3 - 15*(t/t1)^4 + 6*(t/t1)^5, 1)";
    let softly = "v*if(t < t1, 35*(t/t1)^4 - 84*(t/t1)^5 + 70*(t/t1)^6 - 20*(t/t1)^7, 1)";
    for (value, breaks) in [
        (arrives, r#""t1""#),
        (softly, r#""t1""#),
        ("v*max(0, t - t1)^2", r#""t1""#),
        ("v*max(0, t - t1)^3", r#""t1""#),
        ("v*t + sin(30*t)/90 + 1000", "0.1, 0.3, 0.7"),
        ("v*t1", "0.5"),
    ] {
        let model = trolley(value, breaks);
        let r = run(&model, "index1", "rk4", 0.01).expect("runs");
        assert_eq!(r.jump, None, "{value}");
        assert!(model.gradient(&r, Sensitivity::DiscreteAdjoint).is_ok());
    }
}

/// A pulse that is shorter than the steps of a mass at rest: x = f w √π (1 - t₀), if the steps see it.
#[test]
fn short_pulses_need_a_largest_step() {
    let model = rail("f*exp(-((t - 0.5)/0.001)^2)", "");
    let x = 10.0 * 0.001 * std::f64::consts::PI.sqrt() * 0.5;
    let mut method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-8, 1e-8);
    let r = model.run(&method).expect("runs");
    assert!(r.psi[0].abs() < 0.1 * x, "the pulse is not missed any more: {} of {x}", r.psi[0]);
    method.set("max_step", "1e-3").expect("an option");
    let r = model.run(&method).expect("runs");
    assert!((r.psi[0] - x).abs() < 1e-6 * x, "{} of {x}", r.psi[0]);
    assert!(r.trajectory.plan.h.iter().all(|h| *h <= 1.0001e-3) && r.warnings.is_empty(), "{:?}", r.warnings);
    let r = model.run(&method.step(0.01)).expect("runs");
    assert!(
        r.warnings.iter().any(|w| w.to_string().starts_with("unused-option: max_step")),
        "{:?}",
        r.warnings
    );
}

/// Steps of 3e-13 s would need years: the run stops after 10,000 of them and names the coordinate.
#[test]
fn runs_that_hardly_advance_are_stopped() {
    let model = rail("f - 1e13*vel(m.A.x)", "");
    let method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-8, 1e-8);
    let e = model.run(&method).err().expect("stopped");
    assert!(
        e.to_string().contains("the last 10000 steps advanced by only") && e.to_string().contains("`m."),
        "{e}"
    );
    assert!(e.help.clone().unwrap_or_default().contains("stiff"));
}

/// No sliver of a step before a break time, nor at the end of a long run.
#[test]
fn fixed_steps_leave_no_slivers() {
    for (breaks, t_end) in [("0.50000001", "1"), ("0.4999", "1"), ("0.1", "12"), ("0.3", "15")] {
        let mut m = gradyn::file::read_toml(gradyn::examples::find("pendulum").expect("bundled"))
            .expect("parses")
            .mechanism;
        m.breaks = vec![breaks.into()];
        m.t_end = t_end.into();
        let r = run(&Prepared::new(&m).expect("builds"), "index1", "rk4", 1e-3).expect("runs");
        let shortest = r.trajectory.plan.h.iter().fold(f64::INFINITY, |s, h| s.min(*h));
        assert!(shortest > 0.49e-3, "{breaks}, {t_end}: {shortest:e}");
        assert!(r.trajectory.plan.h.iter().all(|h| *h < 1.000_002e-3));
    }
}
