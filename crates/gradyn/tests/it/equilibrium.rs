//! Static equilibrium: closed forms, sensitivities by all methods, and what is said where there is none.

use gradyn::{Error, Method, Prepared, Sensitivity};
use gradyn_testkit::compare::distance;

const G: f64 = 9.81;

fn model(text: &str) -> Result<Prepared, Error> {
    Prepared::new(&gradyn::file::read_toml(text)?.mechanism)
}

fn example() -> Prepared {
    model(gradyn::examples::find("quarter_car").expect("bundled")).expect("builds")
}

/// The message and the help of a model that is refused.
fn refused(text: &str) -> String {
    let e = model(text).map(|_| ()).expect_err("is refused");
    format!("{e}; {}", e.help.clone().unwrap_or_default())
}

/// A plate on four vertical springs: x, y and yaw are free.
fn plate(initial: &str) -> String {
    let spring = |k: usize| {
        format!(
            "s{k} = {{ type = \"force\", at = \"plate.C{k}\", force = [0, 0, \"k * (h - plate.C{k}.z) - 20 \
             * vel(plate.C{k}.z)\"] }}"
        )
    };
    let springs = [1, 2, 3, 4].map(spring).join("\n");
    format!(
        r#"name = "plate"
dimension = 3
gravity = [0, 0, -9.81]
[parameters]
m = 12
k = 900
h = 0.5
off = {{ value = 0.05, scale = 0.1 }}
v = 2
[body.plate]
mass    = "m"
com     = ["off", 0, 0]
inertia = [0.4, 0.6, 0.9]
points  = {{ C1 = [0.5, 0.3, 0], C2 = [0.5, -0.3, 0], C3 = [-0.5, 0.3, 0], C4 = [-0.5, -0.3, 0] }}
[force]
{springs}
[initial]
{initial}
[objective.tip]
terminal = "plate.C1.z"
integral = "plate.C4.z^2 + vel(plate.com.z)^2 + v * plate.com.x * plate.com.y"
[output]
z = "plate.C1.z"
pitch = "plate.pitch"
[study]
t_end = 0.2
"#
    )
}

const FREE: &str = r#"equilibrium = { "plate.com.x" = 0.1, "plate.com.y" = 0, "plate.yaw" = 0.3 }"#;
const ROLLING: &str = r#"
velocity."plate.com.x" = "v"
velocity."plate.com.y" = 0
velocity."plate.com.z" = "plate.pitch"
velocity."plate.yaw" = "v * plate.com.z"
velocity."plate.pitch" = 0
velocity."plate.roll" = 0
"#;

/// Two bars that hang between the ground and a support: the distance that is held is not linear, and it
/// carries a load.
const HELD: &str = r#"name = "held"
gravity = [0, -9.81]
[parameters]
L = 1
m = 2
d = 1.2
W = 1.5
[ground]
points = { O = [0, 0], W = ["W", 0.1] }
[body.a]
rod = { points = ["A", "B"], length = "L", mass = "m" }
[body.b]
rod = { points = ["B", "C"], length = 0.8, mass = 1 }
[joint]
pin = { type = "revolute", between = ["ground.O", "a.A"] }
mid = { type = "revolute", between = ["a.B", "b.B"] }
[force]
turn = { type = "torsion", between = ["a", "b"], stiffness = 3, angle = 0.2 }
[initial]
equilibrium = {}
hold = { "distance(ground.W, b.C)" = "d" }
near = { "a.B" = [0.3, -0.95], "b.C" = [0.8, -1.2] }
[objective]
path = { integral = "norm2(b.C)", terminal = "a.angle" }
[output]
angle = "a.angle"
load = "pin.reaction.y"
[study]
t_end = 0.2
"#;

