//! Outputs at samples and products with their derivatives: transposes of each other, equal to the
//! sensitivities of outputs, by every method; samples end steps and break nothing.

use gradyn::registry::combinations;
use gradyn::{Coordinates, ErrorKind, Mechanism, Method, Prepared, Run, Study};
use gradyn_testkit::alloc::allocations;
use gradyn_testkit::models::five_bar;

/// Step size [s] of the runs by every method.
const STEP: f64 = 4e-3;
/// Samples [s] of these runs: between nodes of equal steps, on one, and at the end.
const SAMPLES: [f64; 4] = [0.0095, 0.016, 0.0231, END];
/// Final time [s] of these runs.
const END: f64 = 0.038;

/// The five-bar with its final time as a parameter.
fn moving_end() -> Mechanism {
    let mut m = five_bar();
    m.parameter("T", END);
    m.t_end = "T".into();
    m
}

fn example(name: &str) -> Mechanism {
    let text = gradyn::examples::find(name).expect("a bundled example");
    gradyn::file::read_toml(text).expect("parses").mechanism
}

fn sampled(m: &Mechanism, family: Coordinates, times: &[f64]) -> Prepared {
    let model = Prepared::new_in(m, family).expect("builds");
    model.sampled(times).expect("samples of the run")
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.run(method).unwrap_or_else(|e| panic!("{}: {e}", model.model.name))
}

fn of(formulation: &str, integrator: &str) -> Method {
    Method::new(formulation, integrator).expect("registered")
}

/// Numbers between -½ and ½ that are no pattern.
fn numbers(count: usize) -> Vec<f64> {
    (1..=count).map(|k| (k as f64 * 0.754_877_666).fract() - 0.5).collect()
}

/// Records of the samples, by their times alone.
fn records(run: &Run, times: &[f64]) -> Vec<usize> {
    let t = &run.trajectory.plan.t;
    let record = |time: &f64| t.iter().position(|t| t == time).expect("a node at each sample");
    times.iter().map(record).collect()
}

/// ∂y/∂ρ by rows of (sample, column), by the sensitivities of outputs; samples increase.
fn jacobian(model: &Prepared, run: &Run, times: &[f64]) -> Vec<Vec<f64>> {
    let rows = model.output_sensitivities_at(run, &records(run, times)).expect("sensitivities");
    rows.into_iter().flatten().collect()
}

/// Distance of a value from a sum of terms, relative to their sizes.
fn off(value: f64, terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut size) = (0.0, f64::MIN_POSITIVE);
    for x in terms {
        sum += x;
        size += x.abs();
    }
    (value - sum).abs() / size
}

/// How far wᵀ(J d) and (Jᵀw)ᵀd may be apart, relative to the sum of |w_i J_ik d_k|: 10 steps × 500 flops ×
/// 2⁻⁵².
const TRANSPOSES: f64 = 1e-12;
/// As above, for formulations at position level in other coordinates, which amplify the rounding of
/// coordinates more than that of points (see `coordinates`): 4.8e-12 by the four-bar in Cartesian ones.
const POSITION_LEVEL: f64 = 1e-11;
/// How much farther an entry of J d or Jᵀw may be from that by J, relative to its own terms: single entries
/// are small parts of what a step solves for. 2.1e-12 on the five-bar, 1.1e-11 by the four-bar in Cartesian
/// ones.
const SINGLE: f64 = 10.0;

/// wᵀ(J d) = (Jᵀw)ᵀd, and J d and Jᵀw are those of J.
fn check(what: &str, model: &Prepared, run: &Run, times: &[f64], transposes: f64) {
    let y_rho = jacobian(model, run, times);
    let w = numbers(y_rho.len());
    let parameters = model.parameters();
    let d: Vec<f64> = parameters.iter().zip(numbers(parameters.len())).map(|(p, x)| p.scale * x).collect();
    let back = model.vjp(run, &w).unwrap_or_else(|e| panic!("{what}: {e}"));
    let ahead = model.jvp(run, &d).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!((back.len(), ahead.len()), (d.len(), w.len()), "{what}");

    // transposes: size = Σ |w_i J_ik d_k|
    let product: f64 = w.iter().zip(&ahead).map(|(w, y)| w * y).sum();
    let other: f64 = back.iter().zip(&d).map(|(g, d)| g * d).sum();
    let row_size = |row: &[f64]| row.iter().zip(&d).map(|(y, d)| (y * d).abs()).sum::<f64>();
    let size: f64 = y_rho.iter().zip(&w).map(|(row, w)| w.abs() * row_size(row)).sum();
    let apart = (product - other).abs() / size;
    assert!(apart <= transposes, "{what}: wᵀ(J d) and (Jᵀw)ᵀd are {apart:.1e} apart");

    // both products, entry by entry
    for (k, g) in back.iter().enumerate() {
        let apart = off(*g, y_rho.iter().zip(&w).map(|(row, w)| row[k] * w));
        assert!(apart <= SINGLE * transposes, "{what}: entry {k} of Jᵀw is {apart:.1e} off");
    }
    for (i, (y, row)) in ahead.iter().zip(&y_rho).enumerate() {
        let apart = off(*y, row.iter().zip(&d).map(|(y, d)| y * d));
        assert!(apart <= SINGLE * transposes, "{what}: entry {i} of J d is {apart:.1e} off");
    }
}

