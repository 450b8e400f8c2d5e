//! Redundant constraints: the four-bar in space with four parallel hinges.

use gradyn::{AlphaScaling, Coordinates, Method, Prepared, Run, Sensitivity};
use gradyn_model::RowChoice;
use gradyn_sensitivity::Gradient;
use gradyn_testkit::compare::distance;

const EXAMPLE: &str = "redundant_four_bar";

/// In the others joints share no axes: rows hold by themselves (relative), or all joints have theirs
/// (Cartesian).
const FAMILIES: [Coordinates; 4] =
    [Coordinates::Natural, Coordinates::Relative0, Coordinates::Relative1, Coordinates::Cartesian];

fn prepared(edit: impl Fn(String) -> String) -> Prepared {
    prepared_text(&edit(gradyn::examples::find(EXAMPLE).expect("bundled").to_owned()))
}

fn prepared_text(text: &str) -> Prepared {
    prepared_in(text, Coordinates::Natural)
}

fn prepared_in(text: &str, family: Coordinates) -> Prepared {
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{}: {e}", family.name()))
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.run(method).unwrap_or_else(|e| panic!("{e}"))
}

fn gradient(model: &Prepared, method: &Method) -> Gradient {
    model.gradient(&run(model, method), Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}")).rows
}

fn scales(model: &Prepared) -> Vec<f64> {
    model.model.parameters.iter().map(|p| p.scale).collect()
}

fn method(formulation: &str, integrator: &str) -> Method {
    Method::new(formulation, integrator).expect("registered")
}

/// The same with another row of the dependency left out by hand.
fn other_row(model: &Prepared) -> Prepared {
    let mut other = model.clone();
    let r = &model.assembled.redundant[0];
    let swapped = r.on[0].0 as u32;
    let rows = |list: &Vec<u32>| {
        let mut rows: Vec<u32> = list.iter().map(|&k| if k == swapped { r.row as u32 } else { k }).collect();
        rows.sort_unstable();
        rows
    };
    let independent = model.assembled.independent.each_ref().map(rows);
    let choice = RowChoice { independent, dropped: vec![swapped], off: vec![] };
    other.model.system = other.model.system.with_rows(&choice).expect("rows of the system");
    other
}

/// Gradients do not depend on which of the dependent rows is left out.
#[test]
fn any_row_of_the_dependency_may_be_left_out() {
    // nothing reads the shared load: points and axes are shared
    let model = prepared(|t| t.replace("reaction = \"norm(A.reaction)\"\n", ""));
    assert_eq!(model.redundant().len(), 1, "{:?}", model.redundant());
    let other = other_row(&model);
    let cases = [
        ("ali3p", "newmark", 1e-3),
        ("index3", "newmark", 1e-3),
        ("maggi", "rk4", 1e-3),
        ("index1", "rk4", 1e-3),
    ];
    for (formulation, integrator, h) in cases {
        let m = method(formulation, integrator).step(h);
        let d = distance(&gradient(&other, &m), &gradient(&model, &m), &scales(&model));
        // Newmark's rounding at 1 ms
        let most = if integrator == "newmark" { 1e-9 } else { 1e-10 };
        assert!(d <= most, "{formulation}: {d:.1e}");
    }
}

/// A hinge that slides instead: no row too many, the same motion.
#[test]
fn gradients_are_those_of_the_model_without_redundant_rows() {
    let model = prepared(|t| t);
    let joint = "A = { type = \"revolute\"";
    let free = prepared(|t| t.replace(joint, "A = { type = \"cylindrical\""));
    assert!(free.redundant().is_empty(), "{:?}", free.redundant());
    for formulation in ["index1", "maggi"] {
        let m = method(formulation, "dop853").tolerance(1e-13, 1e-13);
        let d = distance(&gradient(&model, &m), &gradient(&free, &m), &scales(&model));
        assert!(d <= 1e-9, "{formulation}: {d:.1e}");
    }
    let exact = gradient(&free, &method("index1", "dop853").tolerance(1e-13, 1e-13));
    let penalty = Method { alpha: 1e10, ..method("penalty", "dop853").tolerance(1e-12, 1e-12) };
    let d = distance(&gradient(&model, &penalty), &exact, &scales(&model));
    assert!(d <= 1e-6, "penalty: {d:.1e}");
}

