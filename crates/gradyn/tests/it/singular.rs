//! Singular positions: a parallelogram through its change point, forward only.

use gradyn::registry::{Variant, variants};
use gradyn::{Coordinates, Formulation, Method, Prepared, Run, Sensitivity};
use gradyn_testkit::chain::{chain, net, space_chain};

fn prepared(t_end: &str) -> Prepared {
    let text = gradyn::examples::find("change_point")
        .expect("bundled")
        .replace("t_end  = 0.5", &format!("t_end  = {t_end}"));
    Prepared::new(&gradyn::file::read_toml(&text).expect("parses").mechanism).expect("assembles")
}

fn run(model: &Prepared, formulation: &str, integrator: &str, h: f64) -> Result<Run, gradyn::Error> {
    model.run(&Method::new(formulation, integrator).expect("registered").step(h))
}

/// The crank reaches the frame line at 0.7/3 s: the linkage turns at constant speed, without gravity.
const CHANGE: f64 = 0.7 / 3.0;

/// Penalty and ALI3-P pass with their energy and report the position and the branch; the gradient beyond it
/// is refused.
#[test]
fn penalty_and_ali3p_pass_the_change_point() {
    let model = prepared("0.5");
    for (formulation, integrator) in
        [("ali3p", "newmark"), ("ali3p", "generalized-alpha"), ("penalty", "rk4"), ("penalty", "radau5")]
    {
        let run = run(&model, formulation, integrator, 1e-3)
            .unwrap_or_else(|e| panic!("{formulation} + {integrator}: {e}"));
        let what = format!("{formulation} + {integrator}");
        assert!(run.energy.1 <= 1e-3 * run.energy.0.abs(), "{what}: {:?}", run.energy);
        let t = run.singular.unwrap_or_else(|| panic!("{what}: {:?}", run.warnings));
        assert!((t - CHANGE).abs() < 2e-3, "{what}: t = {t}");
        assert!(
            run.warnings
                .iter()
                .any(|w| w.code == gradyn::WarningCode::Singular && w.to_string().contains("branch")),
            "{what}: {:?}",
            run.warnings
        );
        let e = model.gradient(&run, Sensitivity::DiscreteAdjoint).err().expect("refused").to_string();
        assert!(e.contains("passes a singular position at t = 0.23"), "{what}: {e}");
    }
}

/// Every step that exists passes and reports the position, or stops with its name; a run that ends before has
/// its gradient.
#[test]
fn every_step_passes_or_names_the_singularity() {
    let model = prepared("0.5");
    for v in variants() {
        let fixed = Method::of(&v).expect("registered").step(1e-3);
        let adaptive = Method::of(&v).expect("registered").tolerance(1e-7, 1e-7);
        for method in [Some(fixed), v.integrator.adapts().then_some(adaptive)].into_iter().flatten() {
            match model.run(&Method { max_steps: 20_000, ..method.clone() }) {
                Ok(run) => assert!(run.singular.is_some(), "{v}, {:?}: {:?}", method.stepping, run.warnings),
                Err(e) => names_the_change_point(&v, &e.to_string()),
            }
        }
    }
    let before = prepared("0.2");
    let run = run(&before, "index1", "rk4", 1e-3).expect("nothing is in the way");
    let g = before.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
    // rocker.angle = -0.7 + w_0 t: only the speed matters
    assert!(g[0][0].abs() < 1e-8 && g[0][1].abs() < 1e-8 && (g[0][2] - 0.2).abs() < 1e-8, "{g:?}");
}

/// In joint coordinates the row of the loop vanishes at the change point, while its direction says nothing.
#[test]
fn joint_coordinates_see_the_change_point() {
    let text = gradyn::examples::find("change_point").expect("bundled");
    let file = gradyn::file::read_toml(text).expect("parses");
    for family in Coordinates::ALL {
        let model = Prepared::new_in(&file.mechanism, family).expect("assembles");
        for v in variants() {
            let what = format!("{}, {v}", family.name());
            match model.run(&Method::of(&v).expect("registered").step(1e-3)) {
                // penalty gives way, and passes beside the position
                Ok(run) if run.singular.is_none() => {
                    let near = run.warnings.iter().any(|w| {
                        w.code == gradyn::WarningCode::NearSingular && w.to_string().contains("at t = 0.23")
                    });
                    assert!(near && v.formulation == Formulation::Penalty, "{what}: {:?}", run.warnings);
                }
                Ok(run) => {
                    let e = model
                        .gradient(&run, Sensitivity::DiscreteAdjoint)
                        .err()
                        .expect("refused")
                        .to_string();
                    assert!(e.contains("passes a singular position at t = 0.23"), "{what}: {e}");
                }
                Err(e) => assert!(e.to_string().contains("singular position at t = 0.23"), "{what}: {e}"),
            }
        }
    }
}

