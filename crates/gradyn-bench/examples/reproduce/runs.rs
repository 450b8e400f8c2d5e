//! Runs and gradients of bundled examples, with the time that they take.

use gradyn::file::ModelFile;
use gradyn::{Mechanism, Method, Prepared, Sensitivity};
use std::time::Instant;

/// Repetitions of everything that is timed; the shortest counts.
const REPEATED: usize = 9;
/// Long computations are repeated until this time has passed [s], and at least twice.
const LONG: f64 = 2.0;

/// How a row is computed.
#[derive(Clone, Copy)]
pub(crate) enum How {
    By(Sensitivity),
    /// (ψ(ρ + δ) - ψ(ρ))/δ, both by their own runs.
    Forward(f64),
}

impl How {
    pub(crate) fn name(self) -> String {
        match self {
            How::By(s) => s.name().into(),
            How::Forward(δ) => format!("one-sided differences, {δ:.0e}"),
        }
    }
}

/// A bundled example, with output columns of these names added.
pub(crate) fn example(name: &str, outputs: &[&str]) -> Prepared {
    let mut m = edited(name, &[]);
    outputs.iter().for_each(|o| m.outputs.push(((*o).into(), (*o).into())));
    Prepared::new(&m).expect("the example builds")
}

/// The mechanism of a bundled example with some texts replaced.
pub(crate) fn edited(name: &str, edits: &[(&str, &str)]) -> Mechanism {
    file(name, edits).mechanism
}

/// A bundled example with some texts replaced; each must be there.
pub(crate) fn file(name: &str, edits: &[(&str, &str)]) -> ModelFile {
    let mut text = gradyn::examples::find(name).expect("a bundled example").to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "{name}: {old}");
        text = text.replace(old, new);
    }
    gradyn::file::read_toml(&text).expect("the example parses")
}

pub(crate) fn method(formulation: &str, integrator: &str) -> Method {
    // one α for all rows, as in the papers
    let alpha_scaling = gradyn::AlphaScaling::Uniform;
    Method { alpha_scaling, ..Method::new(formulation, integrator).expect("registered") }
}

/// Shortest of some repetitions [s], and the last result.
pub(crate) fn timed<T>(mut f: impl FnMut() -> T) -> (T, f64) {
    let begun = Instant::now();
    let mut best = f64::INFINITY;
    let mut last = None;
    for n in 0..REPEATED {
        if n > 1 && begun.elapsed().as_secs_f64() > LONG {
            break;
        }
        let started = Instant::now();
        last = Some(f());
        best = best.min(started.elapsed().as_secs_f64());
    }
    (last.expect("computed at least once"), best)
}

/// Something with objectives that depend on parameters.
pub(crate) trait Function {
    fn rho(&self) -> &[f64];
    /// Objectives at other parameters, by a run of its own.
    fn psi(&self, rho: &[f64], method: &Method) -> Vec<f64>;
    /// Objectives, and their gradient.
    fn gradient(&self, method: &Method, s: Sensitivity) -> (Vec<f64>, Vec<Vec<f64>>);
    /// (ψ(ρ + δ) - ψ(ρ))/δ, one row per objective, for the first parameters, each with its own δ.
    fn forward(&self, method: &Method, δ: &[f64]) -> Vec<Vec<f64>> {
        let rho = self.rho().to_vec();
        let base = self.psi(self.rho(), method);
        let column = |k: usize| {
            let mut moved = rho.clone();
            moved[k] += δ[k];
            self.psi(&moved, method)
                .iter()
                .zip(&base)
                .map(|(up, at)| (up - at) / (moved[k] - rho[k]))
                .collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..δ.len()).map(column).collect();
        (0..base.len()).map(|j| columns.iter().map(|c| c[j]).collect()).collect()
    }
}

impl Function for Prepared {
    fn rho(&self) -> &[f64] {
        Prepared::rho(self)
    }
    fn psi(&self, rho: &[f64], method: &Method) -> Vec<f64> {
        let moved = self.at(rho).expect("assembles");
        moved.run(method).expect("runs").psi
    }
    fn gradient(&self, method: &Method, s: Sensitivity) -> (Vec<f64>, Vec<Vec<f64>>) {
        let run = self.run(method).expect("runs");
        let rows = Prepared::gradient(self, &run, s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
        (run.psi, rows)
    }
}
