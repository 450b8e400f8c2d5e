//! The sparse path is as exact as the dense one: chains and nets, in the plane and in space, every formulation × integrator.

use gradyn::registry::{Sensitivity, combinations};
use gradyn::{Method, Prepared, Run};
use gradyn_num::factor::dense_up_to;
use gradyn_num::largest;
use gradyn_sensitivity::Gradient;
use gradyn_testkit::chain::{chain, net, space_chain};
use gradyn_testkit::compare::distance;

/// Large enough for sparse factorisations of the steps and of the start, with its run; 16 steps.
fn models() -> [Prepared; 3] {
    [chain(30), net(3, 7), space_chain(8)].map(|mut m| {
        m.t_end = 0.032.into();
        Prepared::new(&m).expect("builds")
    })
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.simulate(method, &mut |_, _| {}).unwrap_or_else(|e| panic!("{}: {e}", model.model.name))
}

fn gradient(model: &Prepared, run: &Run, s: Sensitivity) -> Gradient {
    model.gradient(run, s).unwrap_or_else(|e| panic!("{}: {e}", model.model.name)).rows
}

fn scales(model: &Prepared) -> Vec<f64> {
    model.model.parameters.iter().map(|p| p.scale).collect()
}

/// Direct = adjoint = automatic = complex step; one correction is enough for the programs.
#[test]
fn methods_agree() {
    for model in models() {
        for (formulation, integrator) in combinations() {
            let method = Method { formulation, integrator, ..Method::default() }.step(2e-3);
            let run = run(&model, &method);
            let adjoint = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
                let off = distance(&gradient(&model, &run, s), &adjoint, &scales(&model));
                let name = format!("{}, {} × {}, {}", model.model.name, formulation.name(), integrator.name(), s.name());
                assert!(off < 1e-10, "{name}: {off:.1e}"); // condition of the chain, 1e3, × 64/(βh²) of Newmark × 2⁻⁵²
            }
        }
    }
}

/// The same run and gradient with dense factorisations.
#[test]
fn sparse_equals_dense() {
    for model in models() {
        for (formulation, integrator) in combinations() {
            let method = Method { formulation, integrator, ..Method::default() }.step(2e-3);
            let name = format!("{}, {} × {}", model.model.name, formulation.name(), integrator.name());
            let compute = || {
                let run = run(&model, &method);
                let gradient = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
                (run, gradient)
            };
            let ((sparse, g_sparse), (dense, g_dense)) = (compute(), dense_up_to(10_000, compute));
            let off = distance(&g_sparse, &g_dense, &scales(&model));
            assert!(off < 1e-10, "{name}: gradients differ by {off:.1e}");
            let n = sparse.trajectory.layout.n;
            let (a, b) = (&sparse.trajectory.last()[..2 * n], &dense.trajectory.last()[..2 * n]);
            let off = largest(a.iter().zip(b).map(|(a, b)| a - b));
            assert!(off < 1e-11 * largest(b.iter().copied()), "{name}: positions and velocities differ by {off:.1e}");
        }
    }
}
