//! What users see when something is wrong: what, where, what to try, and the exit code. One snapshot for each
//! mistake.

use crate::common::Folder;

/// A pendulum with a spring; every case below breaks it in one place.
const PENDULUM: &str = r#"name      = "pendulum"
dimension = 2
gravity   = [0, -9.81]

[parameters]
m = { value = 2, unit = "kg", min = 0 }
L = { value = 1, unit = "m" }

[ground]
points = { O = [0, 0], W = [2, 0] }

[body.bar]
rod = { points = ["A", "B"], length = "L", mass = "m" }

[joint]
pin = { type = "revolute", between = ["ground.O", "bar.A"] }

[force]
spring = { type = "spring-damper", between = ["bar.B", "ground.W"], stiffness = 50, length = 1 }

[initial]
position = { "bar.angle" = "-60 deg" }
velocity = "rest"

[objective]
sway = { integral = "bar.B.x^2" }

[study]
t_end  = 0.1
method = { formulation = "index3", integrator = "newmark", step = "1 ms" }
"#;

/// A mass that slides along x towards the other end of its spring.
const SLIDER: &str = r#"name = "slider"

[ground]
points = { O = [0, 0], W = [1, 0] }

[body.mass]
mass    = 1
inertia = 1
points  = { P = [0, 0] }

[joint]
guide = { type = "prismatic", between = ["ground.O", "mass.P"] }

[force]
spring = { type = "spring-damper", between = ["mass.P", "ground.W"] }

[initial]
position = { "mass.P.x" = 0 }
velocity = { "mass.P.x" = 1 }

[study]
t_end = 2
"#;

/// A parallelogram whose crank is driven into the position in which all bars lie on one line, at t = 1 s.
const PARALLELOGRAM: &str = r#"name = "parallelogram"

[ground]
points = { O = [0, 0], C = [2, 0] }

[body.crank]
rod = { points = ["O", "A"], length = 1, mass = 1 }

[body.coupler]
rod = { points = ["A", "B"], length = 2, mass = 1 }

[body.rocker]
rod = { points = ["B", "C"], length = 1, mass = 1 }

[joint]
J1 = { type = "revolute", between = ["ground.O", "crank.O"] }
J2 = { type = "revolute", between = ["crank.A", "coupler.A"] }
J3 = { type = "revolute", between = ["coupler.B", "rocker.B"] }
J4 = { type = "revolute", between = ["ground.C", "rocker.C"] }

[driver]
motor = { angle = "crank", value = "(1 - t) * 60 deg" }

[initial]
near = { "coupler.B" = [2.5, 0.9] }

[study]
t_end  = 2
method = { step = 0.125 }
"#;

/// A pendulum with two legs from a template, one of them mirrored.
const LEGS: &str = r#"name    = "legs"
gravity = [9.81, 0]

[ground]
points = { right = [0, 1], left = [0, -1] }

[template.leg]
required  = ["side"]
arguments = { length = 0.5, lift = "20 deg" }

[template.leg.body.thigh]
rod = { points = ["A", "B"], length = "length", mass = 1 }

[template.leg.joint]
hip = { type = "revolute", between = ["ground.{side}", "thigh.A"] }

[template.leg.initial]
position = { "thigh.angle" = "lift" }

[instance]
right = { use = "leg", with = { side = "right" } }
left  = { use = "leg", mirror = "y", with = { side = "left" } }
"#;

/// `text` with each first string replaced by the second.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |t, (old, new)| {
        assert!(t.contains(old), "`{old}` is not in the model");
        t.replacen(old, new, 1)
    })
}

/// Command `args` on an edited model; its error.
fn shown(text: &str, args: &[&str], edits: &[(&str, &str)]) -> String {
    Folder::with("model.toml", &edited(text, edits)).run(args).shown()
}

const CHECK: &[&str] = &["check", "model.toml"];
const SIMULATE: &[&str] = &["simulate", "model.toml"];
const VERIFY: &[&str] = &["verify", "model.toml", "--quiet"];
const GRADIENT: &[&str] = &["gradient", "model.toml"];

/// One test and one snapshot for each case: `name: command [more arguments] { old => new, … }`, on the
/// pendulum.
macro_rules! cases {
    ($($name:ident: $command:ident $([$($more:literal),*])? { $($old:literal => $new:literal),* })*) => {$(
        #[test]
        fn $name() {
            let args = [$command, &[$($($more),*)?]].concat();
            insta::assert_snapshot!(stringify!($name), shown(PENDULUM, &args, &[$(($old, $new)),*]));
        }
    )*};
}

