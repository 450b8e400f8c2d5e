//! Reports of runs and gradients for people.

use super::real_time;
use gradyn::penalty::{Estimate, PenaltyError};
use gradyn::{Certificate, GradientReport, Largest, Method, Prepared, Run, Stepping, Tally, WarningCode};
use std::fmt::Write as _;

/// The estimates, one line for each.
pub(crate) fn penalty_text(p: &Prepared, e: &PenaltyError) -> String {
    let mut out =
        format!("penalty error, by a second run: {:>20} {:>20} {:>12}\n", "alpha", "10 alpha", "error");
    let mut line = |name: &str, x: &Estimate| {
        let _ = writeln!(out, "  {name:<29} {:>20.12e} {:>20.12e} {:>12.2e}", x.value, x.stiffer, x.error);
    };
    for (k, (name, x)) in p.objectives().iter().zip(&e.values).enumerate() {
        line(name, x);
        for (parameter, x) in p.parameters().iter().zip(e.gradient.iter().flat_map(|rows| &rows[k])) {
            line(&format!("d{name}/d{}", parameter.name), x);
        }
    }
    out
}

/// The method in words.
fn method_line(m: &Method, run: &Run) -> String {
    let s = &run.trajectory.statistics;
    let stepping = match m.stepping {
        Stepping::Fixed(h) => format!("step {h} s"),
        Stepping::Adaptive { rtol, .. } => format!("rtol {rtol:.0e}"),
        Stepping::Default if m.integrator.adapts() => "rtol 1e-8 (default)".into(),
        Stepping::Default => {
            format!("step {} s (default)", run.trajectory.plan.h.first().copied().unwrap_or(0.0))
        }
    };
    let kept = match run.trajectory.is_whole() {
        true => String::new(),
        false => format!(", one of {} records kept", run.trajectory.every()),
    };
    format!("{} + {}, {stepping}, {} steps{kept}", m.formulation.name(), m.integrator.name(), s.steps)
}

/// Objectives as columns, parameters as rows; below each what it is known to, if it is known.
pub(crate) fn gradient_text(
    p: &Prepared,
    run: &Run,
    g: &GradientReport,
    certificate: Option<&Certificate>,
) -> String {
    let mut out = String::new();
    // head: method, names of objectives
    let width = p.parameters().iter().map(|p| p.name.len()).max().unwrap_or(0).max(9);
    let _ = writeln!(out, "{}: {}, {}", p.model.name, method_line(&run.method, run), g.sensitivity.name());
    let _ = writeln!(out);
    let cell = |x: f64| format!("{x:>20.12e}");
    let head: String = p.objectives().iter().map(|o| format!("{o:>20}")).collect();
    let _ = writeln!(out, "{:width$} {:>16} {head}", "", "value");
    // values of the objectives
    let _ = writeln!(
        out,
        "{:width$} {:>16} {}",
        "objective",
        "",
        run.psi.iter().map(|x| cell(*x)).collect::<String>()
    );
    let errors = certificate.and_then(|c| c.errors.as_ref());
    let known = |errors: &mut dyn Iterator<Item = f64>| {
        let row: String = errors.map(|x| format!("{:>20}", format!("± {x:.1e}"))).collect();
        format!("{:width$} {:>16} {row}\n", "", "")
    };
    if let Some(errors) = errors {
        out += &known(&mut errors.values.iter().copied());
    }
    // a line of each parameter, its errors below
    for (k, parameter) in p.parameters().iter().enumerate() {
        let row: String = g.rows.iter().map(|r| cell(r[k])).collect();
        let _ = writeln!(out, "d/d{:<w$} {:>16.9} {row}", parameter.name, p.rho()[k], w = width - 3);
        // the larger of the error of the run and of the bar of differences
        let known_by = [errors.map(|e| &e.gradient), g.bars.as_ref()].into_iter().flatten();
        let largest = |j: usize| known_by.clone().map(|rows| rows[j][k]).reduce(f64::max);
        if largest(0).is_some() {
            out += &known(&mut (0..g.rows.len()).filter_map(largest));
        }
    }
    // times
    let faster = real_time(run, run.seconds + g.seconds);
    let _ = writeln!(
        out,
        "\nforward {:.2} ms, gradient {:.2} ms, {faster:.2} × real time",
        run.seconds * 1e3,
        g.seconds * 1e3
    );
    out
}

/// Steps, energy, drift, objectives.
pub(crate) fn run_text(p: &Prepared, run: &Run) -> String {
    let s = &run.trajectory.statistics;
    let mut out = String::new();
    // method and final time
    let _ = writeln!(out, "{}: {}", p.model.name, method_line(&run.method, run));
    if p.model.until {
        let _ = writeln!(
            out,
            "  final time      {:.12} s, where `until` passes zero",
            run.trajectory.plan.t[s.steps]
        );
    }
    out + &work_text(run) + &events_text(p, run) + &values_text(p, run)
}

/// How often each event happened, and when for the last time.
fn events_text(p: &Prepared, run: &Run) -> String {
    let happened = p.happened(run);
    let mut out = String::new();
    for rule in p.model.system.events() {
        let own: Vec<f64> = happened.iter().filter(|e| e.event == rule.name).map(|e| e.t).collect();
        let when = match own[..] {
            [] => "did not happen".to_owned(),
            [t] => format!("t = {t:.9} s"),
            [.., t] => format!("{} times, the last at t = {t:.9} s", own.len()),
        };
        let _ = writeln!(out, "  {:<15} {when}", format!("event {}", rule.name));
    }
    out
}

/// Times, work, energy and constraints of a run.
fn work_text(run: &Run) -> String {
    let s = &run.trajectory.statistics;
    let mut out = String::new();
    // times and work
    let end = run.trajectory.plan.t.last().copied().unwrap_or(0.0);
    let start = run.trajectory.plan.t[0];
    let faster = real_time(run, run.seconds);
    let _ = writeln!(
        out,
        "  time            {start} … {end} s in {:.2} ms, {faster:.2} × real time",
        run.seconds * 1e3
    );
    let _ = writeln!(
        out,
        "  work            {} iterations, {} factorisations, {} rejected steps",
        s.iterations, s.factorizations, s.rejected
    );
    // energy and constraints
    let _ = writeln!(
        out,
        "  energy          {:.6} J at the start, deviates by {:.2e} J at most",
        run.energy.0, run.energy.1
    );
    let _ = writeln!(out, "  constraints     |Φ| ≤ {:.1e}, |Φ̇| ≤ {:.1e}", run.drift[0], run.drift[1]);
    out
}

/// Objectives of a run, with their maxima.
fn values_text(p: &Prepared, run: &Run) -> String {
    let mut out = String::new();
    for ((name, psi), largest) in p.objectives().iter().zip(&run.psi).zip(p.largest(run)) {
        let _ = writeln!(out, "  {name:<15} {psi:.12}");
        if let Some(Largest { value, t, excess }) = largest {
            let _ = writeln!(
                out,
                "  {:<15} largest at a step {value:.12}, t = {t:.6} s; ψ is at most {excess:.2e} above the \
                 maximum",
                ""
            );
        }
    }
    out
}

/// `drift in 3 of 17 designs, stiff in 1`.
pub(crate) fn tally_text(all: &Tally, total: usize, what: &str) -> String {
    let word = |(k, (code, count)): (usize, (WarningCode, usize))| match k {
        0 => format!("{code} in {count} of {total} {what}"),
        _ => format!("{code} in {count}"),
    };
    all.iter().enumerate().map(word).collect::<Vec<_>>().join(", ")
}
