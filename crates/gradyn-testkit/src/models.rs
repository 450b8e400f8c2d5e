//! Mechanisms built in Rust.

#[cfg(feature = "dynamics")]
use gradyn_dynamics::assembly::assemble;
use gradyn_model::mechanism::{
    About, Body, Driver, ForceKind, InitialVelocity, Joint, JointKind, Mechanism, Number, Quantity, Rod,
    Spline, Vector,
};
use gradyn_model::{Coordinates, Model, System, build_in};

/// Every model with its name: what the cross-tests run over.
pub fn all() -> Vec<(&'static str, Mechanism)> {
    vec![
        ("five_bar", five_bar()),
        ("pendulum", pendulum()),
        ("double_pendulum", double_pendulum()),
        ("slider_crank", slider_crank()),
        ("four_bar", four_bar()),
        ("trammel", trammel()),
        ("welded", welded()),
        ("driven", driven()),
        ("spring_mass", spring_mass()),
        ("free_body", free_body()),
        ("rotor", rotor()),
        ("ternary", ternary()),
    ]
}

/// A model, its slots and positions at the start.
pub struct Ready {
    /// The model.
    pub model: Model,
    /// p = e(ρ).
    pub p: Vec<f64>,
    /// Positions.
    pub q: Vec<f64>,
}

/// Builds a mechanism; positions are where the assembly would begin, off the constraints.
///
/// # Panics
/// With the library's message where it does not build.
pub fn guessed_in(m: &Mechanism, family: Coordinates) -> Ready {
    let model = build_in(m, family).unwrap_or_else(|e| panic!("{}: {e}", m.name));
    let p = model.slots(&model.rho());
    let q = model.system.drawn().to_vec();
    Ready { model, p, q }
}

/// Builds and assembles a mechanism in natural coordinates.
///
/// # Panics
/// With the library's message where it does not build or assemble.
#[cfg(feature = "dynamics")]
pub fn ready(m: &Mechanism) -> Ready {
    ready_in(m, Coordinates::Natural)
}

/// Builds and assembles a mechanism in coordinates of some family.
///
/// # Panics
/// With the library's message where it does not build or assemble.
#[cfg(feature = "dynamics")]
pub fn ready_in(m: &Mechanism, family: Coordinates) -> Ready {
    let Ready { model, p, .. } = guessed_in(m, family);
    let names = [&model.conditions.0, &model.conditions.1]
        .map(|c| c.iter().map(|t| t.text.clone()).collect::<Vec<_>>());
    let t = p[model.times.start as usize];
    let at = assemble(&model.system, t, &p, &model.angles, (&names[0], Some(&names[1])))
        .unwrap_or_else(|e| panic!("{}: {e}", m.name));
    Ready { p, q: at.q, model }
}

/// A plane joint with an axis of body 1.
fn sliding(name: &str, kind: JointKind, axis: [&str; 2], a: &str, b: &str) -> Joint {
    Joint { axes: [Some(axis.into()), None], ..Joint::new(name, kind, a, b) }
}

fn spring(a: &str, b: &str, length: &str) -> ForceKind {
    ForceKind::SpringDamper {
        between: [a.into(), b.into()],
        stiffness: 100.0.into(),
        damping: 0.0.into(),
        length: length.into(),
        force: None,
    }
}

fn spring_damper(a: &str, b: &str, [k, c, length]: [&str; 3], force: Option<&str>) -> ForceKind {
    ForceKind::SpringDamper {
        between: [a.into(), b.into()],
        stiffness: k.into(),
        damping: c.into(),
        length: length.into(),
        force: force.map(Number::from),
    }
}

fn torsion(a: &str, b: &str, [k, c, angle]: [&str; 3], torque: Option<&str>) -> ForceKind {
    ForceKind::Torsion {
        about: About::Bodies([a.into(), b.into()]),
        stiffness: k.into(),
        damping: c.into(),
        angle: angle.into(),
        torque: torque.map(Number::from),
    }
}

fn drive(m: &mut Mechanism, name: &str, quantity: Quantity, value: &str) {
    m.drivers.push(Driver { name: name.into(), quantity, value: value.into() });
}

fn pairs(list: &[(&str, &str)]) -> Vec<(Number, Number)> {
    list.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect()
}