/// The five-bar, with a final time that is a parameter.
#[test]
fn products_are_transposes_by_every_method() {
    let model = sampled(&moving_end(), Coordinates::Natural, &SAMPLES);
    for (formulation, integrator) in combinations() {
        let what = format!("{} + {}", formulation.name(), integrator.name());
        let run = run(&model, &Method { formulation, integrator, ..Method::default() }.step(STEP));
        check(&what, &model, &run, &SAMPLES, TRANSPOSES);
    }
}

/// Relative and Cartesian coordinates, with steps that are chosen.
#[test]
fn products_are_transposes_in_other_coordinates() {
    for (name, family) in [("double_pendulum", Coordinates::Relative0), ("four_bar", Coordinates::Cartesian)]
    {
        let model = sampled(&Mechanism { t_end: END.into(), ..example(name) }, family, &SAMPLES);
        for method in [of("index1", "dopri5").tolerance(1e-6, 1e-6), of("ali3p", "newmark").step(STEP)] {
            let what = format!("{name}, {}, {}", family.name(), method.integrator.name());
            let most = if method.formulation.position_level() { POSITION_LEVEL } else { TRANSPOSES };
            check(&what, &model, &run(&model, &method), &SAMPLES, most);
        }
    }
}

/// A sample at a final time T that is a parameter: ∂y/∂T is the rate of y, of the fixed samples nothing.
#[test]
fn a_sample_moves_with_the_final_time() {
    let mut m = example("double_pendulum");
    m.parameter("T", 0.4);
    m.t_end = "T".into();
    m.outputs = vec![("angle".into(), "upper.angle".into()), ("rate".into(), "vel(upper.angle)".into())];
    let times = [0.25, 0.4];
    let model = sampled(&m, Coordinates::Natural, &times);
    let run = run(&model, &of("maggi", "dop853").tolerance(1e-12, 1e-12));
    check("double_pendulum", &model, &run, &times, TRANSPOSES);
    let end = model.parameters().len() - 1;
    let d: Vec<f64> = (0..=end).map(|k| f64::from(k == end)).collect();
    let ahead = model.jvp(&run, &d).expect("a product");
    let y = model.outputs(&run).expect("outputs");
    assert_eq!(ahead[..2], [0.0, 0.0]);
    assert!((ahead[2] - y.row(1)[1]).abs() < 1e-9, "{} is not the rate {}", ahead[2], y.row(1)[1]);
    let back = model.vjp(&run, &[0.0, 0.0, 1.0, 0.0]).expect("a product");
    assert!((back[end] - ahead[2]).abs() <= 1e-12 * ahead[2].abs(), "{} ≠ {}", back[end], ahead[2]);
}

/// A condition gives the final time: samples are before it, and one after it is an error.
#[test]
fn samples_are_before_a_condition() {
    let m = example("event_pendulum");
    let method = of("maggi", "dop853").tolerance(1e-12, 1e-12);
    let times = [0.1, 0.3];
    let model = sampled(&m, Coordinates::Natural, &times);
    check("event_pendulum", &model, &run(&model, &method), &times, TRANSPOSES);
    let late = sampled(&m, Coordinates::Natural, &[0.1, 4.0]);
    let e = late.outputs(&run(&late, &method)).expect_err("the run ends before");
    assert!(matches!(e.kind, ErrorKind::Argument) && e.message.contains("sample t = 4 s"), "{e}");
}

