//! Systems of first order that a user writes: the manipulator against its reference, every method on a system
//! whose M depends on t and whose ẏ is not z.

use gradyn::registry::combinations;
use gradyn::user::{FinalTime, StateSpace, UserModel, UserRun};
use gradyn::{ErrorKind, Formulation, Integrator, Method, Scalar, Sensitivity};
use gradyn_testkit::compare::distance;
use gradyn_testkit::reference::{MANIPULATOR, MANIPULATOR_PSI};
use gradyn_testkit::state_space::{Manipulator, Skate};

fn user(system: impl StateSpace, t_end: FinalTime) -> UserModel {
    UserModel::new(system, 0.0, t_end).expect("names and a guess")
}

fn run(model: &UserModel, method: &Method) -> UserRun {
    let name = format!("{} + {}", method.formulation.name(), method.integrator.name());
    model.run(method).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// [B92, Eq. 77] to the accuracy of the reference.
#[test]
fn the_manipulator_has_its_reference_gradient() {
    let model = user(Manipulator, FinalTime::Parameter(2));
    let methods = [
        ("maggi", "dop853", Sensitivity::DiscreteAdjoint),
        ("index1", "dop853", Sensitivity::DiscreteAdjoint),
        ("maggi", "adams", Sensitivity::AdjointStateSpace),
        ("maggi", "dop853", Sensitivity::AdjointSemiExplicit),
    ];
    for (formulation, integrator, s) in methods {
        let method = Method::new(formulation, integrator).expect("exists").tolerance(1e-13, 1e-13);
        let run = run(&model, &method);
        let what = format!("{formulation} + {integrator}, {}", s.name());
        assert!((run.psi[0] - MANIPULATOR_PSI).abs() < 1e-9 * 0.018, "{what}: {}", run.psi[0]);
        let rows = model.gradient(&run, s).unwrap_or_else(|e| panic!("{what}: {e}")).rows;
        for (x, truth) in rows[0].iter().zip(MANIPULATOR) {
            assert!((x - truth).abs() < 1e-9 * truth.abs(), "{what}: {x} is not {truth}");
        }
    }
}

fn fits(formulation: Formulation) -> bool {
    formulation != Formulation::Index3
}

#[test]
fn every_method_agrees_on_the_skate() {
    let model = user(Skate, FinalTime::Parameter(8));
    for (formulation, integrator) in combinations().into_iter().filter(|c| fits(c.0)) {
        let method = Method { formulation, integrator, ..Method::default() }.step(0.0437);
        let (run, what) = (run(&model, &method), format!("{} + {}", formulation.name(), integrator.name()));
        let of = |s: Sensitivity| {
            model.gradient(&run, s).unwrap_or_else(|e| panic!("{what}, {}: {e}", s.name())).rows
        };
        let adjoint = of(Sensitivity::DiscreteAdjoint);
        for s in Sensitivity::ALL.iter().filter(|s| s.is_exact()) {
            let d = distance(&of(*s), &adjoint, &model.scales);
            assert!(d < 1e-10, "{what}: {} is {d:.1e} from discrete-adjoint", s.name());
        }
        let difference = of(Sensitivity::Extrapolated);
        let d = distance(&difference, &adjoint, &model.scales);
        assert!(d < 1e-6, "{what}: extrapolated differences are {d:.1e} from discrete-adjoint");
    }
}

/// Continuous methods at the order of their integrator.
#[test]
fn continuous_methods_converge_on_the_skate() {
    let model = user(Skate, FinalTime::Parameter(8));
    for (formulation, integrator) in combinations().into_iter().filter(|c| fits(c.0)) {
        let gaps = |h: f64| {
            let run = run(&model, &Method { formulation, integrator, ..Method::default() }.step(h));
            let exact = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
            let fit = |s: &&Sensitivity| s.is_continuous() && s.fits(formulation);
            let fit = |s: &&Sensitivity| {
                fit(s) && !(**s == Sensitivity::AdjointDae && formulation.position_level())
            };
            let gap = |s: &Sensitivity| {
                let rows = model.gradient(&run, *s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
                (s.name(), distance(&rows, &exact, &model.scales))
            };
            Sensitivity::ALL.iter().filter(fit).map(gap).collect::<Vec<_>>()
        };
        let h = 1.3 / 26.5;
        for ((name, coarse), (_, fine)) in gaps(h).into_iter().zip(gaps(h / 3.0)) {
            let (slope, order) = ((coarse / fine).ln() / 3f64.ln(), integrator.order() as f64);
            let what =
                format!("{} + {}, {name}: {coarse:.1e} → {fine:.1e}", formulation.name(), integrator.name());
            // stiff constraints lower the order of implicit schemes
            let slack = if formulation == Formulation::Maggi { 0.7 } else { 1.2 };
            assert!(slope > order - slack || fine < 1e-10, "{what}, order {slope:.2} of {order}");
        }
    }
}

/// The run ends where the skate passes a gate that a parameter places; the gradient against differences of
/// whole runs.
#[test]
fn a_condition_ends_the_run() {
    let mut model = user(Skate, FinalTime::Condition { t_max: 10.0 });
    let method =
        Method { formulation: Formulation::Maggi, integrator: Integrator::Dop853, ..Method::default() }
            .tolerance(1e-12, 1e-12);
    let run = self::run(&model, &method);
    let rows = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
    assert_eq!((rows.len(), run.trajectory.plan.t.last().is_some_and(|t| *t < 10.0)), (2, true));
    let rho = model.rho.clone();
    for k in 0..rho.len() {
        let mut psi = |δ: f64| {
            model.rho[k] = rho[k] + δ;
            let psi = self::run(&model, &method).psi;
            model.rho[k] = rho[k];
            psi
        };
        let (up, down) = (psi(1e-4), psi(-1e-4));
        for j in 0..2 {
            let d = (up[j] - down[j]) / 2e-4;
            assert!((d - rows[j][k]).abs() < 1e-6, "d{j}/d{k}: {} is not {d}", rows[j][k]);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let method = Method::new("maggi", "rk4").expect("exists").step(0.01);
    let fails = |model: &UserModel| model.run(&method).err().map(|e| e.to_string()).unwrap_or_default();
    let e = fails(&user(Skate, FinalTime::Parameter(9)));
    assert!(e.contains("parameter 9 of a system with 9"), "{e}");
    let mut model = user(Skate, FinalTime::At(1.0));
    model.rho.pop();
    assert!(fails(&model).contains("has 9 parameters"));
    let model = user(Skate, FinalTime::At(1.0));
    for (formulation, name, value) in [("maggi", "freedoms", "x"), ("penalty", "alpha_scaling", "row")] {
        let mut method = Method::new(formulation, "rk4").expect("exists").step(0.01);
        method.set(name, value).expect("an option");
        let e = model.run(&method).err().map(|e| e.to_string()).unwrap_or_default();
        assert_eq!(e, format!("option {name} has no meaning for a user system"));
    }
}

#[test]
fn index3_is_refused() {
    let model = user(Skate, FinalTime::At(1.0));
    let method = Method::new("index3", "newmark").expect("exists").step(0.01);
    let e = model.run(&method).err().expect("refused").to_string();
    assert!(e.contains("of first order"), "{e}");
}

/// ẏ = p₁ y with names, values and a guess as they are given.
struct Growth {
    positions: Vec<&'static str>,
    parameters: Vec<&'static str>,
    objectives: Vec<&'static str>,
    guess: Vec<f64>,
}

impl Growth {
    fn new() -> Self {
        Self { positions: vec!["y"], parameters: vec!["p"], objectives: vec!["psi"], guess: vec![0.0] }
    }
}

impl StateSpace for Growth {
    fn positions(&self) -> Vec<String> {
        self.positions.iter().map(|s| (*s).into()).collect()
    }
    fn velocities(&self) -> Vec<String> {
        vec![]
    }
    fn parameters(&self) -> Vec<(String, f64)> {
        self.parameters.iter().map(|s| ((*s).into(), 0.5)).collect()
    }
    fn objectives(&self) -> Vec<String> {
        self.objectives.iter().map(|s| (*s).into()).collect()
    }
    fn rates<S: Scalar>(&self, _t: S, y: &[S], _z: &[S], p: &[S], rates: &mut [S]) {
        rates[0] = p[0] * y[0];
    }
    fn mass<S: Scalar>(&self, _t: S, _y: &[S], _p: &[S], _mass: &mut [S]) {}
    fn forces<S: Scalar>(&self, _t: S, _y: &[S], _z: &[S], _p: &[S], _forces: &mut [S]) {}
    fn initial<S: Scalar>(&self, _t: S, y: &[S], _z: &[S], _p: &[S], rows: &mut [S]) {
        rows[0] = y[0] - S::one();
    }
    fn guess(&self) -> Vec<f64> {
        self.guess.clone()
    }
    fn terminals<S: Scalar>(&self, _t: S, y: &[S], _z: &[S], _p: &[S], values: &mut [S]) {
        values.iter_mut().for_each(|value| *value = y[0]);
    }
}

/// Names and lengths that do not fit are errors of the model, not panics.
#[test]
fn a_system_with_wrong_names_or_lengths_is_refused() {
    let cases = [
        (Growth { guess: vec![0.0; 2], ..Growth::new() }, "has 2 numbers for 1 coordinates"),
        (
            Growth { guess: vec![f64::NAN], ..Growth::new() },
            "a number of the guess of the user system is NaN",
        ),
        (Growth { positions: vec![], guess: vec![], ..Growth::new() }, "the user system has no coordinate"),
        (Growth { positions: vec![""], ..Growth::new() }, "coordinate 1 of the user system has no name"),
        (
            Growth { parameters: vec!["p", "p"], ..Growth::new() },
            "parameter `p` of the user system is there twice",
        ),
        (Growth { objectives: vec!["a", ""], ..Growth::new() }, "objective 2 of the user system has no name"),
    ];
    for (system, message) in cases {
        let e = UserModel::new(system, 0.0, FinalTime::At(1.0)).err().expect("is refused");
        assert!(matches!(e.kind, ErrorKind::Model) && e.message.contains(message), "{e}");
    }
    assert!(UserModel::new(Growth::new(), 0.0, FinalTime::At(1.0)).is_ok());
}

/// A run of other equations, even of the same sizes, of other parameters or of another end has no gradient
/// here.
#[test]
fn a_run_of_another_model_is_refused() {
    let method = Method::new("maggi", "rk4").expect("exists").step(0.1);
    let mut model = user(Growth::new(), FinalTime::At(1.0));
    let own = run(&model, &method);
    let twice = user(Growth { objectives: vec!["a", "b"], ..Growth::new() }, FinalTime::At(1.0));
    let others = [
        run(&user(Growth::new(), FinalTime::At(1.0)), &method),
        run(&twice, &method),
        run(&user(Growth::new(), FinalTime::At(2.0)), &method),
    ];
    let refused = |model: &UserModel, run: &UserRun| {
        let e = model.gradient(run, Sensitivity::DiscreteAdjoint).err().expect("is refused");
        assert_eq!(e.message, "the run is that of another model, or of other parameters");
    };
    others.iter().for_each(|run| refused(&model, run));
    assert!(model.gradient(&own, Sensitivity::DiscreteAdjoint).is_ok());
    model.rho[0] = 0.6;
    refused(&model, &own);
    model.rho[0] = 0.5;
    model.t_start = 0.5;
    refused(&model, &own);
    model.t_start = 0.0;
    model.t_end = FinalTime::Condition { t_max: 1.0 };
    model.gradient(&own, Sensitivity::DiscreteAdjoint).err().expect("is refused");
}

/// Error bars have a column for each parameter, and none for the final time.
#[test]
fn error_bars_have_the_shape_of_the_gradient() {
    let method = Method::new("maggi", "rk4").expect("exists").step(0.1);
    for t_end in [FinalTime::At(1.0), FinalTime::Parameter(8), FinalTime::Condition { t_max: 10.0 }] {
        let model = user(Skate, t_end);
        let report = model.gradient(&run(&model, &method), Sensitivity::Extrapolated).expect("a gradient");
        let shape = |rows: &Vec<Vec<f64>>| rows.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(report.bars.as_ref().map(shape), Some(shape(&report.rows)), "{t_end:?}");
    }
}

/// A run that ends before it starts is told about its times.
#[test]
fn a_run_backward_is_told_about_its_times() {
    let method = Method::new("maggi", "rk4").expect("exists").step(0.1);
    let e = user(Growth::new(), FinalTime::At(-1.0)).run(&method).err().expect("is refused");
    assert!(e.message.contains("must end after it starts"), "{e}");
    assert!(e.help.is_some_and(|help| help.contains("the final one after the start")));
}
