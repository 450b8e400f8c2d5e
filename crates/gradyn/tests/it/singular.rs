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

/// A row of `count` parallelograms of 1 m that fall through the position in which all bars lie on one line.
fn loops(count: usize, t_end: f64) -> Prepared {
    let points = (0..=count).map(|i| format!("A{i} = [{i}, 0]")).collect::<Vec<_>>().join(", ");
    let near = (1..=count).map(|i| format!("\"r{i}.B\" = [{i}, 1]")).collect::<Vec<_>>().join(", ");
    let mut bodies = String::new();
    let mut joints = String::new();
    for i in 0..=count {
        bodies += &format!("r{i} = {{ rod = {{ points = [\"A\", \"B\"], length = 1, mass = 1 }} }}\n");
        joints += &format!("g{i} = {{ type = \"revolute\", between = [\"ground.A{i}\", \"r{i}.A\"] }}\n");
    }
    for i in 0..count {
        bodies += &format!("c{i} = {{ rod = {{ points = [\"B\", \"C\"], length = 1, mass = 1 }} }}\n");
        joints += &format!("p{i} = {{ type = \"revolute\", between = [\"r{i}.B\", \"c{i}.B\"] }}\n");
        joints += &format!("q{i} = {{ type = \"revolute\", between = [\"c{i}.C\", \"r{}.B\"] }}\n", i + 1);
    }
    let text = format!(
        "name = \"loops\"\ndimension = 2\ngravity = [0, -9.81]\nground.points = {{ {points} }}\n\
         [body]\n{bodies}[joint]\n{joints}[initial]\nposition = {{ \"r0.angle\" = \"90 deg\" }}\n\
         velocity = {{ \"r0.angle\" = -1 }}\nnear = {{ {near} }}\n[study]\nt_end = {t_end}\n"
    );
    let file = gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"))
}

/// Forty loops, of which some steps fail or come to another branch: repeated in two unequal parts they pass,
/// and the energy deviates by the order of the integrator, whatever α is relative to.
#[test]
fn ali3p_repeats_steps_in_parts() {
    let model = loops(40, 1.3);
    for scaling in ["row", "uniform"] {
        let mut method = Method::new("ali3p", "newmark").expect("exists").step(1e-3);
        method.set("alpha_scaling", scaling).expect("an option");
        let run = model.run(&method).unwrap_or_else(|e| panic!("{scaling}: {e}"));
        let statistics = &run.trajectory.statistics;
        assert!(statistics.rejected > 0 && statistics.impacts == 0, "{scaling}: {statistics:?}");
        // of 620 J, as index3: 1.4e-2 J
        assert!(run.energy.1 < 2e-2, "{scaling}: {:.1e} J", run.energy.1);
    }
}

/// Two loops that go on along branches that do not fit together: penalty would brake the mechanism to rest,
/// and is refused by name; ali3p passes.
#[test]
fn penalty_that_loses_the_motion_is_refused() {
    let model = loops(2, 10.0);
    for integrator in ["dopri5", "radau5"] {
        let method = Method::new("penalty", integrator).expect("exists").tolerance(1e-8, 1e-8);
        let e = model.run(&method).map(|_| ()).expect_err("the motion is lost").to_string();
        assert!(e.contains("after the singular position at t = 0.714"), "{integrator}: {e}");
        assert!(e.contains("the constraints took"), "{integrator}: {e}");
    }
    let run = run(&model, "ali3p", "newmark", 1e-3).expect("passes");
    assert!(run.energy.1 < 1e-3, "{:.1e} J of 36", run.energy.1);
}

/// A position in which hundreds of rows are dependent is one sentence.
#[test]
fn a_singular_position_names_a_few_rows() {
    let on: Vec<String> = (0..80).map(|k| format!("row {k}")).collect();
    let rows = (0..230).map(|k| (format!("loop {k}"), on.clone())).collect();
    let text = gradyn::StepError::SingularPosition { t: 1.0, reached: 0.9, rows }.to_string();
    assert!(text.len() < 500, "{text}");
    assert!(text.contains("`loop 2` follows from") && text.contains("and 227 rows more"), "{text}");
    assert!(text.contains("`row 5` and 74 others"), "{text}");
}
