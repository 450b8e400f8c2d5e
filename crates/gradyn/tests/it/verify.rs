//! Every method against one reference, in units of its expected error.

use crate::kit::cases::OVERCONSTRAINED;
use gradyn::verify::{Against, Combination, Plan, Report, Scope, Section, Verdict};
use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared, Sensitivity};
use gradyn_testkit::models;
use std::time::Duration;

fn five_bar(t_end: f64) -> Prepared {
    let mut m = models::five_bar();
    m.t_end = t_end.into();
    Prepared::new(&m).expect("the five-bar builds")
}

fn example(name: &str, t_end: f64) -> Prepared {
    let mut file = gradyn::file::read_toml(gradyn::examples::find(name).expect("bundled")).expect("reads");
    file.mechanism.t_end = t_end.into();
    Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn star(h: f64) -> Plan {
    Plan::star(Method::default().step(h))
}

fn verify(model: &Prepared, plan: &Plan) -> Report {
    model.verify(plan, &[], &mut |_| {}).unwrap_or_else(|e| panic!("{}: {e}", model.model.name))
}

/// Everything of the registry is in the star, all of it agrees, and distances are what is expected: estimates
/// are right to a factor 3.
#[test]
fn the_star_of_the_five_bar_agrees() {
    let (model, mut stages) = (five_bar(1.0), 0);
    let plan = star(2e-3);
    let mut m = models::five_bar();
    m.t_end = 1.0.into();
    let others = Coordinates::ALL
        .into_iter()
        .skip(1)
        .map(|c| Prepared::new_in(&m, c).expect("builds"))
        .collect::<Vec<_>>();
    let report = model.verify(&plan, &others, &mut |_| stages += 1).expect("verifies");
    let all: Vec<Combination> = report.rows.iter().map(|r| r.combination).collect();
    assert!(Formulation::ALL.iter().all(|f| all.iter().any(|c| c.formulation == *f)));
    assert!(Integrator::ALL.iter().all(|i| all.iter().any(|c| c.integrator == *i)));
    assert!(Sensitivity::ALL.iter().all(|s| all.iter().any(|c| c.sensitivity == *s)));
    assert!(Coordinates::ALL.iter().all(|x| all.iter().filter(|c| c.coordinates == *x).count() >= 2));
    assert_eq!(stages, report.rows.len() + 1, "the reference, and each row");
    assert!(report.agrees() && report.skipped.is_empty());
    let reference = report.reference.as_ref().unwrap_or_else(|e| panic!("{e:?}"));
    assert!(reference.error < 1e-8 && reference.certificate < 1e-10, "{:.1e}", reference.error);
    for row in &report.rows {
        let (what, m) = (row.combination, row.measured.as_ref().expect("nothing is refused"));
        assert_eq!(row.verdict, Verdict::Agrees, "{what}");
        assert_eq!(
            m.against == Against::SameRun,
            !(what.sensitivity.is_continuous() || m.moved > 0.0),
            "{what}"
        );
        if m.against == Against::Reference {
            // Richardson: what was estimated is what is there
            assert!(m.distance.ratio < 3.0, "{what}: {:.2} expected errors", m.distance.ratio);
        }
        let order = row.combination.integrator.order() as f64;
        assert!(m.order.is_none_or(|o| (o - order).abs() < 0.3), "{what}: order {:?}", m.order);
    }
    let sections =
        [Section::Formulations, Section::Integrators, Section::Coordinates, Section::Sensitivities];
    assert!(
        report.rows.is_sorted_by_key(|r| r.section)
            && sections.iter().all(|s| report.rows.iter().any(|r| r.section == *s))
    );
}

/// Without (Φ_qᵀλ)_q direct and adjoint agree with each other; automatic and complex step, which do not
/// depend on the tangent, do not.
#[test]
fn a_wrong_tangent_is_found() {
    let plan = Plan { method: Method::default().step(5e-3).with_wrong_tangent(), ..star(5e-3) };
    let report = verify(&five_bar(0.5), &plan);
    assert!(!report.agrees());
    for s in [Sensitivity::Automatic, Sensitivity::ComplexStep] {
        let rows = report.rows.iter().filter(|r| r.combination.sensitivity == s);
        let differs = rows.filter(|r| matches!(r.verdict, Verdict::Differs { .. })).count();
        assert_eq!(differs, 2, "{} on both centres", s.name());
    }
    assert!(report.farthest().and_then(|r| r.measured.as_ref()).is_some_and(|m| m.distance.ratio > 1e3));
}

/// What does not fit into the budget is listed; nothing is lost.
#[test]
fn a_budget_lists_what_it_skips() {
    let model = five_bar(0.5);
    let all = verify(&model, &Plan { budget: Some(Duration::ZERO), ..star(5e-3) });
    assert!(all.rows.is_empty() && !all.agrees(), "nothing compared is no agreement");
    let full = verify(&model, &Plan { scope: Scope::Full, budget: Some(Duration::ZERO), ..star(5e-3) });
    assert!(full.skipped.len() > 300, "{} combinations", full.skipped.len());
    assert_eq!(full.skipped[..all.skipped.len()], all.skipped, "the star comes first");
    let product = |c: &Combination| c.formulation.fits(c.integrator) && c.sensitivity.fits(c.formulation);
    assert!(full.skipped.iter().all(product));
    let some =
        verify(&model, &Plan { scope: Scope::Full, budget: Some(Duration::from_secs(2)), ..star(5e-3) });
    assert_eq!(some.rows.len() + some.skipped.len(), full.skipped.len());
    assert!(!some.rows.is_empty() && some.rows.iter().all(|r| !some.skipped.contains(&r.combination)));
}

/// Velocity constraints with index 3: a row with its reason. The other formulations agree.
#[test]
fn a_refused_combination_is_a_row() {
    let report = verify(&example("knife_edge", 0.5), &star(2e-3));
    let refused: Vec<_> = report.rows.iter().filter(|r| r.measured.is_none()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].combination.formulation, Formulation::Index3);
    assert!(refused[0].note().is_some_and(|n| n.contains("is a velocity constraint")));
    assert!(report.agrees());
}

