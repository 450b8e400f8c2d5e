//! Balls that meet floors and lines, pendulums, and a linkage near its change point.

use super::{Known, integrated, n};
use gradyn_num::{Scalar, Wide};

/// Gravity [m/s²].
const G: f64 = 9.81;

/// (y, ∫ y dt) after 1.9 s of a ball that falls from h on a floor at c, with restitution e.
fn bounces(p: &[Wide]) -> Vec<Wide> {
    let [h, e, c] = [p[0], p[1], p[2]];
    let mut t = ((h - c) * (2.0 / G)).sqrt();
    let mut v = e * t * G;
    let mut area = h * t - t * t * t * (G / 6.0);
    loop {
        let flight = v * (2.0 / G);
        let rest = n(1.9) - t;
        let s = if rest.re < flight.re { rest } else { flight };
        area += c * s + v * s * s * 0.5 - s * s * s * (G / 6.0);
        if rest.re <= flight.re {
            return vec![c + v * rest - rest * rest * (0.5 * G), area];
        }
        t += flight;
        v = v * e;
    }
}

/// Angle and speed after a time of a uniform rod that turns about its end: θ̈ = -3 g cos θ/(2 L).
fn pendulum(p: &[Wide], t: f64) -> Vec<Wide> {
    let length = p[0];
    let [angle, speed] = integrated(|[θ, w]| [w, -θ.cos() * (1.5 * G) / length], [p[1], p[2]], t, 4000);
    vec![length * angle.cos(), speed]
}

/// Angle of the rocker of a parallelogram whose frame is longer than its coupler by e, after 0.5 s: cranks a
/// of 1 kg, a coupler d of 2 kg. Nothing acts, so that θ̇ = w √(J(θ₀)/J(θ)).
fn parallelogram(p: &[Wide]) -> Vec<Wide> {
    let [a, d, w, e] = [p[0], p[1], p[2], p[3]];
    // directions of coupler and rocker for a crank at θ; the end of the coupler is right of its way to the
    // frame
    let angles = |θ: Wide| {
        let [x, y] = [d + e - a * θ.cos(), -a * θ.sin()];
        let far2 = x * x + y * y;
        let far = far2.sqrt();
        let along = (far2 + d * d - a * a) / (far * 2.0);
        let across = -(d * d - along * along).sqrt();
        let [bx, by] = [(along * x - across * y) / far, (along * y + across * x) / far];
        [by.atan2(bx), (by - y).atan2(bx - x)]
    };
    // twice the kinetic energy for θ̇ = 1
    let inertia = |θ: Wide| {
        let [coupler, rocker] = angles(θ);
        let turn = a * (rocker - θ).sin() / (d * (coupler - rocker).sin());
        let follow = (θ - coupler).sin() / (rocker - coupler).sin();
        let middle = a * a + d * d * turn * turn * 0.25 + a * d * turn * (θ - coupler).cos();
        a * a * (n(1.0) + follow * follow) * (1.0 / 3.0) + (middle + d * d * turn * turn * (1.0 / 12.0)) * 2.0
    };
    let start = n(-0.7);
    let whole = inertia(start);
    let [end] = integrated(|[θ]| [w * (whole / inertia(θ)).sqrt()], [start], 0.5, 20_000);
    vec![angles(end)[1]]
}

/// A rod that swings for some time, as the sections of a file.
const PENDULUM: &str = r#"
            gravity = [0, -9.81]
            ground.points = { O = [0, 0] }
            body.bar.rod = { points = ["A", "B"], length = "L", mass = 2 }
            joint.pin = { type = "revolute", between = ["ground.O", "bar.A"] }
            initial.position = { "bar.angle" = "q0" }
            initial.velocity = { "bar.angle" = "w0" }
            objective = { tip = { terminal = "bar.B.x" }, speed = { terminal = "bar.omega" } }
            study = { t_end = 3 }"#;