fn start(m: &mut Mechanism, position: &[(&str, &str)], velocity: &[(&str, &str)]) {
    m.initial.position = pairs(position);
    m.initial.velocity = InitialVelocity::Conditions(pairs(velocity));
}

/// The five-bar linkage A–1–2–3–B of M13, A22 and P14 with its five parameters and three objectives.
pub fn five_bar() -> Mechanism {
    let mut m = Mechanism::new("five-bar");
    m.gravity = [0.0, -9.81].into();
    m.parameter("L_s1", "sqrt(5)").parameter("L_s2", "sqrt(4.25)").parameter("m_A1", 1.0);
    m.parameter("xG_A1", "sqrt(2)/2").parameter("L_A1", "sqrt(2)");
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
    m.joint(Joint::revolute("A", "ground.A", "A1.A"));
    m.joint(Joint::revolute("J1", "A1.P1", "B12.P1"));
    m.joint(Joint::revolute("J2", "B12.P2", "B23.P2"));
    m.joint(Joint::revolute("J3", "B23.P3", "B3.P3"));
    m.joint(Joint::revolute("B", "B3.B", "ground.B"));
    m.force("s1", spring("A1.P1", "ground.B", "L_s1")).force("s2", spring("B12.P2", "ground.B", "L_s2"));
    m.initial.position =
        vec![("A1.angle".into(), "-135 deg".into()), ("B12.angle".into(), "atan2(-1, 1.5)".into())];
    m.initial.near = vec![("B23.P3".into(), [2.0, -1.0].into())];
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
    m.parameters.clear();
    m.bodies[0] = Body::new("A1").mass(1.0).rod("A", "P1", "sqrt(2)");
    m.forces = vec![];
    m.force("s1", spring("A1.P1", "ground.B", "sqrt(5)"))
        .force("s2", spring("B12.P2", "ground.B", "sqrt(4.25)"));
    for (name, on) in [("tau_A", "A1"), ("tau_B", "B3")] {
        let names: Vec<String> = (0..n).map(|k| format!("{name}_{k}")).collect();
        names.iter().for_each(|p| {
            m.parameter(p, 0.0);
        });
        let values = names.iter().map(|p| p.as_str().into()).collect();
        m.splines.push(Spline {
            name: name.into(),
            cyclic: true,
            start: 0.0.into(),
            duration: 5.0.into(),
            values,
        });
        let torque = ForceKind::Torque {
            on: on.into(),
            reaction: "ground".into(),
            torque: vec![name.into()],
            frame: None,
        };
        m.force(&format!("motor_{name}"), torque);
    }
    m.objectives.truncate(1);
    m
}

/// A bar on a pin, with the pin's reaction.
pub fn pendulum() -> Mechanism {
    let mut m = Mechanism::new("pendulum");
    m.parameter("L", 1.2).parameter("mass", 2.0).parameter("g", 9.81).parameter("xO", 0.1);
    m.parameter("theta", -0.7).parameter("omega", 0.4).parameter("T", 0.6);
    m.gravity = ["0", "-g"].into();
    m.ground_point("O", ["xO", "0.2"]);
    let bar = Body::new("bar").mass("mass").com(["L/2", "0.05"]).inertia("mass * L^2 / 12");
    m.body(bar.point("A", [0.0, 0.0]).point("B", ["L", "0"]));
    m.joint(Joint::revolute("pin", "ground.O", "bar.A"));
    start(&mut m, &[("bar.angle", "theta")], &[("bar.angle", "omega")]);
    m.integral("reaction", "norm2(pin.reaction) / 100");
    m.terminal("tip", "bar.B.x + vel(bar.B.y) + pin.reaction.y / 10");
    m.integral("power", "t * system.kinetic + vel(bar.angle)^2");
    m.t_end = "T".into();
    m
}

