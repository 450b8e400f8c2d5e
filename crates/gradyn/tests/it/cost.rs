//! The cost of the discrete adjoint does not depend on the number of parameters, and the direct method shares
//! its matrices: counted, not timed.

use gradyn::registry::combinations;
use gradyn::{Coordinates, Method, Prepared};
use gradyn_dynamics::StepRecipe;
use gradyn_sensitivity::{Adjoint, Case};
use gradyn_testkit::models::five_bar_control;

/// (parameters, steps, linearisations, transposed solves, element visits) of one gradient.
fn count(recipe: &StepRecipe, model: &Prepared, run: &gradyn::Run) -> (usize, [usize; 4]) {
    let design = gradyn_sensitivity::Design::Model(&model.model);
    let case = Case::new(recipe, design, model.rho(), &run.trajectory);
    let mut adjoint = Adjoint::new(&case).expect("factors");
    let g = adjoint.gradient(&case).expect("sweeps");
    (g[0].len(), [run.trajectory.plan.steps(), adjoint.linearisations, adjoint.solves, adjoint.visits()])
}

#[test]
fn twenty_and_a_thousand_spline_parameters_cost_the_same() {
    // adams starts again at every knot: more knots are more steps
    for (formulation, integrator) in combinations().into_iter().filter(|c| !c.1.multistep()) {
        let method = Method { formulation, integrator, ..Method::default() }.step(0.01);
        // knots at 0.5 s and at 10 ms: the same steps
        let counts = [10, 500].map(|n| {
            let model = Prepared::new(&five_bar_control(n)).expect("builds");
            let run = model.run(&method).expect("runs");
            count(&method.build(&model.model), &model, &run)
        });
        assert_eq!((counts[0].0, counts[1].0), (20, 1000));
        assert_eq!(counts[0].1, counts[1].1, "{} + {}", formulation.name(), integrator.name());
    }
}

/// [A22, Eqs. 9–13]: the tangent and the matrix of both projections, for all parameters together.
#[test]
fn direct_factorises_two_matrices_a_step() {
    let method = Method::new("ali3p", "newmark").expect("registered").step(0.05);
    for family in [Coordinates::Natural, Coordinates::Relative0, Coordinates::Relative1] {
        for n in [10, 50] {
            let model = Prepared::new_in(&five_bar_control(n), family).expect("builds");
            let run = model.run(&method).expect("runs");
            let recipe = method.build(&model.model);
            let design = gradyn_sensitivity::Design::Model(&model.model);
            let case = Case::new(&recipe, design, model.rho(), &run.trajectory);
            let done = gradyn_sensitivity::direct(&case, |_, _| {}).expect("sweeps").factorizations;
            assert_eq!(
                done,
                Some(2 * run.trajectory.plan.steps()),
                "{} parameters, {}",
                2 * n,
                family.name()
            );
        }
    }
}
