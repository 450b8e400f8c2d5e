//! Events: impacts, resets, switched forces and constraints, ends of runs.

mod begins;
mod laws;
mod linkages;
mod placed;
mod placed_rows;
mod refused;
mod released;
mod switched;
mod templates;
mod within;

use gradyn::{Coordinates, Method, Prepared, Run, Sensitivity};

/// Sensitivities that follow the steps of a run.
const DISCRETE: [Sensitivity; 4] = [
    Sensitivity::DiscreteDirect,
    Sensitivity::DiscreteAdjoint,
    Sensitivity::Automatic,
    Sensitivity::ComplexStep,
];

fn prepared(text: &str, family: Coordinates) -> Prepared {
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{}: {e}", family.name()))
}

fn run(model: &Prepared, method: &Method, what: &str) -> Run {
    model.run(method).unwrap_or_else(|e| panic!("{what}: {e}"))
}

/// `index1` with adaptive steps of high order.
fn accurate(integrator: &str) -> Method {
    Method::new("index1", integrator).expect("registered").tolerance(1e-10, 1e-10)
}

/// `maggi` with adaptive steps of high order.
fn maggi(integrator: &str, tolerance: f64) -> Method {
    Method::new("maggi", integrator).expect("registered").tolerance(tolerance, tolerance)
}

/// ψ and ∂ψ of a model are those given, up to `most`, by every discrete sensitivity.
fn assert_values(model: &Prepared, method: &Method, exact: &[(f64, Vec<f64>)], most: f64, what: &str) {
    let r = run(model, method, what);
    for (k, (psi, _)) in exact.iter().enumerate() {
        assert!((r.psi[k] - psi).abs() <= most, "{what}: ψ{k} = {}, not {psi}", r.psi[k]);
    }
    for s in DISCRETE {
        let rows = model.gradient(&r, s).unwrap_or_else(|e| panic!("{what}, {}: {e}", s.name())).rows;
        for (k, (_, gradient)) in exact.iter().enumerate() {
            for (i, x) in gradient.iter().enumerate() {
                let g = rows[k][i];
                assert!((g - x).abs() <= most, "{what}, {}: dψ{k}/dρ{i} = {g}, not {x}", s.name());
            }
        }
    }
}

/// ψ(ρ) and ∂ψ by differences of sixth order, for functions that are known to rounding: 1e-10.
fn differences(rho: &[f64], psi: &dyn Fn(&[f64]) -> f64) -> (f64, Vec<f64>) {
    let at = |k: usize, d: f64| {
        let mut moved = rho.to_vec();
        moved[k] += d;
        psi(&moved)
    };
    let central = |k: usize, d: f64| (at(k, d) - at(k, -d)) / (2.0 * d);
    let slope = |k: usize| {
        let d = 4e-3 * rho[k].abs().max(0.5);
        let [a, b, c] = [d, d / 2.0, d / 4.0].map(|d| central(k, d));
        let [ab, bc] = [(4.0 * b - a) / 3.0, (4.0 * c - b) / 3.0];
        (16.0 * bc - ab) / 15.0
    };
    (psi(rho), (0..rho.len()).map(slope).collect())
}
