//! Substitution with L and U by panels.

use super::{Column, Panel, Panels, rows_of, subtract};

impl Panels {
    /// y ← U⁻¹ L⁻¹ y.
    pub(crate) fn solve(&self, y: &mut [f64]) {
        for panel in &self.panels {
            by_width!(panel.width, self.lower(panel, y));
        }
        for k in (0..self.x.len()).rev() {
            self.upper(k, y);
        }
    }
    /// y ← L⁻ᵀ U⁻ᵀ y.
    pub(crate) fn solve_t(&self, y: &mut [f64]) {
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
        let top: &mut [f64; W] = rows_of(y, first);
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
        let first = panel.first as usize;
        let lane = k - first;

        // y_k, the rows of its panel, the panels above
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
        let first = panel.first as usize;
        let lane = k - first;

        // y_k - u_kᵀ y: panels above, the rows of its panel
        let mut sum = y[k];
        let mut u = u as usize;
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
        let u = &self.u[u..][..W];
        let y = &mut y[first..][..W];
        for c in 0..W {
            y[c] += u[c] * s;
        }
    }
    /// u·y on the rows of a part.
    #[inline]
    fn dot<const W: usize>(&self, first: usize, u: usize, y: &[f64]) -> f64 {
        let u = &self.u[u..][..W];
        let y = &y[first..][..W];
        (0..W).fold(0.0, |sum, c| sum + u[c] * y[c])
    }
    /// y_D ← L_D⁻ᵀ (y_D - Rᵀ y_R).
    #[inline]
    fn lower_t<const W: usize>(&self, panel: &Panel, y: &mut [f64]) {
        let (rows, r, first) = self.below::<W>(panel);

        // Rᵀ y_R
        let mut sum = [0.0; W];
        let r = &r[..rows.len()];
        for k in 0..rows.len() {
            let y = y[rows[k] as usize];
            for c in 0..W {
                sum[c] += r[k][c] * y;
            }
        }

        // y_D ← L_D⁻ᵀ (y_D - Rᵀ y_R)
        let top: &mut [f64; W] = rows_of(y, first);
        for c in (0..W).rev() {
            top[c] -= sum[c];
            for b in c + 1..W {
                top[c] -= panel.d[b][c] * top[b];
            }
        }
    }
    /// Rows below a panel, their R, and the first column.
    #[inline]
    fn below<const W: usize>(&self, panel: &Panel) -> (&[u32], &[[f64; W]], usize) {
        let rows = &self.rows[panel.rows[0] as usize..panel.rows[1] as usize];
        (rows, self.r[panel.r as usize..][..W * rows.len()].as_chunks::<W>().0, panel.first as usize)
    }
}
