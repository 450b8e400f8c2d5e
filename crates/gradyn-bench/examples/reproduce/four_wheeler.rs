//! [A22, Table 3 and Fig. 3]: the four-wheeler down a step of 1 cm; its gradient, and how it grows backwards
//! in time.

use crate::page::Page;
use crate::runs::{Function, edited, method, timed};
use crate::svg::{Plot, Series};
use gradyn::{Coordinates, Prepared, Sensitivity};
use std::fmt::Write;

const STEP: f64 = 1e-3;
const FAMILIES: [Coordinates; 3] = [Coordinates::Natural, Coordinates::Relative0, Coordinates::Relative1];
/// Points of a line of the figure.
const POINTS: usize = 400;

/// Rows of the table: RTdyn0, RTdyn1, natural and reference of A22; the reference of our model, by minimal
/// coordinates, to 7 digits.
const PRINTED: [[f64; 4]; 5] = [
    [2.052e-4, 2.054e-4, 2.052e-4, 2.054e-4],
    [9.336e-4, 9.336e-4, 9.336e-4, 9.336e-4],
    [-3.843e-5, -3.844e-5, -3.814e-5, -3.814e-5],
    [7.532e-4, 7.532e-4, 7.532e-4, 7.532e-4],
    [4.060e-2, 4.058e-2, 4.092e-2, 4.090e-2],
];
const GRADIENT: [f64; 5] = [1.277012e-06, 1.929381e-05, 1.498395e-06, 2.943063e-05, -0.0006354332];
const PSI: f64 = 0.230496999;
/// Largest distance of an entry from the reference, relative to it: the error of the step.
const BOUND: f64 = 2e-3;

/// A run with its gradient and the running sums of [A22, Fig. 3].
struct Column {
    name: String,
    psi: f64,
    rows: Vec<f64>,
    /// (t, sum over the records from the end to t) for each parameter.
    sums: Vec<Vec<[f64; 2]>>,
    seconds: f64,
}

fn column(family: Coordinates) -> Column {
    let model = Prepared::new_in(&edited("four_wheeler", &[]), family).expect("builds");
    let m = method("ali3p", "newmark").step(STEP);
    let ((psi, rows), seconds) = timed(|| Function::gradient(&model, &m, Sensitivity::DiscreteAdjoint));

    // what each record adds, from the end, at some of the records
    let run = model.run(&m).expect("runs");
    let (_, parts) = model.contributions(&run).expect("sweeps");
    let t = &run.trajectory.plan.t;
    let every = t.len().div_ceil(POINTS);
    let sums = (0..GRADIENT.len()).map(|k| {
        let mut sum = 0.0;
        let mut line: Vec<[f64; 2]> = (0..t.len())
            .rev()
            .map(|n| {
                sum += parts.records[n][0][k];
                [t[n], sum]
            })
            .collect();
        let last = line.len() - 1;
        let mut n = 0;
        line.retain(|_| {
            n += 1;
            (n - 1) % every == 0 || n - 1 == last
        });
        line
    });
    Column {
        name: family.name().into(),
        psi: psi[0],
        sums: sums.collect(),
        rows: rows.into_iter().next().expect("one objective"),
        seconds,
    }
}

/// Largest relative distance of two entries of a row.
fn spread(row: &[f64]) -> f64 {
    let (low, high) = row.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    (high - low) / low.abs().max(high.abs())
}

fn table(names: &[String], columns: &[Column]) -> (String, Vec<String>) {
    // head
    let mut out = String::from("## A22 Table 3\n\n| entry ");
    out += "| printed: RTdyn0 | RTdyn1 | ALI3-P | reference | our reference ";
    let mut wrong = vec![];
    columns.iter().for_each(|c| {
        let _ = write!(out, "| `{}` | - reference ", c.name);
    });
    out += &format!("|\n| --- |{}\n", " --: |".repeat(5 + 2 * columns.len()));

    // entries of the gradient, ψ
    for (k, name) in names.iter().enumerate() {
        let printed: Vec<String> = PRINTED[k].iter().map(|x| format!("{x:.3e}")).collect();
        let _ = write!(out, "| dψ/d{name} | {} | {:.6e} ", printed.join(" | "), GRADIENT[k]);
        for c in columns {
            let off = c.rows[k] - GRADIENT[k];
            let _ = write!(out, "| {:.6e} | {off:+.1e} ", c.rows[k]);
            if off.abs() > BOUND * GRADIENT[k].abs() {
                wrong.push(format!("A22 Table 3, {}, dψ/d{name}: {} for {}", c.name, c.rows[k], GRADIENT[k]));
            }
        }
        out += "|\n";
    }
    let _ = write!(out, "| ψ | | | | | {PSI} ");
    columns.iter().for_each(|c| {
        let _ = write!(out, "| {:.9} | {:+.1e} ", c.psi, c.psi - PSI);
    });
    out += &summary(columns);
    (out, wrong)
}

/// Distances between the coordinates and from the reference, and times.
fn summary(columns: &[Column]) -> String {
    let ours = (0..GRADIENT.len())
        .map(|k| spread(&columns.iter().map(|c| c.rows[k]).collect::<Vec<_>>()))
        .fold(0.0, f64::max);
    let print = PRINTED.iter().map(|row| spread(&row[..3])).fold(0.0, f64::max);
    let far = columns
        .iter()
        .flat_map(|c| c.rows.iter().zip(&GRADIENT))
        .map(|(x, g)| (x / g - 1.0).abs())
        .fold(0.0, f64::max);
    let times: Vec<String> = columns.iter().map(|c| format!("{:.1} s", c.seconds)).collect();
    format!(
        "|\n\nAn entry differs between the coordinates by at most {ours:.1e} of itself (in the paper \
         {print:.1e}), and from the reference by at most {far:.1e}.\n\
         Run and gradient: {}.\n",
        times.join(", ")
    )
}

/// Both sections; what does not hold.
pub(crate) fn study(page: &mut Page) -> Vec<String> {
    let columns = FAMILIES.map(column);
    let model = Prepared::new(&edited("four_wheeler", &[])).expect("builds");
    let names: Vec<String> = model.parameters().iter().map(|p| p.name.clone()).collect();
    let (text, wrong) = table(&names, &columns);
    page.add(text.trim_end());
    page.add("");
    page.add(include_str!("text/a22_3.md"));

    // one panel for each parameter
    let plot = |(k, name): (usize, &String)| Plot {
        title: format!("dψ/d{name}: sum over the records from the end to t"),
        labels: ["t [s]", ""],
        log: false,
        series: columns
            .iter()
            .map(|c| Series { name: c.name.clone(), points: c.sums[k].clone(), marked: false })
            .collect(),
    };
    page.figure("a22_fig3", &names.iter().enumerate().map(plot).collect::<Vec<_>>());
    wrong
}
