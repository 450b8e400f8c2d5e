//! Templates: copies are what one would write by hand, mirror images move as mirror images, mistakes are
//! named and placed.

use gradyn::file::{self, ModelFile};
use gradyn::{Method, ModelError, Prepared, Sensitivity};
use std::path::Path;

fn read(text: &str) -> ModelFile {
    file::read_toml(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Objectives, their gradients and the last row of the output table.
fn numbers(text: &str) -> (Vec<f64>, Vec<Vec<f64>>, Vec<f64>) {
    let file = read(text);
    let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let run = model.run(&Method::new("index1", "rk4").unwrap().step(0.01)).unwrap();
    let gradient = model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap();
    let table = model.table(&run, None).unwrap();
    (run.psi.clone(), gradient.rows, table.rows.last().unwrap().clone())
}

/// The example, written out.
#[test]
fn array_is_the_chain_by_hand() {
    let template = gradyn::examples::find("pendulum_array").unwrap();
    let (head, tail) =
        (template.split("[template.link]").next().unwrap(), template.split("[objective]").nth(1).unwrap());
    let mut hand = format!("{head}\n[objective]{tail}\n");
    let row = |f: &dyn Fn(usize) -> String| (1..=5).map(f).collect::<String>();
    let before = |i: usize, ground: &str, rest: &str| {
        if i == 1 { ground.to_owned() } else { format!("bar_{}{rest}", i - 1) }
    };
    hand += &row(&|i| format!("[body.bar_{i}]\nrod = {{ points = ['A', 'B'], length = 'L', mass = 'm' }}\n"));
    hand += "[joint]\n";
    hand += &row(&|i| {
        format!(
            "pin_{i} = {{ type = 'revolute', between = ['{}', 'bar_{i}.A'] }}\n",
            before(i, "ground.O", ".B")
        )
    });
    hand += "[force]\n";
    hand += &row(&|i| {
        format!(
            "d_{i} = {{ type = 'torsion', between = ['{}', 'bar_{i}'], damping = 'c' }}\n",
            before(i, "ground", "")
        )
    });
    hand += "[initial.position]\n";
    hand += &row(&|i| format!("'bar_{i}.angle' = 'theta0 + ({i} - 1)*bend'\n"));
    let (array, hand) = (numbers(template), numbers(&hand.replace("link_5_bar", "bar_5")));
    assert_eq!((array.0, array.2), (hand.0, hand.2));
    // the same motion to the bit; parts of `bend` are added in the order in which the file names them
    for (a, b) in array.1.iter().flatten().zip(hand.1.iter().flatten()) {
        assert!((a - b).abs() <= 4.0 * f64::EPSILON * b.abs(), "{a} for {b}");
    }
}

/// An arm on a spring with a disc that turns freely: its equilibrium, its support and its speeds are part of
/// the template.
const HANGING: &str = r#"
name = "hanging"
gravity = [0, -9.81]
[parameters]
k = 40
m = 2
[template.side.ground]
points = { O = [0.5, 0] }
[template.side.body.arm]
rod = { points = ["A", "B"], length = 1, mass = "m" }
[template.side.body.disc]
mass = 1
inertia = 0.1
points = { B = [0, 0], E = [0.2, 0] }
[template.side.body.prop]
rod = { points = ["A", "B"], length = 0.5, mass = 1 }
[template.side.joint]
hinge = { type = "revolute", between = ["ground.O", "arm.A"] }
axle  = { type = "revolute", between = ["arm.B", "disc.B"] }
foot  = { type = "revolute", between = ["ground.O", "prop.A"] }
[template.side.force]
spring = { type = "torsion", between = ["ground", "arm"], stiffness = "k", angle = 0.2, damping = 1 }
wind   = { type = "torque", on = "disc", torque = 0.3, active = "motion" }
[template.side.initial]
equilibrium = { "disc.angle" = 0.3 }
hold        = { "prop.angle" = -1 }
velocity    = { "arm.angle" = 0.5, "disc.angle" = "2 + arm.B.y", "prop.angle" = 0.1 }
[template.side.objective]
o = { integral = "arm.B.x^2 + disc.E.y + prop.B.x", terminal = "vel(disc.angle) + arm.angle" }
[instance]
right = { use = "side" }
left  = { use = "side", mirror = "x" }
[study]
t_end = 0.3
"#;

/// Equilibria of mirror images are mirror images.
#[test]
fn equilibria_are_mirrored() {
    let (psi, gradient, _) = numbers(HANGING);
    assert!(psi[0].abs() > 0.1 && gradient[0].iter().all(|g| g.abs() > 1e-4), "{psi:?} {gradient:?}");
    // 1e-12: the same numbers in another order
    assert!((psi[0] - psi[1]).abs() < 1e-12, "{psi:?}");
    assert!(gradient[0].iter().zip(&gradient[1]).all(|(a, b)| (a - b).abs() < 1e-12), "{gradient:?}");
}

/// Velocities are listed by all parts with conditions of an equilibrium, or by none.
#[test]
fn equilibria_list_velocities_or_rest() {
    let text = HANGING.replace(
        "[instance]",
        "[template.still.initial]\nequilibrium = { \"right_disc.angle\" = 0.3 }\n[instance]\nq = { use \
         = \"still\" }",
    );
    let e = file::read_toml(&text).expect_err("is refused");
    assert!(format!("{e:?}").contains("lists velocities"), "{e:?}");
}

/// Every kind of element and number that can be mirrored in the plane.
const ARM: &str = r#"
[template.arm]
arguments = { at = [0, 1], k = 30, lift = "20 deg", rest = "k/60" }
[template.arm.parameters]
list = { value = [0, 1, 0.5, 0.2] }
m = 1.2
[template.arm.constants]
c0 = "0.3*m"
[template.arm.points]
P = ["at.x + 0.3", "at.y + 0.2"]
Q = "(P + at)/2 + [0.05, 0.4]"
[template.arm.ground]
points = { O = "at", W = [1.5, "at.y + 1"], G = [0, 3] }
[template.arm.body.upper]
hard = ["P", "Q"]
points = { S = "[P.x + 0.5, Q.y - 0.3]" }
mass = "m"
com = ["P.x", "(P.y + Q.y)/2"]
inertia = 0.2
[template.arm.body.lower]
rod = { points = ["A", "B"], length = 0.7, mass = 0.6 }
[template.arm.body.block]
points = { C = [0, 0.1] }
mass = 0.5
inertia = 0.1
[template.arm.body.wheel]
points = { C = [0, 0], R = [0.1, 0.3] }
mass = 0.4
com = [0.02, 0.05]
inertia = 0.05
[template.arm.joint]
shoulder = { type = "revolute", between = ["ground.O", "upper.P"] }
elbow = { type = "revolute", between = ["upper.Q", "lower.A"] }
guide = { type = "prismatic", between = ["ground.G", "block.C"], axis = [1, 0.5], angle = "30 deg" }
hub = { type = "revolute", between = ["block.C", "wheel.C"] }
[template.arm.spline.push]
kind = "clamped"
values = "list"
duration = 1
[template.arm.driver]
spin = { angle = ["block", "wheel"], value = "2*t + lift" }
[template.arm.force]
spring.type = "spring-damper"
spring.between = ["ground.W", "lower.B"]
spring.stiffness = "k"
spring.damping = "c0"
spring.length = "rest"
spring.force = "0.1*length^3 + 0.01*speed"
twist.type = "torsion"
twist.between = ["upper", "lower"]
twist.stiffness = 2
twist.damping = 0.1
twist.angle = "lift"
twist.torque = "0.5*angle^2 + 0.1*speed"
pull = { type = "force", at = "lower.B", force = ["0.3", "push"] }
turn = { type = "torque", on = "upper", torque = "0.4*push + list_1/10" }
motor = { type = "actuator", joint = "elbow", effort = "0.3*sin(2*t) - 0.1*angle(upper, lower) + 0.2" }
ram = { type = "actuator", joint = "guide", effort = "0.2*push - 0.05*vel(block.C.y)" }
rubber.type = "bushing"
rubber.between = ["ground.W", "lower.B"]
rubber.stiffness = [3, "m", 0.4]
rubber.damping = [0.1, 0.2, 0.05]
rubber.axis = [1, 0.3]
[template.arm.initial]
position = { "upper.angle" = "lift/2", "2*lower.B.y + lower.B.x" = "2*at.y + 1.6", "block.C.y" = 3.1 }
velocity."upper.angle" = 0.5
velocity."angle(upper, lower)" = "-0.3"
velocity."vel(block.C.y) - 0.1*vel(upper.angle)" = 0.2
near = { "lower.B" = [0.4, 1.6], "block.C" = [0.2, 3.1] }
[template.arm.objective.sum]
integral = """norm2(lower.B - [0.5, 0.1]) + lower.B.y + dot(vel(lower.B), [0.1, 0.2]) + upper.angle \
    + twist.torque + spring.force + spin.effort + guide.torque + dot(elbow.reaction, [0.01, 0.02]) \
    + pull.force.y"""
terminal = "angle(upper, lower) + turn.torque + wheel.R.y + cross(lower.B, upper.S)"
"#;

/// Two arms, one of them mirrored.
fn arms(gravity: &str, mirror: &str) -> String {
    let columns = |s: &str| {
        let column = |(name, sensor): (&str, &str)| format!("{s}_{name} = '{s}_{sensor}'\n");
        [("x", "lower.B.x"), ("y", "lower.B.y"), ("a", "upper.angle"), ("c", "wheel.R.x"), ("d", "wheel.R.y")]
            .map(column)
            .concat()
    };
    let instances =
        format!("[instance]\nright = {{ use = 'arm' }}\nleft = {{ use = 'arm', mirror = '{mirror}' }}\n");
    format!(
        "name = 'arms'\ngravity = {gravity}\n{ARM}{instances}[output]\n{}{}",
        columns("right"),
        columns("left")
    )
}

fn close(a: f64, b: f64, what: &str) {
    // 1e-9: rounding of the assembly, carried through 100 steps
    assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{what}: {a} and {b}");
}

/// Same coordinate along the mirror, opposite across it; what the template measures, and its gradients, are
/// equal.
#[test]
fn mirror_image_moves_as_the_mirror_image() {
    for (gravity, mirror, signs) in
        [("[9.81, 0]", "y", [1.0, -1.0, -1.0, 1.0, -1.0]), ("[0, -9.81]", "x", [-1.0, 1.0, -1.0, -1.0, 1.0])]
    {
        let (psi, gradient, last) = numbers(&arms(gravity, mirror));
        close(psi[0], psi[1], "objective");
        assert!(psi[0].abs() > 0.1);
        for (k, sign) in signs.iter().enumerate() {
            let (right, left) = (last[1 + k], last[6 + k]);
            assert!(right.abs() > 1e-3);
            close(right * sign, left, "output");
        }
        let parameters = gradient[0].len() / 2;
        for k in 0..parameters {
            close(gradient[0][k], gradient[1][parameters + k], "gradient");
            assert!(gradient[0][k] != 0.0 && gradient[0][parameters + k] == 0.0);
        }
    }
}

/// Actuators and bushings in space.
const WING: &str = r#"
name = "wings"
dimension = 3
gravity = [0, 0, -9.81]
[template.wing.parameters]
k = 40
[template.wing.ground]
points = { O = [0.2, 0.5, 0.1], W = [0.6, 1.5, 0.3] }
[template.wing.body.arm]
points = { A = [0, 0, 0], B = [0.3, 0.6, 0.1] }
mass = 1.2
com = [0.1, 0.3, 0.05]
inertia = [0.2, 0.3, 0.25, 0.01, 0.02, -0.015]
[template.wing.body.slider]
points = { C = [0.1, 0, 0] }
mass = 0.5
inertia = [0.1, 0.12, 0.09]
[template.wing.body.tip]
points = { D = [0, 0, 0], E = [0.1, 0.2, -0.1], F = [0.3, 0, 0] }
mass = 0.4
inertia = [0.05, 0.04, 0.03, 0.001, 0, 0.002]
[template.wing.joint]
hinge = { type = "revolute", between = ["ground.O", "arm.A"], axis = [1, 0.2, 0.1], normal = [0, 1, 0] }
guide = { type = "prismatic", between = ["arm.B", "slider.C"], axis = [1, 0.3, 0.2], normal = [0, 0, 1] }
[template.wing.force]
motor = { type = "actuator", joint = "hinge", effort = "5 + 2*sin(3*t) - 0.1*vel(hinge.angle)" }
ram.type = "actuator"
ram.joint = "guide"
ram.effort = "0.4*cos(2*t) - 0.3*vel(guide.position) - 20*guide.position"
rubber.type = "bushing"
rubber.between = ["slider.C", "tip.D"]
rubber.stiffness = ["k", 60, 50, 4, 5, 6]
rubber.damping = [0.4, 0.5, 0.6, 0.04, 0.05, 0.06]
rubber.axis = [0.2, -0.3, 1]
rubber.normal = [1, 0.2, 0]
line.type = "bushing"
line.between = ["arm.B", "tip.F"]
line.stiffness = [6, 2, 5, 0.4, 0.5, 0.6]
line.axis = [0.2, 0.5, 1]
soft = { type = "bushing", between = ["ground.W", "tip.E"], stiffness = [10, 20, 15, 1, 2, 3] }
[template.wing.initial]
position."hinge.angle" = 0.2
position."guide.position" = 0.1
position."tip.D" = [0.6, 1.2, 0.2]
position."tip.E.x" = 0.7
position."tip.E.y" = 1.4
position."tip.F.z" = 0.22
[template.wing.objective]
o = { terminal = "dot(tip.E, [0.3, 0.2, 0.1]) + hinge.angle", integral = "guide.position + soft.force.y" }
[instance]
right = { use = "wing" }
left = { use = "wing", mirror = "y" }
[output]
"#;

/// Efforts along positions and about axes, and bushings in axes of bodies, of the ground and of their own.
#[test]
fn mirror_image_in_space_moves_as_the_mirror_image() {
    let columns = |s: &str| {
        let points = ["arm.B", "slider.com", "tip.E", "tip.F"].iter().enumerate();
        let column =
            |(i, p): (usize, &&str)| ["x", "y", "z"].map(|a| format!("{s}{i}{a} = '{s}_{p}.{a}'\n")).concat();
        points.map(column).collect::<String>()
    };
    let (psi, gradient, last) = numbers(&format!("{WING}{}{}", columns("right"), columns("left")));
    close(psi[0], psi[1], "objective");
    close(gradient[0][0], gradient[1][1], "gradient");
    assert!(psi[0].abs() > 0.1 && gradient[0][0] != 0.0);
    for k in 0..12 {
        close(last[1 + k] * if k % 3 == 1 { -1.0 } else { 1.0 }, last[13 + k], "output");
    }
}

/// The expanded file is the same model, and has nothing left to expand.
#[test]
fn expanded_file_is_the_same_model() {
    let arm = arms("[0, -9.81]", "x");
    for text in [arm.as_str(), gradyn::examples::find("pendulum_array").unwrap(), NESTED] {
        let once = file::expanded(Path::new("x.toml"), text).unwrap_or_else(|e| panic!("{e:?}"));
        assert!(!once.contains("template") && !once.contains("instance"));
        assert_eq!(file::expanded(Path::new("x.toml"), &once).unwrap(), once);
        assert_eq!(numbers(text), numbers(&once));
    }
}

/// Two rows of three links, one mirrored: templates inside a template, names across them, a prefix, hard
/// points.
const NESTED: &str = r#"
name = "nested"
gravity = [9.81, 0]
[parameters]
L = 0.4
[template.link]
required = ["previous"]
arguments = { base = 0.1, mass = "2*base", start = 0 }
[template.link.body.bar]
rod = { points = ["A", "B"], length = "L", mass = "mass" }
[template.link.joint.pin]
type = "revolute"
between = ["{previous}", "bar.A"]
[template.link.initial]
position = { "bar.angle" = "start" }
[template.row]
arguments = { y0 = 0.5, tip = 0.2 }
[template.row.points]
T = [0.1, "y0"]
[template.row.ground]
points = { O = "T" }
[template.row.instance]
link.use = "link"
link.count = 3
link.with = { previous = "link_{i-1}_bar.B", start = "0.1*i*y0 + 0.01*n" }
link.first = { previous = "ground.O" }
link.last = { base = "tip" }
[template.row.force]
spring = { type = "spring-damper", between = ["ground.O", "link_3_bar.B"], stiffness = 3, length = "norm(T)" }
[template.row.output]
x = "link_2_bar.B.x"
[template.row.objective]
o = { terminal = "link_3_bar.B.y + link_3_mass" }
[instance]
upper = { use = "row" }
lower = { use = "row", mirror = "y", prefix = "B", with = { y0 = 0.5 } }
"#;

#[test]
fn templates_use_templates() {
    let m = read(NESTED).mechanism;
    let names: Vec<&str> = m.bodies.iter().map(|b| b.name.text.as_str()).collect();
    assert_eq!(
        names,
        [
            "upper_link_1_bar",
            "upper_link_2_bar",
            "upper_link_3_bar",
            "Blink_1_bar",
            "Blink_2_bar",
            "Blink_3_bar"
        ]
    );
    assert_eq!(m.joints[1].between.clone().map(|t| t.text), ["upper_link_1_bar.B", "upper_link_2_bar.A"]);
    assert_eq!(m.joints[3].between.clone().map(|t| t.text), ["ground.BO", "Blink_1_bar.A"]);
    let (psi, gradient, last) = numbers(NESTED);
    close(psi[0], psi[1], "objective");
    close(gradient[0][0], gradient[1][0], "gradient");
    close(last[1], last[2], "output");
}

/// JSON has the same templates.
#[test]
fn json_has_templates() {
    let json = serde_json::to_string(&NESTED.parse::<toml::Table>().unwrap()).unwrap();
    let (a, b) = (read(NESTED), file::read_json(&json).unwrap());
    assert_eq!(a.mechanism.bodies.len(), b.mechanism.bodies.len());
    assert!(file::expanded(Path::new("x.json"), &json).unwrap().contains("upper_link_1_bar"));
}

/// Functions, units and names from outside stay; whole names and heads of paths change.
#[test]
fn only_names_of_the_template_are_prefixed() {
    let text = r#"
name = "p"
parameters = { m = 1, bar_length = 2 }
[template.t]
arguments = { s = 2, cos = 3 }
[template.t.constants]
a = "3 m + m*s + bar_length + cos(s) + cos"
bar = "a + 2 s + min(a, s)"
[template.t.output]
o = "bar + t + {s}*3 - pi"
[instance]
q = { use = "t" }
"#;
    let out = file::expanded(Path::new("x.toml"), text).unwrap();
    assert!(out.contains(r#"q_a = "3 m + m*q_s + bar_length + cos(q_s) + q_cos""#), "{out}");
    assert!(out.contains(r#"q_bar = "q_a + 2 s + min(q_a, q_s)""#), "{out}");
    assert!(out.contains(r#"q_o = "q_bar + t + 2*3 - pi""#), "{out}");
}

/// A vector that is an argument may be a hard point of a body.
#[test]
fn vector_arguments_are_hard_points() {
    let text = r#"
name = "p"
gravity = [9.81, 0]
[template.leg]
required = ["hip"]
arguments = { foot = [1, 2] }
[template.leg.ground]
points = { O = "hip" }
[template.leg.body.thigh]
hard = ["hip", "foot"]
rod = { points = ["hip", "foot"], mass = 1 }
[template.leg.joint]
pin = { type = "revolute", between = ["ground.O", "thigh.hip"] }
[template.leg.initial]
position = { "thigh.foot.y" = 2.1 }
[template.leg.objective]
o = { terminal = "thigh.foot.y + 2*hip.y" }
[points]
H = ["1 - L", "1 + L"]
[parameters]
L = 0
[instance]
right = { use = "leg", with = { hip = [0, "1 + L"] } }
left = { use = "leg", mirror = "y", with = { hip = [0, "1 + L"], foot = "H + [0, 1]" } }
"#;
    let out = file::expanded(Path::new("x.toml"), text).unwrap();
    assert!(out.contains(r#"between = ["ground.left_O", "left_thigh.left_hip"]"#), "{out}");
    let (psi, gradient, _) = numbers(text);
    close(psi[0], psi[1], "objective");
    assert!(gradient[0][0] != 0.0);
}

const BASE: &str = r#"name = "p"
[template.leg]
required = ["side"]
arguments = { length = 1 }
[template.leg.body.thigh]
rod = { points = ["A", "B"], length = "length", mass = 1 }
[template.leg.output]
x = "thigh.{side}.x"
[instance]
left = { use = "leg", with = { side = "A" } }
"#;

fn refused(old: &str, new: &str) -> (ModelError, String) {
    assert!(BASE.contains(old), "{old}");
    let text = BASE.replacen(old, new, 1);
    let e = match file::read_toml(&text) {
        Err(e) => e,
        Ok(file) => file.explain(gradyn_model::build(&file.mechanism).expect_err(new)),
    };
    let place = text[e.place.clone().unwrap_or_else(|| panic!("{e:?}"))].to_owned();
    (e, place)
}

#[rustfmt::skip] // a table
#[test]
fn mistakes_are_named_and_placed() {
    let cases: &[(&str, &str, &str, &str, &str)] = &[
        ("use = \"leg\"", "use = \"lag\"", "instance `left`: there is no template \
            `lag`", "lag", "did you mean `leg`? templates: leg"),
        ("use = \"leg\", ", "", "instance `left`: the key `use` is missing", "left", "template"),
        ("side = \"A\"", "", "instance `left`: the argument `side` of template `leg` is \
            missing", "left", "with = { side = … }"),
        ("side = \"A\"", "side = \"A\", lenght = 2", "instance `left`: template `leg` has no argument \
            `lenght`", "lenght", "did you mean `length`? arguments: length, side"),
        ("length = 1 }", "length = 1, mass = 2 }", "template `leg`: the argument `mass` is not \
            used", "mass", "{mass}"),
        ("{side}", "{sid}", "there is no argument `sid`, in `left` (template \
            `leg`)", "thigh.{sid}.x", "did you mean {side}?"),
        ("{side}", "{i}", "there is no argument `i`, in `left` (template `leg`)", "thigh.{i}.x", "count"),
        ("side = \"A\" }", "side = [0, 0] }", "the argument `side` is a vector and cannot be put into a \
            text, in `left` (template `leg`)", "thigh.{side}.x", "without braces"),
        ("with", "mirror = \"w\", with", "instance `left`, mirror: \"x\" or \"y\" or \"z\" is expected \
            here, not \"w\"", "w", ""),
        ("with", "mirror = \"z\", with", "instance `left`, mirror: a plane model has no z \
            axis", "\"z\"", "\"x\""),
        ("with", "count = 0, with", "instance `left`, count: an integer from 1 to 10000 is expected here, \
            not 0", "0", ""),
        ("with", "count = 1e9, with", "instance `left`, count: an integer from 1 to 10000 is expected here, \
            not 1000000000", "1e9", ""),
        ("with", "count = 2.5, with", "instance `left`, count: an integer from 1 to 10000 is expected here, \
            not 2.5", "2.5", ""),
        ("with", "first = {}, with", "instance `left`: `first` is for arrays, and there is no \
            `count`", "{}", "with"),
        ("with", "count = 2, prefix = \"l\", with", "instance `left`, prefix: every copy of the array would \
            have the same names", "l", "\"l{i}_\""),
        ("with", "prefix = \"l{j}\", with", "instance `left`, prefix: `l{j}` cannot begin a \
            name", "l{j}", "letters"),
        ("with", "wiht = {}, with", "instance `left`: there is no key \
            `wiht`", "wiht", "did you mean `with`?"),
        ("[template.leg.output]", "[template.leg.outptu]", "template `leg`: there is no key \
            `outptu`", "outptu", "did you mean `output`?"),
        ("[template.leg.output]", "[template.leg.study]", "template `leg`: there is no key \
            `study`", "study", "keys: arguments"),
        ("[instance]", "[template.none]\n[instance]", "template `none` has no \
            elements", "none", "[template.none.body.NAME]"),
        ("[instance]", "[template.leg.instance]\nx = { use = \"leg\" \
            }\n[instance]", "a template uses itself: `leg` → `leg`", "\"leg\"", "count"),
        ("[instance]", "[template.leg.instance]\nx = { use = \"b\" }\n[template.b.instance]\ny = { use \
            = \"leg\" }\n[instance]", "a template uses itself: `leg` → `b` → `leg`", "\"leg\"", "count"),
        ("[instance]", "[body.left_thigh]\n[instance]", "the name `left_thigh` is taken twice: by the model \
            itself and by `left` (template `leg`)", "left", "prefix"),
        ("[instance]", "[instance]\nother = { use = \"leg\", prefix = \"left_\", with = { side = \"A\" } \
            }", "the name `left_length` is taken twice: by `other` (template `leg`) and by `left` (template \
                `leg`)", "left", "prefix"),
        ("required = [\"side\"]", "required = [\"side\", \"length\"]", "template `leg`: the argument \
            `length` is named twice", "length", "defaults"),
        ("mass = 1", "mas = 1", "body `left_thigh`, rod: there is no key `mas`, in `left` (template \
            `leg`)", "mas", "did you mean `mass`?"),
        ("mass = 1", "mass = \"2*lengt\"", "body `left_thigh`, mass: unknown name 'lengt', in `left` \
            (template `leg`)", "lengt", "left_length"),
        ("side = \"A\"", "side = \"C\"", "output `left_x`: `left_thigh` has no `C`, in `left` (template \
            `leg`)", "thigh.{side}.x", "it has A, B"),
        ("side = \"A\"", "side = \"A\", length = \"2*l\"", "constant `left_length`: unknown name \
            'l'", "l", ""),
    ];
    for (old, new, message, place, help) in cases {
        let (e, found) = refused(old, new);
        assert_eq!((e.message.as_str(), found.as_str()), (*message, *place), "{new}: {e:?}");
        assert!(e.help.clone().unwrap_or_default().contains(help), "{new}: {e:?}");
    }
}

/// An array whose first copy hangs on a copy that is not there: the message names the copy.
#[test]
fn arrays_without_first_name_the_copy() {
    let text = NESTED.replace("link.first = { previous = \"ground.O\" }\n", "");
    let file = read(&text);
    let e = file.explain(gradyn_model::build(&file.mechanism).expect_err("no first"));
    assert_eq!(e.message, "there is no body `link_0_bar`, in `upper_link_1` (template `link`)");
}

/// A mistake is in the copy that it is about, also where no name in the message tells which one that is.
#[test]
fn a_mistake_belongs_to_its_copy() {
    let text = r#"
        name = "copies"
        ground.points = { O = [0, 0] }
        [template.leg]
        required = ["k"]
        body.bar = { rod = { points = ["A", "B"], length = "k", mass = 1 } }
        joint.pin = { type = "revolute", between = ["ground.O", "bar.A"] }
        [instance]
        a = { use = "leg", with = { k = 1 } }
        b = { use = "leg", with = { k = -1 }, prefix = "" }
    "#;
    let study = gradyn::Study::from_text("copies.toml", text).expect("reads");
    let e = study.nominal().expect_err("a negative length");
    assert_eq!(e.message, "body `bar`: the length of the rod is -1, not positive, in `b` (template `leg`)");
    assert!(e.bytes().is_some_and(|bytes| text.get(bytes).is_some()), "{e:?}");
}

/// What cannot be mirrored is refused by name.
#[test]
fn mirror_refuses_what_it_does_not_know() {
    let case = |section: &str| {
        let text = format!("{}{section}\n", BASE.replace("use = \"leg\"", "use = \"leg\", mirror = \"y\""));
        file::read_toml(&text).unwrap_err().message
    };
    let outer = case("[template.leg.objective]\no = { integral = \"motor.effort\" }");
    assert_eq!(outer, "`motor.effort` cannot be read in a mirrored template, in `left` (template `leg`)");
    let hard = case("[template.leg.body.b]\nhard = [\"P\"]");
    assert_eq!(
        hard,
        "body `b`: the hard point `P` is not one of the template and cannot be mirrored, in `left` \
         (template `leg`)"
    );
    let attitude = case("[template.leg.objective]\no = { integral = \"chassis.roll\" }");
    assert_eq!(attitude, "`chassis.roll` cannot be read in a mirrored template, in `left` (template `leg`)");
    let matrix = case(
        "[template.leg.force]\nb = { type = \"bushing\", between = [\"ground.O\", \"thigh.A\"], stiffness = \
         [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }",
    );
    assert_eq!(matrix, "`stiffness` cannot be mirrored, in `left` (template `leg`)");
    let effort = case("[template.leg.force]\na = { type = \"actuator\", joint = \"outside\", effort = 1 }");
    assert_eq!(effort, "`effort` cannot be mirrored, in `left` (template `leg`)");
    let driver = case("[template.leg.driver]\nd = { coordinate = \"thigh.B\", value = 1 }");
    assert_eq!(driver, "`value` cannot be mirrored, in `left` (template `leg`)");
}

/// Velocities are listed by all or by none.
#[test]
fn rest_and_velocities_do_not_mix() {
    let mixed = format!(
        "{BASE}[initial]\nposition = {{ \"left_thigh.angle\" = 0 }}\n[template.leg.initial]\nvelocity = \
         {{ \"thigh.A\" = [0, 0] }}\n"
    );
    let e = file::read_toml(&mixed).unwrap_err();
    assert_eq!(
        e.message,
        "initial, velocity: `left` (template `leg`) lists velocities, the model itself is at rest"
    );
}

/// Vectors of space: components, axes, products of inertia, torques.
#[test]
fn vectors_of_three_are_mirrored() {
    let text = r#"
name = "s"
dimension = 3
[template.t]
arguments = { at = [1, 2, 3] }
[template.t.points]
P = "at + [0, 1, 0]"
[template.t.body.b]
points = { A = [1, 2, "3*at.z"] }
com = "P"
inertia = [1, 2, 3, 4, 5, 6]
[template.t.joint]
j = { type = "prismatic", between = ["ground.O", "b.A"], axis = [0, 1, 1], normal = [1, 0, 2], angle = 0.1 }
[template.t.force]
f = { type = "force", at = "b.A", force = [1, "t", 1] }
m = { type = "torque", on = "b", torque = [1, 2, 3] }
[instance]
r = { use = "t", mirror = "z" }
"#;
    let out = file::expanded(Path::new("x.toml"), text).unwrap();
    for part in [
        "r_at = [1, 2, -3]",
        "A = [1, 2, \"-(3*(-r_at.z))\"]",
        "com = \"r_P\"",
        "inertia = [1, 2, 3, 4, -5, -6]",
        "axis = [0, 1, -1], normal = [1, 0, -2], angle = -0.1",
        "force = [1, \"t\", -1]",
        "torque = [-1, -2, 3]",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
}

/// 10,000 links are read in time that grows with their number; a small file cannot ask for a huge model.
#[test]
fn sizes_are_bounded() {
    let chain = gradyn::examples::find("pendulum_array").unwrap().replace("count = 5", "count = 10000");
    let start = std::time::Instant::now();
    assert_eq!(read(&chain).mechanism.bodies.len(), 10_000);
    let mut nested = "name = 'p'\n[template.t0.constants]\na = 1\n".to_owned();
    for k in 1..12 {
        nested += &format!("[template.t{k}.instance]\nx = {{ use = 't{}', count = 10000 }}\n", k - 1);
    }
    let e = file::read_toml(&format!("{nested}[instance]\nall = {{ use = 't11' }}\n")).unwrap_err();
    assert_eq!(e.message, "instance `all`: the templates expand to more than 100000 elements");
    let mut deep = nested;
    for k in 12..30 {
        deep += &format!("[template.t{k}.instance]\nx = {{ use = 't{}' }}\n", k - 1);
    }
    assert!(file::read_toml(&deep).unwrap_err().message.contains("nested more than 16 deep"));
    // texts that double at every level
    let mut doubled =
        "name = 'p'\n[template.t0]\nrequired = ['s']\n[template.t0.output]\no = '{s}'\n".to_owned();
    for k in 1..12 {
        doubled += &format!(
            "[template.t{k}]\nrequired = ['s']\n[template.t{k}.instance]\nx = {{ use = 't{}', with = {{ s = \
             '{}' }} }}\n",
            k - 1,
            "{s}".repeat(16)
        );
    }
    let e = file::read_toml(&format!("{doubled}[instance]\nall = {{ use = 't11', with = {{ s = '1' }} }}\n"))
        .unwrap_err();
    assert!(e.message.starts_with("the templates expand to more than 64 MB of text"), "{}", e.message);
    // one long list, many times; one long name, many times
    let list = format!(
        "name = 'p'\n[template.t.body.b]\njunk = [{}]\n[instance]\nall = {{ use = 't', count = 10000 }}\n",
        "1, ".repeat(10_000)
    );
    let name = format!(
        "name = 'p'\n[template.t.constants]\n{} = 1\n[instance]\nall = {{ use = 't', count = 10000 }}\n",
        "a".repeat(10_000)
    );
    let prefix = format!(
        "name = 'p'\n[template.t.constants]\na = 1\n[instance]\n{} = {{ use = 't', count = 10000 }}\n",
        "a".repeat(10_000)
    );
    for text in [list, name, prefix] {
        let e = file::read_toml(&text).unwrap_err();
        assert!(e.message.ends_with("the templates expand to more than 64 MB of text"), "{}", e.message);
    }
    // seconds without optimisation on a slow machine
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// A template that nothing uses is fine.
#[test]
fn unused_templates_are_fine() {
    assert_eq!(
        read(&BASE.replace("left = { use = \"leg\", with = { side = \"A\" } }", "")).mechanism.bodies.len(),
        0
    );
}

/// A chain of universal joints is drawn from the conditions on its angles, and stays where it is drawn.
#[test]
fn universal_joints_are_drawn_at_their_angles() {
    for (between, count) in [("'{previous}', 'bar.A'", 100), ("'bar.A', '{previous}'", 20)] {
        let text = format!(
            r#"
            name = "chain"
            dimension = 3
            ground.points = {{ O = [0, 0, 0] }}
            template.link.required = ["previous"]
            [template.link.body.bar]
            points = {{ A = [0, 0, 0], B = [0.3, 0, 0.1] }}
            mass = 1
            inertia = [0.1, 0.2, 0.2]
            [template.link.joint.pin]
            type = "universal"
            between = [{between}]
            axes = [[0, 1, 0.2], [0, -0.1, 1]]
            normals = [[1, 0, 0], [1, 0.1, 0]]
            [template.link.initial]
            position = {{ "pin.angle_1" = "sin(1.7*i)", "pin.angle_2" = "-90 deg + cos(0.9*i)" }}
            [instance.link]
            use = "link"
            count = {count}
            with = {{ previous = "link_{{i-1}}_bar.B" }}
            first = {{ previous = "ground.O" }}
            [output]
            a = "link_7_pin.angle_1"
            b = "link_7_pin.angle_2"
            "#
        );
        let model = Prepared::new(&read(&text).mechanism).unwrap_or_else(|e| panic!("{e}"));
        let built = gradyn_model::build(&read(&text).mechanism).expect("builds");
        let drawn = built.system.guess();
        let far = model.assembled.q.iter().zip(drawn).map(|(a, b)| (a - b).abs());
        // 1e-9: rounding of 100 products of rotations
        assert!(far.fold(0.0, f64::max) < 1e-9, "the assembly moved the chain");
    }
}
