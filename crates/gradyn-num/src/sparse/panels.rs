//! Values of L and U on patterns that are given, by panels of columns.
//!
//! A panel is up to four neighbouring columns of L whose rows below it are the same, or are made so with a
//! few zeros:
//!
//! ```text
//! [ D ]   D: triangles of L and U, and the pivots;   R: rows below, all columns of a row side by side      (1)
//! [ R ]
//! ```
//! Column k of Â Q, with the rows in the order of the pivots, is
//!
//! ```text
//! for panels before k in the pattern of u_k:   u = L_D⁻¹ x_D,   x_R -= R u                               (2)
//! its own panel, columns before k:             the same;   d_k = x_k,   l_ik = x_i / d_k                  (3)
//! ```
//! so that a row costs one look-up for all columns of a panel. Zeros are added to a column j only where it
//! has the row j + 1 and every other of its rows is one of column j + 1: a column with u_jk then has u_(j+1)k
//! too, and no pattern grows but that of the panel.

use super::lu::{Columns, Lu};

/// Most columns of a panel.
const WIDE: usize = 4;

/// L and U by panels.
#[derive(Debug)]
pub struct Panels {
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
    /// Of `rows`.
    rows: [u32; 2],
    /// Of `r`.
    r: u32,
    d: [[f64; WIDE]; WIDE],
}

/// Column of U above its own panel.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// Its panel.
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

