//! The saddle-point matrix: both ways solve it, c = 0 included, and dependent rows are named.

use gradyn_num::{FactorError, Kkt, Pattern, Singular};

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

/// Symmetric band A, `mass` on the diagonal, and J with 4 entries per row.
struct Case {
    nn: Pattern,
    a: Vec<f64>,
    mn: Pattern,
    j: Vec<f64>,
}

fn case(n: usize, m: usize, mass: impl Fn(usize) -> f64, random: &mut Random) -> Case {
    let nn = Pattern::from_entries(
        n,
        n,
        (0..n).flat_map(|i| (i.saturating_sub(2)..(i + 3).min(n)).map(move |j| (i, j))),
    );
    let off = random.vector(n * n);
    let a = nn
        .iter()
        .map(|(i, j, _)| if i == j { mass(i) } else { 0.2 * off[i.min(j) * n + i.max(j)] })
        .collect();
    let mn = Pattern::from_entries(
        m,
        n,
        (0..m).flat_map(|i| (0..4).map(move |k| (i, (i * (n / m.max(1)).max(1) + k) % n))),
    );
    let j = random.vector(mn.nnz());
    Case { nn, a, mn, j }
}

/// K b for b = (x, λ).
fn mul(case: &Case, c: f64, b: &[f64]) -> Vec<f64> {
    let n = case.nn.rows();
    let mut out = vec![0.0; b.len()];
    let ((x, lam), (f, g)) = (b.split_at(n), out.split_at_mut(n));
    case.nn.mul(&case.a, 1.0, x, f);
    case.mn.mul_t(&case.j, 1.0, lam, f);
    case.mn.mul(&case.j, 1.0, x, g);
    g.iter_mut().zip(lam).for_each(|(g, lam)| *g -= c * lam);
    out
}

fn assert_solves(kkt: &mut Kkt, case: &Case, c: f64, random: &mut Random) {
    kkt.refactor(&case.j, |_| c).unwrap();
    let b = random.vector(case.nn.rows() + case.mn.rows());
    let mut x = b.clone();
    kkt.solve(&mut x);
    let scale = x.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (kx, b) in mul(case, c, &x).iter().zip(&b) {
        // 1e-12: condition of A (< 100) × that of S in units of its diagonal (< 100) × 2⁻⁵²
        assert!((kx - b).abs() < 1e-12 * scale, "{kx:e} against {b:e}, solution {scale:e}");
    }
}

/// K K⁻¹ b = b, by the Schur complement (n ≤ 40, A definite) and by the LU (n > 40, or A indefinite, or A
/// singular).
#[test]
fn both_ways_solve() {
    let mut random = Random(1);
    for (n, m) in [(1, 0), (3, 1), (6, 4), (7, 5), (33, 20), (40, 30), (41, 30), (120, 50)] {
        for definite in [true, false] {
            let case = case(n, m, |i| if definite || i % 2 == 1 { 2.0 } else { -2.0 }, &mut random);
            let mut kkt = Kkt::new(&case.nn, &case.mn).unwrap();
            kkt.prepare(&case.a).unwrap();
            assert_eq!(kkt.uses_schur(), definite && n <= 40);
            for c in [0.0, 1e-9, 1e3] {
                assert_solves(&mut kkt, &case, c, &mut random);
            }
        }
    }
    // a massless coordinate held by a constraint
    let case = case(6, 4, |i| if i == 0 { 0.0 } else { 2.0 }, &mut random);
    let mut kkt = Kkt::new(&case.nn, &case.mn).unwrap();
    kkt.prepare(&case.a).unwrap();
    assert!(!kkt.uses_schur());
    assert_solves(&mut kkt, &case, 0.0, &mut random);
}

/// Row `k` of J = the sum of rows 0 and 1 (all on the same columns): named for c = 0, solved for c > 0.
#[test]
fn dependent_rows_are_named() {
    let mut random = Random(2);
    // 20: Schur complement; 70: sparse LU
    for n in [20, 70] {
        let case = case(n, 0, |_| 2.0, &mut random);
        let mn = Pattern::from_entries(4, n, (0..4).flat_map(|i| (0..n).map(move |j| (i, j))));
        for k in [2, 3] {
            let mut j = random.vector(mn.nnz());
            (0..n).for_each(|l| j[k * n + l] = j[l] + j[n + l]);
            let mut kkt = Kkt::new(&case.nn, &mn).unwrap();
            kkt.prepare(&case.a).unwrap();
            let Singular { index } = kkt.refactor(&j, |_| 0.0).unwrap_err();
            if kkt.uses_schur() {
                assert_eq!(index, k);
            } else {
                assert!([0, 1, k].contains(&index), "row {index}");
            }
            let regular = Case { nn: case.nn.clone(), a: case.a.clone(), mn: mn.clone(), j };
            assert_eq!(kkt.refactor(&regular.j, |_| 1e-2), Ok(()));
            assert_solves(&mut kkt, &regular, 1e-2, &mut random);
        }
    }
}

