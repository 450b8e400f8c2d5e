//! What programs are told that ask for what is not there: methods, samples, tables and systems of their own.

use gradyn::file::StudySection;
use gradyn::mechanism::Penalty;
use gradyn::user::{FinalTime, StateSpace, UserModel};
use gradyn::{Coordinates, Error, Mechanism, Method, Prepared, Run, Scalar, Sensitivity, Study};
use gradyn_model::spline::{Kind, UniformSpline};
use gradyn_model::{RowChoice, matrices_up_to};
use gradyn_testkit::state_space::Skate;

/// A pendulum that ends at a parameter, whose spring is switched off on the way.
const SWING: &str = r#"name = "swing"
parameters = { T = 0.1 }
ground.points = { O = [0, 0], W = [2, 0] }
body.bar = { rod = { points = ["A", "B"], length = 1, mass = 2 } }
joint.pin = { type = "revolute", between = ["ground.O", "bar.A"] }
force.s = { type = "spring-damper", between = ["bar.B", "ground.W"], stiffness = 50, length = 1 }
event.e = { when = "t - T/2", off = ["s"] }
initial = { position = { "bar.angle" = "-60 deg" }, velocity = "rest" }
objective.sway = { integral = "bar.B.x^2" }
output = { x = "bar.B.x", load = "pin.reaction.x" }

[study]
t_end  = "T"
method = { formulation = "penalty", integrator = "newmark", step = "1 ms" }
"#;

/// The messages of some errors, one below the other.
fn said(errors: Vec<Option<Error>>) -> String {
    let all: String =
        errors.into_iter().map(|e| e.map_or("NOTHING IS SAID\n".into(), |e| e.render())).collect();
    assert!(!all.contains("NOTHING IS SAID"), "{all}");
    all
}

/// An example with a method, and its run.
fn example(name: &str, formulation: &str, integrator: &str, h: f64) -> (Prepared, Run) {
    let file = gradyn::file::read_toml(gradyn::examples::find(name).expect("listed")).expect("reads");
    let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
    let method = Method::new(formulation, integrator).expect("registered").step(h);
    let run = model.run(&method).unwrap_or_else(|e| panic!("{name}: {e}"));
    (model, run)
}

#[test]
fn methods() {
    let (pendulum, run) = example("pendulum", "index1", "rk4", 1e-2);
    let method = |f: &str, i: &str| Method::new(f, i).expect("registered");
    let (car, _) = example("quarter_car", "index1", "rk4", 1e-3);
    let hold = pendulum.equilibrium(false);
    let mut named = method("maggi", "rk4").step(1e-3);
    let (skate, _) = example("knife_edge", "maggi", "rk4", 1e-2);
    named.freedoms = vec!["ball.P.x".into()];
    insta::assert_snapshot!(said(vec![
        method("index1", "dopri5").tolerance(2.0, 1e-6).check().err(),
        pendulum.run(&method("index1", "rk4").step(1e3)).err(),
        pendulum.table(&run, Some(-1.0)).err(),
        pendulum.table(&run, Some(1e-12)).err(),
        hold.err(),
        pendulum.sampled(&[0.5, 0.5 + 1e-7]).err(),
        skate.run(&method("index3", "newmark").step(1e-2)).err(),
        car.gradient(&run, Sensitivity::DiscreteAdjoint).err(),
    ]));
}

#[test]
fn samples_and_products() {
    let (pendulum, run) = example("pendulum", "index1", "rk4", 1e-2);
    let sampled = pendulum.sampled(&[0.123]).expect("a time of the run");
    let swing = Study::from_text("swing.toml", SWING).and_then(|s| s.nominal()).expect("builds");
    let at_break = swing.sampled(&[0.05]).and_then(|m| m.run()?.vjp(&[1.0; 2]));
    let again = sampled.run(&run.method).expect("runs");
    let many = sampled.outputs(&again).expect("outputs").values().len();
    insta::assert_snapshot!(said(vec![
        sampled.outputs(&run).err(),
        sampled.vjp(&again, &vec![f64::NAN; many]).err(),
        at_break.err(),
    ]));
}

/// Runs with no gradient, or not with every method; their times have digits that depend on rounding.
#[test]
fn gradients_of_runs() {
    let (ball, bounces) = example("bouncing_ball", "index1", "rk4", 1e-3);
    let e = ball.gradient(&bounces, Sensitivity::AdjointDae).err().expect("two laws");
    let refusal = "adjoint-dae has one law, and in this run a condition changes at t = 0.39";
    assert!(e.message.starts_with(refusal), "{e}");
    let (change, passes) = example("change_point", "ali3p", "newmark", 1e-3);
    let e = change.gradient(&passes, Sensitivity::DiscreteAdjoint).err().expect("more than one way on");
    assert!(e.message.starts_with("the run passes a singular position at t = 0.23"), "{e}");
    assert!(e.message.ends_with("beyond it there is no gradient"), "{e}");
}

/// Trees with long paths, and constraints that events switch.
#[test]
fn methods_that_do_not_fit() {
    let long = |name: &str, family| {
        let file = gradyn::file::read_toml(gradyn::examples::find(name).expect("listed")).expect("reads");
        matrices_up_to(0, || Prepared::new_in(&file.mechanism, family)).expect("builds")
    };
    let method = |f: &str, i: &str| Method::new(f, i).expect("registered").step(1e-3);
    let (catapult, _) = example("catapult", "maggi", "rk4", 1e-3);
    let mut named = method("maggi", "rk4");
    named.freedoms = vec!["arm.B.x".into()];
    let both = StudySection { step: Some(1e-3), rtol: Some(1e-6), ..StudySection::default() };
    insta::assert_snapshot!(said(vec![
        long("pendulum", Coordinates::Relative1).run(&method("index1", "newmark")).err(),
        long("bouncing_ball", Coordinates::Relative1).run(&method("index1", "rk4")).err(),
        catapult.run(&named).err(),
        Method::from_study(&both).err(),
    ]));
}

