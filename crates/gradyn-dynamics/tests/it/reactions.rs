//! Signs and sizes of reactions, efforts and element forces; Newton–Euler of single bodies; energy.
//!
//! ```text
//! m a_G = m g + f,   I θ̈ = τ + (r_P - r_G) × f   (f, τ) the reaction on the body at its point P    (1)
//! ```

use gradyn_dynamics::control::{Controller, Mesh};
use gradyn_dynamics::simulate::unobserved;
use gradyn_dynamics::tableau::DOPRI5;
use gradyn_dynamics::{Integrated, Lagrange, Newmark, RungeKutta, Scheme, StepRecipe, Trajectory, simulate};
use gradyn_model::mechanism::{
    About, Body, Driver, ForceKind, InitialVelocity, Joint, JointKind, Mechanism, Number, Quantity, Vector,
};
use gradyn_model::{FunctionalSet, Model};
use gradyn_testkit::models::{
    double_pendulum, five_bar, four_bar, pendulum, ready, rotor, slider_crank, ternary, trammel, welded,
};

const G: f64 = 9.81;

fn with_outputs(m: &Mechanism, expressions: &[&str]) -> Mechanism {
    let mut m = m.clone();
    m.outputs = expressions.iter().enumerate().map(|(i, e)| (format!("y{i}").into(), (*e).into())).collect();
    m
}

fn run<T: Clone + Into<StepRecipe>>(step: &T, model: &Model, p: &[f64], control: Controller) -> Trajectory {
    let (t0, t1) = (p[model.times.start as usize], p[model.times.end as usize]);
    let knots: Vec<f64> = model.splines.iter().flat_map(|s| s.knots(t0, t1)).collect();
    let mesh = Mesh::new((t0, None), &[], &knots, (t1, None)).expect("a mesh");
    simulate(&step.clone().into(), p, &model.angles, &mesh, &control, &mut unobserved)
        .unwrap_or_else(|e| panic!("{}: {e}", model.name))
}

/// Values of the outputs at record `n`.
fn measure(model: &Model, p: &[f64], run: &Trajectory, n: usize) -> Vec<f64> {
    let (sys, lay, t, x) = (&model.system, run.layout, run.plan.t[n], run.present(n));
    let mut terms = sys.evaluator(p);
    let mut out = vec![0.0; sys.functionals(FunctionalSet::Output)];
    terms.set_branches(&run.branches(n));
    terms.at(t, &x[..lay.n]);
    terms.measure(FunctionalSet::Output, &lay.node(t, x), &mut out);
    out.truncate(model.columns.len()); // the energy follows the columns
    out
}

/// Expressions at the start and at the end of an accurate run.
fn ends(m: &Mechanism, expressions: &[&str]) -> [Vec<f64>; 2] {
    let r = ready(&with_outputs(m, expressions));
    let step = RungeKutta {
        sys: r.model.system.clone(),
        f: Lagrange::ACCELERATION,
        state: Integrated::Full,
        freedoms: vec![],
        tableau: &DOPRI5,
    };
    let run = run(&step, &r.model, &r.p, Controller::adaptive(1e-11, 1e-11));
    [0, run.plan.steps()].map(|n| measure(&r.model, &r.p, &run, n))
}

fn start(m: &Mechanism, expressions: &[&str]) -> Vec<f64> {
    ends(m, expressions)[0].clone()
}

/// 1e-11: a few dozen operations and a factorisation.
fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-11 * b.abs().max(1.0), "{what}: {a} ≠ {b}");
}

fn all_close(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    a.iter().zip(b).for_each(|(x, y)| close(*x, *y, &format!("{what}: {a:?} ≠ {b:?}")));
}

fn conditions(m: &mut Mechanism, position: &[(&str, &str)], velocity: &[(&str, &str)]) {
    let pairs = |l: &[(&str, &str)]| {
        l.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect::<Vec<(Number, Number)>>()
    };
    m.initial.position = pairs(position);
    m.initial.velocity = InitialVelocity::Conditions(pairs(velocity));
}

fn weighted(name: &str) -> Mechanism {
    let mut m = Mechanism::new(name);
    m.gravity = [0.0, -G].into();
    m.t_end = 0.3.into();
    m.ground_point("O", [0.0, 0.0]);
    m
}