/// No multiplier grows over 1000 s.
#[test]
fn multipliers_stay_bounded() {
    let model = prepared(|t| t.replace("t_end  = 1", "t_end  = 1000"));
    let run = run(&model, &method("ali3p", "newmark").step(0.02));
    let (lay, steps) = (run.trajectory.layout, run.trajectory.plan.steps());
    let largest = |from: usize, to: usize| {
        let records = (from..to).flat_map(|n| run.trajectory.present(n)[lay.lam()..lay.z()].iter());
        records.fold(0.0f64, |s, l| s.max(l.abs()))
    };
    let (early, late) = (largest(0, steps / 10), largest(9 * steps / 10, steps + 1));
    assert!(late <= early && early > 0.0, "{early} and {late}");
}

/// A parameter that tilts an axis locks the linkage: refused by its name. So are reactions that are not
/// determined.
#[test]
fn what_breaks_the_redundancy_is_refused_by_name() {
    let tilted = prepared(|t| {
        t.replace("[parameters]\n", "[parameters]\ntilt = { value = 0, unit = \"m\", scale = 1 }\n").replace(
            "B = { type = \"revolute\", between = [\"coupler.B\", \"rocker.B\"], axis = [0, 0, 1]",
            "B = { type = \"revolute\", between = [\"coupler.B\", \"rocker.B\"], axis = [\"tilt\", 0, 1]",
        )
    });
    let m = method("maggi", "rk4").step(0.01);
    let e =
        tilted.gradient(&run(&tilted, &m), Sensitivity::DiscreteAdjoint).err().expect("refused").to_string();
    assert!(e.contains("parameter `tilt` breaks a redundant loop"), "{e}");
    let read = prepared(|t| {
        t.replace("final = { terminal = \"C.angle\" }", "final = { terminal = \"A.reaction.z\" }")
    });
    let e = read.run(&m).err().expect("refused").to_string();
    assert!(e.contains("objective `final` reads reactions that are not determined"), "{e}");
}

/// Outputs show the solution of smallest norm: the load along the axes, which nothing asks for, is zero.
#[test]
fn reactions_of_outputs_have_the_smallest_norm() {
    let model = prepared(|t| t.replace("reaction = \"norm(A.reaction)\"", "reaction = \"A.reaction.z\""));
    let run = run(&model, &method("maggi", "rk4").step(0.01));
    let table = model.table(&run, None).expect("tabulated");
    let column = table.columns.iter().position(|c| c == "reaction").expect("a column");
    assert!(table.rows.iter().all(|r| r[column].abs() < 1e-9), "{:?}", table.rows[3]);
}

/// A door on two hinges whose common axis a parameter tilts, and a slider on two guides a parameter apart:
/// redundant for every value.
const KEPT: [&str; 2] = [
    r#"
name = "tilted door"
dimension = 3
gravity = [0, 0, -9.81]
parameters = { phi = 0.2, L = 1.5, w = 0.8 }
constants = { c = "cos(phi)", s = "sin(phi)" }
ground.points = { H1 = [0, 0, 0], H2 = ["L*s", 0, "L*c"] }
[body.door]
points = { H1 = [0, 0, 0], H2 = [0, 0, "L"], K = ["w", 0, 1] }
mass = 20
com = ["w/2", 0, 1]
inertia = [7, 8, 1.1]
[joint]
a.type = "revolute"
a.between = ["ground.H1", "door.H1"]
a.axes = [["s", 0, "c"], [0, 0, 1]]
a.normals = [["c", 0, "-s"], [1, 0, 0]]
b.type = "revolute"
b.between = ["ground.H2", "door.H2"]
b.axes = [["s", 0, "c"], [0, 0, 1]]
b.normals = [["c", 0, "-s"], [1, 0, 0]]
[initial]
position = { "a.angle" = "60 deg" }
velocity = { "a.angle" = 0.1 }
[objective]
end = { terminal = "b.angle" }
[study]
t_end = 0.3
"#,
    r#"
name = "slider"
gravity = [0, -9.81]
parameters = { k = 100, s = 0.5 }
ground.points = { O = [0, 0], P = ["s", 0], W = [-1, 0.3] }
body.b = { points = { A = [0, 0], B = ["s", 0] }, mass = 2, com = [0.25, 0], inertia = 0.1 }
[joint]
g1 = { type = "prismatic", between = ["ground.O", "b.A"], axis = [1, 0] }
g2 = { type = "prismatic", between = ["ground.P", "b.B"], axis = [1, 0] }
[force]
spring = { type = "spring-damper", between = ["ground.W", "b.B"], stiffness = "k", length = 0.4, damping = 1 }
[initial]
position = { "b.A.x" = 0 }
[objective]
end = { terminal = "b.A.x" }
[study]
t_end = 0.3
"#,
];