/// A coordinate without mass and constraint is m + k; NaN is an error in A, J and c.
#[test]
fn free_coordinates_and_nan_are_errors() {
    let nn = Pattern::from_entries(3, 3, [(0, 0), (1, 1), (2, 2)]);
    let mn = Pattern::from_entries(1, 3, [(0, 0), (0, 1)]);
    let mut kkt = Kkt::new(&nn, &mn).unwrap();
    kkt.prepare(&[1.0, 1.0, 0.0]).unwrap();
    assert_eq!(kkt.refactor(&[1.0, 1.0], |_| 0.0), Err(Singular { index: 1 + 2 }));
    assert_eq!(kkt.prepare(&[1.0, f64::NAN, 0.0]), Err(FactorError::NotFinite { position: 1 }));
    kkt.prepare(&[1.0, 1.0, 1.0]).unwrap();
    assert_eq!(kkt.refactor(&[1.0, f64::NAN], |_| 0.0), Err(Singular { index: 0 }));
    assert_eq!(kkt.refactor(&[1.0, 1.0], |_| f64::NAN), Err(Singular { index: 0 }));
    assert_eq!(kkt.refactor(&[0.0, 0.0], |_| 0.0), Err(Singular { index: 0 }));
    assert_eq!(kkt.refactor(&[1.0, 1.0], |_| 0.0), Ok(()));
}

#[test]
#[should_panic(expected = "without a factorisation")]
fn a_new_mass_matrix_needs_a_new_factorisation() {
    let mut kkt = Kkt::new(&Pattern::from_entries(1, 1, [(0, 0)]), &Pattern::from_entries(0, 1, [])).unwrap();
    kkt.prepare(&[1.0]).unwrap();
    kkt.refactor(&[], |_| 0.0).unwrap();
    kkt.prepare(&[2.0]).unwrap();
    kkt.solve(&mut [1.0]);
}

#[test]
fn shapes_are_checked() {
    let nn = Pattern::from_entries(3, 3, []);
    let wide = Pattern::from_entries(3, 4, []);
    assert_eq!(Kkt::new(&wide, &wide).err(), Some(FactorError::NotSquare { rows: 3, cols: 4 }));
    assert_eq!(Kkt::new(&nn, &wide).err(), Some(FactorError::Mismatch { n: 3, cols: 4 }));
}

/// A coordinate almost without mass, such as that across a plate: S would be differences of 1e14, K is as
/// good as J.
#[test]
fn light_coordinates_do_not_cost_digits() {
    let nn = Pattern::from_entries(2, 2, [(0, 0), (1, 1)]);
    let mn = Pattern::from_entries(2, 2, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let mut k = Kkt::new(&nn, &mn).unwrap();
    for light in [1e-3, 1e-9, 1e-14, 0.0] {
        k.prepare(&[1.0, light]).unwrap();
        k.refactor(&[0.6, 0.8, 0.8, -0.6], |_| 0.0).unwrap();
        let mut b = [0.0, 0.0, 1.0, 2.0];
        k.solve(&mut b);
        assert!((b[0] - 2.2).abs() < 1e-12 && (b[1] + 0.4).abs() < 1e-12, "{light}: {b:?}");
    }
}

/// Positions where A is zero are left out of K: the solution is the same.
#[test]
fn zeros_of_a_are_left_out() {
    let n = 60;
    let nn = Pattern::from_entries(n, n, (0..n).flat_map(|i| (0..n).map(move |j| (i, j))));
    let mn =
        Pattern::from_entries(20, n, (0..20).flat_map(|i| (0..4).map(move |j| (i, (3 * i + 2 * j) % n))));
    let a: Vec<f64> = nn.iter().map(|(i, j, _)| if i == j { 2.0 + (i % 3) as f64 } else { 0.0 }).collect();
    let diagonal: Vec<u32> = (0..n).map(|i| nn.at(i, i)).collect();
    let j: Vec<f64> = (0..mn.nnz()).map(|p| 1.0 + (p * 7 % 5) as f64).collect();
    let solve = |mut kkt: Kkt| {
        kkt.prepare(&a).unwrap();
        kkt.refactor(&j, |_| 1e-9).unwrap();
        assert!(!kkt.uses_schur());
        let mut b: Vec<f64> = (0..n + 20).map(|i| (i % 11) as f64 - 5.0).collect();
        kkt.solve(&mut b);
        b
    };
    let all = solve(Kkt::new(&nn, &mn).unwrap());
    let few = solve(Kkt::sparser(&nn, &mn, &diagonal).unwrap());
    let scale = all.iter().fold(1.0f64, |s, x| s.max(x.abs()));
    // 1e-11: condition ≤ 1e4 × 2⁻⁵²
    assert!(all.iter().zip(&few).all(|(x, y)| (x - y).abs() <= 1e-11 * scale), "{all:?}, {few:?}");
}
