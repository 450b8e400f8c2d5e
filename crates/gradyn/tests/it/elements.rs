//! Every element that is registered: coverage, degrees of freedom, signs of reactions, power, momentum,
//! gradients.
//!
//! ```text
//! ṗ_b = f,   L̇_b = τ + r_Q × f      f, τ: reaction on body b at Q, nothing else acts               (1)
//! Qᵀ v = Σ power of the forces by their sensors = Ṫ                                                 (2)
//! ```

use crate::kit::elements::{self, CARRY_NOTHING, Entry, HANGING_2, HANGING_3, removed};
use gradyn::file::{driver_quantities, force_types, joint_types, read_toml, shape_types, tyre_law_types};
use gradyn::registry::{SENSORS, combinations};
use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared, Run, Sensitivity, dims};
use gradyn_model::FunctionalSet;
use gradyn_model::mechanism::{Mechanism, Quantity};
use gradyn_testkit::compare::distance;
use gradyn_testkit::parametrise::{only_used, parametrise};
use std::collections::BTreeSet;

/// Where entries are, for messages.
const KIT: &str = "crates/gradyn/tests/it/kit/elements.rs";

fn prepared(m: &Mechanism) -> Prepared {
    Prepared::new(m).unwrap_or_else(|e| panic!("{}: {e}", m.name))
}

/// The entry with other outputs and without objectives.
fn asking(m: &Mechanism, outputs: &[String]) -> Mechanism {
    let mut m = m.clone();
    m.objectives.clear();
    m.outputs =
        outputs.iter().enumerate().map(|(k, x)| (format!("y{k}").into(), x.as_str().into())).collect();
    m
}

fn accurate(p: &Prepared) -> Run {
    let method = Method {
        integrator: Integrator::Dopri5,
        formulation: gradyn::Formulation::Index1,
        ..Method::default()
    };
    let run = p.run(&method.tolerance(1e-11, 1e-11));
    run.unwrap_or_else(|e| panic!("{}: {e}", p.model.name))
}

/// Outputs, and Qᵀ v, at record `n`.
fn measure(p: &Prepared, run: &Run, n: usize) -> (Vec<f64>, f64) {
    let (sys, lay, t, x) =
        (&p.model.system, run.trajectory.layout, run.trajectory.plan.t[n], run.trajectory.present(n));
    let mut terms = sys.evaluator(&p.slots());
    let mut out = vec![0.0; sys.functionals(FunctionalSet::Output)];
    let mut force = vec![0.0; lay.n];
    let at = lay.node(t, x);
    terms.set_branches(&run.trajectory.branches(n));
    terms.at(t, at.q);
    terms.measure(FunctionalSet::Output, &at, &mut out);
    terms.forces(&at, &mut force);
    out.truncate(p.model.columns.len());
    (out, at.v.iter().zip(&force).map(|(v, f)| -v * f).sum())
}

fn joints(e: &Entry) -> bool {
    e.name.starts_with("joint ") && e.mechanism.joints.len() == 1
}

/// `joint.angle, .position` → joint.angle, joint.position; calls → `name()`.
fn sensor_names(text: &str) -> Vec<String> {
    let (mut names, mut depth, mut word) = (vec![], 0, String::new());
    for c in text.chars().chain([',']) {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match c {
            ',' if depth == 0 => names.push(std::mem::take(&mut word).trim().to_owned()),
            _ => word.push(c),
        }
    }
    let mut head = String::new();
    let full = names.into_iter().map(|n| match n.split_once('(') {
        Some((function, _)) => format!("{function}()"),
        None if n.starts_with('.') => format!("{head}{n}"),
        None => {
            head = n.split('.').next().unwrap_or("").to_owned();
            n
        }
    });
    full.collect()
}