/// Parameters that keep a loop redundant are taken, whatever the drift of the method.
#[test]
fn parameters_that_keep_the_redundancy_are_taken() {
    for text in KEPT {
        let model = prepared_text(text);
        assert!(!model.redundant().is_empty(), "{} is redundant", model.model.name);
        let mut first: Option<Vec<Vec<f64>>> = None;
        for (formulation, integrator) in gradyn::registry::combinations() {
            let method = Method { formulation, integrator, ..Method::default() }.step(2e-3);
            let what = format!("{}, {} + {}", model.model.name, formulation.name(), integrator.name());
            let run = model.run(&method).unwrap_or_else(|e| panic!("{what}: {e}"));
            let g = model
                .gradient(&run, Sensitivity::DiscreteAdjoint)
                .unwrap_or_else(|e| panic!("{what}: {e}"))
                .rows;
            let d = distance(&g, first.get_or_insert_with(|| g.clone()), &[1.0; 3]);
            // 1e-3: Newmark at 2 ms
            assert!(d <= 1e-3, "{what}: {d:.1e}");
        }
    }
}

/// A four-bar whose plane is no plane of coordinates, and whose bars are drawn through hard points.
const OBLIQUE: &str = r#"
name = "oblique four-bar"
dimension = 3
gravity = [0, 0, -9.81]
parameters = { ax = 0.2, ay = 0.1, by = 0.7, cz = 0.3 }
[points]
O = [0, 0, 0]
A = ["ax", "ay", 0.5]
B = [0.3, "by", 0.9]
C = [0.1, 1, "cz"]
[ground]
points = { O = "O", C = "C" }
[body]
crank = { hard = ["O", "A"], mass = 1, com = "A", inertia = [0.1, 0.2, 0.2] }
coupler = { hard = ["A", "B"], mass = 2, com = "B", inertia = [0.1, 0.2, 0.2] }
rocker = { hard = ["B", "C"], mass = 1, com = "C", inertia = [0.1, 0.2, 0.2] }
[joint]
o = { type = "revolute", between = ["ground.O", "crank.O"], axis = [3, 1, 2], normal = [1, -1, -1] }
a = { type = "revolute", between = ["crank.A", "coupler.A"], axis = [3, 1, 2], normal = [1, -1, -1] }
b = { type = "revolute", between = ["coupler.B", "rocker.B"], axis = [3, 1, 2], normal = [1, -1, -1] }
c = { type = "revolute", between = ["ground.C", "rocker.C"], axis = [3, 1, 2], normal = [1, -1, -1] }
[initial]
position = { "o.angle" = 0.1 }
velocity = { "o.angle" = 1 }
[objective]
end = { terminal = "c.angle" }
[study]
t_end = 0.2
"#;

/// What keeps or breaks a loop does so in all coordinates, with the same gradients, and rows that hold by
/// themselves are no reason to refuse.
#[test]
fn coordinates_agree_on_what_keeps_a_loop() {
    let four_bar =
        gradyn::examples::find(EXAMPLE).expect("bundled").replace("reaction = \"norm(A.reaction)\"\n", "");
    let m = method("maggi", "dop853").tolerance(1e-11, 1e-11);
    for text in [four_bar.as_str(), KEPT[0], KEPT[1], OBLIQUE] {
        let [natural, others @ ..] = FAMILIES.map(|family| prepared_in(text, family));
        let expected = gradient(&natural, &m);
        for other in others {
            let d = distance(&gradient(&other, &m), &expected, &scales(&natural));
            // 1e-8: the tolerance, times the condition of the loops
            assert!(d <= 1e-8, "{}: {d:.1e}", natural.model.name);
        }
    }
}

