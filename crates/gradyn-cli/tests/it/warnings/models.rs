//! A small model for each kind of warning.

use gradyn::WarningCode;

/// What has to be done with a model to see its warning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// A run, or less.
    Run,
    /// A gradient.
    Gradient,
    /// A gradient by extrapolated differences.
    Differences,
    /// A table of outputs.
    Table,
}

/// A model that warns.
pub(super) struct Case {
    pub code: WarningCode,
    pub stage: Stage,
    /// Parameters, the first of them is p.
    parameters: &'static str,
    /// Elements that several models share.
    base: &'static str,
    /// Elements of this one.
    more: &'static str,
    /// What the objective is of.
    objective: &'static str,
    end: &'static str,
    /// What a gradient is refused with, if it is.
    pub refusal: Option<&'static str>,
    /// Does the warning come of what the objective reads, which a fit has not?
    pub of_objective: bool,
    /// Arguments that choose the method, in pairs.
    pub method: &'static [&'static str],
}

impl Case {
    const fn new(
        code: WarningCode,
        parameters: &'static str,
        base: &'static str,
        more: &'static str,
    ) -> Self {
        let objective = "terminal = \"m.A.x\"";
        let method = &["--formulation", "index1", "--integrator", "rk4", "--step", "0.01"];
        Self {
            code,
            stage: Stage::Run,
            parameters,
            base,
            more,
            objective,
            end: "1",
            refusal: None,
            of_objective: false,
            method,
        }
    }
    const fn refused(self, refusal: &'static str) -> Self {
        Self { refusal: Some(refusal), ..self }
    }
    const fn of_objective(self) -> Self {
        Self { of_objective: true, ..self }
    }
    const fn of(self, objective: &'static str) -> Self {
        Self { objective, ..self }
    }
    const fn until(self, end: &'static str) -> Self {
        Self { end, ..self }
    }
    const fn by(self, method: &'static [&'static str]) -> Self {
        Self { method, ..self }
    }
    const fn at(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }
    /// The model file, with something to minimise or to fit.
    pub(super) fn text(&self, fit: bool) -> String {
        let Self { parameters, base, more, objective, end, .. } = self;
        let study = match fit {
            true => "fit = { rows = [[0.0, 0.1]], columns = { y = {} } }",
            false => "minimise = \"psi\"",
        };
        format!(
            "name = \"warns\"\nparameters = {{ {parameters} }}\n{base}{more}\n[objective]\npsi = {{ {objective} \
             }}\n[output]\ny = \"p*{LENGTH}\"\n[study]\nt_end = {end}\n[study.optimize]\n{study}\nparameters = \
             [\"p\"]\n"
        )
        .replace(LENGTH, if self.stage == Stage::Table { "sqrt(t - 0.5)" } else { "1" })
    }
    /// The value of p.
    pub(super) fn nominal(&self) -> &'static str {
        let value = self.parameters.strip_prefix("p = ").unwrap_or_default();
        value.split(',').next().unwrap_or_default()
    }
    /// The arguments of the method that `verify` has.
    pub(super) fn method_of_verify(&self) -> Vec<&'static str> {
        let pairs = self.method.chunks(2).filter(|pair| !["--sensitivity", "--rtol"].contains(&pair[0]));
        pairs.flatten().copied().collect()
    }
}

/// What stands for a factor of the output.
const LENGTH: &str = "LENGTH";

/// A mass on a rail.
const RAIL: &str = r#"
    ground.points = { O = [0, 0], W = [0.505, 0], V = [-2, 0] }
    body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
    joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
    initial = { position = { "m.A.x" = "x0" }, velocity = { "m.A.x" = "v0" } }
"#;

/// A rod on a pin.
const HANGING: &str = r#"
    gravity = [0, -9.81]
    ground.points = { O = [0, 0] }
    body.bar.rod = { points = ["A", "B"], length = 1, mass = "p" }
    joint.pin = { type = "revolute", between = ["ground.O", "bar.A"] }
"#;