// names and keys
cases! {
    unknown_key: CHECK { "stiffness" => "stifness" }
    unknown_section: CHECK { "[joint]" => "[joints]" }
    missing_key: CHECK { "between = [\"bar.B\", \"ground.W\"], " => "" }
    missing_type: CHECK { "type = \"revolute\", " => "" }
    missing_body: CHECK { "\"bar.A\"]" => "\"bra.A\"]" }
    missing_point: CHECK { "\"bar.A\"]" => "\"bar.tip\"]" }
    missing_ground_point: CHECK { "ground.O" => "ground.origin" }
    body_for_a_point: CHECK { "\"ground.O\"" => "\"ground\"" }
    misspelt_parameter: CHECK { "length = \"L\"" => "length = \"LL\"" }
    unit_or_parameter: CHECK { "stiffness = 50" => "stiffness = \"50 N/m\"" }
    tonnes_or_time: CHECK { "stiffness = 50" => "stiffness = \"2 t\"" }
    label_that_is_no_si_unit: CHECK { "unit = \"m\"" => "unit = \"mm\"" }
    unknown_joint_type: CHECK { "revolute" => "revolut" }
    unknown_force_type: CHECK { "spring-damper" => "damper" }
    unknown_sensor: CHECK { "bar.B.x^2" => "bar.speed^2" }
    unknown_component: CHECK { "bar.B.x^2" => "bar.B.z^2" }
    duplicated_name: CHECK { "pin =" => "bar =" }
    duplicated_key: CHECK { "W = [2, 0]" => "O = [2, 0]" }
    reserved_name: CHECK { "pin =" => "ground =" }
    name_that_is_none: CHECK { "L = {" => "\"L 2\" = {" }
    dot_without_quotes: CHECK { "\"bar.angle\" =" => "bar.angle =" }
}

// values
cases! {
    dimension_4: CHECK { "dimension = 2" => "dimension = 4" }
    vector_of_three: CHECK { "O = [0, 0]" => "O = [0, 0, 0]" }
    number_for_a_vector: CHECK { "[0, -9.81]" => "-9.81" }
    expression_for_a_vector: CHECK { "O = [0, 0]" => "O = \"L\"" }
    vector_for_a_number: CHECK { "stiffness = 50" => "stiffness = [50, 0]" }
    vector_objective: CHECK { "bar.B.x^2" => "bar.B" }
    empty_objective: CHECK { "{ integral = \"bar.B.x^2\" }" => "{}" }
    negative_mass: CHECK { "mass = \"m\"" => "mass = \"m - 3\"" }
    parameter_out_of_bounds: CHECK { "value = 2" => "value = -2" }
    rod_without_length: CHECK { "length = \"L\"" => "length = 0" }
    coincident_spring_ends: CHECK { "\"bar.B\", \"ground.W\"" => "\"bar.A\", \"ground.O\"" }
    joint_of_a_body_with_itself: CHECK { "\"ground.O\", \"bar.A\"" => "\"bar.B\", \"bar.A\"" }
    negative_step: CHECK { "\"1 ms\"" => "-1" }
    no_duration: CHECK { "t_end  = 0.1" => "t_end = 0" }
    end_before_start: SIMULATE { "t_end  = 0.1" => "t_start = 2\nt_end = 1" }
}

// expressions
cases! {
    open_bracket: CHECK { "stiffness = 50" => "stiffness = \"2*(m + 1\"" }
    missing_value: CHECK { "stiffness = 50" => "stiffness = \"2 * * m\"" }
    missing_end: CHECK { "W = [2, 0]" => "W = [2, \"L +\"]" }
    empty_expression: CHECK { "stiffness = 50" => "stiffness = \"\"" }
    unexpected_character: CHECK { "stiffness = 50" => "stiffness = \"2 # m\"" }
    unknown_function: CHECK { "stiffness = 50" => "stiffness = \"sine(m)\"" }
    wrong_arguments: CHECK { "stiffness = 50" => "stiffness = \"atan2(m)\"" }
    unknown_unit: CHECK { "-60 deg" => "-60 degrees" }
    number_plus_vector: CHECK { "bar.B.x^2" => "bar.B + 1" }
    vector_times_vector: CHECK { "bar.B.x^2" => "bar.B * bar.B" }
    rate_of_a_reaction: CHECK { "bar.B.x^2" => "vel(2*pin.reaction.x)" }
    attitude_in_the_plane: CHECK { "bar.B.x^2" => "roll(ground, bar)" }
    spatial_joint_in_the_plane: CHECK { "revolute" => "spherical" }
}

