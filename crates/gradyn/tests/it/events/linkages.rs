//! Linkages that hit a stop, against computations in minimal coordinates that share nothing with Gradyn.

use super::{accurate, assert_values, differences, prepared};
use gradyn::{Coordinates, Method};

/// The motion y' = f(y) from y at 0 to `end`, by steps of fourth order; where `gap` falls through zero the
/// step to it ends there and `hit` changes y.
pub(super) fn motion<const N: usize>(
    mut y: [f64; N],
    end: f64,
    f: &dyn Fn(&[f64; N]) -> [f64; N],
    gap: &dyn Fn(&[f64; N]) -> f64,
    hit: &dyn Fn(&mut [f64; N]),
) -> [f64; N] {
    const STEP: f64 = 1e-4;
    let along = |y: &[f64; N], k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let step = |y: &[f64; N], h: f64| -> [f64; N] {
        let a = f(y);
        let b = f(&along(y, &a, 0.5 * h));
        let c = f(&along(y, &b, 0.5 * h));
        let d = f(&along(y, &c, h));
        std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
    };
    let mut t = 0.0;
    while end - t > 1e-15 {
        let h = STEP.min(end - t);
        let next = step(&y, h);
        if !(gap(&y) > 0.0 && gap(&next) <= 0.0) {
            y = next;
            t += h;
            continue;
        }
        // the step to the stop, by secants
        let (mut a, mut b) = (0.0, h);
        for _ in 0..60 {
            let (ga, gb) = (gap(&step(&y, a)), gap(&step(&y, b)));
            if ga == gb {
                break;
            }
            (a, b) = (b, b - gb * (b - a) / (gb - ga));
        }
        y = step(&y, b);
        t += b;
        hit(&mut y);
    }
    y
}

/// Two rods hit a wall with their tip.
#[test]
fn a_double_pendulum_hits_a_wall() {
    let text = r#"
        name = "double pendulum"
        gravity = [0, -9.81]
        parameters = { L1 = 0.7, L2 = 0.5, m2 = 1.5, e = 0.6, w = 0.1 }
        ground.points = { O = [0, 0] }
        body.one.rod = { points = ["A", "B"], length = "L1", mass = 2 }
        body.two.rod = { points = ["B", "C"], length = "L2", mass = "m2" }
        joint.pin = { type = "revolute", between = ["ground.O", "one.A"] }
        joint.elbow = { type = "revolute", between = ["one.B", "two.B"] }
        initial.position = { "one.angle" = -0.6, "two.angle" = -0.4 }
        event.wall = { when = "two.C.x - w", impact = "e" }
        objective = { a = { terminal = "one.angle" }, b = { terminal = "two.angle" } }
        study = { t_end = 0.8 }
    "#;
    // M and the forces of the angles
    let angles = |rho: &[f64]| {
        let [l1, l2, m2, e, w] = [rho[0], rho[1], rho[2], rho[3], rho[4]];
        let [a, b, d] = [2.0 * l1 * l1 / 3.0 + m2 * l1 * l1, 0.5 * m2 * l1 * l2, m2 * l2 * l2 / 3.0];
        let solve = move |y: &[f64; 4], r: [f64; 2]| {
            let c = b * (y[0] - y[1]).cos();
            let det = a * d - c * c;
            [(d * r[0] - c * r[1]) / det, (a * r[1] - c * r[0]) / det]
        };
        let f = move |y: &[f64; 4]| {
            let s = b * (y[0] - y[1]).sin();
            let weight = [-9.81 * (l1 + m2 * l1) * y[0].cos(), -9.81 * 0.5 * m2 * l2 * y[1].cos()];
            let [p, q] = solve(y, [weight[0] - s * y[3] * y[3], weight[1] + s * y[2] * y[2]]);
            [y[2], y[3], p, q]
        };
        let gap = move |y: &[f64; 4]| l1 * y[0].cos() + l2 * y[1].cos() - w;
        let hit = move |y: &mut [f64; 4]| {
            let n = [-l1 * y[0].sin(), -l2 * y[1].sin()];
            let back = solve(y, n);
            let rate = n[0] * y[2] + n[1] * y[3];
            let nu = (1.0 + e) * rate / (n[0] * back[0] + n[1] * back[1]);
            y[2] -= nu * back[0];
            y[3] -= nu * back[1];
        };
        motion([-0.6, -0.4, 0.0, 0.0], 0.8, &f, &gap, &hit)
    };
    let rho = [0.7, 0.5, 1.5, 0.6, 0.1];
    let exact = [0, 1].map(|k| differences(&rho, &|rho| angles(rho)[k]));
    for family in Coordinates::ALL {
        assert_values(&prepared(text, family), &accurate("dop853"), &exact, 1e-8, family.name());
    }
    let newmark = Method::new("ali3p", "newmark").expect("registered").step(2e-4);
    assert_values(&prepared(text, Coordinates::Natural), &newmark, &exact, 1e-3, "newmark");
}

