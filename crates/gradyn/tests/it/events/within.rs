//! Events within long steps: adaptive integrators take free flights in one step.

use super::{accurate, assert_values, differences, maggi, prepared, run};
use gradyn::{Coordinates, Method};

/// Methods whose steps of a free flight are as long as the run.
fn long_steps() -> [Method; 5] {
    [accurate("dopri5"), accurate("dop853"), accurate("adams"), accurate("radau5"), maggi("radau5", 1e-8)]
}

/// Two balls, of which one flies through the place of the other.
const GLANCING: &str = r#"
    name = "two balls"
    parameters = { v = 8, b0 = 0.3, r = 0.5 }
    body.a = { points = { P = [0, 0] }, mass = 0.2, inertia = 1e-4 }
    body.b = { points = { P = [0, 0] }, mass = 0.2, inertia = 1e-4 }
    event.touch = { when = "norm(b.P - a.P) - 2*r", impact = 1 }
    objective = { x = { terminal = "a.P.x" }, y = { terminal = "b.P.y" } }
    study.t_end = 1
    [initial]
    position = { "a.P" = [0, 0], "a.angle" = 0, "b.P" = [3, "b0"], "b.angle" = 0 }
    velocity = { "a.P" = ["v", 0], "a.angle" = 0, "b.P" = [0, 0], "b.angle" = 0 }
"#;

/// A glancing collision, whose condition is positive at both ends of the step that passes it.
#[test]
fn a_glancing_collision_is_not_stepped_over() {
    let all = |rho: &[f64]| {
        let [v, b0, r] = [rho[0], rho[1], rho[2]];
        // touch: (3 - v t)² + b₀² = 4 r², where the normal is n
        let along = (4.0 * r * r - b0 * b0).sqrt();
        let t = (3.0 - along) / v;
        let n = [along / (2.0 * r), b0 / (2.0 * r)];
        // equal masses exchange the velocities along n
        let hit = v * n[0];
        [v * t + (v - hit * n[0]) * (1.0 - t), b0 + hit * n[1] * (1.0 - t)]
    };
    let exact = [0, 1].map(|k| differences(&[8.0, 0.3, 0.5], &|rho| all(rho)[k]));
    for family in Coordinates::ALL {
        for method in long_steps() {
            let what = format!("{}, {}", family.name(), method.integrator.name());
            assert_values(&prepared(GLANCING, family), &method, &exact, 1e-8, &what);
        }
    }
}

/// A rotor that loses a tenth of its speed in each turn: several turns in a step.
#[test]
fn every_turn_of_a_rotor_is_seen() {
    let text = r#"
        name = "tripped rotor"
        parameters = { w0 = 40, c = 0.9 }
        ground.points = { O = [0, 0] }
        body.rotor = { points = { O = [0, 0], P = [0.1, 0] }, mass = 1, inertia = 0.02 }
        joint.axle = { type = "revolute", between = ["ground.O", "rotor.O"] }
        initial = { position = { "rotor.angle" = -1 }, velocity = { "rotor.angle" = "w0" } }
        objective = { angle = { terminal = "rotor.angle" } }
        study = { t_end = 1 }
        [event.trip]
        when = "rotor.P.y - 0.01"
        direction = "rising"
        reset = { "rotor.angle" = "c*vel(rotor.angle)" }
    "#;
    let angle = |rho: &[f64]| {
        let [mut speed, mut at, mut left] = [rho[0], -1.0, 1.0];
        let mut next = 0.1f64.asin();
        while (next - at) / speed < left {
            left -= (next - at) / speed;
            [at, next, speed] = [next, next + 2.0 * std::f64::consts::PI, rho[1] * speed];
        }
        at + speed * left
    };
    let exact = [differences(&[40.0, 0.9], &angle)];
    for family in [Coordinates::Relative0, Coordinates::Relative1] {
        for method in long_steps() {
            let what = format!("{}, {}", family.name(), method.integrator.name());
            let model = prepared(text, family);
            assert_eq!(model.happened(&run(&model, &method, &what)).len(), 5, "{what}");
            assert_values(&model, &method, &exact, 1e-8, &what);
        }
    }
}

/// A final time whose condition passes zero twice within a step.
#[test]
fn a_final_time_within_a_step_is_found() {
    let text = r#"
        name = "bumper"
        gravity = [0, -9.81]
        parameters = { vx = 3.0142, vy = 0.3202, R = 0.1258 }
        ground.points = { C = [1.9733, -1.9326] }
        body.ball = { points = { P = [0, 0] }, mass = 0.1, inertia = 1e-4 }
        objective = { x = { terminal = "ball.P.x" } }
        study = { until = "norm(ball.P - ground.C) - R", t_max = 1 }
        [initial]
        position = { "ball.P" = [0, 0], "ball.angle" = 0 }
        velocity = { "ball.P" = ["vx", "vy"], "ball.angle" = 0 }
    "#;
    // the first zero, by bisection
    let end = |rho: &[f64]| {
        let [vx, vy, radius] = [rho[0], rho[1], rho[2]];
        let gap = |t: f64| (vx * t - 1.9733).hypot(vy * t - 0.5 * 9.81 * t * t + 1.9326) - radius;
        let [mut low, mut high] = [0.6, 0.65];
        assert!(gap(low) > 0.0 && gap(high) < 0.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if gap(middle) > 0.0 { low = middle } else { high = middle }
        }
        vx * low
    };
    let exact = [differences(&[3.0142, 0.3202, 0.1258], &end)];
    for method in [accurate("dopri5"), accurate("dop853"), accurate("adams")] {
        let model = prepared(text, Coordinates::Natural);
        assert_values(&model, &method, &exact, 1e-7, method.integrator.name());
    }
}