/// The order of Adams over samples is that of a run without them, less one at most; a break would begin at
/// order 1.
#[test]
fn adams_keeps_its_order_over_samples() {
    let times = [1.0, 2.0, 3.0];
    let plain = Prepared::new(&five_bar()).expect("builds");
    let model = plain.sampled(&times).expect("samples of the run");
    for method in [of("index1", "adams").tolerance(1e-9, 1e-9), of("index1", "adams").step(2e-3)] {
        let free = run(&plain, &method);
        let run = run(&model, &method);
        let plan = &run.trajectory.plan;
        // the last two choices are the order and what is known
        let order = |n: usize| plan.choice(n)[plan.choice_count - 2];
        for n in records(&run, &times) {
            assert!(order(n) > 3, "order {} before t = {} s", order(n), plan.t[n]);
            assert!(order(n + 1) + 1 >= order(n), "order {} after {}", order(n + 1), order(n));
        }
        let most = free.trajectory.plan.steps() + 20 * times.len();
        assert!(plan.steps() <= most, "{} steps, {most} at most", plan.steps());
    }
}

/// After a sample adaptive steps have the size from before they were cut for it, whether by a sliver or in
/// halves.
#[test]
fn a_sample_does_not_restart_the_step_size() {
    let plain = Prepared::new(&five_bar()).expect("builds");
    for name in ["dopri5", "radau5", "adams"] {
        let method = of("index1", name).tolerance(1e-8, 1e-8);
        let plan = run(&plain, &method).trajectory.plan;
        let n = plan.steps() / 2;
        for part in [1e-5, 0.3, 1.2] {
            let sample = plan.t[n] + part * plan.h[n];
            let sampled = run(&plain.sampled(&[sample]).expect("a sample"), &method);
            let [at] = records(&sampled, &[sample])[..] else { panic!("one sample") };
            let after = sampled.trajectory.plan.h[at];
            let before = plan.h[n].min(plan.h[n + 2]);
            assert!(after > 0.4 * before, "{name}, {part}: {after:.1e} s after steps of {before:.1e} s");
        }
    }
}

/// Fixed steps of Adams take a sliver before a sample into account: the error stays that of equal steps.
#[test]
fn adams_with_fixed_steps_keeps_its_accuracy_over_samples() {
    let h = 2e-3;
    let plain = Prepared::new(&Mechanism { t_end: 1.0.into(), ..five_bar() }).expect("builds");
    let times = [0.1 + 1e-3 * h, 0.3 + 1e-2 * h, 0.5 + 0.1 * h, 0.7 + 1.1 * h];
    let model = plain.sampled(&times).expect("samples");
    let exact = run(&plain, &of("index1", "dop853").tolerance(1e-13, 1e-13)).psi[0];
    let error = |model: &Prepared| (run(model, &of("index1", "adams").step(h)).psi[0] / exact - 1.0).abs();
    let (free, cut) = (error(&plain), error(&model));
    // as far from the truth, or as rounding is
    assert!(cut <= 3.0 * free + 1e-11, "{cut:.1e} with samples, {free:.1e} without");
}

/// Fixed steps end at samples and go on from there; without samples nothing changes.
#[test]
fn fixed_steps_end_at_samples() {
    let m = Mechanism { t_end: END.into(), ..five_bar() };
    let plain = Prepared::new(&m).expect("builds");
    let method = of("ali3p", "newmark").step(STEP);
    let free = run(&plain, &method).trajectory;
    let none = run(&plain.sampled(&[]).expect("no sample"), &method).trajectory;
    assert_eq!((&free.plan, &free.x), (&none.plan, &none.x));
    let some = run(&plain.sampled(&SAMPLES).expect("samples"), &method).trajectory.plan;
    let expected = [0.0, 0.004, 0.00675, 0.0095, 0.0135, 0.016];
    assert!(some.t[..6].iter().zip(expected).all(|(t, e)| (t - e).abs() < 1e-15), "{:?}", some.t);
    assert!(some.h.iter().all(|h| *h > 0.4 * STEP && *h < 1.01 * STEP), "{:?}", some.h);
}

/// Samples in any order, and twice the same: rows are those of the table, weights of equal samples add.
#[test]
fn samples_have_any_order() {
    let mut study = Study::from_mechanism(example("double_pendulum"));
    study.method("index1", "dopri5").expect("exists");
    let model = study.nominal().expect("assembles");
    let run = model.sampled(&[0.7, 0.2, 0.7, 0.0]).and_then(|m| m.run()).expect("runs");
    let y = run.outputs().expect("outputs");
    let table = run.model.prepared.table(&run.run, None).expect("a table");
    assert_eq!((y.times(), y.columns().len()), (&[0.7, 0.2, 0.7, 0.0][..], 3));
    for (i, t) in y.times().iter().enumerate() {
        let row = table.rows.iter().find(|row| row[0] == *t).expect("a node at each sample");
        assert_eq!(y.row(i), &row[1..]);
    }
    let once = |i: usize| -> Vec<f64> { (0..12).map(|k| f64::from(k == 3 * i)).collect() };
    let both: Vec<f64> = once(0).iter().zip(once(2)).map(|(a, b)| a + b).collect();
    let single = run.vjp(&once(0)).expect("a product");
    assert_eq!(run.vjp(&once(2)).expect("a product"), single);
    for (g, x) in run.vjp(&both).expect("a product").iter().zip(&single) {
        assert!((g - 2.0 * x).abs() <= 1e-12 * x.abs(), "{g} ≠ 2 · {x}");
    }
}

