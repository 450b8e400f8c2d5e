//! Events that are refused, each by its name.

use super::{accurate, prepared, run};
use gradyn::{Coordinates, Method};

/// A ball over a floor, with other lines of the file.
fn ball(lines: &str) -> String {
    format!(
        r#"
        name = "ball"
        gravity = [0, -9.81]
        parameters = {{ h = 1, e = 0.8 }}
        body.ball = {{ mass = 0.5, inertia = 0.01, points = {{ P = [0, 0], Q = [0.1, 0] }} }}
        constraint.contact = "ball.P.y"
        objective.y = {{ terminal = "ball.P.y" }}
        study = {{ t_end = 1 }}
        initial.position = {{ "ball.P" = [0, "h"], "ball.angle" = 0 }}
        {lines}
        "#
    )
}

/// What reading and building a model says.
fn mistake(lines: &str) -> (String, String) {
    let e = match gradyn::file::read_toml(&ball(lines)) {
        Err(e) => gradyn::Error::from(e),
        Ok(file) => gradyn::Prepared::new(&file.mechanism).expect_err("it is refused"),
    };
    (e.message.clone(), e.help.clone().unwrap_or_default())
}

/// Mistakes of a file, each with a remedy.
#[test]
fn mistakes_are_named() {
    for (lines, message, help) in [
        ("initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\" }", "event `a` does nothing", "`end`"),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", end = true, impact = 1 }",
            "ends the run and goes on",
            "of its own",
        ),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", impact = 0 }",
            "the restitution is 0",
            "constraint that the event switches on",
        ),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", impact = 1.5 }",
            "the restitution is 1.5",
            "at most 1",
        ),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"vel(ball.P.y)\", impact = \"e\" }",
            "reads more than positions",
            "gap of positions",
        ),
        ("initial.off = [\"contact\"]\nevent.a = { when = \"h\", end = true }", "never changes", "neither t"),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", on = [\"contakt\"] }",
            "there is no force, joint, constraint or driver `contakt`",
            "did you mean `contact`",
        ),
        (
            "event.a = { when = \"ball.P.y - 2\", on = [\"contact\"] }",
            "`contact` is switched on and was never off",
            "[initial]",
        ),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", reset = { \"vel(ball.P.x)^2\" = 1 } }",
            "is no velocity that can be given",
            "A v + b",
        ),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", reset = { \"ball.P\" = 1 } }",
            "has 2 components",
            "as many values",
        ),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", reset = { \"vel(ball.P.x) + system.kinetic\" = 1 } }",
            "is no velocity that can be given",
            "A v + b",
        ),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y < 0.5\", end = true }",
            "does not pass zero, it jumps",
            "write the difference",
        ),
        (
            "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", end = 3 }",
            "true or false is expected here",
            "",
        ),
    ] {
        let (text, advice) = mistake(lines);
        assert!(text.contains(message), "{lines}: {text}");
        assert!(advice.contains(help), "{lines}: {advice}");
    }
}

/// What a run refuses.
fn stopped(lines: &str) -> (String, String) {
    let model = prepared(&ball(&format!("initial.off = [\"contact\"]\n{lines}")), Coordinates::Natural);
    let e = model.run(&accurate("dopri5")).err().expect("it is refused");
    (e.message.clone(), e.help.clone().unwrap_or_default())
}

