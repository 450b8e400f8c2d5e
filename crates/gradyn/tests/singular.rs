//! Singular positions: a parallelogram through its change point, forward only.

use gradyn::{Method, Prepared, Run, Sensitivity};

fn prepared(t_end: &str) -> Prepared {
    let text = gradyn::examples::find("change_point").expect("bundled").replace("t_end  = 0.5", &format!("t_end  = {t_end}"));
    Prepared::new(&gradyn::file::read_toml(&text).expect("parses").mechanism).expect("assembles")
}

fn run(model: &Prepared, formulation: &str, integrator: &str, h: f64) -> Result<Run, gradyn::Error> {
    model.simulate(&Method::new(formulation, integrator).expect("registered").step(h), &mut |_, _| {})
}

/// The crank reaches the frame line at 0.7/3 s: the linkage turns at constant speed, without gravity.
const CHANGE: f64 = 0.7 / 3.0;

/// Penalty and ALI3-P pass with their energy and report the position and the branch; the gradient beyond it is refused.
#[test]
fn penalty_and_ali3p_pass_the_change_point() {
    let model = prepared("0.5");
    for (formulation, integrator) in
        [("ali3p", "newmark"), ("ali3p", "generalized-alpha"), ("penalty", "rk4"), ("penalty", "radau5")]
    {
        let run = run(&model, formulation, integrator, 1e-3).unwrap_or_else(|e| panic!("{formulation} + {integrator}: {e}"));
        let what = format!("{formulation} + {integrator}");
        assert!(run.energy.1 <= 1e-3 * run.energy.0.abs(), "{what}: {:?}", run.energy);
        let t = run.singular.unwrap_or_else(|| panic!("{what}: {:?}", run.warnings));
        assert!((t - CHANGE).abs() < 2e-3, "{what}: t = {t}");
        assert!(run.warnings.iter().any(|w| w.starts_with("singular:") && w.contains("branch")), "{what}: {:?}", run.warnings);
        let e = model.gradient(&run, Sensitivity::DiscreteAdjoint).err().expect("refused").to_string();
        assert!(e.contains("passes a singular position at t = 0.23"), "{what}: {e}");
    }
}

/// Maggi and index 1 pass or say that the equations are singular; a run that ends before has its gradient.
#[test]
fn maggi_and_index1_pass_or_name_the_singularity() {
    let model = prepared("0.5");
    for (formulation, integrator) in [("maggi", "rk4"), ("maggi", "dopri5"), ("index1", "rk4"), ("index1", "dopri5")] {
        match run(&model, formulation, integrator, 1e-3) {
            Ok(run) => assert!(run.singular.is_some(), "{formulation} + {integrator}: {:?}", run.warnings),
            Err(e) => assert!(e.to_string().contains("singular") || e.to_string().contains("no position fits"), "{e}"),
        }
    }
    let before = prepared("0.2");
    let run = run(&before, "index1", "rk4", 1e-3).expect("nothing is in the way");
    let g = before.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
    // rocker.angle = -0.7 + w_0 t: only the speed matters
    assert!(g[0][0].abs() < 1e-8 && g[0][1].abs() < 1e-8 && (g[0][2] - 0.2).abs() < 1e-8, "{g:?}");
}