/// The backward sweep allocates as often for twice the steps.
#[test]
fn the_sweep_allocates_nothing() {
    let model = sampled(&Mechanism { t_end: END.into(), ..five_bar() }, Coordinates::Natural, &SAMPLES);
    let weights = numbers(SAMPLES.len() * model.model.columns.len());
    let count = |step: f64| {
        let run = run(&model, &of("index1", "rk4").step(step));
        let before = allocations();
        model.vjp(&run, &weights).expect("a product");
        (run.trajectory.plan.steps(), allocations() - before)
    };
    let (few, many) = (count(STEP), count(0.25 * STEP));
    assert!(many.0 > 2 * few.0 && many.1 == few.1, "{few:?}, {many:?}");
}

/// A sample next to another node would end a step of no length: it is refused, unless it is the node itself.
#[test]
fn samples_next_to_another_node_are_refused() {
    let study = Study::from_mechanism(example("double_pendulum"));
    let model = study.nominal().expect("assembles");
    let close = [vec![0.25, 0.25 + 1e-9], vec![1.0 - 1e-11], vec![1e-7, 0.5], vec![0.5, 0.5 - 4e-6]];
    for times in close {
        let e = model.sampled(&times).map(|_| ()).expect_err("is refused");
        assert!(e.message.contains("where a step ends too"), "{e}");
    }
    // fifty hundredths, summed, are rounding away from the end and from their multiples
    let sums: Vec<f64> = (0..100)
        .scan(0.0, |t, _| {
            Some({
                *t += 0.01;
                *t
            })
        })
        .collect();
    assert!(sums.iter().any(|t| *t > 1.0), "the sum passes the end by rounding");
    let run = model.sampled(&[sums, vec![0.5]].concat()).and_then(|m| m.run()).expect("runs");
    assert_eq!(run.outputs().expect("outputs").times().len(), 101);
}

/// Wrong lengths, samples outside the run and runs without samples are errors that say so.
#[test]
fn wrong_arguments_are_refused() {
    let study = Study::from_mechanism(example("double_pendulum"));
    let model = study.nominal().expect("assembles");
    for t in [-0.1, 1.5, f64::NAN] {
        let e = model.sampled(&[0.5, t]).expect_err("is refused");
        assert!(matches!(e.kind, ErrorKind::Argument), "{e}");
        assert_eq!(e.message, format!("sample t = {t} s is outside the run from 0 s to 1 s"));
    }
    let run = model.sampled(&[0.5]).and_then(|m| m.run()).expect("runs");
    let bare = model.run().expect("runs");
    let errors = [
        (run.vjp(&[1.0; 2]).err(), "2 weights for 1 samples of 3 output columns"),
        (run.jvp(&[1.0; 5]).err(), "5 values for 6 parameters"),
        (bare.outputs().err(), "the model has no samples"),
        (bare.vjp(&[]).err(), "the model has no samples"),
    ];
    for (e, message) in errors {
        let e = e.expect("is refused");
        assert!(matches!(e.kind, ErrorKind::Argument) && e.message == message, "{e}");
    }
}

/// A pendulum that a force pushes from time `tb` on, with outputs and a study.
fn pushed(outputs: &str, study: &str) -> Prepared {
    let text = format!(
        r#"
        name = "pushed"
        gravity = [0, -9.81]
        parameters = {{ L = 1, tb = 0.2, T = 0.5 }}
        ground.points = {{ O = [0, 0] }}
        body.bar = {{ rod = {{ points = ["A", "B"], length = "L", mass = 2 }} }}
        joint.pin = {{ type = "revolute", between = ["ground.O", "bar.A"] }}
        force.push = {{ type = "force", at = "bar.B", force = ["40 * max(t - tb, 0)", 0] }}
        initial.position = {{ "bar.angle" = "-60 deg" }}
        initial.velocity = "rest"
        output = {{ {outputs} }}
        study = {{ {study} }}
        "#
    );
    let file = gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"))
}

