//! [M13, Fig. 3]: the balance of the five-bar by optimisation, iteration by iteration, and by every method
//! that is registered.

use crate::page::Page;
use crate::printed::H;
use crate::runs::{file, method};
use crate::svg::{Plot, Series, marked};
use gradyn::file::ModelFile;
use gradyn::optimize::{Optimization, Report};
use gradyn::registry::combinations;
use gradyn::{Method, Prepared, Sensitivity};
use std::fmt::Write;
use std::ops::ControlFlow;

/// The free lengths that keep P2 in its place, by statics.
const BALANCED: [f64; 2] = [2.43192357446, 1.84486888681];
/// Largest distance from them, and largest ψ, of every method.
const BOUND: [f64; 2] = [1e-6, 1e-12];
/// The methods of the figure: those of the paper, and ours.
const DRAWN: [Sensitivity; 5] = [
    Sensitivity::Direct,
    Sensitivity::AdjointExplicit,
    Sensitivity::AdjointSemiExplicit,
    Sensitivity::DiscreteAdjoint,
    Sensitivity::FiniteDifference,
];

/// An iteration: ψ, its gradient, the parameters.
type Iteration = (f64, Vec<f64>, Vec<f64>);

/// A run from the design as drawn, and its iterations, the start first.
fn run(file: &ModelFile, model: &Prepared, m: Method, s: Sensitivity) -> (Report, Vec<Iteration>) {
    let study = Optimization::new(file, model, m, s, None).expect("a study");
    let mut iterations = vec![];
    let report = study.run(&[], &mut |told| {
        if let (Ok(e), true) = (&told.record.outcome, told.now.iterations == iterations.len()) {
            iterations.push((e.value, e.gradient.clone(), told.record.trial.x.clone()));
        }
        ControlFlow::Continue(())
    });
    (report.expect("runs"), iterations)
}

/// Objective of all methods; gradient and parameters of the explicit adjoint, as in the paper.
fn figure(file: &ModelFile, model: &Prepared) -> Vec<Plot> {
    let runs = DRAWN.map(|s| (s.name(), run(file, model, method("maggi", "rk4").step(H), s).1));

    // lines over the iterations
    let line = |name: &str, list: &[Iteration], f: &dyn Fn(&Iteration) -> f64| -> Series {
        marked(name, list.iter().enumerate().map(|(k, i)| [k as f64, f(i)]).collect())
    };
    let (_, paper) = &runs[1];
    let objective = runs.iter().map(|(name, list)| line(name, list, &|i| i.0.log10())).collect();
    let gradient = (0..2).map(|k| line(["dψ/dL₀₁", "dψ/dL₀₂"][k], paper, &|i| i.1[k])).collect();
    let parameters = (0..2).map(|k| line(["L₀₁", "L₀₂"][k], paper, &|i| i.2[k])).collect();

    // three panels
    let plot = |title: &str, label, series| Plot {
        title: title.into(),
        labels: ["iteration", label],
        log: false,
        series,
    };
    vec![
        plot("Objective", "log₁₀ ψ", objective),
        plot("Gradient, adjoint-explicit", "[m]", gradient),
        plot("Parameters, adjoint-explicit", "[m]", parameters),
    ]
}

/// Evaluations of every method, ψ and the distance from the balance of the worst in a row; what is beyond the
/// bounds.
fn table(file: &ModelFile, model: &Prepared) -> (String, Vec<String>) {
    let names: Vec<&str> = Sensitivity::ALL.iter().map(|s| s.name()).collect();
    let mut out =
        format!("| formulation + integrator | `{}` | largest ψ | largest distance |\n", names.join("` | `"));
    out += &format!("| --- |{}\n", " --: |".repeat(names.len() + 2));
    let mut wrong = vec![];
    for (formulation, integrator) in combinations() {
        let _ = write!(out, "| `{}` + `{}` ", formulation.name(), integrator.name());
        let mut worst = [0f64; 2];

        // one optimisation for each sensitivity that fits
        for s in Sensitivity::ALL {
            if !s.fits(formulation) {
                out += "| ";
                continue;
            }
            let m = Method { formulation, integrator, ..Method::default() }.step(H);
            let end = run(file, model, m, *s).0.end;
            let distance = end.x.iter().zip(BALANCED).map(|(x, exact)| (x - exact).abs()).fold(0.0, f64::max);
            worst = [worst[0].max(end.value), worst[1].max(distance)];
            let _ = write!(out, "| {} ", end.evaluations);
            if distance > BOUND[0] || end.value > BOUND[1] || !end.status.converged() {
                wrong.push(format!(
                    "M13 Fig. 3, {} + {}, {}: {}",
                    formulation.name(),
                    integrator.name(),
                    s.name(),
                    end.status
                ));
            }
        }
        let _ = writeln!(out, "| {:.0e} | {:.0e} |", worst[0], worst[1]);
    }
    (out, wrong)
}

/// The section; what does not hold.
pub(crate) fn study(page: &mut Page) -> Vec<String> {
    let file = file("five_bar_balance", &[]);
    let model = Prepared::new(&file.mechanism).expect("builds");
    page.add(include_str!("text/m13_3.md"));
    page.figure("m13_fig3", &figure(&file, &model));
    let (text, wrong) = table(&file, &model);
    let count = combinations().iter().flat_map(|c| Sensitivity::ALL.iter().filter(|s| s.fits(c.0))).count();
    page.add(&format!(
        "Evaluations with gradients until the first-order conditions hold to 1e-9, by all {count} methods \
         at h = {H} s, from L₀₁ = √5, L₀₂ = √4.25:\n"
    ));
    page.add(&text);
    wrong
}
