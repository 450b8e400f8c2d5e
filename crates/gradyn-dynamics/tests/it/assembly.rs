//! Assembly: what it finds, and what it says about mechanisms that cannot be assembled or determined.

use gradyn_dynamics::assembly::{Assembled, assemble};
use gradyn_dynamics::tableau::DOPRI5;
use gradyn_dynamics::{Frozen, Integrated, Lagrange, RungeKutta, Span, StepError, StepRecipe};
use gradyn_model::mechanism::{
    Body, Driver, ForceKind, InitialVelocity, Joint, JointKind, Mechanism, Quantity,
};
use gradyn_model::{At, build};
use gradyn_testkit::models::{all, double_pendulum, four_bar, pendulum, ready};

fn attempt(m: &Mechanism) -> Result<Assembled, StepError> {
    let model = build(m).unwrap_or_else(|e| panic!("{}: {e}", m.name));
    let p = model.slots(&model.rho());
    let names = [&model.conditions.0, &model.conditions.1]
        .map(|c| c.iter().map(|t| t.text.clone()).collect::<Vec<_>>());
    assemble(&model.system, p[model.times.start as usize], &p, &model.angles, (&names[0], Some(&names[1])))
}

fn failure(m: &Mechanism) -> StepError {
    attempt(m).err().unwrap_or_else(|| panic!("{} was assembled", m.name))
}

/// Redundant rows and what they follow from, by name.
fn redundant(m: &Mechanism) -> Vec<(String, Vec<String>)> {
    let names = build(m)
        .unwrap_or_else(|e| panic!("{}: {e}", m.name))
        .system
        .row_names()
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>();
    let found = attempt(m).unwrap_or_else(|e| panic!("{}: {e}", m.name)).redundant;
    found.iter().map(|r| (names[r.row].clone(), r.on.iter().map(|o| names[o.0].clone()).collect())).collect()
}

/// Every model: Φ = 0 to rounding, as many freedoms as conditions, regular; record 0 of a step starts from
/// there.
#[test]
fn every_model_is_assembled() {
    for (name, m) in all() {
        let (a, r) = (attempt(&m).unwrap_or_else(|e| panic!("{name}: {e}")), ready(&m));
        let (sys, dims) = (&r.model.system, r.model.system.dims());
        assert_eq!(a.freedom, dims.n - dims.m, "{name}");
        assert!(a.residual < 1e-13, "{name}: {:.1e}", a.residual);
        assert!(a.condition > 1e-3, "{name}: {:.1e}", a.condition);
        // the step's own record 0 is the same configuration
        let step = RungeKutta {
            sys: sys.clone(),
            f: Lagrange::ACCELERATION,
            state: Integrated::Full,
            freedoms: vec![],
            tableau: &DOPRI5,
        };
        let recipe = StepRecipe::from(step);
        let mut chain = recipe.chain(&r.p).expect("memory");
        let mut x = vec![0.0; recipe.layout().len];
        let t = r.p[r.model.times.start as usize];
        chain
            .advance(
                Span { t, h: 0.0 },
                Frozen {
                    branches: &r.model.angles,
                    choice: &[],
                    rows: None,
                    before: &[],
                    ..Frozen::default()
                },
                &[],
                &mut x,
            )
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        (0..dims.n).for_each(|i| {
            assert!((x[i] - a.q[i]).abs() < 1e-10, "{name}: {} differs", sys.coordinate_name(i))
        });
        // and its velocities satisfy Φ̇ = 0, its accelerations Φ̈ = 0
        let mut terms = sys.evaluator(&r.p);
        terms.set_branches(&r.model.angles);
        terms.at(t, &x[..dims.n]);
        for c in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let mut out = vec![0.0; dims.m];
            terms.constraint(&At::of(t, &x, dims.n, dims.m), c, &mut out);
            let scale = x[..3 * dims.n].iter().fold(1.0f64, |s, x| s.max(x * x));
            assert!(out.iter().all(|o| o.abs() < 1e-13 * scale), "{name}, {c:?}: {out:?}");
        }
    }
}

