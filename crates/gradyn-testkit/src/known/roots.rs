//! Laws of contact whose force begins like a power of the depth that is no integer.

use super::{Known, n};
use gradyn_num::{Scalar, Wide};

/// √π Γ(7/5)/Γ(9/10), the time that a law of Hertz needs for its greatest depth, at a steady speed.
const HERTZ: f64 = 1.471637592162353;

/// How long a mass of 1 kg that arrives with speed v is in contact by the law f = -k δ^1.5.
fn contact(k: Wide, v: Wide) -> Wide {
    let depth = (v * v * 1.25 / k).powf(n(0.4));
    depth / v * (2.0 * HERTZ)
}

pub(super) const ALL: &[Known] = &[
    Known {
        name: "a law of Hertz",
        parameters: &[("x0", -0.1), ("v0", 1.0), ("k", 1e3)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-k*max(m.A.x, 0)^1.5", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| vec![p[1] * (p[0] / -p[1] + contact(p[2], p[1]) - n(1.0))],
    },
    Known {
        name: "a law of Hertz by cases",
        parameters: &[("x0", -0.1), ("v0", 1.0), ("k", 1e3)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["if(m.A.x > 0, -k*m.A.x^1.5, 0)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| vec![p[1] * (p[0] / -p[1] + contact(p[2], p[1]) - n(1.0))],
    },
    Known {
        name: "a gap between two laws of Hertz",
        parameters: &[("x0", 0.0), ("v0", 1.0), ("k", 4e3), ("g", 0.1)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = [
                "-(k*max(m.A.x - g, 0))^1.5/sqrt(k) + k*max(-g - m.A.x, 0)^1.5", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| {
            // three contacts, the first after g - x0, the others after 2 g
            let left = (p[3] * 5.0 - p[0]) / p[1] + contact(p[2], p[1]) * 3.0;
            vec![p[3] - p[1] * (n(1.0) - left)]
        },
    },
    Known {
        name: "a law of Hertz at a place",
        parameters: &[("x0", -0.1), ("v0", 1.0), ("k", 1e3), ("g", 0.05)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["if(m.A.x - g > 0, -k*(m.A.x - g)^1.5, 0)", 0] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| vec![p[3] + p[1] * ((p[3] - p[0]) / p[1] + contact(p[2], p[1]) - n(1.0))],
    },
    Known {
        name: "a law of Hertz where an event happens",
        parameters: &[("x0", -0.1), ("v0", 1.0), ("k", 1e3), ("c", 2.0)],
        on_rail: true,
        sections: r#"
            force.push = { type = "force", at = "m.A", force = ["-k*max(m.A.x, 0)^1.5", 0] }
            force.drive = { type = "force", at = "m.A", force = ["c", 0] }
            event.touch = { when = "m.A.x", direction = "rising", off = ["drive"] }
            objective.psi = { terminal = "m.A.x" }
            study = { t_end = 1 }"#,
        psi: |p| {
            let v = (p[1] * p[1] - p[3] * p[0] * 2.0).sqrt();
            let before = (v - p[1]) / p[3];
            vec![v * (before + contact(p[2], v) - n(1.0))]
        },
    },
];
