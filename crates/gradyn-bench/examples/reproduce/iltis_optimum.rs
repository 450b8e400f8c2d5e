//! [P14, Table 7, Figs. 6 and 7]: comfort of the Iltis before and after its optimisation.

use crate::iltis::{OPTIMUM, PRINTED_PSI, fine};
use crate::page::Page;
use crate::runs::{file, method};
use crate::svg::{Plot, Series};
use gradyn::optimize::{End, Optimization, Told};
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use std::fmt::Write;
use std::ops::ControlFlow;

const NAMES: [&str; 6] = ["kL1", "kL2", "cS1", "cS2", "kS1", "kS2"];
const DEFAULT: [f64; 6] = [35906.0, 35906.0, 9945.627, 9945.627, 28397000.0, 28397000.0];
/// ψ* and parameters by an independent model.
const PSI: f64 = 42.10331710720364;
const REFERENCE: [f64; 6] =
    [0.0, 0.0, 10680.187319299226, 9805.385031758977, 28387684.198691193, 28386044.135459915];
/// Largest distance of ψ* with a high-order integrator; of the parameters, relative to the reference;
/// relative distance of ψ* with Newmark.
const BOUND: [f64; 3] = [1e-3, 1e-3, 1e-3];

/// An optimisation.
struct Done {
    end: End,
    /// Parameters after each iteration, the start first.
    iterations: Vec<Vec<f64>>,
}

/// From a start, with a method; at most 120 evaluations, as the file says.
fn optimised(start: [f64; 6], m: Method) -> Done {
    let mut file = file("iltis", &[]);
    file.mechanism.parameters.iter_mut().zip(start).for_each(|(p, x)| p.value = x.into());
    let model = Prepared::new_in(&file.mechanism, Coordinates::Relative0).expect("builds");
    let study = Optimization::new(&file, &model, m, Sensitivity::DiscreteAdjoint, None).expect("a study");
    let mut iterations = vec![start.to_vec()];
    let report = study.run(&[], &mut |told: &Told| {
        if told.now.iterations == iterations.len() {
            iterations.push(told.now.x.clone());
        }
        ControlFlow::Continue(())
    });
    let end = report.expect("runs").end;
    println!("   ψ = {:.5} after {} evaluations", end.value, end.evaluations);
    Done { end, iterations }
}

/// Largest distance of the parameters from the reference, relative where that is not zero.
fn distance(x: &[f64]) -> f64 {
    x.iter().zip(REFERENCE).map(|(x, r)| (x - r).abs() / r.abs().max(1.0)).fold(0.0, f64::max)
}

/// Table 7, and what each run needed.
fn table(runs: &[(&str, Done)]) -> String {
    // parameters
    let mut out = String::from("## P14 Table 7\n\n| | before | after, printed | reference |");
    runs.iter().for_each(|(name, _)| out += &format!(" {name} |"));
    out += &format!("\n| --- |{}\n", " --: |".repeat(3 + runs.len()));
    for (k, name) in NAMES.iter().enumerate() {
        let _ = write!(out, "| {name} | {:.1} | {:.0} | {:.1} ", DEFAULT[k], OPTIMUM[k], REFERENCE[k]);
        runs.iter().for_each(|(_, d)| out += &format!("| {:.1} ", d.end.x[k]));
        out += "|\n";
    }

    // ψ, and how the runs ended
    let mut line = |name: &str, printed: String, exact: String, f: &dyn Fn(&Done) -> String| {
        let _ = write!(out, "| {name} | {printed} | {exact} ");
        runs.iter().for_each(|(_, d)| out += &format!("| {} ", f(d)));
        out += "|\n";
    };
    let [before, after] = PRINTED_PSI;
    line("ψ", format!("{before:.0} | {after:.0}"), format!("{PSI:.5}"), &|d| format!("{:.5}", d.end.value));
    line("status", " | ".into(), String::new(), &|d| format!("`{}`", d.end.status.name()));
    line("iterations", " | 43".into(), String::new(), &|d| d.end.iterations.to_string());
    line("evaluations", " | ".into(), String::new(), &|d| d.end.evaluations.to_string());
    line("failed", " | ".into(), String::new(), &|d| d.end.failures.len().to_string());
    out
}

