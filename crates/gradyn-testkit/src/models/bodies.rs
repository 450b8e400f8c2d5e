//! Pendulums, rotors and bodies on springs: one or two bodies each.

use super::{drive, parameters, spline, spring_damper, start, torque, torsion};
use gradyn_model::mechanism::{Body, ForceKind, Joint, JointKind, Mechanism, Number, Quantity};

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
    // parameters
    parameters(&mut m, &[("L1", 0.8), ("L2", 0.6), ("k", 3.0), ("c", 0.2), ("free", 0.3)]);
    parameters(&mut m, &[("k3", 1.5), ("c3", 0.1), ("m2", 0.7), ("theta1", -1.1), ("speed2", 1.3)]);
    m.gravity = [0.0, -9.81].into();
    // ground and bodies
    m.ground_point("O", [0.0, 0.0]);
    m.body(Body::new("bar1").mass(1.0).rod("A", "B", "L1"));
    m.body(Body::new("bar2").mass("m2").rod("B", "C", "L2"));
    // joints and drivers
    m.joint(Joint::revolute("J1", "ground.O", "bar1.A")).joint(Joint::revolute("J2", "bar1.B", "bar2.B"));
    // forces
    m.force(
        "hinge",
        torsion(
            "bar1",
            "bar2",
            ["k", "c", "free"],
            Some("k3 * angle^3 + c3 * speed * (1 + angle^2) + 0.1 * sin(3 * t)"),
        ),
    );
    // start
    start(
        &mut m,
        &[("bar1.angle", "theta1"), ("bar2.angle", "-0.4")],
        &[("bar1.angle", "0.2"), ("angle(bar1, bar2)", "speed2")],
    );
    // objectives
    m.integral("acceleration", "norm2(acc(bar2.C)) / 100 + acc(bar2.angle)^2 / 1000");
    m.terminal("fold", "angle(bar1, bar2) + vel(angle(bar1, bar2)) * k + bar1.angle^2");
    m.integral("torque", "hinge.torque^2 + hinge.speed * hinge.angle + system.potential / 10");
    m.t_end = 0.5.into();
    m
}

/// Two bodies that are welded, with the centres of mass off their axes, hanging by a distance joint.
pub fn welded() -> Mechanism {
    let mut m = Mechanism::new("welded");
    // parameters
    parameters(&mut m, &[("length", 0.7), ("angle", 0.5), ("yG", 0.15), ("xW", 0.4), ("mass", 1.1)]);
    m.parameter("I", 0.08).parameter("x0", 0.3).parameter("v0", -0.5);
    m.gravity = [0.0, -9.81].into();
    // ground and bodies
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
    // joints and drivers
    m.joint(Joint::new("cable", JointKind::Distance { length: "length".into() }, "ground.O", "a.P"));
    m.joint(Joint::new("weld", JointKind::Fixed { angle: "angle".into() }, "a.W", "b.W"));
    // start
    start(&mut m, &[("a.P.x", "x0"), ("a.angle", "-0.3")], &[("a.P.x", "v0"), ("b.angle", "0.9")]);
    m.initial.near = vec![("a.P".into(), [0.3, -0.6].into())];
    // objectives
    m.integral("weld", "norm2(weld.reaction) / 100 + weld.torque^2");
    m.integral("cable", "norm(cable.reaction) + norm2(acc(b.com)) / 100");
    m.terminal("end", "b.E.x * b.E.y + angle(a, b) + system.energy / 10");
    m.t_end = 0.5.into();
    m
}

/// A body whose point is driven by a distance and a coordinate; it may turn.
pub fn driven() -> Mechanism {
    let mut m = Mechanism::new("driven");
    // parameters
    m.parameter("reach", 1.0).parameter("amplitude", 0.1).parameter("frequency", 4.0).parameter("mass", 0.9);
    m.parameter("yP", 0.2).parameter("xO", 0.1).parameter("h1", 0.35).parameter("h2", 0.2);
    m.gravity = [0.5, -9.81].into();
    // ground and bodies
    m.ground_point("O", ["xO", "0"]);
    m.body(
        Body::new("arm")
            .mass("mass")
            .com(["0.3", "0.1"])
            .inertia(0.05)
            .point("C", [0.0, 0.0])
            .point("P", ["0.15", "yP"]),
    );
    // drivers; the spline starts before the run: a held end is only C¹, and the start time is a parameter of
    // the cross-tests
    let values = ["0.3", "h1", "h2", "0.25", "0.3"].map(Number::from).to_vec();
    spline(&mut m, "lift", false, [-0.1, 1.0], values);
    let distance = Quantity::Distance("ground.O".into(), "arm.P".into());
    drive(&mut m, "rope", distance, "reach + amplitude * sin(frequency * t)");
    drive(&mut m, "lifter", Quantity::Coordinate("arm.P.x".into()), "lift + amplitude * t^2");
    // start
    start(&mut m, &[("arm.angle", "-0.5")], &[("arm.angle", "1.0")]);
    m.initial.near = vec![("arm.P".into(), [0.3, -0.97].into())];
    // objectives
    m.integral("efforts", "rope.effort^2 / 100 + lifter.effort * lift");
    m.terminal("end", "rope.effort + arm.C.y + vel(arm.angle) + amplitude * t");
    m.integral("swing", "arm.angle^2 + norm2(acc(arm.com)) / 100");
    m.t_end = 0.8.into();
    m
}