/// Beyond a singular position there is no gradient by any method: no reference, and no agreement.
#[test]
fn without_a_reference_nothing_is_compared() {
    let report = verify(&example("change_point", 0.5), &star(5e-3));
    assert!(
        report
            .reference
            .as_ref()
            .is_err_and(|reasons| reasons.iter().any(|r| r.contains("singular position")))
    );
    assert!(report.rows.iter().all(|r| r.measured.is_none() && r.note().is_some()));
    assert!(report.compared() == 0 && !report.agrees());
}

/// A penalty factor that is far too small: the estimate (3) sees it, and `penalty` still agrees.
#[test]
fn the_error_of_a_soft_penalty_is_expected() {
    let mut method = Method::default().step(2e-3);
    method.set("alpha", "1e2").expect("an option");
    let report = verify(&five_bar(0.5), &Plan { method, budget: None, ..star(2e-3) });
    let row =
        report.rows.iter().find(|r| r.combination.formulation == Formulation::Penalty).expect("in the star");
    let m = row.measured.as_ref().expect("runs");
    let penalty = m.penalty.expect("estimated");
    assert!(penalty > 10.0 * m.moved, "{penalty:.1e} by the penalty, {:.1e} by the steps", m.moved);
    assert!(m.distance.ratio < 1.5, "{:.2}", m.distance.ratio);
}

/// Differences of nothing but rounding: their bars are no errors, they say so, and that explains a distance
/// from the adjoint.
#[test]
fn differences_that_did_not_converge_are_explained() {
    let mut method = Method::default().step(5e-3);
    method.set("extrapolation_step", "1e-9").expect("an option");
    let report = verify(&five_bar(0.5), &Plan { method, ..star(5e-3) });
    let rows: Vec<_> =
        report.rows.iter().filter(|r| r.combination.sensitivity == Sensitivity::Extrapolated).collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let m = row.measured.as_ref().expect("runs");
        assert!(
            m.warnings.iter().any(|w| w.to_string().starts_with("not-converged: d")),
            "{}: {:?}",
            row.combination,
            m.warnings
        );
        assert!(!matches!(row.verdict, Verdict::Differs { .. }), "{}: {:?}", row.combination, row.verdict);
    }
}

/// h and h/2 on a run that is shorter than both are the same run.
#[test]
fn a_step_longer_than_the_run_is_refused() {
    let refused = |m: &Prepared, h: f64| {
        m.verify(&star(h), &[], &mut |_| {}).err().map_or(String::new(), |e| e.to_string())
    };
    assert!(refused(&five_bar(0.5), 0.6).contains("longer than the run (0.500000 s)"));
    let fall =
        gradyn::file::read_toml(gradyn::examples::find("event_pendulum").expect("bundled")).expect("reads");
    let fall = Prepared::new(&fall.mechanism).expect("builds");
    assert!(
        refused(&fall, 1.9).contains("longer than the run"),
        "the run that the condition ends, not t_max"
    );
}

