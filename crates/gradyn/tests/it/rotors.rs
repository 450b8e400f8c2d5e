//! Angles over turns: fast rotors are counted right, or refused.

use gradyn::{Coordinates, Method, Prepared, Sensitivity};

const PLANE: &str = r#"
name = "rotor"
[parameters]
w = { value = 6000, unit = "rad/s" }
[ground]
points = { O = [0, 0] }
[body.rotor]
points  = { O = [0, 0], P = [0.1, 0] }
mass    = 1
inertia = 0.01
[joint]
hinge = { type = "revolute", between = ["ground.O", "rotor.O"] }
[initial]
position = { "rotor.angle" = 0.5 }
velocity = { "rotor.angle" = "w" }
[objective]
turned = { terminal = "rotor.angle" }
hinged = { terminal = "hinge.angle" }
[study]
t_end = 1
"#;

const SPACE: &str = r#"
name = "rotor"
dimension = 3
[parameters]
w = { value = 6000, unit = "rad/s" }
[ground]
points = { O = [0, 0, 0] }
[body.rotor]
points  = { O = [0, 0, 0] }
mass    = 1
inertia = [0.01, 0.02, 0.03]
[joint]
hinge = { type = "revolute", between = ["ground.O", "rotor.O"], axis = [0, 0, 1], normal = [1, 0, 0] }
[initial]
position = { "hinge.angle" = 0.5 }
velocity = { "hinge.angle" = "w" }
[objective]
turned = { terminal = "hinge.angle" }
[study]
t_end = 1
"#;

fn prepared(text: &str, family: Coordinates) -> Prepared {
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{}: {e}", family.name()))
}

/// All methods of the test: fixed steps of almost a whole turn, and adaptive ones.
fn methods() -> Vec<(String, Method)> {
    let new = |f: &str, i: &str| Method::new(f, i).expect("registered");
    let fixed = [("index1", "rk4"), ("maggi", "rk4"), ("index3", "newmark"), ("index1", "adams")];
    let fixed = fixed.map(|(f, i)| (format!("{f} + {i}, 1 ms"), new(f, i).step(1e-3)));
    let adaptive = [("index1", "dopri5"), ("maggi", "dop853")];
    let adaptive = adaptive.map(|(f, i)| (format!("{f} + {i}, 1e-10"), new(f, i).tolerance(1e-10, 1e-10)));
    fixed.into_iter().chain(adaptive).collect()
}

/// In joint coordinates, and in the plane with an angle for every body, the step is exact.
#[test]
fn rotors_are_exact_where_the_coordinate_is_the_angle() {
    let joint = [Coordinates::Relative0, Coordinates::Relative1];
    let cases = joint.iter().map(|&c| (SPACE, c)).chain(joint.iter().map(|&c| (PLANE, c)));
    for (text, family) in cases.chain([(PLANE, Coordinates::Cartesian)]) {
        let model = prepared(text, family);
        for (name, method) in methods() {
            let what = format!("{}, {}, {name}", model.model.name, family.name());
            let run = model.run(&method).unwrap_or_else(|e| panic!("{what}: {e}"));
            for turned in &run.psi {
                assert!((turned - 6000.5).abs() <= 1e-12 * 6000.5, "{what}: {turned}");
            }
            let g =
                model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{what}: {e}"));
            for row in &g.rows {
                // roundings of ω²
                assert!((row[0] - 1.0).abs() <= 1e-8, "{what}: {}", row[0]);
            }
        }
    }
}

/// Elsewhere the steps are not exact: the turns are right, or the run is refused.
#[test]
fn rotors_are_counted_or_refused_elsewhere() {
    let mut refused = 0;
    let mut counted = 0;
    for (text, family) in
        [(PLANE, Coordinates::Natural), (SPACE, Coordinates::Natural), (SPACE, Coordinates::Cartesian)]
    {
        // the speed is not exact either: 60 turns
        let model = prepared(&text.replace("t_end = 1", "t_end = 0.0628"), family);
        for (name, method) in methods() {
            let what = format!("{}, {}, {name}", model.model.name, family.name());
            match model.run(&method) {
                Ok(run) => {
                    let exact = 0.5 + 6000.0 * 0.0628;
                    assert!((run.psi[0] - exact).abs() < 1.0, "{what}: {} of {exact}", run.psi[0]);
                    counted += 1;
                }
                Err(e) => {
                    let named = ["turns too far", "Newton", "too small"];
                    assert!(named.iter().any(|n| e.message.contains(n)), "{what}: {}", e.message);
                    refused += 1;
                }
            }
        }
    }
    assert!(counted >= 6, "{counted} counted, {refused} refused");
}

/// Differences count the turns of their own run.
#[test]
fn differences_count_their_own_turns() {
    let model = prepared(PLANE, Coordinates::Relative0);
    let run = model.run(&Method::new("index1", "rk4").expect("registered").step(1e-3)).expect("runs");
    for s in [Sensitivity::FiniteDifference, Sensitivity::Extrapolated] {
        let g = model.gradient(&run, s).unwrap_or_else(|e| panic!("{}: {e}", s.name()));
        assert!((g.rows[0][0] - 1.0).abs() <= 1e-6, "{}: {}", s.name(), g.rows[0][0]);
    }
}

/// A gear pair at 500 rad/s needs no limit of the step.
#[test]
fn spinning_gears_need_no_limit_of_the_step() {
    let text = r#"
name = "gears"
[parameters]
w = { value = 500, unit = "rad/s" }
c = { value = 0.01, unit = "N m s" }
[ground]
points = { A = [0, 0], B = [0.3, 0] }
[body.one]
points  = { A = [0, 0] }
mass    = 1
inertia = 0.01
[body.two]
points  = { B = [0, 0] }
mass    = 2
inertia = 0.04
[joint]
a    = { type = "revolute", between = ["ground.A", "one.A"] }
b    = { type = "revolute", between = ["ground.B", "two.B"] }
mesh = { type = "gear", joints = ["a", "b"], ratio = -2 }
[force]
drag = { type = "torque", on = "two", torque = "-c*two.omega" }
[initial]
position = { "a.angle" = 0 }
velocity = { "a.angle" = "w" }
[objective]
turned = { terminal = "a.angle" }
[study]
t_end = 2
"#;
    // J = J₁ + J₂/4, drag c/4: a.angle = w (J/k) (1 - exp(-k t/J))
    let (j, k) = (0.01 + 0.04 / 4.0, 0.01 / 4.0);
    let exact = 500.0 * j / k * (1.0 - f64::exp(-k * 2.0 / j));
    for family in Coordinates::ALL {
        let model = prepared(text, family);
        for (f, i) in [("index1", "dopri5"), ("maggi", "dopri5"), ("index1", "radau5")] {
            let what = format!("{}, {f} + {i}", family.name());
            // the gradient of maggi has the errors of its choices, times the time since (design 19)
            let tolerance = if f == "maggi" { 1e-11 } else { 1e-9 };
            let method = Method::new(f, i).expect("registered").tolerance(tolerance, tolerance);
            let run = model.run(&method).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!((run.psi[0] - exact).abs() <= 1e-4 * exact, "{what}: {} of {exact}", run.psi[0]);
            // the moved runs of differences are turns ahead
            for sensitivity in [Sensitivity::Extrapolated, Sensitivity::DiscreteAdjoint] {
                let g = model.gradient(&run, sensitivity).unwrap_or_else(|e| panic!("{what}: {e}"));
                let off = (g.rows[0][0] - exact / 500.0).abs();
                assert!(off <= 1e-3, "{what}, {}: off by {off:.1e}", sensitivity.name());
            }
        }
    }
}
