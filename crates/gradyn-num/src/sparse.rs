//! Sparse LU of an equilibrated matrix.
//!
//! ```text
//! Â = R A C,  R, C powers of two:  max_j |â_ij| ∈ [1, 2),  max_i |â_ij| ∈ [1, 2)                  (1)
//! P Â Q = L U                     Q once by COLAMD, P by partial pivoting at each refactor       (2)
//! A x = b:   Â ŷ = R b,  x = C ŷ                                                                  (3)
//! Aᵀ x = b:  Âᵀ ŷ = C b,  x = R ŷ                                                                 (4)
//! ```
//! with one step of iterative refinement when the residual of (3), (4) is more than a few roundings. The factorisation is the
//! simplicial one of faer, its memory reused. Its fill depends on the pivots, hence on the values: `new` reserves twice that of
//! random values, and a refactor allocates only if it needs more.

use crate::{FactorError, Pattern, Singular};
use faer::dyn_stack::{MemStack, StackReq};
use faer::perm::PermRef;
use faer::sparse::linalg::lu::{self, LuSymbolicParams, SymbolicLu, simplicial};
use faer::sparse::linalg::{LuError, SupernodalThreshold};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par};
use simplicial::SimplicialLu;
use std::mem::MaybeUninit;

/// LU of a square sparse matrix, (2).
#[derive(Clone, Debug)]
pub struct SparseLu {
    pattern: Pattern,
    /// Â by rows.
    values: Vec<f64>,
    /// Â by columns, and where each row-wise position goes.
    columns: Columns,
    to_columns: Vec<u32>,
    row_scale: Vec<f64>,
    col_scale: Vec<f64>,
    symbolic: SymbolicLu<u32>,
    lu: SimplicialLu<u32, f64>,
    row_perm: Vec<u32>,
    row_perm_inv: Vec<u32>,
    stack: Vec<MaybeUninit<u8>>,
    y: Vec<f64>,
    residual: Vec<f64>,
    ready: bool,
}

/// A square matrix in compressed columns.
#[derive(Clone, Debug)]
struct Columns {
    symbolic: SymbolicSparseColMat<u32>,
    values: Vec<f64>,
}

impl Columns {
    /// The pattern by columns, values zero, and the map of positions.
    fn of(pattern: &Pattern) -> (Self, Vec<u32>) {
        let n = pattern.cols();
        let mut ptr = vec![0u32; n + 1];
        for (_, j, _) in pattern.iter() {
            ptr[j + 1] += 1;
        }
        for j in 0..n {
            ptr[j + 1] += ptr[j];
        }
        let mut next = ptr.clone();
        let (mut rows, mut map) = (vec![0; pattern.nnz()], vec![0; pattern.nnz()]);
        for (i, j, k) in pattern.iter() {
            map[k] = next[j];
            rows[next[j] as usize] = i as u32;
            next[j] += 1;
        }
        let symbolic = SymbolicSparseColMat::new_checked(pattern.rows(), n, ptr, None, rows);
        (Self { symbolic, values: vec![0.0; pattern.nnz()] }, map)
    }

    fn matrix(&self) -> SparseColMatRef<'_, u32, f64> {
        SparseColMatRef::new(self.symbolic.as_ref(), &self.values)
    }
}

/// 2^-e for 2^e ≤ x < 2^(e+1), x > 0; 1 outside the normal range.
#[inline]
fn inverse_power_of_two(x: f64) -> f64 {
    let e = (x.to_bits() >> 52) & 0x7ff;
    if (1..=2045).contains(&e) { f64::from_bits((2046 - e) << 52) } else { 1.0 }
}

