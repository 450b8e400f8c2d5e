//! [A22, Table 2]: what the gradient of the five-bar costs with torques by splines of 20 to 1000 values.

use crate::page::Page;
use crate::runs::{Function, method, timed};
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use gradyn_sensitivity::{Case, Design};
use gradyn_testkit::models::five_bar_control;
use gradyn_testkit::reference::CONTROL;
use std::fmt::Write;

/// Numbers of parameters; with 1000 there is a knot every 10 ms.
const PARAMETERS: [usize; 6] = [20, 50, 100, 200, 500, 1000];
/// Step [s]: it ends on every knot of every column, so that all have the same 500 steps.
const STEP: f64 = 0.01;
const METHODS: [Sensitivity; 3] =
    [Sensitivity::DiscreteDirect, Sensitivity::DiscreteAdjoint, Sensitivity::AdjointDae];
/// How much slower than the best `auto` may be.
const AUTO: f64 = 1.3;
/// Largest distance of the direct gradient from the adjoint one, relative to the largest entry: rounding,
/// which the scheme amplifies by 1/h².
const AGREE: f64 = 1e-9;

/// Coordinates, and the times that A22 prints for its direct and its adjoint method [s].
#[rustfmt::skip]
const PRINTED: [(Coordinates, [[f64; 6]; 2]); 3] = [
    (Coordinates::Natural,
     [[0.828, 1.219, 1.844, 3.672, 11.281, 23.016], [0.719, 0.781, 0.844, 0.953, 1.313, 1.828]]),
    (Coordinates::Relative0,
     [[0.672, 0.734, 0.844, 1.109, 1.828, 3.109], [0.672, 0.688, 0.781, 0.844, 1.188, 1.688]]),
    (Coordinates::Relative1,
     [[0.688, 0.781, 0.890, 1.156, 2.000, 3.547], [0.672, 0.703, 0.797, 0.953, 1.359, 2.094]]),
];

/// One number of parameters in one family.
struct Cell {
    /// Times of `METHODS` [s].
    seconds: [f64; 3],
    /// Gradients of `METHODS`.
    rows: [Vec<f64>; 3],
    auto: Sensitivity,
    /// Factorisations a step of the direct method.
    factorizations: f64,
}

impl Cell {
    fn new(family: Coordinates, parameters: usize) -> Self {
        let model = Prepared::new_in(&five_bar_control(parameters / 2), family).expect("builds");
        let m = method("ali3p", "newmark").step(STEP);
        let done = METHODS.map(|s| timed(|| Function::gradient(&model, &m, s).1.swap_remove(0)));
        let seconds = [0, 1, 2].map(|k| done[k].1);
        let rows = done.map(|d| d.0);
        Self { seconds, rows, auto: model.auto().0, factorizations: factorizations(&model, &m) }
    }
    /// Time of what `auto` chooses, in times of the shortest.
    fn ratio(&self) -> f64 {
        let chosen = METHODS.iter().position(|s| *s == self.auto).expect("auto chooses one of them");
        self.seconds[chosen] / self.seconds.into_iter().fold(f64::INFINITY, f64::min)
    }
    /// Distance of the gradient by method `k` from the discrete adjoint, relative to the largest entry.
    fn distance(&self, k: usize) -> f64 {
        let size = self.rows[1].iter().fold(0f64, |s, x| s.max(x.abs()));
        self.rows[k].iter().zip(&self.rows[1]).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
    }
}

/// Matrices that the direct method factorises in a step.
fn factorizations(model: &Prepared, m: &Method) -> f64 {
    let run = model.run(m).expect("runs");
    let recipe = m.build(&model.model);
    let design = Design::Model(&model.model);
    let case = Case::new(&recipe, design, model.rho(), &run.trajectory);
    let direct = gradyn_sensitivity::direct(&case, |_, _| {}).expect("sweeps");
    let count = direct.factorizations.expect("counted");
    count as f64 / run.trajectory.plan.steps() as f64
}

/// Largest of some numbers.
fn largest(x: impl Iterator<Item = f64>) -> f64 {
    x.fold(0.0, f64::max)
}

