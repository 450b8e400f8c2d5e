//! Checks of derivatives that somebody wrote by hand, entry by entry.
//!
//! ```text
//! ∂y_i/∂x_j   by duals,   Im y_i(x + iδ e_j)/δ,   extrapolated differences  (1) [M13, validation items 4, 5]
//! ```
//! The three share nothing but the values y: where the written entry differs from the duals, the other two
//! tell who is right.

mod system;

pub use system::check_system;

use gradyn_model::RunScalar;
use gradyn_num::complex::STEP;
use gradyn_num::{Complex, Wide, largest};

/// A function with a Jacobian that was written by hand.
pub trait Kernel {
    /// Outputs and inputs.
    fn sizes(&self) -> [usize; 2];
    /// y(x), zero on entry.
    fn value<S: RunScalar>(&self, x: &[S], y: &mut [S]);
    /// ∂y/∂x by rows, as written.
    fn jacobian(&self, x: &[f64]) -> Vec<f64>;
    /// Name of output `i`.
    fn output(&self, i: usize) -> String {
        format!("output {i}")
    }
    /// Name of input `j`.
    fn input(&self, j: usize) -> String {
        format!("input {j}")
    }
}

/// An entry that is not the derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Name of the output.
    pub output: String,
    /// Name of the input.
    pub input: String,
    /// Entry as it was written.
    pub written: f64,
    /// Entry by duals.
    pub dual: f64,
    /// By a complex step.
    pub complex: f64,
    /// By extrapolated differences, with their error bar.
    pub difference: (f64, f64),
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (difference, bar) = self.difference;
        write!(
            f,
            "d({})/d({}) is written as {:.9e}; duals give {:.9e}, a complex step {:.9e}, differences \
            {difference:.9e} ± {bar:.0e}",
            self.output, self.input, self.written, self.dual, self.complex
        )
    }
}

/// Entries of a Jacobian that differ from the duals by more than 1e-9 of the largest entry of their row or
/// column.
pub fn check_kernel<K: Kernel>(kernel: &K, x: &[f64]) -> Vec<Mismatch> {
    let [rows, columns] = kernel.sizes();
    assert_eq!(x.len(), columns, "a number for each input");
    let written = kernel.jacobian(x);
    let truth = by_duals(kernel, x);
    assert_eq!(written.len(), rows * columns, "a row for each output");
    // entries that differ
    let mut found = vec![];
    for i in 0..rows {
        for j in 0..columns {
            let given = written[i * columns + j];
            let dual = truth[i * columns + j];
            let row = largest(truth[i * columns..(i + 1) * columns].iter().copied());
            let column = largest((0..rows).map(|r| truth[r * columns + j]));
            let scale = row.max(column).max(1e-3 * largest(truth.iter().copied()));
            if (given - dual).abs() > 1e-9 * scale || !given.is_finite() {
                found.push(Mismatch {
                    output: kernel.output(i),
                    input: kernel.input(j),
                    written: given,
                    dual,
                    complex: by_complex(kernel, x, i, j),
                    difference: by_differences(kernel, x, i, j),
                });
            }
        }
    }
    found
}

fn by_duals<K: Kernel>(kernel: &K, x: &[f64]) -> Vec<f64> {
    let [rows, columns] = kernel.sizes();
    let mut out = vec![0.0; rows * columns];
    for first in (0..columns).step_by(8) {
        let seed = |(j, x): (usize, &f64)| {
            if (first..first + 8).contains(&j) { Wide::var(*x, j - first) } else { Wide::from(*x) }
        };
        let x: Vec<Wide> = x.iter().enumerate().map(seed).collect();
        let mut y = vec![Wide::from(0.0); rows];
        kernel.value(&x, &mut y);
        for (row, y) in out.chunks_exact_mut(columns).zip(&y) {
            row[first..].iter_mut().zip(y.eps).for_each(|(o, e)| *o = e);
        }
    }
    out
}

fn by_complex<K: Kernel>(kernel: &K, x: &[f64], i: usize, j: usize) -> f64 {
    let seed = |(k, x): (usize, &f64)| Complex { re: *x, im: if k == j { STEP } else { 0.0 } };
    let mut y = vec![Complex::from(0.0); kernel.sizes()[0]];
    kernel.value(&x.iter().enumerate().map(seed).collect::<Vec<_>>(), &mut y);
    y[i].im / STEP
}

/// Central differences with δ, δ/2, δ/4 …, extrapolated; the smallest difference of two orders is the bar.
fn by_differences<K: Kernel>(kernel: &K, x: &[f64], i: usize, j: usize) -> (f64, f64) {
    // at(δ) = y_i(x + δ e_j)
    let at = |δ: f64| {
        let mut x = x.to_vec();
        let mut y = vec![0.0; kernel.sizes()[0]];
        x[j] += δ;
        kernel.value(&x, &mut y);
        y[i]
    };
    // best = entry of the table whose neighbours are the nearest
    let mut row: Vec<f64> = vec![];
    let mut best = (f64::NAN, f64::INFINITY);
    for k in 0..8 {
        let δ = 0.02 * x[j].abs().max(0.1) * 0.5f64.powi(k);
        // next row of the table: δ, then its extrapolations by powers of 4
        let mut next = vec![(at(δ) - at(-δ)) / (2.0 * δ)];
        for (l, old) in row.iter().enumerate() {
            next.push(next[l] + (next[l] - old) / (4f64.powi(l as i32 + 1) - 1.0));
        }
        if let (Some(a), Some(b)) = (next.last(), row.last())
            && (a - b).abs() < best.1
        {
            best = (*a, (a - b).abs());
        }
        row = next;
    }
    best
}