/// A slider-crank whose rod is as long as its crank folds up at x = 0, where the iteration of ALI3-P is slow:
/// it passes, like Newton.
#[test]
fn ali3p_passes_a_folded_slider_crank() {
    let text = |w: f64| {
        format!(
            r#"
name = "folded slider-crank"
gravity = [0, -9.81]
parameters = {{ r = 0.5, w = {w} }}
ground.points = {{ O = [0, 0] }}
body.crank = {{ rod = {{ points = ["A", "B"], length = "r", mass = 2 }} }}
body.rod = {{ rod = {{ points = ["B", "C"], length = "r", mass = 1 }} }}
body.slider = {{ points = {{ C = [0, 0] }}, mass = 3, inertia = 0.1 }}
[joint]
j = {{ type = "revolute", between = ["ground.O", "crank.A"] }}
k = {{ type = "revolute", between = ["crank.B", "rod.B"] }}
p = {{ type = "revolute", between = ["rod.C", "slider.C"] }}
g = {{ type = "prismatic", between = ["ground.O", "slider.C"], axis = [1, 0] }}
[initial]
position = {{ "crank.angle" = 0.4 }}
velocity = {{ "crank.angle" = "w" }}
near = {{ "slider.C" = [0.9, 0] }}
[objective]
x = {{ terminal = "slider.C.x" }}
[study]
t_end = 0.6
"#
        )
    };
    for w in [6.0, 8.0, 10.0] {
        let model =
            Prepared::new(&gradyn::file::read_toml(&text(w)).expect("parses").mechanism).expect("assembles");
        for h in [1e-3, 1.3e-3] {
            let [x, truth] = ["ali3p", "index3"].map(|f| {
                let run =
                    run(&model, f, "newmark", h).unwrap_or_else(|e| panic!("{f}, w = {w}, h = {h}: {e}"));
                assert!(run.singular.is_some(), "{f}: {:?}", run.warnings);
                run.psi[0]
            });
            // 1e-9: what the projections of ali3p give way near the singular position
            assert!((x - truth).abs() < 1e-9, "w = {w}, h = {h}: {x} against {truth}");
        }
    }
}

/// The error of a run that stops at the change point: what it is, when, and the rows.
fn names_the_change_point(v: &Variant, e: &str) {
    let text = "the mechanism is at a singular position at t = ";
    let rest = e.strip_prefix(text).unwrap_or_else(|| panic!("{v}: {e}"));
    let t: f64 = rest.split(' ').next().and_then(|t| t.parse().ok()).unwrap_or_else(|| panic!("{v}: {e}"));
    assert!((t - CHANGE).abs() < 3e-3 && e.contains("follows from"), "{v}: {e}");
}

/// Many rows are watched by sparse pivots: the parallelogram beside a chain of seventy links.
#[test]
fn a_large_model_is_watched() {
    let chain = r#"
[template.link]
required = ["previous"]
body.bar = { rod = { points = ["A", "B"], length = 0.1, mass = 0.2 } }
joint.pin = { type = "revolute", between = ["{previous}", "bar.A"] }
initial = { position = { "bar.angle" = 0.1 }, velocity = { "bar.angle" = 0 } }
[instance.link]
use = "link"
count = 70
with = { previous = "link_{i-1}_bar.B" }
first = { previous = "ground.O" }
"#;
    let text = gradyn::examples::find("change_point").expect("bundled").to_owned() + chain;
    let model = Prepared::new(&gradyn::file::read_toml(&text).expect("parses").mechanism).expect("assembles");
    let run = run(&model, "penalty", "rk4", 1e-3).expect("passes");
    assert!(run.singular.is_some_and(|t| (t - CHANGE).abs() < 1e-4), "{:?} {:?}", run.singular, run.warnings);
    let e = model.gradient(&run, Sensitivity::DiscreteAdjoint).err().expect("refused").to_string();
    assert!(e.contains("passes a singular position at t = 0.23"), "{e}");
}

/// Large models away from singular positions have no such warning.
#[test]
fn large_regular_models_are_quiet() {
    for mut m in [chain(200), net(6, 20), space_chain(40)] {
        m.t_end = 0.1.into();
        let model = Prepared::new(&m).expect("assembles");
        let run = run(&model, "index1", "rk4", 1e-3).expect("runs");
        assert!(
            gradyn::dims(&model).m > 64 && !run.warnings.iter().any(|w| w.to_string().contains("singular")),
            "{}: {:?}",
            m.name,
            run.warnings
        );
    }
}
