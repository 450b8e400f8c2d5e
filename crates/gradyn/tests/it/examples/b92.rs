//! The examples of B92: oscillators against closed forms and its equations for linear systems, the
//! manipulator against numbers that two derivations in minimal coordinates agree on.

use super::{method, rk4};
use gradyn::{Method, Prepared, Run, Sensitivity};
use gradyn_num::{Scalar, Wide};
use gradyn_testkit::compare::distance;
use gradyn_testkit::reference::{MANIPULATOR, MANIPULATOR_PSI};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_8};

fn prepared(name: &str) -> Prepared {
    let text = gradyn::examples::find(name).expect("a bundled example");
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
    Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn run(model: &Prepared, method: &Method) -> Run {
    let run = model.run(method).unwrap_or_else(|e| panic!("{e}"));
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    run
}

fn gradient(model: &Prepared, run: &Run, s: Sensitivity) -> Vec<Vec<f64>> {
    model.gradient(run, s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows
}

fn tight(formulation: &str, integrator: &str, tolerance: f64) -> Method {
    method(formulation, integrator).tolerance(tolerance, tolerance)
}

/// Every entry to 1e-9 of itself, that of the final time included.
#[test]
fn manipulator_has_the_published_gradient() {
    let model = prepared("manipulator");
    let ways = [
        (tight("maggi", "dop853", 1e-13), Sensitivity::DiscreteAdjoint),
        (tight("index1", "dop853", 1e-13), Sensitivity::DiscreteAdjoint),
        (tight("maggi", "adams", 1e-13), Sensitivity::DiscreteAdjoint),
        (tight("maggi", "adams", 1e-13), Sensitivity::AdjointStateSpace),
    ];
    for (method, s) in ways {
        let run = run(&model, &method);
        let what = format!("{} + {}, {}", method.formulation.name(), method.integrator.name(), s.name());
        let rows = gradient(&model, &run, s);
        let all = [run.psi[0]]
            .into_iter()
            .chain(rows[0].iter().copied())
            .zip([MANIPULATOR_PSI].into_iter().chain(MANIPULATOR));
        for (x, truth) in all {
            assert!((x / truth - 1.0).abs() < 1e-9, "{what}: {x} is not {truth}");
        }
    }
}

/// The discrete adjoint against complex numbers through the program, on the same steps.
#[test]
fn manipulator_adjoint_is_its_complex_step() {
    let model = prepared("manipulator");
    let scales: Vec<f64> = model.parameters().iter().map(|p| p.scale).collect();
    for formulation in ["maggi", "index1"] {
        let run = run(&model, &tight(formulation, "dop853", 1e-12));
        let [adjoint, complex] =
            [Sensitivity::DiscreteAdjoint, Sensitivity::ComplexStep].map(|s| gradient(&model, &run, s));
        let d = distance(&adjoint, &complex, &scales);
        assert!(d < 1e-10, "{formulation}: {d:.1e}");
    }
}

/// B92 Fig. 6: the errors of the entries are below ε = rtol = atol from 1e-3 to 1e-12. They are absolute, as
/// in the paper: the entries are between 1e-5 and 0.14, and the small ones have fewer digits than ε has.
#[test]
fn manipulator_error_follows_the_tolerance() {
    let model = prepared("manipulator");
    for integrator in ["dop853", "adams"] {
        for s in [Sensitivity::DiscreteAdjoint, Sensitivity::AdjointStateSpace] {
            println!(
                "{integrator}, {}\n      ε      F1Z       L1Z       t1        L         M2        I3Z",
                s.name()
            );
            for k in 3..=12 {
                let ε = f64::powi(10.0, -k);
                let run = run(&model, &tight("maggi", integrator, ε));
                let rows = gradient(&model, &run, s);
                let errors: Vec<f64> =
                    rows[0].iter().zip(&MANIPULATOR).map(|(x, truth)| (x - truth).abs()).collect();
                println!(
                    "  1e-{k:02}    {}",
                    errors.iter().map(|e| format!("{e:7.1e}")).collect::<Vec<_>>().join("   ")
                );
                assert!(errors.iter().all(|e| *e <= ε), "{integrator}, {}, {ε:.0e}: {errors:?}", s.name());
            }
        }
    }
}

/// The objectives of `oscillator_rates`, of c, z0, m, t1: y = (z0/w) sin(w t), w = √(c/m).
fn rates<S: Scalar>([c, z0, m, t1]: [S; 4]) -> [S; 5] {
    let w = (c / m).sqrt();
    let (sin, cos) = ((w * t1).sin(), (w * t1).cos());
    let s = sin * cos / (w * 2.0);
    [z0 / w * sin, z0 * cos, -z0 * w * sin, z0 * z0 * (t1 * 0.5 + s), z0 * z0 * w * w * (t1 * 0.5 - s)]
}

/// Largest error of ∇ψ over objectives and parameters.
fn error_of_rates(model: &Prepared, rows: &[Vec<f64>]) -> f64 {
    let truth = rates(std::array::from_fn(|k| Wide::var(model.rho()[k], k)));
    rows.iter()
        .zip(&truth)
        .flat_map(|(row, truth)| row.iter().zip(&truth.eps).map(|(x, truth)| (x - truth).abs()))
        .fold(0.0, f64::max)
}

/// Both pinned points, (c, z0) = (1, 0.5) and (4, 0.5): values and gradients of all objectives to 1e-11.
#[test]
fn oscillator_has_the_gradient_of_its_closed_form() {
    // the closed form itself, at the numbers of the paper and at the other point
    for (c, psi, gradient) in
        [(1.0, 0.5, [-0.25, 1.0, 0.25, 0.0]), (4.0, 0.0, [-FRAC_PI_8 / 4.0, 0.0, FRAC_PI_8, -0.5])]
    {
        let x = [c, 0.5, 1.0, FRAC_PI_2];
        let y = rates(std::array::from_fn(|k| Wide::var(x[k], k)))[0];
        assert!(
            (y.re - psi).abs() < 1e-15 && y.eps.iter().zip(gradient).all(|(x, g)| (x - g).abs() < 1e-15),
            "{y:?}"
        );
    }
    let continuous = [
        Sensitivity::Direct,
        Sensitivity::AdjointExplicit,
        Sensitivity::AdjointSemiExplicit,
        Sensitivity::AdjointStateSpace,
    ];
    for c in [1.0, 4.0] {
        let model = prepared("oscillator_rates").at(&[c, 0.5, 1.0, FRAC_PI_2]).expect("assembles");
        let values = rates([c, 0.5, 1.0, FRAC_PI_2]);
        for (formulation, integrator) in
            [("maggi", "dop853"), ("maggi", "adams"), ("index1", "dop853"), ("index1", "adams")]
        {
            let run = run(&model, &tight(formulation, integrator, 1e-13));
            let off = run.psi.iter().zip(&values).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(off < 1e-11, "c = {c}, {formulation} + {integrator}: {off:.1e}");
            for s in [Sensitivity::DiscreteAdjoint]
                .into_iter()
                .chain(continuous)
                .filter(|s| s.fits(run.method.formulation))
            {
                let off = error_of_rates(&model, &gradient(&model, &run, s));
                assert!(off < 1e-11, "c = {c}, {formulation} + {integrator}, {}: {off:.1e}", s.name());
            }
        }
    }
}

/// B92 Fig. 4: errors of adjoint gradients over ε = rtol = atol from 1e-3 to 1e-12. e₁ is that of dψ/dc and
/// e₂ that of dψ/dz0, ψ = y(π/2); e is the largest over all objectives and parameters of `oscillator_rates`.
///
/// e₁ and e₂ are below ε with `dop853`, and with `adams` where the adjoint is integrated, but for one
/// tolerance, 1.2e-9 at 1e-9. There e₂, which the adjoint alone gives in a linear system, is at rounding; e₁
/// is the error of the motion, whose steps are each within ε, but not their sum (|y - 0.5| up to 1.1 ε). The
/// discrete adjoint is the derivative of the computed ψ, with its error: e₂ is exactly
/// |y - 0.5|/z0, and e₁ grows with the order of the steps, as an error ∝ (w h)ᵖ has the derivative p/2 of
/// itself over c: up to 4.2 ε with `adams`.
#[test]
fn oscillator_error_follows_the_tolerance() {
    let (position, rates) = (prepared("oscillator"), prepared("oscillator_rates"));
    // largest e₁/ε and e₂/ε, and largest e/ε
    let cases = [
        ("dop853", Sensitivity::DiscreteAdjoint, [1.0, 1.2]),
        ("dop853", Sensitivity::AdjointExplicit, [1.0, 1.0]),
        ("dop853", Sensitivity::AdjointSemiExplicit, [1.0, 1.0]),
        ("dop853", Sensitivity::AdjointStateSpace, [1.0, 1.0]),
        ("adams", Sensitivity::DiscreteAdjoint, [5.0, 15.0]),
        ("adams", Sensitivity::AdjointExplicit, [1.5, 1.5]),
        ("adams", Sensitivity::AdjointSemiExplicit, [1.5, 1.5]),
        ("adams", Sensitivity::AdjointStateSpace, [1.5, 1.5]),
    ];
    for (integrator, s, most) in cases {
        println!("{integrator}, {}\n      ε   |y - 0.5|        e₁        e₂         e", s.name());
        for k in 3..=12 {
            let ε = f64::powi(10.0, -k);
            let method = tight("maggi", integrator, ε);
            let (one, two) = (run(&position, &method), run(&rates, &method));
            let g = &gradient(&position, &one, s)[0];
            let (e1, e2) = ((g[0] + 0.25).abs(), (g[1] - 1.0).abs());
            let e = error_of_rates(&rates, &gradient(&rates, &two, s));
            println!("  1e-{k:02}    {:7.1e}   {e1:7.1e}   {e2:7.1e}   {e:7.1e}", (one.psi[0] - 0.5).abs());
            assert!(
                e1.max(e2) <= most[0] * ε && e <= most[1] * ε,
                "{integrator}, {}, {ε:.0e}: {e1:.1e} {e2:.1e} {e:.1e}",
                s.name()
            );
        }
    }
}

/// Numbers of the Mathieu oscillator: m, d, c, b, w, y0, z0.
type Mathieu = [f64; 7];

/// ż of Eq. 53 with M = m, P = d, Q = c + b cos(w t), h = 0.2 sin(3 t).
fn mathieu_acceleration([m, d, c, b, w, ..]: Mathieu, t: f64, y: f64, z: f64) -> f64 {
    (0.2 * (3.0 * t).sin() - d * z - (c + b * (w * t).cos()) * y) / m
}

/// ∇ψ of one objective by [B92, Eqs. 45, 46, 49, 50, 54–56], backward with the motion from t1:
/// partials (F_y, F_z, F_ż) of the integrand, and G_z of the terminal part.
fn by_linear_adjoint(
    p: Mathieu,
    end: [f64; 2],
    t1: f64,
    partials: impl Fn(f64, f64, f64) -> [f64; 3],
    g_z: f64,
) -> Vec<f64> {
    let [m, d, c, b, w, ..] = p;
    let backward = |s: f64, x: &[f64]| {
        let (t, [y, z, μ, ν]) = (t1 - s, [x[0], x[1], x[2], x[3]]);
        let a = mathieu_acceleration(p, t, y, z);
        let [f_y, f_z, f_a] = partials(y, z, a);
        // M ξ = F_ż
        let both = ν + f_a / m;
        // μ̇ = Qᵀ(ν + ξ) - F_y,  M ν̇ = -μ - M_t ν + Pᵀ(ν + ξ) - F_z, with M_t = 0
        let (dμ, dν) = ((c + b * (w * t).cos()) * both - f_y, (-μ + d * both - f_z) / m);
        // (M ż + P z + Q y - h)_p (ν + ξ)
        let (sin, cos) = (w * t).sin_cos();
        let rows = [a, z, y, cos * y, -b * t * sin * y].map(|e| e * both);
        [z, a, dμ, dν].into_iter().map(|x| -x).chain(rows.map(|x| -x)).collect()
    };
    let start = [vec![end[0], end[1], 0.0, g_z / m], vec![0.0; 5]].concat();
    let x = rk4(backward, start, t1, 20000);
    // ζ⁰ = μ⁰, η⁰ = M ν⁰; Φ⁰ = y - y0, Φ̇⁰ = z - z0
    [&x[4..], &[x[2], m * x[3]]].concat()
}

/// The general equations of the library on a linear time-variant system give what its own equations give, ξ ≠
/// 0 included.
#[test]
fn mathieu_satisfies_the_equations_of_linear_systems() {
    let model = prepared("mathieu");
    let p: Mathieu = std::array::from_fn(|k| model.rho()[k]);
    let t1 = 5.0;
    let forward = |t: f64, x: &[f64]| {
        let a = mathieu_acceleration(p, t, x[0], x[1]);
        vec![x[1], a, x[0] * x[0], a * a + x[1] * x[1]]
    };
    let end = rk4(forward, vec![p[5], p[6], 0.0, 0.0], t1, 20000);
    let motion = [end[0], end[1]];
    let psi = [end[2], end[1], end[3]];
    let truth = [
        by_linear_adjoint(p, motion, t1, |y, _, _| [2.0 * y, 0.0, 0.0], 0.0),
        by_linear_adjoint(p, motion, t1, |_, _, _| [0.0; 3], 1.0),
        by_linear_adjoint(p, motion, t1, |_, z, a| [0.0, 2.0 * z, 2.0 * a], 0.0),
    ];
    for (formulation, integrator) in [("maggi", "dop853"), ("maggi", "adams"), ("index1", "dop853")] {
        let run = run(&model, &tight(formulation, integrator, 1e-13));
        for (x, truth) in run.psi.iter().zip(&psi) {
            assert!((x - truth).abs() < 1e-11, "{x} is not {truth}");
        }
        let all =
            [Sensitivity::DiscreteAdjoint, Sensitivity::AdjointExplicit, Sensitivity::AdjointStateSpace];
        for s in all.into_iter().filter(|s| s.fits(run.method.formulation)) {
            let rows = gradient(&model, &run, s);
            let off = rows
                .iter()
                .flatten()
                .zip(truth.iter().flatten())
                .map(|(x, y)| (x - y).abs())
                .fold(0.0, f64::max);
            assert!(off < 1e-9, "{formulation} + {integrator}, {}: {off:.1e}", s.name());
        }
    }
}
