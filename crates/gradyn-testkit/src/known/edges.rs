//! Laws that jump or kink, in time and along the motion: time, state, forces, objectives, friction.

use super::{Known, n, oscillation};
use gradyn_num::Scalar;
use std::f64::consts::FRAC_PI_2;

pub(super) const ALL: &[Known] = &[
    Known {
        name: "a force that begins at a time",
        parameters: &[("x0", 0.1), ("v0", 0.2), ("f", 3.0), ("t1", 0.4)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["if(t > t1, f, 0)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| vec![p[0] + p[1] + p[2] * (n(1.0) - p[3]).powi(2) * 0.5],
    },
    Known {
        name: "a ramp that begins at a time",
        parameters: &[("x0", 0.1), ("v0", 0.2), ("f", 3.0), ("t1", 0.4)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["f*max(t - t1, 0)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| vec![p[0] + p[1] + p[2] * (n(1.0) - p[3]).powi(3) * (1.0 / 6.0)],
    },
    Known {
        name: "a pulse between two times",
        parameters: &[("x0", 0.1), ("v0", 0.2), ("f", 3.0), ("t1", 0.2), ("w", 0.3)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["f*(t > t1)*(t < t1 + w)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| vec![p[0] + p[1] + p[2] * p[4] * (n(1.0) - p[3] - p[4] * 0.5)],
    },
    Known {
        name: "a force that changes at a place",
        parameters: &[("x0", 0.0), ("v0", 1.0), ("f", 2.0), ("c", 0.5)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["if(m.A.x > c, -f, f)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| {
            let d = p[3] - p[0];
            let v = (p[1] * p[1] + p[2] * d * 2.0).sqrt();
            let rest = n(1.0) - (v - p[1]) / p[2];
            vec![p[3] + v * rest - p[2] * rest * rest * 0.5]
        },
    },
    Known {
        name: "dry friction by the sign of the speed",
        parameters: &[("x0", 0.0), ("v0", 2.0), ("g", 5.0), ("mu", 1.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-g - mu*sign(vel(m.A.x))", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| {
            let up = p[1] / (p[2] + p[3]);
            vec![p[0] + p[1] * up * 0.5 - (p[2] - p[3]) * (n(1.0) - up).powi(2) * 0.5]
        },
    },
    Known {
        name: "a spring with a corner",
        parameters: &[("x0", 0.4), ("v0", 0.0), ("k", 9.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-k*max(m.A.x, 0) - 4*k*min(m.A.x, 0)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| {
            // x0 and v0 give amplitude and phase; one passage through zero
            let w = p[2].sqrt();
            let amplitude = (p[0] * p[0] + (p[1] / w).powi(2)).sqrt();
            let t = (n(FRAC_PI_2) + (p[1] / w).atan2(p[0])) / w;
            vec![-amplitude * (w * (n(1.0) - t) * 2.0).sin() * 0.5]
        },
    },
    Known {
        name: "the modulus of a place",
        parameters: &[("x0", -0.3), ("v0", 1.0), ("k", 4.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-k*abs(m.A.x)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| {
            // x'' = k x up to zero, which is passed with speed v at t; then x'' = -k x
            let w = p[2].sqrt();
            let v = (p[1] * p[1] - p[2] * p[0] * p[0]).sqrt();
            let ratio = -p[0] * w / p[1];
            let t = ((n(1.0) + ratio) / (n(1.0) - ratio)).ln() * 0.5 / w;
            vec![oscillation(p[2], [n(0.0), v], n(1.0) - t)[0]]
        },
    },
    Known {
        name: "time spent beyond a place",
        parameters: &[("x0", 0.1), ("v0", 0.8), ("c", 0.5)],
        on_rail: true,
        sections: r#"
            objective.psi = { integral = "if(m.A.x > c, 1, 0)" }
            study = { t_end = 1 }"#,
        psi: |p| vec![n(1.0) - (p[2] - p[0]) / p[1]],
    },
    Known {
        name: "length of the path",
        parameters: &[("x0", 0.0), ("v0", 2.0), ("g", 5.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-g", 0] }
            objective.psi = { integral = "abs(vel(m.A.x))" }
            study = { t_end = 1 }"#,
        psi: |p| {
            let up = p[1] / p[2];
            vec![p[1] * up * 0.5 + p[2] * (n(1.0) - up).powi(2) * 0.5]
        },
    },
    Known {
        name: "pieces that join",
        parameters: &[("x0", 0.0), ("v0", 1.5), ("k", 4.0), ("c", 0.5)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-join(m.A.x, c, 0, k*(m.A.x - c))", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| {
            let w = p[2].sqrt();
            vec![p[3] + p[1] / w * (w * (n(1.0) - (p[3] - p[0]) / p[1])).sin()]
        },
    },
    Known {
        name: "a place that moves",
        parameters: &[("x0", 0.0), ("v0", 1.0), ("f", 2.0), ("u", 0.5), ("c", 0.3)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["if(m.A.x > c + u*t, -f, 0)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| {
            let t = (p[4] - p[0]) / (p[1] - p[3]);
            vec![p[0] + p[1] - p[2] * (n(1.0) - t).powi(2) * 0.5]
        },
    },
];