/// Two bars with a torsional spring and damper between them, linear and by expression.
pub fn double_pendulum() -> Mechanism {
    let mut m = Mechanism::new("double pendulum");
    m.parameter("L1", 0.8)
        .parameter("L2", 0.6)
        .parameter("k", 3.0)
        .parameter("c", 0.2)
        .parameter("free", 0.3);
    m.parameter("k3", 1.5)
        .parameter("c3", 0.1)
        .parameter("m2", 0.7)
        .parameter("theta1", -1.1)
        .parameter("speed2", 1.3);
    m.gravity = [0.0, -9.81].into();
    m.ground_point("O", [0.0, 0.0]);
    m.body(Body::new("bar1").mass(1.0).rod("A", "B", "L1"));
    m.body(Body::new("bar2").mass("m2").rod("B", "C", "L2"));
    m.joint(Joint::revolute("J1", "ground.O", "bar1.A")).joint(Joint::revolute("J2", "bar1.B", "bar2.B"));
    m.force(
        "hinge",
        torsion(
            "bar1",
            "bar2",
            ["k", "c", "free"],
            Some("k3 * angle^3 + c3 * speed * (1 + angle^2) + 0.1 * sin(3 * t)"),
        ),
    );
    start(
        &mut m,
        &[("bar1.angle", "theta1"), ("bar2.angle", "-0.4")],
        &[("bar1.angle", "0.2"), ("angle(bar1, bar2)", "speed2")],
    );
    m.integral("acceleration", "norm2(acc(bar2.C)) / 100 + acc(bar2.angle)^2 / 1000");
    m.terminal("fold", "angle(bar1, bar2) + vel(angle(bar1, bar2)) * k + bar1.angle^2");
    m.integral("torque", "hinge.torque^2 + hinge.speed * hinge.angle + system.potential / 10");
    m.t_end = 0.5.into();
    m
}

/// A crank that is driven, a rod and a slider: no degree of freedom.
pub fn slider_crank() -> Mechanism {
    let mut m = Mechanism::new("slider-crank");
    m.parameter("r", 0.3).parameter("L", 0.9).parameter("alpha", 0.1).parameter("m_slider", 1.4);
    m.parameter("amplitude", 0.4).parameter("frequency", 5.0).parameter("rate", 3.0).parameter("yS", 0.05);
    m.gravity = [0.0, -9.81].into();
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
    m.joint(Joint::revolute("O", "ground.O", "crank.A")).joint(Joint::revolute("J", "crank.B", "rod.B"));
    m.joint(Joint::revolute("wrist", "rod.C", "slider.P"));
    let axis = ["2 * cos(alpha)", "2 * sin(alpha)"];
    m.joint(sliding("guide", JointKind::Prismatic { angle: "alpha".into() }, axis, "ground.S", "slider.Q"));
    let angle = Quantity::Angle("ground".into(), "crank".into());
    drive(&mut m, "motor", angle, "0.5 + rate * t + amplitude * sin(frequency * t)");
    m.force("gas", spring_damper("ground.O", "slider.P", ["20", "0.5", "1"], Some("0.2 * length * speed")));
    m.initial.near = vec![("slider.P".into(), [1.1, 0.1].into())];
    m.integral("effort", "motor.effort^2 + dot(wrist.reaction, [0.3, 0.7])");
    m.terminal("guide", "norm2(guide.reaction) / 10 + guide.torque + slider.P.x * motor.effort");
    m.integral("jerk", "acc(slider.P.x)^2 / 100 + vel(distance(ground.O, slider.Q)) + crank.angle");
    m.t_end = 0.7.into();
    m
}

/// A four-bar linkage by hard points of its design configuration.
pub fn four_bar() -> Mechanism {
    let mut m = Mechanism::new("four-bar");
    m.parameter("xB", 0.1)
        .parameter("yB", 0.4)
        .parameter("xC", 1.0)
        .parameter("yC", 0.7)
        .parameter("xD", 1.1);
    m.parameter("k", 40.0).parameter("free", 0.5).parameter("spin", 2.0);
    m.gravity = [0.0, -9.81].into();
    let points: [(&str, [&str; 2]); 5] = [
        ("A", ["0", "0"]),
        ("B", ["xB", "yB"]),
        ("C", ["xC", "yC"]),
        ("D", ["xD", "0"]),
        ("E", ["(xB + xC) / 2", "1"]),
    ];
    m.hard_points = points.iter().map(|(n, at)| ((*n).into(), at.map(Number::from).into())).collect();
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
    m.joint(Joint::revolute("JA", "ground.A", "crank.A")).joint(Joint::revolute(
        "JB",
        "crank.B",
        "coupler.B",
    ));
    m.joint(Joint::revolute("JC", "coupler.C", "rocker.C"))
        .joint(Joint::revolute("JD", "ground.D", "rocker.D"));
    m.force("s", spring_damper("ground.D", "coupler.E", ["k", "0.3", "free"], None));
    start(&mut m, &[("crank.angle", "0.2")], &[("crank.angle", "spin")]);
    m.integral("path", "norm2(coupler.E - (B + C) / 2) + s.force^2 / 1000");
    m.integral("speed", "vel(rocker.angle)^2 + JD.reaction.x / 100");
    m.terminal("end", "distance(crank.B, ground.D) + vel(distance(crank.B, ground.D)) + system.energy / 10");
    m.t_end = 0.4.into();
    m
}

