//! Assembly: positions that satisfy the constraints, nearest to the drawn configuration, and the checks that follow.
//!
//! ```text
//! minimise |Φ|² + |E|²  from the drawn configuration,  (JᵀJ + μ I) δ = -Jᵀ r                        (1)  Levenberg–Marquardt
//! rank Φ_q at the result: degrees of freedom n - rank, dependent rows by name                     (2)
//! ```
//! Works for any number of rows and conditions, so that it can say what is wrong with them.

use crate::error::StepError;
use gradyn_model::{At, System};
use gradyn_num::{DenseLu, Pattern, largest, row_dependencies};

/// Rows closer than this to the span of the others are dependent (rows scaled to length 1).
const RANK_TOLERANCE: f64 = 1e-9;

/// An assembled mechanism.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Positions.
    pub q: Vec<f64>,
    /// Degrees of freedom.
    pub freedom: usize,
    /// Largest |Φ|, |E| that is left.
    pub residual: f64,
    /// σ_min/σ_max of Φ_q with rows of length 1.
    pub condition: f64,
    /// Distance from the drawn configuration, largest coordinate.
    pub moved: f64,
}

/// Assembles at time t with slots p; `names` are the position and the velocity conditions given.
pub fn assemble<Y: System>(
    sys: &Y,
    t: f64,
    p: &[f64],
    angles: &[f64],
    names: (&[String], &[String]),
) -> Result<Assembled, StepError> {
    let (n, m, conditions) = (sys.dims().n, sys.dims().m, names.0.len());
    let mut d = sys.data();
    sys.prepare(p, &mut d);
    sys.set_angles(angles, &mut d);
    let mut problem = Problem { sys, t, n, m, conditions, d };
    let (q, r) = problem.minimise(sys.drawn());
    // as a length: each row over the size of its gradient
    let size = largest(q.iter().copied());
    let rows = problem.rows(&q, false, conditions);
    let gradient = |row: &[f64]| Some(largest(row.iter().copied())).filter(|g| *g > 0.0).unwrap_or(1.0);
    let off: Vec<f64> = r.iter().zip(&rows).map(|(r, row)| r.abs() / gradient(row)).collect();
    let worst = (0..r.len()).fold(0, |w, i| if off[i] > off[w] || off[i].is_nan() { i } else { w });
    let residual = off.get(worst).copied().unwrap_or(0.0);
    let condition_name = |k: usize| names.0[k].clone();
    // 1e-8: far above what (1) leaves when it converges, far below any real gap
    if residual > 1e-8 * size || !residual.is_finite() {
        // more conditions than the joints leave open, where the joints alone can be assembled
        problem.conditions = 0;
        let alone = largest(problem.minimise(sys.drawn()).1);
        if conditions > n - m.min(n) && alone <= 1e-8 * size * size {
            let hint = format!("; given: {}", names.0.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "));
            return Err(StepError::Conditions { kind: "position", given: conditions, freedom: n - m.min(n), hint });
        }
        let worst = if worst < m { sys.row_name(worst) } else { condition_name(worst - m) };
        return Err(StepError::Assembly { worst, residual });
    }
    // (2)
    sys.place(t, &q, &mut problem.d);
    let dependencies = row_dependencies(&sys.patterns().mn, sys.phi_q(&problem.d), RANK_TOLERANCE);
    let freedom = n - dependencies.rank;
    if !dependencies.dependent.is_empty() {
        let name = |k: usize| sys.row_name(k);
        let rows = dependencies.dependent.iter().map(|r| (name(r.row), r.on.iter().map(|o| name(o.0)).collect()));
        return Err(StepError::Redundant { rows: rows.collect() });
    }
    problem.check_conditions(&q, freedom, names)?;
    let moved = q.iter().zip(sys.drawn()).fold(0.0f64, |s, (a, b)| s.max((a - b).abs()));
    Ok(Assembled { q, freedom, residual, condition: dependencies.condition, moved })
}

struct Problem<'a, Y: System> {
    sys: &'a Y,
    t: f64,
    n: usize,
    m: usize,
    conditions: usize,
    d: Y::Data<f64>,
}

