//! Stages of an implicit scheme for adjoint equations, which are linear.
//!
//! ```text
//! rows_x,iᵀ b_i - h Σ_j a_ij (0, P_jᵀ b_j, 0) = (0, μ̂_i, 0) + g_x,iᵀ                     (1)  explicit form
//! k_i - h Σ_j a_ij A_i k_j = k_i(ŷ_i),   A_i by columns                                 (2)  other forms
//! ```
//! (1) is the transpose of the matrix of a step with the coefficients a_ji. μ̂_i and ŷ_i come from the groups
//! before.

use super::adjoint::{Work, evaluate};
use super::form::Form;
use super::instant::Instant;
use gradyn_dynamics::StepError;
use gradyn_dynamics::step::Equations;
use gradyn_dynamics::step::runge_kutta::coupled::{self, Coupled};
use gradyn_model::Setup;
use gradyn_num::DenseLu;

/// How implicit stages are solved.
pub(super) enum Stages {
    /// By the transposed matrix (1).
    Transposed(Box<Coupled>),
    /// By the columns (2).
    Columns(Box<Columns>),
}

/// Matrix and memory of (2).
pub(super) struct Columns {
    form: Form,
    /// a_ij of the group.
    a: Vec<f64>,
    blocks: usize,
    size: usize,
    matrix: DenseLu,
    rhs: Vec<f64>,
    b: Vec<f64>,
}

impl Stages {
    /// Memory for some rows of a scheme.
    pub(super) fn new(
        sys: &Setup,
        eq: &Equations,
        form: Form,
        rows: std::ops::Range<usize>,
    ) -> Result<Self, StepError> {
        // coefficients of the group
        let a = |i: usize, j: usize| eq.scheme.a(rows.start + i, rows.start + j + 1);
        let blocks = rows.len();
        let size = form.size(sys);
        let all = (0..blocks).flat_map(|i| (0..blocks).map(move |j| (i, j)));
        // explicit form: one transposed matrix (1)
        if !form.moves() {
            let transposed = all.map(|(i, j)| a(j, i)).collect();
            return Ok(Self::Transposed(Box::new(Coupled::new(sys, &eq.law, eq.state, transposed)?)));
        }
        // other forms: columns (2)
        Ok(Self::Columns(Box::new(Columns {
            form,
            a: all.map(|(i, j)| a(i, j)).collect(),
            blocks,
            size,
            matrix: DenseLu::new(blocks * size),
            rhs: vec![0.0; blocks * size],
            b: vec![0.0; 3 * sys.dims().n + sys.dims().m],
        })))
    }
    /// Factors at the blocks of the group.
    pub(super) fn prepare(
        &mut self,
        sys: &Setup,
        eq: &Equations,
        (t, h): (f64, f64),
        choice: &[u32],
        at: &mut [Instant],
        w: &mut Work,
    ) -> Result<(), StepError> {
        match self {
            Self::Transposed(matrix) => {
                let count = eq.state.choices(sys);
                matrix.set_choice(sys, &eq.law, eq.state, &choice[..count])?;
                matrix.refactor(sys, &eq.law, t, h, at.iter().map(|at| &at.block))
            }
            Self::Columns(c) => c.prepare(sys, (t, h), at, w),
        }
    }
    /// k_i of an objective at ŷ_i, for the explicit form b_i too.
    pub(super) fn solve(&mut self, sys: &Setup, eq: &Equations, at: &mut [Instant], w: &mut Work, g: Group) {
        match self {
            Self::Transposed(matrix) => {
                // b = right-hand sides (1), then solutions
                let size = w.mu.len();
                let z = matrix.b.len() / at.len();
                for (i, (at, b)) in at.iter().zip(matrix.b.chunks_exact_mut(z)).enumerate() {
                    at.source(&g.y[g.of(i, size)], Some(g.objective), b);
                }
                matrix.solve_t(sys, &eq.law);
                // k = P_iᵀ b_i
                for (i, (at, b)) in at.iter().zip(matrix.b.chunks_exact(z)).enumerate() {
                    let to = g.of(i, z);
                    let slope = g.of(i, size);
                    g.b[to].copy_from_slice(b);
                    at.picked(b, &mut g.k[slope]);
                }
            }
            Self::Columns(c) => {
                // k_i(ŷ_i) of each stage (2)
                let size = c.size;
                for (i, (at, k)) in at.iter_mut().zip(c.rhs.chunks_exact_mut(size)).enumerate() {
                    evaluate(sys, c.form, at, &g.y[g.of(i, size)], Some(g.objective), w, &mut c.b, k);
                }
                // k of the coupled stages
                c.matrix.solve(&mut c.rhs);
                for (i, k) in c.rhs.chunks_exact(size).enumerate() {
                    let to = g.of(i, size);
                    g.k[to].copy_from_slice(k);
                }
            }
        }
    }
}

/// The numbers of a group of blocks for one objective.
pub(super) struct Group<'a> {
    /// Number of the objective.
    pub objective: usize,
    /// Index of the first block, and distance to the next.
    pub first: usize,
    /// Distance of the indices of blocks.
    pub next: usize,
    /// Predictions ŷ_i of the stages.
    pub y: &'a [f64],
    /// Rates k_i of the stages.
    pub k: &'a mut [f64],
    /// Solutions b_i of the stages.
    pub b: &'a mut [f64],
}
impl Group<'_> {
    /// Where the numbers of block `i` are.
    fn of(&self, i: usize, size: usize) -> std::ops::Range<usize> {
        let at = (self.first + i * self.next) * size;
        at..at + size
    }
}

impl Columns {
    fn prepare(
        &mut self,
        sys: &Setup,
        (t, h): (f64, f64),
        at: &mut [Instant],
        w: &mut Work,
    ) -> Result<(), StepError> {
        let size = self.size;
        let total = self.blocks * self.size;
        let mut unit = vec![0.0; size];
        let mut column = vec![0.0; size];
        for (i, at) in at.iter_mut().enumerate() {
            for c in 0..size {
                unit.fill(0.0);
                unit[c] = 1.0;
                evaluate(sys, self.form, at, &unit, None, w, &mut self.b, &mut column);
                for j in 0..self.blocks {
                    let a = h * self.a[i * self.blocks + j];
                    for (r, x) in column.iter().enumerate() {
                        let one = f64::from(i == j && r == c);
                        self.matrix.matrix_mut()[(i * size + r) * total + j * size + c] = one - a * x;
                    }
                }
            }
        }
        let n = sys.dims().n;
        // of (μ_q, ν, κ): ν belongs to the balance of the same coordinate, κ to the constraints, which are
        // rows 2n and 3n of a block
        let row = |i: usize| if i < n { i } else { n + i };
        self.matrix
            .factor()
            .map_err(|s| StepError::Singular { t, equation: coupled::equation(sys, row(s.index % size)) })
    }
}
