//! Forces that change fast in time, and objectives that ask for what happens between nodes.

use super::{Known, n};
use gradyn_num::{Scalar, Wide};
use std::f64::consts::PI;

/// ∫ |x - p| dt of a mass that coasts for 1 s.
fn kink(r: &[Wide]) -> Vec<Wide> {
    let before = r[0] - r[1];
    let after = r[2] - before;
    vec![(before * before + after * after) / (r[2] * 2.0)]
}

/// The smooth maximum of a parabola of curvature g, whose vertex is far from the ends, for a time of 10 ms.
fn peak(r: &[Wide], sharpness: f64) -> Vec<Wide> {
    let level = (n(2.0 * PI / sharpness) / r[2]).sqrt() * 100.0;
    vec![r[0] + r[1] * r[1] / (r[2] * 2.0) + level.ln() * (1.0 / sharpness)]
}

pub(super) const ALL: &[Known] = &[
    Known {
        name: "tanh of a microsecond",
        parameters: &[("p", 0.503), ("x0", 0.0), ("v0", 0.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["10*tanh(1e6*(t - p))", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| {
            let rest = n(1.0) - r[0];
            vec![r[1] + r[2] + (rest * rest * 2.0 - n(1.0)) * 5.0]
        },
    },
    Known {
        name: "smoothstep of a microsecond",
        parameters: &[("p", 0.503), ("x0", 0.0), ("v0", 0.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["10*smoothstep(1e6*(t - p))", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| {
            let rest = n(1.0 - 0.5e-6) - r[0];
            vec![r[1] + r[2] + rest * rest * 5.0]
        },
    },
    Known {
        name: "a blow of 0.1 ms",
        parameters: &[("p", 1e4), ("x0", 0.0), ("v0", 0.1), ("c", 0.5035)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["p*exp(-((t - c)/1e-4)^2)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| vec![r[1] + r[2] + r[0] * (n(1.0) - r[3]) * (1e-4 * PI.sqrt())],
    },
    Known {
        name: "a force of 100 Hz",
        parameters: &[("p", 10.0), ("x0", 0.0), ("v0", 0.1), ("w", 200.0 * PI)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["p*cos(w*t)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| vec![r[1] + r[2] + r[0] * (n(1.0) - r[3].cos()) / (r[3] * r[3])],
    },
    Known {
        name: "a force that is switched at 20 Hz",
        parameters: &[("p", 10.0), ("x0", 0.0), ("v0", 0.1), ("w", 128.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["p*sign(sin(w*t))", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| {
            // each period of 2π/w moves by p (π/w)²; the last one is in its first half
            let period = n(2.0 * PI) / r[3];
            let count = (1.0 / period.re).floor();
            let rest = n(1.0) - period * count;
            vec![r[1] + r[2] + r[0] * (period * period * (0.25 * count) + rest * rest * 0.5)]
        },
    },
    Known {
        name: "a kink of norm in an integrand",
        parameters: &[("p", 0.453), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            objective.psi = { integral = "norm(m.A - [p, 0])" }
            study = { t_end = 1 }"#,
        psi: kink,
    },
    Known {
        name: "a kink of distance in an integrand",
        parameters: &[("p", 0.453), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            points.K = ["p", 0]
            objective.psi = { integral = "distance(m.A, K)" }
            study = { t_end = 1 }"#,
        psi: kink,
    },
    Known {
        name: "a kink of sqrt in an integrand",
        parameters: &[("p", 0.453), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            objective.psi = { integral = "sqrt((m.A.x - p)^2)" }
            study = { t_end = 1 }"#,
        psi: kink,
    },
    Known {
        name: "a smooth maximum sharper than a step",
        parameters: &[("x0", 0.1), ("v0", 4.07), ("g", 10.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-g", 0] }
            objective.psi = { maximum = "m.A.x", sharpness = 1e6, duration = "10 ms", near = 0.928 }
            study = { t_end = 1 }"#,
        psi: |r| peak(r, 1e6),
    },
    Known {
        name: "a smooth maximum",
        parameters: &[("x0", 0.1), ("v0", 4.07), ("g", 10.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-g", 0] }
            objective.psi = { maximum = "m.A.x", sharpness = 200, duration = "10 ms", near = 0.928 }
            study = { t_end = 1 }"#,
        psi: |r| peak(r, 200.0),
    },
];