/// A slider–crank whose slider hits a stop: the loop carries the impulse.
#[test]
fn a_slider_crank_hits_a_stop() {
    let text = r#"
        name = "slider–crank"
        parameters = { r = 0.3, l = 0.8, m3 = 1.2, e = 0.7, stop = 0.6 }
        ground.points = { O = [0, 0] }
        body.crank.rod = { points = ["A", "B"], length = "r", mass = 2 }
        body.rod.rod = { points = ["B", "C"], length = "l", mass = 1 }
        body.slider = { mass = "m3", inertia = 1, points = { C = [0, 0] } }
        joint.pin = { type = "revolute", between = ["ground.O", "crank.A"] }
        joint.big = { type = "revolute", between = ["crank.B", "rod.B"] }
        joint.small = { type = "revolute", between = ["rod.C", "slider.C"] }
        joint.guide = { type = "prismatic", between = ["ground.O", "slider.C"] }
        force.motor = { type = "torque", on = "crank", torque = 3 }
        initial.position = { "crank.angle" = 0.4 }
        initial.near = { "rod.C" = [1, 0] }
        event.stop = { when = "slider.C.x - stop", impact = "e" }
        objective = { a = { terminal = "crank.angle" }, v = { terminal = "vel(crank.angle)" } }
        study = { t_end = 0.7 }
    "#;
    let crank = |rho: &[f64]| {
        let [r, l, m3, e, stop] = [rho[0], rho[1], rho[2], rho[3], rho[4]];
        let place = move |θ: f64| r * θ.cos() + (l * l - (r * θ.sin()).powi(2)).sqrt();
        // reduced inertia: every velocity over that of the crank
        let inertia = move |θ: f64| {
            let φ = (-r * θ.sin() / l).asin();
            let turn = -r * θ.cos() / (l * φ.cos());
            let x = -r * θ.sin() - l * φ.sin() * turn;
            let g = [-r * θ.sin() - 0.5 * l * φ.sin() * turn, r * θ.cos() + 0.5 * l * φ.cos() * turn];
            2.0 * r * r / 3.0 + g[0] * g[0] + g[1] * g[1] + l * l / 12.0 * turn * turn + m3 * x * x
        };
        let slope = move |θ: f64| {
            let d = |h: f64| (inertia(θ + h) - inertia(θ - h)) / (2.0 * h);
            let [a, b, c] = [4e-3, 2e-3, 1e-3].map(d);
            let [ab, bc] = [(4.0 * b - a) / 3.0, (4.0 * c - b) / 3.0];
            (16.0 * bc - ab) / 15.0
        };
        let f = move |y: &[f64; 2]| [y[1], (3.0 - 0.5 * slope(y[0]) * y[1] * y[1]) / inertia(y[0])];
        motion([0.4, 0.0], 0.7, &f, &|y| place(y[0]) - stop, &|y| y[1] *= -e)
    };
    let rho = [0.3, 0.8, 1.2, 0.7, 0.6];
    let exact = [0, 1].map(|k| differences(&rho, &|rho| crank(rho)[k]));
    for family in Coordinates::ALL {
        assert_values(&prepared(text, family), &accurate("dopri5"), &exact, 1e-8, family.name());
    }
}
