//! The matrix of blocks that are solved together.
//!
//! Unknowns (y_q, y_v, y_a, y_λ) = (δq, h δv, h² δa, h² δλ) of each block; rows of positions × 1, of
//! velocities × h, of F × h². For the state (q, v), with A the coefficients among these blocks,
//!
//! ```text
//! y_q,i - Σ_j a_ij y_v,j                                    = r_q                                 (1)
//! y_v,i - Σ_j a_ij y_a,j                                    = h r_v                               (2)
//! h² F_q y_q + h F_v y_v + F_a y_a + F_λ y_λ                = h² r_F                              (3)
//! ```
//! so that its entries stay of the size of 1 and of M as h → 0. Constraints of position level are not
//! multiplied: Φ_q y_q = r. For independent coordinates (1), (2) are the rows B and Φ_q y_q = r, h Φ̇_q y_q +
//! Φ_q y_v = h r stand above them. Eliminating y_q and y_v by hand would leave h²(A²)_ij F_q + h a_ij F_v +
//! δ_ij F_a: the sparse factorisation does that.

use crate::block::{Block, Integrated};
use crate::error::StepError;
use crate::formulation::Lagrange;
use crate::kkt::row_or_coordinate;
use crate::step::memory::{Remembered, Visit};
use gradyn_model::{Kinematics, Setup};
use gradyn_num::{Factor, Pattern};

/// Where the values of one term of one block land: (position in the term, position in the matrix).
type Map = Vec<(u32, u32)>;

/// Terms of a block: g_q + K, C, M, Φ_qᵀ | constraint rows over q, v, a | independent rows: Φ_q, then Φ̇_q,
/// Φ_q.
const TERMS: usize = 10;

/// (1)–(3), factored.
pub struct Coupled {
    /// Coefficients a_ij, by rows.
    a: Vec<f64>,
    blocks: usize,
    choice: Vec<u32>,
    maps: Vec<[Map; TERMS]>,
    values: Vec<f64>,
    /// The pattern and its factor.
    factor: Option<(Pattern, Factor)>,
    h: f64,
    /// What a solution leaves over.
    rest: Vec<f64>,
    /// Right-hand sides and solutions, block by block.
    pub b: Vec<f64>,
}

/// Entries of a term: (row, column, position in the term).
type Entries = Vec<(usize, usize, usize)>;

