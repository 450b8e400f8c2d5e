//! The augmented Lagrangian iteration with projections [A22, Eqs. 1–3] on the five-bar.

use gradyn::{Method, Prepared, Run, Sensitivity};
use gradyn_model::Level;
use gradyn_sensitivity::Gradient;

fn five_bar(t_end: f64) -> Prepared {
    let text = gradyn::examples::find("five_bar").expect("bundled");
    let mut file = gradyn::file::read_toml(text).expect("parses");
    file.mechanism.t_end = t_end.into();
    Prepared::new(&file.mechanism).expect("builds")
}

fn method(options: &[(&str, &str)]) -> Method {
    let mut m = Method::new("ali3p", "newmark").expect("registered");
    options.iter().for_each(|(name, value)| m.set(name, value).unwrap_or_else(|e| panic!("{e}")));
    m
}

fn run(model: &Prepared, method: &Method) -> Run {
    model.run(method).unwrap_or_else(|e| panic!("{e}"))
}

fn adjoint(model: &Prepared, run: &Run) -> Gradient {
    model.gradient(run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}")).rows
}

/// Largest distance of two gradients, relative to the largest entry of a row.
fn distance(a: &Gradient, b: &Gradient) -> f64 {
    let row = |a: &[f64], b: &[f64]| {
        let size = b.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        a.iter().zip(b).fold(0.0f64, |s, (a, b)| s.max((a - b).abs())) / size
    };
    a.iter().zip(b).fold(0.0f64, |s, (a, b)| s.max(row(a, b)))
}

/// How (9) is iterated changes the number of iterations, not the gradient:
/// `cargo test --test ali3p -- --nocapture` prints the table of docs/design/16-ali3p.md.
#[test]
fn options_of_the_iteration_leave_the_gradient_alone() {
    let model = five_bar(5.0);
    for h in [5e-3, 1e-3] {
        let truth = adjoint(&model, &run(&model, &method(&[]).step(h)));
        for options in [
            &[][..],
            &[("reduction", "0.9")],
            &[("reduction", "0.8")],
            &[("tangent", "truncated")],
            &[("tangent", "truncated"), ("reduction", "0.9")],
        ] {
            let run = run(&model, &method(options).step(h));
            let s = run.trajectory.statistics;
            let per = |x: usize| x as f64 / s.steps as f64;
            let d = distance(&adjoint(&model, &run), &truth);
            println!(
                "{h} {options:?}: {:.2} iterations, {:.2} factorisations a step, gradient {d:.1e}",
                per(s.iterations),
                per(s.factorizations)
            );
            assert!(d <= 1e-10, "{options:?}: the gradient moved by {d:.1e}");
        }
    }
}

/// 100 s at 5 ms: Φ, Φ̇ and Φ̈ stay at or below 1e-9 of |Φ_q| times |q|, |v|, |a|.
#[test]
fn constraints_hold_for_100_seconds() {
    let model = five_bar(100.0);
    let run = run(&model, &method(&[]).step(5e-3));
    let (sys, trajectory) = (&model.model.system, &run.trajectory);
    let (lay, plan) = (trajectory.layout, &trajectory.plan);
    let mut terms = sys.evaluator(&model.slots());
    let norm = |x: &[f64]| x.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    let (mut left, mut scale, mut r) = ([0.0f64; 3], [0.0f64; 3], vec![0.0; lay.m]);
    for n in 0..=plan.steps() {
        let at = lay.node(plan.t[n], trajectory.present(n));
        terms.set_branches(&run.trajectory.branches(n));
        terms.at(at.t, at.q);
        for (k, x) in [at.q, at.v, at.a].into_iter().enumerate() {
            r.fill(0.0);
            terms.constraint(&at, Level::ALL[k], &mut r);
            (left[k], scale[k]) = (left[k].max(norm(&r)), scale[k].max(norm(terms.phi_q()) * norm(x)));
        }
    }
    println!("|Φ|, |Φ̇|, |Φ̈| {left:?} of {scale:?}; energy {:.2e} of {:.2} J", run.energy.1, run.energy.0);
    (0..3)
        .for_each(|k| assert!(left[k] <= 1e-9 * scale[k], "level {k}: {:.1e} of {:.1e}", left[k], scale[k]));
    // the largest kinetic energy is 9 J
    assert!(run.energy.1 < 1e-2, "energy deviates by {:.1e} J", run.energy.1);
}

