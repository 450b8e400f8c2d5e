//! Random linkages that are overconstrained, and random rotors that are fast: rows are chosen again along a
//! run, and turns of angles are right or the run is refused by name.
//!
//! Seeds are fixed; GRADYN_RANDOM=N draws N times as many others. Linkages that come near a singular position
//! are redrawn and counted, as are runs that say that their steps are too long.

use gradyn::registry::combinations;
use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared, Run, Sensitivity};
use gradyn_model::mechanism::Mechanism;
use gradyn_sensitivity::Gradient;
use gradyn_testkit::compare::distance;
use gradyn_testkit::random::{Rotor, linkage, rotor};
use std::f64::consts::PI;

/// Linkages that are drawn.
const LINKAGES: u64 = 24;
/// Rotors that are drawn.
const ROTORS: u64 = 32;
/// One of so many combinations is run with a mechanism in one family of coordinates.
const EVERY: usize = 12;
/// Steps of linkages [s]: the rounding of index-3 Newmark grows like 1/h.
const STEP: f64 = 1e-2;
/// End of a linkage [s].
const END: f64 = 50.5 * STEP;
/// Speed of a point of a linkage, at most [m/s].
const FASTEST: f64 = 15.0;
/// How far a rotor turns in a step [rad].
const TURNS: [f64; 4] = [0.2, 0.7, 2.5, 6.0];
/// Longest of them that points and unit vectors resolve, with one-step schemes of order 3 and more and with
/// others [rad].
const RESOLVED: [f64; 2] = [0.7, 0.2];
/// Steps of a rotor.
const STEPS: f64 = 20.5;

/// Schemes that cannot change their rows.
const ROSENBROCK: [Integrator; 2] = [Integrator::Ros3, Integrator::Rodas4];

/// Seeds of `cases` mechanisms.
fn seeds(cases: u64) -> std::ops::Range<u64> {
    match std::env::var("GRADYN_RANDOM").ok().and_then(|n| n.parse::<u64>().ok()) {
        Some(n) => 1000 * n..1000 * n + n * cases,
        None => 0..cases,
    }
}

/// Combinations of mechanism k in a family: one in [`EVERY`], in turn.
fn turn(k: u64, family: Coordinates) -> impl Iterator<Item = (Formulation, Integrator)> {
    let first = (k as usize + 5 * family as usize) % EVERY;
    combinations().into_iter().skip(first).step_by(EVERY)
}

fn prepared(m: &Mechanism, family: Coordinates, what: &str) -> Prepared {
    Prepared::new_in(m, family).unwrap_or_else(|e| panic!("{what}: {e}"))
}

/// Does a run say that it is not to be trusted?
fn warned(run: &Run) -> bool {
    let doubtful = ["near-singular", "singular", "drift", "slow-newton"];
    run.warnings.iter().any(|w| doubtful.iter().any(|d| w.to_string().starts_with(d)))
}

/// The four exact gradients of a run; or why one of them is refused.
fn agree(p: &Prepared, run: &Run, most: f64, what: &str) -> Result<Gradient, String> {
    let gradient = |s: Sensitivity| {
        p.gradient(run, s).map(|g| g.rows).map_err(|e| format!("{what}, {}: {}", s.name(), e.message))
    };
    let scales: Vec<f64> = p.model.parameters.iter().map(|p| p.scale).collect();
    let adjoint = gradient(Sensitivity::DiscreteAdjoint)?;
    for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
        let d = distance(&gradient(s)?, &adjoint, &scales);
        assert!(d <= most, "{what}, {}: {d:.1e}\n{adjoint:?}", s.name());
    }
    Ok(adjoint)
}

/// A linkage that stays away from singular positions, and keeps its energy.
fn regular(k: u64) -> Option<Mechanism> {
    let mut m = linkage(k);
    m.t_end = END.into();
    let p = Prepared::new(&m).ok()?;
    let method = Method::new("maggi", "dopri5").expect("registered").tolerance(1e-9, 1e-9);
    let run = p.run(&method).ok().filter(|run| run.singular.is_none() && !warned(run))?;
    let (energy, deviation) = run.energy;
    assert!(deviation <= 1e-6 * energy.abs().max(1.0), "linkage {k}: energy off by {deviation:.1e}");

    // points of a linkage whose first hinge hardly turns are too fast for the steps
    let n = run.trajectory.layout.n;
    let speed = |k: usize| run.trajectory.record(k)[n..2 * n].iter().fold(0.0f64, |s, v| s.max(v.abs()));
    let fastest = (0..=run.trajectory.plan.steps()).map(speed).fold(0.0, f64::max);
    Some(m).filter(|_| fastest <= FASTEST)
}