/// At fixed samples products are differences of whole runs, also beside a break that moves; at a break or a
/// start that moves they are refused, while outputs are there.
#[test]
fn samples_stay_where_breaks_move() {
    let method = of("index1", "dop853").tolerance(1e-11, 1e-11);
    let outputs = r#"angle = "bar.angle", rate = "vel(bar.angle)""#;
    let model = pushed(outputs, r#"t_end = "T", breaks = ["tb"]"#);
    let times = [0.15, 0.201, 0.3];
    let beside = model.sampled(&times).expect("samples");
    let ahead = beside.jvp(&run(&beside, &method), &[0.0, 1.0, 0.0]).expect("a product");
    let values = |tb: f64| {
        let design = beside.at(&[1.0, tb, 0.5]).expect("assembles");
        design.outputs(&run(&design, &method)).expect("outputs").values().to_vec()
    };
    // error δ² ψ‴/6 + 1e-10/δ: 1e-6 at δ = 1e-4
    let δ = 1e-4;
    for (i, (up, down)) in values(0.2 + δ).iter().zip(values(0.2 - δ)).enumerate() {
        let d = (up - down) / (2.0 * δ);
        assert!((d - ahead[i]).abs() < 1e-5, "entry {i}: {d} is not {}", ahead[i]);
    }

    // at the break itself, and at the start
    let refused = |model: Prepared, sample: f64, message: &str| {
        let model = model.sampled(&[0.3, sample]).expect("samples");
        let run = run(&model, &method);
        assert_eq!(model.outputs(&run).expect("outputs").times(), [0.3, sample]);
        for e in [model.vjp(&run, &[1.0; 4]).err(), model.jvp(&run, &[1.0; 3]).err()] {
            let e = e.expect("is refused");
            assert!(matches!(e.kind, ErrorKind::Argument) && e.message == message, "{e}");
        }
    };
    refused(model, 0.2, "sample t = 0.2 s is a break time that parameter `tb` moves");
    let late = pushed(outputs, r#"t_start = "tb - 0.1", t_end = "T""#);
    refused(late, 0.1, "sample t = 0.1 s is a start time that parameter `tb` moves");
    // a break that nothing moves is a sample like others
    let fixed = pushed(outputs, r#"t_end = "T", breaks = ["tb", 0.25]"#).sampled(&[0.25]).expect("samples");
    assert!(fixed.jvp(&run(&fixed, &method), &[1.0; 3]).is_ok());
}

/// An output without a slope is an error where it is asked for, and nothing where its weight is zero.
#[test]
fn products_that_are_not_finite_are_refused() {
    let outputs = r#"angle = "bar.angle", root = "sqrt(0.5 - t)""#;
    let model = pushed(outputs, r#"t_end = "T", breaks = ["tb"]"#).sampled(&[0.5]).expect("samples");
    let run = run(&model, &of("index1", "dopri5").tolerance(1e-8, 1e-8));
    let angle = model.vjp(&run, &[1.0, 0.0]).expect("a product");
    assert!(angle.iter().all(|g| g.is_finite() && *g != 0.0), "{angle:?}");
    let e = model.vjp(&run, &[1.0, 1.0]).expect_err("is refused");
    assert_eq!(e.message, "the derivative of the weighted sum of outputs over `T` is not a finite number");
    let e = model.jvp(&run, &[0.0, 0.0, 1.0]).expect_err("is refused");
    assert_eq!(e.message, "the derivative of output `root` at t = 0.5 s is not a finite number");
    let e = model.vjp(&run, &[1.0, f64::NAN]).expect_err("is refused");
    assert_eq!(e.message, "number 2 of the weights is NaN");
    let e = model.jvp(&run, &[f64::INFINITY, 0.0, 0.0]).expect_err("is refused");
    assert_eq!(e.message, "number 1 of the values of a direction is inf");
}

/// Accelerations at a final time that moves, by a method that holds positions only, are refused as `gradient`
/// warns of them.
#[test]
fn accelerations_at_a_moving_end_are_refused() {
    let outputs = r#"angle = "bar.angle", push = "acc(bar.B.x)""#;
    let model = pushed(outputs, r#"t_end = "T", breaks = ["tb"]"#).sampled(&[0.3, 0.5]).expect("samples");
    let mut method = of("index3", "newmark").step(0.01);
    method.set("projection", "off").expect("an option");
    let loose = run(&model, &method);
    for e in [model.vjp(&loose, &[1.0; 4]).err(), model.jvp(&loose, &[1.0; 3]).err()] {
        let e = e.expect("is refused");
        assert!(matches!(e.kind, ErrorKind::Method) && e.message.contains("output `push`"), "{e}");
    }
    assert!(model.vjp(&loose, &[1.0, 1.0, 1.0, 0.0]).is_ok());
    assert!(model.vjp(&run(&model, &of("index1", "newmark").step(0.01)), &[1.0; 4]).is_ok());
}
