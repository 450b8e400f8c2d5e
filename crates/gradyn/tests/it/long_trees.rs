//! Trees without matrices n × n: the same run and the same gradients as with them, and what they refuse.

use crate::kit::agree::{agree, gradient, run, scales};
use crate::kit::cases::{cases, step};
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use gradyn_model::matrices_up_to;
use gradyn_model::mechanism::Mechanism;
use gradyn_num::largest;
use gradyn_testkit::compare::distance;

/// A model in relative coordinates of a family, with matrices n × n or without them.
fn prepared(m: &Mechanism, family: Coordinates, matrices: usize) -> Result<Prepared, gradyn::Error> {
    matrices_up_to(matrices, || Prepared::new_in(m, family))
}

/// Articulated bodies give the run and the gradient of the saddle-point matrix, and all exact methods agree on
/// them: trees and loops, in the plane and in space, balls and bodies without frames.
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
