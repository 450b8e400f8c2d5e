//! [P14, Tables 5 and 6]: forces of the Iltis in the nominal configuration; ψ and its gradient over the step.

use crate::page::Page;
use crate::runs::{Function, edited, method, timed};
use gradyn::{Method, Prepared, Sensitivity};
use std::fmt::Write;

/// From static equilibrium to the nominal configuration.
const NOMINAL: [(&str, &str); 2] = [
    (
        "equilibrium = { \"chassis.com.x\" = 0, \"chassis.com.y\" = 0, \"chassis.yaw\" = 0 }",
        "position = { \"chassis.com\" = [0, 0, 0.57], \"chassis.yaw\" = 0, \
         \"chassis.pitch\" = 0, \"chassis.roll\" = 0 }",
    ),
    (
        "equilibrium = { \"bearing.angle\" = 0 }",
        "position = { \"arm_pivot.angle\" = 0, \"bearing.angle\" = 0 }",
    ),
];
/// Only the start is read.
const SHORT: (&str, &str) = ("t_end  = 3", "t_end = 1e-5");
const BUMP_STOPS: (&str, &str) = ("kb    = 0 ", "kb    = 1e7 ");

/// Rows of the tables: printed [N], and the column that is minus the force or the force.
const ROWS: [(&str, f64, &str); 6] = [
    ("leaf spring, front", 2728.9, "-fl_leaf.force"),
    ("leaf spring, rear", 2728.9, "-rl_leaf.force"),
    ("non-linear spring-damper, front", 128.0, "-fl_damper.force"),
    ("non-linear spring-damper, rear", 128.0, "-rl_damper.force"),
    ("tyre, front", 3829.6, "fl_tyre.normal"),
    ("tyre, rear", 3593.6, "rl_tyre.normal"),
];
/// Largest distance from the print in the nominal configuration [N]: one unit of its last digit.
const BOUND: f64 = 0.1;

/// ψ and its gradient over (kL1, kL2, cS1, cS2, kS1, kS2) by an independent model, to 9 and to 5 or 6 digits.
const PSI: f64 = 677.168285;
const GRADIENT: [f64; 6] = [
    -0.0046157185789294074,
    0.013033477928511086,
    -0.10805919502588296,
    -0.23591248083457125,
    0.02193477414121042,
    0.017451928561630196,
];
/// ψ that the paper prints before and after its optimisation, and the parameters after it.
pub(crate) const PRINTED_PSI: [f64; 2] = [678.0, 48.0];
pub(crate) const OPTIMUM: [f64; 6] = [1497.0, 3052.0, 14531.0, 8418.0, 28378782.0, 28382080.0];

/// The rows at the start.
fn forces(edits: &[(&str, &str)]) -> Vec<f64> {
    let mut m = edited("iltis", edits);
    m.outputs = ROWS.iter().map(|r| (r.0.into(), r.2.into())).collect();
    let model = Prepared::new(&m).expect("builds");
    let run = model.run(&fine()).expect("runs");
    model.table(&run, None).expect("a table").rows.swap_remove(0).split_off(1)
}

pub(crate) fn fine() -> Method {
    method("maggi", "dopri5").tolerance(1e-8, 1e-8)
}

/// Tables 5 and 6: the forces against the print.
fn nominal(out: &mut String) -> Vec<String> {
    // with and without bump stops, at rest and in the nominal configuration
    let [at_rest, stops_at_rest] = [&[SHORT][..], &[SHORT, BUMP_STOPS]].map(forces);
    let [ours, stops] = [&[SHORT][..], &[SHORT, BUMP_STOPS]].map(|edits| forces(&[&NOMINAL, edits].concat()));

    // the table
    let mut wrong = vec![];
    *out += "| force [N] | printed | ours, nominal configuration | - printed | ours, static equilibrium | \
        difference to the print |\n";
    *out += "| --- | --: | --: | --: | --: | --- |\n";
    let mut line = |name: &str, printed: f64, x: f64, rest: f64| {
        let why = match (x - printed).abs() {
            d if d < 5e-5 => "none",
            d if d <= 0.5 * BOUND => "rounding of the print",
            _ => "rounding of its data",
        };
        let _ = writeln!(out, "| {name} | {printed:.1} | {x:.4} | {:+.4} | {rest:.1} | {why} |", x - printed);
        if (x - printed).abs() > BOUND {
            wrong.push(format!("P14 Tables 5 and 6, {name}: {x} for {printed}"));
        }
    };
    for (k, (name, printed, _)) in ROWS.iter().enumerate() {
        line(name, *printed, ours[k], at_rest[k]);
    }
    line("bump stop, front", 0.0, stops[0] - ours[0], stops_at_rest[0] - at_rest[0]);
    line("bump stop, rear", 0.0, stops[1] - ours[1], stops_at_rest[1] - at_rest[1]);

    // the sum of the tyres
    let weight = 9.81 * (1260.0 + 4.0 * (6.0 + 57.35));
    let _ = writeln!(
        out,
        "\nThe four tyres carry {:.1} N in the nominal configuration and {:.1} N in equilibrium; the weight \
         is {weight:.1} N.\n",
        2.0 * (ours[4] + ours[5]),
        2.0 * (at_rest[4] + at_rest[5])
    );
    wrong
}

/// ψ and gradient over 3 s, against the reference; ψ at the printed optimum.
fn gradient(out: &mut String) {
    // a method of high order, and Newmark
    let model = Prepared::new(&edited("iltis", &[])).expect("builds");
    let ways = [fine(), method("ali3p", "newmark").step(1e-3)];
    let done = ways.each_ref().map(|m| timed(|| Function::gradient(&model, m, Sensitivity::DiscreteAdjoint)));
    *out += "| | reference | `maggi` + `dopri5`, rtol = atol = 1e-8 | relative difference | `ali3p` + \
        `newmark`, 1 ms | relative difference |\n";
    *out += "| --- | --: | --: | --: | --: | --: |\n";

    // ψ, dψ/dρ
    let mut line = |name: &str, exact: f64, x: [f64; 2]| {
        let _ = write!(out, "| {name} | {exact:.7e} ");
        x.iter().for_each(|x| {
            let _ = write!(out, "| {x:.7e} | {:.0e} ", (x / exact - 1.0).abs());
        });
        *out += "|\n";
    };
    line("ψ", PSI, [0, 1].map(|k| done[k].0.0[0]));
    for (k, exact) in GRADIENT.iter().enumerate() {
        line(&format!("dψ/d{}", model.parameters()[k].name), *exact, [0, 1].map(|w| done[w].0.1[0][k]));
    }

    // ψ at the printed optimum
    let psi = model.psi(&OPTIMUM, &fine())[0];
    let _ = writeln!(
        out,
        "\nRun and gradient: {:.1} s and {:.1} s.\n\
         The paper prints ψ = {:.0} at these parameters and {:.0} at those of its optimum, \
         where ours is {psi:.1}.\n",
        done[0].1, done[1].1, PRINTED_PSI[0], PRINTED_PSI[1]
    );
}

/// The section; what does not hold.
pub(crate) fn study(page: &mut Page) -> Vec<String> {
    let mut out = String::from("## P14 Tables 5 and 6\n\n");
    let wrong = nominal(&mut out);
    out += include_str!("text/iltis.md");
    gradient(&mut out);
    page.add(out.trim_end());
    page.add("");
    page.add(include_str!("text/iltis_psi.md"));
    wrong
}
