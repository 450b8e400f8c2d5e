//! Random mechanisms: all exact gradients agree for every formulation × integrator; energy and momentum are
//! kept where they must be.
//!
//! What is drawn is the same in every run (the seed is fixed); a failure is shrunk to fewer bodies, joints
//! and forces. Recipes whose mechanism cannot be assembled, or whose Φ_q has σ_min/σ_max < 1e-3, are redrawn
//! and counted.

use crate::kit::elements::Entry;
use gradyn::file::{driver_quantities, force_types, joint_types};
use gradyn::registry::combinations;
use gradyn::{AlphaScaling, Formulation, Integrator, Method, Prepared, Run, Sensitivity};
use gradyn_model::FunctionalSet;
use gradyn_model::mechanism::{Event, ForceKind, Mechanism, Number, Vector};
use gradyn_sensitivity::Gradient;
use gradyn_testkit::compare::distance;
use gradyn_testkit::parametrise::{only_used, parametrise_where};
use gradyn_testkit::random::{Random, Recipe, mechanism, recipes};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Mechanisms of the gradient test.
const DRAWN: u32 = 240;
/// Parameters of each.
const PARAMETERS: usize = 12;
/// The rounding of index-3 Newmark grows like 1/h: 1e-9 at 1 ms, below 1e-10 from 20 ms on.
const STEP: f64 = 2e-2;
/// Four steps and a shorter one.
const END: f64 = 4.5 * STEP;
/// Mechanisms with a joint that is there twice.
const REPEATED: u32 = 60;
/// Mechanisms with a force that jumps.
const JUMPING: u32 = 60;
/// Mechanisms with an impact and other events.
const EVENTFUL: u32 = 40;

/// Runs a check over random recipes with a fixed seed; prints why recipes were redrawn. GRADYN_RANDOM=N draws
/// N times as many others.
fn each(
    cases: u32,
    seed: u8,
    kind: impl Fn(Recipe) -> Recipe,
    check: impl Fn(&Recipe, usize) -> Result<Mechanism, TestCaseError>,
) -> BTreeSet<String> {
    let (cases, seed) = match std::env::var("GRADYN_RANDOM").ok().and_then(|n| n.parse::<u32>().ok()) {
        Some(n) => (n * cases, seed.wrapping_add(n as u8)),
        None => (cases, seed),
    };
    let config = Config {
        cases,
        max_global_rejects: 4 * cases,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
    let (redrawn, count) = (RefCell::new(BTreeMap::<&str, usize>::new()), RefCell::new(0));
    let covered = RefCell::new(BTreeSet::new());
    let result = runner.run(&recipes().prop_map(kind), |r| {
        let k = *count.borrow();
        match check(&r, k) {
            Err(TestCaseError::Reject(why)) => match cause(why.message(), &r) {
                Some(cause) => {
                    *redrawn.borrow_mut().entry(cause).or_default() += 1;
                    Err(TestCaseError::reject(cause))
                }
                None => Err(TestCaseError::fail(why)),
            },
            Ok(mechanism) => {
                *count.borrow_mut() += 1;
                let entry = Entry { name: String::new(), mechanism, power: None, isolated: false };
                covered.borrow_mut().extend(entry.covers());
                Ok(())
            }
            Err(failed) => {
                println!("mechanism {k}: {}", failed.to_string().lines().next().unwrap_or_default());
                Err(failed)
            }
        }
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, recipe)) => {
            let text = mechanism(&recipe).map_or_else(|e| e, |m| format!("{m:#?}"));
            panic!("{why}\n{recipe:#?}\n{text}")
        }
        Err(e) => panic!("{e}: {:?}", redrawn.borrow()),
    }
    let total: usize = redrawn.borrow().values().sum();
    println!("{cases} mechanisms, {total} redrawn: {:#?}", redrawn.borrow());
    assert!(5 * total <= 2 * cases as usize, "most recipes make mechanisms: {total} redrawn");
    let failed = redrawn.borrow().get("does not run").copied().unwrap_or(0);
    assert!(20 * failed <= cases as usize, "most mechanisms run: {failed} do not");
    covered.into_inner()
}

