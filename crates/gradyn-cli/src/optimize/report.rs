//! The result of an optimisation as text and as JSON.

use super::{ending, fit, starts};
use crate::output;
use gradyn::Study;
use gradyn::optimize::{Failure, Last, Multiplier, Optimization, Report, Side, Status, Told, history};
use serde_json::{Value, json};

/// A run that ended.
pub(crate) struct Ended<'a> {
    /// The file.
    pub file: &'a Study,
    pub study: &'a Optimization,
    pub report: &'a Report,
    /// One object for each evaluation.
    pub steps: Vec<Value>,
    pub seconds: f64,
    /// Evaluations that came from a history.
    pub old: usize,
    /// Every scenario at the last design, where that is of use.
    pub last: Vec<Last>,
}

/// What the history of `--json` says about an evaluation.
pub(crate) fn step(study: &Optimization, told: &Told) -> Value {
    let x = output::named(output::parameter_names(study.model()), &told.record.trial.x);
    let evaluation = told.now.evaluations;
    let iteration = told.now.iterations;
    let mut o = json!({"evaluation": evaluation, "iteration": iteration, "parameters": x});
    if study.starts.is_some() {
        o["start"] = told.record.trial.start.into();
    }
    match &told.record.outcome {
        Ok(e) => (o["objective"], o["optimality"]) = (e.value.into(), told.now.optimality.into()),
        Err(e) => o["failed"] = e.reason.as_str().into(),
    }
    if !told.record.warnings.is_empty() {
        o["warnings"] = history::counts(&told.record.warnings);
    }
    o
}

/// Twelve digits.
pub(crate) fn digits(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-3 {
        return format!("{x:.11e}");
    }
    let decimals = (11.0 - x.abs().max(1.0).log10().floor()).max(0.0) as usize;
    format!("{x:.decimals$}")
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Lower => "lower",
        Side::Upper => "upper",
    }
}

/// Is there a local optimum, or the best design up to a limit?
pub(crate) fn usable(report: &Report) -> bool {
    let status = report.end.status;
    status.converged()
        || matches!(status, Status::IterationLimit | Status::EvaluationLimit | Status::Interrupted)
}

