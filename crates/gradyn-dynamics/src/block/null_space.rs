//! Maggi's equations: accelerations and multipliers by the matrices R and S.
//!
//! ```text
//! [ Φ_q ; B ]⁻¹ = [ S  R ]                                               (1)  [M13, Eqs. 9–11]
//! M x + Φ_qᵀ λ = f,   Φ_q x = g                                          (2)
//! Rᵀ M R z̈ = Rᵀ (f - M S g),   x = R z̈ + S g                            (3)  [M13, Eqs. 12–20; C12, Eq. 1]
//! λ = Sᵀ (f - M x)                                                      (4)
//! ```
//! (3) and (4) solve the saddle-point system (2), which is symmetric: the transposed solve is the solve. With
//! f = Q, g = c they are the equations of motion.
//!
//! Where independent coordinates move light and heavy bodies together, the light ones are lost in RᵀMR: it
//! has a pivot that is small beside its diagonal. There (2) is solved as one matrix.

use super::Kinematic;
use crate::error::StepError;
use crate::kkt::row_or_coordinate;
use crate::step::memory::Visit;
use gradyn_model::{Evaluator, Kinematics, Setup};
use gradyn_num::{DenseLdl, Saddle, largest};

/// Pivot of RᵀMR, relative to its diagonal, below which (2) is solved as one matrix.
const LEAST_PIVOT: f64 = 1e-6;

/// R and the factor of RᵀMR.
#[derive(Clone)]
pub(crate) struct NullSpace {
    n: usize,
    /// R and M R by columns.
    r: Vec<f64>,
    mr: Vec<f64>,
    mass: DenseLdl,
    /// The matrix of (2), made where it is first needed, and whether it is in use.
    saddle: Option<Box<Saddle>>,
    is_whole: bool,
    x: Vec<f64>,
    z: Vec<f64>,
    f: Vec<f64>,
}

impl NullSpace {
    /// Room for R and its products; nothing is evaluated yet.
    pub(crate) fn new(sys: &Setup) -> Self {
        let n = sys.dims().n;
        let free = n - sys.independent(Kinematics::Velocity).len();
        let r = vec![0.0; n * free];
        let zero = vec![0.0; n];
        Self {
            n,
            mr: r.clone(),
            r,
            mass: DenseLdl::new(free),
            saddle: None,
            is_whole: false,
            x: zero.clone(),
            z: vec![0.0; free],
            f: zero,
        }
    }
    /// The largest entry of R.
    pub(crate) fn largest(&self) -> f64 {
        largest(self.r.iter().copied())
    }
    /// R from (1).
    pub(crate) fn look(&mut self, sys: &Setup, k: &mut Kinematic) {
        let first = sys.independent(Kinematics::Velocity).len();
        for (j, r) in self.r.chunks_exact_mut(self.n).enumerate() {
            r.fill(0.0);
            r[first + j] = 1.0;
            k.solve(r);
        }
    }
    /// R from (1), RᵀMR from M where `terms` are.
    pub(crate) fn refactor(
        &mut self,
        sys: &Setup,
        t: f64,
        terms: &Evaluator<f64>,
        k: &mut Kinematic,
    ) -> Result<(), StepError> {
        // R and M R by columns
        self.look(sys, k);
        let n = self.n;
        let mass = terms.mass();
        self.mr.fill(0.0);
        for (r, mr) in self.r.chunks_exact(n).zip(self.mr.chunks_exact_mut(n)) {
            sys.patterns().nn.mul(mass, 1.0, r, mr);
        }
        // RᵀMR = L D Lᵀ
        for (i, r) in self.r.chunks_exact(n).enumerate() {
            for (j, mr) in self.mr.chunks_exact(n).enumerate().skip(i) {
                self.mass.row_mut(i)[j] = r.iter().zip(mr).map(|(r, m)| r * m).sum();
            }
        }
        self.is_whole = self.mass.factor(LEAST_PIVOT).is_err();
        if self.is_whole { self.refactor_whole(sys, t, terms) } else { Ok(()) }
    }
    /// Factors the matrix of (2).
    #[cold]
    fn refactor_whole(&mut self, sys: &Setup, t: f64, terms: &Evaluator<f64>) -> Result<(), StepError> {
        let mass = terms.mass();
        let phi_q = terms.phi_q();
        let saddle = match &mut self.saddle {
            Some(saddle) => saddle,
            none => none.insert(Self::whole(sys)?),
        };
        let factored = saddle.refactor(|k| mass[k], |k| phi_q[k], phi_q, |_| 0.0, 1.0);
        factored.map_err(|s| StepError::Singular { t, equation: row_or_coordinate(sys, s.index) })
    }
    /// The matrix of (2), as new.
    fn whole(sys: &Setup) -> Result<Box<Saddle>, StepError> {
        let patterns = sys.patterns();
        Ok(Box::new(Saddle::new(&patterns.nn, &patterns.mn)?.released(sys.dropped())))
    }
    /// Visits the factorisation of (2).
    pub(crate) fn visit(&mut self, sys: &Setup, visit: &mut Visit) -> Result<(), StepError> {
        visit.chosen(&mut self.saddle, |_| &[], |saddle| saddle.factor(), |_| Self::whole(sys))
    }
    /// out = RᵀMR ν at the independent coordinates.
    pub(crate) fn reduced_mass(&mut self, choice: &[u32], nu: &[f64], out: &mut [f64]) {
        let n = self.n;
        self.f.fill(0.0);
        for (mr, &i) in self.mr.chunks_exact(n).zip(choice) {
            self.f.iter_mut().zip(mr).for_each(|(f, m)| *f += nu[i as usize] * m);
        }
        out.fill(0.0);
        for (r, &i) in self.r.chunks_exact(n).zip(choice) {
            out[i as usize] = r.iter().zip(&self.f).map(|(r, f)| r * f).sum();
        }
    }
    /// b = (f, g) ← (x, λ), (3), (4).
    pub(crate) fn solve(&mut self, sys: &Setup, mass: &[f64], k: &mut Kinematic, b: &mut [f64]) {
        if let (true, Some(saddle)) = (self.is_whole, &mut self.saddle) {
            return saddle.solve(b);
        }
        let n = self.n;
        let nn = &sys.patterns().nn;
        let (f, g) = b.split_at_mut(n);
        // x = S g
        self.x.fill(0.0);
        k.gather(sys, Kinematics::Velocity, g, &mut self.x);
        k.solve(&mut self.x);
        // f - M S g, then z̈
        self.f.copy_from_slice(f);
        nn.mul(mass, -1.0, &self.x, &mut self.f);
        for (z, r) in self.z.iter_mut().zip(self.r.chunks_exact(n)) {
            *z = r.iter().zip(&self.f).map(|(r, f)| r * f).sum();
        }
        self.mass.solve(&mut self.z);
        for (z, (r, mr)) in self.z.iter().zip(self.r.chunks_exact(n).zip(self.mr.chunks_exact(n))) {
            self.x.iter_mut().zip(r).for_each(|(x, r)| *x += z * r);
            self.f.iter_mut().zip(mr).for_each(|(f, m)| *f -= z * m);
        }
        // Sᵀ (f - M x); dropped multipliers stand alone
        f.copy_from_slice(&self.x);
        k.solve_t(&mut self.f);
        sys.dropped().iter().for_each(|&k| g[k as usize] = -g[k as usize]);
        self.f.iter().zip(sys.independent(Kinematics::Velocity)).for_each(|(l, &k)| g[k as usize] = *l);
    }
}