/// A mass on two parallel guides, of which one is redundant, and a force that acts in motion only.
const GUIDES: &str = r#"name = "guides"
gravity = [0, -9.81]
[parameters]
m = 3
k = 500
L = 0.4
F = 20
[ground]
points = { O = [0, 0], P = [1, 0], T = [0.2, 1] }
[body.mass]
mass    = "m"
inertia = 0.1
points  = { A = [0, 0], B = [1, 0], S = [0.2, 0] }
[joint]
left  = { type = "prismatic", between = ["ground.O", "mass.A"], axis = [0, 1] }
right = { type = "prismatic", between = ["ground.P", "mass.B"], axis = [0, 1] }
[force]
spring.type = "spring-damper"
spring.between = ["ground.T", "mass.S"]
spring.stiffness = "k"
spring.damping = 5
spring.length = "L"
push = { type = "force", at = "mass.S", force = [0, "F"], active = "motion" }
[initial]
equilibrium = {}
near = { "mass.A" = [0, 0.4] }
[objective]
height = { integral = "mass.A.y^2", terminal = "vel(mass.A.y)" }
[output]
y = "mass.A.y"
[study]
t_end = 0.2
"#;

/// A bar on a pin.
fn bar(near: &str, initial: &str, force: &str) -> String {
    format!(
        r#"name = "bar"
gravity = [0, -9.81]
[parameters]
m = 2
[ground]
points = {{ O = [0, 0], T = [0, 2] }}
[body.bar]
rod = {{ points = ["A", "B"], length = 1, mass = "m" }}
[joint]
pin = {{ type = "revolute", between = ["ground.O", "bar.A"] }}
[force]
{force}
[initial]
equilibrium = {{}}
{initial}
near = {{ "bar.B" = {near} }}
[objective]
sway = {{ integral = "bar.B.x^2" }}
[output]
angle = "bar.angle"
"#
    )
}

fn output(p: &Prepared, name: &str) -> f64 {
    let s = p.equilibrium(false).expect("equilibrium");
    s.outputs.iter().find(|o| o.0 == name).expect("a column").1
}

fn close(x: f64, y: f64) {
    assert!((x - y).abs() <= 1e-12 * (1.0 + y.abs()), "{x} instead of {y}");
}

/// The tyre carries the weight: y = r - W/k, and so do the derivatives; its load is W.
#[test]
fn the_quarter_car_stands_on_its_tyre() {
    let car = example();
    let s = car.equilibrium(true).expect("equilibrium");
    let (weight, stiffness) = (348.0 * G, 180e3);
    // the bump is still far
    close(output(&car, "axle"), 0.3 + 0.03 * (-16.0f64).exp() - weight / stiffness);
    close(output(&car, "load"), weight);
    let row = |name: &str| {
        &s.gradient.as_ref().expect("asked for")
            [s.outputs.iter().position(|o| o.0 == name).expect("a column")]
    };
    let column = |name: &str| car.parameters().iter().position(|p| p.name == name).expect("a parameter");
    close(row("axle")[column("m_body")], -G / stiffness);
    close(row("axle")[column("k_tyre")] * 1e6, 1e6 * weight / stiffness / stiffness);
    close(row("axle")[column("radius")], 1.0);
    close(row("load")[column("m_wheel")], G);
    // by differences, at equilibria of their own
    for (k, p) in car.parameters().iter().enumerate() {
        let h = 1e-5 * p.scale;
        let at = |s: f64| {
            let mut rho = car.rho().to_vec();
            rho[k] += s * h;
            car.at(&rho).expect("assembles").equilibrium(false).expect("equilibrium").outputs
        };
        for (j, (a, b)) in at(1.0).iter().zip(at(-1.0)).enumerate() {
            let (d, g) = ((a.1 - b.1) / (2.0 * h), s.gradient.as_ref().expect("asked for")[j][k]);
            assert!(
                (d - g).abs() * p.scale <= 1e-5 * (1.0 + s.outputs[j].1.abs()),
                "{} over {}: {d} {g}",
                a.0,
                p.name
            );
        }
    }
}

/// The wheel starts to roll on its loaded radius.
#[test]
fn velocities_read_positions_at_equilibrium() {
    let car = example();
    let run = car.run(&Method::new("index1", "rk4").expect("exists").step(0.01)).expect("runs");
    let table = car.table(&run, None).expect("table");
    let at = |name: &str| table.rows[0][table.columns.iter().position(|c| c == name).expect("a column")];
    close(at("spin"), -3.0 / at("axle"));
}