// assembly
cases! {
    unassemblable_loop: CHECK {
        "[force]" =>
            "rope = { type = \"distance\", between = [\"bar.B\", \"ground.W\"], length = 5 }\n\n[force]",
        "position = { \"bar.angle\" = \"-60 deg\" }\n" => ""
    }
    too_few_conditions: CHECK { "position = { \"bar.angle\" = \"-60 deg\" }\n" => "" }
    too_many_conditions: CHECK { "\"-60 deg\" }" => "\"-60 deg\", \"bar.B.x\" = 0.5 }" }
    too_few_velocities: CHECK { "\"rest\"" => "{}" }
    too_many_velocities: CHECK { "\"rest\"" => "{ \"bar.angle\" = 0, \"bar.B.x\" = 0 }" }
    velocity_that_says_nothing: CHECK { "\"rest\"" => "{ \"distance(bar.A, bar.B)\" = 0 }" }
    condition_that_says_nothing: CHECK { "\"bar.angle\" = \"-60 deg\"" => "\"distance(bar.A, bar.B)\" = 1" }
}

// methods
cases! {
    unknown_formulation: SIMULATE ["--formulation", "hamilton"] {}
    unknown_formulation_in_file: CHECK { "index3" => "index4" }
    unknown_integrator: SIMULATE ["--integrator", "euler"] {}
    unknown_integrator_in_file: CHECK { "newmark" => "newmrk" }
    unknown_sensitivity: GRADIENT ["--sensitivity", "adjoint"] {}
    unknown_sensitivity_in_file: CHECK { "step = \"1 ms\"" => "step = \"1 ms\", sensitivity = \"adjoint\"" }
    unknown_option: SIMULATE ["--option", "alfa=1"] {}
    unknown_option_in_file: CHECK { "step = \"1 ms\"" => "step = \"1 ms\", options = { alfa = 1 }" }
    penalty_error_of_index3: SIMULATE ["--penalty-error"] {}
    wrong_penalty_factor: CHECK { "mass = \"m\" }" => "mass = \"m\" }\npenalty = { alpha = -2 }" }
    wrong_option: SIMULATE ["--option", "alpha=-1"] {}
    wrong_option_in_file: CHECK {
        "step = \"1 ms\"" => "step = \"1 ms\", options = { projection = \"maybe\" }"
    }
    unknown_coordinates: SIMULATE ["--coordinates", "polar"] {}
    index3_with_rk4: SIMULATE ["--integrator", "rk4"] {}
    index3_with_rk4_in_file: CHECK { "newmark" => "rk4" }
    unknown_freedom_in_file: CHECK {
        "\"index3\"" => "\"maggi\"",
        "newmark" => "rk4",
        "step = \"1 ms\"" => "step = \"1 ms\", freedoms = [\"bar.C.x\"]"
    }
    no_freedoms_in_file: CHECK { "step = \"1 ms\"" => "step = \"1 ms\", freedoms = []" }
    too_many_freedoms: SIMULATE [
        "--formulation", "maggi", "--integrator", "rk4", "--option", "freedoms=bar.B.x, bar.B.y"
    ] {}
    rtol_with_newmark: SIMULATE ["--rtol", "1e-6"] {}
    rtol_with_newmark_in_file: CHECK { "step = \"1 ms\"" => "rtol = 1e-6" }
    tolerance_of_the_file_with_newmark: SIMULATE ["--integrator", "newmark"] {
        "integrator = \"newmark\", step = \"1 ms\"" => "integrator = \"radau5\", rtol = 1e-6"
    }
    fd_step_of_1: GRADIENT ["--option", "fd_step=1"] {}
    step_and_tolerance: SIMULATE ["--step", "1 ms", "--rtol", "1e-6"] {}
    step_and_tolerance_in_file: CHECK { "step = \"1 ms\"" => "step = \"1 ms\", rtol = 1e-6" }
    zero_step: SIMULATE ["--step", "0"] {}
    step_without_unit: SIMULATE ["--step", "1 parsec"] {}
    negative_budget: VERIFY ["--budget", "-5s"] {}
    zero_budget: VERIFY ["--budget", "0s"] {}
    step_longer_than_the_run: VERIFY ["--step", "0.4"] {}
    step_longer_than_every_piece: VERIFY ["--step", "0.09"] {
        "t_end  = 0.1" => "t_end = 0.1\nbreaks = [0.05]"
    }
    zero_output_step: SIMULATE ["--output-step", "0"] {}
}