/// A pin beside its place along the axes, and an axis that is not parallel, are refused in all coordinates.
#[test]
fn coordinates_agree_on_what_breaks_a_loop() {
    let apart = |text: String| {
        let body = "coupler = { hard = [\"A\", \"B\"]";
        text.replace(body, &format!("{body}, points = {{ K = [\"0.3 + wrong\", \"by\", 0.9] }}"))
            .replace("coupler.B", "coupler.K")
    };
    let joint = "\"rocker.B\"], axis = [3, 1, 2]";
    let tilted = |text: String| text.replace(joint, "\"rocker.B\"], axis = [3, \"1 + wrong\", 2]");
    let base = || OBLIQUE.replace("parameters = { ", "parameters = { wrong = { value = 0, scale = 1 }, ");
    let m = method("maggi", "rk4").step(0.01);
    for text in [apart(base()), tilted(base())] {
        for family in FAMILIES {
            let model = prepared_in(&text, family);
            let e = model
                .gradient(&run(&model, &m), Sensitivity::DiscreteAdjoint)
                .err()
                .expect("refused")
                .to_string();
            assert!(e.contains("parameter `wrong` breaks a redundant loop"), "{}: {e}", family.name());
        }
    }
}

/// A square of a reaction has no slope where the multiplier that was left out is zero; it is not determined
/// all the same.
#[test]
fn squares_of_shared_reactions_are_refused() {
    let text = KEPT[1].replace("end = {", "load = { integral = \"norm2(g2.reaction)\" }\nend = {");
    let model = prepared_text(&text);
    let method = method("index1", "rk4").step(2e-3);
    let e = model.run(&method).map(|_| ()).expect_err("the load is shared").to_string();
    assert!(e.contains("`load` reads reactions that are not determined: those of g1, g2"), "{e}");
}

/// A door on three hinges of one axis, of which the middle one is `gap` too high.
const DOOR: &str = r#"
name = "door"
dimension = 3
gravity = [0, 0, -9.81]
parameters = { w = 0.8, gap = { value = 0, scale = 1 } }
ground.points = { H1 = [0, 0, 0.2], H2 = [0, 0, "1+gap"], H3 = [0, 0, 1.8] }
[body.door]
points = { H1 = [0, 0, 0.2], H2 = [0, 0, 1], H3 = [0, 0, 1.8] }
mass = 20
com = ["w/2", 0, 1]
inertia = [7, 8, 1.1]
[joint]
a = { type = "revolute", between = ["ground.H1", "door.H1"], axis = [0, 0, 1], normal = [1, 0, 0] }
b = { type = "revolute", between = ["ground.H2", "door.H2"], axis = [0, 0, 1], normal = [1, 0, 0] }
c = { type = "revolute", between = ["ground.H3", "door.H3"], axis = [0, 0, 1], normal = [1, 0, 0] }
[force]
closer = { type = "torsion", joint = "a", stiffness = 30, damping = 1, angle = 0 }
[initial]
position = { "a.angle" = "30 deg" }
velocity = { "a.angle" = 0 }
[objective]
end = { terminal = "b.angle" }
[study]
t_end = 0.2
[output]
angle = "a.angle"
"#;

fn door(output: &str) -> Prepared {
    prepared_text(&format!("{DOOR}{output}"))
}

/// How a load is shared does not depend on which reactions are read; equal penalties and the smallest norm
/// leave a third of the weight on each hinge.
#[test]
fn shared_loads_do_not_depend_on_what_is_read() {
    let joints = ["a", "b", "c"];
    let line = |j: &str| format!("{j} = \"{j}.reaction.z\"\n");
    let load = |output: &str, m: &Method, j: &str| {
        let model = door(output);
        let table = model.table(&run(&model, m), None).expect("tabulated");
        table.rows.last().expect("a row")[table.columns.iter().position(|c| c == j).expect("a column")]
    };
    for (formulation, integrator) in
        [("penalty", "radau5"), ("penalty", "rk4"), ("index1", "rk4"), ("maggi", "dopri5")]
    {
        // equal penalties: by rows, hinges would share the load by effective masses
        let alpha_scaling = AlphaScaling::Uniform;
        let m = Method { alpha_scaling, ..method(formulation, integrator).step(2e-3) };
        for j in joints {
            let (alone, all) = (load(&line(j), &m, j), load(&joints.map(line).concat(), &m, j));
            assert_eq!(alone, all, "{formulation} + {integrator}, {j}");
            // 1e-3: rounding of Φ̈ times α; 1e-10: of the null vectors
            let most = if formulation == "penalty" { 1e-3 } else { 1e-10 };
            assert!(
                (all / (20.0 * 9.81 / 3.0) - 1.0).abs() < most,
                "{formulation} + {integrator}, {j}: {all}"
            );
        }
    }
}

