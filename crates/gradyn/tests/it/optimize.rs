//! Studies of model files: problems, runs, histories, refusals.

use gradyn::file::{ModelFile, read_toml};
use gradyn::optimize::{Optimization, Optimizer, Record, Report, Status, history};
use gradyn::registry::combinations;
use gradyn::{Coordinates, Error, Formulation, Integrator, Method, Prepared, Sensitivity};
use std::ops::ControlFlow;

const BALANCE: &str = include_str!("../../models/five_bar_balance.toml");

/// M13's balanced free lengths, reference/five_bar.json.
const BALANCED: [f64; 2] = [2.43192357446, 1.84486888681];

fn study(text: &str, sensitivity: Sensitivity, optimizer: Option<Optimizer>) -> Result<Optimization, Error> {
    let file: ModelFile = read_toml(text)?;
    let method = Method::from_study(&file.study)?;
    Optimization::new(&file, &Prepared::new(&file.mechanism)?, method, sensitivity, optimizer)
}

/// Runs to the end.
fn run(study: &Optimization, records: &[Record]) -> Report {
    study.run(records, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[track_caller]
fn assert_balanced(report: &Report, what: &str) {
    let end = &report.end;
    assert!(end.status.converged(), "{what}: {}", end.status);
    assert!(end.value < 1e-12, "{what}: {:e}", end.value);
    for (x, exact) in end.x.iter().zip(BALANCED) {
        // 1e-6: ψ of 1e-12 over its curvature
        assert!((x - exact).abs() < 1e-6, "{what}: {:?}", end.x);
    }
}

/// M13: ψ < 1e-12 within 10 evaluations.
#[test]
fn five_bar_is_balanced_by_every_optimiser() {
    for optimizer in [Optimizer::Lbfgsb, Optimizer::Sqp, Optimizer::Bfgs, Optimizer::Slsqp] {
        let study = study(BALANCE, Sensitivity::DiscreteAdjoint, Some(optimizer)).unwrap();
        let report = run(&study, &[]);
        println!(
            "{}: {} evaluations, {:e}, {:?}",
            optimizer.name(),
            report.records.len(),
            report.end.value,
            report.end.x
        );
        assert_balanced(&report, optimizer.name());
        let reached =
            report.records.iter().position(|r| r.outcome.as_ref().is_ok_and(|e| e.value < 1e-12)).unwrap()
                + 1;
        let most = if optimizer == Optimizer::Slsqp { 20 } else { 10 };
        assert!(reached <= most, "{}: {reached} evaluations", optimizer.name());
        // reference/five_bar.json to the accuracy of newmark at 1 ms
        assert!((report.initial().unwrap().value - 0.114436374).abs() < 1e-5);
    }
}

/// Every formulation × integrator × sensitivity comes to the same place. The balanced design is at rest, with
/// any step: steps are long here. With other coordinates too.
#[test]
fn five_bar_is_balanced_by_every_method() {
    let file = read_toml(BALANCE).unwrap();
    let natural = Prepared::new(&file.mechanism).unwrap();
    let (mut counts, mut evaluations) = (0, 0);
    let mut balance = |nominal: &Prepared, formulation, integrator, sensitivity: Sensitivity| {
        let method = Method { formulation, integrator, ..Method::default() }.step(1e-2);
        let study = Optimization::new(&file, nominal, method, sensitivity, None).unwrap();
        let report = run(&study, &[]);
        let what = format!("{} + {}, {}", formulation.name(), integrator.name(), sensitivity.name());
        println!(
            "{what}: {} {} evaluations, {:e}",
            report.end.status,
            report.records.len(),
            report.end.value
        );
        assert_balanced(&report, &what);
        (counts, evaluations) = (counts + 1, evaluations + report.records.len());
    };
    for (formulation, integrator) in combinations() {
        for &sensitivity in Sensitivity::ALL.iter().filter(|s| s.fits(formulation)) {
            balance(&natural, formulation, integrator, sensitivity);
        }
    }
    for (family, integrator) in
        [(Coordinates::Relative0, Integrator::Rodas4), (Coordinates::Relative1, Integrator::Rk4)]
    {
        let nominal = Prepared::new_in(&file.mechanism, family).unwrap();
        balance(&nominal, Formulation::Maggi, integrator, Sensitivity::DiscreteAdjoint);
    }
    println!("{counts} methods, {evaluations} evaluations");
}

/// A history cut after any evaluation leads to the same bits, also through its lines.
#[test]
fn any_part_of_a_history_leads_to_the_same_bits() {
    let text = BALANCE.replace(
        "minimise = \"psi\"",
        "minimise = \"psi\"\nconstraint = { short = { value = \"L_s1\", max = 2.4 } }",
    );
    for (text, optimizer) in
        [(BALANCE, Optimizer::Lbfgsb), (BALANCE, Optimizer::Bfgs), (&text, Optimizer::Sqp)]
    {
        let study = study(text, Sensitivity::DiscreteAdjoint, Some(optimizer)).unwrap();
        let whole = run(&study, &[]);
        let records = &whole.records;
        let lines: Vec<String> = records.iter().enumerate().map(|(k, r)| history::line(k + 1, r)).collect();
        let read: Vec<Record> = lines.iter().map(|l| history::record(l).unwrap()).collect();
        assert_eq!(read, *records);
        for cut in 0..=lines.len() {
            let report = run(&study, &read[..cut]);
            assert_eq!((&report.end, &report.records), (&whole.end, records), "{}, {cut}", optimizer.name());
        }
        assert!(
            lines.iter().all(|l| history::record(&l[..l.len() - 1]).is_none()),
            "half a line is no record"
        );
    }
}

/// The last record is evaluated again, and none is beyond the end of the run.
#[test]
fn changed_histories_are_refused() {
    let mut study = study(BALANCE, Sensitivity::DiscreteAdjoint, None).unwrap();
    let records = run(&study, &[]).records;
    let failed = |study: &Optimization, records: &[Record]| {
        study.run(records, &mut |_| ControlFlow::Continue(())).map(|_| ()).unwrap_err().to_string()
    };
    let mut changed = records.clone();
    let last = changed.last_mut().and_then(|r| r.outcome.as_mut().ok()).unwrap();
    last.value = f64::from_bits(last.value.to_bits() ^ 1);
    let n = records.len();
    assert_eq!(failed(&study, &changed), format!("evaluation {n} of the history has other numbers now"));
    study.settings.max_evaluations = 3;
    assert_eq!(
        failed(&study, &records),
        format!(
            "evaluation 4 of the history, of {n}, is beyond the end of the run, which is evaluation-limit \
             after evaluation 3"
        )
    );
}

/// Records of other designs, and of other numbers of parameters, are refused.
#[test]
fn foreign_histories_are_refused() {
    let study = study(BALANCE, Sensitivity::DiscreteAdjoint, None).unwrap();
    let mut records = run(&study, &[]).records;
    records[2].trial.x[0] += 1e-15;
    let failed = |records: &[Record]| {
        study.run(records, &mut |_| ControlFlow::Continue(())).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        failed(&records),
        "evaluation 3 of the history is of another design than the one that is wanted"
    );
    records[1].trial.x.pop();
    assert!(failed(&records).starts_with("evaluation 2 "));
}

/// An observer breaks off: the best design so far, and the number of evaluations.
#[test]
fn an_observer_breaks_off() {
    let study = study(BALANCE, Sensitivity::DiscreteAdjoint, None).unwrap();
    let stop = |told: &gradyn::optimize::Told| {
        if told.now.evaluations == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let report = study.run(&[], &mut |told| stop(told)).unwrap();
    assert_eq!((report.end.status, report.end.evaluations), (Status::Interrupted, 3));
    assert!(report.end.value < report.initial().unwrap().value);
}

/// A four-bar whose coupler is asked to be longer than can be assembled: steps are shortened, the reasons are
/// those of the assembly.
const CRANK: &str = r#"
name = "crank"
parameters = { L = { value = 2, min = 0.1 }, m = 1 }
ground.points = { A = [0, 0], B = [2, 0] }
body.crank.rod = { points = ["A", "P"], length = 1, mass = 1 }
body.coupler.rod = { points = ["P", "Q"], length = "L", mass = "m" }
body.rocker.rod = { points = ["Q", "B"], length = 1, mass = 1 }
joint.A = { type = "revolute", between = ["ground.A", "crank.A"] }
joint.P = { type = "revolute", between = ["crank.P", "coupler.P"] }
joint.Q = { type = "revolute", between = ["coupler.Q", "rocker.Q"] }
joint.B = { type = "revolute", between = ["ground.B", "rocker.B"] }
initial = { position = { "crank.angle" = "100 deg" }, near = { "rocker.Q" = [2, 1] } }
objective.reach = { terminal = "-100 * coupler.Q.x - L" }
objective.work = { integral = "norm2(vel(coupler.Q))" }
study.t_end = 0.01
study.method = { formulation = "index3", integrator = "newmark", step = "1 ms" }
study.optimize = { minimise = "reach", parameters = ["L"], options = { max_evaluations = 60 } }
"#;

#[test]
fn designs_that_cannot_be_assembled_shorten_the_step() {
    let study = study(CRANK, Sensitivity::DiscreteAdjoint, None).unwrap();
    let report = run(&study, &[]);
    let end = &report.end;
    assert!(!end.failures.is_empty(), "{}", end.status);
    assert!(end.value < report.initial().unwrap().value, "{:?}", end.x);
    for failure in &end.failures {
        let error = study.evaluate(&report.records[failure.evaluation - 1].trial.x).unwrap_err();
        assert_eq!(failure.reason, error.reason);
    }
}

/// The order of evaluations does not matter: every design starts from the first assembly.
#[test]
fn evaluations_do_not_depend_on_those_before() {
    let study = study(BALANCE, Sensitivity::DiscreteAdjoint, None).unwrap();
    let designs = [[2.0, 2.0], [2.6, 1.5], [2.2, 2.3]];
    let forward: Vec<_> = designs.iter().map(|x| study.evaluate(x).unwrap()).collect();
    let backward: Vec<_> = designs.iter().rev().map(|x| study.evaluate(x).unwrap()).collect();
    assert!(forward.iter().eq(backward.iter().rev()));
}

/// Weights, functional and algebraic constraints with both sides: values and derivatives are those of the
/// functionals.
#[test]
fn weights_and_constraints() {
    let text = CRANK.replace(
        r#"minimise = "reach", parameters = ["L"]"#,
        r#"minimise = { reach = 2, work = 3 }, scale = 5, transform = { m = "log" },
           constraint = { effort = { objective = "work", min = 1, max = 4, scale = 0.5 },
                          sum = { value = "2*m + L", equal = 4 } }"#,
    );
    let file = read_toml(&text).unwrap();
    let model = Prepared::new(&file.mechanism).unwrap();
    let method = Method::from_study(&file.study).unwrap();
    let whole = model.run(&method).unwrap();
    let rows = model.gradient(&whole, Sensitivity::DiscreteAdjoint).unwrap().rows;
    let study = Optimization::new(&file, &model, method, Sensitivity::DiscreteAdjoint, None).unwrap();
    assert_eq!(study.optimizer, Optimizer::Sqp);
    let names: Vec<&str> = study.problem.constraints().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["sum", "effort (min)", "effort (max)"]);
    let e = study.evaluate(study.start()).unwrap();
    let (reach, work) = (whole.psi[0], whole.psi[1]);
    assert_eq!(e.value, 2.0 * reach + 3.0 * work);
    assert_eq!(e.constraints, [2.0 * 1.0 + 2.0 - 4.0, 1.0 - work, work - 4.0]);
    // 1e-12: the order of sums
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} {b}");
    for k in 0..2 {
        near(e.gradient[k], 2.0 * rows[0][k] + 3.0 * rows[1][k]);
        near(e.jacobian[k], [1.0, 2.0][k]);
        near(e.jacobian[2 + k], -rows[1][k]);
        near(e.jacobian[4 + k], rows[1][k]);
    }
}

/// Scenarios are summed with their weights; objectives and what reads the motion are limited in each of them;
/// one thread and two give the same bits.
#[test]
fn scenarios_are_summed() {
    let goal = |more: &str| {
        let text = BALANCE
            .replace("minimise = \"psi\"\nmethod   = \"lbfgsb\"", &format!("minimise = \"psi\"\n{more}"));
        text.replace("gravity   = [0, -9.81]", "gravity   = [0, \"-g\"]\nconstants = { g = 9.81 }")
    };
    let study_of = |more: &str| study(&goal(more), Sensitivity::DiscreteAdjoint, None).unwrap();
    let limit =
        "constraint = { far = { objective = \"psi\", max = 1 }, sum = { value = \"L_s1 + L_s2\", max = 5 } }";
    let both = study_of(&format!(
        "scenario = {{ earth = {{}}, moon = {{ weight = 3, set = {{ g = 1.62 }} }} }}\n{limit}"
    ));
    let names: Vec<&str> = both.problem.constraints().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["far, earth", "far, moon", "sum"]);
    let read = limit.replace("L_s1 + L_s2", "B12.P2.x");
    let read = study_of(&format!("scenario = {{ earth = {{}}, moon = {{ set = {{ g = 1.62 }} }} }}\n{read}"));
    assert_eq!(
        read.problem.constraints()[2..].iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        ["sum, earth", "sum, moon"]
    );
    let single = |g: &str| {
        study_of(&format!("scenario = {{ only = {{ set = {{ g = {g} }} }} }}")).evaluate(&[2.3, 2.0]).unwrap()
    };
    let (e, earth, moon) = (both.evaluate(&[2.3, 2.0]).unwrap(), single("9.81"), single("1.62"));
    assert_eq!(e.value, earth.value + 3.0 * moon.value);
    assert_eq!(e.constraints, [earth.value - 1.0, moon.value - 1.0, 2.3 + 2.0 - 5.0]);
    assert_eq!((&e.jacobian[..2], &e.jacobian[2..4]), (&earth.gradient[..], &moon.gradient[..]));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| both.evaluate(&[2.3, 2.0])).unwrap(), e);
    }
}