/// A bar with one point on a line and another on a slider.
pub fn trammel() -> Mechanism {
    let mut m = Mechanism::new("trammel");
    m.parameter("L", 1.0)
        .parameter("tilt", 0.2)
        .parameter("lean", 1.4)
        .parameter("xG", 0.45)
        .parameter("I", 0.12);
    m.parameter("phi", 0.6).parameter("g", 9.81).parameter("T", 0.5);
    m.gravity = ["1", "-g"].into();
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
    m.joint(sliding("line", JointKind::PointOnLine, ["cos(tilt)", "sin(tilt)"], "ground.O", "bar.P"));
    let slide = JointKind::Prismatic { angle: "lean - 0.3".into() };
    m.joint(sliding("slide", slide, ["cos(lean)", "sin(lean)"], "ground.V", "shoe.S"));
    m.joint(Joint::revolute("pin", "bar.Q", "shoe.S"));
    start(&mut m, &[("bar.angle", "pi - phi")], &[("bar.angle", "-0.8")]);
    m.initial.near = vec![("bar.P".into(), [0.9, 0.2].into()), ("bar.Q".into(), [0.1, 0.6].into())];
    m.integral("path", "norm2(bar.R) + bar.angle * shoe.angle");
    m.integral("normal", "norm2(line.reaction) / 100 + norm(slide.reaction) / 10 + slide.torque^2");
    m.terminal("end", "system.kinetic + acc(bar.R.y) / 10 + bar.com.x * L");
    m.t_end = "T".into();
    m
}

/// Two bodies that are welded, with the centres of mass off their axes, hanging by a distance joint.
pub fn welded() -> Mechanism {
    let mut m = Mechanism::new("welded");
    m.parameter("length", 0.7)
        .parameter("angle", 0.5)
        .parameter("yG", 0.15)
        .parameter("xW", 0.4)
        .parameter("mass", 1.1);
    m.parameter("I", 0.08).parameter("x0", 0.3).parameter("v0", -0.5);
    m.gravity = [0.0, -9.81].into();
    m.ground_point("O", [0.0, 0.0]);
    m.body(
        Body::new("a")
            .mass("mass")
            .com(["0.2", "yG"])
            .inertia("I")
            .point("P", [0.0, 0.1])
            .point("W", ["xW", "-0.05"]),
    );
    m.body(
        Body::new("b")
            .mass(0.6)
            .com(["0.1", "-yG / 2"])
            .inertia("0.03")
            .point("W", [0.05, 0.0])
            .point("E", ["0.5", "0.1"]),
    );
    m.joint(Joint::new("cable", JointKind::Distance { length: "length".into() }, "ground.O", "a.P"));
    m.joint(Joint::new("weld", JointKind::Fixed { angle: "angle".into() }, "a.W", "b.W"));
    start(&mut m, &[("a.P.x", "x0"), ("a.angle", "-0.3")], &[("a.P.x", "v0"), ("b.angle", "0.9")]);
    m.initial.near = vec![("a.P".into(), [0.3, -0.6].into())];
    m.integral("weld", "norm2(weld.reaction) / 100 + weld.torque^2");
    m.integral("cable", "norm(cable.reaction) + norm2(acc(b.com)) / 100");
    m.terminal("end", "b.E.x * b.E.y + angle(a, b) + system.energy / 10");
    m.t_end = 0.5.into();
    m
}

