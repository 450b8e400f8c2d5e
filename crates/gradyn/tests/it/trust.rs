//! Certificates: what is not to be trusted says so, and what is right is trusted.

mod cell;
mod coverage;
mod sweep;

use cell::{Cell, method, prepared, silent_cell};
use coverage::{Case, Counts, counts};
use gradyn::certificate::Outcome;
use gradyn::{Certificate, Coordinates, Error, Method, Prepared, Run, Sensitivity, Verdict, WarningCode};
use gradyn_testkit::silent::SILENT;

fn certified(model: &Prepared, method: &Method, s: Sensitivity) -> Result<(Run, Certificate), Error> {
    let run = model.run(method)?;
    let gradient = model.gradient(&run, s)?;
    let certificate = model.certify(&run, &gradient)?;
    Ok((run, certificate))
}

/// Every run whose numbers are not to be trusted is refused, warned of, or has a verdict that says so.
#[test]
fn nothing_is_wrong_in_silence() {
    let mut silent = vec![];
    for s in SILENT {
        let cell = silent_cell(s, Coordinates::Natural);
        println!("{}: {}, warnings {:?}: {}", s.name, cell.outcome(), cell.warnings(), cell.why());
        if let (true, Cell::Certified(c)) = (cell.is_silent(), &cell) {
            silent.push(format!("{}: {:?} {:?}", s.name, c.entries, c.certificate.moved));
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

/// The models of that list by many methods and steps, in natural coordinates: nothing is silent.
#[test]
#[ignore = "all"]
fn no_method_is_silent() {
    let mut silent = vec![];
    for name in sweep::models() {
        silent.extend(sweep::swept(name, Coordinates::Natural).silent);
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

/// The same runs in all coordinates, at steps of one size.
#[test]
#[ignore = "all"]
fn no_coordinates_are_silent() {
    let mut silent = vec![];
    for s in SILENT {
        for family in Coordinates::ALL {
            let cell = silent_cell(s, family);
            if cell.is_silent() {
                silent.push(format!("{}, {}: {}", s.name, family.name(), cell.outcome()));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

/// Stated errors cover the true ones in 95 % of all entries, and are not more than 30 times too large in the
/// median.
fn assert_covered(counts: &Counts) {
    let [entries, _] = counts.entries;
    println!(
        "{entries} entries, {:.2} % covered, median {:.1}, {:?}",
        100.0 * counts.coverage(),
        counts.median(),
        counts.wrong
    );
    assert!(entries > 0 && counts.coverage() >= 0.95, "{} of {:?}", counts.coverage(), counts.entries);
    assert!(counts.median() <= 30.0, "{}", counts.median());
    assert!(counts.wrong.is_empty(), "{:#?}", counts.wrong);
}

/// A few models by all methods: a damper, a corner, an edge and impacts.
#[test]
fn errors_are_as_large_as_they_say() {
    let mut all = Counts::default();
    for name in [
        "a spring with a damper",
        "a spring with a corner",
        "a force that changes at a place",
        "a bouncing ball",
    ] {
        let case = Case::known(name);
        all.join(counts(&case, &case.methods()));
    }
    assert_covered(&all);
}

/// Every model whose truth is known, by all methods.
#[test]
#[ignore = "all"]
fn errors_of_all_models_are_as_large_as_they_say() {
    let mut all = Counts::default();
    for case in coverage::cases() {
        all.join(counts(&case, &case.methods()));
    }
    assert_covered(&all);
}

/// The page that `cargo xtask trust` writes has a row for every run of the list, and says that none is
/// silent.
#[test]
fn the_page_has_every_run() {
    let page = include_str!("../../../../docs/trust.md");
    let missing: Vec<&str> =
        SILENT.iter().map(|s| s.name).filter(|name| !page.contains(&format!("| {name} |"))).collect();
    assert!(missing.is_empty(), "write docs/trust.md anew by `cargo xtask trust`: {missing:?}");
    let all = SILENT.len();
    assert!(page.contains(&format!("\n{all} of {all} are not silent.\n")));
}

/// Steps beyond stability, and steps that lose energy, are named without a gradient.
#[test]
fn runs_warn_of_their_steps() {
    for (name, code) in [
        ("an explicit run beyond stability", WarningCode::Unstable),
        ("energy that steps lose", WarningCode::Energy),
    ] {
        let s = SILENT.iter().find(|s| s.name == name).expect("listed");
        let model = prepared(&s.known().text(), Coordinates::Natural);
        let run = model.run(&method(s.method, s.steps)).unwrap_or_else(|e| panic!("{name}: {e}"));
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
