//! B92: the gradient of the manipulator (Eq. 77), errors of the methods (Figs. 3, 4, 6) and their cost (Fig.
//! 7).
//!
//! As in the paper: Adams steps of variable order, the state-space adjoint, one-sided differences of runs
//! with their own steps, and the extrapolation of Eqs. 64–68, which here keeps the steps of the run.

use crate::printed::{B92, B92_PARAMETERS, B92_RHO};
use crate::runs::{Function, example, method, timed};
use crate::svg::{Plot, marked};
use gradyn::{Method, Prepared, Sensitivity};
use gradyn_testkit::reference::MANIPULATOR;
use std::fmt::Write;

/// ∇ψ of the oscillator [B92, after Eq. 75].
const OSCILLATOR: [f64; 2] = [-0.25, 1.0];
/// Perturbations of Figs. 4 and 6, relative to the parameter.
const PERTURBATIONS: [f64; 4] = [1e-2, 1e-4, 1e-6, 1e-8];
/// Tolerance of Figs. 3 and 7.
const FIXED: f64 = 1e-9;

fn adams(ε: f64) -> Method {
    method("maggi", "adams").tolerance(ε, ε)
}

/// The manipulator; only the first parameters are variable, the others are numbers in its file.
fn manipulator(variable: usize) -> Prepared {
    let mut text = gradyn::examples::find("manipulator").expect("a bundled example").to_owned();
    for (name, value) in B92_PARAMETERS.iter().zip(B92_RHO).skip(variable) {
        let kept: Vec<&str> =
            text.lines().filter(|l| !(l.starts_with(&format!("{name} ")) && l.contains("value ="))).collect();
        text = kept.join("\n").replace(&format!("\"{name}\""), &value.to_string());
    }
    let file = gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(model.parameters().len(), variable);
    model
}

/// A table of the points of all series, which share their x.
pub(crate) fn table(x: &str, plot: &Plot) -> String {
    // numbers as the axes have them
    let series = &plot.series;
    let [at, value] = [0, 1].map(|digits| {
        move |x: f64| if plot.log { format!("{x:.digits$e}") } else { format!("{x:.digits$}") }
    });
    let names: Vec<&str> = series.iter().map(|s| s.name.as_str()).collect();
    let mut out = format!(
        "{}:\n\n| {x} | {} |\n| --: |{}\n",
        plot.title,
        names.join(" | "),
        " --: |".repeat(series.len())
    );

    // one row for each x
    for k in 0..series[0].points.len() {
        let _ = write!(out, "| {} ", at(series[0].points[k][0]));
        series.iter().for_each(|s| {
            let _ = write!(out, "| {} ", value(s.points[k][1]));
        });
        out += "|\n";
    }
    out
}

/// Eq. 77 by three methods.
pub(crate) fn equation_77() -> String {
    // by two adjoints and by extrapolation
    let model = manipulator(6);
    let adjoint = Function::gradient(&model, &adams(1e-13), Sensitivity::AdjointStateSpace).1;
    let discrete = Function::gradient(
        &model,
        &method("maggi", "dop853").tolerance(1e-13, 1e-13),
        Sensitivity::DiscreteAdjoint,
    )
    .1;
    let extrapolated = Function::gradient(&model, &adams(1e-13), Sensitivity::Extrapolated).1;

    // the table
    let mut out = String::from(
        "| entry | printed | exact | `adams`, `adjoint-state-space` | - exact | `dop853`, \
         `discrete-adjoint` | - exact | `adams`, `extrapolated` | - exact |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for (k, exact) in MANIPULATOR.iter().enumerate() {
        let _ = write!(out, "| dψ/d{} | {} | {exact:.10e} ", B92_PARAMETERS[k], B92[k]);
        for rows in [&adjoint, &discrete, &extrapolated] {
            let _ = write!(out, "| {:.10e} | {:+.0e} ", rows[0][k], rows[0][k] - exact);
        }
        out += "|\n";
    }
    out
}