impl SparseLu {
    /// Orders the columns and reserves the memory.
    pub fn new(pattern: &Pattern) -> Result<Self, FactorError> {
        let (n, cols) = (pattern.rows(), pattern.cols());
        if n != cols {
            return Err(FactorError::NotSquare { rows: n, cols });
        }
        let (columns, to_columns) = Columns::of(pattern);
        let params =
            LuSymbolicParams { supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SIMPLICIAL, ..Default::default() };
        let symbolic =
            lu::factorize_symbolic_lu(columns.symbolic.as_ref(), params).map_err(|e| FactorError::Sparse(e.to_string()))?;
        let request = StackReq::any_of(&[
            simplicial::factorize_simplicial_numeric_lu_scratch::<u32, f64>(n, n),
            simplicial::solve_in_place_scratch::<u32, f64>(n, 1, Par::Seq),
            simplicial::solve_transpose_in_place_scratch::<u32, f64>(n, 1, Par::Seq),
        ]);
        let mut this = Self {
            pattern: pattern.clone(),
            values: vec![0.0; pattern.nnz()],
            columns,
            to_columns,
            row_scale: vec![1.0; n],
            col_scale: vec![1.0; n],
            symbolic,
            lu: SimplicialLu::new(),
            row_perm: vec![0; n],
            row_perm_inv: vec![0; n],
            stack: vec![MaybeUninit::uninit(); request.unaligned_bytes_required()],
            y: vec![0.0; n],
            residual: vec![0.0; n],
            ready: false,
        };
        this.reserve();
        Ok(this)
    }

    /// Factorises random values, then a band matrix with twice their fill, to grow the memory of L and U.
    fn reserve(&mut self) {
        let n = self.pattern.rows();
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        for x in &mut self.columns.values {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            *x = 0.5 + (seed >> 11) as f64 / (1u64 << 53) as f64;
        }
        if n == 0 || self.numeric().is_err() {
            return; // structurally singular: every refactor will say so
        }
        let fill = self.lu.l_factor_unsorted().compute_nnz().max(self.lu.u_factor_unsorted().compute_nnz());
        let half = (2 * fill).div_ceil(n).min(n - 1);
        let band = (0..n).flat_map(|i| (i.saturating_sub(half)..(i + half + 1).min(n)).map(move |j| (i, j)));
        let band = Pattern::from_entries(n, n, band);
        let (mut columns, map) = Columns::of(&band);
        for (i, j, k) in band.iter() {
            columns.values[map[k] as usize] = if i == j { 1.0 } else { 0.1 / n as f64 };
        }
        let identity: Vec<u32> = (0..n as u32).collect();
        let order = PermRef::new_checked(&identity, &identity, n);
        let stack = MemStack::new(&mut self.stack);
        // the band matrix is diagonally dominant: it has its factors, and only their size matters
        let _ = simplicial::factorize_simplicial_numeric_lu(
            &mut self.row_perm,
            &mut self.row_perm_inv,
            &mut self.lu,
            columns.matrix(),
            order,
            stack,
        );
    }

    /// P, L, U of `columns`, (2).
    fn numeric(&mut self) -> Result<(), LuError> {
        simplicial::factorize_simplicial_numeric_lu(
            &mut self.row_perm,
            &mut self.row_perm_inv,
            &mut self.lu,
            self.columns.matrix(),
            self.symbolic.col_perm(),
            MemStack::new(&mut self.stack),
        )
    }

    /// Factorises A with new values. A pivot of Â below 8 √n ε counts as zero.
    pub fn refactor(&mut self, values: &[f64]) -> Result<(), Singular> {
        self.ready = false;
        self.equilibrate(values)?;
        let step = match self.numeric() {
            Ok(()) => self.small_pivot(),
            Err(LuError::SymbolicSingular { index }) => Some(index),
            Err(LuError::Generic(_)) => Some(0),
        };
        match step {
            Some(k) => Err(Singular { index: self.symbolic.col_perm().arrays().0[k] as usize }),
            None => {
                self.ready = true;
                Ok(())
            }
        }
    }

