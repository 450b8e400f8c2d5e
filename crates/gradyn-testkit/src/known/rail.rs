//! Smooth laws on a rail.

use super::{Known, n};
use gradyn_num::Scalar;

pub(super) const ALL: &[Known] = &[
    Known {
        name: "drag that grows with the square of the speed",
        parameters: &[("x0", 0.0), ("v0", 2.0), ("c", 0.8)],
        on_rail: true,
        sections: r#"
            force.drag = { type = "force", at = "m.A", force = ["-c*vel(m.A.x)^2", 0] }
            objective.psi = { terminal = "m.A.x" }
            objective.speed = { terminal = "vel(m.A.x)" }
            study = { t_end = 2 }"#,
        psi: |p| {
            let slower = n(1.0) + p[2] * p[1] * 2.0;
            vec![p[0] + slower.ln() / p[2], p[1] / slower]
        },
    },
    Known {
        name: "a fall with drag",
        parameters: &[("x0", 0.0), ("v0", 0.0), ("g", 9.81), ("c", 0.3)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["g - c*vel(m.A.x)^2", 0] }
            objective.psi = { terminal = "m.A.x" }
            objective.work = { integral = "c*vel(m.A.x)^3" }
            study = { t_end = 2 }"#,
        psi: |p| {
            // v = V tanh(s t + b), V = √(g/c), s = √(g c)
            let [top, s] = [(p[2] / p[3]).sqrt(), (p[2] * p[3]).sqrt()];
            let start = ((top + p[1]) / (top - p[1])).ln() * 0.5;
            let end = start + s * 2.0;
            let fall = (end.cosh() / start.cosh()).ln() / p[3];
            let v = top * end.tanh();
            vec![p[0] + fall, p[2] * fall - (v * v - p[1] * p[1]) * 0.5]
        },
    },
    Known {
        name: "a run whose end is a parameter",
        parameters: &[("x0", 1.0), ("v0", 0.3), ("c", 1.5), ("T", 0.8)],
        on_rail: true,
        sections: r#"
            force.drag = { type = "force", at = "m.A", force = ["-c*vel(m.A.x)", 0] }
            objective.psi = { terminal = "m.A.x" }
            objective.way = { integral = "m.A.x" }
            study = { t_end = "T" }"#,
        psi: |p| {
            // x = x0 + v0 (1 - e^{-c t})/c
            let gone = (n(1.0) - (-p[2] * p[3]).exp()) / p[2];
            vec![p[0] + p[1] * gone, p[0] * p[3] + p[1] / p[2] * (p[3] - gone)]
        },
    },
];