/// A body whose point is driven by a distance and a coordinate; it may turn.
pub fn driven() -> Mechanism {
    let mut m = Mechanism::new("driven");
    m.parameter("reach", 1.0).parameter("amplitude", 0.1).parameter("frequency", 4.0).parameter("mass", 0.9);
    m.parameter("yP", 0.2).parameter("xO", 0.1).parameter("h1", 0.35).parameter("h2", 0.2);
    m.gravity = [0.5, -9.81].into();
    m.ground_point("O", ["xO", "0"]);
    m.body(
        Body::new("arm")
            .mass("mass")
            .com(["0.3", "0.1"])
            .inertia(0.05)
            .point("C", [0.0, 0.0])
            .point("P", ["0.15", "yP"]),
    );
    let values = ["0.3", "h1", "h2", "0.25", "0.3"].map(Number::from).to_vec();
    // starts before the run: a held end is only C¹, and the start time is a parameter of the cross-tests
    m.splines.push(Spline {
        name: "lift".into(),
        cyclic: false,
        start: (-0.1).into(),
        duration: 1.0.into(),
        values,
    });
    drive(
        &mut m,
        "rope",
        Quantity::Distance("ground.O".into(), "arm.P".into()),
        "reach + amplitude * sin(frequency * t)",
    );
    drive(&mut m, "lifter", Quantity::Coordinate("arm.P.x".into()), "lift + amplitude * t^2");
    start(&mut m, &[("arm.angle", "-0.5")], &[("arm.angle", "1.0")]);
    m.initial.near = vec![("arm.P".into(), [0.3, -0.97].into())];
    m.integral("efforts", "rope.effort^2 / 100 + lifter.effort * lift");
    m.terminal("end", "rope.effort + arm.C.y + vel(arm.angle) + amplitude * t");
    m.integral("swing", "arm.angle^2 + norm2(acc(arm.com)) / 100");
    m.t_end = 0.8.into();
    m
}

/// A body on a non-linear spring with a force by a clamped spline and a torque by a cyclic one.
pub fn spring_mass() -> Mechanism {
    let mut m = Mechanism::new("spring-mass");
    m.parameter("k", 30.0)
        .parameter("c", 0.4)
        .parameter("free", 0.6)
        .parameter("k3", 8.0)
        .parameter("mass", 1.3);
    m.parameter("f1", 2.0)
        .parameter("f2", -1.0)
        .parameter("tau1", 0.3)
        .parameter("tau2", -0.2)
        .parameter("F0", 0.7);
    m.gravity = [0.0, -9.81].into();
    m.ground_point("O", [0.0, 0.0]);
    m.body(
        Body::new("block")
            .mass("mass")
            .com([0.02, 0.04])
            .inertia(0.06)
            .point("A", [-0.1, 0.1])
            .point("B", ["0.2", "0.05"]),
    );
    let force = "k3 * (length - free)^3 + 0.3 * speed * length + 0.05 * speed^3";
    m.force("s", spring_damper("ground.O", "block.A", ["k", "c", "free"], Some(force)));
    let clamped = ["0", "f1", "f2", "1.5"].map(Number::from).to_vec();
    m.splines.push(Spline {
        name: "pull".into(),
        cyclic: false,
        start: (-0.1).into(),
        duration: 0.7.into(),
        values: clamped,
    });
    let cyclic = ["tau1", "0.1", "tau2"].map(Number::from).to_vec();
    m.splines.push(Spline {
        name: "twist".into(),
        cyclic: true,
        start: 0.0.into(),
        duration: 0.3.into(),
        values: cyclic,
    });
    m.force(
        "push",
        ForceKind::Point {
            at: "block.B".into(),
            force: ["pull", "0.3 * pull + F0 * sin(7 * t)"].into(),
            frame: None,
        },
    );
    m.force(
        "motor",
        ForceKind::Torque {
            on: "block".into(),
            reaction: "ground".into(),
            torque: vec!["twist".into()],
            frame: None,
        },
    );
    let position = [("block.A.x", "0.2"), ("block.A.y", "-0.8"), ("block.angle", "0.3")];
    start(&mut m, &position, &[("block.com", "[0.1, -0.2]"), ("block.angle", "1.5")]);
    m.integral("tension", "s.force^2 / 100 + s.length * s.speed + pull * block.B.x");
    m.integral("power", "push.force.y * vel(block.B.y) + motor.torque * vel(block.angle)");
    m.terminal("end", "acc(block.B.x) + system.energy + s.length");
    m.t_end = 0.6.into();
    m
}

