//! The examples against closed forms and small models written out here, which share nothing with the library.

mod b92;
mod nonholonomic;
mod plane;
mod space;

use gradyn::{Method, Prepared, Run};

/// An example with pieces of its text replaced and its own columns, and a run of it.
fn run(name: &str, edits: &[(&str, &str)], columns: &[&str], method: &Method) -> (Prepared, Run) {
    let mut text = gradyn::examples::find(name).expect("a bundled example").to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "{name} has no `{from}`");
        text = text.replace(from, to);
    }
    let mut file = gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    file.mechanism.outputs = columns.iter().map(|&c| (c.into(), c.into())).collect();
    let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
    let run = model.run(method).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(run.warnings.is_empty(), "{name}: {:?}", run.warnings);
    (model, run)
}

/// The columns at every step, behind the time.
fn table(name: &str, edits: &[(&str, &str)], columns: &[&str], method: &Method) -> Vec<Vec<f64>> {
    let (model, run) = run(name, edits, columns, method);
    model.table(&run, None).expect("tabulated").rows
}

fn method(formulation: &str, integrator: &str) -> Method {
    Method::new(formulation, integrator).expect("registered")
}

/// Ways to move a mechanism that its drivers determine: positions solved for, positions integrated.
fn kinematic(step: f64) -> [Method; 2] {
    [method("index3", "newmark").step(step), precise()]
}

/// High accuracy.
fn precise() -> Method {
    method("index1", "dopri5").tolerance(1e-12, 1e-12)
}

/// |a - b| ≤ tolerance · (1 + |b|).
fn close(what: &str, t: f64, a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance * (1.0 + b.abs()),
        "{what} at t = {t}: {a} against {b}, off by {:.1e}",
        a - b
    );
}

/// Classical Runge–Kutta from 0 to t in n steps.
fn rk4(f: impl Fn(f64, &[f64]) -> Vec<f64>, mut y: Vec<f64>, t: f64, n: usize) -> Vec<f64> {
    let h = t / n as f64;
    let add = |y: &[f64], k: &[f64], s: f64| y.iter().zip(k).map(|(y, k)| y + s * k).collect::<Vec<_>>();
    for i in 0..n {
        let t = h * i as f64;
        let k1 = f(t, &y);
        let k2 = f(t + h / 2.0, &add(&y, &k1, h / 2.0));
        let k3 = f(t + h / 2.0, &add(&y, &k2, h / 2.0));
        let k4 = f(t + h, &add(&y, &k3, h));
        for (j, y) in y.iter_mut().enumerate() {
            *y += h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]);
        }
    }
    y
}

/// Solves A x = b by elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).expect("rows");
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            (k..n).for_each(|j| a[i][j] -= f * a[k][j]);
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// A clamped cubic spline: zero slope at both ends.
struct Clamped {
    values: Vec<f64>,
    /// Second derivatives at the knots.
    m: Vec<f64>,
    h: f64,
}

impl Clamped {
    fn new(values: &[f64], duration: f64) -> Self {
        let (n, h) = (values.len(), duration / (values.len() - 1) as f64);
        let (mut a, mut b) = (vec![vec![0.0; n]; n], vec![0.0; n]);
        for i in 1..n {
            // row i-1 and row i share the interval between them
            let slope = 6.0 / (h * h) * (values[i] - values[i - 1]);
            (a[i - 1][i - 1], a[i][i]) = (a[i - 1][i - 1] + 2.0, a[i][i] + 2.0);
            (a[i - 1][i], a[i][i - 1]) = (1.0, 1.0);
            (b[i - 1], b[i]) = (b[i - 1] + slope, b[i] - slope);
        }
        Self { values: values.to_vec(), m: solve(a, b), h }
    }
    /// Value, first and second derivative.
    fn at(&self, t: f64) -> [f64; 3] {
        let h = self.h;
        let i = ((t / h) as usize).min(self.values.len() - 2);
        let (s, y, m) = (t / h - i as f64, &self.values[i..i + 2], &self.m[i..i + 2]);
        let (a, b) = (1.0 - s, s);
        let value = a * y[0] + b * y[1] + h * h / 6.0 * ((a * a * a - a) * m[0] + (b * b * b - b) * m[1]);
        let rate = (y[1] - y[0]) / h + h / 6.0 * ((1.0 - 3.0 * a * a) * m[0] + (3.0 * b * b - 1.0) * m[1]);
        [value, rate, a * m[0] + b * m[1]]
    }
}
