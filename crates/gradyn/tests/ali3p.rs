//! The augmented Lagrangian iteration with projections [A22, Eqs. 1–3] on the five-bar.

use gradyn::{Method, Prepared, Run, Sensitivity};
use gradyn_model::{LEVEL, System};
use gradyn_sensitivity::Gradient;

fn five_bar(t_end: f64) -> Prepared {
    let text = gradyn::examples::find("five_bar").expect("bundled");
    let mut file = gradyn::file::read_toml(text).expect("parses");
    file.mechanism.t_end = t_end.into();
    Prepared::new(&file.mechanism).expect("builds")
}

fn method(options: &[(&str, &str)]) -> Method {
    let mut m = Method::new("ali3p", "newmark").expect("registered");
    options.iter().for_each(|(name, value)| m.set(name, value).unwrap_or_else(|e| panic!("{e}")));
    m
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.simulate(method, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}"))
}

fn adjoint(model: &Prepared, run: &Run) -> Gradient {
    model.gradient(run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}")).rows
}

/// Largest distance of two gradients, relative to the largest entry of a row.
fn distance(a: &Gradient, b: &Gradient) -> f64 {
    let row = |a: &[f64], b: &[f64]| {
        let size = b.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        a.iter().zip(b).fold(0.0f64, |s, (a, b)| s.max((a - b).abs())) / size
    };
    a.iter().zip(b).fold(0.0f64, |s, (a, b)| s.max(row(a, b)))
}

/// How (9) is iterated changes the number of iterations, not the gradient: `cargo test --test ali3p -- --nocapture` prints the
/// table of docs/design/16-ali3p.md.
#[test]
fn options_of_the_iteration_leave_the_gradient_alone() {
    let model = five_bar(5.0);
    for h in [5e-3, 1e-3] {
        let truth = adjoint(&model, &run(&model, &method(&[]).step(h)));
        for options in [
            &[][..],
            &[("reduction", "0.9")],
            &[("reduction", "0.8")],
            &[("tangent", "truncated")],
            &[("tangent", "truncated"), ("reduction", "0.9")],
        ] {
            let run = run(&model, &method(options).step(h));
            let s = run.trajectory.statistics;
            let per = |x: usize| x as f64 / s.steps as f64;
            let d = distance(&adjoint(&model, &run), &truth);
            println!(
                "{h} {options:?}: {:.2} iterations, {:.2} factorisations a step, gradient {d:.1e}",
                per(s.iterations),
                per(s.factorizations)
            );
            // 1e-10 at 5 ms; rounding of a = Δq/(βh²) grows as h falls
            assert!(d <= 1e-10 * (5e-3 / h), "{options:?}: the gradient moved by {d:.1e}");
        }
    }
}
