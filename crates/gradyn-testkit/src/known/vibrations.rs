//! Springs that are slow, fast and too fast for a step.

use super::{Known, n, oscillation};
use gradyn_num::{Scalar, Wide};

/// x after a time t of a mass on a spring of stiffness p.
fn place(r: &[Wide], t: f64) -> Vec<Wide> {
    vec![oscillation(r[0], [r[1], r[2]], n(t))[0]]
}

/// ∫ x² over a time t on a spring of stiffness p: (|x̂|² t + sin terms)/2.
fn square(r: &[Wide], t: f64) -> Wide {
    let w = r[0].sqrt();
    let [a, b] = [r[1], r[2] / w];
    let turn = w * (2.0 * t);
    let (s, c) = (turn.sin() / (w * 2.0), (n(1.0) - turn.cos()) / (w * 2.0));
    (a * a * (n(t) + s) + b * b * (n(t) - s)) * 0.5 + a * b * c
}

/// A spring by an expression, which has no energy of its own.
const SPRING: &str = r#"
            force.spring = { type = "force", at = "m.A", force = ["-p*m.A.x", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#;

pub(super) const ALL: &[Known] = &[
    Known {
        name: "a spring of 1000 rad/s",
        parameters: &[("p", 1e6), ("x0", 0.1), ("v0", 0.0)],
        on_rail: true,
        sections: SPRING,
        psi: |r| place(r, 1.0),
    },
    Known {
        name: "a spring of 250 rad/s",
        parameters: &[("p", 62500.0), ("x0", 0.1), ("v0", 0.0)],
        on_rail: true,
        sections: SPRING,
        psi: |r| place(r, 1.0),
    },
    Known {
        name: "a spring of 400 rad/s",
        parameters: &[("p", 160_000.0), ("x0", 0.1), ("v0", 0.0)],
        on_rail: true,
        sections: SPRING,
        psi: |r| place(r, 1.0),
    },
    Known {
        name: "a spring of 2 rad/s",
        parameters: &[("p", 4.0), ("x0", 0.1), ("v0", 0.0)],
        on_rail: true,
        sections: SPRING,
        psi: |r| place(r, 1.0),
    },
    Known {
        name: "a spring of 20 rad/s for 5 s",
        parameters: &[("p", 400.0), ("x0", 0.1), ("v0", 0.0)],
        on_rail: true,
        sections: r#"
            force.spring = { type = "spring-damper", between = ["ground.W", "m.A"], stiffness = "p", length = 2 }
            objective.psi = { terminal = "m.A.x" }
            objective.square = { integral = "m.A.x^2" }
            study = { t_end = 5 }"#,
        psi: |r| vec![place(r, 5.0)[0], square(r, 5.0)],
    },
    Known {
        name: "a spring with a damper",
        parameters: &[("p", 100.0), ("x0", 0.1), ("v0", 0.5), ("c", 2.0)],
        on_rail: true,
        sections: r#"
            force.spring = { type = "spring-damper", between = ["ground.W", "m.A"], stiffness = "p", damping = "c", length = 2 }
            objective.psi = { terminal = "m.A.x" }
            objective.speed = { terminal = "vel(m.A.x)" }
            study = { t_end = 1 }"#,
        psi: |r| {
            // x = e^{-ct/2} y, y on a spring of stiffness p - c²/4
            let half = r[3] * 0.5;
            let [y, dy] = oscillation(r[0] - half * half, [r[1], r[2] + half * r[1]], n(1.0));
            let decay = (-half).exp();
            vec![decay * y, decay * (dy - half * y)]
        },
    },
    Known {
        name: "a spring that is driven",
        parameters: &[("p", 50.0), ("x0", 0.1), ("v0", 0.0), ("f", 3.0), ("w", 5.0)],
        on_rail: true,
        sections: r#"
            force.spring = { type = "force", at = "m.A", force = ["-p*m.A.x + f*sin(w*t)", 0] }
            objective.psi = { terminal = "m.A.x" }
            objective.speed = { terminal = "vel(m.A.x)" }
            study = { t_end = 2 }"#,
        psi: |r| {
            let size = r[3] / (r[0] - r[4] * r[4]);
            let [y, dy] = oscillation(r[0], [r[1], r[2] - size * r[4]], n(2.0));
            let turn = r[4] * 2.0;
            vec![y + size * turn.sin(), dy + size * r[4] * turn.cos()]
        },
    },
    Known {
        name: "a fast vibration about a slow motion",
        parameters: &[("p", 1e8), ("x0", 0.11), ("v0", 0.0), ("r", 0.1)],
        on_rail: true,
        sections: r#"
            force.spring = { type = "force", at = "m.A", force = ["-p*(m.A.x - 0.1 - r*t)", 0] }
            objective.psi = { integral = "m.A.x^2" }
            study = { t_end = 1 }"#,
        psi: |r| {
            // x = c + y with c = 0.1 + r t: ∫ c² + 2 c y + y²
            let [a, v] = [r[1] - n(0.1), r[2] - r[3]];
            let [y, dy] = oscillation(r[0], [a, v], n(1.0));
            let slow = n(0.01) + r[3] * 0.1 + r[3] * r[3] * (1.0 / 3.0);
            // ∫ c y = (-c ẏ + r y)/p between the ends
            let mixed = (-(n(0.1) + r[3]) * dy + r[3] * y + v * 0.1 - r[3] * a) / r[0];
            vec![slow + mixed * 2.0 + square(&[r[0], a, v], 1.0)]
        },
    },
];
