//! Certificates: what is not to be trusted says so, and what is right is trusted.

use gradyn::certificate::Outcome;
use gradyn::{Certificate, Error, Method, Prepared, Run, Sensitivity, Verdict, WarningCode};
use gradyn_testkit::silent::{SILENT, Silent};

fn prepared(text: &str) -> Prepared {
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"))
}

fn certified(model: &Prepared, method: &Method, s: Sensitivity) -> Result<(Run, Certificate), Error> {
    let run = model.run(method)?;
    let gradient = model.gradient(&run, s)?;
    let certificate = model.certify(&run, &gradient)?;
    Ok((run, certificate))
}

/// What a model of the list ends in, and whether that is silence: no refusal, no warning, a verdict that
/// trusts, and numbers that are farther off than they say.
fn outcome(s: &Silent) -> (String, bool) {
    let model = prepared(&s.text());
    let method = Method::new(s.method[0], s.method[1]).expect("registered");
    let method = s.step.map_or(method.clone(), |h| method.step(h));
    let run = match model.run(&method) {
        Err(e) => return (format!("refused: {e}"), false),
        Ok(run) => run,
    };
    let gradient = match model.gradient(&run, Sensitivity::DiscreteAdjoint) {
        Err(e) => return (format!("gradient refused: {e}"), false),
        Ok(gradient) => gradient,
    };
    let c = model.certify(&run, &gradient).unwrap_or_else(|e| panic!("{}: {e}", s.name));
    let warnings: Vec<&str> = run.warnings.iter().map(|w| w.code.name()).collect();
    let reasons: Vec<&str> = c.reasons.iter().map(|r| r.text.as_str()).collect();
    let right = s.truth.is_some_and(|[psi, slope]| {
        let errors = c.errors.as_ref().expect("errors");
        let within = |x: f64, truth: f64, error: f64| (x - truth).abs() <= error.max(1e-8);
        let value = within(run.psi[0], psi, errors.values[0]);
        value && within(gradient.rows[0][0], slope, errors.gradient[0][0])
    });
    let silent = c.verdict == Verdict::Trusted && warnings.is_empty() && !right;
    let rightly = if right { " and right" } else { "" };
    (format!("{}{rightly}, warnings {warnings:?}: {reasons:?}", c.verdict.name()), silent)
}

/// Every model whose numbers are not to be trusted is refused, warned of, or has a verdict that says so.
#[test]
fn nothing_is_wrong_in_silence() {
    let silent: Vec<String> = SILENT
        .iter()
        .map(|s| (s.name, outcome(s)))
        .inspect(|(name, (o, _))| println!("{name}: {o}"))
        .filter(|(_, (_, silent))| *silent)
        .map(|(name, (o, _))| format!("{name}: {o}"))
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

/// Steps beyond stability, and steps that lose energy, are named without a gradient.
#[test]
fn runs_warn_of_their_steps() {
    for (name, code) in
        [("rk4 beyond its stability", WarningCode::Unstable), ("energy that steps lose", WarningCode::Energy)]
    {
        let s = SILENT.iter().find(|s| s.name == name).expect("listed");
        let method = Method::new(s.method[0], s.method[1]).expect("registered").step(s.step.expect("fixed"));
        let run = prepared(&s.text()).run(&method).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(run.warnings.iter().any(|w| w.code == code), "{name}: {:?}", run.warnings);
    }
}

/// Bundled examples, as their files run them, are trusted, or say what is wrong with their steps.
#[test]
fn examples_are_trusted() {
    let mut alarms = vec![];
    for (name, text) in gradyn::examples::ALL.iter().filter(|e| QUICK.contains(&e.0)) {
        let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        let method = Method::from_study(&file.study).unwrap_or_else(|e| panic!("{name}: {e}"));
        // some are refused by name, such as beyond a singular position
        let Ok((_, c)) = certified(&model, &method, model.auto().0) else { continue };
        println!("{name}: {} {:?} {:.2} s", c.verdict.name(), c.seconds, c.total_seconds());
        println!("  {:?} {:?}", c.reasons, c.moved);
        if c.verdict != Verdict::Trusted && c.verdict != Verdict::Coarse {
            alarms.push(format!("{name}: {:?}", c.reasons));
        }
        if c.verdict == Verdict::Trusted {
            assert!(c.moved.iter().all(|m| m.outcome == Outcome::Agrees), "{name}");
        }
    }
    assert!(alarms.is_empty(), "{alarms:#?}");
}

/// Examples whose certificates take little time.
const QUICK: &[&str] = &[
    "bennett",
    "bouncing_ball",
    "bricard",
    "catapult",
    "change_point",
    "crane",
    "cv_shaft",
    "double_pendulum",
    "event_pendulum",
    "five_bar",
    "five_bar_balance",
    "four_bar",
    "gyroscope",
    "jansen",
    "knife_edge",
    "manipulator",
    "mathieu",
    "oscillator",
    "pendulum",
    "planetary_gear",
    "quarter_car",
    "quick_return",
    "redundant_four_bar",
    "rolling_disc",
    "rssr",
    "slider_crank",
    "spinning_top",
    "stewart",
    "tumbling_body",
    "universal_shaft",
];