/// A bar of mass 2 kg, 1.5 m long, its centre in the middle.
fn bar() -> Body {
    Body::new("bar").mass(2.0).com([0.75, 0.0]).inertia(0.375).point("A", [0.0, 0.0]).point("B", [1.5, 0.0])
}

/// A bar that hangs still: the ground carries its weight. Reversed, the bar pulls the ground down.
#[test]
fn hanging_bar_is_carried_by_its_pin() {
    for (between, sign) in [(["ground.O", "bar.A"], 1.0), (["bar.A", "ground.O"], -1.0)] {
        let mut m = weighted("hanging bar");
        m.body(bar()).joint(Joint::revolute("pin", between[0], between[1]));
        conditions(&mut m, &[("bar.angle", "-90 deg")], &[("bar.angle", "0")]);
        let y = start(&m, &["pin.reaction.x", "pin.reaction.y", "pin.torque", "norm(pin.reaction)"]);
        all_close(&y, &[0.0, sign * 2.0 * G, 0.0, 2.0 * G], "pin");
    }
}

/// A cantilever: the wall's torque on the bar is + m g L/2; on the wall, about its own point, the opposite.
#[test]
fn cantilever_is_held_by_a_torque() {
    for (between, angle, sign) in [(["ground.O", "bar.A"], 0.4, 1.0), (["bar.A", "ground.O"], -0.4, -1.0)] {
        let mut m = weighted("cantilever");
        m.body(bar()).joint(Joint::new(
            "wall",
            JointKind::Fixed { angle: angle.into() },
            between[0],
            between[1],
        ));
        let y = start(&m, &["wall.reaction.x", "wall.reaction.y", "wall.torque", "bar.angle"]);
        all_close(&y, &[0.0, sign * 2.0 * G, sign * 2.0 * G * 0.75 * 0.4f64.cos(), 0.4], "wall");
    }
}

/// A cable carries the weight: its reaction on the body points to the other end.
#[test]
fn cable_pulls() {
    for (between, sign) in [(["ground.O", "bar.A"], 1.0), (["bar.A", "ground.O"], -1.0)] {
        let mut m = weighted("cable");
        m.body(bar()).joint(Joint::new(
            "cable",
            JointKind::Distance { length: 0.8.into() },
            between[0],
            between[1],
        ));
        conditions(
            &mut m,
            &[("bar.A.x", "0"), ("bar.angle", "-90 deg")],
            &[("bar.A.x", "0"), ("bar.angle", "0")],
        );
        m.initial.near = vec![("bar.A".into(), [0.1, -0.7].into())];
        let y = start(&m, &["bar.A.y", "cable.reaction.x", "cable.reaction.y", "cable.torque"]);
        all_close(&y, &[-0.8, 0.0, sign * 2.0 * G, 0.0], "cable");
    }
}

/// A slider on an inclined guide: normal force m g cos α, torque about its point from the eccentric centre of
/// mass.
#[test]
fn guide_carries_the_normal_force_and_the_moment() {
    let α = 0.3f64;
    let mut m = weighted("guide");
    m.body(Body::new("block").mass(2.0).com([0.2, 0.0]).inertia(0.1).point("P", [0.0, 0.0]));
    let axis: Option<Vector> = Some([3.0 * α.cos(), 3.0 * α.sin()].into());
    m.joint(Joint {
        axes: [axis, None],
        ..Joint::new("guide", JointKind::Prismatic { angle: α.into() }, "ground.O", "block.P")
    });
    conditions(&mut m, &[("block.P.x", "0.1")], &[("block.P.x", "0.7")]);
    let y =
        start(&m, &["guide.reaction.x", "guide.reaction.y", "guide.torque", "acc(block.P.x)", "block.angle"]);
    let n = 2.0 * G * α.cos();
    // the force acts in P, the centre of mass 0.2 m along the guide: 0 = τ + (r_P - r_G) × f
    let expected = [-n * α.sin(), n * α.cos(), 0.2 * n, -G * α.sin() * α.cos(), α];
    all_close(&y, &expected, "guide");
}