fn lines(family: Coordinates, printed: &[[f64; 6]; 2], cells: &[Cell]) -> String {
    // times, ours and printed
    let mut out = String::new();
    for (k, s) in METHODS.iter().enumerate() {
        let _ = write!(out, "| `{}` | `{}` ", family.name(), s.name());
        for (column, cell) in cells.iter().enumerate() {
            let print = printed.get(k).map_or(String::new(), |row| format!(" ({:.0})", 1e3 * row[column]));
            let _ = write!(out, "| {:.1}{print} ", 1e3 * cell.seconds[k]);
        }
        out += "|\n";
    }

    // ratios and counts
    let row = |name: &str, of: &dyn Fn(&Cell) -> String| {
        format!(
            "| `{}` | {name} | {} |\n",
            family.name(),
            cells.iter().map(of).collect::<Vec<_>>().join(" | ")
        )
    };
    out += &row("`auto` / fastest", &|c| format!("{:.2}", c.ratio()));
    out + &row("factorisations a step of `discrete-direct`", &|c| format!("{:.2}", c.factorizations))
}

/// What the table says, from its numbers.
fn words(all: &[(Coordinates, Vec<Cell>)]) -> String {
    // growth from the first to the last column, ours and printed
    let cells = || all.iter().flat_map(|a| &a.1);
    let growth = |k: usize, (_, cells): &(Coordinates, Vec<Cell>)| cells[5].seconds[k] / cells[0].seconds[k];
    let grown = |k: usize| all.iter().map(|a| format!("{:.1}", growth(k, a))).collect::<Vec<_>>().join(", ");
    let print = |k: usize| {
        PRINTED.iter().map(|p| format!("{:.1}", p.1[k][5] / p.1[k][0])).collect::<Vec<_>>().join(", ")
    };

    // distance from the exact gradient
    let exact =
        largest(all.iter().flat_map(|a| a.1[0].rows[1].iter().zip(CONTROL)).map(|(a, b)| (a - b).abs()));
    let size = largest(CONTROL.iter().map(|x| x.abs()));
    format!(
        "\nFrom 20 to 1000 parameters the time grows {} times by `discrete-direct` (A22: {}).\n\
         It grows {} times by `discrete-adjoint` (A22: {}) and {} times by `adjoint-dae`.\n\
         `auto` takes at most {:.2} times the fastest; the bound is {AUTO}.\n\
         `discrete-direct` factorises at most {:.0} matrices a step, whatever the number of parameters: \
         the tangent, and the matrix of both projections.\n\
         Relative to the largest entry it differs from `discrete-adjoint` by {:.0e} at most, \
         `adjoint-dae` by {:.0e}; the gradient over 20 parameters is {:.0e} off the exact one, \
         which is the error of the step.\n",
        grown(0),
        print(0),
        grown(1),
        print(1),
        grown(2),
        largest(cells().map(Cell::ratio)),
        largest(cells().map(|c| c.factorizations)),
        largest(cells().map(|c| c.distance(0))),
        largest(cells().map(|c| c.distance(2))),
        exact / size,
    )
}

/// The section; what does not hold.
pub(crate) fn study(page: &mut Page) -> Vec<String> {
    let mut out = String::from("## A22 Table 2\n\n");
    let mut wrong = vec![];
    let mut all = vec![];
    out += "ms of run and gradient; in brackets those that A22 prints, on its machine.\n\n| coordinates | |";
    PARAMETERS.iter().for_each(|p| {
        let _ = write!(out, " {p} |");
    });
    out += &format!("\n| --- | --- |{}\n", " --: |".repeat(PARAMETERS.len()));

    // one family of coordinates after the other
    for (family, printed) in &PRINTED {
        let cells: Vec<Cell> = PARAMETERS.iter().map(|&p| Cell::new(*family, p)).collect();
        out += &lines(*family, printed, &cells);
        for (cell, p) in cells.iter().zip(PARAMETERS) {
            let at = format!("A22 Table 2, {}, {p} parameters", family.name());
            let mut claim =
                |holds: bool, what: String| wrong.extend((!holds).then(|| format!("{at}: {what}")));
            claim(cell.ratio() <= AUTO, format!("auto takes {:.2} times the fastest", cell.ratio()));
            claim(cell.factorizations <= 2.0, format!("{} factorisations a step", cell.factorizations));
            claim(
                cell.distance(0) <= AGREE,
                format!("direct and adjoint differ by {:.1e}", cell.distance(0)),
            );
        }
        all.push((*family, cells));
    }
    page.add(&(out + &words(&all)));
    page.add(include_str!("text/a22_2.md"));
    wrong
}