/// A ball that lands on a constraint and is lifted by a force.
const LANDING: &str = r#"
    gravity = [0, -9.81]
    body.ball = { mass = 1, inertia = 0.01, points = { P = [0, 0] } }
    constraint.contact = "ball.P.y"
    force.lift = { type = "force", at = "ball.P", force = [0, "p*t^2"] }
    event.lands = { when = "ball.P.y", direction = "falling", on = ["contact"] }
    event.lifts = { when = "contact.multiplier", direction = "rising", off = ["contact"] }
    [initial]
    position = { "ball.P" = [0, 0.5], "ball.angle" = 0 }
    velocity = { "ball.P" = [0.3, 0], "ball.angle" = 0 }
    off = ["contact"]
"#;

/// A parallelogram, whose crank passes the position in which all bars lie on one line.
const PARALLELOGRAM: &str = r#"
    ground.points = { O = [0, 0], C = ["c", 0] }
    body.crank.rod = { points = ["O", "A"], length = 1, mass = "p" }
    body.coupler.rod = { points = ["A", "B"], length = 2, mass = 1 }
    body.rocker.rod = { points = ["C", "B"], length = 1, mass = 1 }
    joint.j = { type = "revolute", between = ["ground.O", "crank.O"] }
    joint.k = { type = "revolute", between = ["crank.A", "coupler.A"] }
    joint.l = { type = "revolute", between = ["coupler.B", "rocker.B"] }
    joint.m = { type = "revolute", between = ["ground.C", "rocker.C"] }
    [initial]
    position = { "crank.angle" = 0.5 }
    velocity = { "crank.angle" = -1 }
    near = { "coupler.B" = [2.9, 0.5] }
"#;

/// A slider–crank whose crank and slider are driven.
const TWICE: &str = r#"
    gravity = [0, -9.81]
    ground.points = { O = [0, 0] }
    body.crank = { rod = { points = ["A", "B"], length = "p", mass = 2 } }
    body.rod = { rod = { points = ["B", "C"], length = 0.9, mass = 1 } }
    body.slider = { points = { C = [0, 0] }, mass = 3, inertia = 0.1 }
    joint.j = { type = "revolute", between = ["ground.O", "crank.A"] }
    joint.k = { type = "revolute", between = ["crank.B", "rod.B"] }
    joint.l = { type = "revolute", between = ["rod.C", "slider.C"] }
    joint.g = { type = "prismatic", between = ["ground.O", "slider.C"], axis = [1, 0] }
    driver.motor = { angle = "crank", value = "0.4 + 5*t" }
    driver.lift = { coordinate = "crank.B.y", value = "p*sin(0.4 + 5*t)" }
    initial.near = { "slider.C" = [1.1, 0] }
"#;

/// Kinds without a model: whether a step needs twenty iterations and still ends is luck.
pub(super) const BY_LUCK: [WarningCode; 1] = [WarningCode::SlowNewton];

