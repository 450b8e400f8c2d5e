//! Mechanisms → systems: every model builds, and its coordinates mean what the mechanism says.
//!
//! The sensors are read as outputs at the assembled positions with velocities that satisfy Φ_q v = 0.

use gradyn_model::mechanism::{Body, ForceKind, Joint, JointKind, Mechanism, Number, Source, Vector};
use gradyn_model::{At, FunctionalSet};
use gradyn_testkit::models::{all, ready};

/// A number as text.
fn text(x: &Number) -> String {
    match &x.source {
        Source::Value(v) => format!("({v:?})"),
        Source::Expression(e) => format!("({e})"),
    }
}

fn components(v: &Vector) -> [String; 2] {
    match v {
        Vector::Components(c, _) => [text(&c[0]), text(&c[1])],
        Vector::Expression(e) => ["x", "y"].map(|a| format!("{}.{a}", text(e))),
    }
}

/// Values of expressions at the assembled positions; v is a random vector without its part in the rows of
/// Φ_q.
fn measure(m: &Mechanism, expressions: &[String]) -> Vec<f64> {
    let mut m = m.clone();
    m.outputs =
        expressions.iter().enumerate().map(|(i, e)| (format!("y{i}").into(), e.as_str().into())).collect();
    let r = ready(&m);
    let (sys, dims) = (&r.model.system, r.model.system.dims());
    let mut terms = sys.evaluator(&r.p);
    let t = r.p[r.model.times.start as usize];
    terms.set_branches(&r.model.angles);
    terms.at(t, &r.q);
    let mut rows: Vec<Vec<f64>> = vec![vec![0.0; dims.n]; dims.m];
    sys.patterns().mn.iter().for_each(|(i, j, k)| rows[i][j] = terms.phi_q()[k]);
    let mut basis: Vec<Vec<f64>> = vec![];
    let remove = |x: &mut Vec<f64>, basis: &[Vec<f64>]| {
        for _ in 0..2 {
            for b in basis {
                let s: f64 = b.iter().zip(x.iter()).map(|(b, x)| b * x).sum();
                x.iter_mut().zip(b).for_each(|(x, b)| *x -= s * b);
            }
        }
    };
    for mut row in rows {
        remove(&mut row, &basis);
        let size = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        basis.push(row.into_iter().map(|x| x / size).collect());
    }
    let mut v: Vec<f64> = (0..dims.n).map(|i| ((7 * i + 3) as f64).sin()).collect();
    remove(&mut v, &basis);
    let zero = vec![0.0; dims.n + dims.m];
    let mut out = vec![0.0; sys.functionals(FunctionalSet::Output)];
    terms.measure(
        FunctionalSet::Output,
        &At { t, q: &r.q, v: &v, a: &zero[..dims.n], lam: &zero[..dims.m] },
        &mut out,
    );
    out.truncate(expressions.len()); // the energy follows the columns
    out
}

/// 1e-12: the assembly leaves 1e-15, the expressions a few dozen operations.
fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{what}: {a} ≠ {b}");
}

/// No warnings; every parameter is read; as many conditions as degrees of freedom; names for every row and
/// coordinate.
#[test]
fn every_model_builds_and_assembles() {
    for (name, m) in all() {
        let r = ready(&m);
        let (model, dims) = (&r.model, r.model.system.dims());
        assert!(model.warnings.is_empty(), "{name}: {:?}", model.warnings);
        model.parameters.iter().for_each(|p| assert!(p.used, "{name}: `{}` is not used", p.name));
        assert_eq!(model.conditions.0.len(), dims.n - dims.m, "{name}");
        assert_eq!(model.counts, [m.bodies.len(), m.joints.len(), m.forces.len(), m.drivers.len()], "{name}");
        (0..dims.m).for_each(|k| assert!(!model.system.row_name(k).is_empty(), "{name}"));
        (0..dims.n).for_each(|i| assert!(!model.system.coordinate_name(i).is_empty(), "{name}"));
        assert!((2..=3).contains(&model.objectives.len()), "{name}");
    }
}

/// Two coordinates for each point or vector that is not shared.
#[test]
fn coordinates_and_rows_are_counted() {
    let expected = [
        ("five_bar", 6, 4),
        ("pendulum", 4, 3), // its pin is not shared: the reaction is read
        ("double_pendulum", 4, 2),
        ("slider_crank", 8, 8), // two extra for the wrist, whose reaction is read
        ("four_bar", 6, 5),     // the same at D
        ("trammel", 6, 5),
        ("welded", 8, 6),
        ("driven", 4, 3),
        ("spring_mass", 4, 1),
        ("free_body", 4, 1),
        ("rotor", 2, 1),
        ("ternary", 8, 5), // two extra for the third point
    ];
    for ((name, m), (expected, n, rows)) in all().into_iter().zip(expected) {
        let dims = ready(&m).model.system.dims();
        assert_eq!((name, dims.n, dims.m), (expected, n, rows));
    }
}