    /// Â = R A C, (1).
    fn equilibrate(&mut self, values: &[f64]) -> Result<(), Singular> {
        let Self { pattern, row_scale, col_scale, .. } = self;
        assert!(values.len() == pattern.nnz(), "{} values on a pattern of {}", values.len(), pattern.nnz());
        if let Some(k) = values.iter().position(|a| !a.is_finite()) {
            return Err(Singular { index: pattern.col(k) });
        }
        // r_i = 1 / max_j |a_ij|,  c_j = 1 / max_i r_i |a_ij|, as powers of two
        col_scale.fill(0.0);
        for (i, r) in row_scale.iter_mut().enumerate() {
            *r = inverse_power_of_two(values[pattern.row(i)].iter().fold(0.0, |m, a| a.abs().max(m)));
            for (j, a) in pattern.entries(i, values) {
                col_scale[j] = col_scale[j].max(*r * a.abs());
            }
        }
        for c in col_scale.iter_mut() {
            *c = inverse_power_of_two(*c);
        }
        for (i, &r) in row_scale.iter().enumerate() {
            for k in pattern.row(i) {
                let a = r * values[k] * col_scale[pattern.col(k)];
                self.values[k] = a;
                self.columns.values[self.to_columns[k] as usize] = a;
            }
        }
        Ok(())
    }

    /// First step whose pivot is zero to rounding or not finite.
    fn small_pivot(&self) -> Option<usize> {
        let n = self.pattern.rows();
        let tolerance = 8.0 * (n as f64).sqrt() * f64::EPSILON;
        let u = self.lu.u_factor_unsorted();
        // the pivot is the last entry of its column
        (0..n).find(|&k| !u.val_of_col(k).last().is_some_and(|d| d.is_finite() && d.abs() > tolerance))
    }

    /// b ← A⁻¹ b, (3).
    ///
    /// # Panics
    /// If the last `refactor` failed.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.solve_scaled::<false>(b);
    }

    /// b ← A⁻ᵀ b, (4).
    ///
    /// # Panics
    /// If the last `refactor` failed.
    pub fn solve_t(&mut self, b: &mut [f64]) {
        self.solve_scaled::<true>(b);
    }

    /// (3), or (4) if transposed.
    fn solve_scaled<const T: bool>(&mut self, b: &mut [f64]) {
        assert!(self.ready, "solve without a factorisation");
        let n = self.pattern.rows();
        assert!(b.len() == n, "right-hand side of length {} for a matrix of size {n}", b.len());
        // ŷ = Â⁻¹ R b
        for i in 0..n {
            b[i] *= if T { self.col_scale[i] } else { self.row_scale[i] };
        }
        self.y.copy_from_slice(b);
        self.substitute::<T>();

        // r = R b - Â ŷ,  ŷ += Â⁻¹ r
        self.residual.copy_from_slice(b);
        if T {
            self.pattern.mul_t(&self.values, -1.0, &self.y, &mut self.residual);
        } else {
            self.pattern.mul(&self.values, -1.0, &self.y, &mut self.residual);
        }
        let norm = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let refine = norm(&self.residual) > 4.0 * f64::EPSILON * (norm(b) + norm(&self.y));
        b.copy_from_slice(&self.y);
        if refine {
            self.y.copy_from_slice(&self.residual);
            self.substitute::<T>();
            for i in 0..n {
                b[i] += self.y[i];
            }
        }
        // x = C ŷ
        for i in 0..n {
            b[i] *= if T { self.row_scale[i] } else { self.col_scale[i] };
        }
    }

    /// y ← Â⁻¹ y or Â⁻ᵀ y.
    fn substitute<const T: bool>(&mut self) {
        let n = self.pattern.rows();
        let y = MatMut::from_column_major_slice_mut(&mut self.y, n, 1);
        let rows = PermRef::new_checked(&self.row_perm, &self.row_perm_inv, n);
        let (cols, stack) = (self.symbolic.col_perm(), MemStack::new(&mut self.stack));
        if T {
            self.lu.solve_transpose_in_place_with_conj(rows, cols, Conj::No, y, Par::Seq, stack);
        } else {
            self.lu.solve_in_place_with_conj(rows, cols, Conj::No, y, Par::Seq, stack);
        }
    }
}