/// `near` picks the branch.
#[test]
fn near_picks_the_branch() {
    let mut m = Mechanism::new("two bars");
    m.ground_point("A", [0.0, 0.0]).ground_point("B", [1.0, 0.0]);
    m.body(Body::new("a").mass(1.0).rod("A", "P", 0.8)).body(Body::new("b").mass(1.0).rod("P", "B", 0.7));
    m.joint(Joint::revolute("JA", "ground.A", "a.A")).joint(Joint::revolute("JP", "a.P", "b.P"));
    m.joint(Joint::revolute("JB", "b.B", "ground.B"));
    for side in [1.0, -1.0] {
        m.initial.near = vec![("a.P".into(), [0.5, 0.5 * side].into())];
        let a = attempt(&m).expect("a triangle");
        assert_eq!(a.freedom, 0);
        assert!(a.q[1] * side > 0.1, "{:?}", a.q);
        assert!((a.q[0].hypot(a.q[1]) - 0.8).abs() < 1e-13);
    }
}

/// A loop whose bars are too short: the worst row is one of its bars.
#[test]
fn open_loop_is_reported_by_name() {
    let mut m = Mechanism::new("open loop");
    m.ground_point("A", [0.0, 0.0]).ground_point("B", [3.0, 0.0]);
    m.body(Body::new("left").mass(1.0).rod("A", "P", 1.0))
        .body(Body::new("right").mass(1.0).rod("P", "B", 1.0));
    m.joint(Joint::revolute("JA", "ground.A", "left.A")).joint(Joint::revolute("JP", "left.P", "right.P"));
    m.joint(Joint::revolute("JB", "right.B", "ground.B"));
    let e = failure(&m);
    let StepError::Assembly { worst, residual } = &e else { panic!("{e}") };
    assert!(["left (rigid)", "right (rigid)"].contains(&worst.as_str()), "{e}");
    assert!(*residual > 0.1, "{e}");
}

/// A condition that no configuration meets is named.
#[test]
fn impossible_condition_is_reported_by_name() {
    let mut m = double_pendulum();
    m.initial.position =
        vec![("bar1.angle".into(), 0.3.into()), ("distance(ground.O, bar2.C)".into(), 2.0.into())];
    m.initial.velocity = InitialVelocity::Rest;
    let e = failure(&m);
    assert!(matches!(&e, StepError::Assembly { .. }), "{e}");
    let text = e.to_string();
    assert!(text.contains("distance(ground.O, bar2.C)") || text.contains("(rigid)"), "{text}");
}

/// A parallelogram with a third parallel bar: one row too many, and the bars are named.
#[test]
fn parallelogram_with_an_extra_bar_is_redundant() {
    let mut m = Mechanism::new("parallelogram");
    let coupler = Body::new("coupler").mass(1.0).inertia(0.1);
    m.body(coupler.point("P0", [0.0, 0.0]).point("P1", [1.0, 0.0]).point("P2", [2.0, 0.0]));
    for k in 0..3 {
        let (bar, point) = (format!("bar{k}"), format!("P{k}"));
        m.ground_point(&format!("A{k}"), [k as f64, 0.0]);
        m.body(Body::new(&bar).mass(1.0).rod("A", "P", 0.5));
        m.joint(Joint::revolute(&format!("J{k}"), &format!("ground.A{k}"), &format!("{bar}.A")));
        m.joint(Joint::revolute(&format!("K{k}"), &format!("{bar}.P"), &format!("coupler.{point}")));
    }
    m.initial.position = vec![("bar0.angle".into(), "70 deg".into())];
    let rows = redundant(&m);
    assert_eq!(rows.len(), 1, "{rows:?}");
    let mut named: Vec<&str> = rows[0].1.iter().map(String::as_str).chain([rows[0].0.as_str()]).collect();
    named.sort_unstable();
    // the bars always; the coupler and its third pin as well, where they are part of the combination
    (0..3).for_each(|k| assert!(named.contains(&format!("bar{k} (rigid)").as_str()), "{rows:?}"));
    let known = |n: &str| n.starts_with("bar") || n.starts_with("coupler") || n.starts_with('K');
    assert!(named.iter().all(|n| known(n)), "{rows:?}");
    // without the third bar it moves
    m.bodies.pop();
    m.joints.truncate(4);
    assert_eq!(attempt(&m).expect("a parallelogram").freedom, 1);
}

