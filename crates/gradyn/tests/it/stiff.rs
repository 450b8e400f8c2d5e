//! Integrators that are called L-stable do not follow a strong damper with short steps; explicit ones do, and
//! say so.

use gradyn::registry::combinations;
use gradyn::{Formulation, Integrator, Method, Prepared};

/// A slider whose damper holds it to x' = cos 2t + O(1/c): ẍ + c ẋ + 10 x = c cos 2t.
fn slider(damping: f64) -> Prepared {
    let text = format!(
        "name = \"slider\"\ndimension = 2\n\
         [parameters]\nc = {{ value = {damping:e}, unit = \"N s/m\" }}\n\
         [ground]\npoints = {{ O = [0, 0], W = [-2, 0] }}\n\
         [body.b]\npoints = {{ P = [0, 0] }}\nmass = 1\ninertia = 1\n\
         [joint]\nrail = {{ type = \"prismatic\", between = [\"ground.O\", \"b.P\"], axis = [1, 0] }}\n\
         [force]\n\
         spring = {{ type = \"spring-damper\", between = [\"ground.W\", \"b.P\"], stiffness = 10, damping \
         = \"c\", length = 2 }}\n\
         push = {{ type = \"force\", at = \"b.P\", force = [\"c * cos(2 * t)\", 0] }}\n\
         [initial]\nposition = {{ \"b.P.x\" = 0 }}\nvelocity = {{ \"b.P.x\" = 1 }}\n\
         [objective]\nend = {{ terminal = \"b.P.x\" }}\n\
         [study]\nt_end = 3\n"
    );
    Prepared::new(&gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{e}")).mechanism)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn l_stable(integrator: Integrator) -> bool {
    integrator.about().contains("L-stable")
}

#[test]
fn steps_do_not_grow_with_damping() {
    assert!(Integrator::ALL.iter().filter(|i| l_stable(**i)).count() >= 5);
    for (formulation, integrator) in combinations() {
        // positions, not forces, limit the steps of index 3; penalties are stiff themselves
        if !l_stable(integrator) || ![Formulation::Index1, Formulation::Maggi].contains(&formulation) {
            continue;
        }
        let method = Method { formulation, integrator, ..Method::default() }.tolerance(1e-6, 1e-6);
        let what = format!("{} + {}", formulation.name(), integrator.name());
        let steps = [1e2, 1e4, 1e6].map(|c| {
            let model = slider(c);
            let run = model.run(&method).unwrap_or_else(|e| panic!("{what}, c = {c}: {e}"));
            let x = run.psi[0];
            assert!((x - (6.0f64).sin() / 2.0).abs() < 20.0 / c + 1e-4, "{what}, c = {c}: x(3) = {x}");
            run.trajectory.plan.steps()
        });
        // orders may fall where c h ≫ 1, once; an explicit scheme would need 100 times as many
        assert!(4 * steps[2] <= 5 * steps[1] && steps[1] <= 6 * steps[0], "{what}: steps {steps:?}");
    }
}

/// Explicit steps that follow the error estimate stay at the border of stability: the run warns. Without the
/// damper: no word of it.
#[test]
fn explicit_steps_at_the_border_of_stability_are_reported() {
    for (formulation, integrator) in combinations() {
        if ![Integrator::Dopri5, Integrator::Dop853].contains(&integrator) {
            continue;
        }
        for (c, tolerance) in [(1e3, 1e-4), (1e3, 1e-6), (1.0, 1e-4), (1.0, 1e-10)] {
            let method =
                Method { formulation, integrator, ..Method::default() }.tolerance(tolerance, tolerance);
            let run = slider(c).run(&method).unwrap_or_else(|e| panic!("{e}"));
            let warned = run.warnings.iter().any(|w| w.code == gradyn::WarningCode::Stiff);
            assert_eq!(
                warned,
                c > 100.0,
                "{} + {}, c = {c}: {:?}",
                formulation.name(),
                integrator.name(),
                run.warnings
            );
        }
    }
    let text = gradyn::examples::find("five_bar").expect("bundled");
    let model = Prepared::new(&gradyn::file::read_toml(text).expect("parses").mechanism).expect("assembles");
    for option in [("stabilisation", "projection"), ("stabilisation", "baumgarte")] {
        let mut method = Method::new("index1", "dopri5").expect("registered").tolerance(1e-4, 1e-4);
        method.set(option.0, option.1).unwrap_or_else(|e| panic!("{e}"));
        let run = model.run(&method).expect("runs");
        assert!(
            !run.warnings.iter().any(|w| w.code == gradyn::WarningCode::Stiff),
            "{option:?}: {:?}",
            run.warnings
        );
    }
}

/// Tolerances control the steps of linear systems too, where estimates may vanish: x = 0.1 cos 20 t.
#[test]
fn adaptive_steps_follow_a_linear_spring() {
    let text = r#"
        name = "spring"
        ground.points = { O = [0, 0] }
        body.c = { points = { P = [0, 0] }, mass = 1, inertia = 1 }
        joint.g = { type = "prismatic", between = ["ground.O", "c.P"] }
        force.f = { type = "actuator", joint = "g", effort = "-400*c.P.x" }
        initial.position = { "g.position" = 0.1 }
        objective.x = { terminal = "c.P.x" }
        study = { t_end = 1 }
    "#;
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"));
    for integrator in ["dopri5", "dop853", "gauss4", "radau3", "radau5", "sdirk4", "ros3", "rodas4", "adams"]
    {
        let method = Method::new("index1", integrator).expect("registered").tolerance(1e-7, 1e-7);
        let run = model.run(&method).unwrap_or_else(|e| panic!("{integrator}: {e}"));
        // 5e-5: some hundred errors of 1e-7 may add up over three periods; without control it is 5e-2
        let off = (run.psi[0] - 0.1 * 20.0f64.cos()).abs();
        assert!(off < 5e-5, "{integrator}: {} is off by {off:.1e}", run.psi[0]);
    }
}
