//! Laws that jump or kink, in time and along the motion, against closed forms.

use gradyn::{Coordinates, Method, Prepared, Run, Sensitivity};
use gradyn_testkit::known::Known;

/// Sensitivities that follow the steps of a run.
const DISCRETE: [Sensitivity; 4] = [
    Sensitivity::DiscreteDirect,
    Sensitivity::DiscreteAdjoint,
    Sensitivity::Automatic,
    Sensitivity::ComplexStep,
];

/// A mass of 1 kg on a rail, thrown from x = 0 with v0, under a force along it; the final time is T = 1 s.
pub(super) fn rail(parameters: &str, force: &str, objective: &str, family: Coordinates) -> Prepared {
    let text = format!(
        r#"
        name = "rail"
        parameters = {{ {parameters} }}
        ground.points = {{ O = [0, 0] }}
        body.m = {{ points = {{ A = [0, 0] }}, mass = 1, inertia = 1 }}
        joint.guide = {{ type = "prismatic", between = ["ground.O", "m.A"] }}
        force.push = {{ type = "force", at = "m.A", force = ["{force}", 0] }}
        initial.position = {{ "m.A.x" = "x0" }}
        initial.velocity = {{ "m.A.x" = "v0" }}
        objective.psi = {{ {objective} }}
        study = {{ t_end = 1 }}
        "#
    );
    prepared(&text, family)
}

/// The model of a text.
pub(super) fn prepared(text: &str, family: Coordinates) -> Prepared {
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{e}"))
}

const X: &str = r#"terminal = "m.A.x""#;

fn run(model: &Prepared, method: &Method, what: &str) -> Run {
    model.run(method).unwrap_or_else(|e| panic!("{what}: {e}"))
}

/// Values and gradients are off by at most `most`.
fn assert_law(law: &Known, model: &Prepared, method: &Method, what: &str, most: f64) {
    let r = run(model, method, what);
    let (psi, exact) = law.truth();
    assert!((r.psi[0] - psi[0]).abs() <= most, "{what}: ψ = {}, not {}", r.psi[0], psi[0]);
    for s in DISCRETE {
        let rows = model.gradient(&r, s).unwrap_or_else(|e| panic!("{what}, {}: {e}", s.name())).rows;
        for (k, (g, x)) in rows[0].iter().zip(&exact[0]).enumerate() {
            let name = law.parameters[k].0;
            assert!((g - x).abs() <= most, "{what}, {}: d/d{name} = {g}, not {x}", s.name());
        }
    }
}

/// Every law to 1e-8 with dopri5 at 1e-10, in all coordinates, by every discrete sensitivity.
#[test]
fn laws_that_jump_or_kink_are_exact() {
    for law in Known::edges() {
        for family in Coordinates::ALL {
            let method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-10, 1e-10);
            let what = format!("{}, {}", law.name, family.name());
            assert_law(law, &prepared(&law.text(), family), &method, &what, 1e-8);
        }
    }
}

/// Fixed steps too: rk4 with 10 ms to 2e-7, Newmark and Adams of fixed steps to their order.
#[test]
fn fixed_steps_meet_edges() {
    for law in Known::edges() {
        for (formulation, integrator, h, most) in [
            ("index1", "rk4", 0.01, 2e-7),
            ("index3", "newmark", 1e-3, 2e-5),
            ("ali3p", "newmark", 1e-3, 2e-5),
            ("index1", "adams-bashforth", 1e-3, 1e-4),
            ("maggi", "radau5", 0.01, 1e-7),
        ] {
            let method = Method::new(formulation, integrator).expect("registered").step(h);
            let what = format!("{}, {formulation} + {integrator}", law.name);
            assert_law(law, &prepared(&law.text(), Coordinates::Natural), &method, &what, most);
        }
    }
}

/// An edge that is met at a node, 1e-12 beside it and between two nodes: the gradient is the same function.
#[test]
fn edges_at_nodes_have_the_same_gradient() {
    let law = Known::find("a place that moves").expect("known");
    for shift in [0.0, 1e-12, -1e-12, 1e-4] {
        let mut rho = law.rho();
        rho[4] += shift;
        let model = prepared(&law.text(), Coordinates::Natural).at(&rho).expect("assembles");
        let method = Method::new("index1", "rk4").expect("registered").step(0.01);
        let r = run(&model, &method, law.name);
        let g = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
        let rest = 1.0 - (rho[4] - rho[0]) / (rho[1] - rho[3]);
        let exact = rho[2] * rest / (rho[1] - rho[3]);
        assert!((g[0][4] - exact).abs() < 1e-8, "shift {shift:e}: {} not {exact}", g[0][4]);
    }
}

