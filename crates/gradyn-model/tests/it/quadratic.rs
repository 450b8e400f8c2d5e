//! Quadratic rows: rates against jets, partials against duals, transposes.

use gradyn_model::At;
use gradyn_model::quadratic::{QuadraticRows, RowTerms};
use gradyn_num::{Dual, Jet, Pattern, Scalar};

const N: usize = 4;
const M: usize = 3;
const SLOTS: usize = 5;

struct Fixture {
    rows: QuadraticRows,
    nn: Pattern,
    mn: Pattern,
    p: [f64; SLOTS],
    q: [f64; N],
    v: [f64; N],
    a: [f64; N],
    lam: [f64; M],
}

/// Squares, products, repeated entries, a linear row, shared slots. Entries of A are given for i ≤ j and
/// listed for both triangles.
fn fixture() -> Fixture {
    let row = |upper: &[(usize, usize, u32)], b: Vec<(usize, u32)>, c: Vec<u32>| {
        let lower = upper.iter().filter(|e| e.0 != e.1).map(|&(i, j, s)| (j, i, s));
        RowTerms { a: upper.iter().copied().chain(lower).collect(), b, c }
    };
    let terms = [
        row(&[(0, 0, 0), (0, 1, 2), (2, 3, 1)], vec![(3, 2)], vec![4]),
        row(&[], vec![(0, 3), (2, 1)], vec![0, 1]),
        row(&[(1, 2, 3), (1, 2, 0), (3, 3, 4)], vec![(1, 4)], vec![]),
    ];
    let (mut nn, mut mn) = (vec![], vec![]);
    for (k, row) in terms.iter().enumerate() {
        nn.extend(row.a.iter().map(|&(i, j, _)| (i, j)));
        mn.extend(row.coords().map(|i| (k, i)));
    }
    let (nn, mn) = (Pattern::from_entries(N, N, nn), Pattern::from_entries(M, N, mn));
    Fixture {
        rows: QuadraticRows::new(&terms, &nn, &mn),
        nn,
        mn,
        p: [0.7, -1.2, 0.4, 2.1, -0.9],
        q: [0.3, -0.8, 1.1, 0.6],
        v: [-0.5, 0.9, 0.2, 1.3],
        a: [1.4, 0.1, -0.7, 0.8],
        lam: [0.6, -1.5, 0.9],
    }
}

fn close(a: f64, b: f64, what: &str) {
    // 1e-14: a few terms of size 1
    assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{what}: {a} ≠ {b}");
}

impl Fixture {
    fn at(&self) -> At<'_> {
        At { t: 0.0, q: &self.q, v: &self.v, a: &self.a, lam: &self.lam }
    }
    /// Φ on any scalar.
    fn phi<S: Scalar>(&self, p: &[S], q: &[S]) -> Vec<S> {
        let (zero, mut out) = (vec![S::zero(); N], vec![S::zero(); M]);
        let at = At { t: S::zero(), q, v: &zero, a: &zero, lam: &zero[..M] };
        self.rows.constraint(p, &at, [1.0, 0.0, 0.0], &self.mn, &self.phi_q(p, q), &mut out);
        out
    }
    fn phi_q<S: Scalar>(&self, p: &[S], q: &[S]) -> Vec<S> {
        let mut out = vec![S::zero(); self.mn.nnz()];
        self.rows.phi_q(p, q, &mut out);
        out
    }
    fn constraint(&self, c: [f64; 3]) -> Vec<f64> {
        let mut out = vec![0.0; M];
        self.rows.constraint(&self.p, &self.at(), c, &self.mn, &self.phi_q(&self.p, &self.q), &mut out);
        out
    }
    fn jets(&self) -> Vec<Jet<f64>> {
        (0..N).map(|i| Jet::new(self.q[i], self.v[i], self.a[i])).collect()
    }
}

fn lift<S: Scalar>(x: &[f64]) -> Vec<S> {
    x.iter().map(|&x| S::from(x)).collect()
}

/// Row 0 by hand: φ = ½ p₀ q₀² + p₂ q₀ q₁ + p₁ q₂ q₃ + p₂ q₃ + p₄.
#[test]
fn rows_are_the_quadratic_form() {
    let f = fixture();
    let (p, q) = (f.p, f.q);
    let phi = 0.5 * p[0] * q[0] * q[0] + p[2] * q[0] * q[1] + p[1] * q[2] * q[3] + p[2] * q[3] + p[4];
    close(f.constraint([1.0, 0.0, 0.0])[0], phi, "row 0");
}

/// Φ, Φ̇, Φ̈ of (2) equal the jet of (1).
#[test]
fn rates_equal_the_jets() {
    let f = fixture();
    let jets = f.phi(&lift(&f.p), &f.jets());
    for level in 0..3 {
        let mut c = [0.0; 3];
        c[level] = 1.0;
        let explicit = f.constraint(c);
        (0..M).for_each(|k| close(explicit[k], jets[k].level(level), &format!("rate {level} of row {k}")));
    }
    let mixed = f.constraint([0.3, -0.7, 1.9]);
    (0..M).for_each(|k| close(mixed[k], 0.3 * jets[k].x - 0.7 * jets[k].d + 1.9 * jets[k].dd, "contraction"));
}

