//! Random designs of ten examples: each runs, with two gradients that are the same and a certificate, or is
//! refused by name.
//!
//! At length it has as many designs as `GRADYN_FUZZ_CASES` says, from `GRADYN_FUZZ_FROM` on. Counts are
//! printed.

use crate::fuzz::named;
use gradyn::{Certificate, Method, Prepared, Run, Sensitivity, Verdict};
use gradyn_testkit::compare::distance;
use gradyn_testkit::fuzz::{self, Case, Fate};
use gradyn_testkit::random::Random;
use std::ops::Range;
use std::sync::OnceLock;

/// Examples of all kinds that run in some milliseconds.
const EXAMPLES: [&str; 10] = [
    "five_bar",
    "four_bar",
    "slider_crank",
    "quick_return",
    "stewart",
    "rssr",
    "quarter_car",
    "bouncing_ball",
    "knife_edge",
    "manipulator",
];

/// Difference of direct and adjoint, of the size of the gradient: rounding, and what a run makes of it.
const SAME: f64 = 1e-8;

/// Models and methods of the examples.
fn models() -> &'static [(Prepared, Method)] {
    static MODELS: OnceLock<Vec<(Prepared, Method)>> = OnceLock::new();
    MODELS.get_or_init(|| {
        let one = |name: &&str| {
            let file = gradyn::file::read_toml(gradyn::examples::find(name).expect("listed"));
            let file = file.unwrap_or_else(|e| panic!("{name}: {e}"));
            let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
            (model, Method::from_study(&file.study).unwrap_or_else(|e| panic!("{name}: {e}")))
        };
        EXAMPLES.iter().map(one).collect()
    })
}

/// Parameters within a size around those of the model, between their bounds.
fn design(model: &Prepared, size: f64, r: &mut Random) -> Vec<f64> {
    let one = |p: &gradyn::ParameterInfo| {
        let x = p.value + size * p.scale * r.between(-1.0, 1.0);
        x.clamp(p.bounds.0.unwrap_or(f64::NEG_INFINITY), p.bounds.1.unwrap_or(f64::INFINITY))
    };
    model.parameters().iter().map(one).collect()
}

fn case(case: &mut Case) -> Fate {
    // a design, near or far
    let k = case.number as usize % EXAMPLES.len();
    let (model, method) = &models()[k];
    let size = [0.02, 0.1, 0.5][case.random.below(3)];
    let rho = design(model, size, &mut case.random);
    case.set(format!("{} at {rho:?}", EXAMPLES[k]));

    // its run, if there is one
    let text = gradyn::examples::find(EXAMPLES[k]).unwrap_or_default();
    let model = match model.at(&rho) {
        Ok(model) => model,
        Err(e) => return named::error(&e, text).map(|()| "not assembled"),
    };
    match model.run(method) {
        Ok(run) => differentiated(&model, &run, text),
        Err(e) => named::error(&e, text).map(|()| "stopped"),
    }
}

/// The gradients of a run, with the verdict on them.
fn differentiated(model: &Prepared, run: &Run, text: &str) -> Fate {
    let by = |s: Sensitivity| model.gradient(run, s);
    let gradient = match by(Sensitivity::DiscreteAdjoint) {
        Ok(gradient) => gradient,
        Err(e) => return named::error(&e, text).map(|()| "without a gradient"),
    };
    // direct = adjoint
    let direct = by(Sensitivity::DiscreteDirect).map_err(|e| format!("adjoint, and no direct: {e}"))?;
    let scales: Vec<f64> = model.parameters().iter().map(|p| p.scale).collect();
    let d = distance(&direct.rows, &gradient.rows, &scales);
    if d.is_nan() || d > SAME {
        return Err(format!("direct and adjoint differ by {d:.1e}"));
    }
    // a verdict, with a reason unless it is trusted
    let c: Certificate = model.certify(run, &gradient).map_err(|e| format!("no certificate: {e}"))?;
    match c.verdict {
        v if v != Verdict::Trusted && c.reasons.is_empty() => Err(format!("{} without a reason", v.name())),
        v => Ok(v.name()),
    }
}

fn check(cases: Range<u64>) {
    let counts = fuzz::check("soak", cases, case);
    assert!(counts.of("trusted") > 0);
}

#[test]
fn random_designs() {
    check(0..20);
}

#[test]
#[ignore = "all"]
fn random_designs_at_length() {
    check(fuzz::cases(400));
}
