//! Discrete direct = discrete adjoint = automatic = complex step, for every registered formulation × integrator, every example
//! and every number of every example as a parameter; an extrapolated difference on the frozen plan is the independent arbiter.

use gradyn::registry::combinations;
use gradyn::{Formulation, Integrator, Method, Prepared, Run, Sensitivity};
use gradyn_model::mechanism::{Mechanism, Source};
use gradyn_sensitivity::{Case, Gradient, differences};
use gradyn_testkit::compare::distance;
use gradyn_testkit::models;
use gradyn_testkit::parametrise::{only_used, parametrise};

/// Steps of a case.
const STEPS: usize = 20;
/// Newmark's rounding grows like 1/h, so its step is not below 1 ms.
const STEP: f64 = 4e-3;

/// Examples and test models, with every number a parameter.
fn cases() -> Vec<(String, Mechanism)> {
    let examples = gradyn::examples::ALL.iter().map(|(name, text)| {
        let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        (format!("example {name}"), file.mechanism)
    });
    let all = examples.chain(models::all().into_iter().map(|(n, m)| (format!("model {n}"), m)));
    all.map(|(name, m)| {
        let built = gradyn_model::build(&m).unwrap_or_else(|e| panic!("{name}: {e}"));
        let p = built.slots(&built.rho());
        let (mut start, end) = (p[built.times.start as usize], p[built.times.end as usize]);
        let (mut m, _) = parametrise(&m);
        if m.splines.iter().any(|s| !s.cyclic) {
            // off the first knot, where a spline that drives has a jump of its second rate
            let Source::Expression(text) = &m.t_start.source else { panic!("{name}: the start is an expression now") };
            m.t_start = format!("{text} + {}", 0.3 * step(&name)).into();
            start += 0.3 * step(&name);
        }
        // a short run whose final time still depends on what it depended on
        let Source::Expression(text) = &m.t_end.source else { panic!("{name}: the final time is an expression now") };
        let short = step(&name) * (STEPS as f64 - 0.5) / (end - start);
        m.t_end = format!("{start} + ({text} - {start}) * {short}").into();
        (name, only_used(&m))
    })
    .collect()
}

/// The step of a model: a rotor at hundreds of rad/s needs short ones.
fn step(name: &str) -> f64 {
    if name.contains("gyroscope") || name.contains("spinning_top") { 0.25 * STEP } else { STEP }
}

/// Position-level constraints amplify the rounding of q by 1/(c₁h)²; c₁ of radau5 is 0.155, where Newmark has √β = 0.5.
fn tolerance(formulation: Formulation, integrator: Integrator) -> f64 {
    if (formulation, integrator) == (Formulation::Index3, Integrator::Radau5) { 1e-9 } else { 1e-10 }
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.simulate(method, &mut |_, _| {}).unwrap_or_else(|e| panic!("{}: {e}", model.model.name))
}

fn gradient(model: &Prepared, run: &Run, s: Sensitivity) -> (Gradient, Option<gradyn_sensitivity::Corrections>) {
    let g = model.gradient(run, s).unwrap_or_else(|e| panic!("{} {}: {e}", model.model.name, s.name()));
    (g.rows, g.corrections)
}

fn scales(model: &Prepared) -> Vec<f64> {
    model.model.parameters.iter().map(|p| p.scale).collect()
}

#[test]
fn all_exact_methods_agree_to_rounding() {
    for (name, mechanism) in cases() {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (formulation, integrator) in combinations() {
            let what = format!("{name}, {} + {}", formulation.name(), integrator.name());
            let method = Method { formulation, integrator, ..Method::default() }.step(step(&name));
            let run = run(&model, &method);
            assert!(run.trajectory.plan.h.last().is_some_and(|h| *h < 0.8 * step(&name)), "{what}: the last step is a short one");
            let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
                let (g, corrections) = gradient(&model, &run, s);
                let d = distance(&g, &adjoint, &scales(&model));
                let most = tolerance(formulation, integrator);
                assert!(d <= most, "{what}: {} is {d:.1e} from discrete-adjoint", s.name());
                // the test of R_x: one correction and one confirming evaluation
                if let Some(c) = corrections {
                    assert_eq!(c.worst, 1, "{what}: {} needed {} corrections", s.name(), c.worst);
                }
            }
        }
    }
}