/// What does not hold: both starts with a high-order integrator, and Newmark.
fn wrong(runs: &[(&str, Done)]) -> Vec<String> {
    let far = |d: &Done| {
        (d.end.value - PSI).abs() > BOUND[0] || distance(&d.end.x) > BOUND[1] || d.end.evaluations > 120
    };

    // parameters and ψ of the first two
    let mut list = vec![];
    for (name, d) in &runs[..2] {
        if far(d) || !d.end.status.converged() {
            list.push(format!(
                "P14 Table 7, {name}: {} with ψ = {}, {:.0e} away",
                d.end.status,
                d.end.value,
                distance(&d.end.x)
            ));
        }
    }

    // ψ of Newmark
    let newmark = &runs[2].1.end;
    if (newmark.value / PSI - 1.0).abs() > BOUND[2] {
        list.push(format!("P14 Table 7, newmark: ψ = {}", newmark.value));
    }
    list
}

/// Fig. 6: springs, dampers, springs on the dampers, over the iterations.
fn figure_6(d: &Done) -> Vec<Plot> {
    let line = |k: usize, zero: f64| Series {
        name: NAMES[k].into(),
        points: d.iterations.iter().enumerate().map(|(n, x)| [n as f64, x[k] - zero]).collect(),
        marked: true,
    };
    let plot = |title: &str, label, first: usize, zero: f64| {
        let series = vec![line(first, zero), line(first + 1, zero)];
        Plot { title: title.into(), labels: ["iteration", label], log: false, series }
    };
    vec![
        plot("Leaf springs, rear and front", "[N/m]", 0, 0.0),
        plot("Dampers, rear and front", "[N s/m]", 2, 0.0),
        plot("Springs on the dampers, rear and front", "change [N/m]", 4, DEFAULT[4]),
    ]
}

/// Fig. 7: vertical acceleration of the chassis before and after.
fn figure_7(after: &[f64]) -> Vec<Plot> {
    let model = Prepared::new_in(&file("iltis", &[]).mechanism, Coordinates::Relative0).expect("builds");
    let column = 1 + model.model.columns.iter().position(|c| c == "az").expect("an output of the example");
    let line = |name: &str, x: &[f64]| {
        let model = model.at(x).expect("assembles");
        let table = model.table(&model.run(&fine()).expect("runs"), Some(2.5e-3)).expect("a table");
        Series {
            name: name.into(),
            points: table.rows.iter().map(|r| [r[0], r[column]]).collect(),
            marked: false,
        }
    };

    // both in one panel
    let series = vec![line("before", &DEFAULT), line("after", after)];
    vec![Plot {
        title: "Vertical acceleration of the chassis".into(),
        labels: ["t [s]", "[m/s²]"],
        log: false,
        series,
    }]
}

/// The sections; what does not hold.
pub(crate) fn study(page: &mut Page) -> Vec<String> {
    let high = || Method { max_steps: 10000, ..fine() };
    let runs = [
        ("`maggi` + `dopri5`", optimised(DEFAULT, high())),
        ("the same from the printed optimum", optimised(OPTIMUM, high())),
        ("`ali3p` + `newmark`, 1 ms", optimised(DEFAULT, method("ali3p", "newmark").step(1e-3))),
        (
            "`index1` + `adams-bashforth`, 1 ms",
            optimised(DEFAULT, method("index1", "adams-bashforth").step(1e-3)),
        ),
    ];
    page.add(&table(&runs));
    page.add(include_str!("text/p14_7.md"));
    page.add("## P14 Fig. 6\n");
    page.figure("p14_fig6", &figure_6(&runs[0].1));
    page.add("## P14 Fig. 7\n");
    page.figure("p14_fig7", &figure_7(&runs[0].1.end.x));
    wrong(&runs)
}