// parameters and objectives
cases! {
    set_unknown_parameter: CHECK ["--set", "k=3"] {}
    set_without_value: CHECK ["--set", "m"] {}
    set_broken_expression: CHECK ["--set", "m=2*(1 + "] {}
    set_another_parameter: CHECK ["--set", "m=L"] {}
    unknown_name_in_until: CHECK { "t_end  = 0.1" => "until = \"bar.angel\"\nt_max = 2" }
    vector_for_until: CHECK { "t_end  = 0.1" => "until = \"bar.B\"\nt_max = 2" }
    open_bracket_in_until: CHECK { "t_end  = 0.1" => "until = \"2*(bar.B.x\"\nt_max = 2" }
    set_out_of_bounds: CHECK ["--set", "m=-2"] {}
    set_rod_without_length: CHECK ["--set", "L=0"] {}
    negative_end: SIMULATE ["--t-end", "-1"] {}
    unused_parameter: GRADIENT { "L = {" => "k = 3\nL = {" }
    gradient_without_objectives: GRADIENT { "[objective]\nsway = { integral = \"bar.B.x^2\" }\n" => "" }
    gradient_without_parameters: GRADIENT {
        "[parameters]\nm = { value = 2, unit = \"kg\", min = 0 }\nL = { value = 1, unit = \"m\" }\n" => "",
        "\"L\"" => "1", "\"m\"" => "2"
    }
}

// files
cases! {
    broken_toml: CHECK { "[joint]" => "[joint" }
    broken_value: CHECK { "stiffness = 50" => "stiffness = " }
    unknown_extension: SIMULATE ["--out", "table.xlsx"] {}
    unknown_extension_of_gradient: GRADIENT ["--out", "history"] {}
    missing_directory: SIMULATE ["--out", "nowhere/table.csv"] {}
}

#[test]
fn missing_file() {
    insta::assert_snapshot!(Folder::new().run(CHECK).shown());
}

#[test]
fn empty_file() {
    insta::assert_snapshot!(shown("", CHECK, &[]));
}

#[test]
fn broken_json() {
    let folder = Folder::with("model.json", "{\n  \"name\": \"p\",\n  \"gravity\": [0, -9.81\n}\n");
    insta::assert_snapshot!(folder.run(&["check", "model.json"]).shown());
}

#[test]
fn unknown_key_in_json() {
    let text = r#"{
  "name": "p",
  "ground": { "points": { "O": [0, 0] } },
  "body": { "bar": { "rod": { "points": ["A", "B"], "length": 1, "mas": 2 } } }
}
"#;
    insta::assert_snapshot!(Folder::with("model.json", text).run(&["check", "model.json"]).shown());
}

#[test]
fn misspelt_parameter_in_json() {
    let text = r#"{
  "name": "p",
  "parameters": { "mass": 2 },
  "body": { "bar": { "mass": "2 * mas", "inertia": 1 } }
}
"#;
    insta::assert_snapshot!(Folder::with("model.json", text).run(&["check", "model.json"]).shown());
}

#[test]
fn unknown_example() {
    insta::assert_snapshot!(Folder::new().run(&["example", "pendulm"]).shown());
}

/// Nothing is overwritten.
#[test]
fn example_that_exists() {
    let folder = Folder::with("mine.toml", "# mine");
    insta::assert_snapshot!(folder.run(&["example", "pendulum", "--out", "mine.toml"]).shown());
    assert_eq!(folder.read("mine.toml"), "# mine");
}

/// A file that cannot be written is refused before the work, not after it.
#[test]
fn output_is_checked_first() {
    let folder = Folder::with("model.toml", "not even TOML");
    assert!(
        folder
            .run(&["simulate", "model.toml", "--out", "table.xlsx"])
            .stderr
            .contains("unknown kind of file")
    );
    assert!(
        folder
            .run(&["gradient", "model.toml", "--out", "nowhere/x.csv"])
            .stderr
            .contains("there is no directory nowhere")
    );
}