/// What is wrong with a study: message and marked text.
#[test]
fn wrong_studies_are_refused_with_their_place() {
    let study_of = |more: &str| {
        CRANK.replace(
            r#"{ minimise = "reach", parameters = ["L"], options = { max_evaluations = 60 } }"#,
            more,
        )
    };
    let with = |from: &str, to: &str| CRANK.replace(from, to);
    let cases = [
        (study_of(r#"{ minimise = "raech" }"#), "there is no objective `raech`", "raech"),
        (study_of("{ minimise = {} }"), "there is no objective", "{}"),
        (study_of("{ minimise = { reach = 1, works = 2 } }"), "there is no objective `works`", "works"),
        (study_of("{ minimise = { reach = nan } }"), "is not a finite number", "nan"),
        (study_of(r#"{ minimise = "reach", parameters = ["M"] }"#), "there is no parameter `M`", "M"),
        (study_of(r#"{ minimise = "reach", parameters = ["L", "L"] }"#), "is there twice", "L"),
        (
            study_of(r#"{ minimise = "reach", parameters = [] }"#),
            "`reach` depends on no parameter that varies",
            "reach",
        ),
        (study_of(r#"{ minimise = "reach", method = "lbfgs" }"#), "is expected here, not \"lbfgs\"", "lbfgs"),
        (study_of(r#"{ minimise = "reach", method = "gauss-newton" }"#), "needs residuals", "gauss-newton"),
        (study_of(r#"{ minimise = "reach", method = "bfgs" }"#), "bfgs takes no bounds", "bfgs"),
        (
            study_of(r#"{ minimise = "reach", options = { gradient_tole = 1 } }"#),
            "there is no key `gradient_tole`",
            "gradient_tole",
        ),
        (study_of(r#"{ minimise = "reach", options = { noise = -1 } }"#), "-1 is not a tolerance", "-1"),
        (study_of(r#"{ minimise = "reach", scale = 0 }"#), "a positive number is expected here", "0"),
        (
            study_of(r#"{ minimise = "reach", transform = { L = "lgo" } }"#),
            "is expected here, not \"lgo\"",
            "lgo",
        ),
        (
            study_of(r#"{ minimise = "reach", transform = { l = "log" } }"#),
            "there is no varying parameter `l`",
            "l",
        ),
        (
            study_of(r#"{ minimise = "reach", constraint = { c = { objective = "work" } } }"#),
            "it has no limit",
            "c",
        ),
        (
            study_of(r#"{ minimise = "reach", constraint = { c = { max = 1 } } }"#),
            "one of the keys objective, value is missing",
            "c",
        ),
        (
            study_of(r#"{ minimise = "reach", constraint = { c = { objective = "wrok", max = 1 } } }"#),
            "there is no objective `wrok`",
            "wrok",
        ),
        (
            study_of(r#"{ minimise = "reach", constraint = { c = { value = "L", min = 2, max = 1 } } }"#),
            "nothing lies between 2 and 1",
            "c",
        ),
        (
            study_of(r#"{ minimise = "reach", constraint = { c = { value = "L", min = 2, equal = 1 } } }"#),
            "`equal` leaves nothing",
            "c",
        ),
        (
            study_of(r#"{ minimise = "reach", constraint = { c = { value = "3", min = 2 } } }"#),
            "`c` depends on no parameter",
            "c",
        ),
        (
            study_of(r#"{ minimise = "reach", constraint = { work = { value = "L", min = 2 } } }"#),
            "has the name of an objective",
            "work",
        ),
        (
            study_of(r#"{ minimise = "reach", constraint = { c = { value = "L + q", min = 2 } } }"#),
            "unknown name 'q'",
            "q",
        ),
        (
            study_of(r#"{ minimise = "reach", parameters = ["L"], scenario = { a = { set = { M = 1 } } } }"#),
            "that does not vary `M`",
            "M",
        ),
        (
            study_of(r#"{ minimise = "reach", scenario = { a = { set = { L = 1 } } } }"#),
            "that does not vary `L`",
            "L",
        ),
        (with("min = 0.1", "min = 2, max = 2"), "both bounds are 2", "L"),
        (with("m = 1 }", "m = 1, u = 3 }").replace(r#"["L"]"#, r#"["L", "u"]"#), "`u` reaches neither", "u"),
        (with(r#""-100 * coupler.Q.x - L""#, r#""7""#), "`reach` depends on no parameter", "reach"),
    ];
    for (text, message, marked) in cases {
        let Err(e) = study(&text, Sensitivity::DiscreteAdjoint, None).map(|_| ()) else {
            panic!("{message}: accepted")
        };
        assert!(e.message.contains(message), "{} has no {message}", e.message);
        let place = e.bytes().unwrap_or_else(|| panic!("{} has no place", e.message));
        assert_eq!(text[place].trim_matches('"'), marked, "{}", e.message);
    }
}