/// How the runs of linkages ended.
#[derive(Debug, Default)]
struct Ends {
    redrawn: usize,
    /// Rows were the same from start to end.
    kept: usize,
    /// Rows were chosen again.
    changed: usize,
    /// Rosenbrock steps that would have to change their rows.
    rosenbrock: usize,
    /// Steps were too long: kept rows came near a dependency within one.
    long: usize,
}

/// Linkage k in a family of coordinates with its combinations.
fn linkage_agrees(k: u64, m: &Mechanism, family: Coordinates, ends: &mut Ends) {
    let p = prepared(m, family, &format!("linkage {k}, {}", family.name()));
    assert!(!p.redundant().is_empty(), "linkage {k} is overconstrained");
    // penalty loads redundant rows by drift times α
    for (formulation, integrator) in turn(k, family).filter(|c| c.0 != Formulation::Penalty) {
        let names = [family.name(), formulation.name(), integrator.name()].join(" + ");
        let what = format!("linkage {k}, {names}");
        let method = Method { formulation, integrator, ..Method::default() }.step(STEP);
        let refused = match p.run(&method) {
            Ok(run) if warned(&run) => format!("{:?}", run.warnings),
            Ok(run) => {
                let changed = run.trajectory.plan.changes_rows().is_some();
                *(if changed { &mut ends.changed } else { &mut ends.kept }) += 1;
                let most = if formulation.position_level() { 1e-9 } else { 1e-10 };
                let Err(e) = agree(&p, &run, most, &what) else { continue };
                assert!(e.contains("did not settle"), "{e}");
                e
            }
            Err(e) if e.message.contains("a Rosenbrock step") && ROSENBROCK.contains(&integrator) => {
                ends.rosenbrock += 1;
                continue;
            }
            Err(e) => e.message,
        };
        println!("{what}: {refused}");
        ends.long += 1;
    }
}

#[test]
fn exact_gradients_agree_on_random_linkages() {
    let mut ends = Ends::default();
    for k in seeds(LINKAGES) {
        let Some(m) = regular(k) else {
            ends.redrawn += 1;
            continue;
        };
        Coordinates::ALL.iter().for_each(|&family| linkage_agrees(k, &m, family, &mut ends));
    }
    println!("{ends:?}");
    let runs = ends.kept + ends.changed;
    assert!(2 * ends.redrawn <= seeds(LINKAGES).count(), "most linkages are regular: {ends:?}");
    assert!(3 * ends.changed >= runs, "many runs choose rows again: {ends:?}");
    assert!(10 * ends.long <= runs, "most runs end: {ends:?}");
}

/// Three parallel cranks in joint coordinates: in a long step the rows that are kept pass a dependency that
/// the mechanism does not have, and the gradient is that of the other coordinates.
#[test]
fn a_dependency_between_two_nodes_is_no_singular_position() {
    let mut m = linkage(36);
    assert_eq!(m.name, "cranks");
    m.t_end = END.into();
    let method = Method::new("maggi", "dopri5").expect("registered").tolerance(1e-9, 1e-9);
    let gradients = [Coordinates::Natural, Coordinates::Relative0].map(|family| {
        let p = prepared(&m, family, family.name());
        let run = p.run(&method).unwrap_or_else(|e| panic!("{}: {e}", family.name()));
        assert!(run.singular.is_none() && !warned(&run), "{}: {:?}", family.name(), run.warnings);
        p.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}")).rows
    });
    let scales = vec![1.0; gradients[0][0].len()];
    let d = distance(&gradients[0], &gradients[1], &scales);
    assert!(d <= 1e-5, "gradients differ by {d:.1e}");
}

