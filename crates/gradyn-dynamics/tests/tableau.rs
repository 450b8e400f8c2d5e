//! Butcher tableaus: order conditions by rooted trees [Hairer, Nørsett & Wanner I, Table II.2.1].
//!
//! ```text
//! Σ b_i φ_i(τ) = 1/γ(τ)   for every tree τ of order ≤ p;   Σ b_i(θ) φ_i(τ) = θ^|τ|/γ(τ)  for the continuous extension   (1)
//! ```

use gradyn_dynamics::tableau::{DOPRI5, RK4, Tableau};

/// Stages 0 … s with the node as the last (its row is b): A dense, c, b over all of them.
struct Full {
    a: Vec<Vec<f64>>,
    c: Vec<f64>,
    b: Vec<f64>,
}

fn full(t: &Tableau) -> Full {
    let s = t.rows.len();
    let pad = |row: &[f64]| (0..=s).map(|j| row.get(j).copied().unwrap_or(0.0)).collect::<Vec<_>>();
    let a = std::iter::once(pad(&[])).chain(t.rows.iter().map(|r| pad(r))).collect();
    Full { a, c: std::iter::once(0.0).chain(t.nodes.iter().copied()).collect(), b: pad(t.rows[s - 1]) }
}

impl Full {
    fn mul(&self, x: &[f64]) -> Vec<f64> {
        self.a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }
    /// (φ_i(τ), 1/γ(τ), order) for the 17 trees of order ≤ 5.
    fn trees(&self) -> Vec<(Vec<f64>, f64, i32)> {
        let times = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).collect::<Vec<f64>>();
        let one = vec![1.0; self.c.len()];
        let c = self.c.clone();
        let (c2, c3, c4) = (times(&c, &c), times(&times(&c, &c), &c), times(&times(&c, &c), &times(&c, &c)));
        let (ac, ac2, ac3) = (self.mul(&c), self.mul(&c2), self.mul(&c3));
        let (aac, aac2, aaac) = (self.mul(&ac), self.mul(&ac2), self.mul(&self.mul(&ac)));
        let list: Vec<(Vec<f64>, f64, i32)> = vec![
            (one, 1.0, 1),
            (c.clone(), 2.0, 2),
            (c2.clone(), 3.0, 3),
            (ac.clone(), 6.0, 3),
            (c3, 4.0, 4),
            (times(&c, &ac), 8.0, 4),
            (ac2.clone(), 12.0, 4),
            (aac.clone(), 24.0, 4),
            (c4, 5.0, 5),
            (times(&c2, &ac), 10.0, 5),
            (times(&c, &ac2), 15.0, 5),
            (times(&c, &aac), 30.0, 5),
            (times(&ac, &ac), 20.0, 5),
            (ac3, 20.0, 5),
            (self.mul(&times(&c, &ac)), 40.0, 5),
            (aac2, 60.0, 5),
            (aaac, 120.0, 5),
        ];
        list.into_iter().map(|(φ, γ, p)| (φ, 1.0 / γ, p)).collect()
    }
    /// Largest defect of (1) over the trees of order `p`.
    fn defect(&self, b: &[f64], p: i32, θ: f64) -> f64 {
        let sum = |φ: &[f64]| b.iter().zip(φ).map(|(b, φ)| b * φ).sum::<f64>();
        self.trees().iter().filter(|t| t.2 == p).map(|t| (sum(&t.0) - t.1 * θ.powi(p)).abs()).fold(0.0, f64::max)
    }
}

const ALL: [&Tableau; 2] = [&RK4, &DOPRI5];
/// Sums of at most 49 terms, the largest of size 12: 1e-14 is 50 roundings.
const EXACT: f64 = 1e-13;

/// Σ_j a_ij = c_i; lower triangular.
#[test]
fn rows_sum_to_their_nodes() {
    for t in ALL {
        assert_eq!(t.rows.len(), t.nodes.len(), "{}", t.name);
        for (i, (row, c)) in t.rows.iter().zip(t.nodes).enumerate() {
            let explicit = if i + 1 == t.rows.len() { t.rows.len() } else { i + 1 };
            assert!(row.len() <= explicit, "{}: row {i} is explicit", t.name);
            assert!((row.iter().sum::<f64>() - c).abs() < EXACT, "{}: row {i}", t.name);
        }
    }
}

/// (1) up to the declared order and not beyond.
#[test]
fn order_conditions_hold_up_to_the_order() {
    for t in ALL {
        let f = full(t);
        for p in 1..=5 {
            let defect = f.defect(&f.b, p, 1.0);
            if p as usize <= t.order {
                assert!(defect < EXACT, "{}: order {p}, defect {defect:.1e}", t.name);
            } else {
                assert!(defect > 1e-4, "{} is not of order {p}", t.name);
            }
        }
    }
}

/// b̂ = b - e has order 4 and not 5.
#[test]
fn embedded_method_of_dopri5_has_order_4() {
    let f = full(&DOPRI5);
    assert_eq!(DOPRI5.error.len(), f.b.len());
    let embedded: Vec<f64> = f.b.iter().zip(DOPRI5.error).map(|(b, e)| b - e).collect();
    for p in 1..=4 {
        assert!(f.defect(&embedded, p, 1.0) < EXACT, "order {p}");
    }
    assert!(f.defect(&embedded, 5, 1.0) > 1e-4);
}

/// b_j(θ) of Hermite's cubic through (y, ẏ) at both ends plus h θ²(1 - θ)² Σ d_j ẏ_j.
fn continuous(t: &Tableau, f: &Full, θ: f64) -> Vec<f64> {
    let (h10, h01, h11) = (θ * (1.0 - θ).powi(2), θ * θ * (3.0 - 2.0 * θ), θ * θ * (θ - 1.0));
    let mut b: Vec<f64> = f.b.iter().map(|b| h01 * b).collect();
    b[0] += h10;
    *b.last_mut().expect("the node") += h11;
    b.iter_mut().zip(t.dense).for_each(|(b, d)| *b += (θ * (1.0 - θ)).powi(2) * d);
    b
}

/// Hermite's cubic has order 3 in θ, and with d of DOPRI5 order 4: quartics are reproduced.
#[test]
fn continuous_extensions_have_their_order() {
    for (t, order) in [(&RK4, 3), (&DOPRI5, 4)] {
        let f = full(t);
        for k in 0..=10 {
            let θ = 0.1 * k as f64;
            let b = continuous(t, &f, θ);
            (1..=order).for_each(|p| assert!(f.defect(&b, p, θ) < EXACT, "{}: order {p} at θ = {θ}", t.name));
        }
        assert!(f.defect(&continuous(t, &f, 0.5), order + 1, 0.5) > 1e-5, "{}", t.name);
    }
}

/// ẏ = tᵏ over one step: the extension gives θ^{k+1}/(k + 1), for k ≤ 2 (cubics) and k ≤ 3 (quartics).
#[test]
fn continuous_extensions_reproduce_polynomials() {
    for (t, most) in [(&RK4, 2), (&DOPRI5, 3)] {
        let f = full(t);
        for k in 0..=most {
            for θ in [0.0, 0.17, 0.5, 0.83, 1.0] {
                let y: f64 = continuous(t, &f, θ).iter().zip(&f.c).map(|(b, c)| b * c.powi(k)).sum();
                assert!((y - θ.powi(k + 1) / f64::from(k + 1)).abs() < EXACT, "{}: t^{k} at θ = {θ}", t.name);
            }
        }
    }
}