/// A point on a line carries only the normal force.
#[test]
fn line_carries_the_normal_force() {
    let mut m = weighted("line");
    m.body(Body::new("block").mass(2.0).inertia(0.1).point("P", [0.0, 0.0]));
    m.joint(Joint::new("line", JointKind::PointOnLine, "ground.O", "block.P"));
    conditions(
        &mut m,
        &[("block.P.x", "0.1"), ("block.angle", "0.2")],
        &[("block.P.x", "1"), ("block.angle", "2")],
    );
    let y = start(&m, &["line.reaction.x", "line.reaction.y", "line.torque", "acc(block.angle)"]);
    all_close(&y, &[0.0, 2.0 * G, 0.0, 0.0], "line");
}

fn joints() -> Vec<(&'static str, JointKind, Vec<&'static str>)> {
    vec![
        ("revolute", JointKind::Revolute, vec!["b.angle"]),
        ("fixed", JointKind::Fixed { angle: 0.3.into() }, vec![]),
        ("prismatic", JointKind::Prismatic { angle: 0.3.into() }, vec!["distance(a.S, b.S)"]),
        ("distance", JointKind::Distance { length: 0.5.into() }, vec!["b.S.x", "b.angle"]),
        ("line", JointKind::PointOnLine, vec!["distance(a.S, b.S)", "b.angle"]),
    ]
}

/// (1) on a body that moves on a moving one, for every joint, both ways round.
#[test]
fn reactions_accelerate_the_body() {
    for (name, kind, free) in joints() {
        for swapped in [false, true] {
            let mut m = weighted(name);
            m.body(
                Body::new("a")
                    .mass(1.5)
                    .com([0.2, 0.1])
                    .inertia(0.2)
                    .point("A", [0.0, 0.0])
                    .point("S", [0.3, 0.2]),
            );
            m.body(Body::new("b").mass(0.8).com([0.1, -0.2]).inertia(0.05).point("S", [0.15, 0.05]));
            m.joint(Joint::revolute("pin", "ground.O", "a.A"));
            let between = if swapped { ["b.S", "a.S"] } else { ["a.S", "b.S"] };
            let axes = [Some(Vector::from([1.0, 2.0])), None];
            m.joint(Joint { axes, ..Joint::new("j", kind.clone(), between[0], between[1]) });
            let (mut position, mut velocity) = (vec![("a.angle", "0.7")], vec![("a.angle", "1.1")]);
            for &f in &free {
                let value = if f == "b.angle" {
                    "0.9"
                } else if f == "b.S.x" {
                    "0.4"
                } else {
                    "0.5"
                };
                position.push((f, value));
                velocity.push((f, "-0.6"));
            }
            conditions(&mut m, &position, &velocity);
            m.initial.near = vec![("b.S".into(), [0.35, 0.8].into())];
            // swapped: (reaction, torque) act on a at a.S, so the opposite acts on b there
            let (s, point) = if swapped { (-1.0, "a.S") } else { (1.0, "b.S") };
            let moment = format!("{s} * (j.torque + cross({point} - b.com, j.reaction))");
            let list = [
                "0.8 * acc(b.com.x)",
                &format!("{s} * j.reaction.x"),
                "0.8 * acc(b.com.y) + 0.8 * 9.81",
                &format!("{s} * j.reaction.y"),
                "0.05 * acc(b.angle)",
                &moment,
            ];
            // at the end |u| = 1 to the tolerance of the run only
            for (y, tolerance) in ends(&m, &list).iter().zip([1e-12, 1e-9]) {
                for k in [0, 2, 4] {
                    let what = format!("{name}, swapped {swapped}, {}: {} ≠ {}", list[k], y[k], y[k + 1]);
                    assert!((y[k] - y[k + 1]).abs() <= tolerance * y[k].abs().max(1.0), "{what}");
                }
            }
        }
    }
}

fn drive(m: &mut Mechanism, name: &str, quantity: Quantity, value: &str) {
    m.drivers.push(Driver { name: name.into(), quantity, value: value.into() });
}

/// A mass that is lifted: m (g + ÿ) and m ẍ; the angle driver holds the eccentric centre of mass.
#[test]
fn coordinate_drivers_lift_a_mass() {
    let mut m = weighted("lift");
    m.body(Body::new("load").mass(3.0).com([0.2, 0.0]).inertia(0.1).point("P", [0.0, 0.0]));
    drive(&mut m, "lift", Quantity::Coordinate("load.P.y".into()), "1 + 0.2 * t + 0.7 * t^2");
    drive(&mut m, "shift", Quantity::Coordinate("load.P.x".into()), "-0.4 * t^2");
    drive(&mut m, "hold", Quantity::Angle("ground".into(), "load".into()), "0");
    for y in ends(&m, &["lift.effort", "shift.effort", "hold.effort", "vel(load.P.y) - 0.2 - 1.4 * t"]) {
        all_close(&y, &[3.0 * (G + 1.4), -3.0 * 0.8, 0.2 * 3.0 * (G + 1.4), 0.0], "efforts");
    }
}