/// An arm on a turning column, a rod that hangs from it, and a slide; every case below breaks it in one
/// place.
const SPACE: &str = r#"name      = "arm"
dimension = 3
gravity   = [0, 0, -9.81]

[ground]
points = { O = [0, 0, 0], W = [0, 2, 0] }

[body.arm]
mass    = 2
com     = [0.5, 0, 0]
inertia = [0.01, 0.2, 0.2]
points  = { A = [0, 0, 0], B = [1, 0, 0] }
[body.rod]
rod = { points = ["P", "Q"], length = 0.5, mass = 1 }
[body.block]
mass   = 1
shape  = { type = "box", size = [0.1, 0.2, 0.3] }
points = { C = [0, 0, 0] }

[joint]
hinge = { type = "revolute", between = ["ground.O", "arm.A"], axis = [0, 0, 1] }
ball  = { type = "spherical", between = ["arm.B", "rod.P"] }
slide = { type = "prismatic", between = ["ground.W", "block.C"], axis = [0, 0, 1] }

[force]
brake = { type = "friction", joint = "hinge", limit = 1 }
spin  = { type = "torque", on = "arm", torque = [0, 0, 1] }

[initial]
position = { "hinge.angle" = 0, "rod.Q.x" = 1, "rod.Q.y" = 0, "slide.position" = 0 }
near     = { "rod.Q" = [1, 0, -0.5] }

[objective]
height = { integral = "rod.Q.z" }

[study]
t_end  = 0.1
method = { formulation = "index3", integrator = "newmark", step = "1 ms" }
"#;

/// One test and one snapshot for each case, on the arm.
macro_rules! space_cases {
    ($($name:ident: { $($old:literal => $new:literal),* })*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), shown(SPACE, CHECK, &[$(($old, $new)),*]));
        }
    )*};
}

