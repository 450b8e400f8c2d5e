//! Known dependencies are found, with their coefficients.

use gradyn_num::{Dependencies, Dependent, Independence, Pattern, free_columns, row_dependencies};

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
    let m = rows.len();
    let n = rows[0].len();
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
                let weights: Vec<f64> =
                    (0..r).map(|k| if i < r { f64::from(i == k) } else { random.next() }).collect();
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
    // rows 0 and 3 are independent
    let rows = [
        vec![1.0, 2.0, 0.0],
        vec![0.0, 0.0, 0.0],
        vec![-2.0, -4.0, 0.0],
        vec![0.0, 1.0, 3.0],
        vec![1.0, 2.0, 0.0],
    ];
    let (pattern, values) = full(&rows);
    let found = row_dependencies(&pattern, &values, 1e-12);
    assert_eq!((found.rank, found.kept), (2, vec![0, 3]));

    // the others are nothing, -2 and 1 times row 0
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
        // 1e-14: σ_max 2⁻⁵², absolute
        assert!((found.condition - expected).abs() < 1e-14, "{} against {expected}", found.condition);
        assert_eq!(
            row_dependencies(&pattern, &values, 2.0 * angle.sin()).rank,
            if 2.0 * angle.sin() < 1.0 { 1 } else { 0 }
        );
    }
}

#[test]
fn no_rows_have_rank_zero() {
    let found = row_dependencies(&Pattern::from_entries(0, 3, []), &[], 1e-12);
    assert_eq!((found.rank, found.condition), (0, 1.0));
}

/// A band of `m` rows, 4 entries each, and two rows that depend on neighbours; more rows than the dense
/// analysis takes, or not.
fn band(m: usize, random: &mut Random) -> (Pattern, Vec<f64>, Vec<(usize, [usize; 2])>) {
    let n = 2 * m;
    let mut rows: Vec<Vec<(usize, f64)>> =
        (0..m).map(|i| (0..4).map(|k| ((2 * i + k) % n, random.next())).collect()).collect();

    // two rows are 2 and -3 times the rows before them
    let mut made = vec![];
    for at in [m / 3, m - 5] {
        let mut sum = [0.0; 8];
        for (k, s) in [(at - 2, 2.0), (at - 1, -3.0)] {
            rows[k].iter().for_each(|&(j, a)| sum[j - 2 * (at - 2)] += s * a);
        }
        rows[at] = (0..6).map(|k| (2 * (at - 2) + k, sum[k])).collect();
        made.push((at, [at - 2, at - 1]));
    }

    // their pattern and values
    let entries = rows.iter().enumerate().flat_map(|(i, r)| r.iter().map(move |e| (i, e.0)));
    let pattern = Pattern::from_entries(m, n, entries);
    let mut values = vec![0.0; pattern.nnz()];
    for (i, row) in rows.iter().enumerate() {
        row.iter().for_each(|&(j, a)| values[pattern.position(i, j).unwrap()] = a);
    }
    (pattern, values, made)
}

/// Dense (60 rows) and sparse (300 rows): the rank, the rows of each dependency, and as many open columns as
/// are missing.
#[test]
fn large_matrices_are_analysed_like_small_ones() {
    let mut random = Random(5);
    for m in [60, 300] {
        let (pattern, values, made) = band(m, &mut random);
        let found = row_dependencies(&pattern, &values, 1e-9);
        assert_eq!((found.rank, found.kept.len()), (m - 2, m - 2), "{m} rows");
        for (dependent, (row, on)) in found.dependent.iter().zip(made) {
            // any of the three rows may be the one that is named
            let mut named: Vec<usize> = dependent.on.iter().map(|o| o.0).chain([dependent.row]).collect();
            named.sort_unstable();
            assert_eq!(named, [on[0], on[1], row], "{m} rows");
            let mut rest = vec![0.0; pattern.cols()];
            for (k, c) in dependent.on.iter().copied().chain([(dependent.row, -1.0)]) {
                pattern.row(k).for_each(|p| rest[pattern.col(p)] += c * values[p]);
            }
            // 1e-12: coefficients ≤ 1e2 × 2⁻⁵²
            assert!(rest.iter().all(|x| x.abs() < 1e-12), "the combination is the row");
        }
        let open = free_columns(&pattern, &values, 1e-9);
        assert_eq!(open.len(), pattern.cols() - found.rank);
        let entries =
            pattern.iter().map(|(i, j, _)| (i, j)).chain(open.iter().enumerate().map(|(k, &j)| (m + k, j)));
        let all = Pattern::from_entries(m + open.len(), pattern.cols(), entries);
        let both: Vec<f64> = values.iter().copied().chain(open.iter().map(|_| 1.0)).collect();
        assert_eq!(
            row_dependencies(&all, &both, 1e-12).rank,
            pattern.cols(),
            "rows and open columns span everything"
        );
    }
}

