//! Terms of a system at one point, with the memory that they are written to.
//!
//! ```text
//! set_slots(p), set_branches, set_rest     once a run, once a step
//! at(t, q)                               signals of t, Φ_q, M: what the terms read  (1)
//! terms(t, q, v, a, λ)                   at the (t, q) of (1) and nowhere else      (2)
//! measure, conditions                    at any q, at the t of (1) or of `at_time`  (3)
//! ```
//! With debug assertions the evaluator remembers (t, q) of (1): terms with a point assert (2), those without
//! one that there was an `at`, functionals and conditions (3). Angles and reversed forces are asked at any
//! positions. Sizes, patterns and names are those of the [`Mechanics`] that the evaluator was made from.

use crate::elements::ElementTerms;
use crate::guard::Outside;
use crate::mechanics::{Kind, Mechanics};
use crate::relative::{Articulated, TreeTerms};
use crate::scalar::KernelScalar;
use crate::system::{AngleMotion, At, FunctionalSet, Kinematics};
use crate::user::UserTerms;
use gradyn_num::Singular;

/// The terms of a system at one point. Every product adds to its output.
#[derive(Clone, Debug)]
pub struct Evaluator<S> {
    terms: Terms<S>,
    #[cfg(debug_assertions)]
    asked: Asked<S>,
}

/// The terms of each kind of system.
#[derive(Clone, Debug)]
enum Terms<S> {
    /// In natural coordinates.
    Elements(Box<ElementTerms<S>>),
    /// In relative coordinates; also every body by itself.
    Tree(Box<TreeTerms<S>>),
    /// Of equations that a user wrote.
    User(Box<UserTerms<S>>),
}

/// Where the terms were last evaluated.
#[cfg(debug_assertions)]
#[derive(Clone, Debug)]
struct Asked<S> {
    t: Option<S>,
    q: Vec<S>,
    placed: bool,
}

/// Calls a function of the terms, of whatever kind they are.
macro_rules! each {
    ($terms:expr, $x:ident => $e:expr) => {
        match $terms {
            Terms::Elements($x) => $e,
            Terms::Tree($x) => $e,
            Terms::User($x) => $e,
        }
    };
}

/// Calls a function of the terms of a mechanism; `$none` is what a user's system does.
macro_rules! mechanism {
    ($terms:expr, $x:ident => $e:expr, $none:expr) => {
        match $terms {
            Terms::Elements($x) => $e,
            Terms::Tree($x) => $e,
            Terms::User(_) => $none,
        }
    };
}

impl Mechanics {
    /// Terms of the system for the slots p.
    pub fn evaluator<S: KernelScalar>(&self, p: &[S]) -> Evaluator<S> {
        let terms = match &self.kind {
            Kind::Elements(elements) => Terms::Elements(Box::new(elements.terms(&self.rows, &self.start))),
            Kind::Tree(tree) => Terms::Tree(Box::new(tree.terms(&self.rows, &self.start))),
            Kind::User(user) => Terms::User(Box::new(user.terms())),
        };
        let mut evaluator = Evaluator {
            terms,
            #[cfg(debug_assertions)]
            asked: Asked { t: None, q: vec![S::zero(); self.dims().n], placed: false },
        };
        evaluator.set_slots(p);
        evaluator
    }
    /// Terms of the system for constant slots, whatever is differentiated.
    pub fn evaluator_with<S: KernelScalar>(&self, p: &[f64]) -> Evaluator<S> {
        self.evaluator(&p.iter().map(|&p| S::from(p)).collect::<Vec<_>>())
    }
}

/// What the terms are evaluated with, and where.
impl<S: KernelScalar> Evaluator<S> {
    /// Other slots p: what depends on them alone is evaluated, and the point is forgotten.
    pub fn set_slots(&mut self, p: &[S]) {
        self.forget();
        each!(&mut self.terms, x => x.set_slots(p))
    }
    /// Angle references of this step: the branch of each angle is the one nearest to its reference. One
    /// number for each angle, or the time at which the step begins and for each its motion there.
    pub fn set_branches(&mut self, references: &[f64]) {
        self.forget_place();
        mechanism!(&mut self.terms, x => x.set_branches(references), ())
    }
    /// Leaves forces that act in motion only out of all products of forces, or takes them in again.
    pub fn set_rest(&mut self, rest: bool) {
        mechanism!(&mut self.terms, x => x.set_rest(rest), ())
    }
    /// Signals of t: all that `measure` needs, and cheaper than `at`.
    #[inline]
    pub fn at_time(&mut self, t: S) {
        self.forget_place();
        self.remember_time(t);
        mechanism!(&mut self.terms, x => x.at_time(t), ())
    }
    /// Goes to (t, q): evaluates the signals of t, Φ_q and M.
    #[inline]
    pub fn at(&mut self, t: S, q: &[S]) {
        self.remember_time(t);
        self.remember_place(q);
        each!(&mut self.terms, x => x.at(t, q))
    }
}