/// In equilibrium outputs share loads as in the table of a run; their derivatives depend on how, and are
/// refused.
#[test]
fn loads_in_equilibrium_are_shared_too() {
    let start = "position = { \"a.angle\" = \"30 deg\" }\nvelocity = { \"a.angle\" = 0 }";
    assert!(DOOR.contains(start));
    let lines = ["a", "b", "c"].map(|j| format!("{j} = \"{j}.reaction.z\"\n")).concat();
    let text = format!("{}{lines}", DOOR.replace(start, "equilibrium = {}"));
    for family in FAMILIES {
        let model = prepared_in(&text, family);
        let outputs = model.equilibrium(false).unwrap_or_else(|e| panic!("{e}")).outputs;
        let loads: Vec<&(String, f64)> = outputs.iter().filter(|o| o.0 != "angle").collect();
        assert_eq!(loads.len(), 3);
        for (joint, load) in loads {
            // 1e-10: rounding of the null vectors
            assert!((load / (20.0 * 9.81 / 3.0) - 1.0).abs() < 1e-10, "{}: {joint} {load}", family.name());
        }
        let e = model.equilibrium(true).map(|_| ()).expect_err("refused").to_string();
        assert!(e.contains("reads reactions that are not determined"), "{}: {e}", family.name());
    }
}

/// Products are refused for the outputs that are asked for, and not for those with zero weights.
#[test]
fn products_without_shared_reactions_are_taken() {
    let model = prepared(|t| t).sampled(&[0.1]).expect("a sample");
    let run = run(&model, &method("index1", "rk4").step(2e-3));
    let columns = &model.model.columns;
    let weights = |on: bool| columns.iter().map(|c| f64::from(u8::from((c == "reaction") == on))).collect();
    let [shared, others]: [Vec<f64>; 2] = [true, false].map(weights);
    let e = model.vjp(&run, &shared).expect_err("refused").to_string();
    assert!(e.contains("output `reaction` reads reactions that are not determined"), "{e}");
    assert!(model.vjp(&run, &others).expect("a product").iter().any(|g| *g != 0.0));
}

/// Reactions that share a load are named, all of them.
#[test]
fn all_joints_of_a_shared_load_are_named() {
    let model = door("\n[objective.up]\nterminal = \"a.reaction.z\"\n");
    let e = model.run(&method("index1", "rk4").step(0.01)).err().expect("refused").to_string();
    assert!(e.contains("objective `up` reads reactions that are not determined: those of a, b, c"), "{e}");
}

/// A cart with two wheels, knife edges, on one axle: one of them is redundant.
fn cart(half: f64) -> Prepared {
    let text = r#"
name = "cart"
parameters = { m = 2, a = 0.4 }
ground.points = { O = [0, 0] }
body.cart = { points = { A = [0, HALF], B = [0, -HALF] }, mass = "m", com = ["a", 0], inertia = 0.3 }
[joint]
left = { type = "knife-edge", between = ["ground.O", "cart.A"], axis = [0, 1] }
right = { type = "knife-edge", between = ["ground.O", "cart.B"], axis = [0, 1] }
[initial]
position = { "cart.A.x" = 0, "cart.A.y" = HALF, "cart.angle" = 0 }
velocity = { "dot(vel(cart.A), axis(cart, [1, 0]))" = 0.5, "cart.omega" = 2 }
[objective]
side = { terminal = "dot(left.reaction + right.reaction, axis(cart, [0, 1]))" }
[study]
t_end = 0.05
"#;
    prepared_text(&text.replace("HALF", &half.to_string()))
}

