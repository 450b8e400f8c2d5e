//! Impacts, resets and ends of single bodies, against closed forms.

use super::{DISCRETE, accurate, assert_values, prepared, run};
use gradyn::registry::combinations;
use gradyn::{Coordinates, Formulation, Method, Sensitivity};
use gradyn_testkit::known::Known;

/// Two balls of the same mass on a line: they exchange their velocities.
#[test]
fn an_elastic_collision_exchanges_velocities() {
    let text = r#"
        name = "two balls"
        parameters = { v1 = 1, v2 = -0.5 }
        body.a = { mass = 2, inertia = 0.01, points = { P = [0, 0] } }
        body.b = { mass = 2, inertia = 0.01, points = { P = [0, 0] } }
        event.hit = { when = "norm(b.P - a.P) - 0.2", impact = 1 }
        objective = { va = { terminal = "vel(a.P.x)" }, vb = { terminal = "vel(b.P.x)" } }
        study = { t_end = 1 }
        [initial]
        position = { "a.P" = [0, 0], "a.angle" = 0, "b.P" = [1, 0], "b.angle" = 0 }
        velocity = { "a.P" = ["v1", 0], "a.angle" = 0, "b.P" = ["v2", 0], "b.angle" = 0 }
    "#;
    let exact = [(-0.5, vec![0.0, 1.0]), (1.0, vec![1.0, 0.0])];
    for family in Coordinates::ALL {
        assert_values(&prepared(text, family), &accurate("dopri5"), &exact, 1e-10, family.name());
    }
}

/// A ball that falls from h on a floor at c with restitution e: three impacts.
fn ball() -> &'static Known {
    Known::find("a bouncing ball").expect("known")
}

/// ψ and ∂ψ of a model that is known, at some parameters.
fn exact(known: &Known, rho: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let (psi, rows) = known.truth_at(rho);
    psi.into_iter().zip(rows).collect()
}

/// Three impacts: values and gradients to 1e-10.
#[test]
fn a_bouncing_ball_is_exact() {
    let exact = exact(ball(), &ball().rho());
    for family in Coordinates::ALL {
        let model = prepared(&ball().text(), family);
        assert_values(&model, &accurate("dopri5"), &exact, 1e-10, family.name());
        let r = run(&model, &accurate("dopri5"), family.name());
        let impacts = r.trajectory.plan.given_by.iter().flatten().count();
        assert_eq!(impacts, 3, "{}", family.name());
    }
}

/// Every combination on that ball: rounding where free flight is exact, second order elsewhere.
#[test]
fn every_combination_bounces() {
    let exact = exact(ball(), &ball().rho());
    let model = prepared(&ball().text(), Coordinates::Natural);
    for (formulation, integrator) in combinations() {
        let method = Method { formulation, integrator, ..Method::default() };
        let low = integrator.order() < 3;
        let method = if low { method.step(5e-4) } else { method.step(0.01) };
        let what = format!("{} + {}", formulation.name(), integrator.name());
        // 0.5 ms, integrals by the trapezoidal rule; adams begins with steps of low order
        let most = if low || integrator.name() == "adams" { 1e-4 } else { 1e-8 };
        assert_values(&model, &method, &exact, most, &what);
    }
}

/// An impact at a node of fixed steps, 1e-12 beside it and between two nodes: the gradient is one function.
#[test]
fn impacts_at_nodes_have_the_same_gradient() {
    let start = 0.5 * 9.81 * 0.4f64.powi(2) + 0.1;
    let model = prepared(&ball().text(), Coordinates::Natural);
    for shift in [0.0, 1e-12, -1e-12, 1e-4] {
        let rho = [start + shift, 0.8, 0.1];
        let exact = exact(ball(), &rho);
        let model = model.at(&rho).expect("assembles");
        for (formulation, integrator, most) in [("index1", "rk4", 1e-8), ("maggi", "radau5", 1e-8)] {
            let method = Method::new(formulation, integrator).expect("registered").step(0.01);
            assert_values(&model, &method, &exact, most, &format!("shift {shift:e}, {integrator}"));
        }
    }
}

/// A run that ends where a ball is on the floor: its time and place move with the parameters.
#[test]
fn runs_end_at_events() {
    let thrown = Known::find("a throw that an event ends").expect("known");
    let (text, exact) = (&thrown.text(), exact(thrown, &thrown.rho()));
    for family in Coordinates::ALL {
        assert_values(&prepared(text, family), &accurate("dopri5"), &exact, 1e-9, family.name());
    }
    let newmark = Method::new("index3", "newmark").expect("registered").step(1e-3);
    assert_values(&prepared(text, Coordinates::Natural), &newmark, &exact, 1e-4, "newmark");
}

/// A run that ends at a declared time, and continuous sensitivities that would not see that it moves.
#[test]
fn runs_end_at_times_of_events() {
    let text = r#"
        name = "timed"
        parameters = { v = 2, t1 = 0.7 }
        body.ball = { mass = 0.5, inertia = 0.01, points = { P = [0, 0] } }
        event.over = { when = "t - t1", end = true }
        objective = { x = { terminal = "ball.P.x" } }
        study = { t_end = 10 }
        [initial]
        position = { "ball.P" = [0, 0], "ball.angle" = 0 }
        velocity = { "ball.P" = ["v", 0], "ball.angle" = 0 }
    "#;
    let model = prepared(text, Coordinates::Natural);
    assert_values(&model, &accurate("dopri5"), &[(1.4, vec![0.7, 2.0])], 1e-10, "timed");
    // the end of a fall
    let fall = ball().text().replace("impact = \"e\"", "end = true").replace("e = 0.8, ", "");
    let model = prepared(&fall, Coordinates::Natural);
    let r = run(&model, &accurate("dopri5"), "fall");
    let e = model.gradient(&r, Sensitivity::Direct).err().expect("one law");
    assert!(e.message.contains("has one law"), "{}", e.message);
}

