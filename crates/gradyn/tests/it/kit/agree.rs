//! The exact methods on one run, and how far they may be from each other.

use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared, Run, Sensitivity};
use gradyn_sensitivity::Gradient;
use gradyn_testkit::compare::distance;

/// Rows of velocity level are refused by formulations at position level, by name.
///
/// # Panics
/// On any other refusal.
pub(crate) fn refused(model: &Prepared, method: &Method) -> bool {
    let refusal = model.check_method(method).err().map(|e| e.to_string());
    assert!(
        refusal
            .as_ref()
            .is_none_or(|e| model.model.system.dims().m_vel > 0 && e.contains("velocity constraint")),
        "{refusal:?}"
    );
    refusal.is_some()
}

/// Position-level constraints amplify the rounding of q by 1/(c₁h)²; c₁ of radau5 is 0.155, where Newmark has
/// √β = 0.5.
pub(crate) fn tolerance(formulation: Formulation, integrator: Integrator) -> f64 {
    if (formulation, integrator) == (Formulation::Index3, Integrator::Radau5) { 1e-9 } else { 1e-10 }
}

/// A run that succeeds.
///
/// # Panics
/// Where it does not.
pub(crate) fn run(model: &Prepared, method: &Method) -> Run {
    model.run(method).unwrap_or_else(|e| panic!("{}: {e}", model.model.name))
}

/// A gradient and, of program derivatives, the number of corrections.
///
/// # Panics
/// Where it fails.
pub(crate) fn gradient(
    model: &Prepared,
    run: &Run,
    s: Sensitivity,
) -> (Gradient, Option<gradyn_sensitivity::Corrections>) {
    let g = model.gradient(run, s).unwrap_or_else(|e| panic!("{} {}: {e}", model.model.name, s.name()));
    (g.rows, g.corrections)
}

/// Scales of the parameters.
pub(crate) fn scales(model: &Prepared) -> Vec<f64> {
    model.model.parameters.iter().map(|p| p.scale).collect()
}

/// The four exact methods on a run.
///
/// # Panics
/// Where two of them differ by more than the tolerance.
pub(crate) fn agree(what: &str, model: &Prepared, run: &Run, tolerance: f64) {
    let (adjoint, _) = gradient(model, run, Sensitivity::DiscreteAdjoint);
    for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
        let (g, corrections) = gradient(model, run, s);
        let d = distance(&g, &adjoint, &scales(model));
        assert!(d <= tolerance, "{what}: {} is {d:.1e} from discrete-adjoint", s.name());
        // the test of R_x: one correction and one confirming evaluation; masses of joint coordinates differ
        // by powers of ten, and the roundings of a second one may stand out
        let most = if model.model.family == Coordinates::Natural { 1 } else { 2 };
        if let Some(c) = corrections {
            assert!((1..=most).contains(&c.worst), "{what}: {} needed {} corrections", s.name(), c.worst);
        }
    }
}