/// A body without joints or points.
pub fn free_body() -> Mechanism {
    let mut m = Mechanism::new("free body");
    m.parameter("mass", 0.8)
        .parameter("I", 0.05)
        .parameter("g", 9.81)
        .parameter("vx", 2.0)
        .parameter("spin", 4.0);
    m.parameter("T", 0.7).parameter("tau", 0.1);
    m.gravity = ["0.3", "-g"].into();
    m.body(Body::new("disc").mass("mass").com(["0.1", "0.2"]).inertia("I").point("P", [0.05, 0.0]));
    m.force(
        "fan",
        ForceKind::Torque {
            on: "disc".into(),
            reaction: "ground".into(),
            torque: vec!["tau * cos(5 * t)".into()],
            frame: None,
        },
    );
    start(
        &mut m,
        &[("disc.com", "[0, 1]"), ("disc.angle", "0.4")],
        &[("disc.com", "[vx, 3]"), ("disc.angle", "spin")],
    );
    m.integral("height", "disc.com.y^2 + norm2(acc(disc.com)) / 100");
    m.terminal("end", "disc.com.x + disc.angle * vel(disc.angle) + system.kinetic * t");
    m.t_end = "T".into();
    m
}

/// A rotor on a pin over several turns, with a torsional spring that remembers them; it starts beyond the
/// first turn.
pub fn rotor() -> Mechanism {
    let mut m = Mechanism::new("rotor");
    m.parameter("I", 0.2)
        .parameter("k", 0.3)
        .parameter("c", 0.01)
        .parameter("rest", 7.5)
        .parameter("tau", 2.0);
    m.parameter("phi", 7.0).parameter("spin", 12.0).parameter("eccentric", 0.05);
    m.gravity = [0.0, -9.81].into();
    m.ground_point("O", [0.0, 0.0]);
    m.body(
        Body::new("wheel")
            .mass(1.0)
            .com(["eccentric", "0"])
            .inertia("I")
            .point("A", [0.0, 0.0])
            .point("B", [0.3, 0.1]),
    );
    m.joint(Joint::revolute("pin", "ground.O", "wheel.A"));
    m.force("coil", torsion("ground", "wheel", ["k", "c", "rest"], Some("0.001 * (angle - rest)^3")));
    m.force(
        "motor",
        ForceKind::Torque {
            on: "wheel".into(),
            reaction: "ground".into(),
            torque: vec!["tau * (1 + cos(6 * t))".into()],
            frame: None,
        },
    );
    start(&mut m, &[("wheel.angle", "phi")], &[("wheel.angle", "spin")]);
    m.integral("turns", "wheel.angle^2 / 100 + coil.torque^2");
    m.terminal("end", "wheel.angle + system.energy / 10 + wheel.B.x");
    m.t_end = 1.0.into();
    m
}

/// A plate with three shared points: one on the ground, two that carry bars.
pub fn ternary() -> Mechanism {
    let mut m = Mechanism::new("ternary");
    m.parameter("xB", 0.8)
        .parameter("xC", 0.3)
        .parameter("yC", 0.5)
        .parameter("L1", 0.4)
        .parameter("L2", 0.5);
    m.parameter("k", 25.0).parameter("m_plate", 2.0).parameter("yG", 0.2);
    m.gravity = [0.0, -9.81].into();
    m.ground_point("O", [0.0, 0.0]).ground_point("H", [1.0, 1.0]);
    let plate = Body::new("plate").mass("m_plate").com(["0.3", "yG"]).inertia(0.2);
    m.body(plate.point("A", [0.0, 0.0]).point("B", ["xB", "0"]).point("C", ["xC", "yC"]));
    m.body(Body::new("left").mass(0.5).rod("C", "E", "L1"))
        .body(Body::new("right").mass(0.4).rod("B", "F", "L2"));
    m.joint(Joint::revolute("J1", "ground.O", "plate.A")).joint(Joint::revolute("J2", "plate.B", "right.B"));
    m.joint(Joint::revolute("J3", "left.C", "plate.C"));
    m.force("s", spring_damper("left.E", "ground.H", ["k", "0.2", "0.4"], None));
    let position = [("plate.angle", "-0.3"), ("left.angle", "0.5"), ("right.angle", "-1.2")];
    start(&mut m, &position, &[("plate.angle", "0.5"), ("left.angle", "0"), ("angle(plate, right)", "-1")]);
    m.integral("path", "norm2(left.E - right.F) + plate.com.y");
    m.integral("force", "s.force * s.length + norm2(acc(plate.C)) / 100");
    m.terminal("end", "vel(right.F.x) * left.angle + distance(left.E, right.F)");
    m.t_end = 0.4.into();
    m
}
