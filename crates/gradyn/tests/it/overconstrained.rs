//! Overconstrained linkages: the rows that are kept become dependent on the way although the mechanism does
//! not, and are chosen again.

use crate::kit::agree::tolerance;
use crate::kit::cases::STEP;
use gradyn::registry::combinations;
use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared, Run, Sensitivity};
use gradyn_sensitivity::Gradient;
use gradyn_testkit::compare::distance;

const EXAMPLES: [&str; 2] = ["bricard", "bennett"];

/// High order, then Newmark.
const METHODS: [(&str, &str); 4] =
    [("index1", "dopri5"), ("maggi", "radau5"), ("index3", "newmark"), ("ali3p", "newmark")];

fn method(formulation: &str, integrator: &str) -> Method {
    let m = Method::new(formulation, integrator).expect("registered");
    if integrator == "newmark" { m.step(2e-3) } else { m.tolerance(1e-11, 1e-11) }
}

fn prepared(name: &str, family: Coordinates, end: &str) -> Prepared {
    let file = gradyn::file::read_toml(gradyn::examples::find(name).expect("bundled"));
    let mut mechanism = file.unwrap_or_else(|e| panic!("{name}: {e}")).mechanism;
    mechanism.t_end = end.into();
    Prepared::new_in(&mechanism, family).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn run(model: &Prepared, m: &Method, what: &str) -> Run {
    model.run(m).unwrap_or_else(|e| panic!("{what}: {e}"))
}

fn gradient(model: &Prepared, run: &Run, s: Sensitivity, what: &str) -> Gradient {
    model.gradient(run, s).unwrap_or_else(|e| panic!("{what}, {}: {e}", s.name())).rows
}

fn scales(model: &Prepared) -> Vec<f64> {
    model.model.parameters.iter().map(|p| p.scale).collect()
}

/// Largest relative difference of two lists of values.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max)
}

/// Runs all methods in all coordinates to `end` and compares values, gradients and energies.
fn methods_agree(end: &str, most: f64) {
    for name in EXAMPLES {
        let mut reference: Option<(Vec<f64>, Gradient)> = None;
        for family in Coordinates::ALL {
            let model = prepared(name, family, end);
            for (formulation, integrator) in METHODS {
                let what = format!("{name}, {}, {formulation} + {integrator}", family.name());
                let run = run(&model, &method(formulation, integrator), &what);
                assert_eq!(run.singular, None, "{what}");
                let rows = gradient(&model, &run, Sensitivity::DiscreteAdjoint, &what);
                // Newmark is of second order: 2 ms
                let limit = if integrator == "newmark" { 2e-3 } else { most };
                let (energy, deviation) = run.energy;
                assert!(deviation <= limit * energy.abs().max(1.0), "{what}: energy off by {deviation:.1e}");
                let (psi, exact) = reference.get_or_insert_with(|| (run.psi.clone(), rows.clone()));
                let value = apart(&run.psi, psi);
                let slope = distance(&rows, exact, &scales(&model));
                assert!(value <= limit, "{what}: values off by {value:.1e}");
                assert!(slope <= 10.0 * limit, "{what}: gradients off by {slope:.1e}");
            }
        }
    }
}

/// 2 s, with changes of rows in most of the coordinates.
#[test]
fn all_methods_agree_across_a_change_of_rows() {
    methods_agree("2", 1e-8);
}

/// 10 s.
#[test]
#[ignore = "all"]
fn all_methods_agree_over_ten_seconds() {
    methods_agree("10", 1e-8);
}

/// Every formulation but penalty and every integrator: the discrete sensitivities are derivatives of the run
/// across a change of rows.
#[test]
fn exact_methods_agree_across_a_change_of_rows() {
    let mut changes = 0;
    let followed = |c: &(Formulation, Integrator)| c.0 != Formulation::Penalty;
    let combinations: Vec<_> = combinations().into_iter().filter(followed).collect();
    for family in Coordinates::ALL {
        let model = prepared("bennett", family, "0.7");
        for (k, &(formulation, integrator)) in combinations.iter().enumerate() {
            // all of them in joint coordinates, which are few; every third one in each of the others
            if family != Coordinates::Relative0 && k % 3 != family as usize % 3 {
                continue;
            }
            let what = format!("{}, {} + {}", family.name(), formulation.name(), integrator.name());
            let method = Method { formulation, integrator, ..Method::default() }.step(STEP);
            let run = run(&model, &method, &what);
            changes += usize::from(run.trajectory.plan.changes_rows().is_some());
            let adjoint = gradient(&model, &run, Sensitivity::DiscreteAdjoint, &what);
            for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
                let d = distance(&gradient(&model, &run, s, &what), &adjoint, &scales(&model));
                assert!(d <= tolerance(formulation, integrator), "{what}, {}: {d:.1e}", s.name());
            }
        }
    }
    assert!(changes >= combinations.len(), "{changes} runs chose rows again");
}

/// Sensitivities of the equations of motion have one set of rows, and say so.
#[test]
fn continuous_sensitivities_are_refused_across_a_change_of_rows() {
    let model = prepared("bennett", Coordinates::Relative0, "2");
    let run = run(&model, &method("index1", "dopri5"), "bennett");
    assert!(run.trajectory.plan.changes_rows().is_some());
    let e = model.gradient(&run, Sensitivity::Direct).err().expect("another set of rows");
    let refusal = "has one set of constraints, and this run leaves out other redundant ones from t = ";
    assert!(e.message.contains(refusal), "{}", e.message);
}

/// A bar of another length locks the linkage.
#[test]
fn a_parameter_that_breaks_the_loop_is_refused_by_name() {
    let text = gradyn::examples::find("bennett").expect("bundled");
    let text = text.replace("B = [\"b\", 0, 0]", "B = [\"b + e\", 0, 0]");
    let text = text.replace("[parameters]\n", "[parameters]\ne = { value = 0, unit = \"m\", scale = 1 }\n");
    let file = gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    for family in Coordinates::ALL {
        let model = Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{e}"));
        let run = run(&model, &method("maggi", "dopri5"), family.name());
        let e = model.gradient(&run, Sensitivity::DiscreteAdjoint).err().expect("locked");
        assert!(e.message.contains("parameter `e` breaks a redundant loop"), "{}", e.message);
    }
}