/// Why a recipe may be redrawn: its loops and rows repeat each other or are nearly singular, or its motion
/// comes to where they are. A tree is never redundant; nothing is refused by `build`, drawn elsewhere or
/// counted wrongly.
fn cause(why: &str, r: &Recipe) -> Option<&'static str> {
    let tree = r.loops.is_empty() && r.rows.is_empty();
    let list = [
        ("is redundant", !tree),
        ("is close to singular", !tree),
        (PASSES, true),
        ("does not move", true),
        ("does not run", !tree || !r.loads.is_empty()),
        ("has nothing to repeat", true),
    ];
    list.into_iter().find(|(what, allowed)| *allowed && why.starts_with(what)).map(|c| c.0)
}

/// A run that warns of a singular position, of drift or of a step that hardly converged.
const PASSES: &str = "passes a singular position";

fn prepared(m: &Mechanism) -> Result<Prepared, TestCaseError> {
    let p = Prepared::new(m).map_err(|e| TestCaseError::fail(format!("{e}")))?;
    if p.assembled.condition < 1e-3 {
        return Err(TestCaseError::reject("is close to singular"));
    }
    Ok(p)
}

fn drawn(r: &Recipe) -> Result<Mechanism, TestCaseError> {
    mechanism(r).map_err(TestCaseError::reject)
}

/// Some numbers of the mechanism become parameters.
fn with_parameters(m: &Mechanism, seed: u64) -> Mechanism {
    let mut numbers = 0;
    parametrise_where(m, |k, _| {
        numbers = k + 1;
        false
    });
    let mut random = Random(seed);
    // the final time is the last number: what moves depends on it
    let chosen: Vec<usize> = (1..PARAMETERS).map(|_| random.below(numbers)).chain([numbers - 1]).collect();
    only_used(&parametrise_where(m, |k, _| chosen.contains(&k)).0)
}

fn run(p: &Prepared, method: &Method) -> Result<Run, TestCaseError> {
    let name = || format!("{} + {}", method.formulation.name(), method.integrator.name());
    let run = p.run(method).map_err(|e| TestCaseError::reject(format!("does not run: {}: {e}", name())))?;
    if run.warnings.iter().any(|w| {
        ["near-singular", "singular", "ends-meet", "drift", "slow-newton"]
            .iter()
            .any(|what| w.to_string().starts_with(what))
    }) {
        return Err(TestCaseError::reject(PASSES));
    }
    Ok(run)
}

fn gradient(p: &Prepared, run: &Run, s: Sensitivity) -> Result<Gradient, TestCaseError> {
    Ok(p.gradient(run, s).map_err(|e| TestCaseError::fail(format!("{}: {e}", s.name())))?.rows)
}

fn near(a: &Gradient, b: &Gradient, p: &Prepared, tolerance: f64, what: &str) -> Result<(), TestCaseError> {
    let scales: Vec<f64> = p.model.parameters.iter().map(|p| p.scale).collect();
    let d = distance(a, b, &scales);
    if d <= tolerance { Ok(()) } else { Err(TestCaseError::fail(format!("{what}: {d:.1e}\n{a:?}\n{b:?}"))) }
}

/// All exact gradients with one method up to `most`; with `differences`, extrapolated differences too.
fn agrees(p: &Prepared, method: &Method, most: f64, differences: bool) -> Result<(), TestCaseError> {
    let run = run(p, method)?;
    let what =
        |s: &str| format!("{} + {}: {s} and adjoint", method.formulation.name(), method.integrator.name());
    let adjoint = gradient(p, &run, Sensitivity::DiscreteAdjoint)?;
    for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
        near(&gradient(p, &run, s)?, &adjoint, p, most, &what(s.name()))?;
    }
    if !differences {
        return Ok(());
    }
    // the long step has the smaller rounding error, the short one the smaller truncation error
    let by = |step: f64| near(&differences_of(p, &run, step)?, &adjoint, p, 1e-6, &what("differences"));
    by(5e-5).or_else(|_| by(1e-5)).or_else(|_| by(2e-4)).or_else(|_| by(2e-6))
}