#[test]
fn extrapolated_differences_agree_on_the_frozen_plan() {
    for (name, mechanism) in cases() {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (formulation, integrator) in combinations() {
            let what = format!("{name}, {} + {}", formulation.name(), integrator.name());
            let method = Method { formulation, integrator, ..Method::default() }.step(step(&name));
            let run = run(&model, &method);
            let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            // the long step has the smaller rounding error, the short one the smaller truncation error (a top turns 1.5 rad a step)
            let d = [2e-4, 5e-5, 1e-5].map(|h| distance(&differences_of(&model, &run, &method, h), &adjoint, &scales(&model)));
            let d = d[0].min(d[1]).min(d[2]);
            assert!(d <= 1e-6, "{what}: differences are {d:.1e} from discrete-adjoint");
        }
    }
}

/// Richardson-extrapolated central differences.
fn differences_of(model: &Prepared, run: &Run, method: &Method, relative: f64) -> Gradient {
    use gradyn::method::AnyStep;
    let (trajectory, m, rho) = (&run.trajectory, &model.model, &model.rho);
    let result = match method.build(&model.model) {
        AnyStep::Newmark(step) => differences::central(&Case { step: &step, model: m, rho, run: trajectory }, relative, true),
        AnyStep::RungeKutta(step) => differences::central(&Case { step: &step, model: m, rho, run: trajectory }, relative, true),
    };
    result.unwrap_or_else(|e| panic!("{}: {e}", model.model.name))
}

/// Adaptive runs on their frozen plan, with the rejected steps forgotten.
#[test]
fn adaptive_runs_are_exact_on_their_plan() {
    for (name, mechanism) in cases() {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (formulation, integrator) in combinations().into_iter().filter(|c| c.1.adapts()) {
            let method = Method { formulation, integrator, ..Method::default() }.tolerance(1e-6, 1e-6);
            let run = run(&model, &method);
            let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            let (automatic, _) = gradient(&model, &run, Sensitivity::Automatic);
            let d = distance(&automatic, &adjoint, &scales(&model));
            // estimates of low order ask for steps that are ten times shorter than those above
            let most = if formulation == Formulation::Index3 { 1e-8 } else { 3e-10 };
            assert!(d <= most, "{name}, {} + {}: {d:.1e}", formulation.name(), integrator.name());
        }
    }
}

/// The oracle works and can fail: without (Φ_qᵀλ)_q in the tangent, direct and adjoint agree with each other and are wrong;
/// automatic, on that same factor, stays right in more corrections.
#[test]
fn a_wrong_tangent_is_found() {
    let model = Prepared::new(&models::five_bar()).expect("the five-bar builds");
    for (formulation, integrator) in combinations() {
        let right = Method { formulation, integrator, ..Method::default() }.step(STEP);
        let wrong = Method { wrong_tangent: true, ..right.clone() };
        let run_right = run(&model, &right);
        let run_wrong = Run { method: wrong, ..run(&model, &right) };
        let what = format!("{} + {}", formulation.name(), integrator.name());
        let (truth, _) = gradient(&model, &run_right, Sensitivity::DiscreteAdjoint);
        let (adjoint, _) = gradient(&model, &run_wrong, Sensitivity::DiscreteAdjoint);
        let (direct, _) = gradient(&model, &run_wrong, Sensitivity::DiscreteDirect);
        let (automatic, corrections) = gradient(&model, &run_wrong, Sensitivity::Automatic);
        let s = scales(&model);
        assert!(distance(&direct, &adjoint, &s) <= 1e-10, "{what}: direct and adjoint agree with each other");
        assert!(distance(&adjoint, &truth, &s) > 1e-2, "{what}: and are wrong");
        assert!(distance(&automatic, &truth, &s) <= 1e-10, "{what}: automatic is right");
        assert!(corrections.is_some_and(|c| c.worst >= 2), "{what}: in more corrections");
    }
}

/// ψ(ρ + ε δ) - ψ - ε ∇ψ·δ shrinks as ε².
#[test]
fn gradients_pass_the_taylor_test() {
    let model = Prepared::new(&models::five_bar()).expect("the five-bar builds");
    for (formulation, integrator) in combinations() {
        let method = Method { formulation, integrator, ..Method::default() }.step(0.02);
        let first = run(&model, &method);
        let (g, _) = gradient(&model, &first, Sensitivity::DiscreteAdjoint);
        let direction = [0.3, -0.2, 0.1, 0.25, -0.15];
        let remainder = |ε: f64| {
            let rho: Vec<f64> = model.rho.iter().zip(direction).map(|(r, d)| r + ε * d).collect();
            let moved = run(&model.at(&rho).expect("assembles"), &method);
            let slope: f64 = g[0].iter().zip(direction).map(|(g, d)| g * d).sum();
            (moved.psi[0] - first.psi[0] - ε * slope).abs()
        };
        let slope = (remainder(1e-3) / remainder(5e-4)).log2();
        assert!((slope - 2.0).abs() < 0.05, "{} + {}: slope {slope}", formulation.name(), integrator.name());
    }
}