/// Values, matrices and their products with vectors.
impl<S: KernelScalar> Evaluator<S> {
    /// (1) of `system.rs`: out += c₀Φ + c₁Φ̇ + c₂Φ̈.
    #[inline]
    pub fn constraint(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        self.assert_at(at);
        each!(&mut self.terms, x => x.constraint(at, c, out))
    }
    /// (2) of `system.rs`: out += M w + Φ_qᵀ λ.
    #[inline]
    pub fn balance(&mut self, w: &[S], lam: &[S], out: &mut [S]) {
        self.assert_placed();
        each!(&mut self.terms, x => x.balance(w, lam, out))
    }
    /// (3) of `system.rs`: out -= Q.
    #[inline]
    pub fn forces(&mut self, at: &At<S>, out: &mut [S]) {
        self.assert_at(at);
        mechanism!(&mut self.terms, x => x.forces(at, out), ())
    }
    /// M on `nn`. Where it depends on the slots only, it is there before `at`.
    #[inline]
    pub fn mass(&self) -> &[S] {
        if let Terms::Tree(_) = self.terms {
            self.assert_placed();
        }
        each!(&self.terms, x => x.mass())
    }
    /// Φ_q on `mn`.
    #[inline]
    pub fn phi_q(&self) -> &[S] {
        self.assert_placed();
        each!(&self.terms, x => x.phi_q())
    }
    /// (c₀Φ + c₁Φ̇ + c₂Φ̈)_q on `mn`.
    pub fn constraint_q(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        self.assert_at(at);
        each!(&mut self.terms, x => x.constraint_q(at, c, out))
    }
    /// (c₁Φ̇ + c₂Φ̈)_v on `mn`.
    pub fn constraint_v(&mut self, at: &At<S>, c: [f64; 3], out: &mut [S]) {
        self.assert_at(at);
        each!(&mut self.terms, x => x.constraint_v(at, c, out))
    }
    /// (M w + Φ_qᵀ λ)_q on `nn`.
    pub fn balance_q(&mut self, at: &At<S>, w: &[S], lam: &[S], out: &mut [S]) {
        self.assert_at(at);
        each!(&mut self.terms, x => x.balance_q(at, w, lam, out))
    }
    /// K = -Q_q and C = -Q_v on `nn`.
    pub fn force_tangents(&mut self, at: &At<S>, k: &mut [S], c: &mut [S]) {
        self.assert_at(at);
        mechanism!(&mut self.terms, x => x.force_tangents(at, k, c), ())
    }
    /// (F_q, F_v, F_p)ᵀ μ without matrices, where that costs less than they do: q += s F_qᵀ μ, v += s F_vᵀ μ,
    /// grad += s F_pᵀ μ for F = (M a + Φ_qᵀ λ - Q ; c₀Φ + c₁Φ̇ + c₂Φ̈). False where there is no such product,
    /// and nothing is added.
    pub fn pull(&mut self, at: &At<S>, c: [f64; 3], mu: [&[S]; 2], s: f64, out: [&mut [S]; 3]) -> bool {
        self.assert_at(at);
        mechanism!(&mut self.terms, x => x.pull(at, c, mu, s, out), return false);
        true
    }
}

/// Products of long trees, whose matrices n × n are never made.
impl<S: KernelScalar> Evaluator<S> {
    /// (F_q, F_v) (δq, δv) without matrices: top and bottom rows of F as in `pull`, times s, are added to
    /// `out`. False where there is no such product, and nothing is added.
    pub fn push(
        &mut self,
        at: &At<S>,
        c: [f64; 3],
        directions: [&[S]; 2],
        s: f64,
        out: [&mut [S]; 2],
    ) -> bool {
        self.assert_at(at);
        let Terms::Tree(x) = &mut self.terms else { return false };
        x.push(at, c, directions, s, out);
        true
    }
    /// The diagonal of M into `out`; false where M is a matrix, and nothing is written.
    pub fn mass_diagonal(&mut self, out: &mut [S]) -> bool {
        self.assert_placed();
        let Terms::Tree(x) = &mut self.terms else { return false };
        x.mass_diagonal(out);
        true
    }
}