/// Combinations that take the rows of mechanism `k`: one in four, in turn, on two threads;
/// GRADYN_RANDOM_ALL=1 runs all.
fn agree_everywhere(p: &Prepared, k: usize) -> Result<(), TestCaseError> {
    let every = if std::env::var("GRADYN_RANDOM_ALL").is_ok() { 1 } else { 4 };
    let slips = p.model.system.dims().m_vel > 0;
    let takes = |f: Formulation| !slips || f != Formulation::Index3;
    let all = combinations().into_iter().enumerate().filter(|(i, c)| i % every == k % every && takes(c.0));
    let all: Vec<_> = all.map(|c| c.1).collect();
    let half = |first: usize| {
        let mut mine = all.iter().enumerate().skip(first).step_by(2);
        mine.try_for_each(|(i, &(formulation, integrator))| {
            // repeated rows on light points: with one α for all, 1/α is lost beside φ M⁻¹ φᵀ
            let alpha_scaling =
                if p.redundant().is_empty() { AlphaScaling::Uniform } else { AlphaScaling::Row };
            let method = Method { formulation, integrator, alpha_scaling, ..Method::default() }.step(STEP);
            // events cut steps to a part of 20 ms, where position-level rounding is that of 1 ms
            let cut = p.model.system.has_state_jumps() && formulation.position_level();
            agrees(p, &method, if cut { 1e-9 } else { 1e-10 }, i == k / every % all.len())
        })
    };
    std::thread::scope(|s| {
        let other = s.spawn(|| half(1));
        half(0).and(other.join().expect("no panic"))
    })
}

#[test]
fn exact_gradients_agree_on_random_mechanisms() {
    let covered = each(
        DRAWN,
        7,
        |r| r,
        |r, k| {
            let mut m = drawn(r)?;
            m.t_end = END.into();
            let p = prepared(&with_parameters(&m, r.members[0].seed))?;
            agree_everywhere(&p, k)?;
            Ok(m)
        },
    );
    let joints = joint_types().into_iter().map(|t| format!("joint {}", t.0));
    let forces = force_types().into_iter().map(|t| format!("force {}", t.0));
    let drivers = driver_quantities().iter().map(|q| format!("driver {q}"));
    let absent =
        joints.chain(forces).chain(drivers).chain(["constraint".into()]).filter(|n| !covered.contains(n));
    // a tyre needs a wheel that rolls, which no chance gives: `vehicles` and `elements` have them
    let absent: Vec<String> = absent.filter(|n| n != "force tyre").collect();
    assert!(absent.is_empty(), "never drawn by crates/gradyn-testkit/src/random: {absent:?}");
}

#[test]
fn exact_gradients_agree_where_a_joint_is_repeated() {
    each(
        REPEATED,
        17,
        |r| Recipe { repeated: true, ..r },
        |r, k| {
            let mut m = drawn(r)?;
            m.t_end = END.into();
            let p = without_breaking(with_parameters(&m, r.members[0].seed))?;
            agree_everywhere(&p, k)?;
            Ok(m)
        },
    );
}

/// Where a coordinate is half-way through a run, if it moves.
fn passed(m: &Mechanism, sensor: &str) -> Result<f64, TestCaseError> {
    let y = ends(m, &[sensor])?;
    let [from, to] = [y[0][0], y[1][0]];
    // accelerations and jumps leave their traces
    if (to - from).abs() < 1e-3 { Err(TestCaseError::reject("does not move")) } else { Ok(0.5 * (from + to)) }
}

