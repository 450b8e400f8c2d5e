//! [C12]: the coach in independent coordinates, differentiated by hand, by dual numbers and by complex steps:
//! accuracy, and cost against the number of parameters.

use crate::page::Page;
use crate::runs::{edited, method, timed};
use gradyn::{Mechanism, Method, Prepared, Run, Sensitivity};
use gradyn_testkit::compare::distance;
use gradyn_testkit::parametrise::{only_used, parametrise_where};
use std::fmt::Write;

/// By hand, discrete and continuous; automatic; complex.
const METHODS: [Sensitivity; 4] =
    [Sensitivity::DiscreteDirect, Sensitivity::Direct, Sensitivity::Automatic, Sensitivity::ComplexStep];
const COUNTS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// The part of the manoeuvre that is timed [s], and its step [s].
const PART: [f64; 2] = [1.6, 1.625];
const STEP: f64 = 5e-4;
/// Tolerance of the whole manoeuvre.
const TOLERANCE: f64 = 1e-8;
/// How much slower than the faster of direct and adjoint `auto` may be, run included.
const AUTO: f64 = 1.3;
/// Largest distance of an exact method from the discrete adjoint, scaled and relative to the largest entry:
/// roundings of stiff rods.
const AGREE: f64 = 1e-9;

/// ψ₁ and its gradient over the seven parameters by an independent model in minimal coordinates, to 10 and 7
/// digits.
const PSI: f64 = 0.07076307;
const GRADIENT: [f64; 7] =
    [-9.2744632e-07, -1.7958527e-06, 0.25383985, 0.17721771, -2.5752703e-06, -1.7222621e-07, 1.2480804e-06];

/// The part of the manoeuvre, with the parameters of the file, then masses, inertias and hard points: `count`
/// of them.
fn with_parameters(count: usize) -> Prepared {
    let times = format!("t_start = {}\nt_end = {}", PART[0], PART[1]);
    let m = edited("coach", &[("t_end  = 8\nbreaks = [1, 3.5, 4, 6.5]", &times)]);
    let chosen = |owner: &str| owner.starts_with("body") || owner.starts_with("hard point fl_");
    let mut m: Mechanism = only_used(&parametrise_where(&m, |_, owner| chosen(owner)).0);
    assert!(m.parameters.len() >= count, "{} parameters", m.parameters.len());
    // the others keep their values
    for p in m.parameters.split_off(count) {
        m.constants.insert(0, (p.name, p.value));
    }
    Prepared::new(&m).expect("builds")
}

fn run(model: &Prepared, m: &Method) -> Run {
    model.run(m).expect("runs")
}

