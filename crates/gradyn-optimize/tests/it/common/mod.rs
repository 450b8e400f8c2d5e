//! Test problems with published optima, as formulas over dual numbers: value and exact gradient from one
//! expression.
#![allow(dead_code)] // every test file uses a part

pub(crate) mod dual;
pub(crate) mod fragile;
pub(crate) mod hs;

use dual::{Dual, gradient};
use gradyn_optimize::{Evaluation, Method, Outcome, Problem, Report, Settings, Trial, Variable, drive};

/// f, h, g of dual numbers.
pub(crate) type Formulas = fn(&[Dual]) -> (Dual, Vec<Dual>, Vec<Dual>);

/// A problem whose minimum is known.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub name: String,
    pub problem: Problem,
    pub start: Vec<f64>,
    pub formulas: Formulas,
    /// Published value.
    pub value: f64,
    /// Published minimiser, where it is unique and well conditioned.
    pub minimiser: Option<Vec<f64>>,
}

impl Case {
    /// The problem evaluated.
    pub(crate) fn evaluate(&self, x: &[f64]) -> Evaluation {
        evaluate(self.formulas, x)
    }
    /// A method run to its end.
    pub(crate) fn run(&self, method: Method, settings: Settings) -> Report {
        let mut optimizer = method.start(&self.problem, settings, &self.start).unwrap();
        drive(optimizer.as_mut(), |trial| Ok(self.evaluate(&trial.x)))
    }
    /// Value and minimiser agree with the published ones, relative to max(1, |·|).
    pub(crate) fn check(&self, report: &Report, tol: f64) {
        let near = |a: f64, b: f64| (a - b).abs() <= tol * b.abs().max(1.0);
        assert!(
            near(report.value, self.value),
            "{}: f = {} not {} {report:#?}",
            self.name,
            report.value,
            self.value
        );
        assert!(report.violation <= tol, "{}: violation {}", self.name, report.violation);
        for (x, at) in self.minimiser.iter().flat_map(|at| report.x.iter().zip(at)) {
            assert!(near(*x, *at), "{}: x = {:?} not {:?}", self.name, report.x, self.minimiser);
        }
    }
}

/// Value, gradient, constraints and Jacobian of formulas.
pub(crate) fn evaluate(formulas: Formulas, x: &[f64]) -> Evaluation {
    let (f, h, g) = formulas(&Dual::variables(x));
    let c: Vec<Dual> = h.into_iter().chain(g).collect();
    let jacobian = c.iter().flat_map(|c| gradient(c, x.len())).collect();
    Evaluation::new(f.value, gradient(&f, x.len())).constrained(c.iter().map(|c| c.value).collect(), jacobian)
}

/// The design alone, for `drive`.
pub(crate) fn of(evaluate: impl Fn(&[f64]) -> Outcome) -> impl FnMut(&Trial) -> Outcome {
    move |trial| evaluate(&trial.x)
}

/// Chained Rosenbrock function, Σ 100 (x_{i+1} - x_i²)² + (1 - x_i)².
pub(crate) fn rosenbrock(x: &[f64]) -> Evaluation {
    let n = x.len();
    let mut f = 0.0;
    let mut g = vec![0.0; n];
    for i in 0..n - 1 {
        let a = x[i + 1] - x[i] * x[i];
        let b = 1.0 - x[i];
        f += 100.0 * a * a + b * b;
        g[i] += -400.0 * x[i] * a - 2.0 * b;
        g[i + 1] += 200.0 * a;
    }
    Evaluation::new(f, g)
}

/// Variables x1, x2, … without bounds.
pub(crate) fn free(n: usize) -> Vec<Variable> {
    (1..=n).map(|i| Variable::free(format!("x{i}"))).collect()
}

/// Variables x1, x2, … between bounds.
pub(crate) fn between(bounds: &[(f64, f64)]) -> Vec<Variable> {
    bounds.iter().enumerate().map(|(i, b)| Variable::between(format!("x{}", i + 1), b.0, b.1)).collect()
}