/// A force that jumps at a place that the motion passes, at a time that is a parameter, and that has a corner
/// where the motion turns back.
#[test]
fn exact_gradients_agree_where_a_force_jumps() {
    let restarts = RefCell::new(0);
    each(
        JUMPING,
        23,
        |r| Recipe { rows: vec![], ..r },
        |r, k| {
            let mut m = drawn(r)?;
            m.t_end = END.into();
            let body = m.bodies[0].name.text.clone();
            let x = format!("{body}.com.x");
            let place = passed(&m, &x)?;
            let law = format!("if({x} > {place:e}, 0.4, -0.3) + if(t > 0.041, 0.5, 0) + 0.2*abs(vel({x}))");
            let rest = (1..m.dimension).map(|_| Number::from(0.0));
            let force = Vector::Components(std::iter::once(law.as_str().into()).chain(rest).collect(), None);
            let at = format!("{body}.com").as_str().into();
            m.force("jump", ForceKind::Point { at, force, frame: None });
            let p = prepared(&with_parameters(&m, r.members[0].seed))?;
            let method = Method::new("index1", "rk4").expect("registered").step(STEP);
            *restarts.borrow_mut() +=
                run(&p, &method)?.trajectory.plan.restarts.iter().filter(|r| *r).count();
            agree_everywhere(&p, k)?;
            Ok(m)
        },
    );
    let restarts = *restarts.borrow();
    assert!(restarts as u32 > JUMPING, "only {restarts} restarts in {JUMPING} runs");
}

/// An impact where a body passes a place, a velocity that a time gives, and a force that begins there.
#[test]
fn exact_gradients_agree_across_events() {
    let impacts = RefCell::new(0);
    each(
        EVENTFUL,
        23,
        |r| Recipe { rows: vec![], ..r },
        |r, k| {
            let mut m = drawn(r)?;
            m.t_end = END.into();
            let body = m.bodies[0].name.text.clone();
            let x = format!("{body}.com.x");
            let place = passed(&m, &x)?;
            let rises = ends(&m, &[&x])?[1][0] > place;
            let gap = if rises { format!("{place:e} - {x}") } else { format!("{x} - {place:e}") };
            m.event(Event::new("impact", gap.as_str()).impact(0.7).on("push"));
            m.event(Event::new("slower", "t - 0.061").reset(x.as_str(), format!("0.8*vel({x})")));
            let force = Vector::Components((0..m.dimension).map(|_| 0.3.into()).collect(), None);
            let at = format!("{body}.com").as_str().into();
            m.force("push", ForceKind::Point { at, force, frame: None });
            m.initial.off.push("push".into());
            let p = prepared(&with_parameters(&m, r.members[0].seed))?;
            let method = Method::new("index1", "rk4").expect("registered").step(STEP);
            // what is held, or turns back before its place, has no such event
            let run = p.run(&method).map_err(|_| TestCaseError::reject("refused by name"))?;
            *impacts.borrow_mut() += run.trajectory.plan.given_by.iter().flatten().count();
            agree_everywhere(&p, k)?;
            Ok(m)
        },
    );
    let impacts = *impacts.borrow();
    assert!(impacts as u32 > EVENTFUL, "only {impacts} changes of velocities in {EVENTFUL} runs");
}

/// Parameters that are refused because they break a redundant loop become constants.
fn without_breaking(mut m: Mechanism) -> Result<Prepared, TestCaseError> {
    let method = Method { formulation: Formulation::Maggi, integrator: Integrator::Rk4, ..Method::default() }
        .step(STEP);
    loop {
        let p = prepared(&m)?;
        let run = run(&p, &method)?;
        let Err(e) = p.gradient(&run, Sensitivity::DiscreteAdjoint) else { return Ok(p) };
        let broken = m
            .parameters
            .iter()
            .position(|x| e.to_string().contains(&format!("parameter `{}` breaks", x.name)));
        let Some(k) = broken else { return Err(TestCaseError::fail(format!("{e}"))) };
        let name = m.parameters.remove(k).name;
        m.constants.insert(0, (name, 0.0.into()));
        // what is the same to the letter now may be shared
        m = only_used(&m);
    }
}

