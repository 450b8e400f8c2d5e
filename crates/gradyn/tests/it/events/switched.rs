//! Forces and constraints that events switch.

use super::{DISCRETE, accurate, assert_values, differences, maggi, prepared, run};
use gradyn::registry::combinations;
use gradyn::{Coordinates, Method, Projections, Sensitivity, WarningCode};

/// A mass on a rail is braked beyond a place and pushed after a time; forces of every kind of law.
#[test]
fn forces_are_switched() {
    for force in [
        r#"{ type = "force", at = "m.A", force = ["-f", 0] }"#,
        r#"{ type = "actuator", joint = "guide", effort = "-f" }"#,
    ] {
        let text = format!(
            r#"
            name = "brake"
            parameters = {{ v0 = 1, f = 0.5, c = 0.3, t2 = 0.8 }}
            ground.points = {{ O = [0, 0] }}
            body.m = {{ points = {{ A = [0, 0] }}, mass = 1, inertia = 1 }}
            joint.guide = {{ type = "prismatic", between = ["ground.O", "m.A"] }}
            force.brake = {force}
            initial = {{ position = {{ "m.A.x" = 0 }}, velocity = {{ "m.A.x" = "v0" }}, off = ["brake"] }}
            event.begins = {{ when = "m.A.x - c", on = ["brake"] }}
            event.ends = {{ when = "t - t2", off = ["brake"] }}
            objective = {{ x = {{ terminal = "m.A.x" }}, v = {{ terminal = "vel(m.A.x)" }} }}
            study = {{ t_end = 1 }}
            "#
        );
        let all = |rho: &[f64]| {
            let [v0, f, c, t2] = [rho[0], rho[1], rho[2], rho[3]];
            let braked = t2 - c / v0;
            let v = v0 - f * braked;
            [c + v0 * braked - 0.5 * f * braked * braked + v * (1.0 - t2), v]
        };
        let exact = [0, 1].map(|k| differences(&[1.0, 0.5, 0.3, 0.8], &|rho| all(rho)[k]));
        for family in Coordinates::ALL {
            assert_values(&prepared(&text, family), &accurate("dopri5"), &exact, 1e-9, family.name());
        }
    }
}

