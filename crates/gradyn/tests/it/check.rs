//! Derivatives written by hand, checked entry by entry.

use gradyn::{Kernel, ProgramScalar, check_kernel, check_system};
use gradyn_model::Setup;
use gradyn_model::user::UserSystem;
use gradyn_testkit::models::{self, ready};
use gradyn_testkit::state_space::Skate;

/// The force of a spring along x, and its rate over (x, y), right or with a wrong sign in one entry.
struct Spring {
    wrong: bool,
}

impl Kernel for Spring {
    fn sizes(&self) -> [usize; 2] {
        [1, 2]
    }
    fn value<S: ProgramScalar>(&self, x: &[S], y: &mut [S]) {
        let l = (x[0] * x[0] + x[1] * x[1]).sqrt();
        y[0] = (l - S::from(0.5)) * x[0] / l * 100.0;
    }
    fn jacobian(&self, x: &[f64]) -> Vec<f64> {
        let l = x[0].hypot(x[1]);
        let sign = if self.wrong { -1.0 } else { 1.0 };
        vec![100.0 * (1.0 - 0.5 * x[1] * x[1] / l.powi(3)), sign * 50.0 * x[0] * x[1] / l.powi(3)]
    }
    fn output(&self, _i: usize) -> String {
        "force".into()
    }
    fn input(&self, j: usize) -> String {
        ["x", "y"][j].into()
    }
}

#[test]
fn a_wrong_entry_is_named() {
    let x = [0.3, 0.7];
    assert_eq!(check_kernel(&Spring { wrong: false }, &x), vec![]);
    let found = check_kernel(&Spring { wrong: true }, &x);
    assert_eq!(found.len(), 1);
    let m = &found[0];
    assert_eq!((m.output.as_str(), m.input.as_str()), ("force", "y"));
    assert!((m.written + m.dual).abs() < 1e-12 && (m.dual - m.complex).abs() < 1e-12);
    assert!((m.difference.0 - m.dual).abs() <= 1e-8 && m.difference.1 < 1e-8, "{m}");
    assert!(m.to_string().starts_with("d(force)/d(y) is written as -"), "{m}");
}

/// Every term of every test model, at a state beside its start.
#[test]
fn the_terms_of_every_model_are_right() {
    for (name, m) in models::all() {
        let r = ready(&m);
        let (sys, dims) = (&r.model.system, r.model.system.dims());
        let shake = |k: usize| ((k as f64 + 1.0) * 0.618_034).fract() - 0.5;
        let mut x: Vec<f64> = r.q.iter().enumerate().map(|(k, q)| q + 0.01 * shake(k)).collect();
        x.extend((0..2 * dims.n + dims.m).map(shake));
        let found = check_system(sys, 0.137, &x, &r.p, &r.model.angles);
        assert!(found.is_empty(), "{name}: {}", found[0]);
    }
}

#[test]
fn the_terms_of_a_user_system_are_right() {
    let sys = Setup::of_user(UserSystem::new(Skate).expect("names and a guess"));
    let x: Vec<f64> = (0..4 * 5).map(|k| ((f64::from(k) + 1.0) * 0.618_034).fract() - 0.5).collect();
    let p = [2.0, 0.3, 0.4, 1.5, 2.0, 0.7, 1.2, 0.8, 1.3, 1.0];
    let found = check_system(&sys, 0.3, &x, &p, &[]);
    assert!(found.is_empty(), "{}", found[0]);
}