/// A new element is tested because it is listed.
#[test]
fn every_registered_name_has_an_entry() {
    let covered: BTreeSet<String> = elements::all().iter().flat_map(Entry::covers).collect();
    let mut wanted: Vec<String> = joint_types().iter().map(|t| format!("joint {}", t.0)).collect();
    wanted.extend(force_types().iter().map(|t| format!("force {}", t.0)));
    wanted.extend(tyre_law_types().iter().map(|t| format!("law {}", t.0)));
    wanted.extend(shape_types().iter().map(|t| format!("shape {}", t.0)));
    wanted.extend(driver_quantities().iter().map(|q| format!("driver {q}")));
    wanted.extend(["constraint".into(), "constraint velocity".into()]);
    for name in SENSORS.iter().flat_map(|s| sensor_names(s.0)) {
        wanted.push(match name.as_str() {
            "body.point" => "sensor point, body.P".into(),
            "ground.point" => "sensor ground.O".into(),
            name => format!("sensor {name}"),
        });
    }
    let absent: Vec<String> = wanted.into_iter().filter(|w| !covered.contains(w)).collect();
    assert!(absent.is_empty(), "{KIT} has no entry for {absent:?}");
}

/// The sensors of the registry and those of MODEL_FILE.md are the same.
#[test]
fn sensors_are_those_of_the_documents() {
    let text = include_str!("../../../../docs/MODEL_FILE.md");
    let table =
        text.split("## Sensors").nth(1).and_then(|t| t.split("## ").next()).expect("a section on sensors");
    let listed: BTreeSet<String> = SENSORS.iter().flat_map(|s| sensor_names(s.0)).collect();
    for name in &listed {
        let what = name.trim_end_matches("()").rsplit('.').next().expect("a word");
        assert!(table.contains(what), "MODEL_FILE.md does not describe `{name}`");
    }
    let rows = table.lines().filter(|l| l.starts_with("| `"));
    for code in rows
        .filter_map(|l| l.split('|').nth(1))
        .flat_map(|c| c.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
    {
        let what = code.split('(').next().unwrap_or("").rsplit('.').next().unwrap_or("").to_owned();
        let known = listed.iter().any(|n| n.trim_end_matches("()").rsplit('.').next() == Some(what.as_str()));
        assert!(
            known || ["x", "y", "z"].contains(&what.as_str()),
            "`{code}` of MODEL_FILE.md is not registered"
        );
    }
}

/// Two bodies, 6 or 12 degrees of freedom, minus those of the table; a coupling, a constraint or a driver
/// removes one.
#[test]
fn degrees_of_freedom_are_those_of_the_table() {
    for e in elements::all() {
        let (m, p) = (&e.mechanism, prepared(&e.mechanism));
        let (n, rows) = (dims(&p).n, dims(&p).m);
        let space = m.dimension == 3;
        let mut expected = m.bodies.len() * if space { 6 } else { 3 };
        for j in &m.joints {
            let kind = j.kind.word();
            let count = removed(kind)[usize::from(space)];
            expected -= count.unwrap_or_else(|| panic!("{}: the table has no number", e.name));
        }
        expected -= m.couplings.len() + m.constraints.len() + m.velocity_constraints.len() + m.drivers.len();
        assert_eq!((p.assembled.velocity_freedom, n - rows), (expected, expected), "{}", e.name);
        assert_eq!(p.assembled.freedom, expected + dims(&p).m_vel, "{}", e.name);
        assert!(
            p.assembled.condition > 1e-3,
            "{}: Φ_q is well conditioned: {:e}",
            e.name,
            p.assembled.condition
        );
    }
}

/// (1) for every joint on two floating, spinning bodies, and for both orders of its bodies.
#[test]
fn reactions_move_the_second_body() {
    for e in elements::all().iter().filter(|e| joints(e) && !e.name.contains("shared")) {
        let plane = e.mechanism.dimension == 2;
        let axes = &["x", "y", "z"][..e.mechanism.dimension];
        let mut list: Vec<String> =
            axes.iter().map(|k| format!("vel(b.momentum.{k}) - j.reaction.{k}")).collect();
        list.extend(axes.iter().map(|k| format!("vel(a.momentum.{k}) + j.reaction.{k}")));
        match plane {
            true => list.push("vel(b.angular_momentum) - j.torque - cross(b.Q, j.reaction)".into()),
            false => {
                list.extend(["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"].map(|u| {
                    format!("dot(vel(b.angular_momentum) - j.torque - cross(b.Q, j.reaction), {u})")
                }))
            }
        }
        let sizes =
            ["norm(j.reaction)".to_owned(), if plane { "abs(j.torque)" } else { "norm(j.torque)" }.into()];
        list.extend(sizes);
        let p = prepared(&asking(&e.mechanism, &list));
        let run = accurate(&p);
        for n in [0, run.trajectory.plan.steps()] {
            let (y, _) = measure(&p, &run, n);
            let (size, off) = (y[y.len() - 2].max(y[y.len() - 1]), &y[..y.len() - 2]);
            assert!(size > 1e-2 || e.name.contains("free"), "{}: something is carried, {size}", e.name);
            // 1e-10: a factorisation; accelerations of size 10
            assert!(off.iter().all(|x| x.abs() < 1e-10 * size.max(1.0)), "{}: {y:?}", e.name);
        }
    }
}

/// Momentum, angular momentum and, without forces, energy are kept by every internal element.
#[test]
fn isolated_systems_keep_their_momentum() {
    let mut count = 0;
    for e in elements::all().iter().filter(|e| e.isolated) {
        let space = e.mechanism.dimension == 3;
        let mut list: Vec<String> =
            ["x", "y", "z"][..e.mechanism.dimension].iter().map(|k| format!("system.momentum.{k}")).collect();
        match space {
            false => list.push("system.angular_momentum".into()),
            true => list.extend(["x", "y", "z"].map(|k| format!("system.angular_momentum.{k}"))),
        }
        if e.mechanism.forces.is_empty() {
            list.push("system.kinetic".into());
        }
        let p = prepared(&asking(&e.mechanism, &list));
        let run = accurate(&p);
        let (before, after) = (measure(&p, &run, 0).0, measure(&p, &run, run.trajectory.plan.steps()).0);
        for (k, (a, b)) in before.iter().zip(&after).enumerate() {
            // 1e-9: tolerance 1e-11 over some dozen steps
            assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{}: {} {a} → {b}", e.name, list[k]);
        }
        count += 1;
    }
    assert!(count > 60, "only {count} entries are isolated");
}

/// (2) at the start and at the end; ∫ power dt = ΔT.
#[test]
fn forces_have_the_power_of_their_sensors() {
    let mut count = 0;
    for e in elements::all() {
        let Some(power) = &e.power else { continue };
        let mut m = asking(&e.mechanism, &[power.clone(), "system.kinetic".into()]);
        m.integral("work", power);
        let p = prepared(&m);
        let run = accurate(&p);
        let last = run.trajectory.plan.steps();
        let ends = [0, last].map(|n| measure(&p, &run, n));
        for (y, rate) in &ends {
            assert!(rate.abs() > 1e-6, "{}: the force works, {rate} {y:?}", e.name);
            // 1e-9: drift of the constraints
            assert!((y[0] - rate).abs() < 1e-9 * rate.abs().max(1.0), "{}: {} ≠ {rate}", e.name, y[0]);
        }
        let gain = ends[1].0[1] - ends[0].0[1];
        assert!(
            (run.psi[0] - gain).abs() < 1e-8 * gain.abs().max(1.0),
            "{}: work {} ≠ gain {gain}",
            e.name,
            run.psi[0]
        );
        count += 1;
    }
    assert!(count > 40, "only {count} forces");
}

/// A driver's power is its effort times the rate of its quantity: the energy that two floating bodies gain.
#[test]
fn drivers_have_the_power_of_their_efforts() {
    let mut count = 0;
    for e in elements::all().iter().filter(|e| !e.mechanism.drivers.is_empty()) {
        let rate = match &e.mechanism.drivers[0].quantity {
            Quantity::Angle(a, _) if a.text == "ground" => "vel(b.angle)",
            Quantity::Angle(..) => "vel(angle(a, b))",
            Quantity::Distance(..) => "vel(distance(a.P, b.Q))",
            Quantity::Coordinate(_) => "vel(b.Q.y)",
            Quantity::Sensor(_) => "vel(j1.angle)",
        };
        let mut m = asking(&e.mechanism, &["system.kinetic".into()]);
        m.integral("work", &format!("k.effort * {rate}"));
        let p = prepared(&m);
        let run = accurate(&p);
        let gain = measure(&p, &run, run.trajectory.plan.steps()).0[0] - measure(&p, &run, 0).0[0];
        assert!(gain.abs() > 1e-3 && (run.psi[0] - gain).abs() < 1e-8, "{}: {} ≠ {gain}", e.name, run.psi[0]);
        count += 1;
    }
    assert!(count >= 8, "only {count} drivers");
}

/// A body that hangs still from the ground: the reaction on it is up, on the ground down.
#[test]
fn hanging_bodies_are_carried() {
    for kind in joint_types().iter().map(|t| t.0).filter(|t| !["gear", "rack"].contains(t)) {
        let found = HANGING_3.iter().any(|h| h.0 == kind) || CARRY_NOTHING.contains(&kind);
        assert!(found, "{KIT}: neither HANGING_3 nor CARRY_NOTHING has `{kind}`");
    }
    for (d, list) in [(2, HANGING_2), (3, HANGING_3)] {
        for (kind, keys, free) in list {
            for (first, sign) in [("ground.O\", \"a.P", 1.0), ("a.P\", \"ground.O", -1.0)] {
                // a universal joint has its axes in the order of the bodies; all others hold the same from
                // both sides
                let (point, down, com, inertia) = match d {
                    2 => ("[0, 0]", "[0, -9.81]", "[0, -0.3]", "0.1"),
                    _ => ("[0, 0, 0]", "[0, 0, -9.81]", "[0, 0, -0.3]", "[0.1, 0.2, 0.15]"),
                };
                let positions: Vec<String> = free.iter().map(|f| format!("\"{f}\" = 0")).collect();
                let near = if *kind == "distance" {
                    format!("near = {{ \"a.P\" = {} }}", if d == 2 { "[0, -0.4]" } else { "[0, 0, -0.4]" })
                } else {
                    String::new()
                };
                let text = format!(
                    "name = \"{kind} {d}\"\ndimension = {d}\ngravity = {down}\nground.points = {{ O = \
                     {point} }}\n[body.a]\nmass = 2\ninertia = {inertia}\ncom = {com}\npoints = {{ P = \
                     {point} }}\n[joint]\nj = {{ type = \"{kind}\", between = [\"{first}\"]{keys} \
                     }}\n[initial]\nposition = {{ {} }}\n{near}",
                    positions.join(", ")
                );
                let mut m = read_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).mechanism;
                m.t_end = 0.01.into();
                let axes = &["x", "y", "z"][..d];
                let mut list: Vec<String> = axes.iter().map(|k| format!("j.reaction.{k}")).collect();
                list.push(if d == 2 { "abs(j.torque)" } else { "norm(j.torque)" }.into());
                let p = prepared(&asking(&m, &list));
                let (y, _) = measure(&p, &accurate(&p), 0);
                let up = y[d - 1];
                assert!((up - sign * 19.62).abs() < 1e-9, "{kind} {d}, {first}: {y:?}");
                assert!(
                    (0..=d).filter(|k| *k != d - 1).all(|k| y[k].abs() < 1e-9),
                    "{kind} {d}, {first}: {y:?}"
                );
            }
        }
    }
}

