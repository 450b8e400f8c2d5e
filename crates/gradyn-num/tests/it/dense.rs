//! Dense LU and LDLᵀ.

use gradyn_num::{DenseLdl, DenseLu, Singular};

/// Uniform in [-1, 1), xorshift.
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

fn mul(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn transpose(a: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|k| a[(k % n) * n + k / n]).collect()
}

/// |A x - b| ≤ tol |A| |x|: backward error of a few roundings.
fn assert_solves(a: &[f64], x: &[f64], b: &[f64]) {
    let size = a.iter().chain(x).fold(1.0, |m: f64, a| m.max(a.abs()));
    for (ax, b) in mul(a, x).iter().zip(b) {
        // 1e-13: growth of partial pivoting (< 10 here) × n ≤ 50 × 2⁻⁵²
        assert!((ax - b).abs() <= 1e-13 * size * size, "{ax:e} against {b:e}");
    }
}

/// A A⁻¹ b = b and Aᵀ A⁻ᵀ b = b, full and half-empty matrices, each factorised in the same memory.
#[test]
fn lu_solves() {
    let mut random = Random(1);
    for n in 0..=50 {
        let mut lu = DenseLu::new(n);
        for sparse in [false, true] {
            // A, full or with half of its entries
            let mut a = random.vector(n * n);
            if sparse {
                a.iter_mut()
                    .enumerate()
                    .for_each(|(k, a)| *a *= f64::from(k % n == (k / n + 1) % n || k % 2 == 0));
            }

            // A x = b, Aᵀ y = b
            let b = random.vector(n);
            lu.matrix_mut().copy_from_slice(&a);
            lu.factor().unwrap();
            let mut x = b.clone();
            let mut y = b.clone();
            lu.solve(&mut x);
            lu.solve_t(&mut y);
            if n > 0 {
                assert_solves(&a, &x, &b);
                assert_solves(&transpose(&a, n), &y, &b);
            }
        }
    }
}

/// Entries of very different size, exact solution known: A = P D with a permutation and powers of two.
#[test]
fn lu_of_a_scaled_permutation_is_exact() {
    let n = 7;
    let mut lu = DenseLu::new(n);
    for i in 0..n {
        lu.matrix_mut()[i * n + (3 * i + 2) % n] = 2f64.powi(40 * (i as i32 - 3));
    }
    lu.factor().unwrap();
    let mut b: Vec<f64> = (0..n).map(|i| 2f64.powi(40 * (i as i32 - 3)) * (i + 1) as f64).collect();
    lu.solve(&mut b);
    for i in 0..n {
        assert_eq!(b[(3 * i + 2) % n], (i + 1) as f64);
    }
}

/// The column that depends on those before it is named; so is one with NaN or ∞; a later factorisation
/// recovers.
#[test]
fn lu_reports_the_singular_column() {
    let n = 10;
    let mut random = Random(2);
    let good = random.vector(n * n);
    let mut lu = DenseLu::new(n);
    for k in 1..n {
        // column k depends on those before it
        let mut a = good.clone();
        for i in 0..n {
            a[i * n + k] = 0.3 * a[i * n] - if k > 1 { 2.0 * a[i * n + k - 1] } else { 0.0 };
        }
        lu.matrix_mut().copy_from_slice(&a);
        assert_eq!(lu.factor(), Err(Singular { index: k }));

        // or holds a value that is not finite
        for bad in [f64::NAN, f64::INFINITY] {
            a[3 * n + k] = bad;
            lu.matrix_mut().copy_from_slice(&a);
            assert_eq!(lu.factor(), Err(Singular { index: k }));
        }

        // a good matrix in the same memory
        lu.matrix_mut().copy_from_slice(&good);
        lu.factor().unwrap();
    }
    lu.matrix_mut().fill(0.0);
    assert_eq!(lu.factor(), Err(Singular { index: 0 }));
}

#[test]
#[should_panic(expected = "without a factorisation")]
fn a_failed_factorisation_does_not_solve() {
    let mut lu = DenseLu::new(2);
    assert!(lu.factor().is_err());
    lu.solve(&mut [1.0, 1.0]);
}

/// A A⁻¹ b = b for A = G Gᵀ + 1/10.
#[test]
fn ldl_solves() {
    let mut random = Random(3);
    for n in 0..=20 {
        // A = G Gᵀ + 1/10
        let g = random.vector(n * n);
        let a: Vec<f64> = (0..n * n)
            .map(|k| {
                (0..n).map(|l| g[k / n * n + l] * g[k % n * n + l]).sum::<f64>()
                    + f64::from(k / n == k % n) / 10.0
            })
            .collect();
        let mut ldl = DenseLdl::new(n);
        for i in 0..n {
            ldl.row_mut(i)[i..].copy_from_slice(&a[i * n + i..(i + 1) * n]);
        }

        // A x = b
        ldl.factor(1e-13).unwrap();
        let b = random.vector(n);
        let mut x = b.clone();
        ldl.solve(&mut x);
        if n > 0 {
            assert_solves(&a, &x, &b);
        }
    }
}

/// [1 2; 2 1] is indefinite in its second pivot, [1 1; 1 1] singular there, NaN anywhere is an error.
#[test]
fn ldl_reports_the_pivot_that_is_not_positive() {
    let mut ldl = DenseLdl::new(2);
    for (a, index) in [
        ([1.0, 2.0, 1.0], 1),
        ([1.0, 1.0, 1.0], 1),
        ([0.0, 1.0, 1.0], 0),
        ([1.0, f64::NAN, 1.0], 1),
        ([f64::INFINITY, 0.0, 1.0], 0),
    ] {
        ldl.row_mut(0).copy_from_slice(&a[..2]);
        ldl.row_mut(1)[1] = a[2];
        assert_eq!(ldl.factor(1e-13), Err(Singular { index }));
    }
}
