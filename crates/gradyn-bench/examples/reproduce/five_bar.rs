//! The tables of M13, P14 and A22, and Fig. 2 of M13.

use crate::page::Page;
use crate::printed::{A22, A22_PARAMETERS, BOUND, H, Printed, Steps, Way};
use crate::runs::{Function, How, edited, example, method, timed};
use crate::svg::{Plot, Series};
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use gradyn_testkit::reference::GRADIENT;
use std::fmt::Write;

/// A row as computed.
struct Ours {
    values: [f64; 2],
    seconds: f64,
}

fn compute(model: &Prepared, way: &Way) -> Ours {
    let named = method(way.formulation, way.integrator);
    let m = match way.steps {
        Steps::Fixed(h) => named.step(h),
        Steps::Tolerance(ε) => named.tolerance(ε, ε),
    };
    let (rows, seconds) = timed(|| match way.how {
        How::By(s) => Function::gradient(model, &m, s).1,
        How::Forward(δ) => model.forward(&m, &[δ, δ]),
    });
    Ours { values: [rows[0][0], rows[0][1]], seconds }
}

/// Distance of the farther entry from the exact one.
fn off(x: [f64; 2]) -> f64 {
    (0..2).map(|k| (x[k] - GRADIENT[0][k]).abs()).fold(0.0, f64::max)
}

fn steps(s: Steps) -> String {
    match s {
        Steps::Fixed(h) => format!("h = {h} s"),
        Steps::Tolerance(ε) => format!("rtol = atol = {ε:.0e}"),
    }
}

fn line(row: &Printed, way: &Way, ours: &Ours) -> String {
    let mut s = format!(
        "| {} | `{}` + `{}`, {}, {} ",
        row.row,
        way.formulation,
        way.integrator,
        steps(way.steps),
        way.how.name()
    );
    for k in 0..2 {
        let printed = row.values[k];
        let x = ours.values[k];
        let exact = GRADIENT[0][k];
        let _ = write!(s, "| {printed:.4} | {x:.5} | {:+.4} | {:+.0e} ", x - printed, x - exact);
    }
    s + &format!("| {:.1} | {} |\n", 1e3 * ours.seconds, row.why)
}

/// A table, and what is farther than the bound: nothing, if all is well.
pub(crate) fn table(title: &str, rows: &[Printed]) -> (String, Vec<String>) {
    let model = example("five_bar", &[]);
    let mut out = format!("## {title}\n\n");
    out += "| row | our method | dψ/dL₀₁ printed | ours | - printed | - exact ";
    out += "| dψ/dL₀₂ printed | ours | - printed | - exact | ms | difference to the print |\n";
    out += "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n";

    // row by row, in every way that it is computed
    let mut far = vec![];
    let mut worst = 0f64;
    let mut kept = vec![];
    for row in rows {
        for way in &row.ways {
            let ours = compute(&model, way);
            out += &line(row, way, &ours);
            let fixed = matches!(way.steps, Steps::Fixed(_));
            worst = if fixed { worst.max(off(ours.values)) } else { worst };
            if fixed && off(ours.values) > BOUND {
                let named = format!("{}, {} + {}", row.row, way.formulation, way.integrator);
                far.push(format!("{title}, {named}: {:.4}", off(ours.values)));
            }
            kept.extend((fixed && !row.failed).then_some(ours.values));
        }
    }

    // distances and spreads
    let printed: Vec<[f64; 2]> = rows.iter().filter(|r| !r.failed).map(|r| r.values).collect();
    let _ = write!(
        out,
        "\nFarthest row at h = {H} s: {worst:.4} from the exact values ({:.5}, {:.5}); the bound is \
         {BOUND}.\n\
         Spread of our rows {}, of the printed ones {}; \
         farthest printed row {:.4}.",
        GRADIENT[0][0],
        GRADIENT[0][1],
        spread(&kept),
        spread(&printed),
        printed.iter().map(|v| off(*v)).fold(0.0, f64::max)
    );
    (out + "\n", far)
}

/// max - min of both columns.
fn spread(rows: &[[f64; 2]]) -> String {
    let of = |k: usize| {
        let column = || rows.iter().map(|r| r[k]);
        column().fold(f64::NEG_INFINITY, f64::max) - column().fold(f64::INFINITY, f64::min)
    };
    format!("{:.4} and {:.4}", of(0), of(1))
}

/// One unit of the last printed digit.
fn last_digit(printed: &str) -> f64 {
    let decimals = printed.split_once('.').map_or(0, |(_, d)| d.len()) as i32;
    10f64.powi(-decimals)
}

/// Why a printed number is not the exact one.
fn reason(printed: &str, exact: f64) -> &'static str {
    let number = printed.parse::<f64>().expect("a number");
    let last = last_digit(printed);
    match (exact - number).abs() / last {
        d if d <= 0.5 => "rounding of the print",
        d if d < 1.0 && exact.abs() > number.abs() => "digits cut, not rounded",
        _ => "beyond rounding; the data of the paper are probably rounded (see below)",
    }
}

