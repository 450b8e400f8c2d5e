//! The sparse path is as exact as the dense one: chains and nets, in the plane and in space, every
//! formulation × integrator.

use gradyn::registry::{Sensitivity, combinations};
use gradyn::{Coordinates, Method, Prepared, Run};
use gradyn_model::Kinematics;
use gradyn_num::factor::dense_up_to;
use gradyn_num::{Factor, Pattern, SparseLu, largest};
use gradyn_sensitivity::Gradient;
use gradyn_testkit::chain::{brush, chain, coaxial_chain, net, space_chain};
use gradyn_testkit::compare::distance;

/// Large enough for sparse factorisations of the steps and of the start, with its run; 16 steps.
fn models() -> [Prepared; 4] {
    [chain(30), net(3, 7), space_chain(8), coaxial_chain(20)].map(|mut m| {
        m.t_end = 0.032.into();
        Prepared::new(&m).expect("builds")
    })
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.run(method).unwrap_or_else(|e| panic!("{}: {e}", model.model.name))
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
                let name = format!(
                    "{}, {} × {}, {}",
                    model.model.name,
                    formulation.name(),
                    integrator.name(),
                    s.name()
                );
                // 1e-10: condition of the chain, 1e3, × 64/(βh²) of Newmark × 2⁻⁵²
                assert!(off < 1e-10, "{name}: {off:.1e}");
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
            assert!(
                off < 1e-11 * largest(b.iter().copied()),
                "{name}: positions and velocities differ by {off:.1e}"
            );
        }
    }
}

/// Direct = adjoint for the reaction of a chain with a shared axis, where nothing divides the multipliers by
/// h².
#[test]
fn reactions_at_a_shared_axis_agree() {
    for links in [10, 20] {
        let mut m = coaxial_chain(links);
        m.integral("load", "norm2(J0.reaction)");
        let model = Prepared::new(&m).expect("builds");
        for formulation in ["index1", "penalty", "maggi"] {
            let run = run(&model, &Method::new(formulation, "rk4").expect("known").step(2e-3));
            let [direct, adjoint] = [Sensitivity::DiscreteDirect, Sensitivity::DiscreteAdjoint]
                .map(|s| gradient(&model, &run, s));
            let off = distance(&direct, &adjoint, &scales(&model));
            assert!(off < 1e-10, "{}, {formulation}: {off:.1e}", model.model.name); // as above
        }
    }
}

/// `[M Φ_qᵀ; Φ_q 0]` at the drawn position.
fn saddle(model: &Prepared) -> (Pattern, Vec<f64>) {
    let sys = &model.model.system;
    let mut terms = sys.evaluator(&model.model.slots(&model.model.rho()));
    terms.at(0.0, sys.guess());
    let (n, m, patterns) = (sys.dims().n, sys.dims().m, sys.patterns());
    let mass = patterns.nn.iter().map(|(i, j, p)| (i, j, terms.mass()[p]));
    let rows = patterns.mn.iter().map(|(i, j, p)| (n + i, j, terms.phi_q()[p]));
    let entries: Vec<_> = mass.chain(rows.flat_map(|(i, j, x)| [(i, j, x), (j, i, x)])).collect();
    let pattern = Pattern::from_entries(n + m, n + m, entries.iter().map(|e| (e.0, e.1)));
    let mut values = vec![0.0; pattern.nnz()];
    entries.iter().for_each(|&(i, j, x)| values[pattern.position(i, j).expect("in the pattern")] = x);
    (pattern, values)
}

/// An axis that all links share is 3 full rows and columns: the entries of L and U, and the memory for them,
/// stay linear in the links.
#[test]
fn a_shared_axis_costs_linear_fill() {
    let fill = |links: usize| {
        let (pattern, values) = saddle(&Prepared::new(&coaxial_chain(links)).expect("builds"));
        assert!(
            (0..pattern.rows()).filter(|&i| pattern.row(i).len() > links).count() >= 3,
            "the axis is shared"
        );
        let mut lu = SparseLu::new(&pattern).expect("square");
        lu.refactor(&values).expect("regular");
        [lu.entries(), lu.reserved()]
    };
    let fills = [100, 200, 400].map(fill);
    for pair in fills.windows(2) {
        // entries = a + b links
        assert!((0..2).all(|c| pair[1][c] as f64 <= 2.2 * pair[0][c] as f64), "{fills:?}");
    }
}

/// In joint coordinates of a tree of depth 8, M and what the conditions of the start read grow by the same
/// for every 64 bodies, and M is factorised as sparse.
#[test]
fn a_brush_grows_with_its_bodies() {
    let sizes = |n: usize| {
        let model = Prepared::new_in(&brush(n), Coordinates::Relative0).expect("builds").model;
        let (sys, conditions) = (&model.system, 0..model.conditions.0.len());
        assert!(Factor::new(&sys.patterns().nn).expect("square").is_sparse(), "{n} bodies");
        let coords: usize =
            conditions.clone().map(|k| sys.condition_pattern(Kinematics::Position, k).len()).sum();
        let slots: usize = conditions.map(|k| sys.condition_support(Kinematics::Position, k).len()).sum();
        [sys.patterns().nn.nnz(), coords, slots]
    };
    let [a, b, c] = [64, 128, 192].map(sizes);
    for i in 0..a.len() {
        assert_eq!(b[i] - a[i], c[i] - b[i], "list {i}");
    }
}