/// The rounding of index-3 Newmark grows like 1/h: 1e-9 at 1 ms, below 1e-10 from 20 ms on.
const STEP: f64 = 2e-2;

/// Every number of every element is a parameter: adjoint = direct = automatic, with one combination of
/// methods each.
#[test]
fn gradients_agree_on_every_element() {
    let all = combinations();
    for (k, e) in elements::all().iter().enumerate() {
        let mut m = e.mechanism.clone();
        m.t_end = (STEP * 9.6).into();
        let p = prepared(&only_used(&parametrise(&m).0));
        let methods = (0..all.len()).map(|i| all[(k + i) % all.len()]);
        let mut methods = methods.map(|(formulation, integrator)| {
            Method { formulation, integrator, ..Method::default() }.step(STEP)
        });
        let method = methods.find(|m| p.check_method(m).is_ok()).expect("a method that fits");
        let (formulation, integrator) = (method.formulation, method.integrator);
        let run = p.run(&method).unwrap_or_else(|err| panic!("{}: {err}", e.name));
        let scales: Vec<f64> = p.model.parameters.iter().map(|p| p.scale).collect();
        let gradient = |s| p.gradient(&run, s).unwrap_or_else(|err| panic!("{}: {err}", e.name)).rows;
        let adjoint = gradient(Sensitivity::DiscreteAdjoint);
        for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic] {
            let d = distance(&gradient(s), &adjoint, &scales);
            // c₁ of radau5 is 0.155: position-level constraints amplify the rounding of q by 1/(c₁h)²
            let most = if (formulation, integrator) == (Formulation::Index3, Integrator::Radau5) {
                1e-9
            } else {
                1e-10
            };
            assert!(
                d <= most,
                "{}, {} + {}: {} is {d:.1e} from the adjoint",
                e.name,
                formulation.name(),
                integrator.name(),
                s.name()
            );
        }
    }
}

