//! The cost of the discrete adjoint does not depend on the number of parameters: counted, not timed.

use gradyn::method::with_step;
use gradyn::registry::combinations;
use gradyn::{Integrator, Method, Prepared};
use gradyn_dynamics::Step;
use gradyn_sensitivity::{Adjoint, Case};
use gradyn_testkit::models::five_bar_control;

/// (parameters, steps, linearisations, transposed solves, element visits) of one gradient.
fn count<T: Step>(step: &T, model: &Prepared, run: &gradyn::Run) -> (usize, [usize; 4]) {
    let case = Case { step, design: gradyn_sensitivity::Design::Model(&model.model), rho: &model.rho, run: &run.trajectory };
    let mut adjoint = Adjoint::new(&case).expect("factors");
    let g = adjoint.gradient(&case).expect("sweeps");
    (g[0].len(), [run.trajectory.plan.steps(), adjoint.linearisations, adjoint.solves, adjoint.visits(step)])
}

#[test]
fn twenty_and_a_thousand_spline_parameters_cost_the_same() {
    // adams starts again at every knot: more knots are more steps
    for (formulation, integrator) in combinations().into_iter().filter(|c| c.1 != Integrator::Adams) {
        let method = Method { formulation, integrator, ..Method::default() }.step(0.01);
        // knots at 0.5 s and at 10 ms: the same steps
        let counts = [10, 500].map(|n| {
            let model = Prepared::new(&five_bar_control(n)).expect("builds");
            let run = model.simulate(&method, &mut |_, _| {}).expect("runs");
            let any = method.build(&model.model);
            with_step!(&any, step => count(step, &model, &run))
        });
        assert_eq!((counts[0].0, counts[1].0), (20, 1000));
        assert_eq!(counts[0].1, counts[1].1, "{} + {}", formulation.name(), integrator.name());
    }
}