pub(super) const ALL: &[Known] = &[
    Known {
        name: "a bouncing ball",
        parameters: &[("h", 1.0), ("e", 0.8), ("c", 0.1)],
        on_rail: false,
        sections: r#"
            gravity = [0, -9.81]
            body.ball = { mass = 0.5, inertia = 0.01, points = { P = [0, 0] } }
            event.floor = { when = "ball.P.y - c", impact = "e" }
            objective = { y = { terminal = "ball.P.y" }, area = { integral = "ball.P.y" } }
            study = { t_end = 1.9 }
            [initial]
            position = { "ball.P" = [0, "h"], "ball.angle" = 0 }
            velocity = { "ball.P" = [0.3, 0], "ball.angle" = 0 }"#,
        psi: bounces,
    },
    Known {
        name: "a throw that an event ends",
        parameters: &[("h", 1.0), ("v", 2.0), ("c", 0.1)],
        on_rail: false,
        sections: r#"
            gravity = [0, -9.81]
            body.ball = { mass = 0.5, inertia = 0.01, points = { P = [0, 0] } }
            event.floor = { when = "ball.P.y - c", direction = "falling", end = true }
            event.never = { when = "ball.P.y - 100", end = true }
            objective = { t = { terminal = "t" }, x = { terminal = "ball.P.x" }, y = { integral = "ball.P.y" } }
            study = { t_end = 10 }
            [initial]
            position = { "ball.P" = [0, "h"], "ball.angle" = 0 }
            velocity = { "ball.P" = ["v", "v"], "ball.angle" = 0 }"#,
        psi: |p| {
            let t = (p[1] + (p[1] * p[1] + (p[0] - p[2]) * (2.0 * G)).sqrt()) * (1.0 / G);
            vec![t, p[1] * t, p[0] * t + p[1] * t * t * 0.5 - t * t * t * (G / 6.0)]
        },
    },
    Known {
        name: "velocities that a line resets",
        parameters: &[("v", 2.0), ("k", 0.5), ("c", 1.0)],
        on_rail: false,
        sections: r#"
            body.ball = { mass = 0.5, inertia = 0.01, points = { P = [0, 0] } }
            objective = { x = { terminal = "ball.P.x" }, y = { terminal = "ball.P.y" }, a = { terminal = "ball.angle" } }
            study = { t_end = 2 }
            [event.line]
            when = "ball.P.x - c"
            reset = { "ball.P.x" = "k*vel(ball.P.x)", "vel(ball.P.y)" = "k^2", "ball.angle" = "vel(ball.P.x)" }
            [initial]
            position = { "ball.P" = [0, 0], "ball.angle" = 0 }
            velocity = { "ball.P" = ["v", 0], "ball.angle" = 0 }"#,
        psi: |p| {
            let rest = n(2.0) - p[2] / p[0];
            vec![p[2] + p[1] * p[0] * rest, p[1] * p[1] * rest, p[0] * rest]
        },
    },
    Known {
        name: "a pendulum",
        parameters: &[("L", 1.0), ("q0", -0.5), ("w0", 0.0)],
        on_rail: false,
        sections: PENDULUM,
        psi: |p| pendulum(p, 3.0),
    },
    Known {
        name: "a parallelogram that is 1e-4 m from its change point",
        parameters: &[("a", 0.5), ("d", 1.2), ("w", 3.0), ("e", 1e-4)],
        on_rail: false,
        sections: r#"
            ground.points = { O = [0, 0], C = ["d + e", 0] }
            body.crank.rod = { points = ["O", "A"], length = "a", mass = 1 }
            body.coupler.rod = { points = ["A", "B"], length = "d", mass = 2 }
            body.rocker.rod = { points = ["C", "B"], length = "a", mass = 1 }
            joint.O = { type = "revolute", between = ["ground.O", "crank.O"] }
            joint.A = { type = "revolute", between = ["crank.A", "coupler.A"] }
            joint.B = { type = "revolute", between = ["coupler.B", "rocker.B"] }
            joint.C = { type = "revolute", between = ["ground.C", "rocker.C"] }
            initial.position = { "crank.angle" = -0.7 }
            initial.velocity = { "crank.angle" = "w" }
            initial.near = { "coupler.B" = [1.5824, -0.3221] }
            objective.turn = { terminal = "rocker.angle" }
            study = { t_end = 0.5 }"#,
        psi: parallelogram,
    },
    Known {
        name: "a double pendulum for 20 s",
        parameters: &[("L", 1.0), ("q0", 3.0)],
        on_rail: false,
        sections: r#"
            gravity = [0, -9.81]
            ground.points = { O = [0, 0] }
            body.one.rod = { points = ["A", "B"], length = "L", mass = 1 }
            body.two.rod = { points = ["B", "C"], length = 0.8, mass = 0.5 }
            joint.pin = { type = "revolute", between = ["ground.O", "one.A"] }
            joint.elbow = { type = "revolute", between = ["one.B", "two.B"] }
            initial.position = { "one.angle" = "q0 - pi/2", "two.angle" = "q0 - pi/2" }
            objective.tip = { terminal = "two.C.x" }
            study = { t_end = 20 }"#,
        // no number is right for changes of the design that matter
        psi: |_| vec![],
    },
];