/// Two axes of the ground and of a body with another angle between them: the body would be sheared; with the
/// same angle, one row is too many.
#[test]
fn two_axes_of_the_ground_do_not_shear_a_body() {
    let model = |second: &str| {
        let text = format!(
            "name = \"two planes\"\ndimension = 3\nground.points = {{ O = [0, 0, 0] }}\n[body.a]\nmass = \
             1\ninertia = 0.1\npoints = {{ P = [0, 0, 0] }}\n[joint]\nj1 = {{ type = \"planar\", between = \
             [\"ground.O\", \"a.P\"], axis = [0, 0, 1] }}\nj2 = {{ type = \"planar\", between = \
             [\"ground.O\", \"a.P\"], axes = [[1, 0, 0], {second}] }}\n[initial]\nposition = {{ \"a.P.y\" = \
             0 }}"
        );
        Prepared::new(&read_toml(&text).unwrap_or_else(|e| panic!("{e}")).mechanism)
            .map_err(|e| e.to_string())
    };
    let sheared = model("[1, 0, 0.5]").expect_err("axes that do not fit");
    assert!(sheared.contains("could not be assembled"), "{sheared}");
    let twice = model("[1, 0, 0]").expect("one row too many, which follows from the others");
    assert_eq!(twice.redundant().len(), 1, "{:?}", twice.redundant());
}