/// What only a run can see.
#[test]
fn runs_refuse_by_name() {
    for (lines, message, help) in [
        (
            "event.a = { when = \"ball.P.y - 2\", impact = \"e\" }",
            "begins beyond the stop of event `a`",
            "positive",
        ),
        (
            "event.a = { when = \"t - 0.1\", reset = { \"ball.P.x\" = 1 } }\nevent.b = { when = \"t - 0.1\", reset = { \"ball.P.x\" = 2 } }",
            "event `a` and of event `b` change at the same time",
            "",
        ),
        (
            "event.a = { when = \"t\", reset = { \"ball.P.x\" = 1 } }",
            "event `a` is at t = 0 s, when the run has begun already",
            "later than the start",
        ),
        (
            "event.a = { when = \"ball.P.y - 0.5\", on = [\"contact\"] }",
            "contact (constraint) does not hold where event `a` switches it on",
            "constraint of its velocity",
        ),
        (
            "event.a = { when = \"atan2(ball.P.y - 0.5, -1) - 2\", end = true }",
            "a condition of event `a` jumps over zero there",
            "counts its turns",
        ),
        (
            "event.a = { when = \"1/(ball.P.y - 0.5)\", end = true }",
            "a condition of event `a` jumps over zero there",
            "at its pole",
        ),
        ("event.a = { when = \"ball.P.y\", impact = 0.3 }", "conditions changed", "comes to rest"),
        (
            "event.a = { when = \"ball.P.y\", reset = { \"ball.P.x\" = 1, \"ball.Q.x\" = 1, \"ball.angle\" = 0 } }",
            "event `a` gives velocities along which nothing can move, or which follow from each other",
            "leave one",
        ),
    ] {
        let (text, advice) = stopped(lines);
        assert!(text.contains(message), "{lines}: {text}");
        assert!(advice.contains(help), "{lines}: {advice}");
    }
}

/// Two points of one bar hit the floor at one instant: which comes first matters.
#[test]
fn simultaneous_impacts_of_one_body_are_refused() {
    let events =
        "event.p = { when = \"ball.P.y\", impact = 0.8 }\nevent.q = { when = \"ball.Q.y\", impact = 0.8 }";
    let (text, _) = stopped(events);
    assert!(text.contains("event `p`") && text.contains("event `q`"), "{text}");
    assert!(text.contains("at the same time"), "{text}");
}

/// Balls that hit the floor at one instant do not know of each other.
#[test]
fn simultaneous_impacts_of_several_bodies_go_together() {
    let text = r#"
        name = "balls"
        gravity = [0, -9.81]
        body.one = { mass = 0.5, inertia = 0.01, points = { P = [0, 0] } }
        body.two = { mass = 2, inertia = 0.01, points = { P = [0, 0] } }
        body.three = { mass = 1, inertia = 0.01, points = { P = [0, 0] } }
        event.p = { when = "one.P.y", impact = 0.8 }
        event.q = { when = "two.P.y", impact = 0.5 }
        event.r = { when = "three.P.y", impact = 0.9 }
        objective.y = { terminal = "one.P.y" }
        study = { t_end = 1 }
        [initial.position]
        "one.P" = [0, 1]
        "one.angle" = 0
        "two.P" = [1, 1]
        "two.angle" = 0
        "three.P" = [2, 1]
        "three.angle" = 0
    "#;
    let model = prepared(text, Coordinates::Natural);
    let r = run(&model, &accurate("dopri5"), "balls");
    let v = (2.0 * 9.81f64).sqrt();
    let rest = 1.0 - v / 9.81;
    let exact = 0.8 * v * rest - 0.5 * 9.81 * rest * rest;
    assert!((r.psi[0] - exact).abs() < 1e-9, "{} not {exact}", r.psi[0]);
}

/// Where constraints are switched, the number of freedoms changes.
#[test]
fn named_freedoms_are_refused_where_constraints_are_switched() {
    let lines = "initial.off = [\"contact\"]\nevent.a = { when = \"ball.P.y\", on = [\"contact\"] }";
    let model = prepared(&ball(lines), Coordinates::Natural);
    let mut method = Method::new("maggi", "dopri5").expect("registered");
    assert!(model.run(&method).is_ok(), "chosen ones follow");
    method.set("freedoms", "ball.P.x, ball.P.y, ball.uy").expect("names");
    let e = model.run(&method).err().expect("it is refused");
    assert!(e.message.contains("events switch constraints"), "{}", e.message);
}
