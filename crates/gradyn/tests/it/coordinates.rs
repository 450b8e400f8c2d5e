//! Relative and Cartesian coordinates: the exact methods agree, and the motion and its gradients are those of
//! natural coordinates.

use crate::kit::agree::{agree, gradient, refused, run, scales, tolerance};
use crate::kit::cases::{cases, step};
use gradyn::registry::combinations;
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use gradyn_testkit::compare::distance;

const OTHERS: [Coordinates; 3] = [Coordinates::Relative0, Coordinates::Relative1, Coordinates::Cartesian];

/// Every combination on the five-bar; on all other models one after the other. Positions on their own level
/// amplify the rounding of joint coordinates more than that of points: 1e-9.
#[test]
fn exact_methods_agree_in_all_coordinates() {
    let all = combinations();
    let mut next = 0;
    for (name, mechanism) in cases() {
        for family in OTHERS {
            let model = Prepared::new_in(&mechanism, family)
                .unwrap_or_else(|e| panic!("{name}, {}: {e}", family.name()));
            let count =
                if name == "example five_bar" && family == Coordinates::Relative0 { all.len() } else { 1 };
            for _ in 0..count {
                next += 1;
                let (formulation, integrator) = all[next % all.len()];
                let what =
                    format!("{name}, {}, {} + {}", family.name(), formulation.name(), integrator.name());
                let method = Method { formulation, integrator, ..Method::default() }.step(step(&name));
                if refused(&model, &method) {
                    continue;
                }
                let most =
                    if formulation.position_level() { 1e-9 } else { tolerance(formulation, integrator) };
                agree(&what, &model, &run(&model, &method), most);
            }
        }
    }
}

/// ψ and its gradient by a scheme of order 8: equal in all coordinates.
#[test]
fn coordinates_do_not_change_the_motion() {
    for (name, mechanism) in cases() {
        let answers = Coordinates::ALL.map(|family| {
            let model = Prepared::new_in(&mechanism, family)
                .unwrap_or_else(|e| panic!("{name}, {}: {e}", family.name()));
            let method = Method::new("index1", "dop853").expect("registered").step(0.5 * step(&name));
            let run = run(&model, &method);
            let (rows, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            (run.psi, rows, scales(&model), family)
        });
        let [natural, others @ ..] = &answers;
        for (psi, rows, scales, family) in others {
            let what = format!("{name}, {}", family.name());
            for (a, b) in psi.iter().zip(&natural.0) {
                assert!(
                    (a - b).abs() <= 1e-9 * b.abs().max(1.0),
                    "{what}: ψ = {a}, {b} in natural coordinates"
                );
            }
            let d = distance(rows, &natural.1, scales);
            assert!(d <= 1e-9, "{what}: the gradient is {d:.1e} from that in natural coordinates");
        }
    }
}

/// A parallelogram that nothing accelerates, with a coupler without mass: forces and accelerations of joints
/// are nothing but roundings.
#[test]
fn a_coupler_without_mass_turns_evenly() {
    let text = gradyn::examples::find("change_point")
        .expect("bundled")
        .replace("length = \"d\", mass = 2", "length = \"d\"");
    let file = gradyn::file::read_toml(&text.replace("t_end  = 0.5", "t_end  = 0.1")).expect("parses");
    for family in gradyn::Coordinates::ALL {
        let model = Prepared::new_in(&file.mechanism, family).expect("assembles");
        for formulation in ["ali3p", "index3", "penalty"] {
            let method = Method::new(formulation, "newmark").expect("registered").step(1e-3);
            let run = model.run(&method).unwrap_or_else(|e| panic!("{}, {formulation}: {e}", family.name()));
            // rocker.angle = -0.7 + w_0 t
            assert!(
                (run.psi[0] - (-0.7 + 0.3)).abs() < 1e-5,
                "{}, {formulation}: {:?}",
                family.name(),
                run.psi
            );
        }
    }
}

/// The five-bar a thousand kilometres away has its gradient in `relative-1`: moments are about the mechanism,
/// not about the origin.
#[test]
fn relative_1_works_far_from_the_origin() {
    let text = gradyn::examples::find("five_bar").expect("bundled");
    let at = |x: f64| {
        let text = text
            .replace("A = [0, 0], B = [1, 0]", &format!("A = [{x}, 0], B = [{}, 0]", x + 1.0))
            .replace("\"B23.P3\" = [2, -1]", &format!("\"B23.P3\" = [{}, -1]", x + 2.0))
            .replace("[0.5, -2]", &format!("[{}, -2]", x + 0.5));
        let mut m = gradyn::file::read_toml(&text).expect("parses").mechanism;
        m.t_end = 1.0.into();
        Prepared::new_in(&m, Coordinates::Relative1).expect("assembles")
    };
    let far = at(1e6);
    let near = at(0.0);
    for (formulation, integrator, h) in [
        ("index3", "newmark", 5e-3),
        ("index1", "radau5", 2e-2),
        ("ali3p", "newmark", 5e-3),
        ("index1", "rk4", 2e-3),
    ] {
        let method = Method::new(formulation, integrator).expect("exists").step(h);
        let of = |model: &Prepared| {
            let run = model.run(&method).unwrap_or_else(|e| panic!("{formulation} + {integrator}: {e}"));
            model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows
        };
        // 1e-8: positions of 1e6 m are rounded by 1e-10 m
        let d = distance(&of(&far), &of(&near), &scales(&near));
        assert!(d < 1e-8, "{formulation} + {integrator}: {d:.1e}");
    }
}

/// A screw that is asked to be twenty turns from where it is drawn is assembled there.
#[test]
fn screws_assemble_many_turns_away() {
    let text = r#"
        name = "screw"
        dimension = 3
        parameters = { lead = 0.01, s = 0.2 }
        ground.points = { O = [0, 0, 0] }
        body.nut = { points = { A = [0, 0, 0] }, mass = 1, inertia = [0.1, 0.1, 0.1] }
        joint.thread = { type = "screw", between = ["ground.O", "nut.A"], axis = [0, 0, 1], lead = "lead" }
        initial.position = { "nut.A.z" = "s" }
        objective.turns = { terminal = "thread.angle" }
        study = { t_end = 0.01 }
    "#;
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    for family in Coordinates::ALL {
        let model =
            Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{}: {e}", family.name()));
        let method = Method::new("index1", "rk4").expect("registered").step(1e-3);
        let run = model.run(&method).unwrap_or_else(|e| panic!("{}: {e}", family.name()));
        let exact = 20.0 * std::f64::consts::TAU;
        assert!((run.psi[0] - exact).abs() < 1e-9, "{}: {} not {exact}", family.name(), run.psi[0]);
        let g = model.gradient(&run, gradyn::Sensitivity::DiscreteAdjoint).expect("differentiable").rows;
        assert!((g[0][1] - exact / 0.2).abs() < 1e-6, "{}: {:?}", family.name(), g[0]);
    }
}
