//! The tables of M13, P14 and A22, and Fig. 2 of M13.

use crate::printed::{A22, A22_PARAMETERS, BOUND, H, Printed, Steps, Way};
use crate::runs::{Function, How, example, method, timed};
use crate::svg::{Plot, Series};
use gradyn::{Method, Prepared, Sensitivity};
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
    let mut s =
        format!("| {} | `{}` + `{}`, {}, {} ", row.row, way.formulation, way.integrator, steps(way.steps), way.how.name());
    for k in 0..2 {
        let (printed, x, exact) = (row.values[k], ours.values[k], GRADIENT[0][k]);
        let _ = write!(s, "| {printed:.4} | {x:.5} | {:+.4} | {:+.0e} ", x - printed, x - exact);
    }
    s + &format!("| {:.1} | {} |\n", 1e3 * ours.seconds, row.why)
}

/// A table, and what is farther than the bound: nothing, if all is well.
pub fn table(title: &str, rows: &[Printed]) -> (String, Vec<String>) {
    let model = example("five_bar", &[]);
    let mut out = format!("## {title}\n\n");
    out += "| row | our method | dψ/dL₀₁ printed | ours | - printed | - exact | dψ/dL₀₂ printed | ours | - printed | - exact | ms | difference to the print |\n";
    out += "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n";
    let (mut far, mut worst, mut kept) = (vec![], 0f64, vec![]);
    for row in rows {
        for way in &row.ways {
            let ours = compute(&model, way);
            out += &line(row, way, &ours);
            let fixed = matches!(way.steps, Steps::Fixed(_));
            worst = if fixed { worst.max(off(ours.values)) } else { worst };
            if fixed && off(ours.values) > BOUND {
                far.push(format!("{title}, {}, {} + {}: {:.4}", row.row, way.formulation, way.integrator, off(ours.values)));
            }
            kept.extend((fixed && !row.failed).then_some(ours.values));
        }
    }
    let printed: Vec<[f64; 2]> = rows.iter().filter(|r| !r.failed).map(|r| r.values).collect();
    let _ = write!(
        out,
        "\nFarthest row at h = {H} s: {worst:.4} from the exact values ({:.5}, {:.5}); the bound is {BOUND}. Spread of our rows {}, of the printed ones {}; \
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

/// Why a printed number is not the exact one.
fn reason(printed: &str, exact: f64) -> &'static str {
    let decimals = printed.split_once('.').map_or(0, |(_, d)| d.len()) as i32;
    let (number, last) = (printed.parse::<f64>().expect("a number"), 10f64.powi(-decimals));
    match (exact - number).abs() / last {
        d if d <= 0.5 => "rounding of the print",
        d if d < 1.0 && exact.abs() > number.abs() => "digits cut, not rounded",
        _ => "beyond rounding; the data of the paper are probably rounded (see below)",
    }
}

/// [A22, Table 1] at 1 ms and at 10 ms.
pub fn a22() -> String {
    let model = example("five_bar", &[]);
    let ways = [("ali3p", 1e-3), ("ali3p", H), ("index3", 1e-3)];
    let gradients = ways.map(|(f, h)| {
        let m = method(f, "newmark").step(h);
        timed(|| Function::gradient(&model, &m, Sensitivity::DiscreteAdjoint).1)
    });
    let mut out = String::from("| entry | printed | exact | exact - printed ");
    ways.iter().for_each(|(f, h)| {
        let _ = write!(out, "| `{f}` + `newmark`, {} ms | - exact ", h * 1e3);
    });
    out += "| difference to the print |\n| --- |";
    out += &(" --: |".repeat(9) + " --- |\n");
    for (j, row) in A22.iter().enumerate() {
        for (k, printed) in row.iter().enumerate() {
            let (number, exact) = (printed.parse::<f64>().expect("a number"), GRADIENT[j][k]);
            let _ = write!(out, "| dψ{}/d{} | {printed} | {exact:.6} | {:+.1e} ", j + 1, A22_PARAMETERS[k], exact - number);
            for (rows, _) in &gradients {
                let _ = write!(out, "| {:.6} | {:+.1e} ", rows[j][k], rows[j][k] - exact);
            }
            let _ = writeln!(out, "| {} |", reason(printed, exact));
        }
    }
    let times: Vec<String> = gradients.iter().map(|(_, s)| format!("{:.0} ms", s * 1e3)).collect();
    out + &format!("\nRun and gradient of the three columns: {}.\n", times.join(", "))
}

/// [M13, Fig. 2]: velocities of point 2; energies, with the potential energy of the start as reference.
pub fn response() -> Vec<Plot> {
    let names = ["vel(B12.P2.x)", "vel(B12.P2.y)", "system.kinetic", "system.energy"];
    let model = example("five_bar", &names);
    let m: Method = method("index3", "newmark").step(H);
    let table = model.table(&model.simulate(&m, &mut |_, _| {}).expect("runs"), None).expect("a table");
    let of = |name: &str, f: &dyn Fn(&[f64]) -> f64| {
        let points = table.rows.iter().map(|r| [r[0], f(r)]).collect();
        Series { name: name.into(), points, marked: false }
    };
    let first = table.rows[0][4];
    let velocities = vec![of("ẋ₂", &|r| r[1]), of("ẏ₂", &|r| r[2])];
    let energies = vec![of("kinetic", &|r| r[3]), of("potential", &|r| r[4] - r[3] - first), of("total", &|r| r[4] - first)];
    let plot = |title: &str, y, series| Plot { title: title.into(), labels: ["t [s]", y], log: false, series };
    vec![plot("Velocities of point 2", "[m/s]", velocities), plot("Energies", "[J]", energies)]
}