impl Panels {
    /// Room for patterns of so many entries of L and U.
    pub fn new(n: usize, [l, u]: [usize; 2]) -> Self {
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
    /// Takes the patterns of a factor.
    pub fn set(&mut self, lu: &Lu) {
        let n = self.x.len();
        self.panels.clear();
        self.rows.clear();
        self.r.clear();
        self.columns.clear();
        self.above.clear();
        self.u.clear();
        self.x.fill(0.0);
        let mut first = 0;
        while first < n {
            let width = width(lu, first);
            let (below, start) = (lu.below(first + width - 1), self.rows.len());
            self.rows.extend_from_slice(below);
            let rows = [start, self.rows.len()].map(|p| p as u32);
            let r = self.r.len() as u32;
            self.r.resize(self.r.len() + width * below.len(), 0.0);
            for k in first..first + width {
                self.push_column(lu, k);
            }
            self.panels.push(Panel {
                first: first as u32,
                width: width as u32,
                rows,
                r,
                d: [[0.0; WIDE]; WIDE],
            });
            first += width;
        }
    }
    /// Column k of U, of the panel that comes next.
    fn push_column(&mut self, lu: &Lu, k: usize) {
        let (start, u, own) = (self.above.len(), self.u.len(), self.panels.len() as u32);
        let mut end = 0;
        for &j in lu.above(k) {
            // rows of the own panel, and of the panel before, come next to each other
            let Some(&Column { panel, .. }) =
                self.columns.get(j as usize).filter(|c| j >= end && c.panel != own)
            else {
                continue;
            };
            let Panel { first, width, .. } = self.panels[panel as usize];
            self.above.push(Above { panel, first, width });
            self.u.resize(self.u.len() + width as usize, 0.0);
            end = first + width;
        }
        self.columns.push(Column {
            panel: own,
            above: [start, self.above.len()].map(|p| p as u32),
            u: u as u32,
        });
    }

    /// (2), (3) for values `a`: the largest |l_ik|, or the first place whose pivot is not above `least` times
    /// the terms of its column.
    pub fn refactor(&mut self, lu: &Lu, columns: &Columns, a: &[f64], least: f64) -> Result<f64, usize> {
        let (mut growth, mut bad) = (0.0, None);
        for k in 0..self.x.len() {
            let mut size = 0.0;
            let range = columns.ptr[k] as usize..columns.ptr[k + 1] as usize;
            for (&i, &at) in lu.places()[range.clone()].iter().zip(&columns.at[range]) {
                let a = a[at as usize];
                self.x[i as usize] = a;
                size = larger(size, a.abs());
            }
            let Column { panel, above, mut u } = self.columns[k];
            for p in above[0]..above[1] {
                let Above { panel, width, .. } = self.above[p as usize];
                by_width!(width, self.eliminate(panel as usize, u as usize, &mut size));
                u += width;
            }
            let width = self.panels[panel as usize].width;
            if !by_width!(width, self.finish(panel as usize, k, least, size, &mut growth)) {
                bad = bad.or(Some(k));
            }
        }
        bad.map_or(Ok(growth), Err)
    }
    /// (2) for one panel, whose part of U begins at `u`.
    #[inline]
    fn eliminate<const W: usize>(&mut self, panel: usize, u: usize, size: &mut f64) {
        let Panel { first, rows, r, d, .. } = &self.panels[panel];
        let (rows, r) = (&self.rows[rows[0] as usize..rows[1] as usize], *r as usize);
        let top: &mut [f64; W] = (&mut self.x[*first as usize..][..W]).try_into().expect("W rows");
        let mut y = std::mem::replace(top, [0.0; W]);
        for c in 0..W {
            for b in c + 1..W {
                y[b] -= d[b][c] * y[c];
            }
            *size = larger(*size, y[c].abs());
        }
        let part: &mut [f64; W] = (&mut self.u[u..][..W]).try_into().expect("W rows");
        *part = y;
        subtract(&mut self.x, rows, self.r[r..][..W * rows.len()].as_chunks::<W>().0, &y);
    }
    /// (3); false if the pivot is too small.
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
        let (rows, r, lane) =
            (&self.rows[rows[0] as usize..rows[1] as usize], *r as usize, k - *first as usize);
        let top: &mut [f64; W] = (&mut self.x[*first as usize..][..W]).try_into().expect("W rows");
        let mut y = std::mem::replace(top, [0.0; W]);
        for c in 0..lane {
            for b in c + 1..W {
                y[b] -= d[b][c] * y[c];
            }
            size = larger(size, y[c].abs());
        }
        let inverse = 1.0 / y[lane];
        let pivot = y[lane];
        self.inverse[k] = inverse;
        for b in 0..W {
            d[b][lane] = if b > lane { y[b] * inverse } else { y[b] };
            if b > lane {
                *growth = larger(*growth, d[b][lane].abs());
            }
        }
        // columns from k on have no part in R u
        y[lane..].fill(0.0);
        let r = self.r[r..][..W * rows.len()].as_chunks_mut::<W>().0;
        let r = &mut r[..rows.len()];
        for k in 0..rows.len() {
            let x = &mut self.x[rows[k] as usize];
            let l = (*x - dot(&r[k], &y)) * inverse;
            (*x, r[k][lane]) = (0.0, l);
            *growth = larger(*growth, l.abs());
        }
        pivot.abs() > least * size
    }
    /// y ← U⁻¹ L⁻¹ y.
    pub fn solve(&self, y: &mut [f64]) {
        for panel in &self.panels {
            by_width!(panel.width, self.lower(panel, y));
        }
        for k in (0..self.x.len()).rev() {
            self.upper(k, y);
        }
    }
    /// y ← L⁻ᵀ U⁻ᵀ y.
    pub fn solve_t(&self, y: &mut [f64]) {
        for k in 0..self.x.len() {
            self.upper_t(k, y);
        }
        for panel in self.panels.iter().rev() {
            by_width!(panel.width, self.lower_t(panel, y));
        }
    }
    /// y_D ← L_D⁻¹ y_D,  y_R -= R y_D.
    #[inline]
    fn lower<const W: usize>(&self, panel: &Panel, y: &mut [f64]) {
        let (rows, r, first) = self.below::<W>(panel);
        let top: &mut [f64; W] = (&mut y[first..][..W]).try_into().expect("W rows");
        for c in 0..W {
            for b in c + 1..W {
                top[b] -= panel.d[b][c] * top[c];
            }
        }
        let top = *top;
        subtract(y, rows, r, &top);
    }
    /// y_k ← y_k / d_k,  y above it -= u_k y_k.
    #[inline]
    fn upper(&self, k: usize, y: &mut [f64]) {
        let Column { panel, above, u } = self.columns[k];
        let panel = &self.panels[panel as usize];
        let (first, lane) = (panel.first as usize, k - panel.first as usize);
        let s = y[k] * self.inverse[k];
        y[k] = s;
        for b in 0..lane {
            y[first + b] -= panel.d[b][lane] * s;
        }
        let mut u = u as usize;
        for part in &self.above[above[0] as usize..above[1] as usize] {
            by_width!(part.width, self.add(part.first as usize, u, -s, y));
            u += part.width as usize;
        }
    }
    /// y_k ← (y_k - u_kᵀ y above it) / d_k.
    #[inline]
    fn upper_t(&self, k: usize, y: &mut [f64]) {
        let Column { panel, above, u } = self.columns[k];
        let panel = &self.panels[panel as usize];
        let (first, lane) = (panel.first as usize, k - panel.first as usize);
        let (mut sum, mut u) = (y[k], u as usize);
        for part in &self.above[above[0] as usize..above[1] as usize] {
            sum -= by_width!(part.width, self.dot(part.first as usize, u, y));
            u += part.width as usize;
        }
        for b in 0..lane {
            sum -= panel.d[b][lane] * y[first + b];
        }
        y[k] = sum * self.inverse[k];
    }
    /// y += s u on the rows of a part.
    #[inline]
    fn add<const W: usize>(&self, first: usize, u: usize, s: f64, y: &mut [f64]) {
        let (u, y) = (&self.u[u..][..W], &mut y[first..][..W]);
        for c in 0..W {
            y[c] += u[c] * s;
        }
    }
    /// u·y on the rows of a part.
    #[inline]
    fn dot<const W: usize>(&self, first: usize, u: usize, y: &[f64]) -> f64 {
        let (u, y) = (&self.u[u..][..W], &y[first..][..W]);
        (0..W).fold(0.0, |sum, c| sum + u[c] * y[c])
    }
    /// y_D ← L_D⁻ᵀ (y_D - Rᵀ y_R).
    #[inline]
    fn lower_t<const W: usize>(&self, panel: &Panel, y: &mut [f64]) {
        let (rows, r, first) = self.below::<W>(panel);
        let mut sum = [0.0; W];
        let r = &r[..rows.len()];
        for k in 0..rows.len() {
            let y = y[rows[k] as usize];
            for c in 0..W {
                sum[c] += r[k][c] * y;
            }
        }
        let top: &mut [f64; W] = (&mut y[first..][..W]).try_into().expect("W rows");
        for c in (0..W).rev() {
            top[c] -= sum[c];
            for b in c + 1..W {
                top[c] -= panel.d[b][c] * top[b];
            }
        }
    }
    /// R with its rows, and the first column.
    #[inline]
    fn below<const W: usize>(&self, panel: &Panel) -> (&[u32], &[[f64; W]], usize) {
        let rows = &self.rows[panel.rows[0] as usize..panel.rows[1] as usize];
        (rows, self.r[panel.r as usize..][..W * rows.len()].as_chunks::<W>().0, panel.first as usize)
    }
}

/// Columns of the panel that begins at `first`.
fn width(lu: &Lu, first: usize) -> usize {
    let (mut width, mut entries) = (1, lu.below(first).len());
    while width < WIDE && first + width < lu.size() {
        let last = first + width;
        let (before, below) = (lu.below(last - 1), lu.below(last));
        let all = width * (width + 1) / 2 + (width + 1) * below.len();
        entries += below.len();
        let fits =
            before.first() == Some(&(last as u32)) && 2 * entries >= all && contains(below, &before[1..]);
        if !fits {
            break;
        }
        width += 1;
    }
    width
}

/// Is every one of `some` in `all`? Both increase.
fn contains(all: &[u32], some: &[u32]) -> bool {
    let mut all = all.iter();
    some.iter().all(|i| all.any(|j| i == j))
}

/// The larger one, for b that is not NaN; one instruction where `f64::max` takes three.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// a·b, in two sums.
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

/// x_R -= R u.
#[inline]
fn subtract<const W: usize>(x: &mut [f64], rows: &[u32], r: &[[f64; W]], u: &[f64; W]) {
    let r = &r[..rows.len()];
    for k in 0..rows.len() {
        x[rows[k] as usize] -= dot(&r[k], u);
    }
}
