//! Model files: what they mean, what is wrong with them and where, and that nothing makes the reader panic.

use gradyn::file::{self, ModelFile};
use gradyn_model::mechanism::*;
use gradyn_model::{At, ModelError};
use std::path::{Path, PathBuf};

const PENDULUM: &str = r#"
name = "p"
gravity = [0, -9.81]
[parameters]
z = { value = "2 kg", unit = "kg", min = 0, max = 10, scale = 2 }
a = 1
tau = { value = [0, 1, "2"] }
u = { value = 0.5, count = 2 }
[constants]
w = "2*a"
b = "w + 1"
[points]
H = ["a", 1]
[ground]
points = { O = [0, 0], Q = "H" }
[body.bar]
mass = "z"
com = ["a/2", 0]
inertia = 1
points = { A = [0, 0] }
hard = ["H"]
[body.arm]
rod = { points = ["A", "B"], length = 1, mass = 3 }
[joint]
pin = { type = "revolute", between = ["ground.O", "bar.A"] }
slide = { type = "prismatic", between = ["bar.A", "arm.A"], axis = [0, 1], angle = "90 deg" }
[driver]
d1 = { angle = "bar", value = "t" }
d2 = { angle = ["bar", "arm"], value = 1 }
d3 = { distance = ["bar.A", "arm.B"], value = 1 }
d4 = { coordinate = "arm.B.x", value = 0 }
[force]
s.type = "spring-damper"
s.between = ["bar.A", "arm.B"]
s.stiffness = 1
s.damping = 2
s.length = 3
s.force = "length^3"
r = { type = "torsion", between = ["ground", "arm"], stiffness = 4, angle = 1, torque = "speed" }
f = { type = "force", at = "arm.B", force = ["t", 0] }
m = { type = "torque", on = "arm", torque = "wave" }
[spline.wave]
kind = "cyclic"
values = "tau"
period = 3
[spline.ramp]
kind = "clamped"
values = [0, "a"]
start = 1
duration = 2
[initial]
position = { "bar.angle" = "-60 deg", 'arm.B' = [1, "a"] }
velocity = { "bar.angle" = 0.5 }
near = { "arm.B" = [1, 1] }
[objective]
o = { integral = "bar.A.x", terminal = 1 }
[output]
x = "arm.B.x"
[study]
t_start = 1
t_end = "pi/2"
breaks = [1, "a"]
output_step = "10 ms"
method.formulation = "index3"
method.integrator = "newmark"
method.sensitivity = "direct"
method.step = "1 ms"
method.rtol = 1e-6
method.atol = 1e-8
method.freedoms = ["bar.B.x", "P.y"]
method.options = { alpha = 1e9, projection = "off", dense = true }
"#;

/// Every key of templates and instances.
const TEMPLATES: &str = r#"
name = "t"
parameters = { L = 1 }
ground.points = { O = [0, 0] }
[template.link]
required = ["previous"]
arguments = { at = [0, 0.1], m = "2*L", turn = "5 deg" }
[template.link.points]
P = "at + [0.1, 0]"
[template.link.body.bar]
hard = ["P"]
points = { B = ["at.x", "L"] }
mass = "m"
inertia = 1
[template.link.joint]
pin = { type = "revolute", between = ["{previous}", "bar.P"] }
[template.link.force]
s = { type = "torsion", between = ["ground", "bar"], angle = "turn", torque = "angle^2" }
[template.link.initial]
position = { "bar.angle" = "turn*i" }
[template.link.output]
y = "bar.B.y + vel(bar.P.x)"
[template.row.instance]
link.use = "link"
link.count = 3
link.with = { previous = "link_{i-1}_bar.B" }
link.first = { previous = "ground.O" }
link.last = { previous = "link_2_bar.B", m = 3 }
[instance]
a = { use = "row" }
b = { use = "row", mirror = "x", prefix = "b" }
"#;

fn examples() -> Vec<(PathBuf, String)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models"));
    let paths = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut all: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    all.sort();
    all.into_iter().map(|p| (p.clone(), std::fs::read_to_string(p).unwrap())).collect()
}

fn example(name: &str) -> ModelFile {
    let (path, text) = examples().into_iter().find(|(p, _)| p.file_stem().unwrap() == name).unwrap();
    file::read(&path, &text).unwrap()
}

fn json(toml: &str) -> String {
    serde_json::to_string(&toml.parse::<toml::Table>().unwrap()).unwrap()
}