/// Nodes and weights of Gauss with three points on (a, b): exact up to degree 5.
fn gauss(a: f64, b: f64) -> [(f64, f64); 3] {
    let (middle, half, x) = ((a + b) / 2.0, (b - a) / 2.0, 0.6f64.sqrt());
    [(middle - half * x, half * 5.0 / 9.0), (middle, half * 8.0 / 9.0), (middle + half * x, half * 5.0 / 9.0)]
}

/// Points and volumes (areas in the plane) that integrate polynomials of degree 2 over a shape exactly; z
/// along its axis.
fn samples(shape: &str, d: usize) -> Vec<([f64; 3], f64)> {
    let mut list = vec![];
    let flat = [(0.0, 1.0)];
    let turns = (0..8).map(|k| (k as f64 * std::f64::consts::FRAC_PI_4).sin_cos());
    match (shape, d) {
        ("box", _) => {
            let (x, y, z) = (gauss(-0.3, 0.3), gauss(-0.1, 0.1), gauss(-0.2, 0.2));
            let z: &[(f64, f64)] = if d == 2 { &flat } else { &z };
            for (x, a) in x {
                for (y, b) in y {
                    list.extend(z.iter().map(|(z, c)| ([x, y, *z], a * b * c)));
                }
            }
        }
        ("sphere", 3) => {
            for (r, a) in gauss(0.0, 0.25) {
                for (u, b) in gauss(-1.0, 1.0) {
                    let s = (1.0 - u * u).sqrt();
                    let volume = r * r * a * b * std::f64::consts::FRAC_PI_4;
                    list.extend(turns.clone().map(|(sin, cos)| ([r * s * cos, r * s * sin, r * u], volume)));
                }
            }
        }
        _ => {
            let (inner, outer) = match shape {
                "tube" => (0.2, 0.3),
                "sphere" => (0.0, 0.25),
                _ => (0.0, 0.3),
            };
            let z = gauss(-0.35, 0.35);
            let z: &[(f64, f64)] = if d == 2 { &flat } else { &z };
            for (r, a) in gauss(inner, outer) {
                for (z, c) in z {
                    let volume = r * a * c * std::f64::consts::FRAC_PI_4;
                    list.extend(turns.clone().map(|(sin, cos)| ([r * cos, r * sin, *z], volume)));
                }
            }
        }
    }
    list
}

