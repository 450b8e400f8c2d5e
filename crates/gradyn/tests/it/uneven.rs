//! Masses that differ by 1e8 to 1e14: light mechanisms on heavy bodies.

use gradyn::{Coordinates, Method, Prepared, Run, Sensitivity};

/// Sensitivities that follow the steps of a run.
const DISCRETE: [Sensitivity; 4] = [
    Sensitivity::DiscreteDirect,
    Sensitivity::DiscreteAdjoint,
    Sensitivity::Automatic,
    Sensitivity::ComplexStep,
];

/// A four-bar linkage of light bars on a heavy pendulum.
const LOOP: &str = r#"
    name = "loop"
    parameters = { l1 = 1.0, l2 = 0.7, g = 9.81, a0 = 0.8 }
    constants = { m1 = 1, m2 = 1 }
    gravity = [0, "-g"]
    ground.points = { O = [0, 0] }
    body.b = { points = { A = [0, 0], C = ["l2", 0] }, mass = "m2", com = ["l2/2", 0], inertia = "0.1*m2" }
    body.c = { points = { C = [0, 0], D = [0.65, 0] }, mass = "2*m2", com = [0.3, 0.1], inertia = "0.1*m2" }
    body.d = { points = { B = [0, 0], D = [0.8, 0] }, mass = "m2", com = [0.4, 0], inertia = "0.1*m2" }
    joint.h = { type = "revolute", between = ["ground.O", "a.O"] }
    joint.j = { type = "revolute", between = ["a.A", "b.A"] }
    joint.k = { type = "revolute", between = ["b.C", "c.C"] }
    joint.l = { type = "revolute", between = ["a.B", "d.B"] }
    joint.m = { type = "revolute", between = ["c.D", "d.D"] }
    initial.position = { "a.angle" = "a0", "b.angle" = -0.9 }
    initial.velocity = { "a.angle" = 0.1, "b.angle" = 0.2 }
    objective.light = { terminal = "b.C.x" }
    objective.heavy = { terminal = "a.A.x" }
    study = { t_end = 0.3 }

    [body.a]
    points = { O = [0, 0], A = ["l1", 0], B = ["l1 + 0.6", 0.1] }
    mass = "m1"
    com = ["l1", 0]
    inertia = "0.1*m1"
"#;

/// A light pendulum in space on a heavy one.
const SPATIAL: &str = r#"
    name = "spatial"
    dimension = 3
    parameters = { l1 = 1.0, l2 = 0.7, g = 9.81, a0 = 0.4 }
    constants = { m1 = 1, m2 = 1 }
    gravity = [0, 0, "-g"]
    ground.points = { O = [0, 0, 0] }
    joint.h = { type = "spherical", between = ["ground.O", "a.O"] }
    joint.j = { type = "revolute", between = ["a.A", "b.A"], axis = [0.2, 1, 0.1] }
    initial.position = { "a.roll" = 0.1, "a.pitch" = "a0", "a.yaw" = 0.3, "j.angle" = 0.3 }
    initial.velocity = { "a.roll" = 0.3, "a.pitch" = 0.1, "a.yaw" = 0.2, "j.angle" = 0.4 }
    objective.light = { terminal = "b.B.x" }
    objective.heavy = { terminal = "a.A.x" }
    study = { t_end = 0.3 }

    [body.a]
    points = { O = [0, 0, 0], A = ["l1", 0, 0] }
    mass = "m1"
    com = ["l1", 0, 0.1]
    inertia = ["0.1*m1", "0.2*m1", "0.15*m1"]

    [body.b]
    points = { A = [0, 0, 0], B = ["l2", 0, 0] }
    mass = "m2"
    com = ["l2", 0, 0]
    inertia = ["0.1*m2", "0.2*m2", "0.15*m2"]
"#;

/// A model with masses m1 and m2.
fn with_masses(text: &str, [m1, m2]: [f64; 2], family: Coordinates) -> Prepared {
    let text = text.replace("m1 = 1, m2 = 1", &format!("m1 = {m1:e}, m2 = {m2:e}"));
    let file = gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{}: {e}", family.name()))
}

fn run(model: &Prepared, [formulation, integrator]: [&str; 2], h: f64) -> Run {
    let method = Method::new(formulation, integrator).expect("registered").step(h);
    model.run(&method).unwrap_or_else(|e| panic!("{formulation}: {e}"))
}

/// ψ and its gradient: relative distance of the farthest entry, parameters being of size 1 to 10.
fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let size = |row: &[f64]| row.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    let off = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        a.iter().zip(b).fold(0.0f64, |s, (a, b)| s.max((a - b).abs())) / size(a)
    };
    a.iter().zip(b).map(off).fold(0.0, f64::max)
}

/// Direct = adjoint = automatic = complex step to 1e-9 over all ratios, and the gradient is that of the same
/// mechanism in joint coordinates, whose masses are not mixed.
#[test]
fn light_mechanisms_on_heavy_bodies_keep_their_digits() {
    for text in [LOOP, SPATIAL] {
        for ratio in [1e8, 1e11, 1e14f64] {
            let masses = [ratio.sqrt(), 1.0 / ratio.sqrt()];
            let joint = with_masses(text, masses, Coordinates::Relative0);
            let r = run(&joint, ["index1", "rk4"], 2e-3);
            let reference = joint.gradient(&r, Sensitivity::DiscreteDirect).expect("differentiable").rows;
            for family in [Coordinates::Natural, Coordinates::Cartesian] {
                let model = with_masses(text, masses, family);
                for formulation in ["index1", "maggi"] {
                    let r = run(&model, [formulation, "rk4"], 2e-3);
                    for s in DISCRETE {
                        let g = model.gradient(&r, s).expect("differentiable").rows;
                        // 1e-8: drift of rk4 with 2 ms, which differs with the coordinates
                        let off = distance(&reference, &g);
                        let what = (family.name(), formulation, s.name());
                        assert!(off < 1e-8, "{ratio:e}, {what:?}: {off:e}");
                    }
                }
            }
        }
    }
}

/// The same identities for Newmark, to rounding over h²: 1e-9.
#[test]
fn newmark_keeps_the_digits_of_light_bodies() {
    for text in [LOOP, SPATIAL] {
        for ratio in [1e8, 1e11, 1e14f64] {
            for family in [Coordinates::Natural, Coordinates::Cartesian] {
                let model = with_masses(text, [ratio.sqrt(), 1.0 / ratio.sqrt()], family);
                let r = run(&model, ["index3", "newmark"], 5e-3);
                let by = |s: Sensitivity| model.gradient(&r, s).expect("differentiable").rows;
                let direct = by(Sensitivity::DiscreteDirect);
                for s in DISCRETE {
                    let off = distance(&direct, &by(s));
                    assert!(off < 1e-9, "{ratio:e}, {}, {}: {off:e}", family.name(), s.name());
                }
            }
        }
    }
}
