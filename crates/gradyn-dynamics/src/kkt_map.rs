//! The (n + m) × (n + m) Newton matrix of a coordinate step, assembled by maps made at build.
//!
//! ```text
//! [ A   Jᵀ ]    A = c_q F_q + c_v F_v + c_a F_a (momentum rows) on n × n
//! [ B   -c ]    B the same of the constraint rows on m × n, J = Φ_q                                (1)
//! ```

use gradyn_model::system::Patterns;
use gradyn_num::{Factor, FactorError, Pattern, Singular};

/// (1): where each block's values land, and the factor.
pub struct KktMap {
    a: Vec<u32>,
    b: Vec<u32>,
    jt: Vec<u32>,
    c: Vec<u32>,
    values: Vec<f64>,
    factor: Factor,
}

impl KktMap {
    /// Maps of a system's patterns.
    pub fn new(p: &Patterns) -> Result<Self, FactorError> {
        let (n, m) = (p.nn.rows(), p.mn.rows());
        let entries = p.nn.iter().map(|(i, j, _)| (i, j)).chain(p.mn.iter().flat_map(|(i, j, _)| [(n + i, j), (j, n + i)]));
        let all = Pattern::from_entries(n + m, n + m, entries.chain((n..n + m).map(|i| (i, i))));
        let at = |i: usize, j: usize| all.position(i, j).expect("the pattern contains its blocks") as u32;
        Ok(Self {
            a: p.nn.iter().map(|(i, j, _)| at(i, j)).collect(),
            b: p.mn.iter().map(|(i, j, _)| at(n + i, j)).collect(),
            jt: p.mn.iter().map(|(i, j, _)| at(j, n + i)).collect(),
            c: (n..n + m).map(|i| at(i, i)).collect(),
            values: vec![0.0; all.nnz()],
            factor: Factor::new(&all)?,
        })
    }
    /// Assembles from functions of the value index of each block, and factors.
    #[inline]
    pub fn refactor(&mut self, a: impl Fn(usize) -> f64, b: impl Fn(usize) -> f64, j: &[f64], c: f64) -> Result<(), Singular> {
        let v = &mut self.values;
        self.a.iter().enumerate().for_each(|(k, &pos)| v[pos as usize] = a(k));
        self.b.iter().enumerate().for_each(|(k, &pos)| v[pos as usize] = b(k));
        self.jt.iter().zip(j).for_each(|(&pos, j)| v[pos as usize] = *j);
        self.c.iter().for_each(|&pos| v[pos as usize] = -c);
        self.factor.refactor(v)
    }
    /// b ← A⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.factor.solve(b);
    }
    /// b ← A⁻ᵀ b.
    pub fn solve_t(&mut self, b: &mut [f64]) {
        self.factor.solve_t(b);
    }
}