impl Coupled {
    /// Memory for coefficients `a`, square by rows; without choices the pattern is known.
    pub fn new(sys: &Setup, f: &Lagrange, state: Integrated, a: Vec<f64>) -> Result<Self, StepError> {
        let blocks = a.len().isqrt();
        let z = 3 * sys.dims().n + sys.dims().m;
        let b = vec![0.0; blocks * z];
        let rest = vec![0.0; blocks * z];
        let mut matrix =
            Self { a, blocks, choice: vec![], maps: vec![], values: vec![], factor: None, h: 0.0, rest, b };
        if state == Integrated::Full {
            matrix.set_choice(sys, f, state, &[])?;
        }
        Ok(matrix)
    }
    /// Pattern and maps for a choice of independent coordinates; made once, and again when the choice
    /// changes.
    pub fn set_choice(
        &mut self,
        sys: &Setup,
        f: &Lagrange,
        state: Integrated,
        choice: &[u32],
    ) -> Result<(), StepError> {
        if self.factor.is_some() && self.choice == choice {
            return Ok(());
        }
        let size = self.b.len();
        let terms: Vec<[Entries; TERMS]> =
            (0..self.blocks).map(|i| terms(sys, f, state, i * size / self.blocks)).collect();
        let constants = self.constants(sys, f, state, choice);
        let entries =
            terms.iter().flatten().flatten().map(|e| (e.0, e.1)).chain(constants.iter().map(|c| (c.0, c.1)));
        let pattern = Pattern::from_entries(size, size, entries);
        self.values = vec![0.0; pattern.nnz()];
        constants.iter().for_each(|&(i, j, x)| self.values[pattern.at(i, j) as usize] = x);
        let map = |e: Entries| e.into_iter().map(|(i, j, from)| (from as u32, pattern.at(i, j))).collect();
        self.maps = terms.into_iter().map(|t| t.map(map)).collect();
        let factor = Factor::new(&pattern)?;
        self.factor = Some((pattern, factor));
        self.choice = choice.to_vec();
        Ok(())
    }
    /// Entries of (1) and (2), compliances and the multipliers of dropped rows.
    fn constants(
        &self,
        sys: &Setup,
        f: &Lagrange,
        state: Integrated,
        choice: &[u32],
    ) -> Vec<(usize, usize, f64)> {
        let (n, m) = (sys.dims().n, sys.dims().m);
        let mut out = vec![];
        for (level, list) in state.lists(sys).into_iter().enumerate() {
            let (first, picked): (usize, Vec<usize>) = match list {
                None => (0, (0..n).collect()),
                Some(list) => (
                    sys.independent(Kinematics::ALL[level]).len(),
                    choice[list].iter().map(|&i| i as usize).collect(),
                ),
            };
            for i in 0..self.blocks {
                let at = |block: usize, level: usize| block * (3 * n + m) + level * n;
                for (k, &x) in picked.iter().enumerate() {
                    let row = at(i, level) + first + k;
                    out.push((row, at(i, level) + x, 1.0));
                    let slopes =
                        (0..self.blocks).map(|j| (row, at(j, level + 1) + x, -self.a[i * self.blocks + j]));
                    out.extend(slopes.filter(|s| s.2 != 0.0));
                }
            }
        }
        for i in 0..self.blocks {
            let loose = |k: usize| sys.dropped().contains(&(k as u32));
            let at = |k: usize| i * (3 * n + m) + 3 * n + k;
            let c = f.compliance.rows(sys);
            let own = (0..m).map(|k| (at(k), at(k), if loose(k) { -1.0 } else { -c(k) }));
            out.extend(own.filter(|c| c.2 != 0.0));
        }
        out
    }
    /// Assembles and factors at the partials of the blocks.
    pub fn refactor<'b>(
        &mut self,
        sys: &Setup,
        f: &Lagrange,
        t: f64,
        h: f64,
        blocks: impl IntoIterator<Item = &'b Block>,
    ) -> Result<(), StepError> {
        self.h = h;
        let σ = constraint_scale(f, h);
        for (maps, block) in self.maps.iter().zip(blocks) {
            let l = &block.linear;
            let mass = l.terms.mass();
            let phi_q = l.terms.phi_q();
            let terms: [(&[f64], f64); TERMS] = [
                (&l.top_q, h * h),
                (&l.top_v, h),
                (mass, 1.0),
                (phi_q, 1.0),
                (&l.bottom_q, σ),
                (&l.bottom_v, σ / h),
                (phi_q, f.level[2]),
                (phi_q, 1.0),
                (block.dphi_q(), h),
                (phi_q, 1.0),
            ];
            for (map, (from, scale)) in maps.iter().zip(terms) {
                map.iter().for_each(|&(k, to)| self.values[to as usize] = scale * from[k as usize]);
            }
        }
        let (_, factor) = self.factor.as_mut().expect("a choice was made");
        factor.refactor(&self.values).map_err(|s| StepError::Singular { t, equation: equation(sys, s.index) })
    }
    /// Visits the factorisation.
    pub(crate) fn visit(
        &mut self,
        sys: &Setup,
        f: &Lagrange,
        state: Integrated,
        visit: &mut Visit,
    ) -> Result<(), StepError> {
        let list = match visit {
            Visit::Save(list) => {
                let pivots = self.factor.as_mut().and_then(|(_, factor)| factor.pivots());
                list.push(Remembered { choice: self.choice.clone(), pivots });
                return Ok(());
            }
            Visit::Restore(list) => list,
        };
        let saved = list.next().filter(|r| r.pivots.is_some());
        if let Some(saved) = saved {
            self.set_choice(sys, f, state, &saved.choice)?;
        }
        if let Some((_, factor)) = &mut self.factor {
            factor.restore(saved.and_then(|r| r.pivots.as_ref()));
        }
        Ok(())
    }
    /// Independent coordinates.
    pub(crate) fn choice(&self) -> &[u32] {
        &self.choice
    }
    /// b ← (rows)_x⁻¹ b over the blocks.
    pub(crate) fn solve(&mut self, sys: &Setup, f: &Lagrange) {
        self.scale_rows(sys, f);
        self.refined(Factor::solve, Pattern::mul);
        self.scale_columns(sys);
    }
    /// b ← (rows)_x⁻ᵀ b.
    pub fn solve_t(&mut self, sys: &Setup, f: &Lagrange) {
        self.scale_columns(sys);
        self.refined(Factor::solve_t, Pattern::mul_t);
        self.scale_rows(sys, f);
    }
    /// A solve with one refinement: pivots are frozen, and blocks of all stages meet in one matrix.
    fn refined(
        &mut self,
        solve: impl Fn(&mut Factor, &mut [f64]),
        mul: impl Fn(&Pattern, &[f64], f64, &[f64], &mut [f64]),
    ) {
        let Self { factor, values, rest, b, .. } = self;
        let (pattern, factor) = factor.as_mut().expect("a choice was made");
        rest.copy_from_slice(b);
        solve(factor, b);
        mul(pattern, values, -1.0, b, rest);
        solve(factor, rest);
        b.iter_mut().zip(&*rest).for_each(|(b, r)| *b += r);
    }
    fn scale_rows(&mut self, sys: &Setup, f: &Lagrange) {
        let (n, m, h) = (sys.dims().n, sys.dims().m, self.h);
        let σ = constraint_scale(f, h);
        for b in self.b.chunks_exact_mut(3 * n + m) {
            b[n..2 * n].iter_mut().for_each(|x| *x *= h);
            b[2 * n..3 * n].iter_mut().for_each(|x| *x *= h * h);
            b[3 * n..].iter_mut().for_each(|x| *x *= σ);
            sys.dropped().iter().for_each(|&k| b[3 * n + k as usize] *= h * h / σ);
        }
    }
    fn scale_columns(&mut self, sys: &Setup) {
        let (n, m, h) = (sys.dims().n, sys.dims().m, self.h);
        for b in self.b.chunks_exact_mut(3 * n + m) {
            b[n..2 * n].iter_mut().for_each(|x| *x /= h);
            b[2 * n..].iter_mut().for_each(|x| *x /= h * h);
        }
    }
}

