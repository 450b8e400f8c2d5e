//! Adams on examples: closed forms, cost beside dopri5, stiffness by name.

use gradyn::{Error, Method, Prepared, Run, Sensitivity};
use gradyn_dynamics::StepError;
use gradyn_testkit::reference::GRADIENT;

/// An example with some of its text replaced.
fn example(name: &str, changes: &[(&str, &str)]) -> Prepared {
    let mut text = gradyn::examples::find(name).expect("a bundled example").to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{name} has `{from}`");
        text = text.replace(from, to);
    }
    Prepared::new(&gradyn::file::read_toml(&text).expect("parses").mechanism).expect("builds")
}

fn method(integrator: &str, tolerance: f64) -> Method {
    Method::new("index1", integrator).expect("registered").tolerance(tolerance, tolerance)
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.run(method).expect("runs")
}

/// y = (z0/w) sin(w t), w = √(c/m): value and gradient at t = π/2 follow the tolerance.
#[test]
fn oscillator_follows_its_tolerance() {
    let model = example("oscillator", &[]);
    for tol in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
        let run = run(&model, &method("adams", tol));
        let g = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("differentiates").rows;
        let numbers = [run.psi[0], g[0][0], g[0][1], g[0][2]];
        for (x, exact) in numbers.iter().zip([0.5, -0.25, 1.0, 0.25]) {
            assert!((x - exact).abs() < 20.0 * tol, "{tol:.0e}: {x} ≠ {exact}");
        }
    }
}

/// Evaluations for eight digits of the gradient of the five-bar: a third of those of dopri5, or fewer.
#[test]
fn adams_needs_fewer_evaluations_than_dopri5() {
    let model = example("five_bar", &[]);
    let cost = |integrator: &str| {
        let runs = (4..14).map(|k| run(&model, &method(integrator, f64::powi(10.0, -k))));
        let enough = runs.into_iter().find(|run| {
            let g = model.gradient(run, Sensitivity::DiscreteAdjoint).expect("differentiates").rows;
            g.iter().zip(&GRADIENT).all(|(g, r)| {
                let size = r.iter().fold(0.0f64, |s, x| s.max(x.abs()));
                g.iter().zip(r).all(|(g, r)| (g - r).abs() < 1e-8 * size)
            })
        });
        enough.expect("eight digits").trajectory.statistics.iterations
    };
    let (adams, dopri5) = (cost("adams"), cost("dopri5"));
    assert!(3 * adams <= dopri5, "{adams} against {dopri5}");
}

/// A strong damper: the run warns, and too few steps are an error that says why. The same spring without it:
/// no word of it.
#[test]
fn stiffness_is_named() {
    let model = example("oscillator", &[("stiffness = \"c\",", "stiffness = \"c\", damping = 2e3,")]);
    let stiff = run(&model, &method("adams", 1e-5));
    assert!(
        stiff.warnings.iter().any(|w| w.code == gradyn::WarningCode::Stiff),
        "{:?} {:?}",
        stiff.warnings,
        stiff.trajectory.statistics
    );
    let few = Method { max_steps: 500, ..method("adams", 1e-5) };
    let e = model.run(&few).err();
    assert!(matches!(e.as_ref().and_then(Error::step), Some(StepError::Stiff { .. })), "{e:?}");
    for (name, tol) in [
        ("oscillator", 1e-3),
        ("oscillator", 1e-9),
        ("five_bar", 1e-3),
        ("five_bar", 1e-10),
        ("spinning_top", 1e-5),
    ] {
        let run = run(&example(name, &[]), &method("adams", tol));
        assert!(
            !run.warnings.iter().any(|w| w.code == gradyn::WarningCode::Stiff),
            "{name}: {:?}",
            run.trajectory.statistics
        );
    }
}

/// A damper of λ = -2000/s: beyond their limits of stability, h|λ| = 0.55 and 1, orders 3 and 2 alternate,
/// and the run says so.
#[test]
fn steps_beyond_stability_are_named() {
    let text = gradyn::examples::find("oscillator").expect("a bundled example").to_owned();
    let text = text.replace("stiffness = \"c\",", "stiffness = \"c\", damping = 2e3,");
    let mut m = gradyn::file::read_toml(&text).expect("parses").mechanism;
    m.t_end = 0.05.into();
    let model = Prepared::new(&m).expect("builds");
    for (order, scaled, alternates) in [(2, 0.9, false), (2, 1.1, true), (3, 0.5, false), (3, 0.6, true)] {
        let method = Method::new("index1", "adams-bashforth").expect("registered").step(scaled / 2e3);
        let run = run(&model, &Method { adams_order: Some(order), ..method });
        let warned = run.warnings.iter().any(|w| w.code == gradyn::WarningCode::Unstable);
        assert_eq!(warned, alternates, "order {order}, h|λ| = {scaled}: {:?}", run.warnings);
    }
    // a vibration that the steps resolve, ωh = 0.5, does not
    let model = example("oscillator", &[("t_end  = \"pi/2\"", "t_end  = 30")]);
    let method = Method {
        adams_order: Some(3),
        ..Method::new("index1", "adams-bashforth").expect("registered").step(0.25)
    };
    assert!(!run(&model, &method).warnings.iter().any(|w| w.code == gradyn::WarningCode::Unstable));
}