/// Columns of [A22, Table 1]: the first three are those of the paper.
const WAYS: [(&str, Coordinates, f64); 5] = [
    ("ali3p", Coordinates::Natural, 1e-3),
    ("ali3p", Coordinates::Relative0, 1e-3),
    ("ali3p", Coordinates::Relative1, 1e-3),
    ("ali3p", Coordinates::Natural, H),
    ("index3", Coordinates::Natural, 1e-3),
];

/// Head of [A22, Table 1].
fn a22_head() -> String {
    let mut out = String::from("## A22 Table 1\n\n| entry | printed | exact | exact - printed ");
    WAYS.iter().for_each(|(f, family, h)| {
        let _ = write!(out, "| `{f}` + `newmark`, `{}`, {} ms | - exact ", family.name(), h * 1e3);
    });
    out += "| difference to the print |\n| --- |";
    out + &(" --: |".repeat(3 + 2 * WAYS.len()) + " --- |\n")
}

/// Gradients of all columns of [A22, Table 1], with the time of each [s].
fn a22_gradients() -> [(Vec<Vec<f64>>, f64); 5] {
    let mechanism = edited("five_bar", &[]);
    WAYS.map(|(f, family, h)| {
        let model = Prepared::new_in(&mechanism, family).expect("builds");
        let m = method(f, "newmark").step(h);
        timed(|| Function::gradient(&model, &m, Sensitivity::DiscreteAdjoint).1)
    })
}

/// [A22, Table 1] at 1 ms in three families of coordinates, and at 10 ms; what differs between the
/// coordinates in the printed digits.
pub(crate) fn a22(page: &mut Page) -> Vec<String> {
    // entry by entry
    let gradients = a22_gradients();
    let mut out = a22_head();
    let mut wrong = vec![];
    let mut apart = 0f64;
    for (j, row) in A22.iter().enumerate() {
        for (k, printed) in row.iter().enumerate() {
            let number = printed.parse::<f64>().expect("a number");
            let exact = GRADIENT[j][k];
            let entry = format!("dψ{}/d{}", j + 1, A22_PARAMETERS[k]);
            let _ = write!(out, "| {entry} | {printed} | {exact:.6} | {:+.1e} ", exact - number);
            for (rows, _) in &gradients {
                let _ = write!(out, "| {:.6} | {:+.1e} ", rows[j][k], rows[j][k] - exact);
            }
            let _ = writeln!(out, "| {} |", reason(printed, exact));
            let spread =
                (1..3).map(|w| (gradients[w].0[j][k] - gradients[0].0[j][k]).abs()).fold(0.0, f64::max);
            apart = apart.max(spread / last_digit(printed));
            if spread > 0.5 * last_digit(printed) {
                wrong.push(format!("A22 Table 1, {entry}: coordinates differ by {spread:.1e}"));
            }
        }
    }

    // times, and how far the coordinates are apart
    let times: Vec<String> = gradients.iter().map(|(_, s)| format!("{:.0} ms", s * 1e3)).collect();
    let _ = writeln!(out, "\nRun and gradient of the {} columns: {}.\n", WAYS.len(), times.join(", "));
    let _ = writeln!(
        out,
        "`relative-0` and `relative-1` differ from `natural` by at most {apart:.2} units of the last \
         printed digit."
    );
    page.add(&out);
    page.add(include_str!("text/a22.md"));
    wrong
}

/// [M13, Fig. 2]: velocities of point 2; energies, with the potential energy of the start as reference.
pub(crate) fn response() -> Vec<Plot> {
    let names = ["vel(B12.P2.x)", "vel(B12.P2.y)", "system.kinetic", "system.energy"];
    let model = example("five_bar", &names);
    let m: Method = method("index3", "newmark").step(H);
    let table = model.table(&model.run(&m).expect("runs"), None).expect("a table");

    // velocities and energies over time
    let of = |name: &str, f: &dyn Fn(&[f64]) -> f64| {
        let points = table.rows.iter().map(|r| [r[0], f(r)]).collect();
        Series { name: name.into(), points, marked: false }
    };
    let first = table.rows[0][4];
    let velocities = vec![of("ẋ₂", &|r| r[1]), of("ẏ₂", &|r| r[2])];
    let energies = vec![
        of("kinetic", &|r| r[3]),
        of("potential", &|r| r[4] - r[3] - first),
        of("total", &|r| r[4] - first),
    ];
    let plot =
        |title: &str, y, series| Plot { title: title.into(), labels: ["t [s]", y], log: false, series };
    vec![plot("Velocities of point 2", "[m/s]", velocities), plot("Energies", "[J]", energies)]
}