/// Conditions of the start of long trees, over the motions of nodes and as products.
impl Evaluator<f64> {
    /// Values of the rows that border conditions, in the order of [`Mechanics::border_entries`]. It comes
    /// before `condition_row`, once for all conditions at a point.
    pub fn border(&mut self, at: &At, out: &mut [f64]) {
        self.assert_at(at);
        if let Terms::Tree(x) = &mut self.terms {
            x.border(at, out);
        }
    }
    /// out_k += (E_q δq + E_v δv)_k of the first conditions of a kind.
    pub fn conditions_mul(&mut self, kind: Kinematics, at: &At, directions: [&[f64]; 2], out: &mut [f64]) {
        self.assert_at(at);
        if let Terms::Tree(x) = &mut self.terms {
            x.conditions_mul(kind, at, directions, out);
        }
    }
    /// out_k += (E_p δ)_k of the first conditions of a kind.
    pub fn conditions_p(&mut self, kind: Kinematics, at: &At, delta: &[f64], out: &mut [f64]) {
        self.assert_at(at);
        if let Terms::Tree(x) = &mut self.terms {
            x.conditions_p(kind, at, delta, out);
        }
    }
    /// (q, v, grad) += s (E_q, E_v, E_p)ᵀ μ of the first conditions of a kind.
    pub fn conditions_t(&mut self, kind: Kinematics, at: &At, mu: &[f64], s: f64, out: [&mut [f64]; 3]) {
        self.assert_at(at);
        if let Terms::Tree(x) = &mut self.terms {
            x.conditions_t(kind, at, mu, s, out);
        }
    }
}

/// Products with the partials over slots.
impl<S: KernelScalar> Evaluator<S> {
    /// out += (c₀Φ + c₁Φ̇ + c₂Φ̈)_p δ.
    pub fn constraint_p(&mut self, at: &At<S>, c: [f64; 3], delta: &[S], out: &mut [S]) {
        self.assert_at(at);
        each!(&mut self.terms, x => x.constraint_p(at, c, delta, out))
    }
    /// grad += s (c₀Φ + c₁Φ̇ + c₂Φ̈)_pᵀ μ.
    pub fn constraint_p_t(&mut self, at: &At<S>, c: [f64; 3], mu: &[S], s: f64, grad: &mut [S]) {
        self.assert_at(at);
        each!(&mut self.terms, x => x.constraint_p_t(at, c, mu, s, grad))
    }
    /// out += (M w + Φ_qᵀ λ)_p δ.
    pub fn balance_p(&mut self, at: &At<S>, w: &[S], lam: &[S], delta: &[S], out: &mut [S]) {
        self.assert_at(at);
        each!(&mut self.terms, x => x.balance_p(at, w, lam, delta, out))
    }
    /// grad += s (M w + Φ_qᵀ λ)_pᵀ μ.
    pub fn balance_p_t(&mut self, at: &At<S>, w: &[S], lam: &[S], mu: &[S], s: f64, grad: &mut [S]) {
        self.assert_at(at);
        each!(&mut self.terms, x => x.balance_p_t(at, w, lam, mu, s, grad))
    }
    /// out -= Q_p δ.
    pub fn forces_p(&mut self, at: &At<S>, delta: &[S], out: &mut [S]) {
        self.assert_at(at);
        mechanism!(&mut self.terms, x => x.forces_p(at, delta, out), ())
    }
    /// grad -= s Q_pᵀ μ.
    pub fn forces_p_t(&mut self, at: &At<S>, mu: &[S], s: f64, grad: &mut [S]) {
        self.assert_at(at);
        mechanism!(&mut self.terms, x => x.forces_p_t(at, mu, s, grad), ())
    }
}

/// Functionals, and conditions of the start.
impl<S: KernelScalar> Evaluator<S> {
    /// Values of a set of functionals.
    #[inline]
    pub fn measure(&mut self, set: FunctionalSet, at: &At<S>, out: &mut [S]) {
        self.assert_time(at);
        each!(&mut self.terms, x => x.measure(set, at, out))
    }
    /// Gradient of functional `k` of a set over (q, v, a, λ | slots of the support), written to `row`.
    pub fn measure_row(&mut self, set: FunctionalSet, k: usize, at: &At<S>, row: &mut [S]) {
        self.assert_time(at);
        each!(&mut self.terms, x => x.measure_row(set, k, at, row))
    }
    /// Position and velocity conditions at the start: as many as the independent rows leave open; in
    /// equilibrium fewer of positions.
    pub fn conditions(&mut self, at: &At<S>, position: &mut [S], velocity: &mut [S]) {
        self.assert_time(at);
        each!(&mut self.terms, x => x.conditions(at, position, velocity))
    }
    /// Gradient of a condition over (q, v) on its pattern and over the slots of its support.
    pub fn condition_row(
        &mut self,
        kinematics: Kinematics,
        k: usize,
        at: &At<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        self.assert_time(at);
        each!(&mut self.terms, x => x.condition_row(kinematics, k, at, q, v, p))
    }
    /// Elements evaluated so far, for counters.
    pub fn visits(&self) -> usize {
        mechanism!(&self.terms, x => x.visits(), 0)
    }
}