/// A body on a non-linear spring with a force by a clamped spline and a torque by a cyclic one.
pub fn spring_mass() -> Mechanism {
    let mut m = Mechanism::new("spring-mass");
    // parameters
    parameters(&mut m, &[("k", 30.0), ("c", 0.4), ("free", 0.6), ("k3", 8.0), ("mass", 1.3)]);
    parameters(&mut m, &[("f1", 2.0), ("f2", -1.0), ("tau1", 0.3), ("tau2", -0.2), ("F0", 0.7)]);
    m.gravity = [0.0, -9.81].into();
    // ground and bodies
    m.ground_point("O", [0.0, 0.0]);
    m.body(
        Body::new("block")
            .mass("mass")
            .com([0.02, 0.04])
            .inertia(0.06)
            .point("A", [-0.1, 0.1])
            .point("B", ["0.2", "0.05"]),
    );
    // forces
    let force = "k3 * (length - free)^3 + 0.3 * speed * length + 0.05 * speed^3";
    m.force("s", spring_damper("ground.O", "block.A", ["k", "c", "free"], Some(force)));
    let clamped = ["0", "f1", "f2", "1.5"].map(Number::from).to_vec();
    spline(&mut m, "pull", false, [-0.1, 0.7], clamped);
    let cyclic = ["tau1", "0.1", "tau2"].map(Number::from).to_vec();
    spline(&mut m, "twist", true, [0.0, 0.3], cyclic);
    let pull = ["pull", "0.3 * pull + F0 * sin(7 * t)"].into();
    m.force("push", ForceKind::Point { at: "block.B".into(), force: pull, frame: None });
    torque(&mut m, "motor", "block", "twist");
    // start
    let position = [("block.A.x", "0.2"), ("block.A.y", "-0.8"), ("block.angle", "0.3")];
    start(&mut m, &position, &[("block.com", "[0.1, -0.2]"), ("block.angle", "1.5")]);
    // objectives
    m.integral("tension", "s.force^2 / 100 + s.length * s.speed + pull * block.B.x");
    m.integral("power", "push.force.y * vel(block.B.y) + motor.torque * vel(block.angle)");
    m.terminal("end", "acc(block.B.x) + system.energy + s.length");
    m.t_end = 0.6.into();
    m
}

/// A body without joints or points.
pub fn free_body() -> Mechanism {
    let mut m = Mechanism::new("free body");
    // parameters
    parameters(&mut m, &[("mass", 0.8), ("I", 0.05), ("g", 9.81), ("vx", 2.0), ("spin", 4.0)]);
    m.parameter("T", 0.7).parameter("tau", 0.1);
    m.gravity = ["0.3", "-g"].into();
    // ground and bodies
    m.body(Body::new("disc").mass("mass").com(["0.1", "0.2"]).inertia("I").point("P", [0.05, 0.0]));
    // forces
    torque(&mut m, "fan", "disc", "tau * cos(5 * t)");
    // start
    start(
        &mut m,
        &[("disc.com", "[0, 1]"), ("disc.angle", "0.4")],
        &[("disc.com", "[vx, 3]"), ("disc.angle", "spin")],
    );
    // objectives
    m.integral("height", "disc.com.y^2 + norm2(acc(disc.com)) / 100");
    m.terminal("end", "disc.com.x + disc.angle * vel(disc.angle) + system.kinetic * t");
    m.t_end = "T".into();
    m
}

/// A rotor on a pin over several turns, with a torsional spring that remembers them; it starts beyond the
/// first turn.
pub fn rotor() -> Mechanism {
    let mut m = Mechanism::new("rotor");
    // parameters
    parameters(&mut m, &[("I", 0.2), ("k", 0.3), ("c", 0.01), ("rest", 7.5), ("tau", 2.0)]);
    m.parameter("phi", 7.0).parameter("spin", 12.0).parameter("eccentric", 0.05);
    m.gravity = [0.0, -9.81].into();
    // ground and bodies
    m.ground_point("O", [0.0, 0.0]);
    m.body(
        Body::new("wheel")
            .mass(1.0)
            .com(["eccentric", "0"])
            .inertia("I")
            .point("A", [0.0, 0.0])
            .point("B", [0.3, 0.1]),
    );
    // joints and drivers
    m.joint(Joint::revolute("pin", "ground.O", "wheel.A"));
    // forces
    m.force("coil", torsion("ground", "wheel", ["k", "c", "rest"], Some("0.001 * (angle - rest)^3")));
    torque(&mut m, "motor", "wheel", "tau * (1 + cos(6 * t))");
    // start
    start(&mut m, &[("wheel.angle", "phi")], &[("wheel.angle", "spin")]);
    // objectives
    m.integral("turns", "wheel.angle^2 / 100 + coil.torque^2");
    m.terminal("end", "wheel.angle + system.energy / 10 + wheel.B.x");
    m.t_end = 1.0.into();
    m
}
