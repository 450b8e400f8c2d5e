//! Mechanisms built in Rust.

use gradyn_model::mechanism::{Body, ForceKind, Joint, Mechanism};

fn spring(a: &str, b: &str, length: &str) -> ForceKind {
    ForceKind::SpringDamper {
        between: [a.into(), b.into()],
        stiffness: 100.0.into(),
        damping: 0.0.into(),
        length: length.into(),
        force: None,
    }
}

/// The five-bar linkage A–1–2–3–B of M13, A22 and P14 with its five parameters and three objectives.
pub fn five_bar() -> Mechanism {
    let mut m = Mechanism::new("five-bar");
    m.gravity = [0.0, -9.81].into();
    m.parameter("L_s1", "sqrt(5)").parameter("L_s2", "sqrt(4.25)").parameter("m_A1", 1.0);
    m.parameter("xG_A1", "sqrt(2)/2").parameter("L_A1", "sqrt(2)");
    m.ground_point("A", [0.0, 0.0]).ground_point("B", [1.0, 0.0]);
    m.body(Body::new("A1").mass("m_A1").com(["xG_A1", "0"]).inertia("1/6").point("A", [0.0, 0.0]).point("P1", ["L_A1", "0"]));
    m.body(Body::new("B12").mass(1.5).rod("P1", "P2", "sqrt(3.25)"));
    m.body(Body::new("B23").mass(1.5).rod("P2", "P3", "sqrt(3.25)"));
    m.body(Body::new("B3").mass(1.0).rod("P3", "B", "sqrt(2)"));
    m.joint(Joint::revolute("A", "ground.A", "A1.A"));
    m.joint(Joint::revolute("J1", "A1.P1", "B12.P1"));
    m.joint(Joint::revolute("J2", "B12.P2", "B23.P2"));
    m.joint(Joint::revolute("J3", "B23.P3", "B3.P3"));
    m.joint(Joint::revolute("B", "B3.B", "ground.B"));
    m.force("s1", spring("A1.P1", "ground.B", "L_s1")).force("s2", spring("B12.P2", "ground.B", "L_s2"));
    m.initial.position = vec![("A1.angle".into(), "-135 deg".into()), ("B12.angle".into(), "atan2(-1, 1.5)".into())];
    m.initial.near = vec![("B23.P3".into(), [2.0, -1.0].into())];
    m.integral("psi1", "norm2(B12.P2 - [0.5, -2])");
    m.integral("psi2", "norm2(vel(B12.P2))");
    m.integral("psi3", "norm2(acc(B12.P2))");
    m.t_end = 5.0.into();
    m
}