/// σ_min/σ_max of the sparse analysis is that of the dense one, for a band whose values are known: 2 and 1
/// beside it.
#[test]
fn condition_of_a_large_matrix() {
    let of = |m: usize| {
        let entries = (0..m).flat_map(|i| [(i, i), (i, i + 1)]);
        let pattern = Pattern::from_entries(m, m + 1, entries);
        let values: Vec<f64> = pattern.iter().map(|(i, j, _)| if i == j { 2.0 } else { 1.0 }).collect();
        row_dependencies(&pattern, &values, 1e-9).condition
    };
    // â âᵀ = tridiagonal(2/5, 1, 2/5): σ² = 1 ± 4/5 cos(π/(m + 1))
    for m in [30, 300] {
        let c = 0.8 * (std::f64::consts::PI / (m as f64 + 1.0)).cos();
        let exact = ((1.0 - c) / (1.0 + c)).sqrt();
        let tolerance = if m > 64 { 0.05 } else { 1e-12 }; // power iteration, from inside
        assert!((of(m) / exact - 1.0).abs() < tolerance, "{m} rows: {} against {exact}", of(m));
    }
}

/// Few rows by angles, many by sparse pivots: both measures vanish with the angle between two rows, in
/// proportion.
#[test]
fn independence_vanishes_where_rows_become_dependent() {
    for m in [5, 200] {
        // a band of ones and halves, the last two rows at an angle θ
        let entries = (0..m).flat_map(|i| [(i, i), (i, i + 1)]).chain([(m - 1, m - 2)]);
        let pattern = Pattern::from_entries(m, m + 1, entries);
        let rows: Vec<u32> = (0..m as u32).collect();
        let mut measure = Independence::new(&pattern, &rows);
        let mut at = |θ: f64| {
            let mut values = vec![0.0; pattern.nnz()];
            for i in 0..m - 1 {
                values[pattern.at(i, i) as usize] = 1.0;
                values[pattern.at(i, i + 1) as usize] = 0.5;
            }
            values[pattern.at(m - 1, m - 2) as usize] = 1.0;
            values[pattern.at(m - 1, m - 1) as usize] = 0.5;
            values[pattern.at(m - 1, m) as usize] = θ;
            (measure.measure(&pattern, &values), measure.condition(&pattern, &values))
        };
        let [(far, _), (near, condition), (zero, _)] = [1e-2, 1e-5, 0.0].map(&mut at);
        assert!(
            far > 1e-3 && (far / near - 1e3).abs() < 30.0 && zero < 1e-15,
            "{m} rows: {far} {near} {zero}"
        );
        assert!(condition < 1e-5 && condition > 1e-6, "{m} rows: {condition}");
    }
}

/// A row of roundings is dependent, in small and in large matrices.
#[test]
fn rows_of_roundings_are_dependent() {
    for n in [4, 80] {
        let entries: Vec<(usize, usize)> = (0..n).map(|i| (i, i)).collect();
        let pattern = Pattern::from_entries(n, n, entries);
        let mut values = vec![1.0; n];
        values[2] = 3e-17;
        let found = row_dependencies(&pattern, &values, 1e-9);
        assert_eq!(
            found.dependent.iter().map(|d| (d.row, d.on.len())).collect::<Vec<_>>(),
            [(2, 0)],
            "{n} rows"
        );
        // a door on two hinges, in joint coordinates: all rows of the second
        assert_eq!(row_dependencies(&pattern, &vec![3e-17; n], 1e-9).rank, 0, "{n} rows");
    }
}

/// A row that is nearly independent of the others stays: one with a large share of the dependency is left out
/// for it.
#[test]
fn rows_with_large_shares_are_left_out() {
    let (pattern, values) = full(&[vec![1.0, 0.0], vec![1.0, 0.01], vec![0.0, 1.0]]);
    let dependent = vec![Dependent { row: 2, on: vec![(0, -100.0), (1, 100.0)] }];
    let mut found = Dependencies { rank: 2, kept: vec![0, 1], dependent, condition: 0.005 };
    found.exchange(&pattern, &values);
    assert_eq!(found.kept, [0, 2]);
    assert_eq!(found.dependent, [Dependent { row: 1, on: vec![(0, 1.0), (2, 0.01)] }]);
    // and once more changes nothing
    let before = found.clone();
    found.exchange(&pattern, &values);
    assert_eq!(found, before);
}