/// Records that satisfy the equations to a tolerance only: the gradient, which assumes that they do, errs by
/// about that part of a = Δq/(βh²).
#[test]
fn a_loose_tolerance_shows_in_the_gradient() {
    let (model, h) = (five_bar(1.0), 5e-3);
    let truth = adjoint(&model, &run(&model, &method(&[]).step(h)));
    let mut errors = vec![];
    for tolerance in ["1e-4", "1e-6", "1e-8", "1e-10"] {
        let run = run(&model, &method(&[("newton_tol", tolerance)]).step(h));
        let d = distance(&adjoint(&model, &run), &truth);
        println!(
            "{tolerance}: {:.2} iterations a step, gradient {d:.1e}",
            run.trajectory.statistics.iterations as f64 / 200.0
        );
        let tolerance: f64 = tolerance.parse().expect("a number");
        // |q|/(βh²|a|) = 2/(0.25 h² 10)
        assert!(d <= tolerance * 2.0 / (0.25 * h * h * 10.0), "{tolerance}: {d:.1e}");
        errors.push(d);
    }
    assert!(errors.is_sorted_by(|a, b| a >= b) && errors[0] > 1e-9, "{errors:?}");
}

/// The start by R is that of index 1 to rounding, redundant rows or not, and the four exact methods agree on
/// it.
#[test]
fn a_start_by_matrix_r_is_that_of_index1() {
    for name in ["five_bar", "rssr", "redundant_four_bar", "knife_edge", "slider_crank"] {
        let mut m = gradyn::file::read_toml(gradyn::examples::find(name).expect("bundled"))
            .expect("parses")
            .mechanism;
        m.t_end = 0.04.into();
        let model = Prepared::new(&m).unwrap_or_else(|e| panic!("{name}: {e}"));
        let start = |by: &str| run(&model, &method(&[("initial_acceleration", by)]).step(4e-3));
        let (index1, by_r) = (start("index1"), start("matrix-r"));
        let (a, b) = (index1.trajectory.present(0), by_r.trajectory.present(0));
        let size = a.iter().fold(1.0f64, |s, x| s.max(x.abs()));
        let d = a.iter().zip(b).fold(0.0f64, |s, (a, b)| s.max((a - b).abs()));
        println!("{name}: {d:.1e} of {size:.1e}");
        assert!(d <= 1e-12 * size, "{name}: {d:.1e} of {size:.1e}");
        let truth = adjoint(&model, &by_r);
        for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
            let d =
                distance(&model.gradient(&by_r, s).unwrap_or_else(|e| panic!("{name}: {e}")).rows, &truth);
            assert!(d <= 1e-10, "{name}: {} is {d:.1e} off", s.name());
        }
    }
}

/// A parallelogram through its change point, where Φ_q loses rank: index 3 stops or jumps at some of these
/// steps, the compliance of (9), (4) and (5) passes.
#[test]
fn singular_positions_are_passed() {
    let text = r#"
        name = "change point"
        ground.points = { O = [0, 0], C = [2, 0] }
        body.a = { rod = { points = ["A", "B"], length = 1, mass = 1 } }
        body.c = { rod = { points = ["B", "D"], length = 2, mass = 1 } }
        body.r = { rod = { points = ["C", "D"], length = 1, mass = 1 } }
        joint.j1 = { type = "revolute", between = ["ground.O", "a.A"] }
        joint.j2 = { type = "revolute", between = ["a.B", "c.B"] }
        joint.j3 = { type = "revolute", between = ["c.D", "r.D"] }
        joint.j4 = { type = "revolute", between = ["ground.C", "r.C"] }
        initial.position = { "a.angle" = 1 }
        initial.velocity = { "a.angle" = -2 }
        initial.near = { "c.D" = [2.5, 0.8] }
        study.t_end = 1
    "#;
    let model = Prepared::new(&gradyn::file::read_toml(text).expect("parses").mechanism).expect("builds");
    for h in [5e-4, 7e-4, 1e-3, 5e-3] {
        let run = run(&model, &method(&[]).step(h));
        assert!(run.energy.1 < 1e-6, "{h}: energy deviates by {:.1e} J", run.energy.1);
        assert!(
            run.warnings
                .iter()
                .any(|w| w.to_string().starts_with("singular: the run passes a position at t = 0.5")),
            "{:?}",
            run.warnings
        );
    }
}