/// Fig. 3: errors of dψ/dc of the oscillator over the perturbation.
pub(crate) fn figure_3() -> Plot {
    let model = example("oscillator", &[]);
    let perturbations: Vec<f64> = (1..=20).map(|k| 10f64.powf(-0.5 * k as f64)).collect();
    let error = |g: f64| (g - OSCILLATOR[0]).abs();

    // errors of three methods
    let adjoint = error(Function::gradient(&model, &adams(FIXED), Sensitivity::AdjointStateSpace).1[0][0]);
    let difference = |δ: f64| error(model.forward(&adams(FIXED), &[δ])[0][0]);
    let extrapolated = |δ: f64| {
        let m = Method { extrapolation_step: δ, extrapolation_tol: 1e-8, ..adams(FIXED) };
        error(Function::gradient(&model, &m, Sensitivity::Extrapolated).1[0][0])
    };

    // over the perturbation
    let of = |f: &dyn Fn(f64) -> f64| perturbations.iter().map(|&δ| [δ, f(δ)]).collect();
    let series = vec![
        marked("adjoint", of(&|_| adjoint)),
        marked("differences", of(&difference)),
        marked("extrapolation", of(&extrapolated)),
    ];
    Plot {
        title: "Oscillator, dψ/dc at ε = 1e-9".into(),
        labels: ["Δp (extrapolation: the first)", "error"],
        log: true,
        series,
    }
}

/// Errors of entry `k` over the tolerance, by the adjoint and by differences.
fn over_tolerance(model: &impl Function, title: &str, k: usize, exact: f64) -> Plot {
    let tolerances: Vec<f64> = (3..=12).map(|e| f64::powi(10.0, -e)).collect();
    let adjoint = |ε: f64| Function::gradient(model, &adams(ε), Sensitivity::AdjointStateSpace).1[0][k];
    let difference = |ε: f64, δ: f64| {
        let mut steps = vec![δ; k + 1];
        steps[k] = δ * model.rho()[k].abs();
        model.forward(&adams(ε), &steps)[0][k]
    };
    let of = |f: &dyn Fn(f64) -> f64| tolerances.iter().map(|&ε| [ε, (f(ε) - exact).abs()]).collect();
    let mut series = vec![marked("adjoint", of(&adjoint))];
    series
        .extend(PERTURBATIONS.map(|δ| marked(format!("differences, {δ:.0e} p"), of(&|ε| difference(ε, δ)))));
    Plot { title: title.into(), labels: ["tolerance ε", "error"], log: true, series }
}

/// Fig. 4: (a) and (b).
pub(crate) fn figure_4() -> Vec<Plot> {
    let model = example("oscillator", &[]);
    let titles = ["(a) Oscillator, dψ/dc", "(b) Oscillator, dψ/dz₀"];
    (0..2).map(|k| over_tolerance(&model, titles[k], k, OSCILLATOR[k])).collect()
}

/// Fig. 6: (a) and (b).
pub(crate) fn figure_6() -> Vec<Plot> {
    let titles = ["(a) Manipulator, dψ/dF1Z", "(b) Manipulator, dψ/dL1Z"];
    (0..2).map(|k| over_tolerance(&manipulator(6), titles[k], k, MANIPULATOR[k])).collect()
}

/// Fig. 7: time of run and gradient over the number of parameters, in times of a run.
pub(crate) fn figure_7() -> Plot {
    let m = adams(FIXED);
    let models: Vec<Prepared> = (1..=6).map(manipulator).collect();

    // times in units of a run
    let (_, unit) = timed(|| models[5].psi(&B92_RHO, &m));
    let over = |f: &dyn Fn(usize) -> f64| (1..=6).map(|n| [n as f64, f(n) / unit]).collect();
    let by = |s: Sensitivity| over(&|n| timed(|| Function::gradient(&models[n - 1], &m, s)).1);
    let differences = over(&|n| {
        let δ: Vec<f64> = B92_RHO[..n].iter().map(|x| 1e-6 * x).collect();
        timed(|| models[n - 1].forward(&m, &δ)).1
    });
    let series = vec![
        marked("state-space adjoint", by(Sensitivity::AdjointStateSpace)),
        marked("differences", differences),
        marked("discrete adjoint", by(Sensitivity::DiscreteAdjoint)),
    ];
    Plot {
        title: "Manipulator, ε = 1e-9".into(),
        labels: ["number of parameters", "time / time of a run"],
        log: false,
        series,
    }
}