/// Penalties on repeated rows share λ by roundings times α: the start settles whatever the roundings are, and
/// differences can be taken.
#[test]
fn penalty_starts_with_repeated_rows() {
    let m = method("penalty", "rk4").step(5e-3);
    for half in [0.2, 0.25, 0.28, 0.3, 0.31, 0.33, 0.37] {
        let model = cart(half);
        let run = run(&model, &m);
        let exact =
            model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{half}: {e}")).rows;
        // 1e-4: rounding times α, over the step of the difference
        for (s, most) in [(Sensitivity::Extrapolated, 1e-4), (Sensitivity::FiniteDifference, 1e-3)] {
            let rows = model.gradient(&run, s).unwrap_or_else(|e| panic!("{half}, {}: {e}", s.name())).rows;
            let d = distance(&rows, &exact, &scales(&model));
            assert!(d <= most, "{half}, {}: {d:.1e}", s.name());
        }
    }
}

/// A hinge out of its place has no rows with coordinates where all is shared; it is refused by every
/// formulation.
#[test]
fn offsets_of_shared_hinges_are_refused() {
    for output in ["", "x = \"a.reaction.z\""] {
        let model = door(output);
        for (formulation, integrator) in [("penalty", "rk4"), ("index1", "rk4"), ("ali3p", "newmark")] {
            let run = run(&model, &method(formulation, integrator).step(2e-3));
            let e = model.gradient(&run, Sensitivity::DiscreteAdjoint).err().expect("refused").to_string();
            assert!(e.contains("parameter `gap` breaks a redundant loop"), "{formulation}: {e}");
        }
    }
}

/// A crank driven twice: by its angle and by the height of its end.
const TWICE: &str = r#"
name = "driven twice"
gravity = [0, -9.81]
parameters = { r = 0.3, l = 0.9 }
ground.points = { O = [0, 0] }
body.crank = { rod = { points = ["A", "B"], length = "r", mass = 2 } }
body.rod = { rod = { points = ["B", "C"], length = "l", mass = 1 } }
body.slider = { points = { C = [0, 0] }, mass = 3, inertia = 0.1 }
[joint]
j = { type = "revolute", between = ["ground.O", "crank.A"] }
k = { type = "revolute", between = ["crank.B", "rod.B"] }
p = { type = "revolute", between = ["rod.C", "slider.C"] }
g = { type = "prismatic", between = ["ground.O", "slider.C"], axis = [1, 0] }
[driver]
motor = { angle = "crank", value = "0.4 + 5*t" }
lift = { coordinate = "crank.B.y", value = "r*sin(0.4 + 5*t)" }
[initial]
near = { "slider.C" = [1.1, 0] }
[objective]
e = { integral = "motor.effort^2" }
[study]
t_end = 0.2
"#;

/// Drift times α is load: the run says so where it hides how the drivers share theirs, and only there.
#[test]
fn loads_shared_by_drift_are_reported() {
    let model = prepared_text(TWICE);
    let value = |integrator: &str, h: f64| {
        let run = run(&model, &method("penalty", integrator).step(h));
        (run.psi[0], run.warnings.iter().any(|w| w.to_string().starts_with("shared-load: the drift of `")))
    };
    let (exact, quiet) = value("dop853", 5e-4);
    assert!(!quiet, "dop853");
    for (integrator, wrong) in
        [("rk4", true), ("dopri5", true), ("newmark", true), ("dop853", false), ("radau5", false)]
    {
        let (psi, warned) = value(integrator, 2e-3);
        assert_eq!(warned, wrong, "{integrator}: {psi} against {exact}");
        // 1e-4: radau5 at 2 ms; the others are off by 100 and more
        assert_eq!((psi / exact - 1.0).abs() > 1e-4, wrong, "{integrator}: {psi} against {exact}");
    }
    // nothing reads the shared load
    let quiet = prepared_text(&TWICE.replace("motor.effort^2", "vel(slider.C.x)^2"));
    let run = run(&quiet, &method("penalty", "rk4").step(2e-3));
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
}

/// Rows and starts that do not fit are errors.
#[test]
fn rows_and_starts_that_do_not_fit_are_refused() {
    let model = prepared(|text| text).model;
    let choice = |dropped: u32| RowChoice { dropped: vec![dropped], ..RowChoice::default() };
    let chosen = |dropped: u32| model.system.with_rows(&choice(dropped)).err();
    assert!(chosen(0).is_none());
    assert!(chosen(999).is_some_and(|e| e.message.contains("there is no row 999")));
    let e = model.system.start.with_guess(&[0.0]).expect_err("is refused");
    assert!(e.message.starts_with("a start of 1 numbers for"), "{e}");
}