impl<Y: System> Problem<'_, Y> {
    fn residual(&mut self, q: &[f64]) -> Vec<f64> {
        let zero = vec![0.0; self.n.max(self.m)];
        let at = At { t: self.t, q, v: &zero[..self.n], a: &zero[..self.n], lam: &zero[..self.m] };
        let mut r = vec![0.0; self.m + self.conditions];
        self.sys.place(self.t, q, &mut self.d);
        self.sys.constraint(&at, [1.0, 0.0, 0.0], &mut self.d, &mut r[..self.m]);
        self.sys.conditions(&at, &mut self.d, &mut r[self.m..], &mut []);
        r
    }
    /// [Φ_q; E_q] or [Φ_q; E'_v], dense rows, after `residual`.
    fn rows(&mut self, q: &[f64], velocity: bool, conditions: usize) -> Vec<Vec<f64>> {
        let (n, m) = (self.n, self.m);
        let zero = vec![0.0; n.max(m)];
        let at = At { t: self.t, q, v: &zero[..n], a: &zero[..n], lam: &zero[..m] };
        let mut rows = vec![vec![0.0; n]; m + conditions];
        for (i, j, pos) in self.sys.patterns().mn.iter() {
            rows[i][j] = self.sys.phi_q(&self.d)[pos];
        }
        let (mut e_q, mut e_v, mut p) = (vec![0.0; n], vec![0.0; n], vec![0.0; self.sys.dims().slots]);
        for (k, row) in rows[m..].iter_mut().enumerate() {
            self.sys.condition_row(velocity, k, &at, &mut self.d, &mut e_q, &mut e_v, &mut p);
            row.copy_from_slice(if velocity { &e_v } else { &e_q });
        }
        rows
    }
    /// (1).
    fn minimise(&mut self, drawn: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.n;
        let mut q = drawn.to_vec();
        let mut r = self.residual(&q);
        let (mut μ, mut lu) = (1e-3, DenseLu::new(n));
        let norm = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>();
        for _ in 0..200 {
            let j = self.rows(&q, false, self.conditions);
            let mut g = vec![0.0; n];
            j.iter().zip(&r).for_each(|(row, r)| g.iter_mut().zip(row).for_each(|(g, j)| *g += j * r));
            let before = norm(&r);
            let mut improved = false;
            while μ < 1e12 {
                let a = lu.matrix_mut();
                a.fill(0.0);
                for row in &j {
                    for (i, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                        a[i * n..(i + 1) * n].iter_mut().zip(row).for_each(|(a, y)| *a += x * y);
                    }
                }
                (0..n).for_each(|i| a[i * n + i] += μ);
                let mut step = g.clone();
                if lu.factor().is_err() {
                    μ *= 10.0;
                    continue;
                }
                lu.solve(&mut step);
                let trial: Vec<f64> = q.iter().zip(&step).map(|(q, s)| q - s).collect();
                let rt = self.residual(&trial);
                if norm(&rt) < before {
                    (q, r, improved) = (trial, rt, true);
                    μ = (μ * 0.1).max(1e-15);
                    break;
                }
                μ *= 10.0;
            }
            if !improved || norm(&r) < 1e-30 {
                break;
            }
        }
        let r = self.residual(&q);
        (q, r)
    }
    /// As many independent conditions as degrees of freedom, for positions and for velocities.
    fn check_conditions(&mut self, q: &[f64], freedom: usize, names: (&[String], &[String])) -> Result<(), StepError> {
        for (kind, list) in [("position", names.0), ("velocity", names.1)] {
            let rows = self.rows(q, kind == "velocity", list.len());
            if list.len() != freedom {
                let hint = if list.len() < freedom {
                    format!("; free to move: {}", self.free_coordinates(&rows).join(", "))
                } else {
                    format!("; given: {}", list.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
                };
                return Err(StepError::Conditions { kind, given: list.len(), freedom, hint });
            }
            // independent?
            let entries = rows.iter().enumerate().flat_map(|(i, r)| (0..r.len()).filter(|&j| r[j] != 0.0).map(move |j| (i, j)));
            let pattern = Pattern::from_entries(rows.len(), self.n, entries);
            let values: Vec<f64> = pattern.iter().map(|(i, j, _)| rows[i][j]).collect();
            let dependencies = row_dependencies(&pattern, &values, RANK_TOLERANCE);
            if let Some(row) = dependencies.dependent.iter().map(|d| d.row).max() {
                let equation = if row < self.m { self.sys.row_name(row) } else { list[row - self.m].clone() };
                return Err(StepError::Undetermined { kind, equation });
            }
        }
        Ok(())
    }
    /// Coordinates that no kept row or condition pins: those with the largest part in the null space.
    fn free_coordinates(&self, rows: &[Vec<f64>]) -> Vec<String> {
        // appending e_j to the rows: independent means that coordinate j can still move
        let mut kept: Vec<Vec<f64>> = vec![];
        let reduce = |row: &[f64], kept: &mut Vec<Vec<f64>>| -> bool {
            let mut x = row.to_vec();
            let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
            let before = size(&x);
            for k in kept.iter() {
                let dot: f64 = k.iter().zip(&x).map(|(a, b)| a * b).sum();
                x.iter_mut().zip(k).for_each(|(x, k)| *x -= dot * k);
            }
            let after = size(&x);
            let independent = after > 1e-6 * before && before > 0.0;
            if independent {
                kept.push(x.into_iter().map(|x| x / after).collect());
            }
            independent
        };
        for row in rows {
            reduce(row, &mut kept);
        }
        let n = self.n;
        let unit = |j: usize| (0..n).map(|i| f64::from(u8::from(i == j))).collect::<Vec<_>>();
        (0..n).filter(|&j| reduce(&unit(j), &mut kept)).map(|j| format!("`{}`", self.sys.coordinate_name(j))).collect()
    }
}
