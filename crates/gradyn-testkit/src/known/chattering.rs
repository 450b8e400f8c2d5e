//! Friction that comes to rest, forces that flip, stops and contacts: laws that are steep along the motion.

use super::{Known, n, oscillation};
use gradyn_num::{Scalar, Wide};
use std::f64::consts::PI;

/// Where a mass of 1 kg comes to rest under a constant brake.
fn rest(x0: Wide, v0: Wide, brake: Wide) -> Wide {
    x0 + v0 * v0 / (brake * 2.0)
}

pub(super) const ALL: &[Known] = &[
    Known {
        name: "friction by v/norm(v) that comes to rest",
        parameters: &[("p", 2.0), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-p*vel(m.A.x)/norm(vel(m.A))", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| vec![rest(r[1], r[2], r[0])],
    },
    Known {
        name: "a force along x/norm(x) that flips",
        parameters: &[("p", 3.0), ("x0", 0.1), ("v0", 0.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-p*m.A.x/norm(m.A)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| {
            // x = 0 at t with speed u, then parabolas to both sides
            let u = (r[2] * r[2] + r[0] * r[1] * 2.0).sqrt();
            let t = (r[2] + u) / r[0];
            let half = u * 2.0 / r[0];
            let count = ((1.0 - t.re) / half.re).floor();
            let s = n(1.0) - t - half * count;
            let size = u * s - r[0] * s * s * 0.5;
            vec![size * if count % 2.0 == 0.0 { -1.0 } else { 1.0 }]
        },
    },
    Known {
        name: "friction of 1e-6 m/s",
        parameters: &[("p", 2.0), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            force.brake = { type = "friction", joint = "guide", limit = "p", speed = 1e-6 }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| vec![rest(r[1], r[2], r[0])],
    },
    Known {
        name: "strong friction of 0.01 m/s",
        parameters: &[("p", 200.0), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            force.brake = { type = "friction", joint = "guide", limit = "p", speed = 0.01 }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        // ∫ v dv/(p tanh(v/e)) = v²/2p + π²e²/12p
        psi: |r| vec![rest(r[1], r[2], r[0]) + n(PI * PI * 1e-4 / 12.0) / r[0]],
    },
    Known {
        name: "a stop of width 1e-9",
        parameters: &[("p", 0.5), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-1e4*splus(m.A.x - p, 1e-9)", 0] }
            objective.psi = { terminal = "vel(m.A.x)" }
            study = { t_end = 1 }"#,
        psi: |r| vec![-r[2]],
    },
    Known {
        name: "a contact of 10 ms",
        parameters: &[("p", 1e5), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            force.stop = { type = "force", at = "m.A", force = ["-p*splus(m.A.x - 0.5, 1e-3)", 0] }
            objective.psi = { terminal = "vel(m.A.x)" }
            study = { t_end = 1 }"#,
        psi: |r| vec![-r[2]],
    },
    Known {
        name: "a hard bump stop",
        parameters: &[("p", 1e7), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            force.stop = { type = "bump-stop", between = ["ground.W", "m.A"], length = 2.503, side = "above", stiffness = "p", width = 1e-4 }
            objective.psi = { terminal = "vel(m.A.x)" }
            study = { t_end = 1 }"#,
        psi: |r| vec![-r[2]],
    },
    Known {
        name: "an elastic floor by max",
        parameters: &[("p", 400.0), ("x0", 0.0), ("v0", 1.0), ("c", 0.5)],
        on_rail: true,
        sections: r#"
            force.stop = { type = "force", at = "m.A", force = ["-p*max(m.A.x - c, 0)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| {
            let t = (r[3] - r[1]) / r[2] + n(PI) / r[0].sqrt();
            vec![r[3] - r[2] * (n(1.0) - t)]
        },
    },
    Known {
        name: "a dead zone",
        parameters: &[("p", 400.0), ("x0", 0.1), ("v0", 0.0), ("d", 0.05)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-p*(max(m.A.x - d, 0) + min(m.A.x + d, 0))", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| {
            // the zone is left with speed u at t, then coasts and half sines take turns
            let [w, a] = [r[0].sqrt(), r[1] - r[3]];
            let size = (a * a + r[2] * r[2] / r[0]).sqrt();
            let t = (n(PI / 2.0) + (r[2] / (w * a)).atan()) / w;
            let u = w * size;
            let coast = r[3] * 2.0 / u;
            let turn = coast + n(PI) / w;
            let count = ((1.0 - t.re) / turn.re).floor();
            let s = n(1.0) - t - turn * count;
            let x = if s.re < coast.re { r[3] - u * s } else { -r[3] - size * (w * (s - coast)).sin() };
            vec![x * if count % 2.0 == 0.0 { 1.0 } else { -1.0 }]
        },
    },
    Known {
        name: "an actuator that is clipped",
        parameters: &[("p", 10.0), ("x0", 0.0), ("v0", 0.0), ("f", 3.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["min(max(-p*(m.A.x - 1), -f), f)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 0.9 }"#,
        psi: |r| {
            // constant force up to x - 1 = -f/p, then a spring
            let far = n(1.0) - r[3] / r[0] - r[1];
            let u = (r[2] * r[2] + r[3] * far * 2.0).sqrt();
            let t = (u - r[2]) / r[3];
            vec![n(1.0) + oscillation(r[0], [-r[3] / r[0], u], n(0.9) - t)[0]]
        },
    },
    Known {
        name: "a damper in one direction",
        parameters: &[("p", 1e4), ("x0", 0.0), ("v0", 2.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-5 - p*min(vel(m.A.x), 0)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |r| {
            let s = n(1.0) - r[2] * 0.2;
            vec![rest(r[1], r[2], n(5.0)) - (s - (n(1.0) - (-r[0] * s).exp()) / r[0]) * 5.0 / r[0]]
        },
    },
    Known {
        name: "a wall that is thinner than a step",
        parameters: &[("p", 1e3), ("x0", 0.0), ("v0", 1.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-p*(m.A.x > 0.503)*(m.A.x < 0.5031)", 0] }
            objective.psi = { terminal = "vel(m.A.x)" }
            study = { t_end = 1 }"#,
        psi: |r| vec![(r[2] * r[2] - r[0] * 2e-4).sqrt()],
    },
];
