//! Every error message is seen by a test: tables of models that are wrong in one place with what is said
//! about them, and a search for messages that no test and no snapshot has.

mod calls;
mod computed;
mod plane;
mod scan;
mod space;
mod studies;

use gradyn::optimize::Optimization;
use gradyn::{Error, Sensitivity, Study};

/// A name, and what is replaced in a model: each first text by the second.
type Wrong = (&'static str, &'static [(&'static str, &'static str)]);

/// The error of a model: when it is read, built, optimised or run.
fn refusal(text: &str) -> Result<(), Error> {
    let study = Study::from_text("model.toml", text)?;
    let model = study.nominal()?;
    study.times()?;
    if study.file().study.optimize.is_some() {
        let by = Sensitivity::DiscreteAdjoint;
        let optimization = Optimization::new(study.file(), study.prepared()?, model.method, by, None);
        return optimization.and_then(|o| o.try_start()).map_err(|e| study.locate(e));
    }
    model.run()?.gradient().map(|_| ())
}

/// What is said about each of some wrong models, one below the other.
fn said(text: &str, cases: &[Wrong]) -> String {
    let one = |(name, edits): &Wrong| {
        let edited = edits.iter().fold(text.to_owned(), |t, (old, new)| {
            assert!(t.contains(old), "{name}: `{old}` is not in the model");
            t.replacen(old, new, 1)
        });
        match refusal(&edited) {
            Err(e) => format!("## {name}\n{}", e.render()),
            Ok(()) => format!("## {name}\nNOTHING IS SAID\n"),
        }
    };
    let all: String = cases.iter().map(one).collect();
    assert!(!all.contains("NOTHING IS SAID"), "{all}");
    all.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