impl Ended<'_> {
    /// What is minimised, at the start.
    fn initial(&self) -> Option<f64> {
        self.report.initial().map(|e| e.value)
    }
    pub(crate) fn object(&self) -> Value {
        let s = self.study;
        let end = &self.report.end;
        let names = output::parameter_names(s.model());
        // bounds, constraints and failures as lists
        let active: Vec<Value> = end
            .active
            .iter()
            .map(|b| json!({"name": b.name, "side": side(b.side), "multiplier": b.multiplier}))
            .collect();
        let constraints: Vec<Value> =
            self.limits().map(|(m, c)| json!({"name": m.name, "value": c, "multiplier": m.value})).collect();
        let failures: Vec<Value> = end
            .failures
            .iter()
            .map(|f| json!({"start": f.start, "evaluation": f.evaluation, "reason": f.reason}))
            .collect();
        // the object
        let mut o = json!({
            "model": s.model().model.name, "method": super::method(s),
            "optimizer": s.optimizer.name(), "status": end.status.name(), "message": end.status.about(),
            "iterations": end.iterations, "evaluations": end.evaluations,
            "parameters": output::named(names.clone(), &end.x), "start": output::named(names, s.start()),
            "objective": {"initial": self.initial(), "final": end.value},
            "optimality": end.optimality, "violation": end.violation, "active": active,
            "constraints": constraints,
            "failures": failures, "warnings": ending::counts(self.report), "final": ending::object(self.file, &self.last),
            "history": self.steps,
            "statistics": {
                "seconds": self.seconds, "evaluations_of_history": self.old, "failed": end.failures.len(),
            },
        });
        // what many starts and fits add
        if s.starts.is_some() {
            o["starts"] = starts::object(s, self.report);
        }
        if let Some(fit) = &self.report.identification {
            o["fit"] = fit::object(self.report, fit);
        }
        o
    }
    pub(crate) fn text(&self) -> String {
        let s = self.study;
        let end = &self.report.end;
        let f = s.method.formulation.name();
        let i = s.method.integrator.name();
        // method, end and value
        let mut text = format!(
            "{}: {}, with {f} + {i}, {}\n",
            s.model().model.name,
            s.optimizer.name(),
            s.sensitivity.name()
        );
        text += &format!("  {:<15} {}\n", end.status.name(), end.status.about());
        text +=
            &format!("  objective       {:.12e} → {:.12e}\n", self.initial().unwrap_or(f64::NAN), end.value);
        text += &format!("  optimality      projected gradient {:.1e}", end.optimality);
        text += &if s.problem.m() > 0 { format!(", violation {:.1e}\n", end.violation) } else { "\n".into() };
        // work, with what came from the history
        let old = if self.old > 0 { format!(", {} from the history", self.old) } else { String::new() };
        text += &format!(
            "  work            {} iterations, {} evaluations{old}, {:.2} s\n",
            end.iterations, end.evaluations, self.seconds
        );
        // what many starts and fits add
        let starts = if s.starts.is_some() { starts::text(s, self.report) } else { String::new() };
        let fit =
            self.report.identification.as_ref().map_or(String::new(), |fit| fit::text(self.report, fit));
        let last = ending::text(self.file, self.report, &self.last);
        text + &self.parameters() + &self.constraints() + &fit + &starts + &self.failures() + &last
    }
    /// Before, after, and which bound holds it.
    fn parameters(&self) -> String {
        let variables = self.study.problem.variables();
        let width = variables.iter().map(|v| v.name.chars().count()).max().unwrap_or(0).max(10);
        let mut text =
            format!("  {:<width$}    {:>18}    {:>18}\n", "parameters", "before", "after", width = width + 2);
        for ((v, before), after) in variables.iter().zip(self.study.start()).zip(&self.report.end.x) {
            let bound = self.report.end.active.iter().find(|b| b.name == v.name);
            let note = bound.map_or(String::new(), |b| {
                format!("  {} bound, multiplier {:.3e}", side(b.side), b.multiplier)
            });
            text += &format!(
                "    {:<width$}    {:>18}    {:>18}{note}\n",
                v.name,
                digits(*before),
                digits(*after)
            );
        }
        text
    }
    /// The constraints, with their multipliers and their values: zero for equalities, at most zero for
    /// inequalities.
    fn limits(&self) -> impl Iterator<Item = (&Multiplier, f64)> {
        let values = self.report.best().into_iter().flat_map(|e| e.constraints.iter().copied());
        self.report.end.multipliers.iter().zip(values)
    }
    fn constraints(&self) -> String {
        let width = self.limits().map(|(m, _)| m.name.chars().count()).max().unwrap_or(0).max(11);
        let line = |(m, c): (&Multiplier, f64)| {
            format!("    {:<width$}    {c:>18.9e}    {:>18.9e}\n", m.name, m.value)
        };
        let lines: String = self.limits().map(line).collect();
        let head = format!(
            "  {:<w$}    {:>18}    {:>18}\n",
            "constraints",
            "over its limit",
            "multiplier",
            w = width + 2
        );
        if lines.is_empty() { lines } else { head + &lines }
    }
    /// How many designs could not be evaluated, and why the last of them.
    fn failures(&self) -> String {
        let list = &self.report.end.failures;
        let many = self.study.starts.is_some();
        let start = |f: &Failure| if many { format!("start {}, ", f.start) } else { String::new() };
        let line = |f: &Failure| format!("    {}evaluation {}: {}\n", start(f), f.evaluation, f.reason);
        if list.is_empty() {
            return String::new();
        }
        let head =
            format!("  {} of {} designs could not be evaluated\n", list.len(), self.report.end.evaluations);
        let more = if list.len() > SHOWN {
            format!("    and {} more (--json lists all)\n", list.len() - SHOWN)
        } else {
            String::new()
        };
        head + &list.iter().take(SHOWN).map(line).collect::<String>() + &more
    }
}

/// Failed designs that are listed.
const SHOWN: usize = 5;
