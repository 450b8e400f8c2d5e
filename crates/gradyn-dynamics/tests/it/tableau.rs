//! Butcher tableaus: order conditions by rooted trees [Hairer, Nørsett & Wanner I, II.2].
//!
//! ```text
//! Σ b_i φ_i(τ) = 1/γ(τ)   for every tree τ of order ≤ p                                         (1)
//! Σ b_i(θ) φ_i(τ) = θ^|τ|/γ(τ)   for the continuous extension
//! φ(τ) = Π_k A φ(τ_k),  γ(τ) = |τ| Π_k γ(τ_k)   for the tree τ = [τ_1 … τ_k]                    (2)
//! B(p): Σ b_i c_i^{k-1} = 1/k,   C(q): Σ a_ij c_j^{k-1} = c_i^k/k                               (3)
//! ```

use gradyn_dynamics::tableau::{DOP853, DOPRI5, GAUSS4, RADAU3, RADAU5, RK4, Rosenbrock, SDIRK4, Tableau};

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
    /// (φ_i(τ), 1/γ(τ), order) of all trees up to an order, (2).
    fn trees(&self, most: i32) -> Vec<(Vec<f64>, f64, i32)> {
        let mut all = vec![(vec![1.0; self.c.len()], 1.0, 1)];
        for p in 2..=most {
            // subtrees in decreasing order of their number, so that each forest is met once
            let known: Vec<_> = all.iter().map(|(φ, γ, q)| (self.mul(φ), *γ, *q)).collect();
            let mut forests = vec![(vec![1.0; self.c.len()], 1.0, p - 1, known.len())];
            while let Some((φ, γ, left, below)) = forests.pop() {
                if left == 0 {
                    all.push((φ, γ / f64::from(p), p));
                    continue;
                }
                for (k, (aφ, inverse, q)) in known[..below].iter().enumerate().filter(|(_, t)| t.2 <= left) {
                    forests.push((
                        φ.iter().zip(aφ).map(|(x, y)| x * y).collect(),
                        γ * inverse,
                        left - q,
                        k + 1,
                    ));
                }
            }
        }
        all
    }
    /// Largest defect of (1) over the trees of order `p`.
    fn defect(&self, b: &[f64], p: i32, θ: f64) -> f64 {
        let sum = |φ: &[f64]| b.iter().zip(φ).map(|(b, φ)| b * φ).sum::<f64>();
        self.trees(p)
            .iter()
            .filter(|t| t.2 == p)
            .map(|t| (sum(&t.0) - t.1 * θ.powi(p)).abs())
            .fold(0.0, f64::max)
    }
}

/// Sums of at most 169 terms of size 43.
const EXACT: f64 = 1e-12;

/// 1, 1, 2, 4, 9, 20, 48, 115 rooted trees [Hairer, Nørsett & Wanner I, Table II.2.2].
#[test]
fn all_trees_are_met_once() {
    let trees = full(&RK4).trees(8);
    let counts: Vec<usize> = (1..=8).map(|p| trees.iter().filter(|t| t.2 == p).count()).collect();
    assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115]);
}

/// Σ_j a_ij = c_i; groups of blocks see themselves and those before.
#[test]
fn rows_sum_to_their_nodes() {
    for t in Tableau::ALL {
        assert_eq!(t.rows.len(), t.nodes.len(), "{}", t.name);
        assert_eq!(
            t.groups().flatten().collect::<Vec<_>>(),
            (0..t.rows.len()).collect::<Vec<_>>(),
            "{}",
            t.name
        );
        for group in t.groups() {
            let seen = if t.is_implicit(group.clone()) { group.end + 1 } else { group.start + 1 };
            assert!(t.rows[group].iter().all(|row| row.len() <= seen), "{}", t.name);
        }
        for (i, (row, c)) in t.rows.iter().zip(t.nodes).enumerate() {
            assert!((row.iter().sum::<f64>() - c).abs() < EXACT, "{}: row {i}", t.name);
        }
    }
}

