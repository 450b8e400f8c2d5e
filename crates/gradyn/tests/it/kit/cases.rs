//! Every example and test model as a short run with every number a parameter.

use gradyn::Prepared;
use gradyn_model::mechanism::{Mechanism, Source};
use gradyn_testkit::models;
use gradyn_testkit::parametrise::{only_used, parametrise};

/// Steps of a case.
pub(crate) const STEPS: usize = 20;
/// Newmark's rounding grows like 1/h, so its step is not below 1 ms.
pub(crate) const STEP: f64 = 4e-3;

/// Studies with many parameters of mechanisms that other examples have (`gradyn/tests/it/control.rs`).
const STUDIES: [&str; 2] = ["manipulator_minimum_time", "slider_crank_codesign"];

/// Linkages that penalty cannot run: it loads redundant rows by drift times α. All other formulations meet
/// them in a test of their own (`gradyn/tests/it/overconstrained.rs`).
pub(crate) const OVERCONSTRAINED: [&str; 2] = ["bricard", "bennett"];

/// Runs that are made of events, which short runs do not reach (`gradyn/tests/it/events`).
const EVENTS: [&str; 2] = ["bouncing_ball", "catapult"];

/// The examples that loops over many methods can afford; the vehicles have a test of their own
/// (`gradyn/tests/it/vehicles.rs`).
pub(crate) fn small_examples() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let own = [gradyn::examples::VEHICLES, &STUDIES, &OVERCONSTRAINED, &EVENTS].concat();
    gradyn::examples::ALL.iter().filter(move |e| !own.contains(&e.0))
}

/// Examples and test models, with every number a parameter.
pub(crate) fn cases() -> Vec<(String, Mechanism)> {
    let examples = small_examples().map(|(name, text)| {
        let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        (format!("example {name}"), file.mechanism)
    });
    let all = examples.chain(models::all().into_iter().map(|(n, m)| (format!("model {n}"), m)));
    // a condition for the final time cannot be made shorter
    let all = all.filter(|(_, m)| m.until.is_none());
    all.map(|(name, m)| {
        let built = gradyn_model::build(&m).unwrap_or_else(|e| panic!("{name}: {e}"));
        let p = built.slots(&built.rho());
        let (mut start, end) = (p[built.times.start as usize], p[built.times.end as usize]);
        if Prepared::new(&m).is_ok_and(|p| !p.redundant().is_empty()) {
            // most numbers would break its loops: only the parameters that it names
            return (
                name.clone(),
                Mechanism { t_end: (start + step(&name) * (STEPS as f64 - 0.5)).into(), ..m },
            );
        }
        let (mut m, _) = parametrise(&m);
        if m.splines.iter().any(|s| !s.cyclic) {
            // off the first knot, where a spline that drives has a jump of its second rate
            let Source::Expression(text) = &m.t_start.source else {
                panic!("{name}: the start is an expression now")
            };
            m.t_start = format!("{text} + {}", 0.3 * step(&name)).into();
            start += 0.3 * step(&name);
        }
        // a short run whose final time still depends on what it depended on
        let Source::Expression(text) = &m.t_end.source else {
            panic!("{name}: the final time is an expression now")
        };
        let short = step(&name) * (STEPS as f64 - 0.5) / (end - start);
        m.t_end = format!("{start} + ({text} - {start}) * {short}").into();
        (name, only_used(&m))
    })
    .collect()
}

/// The step of a model: a rotor at hundreds of rad/s needs short ones.
pub(crate) fn step(name: &str) -> f64 {
    if name.contains("gyroscope") || name.contains("top") { 0.25 * STEP } else { STEP }
}

/// A part of the run of a mechanism, whose end still depends on what it depended on; a condition for the
/// final time cannot be made shorter.
pub(crate) fn shorten(m: &mut Mechanism, part: f64) {
    if m.until.is_some() || part == 1.0 {
        return;
    }
    let [start, end] = [&m.t_start, &m.t_end].map(|t| match &t.source {
        Source::Expression(text) => format!("({text})"),
        Source::Value(x) => format!("({x})"),
    });
    m.t_end = format!("{start} + {part} * ({end} - {start})").into();
}