/// Four springs carry the weight, with a moment of the offset: z = h - m g/4k ∓ …
#[test]
fn a_plate_on_four_springs_stands_where_it_is_put() {
    let p = model(&plate(FREE)).expect("builds");
    let s = p.equilibrium(true).expect("equilibrium");
    assert!(s.efforts.iter().all(|e| e.1.abs() < 1e-9), "{:?}", s.efforts);
    let (m, k, h, off) = (12.0, 900.0, 0.5, 0.05);
    // moments about y: 4 k 0.25 sin θ = m g off, so that C1 is 0.5 sin θ lower than the centre
    let sin = m * G * off / k;
    close(output(&p, "pitch"), sin.asin());
    close(output(&p, "z"), h - m * G / (4.0 * k) - 0.5 * sin);
    let z = &s.gradient.as_ref().expect("asked for")[0];
    close(z[0], -G / (4.0 * k) - 0.5 * G * off / k);
    close(z[3], -0.5 * m * G / k);
}

/// Every exact method, the continuous ones of high order, and differences on the same plan.
#[test]
fn all_methods_agree_through_an_equilibrium() {
    let rolling = plate(&format!("{FREE}\n{ROLLING}"));
    let models = [example(), model(&plate(FREE)).expect("builds"), model(&rolling).expect("builds")];
    let models = models.into_iter().chain([HELD, GUIDES].map(|text| model(text).expect("builds")));
    for p in models {
        let scales: Vec<f64> = p.parameters().iter().map(|p| p.scale).collect();
        for (formulation, integrator) in
            [("index1", "rk4"), ("index3", "newmark"), ("maggi", "dopri5"), ("penalty", "radau5")]
        {
            let what = format!("{}, {formulation} + {integrator}", p.model.name);
            let run = p
                .run(&Method::new(formulation, integrator).expect("exists").step(2e-3))
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            let g =
                |s: Sensitivity| p.gradient(&run, s).unwrap_or_else(|e| panic!("{what}, {}: {e}", s.name()));
            let adjoint = g(Sensitivity::DiscreteAdjoint).rows;
            for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
                let other = g(s);
                let d = distance(&other.rows, &adjoint, &scales);
                assert!(d <= 1e-10, "{what}: {} is off by {d:.1e}", s.name());
                // where nothing moves, Newmark's derivatives of a and λ are noise: one more
                let most = if integrator == "newmark" { 2 } else { 1 };
                assert!(other.corrections.is_none_or(|c| c.worst <= most), "{what}: R_x is exact");
            }
            let d = distance(&g(Sensitivity::Extrapolated).rows, &adjoint, &scales);
            assert!(d <= 1e-6, "{what}: differences are off by {d:.1e}");
            if formulation == "index1" {
                // rk4 at 2 ms
                for s in [
                    Sensitivity::Direct,
                    Sensitivity::AdjointExplicit,
                    Sensitivity::AdjointSemiExplicit,
                    Sensitivity::AdjointDae,
                ] {
                    let d = distance(&g(s).rows, &adjoint, &scales);
                    assert!(d <= 2e-5, "{what}: {} is off by {d:.1e}", s.name());
                }
            }
        }
    }
}

/// The support applies what the springs do not carry.
#[test]
fn a_held_sensor_has_an_effort() {
    let text = plate(&format!("{FREE}\nhold = {{ \"plate.com.z\" = 0.55 }}"));
    let s = model(&text).expect("builds").equilibrium(false).expect("equilibrium");
    let (_, effort, held) = &s.efforts[3];
    assert!(*held);
    // the centre of mass is 0.05 cos θ from the middle along the plate
    let z = |sin: f64| 0.55 + 0.05 * sin;
    let pitch = s.outputs[1].1;
    close(*effort / 100.0, (12.0 * G - 4.0 * 900.0 * (0.5 - z(pitch.sin()))) / 100.0);
}