/// Two pins between the same bodies.
#[test]
fn two_pins_between_two_bodies_are_redundant() {
    let mut m = Mechanism::new("two pins");
    m.ground_point("O", [0.0, 0.0]);
    for name in ["a", "b"] {
        m.body(Body::new(name).mass(1.0).inertia(0.1).point("P", [0.0, 0.0]).point("Q", [1.0, 0.0]));
    }
    m.joint(Joint::revolute("JP", "a.P", "b.P")).joint(Joint::revolute("JQ", "a.Q", "b.Q"));
    m.joint(Joint::revolute("O", "ground.O", "a.P"));
    m.initial.position = vec![("a.angle".into(), 0.2.into())];
    assert_eq!(redundant(&m), [("b (rigid)".to_owned(), vec!["a (rigid)".to_owned()])]);
}

/// A driver on what is already held.
#[test]
fn driver_of_a_held_coordinate_is_redundant() {
    let mut m = pendulum();
    m.initial.position.clear();
    m.initial.velocity = InitialVelocity::Rest;
    for (name, value) in [("first", "0.3 + t"), ("second", "0.3 + t")] {
        let quantity = Quantity::Angle("ground".into(), "bar".into());
        m.drivers.push(Driver { name: name.into(), quantity, value: value.into() });
    }
    assert_eq!(redundant(&m), [("second (driver)".to_owned(), vec!["first (driver)".to_owned()])]);
    // the same position, another speed
    m.drivers[1].value = "0.3 + 2*t".into();
    let e = failure(&m);
    assert!(
        matches!(&e, StepError::Inconsistent { .. })
            && e.to_string().contains("`second (driver)` follows from"),
        "{e}"
    );
}

/// Too few position conditions: what is free is named, and nothing that is held.
#[test]
fn missing_conditions_name_what_is_free() {
    let mut m = double_pendulum();
    m.initial.position.pop();
    let e = failure(&m);
    let StepError::Conditions { kind: "position", given: 1, freedom: 2, hint, .. } = &e else {
        panic!("{e}")
    };
    assert!(hint.contains("bar2.C.x") || hint.contains("bar2.C.y"), "{e}");
    assert!(!hint.contains("bar1"), "bar 1 is held by its angle: {e}");
    // velocities are counted as well
    let mut m = double_pendulum();
    m.initial.velocity = InitialVelocity::Conditions(vec![("bar1.angle".into(), 0.0.into())]);
    let e = failure(&m);
    assert!(matches!(&e, StepError::Conditions { kind: "velocity", given: 1, freedom: 2, .. }), "{e}");
    // what is free in velocity: not bar 1, whose rate is given
    let StepError::Conditions { hint, .. } = &e else { unreachable!() };
    assert!(hint.contains("bar2.C"), "the free velocity is named: {e}");
}

/// Too many: those that are given are listed.
#[test]
fn surplus_conditions_are_listed() {
    let mut m = pendulum();
    m.initial.position.push(("bar.B.x".into(), "xO + L * cos(theta)".into()));
    let e = failure(&m);
    let StepError::Conditions { kind: "position", given: 2, freedom: 1, hint, .. } = &e else {
        panic!("{e}")
    };
    assert!(hint.contains("`bar.angle`") && hint.contains("`bar.B.x`"), "{e}");
    let mut m = pendulum();
    m.initial.velocity =
        InitialVelocity::Conditions(vec![("bar.angle".into(), 0.0.into()), ("bar.B.x".into(), 0.0.into())]);
    let e = failure(&m);
    assert!(matches!(&e, StepError::Conditions { kind: "velocity", given: 2, freedom: 1, .. }), "{e}");
}

