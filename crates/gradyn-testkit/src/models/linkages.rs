//! Linkages with several joints: five-bars, four-bar, slider-crank, trammel, ternary plate.

use super::{drive, parameters, sliding, spline, spring, spring_damper, start, torque};
use gradyn_model::mechanism::{Body, Joint, JointKind, Mechanism, Number, Quantity, Rod, Vector};

/// The five-bar linkage A–1–2–3–B of M13, A22 and P14 with its five parameters and three objectives.
pub fn five_bar() -> Mechanism {
    let mut m = Mechanism::new("five-bar");
    // parameters
    m.gravity = [0.0, -9.81].into();
    m.parameter("L_s1", "sqrt(5)").parameter("L_s2", "sqrt(4.25)").parameter("m_A1", 1.0);
    m.parameter("xG_A1", "sqrt(2)/2").parameter("L_A1", "sqrt(2)");
    // ground and bodies
    m.ground_point("A", [0.0, 0.0]).ground_point("B", [1.0, 0.0]);
    m.body(
        Body::new("A1")
            .mass("m_A1")
            .com(["xG_A1", "0"])
            .inertia("1/6")
            .point("A", [0.0, 0.0])
            .point("P1", ["L_A1", "0"]),
    );
    m.body(Body::new("B12").mass(1.5).rod("P1", "P2", "sqrt(3.25)"));
    m.body(Body::new("B23").mass(1.5).rod("P2", "P3", "sqrt(3.25)"));
    m.body(Body::new("B3").mass(1.0).rod("P3", "B", "sqrt(2)"));
    // joints and drivers
    m.joint(Joint::revolute("A", "ground.A", "A1.A"));
    m.joint(Joint::revolute("J1", "A1.P1", "B12.P1"));
    m.joint(Joint::revolute("J2", "B12.P2", "B23.P2"));
    m.joint(Joint::revolute("J3", "B23.P3", "B3.P3"));
    m.joint(Joint::revolute("B", "B3.B", "ground.B"));
    // forces
    m.force("s1", spring("A1.P1", "ground.B", "L_s1")).force("s2", spring("B12.P2", "ground.B", "L_s2"));
    // start
    m.initial.position =
        vec![("A1.angle".into(), "-135 deg".into()), ("B12.angle".into(), "atan2(-1, 1.5)".into())];
    m.initial.near = vec![("B23.P3".into(), [2.0, -1.0].into())];
    // objectives
    m.integral("psi1", "norm2(B12.P2 - [0.5, -2])");
    m.integral("psi2", "norm2(vel(B12.P2))");
    m.integral("psi3", "norm2(acc(B12.P2))");
    m.t_end = 5.0.into();
    m
}

/// The five-bar with two torques by cyclic splines of `n` values each over 5 s, all zero: 2n parameters, one
/// objective.
pub fn five_bar_control(n: usize) -> Mechanism {
    let mut m = five_bar();
    // parameters
    m.parameters.clear();
    // ground and bodies
    m.bodies[0] = Body::new("A1").mass(1.0).rod("A", "P1", "sqrt(2)");
    // forces
    m.forces = vec![];
    m.force("s1", spring("A1.P1", "ground.B", "sqrt(5)"))
        .force("s2", spring("B12.P2", "ground.B", "sqrt(4.25)"));
    for (name, on) in [("tau_A", "A1"), ("tau_B", "B3")] {
        let names: Vec<String> = (0..n).map(|k| format!("{name}_{k}")).collect();
        names.iter().for_each(|p| {
            m.parameter(p, 0.0);
        });
        let values = names.iter().map(|p| p.as_str().into()).collect();
        spline(&mut m, name, true, [0.0, 5.0], values);
        torque(&mut m, &format!("motor_{name}"), on, name);
    }
    // objectives
    m.objectives.truncate(1);
    m
}