/// Name of row or unknown `i` of some blocks.
pub fn equation(sys: &Setup, i: usize) -> String {
    let (n, m) = (sys.dims().n, sys.dims().m);
    match i % (3 * n + m) {
        i if i >= 3 * n => row_or_coordinate(sys, i - 3 * n),
        i => row_or_coordinate(sys, m + i % n),
    }
}

/// Factor of the constraint rows of F: 1 at the level of positions.
fn constraint_scale(f: &Lagrange, h: f64) -> f64 {
    if f.level[2] == 0.0 { 1.0 } else { h * h }
}

/// Entries of the terms of the block that begins at row `o`.
fn terms(sys: &Setup, f: &Lagrange, state: Integrated, o: usize) -> [Entries; TERMS] {
    let n = sys.dims().n;
    let nn = &sys.patterns().nn;
    let mn = &sys.patterns().mn;
    let at = |k: usize| o + k * n;
    let momentum = |k: usize| nn.iter().map(|(i, j, p)| (at(2) + i, at(k) + j, p)).collect::<Entries>();
    let constraint = |k: usize| mn.iter().map(|(i, j, p)| (at(3) + i, at(k) + j, p)).collect::<Entries>();
    let reaction = mn.iter().map(|(i, j, p)| (at(2) + j, at(3) + i, p)).collect();
    let lists = state.lists(sys);
    let held = |level: usize, k: usize| match lists[level] {
        None => vec![],
        Some(_) => {
            let rows = sys.independent(Kinematics::ALL[level]).iter().enumerate();
            rows.flat_map(|(i, &c)| mn.row(c as usize).map(move |p| (at(level) + i, at(k) + mn.col(p), p)))
                .collect()
        }
    };
    let accelerations = if f.level[2] == 0.0 { vec![] } else { constraint(2) };
    let rates = if f.level[2] == 0.0 && sys.dims().m_vel == 0 { vec![] } else { constraint(1) };
    [
        momentum(0),
        momentum(1),
        momentum(2),
        reaction,
        constraint(0),
        rates,
        accelerations,
        held(0, 0),
        held(1, 0),
        held(1, 1),
    ]
}
