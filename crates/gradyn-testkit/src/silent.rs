//! Small models whose runs or gradients are not to be trusted: each must end in a right number, a warning by
//! name, or a refusal.

/// A model that may be wrong in silence.
pub struct Silent {
    /// What is wrong with it.
    pub name: &'static str,
    /// Parameters of the file.
    pub parameters: &'static str,
    /// Elements of the file beside the mass on a rail, and what is asked of it.
    pub elements: &'static str,
    /// Formulation and integrator.
    pub method: [&'static str; 2],
    /// Fixed step [s]; adaptive steps where there is none.
    pub step: Option<f64>,
    /// Final time [s].
    pub end: f64,
    /// ψ and dψ/dp, where steps may be right.
    pub truth: Option<[f64; 2]>,
}

impl Silent {
    /// The model file.
    pub fn text(&self) -> String {
        let Self { parameters, elements, end, .. } = self;
        format!(
            r#"
            name = "silent"
            parameters = {{ {parameters} }}
            ground.points = {{ O = [0, 0], W = [-2, 0] }}
            body.m = {{ points = {{ A = [0, 0] }}, mass = 1, inertia = 1 }}
            joint.guide = {{ type = "prismatic", between = ["ground.O", "m.A"] }}
            initial.position = {{ "m.A.x" = "x0" }}
            initial.velocity = {{ "m.A.x" = "v0" }}
            study = {{ t_end = {end} }}
            {elements}
            "#
        )
    }
}

/// Those of a mass on a rail.
pub const SILENT: &[Silent] = &[
    Silent {
        name: "friction by v/norm(v) that comes to rest",
        parameters: "p = 2, x0 = 0, v0 = 1",
        elements: r#"force.push = { type = "force", at = "m.A", force = ["-p*vel(m.A.x)/norm(vel(m.A))", 0] }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index1", "rk4"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "force along x/norm(x) that flips",
        parameters: "p = 3, x0 = 0.1, v0 = 0",
        elements: r#"force.push = { type = "force", at = "m.A", force = ["-p*m.A.x/norm(m.A)", 0] }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index1", "rk4"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "tanh steeper than the step",
        parameters: "p = 0.503, x0 = 0, v0 = 0",
        elements: r#"force.push = { type = "force", at = "m.A", force = ["10*tanh(1e6*(t - p))", 0] }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index3", "newmark"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "smoothstep steeper than the step",
        parameters: "p = 0.503, x0 = 0, v0 = 0",
        elements: r#"force.push = { type = "force", at = "m.A", force = ["10*smoothstep(1e6*(t - p))", 0] }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index3", "newmark"],
        step: Some(0.01),
        end: 1.0,
        truth: Some([5.0 * 0.496_999_5 * 0.496_999_5, -4.969_995]),
    },
    Silent {
        name: "splus narrower than the step",
        parameters: "p = 0.5, x0 = 0, v0 = 1",
        elements: r#"force.push = { type = "force", at = "m.A", force = ["-1e4*splus(m.A.x - p, 1e-9)", 0] }
            objective.psi = { terminal = "vel(m.A.x)" }"#,
        method: ["index3", "newmark"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "friction whose speed no step resolves",
        parameters: "p = 2, x0 = 0, v0 = 1",
        elements: r#"force.brake = { type = "friction", joint = "guide", limit = "p", speed = 1e-6 }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index3", "newmark"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "contact of 10 ms with steps of 10 ms",
        parameters: "p = 1e5, x0 = 0, v0 = 1",
        elements: r#"force.stop = { type = "force", at = "m.A", force = ["-p*splus(m.A.x - 0.5, 1e-3)", 0] }
            objective.psi = { terminal = "vel(m.A.x)" }"#,
        method: ["index3", "newmark"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "newmark with ωh = 10",
        parameters: "p = 1e6, x0 = 0.1, v0 = 0",
        elements: r#"force.spring = { type = "force", at = "m.A", force = ["-p*m.A.x", 0] }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index3", "newmark"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "rk4 with ωh = 2.5",
        parameters: "p = 62500, x0 = 0.1, v0 = 0",
        elements: r#"force.spring = { type = "force", at = "m.A", force = ["-p*m.A.x", 0] }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index1", "rk4"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "rk4 beyond its stability",
        parameters: "p = 160000, x0 = 0.1, v0 = 0",
        elements: r#"force.spring = { type = "force", at = "m.A", force = ["-p*m.A.x", 0] }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index1", "rk4"],
        step: Some(0.01),
        end: 1.0,
        truth: None,
    },
    Silent {
        name: "a kink of norm in an integrand",
        parameters: "p = 0.453, x0 = 0, v0 = 1",
        elements: r#"objective.psi = { integral = "norm(m.A - [p, 0])" }"#,
        method: ["index1", "rk4"],
        step: Some(0.1),
        end: 1.0,
        truth: Some([0.5 * (0.453 * 0.453 + 0.547 * 0.547), 0.453 - 0.547]),
    },
    Silent {
        name: "a kink of sqrt in an integrand",
        parameters: "p = 0.453, x0 = 0, v0 = 1",
        elements: r#"objective.psi = { integral = "sqrt((m.A.x - p)^2)" }"#,
        method: ["index1", "rk4"],
        step: Some(0.1),
        end: 1.0,
        truth: Some([0.5 * (0.453 * 0.453 + 0.547 * 0.547), 0.453 - 0.547]),
    },
    Silent {
        name: "energy that steps lose",
        parameters: "p = 400, x0 = 0.1, v0 = 0",
        elements: r#"force.spring = { type = "spring-damper", between = ["ground.W", "m.A"], stiffness = "p", length = 2 }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index1", "rk4"],
        step: Some(0.05),
        end: 5.0,
        truth: None,
    },
    Silent {
        name: "a step that is longer than the run",
        parameters: "p = 4, x0 = 0.1, v0 = 0",
        elements: r#"force.spring = { type = "force", at = "m.A", force = ["-p*m.A.x", 0] }
            objective.psi = { terminal = "m.A.x" }"#,
        method: ["index3", "newmark"],
        step: Some(10.0),
        end: 1.0,
        truth: None,
    },
];