/// A crank that is driven, a rod and a slider: no degree of freedom.
pub fn slider_crank() -> Mechanism {
    let mut m = Mechanism::new("slider-crank");
    // parameters
    m.parameter("r", 0.3).parameter("L", 0.9).parameter("alpha", 0.1).parameter("m_slider", 1.4);
    m.parameter("amplitude", 0.4).parameter("frequency", 5.0).parameter("rate", 3.0).parameter("yS", 0.05);
    m.gravity = [0.0, -9.81].into();
    // ground and bodies
    m.ground_point("O", [0.0, 0.0]).ground_point("S", ["0", "yS"]);
    m.body(Body::new("crank").mass(0.5).rod("A", "B", "r"));
    m.body(Body::new("rod").mass(0.8).rod("B", "C", "L"));
    m.body(
        Body::new("slider")
            .mass("m_slider")
            .com(["0.02", "0.03"])
            .inertia(0.01)
            .point("P", [0.0, 0.0])
            .point("Q", [0.1, 0.05]),
    );
    // joints and drivers
    m.joint(Joint::revolute("O", "ground.O", "crank.A")).joint(Joint::revolute("J", "crank.B", "rod.B"));
    m.joint(Joint::revolute("wrist", "rod.C", "slider.P"));
    let axis = ["2 * cos(alpha)", "2 * sin(alpha)"];
    m.joint(sliding("guide", JointKind::Prismatic { angle: "alpha".into() }, axis, "ground.S", "slider.Q"));
    let angle = Quantity::Angle("ground".into(), "crank".into());
    drive(&mut m, "motor", angle, "0.5 + rate * t + amplitude * sin(frequency * t)");
    // forces
    m.force("gas", spring_damper("ground.O", "slider.P", ["20", "0.5", "1"], Some("0.2 * length * speed")));
    // start
    m.initial.near = vec![("slider.P".into(), [1.1, 0.1].into())];
    // objectives
    m.integral("effort", "motor.effort^2 + dot(wrist.reaction, [0.3, 0.7])");
    m.terminal("guide", "norm2(guide.reaction) / 10 + guide.torque + slider.P.x * motor.effort");
    m.integral("jerk", "acc(slider.P.x)^2 / 100 + vel(distance(ground.O, slider.Q)) + crank.angle");
    m.t_end = 0.7.into();
    m
}

/// Hard points of the four-bar.
const DESIGN: [(&str, [&str; 2]); 5] = [
    ("A", ["0", "0"]),
    ("B", ["xB", "yB"]),
    ("C", ["xC", "yC"]),
    ("D", ["xD", "0"]),
    ("E", ["(xB + xC) / 2", "1"]),
];

/// A four-bar linkage by hard points of its design configuration.
pub fn four_bar() -> Mechanism {
    let mut m = Mechanism::new("four-bar");
    // parameters
    parameters(&mut m, &[("xB", 0.1), ("yB", 0.4), ("xC", 1.0), ("yC", 0.7), ("xD", 1.1)]);
    m.parameter("k", 40.0).parameter("free", 0.5).parameter("spin", 2.0);
    m.gravity = [0.0, -9.81].into();
    m.hard_points = DESIGN.iter().map(|(n, at)| ((*n).into(), at.map(Number::from).into())).collect();
    // ground and bodies
    m.ground = ["A", "D"].iter().map(|n| ((*n).into(), Vector::Expression((*n).into()))).collect();
    for (name, a, b, mass) in
        [("crank", "A", "B", 1.0), ("coupler", "B", "C", 2.0), ("rocker", "C", "D", 1.5)]
    {
        let mut body = Body::new(name).mass(mass);
        body.hard = vec![a.into(), b.into()];
        if name == "coupler" {
            body.hard.push("E".into());
        }
        body.rod = Some(Rod { points: [a.into(), b.into()], length: None });
        m.body(body);
    }
    // joints and drivers
    m.joint(Joint::revolute("JA", "ground.A", "crank.A"));
    m.joint(Joint::revolute("JB", "crank.B", "coupler.B"));
    m.joint(Joint::revolute("JC", "coupler.C", "rocker.C"));
    m.joint(Joint::revolute("JD", "ground.D", "rocker.D"));
    // forces
    m.force("s", spring_damper("ground.D", "coupler.E", ["k", "0.3", "free"], None));
    // start
    start(&mut m, &[("crank.angle", "0.2")], &[("crank.angle", "spin")]);
    // objectives
    m.integral("path", "norm2(coupler.E - (B + C) / 2) + s.force^2 / 1000");
    m.integral("speed", "vel(rocker.angle)^2 + JD.reaction.x / 100");
    m.terminal("end", "distance(crank.B, ground.D) + vel(distance(crank.B, ground.D)) + system.energy / 10");
    m.t_end = 0.4.into();
    m
}