/// L = I ω and T = ½ ω·I ω of every shape, with I by integration over its volume; the mass is density ×
/// volume.
#[test]
fn shapes_have_the_inertia_of_their_volume() {
    for e in elements::all().iter().filter(|e| e.name.starts_with("shape")) {
        let d = e.mechanism.dimension;
        let (shape, density) = (e.name.split(' ').nth(1).expect("a word"), if d == 2 { 12.0 } else { 120.0 });
        // in the axes of the body: the axis of a solid of revolution is z of the samples
        let axis = match shape {
            "cylinder" => [0.2, -0.5, 1.0],
            "tube" => [1.0, 0.3, -0.4],
            _ => [0.0, 0.0, 1.0],
        };
        let axis: [f64; 3] = if d == 2 { [0.0, 0.0, 1.0] } else { axis };
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        let w = axis.map(|x| x / length);
        // two directions across the axis, such that [u, v, w] = 1 for the z axis
        let across =
            if w[2] > 0.99 { [1.0, 0.0, 0.0] } else { [w[1], -w[0], 0.0].map(|x| x / w[0].hypot(w[1])) };
        let v = [
            w[1] * across[2] - w[2] * across[1],
            w[2] * across[0] - w[0] * across[2],
            w[0] * across[1] - w[1] * across[0],
        ];
        let mass: f64 = samples(shape, d).iter().map(|s| s.1 * density).sum();
        for ω in
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().skip(if d == 2 { 2 } else { 0 })
        {
            let mut l = [0.0; 3];
            for (x, volume) in samples(shape, d) {
                let r: [f64; 3] = std::array::from_fn(|k| across[k] * x[0] + v[k] * x[1] + w[k] * x[2]);
                let (rr, rw): (f64, f64) =
                    (r.iter().map(|x| x * x).sum(), r.iter().zip(&ω).map(|(r, w)| r * w).sum());
                (0..3).for_each(|k| l[k] += volume * density * (rr * ω[k] - r[k] * rw));
            }
            let mut m = e.mechanism.clone();
            let zero = if d == 2 { "[0, 0]" } else { "[0, 0, 0]" };
            let turn = if d == 2 {
                vec![("a.angle", "0")]
            } else {
                vec![("a.roll", "0"), ("a.pitch", "0"), ("a.yaw", "0")]
            };
            let pairs = |list: &[(&str, String)]| {
                list.iter().map(|(k, x)| ((*k).into(), x.as_str().into())).collect::<Vec<_>>()
            };
            let mut position: Vec<(&str, String)> = vec![("a.com", zero.into())];
            position.extend(turn.iter().map(|(k, x)| (*k, x.to_string())));
            let mut velocity: Vec<(&str, String)> = vec![("a.com", zero.into())];
            match d {
                2 => velocity.push(("a.omega", ω[2].to_string())),
                _ => velocity.extend(
                    ["a.omega.x", "a.omega.y", "a.omega.z"].into_iter().zip(ω.map(|w| w.to_string())),
                ),
            }
            m.initial.position = pairs(&position);
            m.initial.velocity = gradyn_model::mechanism::InitialVelocity::Conditions(pairs(&velocity));
            m.t_end = 0.01.into();
            let kinetic = 0.5 * l.iter().zip(&ω).map(|(l, w)| l * w).sum::<f64>();
            let (list, truth): (Vec<String>, Vec<f64>) = match d {
                2 => (
                    vec![
                        "a.angular_momentum".into(),
                        "a.kinetic".into(),
                        "a.potential".into(),
                        "vel(a.momentum.y)".into(),
                    ],
                    vec![l[2], kinetic, 0.0, -9.81 * mass],
                ),
                _ => {
                    let mut list: Vec<String> =
                        ["x", "y", "z"].map(|k| format!("a.angular_momentum.{k}")).to_vec();
                    list.extend(["a.kinetic".into(), "a.potential".into(), "vel(a.momentum.z)".into()]);
                    (list, [&l[..], &[kinetic, 0.0, -9.81 * mass]].concat())
                }
            };
            let p = prepared(&asking(&m, &list));
            assert!(p.model.warnings.is_empty(), "{}: {:?}", e.name, p.model.warnings);
            let (y, _) = measure(&p, &accurate(&p), 0);
            // 1e-12: some dozen operations
            y.iter().zip(&truth).for_each(|(y, t)| {
                assert!((y - t).abs() <= 1e-12 * mass, "{} {ω:?}: {list:?} {y} ≠ {t}", e.name)
            });
        }
    }
}

