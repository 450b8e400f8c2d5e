//! One or two small mechanisms for every joint, force, coupling, driver, shape and sensor: what the tests of
//! elements run over.
//!
//! Most are two bodies a and b that float without gravity, tied by the element between a.P and b.Q; the
//! conditions at the start are the pose of a and the coordinates of the element. What an entry covers is read
//! off its mechanism ([`Entry::covers`]), so that a test can ask whether every registered name is there.

use gradyn_model::expression::parse;
use gradyn_model::mechanism::{
    CouplingKind, ForceKind, MAGIC, Mechanism, Number, Quantity, ShapeKind, Source,
};
use std::collections::BTreeSet;

/// A small mechanism and what is known of it.
pub(crate) struct Entry {
    /// Name, such as `joint revolute 3`.
    pub name: String,
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Power of its forces, an expression of their sensors [W].
    pub power: Option<String>,
    /// Nothing acts from outside: momentum and angular momentum are kept.
    pub isolated: bool,
}

/// Conditions (expression, value, rate).
type Conditions<'a> = &'a [(&'a str, f64, f64)];

/// A rate that follows from rows of velocity level.
const HELD: f64 = f64::NAN;

const PLANE: &str = r#"
dimension = 2
ground.points = { O = [0.1, -0.2], G = [0.9, 0.4] }
[body.a]
mass = 1.2
com = [0.1, 0.05]
inertia = 0.3
points = { P = [0.2, 0.1], R = [-0.3, 0.2] }
[body.b]
mass = 0.8
com = [-0.05, 0.1]
inertia = 0.2
points = { Q = [-0.15, 0.25], S = [0.3, 0.1] }
"#;

const SPACE: &str = r#"
dimension = 3
ground.points = { O = [0.1, -0.2, 0.3], G = [0.9, 0.4, -0.2], H = [0.2, 0.1, 0.6] }
[body.a]
mass = 1.2
com = [0.1, 0.05, -0.02]
inertia = [0.3, 0.4, 0.5, 0.02, -0.03, 0.04]
points = { P = [0.2, 0.1, 0.15], R = [-0.3, 0.2, 0.1] }
[body.b]
mass = 0.8
com = [-0.05, 0.1, 0.07]
inertia = [0.2, 0.25, 0.3]
points = { Q = [-0.15, 0.25, 0.1], S = [0.3, 0.1, -0.2] }
"#;

const POSE_2: Conditions = &[("a.com.x", 0.3, 0.4), ("a.com.y", -0.2, -0.3), ("a.angle", 0.5, 0.8)];
const POSE_3: Conditions = &[
    ("a.com.x", 0.3, 0.4),
    ("a.com.y", -0.2, -0.3),
    ("a.com.z", 0.1, 0.2),
    ("a.roll", 0.2, 0.5),
    ("a.pitch", -0.3, 0.6),
    ("a.yaw", 0.5, -0.7),
];
/// Attitude of b relative to a.
const TURNED: Conditions = &[("roll(a, b)", -0.3, 0.9), ("pitch(a, b)", 0.2, -0.6), ("yaw(a, b)", 0.4, 0.7)];
/// Place of b.Q in the axes of a.
const APART: Conditions = &[
    ("dot(b.Q - a.P, axis(a, [1, 0, 0]))", 0.45, 0.2),
    ("dot(b.Q - a.P, axis(a, [0, 1, 0]))", 0.3, -0.3),
    ("dot(b.Q - a.P, axis(a, [0, 0, 1]))", -0.2, 0.4),
];
const APART_2: Conditions = &[
    ("dot(b.Q - a.P, axis(a, [1, 0]))", 0.45, 0.5),
    ("dot(b.Q - a.P, axis(a, [0, 1]))", 0.3, -0.3),
    ("angle(a, b)", 0.4, 0.7),
];

/// Coefficients of a tyre for a load of 20 N, in the order of [`MAGIC`].
const MAGIC_EXAMPLE: [f64; 19] =
    [20.0, 1.7, 0.8, -0.2, 0.5, 0.4, 0.1, 1.5, -0.3, 0.2, 1.6, 0.7, -0.1, 0.4, -0.1, 1.2, 3.0, 0.4, 0.3];

/// Reads a model file; the testkit trusts its own texts.
fn read(name: &str, text: &str) -> Mechanism {
    let text = format!("name = \"{name}\"\n{text}");
    gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}")).mechanism
}

fn start(m: &mut Mechanism, conditions: &[(&str, f64, f64)]) {
    m.initial.position = conditions.iter().map(|(k, x, _)| ((*k).into(), (*x).into())).collect();
    let velocity =
        conditions.iter().filter(|c| !c.2.is_nan()).map(|(k, _, v)| ((*k).into(), (*v).into())).collect();
    m.initial.velocity = gradyn_model::mechanism::InitialVelocity::Conditions(velocity);
}

/// Outputs, and an objective that reads all of them.
fn watch(m: &mut Mechanism, outputs: &[&str]) {
    m.outputs = outputs.iter().enumerate().map(|(k, x)| (format!("y{k}").into(), (*x).into())).collect();
    let weighted = |w: f64| {
        let terms: Vec<String> =
            outputs.iter().enumerate().map(|(k, x)| format!("{} * ({x})", w + 0.1 * k as f64)).collect();
        terms.join(" + ")
    };
    m.integral("watch", &weighted(0.3)).terminal("end", &weighted(-0.4));
    m.t_end = 0.2.into();
}

struct Maker {
    list: Vec<Entry>,
}

impl Maker {
    /// Adds an entry, without the points that nothing uses.
    fn push(&mut self, name: String, mut mechanism: Mechanism, power: Option<&str>, isolated: bool) {
        let ground = std::mem::take(&mut mechanism.ground);
        let text = format!("{mechanism:?}");
        mechanism.ground =
            ground.into_iter().filter(|(n, _)| text.contains(&format!("ground.{n}"))).collect();
        mechanism
            .bodies
            .iter_mut()
            .for_each(|b| b.points.retain(|(n, _)| text.contains(&format!("{}.{n}", b.name))));
        self.list.push(Entry { name, mechanism, power: power.map(String::from), isolated });
    }
    /// Bodies a and b with an element; `more` are conditions beside the pose of a.
    fn pair(
        &mut self,
        name: &str,
        dimension: usize,
        element: &str,
        more: &[Conditions],
        outputs: &[&str],
        power: Option<&str>,
    ) {
        let (base, pose) = if dimension == 2 { (PLANE, POSE_2) } else { (SPACE, POSE_3) };
        let name = format!("{name} {dimension}");
        let mut m = read(&name, &format!("{base}\n{element}"));
        let all: Vec<_> = pose.iter().chain(more.iter().copied().flatten()).copied().collect();
        start(&mut m, &all);
        watch(&mut m, outputs);
        // what is free of the ground keeps its momentum
        let isolated = !element.contains("ground")
            && !element.contains("driver")
            && !element.contains("type = \"force\"")
            && !element.contains("tyre")
            && !element.contains("sensor");
        self.push(name, m, power, isolated && !element.contains("constraint") && !element.contains("on = "));
    }
    /// A joint, with its reaction read and without.
    fn joint(&mut self, kind: &str, dimension: usize, keys: &str, more: &[Conditions], outputs: &[&str]) {
        let element = format!("[joint]\nj = {{ type = \"{kind}\", between = [\"a.P\", \"b.Q\"] {keys} }}");
        let mut read: Vec<String> = outputs.iter().map(|s| s.to_string()).collect();
        read.extend(outputs.iter().map(|s| format!("vel({s}) * acc({s})")));
        let mut all = read.clone();
        let axes = ["x", "y", "z"];
        all.extend(axes[..dimension].iter().map(|k| format!("j.reaction.{k}")));
        if dimension == 2 {
            all.push("j.torque".into());
        } else {
            all.extend(axes.map(|k| format!("j.torque.{k}")));
        }
        fn texts(list: &[String]) -> Vec<&str> {
            list.iter().map(String::as_str).collect()
        }
        self.pair(&format!("joint {kind}"), dimension, &element, more, &texts(&all), None);
        read.push("distance(a.R, b.S)".into());
        self.pair(&format!("joint shared {kind}"), dimension, &element, more, &texts(&read), None);
    }
    fn joints(&mut self) {
        let angle: Conditions = &[("j.angle", 0.4, 1.1)];
        let position: Conditions = &[("j.position", 0.5, -0.6)];
        self.joint("revolute", 2, "", &[angle], &["j.angle"]);
        self.joint("prismatic", 2, ", axis = [1, 0.4], angle = 0.3", &[position], &["j.position"]);
        self.joint("fixed", 2, ", angle = 0.3", &[], &[]);
        self.joint("free", 2, "", &[APART_2], &["j.angle"]);
        self.joint("distance", 2, ", length = 0.6", &[&APART_2[1..]], &["j.angle"]);
        self.joint("point-on-line", 2, ", axis = [1, 0.4]", &[position, angle], &["j.position", "j.angle"]);
        let axes = ", axes = [[0.2, -0.3, 1], [1, 0.1, -0.2]]";
        let frames = format!("{axes}, normals = [[1, 0.2, 0.1], [0, 0.4, 1]]");
        self.joint("revolute", 3, axes, &[angle], &["j.angle"]);
        self.joint("revolute", 3, ", axis = [0.2, -0.3, 1], normal = [1, 0, 0.3]", &[angle], &["j.angle"]);
        self.joint("prismatic", 3, &format!("{frames}, angle = 0.3"), &[position], &["j.position"]);
        self.joint("cylindrical", 3, &frames, &[angle, position], &["j.angle", "j.position"]);
        self.joint("screw", 3, &format!("{axes}, lead = 0.7"), &[angle], &["j.angle", "j.position"]);
        self.joint("spherical", 3, "", &[TURNED], &["roll(a, b)"]);
        let universal: Conditions = &[("j.angle_1", 0.4, 1.1), ("j.angle_2", -0.3, 0.7)];
        self.joint(
            "universal",
            3,
            ", axes = [[1, 0.1, 0.3], [0.2, 1, -0.1]]",
            &[universal],
            &["j.angle_1", "j.angle_2"],
        );
        let bent: Conditions = &[("pitch(a, b)", 0.2, -0.6), ("yaw(a, b)", 0.4, 0.7)];
        self.joint("constant-velocity", 3, ", axis = [1, 0.1, -0.2]", &[bent], &["roll(a, b)"]);
        let planar: Conditions = &[("j.x", 0.3, -0.4), ("j.y", -0.2, 0.5), ("j.angle", 0.4, 1.1)];
        self.joint("planar", 3, &frames, &[planar], &["j.x", "j.y", "j.angle"]);
        self.joint("fixed", 3, &format!("{frames}, angle = 0.3"), &[], &[]);
        self.joint("free", 3, "", &[APART, TURNED], &["pitch(a, b)"]);
        self.joint("distance", 3, ", length = 0.6", &[&APART[1..], TURNED], &["yaw(a, b)"]);
        self.joint("point-on-line", 3, ", axis = [0.2, -0.3, 1]", &[position, TURNED], &["j.position"]);
        let across: Conditions = &[
            ("dot(b.Q - a.P, axis(a, [1, 0, -0.2]))", 0.3, 0.2),
            ("dot(b.Q - a.P, axis(a, [0, 1, 0.3]))", 0.2, -0.3),
        ];
        self.joint(
            "point-on-plane",
            3,
            ", axis = [0.2, -0.3, 1]",
            &[across, TURNED],
            &["dot(b.Q - a.P, b.S - a.R)"],
        );
    }
    /// Joints with rows of velocity level.
    fn edges(&mut self) {
        let held = |k: Conditions<'static>| (k[0].0, k[0].1, HELD);
        let plane = [held(APART_2), APART_2[1], APART_2[2]];
        self.joint("knife-edge", 2, ", axis = [1, 0.3]", &[&plane], &["j.angle"]);
        let space = [held(APART), APART[1], APART[2]];
        self.joint("knife-edge", 3, ", axis = [1, 0.1, -0.2]", &[&space, TURNED], &["yaw(a, b)"]);
        let line: Conditions = &[("dot(b.Q - a.P, axis(a, [1, 0.4]))", 0.3, HELD), ("j.angle", 0.4, 1.1)];
        self.joint("rolling", 2, ", axis = [1, 0.4], radius = 0.35", &[line], &["j.angle"]);
        let across: Conditions = &[
            ("dot(b.Q - a.P, axis(a, [1, 0, -0.2]))", 0.3, HELD),
            ("dot(b.Q - a.P, axis(a, [0, 1, 0.3]))", 0.2, HELD),
        ];
        let axes = ", axes = [[0.2, -0.3, 1], [1, 0.1, -0.2]], radius = 0.35";
        self.joint("rolling", 3, axes, &[across, TURNED], &["roll(a, b)"]);
        // a constraint that asks for a velocity, with functions of time and their rates
        let wave = "[spline.w]\nkind = \"cyclic\"\nvalues = [0.1, 0.3, -0.2, 0.2]\nperiod = 1.3\n";
        for d in [2, 3] {
            let (axis, spin) = if d == 2 { ("[1, 0.2]", "b.omega") } else { ("[1, 0.2, -0.1]", "b.omega.z") };
            let slip = format!("dot(vel(b.Q - a.P), axis(a, {axis})) + 0.3 * {spin} * distance(a.P, b.Q)");
            let k =
                format!("{wave}[constraint]\nk = {{ velocity = \"{slip} - 0.4 * cos(3*t) * w - vel(w)\" }}");
            let rest: &[Conditions] = if d == 2 { &[&plane] } else { &[&space, TURNED] };
            self.pair("constraint velocity", d, &k, rest, &["k.multiplier", "acc(b.Q.x)"], None);
        }
    }
    /// A force on two bodies that are free.
    fn loose(&mut self, name: &str, dimension: usize, keys: &str, outputs: &[&str], power: &str) {
        let more: &[Conditions] = if dimension == 2 { &[APART_2] } else { &[APART, TURNED] };
        self.pair(
            &format!("force {name}"),
            dimension,
            &format!("[force]\nf = {{ {keys} }}"),
            more,
            outputs,
            Some(power),
        );
    }
    /// A force about a joint that leaves one coordinate.
    fn jointed(
        &mut self,
        name: &str,
        dimension: usize,
        joint: &str,
        force: &str,
        outputs: &[&str],
        power: &str,
    ) {
        let axes = if dimension == 3 {
            ", axes = [[0.2, -0.3, 1], [1, 0.1, -0.2]]"
        } else if joint == "prismatic" {
            ", axis = [1, 0.4]"
        } else {
            ""
        };
        let keys = if joint == "screw" { ", lead = 0.7" } else { "" };
        let element = format!(
            "[joint]\nj = {{ type = \"{joint}\", between = [\"a.P\", \"b.Q\"]{axes}{keys} }}\n[force]\nf = \
             {{ joint = \"j\", {force} }}"
        );
        let (angle, position, place): (Conditions, Conditions, Conditions) = (
            &[("j.angle", 0.4, 1.1)],
            &[("j.position", 0.5, -0.6)],
            &[("j.x", 0.3, -0.4), ("j.y", -0.2, 0.5)],
        );
        let more: &[Conditions] = match joint {
            "prismatic" => &[position],
            "cylindrical" => &[angle, position],
            "planar" => &[place, angle],
            _ => &[angle],
        };
        self.pair(&format!("force {name} on {joint}"), dimension, &element, more, outputs, Some(power));
    }
    fn forces(&mut self) {
        for d in [2, 3] {
            let (between, part, cross) = (
                "between = [\"a.P\", \"b.Q\"]",
                if d == 2 { "" } else { ".z" },
                if d == 2 { "f.torque * (b.omega - a.omega)" } else { "dot(f.torque, b.omega - a.omega)" },
            );
            let spring = "stiffness = 30, damping = 0.7, length = 0.4, force = \"2 * length^3 + 0.3 * speed \
                * length\"";
            let read = ["f.force", "f.length", "f.speed"];
            self.loose(
                "spring-damper",
                d,
                &format!("type = \"spring-damper\", {between}, {spring}"),
                &read,
                "-f.force * f.speed",
            );
            for side in ["below", "above"] {
                let length = if side == "below" { 0.9 } else { 0.2 };
                let keys = format!(
                    "{between}, length = {length}, side = \"{side}\", stiffness = 50, damping = 0.4, width \
                     = 0.5"
                );
                self.loose(
                    "bump-stop",
                    d,
                    &format!("type = \"bump-stop\", {keys}"),
                    &read,
                    "-f.force * f.speed",
                );
            }
            // a force on a point, global and in the axes of a body
            let components = |x: &str| {
                if d == 2 {
                    format!("[\"0.7\", \"{x}\"]")
                } else {
                    format!("[\"0.7\", \"{x}\", \"0.2 * t\"]")
                }
            };
            for frame in ["", ", frame = \"a\""] {
                let keys = format!(
                    "type = \"force\", at = \"b.S\", force = {}{frame}",
                    components("sin(3*t) - vel(a.R.x)")
                );
                self.loose("force", d, &keys, &["f.force.x", "f.force.y"], "dot(f.force, vel(b.S))");
            }
            let twist = if d == 2 {
                "[\"0.4 - 0.2 * b.omega + 0.1 * t\"]"
            } else {
                "[\"0.4 - 0.2 * b.omega.x\", \"0.1 * t\", 0.3]"
            };
            for frame in ["", ", frame = \"b\""] {
                let keys =
                    format!("type = \"torque\", on = \"b\", reaction = \"a\", torque = {twist}{frame}");
                self.loose("torque", d, &keys, &[&format!("f.torque{part}")], cross);
            }
            let alone = if d == 2 { "f.torque * b.omega" } else { "dot(f.torque, b.omega)" };
            self.loose(
                "torque",
                d,
                &format!("type = \"torque\", on = \"b\", torque = {twist}"),
                &[&format!("f.torque{part}")],
                alone,
            );
            let angle = if d == 2 { "angle(a, b)" } else { "roll(a, b)" };
            let keys = format!(
                "type = \"actuator\", sensor = \"distance(a.P, b.S) * b.Q.x + {angle}^2\", effort = \"1 - 2 \
                 * b.Q.y * value - 0.1 * speed\""
            );
            self.loose("actuator", d, &keys, &["f.effort", "f.speed"], "f.effort * f.speed");
            self.bushings(d, between, part);
            self.contacts(d);
            for joint in ["revolute", "prismatic", "cylindrical", "screw"].iter().take(2 * (d - 1)) {
                let read = ["f.effort", "f.speed"];
                self.jointed(
                    "actuator",
                    d,
                    joint,
                    "type = \"actuator\", effort = \"0.8 * cos(4*t) - 0.2 * vel(b.S.x)\"",
                    &read,
                    "f.effort * f.speed",
                );
                self.jointed(
                    "friction",
                    d,
                    joint,
                    "type = \"friction\", limit = 0.6, speed = 0.5, viscous = 0.1",
                    &read,
                    "f.effort * f.speed",
                );
            }
            let torsion = "type = \"torsion\", stiffness = 3, damping = 0.2, angle = 0.1, torque = \"0.4 * \
                angle^3 + 0.1 * speed * angle\"";
            for joint in ["revolute", "cylindrical", "planar"].iter().take(if d == 2 { 1 } else { 3 }) {
                self.jointed(
                    "torsion",
                    d,
                    joint,
                    torsion,
                    &["f.torque", "f.angle", "f.speed"],
                    "-f.torque * f.speed",
                );
            }
        }
        let torsion = "type = \"torsion\", between = [\"a\", \"b\"], stiffness = 3, damping = 0.2, angle = \
            0.1, torque = \"0.4 * angle^3\"";
        self.loose("torsion", 2, torsion, &["f.torque", "f.angle", "f.speed"], "-f.torque * f.speed");
        self.tyres();
    }
    fn bushings(&mut self, d: usize, between: &str, part: &str) {
        let read = [
            "f.force.x".into(),
            format!("f.torque{part}"),
            "f.displacement.y".into(),
            format!("f.rotation{part}"),
        ];
        let read: Vec<&str> = read.iter().map(String::as_str).collect();
        let power = match d {
            2 => {
                "dot(f.force, vel(b.Q) - vel(a.P)) - cross(b.Q - a.P, f.force) * a.omega + f.torque * \
                 (b.omega - a.omega)"
            }
            _ => {
                "dot(f.force, vel(b.Q) - vel(a.P)) - dot(cross(b.Q - a.P, f.force), a.omega) + \
                 dot(f.torque, b.omega - a.omega)"
            }
        };
        let (diagonal, count) = if d == 2 { ("[20, 30, 4]", 3) } else { ("[20, 30, 25, 4, 5, 6]", 6) };
        self.loose(
            "bushing",
            d,
            &format!("type = \"bushing\", {between}, stiffness = {diagonal}, damping = {diagonal}"),
            &read,
            power,
        );
        // full matrices that are not symmetric, own axes, a law
        let row = |i: usize| {
            (0..count)
                .map(|j| format!("{}", if i == j { 9 + i } else { (i * 2 + j) % 4 }))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let matrix = (0..count).map(|i| format!("[{}]", row(i))).collect::<Vec<_>>().join(", ");
        let (axes, law) = match d {
            2 => ("axis = [1, 0.3]", "[\"3 * x^3\", \"0.2 * vy * y\", \"rz * wz\"]"),
            _ => (
                "axis = [0.2, -0.3, 1], normal = [1, 0.2, 0]",
                "[\"3 * x^3\", \"0.2 * vy * z\", 0, \"rx * wx\", \"ry^2\", \"rz * wz + vx + vz + wy + y\"]",
            ),
        };
        self.loose(
            "bushing",
            d,
            &format!("type = \"bushing\", {between}, {axes}, stiffness = [{matrix}], force = {law}"),
            &read,
            power,
        );
    }
    fn contacts(&mut self, d: usize) {
        let normal = if d == 2 { "normal = [-1, 0.2]" } else { "normal = [-1, 0.2, 0.3]" };
        let law = "stiffness = 80, damping = 0.3, width = 0.6, friction = 0.4, speed = 0.2";
        let read = ["f.force.x", "f.force.y", "f.normal", "f.gap"];
        let power = match d {
            2 => "dot(f.force, vel(b.Q) - vel(a.P)) - cross(b.Q - a.P, f.force) * a.omega",
            _ => "dot(f.force, vel(b.Q) - vel(a.P)) - dot(cross(b.Q - a.P, f.force), a.omega)",
        };
        self.loose(
            "contact",
            d,
            &format!("type = \"contact\", point = \"b.Q\", plane = \"a.P\", {normal}, {law}"),
            &read,
            power,
        );
        let up = if d == 2 { "G" } else { "H" };
        let keys = format!("type = \"contact\", point = \"a.P\", plane = \"ground.{up}\", {law}");
        self.loose("contact", d, &keys, &read, "dot(f.force, vel(a.P))");
    }
    /// Every law of a tyre on every kind of road, in contact and off the ground.
    fn tyres(&mut self) {
        let keys = "type = \"tyre\", at = \"b.Q\", axis = [0.1, 1, 0.2], stiffness = 40";
        let read = ["f.force.x", "f.force.y", "f.normal", "f.kappa", "f.alpha", "f.radius", "f.gap"];
        let centre = |offset: f64| format!("b.Q + {offset} * axis(b, [0.1, 1, 0.2]/norm([0.1, 1, 0.2]))");
        let power = |offset: f64| {
            format!(
                "dot(f.force, vel({})) - f.radius * dot(cross([0, 0, 1], f.force), b.omega)",
                centre(offset)
            )
        };
        let hill = "[road.hill]\nheight = \"-0.3 + 0.05*sin(3*x) + 0.04*y\"\n";
        let table = "[road.table]\npoints = [[-1, 0], [0.1, -0.2], [0.6, -0.4], [1.2, -0.3], [2, \
            0.1]]\nends = \"clamped\"\n";
        let linear = "{ type = \"linear\", friction = [0.8, 0.7], critical = [9, 8] }";
        let smooth = "{ type = \"tanh\", friction = [0.8, 0.7], critical = [1.5, 1.2], smoothing = 0.01 }";
        let magic = MAGIC
            .iter()
            .zip(MAGIC_EXAMPLE)
            .map(|(key, x)| format!("{key} = {x}"))
            .collect::<Vec<_>>()
            .join(", ");
        let magic = format!("{{ type = \"magic-formula\", {magic} }}");
        for (road, rest, offset) in [
            ("", "radius = 0.3, width = 0.4".to_owned(), 0.0),
            ("", format!("radius = 0.3, width = 0.4, law = {linear}"), 0.0),
            (hill, format!("radius = 0.6, width = 0.3, damping = 2, road = \"hill\", law = {smooth}"), 0.0),
            (
                table,
                format!(
                    "radius = 0.8, width = 0.2, damping = 1, road = \"table\", offset = 0.15, law = {magic}"
                ),
                0.15,
            ),
            (hill, format!("radius = 0.1, road = \"hill\", law = {magic}"), 0.0), // off the ground
        ] {
            let more: &[Conditions] = &[APART, TURNED];
            let element = format!("{road}[force]\nf = {{ {keys}, {rest} }}");
            let off = rest.contains("radius = 0.1");
            self.pair("force tyre", 3, &element, more, &read, (!off).then(|| power(offset)).as_deref());
        }
    }
    /// Gears, racks, user constraints and drivers.
    fn rows(&mut self) {
        for d in [2, 3] {
            let (axis, slide) = if d == 2 {
                ("", ", axis = [1, 0.4]")
            } else {
                (", axis = [0.2, -0.3, 1]", ", axis = [1, 0.4, 0.2]")
            };
            let wheel = if d == 2 {
                "[body.c]\nmass = 0.5\ninertia = 0.1\npoints = { T = [0.1, 0] }"
            } else {
                "[body.c]\nmass = 0.5\ninertia = [0.1, 0.12, 0.14]\npoints = { T = [0.1, 0, 0] }"
            };
            let turn = format!("j1 = {{ type = \"revolute\", between = [\"a.P\", \"b.Q\"]{axis} }}");
            let gear = format!(
                "{wheel}\n[joint]\n{turn}\nj2 = {{ type = \"revolute\", between = [\"a.R\", \"c.T\"]{axis} \
                 }}\ng = {{ type = \"gear\", joints = [\"j1\", \"j2\"], ratio = -1.7, offset = 0.2 }}"
            );
            let one: Conditions = &[("j1.angle", 0.4, 1.1)];
            self.pair(
                "joint gear",
                d,
                &gear,
                &[one],
                &["j1.angle", "j2.angle", "g.multiplier", "acc(c.T.x)"],
                None,
            );
            let rack = format!(
                "{wheel}\n[joint]\n{turn}\nj2 = {{ type = \"prismatic\", between = \
                 [\"a.R\", \"c.T\"]{slide} }}\ng = {{ type = \"rack\", joints = [\"j1\", \"j2\"], radius = \
                 0.3, offset = 0.1 }}"
            );
            self.pair(
                "joint rack",
                d,
                &rack,
                &[one],
                &["j1.angle", "j2.position", "g.multiplier", "acc(c.T.x)"],
                None,
            );
            let belt =
                "[constraint]\nk = \"distance(a.P, b.Q) + distance(b.Q, ground.O) - 1.1 + 0.1 * a.com.x^2\"";
            let rest: &[Conditions] = if d == 2 { &[&APART_2[1..]] } else { &[&APART[1..], TURNED] };
            self.pair("constraint", d, belt, rest, &["k.multiplier", "acc(b.Q.x)"], None);
            let read = ["k.effort", "k.effort * acc(b.Q.x)"];
            let by = |what: &str, value: &str| format!("[driver]\nk = {{ {what}, value = \"{value}\" }}");
            self.pair(
                "driver distance",
                d,
                &by("distance = [\"a.P\", \"b.Q\"]", "0.6 + 0.1 * sin(3*t) + 0.2*t"),
                rest,
                &read,
                None,
            );
            let loose: &[Conditions] =
                if d == 2 { &[&APART_2[..1], &APART_2[2..]] } else { &[&APART[..1], &APART[2..], TURNED] };
            self.pair(
                "driver coordinate",
                d,
                &by("coordinate = \"b.Q.y\"", "0.3 + 0.1 * sin(3*t) + 0.2*t"),
                loose,
                &read,
                None,
            );
            let turned = format!("[joint]\n{turn}\n{}", by("sensor = \"j1.angle\"", "0.4 + 0.6*t - t^2"));
            self.pair("driver sensor", d, &turned, &[], &["k.effort", "j1.angle"], None);
            if d == 2 {
                self.pair(
                    "driver angle",
                    2,
                    &by("angle = [\"a\", \"b\"]", "0.4 + 0.6*t - t^2"),
                    &[&APART_2[..2]],
                    &read,
                    None,
                );
                self.pair(
                    "driver angle",
                    2,
                    &by("angle = \"b\"", "0.7 + 0.6*t - t^2"),
                    &[&APART_2[..2]],
                    &read,
                    None,
                );
            }
        }
    }
    /// Shapes with their density, and rods.
    fn shapes(&mut self) {
        for (shape, keys) in SHAPES_2 {
            self.shape(shape, 2, keys);
        }
        for (shape, keys) in SHAPES_3 {
            self.shape(shape, 3, keys);
        }
    }
    fn shape(&mut self, shape: &str, d: usize, keys: &str) {
        let com = if d == 2 { "[0.1, -0.2]" } else { "[0.1, -0.2, 0.3]" };
        let text = format!(
            "dimension = {d}\ngravity = {}\n[body.a]\ncom = {com}\nshape = {{ type = \"{shape}\", {keys} }}",
            if d == 2 { "[0, -9.81]" } else { "[0, 0, -9.81]" }
        );
        let name = format!("shape {shape} {d}");
        let mut m = read(&name, &text);
        start(&mut m, if d == 2 { POSE_2 } else { POSE_3 });
        watch(
            &mut m,
            &[
                "a.kinetic",
                "a.potential",
                "acc(a.com.x)",
                if d == 2 { "a.angular_momentum" } else { "a.angular_momentum.z" },
            ],
        );
        self.push(name, m, None, false);
    }
    /// Everything that can be read of bodies and of the system.
    fn sensors(&mut self) {
        let plane = [
            "dot(a.P, b.com)",
            "ground.O.x * a.R.y",
            "a.angle * angle(a, b)",
            "distance(a.P, b.Q) + vel(distance(a.P, b.Q))",
            "acc(b.S.x)",
            "b.omega",
            "dot(local(b.Q - a.P, a), [0.3, 0.7])",
            "vel(dot(local(b.Q - a.P, a), [0.3, 0.7]))",
            "dot(axis(a, [1, 2]), b.S)",
            "system.kinetic",
            "system.potential",
            "system.energy",
            "a.kinetic",
            "a.potential",
            "a.energy",
            "system.momentum.x",
            "system.angular_momentum",
            "b.momentum.y",
            "b.angular_momentum",
            "t * a.P.x",
            "vel(b.momentum.x)",
        ];
        let space = [
            "dot(a.P, b.com)",
            "ground.O.x * a.R.y",
            "a.roll + b.pitch * a.yaw",
            "roll(a, b) + pitch(a, b) * yaw(a, b)",
            "distance(a.P, b.Q)",
            "acc(distance(a.P, b.Q))",
            "norm2(acc(b.S))",
            "b.omega.x * b.omega.y",
            "vel(b.omega.z)",
            "dot(local(b.Q - a.P, a), [0.3, 0.7, 0.1])",
            "acc(dot(local(b.Q - a.P, a), [0.3, 0.7, 0.1]))",
            "dot(axis(a, [1, 2, 3]), b.S)",
            "system.kinetic",
            "system.potential",
            "system.energy",
            "a.kinetic",
            "a.potential",
            "a.energy",
            "system.momentum.z",
            "system.angular_momentum.x",
            "b.momentum.y",
            "b.angular_momentum.z",
            "t * a.P.x",
            "vel(b.momentum.x)",
            "vel(b.angular_momentum.y)",
            "acc(a.roll)",
            "acc(pitch(a, b))",
            "vel(b.yaw)",
        ];
        let spring = |d: usize| {
            format!(
                "gravity = {}\n{}",
                if d == 2 { "[0.3, -9.81]" } else { "[0.3, 0.2, -9.81]" },
                "force.s = { type = \"spring-damper\", between = [\"a.R\", \"b.S\"], stiffness = 7, length \
                 = 0.4 }"
            )
        };
        for d in [2, 3] {
            let (base, pose, more): (_, _, &[Conditions]) =
                if d == 2 { (PLANE, POSE_2, &[APART_2]) } else { (SPACE, POSE_3, &[APART, TURNED]) };
            let name = format!("sensors {d}");
            let mut m = read(&name, &format!("{}\n{base}", spring(d)));
            start(&mut m, &pose.iter().chain(more.iter().copied().flatten()).copied().collect::<Vec<_>>());
            watch(&mut m, if d == 2 { &plane } else { &space });
            self.push(name, m, None, false);
        }
    }
}

/// Plane shapes (type, keys).
pub(crate) const SHAPES_2: &[(&str, &str)] = &[
    ("box", "size = [0.6, 0.2], density = 12"),
    ("cylinder", "radius = 0.3, density = 12"),
    ("sphere", "radius = 0.25, density = 12"),
    ("tube", "outer = 0.3, inner = 0.2, density = 12"),
];
/// Shapes in space (type, keys).
pub(crate) const SHAPES_3: &[(&str, &str)] = &[
    ("box", "size = [0.6, 0.2, 0.4], density = 120"),
    ("cylinder", "radius = 0.3, length = 0.7, axis = [0.2, -0.5, 1], density = 120"),
    ("sphere", "radius = 0.25, density = 120"),
    ("tube", "outer = 0.3, inner = 0.2, length = 0.7, axis = [1, 0.3, -0.4], density = 120"),
];

/// A body that hangs still in the plane: joint, keys, conditions at the start that are 0.
pub(crate) const HANGING_2: &[(&str, &str, &[&str])] = &[
    ("revolute", "", &["a.angle"]),
    ("prismatic", ", axis = [1, 0]", &["j.position"]),
    ("fixed", "", &[]),
    ("distance", ", length = 0.5", &["a.P.x", "a.angle"]),
    ("point-on-line", ", axis = [1, 0]", &["j.position", "a.angle"]),
    ("knife-edge", ", axis = [0, 1]", &["a.P.x", "a.P.y", "a.angle"]),
    ("rolling", ", axis = [1, 0], radius = 0.5", &["a.P.x", "a.angle"]),
];
/// A body that hangs still in space: joint, keys, conditions at the start that are 0. The joint can hold the
/// weight: its axis is across gravity where the body could slide, along it where it lies on a plane.
pub(crate) const HANGING_3: &[(&str, &str, &[&str])] = &[
    ("revolute", ", axis = [1, 0, 0]", &["j.angle"]),
    ("prismatic", ", axis = [1, 0, 0]", &["j.position"]),
    ("cylindrical", ", axis = [1, 0, 0]", &["j.angle", "j.position"]),
    ("screw", ", axis = [1, 0, 0], lead = 0.4", &["j.angle"]),
    ("spherical", "", &["a.roll", "a.pitch", "a.yaw"]),
    ("universal", ", axes = [[1, 0, 0], [0, 1, 0]]", &["j.angle_1", "j.angle_2"]),
    ("constant-velocity", ", axis = [0, 0, 1]", &["a.roll", "a.pitch"]),
    ("planar", ", axis = [0, 0, 1]", &["j.x", "j.y", "j.angle"]),
    ("fixed", "", &[]),
    ("distance", ", length = 0.5", &["a.P.x", "a.P.y", "a.roll", "a.pitch", "a.yaw"]),
    ("point-on-line", ", axis = [1, 0, 0]", &["j.position", "a.roll", "a.pitch", "a.yaw"]),
    ("point-on-plane", ", axis = [0, 0, 1]", &["a.P.x", "a.P.y", "a.roll", "a.pitch", "a.yaw"]),
    ("knife-edge", ", axis = [0, 0, 1]", &["a.P.x", "a.P.y", "a.P.z", "a.roll", "a.pitch", "a.yaw"]),
    (
        "rolling",
        ", axes = [[0, 0, 1], [0, 1, 0]], radius = 0.5",
        &["a.P.x", "a.P.y", "a.roll", "a.pitch", "a.yaw"],
    ),
];
/// Joints that push no point of a body, so that nothing hangs from them.
pub(crate) const CARRY_NOTHING: &[&str] = &["free"];

/// The degrees of freedom that a joint removes in the table of MODEL_FILE.md: [plane, space].
pub(crate) fn removed(kind: &str) -> [Option<usize>; 2] {
    let text = include_str!("../../../../../docs/MODEL_FILE.md");
    let table = text.split("## Joints").nth(1).expect("a section on joints");
    let row = table
        .lines()
        .find(|l| l.starts_with(&format!("| `{kind}` |")))
        .unwrap_or_else(|| panic!("docs/MODEL_FILE.md, Joints: the table has no row for `{kind}`"));
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    [cells[3], cells[4]].map(|c| c.split(" ").next().and_then(|c| c.parse().ok()))
}

/// All entries.
pub(crate) fn all() -> Vec<Entry> {
    let mut maker = Maker { list: vec![] };
    maker.joints();
    maker.edges();
    maker.forces();
    maker.rows();
    maker.shapes();
    maker.sensors();
    maker.list
}

impl Entry {
    /// What it covers: `joint revolute`, `force contact`, `law tanh`, `shape box`, `driver angle`,
    /// `constraint`, `sensor joint.angle`, `sensor vel()`.
    pub(crate) fn covers(&self) -> BTreeSet<String> {
        let (m, mut all) = (&self.mechanism, BTreeSet::new());
        all.extend(m.joints.iter().map(|j| format!("joint {}", j.kind.word())));
        all.extend(m.couplings.iter().map(|c| match c.kind {
            CouplingKind::Gear { .. } => "joint gear".into(),
            CouplingKind::Rack { .. } => "joint rack".to_owned(),
        }));
        all.extend(m.forces.iter().map(|f| format!("force {}", force_word(&f.kind))));
        all.extend(m.forces.iter().filter_map(|f| match &f.kind {
            ForceKind::Tyre(tyre) => Some(format!("law {}", tyre.law.word()?)),
            _ => None,
        }));
        all.extend(m.constraints.iter().map(|_| "constraint".to_owned()));
        all.extend(m.velocity_constraints.iter().map(|_| "constraint velocity".to_owned()));
        all.extend(m.drivers.iter().map(|d| match d.quantity {
            Quantity::Angle(..) => "driver angle".into(),
            Quantity::Distance(..) => "driver distance".into(),
            Quantity::Coordinate(_) => "driver coordinate".into(),
            Quantity::Sensor(_) => "driver sensor".to_owned(),
        }));
        all.extend(
            m.bodies.iter().filter_map(|b| Some(format!("shape {}", shape_word(&b.shape.as_ref()?.kind)))),
        );
        m.outputs.iter().for_each(|(_, x)| self.read(x, &mut all));
        all
    }
    /// Sensors of an expression.
    fn read(&self, x: &Number, all: &mut BTreeSet<String>) {
        let Source::Expression(text) = &x.source else { return };
        let ast = parse(text).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        all.extend(ast.calls().into_iter().map(|c| format!("sensor {}()", c.0)));
        for (name, _) in ast.names() {
            let mut parts = name.split('.');
            let (Some(head), what) = (parts.next(), parts.next()) else { continue };
            let what = what.map_or(String::new(), |w| format!(".{w}"));
            all.insert(format!("sensor {}{what}", self.class(head, &what)));
        }
    }
    /// The kind of thing that a name is.
    fn class(&self, head: &str, what: &str) -> String {
        let m = &self.mechanism;
        if let Some(f) = m.forces.iter().find(|f| f.name.text == head) {
            return match force_word(&f.kind) {
                "spring-damper" => "spring".into(),
                other => other.replace('-', "_"),
            };
        }
        let is = |mut names: Box<dyn Iterator<Item = &str> + '_>| names.any(|n| n == head);
        if is(Box::new(m.joints.iter().map(|j| j.name.text.as_str()))) {
            "joint".into()
        } else if is(Box::new(m.couplings.iter().map(|j| j.name.text.as_str()))) {
            "gear".into()
        } else if is(Box::new(m.constraints.iter().chain(&m.velocity_constraints).map(|j| j.0.text.as_str())))
        {
            "constraint".into()
        } else if is(Box::new(m.drivers.iter().map(|j| j.name.text.as_str()))) {
            "driver".into()
        } else if is(Box::new(m.bodies.iter().map(|j| j.name.text.as_str()))) {
            let point = m.bodies.iter().flat_map(|b| &b.points).any(|p| format!(".{}", p.0) == what);
            if point { "point, body".into() } else { "body".into() }
        } else {
            head.into()
        }
    }
}

/// The type of a force in a file.
pub(crate) fn force_word(kind: &ForceKind) -> &'static str {
    match kind {
        ForceKind::SpringDamper { .. } => "spring-damper",
        ForceKind::Torsion { .. } => "torsion",
        ForceKind::Point { .. } => "force",
        ForceKind::Torque { .. } => "torque",
        ForceKind::Actuator { .. } | ForceKind::Along { .. } => "actuator",
        ForceKind::Friction { .. } => "friction",
        ForceKind::Bushing { .. } => "bushing",
        ForceKind::BumpStop { .. } => "bump-stop",
        ForceKind::Contact { .. } => "contact",
        ForceKind::Tyre(_) => "tyre",
    }
}

/// The type of a shape in a file.
pub(crate) fn shape_word(kind: &ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Box(_) => "box",
        ShapeKind::Sphere(_) => "sphere",
        ShapeKind::Cylinder { .. } => "cylinder",
        ShapeKind::Tube { .. } => "tube",
    }
}