/// Are steps of any length exact, because angles are sums of coordinates?
fn exact(r: &Rotor, family: Coordinates) -> bool {
    match family {
        Coordinates::Natural => false,
        Coordinates::Cartesian => r.mechanism.dimension == 2,
        _ => true,
    }
}

/// A rotor with a method in a family of coordinates; false if it is refused.
fn rotor_turns(r: &Rotor, family: Coordinates, method: &Method, angle: f64, what: &str) -> bool {
    let h = angle / r.speed.abs();
    let mut m = r.mechanism.clone();
    m.t_end = (STEPS * h).into();
    let p = prepared(&m, family, what);
    let run = match p.run(&method.clone().step(h)) {
        Ok(run) => run,
        Err(e) => {
            let named = ["turns too far", "do not follow", "Newton stopped", "the equations are singular"];
            assert!(named.iter().any(|n| e.message.contains(n)), "{what}: {}", e.message);
            assert!(!exact(r, family), "{what}: {}", e.message);
            return false;
        }
    };

    // the angle to rounding; to the nearest turn where steps are short enough for points and unit vectors
    let exact = exact(r, family);
    let turned = r.start + r.speed * STEPS * h;
    let off = (run.psi[run.psi.len() - 1] - turned).abs();
    let most = if exact { 1e-11 * turned.abs() } else { PI };
    let low = method.integrator.order() < 3 || method.integrator.multistep();
    let resolved = angle <= RESOLVED[usize::from(low)];
    assert!(off <= most || (!exact && !resolved), "{what}: off by {off:.1e} of {turned}");

    // dop853 multiplies roundings of ω² by 43 and by h²
    let long = angle > 2.0 || method.formulation.position_level();
    let gradient = agree(&p, &run, if long { 1e-9 } else { 1e-10 }, what).unwrap_or_else(|e| panic!("{e}"));
    if exact {
        // dθ/dω = T
        let speed = p.model.parameters.iter().position(|p| p.name == "speed").expect("a parameter");
        let slope = gradient[run.psi.len() - 1][speed] / (STEPS * h);
        assert!((slope - 1.0).abs() <= 1e-8, "{what}: dθ/dω is {slope} T");
    }
    true
}

#[test]
fn random_rotors_turn_exactly_or_are_refused() {
    let mut refused = 0;
    let mut turned = 0;
    for k in seeds(ROTORS) {
        let r = rotor(k);
        for family in Coordinates::ALL {
            for (i, (formulation, integrator)) in turn(k, family).enumerate() {
                let angle = TURNS[(k as usize + i) % TURNS.len()];
                let method = Method { formulation, integrator, ..Method::default() };
                let names = [family.name(), formulation.name(), integrator.name()].join(" + ");
                let what = format!("rotor {k}, {names}, {angle} rad a step");
                *(if rotor_turns(&r, family, &method, angle, &what) { &mut turned } else { &mut refused }) +=
                    1;
            }
        }
    }
    println!("{turned} turned, {refused} refused");
    assert!(turned > 2 * refused, "{turned} turned, {refused} refused");
}

/// Adaptive steps resolve every rotor, in all coordinates.
#[test]
fn random_rotors_are_resolved_by_adaptive_steps() {
    let methods = [("index1", "dopri5"), ("maggi", "dop853"), ("maggi", "adams"), ("index1", "radau5")];
    for k in seeds(ROTORS) {
        let r = rotor(k);
        let turns = 40.0;
        let mut m = r.mechanism.clone();
        m.t_end = (turns / r.speed.abs()).into();
        let family = Coordinates::ALL[k as usize % 4];
        let (formulation, integrator) = methods[k as usize / 4 % 4];
        let what = format!("rotor {k}, {}, {formulation} + {integrator}", family.name());
        let method = Method::new(formulation, integrator).expect("registered").tolerance(1e-9, 1e-9);
        let p = prepared(&m, family, &what);
        let run = p.run(&method).unwrap_or_else(|e| panic!("{what}: {e}"));
        let off = (run.psi[run.psi.len() - 1] - r.start - r.speed.signum() * turns).abs();
        assert!(off <= 1e-5 * turns, "{what}: off by {off:.1e} of {turns}");
        agree(&p, &run, 1e-10, &what).unwrap_or_else(|e| panic!("{e}"));
    }
}
