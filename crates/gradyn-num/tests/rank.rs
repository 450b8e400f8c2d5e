//! Known dependencies are found, with their coefficients.

use gradyn_num::{Pattern, row_dependencies};

/// Uniform in [-1, 1), xorshift.
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn full(rows: &[Vec<f64>]) -> (Pattern, Vec<f64>) {
    let (m, n) = (rows.len(), rows[0].len());
    (Pattern::from_entries(m, n, (0..m * n).map(|k| (k / n, k % n))), rows.concat())
}

/// Rows of rank r, each scaled by a different power of ten; every dependent row equals its combination.
#[test]
fn combinations_reproduce_the_dependent_rows() {
    let mut random = Random(1);
    for (m, n, r) in [(4, 6, 4), (5, 6, 3), (9, 4, 4), (12, 12, 7), (3, 5, 1)] {
        let basis: Vec<Vec<f64>> = (0..r).map(|_| (0..n).map(|_| random.next()).collect()).collect();
        let rows: Vec<Vec<f64>> = (0..m)
            .map(|i| {
                let weights: Vec<f64> = (0..r).map(|k| if i < r { f64::from(i == k) } else { random.next() }).collect();
                let scale = 10f64.powi(i as i32 % 7 - 3);
                (0..n).map(|j| scale * (0..r).map(|k| weights[k] * basis[k][j]).sum::<f64>()).collect()
            })
            .collect();
        let (pattern, values) = full(&rows);
        let found = row_dependencies(&pattern, &values, 1e-10);
        assert_eq!((found.rank, found.kept.len(), found.dependent.len()), (r, r, m - r));
        assert!(found.kept.is_sorted() && found.condition > 1e-4 && found.condition <= 1.0);
        for dependent in &found.dependent {
            let size = rows[dependent.row].iter().fold(0.0, |s: f64, x| s.max(x.abs()));
            for j in 0..n {
                let sum: f64 = dependent.on.iter().map(|&(k, c)| c * rows[k][j]).sum();
                // 1e-9: dropped coefficients are below 1e-10 of the row
                assert!((sum - rows[dependent.row][j]).abs() < 1e-9 * size);
                assert!(dependent.on.iter().all(|(k, _)| found.kept.contains(k)));
            }
        }
    }
}

/// Repeated, opposite and zero rows; the first of equal rows is kept.
#[test]
fn repeated_rows_name_the_first() {
    let rows = [vec![1.0, 2.0, 0.0], vec![0.0, 0.0, 0.0], vec![-2.0, -4.0, 0.0], vec![0.0, 1.0, 3.0], vec![1.0, 2.0, 0.0]];
    let (pattern, values) = full(&rows);
    let found = row_dependencies(&pattern, &values, 1e-12);
    assert_eq!((found.rank, found.kept), (2, vec![0, 3]));
    let rows: Vec<usize> = found.dependent.iter().map(|d| d.row).collect();
    assert_eq!(rows, [1, 2, 4]);
    assert!(found.dependent[0].on.is_empty());
    for (dependent, coefficient) in found.dependent[1..].iter().zip([-2.0, 1.0]) {
        assert_eq!(dependent.on.len(), 1);
        assert_eq!(dependent.on[0].0, 0);
        assert!((dependent.on[0].1 - coefficient).abs() < 1e-14);
    }
}

/// Unit rows at angle θ have σ_min/σ_max = tan(θ/2).
#[test]
fn condition_is_the_angle_of_two_rows() {
    for angle in [1e-6_f64, 0.1, 1.0] {
        let (pattern, values) = full(&[vec![100.0, 0.0, 0.0], vec![angle.cos(), angle.sin(), 0.0]]);
        let found = row_dependencies(&pattern, &values, 1e-9);
        assert_eq!(found.rank, 2);
        let expected = (angle / 2.0).tan();
        assert!((found.condition - expected).abs() < 1e-14, "{} against {expected}", found.condition); // σ_max 2⁻⁵² absolute
        assert_eq!(row_dependencies(&pattern, &values, 2.0 * angle.sin()).rank, if 2.0 * angle.sin() < 1.0 { 1 } else { 0 });
    }
}

#[test]
fn no_rows_have_rank_zero() {
    let found = row_dependencies(&Pattern::from_entries(0, 3, []), &[], 1e-12);
    assert_eq!((found.rank, found.condition), (0, 1.0));
}