fn gradient(model: &Prepared, run: &Run, s: Sensitivity) -> (Vec<Vec<f64>>, f64) {
    timed(|| model.gradient(run, s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows)
}

/// One number of parameters.
struct Row {
    count: usize,
    /// µs a step of the run, of the discrete adjoint, and of `METHODS`.
    run: f64,
    adjoint: f64,
    cost: [f64; 4],
    /// Distances of `METHODS` from the discrete adjoint.
    off: [f64; 4],
    auto: Sensitivity,
}

impl Row {
    fn new(count: usize) -> Self {
        let model = with_parameters(count);
        let m = method("maggi", "rk4").step(STEP);
        let (of_run, seconds) = timed(|| run(&model, &m));
        let per = |s: f64| 1e6 * s / of_run.trajectory.plan.steps() as f64;
        let (exact, adjoint) = gradient(&model, &of_run, Sensitivity::DiscreteAdjoint);
        let done = METHODS.map(|s| gradient(&model, &of_run, s));
        let scales: Vec<f64> = model.model.parameters.iter().map(|p| p.scale).collect();
        let off = done.each_ref().map(|d| distance(&d.0, &exact, &scales));
        Self {
            count,
            run: per(seconds),
            adjoint: per(adjoint),
            cost: done.map(|d| per(d.1)),
            off,
            auto: model.auto().0,
        }
    }
    /// Time of run and gradient by what `auto` chooses, in times of the shorter of both.
    fn ratio(&self) -> f64 {
        let [direct, adjoint] = [self.cost[0] + self.run, self.adjoint + self.run];
        (if self.auto == Sensitivity::DiscreteDirect { direct } else { adjoint }) / direct.min(adjoint)
    }
    /// Which exact direct method is the cheapest.
    fn best(&self) -> Sensitivity {
        let exact = [0, 2, 3];
        METHODS[exact.into_iter().min_by(|a, b| self.cost[*a].total_cmp(&self.cost[*b])).expect("three")]
    }
}

fn costs(out: &mut String, rows: &[Row]) {
    *out += "| parameters | run | `discrete-adjoint` ";
    METHODS.iter().for_each(|s| {
        let _ = write!(out, "| `{}` | a parameter | - adjoint ", s.name());
    });
    let _ = writeln!(out, "| `auto` |\n|{} --- |", " --: |".repeat(3 + 3 * METHODS.len()));
    for r in rows {
        let _ = write!(out, "| {} | {:.0} | {:.0} ", r.count, r.run, r.adjoint);
        for k in 0..METHODS.len() {
            let _ = write!(out, "| {:.0} | {:.0} | {:.0e} ", r.cost[k], r.cost[k] / r.count as f64, r.off[k]);
        }
        let _ = writeln!(out, "| `{}` |", r.auto.name());
    }
}

/// The whole manoeuvre against the reference.
fn manoeuvre(out: &mut String) {
    let model = Prepared::new(&edited("coach", &[])).expect("builds");
    let of_run = run(&model, &method("maggi", "dopri5").tolerance(TOLERANCE, TOLERANCE));
    let done = model.gradient(&of_run, Sensitivity::DiscreteDirect).expect("sweeps");

    // entry by entry
    let _ = writeln!(
        out,
        "\nThe whole manoeuvre, 8 s, by `maggi` + `dopri5`, rtol = atol = {TOLERANCE:.0e}: dψ₁ over the \
         parameters of the file.\n"
    );
    *out += "| | reference | `discrete-direct` | relative difference |\n| --- | --: | --: | --: |\n";
    for (k, exact) in GRADIENT.iter().enumerate() {
        let name = &model.parameters()[k].name;
        let x = done.rows[0][k];
        let _ = writeln!(out, "| dψ₁/d{name} | {exact:.7e} | {x:.7e} | {:.0e} |", (x / exact - 1.0).abs());
    }

    // ψ₁ and times
    let _ = writeln!(
        out,
        "\nψ₁ = {:.8} ({PSI} in the reference).\n\
         {} steps: the run takes {:.1} s, the gradient {:.1} s.\n\
         Together they take {:.2} of the \
         simulated time.",
        of_run.psi[0],
        of_run.trajectory.plan.steps(),
        of_run.seconds,
        done.seconds,
        (of_run.seconds + done.seconds) / 8.0
    );
}

/// What follows from the costs: of a further parameter, and against the method by hand.
fn costs_in_words(rows: &[Row]) -> String {
    let first = &rows[0];
    let last = &rows[rows.len() - 1];
    let before = &rows[rows.len() - 2];
    let slope = |k: usize| (last.cost[k] - before.cost[k]) / (last.count - before.count) as f64;
    let ratio = |r: &Row, k: usize| r.cost[k] / r.cost[0];

    // with how many parameters each is the cheapest
    let by = |s: Sensitivity| {
        let counts: Vec<String> =
            rows.iter().filter(|r| r.best() == s).map(|r| r.count.to_string()).collect();
        (!counts.is_empty()).then(|| format!("`{}` with {}", s.name(), counts.join(", ")))
    };
    let best: Vec<String> = [0, 2, 3].into_iter().filter_map(|k| by(METHODS[k])).collect();

    // in words
    format!(
        "\n**Conclusion.** The cheapest of the three exact direct methods is {} parameters.\n\
         Automatic differentiation takes {:.1} times what that by hand takes for one parameter \
         and {:.1} times for {}, complex steps {:.1} and {:.1} times.\n\
         Each further parameter costs {:.0} µs a step by hand, {:.0} by dual numbers and {:.0} by complex \
         steps.",
        best.join(", "),
        ratio(first, 2),
        ratio(last, 2),
        last.count,
        ratio(first, 3),
        ratio(last, 3),
        slope(0),
        slope(2),
        slope(3),
    )
}

/// What follows from the numbers: costs, accuracy, the continuous form, the adjoint, `auto`.
fn conclusion(rows: &[Row]) -> String {
    let last = &rows[rows.len() - 1];
    let off = |k: usize| rows.iter().map(|r| r.off[k]).fold(0.0, f64::max);
    let crossing = rows
        .iter()
        .find(|r| r.adjoint < r.cost[0])
        .map_or("none of these numbers of".into(), |r| format!("{} and more", r.count));

    // in words
    format!(
        "{}\n\
         All three are the same numbers: they differ from the discrete adjoint by at most {:.0e}, {:.0e} \
         and {:.0e}, so that accuracy does not decide.\n\
         The continuous form of the method by hand, which is that of the paper, takes {:.1} times the \
         discrete one for {} parameters and differs by {:.0e}, the error of the step.\n\
         The discrete adjoint of both objectives is cheaper than the direct method with {crossing} \
         parameters.\n\
         Run and gradient by `auto` take at most {:.2} times those by the cheaper of the two.\n",
        costs_in_words(rows),
        off(0),
        off(2),
        off(3),
        last.cost[1] / last.cost[0],
        last.count,
        off(1),
        rows.iter().map(Row::ratio).fold(0.0, f64::max),
    )
}

/// The section; what does not hold.
pub(crate) fn study(page: &mut Page) -> Vec<String> {
    let mut out = String::from("## C12\n\n") + include_str!("text/c12.md") + "\n";
    let rows = COUNTS.map(Row::new);
    costs(&mut out, &rows);
    manoeuvre(&mut out);
    page.add(&(out + &conclusion(&rows)));
    let far =
        rows.iter().flat_map(|r| [0, 2, 3].map(|k| (r.count, METHODS[k], r.off[k]))).filter(|x| x.2 > AGREE);
    let far = far.map(|(p, s, off)| {
        format!("C12, {p} parameters: {} differs from the adjoint by {off:.1e}", s.name())
    });
    let slow = rows.iter().filter(|r| r.ratio() > AUTO);
    far.chain(
        slow.map(|r| format!("C12, {} parameters: auto takes {:.2} times the best", r.count, r.ratio())),
    )
    .collect()
}