/// Nothing that moves by itself, without parameters: names of its coordinates and of its objectives, which
/// have integrands, and the length of its guess.
struct Bare(&'static [&'static str], &'static [&'static str], usize);

impl StateSpace for Bare {
    fn positions(&self) -> Vec<String> {
        self.0.iter().map(|n| (*n).into()).collect()
    }
    fn velocities(&self) -> Vec<String> {
        self.0.iter().map(|n| format!("d{n}")).collect()
    }
    fn parameters(&self) -> Vec<(String, f64)> {
        vec![]
    }
    fn objectives(&self) -> Vec<String> {
        self.1.iter().map(|n| (*n).into()).collect()
    }
    fn guess(&self) -> Vec<f64> {
        vec![0.0; self.2]
    }
    fn integrands<S: Scalar>(&self, _t: S, _y: &[S], _z: &[S], _dz: &[S], _p: &[S], values: &mut [S]) {
        values.fill(S::one());
    }
    fn rates<S: Scalar>(&self, _t: S, _y: &[S], z: &[S], _p: &[S], rates: &mut [S]) {
        rates.copy_from_slice(z);
    }
    fn mass<S: Scalar>(&self, _t: S, y: &[S], _p: &[S], mass: &mut [S]) {
        (0..y.len()).for_each(|i| mass[i * (y.len() + 1)] = S::one());
    }
    fn forces<S: Scalar>(&self, _t: S, _y: &[S], _z: &[S], _p: &[S], _forces: &mut [S]) {}
    fn initial<S: Scalar>(&self, _t: S, y: &[S], z: &[S], _p: &[S], rows: &mut [S]) {
        rows.iter_mut().zip(y.iter().chain(z)).for_each(|(row, x)| *row = *x);
    }
}

#[test]
fn systems_of_users() {
    // each mistake alone
    let method = |f: &str| Method::new(f, "newmark").expect("registered").step(1e-2);
    let skate = |t_end: FinalTime| UserModel::new(Skate, 0.0, t_end).expect("names and a guess");
    let mut short = skate(FinalTime::At(1.0));
    short.rho.pop();
    let mut lost = skate(FinalTime::At(1.0));
    lost.rho[0] = f64::NAN;
    let bare = |names: &'static [&'static str], objectives, end| {
        UserModel::new(Bare(names, objectives, 2 * names.len()), 0.0, end)
    };
    let explicit = Method::new("index1", "rk4").expect("registered").step(0.1);
    let free = bare(&["y"], &[], FinalTime::At(1.0)).expect("a coordinate");
    let run = free.run(&explicit).expect("runs");
    let until = FinalTime::Condition { t_max: 1.0 };
    let whole = skate(FinalTime::At(1.0));
    let positions = whole.run(&method("ali3p")).and_then(|run| whole.gradient(&run, Sensitivity::AdjointDae));
    insta::assert_snapshot!(said(vec![
        short.run(&method("index1")).err(),
        lost.run(&method("index1")).err(),
        skate(FinalTime::Parameter(99)).run(&method("index1")).err(),
        bare(&["y"], &[], until).and_then(|m| m.run(&explicit)).err(),
        bare(&["y"], &["o"], until).and_then(|m| m.run(&explicit)).err(),
        free.gradient(&run, Sensitivity::DiscreteAdjoint).err(),
        whole.run(&method("index3")).err(),
        positions.err(),
        bare(&[], &[], FinalTime::At(1.0)).err(),
        bare(&["y", "y"], &[], FinalTime::At(1.0)).err(),
        UserModel::new(Bare(&["y"], &[], 7), 0.0, FinalTime::At(1.0)).err(),
    ]));
}

/// JSON ends a string on its own line.
#[test]
fn strings_of_json() {
    let e = Study::from_text("model.json", "{\"name\": \"two\nlines\"}").expect_err("refused");
    assert_eq!(e.message, "JSON: a string ends on its own line");
}

/// What a mechanism that a program has made may have wrong, and what a program asks of a model.
#[test]
fn models_of_programs() {
    let (pendulum, _) = example("pendulum", "index1", "rk4", 1e-2);
    let strange = Mechanism { dimension: 4, ..Mechanism::new("strange") };
    let start = &pendulum.model.system.start;
    // a free body whose Euler parameters are no coordinates without their length
    let tumbling =
        gradyn::file::read_toml(gradyn::examples::find("tumbling_body").expect("listed")).expect("reads");
    let tumbling = Prepared::new_in(&tumbling.mechanism, Coordinates::Cartesian).expect("builds");
    let first = RowChoice { dropped: vec![0], ..RowChoice::default() };
    let swing = gradyn::file::read_toml(SWING).expect("reads").mechanism;
    let mut twice = swing.clone();
    twice.ground.push(swing.ground[0].clone());
    let mut soft = swing.clone();
    soft.penalties.push(("pin".into(), Penalty { alpha: 0.0, ..Penalty::default() }));
    insta::assert_snapshot!(said(vec![
        Study::from_mechanism(strange).nominal().err(),
        Study::from_mechanism(Mechanism::new("empty")).nominal().err(),
        Study::from_mechanism(twice).nominal().err(),
        Study::from_mechanism(soft).nominal().err(),
        start.with_guess(&[]).err().map(Error::from),
        tumbling.model.system.with_rows(&first).err().map(Error::from),
        UniformSpline::new(Kind::Cyclic, 0.0, -1.0, 5).err().map(|e| Error::argument(e.to_string(), "")),
    ]));
}
