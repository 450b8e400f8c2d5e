//! Whole runs of examples with other numbers, by any method, some steps long, with their gradient.

use super::files::example;
use super::{corpus, named};
use gradyn::registry::{Formulation, Integrator, Sensitivity};
use gradyn::{Coordinates, Error, ErrorKind, Study, StudyRun};
use gradyn_testkit::fuzz::{self, Case, Fate};
use gradyn_testkit::random::Random;
use std::ops::{ControlFlow, Range};

/// Steps of a run; one that has more is ended there.
const STEPS: usize = 20;

/// Time of a run after which it is ended [s].
const SECONDS: f64 = 2.0;

fn one<T: Copy>(list: &[T], r: &mut Random) -> T {
    list[r.below(list.len())]
}

/// The method of the file, or any other.
fn chosen(study: &mut Study, r: &mut Random) -> Result<(), Error> {
    if r.below(2) == 0 {
        study.formulation(one(Formulation::ALL, r).name())?;
        study.integrator(one(Integrator::ALL, r).name())?;
    }
    if r.below(2) == 0 {
        study.coordinates(one(&Coordinates::ALL, r).name())?;
    }
    if r.below(2) == 0 {
        study.sensitivity(one(Sensitivity::ALL, r).name())?;
    }
    Ok(())
}

/// A run of some steps; a longer one is run again to the time that it has reached.
fn run(study: &mut Study) -> Result<StudyRun, Error> {
    study.time_limit(SECONDS);
    let few = |p: &gradyn::Progress| {
        if p.steps < STEPS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    match study.nominal()?.run_with(few) {
        Err(Error { kind: ErrorKind::Cancelled { t, .. }, .. }) => {
            study.end_at(&format!("{t:e}")).nominal()?.run()
        }
        done => done,
    }
}

fn case(case: &mut Case) -> Fate {
    // model and method
    let (name, text) = example(&mut case.random);
    let input = corpus().varied(text, &mut case.random);
    case.set(input);
    let Ok(mut study) = Study::from_text(name, &case.input) else { return Ok("not read") };
    chosen(&mut study, &mut case.random).map_err(|e| format!("registered, and refused: {e}"))?;

    // run
    let run = match run(&mut study) {
        Ok(run) => run,
        Err(e) => {
            let computed = matches!(e.kind, ErrorKind::Step(_));
            return named::error(&e, &case.input).map(|()| if computed { "stopped" } else { "not built" });
        }
    };
    // gradient; what is not finite is told
    match run.gradient() {
        Err(e) => named::error(&e, &case.input).map(|()| "run, without a gradient"),
        Ok(_) if !run.objectives().iter().all(|x| x.is_finite()) && run.warnings().is_empty() => {
            Err(format!("ψ = {:?} without a warning", run.objectives()))
        }
        Ok(g) if g.values.iter().any(|x| !x.is_finite()) && run.warnings().is_empty() => {
            Err(format!("a gradient {:?} without a word", g.values))
        }
        Ok(_) => Ok("run, with its gradient"),
    }
}

pub(super) fn check(cases: Range<u64>) {
    let counts = fuzz::check("runs", cases, case);
    assert!(counts.of("run, with its gradient") > 0);
}
