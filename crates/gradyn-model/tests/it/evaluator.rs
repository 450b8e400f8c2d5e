//! The order of calls of an evaluator: `at` comes first, and terms are asked where it went.
#![cfg(debug_assertions)]

use gradyn_model::{At, Coordinates, Evaluator, FunctionalSet, Level};
use gradyn_testkit::models::{self, guessed_in};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Is a call refused?
fn refused(terms: &mut Evaluator<f64>, call: impl FnOnce(&mut Evaluator<f64>)) -> bool {
    catch_unwind(AssertUnwindSafe(|| call(terms))).is_err()
}

#[test]
fn terms_are_asked_where_the_evaluator_is() {
    for family in Coordinates::ALL {
        // a point, and another one beside it
        let r = guessed_in(&models::five_bar(), family);
        let sys = &r.model.system;
        let dims = sys.dims();
        let q = sys.guess().to_vec();
        let other: Vec<f64> = q.iter().map(|q| q + 0.1).collect();
        let zero = vec![0.0; dims.n.max(dims.m)];
        let at = At { t: 0.5, q: &q, v: &zero[..dims.n], a: &zero[..dims.n], lam: &zero[..dims.m] };
        let mut out = vec![0.0; dims.n.max(dims.m)];
        let mut terms = sys.evaluator(&r.p);
        terms.set_branches(&r.model.angles);
        // nothing before `at`
        assert!(refused(&mut terms, |t| t.forces(&at, &mut out[..dims.n])));
        assert!(refused(&mut terms, |t| _ = t.phi_q()));
        // everything at the point, nothing beside it
        terms.at(0.5, &q);
        terms.forces(&at, &mut out[..dims.n]);
        terms.constraint(&at, Level::POSITION, &mut out[..dims.m]);
        let beside = At { q: &other, ..at };
        let later = At { t: 0.6, ..at };
        for wrong in [&beside, &later] {
            assert!(refused(&mut terms, |t| t.forces(wrong, &mut out[..dims.n])));
            assert!(refused(&mut terms, |t| t.constraint(wrong, Level::POSITION, &mut out[..dims.m])));
        }
        // functionals at other positions, but at no other time
        let mut outputs = vec![0.0; sys.functionals(FunctionalSet::Output)];
        terms.measure(FunctionalSet::Output, &beside, &mut outputs);
        assert!(refused(&mut terms, |t| t.measure(FunctionalSet::Output, &later, &mut outputs)));
        // the time alone, and other slots, take the terms away
        terms.at_time(0.6);
        terms.measure(FunctionalSet::Output, &later, &mut outputs);
        assert!(refused(&mut terms, |t| t.forces(&later, &mut out[..dims.n])));
        terms.at(0.5, &q);
        terms.set_slots(&r.p);
        assert!(refused(&mut terms, |t| t.forces(&at, &mut out[..dims.n])));
        assert!(refused(&mut terms, |t| t.measure(FunctionalSet::Output, &at, &mut outputs)));
        // so do other references of angles
        terms.at(0.5, &q);
        terms.set_branches(&r.model.angles);
        assert!(refused(&mut terms, |t| t.forces(&at, &mut out[..dims.n])));
    }
}
