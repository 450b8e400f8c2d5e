//! A swing whose studies are wrong in one place: what is minimised, fitted and optimised.

use super::{Wrong, said};

const SWING: &str = r#"name      = "swing"
gravity   = [0, -9.81]

[parameters]
m = { value = 2, min = 1, max = 3 }
L = { value = 1 }
k = { value = 0 }

[ground]
points = { O = [0, 0], W = [2, 0] }

[body.bar]
rod = { points = ["A", "B"], length = "L", mass = "m" }

[joint]
pin = { type = "revolute", between = ["ground.O", "bar.A"] }

[force]
spring = { type = "spring-damper", between = ["bar.B", "ground.W"], stiffness = 50, length = "1 + k" }

[initial]
position = { "bar.angle" = "-60 deg" }
velocity = "rest"

[objective]
sway = { integral = "bar.B.x^2" }
mass = { terminal = "0*bar.B.x + m" }

[output]
x = "bar.B.x"

[study]
t_end  = 0.1
method = { formulation = "index3", integrator = "newmark", step = "1 ms" }

[study.optimize]
minimise = "sway"
"#;

const MINIMISED: &[Wrong] = &[
    (
        "least squares of an objective",
        &[("minimise = \"sway\"", "minimise = \"sway\"\nmethod = \"gauss-newton\"")],
    ),
    (
        "parameter that is there twice",
        &[("minimise = \"sway\"", "minimise = \"sway\"\nparameters = [\"m\", \"m\"]")],
    ),
    (
        "parameter that reaches nothing",
        &[
            ("minimise = \"sway\"", "minimise = \"sway\"\nparameters = [\"m\", \"z\"]"),
            ("k = { value = 0 }", "k = { value = 0 }\nz = { value = 1 }"),
            ("x = \"bar.B.x\"", "x = \"z*bar.B.x\""),
        ],
    ),
    (
        "start at a bound of a bounded parameter",
        &[
            ("m = { value = 2", "m = { value = 1"),
            (
                "minimise = \"sway\"",
                "minimise = \"sway\"\nparameters = [\"m\"]\ntransform = { m = \"bounded\" }",
            ),
        ],
    ),
    (
        "bounded without bounds",
        &[(
            "minimise = \"sway\"",
            "minimise = \"sway\"\nparameters = [\"L\"]\ntransform = { L = \"bounded\" }",
        )],
    ),
    (
        "logarithm of zero",
        &[("minimise = \"sway\"", "minimise = \"sway\"\nparameters = [\"k\"]\ntransform = { k = \"log\" }")],
    ),
    (
        "logarithm of what is negative",
        &[
            ("k = { value = 0 }", "k = { value = -1, min = -2, max = -0.5 }"),
            ("minimise = \"sway\"", "minimise = \"sway\"\nparameters = [\"k\"]\ntransform = { k = \"log\" }"),
        ],
    ),
    (
        "bounds that leave one value",
        &[
            ("k = { value = 0 }", "k = { value = 0, min = 0, max = 0 }"),
            ("minimise = \"sway\"", "minimise = \"sway\"\nparameters = [\"k\"]"),
        ],
    ),
    (
        "starts without bounds",
        &[("minimise = \"sway\"", "minimise = \"sway\"\nparameters = [\"L\"]\nstarts = { count = 3 }")],
    ),
    (
        "starts of a logarithm from zero on",
        &[
            ("L = { value = 1 }", "L = { value = 1, min = 0, max = 2 }"),
            (
                "minimise = \"sway\"",
                "minimise = \"sway\"\nparameters = [\"L\"]\ntransform = { L = \"log\" }\n\
                    starts = { count = 3 }",
            ),
        ],
    ),
    (
        "seed that is no integer",
        &[(
            "minimise = \"sway\"",
            "minimise = \"sway\"\nparameters = [\"m\"]\nstarts = { count = 3, seed = 0.5 }",
        )],
    ),
    (
        "equal beside min",
        &[(
            "minimise = \"sway\"",
            "minimise = \"sway\"\nconstraint = { c = { objective = \"mass\", equal = 1, min = 0 } }",
        )],
    ),
];

const FITTED: &[Wrong] = &[
    ("fit of no column", &[("minimise = \"sway\"", "fit = { rows = [[0, 1]], columns = {} }")]),
    (
        "fit beyond the end",
        &[("minimise = \"sway\"", "fit = { rows = [[0, 1], [0.05, 1], [7, 1]], columns = { x = {} } }")],
    ),
    (
        "fit of too few values",
        &[("minimise = \"sway\"", "fit = { rows = [[0, 1], [0.05, 1]], columns = { x = {} } }")],
    ),
    (
        "fit of a run that ends early",
        &[
            ("t_end  = 0.1", "until = \"t - 0.07\"\nt_max = 1"),
            ("minimise = \"sway\"", "fit = { rows = [[0, 1], [0.05, 1], [0.1, 1]], columns = { x = {} } }"),
        ],
    ),
    (
        "fit of manoeuvres",
        &[(
            "minimise = \"sway\"",
            "fit = { rows = [[0, 1], [0.05, 1], [0.1, 1]], columns = { x = {} } }\nscenario = { one = {} }",
        )],
    ),
];

#[test]
fn minimised() {
    insta::assert_snapshot!(said(SWING, MINIMISED));
}

#[test]
fn fitted() {
    insta::assert_snapshot!(said(SWING, FITTED));
}
