//! Question: what does each part of a certificate cost, beside the run and its gradient?
//!
//! One core, the five-bar as its file runs it and the vehicles over 1 s of their manoeuvres, by an explicit
//! and by an implicit method with steps of 1 ms. Words pick the cases whose names contain all of them.

use gradyn::{Certificate, GradientReport, Method, Prepared, Run, Sensitivity};

/// Repetitions, of which the fastest counts.
const REPEATS: usize = 3;

fn main() {
    println!(
        "parts of a certificate in % of forward and gradient, and runs in units of forward; best of {REPEATS}"
    );
    println!(
        "{:<36} {:>6} {:>9} {:>9} | program products   a + b   moved (runs)  errors",
        "", "steps", "forward", "gradient"
    );
    bench("five_bar", None, ["index3", "newmark"]);
    for name in gradyn::examples::VEHICLES {
        for method in [["index1", "adams-bashforth"], ["ali3p", "newmark"]] {
            bench(name, Some(1.0), method);
        }
    }
}

/// Times a case, if it is asked for.
fn bench(name: &str, end: Option<f64>, [formulation, integrator]: [&str; 2]) {
    let case = format!("{name}, {formulation}, {integrator}");
    let asked = |word: String| word.starts_with('-') || case.contains(&word);
    if !std::env::args().skip(1).all(asked) {
        return;
    }
    // the model, with a stiff iteration of ali3p that is Newton's
    let mut m =
        gradyn::file::read_toml(gradyn::examples::find(name).expect("bundled")).expect("reads").mechanism;
    if let Some(end) = end {
        m.t_end = end.into();
    }
    let model = Prepared::new(&m).unwrap_or_else(|e| panic!("{case}: {e}"));
    let method =
        Method { alpha: 1e11, ..Method::new(formulation, integrator).expect("registered").step(1e-3) };
    // the fastest of each part
    let mut fastest = [f64::INFINITY; 6];
    let mut steps = 0;
    for _ in 0..REPEATS {
        let (run, gradient, certificate) = certified(&model, &method);
        steps = run.trajectory.plan.steps();
        let [a, b, c, d] = certificate.seconds;
        let parts = [run.seconds, gradient.seconds, a, b, c, d];
        fastest.iter_mut().zip(parts).for_each(|(x, part)| *x = x.min(part));
    }
    let [forward, gradient, program, products, moved, errors] = fastest;
    let percent = |s: f64| 100.0 * s / (forward + gradient);
    println!(
        "{case:<36} {steps:>6} {:6.1} ms {:6.1} ms | {:6.0}% {:7.0}% {:6.0}% {:6.0}% ({:4.1}) {:6.0}%",
        1e3 * forward,
        1e3 * gradient,
        percent(program),
        percent(products),
        percent(program + products),
        percent(moved),
        moved / forward,
        percent(errors)
    );
}

/// A run, its gradient and the certificate of that.
fn certified(model: &Prepared, method: &Method) -> (Run, GradientReport, Certificate) {
    let run = model.run(method).expect("runs");
    let gradient = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient");
    let certificate = model.certify(&run, &gradient).expect("a certificate");
    (run, gradient, certificate)
}
