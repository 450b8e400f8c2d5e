//! Runs with a memory budget: every bit as without one.

use crate::kit::cases;
use gradyn::registry::{Variant, variants};
use gradyn::{Coordinates, Integrator, Method, Prepared, Run, Sensitivity, Stepping};
use gradyn_testkit::chain::{chain, net};
use std::collections::BTreeSet;

/// Records that are kept with their pieces, so that one of 2, 4, 8 … is: the last is less than one level
/// needs.
const ROOMS: [usize; 4] = [100, 60, 32, 24];

/// A budget for so many records of a run, and for the steps that it would have without an event that ends it.
fn budget(model: &Prepared, run: &Run, records: usize) -> usize {
    let t = &run.trajectory;
    let mesh = model.mesh().expect("times");
    let asked = match run.method.stepping {
        Stepping::Fixed(h) => ((mesh.end() - mesh.start.0) / h).ceil() as usize,
        _ => 0,
    };
    let steps = asked.max(t.plan.steps());
    let plan = steps * 32 + 4096 + 16 * t.layout.sides * steps;
    let pivots = if t.layout.n > 60 { 40_000 } else { 0 };
    // the least of long runs is some tens of records more
    let records = records.max(steps / 16);
    (records + 9) * ((t.layout.len + t.plan.branch_count) * 8 + 8) + plan + pivots
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// A run within a budget has every bit of the whole run: records forward, backward and out of order, what was
/// seen on it, and its gradients. Says every how many records one was kept.
fn compare(what: &str, model: &Prepared, method: &Method, whole: &Run, records: usize) -> usize {
    let within = method.clone().within(budget(model, whole, records));
    let run = model.run(&within).unwrap_or_else(|e| panic!("{what}, {records} records: {e}"));
    let steps = whole.trajectory.plan.steps();
    assert_eq!(run.trajectory.plan.t, whole.trajectory.plan.t, "{what}: times");
    let odd = (1..6).map(|k| k * 37 % (steps + 1));
    for n in (0..=steps).rev().chain(odd) {
        let [a, b] = [&run, whole].map(|r| bits(&r.trajectory.record(n)));
        assert_eq!(a, b, "{what}, {records} records: record {n} of {steps}");
        let [a, b] = [&run, whole].map(|r| bits(&r.trajectory.branches(n)));
        assert_eq!(a, b, "{what}, {records} records: branches of record {n} of {steps}");
    }
    run.trajectory.check_made().unwrap_or_else(|e| panic!("{what}: {e}"));
    let seen = |r: &Run| (bits(&r.psi), bits(&r.drift), bits(&[r.energy.0, r.energy.1]), r.warnings.clone());
    assert_eq!(seen(&run), seen(whole), "{what}, {records} records");
    let sensitivities = [Sensitivity::DiscreteAdjoint, Sensitivity::DiscreteDirect];
    for s in sensitivities.into_iter().take(1 + records % 3) {
        let rows =
            |r: &Run| model.gradient(r, s).map(|g| g.rows.iter().map(|row| bits(row)).collect::<Vec<_>>());
        let [a, b] = [&run, whole].map(|r| rows(r).map_err(|e| e.to_string()));
        assert_eq!(a, b, "{what}, {records} records: {}", s.name());
    }
    run.trajectory.every()
}

/// Steps of 2 ms, or tolerances, over some steps.
fn method(v: &Variant, adaptive: bool) -> Method {
    let method = Method::of(v).expect("registered");
    if adaptive { method.tolerance(1e-6, 1e-6) } else { method.step(2e-3) }
}

/// A small example of 0.2 s.
fn example(name: &str, family: Coordinates) -> Prepared {
    let (_, text) = cases::small_examples().find(|e| e.0 == name).expect("an example");
    let mut m = gradyn::file::read_toml(text).expect("parses").mechanism;
    (m.until, m.t_end) = (None, 0.2.into());
    Prepared::new_in(&m, family).expect("builds")
}

/// Every step of the registry, with fixed steps and with tolerances, in budgets of every size.
#[test]
fn every_step_repeats_its_bits() {
    let model = example("five_bar", Coordinates::Natural);
    let mut distances = BTreeSet::new();
    for (i, v) in variants().into_iter().enumerate() {
        let both: &[bool] =
            if v.integrator.adapts() && v.option.is_none() { &[false, true] } else { &[false] };
        for &adaptive in both {
            let method = method(&v, adaptive);
            if model.check_method(&method).is_err() {
                continue;
            }
            let whole = model.run(&method).expect("runs");
            let what = format!("five_bar, {v}, {adaptive}");
            distances.insert(compare(&what, &model, &method, &whole, ROOMS[i % ROOMS.len()]));
        }
    }
    assert!([2, 4, 8].iter().all(|k| distances.contains(k)), "{distances:?}");
}

/// One step of each family.
const FAMILIES: [(&str, &str); 7] = [
    ("index3", "generalized-alpha"),
    ("index1", "dopri5"),
    ("maggi", "rk4"),
    ("index3", "radau5"),
    ("maggi", "sdirk4"),
    ("penalty", "rodas4"),
    ("maggi", "adams"),
];

/// Sparse factorisations, whose pivots are chosen again on the way, independent coordinates that change,
/// redundant rows and rows of velocities.
#[test]
fn models_repeat_their_bits() {
    let sparse = [chain(30), net(3, 7)].map(|mut m| {
        m.t_end = 0.12.into();
        Prepared::new(&m).expect("builds")
    });
    let small = ["slider_crank", "redundant_four_bar", "knife_edge", "rssr"]
        .map(|n| example(n, Coordinates::Natural));
    let relative = ["rssr", "spinning_top"].map(|name| example(name, Coordinates::Relative0));
    for (i, model) in small.iter().chain(&relative).chain(&sparse).enumerate() {
        for (k, (formulation, integrator)) in FAMILIES.iter().enumerate() {
            let integrator_kind = Integrator::parse(integrator).expect("registered");
            let method = Method::new(formulation, integrator).expect("registered");
            let fixed = !integrator_kind.adapts() || (i + k) % 2 == 0;
            let method = if fixed { method.step(2e-3) } else { method.tolerance(1e-6, 1e-6) };
            if model.check_method(&method).is_err() {
                continue;
            }
            let Ok(whole) = model.run(&method) else { continue };
            let what = format!("{}, {formulation}, {integrator}", model.model.name);
            compare(&what, model, &method, &whole, ROOMS[(i + k) % ROOMS.len()]);
        }
    }
}

/// Events: restarts, impacts, positions that are given, times that are numbers of the records.
#[test]
fn events_repeat_their_bits() {
    for name in ["bouncing_ball", "catapult", "event_pendulum"] {
        let (_, text) = gradyn::examples::ALL.iter().find(|e| e.0 == name).expect("an example");
        let file = gradyn::file::read_toml(text).expect("parses");
        let model = Prepared::new_in(&file.mechanism, Coordinates::Natural).expect("builds");
        for (k, (formulation, integrator)) in FAMILIES.iter().enumerate() {
            let method = Method::new(formulation, integrator).expect("registered").step(5e-3);
            if model.check_method(&method).is_err() {
                continue;
            }
            let Ok(whole) = model.run(&method) else { continue };
            let what = format!("{name}, {formulation}, {integrator}");
            compare(&what, &model, &method, &whole, ROOMS[k % ROOMS.len()]);
        }
    }
}

/// A budget that is too small says what is needed, and that is enough.
#[test]
fn the_least_budget_is_named() {
    let model = example("five_bar", Coordinates::Natural);
    let method = Method::new("maggi", "rk4").expect("registered").step(1e-3);
    let e = model.run(&method.clone().within(1000)).map(|_| ()).expect_err("too small");
    let text = e.to_string();
    assert!(text.contains("a budget of 1 KiB is too small for a run of 200 steps: the least is"), "{text}");
    let needed: f64 =
        text.rsplit("the least is ").next().and_then(|x| x.split(' ').next()).unwrap().parse().unwrap();
    let least = (needed * 1024.0) as usize;
    let run = model.run(&method.clone().within(least)).expect("fits");
    assert!(run.trajectory.every() >= 32, "{}", run.trajectory.every());
    // adaptive steps find out on the way
    let adaptive = Method::new("maggi", "dopri5").expect("registered").tolerance(1e-10, 1e-10);
    let e = model.run(&adaptive.within(least / 4)).map(|_| ()).expect_err("too small");
    assert!(e.to_string().contains("is too small for a run of"), "{e}");
}

/// Without a budget a run that does not fit is refused before it starts, with the figure.
#[test]
fn a_run_that_does_not_fit_is_refused() {
    let model = example("five_bar", Coordinates::Natural);
    let mut method = Method::new("maggi", "rk4").expect("registered").step(1e-6);
    method.memory.free = Some(1 << 20);
    let e = model.run(&method).map(|_| ()).expect_err("does not fit");
    assert!(e.to_string().contains("200000 steps take") && e.to_string().contains("1.0 MiB are free"), "{e}");
    assert!(e.help.as_deref().is_some_and(|help| help.contains("--memory")), "{e:?}");
}

/// What needs every record at once is refused by name.
#[test]
fn what_needs_all_records_is_refused() {
    let model = example("five_bar", Coordinates::Natural);
    let method = Method::new("index1", "dopri5").expect("registered").step(2e-3);
    let whole = model.run(&method).expect("runs");
    let run = model.run(&method.clone().within(budget(&model, &whole, 60))).expect("runs");
    for s in Sensitivity::ALL.iter().copied() {
        if s.check(method.formulation).is_err() {
            continue;
        }
        let all =
            [Sensitivity::FiniteDifference, Sensitivity::Extrapolated].contains(&s) || s.is_continuous();
        match model.gradient(&run, s) {
            Ok(_) => assert!(!all, "{}", s.name()),
            Err(e) => assert!(all && e.to_string().contains(s.name()), "{}: {e}", s.name()),
        }
    }
    assert!(model.contributions(&run).is_err() && model.output_sensitivities(&run).is_err());
    let [a, b] = [&run, &whole].map(|r| model.table(r, Some(1e-3)).expect("a table").rows.concat());
    assert_eq!(bits(&a), bits(&b));
}
