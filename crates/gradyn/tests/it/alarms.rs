//! Certificates raise no false alarm: examples in combinations of formulation, integrator, coordinates and
//! sensitivity. A `coarse` that shorter steps remove is none.

use crate::kit::cases::shorten;
use crate::kit::pairs::{Choice, all};
use gradyn::examples::{ALL, VEHICLES};
use gradyn::file::StudySection;
use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared, Sensitivity, Stepping, Verdict};
use gradyn_model::mechanism::Mechanism;

/// Part of a run that the quick test takes.
const PART: f64 = 0.2;
/// How often steps are made shorter before a `coarse` counts.
const SHORTER: usize = 3;
/// Combinations of each example in the quick test.
const EACH: usize = 3;

/// A certificate that is asked for.
struct Case {
    model: Prepared,
    method: Method,
    sensitivity: Sensitivity,
    what: String,
}

/// The method of a file in another combination: with its steps, where that integrator can have them.
fn method_of(study: &StudySection, (formulation, integrator): (Formulation, Integrator)) -> Method {
    let own = Method::from_study(study).expect("the study of an example");
    let keeps = match own.stepping {
        Stepping::Fixed(_) => true,
        Stepping::Adaptive { .. } => integrator.adapts(),
        Stepping::Default => true,
    };
    let stepping = if keeps { own.stepping } else { Stepping::Default };
    Method { formulation, integrator, stepping, ..Method::default() }
}

/// Combinations for model number `model` in the quick test: over all models every one of them is there.
fn some(model: usize) -> Vec<(Formulation, Integrator)> {
    let every = all(model);
    (0..EACH).map(|k| every[(EACH * model + k) % every.len()]).collect()
}

/// The cases of an example; coordinates and sensitivities take turns.
fn cases(number: usize, name: &str, m: &Mechanism, study: &StudySection, choice: Choice) -> Vec<Case> {
    let mut cases = vec![];
    for (k, combination) in choice(number).into_iter().enumerate() {
        let turn = number + k;
        let family = Coordinates::ALL[turn % Coordinates::ALL.len()];
        let fits: Vec<Sensitivity> =
            Sensitivity::ALL.iter().copied().filter(|s| s.fits(combination.0)).collect();
        let sensitivity = fits[turn % fits.len()];
        let what = format!(
            "{name}, {} + {}, {}, {}",
            combination.0.name(),
            combination.1.name(),
            family.name(),
            sensitivity.name()
        );
        // some have no such coordinates
        if let Ok(model) = Prepared::new_in(m, family) {
            cases.push(Case { model, method: method_of(study, combination), sensitivity, what });
        }
    }
    cases
}

/// Steps that are a quarter as long, or a hundredth of the tolerance, with those that a run had.
fn shorter(case: &Case) -> Option<Method> {
    let run = case.model.run(&case.method).ok()?;
    let plan = &run.trajectory.plan;
    let mean = (plan.t[plan.steps()] - plan.t[0]) / plan.steps() as f64;
    Some(match case.method.stepping {
        Stepping::Fixed(h) => case.method.clone().step(0.25 * h),
        Stepping::Adaptive { rtol, atol } => case.method.clone().tolerance(0.01 * rtol, 0.01 * atol),
        Stepping::Default if case.method.integrator.adapts() => case.method.clone().tolerance(1e-9, 1e-9),
        Stepping::Default => case.method.clone().step(0.25 * mean),
    })
}

/// What a certificate says, and whether that is an alarm; `None` where the run or the gradient is refused by
/// name. `times` is how often steps may still be made shorter.
fn verdict(case: Case, times: usize) -> Option<(String, bool)> {
    let run = case.model.run(&case.method).ok()?;
    let gradient = case.model.gradient(&run, case.sensitivity).ok()?;
    let c = case.model.certify(&run, &gradient).unwrap_or_else(|e| panic!("{}: {e}", case.what));
    let products = c.products.as_ref().map_or(0.0, |p| p.distance);
    let program = c.program.as_ref().map_or(0.0, |p| p.distance());
    let warned = !run.warnings.is_empty();
    let text = format!(
        "{}: {}, program {program:.0e}, products {products:.0e} {:?}{}",
        case.what,
        c.verdict.name(),
        c.reasons.iter().map(|r| &r.text).collect::<Vec<_>>(),
        if warned { ", warned" } else { "" }
    );
    match c.verdict {
        Verdict::Trusted => Some((text, false)),
        Verdict::Coarse if times > 0 => {
            let method = shorter(&case)?;
            verdict(Case { method, ..case }, times - 1)
        }
        _ => Some((text, true)),
    }
}

/// Runs that come to a singular position with stiff constraints, whose forces no step resolves: `coarse` is
/// right.
const SINGULAR: &str = "change_point, penalty";

/// Alarms of some examples, each over a part of its run.
fn alarms(choice: Choice, part: f64, times: usize) -> Vec<String> {
    let mut found = vec![];
    let mut count = 0;
    for (number, (name, text)) in ALL.iter().enumerate().filter(|(_, e)| !VEHICLES.contains(&e.0)) {
        let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut m = file.mechanism;
        shorten(&mut m, part);
        for case in cases(number, name, &m, &file.study, choice) {
            let started = std::time::Instant::now();
            let Some((text, alarm)) = verdict(case, times) else { continue };
            println!("{:6.2} s {text}", started.elapsed().as_secs_f64());
            count += 1;
            if alarm && !text.starts_with(SINGULAR) {
                found.push(text);
            }
        }
    }
    println!("{count} certificates, {} alarms", found.len());
    found
}

/// Every combination with some example, over a part of its run.
#[test]
fn examples_raise_no_alarm_in_pairs() {
    let found = alarms(some, PART, SHORTER);
    assert!(found.is_empty(), "{found:#?}");
}

/// Every combination with every example.
#[test]
#[ignore = "all"]
fn examples_raise_no_alarm() {
    let found = alarms(all, 1.0, SHORTER);
    assert!(found.is_empty(), "{found:#?}");
}