// space
space_cases! {
    space_two_components: { "com     = [0.5, 0, 0]" => "com     = [0.5, 0]" }
    space_inertia_of_four: { "[0.01, 0.2, 0.2]" => "[0.01, 0.2, 0.2, 0]" }
    space_shape_and_inertia: { "shape  =" => "inertia = 1\nshape  =" }
    space_mass_and_density: { "size = [0.1, 0.2, 0.3]" => "size = [0.1, 0.2, 0.3], density = 7800" }
    space_box_of_two_sides: { "size = [0.1, 0.2, 0.3]" => "size = [0.1, 0.2]" }
    space_point_off_the_rod: { "rod = {" => "com = [0.25, 0.1, 0]\nrod = {" }
    axis_of_length_zero: { "\"arm.A\"], axis = [0, 0, 1]" => "\"arm.A\"], axis = [0, 0, 0]" }
    axis_and_axes: {
        "\"arm.A\"], axis = [0, 0, 1]" => "\"arm.A\"], axis = [0, 0, 1], axes = [[0, 0, 1], [0, 0, 1]]"
    }
    normal_along_the_axis: {
        "\"arm.A\"], axis = [0, 0, 1]" => "\"arm.A\"], axis = [0, 0, 1], normal = [0, 0, 2]"
    }
    one_axis_of_a_universal_joint: {
        "\"spherical\", between = [\"arm.B\", \"rod.P\"]" =>
            "\"universal\", between = [\"arm.B\", \"rod.P\"], axes = [[1, 0, 0]]"
    }
    hinge_on_a_rod: { "\"spherical\"" => "\"revolute\"" }
    torque_on_a_rod: { "on = \"arm\"" => "on = \"rod\"" }
    torque_of_one_component: { "torque = [0, 0, 1]" => "torque = 1" }
    attitude_of_a_rod: { "\"rod.Q.z\"" => "\"rod.roll\"" }
    plane_angle_in_space: { "\"rod.Q.z\"" => "\"angle(ground, arm)\"" }
    coordinate_that_a_joint_has_not: { "\"rod.Q.z\"" => "\"hinge.position\"" }
    gear_between_unconnected_joints: {
        "[force]" => "mesh = { type = \"gear\", joints = [\"ball\", \"slide\"], ratio = 1 }\n[force]"
    }
    gear_of_a_slide: {
        "[force]" => "mesh = { type = \"gear\", joints = [\"hinge\", \"slide\"], ratio = 1 }\n[force]"
    }
    gear_of_an_unknown_joint: {
        "[force]" => "mesh = { type = \"gear\", joints = [\"hinge\", \"sliide\"], ratio = 1 }\n[force]"
    }
    negative_friction: { "limit = 1" => "limit = -1" }
    friction_of_a_plane: {
        "joint = \"hinge\"" => "joint = \"plate\"",
        "[force]" => "plate = { type = \"planar\", between = [\"arm.B\", \"block.C\"] }\n[force]"
    }
    friction_of_a_ball: { "joint = \"hinge\"" => "joint = \"ball\"" }
    force_that_reads_itself: { "limit = 1" => "limit = \"1 + brake.effort\"" }
    force_that_reads_accelerations: { "limit = 1" => "limit = \"acc(arm.B.x)\"" }
    torsion_of_bodies_in_space: {
        "brake = { type = \"friction\", joint = \"hinge\", limit = 1 }" =>
            "brake = { type = \"torsion\", between = [\"ground\", \"arm\"] }"
    }
    torsion_of_nothing: {
        "brake = { type = \"friction\", joint = \"hinge\", limit = 1 }" =>
            "brake = { type = \"torsion\", stiffness = 1 }"
    }
    torsion_about_a_slide: {
        "brake = { type = \"friction\", joint = \"hinge\", limit = 1 }" =>
            "brake = { type = \"torsion\", joint = \"slide\", stiffness = 1 }"
    }
    constraint_of_a_rate: {
        "[force]" =>
            "[spline.wave]\nkind = \"cyclic\"\nvalues = [0, 1, 2, 1]\nperiod = 1\n[constraint]\n\
                cup = \"rod.Q.x - vel(wave)\"\n[force]"
    }
    bushing_of_five_numbers: {
        "brake = { type = \"friction\", joint = \"hinge\", limit = 1 }" =>
            "brake = { type = \"bushing\", between = [\"arm.B\", \"block.C\"], \
                stiffness = [1, 1, 1, 1, 1] }"
    }
    contact_with_itself: {
        "brake = { type = \"friction\", joint = \"hinge\", limit = 1 }" =>
            "brake = { type = \"contact\", point = \"arm.B\", plane = \"arm.A\", stiffness = 1, width = 1 }"
    }
    constraint_that_reads_velocities: { "[force]" => "[constraint]\ncup = \"vel(rod.Q.x)\"\n[force]" }
    constraint_of_fixed_points: { "[force]" => "[constraint]\ncup = \"norm(ground.W) - 1\"\n[force]" }
    driven_angle_in_space: { "[force]" => "[driver]\nmotor = { angle = \"arm\", value = \"t\" }\n[force]" }
}

/// One test and one snapshot for each case, on the legs.
macro_rules! template_cases {
    ($($name:ident: { $($old:literal => $new:literal),* })*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), shown(LEGS, CHECK, &[$(($old, $new)),*]));
        }
    )*};
}

// templates
template_cases! {
    template_unknown: { "use = \"leg\"" => "use = \"lag\"" }
    template_missing_argument: { "side = \"right\"" => "" }
    template_unknown_argument: { "side = \"right\"" => "side = \"right\", lenght = 1" }
    template_unused_argument: { "length = 0.5" => "length = 0.5, mass = 2" }
    template_unknown_text: { "{side}" => "{sid}" }
    template_vector_for_a_text: { "side = \"right\"" => "side = [0, 1]" }
    template_without_elements: { "[instance]" => "[template.arm]\n\n[instance]" }
    template_that_uses_itself: {
        "[instance]" => "[template.leg.instance]\ntoe = { use = \"leg\" }\n\n[instance]"
    }
    template_name_taken: { "[instance]" => "[body.left_thigh]\n\n[instance]" }
    template_unknown_key: { "[template.leg.joint]" => "[template.leg.joints]" }
    template_unknown_key_inside: { "mass = 1" => "mas = 1" }
    template_missing_point: { "\"thigh.A\"" => "\"thigh.C\"" }
    template_missing_outer_point: { "side = \"left\"" => "side = \"lift\"" }
    template_misspelt_argument: { "length = \"length\"" => "length = \"lenght\"" }
    mirror_of_no_axis: { "mirror = \"y\"" => "mirror = \"w\"" }
    mirror_z_in_the_plane: { "mirror = \"y\"" => "mirror = \"z\"" }
    mirror_of_an_outer_hard_point: {
        "rod = { points" => "hard = [\"P\"]\nrod = { points",
        "[instance]" => "[points]\nP = [0, 1]\n\n[instance]",
        "right = { use = \"leg\", with = { side = \"right\" } }\n" => ""
    }
    mirror_of_an_outer_sensor: { "[instance]" => "[template.leg.output]\no = \"motor.effort\"\n\n[instance]" }
    count_is_huge: { "use = \"leg\"" => "use = \"leg\", count = 1e9" }
    count_is_no_integer: { "use = \"leg\"" => "use = \"leg\", count = 2.5" }
    array_without_number_in_its_prefix: { "use = \"leg\"" => "use = \"leg\", count = 2, prefix = \"r\"" }
    first_without_an_array: { "use = \"leg\"" => "use = \"leg\", first = {}" }
    array_of_arrays_is_too_large: {
        "[instance]" =>
            "[template.row.instance]\nr = { use = \"leg\", count = 1000 }\n\n[instance]\n\
                rows = { use = \"row\", count = 1000 }"
    }
    velocities_and_rest: {
        "[instance]" =>
            "[template.leg.output]\nx = 1\n\n[initial]\nvelocity = { \"left_thigh.angle\" = 1 }\n\n\
                [instance]"
    }
}