/// Friction by `sign` holds a mass that comes to rest: refused by name.
#[test]
fn sliding_modes_are_refused() {
    let model = rail("x0 = 0, v0 = 1, mu = 3", "-mu*sign(vel(m.A.x))", X, Coordinates::Natural);
    for (integrator, adaptive) in [("dopri5", true), ("rk4", false)] {
        let method = Method::new("index1", integrator).expect("registered");
        let method = if adaptive { method.tolerance(1e-8, 1e-8) } else { method.step(0.01) };
        let e = model.run(&method).err().expect("it slides").to_string();
        assert!(e.contains("slides along the edge of a condition of force `push`"), "{e}");
    }
    // at rest from the beginning
    let model = rail("x0 = 0, v0 = 0, mu = 3", "-mu*sign(vel(m.A.x))", X, Coordinates::Natural);
    let e = model.run(&Method::new("index1", "rk4").expect("registered").step(0.01));
    let e = e.err().expect("it slides").to_string();
    assert!(e.contains("t = 0.000000 s: the motion slides"), "{e}");
}

/// Two masses that pass an edge at the same instant, each with its own jump: one event after the other.
#[test]
fn independent_jumps_at_one_instant_go_together() {
    let text = r#"
        name = "twins"
        parameters = { a = 1, b = 1 }
        ground.points = { O = [0, 0] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        body.n = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.first = { type = "prismatic", between = ["ground.O", "m.A"] }
        joint.second = { type = "prismatic", between = ["ground.O", "n.A"] }
        force.one = { type = "force", at = "m.A", force = ["if(m.A.x > 0.5, -2, 0)", 0] }
        force.two = { type = "force", at = "n.A", force = ["if(n.A.x > 0.5, -2, 0)", 0] }
        initial.position = { "m.A.x" = 0, "n.A.x" = 0 }
        initial.velocity = { "m.A.x" = "a", "n.A.x" = "b" }
        objective.psi = { terminal = "m.A.x + 10*n.A.x" }
        study = { t_end = 1 }
    "#;
    // x = a - (1 - 1/(2a))²,  x' = 1 - (1 - 1/(2a))/a²
    for family in Coordinates::ALL {
        let model = prepared(text, family);
        let method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-10, 1e-10);
        let r = run(&model, &method, family.name());
        assert!((r.psi[0] - 11.0 * 0.75).abs() < 1e-9, "{}", r.psi[0]);
        for s in DISCRETE {
            let g = model.gradient(&r, s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
            assert!((g[0][0] - 0.5).abs() < 1e-8 && (g[0][1] - 5.0).abs() < 1e-8, "{}: {:?}", s.name(), g[0]);
        }
    }
}

/// Laws of Hertz: the edge of a root moves with the parameters, so that gradients have the digits of values.
#[test]
fn roots_keep_the_digits_of_the_gradient() {
    for law in Known::roots() {
        for family in Coordinates::ALL {
            // adams begins at order 1 after every edge
            for (formulation, integrator, most) in
                [("index1", "dopri5", 1e-8), ("maggi", "radau5", 1e-8), ("index1", "adams", 1e-6)]
            {
                let method =
                    Method::new(formulation, integrator).expect("registered").tolerance(1e-10, 1e-10);
                let what = format!("{}, {formulation} + {integrator}, {}", law.name, family.name());
                assert_law(law, &prepared(&law.text(), family), &method, &what, most);
            }
        }
    }
}

/// A ball of 1 kg on an elastic floor, from y at rest: y(T) by closed forms in flight and, in contact, by
/// steps of the fourth order that end on the joints of the law.
fn ball_by_itself([y0, k, w]: [f64; 3], end: f64) -> f64 {
    const G: f64 = 9.81;
    let law = |d: f64, region: usize| match region {
        0 => 0.0,
        1 => k * w * ((d / w).powi(3) - 0.5 * (d / w).powi(4)),
        _ => k * (d - 0.5 * w),
    };
    // δ = -y: which piece of the law, and the joint that leads out of it in the direction of motion
    let step = |[d, v]: [f64; 2], h: f64, region: usize| {
        let f = |[d, v]: [f64; 2]| [v, G - law(d, region)];
        let add = |x: [f64; 2], y: [f64; 2], s: f64| [x[0] + s * y[0], x[1] + s * y[1]];
        let a = f([d, v]);
        let b = f(add([d, v], a, 0.5 * h));
        let c = f(add([d, v], b, 0.5 * h));
        let e = f(add([d, v], c, h));
        [0, 1].map(|i| [d, v][i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + e[i]))
    };
    let mut x = [-y0, 0.0];
    let mut t = 0.0;
    let mut region = 0;
    while t < end {
        let h = (if region == 0 { 1e-4 } else { 5e-7f64 }).min(end - t);
        let next = step(x, h, region);
        // the joint that is passed in this step
        let edge = [0.0, w].into_iter().enumerate().find(|(i, edge)| match region > *i {
            true => next[0] < *edge && next[1] < 0.0 && region == i + 1,
            false => next[0] > *edge && next[1] > 0.0 && region == *i,
        });
        let Some((i, edge)) = edge else {
            x = next;
            t += h;
            continue;
        };
        let mut part = h * (edge - x[0]) / (next[0] - x[0]);
        for _ in 0..20 {
            let y = step(x, part, region);
            part -= (y[0] - edge) / y[1];
        }
        x = step(x, part, region);
        t += part;
        region = if region > i { i } else { i + 1 };
    }
    -x[0]
}

/// A ball that bounces on an elastic floor: every joint of the law of contact is a node, and the gradient has
/// the digits of the value.
#[test]
fn contacts_keep_the_digits_of_the_gradient() {
    let text = r#"
        name = "ball"
        parameters = { y0 = 0.1, k = 1e4, w = 1e-3 }
        gravity = [0, -9.81]
        ground.points = { O = [0, 0] }
        body.ball = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        force.floor = { type = "contact", point = "ball.A", plane = "ground.O", stiffness = "k", width = "w" }
        initial.position = { "ball.A.x" = 0, "ball.A.y" = "y0", "ball.angle" = 0 }
        objective.psi = { terminal = "ball.A.y" }
        study = { t_end = 0.5 }
    "#;
    let rho = [0.1, 1e4, 1e-3];
    let psi = ball_by_itself(rho, 0.5);
    let exact: Vec<f64> = (0..3)
        .map(|i| {
            let difference = |d: f64| {
                let at = |s: f64| {
                    let mut moved = rho;
                    moved[i] *= 1.0 + s * d;
                    ball_by_itself(moved, 0.5)
                };
                (at(1.0) - at(-1.0)) / (2.0 * d)
            };
            (4.0 * difference(5e-5) - difference(1e-4)) / 3.0
        })
        .collect();
    let model = prepared(text, Coordinates::Natural);
    for integrator in ["dopri5", "dop853", "radau5"] {
        let method = Method::new("index1", integrator).expect("registered").tolerance(1e-10, 1e-10);
        let r = run(&model, &method, integrator);
        assert!((r.psi[0] - psi).abs() < 1e-7, "{integrator}: ψ = {}, not {psi}", r.psi[0]);
        let g = model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
        for (i, (g, exact)) in g[0].iter().zip(&exact).enumerate() {
            let off = (g * rho[i] - exact).abs();
            assert!(off < 1e-7, "{integrator}: ρ dψ/dρ of {i} is {}, not {exact}: {off:.1e}", g * rho[i]);
        }
    }
}

/// A condition of time that never changes at this design is never met, whatever its side; at another design
/// it is.
#[test]
fn conditions_that_time_never_changes_are_never_met() {
    let parameters = "x0 = 0.1, v0 = 0.2, c = 0, f = 3";
    for (condition, factor) in [("c*t > 1", 2.0), ("c*t < 1", 1.0), ("1 + c*t > 0", 1.0), ("c*t > 0", 2.0)] {
        for family in Coordinates::ALL {
            let model = rail(parameters, &format!("if({condition}, f, 2*f)"), X, family);
            let method = Method::new("index1", "rk4").expect("registered").step(0.01);
            let r = run(&model, &method, condition);
            assert!((r.psi[0] - 0.3 - 1.5 * factor).abs() < 1e-12, "{condition}: {}", r.psi[0]);
            for s in DISCRETE {
                let g = model.gradient(&r, s).expect("differentiable").rows;
                assert!(g[0][2] == 0.0 && (g[0][3] - 0.5 * factor).abs() < 1e-12, "{condition}: {:?}", g[0]);
            }
        }
    }
    // 2 f until t = 1/c, then f
    let model = rail(parameters, "if(c*t > 1, f, 2*f)", X, Coordinates::Natural);
    let model = model.at(&[0.1, 0.2, 2.0, 3.0]).expect("assembles");
    let r = run(&model, &Method::new("index1", "rk4").expect("registered").step(0.01), "c = 2");
    assert!((r.psi[0] - 0.3 - 3.0 + 0.5 * 3.0 * 0.25).abs() < 1e-12, "{}", r.psi[0]);
}

/// A soft wall has no energy that is known: a run that meets it between nodes that are asked at first is not
/// warned.
#[test]
fn short_contacts_are_no_lost_energy() {
    let wall = "-1e5*splus(m.A.x - 0.505, 1e-3)";
    for family in Coordinates::ALL {
        let model = rail("x0 = 0, v0 = 1", wall, r#"terminal = "m.A.x""#, family);
        let method = Method::new("index1", "rk4").expect("registered").step(5e-4);
        let r = model.run(&method).unwrap_or_else(|e| panic!("{}: {e}", family.name()));
        let energy = r.warnings.iter().find(|w| w.code == gradyn::WarningCode::Energy);
        assert!(energy.is_none(), "{}: {energy:?}", family.name());
    }
}

/// A wall that is thinner than a step: the motion enters it and comes back to its front in one step, and has
/// passed its back in between.
#[test]
fn walls_thinner_than_a_step_are_passed() {
    let law = Known::find("a wall that is thinner than a step").expect("known");
    for family in Coordinates::ALL {
        for (formulation, integrator, most) in
            [("index1", "rk4", 1e-9), ("index1", "dopri5", 1e-9), ("maggi", "radau5", 1e-9)]
        {
            let method = Method::new(formulation, integrator).expect("registered").step(0.01);
            let what = format!("{}, {formulation} + {integrator}", family.name());
            assert_law(law, &prepared(&law.text(), family), &method, &what, most);
        }
    }
}
