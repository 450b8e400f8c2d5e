//! Values of L and U on patterns that are given, by panels of columns.
//!
//! A panel is up to four neighbouring columns of L whose rows below it are the same, or are made so with a
//! few zeros:
//!
//! ```text
//! [ D ]   D: triangles of L and U, and the pivots                                                  (1)
//! [ R ]   R: rows below, all columns of a row side by side
//! ```
//! Column k of Â Q, with the rows in the order of the pivots, is
//!
//! ```text
//! for panels before k in the pattern of u_k:   u = L_D⁻¹ x_D,   x_R -= R u                         (2)
//! its own panel, columns before k:             the same;   d_k = x_k,   l_ik = x_i / d_k           (3)
//! ```
//! so that a row costs one look-up for all columns of a panel. Zeros are added to a column j only where it
//! has the row j + 1 and every other of its rows is one of column j + 1: a column with u_jk then has u_(j+1)k
//! too, and no pattern grows but that of the panel.

use super::columns::Columns;
use super::lu::Lu;

/// Largest number of columns of a panel.
const MOST_COLUMNS: usize = 4;

/// L and U by panels.
#[derive(Debug)]
pub(crate) struct Panels {
    panels: Vec<Panel>,
    /// Rows below the panels.
    rows: Vec<u32>,
    r: Vec<f64>,
    /// Columns of U: panels, and the values on all rows of each.
    columns: Vec<Column>,
    above: Vec<Above>,
    u: Vec<f64>,
    inverse: Vec<f64>,
    x: Vec<f64>,
}

/// Columns `first..first + width`.
#[derive(Clone, Copy, Debug)]
struct Panel {
    first: u32,
    width: u32,
    /// Range of its rows below in `rows`.
    rows: [u32; 2],
    /// Where its R begins in `r`.
    r: u32,
    d: [[f64; MOST_COLUMNS]; MOST_COLUMNS],
}

/// Column of U above its own panel.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// The panel that it is part of.
    panel: u32,
    above: [u32; 2],
    u: u32,
}

/// Part of a column of U.
#[derive(Clone, Copy, Debug)]
struct Above {
    panel: u32,
    first: u32,
    width: u32,
}

/// A copy with the same room.
fn roomy<T: Clone>(x: &Vec<T>) -> Vec<T> {
    let mut copy = Vec::with_capacity(x.capacity());
    copy.extend_from_slice(x);
    copy
}

impl Clone for Panels {
    fn clone(&self) -> Self {
        Self {
            panels: roomy(&self.panels),
            rows: roomy(&self.rows),
            r: roomy(&self.r),
            columns: roomy(&self.columns),
            above: roomy(&self.above),
            u: roomy(&self.u),
            inverse: self.inverse.clone(),
            x: self.x.clone(),
        }
    }
}

/// Calls a function of the width of a panel.
macro_rules! by_width {
    ($width:expr, $self:ident.$f:ident($($x:expr),*)) => {
        match $width {
            1 => $self.$f::<1>($($x),*),
            2 => $self.$f::<2>($($x),*),
            3 => $self.$f::<3>($($x),*),
            _ => $self.$f::<4>($($x),*),
        }
    };
}

mod layout;
mod solve;