fn expression(n: &Number) -> &str {
    if let Source::Expression(text) = &n.source { text } else { panic!("{n:?} is a value") }
}

/// Every section and element, in the order of the file.
#[test]
fn all_keys_arrive() {
    let ModelFile { mechanism: m, study, .. } = file::read_toml(PENDULUM).unwrap();
    let names = |list: &[Parameter]| list.iter().map(|p| p.name.text.clone()).collect::<Vec<_>>();
    assert_eq!(names(&m.parameters), ["z", "a", "tau_0", "tau_1", "tau_2", "u_0", "u_1"]);
    assert_eq!((m.parameters[0].unit.as_str(), expression(&m.parameters[4].value)), ("kg", "2"));
    assert_eq!(m.parameters[0].max.as_ref().map(|x| x.source.clone()), Some(Source::Value(10.0)));
    assert_eq!(m.constants.iter().map(|c| c.0.text.as_str()).collect::<Vec<_>>(), ["w", "b"]);
    assert!(matches!(m.ground[1].1, Vector::Expression(_)));
    assert_eq!(m.bodies.iter().map(|b| b.name.text.as_str()).collect::<Vec<_>>(), ["bar", "arm"]);
    assert_eq!(m.bodies[1].mass.as_ref().expect("a mass").source, Source::Value(3.0));
    assert_eq!((m.bodies[0].hard[0].text.as_str(), m.hard_points.len()), ("H", 1));
    assert!(matches!(&m.joints[1].kind, JointKind::Prismatic { angle } if expression(angle) == "90 deg"));
    assert!(matches!(&m.drivers[0].quantity, Quantity::Angle(a, b) if a.text == "ground" && b.text == "bar"));
    assert!(matches!(&m.drivers[1].quantity, Quantity::Angle(a, b) if a.text == "bar" && b.text == "arm"));
    assert!(matches!(&m.drivers[2].quantity, Quantity::Distance(_, b) if b.text == "arm.B"));
    assert!(matches!(&m.drivers[3].quantity, Quantity::Coordinate(c) if c.text == "arm.B.x"));
    let ForceKind::SpringDamper { force: Some(law), .. } = &m.forces[0].kind else { panic!("no law") };
    assert_eq!(expression(law), "length^3");
    let ForceKind::Torsion { damping, torque: Some(_), .. } = &m.forces[1].kind else { panic!("no law") };
    assert_eq!(damping.source, Source::Value(0.0));
    assert!(matches!(&m.forces[2].kind, ForceKind::Point { at, .. } if at.text == "arm.B"));
    assert!(matches!(&m.forces[3].kind, ForceKind::Torque { reaction, .. } if reaction.text == "ground"));
    assert_eq!(m.splines[0].values.iter().map(expression).collect::<Vec<_>>(), ["tau_0", "tau_1", "tau_2"]);
    assert!(
        m.splines[0].cyclic && !m.splines[1].cyclic && m.splines[0].duration.source == Source::Value(3.0)
    );
    assert_eq!(expression(&m.initial.position[1].1), "[1e0, a]");
    assert!(matches!(&m.initial.velocity, InitialVelocity::Conditions(c) if c.len() == 1));
    assert_eq!(
        (expression(&m.t_end), m.breaks.len(), m.outputs.len(), m.initial.near.len()),
        ("pi/2", 2, 1, 1)
    );
    assert_eq!(
        (study.step, study.rtol, study.atol, study.output_step),
        (Some(1e-3), Some(1e-6), Some(1e-8), Some(0.01))
    );
    let options: Vec<_> = study.options.iter().map(|(n, v)| (n.text.as_str(), v.as_str())).collect();
    assert_eq!(options, [("alpha", "1000000000"), ("projection", "off"), ("dense", "true")]);
    assert_eq!(study.freedoms.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(), ["bar.B.x", "P.y"]);
    assert_eq!(study.sensitivity.unwrap().text, "direct");
}