/// (1) up to the declared order and not beyond.
#[test]
fn order_conditions_hold_up_to_the_order() {
    for t in Tableau::ALL {
        let f = full(t);
        for p in 1..=t.order as i32 + 1 {
            let defect = f.defect(&f.b, p, 1.0);
            if p as usize <= t.order {
                assert!(defect < EXACT, "{}: order {p}, defect {defect:.1e}", t.name);
            } else {
                // 3e-7: DOP853, whose trees of order 9 have 1/γ from 3e-6 to 0.1
                assert!(defect > 3e-7, "{} is not of order {p}: {defect:.1e}", t.name);
            }
        }
    }
}

/// b̂ = b - e has the order that the power of h in the estimate says: h^{p+1}, and h^p for DOPRI5 and DOP853,
/// whose local error of order 4 and whose estimate |e₅|²/√(|e₅|² + 0.01|e₃|²) of h^6 h^6/h^4 carry on the
/// better solution.
#[test]
fn embedded_methods_have_their_order() {
    let embedded = |f: &Full, e: &[f64]| {
        f.b.iter().enumerate().map(|(j, b)| b - e.get(j).unwrap_or(&0.0)).collect::<Vec<f64>>()
    };
    let cases = [
        (&DOPRI5, DOPRI5.error, 4),
        (&SDIRK4, SDIRK4.error, 3),
        (&DOP853, DOP853.error, 5),
        (&DOP853, DOP853.lower, 3),
    ];
    for (t, e, order) in cases {
        let (f, e) = (full(t), e);
        let b = embedded(&f, e);
        (1..=order).for_each(|p| assert!(f.defect(&b, p, 1.0) < EXACT, "{}: order {p}", t.name));
        assert!(f.defect(&b, order + 1, 1.0) > 1e-5, "{}", t.name);
    }
}

/// Estimates of coupled schemes vanish for slopes that are polynomials through their blocks, and not for the
/// next power; they begin with γ₀.
#[test]
fn estimates_of_coupled_schemes_are_interpolation_errors() {
    for t in [&GAUSS4, &RADAU3, &RADAU5] {
        let sum = |k: i32| t.error[1..].iter().zip(t.nodes).map(|(e, c)| e * c.powi(k)).sum::<f64>();
        assert_eq!(t.error[0], t.filter, "{}", t.name);
        assert!((sum(0) + t.filter).abs() < EXACT, "{}", t.name);
        (1..t.estimate as i32 - 1).for_each(|k| assert!(sum(k).abs() < EXACT, "{}: t^{k}", t.name));
        assert!(sum(t.estimate as i32 - 1).abs() > 1e-3, "{}", t.name);
    }
}

/// B(p) and C(q), (3): quadrature of the order, stages of the order of their number; diagonally implicit
/// stages of order 1.
#[test]
fn implicit_schemes_satisfy_the_simplifying_conditions() {
    for (t, stages, stage_order) in [(&GAUSS4, 2, 2), (&RADAU3, 2, 2), (&RADAU5, 3, 3), (&SDIRK4, 5, 1)] {
        let f = full(t);
        let sum = |row: &[f64], k: i32| row.iter().zip(&f.c).map(|(a, c)| a * c.powi(k - 1)).sum::<f64>();
        (1..=t.order as i32)
            .for_each(|k| assert!((sum(&f.b, k) - 1.0 / f64::from(k)).abs() < EXACT, "{}: B({k})", t.name));
        for k in 1..=stage_order {
            let worst = (1..=stages)
                .map(|i| (sum(&f.a[i], k) - f.c[i].powi(k) / f64::from(k)).abs())
                .fold(0.0, f64::max);
            assert!(worst < EXACT, "{}: C({k})", t.name);
        }
    }
}

