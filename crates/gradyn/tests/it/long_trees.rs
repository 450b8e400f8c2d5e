//! Trees without matrices n × n: the same run and the same gradients as with them, and what they refuse.

use crate::kit::agree::{agree, gradient, run, scales};
use crate::kit::cases::{cases, step};
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use gradyn_model::matrices_up_to;
use gradyn_model::mechanism::Mechanism;
use gradyn_model::{Kinematics, LONGEST_PATH};
use gradyn_num::largest;
use gradyn_testkit::chain::{chain, space_chain};
use gradyn_testkit::compare::distance;

/// A model in relative coordinates of a family, with matrices n × n or without them.
fn prepared(m: &Mechanism, family: Coordinates, matrices: usize) -> Result<Prepared, gradyn::Error> {
    matrices_up_to(matrices, || Prepared::new_in(m, family))
}

/// Articulated bodies give the run and the gradient of the saddle-point matrix, and all exact methods agree
/// on them: trees and loops, in the plane and in space, balls and bodies without frames.
#[test]
fn articulated_bodies_are_the_matrix() {
    let methods =
        [("index1", "rk4"), ("penalty", "dopri5"), ("index1", "adams"), ("index1", "adams-bashforth")];
    let mut next = 0;
    for (name, mechanism) in cases() {
        for family in [Coordinates::Relative0, Coordinates::Relative1, Coordinates::Cartesian] {
            let Ok(full) = prepared(&mechanism, family, 1000) else { continue };
            let tree = match prepared(&mechanism, family, 0) {
                Ok(tree) => tree,
                Err(e) => {
                    assert!(full.model.system.statics().is_some(), "{name}: {e}");
                    continue;
                }
            };
            assert!(tree.model.system.is_long() && !full.model.system.is_long());
            next += 1;
            let (formulation, integrator) = methods[next % methods.len()];
            let what = format!("{name}, {}, {formulation} + {integrator}", family.name());
            let method = Method::new(formulation, integrator).expect("registered").step(step(&name));
            let [a, b] = [&tree, &full].map(|model| run(model, &method));
            // the run
            let n = a.trajectory.layout.n;
            let [x, y] = [&a, &b].map(|run| &run.trajectory.last()[..2 * n]);
            let off = largest(x.iter().zip(y).map(|(x, y)| x - y));
            // 1e-10: condition of M, up to 1e5, × 2⁻⁵² and a few flops
            assert!(off <= 1e-10 * largest(y.iter().copied()).max(1.0), "{what}: states differ by {off:.1e}");
            // its gradient
            let [g, h] = [(&tree, &a), (&full, &b)]
                .map(|(model, run)| gradient(model, run, Sensitivity::DiscreteAdjoint).0);
            let off = distance(&g, &h, &scales(&full));
            assert!(off <= 1e-9, "{what}: gradients differ by {off:.1e}");
            agree(&what, &tree, &a, 1e-10);
        }
    }
}

/// Chains longer than the longest path with matrices, in the plane and in space: ψ and its gradient are those
/// of natural coordinates.
#[test]
fn long_chains_move_as_in_natural_coordinates() {
    for mechanism in [chain(LONGEST_PATH + 40), space_chain(LONGEST_PATH + 4)] {
        let method = Method::new("index1", "rk4").expect("registered").step(2e-3);
        let [natural, tree] = [Coordinates::Natural, Coordinates::Relative0].map(|family| {
            let model = Prepared::new_in(&mechanism, family).expect("assembles");
            let run = run(&model, &method);
            let rows = gradient(&model, &run, Sensitivity::DiscreteAdjoint).0;
            (model, run, rows)
        });
        assert!(tree.0.model.system.is_long());
        let what = &mechanism.name;
        // 1e-9: 16 steps of order 4 in other coordinates, and their roundings
        let off = (tree.1.psi[0] - natural.1.psi[0]).abs();
        assert!(off <= 1e-9 * natural.1.psi[0].abs(), "{what:?}: ψ differs by {off:.1e}");
        let off = distance(&tree.2, &natural.2, &scales(&natural.0));
        assert!(off <= 1e-9, "{what:?}: gradients differ by {off:.1e}");
        for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
            let off = distance(&gradient(&tree.0, &tree.1, s).0, &tree.2, &scales(&tree.0));
            assert!(off <= 1e-10, "{what:?}: {} is {off:.1e} from discrete-adjoint", s.name());
        }
    }
}

/// Methods with tangent matrices are refused from a stated length of a path on, and say what to use.
#[test]
fn tangents_are_refused_beyond_the_longest_path() {
    let short = Prepared::new_in(&chain(LONGEST_PATH), Coordinates::Relative0).expect("assembles");
    let long = Prepared::new_in(&chain(LONGEST_PATH + 1), Coordinates::Relative0).expect("assembles");
    for (formulation, integrator) in [("index3", "newmark"), ("index1", "radau5"), ("maggi", "rk4")] {
        let method = Method::new(formulation, integrator).expect("registered").step(2e-3);
        assert!(short.check_method(&method).is_ok());
        let e = long.check_method(&method).expect_err("refused").to_string();
        assert!(e.contains("paths of 128 coordinates"), "{e}");
    }
    let mut projected = Method::new("index1", "rk4").expect("registered").step(2e-3);
    let run = long.run(&projected).expect("runs");
    projected.set("stabilisation", "projection").expect("an option");
    assert!(long.check_method(&projected).is_err());
    let e = long.gradient(&run, Sensitivity::AdjointExplicit).err().expect("refused").to_string();
    assert!(e.contains("paths of 128 coordinates"), "{e}");
}

/// Lists of a long chain, which were full, grow by the same for every 64 bodies.
#[test]
fn lists_of_a_long_chain_grow_with_its_bodies() {
    let sizes = |n: usize| {
        let model = Prepared::new_in(&chain(n), Coordinates::Relative0).expect("builds").model;
        let sys = &model.system;
        let conditions = 0..model.conditions.0.len();
        let columns: usize =
            conditions.clone().map(|k| sys.condition_pattern(Kinematics::Position, k).len()).sum();
        let slots: usize = conditions.map(|k| sys.condition_support(Kinematics::Position, k).len()).sum();
        [sys.patterns().nn.nnz(), columns, slots, sys.border_entries().len()]
    };
    let [a, b, c] = [192, 256, 320].map(sizes);
    for i in 0..a.len() {
        assert_eq!(b[i] - a[i], c[i] - b[i], "list {i}");
    }
}