/// Points of a body in its frame: (name, x, y); the last is the centre of mass.
fn local_points(m: &Mechanism, b: &Body) -> Vec<(String, [String; 2])> {
    let mut points: Vec<(String, [String; 2])> =
        b.points.iter().map(|(n, at)| (n.text.clone(), components(at))).collect();
    for h in &b.hard {
        let at = &m.hard_points.iter().find(|p| p.0.text == h.text).expect("a hard point").1;
        points.push((h.text.clone(), components(at)));
    }
    let mut com = ["0".to_owned(), "0".to_owned()];
    if let Some(rod) = &b.rod {
        if let Some(length) = &rod.length {
            points.push((rod.points[0].text.clone(), ["0".into(), "0".into()]));
            points.push((rod.points[1].text.clone(), [text(length), "0".into()]));
        }
        let end = |k: usize| &points.iter().find(|p| p.0 == rod.points[k].text).expect("an end of the rod").1;
        com = [0, 1].map(|a| format!("({} + {}) / 2", end(0)[a], end(1)[a]));
    }
    if let Some(c) = &b.com {
        com = components(c);
    }
    points.push(("com".into(), com));
    points
}

/// r_P - r_G = R(θ) (x_P - x_G) for every point of every body.
#[test]
fn points_of_a_body_turn_with_its_angle() {
    for (name, m) in all() {
        let (mut left, mut right, mut what) = (vec![], vec![], vec![]);
        for b in &m.bodies {
            let (points, id) = (local_points(&m, b), &b.name.text);
            let (_, g) = points.last().expect("the centre of mass").clone();
            for (p, x) in &points {
                let [dx, dy] = [0, 1].map(|a| format!("(({}) - ({}))", x[a], g[a]));
                left.push(format!("{id}.{p}.x - {id}.com.x"));
                right.push(format!("cos({id}.angle) * {dx} - sin({id}.angle) * {dy}"));
                left.push(format!("{id}.{p}.y - {id}.com.y"));
                right.push(format!("sin({id}.angle) * {dx} + cos({id}.angle) * {dy}"));
                what.extend(["x", "y"].map(|a| format!("{name}: {id}.{p}.{a}")));
            }
        }
        let values = measure(&m, &[left.clone(), right].concat());
        (0..left.len()).for_each(|i| close(values[i], values[left.len() + i], &what[i]));
    }
}

/// Revolute and fixed joints close; the angle of a fixed or prismatic joint is as given; lines hold their
/// point.
#[test]
fn joints_hold_what_they_say() {
    for (name, m) in all() {
        let mut zero = vec![];
        for j in &m.joints {
            let [a, b] = [&j.between[0].text, &j.between[1].text];
            let [body_a, body_b] = [a, b].map(|p| p.split('.').next().expect("a body"));
            let turn = |angle: &Number| format!("angle({body_a}, {body_b}) - {}", text(angle));
            let line = |axis: &Option<Vector>| {
                assert_eq!(body_a, "ground", "axes of the ground are global");
                let [x, y] = components(axis.as_ref().expect("an axis"));
                format!("cross({b} - {a}, [{x}, {y}])")
            };
            match &j.kind {
                JointKind::Revolute => zero.push(format!("norm2({a} - {b})")),
                JointKind::Fixed { angle } => zero.extend([format!("norm2({a} - {b})"), turn(angle)]),
                JointKind::Prismatic { angle } => zero.extend([line(&j.axes[0]), turn(angle)]),
                JointKind::PointOnLine => zero.push(line(&j.axes[0])),
                JointKind::Distance { length } => zero.push(format!("distance({a}, {b}) - {}", text(length))),
                kind => unreachable!("{} belongs to space", kind.word()),
            }
        }
        measure(&m, &zero).iter().zip(&zero).for_each(|(x, what)| close(*x, 0.0, &format!("{name}: {what}")));
    }
}

/// ½ vᵀ M v = Σ ½ m |v_G|² + ½ I θ̇², where a uniform rod has I = m L²/12.
#[test]
fn kinetic_energy_is_that_of_the_bodies() {
    for (name, m) in all() {
        let each = m.bodies.iter().map(|b| {
            let (id, mass) = (&b.name.text, text(b.mass.as_ref().expect("a mass")));
            let inertia = match (b.inertia.first(), &b.rod) {
                (Some(i), _) => text(i),
                (None, Some(rod)) => {
                    format!("{mass} * norm2({id}.{} - {id}.{}) / 12", rod.points[0], rod.points[1])
                }
                _ => unreachable!("a body has an inertia or is a rod"),
            };
            format!("{mass} / 2 * norm2(vel({id}.com)) + {inertia} / 2 * vel({id}.angle)^2")
        });
        let values = measure(&m, &[each.collect::<Vec<_>>().join(" + "), "system.kinetic".into()]);
        assert!(values[0] > 0.0 || m.drivers.len() == 1, "{name} moves");
        close(values[1], values[0], name);
    }
}