/// Richardson-extrapolated central differences.
fn differences_of(p: &Prepared, run: &Run, relative: f64) -> Result<Gradient, TestCaseError> {
    p.extrapolated_differences(run, relative).map_err(|e| TestCaseError::fail(format!("differences: {e}")))
}

/// Outputs at the start and at the end of an accurate run.
fn ends(m: &Mechanism, outputs: &[&str]) -> Result<[Vec<f64>; 2], TestCaseError> {
    let mut m = m.clone();
    m.objectives.clear();
    m.t_end = 0.15.into();
    m.outputs = outputs.iter().enumerate().map(|(k, x)| (format!("y{k}").into(), (*x).into())).collect();
    let p = prepared(&m)?;
    let method =
        Method { formulation: Formulation::Index1, integrator: Integrator::Dopri5, ..Method::default() }
            .tolerance(1e-10, 1e-10);
    let run = run(&p, &method)?;
    let (sys, lay, plan) = (&p.model.system, run.trajectory.layout, &run.trajectory.plan);
    let mut d = sys.evaluator(&p.slots());
    Ok([0, plan.steps()].map(|n| {
        let at = lay.node(plan.t[n], run.trajectory.present(n));
        let mut y = vec![0.0; sys.functionals(FunctionalSet::Output)];
        d.set_branches(&run.trajectory.branches(n));
        d.at(at.t, at.q);
        d.measure(FunctionalSet::Output, &at, &mut y);
        y.truncate(outputs.len());
        y
    }))
}

fn kept([before, after]: &[Vec<f64>; 2], size: f64, what: &str) -> Result<(), TestCaseError> {
    // 1e-7: tolerance 1e-10 over some hundred steps, energies of size 10
    let worst = before.iter().zip(after).fold(0.0f64, |w, (a, b)| w.max((a - b).abs()));
    if worst <= 1e-7 * size.max(1.0) {
        Ok(())
    } else {
        Err(TestCaseError::fail(format!("{what}: {before:?} → {after:?}")))
    }
}

#[test]
fn energy_is_kept_by_springs_and_gravity() {
    each(
        40,
        11,
        |r| Recipe { conservative: true, ..r },
        |r, _| {
            let m = drawn(r)?;
            let y = ends(&m, &["system.energy", "system.kinetic"])?;
            let energy = [vec![y[0][0]], vec![y[1][0]]];
            kept(&energy, y[0][1].abs().max(y[0][0].abs()), "energy")?;
            Ok(m)
        },
    );
}

#[test]
fn momentum_is_kept_by_what_floats() {
    each(
        40,
        13,
        |r| Recipe { floating: true, ..r },
        |r, _| {
            let m = drawn(r)?;
            let space = ["system.momentum.x", "system.momentum.y", "system.momentum.z"];
            let mut list = space[..m.dimension].to_vec();
            match m.dimension {
                2 => list.push("system.angular_momentum"),
                _ => list.extend([
                    "system.angular_momentum.x",
                    "system.angular_momentum.y",
                    "system.angular_momentum.z",
                ]),
            }
            // a torque without a body to react on acts from outside
            let outside = |f: &gradyn_model::mechanism::Force| format!("{:?}", f.kind).contains("\"ground\"");
            let m = Mechanism { forces: m.forces.iter().filter(|f| !outside(f)).cloned().collect(), ..m };
            let y = ends(&m, &list)?;
            kept(&y, y[0].iter().fold(0.0f64, |s, x| s.max(x.abs())), "momentum")?;
            Ok(m)
        },
    );
}