/// Places are the bytes of names and of the contents of strings.
#[test]
fn places_are_exact_where_the_text_is() {
    let text = "name = \"p\"\n[parameters]\na = \"1 + 1\"\nb = 12.5\nc = \"1 \\u002B 1\"\nd = \
        '''\n3'''\n[initial]\nposition = { \"x.y\" = 1 }";
    let m = file::read_toml(text).unwrap().mechanism;
    let at = |n: &Number| (&text[n.place.clone().unwrap()], n.exact);
    let found: Vec<_> = m.parameters.iter().map(|p| at(&p.value)).collect();
    assert_eq!(found, [("1 + 1", true), ("12.5", false), ("\"1 \\u002B 1\"", false), ("3", true)]);
    assert_eq!(&text[m.parameters[1].name.place.clone().unwrap()], "b");
    assert_eq!(at(&m.initial.position[0].0), ("x.y", true));
    let text =
        r#"{"name": "p\u00e9\ud83d\ude00\/", "parameters": {"a": "1 + 1", "b": -1.5e1, "c": "\u0031"}}"#;
    let m = file::read_json(text).unwrap().mechanism;
    let at = |n: &Number| (&text[n.place.clone().unwrap()], n.exact);
    let found: Vec<_> = m.parameters.iter().map(|p| at(&p.value)).collect();
    assert_eq!(found, [("1 + 1", true), ("-1.5e1", false), (r#""\u0031""#, false)]);
    assert_eq!((m.name.as_str(), m.parameters[1].value.source.clone()), ("pé😀/", Source::Value(-15.0)));
}

/// An error with its message, the text at its place, and its help.
fn assert_error(result: Result<ModelFile, ModelError>, text: &str, message: &str, place: &str, help: &str) {
    let e = result.expect_err(text);
    assert_eq!(e.message, message, "{text}");
    assert_eq!(
        &text[e.place.clone().unwrap_or_else(|| panic!("{e:?} has no place"))],
        place,
        "{text}: {e:?}"
    );
    assert!(e.help.clone().unwrap_or_default().contains(help), "{text}: {e:?}");
}

#[rustfmt::skip] // a table
#[test]
fn mistakes_are_named_and_placed() {
    let number = "a number or an expression in quotes";
    let cases: &[(&str, &str, &str, &str)] = &[
        ("", "the model file is empty", "", "name"),
        ("# nothing\n", "the model file is empty", "", "name"),
        ("nam = 'p'", "there is no key `nam`", "nam", "did you mean `name`? keys: name, dimension"),
        ("gravity = [0, 0]", "the key `name` is missing", "", "Name"),
        ("name = 1", "name: a string is expected here, not a number", "1", ""),
        ("name = 'p'\ndimension = 4", "dimension: 2 or 3 is expected here, not \
            4", "4", "3: a mechanism in space"),
        ("name = 'p'\ngravity = 9.81", "gravity: a vector such as [1, 0] or \"(P + Q)/2\" is expected here, \
            not a number", "9.81", ""),
        ("name = 'p'\nbody = 3", "body: a table with a body for each name is expected here, not a \
            number", "3", ""),
        ("name = 'p'\n[[body]]\nmass = 1", "body: a table with a body for each name is expected here, not a \
            list", "[[body]]", "[body.NAME]"),
        ("name = 'p'\n[body.b]\nmas = \
            1", "body `b`: there is no key `mas`", "mas", "did you mean `mass`? keys: points, mass, com"),
        ("name = 'p'\n[body.b]\nmass = {}", &format!("body `b`, mass: {number} is expected here, not a \
            table"), "{}", ""),
        ("name = 'p'\n[body.b]\npoints = { A = [0, {}] }", &format!("body `b`, point `A`: {number} is \
            expected here, not a table"), "{}", ""),
        ("name = 'p'\n[body.b]\nrod = { length = 1 }", "body `b`, rod: the key `points` is \
            missing", "rod", "ends"),
        ("name = 'p'\n[body.b]\nmass = 1\nrod = { points = ['A', 'B'], mass = 2 \
            }", "body `b`: the mass is given twice", "2", "rod"),
        ("name = 'p'\n[joint]\nj = {}", "joint `j`: the key `type` is missing", "j", "revolute, prismatic"),
        ("name = 'p'\n[joint]\nj = { type = 'revolut' }", "joint `j`: there is no joint type \
            `revolut`", "revolut", "did you mean `revolute`? types: revolute, prismatic, cylindrical"),
        ("name = 'p'\n[joint]\nj = { type = 1 }", "joint `j`, type: a string is expected here, not a \
            number", "1", ""),
        ("name = 'p'\n[joint]\nj = { type = 'revolute' }", "joint `j`: the key `between` is \
            missing", "j", "points"),
        ("name = 'p'\n[joint]\nj = { type = 'revolute', between = ['a.b'] \
            }", "joint `j`, between: two points are expected here, not 1", "['a.b']", ""),
        ("name = 'p'\n[joint]\nj = { type = 'revolute', between = ['a.b', 1] \
            }", "joint `j`, between: a string is expected here, not a number", "1", ""),
        ("name = 'p'\n[joint]\nj = { type = 'revolute', between = ['a.b', 'c.d'], length = 1 \
            }", "joint `j`: there is no key `length`", "length", "keys: type, between"),
        ("name = 'p'\n[force]\nf = { type = 'spring' }", "force `f`: there is no force type \
            `spring`", "spring", "types: spring-damper, torsion, force, torque"),
        ("name = 'p'\n[driver]\nd = { value = 1 }", "driver `d`: one of the keys angle, distance, \
            coordinate, sensor is missing", "d", ""),
        ("name = 'p'\n[driver]\nd = { value = 1, angle = 'a', coordinate = 'b' \
            }", "driver `d`: only one of the keys angle, distance, coordinate, sensor may be \
                given", "coordinate", ""),
        ("name = 'p'\n[parameters]\na = [1, 2]", &format!("parameter `a`: {number} or a table {{ … }} is \
            expected here, not a list"), "[1, 2]", ""),
        ("name = 'p'\n[parameters]\na = { value = 1, count = 0 }", "parameter `a`, count: an integer from 1 \
            to 10000 is expected here, not 0", "0", ""),
        ("name = 'p'\n[parameters]\na = { value = [1, 2], count = 3 }", "parameter `a`, count: 3, but \
            `value` has 2 values", "3", ""),
        ("name = 'p'\nparameters.a.value = []", "parameter `a`, value: from 1 to 10000 values are expected \
            here, not 0", "[]", ""),
        ("name = 'p'\nparameters.a = 1979-05-27", &format!("parameter `a`: {number} or a table {{ … }} is \
            expected here, not a date"), "1979-05-27", ""),
        ("name = 'p'\n[spline.s]\nkind = 'cyclik'\nvalues = [1]\nperiod = 1", "spline `s`, kind: \"cyclic\" \
            or \"clamped\" is expected here, not \"cyclik\"", "cyclik", "did you mean `cyclic`?"),
        ("name = 'p'\n[spline.s]\nkind = 'clamped'\nvalues = [1]\nperiod = \
            1", "spline `s`: only a cyclic spline has a period", "period", "duration"),
        ("name = 'p'\nparameters.tau = { value = 0, count = 3 }\n[spline.s]\nkind = 'cyclic'\nvalues = \
            'tua'\nperiod = 1", "spline `s`, values: there is no list parameter `tua`", "tua", ""),
        ("name = 'p'\n[initial]\nvelocity = 'rset'", "initial, velocity: \"rest\" is expected here, \
            not \"rset\"", "rset", "did you mean `rest`?"),
        ("name = 'p'\n[initial]\nposition = { A1.angle = 1 }", "initial, condition `A1`: a number, an \
            expression in quotes or a vector such as [1, 0] is expected here, not a \
            table", "A1", "\"A1.angle\""),
        ("name = 'p'\n[study.method]\nstep = '1 mss'", "study, method, step: 'mss' after a number is not a \
            unit", "mss", "units are"),
        ("name = 'p'\n[study.method]\nstep = -1", "study, method, step: a positive number is expected here, \
            not -1", "-1", ""),
        ("name = 'p'\n[study]\noutput_step = 'h'", "study, output_step: unknown name 'h'", "h", ""),
        ("name = 'p'\nname = 'q'", "TOML: duplicate key", "name", ""),
        ("name = 'p'\n[joint]\na = { type = ", "TOML: unclosed inline table, expected `}`", "", ""),
    ];
    for (text, message, place, help) in cases {
        assert_error(file::read_toml(text), text, message, place, help);
    }
}

#[test]
fn mistakes_of_json_are_placed() {
    let cases: &[(&str, &str, &str)] = &[
        (" \n", "the model file is empty", ""),
        ("{}", "the model file is empty", ""),
        ("[1]", "JSON: the file must be an object { … }", "[1]"),
        ("{\"name\": 'p'}", "JSON: a value is expected here", "'"),
        ("{\"name\": \"p\", \"name\": 1}", "JSON: duplicate key `name`", "name"),
        ("{\"name\": \"p\"} x", "JSON: unexpected text after the end of the object", "x"),
        ("{\"name\": \"p\",}", "JSON: a key in double quotes is expected here", "}"),
        ("{\"name\" \"p\"}", "JSON: `:` is expected here", "\""),
        ("{\"name\": 01}", "JSON: `01` is not a number of JSON", "01"),
        ("{\"name\": \"\\q\"}", "JSON: not an escape of JSON", "\\"),
        ("{\"name\": \"\\ud800\"}", "JSON: not an escape of JSON", "\\"),
        ("{\"name\": \"p", "JSON: the string is never closed", "\""),
        ("{\"name\": [1, 2", "JSON: `,` or `]` is expected here", ""),
        ("{\"name\": null}", "name: a string is expected here, not null", "null"),
        ("{\"name\": \"p\", \"body\": {\"b\": {\"mas\": 1}}}", "body `b`: there is no key `mas`", "mas"),
    ];
    for (text, message, place) in cases {
        assert_error(file::read_json(text), text, message, place, "");
    }
    let deep = "[".repeat(100_000);
    assert!(file::read_json(&deep).unwrap_err().message.contains("100 deep"));
    assert!(file::read_toml(&format!("a = {deep}")).is_err());
}

/// A mistake inside an expression is placed by the build, at its characters in the file.
#[test]
fn the_build_places_mistakes_of_expressions() {
    let text = examples()
        .into_iter()
        .find(|(p, _)| p.ends_with("pendulum.toml"))
        .unwrap()
        .1
        .replace("\"bar.B.x^2\"", "\"bar.Bee.x^2\"");
    let e = gradyn_model::build(&file::read_toml(&text).unwrap().mechanism).unwrap_err();
    assert_eq!(&text[e.place.unwrap()], "bar.Bee.x");
}

/// JSON and TOML of the same file agree, but for order and places.
#[test]
fn json_has_the_same_schema() {
    let text = examples().into_iter().find(|(p, _)| p.ends_with("five_bar.toml")).unwrap().1;
    let (a, b) = (file::read_toml(&text).unwrap(), file::read(Path::new("x.JSON"), &json(&text)).unwrap());
    let sorted = |m: &Mechanism| {
        let mut p: Vec<_> =
            m.parameters.iter().map(|p| (p.name.text.clone(), format!("{:?}", p.value.source))).collect();
        p.sort();
        p
    };
    assert_eq!(sorted(&a.mechanism), sorted(&b.mechanism));
    assert_eq!(a.study.step, b.study.step);
    assert_eq!(a.mechanism.bodies.len(), b.mechanism.bodies.len());
}

/// Each example builds, has as many conditions as degrees of freedom, reads all its parameters, and is drawn
/// nearly assembled.
#[test]
fn examples_build() {
    assert_eq!(examples().len(), gradyn::examples::ALL.len(), "every file is bundled");
    // closed loops whose places `near` gives roughly
    let rough = [
        "quick_return",
        "four_bar_synthesis",
        "jansen",
        "n_pendulum_3d",
        "rssr",
        "universal_shaft",
        "change_point",
        "redundant_four_bar",
        "bennett",
        "quarter_car",
        "catapult",
    ];
    // equilibria that are not the drawn configuration
    let vehicles = gradyn::examples::VEHICLES;
    for (path, text) in examples() {
        let file = file::read(&path, &text).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        let model =
            gradyn_model::build(&file.mechanism).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        let d = model.system.dims();
        // rows that follow from others leave more open than they count
        let counts = [("redundant_four_bar", 1), ("iltis", 2), ("bricard", 1), ("bennett", 3)];
        let redundant = counts
            .iter()
            .find(|(name, _)| path.ends_with(format!("{name}.toml")))
            .map_or(0, |(_, count)| *count);
        let vehicle = vehicles.iter().any(|name| path.ends_with(format!("{name}.toml")));
        let open = redundant + model.system.row_choice().off.len();
        let freedom = (d.n + d.m_vel + open - d.m, d.n + open - d.m);
        // in equilibrium the forces say the rest
        let positions = if model.system.statics().is_some() { freedom.0 } else { model.conditions.0.len() };
        assert_eq!(freedom, (positions, model.conditions.1.len()), "{}", path.display());
        assert!(model.parameters.iter().all(|p| p.used), "{}", path.display());
        assert!(!model.objectives.is_empty() && model.warnings.is_empty(), "{}", path.display());
        assert!(
            file.study.step.is_some() != file.study.rtol.is_some(),
            "{}: a step or a tolerance",
            path.display()
        );
        if vehicle || rough.iter().any(|name| path.ends_with(format!("{name}.toml"))) {
            continue;
        }
        let (zero, lam) = (vec![0.0; d.n], vec![0.0; d.m]);
        let q = model.system.guess().to_vec();
        let mut data = model.system.evaluator(&model.slots(&model.rho()));
        data.set_branches(&model.angles);
        data.at(0.0, &q);
        let (at, mut phi) = (At { t: 0.0, q: &q, v: &zero, a: &zero, lam: &lam }, vec![0.0; d.m]);
        data.constraint(&at, [1.0, 0.0, 0.0], &mut phi);
        // 1e-12: points of a few metres, a few operations each
        assert!(phi[..d.m - d.m_vel].iter().all(|x| x.abs() < 1e-12), "{}: {phi:?}", path.display());
    }
}

/// The parameters of the published benchmarks, in order.
#[test]
fn benchmarks_have_their_parameters() {
    let names = |name: &str| {
        gradyn_model::build(&example(name).mechanism)
            .unwrap()
            .parameters
            .into_iter()
            .map(|p| p.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names("five_bar"), ["L_s1", "L_s2", "m_A1", "xG_A1", "L_A1"]);
    let control: Vec<String> =
        ["A", "B"].iter().flat_map(|b| (0..10).map(move |i| format!("tau_{b}_{i}"))).collect();
    assert_eq!(names("five_bar_control"), control);
    assert_eq!(names("oscillator"), ["c", "z0", "m"]);
    assert_eq!(names("manipulator"), ["F1Z", "L1Z", "t1", "L", "M2", "I3Z"]);
    assert_eq!(names("iltis"), ["kL1", "kL2", "cS1", "cS2", "kS1", "kS2"]);
    assert_eq!(names("four_wheeler"), ["kf", "cf", "kr", "cr", "mc"]);
    assert_eq!(names("coach"), ["c_f", "c_r", "le_f", "le_r", "k_arb_f", "k_arb_r", "m_ch"]);
}

/// [M Φ_qᵀ; Φ_q 0] [a; λ] = [Q; -Φ̈(v = 0)] at the start, dense.
fn initial_acceleration(name: &str) -> (Vec<String>, Vec<f64>) {
    let model = gradyn_model::build(&example(name).mechanism).unwrap();
    let (s, d) = (&model.system, model.system.dims());
    let (q, zero, lam) = (s.guess().to_vec(), vec![0.0; d.n], vec![0.0; d.m]);
    let mut data = s.evaluator(&model.slots(&model.rho()));
    data.set_branches(&model.angles);
    data.at(0.0, &q);
    let at = At { t: 0.0, q: &q, v: &zero, a: &zero, lam: &lam };
    let size = d.n + d.m;
    let mut rows = vec![vec![0.0; size + 1]; size];
    for j in 0..size {
        let mut e = vec![0.0; size];
        e[j] = 1.0;
        let (mut column, mut rate) = (vec![0.0; d.n], vec![0.0; d.m]);
        data.balance(&e[..d.n], &e[d.n..], &mut column);
        data.constraint(&At { v: &e[..d.n], ..at }, [0.0, 1.0, 0.0], &mut rate);
        column.iter().chain(&rate).enumerate().for_each(|(i, x)| rows[i][j] = *x);
    }
    let (mut minus_q, mut ddphi) = (vec![0.0; d.n], vec![0.0; d.m]);
    data.forces(&at, &mut minus_q);
    data.constraint(&at, [0.0, 0.0, 1.0], &mut ddphi);
    minus_q.iter().chain(&ddphi).enumerate().for_each(|(i, x)| rows[i][size] = -x);
    let names = (0..d.n).map(|i| s.coordinate_name(i)).collect();
    (names, solve(rows)[..d.n].to_vec())
}

/// Gauss–Jordan with pivoting on [A | b].
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap();
        rows.swap(k, pivot);
        let row = rows[k].clone();
        for i in (0..n).filter(|&i| i != k) {
            let f = rows[i][k] / row[k];
            (k..=n).for_each(|j| rows[i][j] -= f * row[j]);
        }
    }
    (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
}

/// The five-bar accelerates at the start as in the reference (five_bar.json): P2 by (0, -12.685344827586206).
#[test]
fn five_bar_starts_like_the_reference() {
    for name in ["five_bar", "five_bar_control"] {
        let (names, a) = initial_acceleration(name);
        let at = |suffix: &str| a[names.iter().position(|n| n.ends_with(suffix)).unwrap()];
        assert!(
            at("P2.x").abs() < 1e-12 && (at("P2.y") + 12.685344827586206).abs() < 1e-12,
            "{names:?} {a:?}"
        );
    }
}

/// The keys of the schema are those that the reader knows: every example passes, and its tables are closed.
#[test]
fn schema_is_closed_and_documented() {
    let schema = file::schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["required"], serde_json::json!(["name"]));
    let joints = schema["properties"]["joint"]["additionalProperties"]["oneOf"].as_array().unwrap();
    let types: Vec<_> = joints.iter().map(|j| j["properties"]["type"]["const"].as_str().unwrap()).collect();
    assert_eq!(types, gradyn::file::joint_types().into_iter().map(|t| t.0).collect::<Vec<_>>());
    fn walk(s: &serde_json::Value) {
        if let Some(properties) = s.get("properties").and_then(|p| p.as_object()) {
            assert_eq!(s["additionalProperties"], false);
            assert!(properties.iter().all(|(name, p)| name == "type" || p["description"].is_string()));
        }
        s.as_object().into_iter().flat_map(|o| o.values()).for_each(walk);
        s.as_array().into_iter().flatten().for_each(walk);
    }
    walk(&schema);
}

/// xorshift64*.
struct Random(u64);
impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}

/// A few random bytes changed, pieces deleted or doubled.
fn mutate(text: &str, r: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + r.below(3) {
        let (i, length) = (r.below(bytes.len()), 1 + r.below(20));
        let end = (i + length).min(bytes.len());
        match r.below(5) {
            0 if i < end => bytes[i] ^= 1 << r.below(8),
            1 if i < end => bytes[i] = b"0123456789.-+*/^()[]{}\"'=,# \nAxe"[r.below(32)],
            2 => drop(bytes.drain(i..end)),
            3 => bytes.splice(i..i, bytes[i..end].to_vec()).for_each(drop),
            _ => {
                let from = r.below(bytes.len());
                let piece = bytes[from..(from + length).min(bytes.len())].to_vec();
                bytes.splice(i..i, piece).for_each(drop);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reading, building and assembling mutated files returns, within ten seconds each: half of them TOML, half
/// JSON. Places are within the file, at characters. `GRADYN_MUTATIONS=200000` makes more of them.
#[test]
fn mutations_never_panic() {
    let count: usize =
        std::env::var("GRADYN_MUTATIONS").map_or(4000, |n| n.parse().expect("a number of mutations"));
    let mut r = Random(0x9e37_79b9_7f4a_7c15);
    let mut sources: Vec<String> = examples().into_iter().map(|e| e.1).collect();
    sources.extend([PENDULUM.into(), TEMPLATES.into(), TEMPLATES.into()]);
    let (mut good, mut panics) = (0, vec![]);
    for round in 0..count {
        let (source, toml) = (&sources[round % sources.len()], round < count / 2);
        let text = mutate(&if toml { source.clone() } else { json(source) }, &mut r);
        let read = || {
            let file = if toml { file::read_toml(&text) } else { file::read_json(&text) };
            // arrays that a mutation made long are read, and not built
            match file {
                Ok(f) if f.mechanism.bodies.len() > 100 => Err(None),
                Ok(f) => {
                    let home = |place| f.explain(ModelError::new("").at(&place)).place;
                    gradyn::Prepared::new(&f.mechanism).map_err(|e| home(e.bytes()))
                }
                Err(e) => Err(e.place),
            }
        };
        let start = std::time::Instant::now();
        match std::panic::catch_unwind(read) {
            Ok(Ok(_)) => good += 1,
            Ok(Err(place)) => assert!(place.is_none_or(|p| text.get(p).is_some()), "{text}"),
            Err(_) => panics.push(text.clone()),
        }
        assert!(start.elapsed().as_secs() < 10, "{:.1} s for\n{text}", start.elapsed().as_secs_f64());
    }
    assert!(panics.is_empty(), "{} panics, such as\n{}", panics.len(), panics[0]);
    assert!(
        good > count / 40,
        "only {good} of the mutations still build: they are too coarse to test the build"
    );
}
