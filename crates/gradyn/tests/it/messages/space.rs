//! An arm on a turning column with a wheel on a road, wrong in one place.

use super::{Wrong, said};

const ARM: &str = r#"name      = "arm"
dimension = 3
gravity   = [0, 0, -9.81]
parameters = { m = 2 }

[ground]
points = { O = [0, 0, 0], W = [0, 2, 0] }

[body.arm]
mass    = "m"
com     = [0.5, 0, 0]
inertia = [0.01, 0.2, 0.2]
points  = { A = [0, 0, 0], B = [1, 0, 0] }
[body.rod]
rod = { points = ["P", "Q"], length = 0.5, mass = 1 }

[joint]
hinge = { type = "revolute", between = ["ground.O", "arm.A"], axis = [0, 0, 1] }
ball  = { type = "spherical", between = ["arm.B", "rod.P"] }

[road]
hills = { points = [[-5, 0], [0, 0], [5, 0.1]] }

[force]
wheel = { type = "tyre", at = "arm.B", axis = [0, 1, 0], radius = 0.3, stiffness = 1e5, road = "hills" }
mount = { type = "bushing", between = ["arm.B", "ground.W"], stiffness = [1, 1, 1, 1, 1, 1] }

[initial]
position = { "hinge.angle" = 0, "rod.Q.x" = 1, "rod.Q.y" = 0 }
near     = { "rod.Q" = [1, 0, -0.5] }

[objective]
height = { integral = "rod.Q.z" }

[study]
t_end  = 0.1
method = { formulation = "index3", integrator = "newmark", step = "1 ms" }
"#;

const CASES: &[Wrong] = &[
    ("road of one point", &[("[[-5, 0], [0, 0], [5, 0.1]]", "[[-5, 0]]")]),
    ("road that turns back", &[("[0, 0], [5, 0.1]", "[-6, 0], [5, 0.1]")]),
    ("road by a point of three numbers", &[("[5, 0.1]", "[5, 0.1, 2]")]),
    (
        "ends of a road without points",
        &[("{ points = [[-5, 0], [0, 0], [5, 0.1]] }", "{ height = 0, ends = \"clamped\" }")],
    ),
    (
        "law of three numbers",
        &[(
            "road = \"hills\" }",
            "road = \"hills\", law = { type = \"linear\", friction = [1, 2, 3], critical = 1 } }",
        )],
    ),
    ("bushing of two expressions", &[("1, 1, 1] }", "1, 1, 1], force = [\"value\", \"value\"] }")]),
    ("bushing with a normal and no axis", &[("1, 1, 1] }", "1, 1, 1], normal = [1, 0, 0] }")]),
    ("sensor of a body that is none", &[("\"rod.Q.z\"", "\"roll(ground, 2*arm)\"")]),
    (
        "point of a rod that moves across it",
        &[("rod = { points = [\"P\"", "points = { C = [0.2, 0, \"m - 2\"] }\nrod = { points = [\"P\"")],
    ),
    (
        "rod between points of the ground",
        &[(
            "[road]",
            "b1 = { type = \"spherical\", between = [\"ground.O\", \"bar.A\"] }\n\
            b2 = { type = \"spherical\", between = [\"ground.W\", \"bar.B\"] }\n[body.bar]\n\
            rod = { points = [\"A\", \"B\"], length = 2, mass = 1 }\n[road]",
        )],
    ),
];

#[test]
fn space() {
    insta::assert_snapshot!(said(ARM, CASES));
}

/// The right leg of a pair that is mirrored.
const LEGS: &str = r#"name    = "legs"
dimension = 3
gravity = [0, 0, -9.81]

[ground]
points = { O = [0, 1, 0], P = [0, 0, -2] }

[template.leg.body.thigh]
mass = 1
inertia = 1
points = { A = [0, 0, 0], B = [0, 0, -1] }

[template.leg.joint]
hip = { type = "revolute", between = ["ground.O", "thigh.A"], axis = [1, 0, 0], normal = [0, 1, 0] }

[template.leg.force]
foot = { type = "contact", point = "thigh.B", plane = "ground.P", stiffness = 1, width = 1, normal = [0, 0, 1] }

[template.leg.initial]
position = { "hip.angle" = 0 }

[instance]
left = { use = "leg", mirror = "y" }

[study]
t_end = 0.1
"#;

const MIRRORED: &[Wrong] = &[
    ("joint without a normal", &[(", normal = [0, 1, 0]", "")]),
    ("contact without a normal", &[(", normal = [0, 0, 1]", "")]),
];

#[test]
fn mirrored() {
    insta::assert_snapshot!(said(LEGS, MIRRORED));
}

/// Templates that use templates have an end.
#[test]
fn nested() {
    let templates: Vec<String> = (0..20)
        .map(|k| {
            format!(
                "[template.t{k}.instance]\nx = {{ use = \"{}\" }}\n",
                if k < 19 { format!("t{}", k + 1) } else { "leg".into() }
            )
        })
        .collect();
    let instance = "[instance]\nleft = { use = \"t0\" }";
    let text = LEGS
        .replace("[instance]\nleft = { use = \"leg\", mirror = \"y\" }", &(templates.concat() + instance));
    insta::assert_snapshot!(said(&text, &[("templates in templates", &[])]));
}
