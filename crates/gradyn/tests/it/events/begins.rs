//! Constraints that begin: whether they hold there at every design, on which branch, and with what impulses.

use super::{DISCRETE, accurate, assert_values, differences, prepared, run};
use gradyn::{Coordinates, Method, Sensitivity};

/// A ball that falls on a floor, by lines for what the floor does.
fn ball(lines: &str) -> String {
    format!(
        r#"
        name = "ball"
        gravity = [0, -9.81]
        parameters = {{ h = 1, t1 = 0.4, c = 0.2152 }}
        body.ball = {{ mass = 0.5, inertia = 0.01, points = {{ P = [0, 0] }} }}
        constraint.contact = "ball.P.y - c"
        objective = {{ y = {{ terminal = "ball.P.y" }}, t = {{ terminal = "t1*ball.P.x" }} }}
        study = {{ t_end = 0.6 }}
        initial = {{ position = {{ "ball.P" = [0, "h"], "ball.angle" = 0 }}, off = ["contact"] }}
        {lines}
        "#
    )
}

/// At other heights the ball is not on the floor at that time: no run is near this one.
#[test]
fn constraints_that_hold_at_one_design_have_no_gradient() {
    let lands = ball(r#"event.lands = { when = "t - t1", on = ["contact"] }"#);
    for family in Coordinates::ALL {
        let model = prepared(&lands, family);
        let r = run(&model, &accurate("dopri5"), family.name());
        for s in DISCRETE.into_iter().chain([Sensitivity::Extrapolated]) {
            let e = model.gradient(&r, s).err().expect("it is refused");
            let message = "contact (constraint) holds where event `lands` switches it on at this design only";
            assert!(e.message.contains(message), "{}: {}", s.name(), e.message);
            assert!(e.help.as_ref().is_some_and(|h| h.contains("expression of the constraint")));
        }
        let e = model.contributions(&r).expect_err("it is refused");
        assert!(e.message.contains("at this design only"), "{}", e.message);
    }
}

/// The same place, by an event that is the constraint, and by one that puts the ball there.
#[test]
fn constraints_that_hold_at_every_design_have_one() {
    for (event, y) in [
        (r#"event.lands = { when = "ball.P.y - c", on = ["contact"] }"#, [0.2152, 0.0, 0.0, 1.0]),
        (
            r#"event.lands = { when = "t - t1", on = ["contact"], place = { "ball.P.x" = 0, "ball.angle" = 0 } }"#,
            [0.2152, 0.0, 0.0, 1.0],
        ),
    ] {
        let exact = [(y[0], y[1..].to_vec())];
        for family in Coordinates::ALL {
            assert_values(&prepared(&ball(event), family), &accurate("dopri5"), &exact, 1e-8, family.name());
        }
    }
}

/// Impulses of a landing and of an impact: what stops the ball, and what throws it back.
#[test]
fn impulses_are_those_of_momentum() {
    let speed = (2.0 * 9.81 * (1.0 - 0.2152f64)).sqrt();
    for family in Coordinates::ALL {
        let impulses = |event: &str| {
            let r = run(&prepared(&ball(event), family), &accurate("dopri5"), family.name());
            let n = (0..=r.trajectory.plan.steps()).find(|&n| r.impulses(n).is_some()).expect("an event");
            r.impulses(n).expect("an event")
        };
        let lands = impulses(r#"event.lands = { when = "ball.P.y - c", on = ["contact"] }"#);
        let (row, size) = lands.rows.iter().find(|(name, _)| name.contains("contact")).expect("the floor");
        assert!((size + 0.5 * speed).abs() < 1e-9, "{}, {row}: {size}", family.name());
        let hits = impulses(r#"event.hits = { when = "ball.P.y - c", impact = 0.5 }"#);
        assert_eq!(hits.event, "hits");
        assert!((hits.given[0] + 0.75 * speed).abs() < 1e-9, "{}: {:?}", family.name(), hits.given);
    }
}

/// A lock whose axes are opposite satisfies the rows of its joint; after a whole turn they are not.
#[test]
fn locks_with_opposite_axes_are_refused() {
    let text = |turn: &str| {
        format!(
            r#"
            name = "lock"
            dimension = 3
            ground.points = {{ O = [0, 0, 0] }}
            body.s = {{ points = {{ P = [0, 0, 0] }}, mass = 1, inertia = [0.1, 0.2, 0.3] }}
            joint.a = {{ type = "revolute", between = ["ground.O", "s.P"], axis = [1, 0, 0], normal = [0, 1, 0] }}
            joint.lock = {{ type = "revolute", between = ["ground.O", "s.P"], axis = [0, 0, 1], normal = [1, 0, 0] }}
            event.locks = {{ when = "a.angle - {turn}*pi", on = ["lock"] }}
            objective.a = {{ terminal = "a.angle" }}
            study = {{ t_end = 1 }}
            initial = {{ position = {{ "a.angle" = 0 }}, velocity = {{ "a.angle" = 10 }}, off = ["lock"] }}
            "#
        )
    };
    for family in Coordinates::ALL {
        let e = prepared(&text("1"), family).run(&accurate("dopri5")).err().expect("it is refused");
        let message = "directions of joint `lock` are half a turn off where event `locks` switches it on";
        assert!(e.message.contains(message), "{}: {}", family.name(), e.message);
        let r = run(&prepared(&text("2"), family), &accurate("dopri5"), family.name());
        assert!((r.psi[0] - std::f64::consts::TAU).abs() < 1e-8, "{}: {}", family.name(), r.psi[0]);
    }
}

/// A door with two hinges, whose rows repeat each other, is driven, let go and stopped.
#[test]
fn redundant_rows_are_left_out_where_rows_begin() {
    let text = r#"
        name = "door"
        dimension = 3
        parameters = { w = 2, stop = 1.2 }
        ground.points = { H1 = [0, 0, 0], H2 = [0, 0, 1] }
        body.door = { points = { H1 = [0, 0, 0], H2 = [0, 0, 1] }, mass = 20, com = [0.4, 0, 0.5], inertia = [7, 8, 1.1] }
        joint.a = { type = "revolute", between = ["ground.H1", "door.H1"], axis = [0, 0, 1], normal = [1, 0, 0] }
        joint.b = { type = "revolute", between = ["ground.H2", "door.H2"], axis = [0, 0, 1], normal = [1, 0, 0] }
        driver.motor = { sensor = "a.angle", value = "0.2 + w*t" }
        constraint.latch = "a.angle - stop"
        event.free = { when = "t - 0.2", off = ["motor"] }
        event.stops = { when = "a.angle - stop", on = ["latch"] }
        initial.off = ["latch"]
        objective.area = { integral = "a.angle" }
        study = { t_end = 1 }
    "#;
    let area = |rho: &[f64]| {
        let t = (rho[1] - 0.2) / rho[0];
        0.2 * t + 0.5 * rho[0] * t * t + rho[1] * (1.0 - t)
    };
    let exact = [differences(&[2.0, 1.2], &area)];
    for (formulation, integrator, most) in [
        ("index1", "rk4", 1e-8),
        ("index3", "newmark", 1e-5),
        ("ali3p", "newmark", 1e-5),
        ("penalty", "rk4", 1e-4),
    ] {
        for family in Coordinates::ALL {
            let method = Method::new(formulation, integrator).expect("registered").step(1e-3);
            let what = format!("{}, {formulation}", family.name());
            assert_values(&prepared(text, family), &method, &exact, most, &what);
        }
    }
}
