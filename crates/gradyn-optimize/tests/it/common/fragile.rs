//! A problem whose natural steps leave the region where it can be evaluated.
//!
//! ```text
//! r_i = ln x_i - ln c_i,   f = ½ rᵀr,   x = c = (1, 2, 3);   nothing for x_i ≤ 0
//! ```
//! From x = 20, the linearised residuals vanish at x = 20 - 20 ln(20/c) < 0.

use super::free;
use gradyn_optimize::{Evaluation, Failed, Method, Outcome, Problem};

pub(crate) const START: [f64; 3] = [20.0; 3];
pub(crate) const MINIMISER: [f64; 3] = [1.0, 2.0, 3.0];

pub(crate) fn problem(method: Method) -> Problem {
    let problem = Problem::new(free(3)).unwrap();
    // x₁ + x₂ = x₃, which holds at the minimiser
    if method.constraints() { problem.equality("sum", 1.0).unwrap() } else { problem }
}

pub(crate) fn evaluate(problem: &Problem, x: &[f64]) -> Outcome {
    if let Some(i) = (0..3).find(|i| x[*i] <= 0.0) {
        return Err(Failed { reason: format!("x{} is not positive", i + 1) });
    }
    let values = (0..3).map(|i| (x[i] / MINIMISER[i]).ln()).collect();
    let jacobian = (0..9).map(|k| if k % 4 == 0 { 1.0 / x[k / 4] } else { 0.0 }).collect();
    let e = Evaluation::least_squares(values, jacobian, 3);
    Ok(if problem.m() > 0 { e.constrained(vec![x[0] + x[1] - x[2]], vec![1.0, 1.0, -1.0]) } else { e })
}
