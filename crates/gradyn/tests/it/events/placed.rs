//! Positions that events give, against closed forms and computations in minimal coordinates.

use super::linkages::motion;
use super::{DISCRETE, accurate, assert_values, differences, prepared, run};
use gradyn::registry::combinations;
use gradyn::{Coordinates, Formulation, Method, Sensitivity};

/// A mass that is pushed around a ring of length L, which is cut open: its place jumps, its speed does not.
#[test]
fn a_place_is_wrapped() {
    let text = r#"
        name = "ring"
        parameters = { L = 0.5, f = 2, k = 0.1 }
        ground.points = { O = [0, 0] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
        force.push = { type = "force", at = "m.A", force = ["f", 0] }
        initial.position = { "m.A.x" = 0 }
        event.wrap = { when = "m.A.x - L", direction = "rising", place = { "m.A.x" = "m.A.x - L + k*vel(m.A.x)" } }
        objective = { x = { terminal = "m.A.x" }, area = { integral = "m.A.x" } }
        study = { t_end = 1.3 }
    "#;
    let all = |rho: &[f64]| {
        let [l, f, k] = [rho[0], rho[1], rho[2]];
        let [mut t, mut x, mut v, mut area] = [0.0; 4];
        loop {
            let arrives = (-v + (v * v + 2.0 * f * (l - x)).sqrt()) / f;
            let s = arrives.min(1.3 - t);
            area += x * s + v * s * s / 2.0 + f * s.powi(3) / 6.0;
            x += v * s + 0.5 * f * s * s;
            v += f * s;
            t += s;
            if s < arrives {
                return [x, area];
            }
            x = k * v;
        }
    };
    let exact = [0, 1].map(|k| differences(&[0.5, 2.0, 0.1], &|rho| all(rho)[k]));
    for family in Coordinates::ALL {
        let model = prepared(text, family);
        assert_values(&model, &accurate("dopri5"), &exact, 1e-9, family.name());
        let r = run(&model, &accurate("dopri5"), family.name());
        assert_eq!(r.trajectory.plan.given_by.iter().flatten().count(), 4, "{}", family.name());
    }
}

/// Two rods, whose angles jump by more than half a turn.
const RODS: &str = r#"
    name = "double pendulum"
    gravity = [0, -9.81]
    parameters = { L1 = 0.7, L2 = 0.5, m2 = 1.5, a = -1.2, b = 4 }
    ground.points = { O = [0, 0] }
    body.one.rod = { points = ["A", "B"], length = "L1", mass = 2 }
    body.two.rod = { points = ["B", "C"], length = "L2", mass = "m2" }
    joint.pin = { type = "revolute", between = ["ground.O", "one.A"] }
    joint.elbow = { type = "revolute", between = ["one.B", "two.B"] }
    initial.position = { "one.angle" = -0.6, "two.angle" = -0.4 }
    objective = { a = { terminal = "one.angle" }, b = { terminal = "two.angle" } }
    study = { t_end = 0.8 }
    [event.jump]
    when = "one.angle - a"
    direction = "falling"
    place = { "one.angle" = "-0.5*one.angle", "two.angle" = "two.angle + b" }
"#;

/// (angles, their rates) of those rods at the end, where `hit` is what the event does.
fn rods(rho: &[f64], hit: &dyn Fn(&mut [f64; 4], f64)) -> [f64; 4] {
    let [l1, l2, m2, a, b] = [rho[0], rho[1], rho[2], rho[3], rho[4]];
    let [m11, m12, m22] = [2.0 * l1 * l1 / 3.0 + m2 * l1 * l1, 0.5 * m2 * l1 * l2, m2 * l2 * l2 / 3.0];
    let f = move |y: &[f64; 4]| {
        let [c, s] = [m12 * (y[0] - y[1]).cos(), m12 * (y[0] - y[1]).sin()];
        let p = -9.81 * (l1 + m2 * l1) * y[0].cos() - s * y[3] * y[3];
        let q = -9.81 * 0.5 * m2 * l2 * y[1].cos() + s * y[2] * y[2];
        let det = m11 * m22 - c * c;
        [y[2], y[3], (m22 * p - c * q) / det, (m11 * q - c * p) / det]
    };
    motion([-0.6, -0.4, 0.0, 0.0], 0.8, &f, &|y| y[0] - a, &|y| hit(y, b))
}

/// Positions jump, their rates do not: the same in all coordinates.
#[test]
fn angles_are_placed() {
    let rho = [0.7, 0.5, 1.5, -1.2, 4.0];
    let hit = |y: &mut [f64; 4], b: f64| {
        y[0] *= -0.5;
        y[1] += b;
    };
    let exact = [0, 1].map(|k| differences(&rho, &|rho| rods(rho, &hit)[k]));
    let method = accurate("dop853").tolerance(1e-12, 1e-12);
    for family in Coordinates::ALL {
        let model = prepared(RODS, family);
        assert_values(&model, &method, &exact, 1e-8, family.name());
        let r = run(&model, &method, family.name());
        let rows = model.gradient(&r, Sensitivity::FiniteDifference).expect("differentiable").rows;
        for (row, (_, gradient)) in rows.iter().zip(&exact) {
            let off = row.iter().zip(gradient).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // differences of 1e-6: rounding of the angles over it
            assert!(off < 1e-6, "{}: differences are off by {off:.1e}", family.name());
        }
    }
}

/// A reset beside them gives all velocities.
#[test]
fn positions_and_velocities_are_given() {
    let reset = r#"reset = { "one.angle" = "-vel(two.angle)", "two.angle" = "0.5*vel(one.angle) + b" }"#;
    let rho = [0.7, 0.5, 1.5, -1.2, 4.0];
    let hit = |y: &mut [f64; 4], b: f64| *y = [-0.5 * y[0], y[1] + b, -y[3], 0.5 * y[2] + b];
    let exact = [0, 1].map(|k| differences(&rho, &|rho| rods(rho, &hit)[k]));
    for family in Coordinates::ALL {
        let model = prepared(&format!("{RODS}\n{reset}"), family);
        assert_values(&model, &accurate("dop853").tolerance(1e-12, 1e-12), &exact, 1e-8, family.name());
    }
}

/// Every combination that gives positions, with a constraint that begins there and without: sensitivities
/// agree to rounding.
#[test]
fn exact_methods_agree_across_places() {
    let latched = RODS
        .replace(
            "[event.jump]",
            "constraint.latch = \"two.angle - one.angle - 0.1*b\"\ninitial.off = [\"latch\"]\n[event.jump]",
        )
        .replace(", \"two.angle\" = \"two.angle + b\" }", " }\non = [\"latch\"]");
    for family in Coordinates::ALL {
        let models = [prepared(RODS, family), prepared(&latched, family)];
        for (k, &(formulation, integrator)) in combinations().iter().enumerate() {
            if k % 4 != family as usize % 4 {
                continue;
            }
            let model = &models[k / 4 % 2];
            let what = format!("{}, {} + {}", family.name(), formulation.name(), integrator.name());
            let method = Method { formulation, integrator, ..Method::default() }.step(2e-3);
            let r = run(model, &method, &what);
            assert_eq!(r.trajectory.plan.given_by.iter().flatten().count(), 1 + k / 4 % 2, "{what}");
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
    assert!(combinations().iter().any(|c| c.0 == Formulation::Maggi));
}

/// A door that is latched wherever it is at a time: the coordinate of a second body remembers the angle.
#[test]
fn a_latch_takes_its_value_at_the_event() {
    let text = r#"
        name = "latch"
        parameters = { w = 2, t1 = 0.4, t2 = 0.9, f = 3 }
        ground.points = { O = [0, 0], S = [0, 1] }
        body.door = { points = { H = [0, 0] }, mass = 1, inertia = 0.5 }
        body.memory = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.hinge = { type = "revolute", between = ["ground.O", "door.H"] }
        joint.slot = { type = "prismatic", between = ["ground.S", "memory.A"] }
        force.push = { type = "torque", on = "door", torque = "f" }
        constraint = { latch = "door.angle - memory.A.x", keeps = { velocity = "vel(memory.A.x)" } }
        event.catch = { when = "t - t1", on = ["latch"], place = { "door.angle" = "door.angle" }, reset = {} }
        event.free = { when = "t - t2", off = ["latch"] }
        objective = { held = { integral = "if(t > t1, if(t < t2, door.angle, 0), 0)" }, end = { terminal = "door.angle" } }
        study = { t_end = 1.2 }
        [initial]
        position = { "door.angle" = 0.3, "memory.A.x" = 0 }
        velocity = { "door.angle" = "w" }
        off = ["latch"]
    "#;
    let all = |rho: &[f64]| {
        let [w, t1, t2, f] = [rho[0], rho[1], rho[2], rho[3]];
        let caught = 0.3 + w * t1 + f * t1 * t1;
        [caught * (t2 - t1), caught + f * (1.2 - t2) * (1.2 - t2)]
    };
    let exact = [0, 1].map(|k| differences(&[2.0, 0.4, 0.9, 3.0], &|rho| all(rho)[k]));
    for family in Coordinates::ALL {
        let model = prepared(text, family);
        assert_values(&model, &accurate("dopri5"), &exact, 1e-8, family.name());
        let method = Method::new("ali3p", "newmark").expect("registered").step(1e-3);
        assert_values(&model, &method, &exact, 1e-4, family.name());
    }
}

/// A loop is assembled where its crank is placed, on the branch that it was on.
#[test]
fn a_loop_is_placed() {
    let text = r#"
        name = "slider–crank"
        parameters = { r = 0.3, l = 0.8, w = 5, b = 2.5 }
        ground.points = { O = [0, 0] }
        body.crank.rod = { points = ["A", "B"], length = "r", mass = 2 }
        body.rod.rod = { points = ["B", "C"], length = "l", mass = 1 }
        body.slider = { mass = 1.2, inertia = 1, points = { C = [0, 0] } }
        joint.pin = { type = "revolute", between = ["ground.O", "crank.A"] }
        joint.big = { type = "revolute", between = ["crank.B", "rod.B"] }
        joint.small = { type = "revolute", between = ["rod.C", "slider.C"] }
        joint.guide = { type = "prismatic", between = ["ground.O", "slider.C"] }
        initial.position = { "crank.angle" = 0.4 }
        initial.velocity = { "crank.angle" = "w" }
        initial.near = { "rod.C" = [1, 0] }
        event.jump = { when = "t - 0.1", place = { "crank.angle" = "crank.angle + b" }, reset = { "crank.angle" = 0 } }
        objective = { x = { terminal = "slider.C.x" }, a = { terminal = "crank.angle" } }
        study = { t_end = 0.2 }
    "#;
    for family in Coordinates::ALL {
        let model = prepared(text, family);
        let r = run(&model, &accurate("dopri5"), family.name());
        // at rest after the jump
        let before = model.at(&[0.3, 0.8, 5.0, 0.0]).expect("assembles");
        let angle = run(&before, &accurate("dopri5"), family.name()).psi[1] + 2.5;
        let x = 0.3 * angle.cos() + (0.64 - (0.3 * angle.sin()).powi(2)).sqrt();
        assert!((r.psi[1] - angle).abs() < 1e-8, "{}: {} not {angle}", family.name(), r.psi[1]);
        assert!((r.psi[0] - x).abs() < 1e-8, "{}: {} not {x}", family.name(), r.psi[0]);
        let adjoint = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
        let slope = -0.3 * angle.sin()
            - 0.09 * angle.sin() * angle.cos() / (0.64 - (0.3 * angle.sin()).powi(2)).sqrt();
        assert!((adjoint[0][3] - slope).abs() < 1e-8, "{}: {} not {slope}", family.name(), adjoint[0][3]);
    }
}

/// A body in space is placed with its attitude, and keeps the rates of it.
#[test]
fn an_attitude_is_placed() {
    let text = r#"
        name = "satellite"
        dimension = 3
        parameters = { w = 2, b = 3.5 }
        body.s = { mass = 1, inertia = [0.2, 0.2, 0.2], points = { P = [0, 0, 0], X = [1, 0, 0] } }
        objective = { x = { terminal = "s.X.x" }, yaw = { terminal = "s.yaw" }, p = { terminal = "s.P.y" } }
        study = { t_end = 1 }
        event.turn = { when = "t - 0.5", place = { "s.P" = ["0.1", "b*s.yaw", "s.P.z"], "s.roll" = 0, "s.pitch" = 0, "s.yaw" = "s.yaw + b" } }
        [initial]
        position = { "s.P" = [0, 0, 0], "s.roll" = 0, "s.pitch" = 0, "s.yaw" = 0 }
        velocity = { "s.P" = [0, 1, 0], "s.roll" = 0, "s.pitch" = 0, "s.yaw" = "w" }
    "#;
    let all = |rho: &[f64]| {
        let yaw = rho[0] + rho[1];
        [0.1 + yaw.cos(), yaw, rho[1] * 0.5 * rho[0] + 0.5]
    };
    let exact = [0, 1, 2].map(|k| differences(&[2.0, 3.5], &|rho| all(rho)[k]));
    for family in Coordinates::ALL {
        assert_values(&prepared(text, family), &accurate("dopri5"), &exact, 1e-8, family.name());
    }
}

/// What is refused, by name and with a remedy.
#[test]
fn places_are_refused_by_name() {
    let jump = "place = { \"one.angle\" = \"-0.5*one.angle\", \"two.angle\" = \"two.angle + b\" }";
    for (place, message, help) in [
        (
            "place = { \"one.angle\" = 0 }",
            "event `jump` gives 1 position conditions where 2 are free",
            "\"rod.angle\" = \"rod.angle\"",
        ),
        (
            "place = { \"one.angle\" = 0, \"two.angle\" = 0 }\nreset = { \"one.angle\" = 0 }",
            "event `jump` gives 1 velocity conditions where 2 are free",
            "all velocities",
        ),
        (
            "place = { \"one.angle\" = 0, \"2*one.angle\" = 1 }",
            "the positions that event `jump` gives are not reached: the way there is singular after 0 %",
            "straight line",
        ),
        (
            "place = { \"two.C\" = [3, 0] }",
            "the positions that event `jump` gives are not reached",
            "straight line",
        ),
        (
            "place = { \"vel(one.angle)\" = 0, \"two.angle\" = 0 }",
            "is no position that can be given",
            "`reset`",
        ),
        ("place = { \"one.angle\" = [0, 1] }", "has 1 components", "as many values"),
        ("place = { \"one.angle\" = 0 }\nimpact = 0.5", "is an impact and gives positions", "by `reset`"),
    ] {
        let text = RODS.replace(jump, place);
        let e = match gradyn::file::read_toml(&text).map_err(gradyn::Error::from) {
            Err(e) => e,
            Ok(file) => match gradyn::Prepared::new(&file.mechanism) {
                Err(e) => e,
                Ok(model) => model.run(&accurate("dopri5")).err().expect("it is refused"),
            },
        };
        assert!(e.message.contains(message), "{place}: {}", e.message);
        let advice = e.help.clone().unwrap_or_default();
        assert!(advice.contains(help), "{place}: {advice}");
    }
}

/// Positions beyond the stop of an impact.
#[test]
fn a_place_beyond_a_stop_is_refused() {
    let text = format!("{RODS}\n[event.wall]\nwhen = \"two.angle + 2\"\nimpact = 0.5").replace("+ b", "- b");
    let e = prepared(&text, Coordinates::Natural).run(&accurate("dopri5")).err().expect("it is refused");
    assert!(e.message.contains("positions are given beyond the stop of event `wall`"), "{}", e.message);
}

/// What a parameter reaches by the key of a place.
#[test]
fn keys_of_places_are_reached() {
    let text = RODS.replace("\"two.angle\" = \"two.angle + b\"", "\"two.angle - b\" = \"two.angle\"");
    let file = gradyn::file::read_toml(&text).expect("a model");
    let users = gradyn::reach::parameter_users(&file.mechanism);
    assert_eq!(users["b"], ["event jump"]);
}