// computations that fail: exit code 1, time, step and equation by name

/// Newton: time, step size, iterations, worst equation. (The torque of dry friction jumps.)
#[test]
fn newton_diverges() {
    let edits = [("stiffness = 50, length = 1", "force = \"1e5*tanh(1e6*speed)\"")];
    insta::assert_snapshot!(shown(PENDULUM, &["simulate", "model.toml", "--step", "0.1", "--quiet"], &edits));
}

/// A force that jumps at zero speed holds the pendulum where it is: neither side of its condition is taken.
#[test]
fn a_motion_slides() {
    let edits = [("stiffness = 50, length = 1", "force = \"1e5*sign(speed)\"")];
    insta::assert_snapshot!(shown(PENDULUM, &["simulate", "model.toml", "--step", "0.1", "--quiet"], &edits));
}

/// The ends of the spring meet at t = 1 s, where the direction of its force is 0/0.
#[test]
fn ends_meet() {
    let args = ["simulate", "model.toml", "--formulation", "index1", "--integrator", "rk4", "--step", "0.5"];
    insta::assert_snapshot!(shown(SLIDER, &args, &[]));
}

#[test]
fn ends_meet_with_newmark() {
    insta::assert_snapshot!(shown(SLIDER, &["simulate", "model.toml", "--step", "0.5"], &[]));
}

/// The spring has no length at the start.
#[test]
fn ends_coincide_at_the_start() {
    insta::assert_snapshot!(shown(SLIDER, SIMULATE, &[("W = [1, 0]", "W = [0, 0]")]));
}

#[test]
fn singular_position() {
    insta::assert_snapshot!(shown(PARALLELOGRAM, SIMULATE, &[]));
}

/// The start is singular: rows depend on each other there and nowhere else.
#[test]
fn singular_start() {
    insta::assert_snapshot!(shown(PARALLELOGRAM, CHECK, &[("(1 - t)", "t"), ("[2.5, 0.9]", "[3, 0]")]));
}

/// An infinite force at t = 1 s.
#[test]
fn step_too_small() {
    let args = ["simulate", "model.toml", "--formulation", "index1", "--integrator", "dopri5"];
    let text = shown(SLIDER, &args, &[("\"ground.W\"] }", "\"ground.W\"], force = \"1/(t - 1)^2\" }")])
        .replace("\n  │", "");
    // digits of the step size and the number of rejected steps depend on rounding
    let words: Vec<&str> = text.split(' ').collect();
    let rounded = words
        .iter()
        .map(|w| if w.contains("e-1") || w.parse::<u32>().is_ok_and(|n| n > 1) { "#" } else { w });
    insta::assert_snapshot!(rounded.collect::<Vec<_>>().join(" "));
}

#[test]
fn too_many_steps() {
    insta::assert_snapshot!(shown(SLIDER, &["simulate", "model.toml", "--option", "max_steps=10"], &[]));
}

/// A force between two points that do not move is refused by name.
#[test]
fn spring_between_fixed_points() {
    let folder = Folder::with("model.toml", &edited(PENDULUM, &[("\"bar.B\"", "\"bar.A\"")]));
    assert_eq!(folder.run(SIMULATE).code, 2);
}