/// As many conditions as freedoms, but two that say the same.
#[test]
fn dependent_conditions_are_named() {
    let mut m = double_pendulum();
    m.initial.position =
        vec![("bar1.angle".into(), "theta1".into()), ("bar1.B.x".into(), "L1 * cos(theta1)".into())];
    m.initial.velocity = InitialVelocity::Conditions(vec![
        ("bar1.angle".into(), 0.0.into()),
        ("bar2.angle".into(), 0.0.into()),
    ]);
    let e = failure(&m);
    let StepError::Undetermined { kind: "position", equation } = &e else { panic!("{e}") };
    assert!(["bar1.angle", "bar1.B.x"].contains(&equation.as_str()), "{e}");
}

/// The same for velocities.
#[test]
fn dependent_velocity_conditions_are_named() {
    let mut m = double_pendulum();
    m.initial.velocity =
        InitialVelocity::Conditions(vec![("bar1.angle".into(), 0.3.into()), ("bar1.B.x".into(), 0.1.into())]);
    let e = failure(&m);
    let StepError::Undetermined { kind: "velocity", equation } = &e else { panic!("{e}") };
    assert!(["bar1.angle", "bar1.B.x"].contains(&equation.as_str()), "{e}");
}

/// A vector condition counts twice.
#[test]
fn vector_conditions_count_their_components() {
    let mut m = Mechanism::new("free");
    m.body(Body::new("b").mass(1.0).inertia(1.0).point("P", [0.1, 0.2]));
    m.initial.position = vec![("b.P".into(), "[1, 2]".into())];
    let e = failure(&m);
    assert!(matches!(&e, StepError::Conditions { kind: "position", given: 2, freedom: 3, .. }), "{e}");
    m.initial.position.push(("b.angle".into(), "2.5 * pi".into()));
    let a = attempt(&m).expect("three conditions");
    assert!((a.q[0] - 1.0).abs() < 1e-13 && (a.q[1] - 2.0).abs() < 1e-13 && a.q[2].abs() < 1e-13);
}

/// A relative angle beyond half a turn is as good a condition as one within it.
#[test]
fn relative_angles_may_exceed_half_a_turn() {
    for (angle, what) in [(0.5, "small"), (4.0, "beyond π"), (-7.0, "beyond a turn")] {
        let mut m = double_pendulum();
        m.initial.position =
            vec![("bar1.angle".into(), "0.2".into()), ("angle(bar1, bar2)".into(), angle.into())];
        let a = attempt(&m).unwrap_or_else(|e| panic!("{what}: {e}"));
        let d = (a.q[3] - a.q[1]).atan2(a.q[2] - a.q[0]);
        assert!((d.sin() - (0.2 + angle).sin()).abs() < 1e-12, "{what}: {d}");
    }
}

/// Record 0 of DOPRI5.
fn record_0(m: &Mechanism) -> Result<Vec<f64>, StepError> {
    let r = ready(m);
    let step = RungeKutta {
        sys: r.model.system.clone(),
        f: Lagrange::ACCELERATION,
        state: Integrated::Full,
        freedoms: vec![],
        tableau: &DOPRI5,
    };
    let recipe = StepRecipe::from(step);
    let mut chain = recipe.chain(&r.p)?;
    let mut x = vec![0.0; recipe.layout().len];
    chain.advance(
        Span { t: 0.0, h: 0.0 },
        Frozen { branches: &r.model.angles, choice: &[], rows: None, before: &[], ..Frozen::default() },
        &[],
        &mut x,
    )?;
    Ok(x)
}

/// A body that is drawn with its spring's ends on one point: the force is undefined there, not at the start
/// that is asked for.
#[test]
fn record_0_does_not_keep_what_the_drawn_configuration_gives() {
    let mut m = Mechanism::new("drawn on its anchor");
    m.ground_point("O", [0.0, 0.0]);
    m.body(Body::new("load").mass(2.0).inertia(0.5).point("P", [0.0, 0.0]));
    let between = ["ground.O".into(), "load.P".into()];
    let (stiffness, damping, length) = (10.0.into(), 0.0.into(), 0.6.into());
    m.force("s", ForceKind::SpringDamper { between, stiffness, damping, length, force: None });
    let position = [("load.P.x", 1.0), ("load.P.y", 0.0), ("load.angle", 0.4)];
    m.initial.position = position.iter().map(|(n, x)| ((*n).into(), (*x).into())).collect();
    let x = record_0(&m).unwrap_or_else(|e| panic!("{e}"));
    assert!(x.iter().all(|x| x.is_finite()), "record 0 is accepted with {:?}", &x[..13]);
    assert!((x[8] + 2.0).abs() < 1e-13, "a = -k (ℓ - ℓ₀)/m: {}", x[8]);
}