/// The effort of an angle driver is I_A θ̈ + m g L/2 cos θ, at any number of turns; between two bodies the
/// frame of body 1 counts.
#[test]
fn angle_driver_applies_the_torque() {
    let mut m = weighted("motor");
    m.body(bar()).joint(Joint::revolute("pin", "ground.O", "bar.A"));
    drive(&mut m, "motor", Quantity::Angle("ground".into(), "bar".into()), "7 + 2 * t + 3 * t^2");
    let torque = "(0.375 + 2 * 0.75^2) * 6 + 2 * 9.81 * 0.75 * cos(bar.angle)";
    for (y, t) in ends(&m, &["motor.effort", torque, "bar.angle"]).iter().zip([0.0, 0.3]) {
        close(y[0], y[1], "motor");
        // the branch is the one nearest to the drawn configuration
        let turns = (y[2] - (7.0 + 2.0 * t + 3.0 * t * t)) / std::f64::consts::TAU;
        close(turns, turns.round(), "angle");
    }
    let mut m = weighted("motor, reversed");
    m.body(bar()).joint(Joint::revolute("pin", "ground.O", "bar.A"));
    drive(&mut m, "motor", Quantity::Angle("bar".into(), "ground".into()), "-(0.3 + 2 * t + 3 * t^2)");
    for y in ends(&m, &["-motor.effort", torque, "vel(bar.angle) - 2 - 6 * t"]) {
        all_close(&[y[0], y[2]], &[y[1], 0.0], "reversed motor");
    }
}

/// A rope that is paid out: the driver pushes along the distance with -m (g - ℓ̈).
#[test]
fn distance_driver_holds_a_rope() {
    let mut m = weighted("rope");
    m.body(Body::new("load").mass(3.0).inertia(0.1).point("P", [0.0, 0.0]));
    drive(&mut m, "rope", Quantity::Distance("ground.O".into(), "load.P".into()), "1 + 0.6 * t^2");
    conditions(&mut m, &[("load.P.x", "0"), ("load.angle", "0")], &[("load.P.x", "0"), ("load.angle", "0")]);
    m.initial.near = vec![("load.P".into(), [0.0, -1.1].into())];
    for y in ends(&m, &["rope.effort", "acc(load.P.y)"]) {
        all_close(&y, &[-3.0 * (G - 1.2), -1.2], "rope");
    }
}

/// Tension is positive where the spring is long; the ends are pulled together.
#[test]
fn element_forces_have_their_signs() {
    let mut m = weighted("spring");
    m.gravity = [0.0, 0.0].into();
    m.body(Body::new("load").mass(2.0).inertia(0.5).point("P", [0.0, 0.0]));
    let between = ["ground.O".into(), "load.P".into()];
    let (stiffness, damping, length) = (10.0.into(), 3.0.into(), 0.6.into());
    m.force(
        "s",
        ForceKind::SpringDamper {
            between,
            stiffness,
            damping,
            length,
            force: Some("0.5 * length + speed^3".into()),
        },
    );
    let between = ["ground".into(), "load".into()];
    let (stiffness, damping, angle) = (4.0.into(), 0.2.into(), 0.1.into());
    m.force(
        "c",
        ForceKind::Torsion {
            about: About::Bodies(between),
            stiffness,
            damping,
            angle,
            torque: Some("angle^2".into()),
        },
    );
    m.force(
        "w",
        ForceKind::Torque {
            on: "load".into(),
            reaction: "ground".into(),
            torque: vec!["0.3 + t".into()],
            frame: None,
        },
    );
    m.force("f", ForceKind::Point { at: "load.P".into(), force: ["0.7", "-0.2"].into(), frame: None });
    let position = [("load.P.x", "1"), ("load.P.y", "0"), ("load.angle", "0.4")];
    conditions(&mut m, &position, &[("load.P.x", "0.5"), ("load.P.y", "0"), ("load.angle", "-2")]);
    m.initial.near = vec![("load.P".into(), [0.9, 0.1].into())];
    let list = [
        "s.force",
        "s.length",
        "s.speed",
        "c.torque",
        "c.angle",
        "c.speed",
        "w.torque",
        "f.force.x",
        "f.force.y",
        "2 * acc(load.P.x)",
        "2 * acc(load.P.y)",
        "0.5 * acc(load.angle)",
    ];
    let y = start(&m, &list);
    let tension = 10.0 * 0.4 + 3.0 * 0.5 + 0.5 + 0.125;
    let torque = 4.0 * 0.3 - 0.2 * 2.0 + 0.16;
    let expected = [tension, 1.0, 0.5, torque, 0.4, -2.0, 0.3, 0.7, -0.2, 0.7 - tension, -0.2, 0.3 - torque];
    all_close(&y, &expected, "forces");
}