/// A model without objectives or parameters is refused, as gradients are.
#[test]
fn models_without_gradients_are_refused() {
    let mut m = models::five_bar();
    m.objectives.clear();
    let model = Prepared::new(&m).expect("builds");
    assert!(model.verify(&star(0.01), &[], &mut |_| {}).is_err_and(|e| e.is_input()));
}

/// A soft penalty on a mechanism of grams: its error is the expected one and small beside the objective, but
/// one derivative is off by a fifth of itself. It is named.
#[test]
fn every_entry_counts() {
    let file = gradyn::file::read_toml(include_str!("../../src/suite/models/squeezer.toml")).expect("reads");
    let model = Prepared::new(&file.mechanism).expect("builds");
    let mut method = Method::default().step(3e-5);
    method.set("alpha_scaling", "uniform").expect("an option");
    method.set("alpha", "1e8").expect("an option");
    let report = verify(&model, &Plan { budget: Some(Duration::from_secs(60)), ..Plan::star(method) });
    let row =
        report.rows.iter().find(|r| r.combination.formulation == Formulation::Penalty).expect("in the star");
    let m = row.measured.as_ref().expect("runs");
    assert!(m.distance.ratio < 3.0 && m.distance.expected < 0.05, "{:?}", m.distance);
    let weakest = m.weakest.expect("entries that are not zero");
    assert!(weakest.share > 0.1, "{weakest:?}");
    let note = row.note().expect("why it is loose");
    assert_eq!(row.verdict.name(), "loose");
    assert!(note.contains(&weakest.entry.name(&model)) && note.contains("% of itself"), "{note}");
    let others = report.rows.iter().filter(|r| r.combination.formulation == Formulation::Index1);
    assert!(others.clone().count() > 5);
    for row in others {
        assert_eq!(row.verdict, Verdict::Agrees, "{}: {:?}", row.combination, row.note());
    }
}

/// Random designs of an example: every parameter moved by up to a tenth of its scale, inside its bounds.
fn designs(model: &Prepared, count: usize) -> Vec<Vec<f64>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut design = || {
        let moved = |(p, x): (&gradyn_model::ParameterInfo, &f64)| {
            let y = x + 0.1 * p.scale * (2.0 * random() - 1.0);
            y.clamp(p.bounds.0.unwrap_or(f64::NEG_INFINITY), p.bounds.1.unwrap_or(f64::INFINITY))
        };
        model.parameters().iter().zip(model.rho()).map(moved).collect()
    };
    (0..count).map(|_| design()).collect()
}

/// Rows of a random design of an example that differ although no warning explains it; `None` where the design
/// has no run.
fn differing(name: &str, number: usize) -> Option<Vec<String>> {
    let file = gradyn::file::read_toml(gradyn::examples::find(name).expect("bundled")).expect("reads");
    let model = Prepared::new(&file.mechanism).ok()?;
    let method = Method::from_study(&file.study).unwrap_or_else(|e| panic!("{name}: {e}"));
    let rho = designs(&model, number + 1).pop()?;
    let moved = model.at_on_branch(&rho).ok()?;
    let plan = Plan { budget: Some(Duration::from_secs(20)), ..Plan::star(method) };
    let report = moved.verify(&plan, &[], &mut |_| {}).ok()?;
    let wrong = report.rows.iter().filter(|r| matches!(r.verdict, Verdict::Differs { .. }));
    let text = |row: &gradyn::verify::Row| {
        let m = row.measured.as_ref().expect("compared");
        format!("{name} {number}: {}: {:?}, moved {:.1e}", row.combination, m.distance, m.moved)
    };
    Some(wrong.map(text).collect())
}

/// Designs with a value of `adams-bashforth` and with extrapolated differences that were right by accident
/// where errors are measured.
#[test]
fn errors_that_are_zero_by_accident_are_expected() {
    for (name, number) in [("universal_shaft", 4), ("oscillator", 0)] {
        let differ = differing(name, number).expect("runs");
        assert!(differ.is_empty(), "{differ:#?}");
    }
}

/// Random designs of examples that are no vehicles: nothing differs that a warning does not explain. Penalty
/// does differ on linkages that it cannot run.
#[test]
#[ignore = "all"]
fn random_designs_agree() {
    let mut differ = vec![];
    let mut count = 0;
    let others = [gradyn::examples::VEHICLES, &OVERCONSTRAINED].concat();
    for (name, _) in gradyn::examples::ALL.iter().filter(|e| !others.contains(&e.0)) {
        for found in (0..8).filter_map(|number| differing(name, number)) {
            count += 1;
            differ.extend(found);
        }
        println!("{name}: {count} designs, {} differ", differ.len());
    }
    assert!(differ.is_empty(), "{differ:#?}");
}