/// A spring that is let go keeps no force and no energy.
#[test]
fn springs_are_switched() {
    let text = r#"
        name = "catapult"
        parameters = { k = 40, c = 0.2 }
        ground.points = { O = [0, 0] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
        force.spring = { type = "spring-damper", between = ["ground.O", "m.A"], stiffness = "k", length = 1 }
        initial.position = { "m.A.x" = 0.5 }
        event.flies = { when = "m.A.x - 1 + c", off = ["spring"] }
        objective = { v = { terminal = "vel(m.A.x)" }, f = { terminal = "spring.force" }, e = { terminal = "system.potential" } }
        study = { t_end = 1 }
    "#;
    let v = |rho: &[f64]| (rho[0] * (0.25 - rho[1] * rho[1])).sqrt();
    let speed = differences(&[40.0, 0.2], &v);
    let exact = [speed, (0.0, vec![0.0; 2]), (0.0, vec![0.0; 2])];
    for family in Coordinates::ALL {
        assert_values(&prepared(text, family), &accurate("dopri5"), &exact, 1e-8, family.name());
    }
}

/// A pendulum whose pin is taken out at an angle, and flies on to the floor.
#[test]
fn a_joint_is_taken_out() {
    let text = r#"
        name = "sling"
        gravity = [0, -9.81]
        parameters = { L = 1, w0 = 4, a = -0.5 }
        ground.points = { O = [0, 0] }
        body.ball = { mass = 0.5, inertia = 0.02, points = { A = [0, 0], C = ["-L", 0] } }
        joint.pin = { type = "revolute", between = ["ground.O", "ball.C"] }
        initial.position = { "ball.angle" = "-pi/2" }
        initial.velocity = { "ball.angle" = "w0" }
        event.free = { when = "ball.angle - a", direction = "rising", off = ["pin"] }
        event.floor = { when = "ball.A.y + 2", direction = "falling", end = true }
        objective = { x = { terminal = "ball.A.x" }, turn = { terminal = "vel(ball.angle)" } }
        study = { t_end = 3 }
    "#;
    let all = |rho: &[f64]| {
        let [l, w0, a] = [rho[0], rho[1], rho[2]];
        let inertia = 0.5 * l * l + 0.02;
        let w = (w0 * w0 - 2.0 * 0.5 * 9.81 * l * (a.sin() + 1.0) / inertia).sqrt();
        let [x, y] = [l * a.cos(), l * a.sin()];
        let [vx, vy] = [-w * l * a.sin(), w * l * a.cos()];
        let t = (vy + (vy * vy + 2.0 * 9.81 * (y + 2.0)).sqrt()) / 9.81;
        [x + vx * t, w]
    };
    let exact = [0, 1].map(|k| differences(&[1.0, 4.0, -0.5], &|rho| all(rho)[k]));
    for family in Coordinates::ALL {
        let model = prepared(text, family);
        for method in [accurate("dop853"), maggi("dopri5", 1e-11), maggi("radau5", 1e-11)] {
            let what =
                format!("{}, {} + {}", family.name(), method.formulation.name(), method.integrator.name());
            assert_values(&model, &method, &exact, 1e-8, &what);
        }
        let r = run(&model, &accurate("dop853"), family.name());
        assert!(r.drift[0] < 1e-8, "{}: rows that are off do not count: {:e}", family.name(), r.drift[0]);
    }
}

/// A run tells its events with their times, and which end it did not come to.
#[test]
fn runs_tell_their_events() {
    let text = r#"
        name = "slide"
        parameters = { v0 = 1 }
        ground.points = { O = [0, 0] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
        force.brake = { type = "actuator", joint = "guide", effort = -0.1 }
        initial = { position = { "m.A.x" = 0 }, velocity = { "m.A.x" = "v0" }, off = ["brake"] }
        event.begins = { when = "m.A.x - 0.25", on = ["brake"] }
        event.late = { when = "t - 0.5", off = ["brake"] }
        event.far = { when = "m.A.x - 9", end = true }
        objective.x = { terminal = "m.A.x" }
        study = { t_end = 1 }
    "#;
    let model = prepared(text, Coordinates::Natural);
    let r = run(&model, &accurate("dopri5"), "slide");
    let events = model.happened(&r);
    let names: Vec<&str> = events.iter().map(|e| e.event.as_str()).collect();
    assert_eq!(names, ["begins", "late"]);
    assert!((events[0].t - 0.25).abs() < 1e-12 && events[1].t == 0.5, "{events:?}");
    let warning = r.warnings.iter().find(|w| w.code == WarningCode::NotReached).expect("a warning");
    assert!(warning.text.contains("`far`"), "{warning}");
}

/// A ball that lands, stays and is lifted again by a force that grows.
const LANDING: &str = r#"
    name = "landing"
    gravity = [0, -9.81]
    parameters = { h = 0.5, k = 20, m = 1 }
    body.ball = { mass = "m", inertia = 0.01, points = { P = [0, 0] } }
    constraint.contact = "ball.P.y"
    force.lift = { type = "force", at = "ball.P", force = [0, "k*t^2"] }
    event.lands = { when = "ball.P.y", direction = "falling", on = ["contact"] }
    event.lifts = { when = "contact.multiplier", direction = "rising", off = ["contact"] }
    objective = { y = { terminal = "ball.P.y" }, load = { integral = "contact.multiplier" } }
    study = { t_end = 1.2 }
    [initial]
    position = { "ball.P" = [0, "h"], "ball.angle" = 0 }
    velocity = { "ball.P" = [0.3, 0], "ball.angle" = 0 }
    off = ["contact"]
"#;

/// Contact by a constraint, which its multiplier releases.
#[test]
fn a_ball_lands_and_is_lifted() {
    const G: f64 = 9.81;
    let all = |rho: &[f64]| {
        let [h, k, m] = [rho[0], rho[1], rho[2]];
        // y = h - G t²/2 + k t⁴/(12 m) = 0, and k t² = m G
        let u = (G / 2.0 - (G * G / 4.0 - k * h / (3.0 * m)).sqrt()) / (k / (6.0 * m));
        let [land, lift] = [u.sqrt(), (m * G / k).sqrt()];
        let end = 1.2f64;
        let rate = |t: f64| -G * t + k * t.powi(3) / (3.0 * m);
        let place = |t: f64| -G * t * t / 2.0 + k * t.powi(4) / (12.0 * m);
        let y = place(end) - place(lift) - rate(lift) * (end - lift);
        // λ = k t² - m G presses
        let load = |t: f64| k * t.powi(3) / 3.0 - m * G * t;
        [y, load(lift) - load(land)]
    };
    let exact = [0, 1].map(|k| differences(&[0.5, 20.0, 1.0], &|rho| all(rho)[k]));
    for family in Coordinates::ALL {
        for method in [accurate("dopri5"), maggi("dopri5", 1e-10), maggi("radau5", 1e-10)] {
            let what =
                format!("{}, {} + {}", family.name(), method.formulation.name(), method.integrator.name());
            assert_values(&prepared(LANDING, family), &method, &exact, 1e-8, &what);
        }
    }
}

/// The landing takes the kinetic energy of its direction: the run says so by the name of the event.
#[test]
fn a_plastic_impact_is_named() {
    let r = run(&prepared(LANDING, Coordinates::Natural), &accurate("dopri5"), "landing");
    let impact = r.warnings.iter().find(|w| w.code == WarningCode::Impact).expect("a warning");
    assert!(impact.text.contains("event `lands`"), "{}", impact.text);
    assert_eq!(impact.subject.as_ref().map(|s| s.name.as_str()), Some("lands"));
}

/// Multipliers at position level have an error of their own: an event that they decide says so.
#[test]
fn events_of_multipliers_warn_at_position_level() {
    let model = prepared(LANDING, Coordinates::Natural);
    let named = |method: Method| {
        let r = run(&model, &method.step(1e-3), "landing");
        let found = r.warnings.into_iter().find(|w| w.code == WarningCode::InexactEvent);
        found.and_then(|w| w.subject).map(|s| s.name)
    };
    let newmark = Method::new("index3", "newmark").expect("registered");
    assert_eq!(named(Method { projection: Some(Projections::Off), ..newmark.clone() }), Some("lifts".into()));
    assert_eq!(named(newmark), None);
    assert_eq!(named(Method::new("index3", "radau5").expect("registered")), Some("lifts".into()));
    assert_eq!(named(Method::new("index1", "rk4").expect("registered")), None);
}

/// Of two events on one multiplier, the one that happened is named.
#[test]
fn events_that_did_not_happen_are_not_named() {
    let presses =
        "event.presses = { when = \"contact.multiplier\", direction = \"falling\", off = [\"lift\"] }";
    let text = LANDING
        .replace("\"ball.P\" = [0, \"h\"]", "\"ball.P.x\" = \"0*h\"")
        .replace("\"ball.P\" = [0.3, 0]", "\"ball.P.x\" = 0.3")
        .replace("    off = [\"contact\"]\n", "")
        .replace("    event.lands", &format!("    {presses}\n    event.lands"));
    let method = Method::new("index3", "radau5").expect("registered").step(1e-3);
    let r = run(&prepared(&text, Coordinates::Natural), &method, "lifted");
    let named = r.warnings.into_iter().filter(|w| w.code == WarningCode::InexactEvent);
    let names: Vec<String> = named.filter_map(|w| w.subject).map(|s| s.name).collect();
    assert_eq!(names, ["lifts"]);
}

/// A double pendulum whose first rod is caught: every formulation that follows it, by all sensitivities.
#[test]
fn exact_methods_agree_where_constraints_begin() {
    let text = r#"
        name = "caught"
        gravity = [0, -9.81]
        parameters = { L = 1, m1 = 2, stop = -1.8 }
        ground.points = { O = [0, 0] }
        body.one.rod = { points = ["A", "B"], length = "L", mass = "m1" }
        body.two.rod = { points = ["B", "C"], length = 0.7, mass = 1 }
        joint.pin = { type = "revolute", between = ["ground.O", "one.A"] }
        joint.elbow = { type = "revolute", between = ["one.B", "two.B"] }
        constraint.latch = "one.angle - stop"
        initial = { position = { "one.angle" = 0, "two.angle" = 0.3 }, off = ["latch"] }
        event.caught = { when = "one.angle - stop", on = ["latch"] }
        objective = { x = { terminal = "two.C.x" }, work = { integral = "vel(two.angle)^2" } }
        study = { t_end = 0.9 }
    "#;
    let reference = {
        let model = prepared(text, Coordinates::Natural);
        run(&model, &accurate("dop853"), "reference").psi
    };
    for family in Coordinates::ALL {
        let model = prepared(text, family);
        for (k, &(formulation, integrator)) in combinations().iter().enumerate() {
            if k % 4 != family as usize % 4 {
                continue;
            }
            let what = format!("{}, {} + {}", family.name(), formulation.name(), integrator.name());
            let method = Method { formulation, integrator, ..Method::default() }.step(2e-3);
            let r = run(&model, &method, &what);
            // 2 ms by methods of second order
            assert!((r.psi[0] - reference[0]).abs() < 2e-3, "{what}: {} not {}", r.psi[0], reference[0]);
            let adjoint = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
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
}

/// A mass that rests on the floor from the start is lifted; every formulation.
#[test]
fn a_mass_at_rest_is_lifted() {
    let text = r#"
        name = "lift"
        gravity = [0, -10]
        parameters = { k = 20, m = 1 }
        body.b = { mass = "m", inertia = 0.1, points = { P = [0, 0] } }
        constraint.contact = "b.P.y"
        force.lift = { type = "force", at = "b.P", force = [0, "k*t"] }
        event.lands = { when = "b.P.y", direction = "falling", on = ["contact"] }
        event.lifts = { when = "contact.multiplier", direction = "rising", off = ["contact"] }
        initial.position = { "b.P.x" = 0, "b.angle" = 0 }
        objective.y = { terminal = "b.P.y" }
        study = { t_end = 1 }
    "#;
    // free from t = m g/k on: y = k s³/(6 m)
    let y = |rho: &[f64]| rho[0] / (6.0 * rho[1]) * (1.0 - 10.0 * rho[1] / rho[0]).powi(3);
    let exact = [differences(&[20.0, 1.0], &y)];
    for (formulation, integrator, most) in [
        ("index1", "rk4", 1e-8),
        ("maggi", "rk4", 1e-8),
        ("index3", "newmark", 1e-5),
        ("ali3p", "newmark", 1e-5),
        ("penalty", "rk4", 1e-5),
    ] {
        for family in Coordinates::ALL {
            let method = Method::new(formulation, integrator).expect("registered").step(1e-3);
            let what = format!("{}, {formulation}", family.name());
            assert_values(&prepared(text, family), &method, &exact, most, &what);
        }
    }
}