/// R(∞) = 0: the last row of A is b, and A is regular. γ₀ of RADAU5 is an eigenvalue of A, the others moduli
/// of eigenvalues.
#[test]
fn filters_belong_to_their_schemes() {
    for t in [&RADAU3, &RADAU5, &SDIRK4] {
        assert!(
            t.rows.last().and_then(|b| b.last()).is_some_and(|b| *b != 0.0),
            "{}: the node is a stage",
            t.name
        );
    }
    let a = |t: &Tableau, i: usize, j: usize| t.a(i, j + 1);
    for t in [&GAUSS4, &RADAU3] {
        let det = a(t, 0, 0) * a(t, 1, 1) - a(t, 0, 1) * a(t, 1, 0);
        assert!((t.filter - det.sqrt()).abs() < 1e-15, "{}", t.name);
    }
    let minor = |γ: f64, r: [usize; 2], c: [usize; 2]| {
        let e = |i: usize, j: usize| a(&RADAU5, r[i], c[j]) - if r[i] == c[j] { γ } else { 0.0 };
        e(0, 0) * e(1, 1) - e(0, 1) * e(1, 0)
    };
    let γ = RADAU5.filter;
    let det = (a(&RADAU5, 0, 0) - γ) * minor(γ, [1, 2], [1, 2]) - a(&RADAU5, 0, 1) * minor(γ, [1, 2], [0, 2])
        + a(&RADAU5, 0, 2) * minor(γ, [1, 2], [0, 1]);
    assert!(det.abs() < 1e-16, "{det:.1e}");
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

/// Conditions of Rosenbrock methods up to order 4, with β = α + γ [Hairer & Wanner II, Table IV.7.1], and of
/// the embedded ones.
#[test]
fn rosenbrock_schemes_have_their_order() {
    for t in Rosenbrock::ALL {
        let (s, n) = (t.scheme(), t.m.len());
        let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>();
        let β = |i: usize, j: usize| s.alpha[i][j] + s.gamma[i][j];
        let (α1, β1) = (|i: usize| s.node(i), |i: usize| sum(&|j| β(i, j)));
        let ββ = |i: usize| sum(&|j| β(i, j) * β1(j));
        let conditions: [(usize, &dyn Fn(usize) -> f64, f64); 8] = [
            (1, &|_| 1.0, 1.0),
            (2, &β1, 1.0 / 2.0),
            (3, &|i| α1(i).powi(2), 1.0 / 3.0),
            (3, &ββ, 1.0 / 6.0),
            (4, &|i| α1(i).powi(3), 1.0 / 4.0),
            (4, &|i| α1(i) * sum(&|j| s.alpha[i][j] * β1(j)), 1.0 / 8.0),
            (4, &|i| sum(&|j| β(i, j) * α1(j).powi(2)), 1.0 / 12.0),
            (4, &|i| sum(&|j| β(i, j) * ββ(j)), 1.0 / 24.0),
        ];
        let defect = |b: &[f64], order: usize| {
            let of = conditions.iter().filter(|c| c.0 == order);
            of.map(|(_, φ, value)| (sum(&|i| b[i] * φ(i)) - value).abs()).fold(0.0, f64::max)
        };
        // published to 16 digits, products of size 30
        (1..=t.order)
            .for_each(|p| assert!(defect(&s.b, p) < 1e-12, "{}: order {p}: {:.1e}", t.name, defect(&s.b, p)));
        let embedded: Vec<f64> = s.b.iter().zip(&s.error).map(|(b, e)| b - e).collect();
        (1..t.estimate)
            .for_each(|p| assert!(defect(&embedded, p) < 1e-12, "{}: embedded, order {p}", t.name));
        assert!(defect(&embedded, t.estimate) > 1e-4, "{}", t.name);
        assert!(t.order == 4 || defect(&s.b, t.order + 1) > 1e-4, "{}", t.name);
        assert!((0..n).all(|i| (s.gamma[i][i] - t.gamma).abs() < 1e-15), "{}: one matrix", t.name);
    }
}

/// |R(-z)| ≤ 1 up to the given part of the negative real axis, and not much farther.
#[test]
fn stability_on_the_real_axis() {
    for (t, limit) in Tableau::ALL.iter().filter_map(|t| Some((t, t.stability?))) {
        let full = full(t);
        // y' = λy: ŷ_i = 1 + z Σ_j a_ij ŷ_j, the last one is R(z)
        let growth = |z: f64| {
            let mut y: Vec<f64> = vec![];
            full.a
                .iter()
                .for_each(|row| y.push(1.0 + z * row.iter().zip(&y).map(|(a, y)| a * y).sum::<f64>()));
            y[y.len() - 1].abs()
        };
        assert!((1..=100).all(|k| growth(-limit * f64::from(k) / 100.0) <= 1.0), "{}", t.name);
        assert!(growth(-1.1 * limit) > 1.0, "{}", t.name);
    }
}