/// E at the end = E at the start, without dampers, drivers and expressions.
#[test]
fn energy_is_conserved() {
    for mut m in
        [pendulum(), double_pendulum(), five_bar(), four_bar(), trammel(), welded(), rotor(), ternary()]
    {
        m.forces.retain(|f| matches!(f.kind, ForceKind::SpringDamper { .. } | ForceKind::Torsion { .. }));
        for f in &mut m.forces {
            match &mut f.kind {
                ForceKind::SpringDamper { damping, force, .. } => (*damping, *force) = (0.0.into(), None),
                ForceKind::Torsion { damping, torque, .. } => (*damping, *torque) = (0.0.into(), None),
                _ => unreachable!("only springs are left"),
            }
        }
        m.objectives.clear();
        let [before, after] = ends(&m, &["system.energy", "system.kinetic", "system.potential"]);
        close(before[0], before[1] + before[2], &m.name);
        assert!((after[1] - before[1]).abs() > 1e-3, "{}: something moves", m.name);
        // 1e-8: tolerance 1e-11 times some hundred steps times energies of size 10
        assert!((after[0] - before[0]).abs() < 1e-8, "{}: {} → {}", m.name, before[0], after[0]);
    }
}

/// Ė = effort × rate of the driver: ∫ P dt = ΔE on the slider-crank without its damper.
#[test]
fn effort_has_the_power_that_the_energy_gains() {
    let mut m = slider_crank();
    let ForceKind::SpringDamper { damping, force, .. } = &mut m.forces[0].kind else { panic!("a spring") };
    (*damping, *force) = (0.0.into(), None);
    m.objectives.clear();
    m.integral("work", "motor.effort * vel(crank.angle)");
    let r = ready(&with_outputs(&m, &["system.energy"]));
    let step = RungeKutta {
        sys: r.model.system.clone(),
        f: Lagrange::ACCELERATION,
        state: Integrated::Full,
        freedoms: vec![],
        tableau: &DOPRI5,
    };
    let run = run(&step, &r.model, &r.p, Controller::adaptive(1e-11, 1e-11));
    let gain = measure(&r.model, &r.p, &run, run.plan.steps())[0] - measure(&r.model, &r.p, &run, 0)[0];
    let work = run.last()[run.layout.z()];
    assert!(gain.abs() > 0.1 && (work - gain).abs() < 1e-8, "{work} ≠ {gain}");
}

/// The same λ from every formulation, as α → ∞ and h → 0: reactions at the end of a run of Newmark (index 1,
/// penalty).
#[test]
fn formulations_agree_on_reactions() {
    let list = ["pin.reaction.x", "pin.reaction.y"];
    let truth = ends(&pendulum(), &list)[1].clone();
    let r = ready(&with_outputs(&pendulum(), &list));
    for (law, f) in [("index 1", Lagrange::index1(1.0, 10.0)), ("penalty", Lagrange::penalty(1e9, 1.0, 10.0))]
    {
        let step = Newmark::new(&r.model.system, f, Scheme::TRAPEZOIDAL);
        let run = run(&step, &r.model, &r.p, Controller::fixed(1e-3));
        let y = measure(&r.model, &r.p, &run, run.plan.steps());
        // 1e-4: second order with an error of 5e-4 at h = 2.5e-3
        (0..2).for_each(|i| assert!((y[i] - truth[i]).abs() < 2e-4, "{law}: {y:?} ≠ {truth:?}"));
    }
}