/// What only a run asks for.
impl Evaluator<f64> {
    /// Factors of the saddle-point matrix of a long tree at the point, for compliances c of the rows. The
    /// error names row i < m, or m + k for coordinate k.
    ///
    /// # Panics
    /// If the factors are those of another system.
    pub fn factor_articulated(
        &self,
        factors: &mut Articulated,
        c: impl Fn(usize) -> f64,
    ) -> Result<(), Singular> {
        self.assert_placed();
        let Terms::Tree(x) = &self.terms else { panic!("articulated bodies are those of a tree") };
        factors.refactor(x, c)
    }
    /// Motion of the angles with a branch at a point, up to turns; `None` for those that nothing reads.
    pub fn angle_motion(&mut self, at: &At, out: &mut [Option<AngleMotion>]) {
        mechanism!(&mut self.terms, x => x.angle_motion([at.q, at.v, at.a], out), ())
    }
    /// The angles with a branch at q, continued from the references that were set.
    pub fn angles(&mut self, q: &[f64], out: &mut [f64]) {
        mechanism!(&mut self.terms, x => x.angles(q, out), ())
    }
    /// Why a force is not defined at the second of two points, or between them; the time of the evaluator is
    /// that of the second.
    pub fn undefined_force(&mut self, from: &At, to: &At) -> Option<Outside> {
        self.assert_time(to);
        mechanism!(&mut self.terms, x => x.undefined_force(from, to), None)
    }
    /// The first force along a distance whose ends pass through each other between two positions.
    pub fn reversed_force(&mut self, from: &[f64], to: &[f64]) -> Option<String> {
        mechanism!(&mut self.terms, x => x.reversed_force(from, to), None)
    }
}

/// The order of calls, (1) to (3), asserted.
#[cfg(debug_assertions)]
impl<S: KernelScalar> Evaluator<S> {
    fn forget(&mut self) {
        self.asked.t = None;
        self.asked.placed = false;
    }
    fn forget_place(&mut self) {
        self.asked.placed = false;
    }
    fn remember_time(&mut self, t: S) {
        self.asked.t = Some(t);
    }
    fn remember_place(&mut self, q: &[S]) {
        self.asked.q.copy_from_slice(q);
        self.asked.placed = true;
    }
    fn assert_placed(&self) {
        assert!(self.asked.placed, "`at` comes before the terms");
    }
    fn assert_time(&self, at: &At<S>) {
        let t = self.asked.t;
        assert!(t.is_some_and(|t| same(t, at.t)), "asked at t = {:?}, evaluated at {t:?}", at.t);
    }
    fn assert_at(&self, at: &At<S>) {
        self.assert_placed();
        self.assert_time(at);
        let q = &self.asked.q;
        let here = q.len() == at.q.len() && q.iter().zip(at.q).all(|(a, b)| same(*a, *b));
        assert!(here, "asked at q = {:?}, evaluated at {q:?}", at.q);
    }
}

/// Are two numbers the same, not-a-number included?
#[cfg(debug_assertions)]
#[expect(clippy::eq_op, reason = "only what is not a number differs from itself")]
fn same<S: PartialEq>(a: S, b: S) -> bool {
    a == b || (a != a && b != b)
}

/// Without debug assertions nothing is remembered.
#[cfg(not(debug_assertions))]
impl<S: KernelScalar> Evaluator<S> {
    #[inline]
    fn forget(&mut self) {}
    #[inline]
    fn forget_place(&mut self) {}
    #[inline]
    fn remember_time(&mut self, _t: S) {}
    #[inline]
    fn remember_place(&mut self, _q: &[S]) {}
    #[inline]
    fn assert_placed(&self) {}
    #[inline]
    fn assert_time(&self, _at: &At<S>) {}
    #[inline]
    fn assert_at(&self, _at: &At<S>) {}
}