/// A reset to rest is no constraint: the next passage of the same place is met again.
#[test]
fn a_reset_to_rest_is_met_again() {
    let text = r#"
        name = "gate"
        parameters = { f = 2 }
        ground.points = { O = [0, 0] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
        force.push = { type = "force", at = "m.A", force = ["if(t > 1.4, f, -f)", 0] }
        initial.position = { "m.A.x" = 1 }
        event.gate = { when = "m.A.x", direction = "falling", reset = { "m.A.x" = 0 } }
        event.back = { when = "m.A.x + 0.05", direction = "rising", end = true }
        objective = { t = { terminal = "t" }, x = { terminal = "m.A.x" } }
        study = { t_end = 5 }
    "#;
    // at rest in x = 0 at t = 1, then a second fall of 0.4 s, turned back by the force
    let r = run(&prepared(text, Coordinates::Natural), &accurate("dopri5"), "gate");
    assert!((r.psi[1] + 0.05).abs() < 1e-9 && r.psi[0] > 1.4, "{:?}", r.psi);
}

/// A reset that moves its own condition away from zero does not happen again there.
#[test]
fn a_reset_of_its_own_condition_happens_once() {
    let text = r#"
        name = "bounce"
        gravity = [0, -9.81]
        parameters = { h = 1 }
        body.b = { points = { P = [0, 0] }, mass = 1, inertia = 0.1 }
        event.a = { when = "vel(b.P.y) + 2", reset = { "b.P.y" = "-vel(b.P.y)" } }
        initial.position = { "b.P" = [0, "h"], "b.angle" = 0 }
        objective.y = { terminal = "b.P.y" }
        study = { t_end = 0.55 }
    "#;
    // up again from h - 2²/(2 g) with 2 m/s after 2/g
    let rest = 0.55 - 2.0 / 9.81;
    let y = 1.0 - 2.0 / 9.81 + 2.0 * rest - 0.5 * 9.81 * rest * rest;
    let model = prepared(text, Coordinates::Natural);
    assert_values(&model, &accurate("dopri5"), &[(y, vec![1.0])], 1e-9, "bounce");
}

/// A velocity that a line gives to a ball which passes it, by the velocity that it had.
#[test]
fn velocities_are_reset() {
    let reset = Known::find("velocities that a line resets").expect("known");
    let (text, exact) = (&reset.text(), exact(reset, &reset.rho()));
    for family in Coordinates::ALL {
        assert_values(&prepared(text, family), &accurate("dopri5"), &exact, 1e-9, family.name());
    }
}

/// Every combination on an impact of a body with constraints: sensitivities agree to rounding.
#[test]
fn exact_methods_agree_across_impacts() {
    let text = r#"
        name = "pendulum"
        gravity = [0, -9.81]
        parameters = { L = 0.7, m = 2, e = 0.6, w = 0.1 }
        ground.points = { O = [0, 0] }
        body.one.rod = { points = ["A", "B"], length = "L", mass = "m" }
        body.two.rod = { points = ["B", "C"], length = "0.5*L", mass = 1 }
        joint.pin = { type = "revolute", between = ["ground.O", "one.A"] }
        joint.elbow = { type = "revolute", between = ["one.B", "two.B"] }
        initial.position = { "one.angle" = -0.6, "two.angle" = -0.4 }
        event.wall = { when = "two.C.x - w", impact = "e" }
        objective = { x = { terminal = "two.C.x" }, load = { integral = "norm2(pin.reaction)" } }
        study = { t_end = 0.6 }
    "#;
    let mut impacts = 0;
    for family in Coordinates::ALL {
        let model = prepared(text, family);
        for (k, &(formulation, integrator)) in combinations().iter().enumerate() {
            if k % 4 != family as usize % 4 {
                continue;
            }
            let what = format!("{}, {} + {}", family.name(), formulation.name(), integrator.name());
            let method = Method { formulation, integrator, ..Method::default() }.step(2e-3);
            let r = run(&model, &method, &what);
            impacts += r.trajectory.plan.given_by.iter().flatten().count();
            let adjoint = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
            // rounding of accelerations at position level: 1e-9
            let most = if formulation.position_level() { 1e-9 } else { 1e-10 };
            for s in DISCRETE {
                let rows = model.gradient(&r, s).unwrap_or_else(|e| panic!("{what}: {e}")).rows;
                for (a, b) in rows.iter().flatten().zip(adjoint.iter().flatten()) {
                    let off = (a - b).abs() / b.abs().max(1.0);
                    assert!(off <= most, "{what}, {}: {a}, not {b}: {off:.1e}", s.name());
                }
            }
        }
    }
    assert!(impacts >= combinations().len(), "{impacts} impacts");
    assert!(combinations().iter().any(|c| c.0 == Formulation::Penalty));
}
