//! Mutated examples, TOML and JSON: read, built and assembled, and written out.

use super::named;
use super::{corpus, models};
use gradyn::optimize::Optimization;
use gradyn::{Sensitivity, Study};
use gradyn_testkit::fuzz::{self, Case, Fate};
use gradyn_testkit::random::Random;
use std::ops::Range;
use std::path::Path;

/// Larger models are taken one time in eight [bytes].
const SMALL: usize = 6000;

/// Name and text of an example.
pub(super) fn example(r: &mut Random) -> (&'static str, &'static str) {
    let list = models();
    loop {
        let (name, text) = &list[r.below(list.len())];
        if text.len() <= SMALL || r.below(8) == 0 {
            return (name, text);
        }
    }
}

fn case(case: &mut Case) -> Fate {
    let (name, text) = example(&mut case.random);
    let input = corpus().mutated(text, &mut case.random);
    case.set(input);
    let fate = built(name, &case.input)?;
    if fate == "built" {
        written_out(name, &case.input)?;
    }
    Ok(fate)
}

/// What is written out reads as the same, or is refused.
fn written_out(name: &str, text: &str) -> Result<(), String> {
    let Ok(file) = gradyn::file::read(Path::new(name), text) else { return Ok(()) };
    let out = gradyn::file::expanded(Path::new(name), text).map_err(|e| format!("not written out: {e}"))?;
    let again = gradyn::file::read_toml(&out).map_err(|e| format!("not read again: {e}\n{out}"))?;
    let same = file.mechanism.bodies.len() == again.mechanism.bodies.len();
    if same { Ok(()) } else { Err("other bodies when it is written out".into()) }
}

/// The model with its method and its study.
fn built(name: &str, text: &str) -> Fate {
    // file
    let study = match Study::from_text(name, text) {
        Ok(study) => study,
        Err(e) => return named::error(&e, text).map(|()| "not read"),
    };
    // model, at its start
    let prepared = match study.prepared() {
        Ok(prepared) => prepared,
        Err(e) => return named::error(&e, text).map(|()| "not built"),
    };
    // method, and what is to be optimised
    let method = match study.chosen_method().and_then(|m| study.times().map(|_| m)) {
        Ok(method) => method,
        Err(e) => return named::error(&e, text).map(|()| "no method"),
    };
    if study.file().study.optimize.is_some() {
        let by = Sensitivity::DiscreteAdjoint;
        if let Err(e) = Optimization::new(study.file(), prepared, method, by, None) {
            return named::error(&study.locate(e), text).map(|()| "no optimisation");
        }
    }
    Ok("built")
}

pub(super) fn check(cases: Range<u64>) {
    let counts = fuzz::check("files", cases, case);
    assert!(counts.of("built") > 0 && counts.of("not read") > 0);
}
