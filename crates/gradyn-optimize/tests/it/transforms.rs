//! Scales and transforms.

use crate::common::rosenbrock;
use gradyn_optimize::{Evaluation, Method, Problem, Report, Settings, Side, Transform, Variable, drive};

const TRANSFORMS: [Transform; 3] = [Transform::Identity, Transform::Log, Transform::Bounded];

fn variables(transform: Transform, scale: f64) -> Vec<Variable> {
    ["x", "y"].map(|name| Variable::between(name, 0.01, 3.0).scale(scale).transform(transform)).to_vec()
}

fn run(method: Method, problem: &Problem, evaluate: impl Fn(&[f64]) -> Evaluation) -> Report {
    drive(method.start(problem, Settings::default(), &[0.4, 2.0]).unwrap().as_mut(), |t| Ok(evaluate(&t.x)))
}

/// The minimiser is the same in all variables and scales.
#[test]
fn minimiser_does_not_depend_on_them() {
    for transform in TRANSFORMS {
        for scale in [1.0, 0.2] {
            for value_scale in [1.0, 30.0] {
                let problem =
                    Problem::new(variables(transform, scale)).unwrap().value_scale(value_scale).unwrap();
                for method in [Method::Lbfgsb, Method::Sqp, Method::Slsqp] {
                    let r = run(method, &problem, rosenbrock);
                    assert!(
                        r.x.iter().all(|x| (x - 1.0).abs() < 1e-5),
                        "{} {transform:?} {scale}: {r:#?}",
                        method.name()
                    );
                }
            }
        }
    }
}

/// A bounded transform has no bounds left: BFGS takes it, and designs stay inside.
#[test]
fn bounded_transform_for_methods_without_bounds() {
    let problem = Problem::new(variables(Transform::Bounded, 1.0)).unwrap();
    let mut optimizer = Method::Bfgs.start(&problem, Settings::default(), &[0.4, 2.0]).unwrap();
    let r = drive(optimizer.as_mut(), |t| {
        assert!(t.x.iter().all(|x| (0.01..=3.0).contains(x)));
        Ok(rosenbrock(&t.x))
    });
    assert!(r.status.converged() && r.x.iter().all(|x| (x - 1.0).abs() < 1e-6));
}

/// Designs never leave the bounds, with any method and any rounding.
#[test]
fn bounds_are_respected() {
    for &method in Method::ALL.iter().filter(|m| m.bounds()) {
        for scale in [1.0, 0.3, 7.7] {
            let lower = 0.1;
            let upper = 0.7;
            let bounded = |name| Variable::between(name, lower, upper).scale(scale);
            let problem = Problem::new(vec![bounded("x"), bounded("y")]).unwrap();

            // every trial is inside, and the end is on the upper bound of x
            let mut optimizer = method.start(&problem, Settings::default(), &[0.1, 0.7]).unwrap();
            let r = drive(optimizer.as_mut(), |t| {
                assert!(t.x.iter().all(|x| (lower..=upper).contains(x)), "{}: {:?}", method.name(), t.x);
                let r = vec![10.0 * (t.x[1] - t.x[0] * t.x[0]), 1.0 - t.x[0]];
                Ok(Evaluation::least_squares(r, vec![-20.0 * t.x[0], 10.0, -1.0, 0.0], 2))
            });
            assert!(r.status.converged(), "{}: {}", method.name(), r.status);
            assert!(
                (r.x[0] - 0.7).abs() < 1e-9 && (r.x[1] - 0.49).abs() < 1e-6,
                "{}: {:?}",
                method.name(),
                r.x
            );
        }
    }
}

/// From near the lower bound the full step of Gauss–Newton ends at the upper one, where x_z and so f_z
/// vanish: not the minimum.
#[test]
fn flat_end_of_a_transform_is_no_minimum() {
    for method in [Method::GaussNewton, Method::LevenbergMarquardt] {
        let problem =
            Problem::new(vec![Variable::between("x", 0.0, 1.0).transform(Transform::Bounded)]).unwrap();
        let fit = |x: &[f64]| Evaluation::least_squares(vec![x[0] - 0.9], vec![1.0], 1);
        let mut optimizer = method.start(&problem, Settings::default(), &[1e-3]).unwrap();
        let r = drive(optimizer.as_mut(), |t| Ok(fit(&t.x)));
        assert!(r.status.converged() && (r.x[0] - 0.9).abs() < 1e-6, "{}: {r:#?}", method.name());
        assert!(r.failures.iter().all(|f| f.reason.starts_with("x is where its transform is flat")));
    }
}

/// A minimum on the bound is reported with the multiplier f_x of the identity.
#[test]
fn minimum_at_the_flat_end_is_on_its_bound() {
    for transform in [Transform::Identity, Transform::Bounded] {
        let problem = Problem::new(vec![Variable::between("x", 0.0, 1.0).transform(transform)]).unwrap();
        let mut optimizer = Method::Lbfgsb.start(&problem, Settings::default(), &[0.5]).unwrap();
        let r = drive(optimizer.as_mut(), |t| {
            Ok(Evaluation::new((t.x[0] - 2.0).powi(2), vec![2.0 * (t.x[0] - 2.0)]))
        });
        assert!(r.status.converged() && r.active.len() == 1, "{transform:?}: {r:#?}");
        assert!(
            r.active[0].side == Side::Upper && (r.active[0].multiplier + 2.0).abs() < 1e-6,
            "{transform:?}: {r:#?}"
        );
    }
}