/// A model for each kind, in the order of the list.
pub(super) const MODELS: &[Case] = &[
    Case::new(
        WarningCode::NotSmooth,
        "p = 2, x0 = 0, v0 = 0",
        RAIL,
        r#"force.push = { type = "force", at = "m.A", force = ["max(p, 0.5)", 0] }"#,
    ),
    Case::new(
        WarningCode::UnitOrName,
        "p = 2, x0 = 0, v0 = 0, g = 3",
        RAIL,
        r#"force.push = { type = "force", at = "m.A", force = ["p + g + 3 g", 0] }"#,
    ),
    Case::new(
        WarningCode::PenaltyUnused,
        "p = 2",
        "gravity = [0, -9.81]\nground.points = { O = [0, 0] }\n",
        r#"body.bar.rod = { points = ["A", "B"], length = 1, mass = "p" }
        joint.pin = { type = "revolute", between = ["ground.O", "bar.A"], penalty = 3 }
        force.push = { type = "force", at = "bar.B", force = [1, 0] }
        initial.position = { "bar.angle" = 0 }"#,
    )
    .of("terminal = \"bar.B.x\""),
    Case::new(
        WarningCode::ParallelAxes,
        "p = 1",
        "dimension = 3\npoints.P = [0, 0, 0]\nground.points = { O = [0, 0, 0] }\n",
        r#"body.b = { points.P = [0, 0, 0], mass = 1, inertia = "p" }
        joint.u = { type = "universal", between = ["ground.O", "b.P"], axes = [[0, 1, 0], [0, 1, 0]] }
        force.turn = { type = "torque", on = "b", torque = [0, 1, 0] }
        initial.position = { "u.angle_1" = 0.3, "u.angle_2" = 0.2 }"#,
    )
    .of("terminal = \"u.angle_1\""),
    Case::new(
        WarningCode::RepeatedJoint,
        "p = 2",
        HANGING,
        r#"joint.again = { type = "revolute", between = ["ground.O", "bar.A"] }
        force.push = { type = "force", at = "bar.B", force = [1, 0] }
        initial.position = { "bar.angle" = 0 }"#,
    )
    .of("terminal = \"bar.B.x\""),
    Case::new(
        WarningCode::ImpossibleInertia,
        "p = 1",
        "dimension = 3\n",
        r#"body.b = { points.P = [0, 0, 0], mass = "p", inertia = [1, 1, 3] }
        force.push = { type = "force", at = "b.P", force = [1, 0, 0] }
        initial.position = { "b.P" = [0, 0, 0], "b.yaw" = 0, "b.pitch" = 0, "b.roll" = 0 }"#,
    )
    .of("terminal = \"b.P.x\""),
    Case::new(
        WarningCode::UnstableEquilibrium,
        "p = 2",
        HANGING,
        r#"force.push = { type = "force", at = "bar.B", force = ["p*t", 0], active = "motion" }
        initial = { equilibrium = {}, near = { "bar.B" = [0, 1] } }"#,
    )
    .of("terminal = \"bar.B.x\""),
    Case::new(
        WarningCode::UnusedOption,
        "p = 2, x0 = 0, v0 = 0",
        RAIL,
        r#"force.push = { type = "force", at = "m.A", force = ["p", 0] }"#,
    )
    .by(&["--formulation", "index1", "--integrator", "rk4", "--option", "alpha=1e5"]),
    Case::new(
        WarningCode::Drift,
        "p = 2",
        HANGING,
        r#"initial.position = { "bar.angle" = "-60 deg" }"#,
    )
    .of("integral = \"bar.B.x^2\"")
    .by(&["--formulation", "penalty", "--integrator", "rk4", "--step", "0.01", "--option", "alpha=0.1"])
    .until("0.1"),
    Case::new(
        WarningCode::EndsMeet,
        "p = 0.1, x0 = 0, v0 = 1",
        RAIL,
        r#"force.s = { type = "spring-damper", between = ["ground.W", "m.A"], stiffness = "p", length = 1 }"#,
    ),
    Case::new(
        WarningCode::Stiff,
        "p = 2000, x0 = 0.1, v0 = 0",
        RAIL,
        r#"force.s = { type = "force", at = "m.A", force = ["-p*vel(m.A.x) - 100*m.A.x", 0] }"#,
    )
    .by(&["--formulation", "index1", "--integrator", "dopri5", "--rtol", "1e-5"]),
    Case::new(
        WarningCode::UnstableIndex3,
        "p = 2, w = 3",
        HANGING,
        r#"initial = { position = { "bar.angle" = 0 }, velocity = { "bar.angle" = "w" } }"#,
    )
    .of("terminal = \"bar.B.x + w\"")
    .by(&[
        "--formulation",
        "index3",
        "--integrator",
        "newmark",
        "--step",
        "0.01",
        "--option",
        "projection=off",
    ])
    .until("1"),
    Case::new(
        WarningCode::SmallStep,
        "p = 2",
        HANGING,
        r#"initial.position = { "bar.angle" = "-90 deg" }"#,
    )
    .of("terminal = \"pin.reaction.y\"")
    .by(&["--formulation", "index3", "--integrator", "newmark", "--step", "4e-6"])
    .of_objective()
    .until("4e-4"),
    Case::new(
        WarningCode::Unstable,
        "p = 160000, x0 = 0.1, v0 = 0",
        RAIL,
        r#"force.spring = { type = "force", at = "m.A", force = ["-p*m.A.x", 0] }"#,
    ),
    Case::new(
        WarningCode::Energy,
        "p = 400, x0 = 0.1, v0 = 0",
        RAIL,
        r#"force.s = { type = "spring-damper", between = ["ground.V", "m.A"], stiffness = "p", length = 2 }"#,
    )
    .by(&["--formulation", "index1", "--integrator", "rk4", "--step", "0.05"])
    .until("5"),
    Case::new(WarningCode::SharedLoad, "p = 0.3", TWICE, "")
        .of("integral = \"motor.effort^2\"")
        .by(&["--formulation", "penalty", "--integrator", "rk4", "--step", "0.002"])
        .of_objective()
        .until("0.2"),
    Case::new(WarningCode::Singular, "p = 1, c = 2", PARALLELOGRAM, "").of("terminal = \"crank.A.x\""),
    Case::new(WarningCode::NearSingular, "p = 1, c = 1.99999", PARALLELOGRAM, "")
        .of("terminal = \"crank.A.x\""),
    Case::new(
        WarningCode::Freedoms,
        "p = 2",
        HANGING,
        r#"initial = { position = { "bar.angle" = -1.47 }, velocity = { "bar.angle" = 0.1 } }
        force.hold = { type = "torque", on = "bar", torque = "9.81*bar.B.x" }"#,
    )
    .of("terminal = \"bar.B.x\"")
    .by(&["--formulation", "maggi", "--integrator", "rk4", "--option", "freedoms=bar.B.y"])
    .until("0.01"),
    Case::new(
        WarningCode::Jump,
        "p = 1",
        r#"
        ground.points = { O = [0, 0] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
        "#,
        r#"driver.winch = { coordinate = "m.A.x", value = "if(t < 0.5, 0, p*(t - 0.5))" }"#,
    )
    .refused("jumps"),
    Case::new(
        WarningCode::Cut,
        "p = 2, x0 = 0, v0 = 1",
        RAIL,
        r#"force.push = { type = "force", at = "m.A", force = ["-p*(m.A.x - 0.5)/norm(m.A - [0.5, 0])", 0] }"#,
    )
    .refused("`push` jumps near t ="),
    Case::new(WarningCode::Impact, "p = 20", LANDING, "")
        .of("terminal = \"ball.P.y\"")
        .until("1.2")
        .by(&["--formulation", "index1", "--integrator", "dopri5", "--rtol", "1e-8"]),
    Case::new(
        WarningCode::NotReached,
        "p = 2, x0 = 0, v0 = 0",
        RAIL,
        r#"force.push = { type = "force", at = "m.A", force = ["p", 0] }
        event.far = { when = "m.A.x - 9", end = true }"#,
    ),
    Case::new(
        WarningCode::NotFinite,
        "p = 2, x0 = 0, v0 = 0",
        RAIL,
        r#"force.push = { type = "force", at = "m.A", force = ["p", 0] }"#,
    )
    .at(Stage::Table),
    Case::new(WarningCode::InexactEvent, "p = 20", LANDING, "")
        .of("terminal = \"ball.P.y\"")
        .until("1.2")
        .by(&[
            "--formulation",
            "index3",
            "--integrator",
            "newmark",
            "--step",
            "0.001",
            "--option",
            "projection=off",
        ]),
    Case::new(
        WarningCode::Zero,
        "p = 2, x0 = 0, v0 = 1",
        RAIL,
        r#"force.push = { type = "force", at = "m.A", force = ["p*max(0.5 - m.A.x, 0)*if(t > 2, 1, 0)", 0] }"#,
    )
    .at(Stage::Gradient),
    Case::new(
        WarningCode::NotConverged,
        "p = 2, x0 = 0.3, v0 = 1",
        RAIL,
        r#"force.push = { type = "force", at = "m.A", force = ["-p*sin(m.A.x)", 0] }"#,
    )
    .at(Stage::Differences)
    .by(&[
        "--formulation",
        "index1",
        "--integrator",
        "rk4",
        "--sensitivity",
        "extrapolated",
        "--option",
        "extrapolation_step=1e-9",
    ]),
    Case::new(
        WarningCode::MovingEnd,
        "p = 0.1",
        HANGING,
        r#"initial.position = { "bar.angle" = "-60 deg" }"#,
    )
    .of("terminal = \"pin.reaction.x\"")
    .until("\"p\"")
    .at(Stage::Gradient)
    .by(&["--formulation", "index3", "--integrator", "radau3", "--step", "0.01"]),
];