impl Panels {
    /// Room for patterns of so many entries of L and U.
    pub(crate) fn new(n: usize, [l, u]: [usize; 2]) -> Self {
        Self {
            panels: Vec::with_capacity(n),
            rows: Vec::with_capacity(l),
            r: Vec::with_capacity(2 * l),
            columns: Vec::with_capacity(n),
            above: Vec::with_capacity(u),
            u: Vec::with_capacity(2 * u),
            inverse: vec![0.0; n],
            x: vec![0.0; n],
        }
    }
    /// L and U for values `a` by (2) and (3): the largest |l_ik|, or the first place whose pivot is not above
    /// `least` times the terms of its column.
    pub(crate) fn refactor(
        &mut self,
        lu: &Lu,
        columns: &Columns,
        a: &[f64],
        least: f64,
    ) -> Result<f64, usize> {
        let mut growth = 0.0;
        let mut bad = None;
        for k in 0..self.x.len() {
            // x = â_k
            let mut size = 0.0;
            let range = columns.ptr[k] as usize..columns.ptr[k + 1] as usize;
            for (&i, &at) in lu.places()[range.clone()].iter().zip(&columns.at[range]) {
                let a = a[at as usize];
                self.x[i as usize] = a;
                size = larger(size, a.abs());
            }

            // u_k, panel by panel
            let Column { panel, above, mut u } = self.columns[k];
            for p in above[0]..above[1] {
                let Above { panel, width, .. } = self.above[p as usize];
                by_width!(width, self.eliminate(panel as usize, u as usize, &mut size));
                u += width;
            }

            // d_k, l_k
            let width = self.panels[panel as usize].width;
            if !by_width!(width, self.finish(panel as usize, k, least, size, &mut growth)) {
                bad = bad.or(Some(k));
            }
        }
        bad.map_or(Ok(growth), Err)
    }
    /// Eliminates one panel by (2); its part of U begins at `u`.
    #[inline]
    fn eliminate<const W: usize>(&mut self, panel: usize, u: usize, size: &mut f64) {
        let Panel { first, rows, r, d, .. } = &self.panels[panel];
        let rows = &self.rows[rows[0] as usize..rows[1] as usize];
        let r = &self.r[*r as usize..][..W * rows.len()];

        // y = L_D⁻¹ x_D
        let mut y = std::mem::replace(rows_of(&mut self.x, *first as usize), [0.0; W]);
        lower_triangle(d, W, &mut y, size);

        // u = y,  x_R -= R u
        *rows_of(&mut self.u, u) = y;
        subtract(&mut self.x, rows, r.as_chunks::<W>().0, &y);
    }
    /// Column k of its own panel by (3); false if the pivot is too small.
    #[inline]
    fn finish<const W: usize>(
        &mut self,
        panel: usize,
        k: usize,
        least: f64,
        mut size: f64,
        growth: &mut f64,
    ) -> bool {
        let Panel { first, rows, r, d, .. } = &mut self.panels[panel];
        let rows = &self.rows[rows[0] as usize..rows[1] as usize];
        let r = &mut self.r[*r as usize..][..W * rows.len()];
        let lane = k - *first as usize;

        // y = L_D⁻¹ x_D, by the columns before k
        let mut y = std::mem::replace(rows_of(&mut self.x, *first as usize), [0.0; W]);
        lower_triangle(d, lane, &mut y, &mut size);

        // d_k, 1/d_k, and the part of l_k in D
        let inverse = 1.0 / y[lane];
        let pivot = y[lane];
        self.inverse[k] = inverse;
        for b in 0..W {
            d[b][lane] = if b > lane { y[b] * inverse } else { y[b] };
            if b > lane {
                *growth = larger(*growth, d[b][lane].abs());
            }
        }

        // l_ik = (x_i - R u)/d_k; columns from k on have no part in R u
        y[lane..].fill(0.0);
        let r = &mut r.as_chunks_mut::<W>().0[..rows.len()];
        for k in 0..rows.len() {
            let x = &mut self.x[rows[k] as usize];
            let l = (*x - dot(&r[k], &y)) * inverse;
            *x = 0.0;
            r[k][lane] = l;
            *growth = larger(*growth, l.abs());
        }
        pivot.abs() > least * size
    }
}

/// The larger one, for b that is not NaN; one instruction where `f64::max` takes three.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Scalar product a·b, in two sums.
#[inline]
fn dot<const W: usize>(a: &[f64; W], b: &[f64; W]) -> f64 {
    if W == 1 {
        return a[0] * b[0];
    }
    let mut sum = [a[0] * b[0], a[1] * b[1]];
    for c in 2..W {
        sum[c % 2] += a[c] * b[c];
    }
    sum[0] + sum[1]
}

/// y ← L_D⁻¹ y by the first columns of D; `size` becomes that of the largest component.
#[inline]
fn lower_triangle<const W: usize>(
    d: &[[f64; MOST_COLUMNS]; MOST_COLUMNS],
    columns: usize,
    y: &mut [f64; W],
    size: &mut f64,
) {
    for c in 0..columns {
        for b in c + 1..W {
            y[b] -= d[b][c] * y[c];
        }
        *size = larger(*size, y[c].abs());
    }
}

/// The W values from `first` on, those of a panel.
#[inline]
fn rows_of<const W: usize>(x: &mut [f64], first: usize) -> &mut [f64; W] {
    x[first..].first_chunk_mut().expect("a panel ends within the matrix")
}

/// Subtracts the rows below a panel, x_R -= R u.
#[inline]
fn subtract<const W: usize>(x: &mut [f64], rows: &[u32], r: &[[f64; W]], u: &[f64; W]) {
    let r = &r[..rows.len()];
    for k in 0..rows.len() {
        x[rows[k] as usize] -= dot(&r[k], u);
    }
}