/// Φ_q is the dual of Φ; A v and A a are the rates of Φ_q.
#[test]
fn jacobian_and_its_rates_equal_duals_and_jets() {
    let f = fixture();
    let q: [Dual<f64, N>; N] = Dual::vars(&f.q);
    let phi = f.phi(&lift(&f.p), &q);
    let phi_q = f.phi_q(&f.p, &f.q);
    let rates = f.phi_q(&lift(&f.p), &f.jets());
    let (mut dphi_q, mut ddphi_q) = (vec![0.0; f.mn.nnz()], vec![0.0; f.mn.nnz()]);
    f.rows.rate_q(&f.p, 1.0, &f.v, &mut dphi_q);
    f.rows.rate_q(&f.p, 1.0, &f.a, &mut ddphi_q);
    for (k, row) in phi.iter().enumerate() {
        for i in 0..N {
            match f.mn.position(k, i) {
                Some(pos) => {
                    close(phi_q[pos], row.eps[i], &format!("Φ_q ({k}, {i})"));
                    close(dphi_q[pos], rates[pos].d, &format!("Φ̇_q ({k}, {i})"));
                    close(ddphi_q[pos], rates[pos].dd, &format!("Φ̈_q ({k}, {i})"));
                }
                None => assert_eq!(row.eps[i], 0.0, "({k}, {i}) is not in the pattern"),
            }
        }
    }
}

/// (3) is the dual of Φ_qᵀ λ, and symmetric.
#[test]
fn balance_q_equals_the_duals_and_is_symmetric() {
    let f = fixture();
    let q: [Dual<f64, N>; N] = Dual::vars(&f.q);
    let mut product = vec![Dual::from(0.0); N];
    f.mn.mul_t(&f.phi_q(&lift(&f.p), &q), 1.0, &lift(&f.lam), &mut product);
    let mut h = vec![0.0; f.nn.nnz()];
    f.rows.balance_q(&f.p, &f.lam, &mut h);
    for i in 0..N {
        for j in 0..N {
            let value = |i, j| f.nn.position(i, j).map_or(0.0, |k| h[k]);
            close(value(i, j), product[i].eps[j], &format!("(Φ_qᵀλ)_q ({i}, {j})"));
            assert_eq!(value(i, j), value(j, i));
        }
    }
}

/// (c₀Φ + c₁Φ̇ + c₂Φ̈)_p and (Φ_qᵀλ)_p equal the duals over the slots; transposes.
#[test]
fn slot_products_equal_the_duals() {
    let f = fixture();
    let c = [0.3, -0.7, 1.9];
    let p: [Dual<f64, SLOTS>; SLOTS] = Dual::vars(&f.p);
    let (q, v, a, lam) = (lift(&f.q), lift(&f.v), lift(&f.a), lift(&f.lam));
    let at = At { t: Dual::from(0.0), q: &q, v: &v, a: &a, lam: &lam };
    let (mut constraint, mut balance) = (vec![Dual::from(0.0); M], vec![Dual::from(0.0); N]);
    let phi_q = f.phi_q(&p, &q);
    f.rows.constraint(&p, &at, c, &f.mn, &phi_q, &mut constraint);
    f.mn.mul_t(&phi_q, 1.0, &lam, &mut balance);
    let (mu_m, mu_n) = ([0.4, -0.2, 1.1], [0.9, -0.3, 0.5, 0.7]);
    let (mut grad_m, mut grad_n) = ([0.0; SLOTS], [0.0; SLOTS]);
    f.rows.constraint_p_t(&f.at(), c, &mu_m, 2.0, &mut grad_m);
    f.rows.balance_p_t(&f.q, &f.lam, &mu_n, 2.0, &mut grad_n);
    for s in 0..SLOTS {
        let mut delta = [0.0; SLOTS];
        delta[s] = 1.0;
        let (mut rows, mut coords) = ([0.0; M], [0.0; N]);
        f.rows.constraint_p(&f.at(), c, &delta, &mut rows);
        f.rows.balance_p(&f.q, &f.lam, &delta, &mut coords);
        (0..M).for_each(|k| close(rows[k], constraint[k].eps[s], &format!("constraint_p ({k}, {s})")));
        (0..N).for_each(|i| close(coords[i], balance[i].eps[s], &format!("balance_p ({i}, {s})")));
        close(grad_m[s], 2.0 * (0..M).map(|k| mu_m[k] * rows[k]).sum::<f64>(), "constraint_p_t");
        close(grad_n[s], 2.0 * (0..N).map(|i| mu_n[i] * coords[i]).sum::<f64>(), "balance_p_t");
    }
}
