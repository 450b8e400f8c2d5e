//! Patterns: order, positions, products.

use gradyn_num::{Complex, Pattern, Wide};

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
    fn pattern(&mut self, rows: usize, cols: usize, fill: f64) -> Pattern {
        let all = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        Pattern::from_entries(rows, cols, all.filter(|_| self.next() < 2.0 * fill - 1.0))
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[test]
fn entries_are_sorted_and_merged() {
    let p = Pattern::from_entries(3, 4, [(2, 3), (0, 1), (2, 0), (0, 1), (2, 3)]);
    assert_eq!((p.rows(), p.cols(), p.nnz()), (3, 4, 3));
    assert_eq!(p.iter().collect::<Vec<_>>(), [(0, 1, 0), (2, 0, 1), (2, 3, 2)]);
    assert_eq!((p.row(0), p.row(1), p.row(2)), (0..1, 1..1, 1..3));
    assert_eq!((p.position(2, 3), p.position(1, 1), p.position(0, 99)), (Some(2), None, None));
    assert_eq!((0..3).map(|k| p.col(k)).collect::<Vec<_>>(), [1, 0, 3]);
}

#[test]
#[should_panic(expected = "outside")]
fn an_entry_outside_is_refused() {
    Pattern::from_entries(2, 2, [(2, 0)]);
}

/// Products with the pattern = products with the dense matrix; empty matrices too.
#[test]
fn mul_is_the_dense_product() {
    let mut random = Random(1);
    for (rows, cols) in [(0, 0), (0, 3), (3, 0), (1, 1), (5, 9), (30, 20)] {
        let p = random.pattern(rows, cols, 0.3);
        let a = random.vector(p.nnz());
        let x = random.vector(cols);
        let s = random.next();
        let mut out = random.vector(rows);
        let before = out.clone();
        p.mul(&a, s, &x, &mut out);
        for i in 0..rows {
            let sum: f64 = (0..cols).filter_map(|j| p.position(i, j).map(|k| a[k] * x[j])).sum();
            // 1e-14: 20 products of size 1 × 2⁻⁵²
            assert!((out[i] - before[i] - s * sum).abs() < 1e-14);
        }
    }
}

/// ⟨y, s A x⟩ = ⟨s Aᵀ y, x⟩.
#[test]
fn mul_t_is_the_transpose() {
    let mut random = Random(2);
    for _ in 0..20 {
        let p = random.pattern(17, 11, 0.3);
        let a = random.vector(p.nnz());
        let x = random.vector(11);
        let y = random.vector(17);
        let s = random.next();
        let mut ax = vec![0.0; 17];
        let mut aty = vec![0.0; 11];
        p.mul(&a, s, &x, &mut ax);
        p.mul_t(&a, s, &y, &mut aty);
        // 1e-14: 50 products of size 1 × 2⁻⁵²
        assert!((dot(&y, &ax) - dot(&aty, &x)).abs() < 1e-14);
    }
}

/// On duals and complex scalars the products are those of the parts; the transpose does not conjugate.
#[test]
fn products_on_other_scalars_equal_those_of_their_parts() {
    let mut random = Random(3);
    let p = random.pattern(13, 8, 0.4);
    let a = random.vector(p.nnz());
    let x = random.vector(8);
    let y = random.vector(13);
    let s = random.next();
    let mut ax = vec![0.0; 13];
    let mut aty = vec![0.0; 8];
    p.mul(&a, s, &x, &mut ax);
    p.mul_t(&a, s, &y, &mut aty);

    let i_times = |x: &[f64]| x.iter().map(|&im| Complex { re: 0.0, im }).collect::<Vec<_>>();
    let mut ax_c = i_times(&[0.0; 13]);
    let mut aty_c = i_times(&[0.0; 8]);
    p.mul(&i_times(&a), s, &i_times(&x), &mut ax_c);
    p.mul_t(&i_times(&a), s, &i_times(&y), &mut aty_c);
    assert!(ax.iter().zip(&ax_c).all(|(r, c)| *r == -c.re && c.im == 0.0));
    assert!(aty.iter().zip(&aty_c).all(|(r, c)| *r == -c.re && c.im == 0.0));

    // (a + ε a)(x + 0 ε) = a x + ε a x
    let dual = |x: &[f64], d: f64| x.iter().map(|&x| Wide::along(x, d * x)).collect::<Vec<_>>();
    let mut ax_d = vec![Wide::from(0.0); 13];
    let mut aty_d = vec![Wide::from(0.0); 8];
    p.mul(&dual(&a, 1.0), s, &dual(&x, 0.0), &mut ax_d);
    p.mul_t(&dual(&a, 1.0), s, &dual(&y, 0.0), &mut aty_d);
    assert!(ax.iter().zip(&ax_d).all(|(r, d)| *r == d.re && *r == d.eps[0]));
    assert!(aty.iter().zip(&aty_d).all(|(r, d)| *r == d.re && *r == d.eps[0]));
}
