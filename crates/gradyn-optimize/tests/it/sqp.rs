//! Parts of SQP that an easy problem does not need.

use crate::common::{evaluate, free};
use gradyn_optimize::{Method, Problem, Settings, Status, Variable, drive};

/// Maratos: f = 2 (x² + y² - 1) - x on the unit circle. Full steps raise f and the violation; the
/// second-order correction takes them all the same, and convergence stays superlinear from every point of the
/// circle.
#[test]
fn second_order_correction() {
    let problem = Problem::new(free(2)).unwrap().equality("circle", 1.0).unwrap();
    let mut evaluations = 0;
    for degrees in [10.0_f64, 40.0, 80.0, 120.0, 170.0] {
        let angle = degrees.to_radians();
        let mut optimizer =
            Method::Sqp.start(&problem, Settings::default(), &[angle.cos(), angle.sin()]).unwrap();
        let r = drive(optimizer.as_mut(), |t| {
            let formulas: crate::common::Formulas = |x| {
                let h = x[0].powi(2) + x[1].powi(2) - 1.0;
                (2.0 * h.clone() - &x[0], vec![h], vec![])
            };
            Ok(evaluate(formulas, &t.x))
        });
        println!(
            "{degrees}: {} iterations, {} evaluations, {}",
            r.iterations,
            r.evaluations,
            r.status.name()
        );
        assert_eq!(r.status, Status::Optimal);
        assert!((r.x[0] - 1.0).abs() < 1e-7 && r.x[1].abs() < 1e-7);
        // λ = -∂f/∂h = -3/2
        assert!((r.multipliers[0].value + 1.5).abs() < 1e-6);
        evaluations += r.evaluations;
    }
    // 132; without the correction 199
    assert!(evaluations < 150, "{evaluations}");
}

/// x² = 4 from x = 0.1: the linearised constraint asks for x = 20, outside of the bounds.
#[test]
fn inconsistent_linearisation() {
    let problem = Problem::new(vec![Variable::between("x", 0.0, 10.0), Variable::free("y")]).unwrap();
    let problem = problem.equality("square", 1.0).unwrap();
    let mut optimizer = Method::Sqp.start(&problem, Settings::default(), &[0.1, 0.0]).unwrap();
    let r = drive(optimizer.as_mut(), |t| {
        Ok(evaluate(|x| ((&x[1] - &x[0]).powi(2), vec![x[0].powi(2) - 4.0], vec![]), &t.x))
    });
    assert_eq!(r.status, Status::Optimal);
    assert!((r.x[0] - 2.0).abs() < 1e-7 && (r.x[1] - 2.0).abs() < 1e-7);
}

/// One constraint, given twice: multipliers are not unique, the minimiser is.
#[test]
fn dependent_constraints() {
    let problem = Problem::new(free(2)).unwrap().equality("a", 1.0).unwrap().equality("b", 1.0).unwrap();
    let mut optimizer = Method::Sqp.start(&problem, Settings::default(), &[3.0, -1.0]).unwrap();
    let r = drive(optimizer.as_mut(), |t| {
        let formulas: crate::common::Formulas = |x| {
            let h = &x[0] + &x[1] - 2.0;
            (x[0].powi(2) + x[1].powi(2), vec![h.clone(), 2.0 * h], vec![])
        };
        Ok(evaluate(formulas, &t.x))
    });
    assert!(r.status.converged(), "{r:#?}");
    assert!(r.x.iter().all(|x| (x - 1.0).abs() < 1e-6));
}

/// A constraint in units a million times too large, from its optimum: λ = 2e6 there, and nothing is
/// infeasible.
#[test]
fn large_multiplier_at_a_feasible_design() {
    let problem = Problem::new(free(2)).unwrap().inequality("g", 1.0).unwrap();
    for start in [[1.0, 0.0], [1.0 + 1e-6, 0.5], [3.0, 1.0]] {
        let mut optimizer = Method::Sqp.start(&problem, Settings::default(), &start).unwrap();
        let r = drive(optimizer.as_mut(), |t| {
            let formulas: crate::common::Formulas =
                |x| (x[0].powi(2) + x[1].powi(2), vec![], vec![1e-6 * (1.0 - &x[0])]);
            Ok(evaluate(formulas, &t.x))
        });
        assert_eq!(r.status, Status::Optimal, "{start:?}");
        assert!((r.x[0] - 1.0).abs() < 1e-7 && r.x[1].abs() < 1e-7, "{start:?}: {:?}", r.x);
        assert!((r.multipliers[0].value - 2e6).abs() < 1.0);
    }
}