/// A force of motion is no part of the equilibrium, but of the motion.
#[test]
fn forces_of_motion_are_left_out() {
    let p = model(GUIDES).expect("builds");
    close(output(&p, "y"), 1.0 - 0.4 - 3.0 * G / 500.0);
    assert!(!p.redundant().is_empty());
    let run = p.run(&Method::new("index1", "rk4").expect("exists").step(1e-3)).expect("runs");
    let lay = run.trajectory.layout;
    let a = &run.trajectory.record(0)[lay.a()..lay.lam()];
    // 20 N on 3 kg
    assert!(a.iter().any(|a| (a - 20.0 / 3.0).abs() < 1e-9), "{a:?}");
    assert!(run.trajectory.record(0)[lay.v()..lay.a()].iter().all(|v| v.abs() < 1e-12));
}

#[test]
fn free_directions_are_named() {
    let text = refused(&plate(r#"equilibrium = { "plate.com.x" = 0 }"#));
    assert!(
        text.contains("2 directions of the equilibrium are free") && text.contains("2 conditions"),
        "{text}"
    );
    assert!(text.contains("`plate."), "{text}");
}

#[test]
fn loads_on_conditions_are_named() {
    let text = refused(&plate(&FREE.replace(" }", ", \"plate.com.z\" = 0.55 }")));
    assert!(
        text.contains("`plate.com.z` of the equilibrium carries a load") && text.contains("hold"),
        "{text}"
    );
}

/// What forces hold needs no condition, also where that carries no load: derivatives would be those of
/// another mechanism.
#[test]
fn surplus_conditions_are_named() {
    let text = plate(&FREE.replace(" }", ", \"plate.roll\" = 0 }"));
    let text = refused(&text);
    assert!(text.contains("`plate.roll` of the equilibrium is one too many"), "{text}");
}

#[test]
fn conditions_in_conflict_are_named() {
    let text = refused(&plate(&FREE.replace(
        " }",
        ", \"plate.C1.x - plate.com.x\" = \"0.45 * cos(0.3) - 0.3 \
        * sin(0.3)\", \"plate.C1.y - plate.com.y + 0 * plate.yaw\" = 0.4 }",
    )));
    assert!(text.contains('`'), "{text}");
}

/// Nothing holds the bar against a torque that grows with it.
#[test]
fn what_is_not_balanced_is_named() {
    let text = refused(&bar("[0.6, -0.8]", "", r#"turn = { type = "torque", on = "bar", torque = 100 }"#));
    assert!(
        text.contains("no equilibrium was found") && text.contains("balance of forces along `bar."),
        "{text}"
    );
}

#[test]
fn a_force_that_is_not_defined_at_rest_is_named() {
    let text = refused(&bar(
        "[0.6, -0.8]",
        "",
        r#"odd = { type = "spring-damper", between = ["ground.T", "bar.B"], force = "1 / speed" }"#,
    ));
    assert!(text.contains("`odd at rest` is not a finite number"), "{text}");
}

/// Where it is drawn it stands, but not for long.
#[test]
fn an_unstable_equilibrium_is_told() {
    let p = model(&bar("[0, 1]", "", "")).expect("builds");
    close(output(&p, "angle"), std::f64::consts::FRAC_PI_2);
    assert!(
        p.model.warnings.iter().any(|w| w.to_string().contains("unstable-equilibrium")),
        "{:?}",
        p.model.warnings
    );
}

/// Newton would climb; the damped motion goes down.
#[test]
fn the_search_prefers_a_stable_equilibrium() {
    let p = model(&bar("[0.2, 0.98]", "", "")).expect("builds");
    close(output(&p, "angle"), -std::f64::consts::FRAC_PI_2);
    assert!(p.model.warnings.is_empty());
}

#[test]
fn position_and_equilibrium_exclude_each_other() {
    let text = refused(&bar("[0, -1]", r#"position = { "bar.angle" = 0 }"#, ""));
    assert!(text.contains("both `position` and `equilibrium`"), "{text}");
    let text = refused(&bar("[0, -1]", r#"hold = { "bar.angle" = 0 }"#, "").replace("equilibrium = {}", ""));
    assert!(text.contains("`hold` belongs to `equilibrium`"), "{text}");
}