/// A structure that does not move: accelerations of zero are found like any others.
#[test]
fn record_0_of_a_structure_at_rest_converges() {
    let mut m = Mechanism::new("cantilever");
    m.gravity = [0.0, -9.81].into();
    m.ground_point("O", [0.0, 0.0]);
    m.body(Body::new("bar").mass(2.0).com([0.75, 0.0]).inertia(0.375).point("A", [0.0, 0.0]));
    m.joint(Joint::new("wall", JointKind::Fixed { angle: 0.4.into() }, "ground.O", "bar.A"));
    let x = record_0(&m).unwrap_or_else(|e| panic!("{e}"));
    assert!(x[8..12].iter().all(|a| a.abs() < 1e-13), "{x:?}");
}

/// A force that is not a number at the start is an error, not a record.
#[test]
fn record_0_is_never_accepted_with_nan() {
    let mut m = pendulum();
    m.force("f", ForceKind::Point { at: "bar.B".into(), force: ["sqrt(t - 1)", "0"].into(), frame: None });
    let e = record_0(&m).map(|x| x[..15].to_vec());
    assert!(matches!(&e, Err(StepError::NotFinite { .. })), "{e:?}");
}

/// The start is a configuration of zero speed where the model says `rest`.
#[test]
fn rest_is_zero_velocity() {
    let mut m = four_bar();
    m.initial.velocity = InitialVelocity::Rest;
    let (x, n) = (record_0(&m).expect("a start"), ready(&m).model.system.dims().n);
    assert!(x[n..2 * n].iter().all(|v| v.abs() < 1e-14));
    assert!(x[2 * n..3 * n].iter().any(|a| a.abs() > 0.1), "gravity acts");
}

/// A joint between two points of the ground frame that are apart cannot be closed by a body of no extent.
#[test]
fn point_on_two_ground_points_is_reported() {
    let mut m = Mechanism::new("two places");
    m.ground_point("A", [0.0, 0.0]).ground_point("B", [1.0, 0.0]);
    m.body(Body::new("b").mass(1.0).inertia(1.0).point("P", [0.0, 0.0]).point("Q", [0.5, 0.0]));
    m.joint(Joint::revolute("JA", "ground.A", "b.P")).joint(Joint::revolute("JB", "ground.B", "b.P"));
    m.initial.position = vec![("b.angle".into(), 0.0.into())];
    let e = failure(&m);
    let StepError::Assembly { worst, residual } = &e else { panic!("{e}") };
    assert!(worst.starts_with("JB") && (*residual - 1.0).abs() < 1e-6, "{e}");
}

/// A fixed joint and a distance joint that repeats it.
#[test]
fn distance_within_a_weld_is_redundant() {
    let mut m = Mechanism::new("weld and cable");
    m.ground_point("O", [0.0, 0.0]);
    m.body(Body::new("a").mass(1.0).inertia(0.1).point("P", [0.0, 0.0]).point("W", [1.0, 0.0]));
    m.body(Body::new("b").mass(1.0).inertia(0.1).point("W", [0.0, 0.0]).point("E", [0.0, 1.0]));
    m.joint(Joint::new("weld", JointKind::Fixed { angle: 0.0.into() }, "a.W", "b.W"));
    m.joint(Joint::revolute("pin", "ground.O", "a.P"));
    m.joint(Joint::new("cable", JointKind::Distance { length: "sqrt(2)".into() }, "a.P", "b.E"));
    m.initial.position = vec![("a.angle".into(), 0.4.into())];
    let rows = redundant(&m);
    assert!(rows.len() == 1 && format!("{rows:?}").contains("cable (distance)"), "{rows:?}");
}