/// An inertia that no body has is a warning with the name of the body; one on the limit is not.
#[test]
fn impossible_inertia_is_a_warning() {
    for (inertia, possible) in [
        ("[1, 1, 2]", true), // a plate
        ("[1, 1, 2.1]", false),
        ("[0, 1, 1]", true), // a rod
        ("[1, 2, 3, 0.2, 0, 0]", true),
        ("[1, 2, 3, 0, 0, 0.2]", false),
        ("[2, 2, 3, 0.4, -0.3, 0.2]", true),
        ("1.5", true),
    ] {
        let text = format!(
            "name = \"inertia\"\ndimension = 3\n[body.plate]\nmass = 1\ninertia = {inertia}\npoints = {{ P \
             = [0, 0, 0] }}"
        );
        let model = gradyn_model::build(&read_toml(&text).unwrap_or_else(|e| panic!("{e}")).mechanism)
            .unwrap_or_else(|e| panic!("{e}"));
        let warned = model
            .warnings
            .iter()
            .any(|w| w.code == gradyn::WarningCode::ImpossibleInertia && w.to_string().contains("`plate`"));
        assert_eq!(warned, !possible, "{inertia}: {:?}", model.warnings);
    }
}

/// Two shafts with a constant-velocity joint are one inertia whatever the bend, in all coordinates: with a =
/// (T_in - T)/(J_in + J) the angle is ω t + ½ a t², both speeds are ω + a t, and the bearing carries
/// (T + J a) tan(β/2)/L.
#[test]
fn shafts_with_a_constant_velocity_joint_turn_equally_fast() {
    let text = gradyn::examples::find("cv_shaft").expect("an example");
    let m = read_toml(text).unwrap_or_else(|e| panic!("{e}")).mechanism;
    let [omega, l, j_in, j, t_in, t] = [std::f64::consts::TAU, 0.6, 0.005, 0.02, 0.4, 0.3];
    let a = (t_in - t) / (j_in + j);
    for family in Coordinates::ALL {
        for degrees in [0.0, 35.0, 80.0] {
            let mut bent = m.clone();
            let beta: f64 = f64::to_radians(degrees);
            bent.parameters[0].value = beta.into();
            let p = Prepared::new_in(&bent, family).unwrap_or_else(|e| panic!("{degrees}: {e}"));
            let run = accurate(&p);
            let (y, _) = measure(&p, &run, run.trajectory.plan.t.len() - 1);
            let side = (t + j * a) * (beta / 2.0).tan() / l;
            let expected = [omega + 0.5 * a, omega + a, omega + a, side];
            // 1e-8: tolerances of 1e-11 over a hundred steps, in angles of some ten radians
            let worst = y.iter().zip(expected).map(|(y, e)| (y - e).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-8, "{}, {degrees}°: {y:?} instead of {expected:?}", family.name());
        }
        let p = Prepared::new_in(&m, family).unwrap_or_else(|e| panic!("{e}"));
        let run = accurate(&p);
        let gradient = p.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}"));
        // beta, omega, L, J_in, J, T_in, T
        let slope = 0.5 / (j_in + j);
        let expected = [0.0, 1.0, 0.0, -a * slope, -a * slope, slope, -slope];
        let worst = gradient.rows[0].iter().zip(expected).map(|(g, e)| (g - e).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-7, "{}: {:?} instead of {expected:?}", family.name(), gradient.rows[0]);
    }
}