/// A bar with one point on a line and another on a slider.
pub fn trammel() -> Mechanism {
    let mut m = Mechanism::new("trammel");
    // parameters
    parameters(&mut m, &[("L", 1.0), ("tilt", 0.2), ("lean", 1.4), ("xG", 0.45), ("I", 0.12)]);
    m.parameter("phi", 0.6).parameter("g", 9.81).parameter("T", 0.5);
    m.gravity = ["1", "-g"].into();
    // ground and bodies
    m.ground_point("O", [0.0, 0.0]).ground_point("V", ["0.05", "0"]);
    m.body(
        Body::new("bar")
            .mass(1.2)
            .com(["xG", "-0.1"])
            .inertia("I")
            .point("P", [0.0, 0.0])
            .point("Q", ["L", "0"])
            .point("R", ["1.5 * L", "0.2"]),
    );
    m.body(Body::new("shoe").mass(0.3).com([0.01, 0.02]).inertia(0.002).point("S", [0.0, 0.0]));
    // joints and drivers
    m.joint(sliding("line", JointKind::PointOnLine, ["cos(tilt)", "sin(tilt)"], "ground.O", "bar.P"));
    let slide = JointKind::Prismatic { angle: "lean - 0.3".into() };
    m.joint(sliding("slide", slide, ["cos(lean)", "sin(lean)"], "ground.V", "shoe.S"));
    m.joint(Joint::revolute("pin", "bar.Q", "shoe.S"));
    // start
    start(&mut m, &[("bar.angle", "pi - phi")], &[("bar.angle", "-0.8")]);
    m.initial.near = vec![("bar.P".into(), [0.9, 0.2].into()), ("bar.Q".into(), [0.1, 0.6].into())];
    // objectives
    m.integral("path", "norm2(bar.R) + bar.angle * shoe.angle");
    m.integral("normal", "norm2(line.reaction) / 100 + norm(slide.reaction) / 10 + slide.torque^2");
    m.terminal("end", "system.kinetic + acc(bar.R.y) / 10 + bar.com.x * L");
    m.t_end = "T".into();
    m
}

/// A plate with three shared points: one on the ground, two that carry bars.
pub fn ternary() -> Mechanism {
    let mut m = Mechanism::new("ternary");
    // parameters
    parameters(&mut m, &[("xB", 0.8), ("xC", 0.3), ("yC", 0.5), ("L1", 0.4), ("L2", 0.5)]);
    m.parameter("k", 25.0).parameter("m_plate", 2.0).parameter("yG", 0.2);
    m.gravity = [0.0, -9.81].into();
    // ground and bodies
    m.ground_point("O", [0.0, 0.0]).ground_point("H", [1.0, 1.0]);
    let plate = Body::new("plate").mass("m_plate").com(["0.3", "yG"]).inertia(0.2);
    m.body(plate.point("A", [0.0, 0.0]).point("B", ["xB", "0"]).point("C", ["xC", "yC"]));
    m.body(Body::new("left").mass(0.5).rod("C", "E", "L1"))
        .body(Body::new("right").mass(0.4).rod("B", "F", "L2"));
    // joints and drivers
    m.joint(Joint::revolute("J1", "ground.O", "plate.A")).joint(Joint::revolute("J2", "plate.B", "right.B"));
    m.joint(Joint::revolute("J3", "left.C", "plate.C"));
    // forces
    m.force("s", spring_damper("left.E", "ground.H", ["k", "0.2", "0.4"], None));
    // start
    let position = [("plate.angle", "-0.3"), ("left.angle", "0.5"), ("right.angle", "-1.2")];
    start(&mut m, &position, &[("plate.angle", "0.5"), ("left.angle", "0"), ("angle(plate, right)", "-1")]);
    // objectives
    m.integral("path", "norm2(left.E - right.F) + plate.com.y");
    m.integral("force", "s.force * s.length + norm2(acc(plate.C)) / 100");
    m.terminal("end", "vel(right.F.x) * left.angle + distance(left.E, right.F)");
    m.t_end = 0.4.into();
    m
}