/// Σ -m g·r_G + Σ ½ k (y - y₀)².
#[test]
fn potential_energy_is_that_of_weights_and_springs() {
    for (name, m) in all() {
        let [gx, gy] = components(&m.gravity);
        let mut each: Vec<String> = m
            .bodies
            .iter()
            .map(|b| {
                format!("-{} * dot([{gx}, {gy}], {}.com)", text(b.mass.as_ref().expect("a mass")), b.name)
            })
            .collect();
        for f in &m.forces {
            let (k, y, rest) = match &f.kind {
                ForceKind::SpringDamper { stiffness, length, .. } => (stiffness, "length", length),
                ForceKind::Torsion { stiffness, angle, .. } => (stiffness, "angle", angle),
                _ => continue,
            };
            each.push(format!("{} / 2 * ({}.{y} - {})^2", text(k), f.name, text(rest)));
        }
        let list = [each.join(" + "), "system.potential".into(), "system.energy - system.kinetic".into()];
        let values = measure(&m, &list);
        close(values[1], values[0], name);
        close(values[2], values[0], name);
    }
}

fn plain(name: &str) -> Body {
    Body::new(name).mass(1.0).inertia(0.1).com([0.1, 0.0])
}

/// A slider on a body that has turned: the line and the angle turn with body 1.
#[test]
fn prismatic_axis_belongs_to_body_1() {
    let mut m = Mechanism::new("moving guide");
    m.ground_point("O", [0.2, 0.1]);
    m.body(plain("a").point("A", [0.0, 0.0]).point("S", [0.3, 0.2])).body(plain("b").point("S", [0.1, -0.1]));
    m.joint(Joint::revolute("pin", "ground.O", "a.A"));
    let axis: Option<Vector> = Some([1.0, 2.0].into());
    m.joint(Joint {
        axes: [axis, None],
        ..Joint::new("slide", JointKind::Prismatic { angle: 0.3.into() }, "a.S", "b.S")
    });
    m.initial.position = vec![("a.angle".into(), 0.7.into()), ("distance(a.S, b.S)".into(), 0.5.into())];
    m.initial.near = vec![("b.S".into(), [0.5, 0.9].into())];
    let along =
        "dot(b.S - a.S, [cos(a.angle) - 2 * sin(a.angle), sin(a.angle) + 2 * cos(a.angle)]) / sqrt(5)";
    let values = measure(&m, &["b.angle".into(), along.into(), "vel(angle(a, b))".into()]);
    close(values[0], 1.0, "angle of body 2");
    close(values[1].abs(), 0.5, "along the axis");
    close(values[2], 0.0, "relative angular velocity");
}

/// Four bodies on one pin, two of which carry the pin as a third point, whatever the order of the joints.
///
/// Plates P and Q have far points of their own, so that the pin is not in their basis: their pins are tied by
/// rows.
#[test]
fn pins_of_several_plates_are_tied_in_any_order_of_the_joints() {
    let joints = [
        Joint::revolute("bars", "bar1.X", "bar2.X"),
        Joint::revolute("plates", "P.X", "Q.X"),
        Joint::revolute("both", "bar2.X", "P.X"),
    ];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut m = Mechanism::new("pins");
        m.body(Body::new("bar1").mass(1.0).rod("X", "E", 1.0))
            .body(Body::new("bar2").mass(1.0).rod("X", "E", 1.0));
        for name in ["P", "Q"] {
            m.body(plain(name).point("X", [0.0, 0.0]).point("L", [-3.0, 1.0]).point("R", [3.0, 1.0]));
            for side in ["L", "R"] {
                let bar = format!("{name}{side}");
                m.body(Body::new(&bar).mass(1.0).rod(side, "F", 0.5));
                m.joint(Joint::revolute(
                    &format!("J{bar}"),
                    &format!("{name}.{side}"),
                    &format!("{bar}.{side}"),
                ));
            }
        }
        order.iter().for_each(|&k| {
            m.joint(joints[k].clone());
        });
        let bodies = ["bar1", "bar2", "P", "Q", "PL", "PR", "QL", "QR"];
        m.initial.position = vec![("bar1.X".into(), "[0, 0]".into())];
        m.initial.position.extend(bodies.iter().map(|b| (format!("{b}.angle").as_str().into(), 0.2.into())));
        let model = gradyn_model::build(&m).expect("a model");
        let dims = model.system.dims();
        // eight bodies, one common point: 2 + 8 degrees of freedom
        assert_eq!(
            dims.n - dims.m,
            10,
            "joints in the order {order:?}: {} coordinates, {} rows",
            dims.n,
            dims.m
        );
    }
}

/// A reaction that is read is never silently zero: a pin that another joint repeats.
#[test]
fn reaction_of_a_repeated_joint_has_rows() {
    let mut m = Mechanism::new("repeated pin");
    m.gravity = [0.0, -9.81].into();
    m.ground_point("O", [0.0, 0.0]);
    m.body(plain("bar").point("A", [0.0, 0.0]));
    m.joint(Joint::revolute("pin", "ground.O", "bar.A")).joint(Joint::revolute("again", "ground.O", "bar.A"));
    m.initial.position = vec![("bar.angle".into(), 0.0.into())];
    m.outputs = vec![("y".into(), "again.reaction.y".into())];
    let rows = gradyn_model::build(&m).expect("a model").system.row_names().to_vec();
    assert!(["pin (y)", "again (y)"].iter().all(|r| rows.iter().any(|x| x.to_string() == **r)), "{rows:?}");
}
