//! Dense and sparse factorisations behind one interface; no allocation after construction, of these and of
//! the KKT.
#![allow(unsafe_code)] // the counting allocator

use gradyn_num::factor::dense_up_to;
use gradyn_num::{Factor, FactorError, Kkt, Pattern, Singular, SparseLu};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;
thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });

// SAFETY: System does the work; the counter is a constant-initialised thread local without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.realloc(p, layout, size) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    f();
    ALLOCATIONS.get() - before
}

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

/// Chain of n/2 planar points, block-diagonal A, one row of J between neighbours.
fn chain(points: usize) -> (Pattern, Pattern) {
    let n = 2 * points;
    let nn = Pattern::from_entries(n, n, (0..n).flat_map(|i| [(i, i), (i, i ^ 1)]));
    let mn = Pattern::from_entries(
        points - 1,
        n,
        (0..points - 1).flat_map(|i| (2 * i..2 * i + 4).map(move |j| (i, j))),
    );
    (nn, mn)
}

/// `[A Jᵀ; J 0]` of a chain with positive definite A + unsymmetric stiffness, rows and columns badly scaled.
fn chain_kkt(points: usize, random: &mut Random) -> (Pattern, Vec<f64>) {
    let (nn, mn) = chain(points);
    let n = nn.rows();
    let mut entries: Vec<(usize, usize, f64)> =
        nn.iter().map(|(i, j, _)| (i, j, f64::from(i == j) * 3.0 + random.next())).collect();
    for (i, j, _) in mn.iter() {
        let x = random.next() + f64::from((i + j) % 2 == 0);
        entries.extend([(n + i, j, x), (j, n + i, x)]);
    }
    let size = n + mn.rows();
    let pattern = Pattern::from_entries(size, size, entries.iter().map(|&(i, j, _)| (i, j)));
    let mut values = vec![0.0; pattern.nnz()];
    for (i, j, x) in entries {
        values[pattern.position(i, j).unwrap()] = x;
    }
    (pattern, values)
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn assert_close(x: &[f64], y: &[f64], tolerance: f64) {
    let scale = 1.0 + largest(y);
    for (x, y) in x.iter().zip(y) {
        assert!((x - y).abs() <= tolerance * scale, "{x:e} against {y:e} of {scale:e}");
    }
}

/// A A⁻¹ b = b, Aᵀ A⁻ᵀ b = b, ⟨A⁻¹ b, c⟩ = ⟨b, A⁻ᵀ c⟩, dense = sparse, on random KKT matrices.
#[test]
fn dense_and_sparse_solve_the_same() {
    let mut random = Random(1);
    for points in [2, 3, 5, 10, 40] {
        let (pattern, values) = chain_kkt(points, &mut random);
        let size = pattern.rows();
        let mut dense = Factor::dense(&pattern).unwrap();
        let mut sparse = Factor::sparse(&pattern).unwrap();
        dense.refactor(&values).unwrap();
        sparse.refactor(&values).unwrap();
        let b = random.vector(size);
        let c = random.vector(size);
        let mut xd = b.clone();
        let mut xs = b.clone();
        let mut yd = c.clone();
        let mut ys = c.clone();
        dense.solve(&mut xd);
        sparse.solve(&mut xs);
        dense.solve_t(&mut yd);
        sparse.solve_t(&mut ys);
        // 1e-12: condition ≤ 1e3 × 2⁻⁵²
        assert_close(&xd, &xs, 1e-12);
        assert_close(&yd, &ys, 1e-12);
        let mut ax = vec![0.0; size];
        let mut aty = vec![0.0; size];
        pattern.mul(&values, 1.0, &xs, &mut ax);
        pattern.mul_t(&values, 1.0, &ys, &mut aty);
        assert_close(&ax, &b, 1e-12);
        assert_close(&aty, &c, 1e-12);
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        assert!((dot(&xs, &c) - dot(&b, &ys)).abs() < 1e-12 * size as f64 * (1.0 + largest(&xs)));
    }
}

/// Rows × 10^±12, columns × 10^±6: the equilibrated sparse solve keeps its digits, in the units of each
/// unknown.
#[test]
fn sparse_is_equilibrated() {
    let mut random = Random(2);
    let (pattern, mut values) = chain_kkt(30, &mut random);
    let size = pattern.rows();
    let x = random.vector(size);
    // scales of rows and columns
    let (r, c) =
        (|i: usize| 10f64.powi((i % 5) as i32 * 6 - 12), |j: usize| 10f64.powi((j % 3) as i32 * 6 - 6));
    for (i, j, k) in pattern.iter() {
        values[k] *= r(i) * c(j);
    }
    let exact: Vec<f64> = (0..size).map(|j| x[j] / c(j)).collect();
    let mut b = vec![0.0; size];
    pattern.mul(&values, 1.0, &exact, &mut b);
    let mut sparse = Factor::sparse(&pattern).unwrap();
    sparse.refactor(&values).unwrap();
    sparse.solve(&mut b);
    let scaled: Vec<f64> = (0..size).map(|j| b[j] * c(j)).collect();
    assert_close(&scaled, &x, 1e-12); // condition of the unscaled matrix ≤ 1e3 × 2⁻⁵²
}

#[test]
fn the_choice_follows_size_and_fill() {
    let tridiagonal = |n: usize| {
        Pattern::from_entries(n, n, (0..n).flat_map(move |i| [(i, i), (i, (i + 1) % n), ((i + 1) % n, i)]))
    };
    let full = |n: usize| Pattern::from_entries(n, n, (0..n * n).map(move |k| (k / n, k % n)));
    assert!(!Factor::new(&tridiagonal(24)).unwrap().is_sparse());
    assert!(Factor::new(&tridiagonal(25)).unwrap().is_sparse());
    assert!(!Factor::new(&full(60)).unwrap().is_sparse());
    // a third of the entries, and little fill
    let blocks = Pattern::from_entries(60, 60, (0..1200).map(|k| (k / 20, k / 400 * 20 + k % 20)));
    assert!(Factor::new(&blocks).unwrap().is_sparse());
    assert!(dense_up_to(49, || !Factor::new(&tridiagonal(49)).unwrap().is_sparse()));
    assert!(Factor::new(&tridiagonal(49)).unwrap().is_sparse());
    let wide = Pattern::from_entries(2, 3, [(0, 0)]);
    assert_eq!(Factor::new(&wide).err(), Some(FactorError::NotSquare { rows: 2, cols: 3 }));
    assert_eq!(Factor::sparse(&wide).err(), Some(FactorError::NotSquare { rows: 2, cols: 3 }));
}

/// A column of zeros, in the values or in the pattern, and NaN are named; good values afterwards are solved.
#[test]
fn singular_and_non_finite_values_are_errors() {
    let mut random = Random(3);
    let (pattern, good) = chain_kkt(8, &mut random);
    for mut factor in [Factor::dense(&pattern).unwrap(), Factor::sparse(&pattern).unwrap()] {
        for column in [0, 5, 17] {
            for bad in [0.0, f64::NAN, f64::NEG_INFINITY] {
                let mut values = good.clone();
                pattern.iter().filter(|e| e.1 == column).for_each(|(_, _, k)| values[k] = bad);
                assert_eq!(factor.refactor(&values), Err(Singular { index: column }));
            }
        }
        // two equal columns: one of them, whichever is eliminated last
        let mut values = good.clone();
        for i in 0..pattern.rows() {
            let p = pattern.position(i, 2);
            let q = pattern.position(i, 3);
            assert_eq!(p.is_some(), q.is_some());
            p.zip(q).into_iter().for_each(|(p, q)| values[q] = values[p]);
        }
        assert!(matches!(factor.refactor(&values), Err(Singular { index: 2 | 3 })));
        factor.refactor(&good).unwrap();
    }
    let empty_column = Pattern::from_entries(3, 3, [(0, 0), (1, 1), (2, 1)]);
    for mut factor in [Factor::dense(&empty_column).unwrap(), Factor::sparse(&empty_column).unwrap()] {
        assert_eq!(factor.refactor(&[1.0, 1.0, 1.0]), Err(Singular { index: 2 }));
    }
}

/// The first and every later refactor and solve allocate nothing.
#[test]
fn refactor_and_solve_do_not_allocate() {
    let mut random = Random(4);
    for points in [3, 40, 200] {
        let (pattern, _) = chain_kkt(points, &mut random);
        let mut b = random.vector(pattern.rows());
        for mut factor in [Factor::dense(&pattern).unwrap(), Factor::sparse(&pattern).unwrap()] {
            for _ in 0..5 {
                let (_, values) = chain_kkt(points, &mut random);
                let count = allocations(|| {
                    factor.refactor(&values).unwrap();
                    factor.solve(&mut b);
                    factor.solve_t(&mut b);
                });
                assert_eq!(count, 0, "{points} points, sparse: {}", factor.is_sparse());
            }
        }
    }
}

/// Nor do those of the KKT, prepared again or not, whichever way it takes.
#[test]
fn kkt_does_not_allocate() {
    let mut random = Random(5);
    for (points, mass) in [(3, 2.0), (3, 0.0), (20, 2.0), (60, 2.0)] {
        let (nn, mn) = chain(points);
        let mut kkt = Kkt::new(&nn, &mn).unwrap();
        // mass 0: A = [0 1/2; 1/2 0] in blocks is indefinite
        let a: Vec<f64> = nn.iter().map(|(i, j, _)| if i == j { mass } else { 0.5 }).collect();
        let mut b = random.vector(nn.rows() + mn.rows());
        for _ in 0..5 {
            let j = random.vector(mn.nnz());
            let count = allocations(|| {
                kkt.prepare(&a).unwrap();
                kkt.refactor(&j, |_| 1e-9).unwrap();
                kkt.solve(&mut b);
            });
            assert_eq!((count, kkt.uses_schur()), (0, points <= 20 && mass > 0.0));
        }
    }
}

/// Values that turn the frozen pivots into zeros: they are chosen again, and the solution has all its digits.
/// Values that do not, are not.
#[test]
fn bad_pivots_are_chosen_again() {
    let mut random = Random(6);
    let (pattern, first) = chain_kkt(40, &mut random);
    let size = pattern.rows();
    let mut lu = SparseLu::new(&pattern).unwrap();
    for (k, small) in [1.0, 0.5, 1e-3, 1e-9, 0.0, 1.0].into_iter().enumerate() {
        // the diagonal fades
        let mut values = first.clone();
        pattern.iter().filter(|(i, j, _)| i == j).for_each(|(_, _, p)| values[p] *= small);
        lu.refactor(&values).unwrap();
        if k == 1 {
            assert_eq!(lu.choices(), 1, "a small change keeps the pivots");
        }
        let x = random.vector(size);
        for transposed in [false, true] {
            let mut b = vec![0.0; size];
            if transposed {
                pattern.mul_t(&values, 1.0, &x, &mut b);
                lu.solve_t(&mut b);
            } else {
                pattern.mul(&values, 1.0, &x, &mut b);
                lu.solve(&mut b);
            }
            assert_close(&b, &x, 1e-10); // condition ≤ 1e5 × 2⁻⁵²
        }
    }
    assert!(lu.choices() > 1, "the pivots of the diagonal are no longer there");
}

/// What a factorisation remembers are its pivots: another one that goes back to them has every bit.
#[test]
fn restored_pivots_repeat_bits() {
    let mut random = Random(6);
    let (pattern, first) = chain_kkt(40, &mut random);
    let faded = |small: f64| {
        let mut values = first.clone();
        pattern.iter().filter(|(i, j, _)| i == j).for_each(|(_, _, p)| values[p] *= small);
        values
    };
    let x = random.vector(pattern.rows());
    let solved = |factor: &mut Factor| {
        factor.refactor(&faded(0.7)).unwrap();
        let mut b = x.clone();
        factor.solve(&mut b);
        b.iter().map(|b| b.to_bits()).collect::<Vec<_>>()
    };
    // pivots for the first values, kept for others, then chosen again
    let mut factor = Factor::sparse(&pattern).unwrap();
    assert!(factor.pivots().is_none());
    factor.refactor(&first).unwrap();
    let pivots = factor.pivots();
    let before = solved(&mut factor);
    factor.refactor(&faded(0.0)).unwrap();
    let after = solved(&mut factor);
    assert_ne!(before, after, "other pivots round in another way");
    // back, in this one and in a new one
    factor.restore(pivots.as_ref());
    assert_eq!(solved(&mut factor), before);
    let mut other = Factor::sparse(&pattern).unwrap();
    other.refactor(&faded(0.0)).unwrap();
    other.restore(pivots.as_ref());
    assert_eq!(solved(&mut other), before);
    // as new
    other.restore(None);
    other.refactor(&faded(0.0)).unwrap();
    assert_eq!(solved(&mut other), after);
}

/// A clone has its own values and pivots.
#[test]
fn clones_are_independent() {
    let mut random = Random(7);
    let (pattern, a) = chain_kkt(30, &mut random);
    let (_, b) = chain_kkt(30, &mut random);
    let mut one = Factor::sparse(&pattern).unwrap();
    one.refactor(&a).unwrap();
    let mut other = one.clone();
    other.refactor(&b).unwrap();
    let x = random.vector(pattern.rows());
    for (factor, values) in [(&mut one, &a), (&mut other, &b)] {
        let mut y = vec![0.0; x.len()];
        pattern.mul(values, 1.0, &x, &mut y);
        factor.solve(&mut y);
        assert_close(&y, &x, 1e-11); // condition ≤ 1e4 × 2⁻⁵²
    }
}

/// `[A Jᵀ; J 0]` of a chain of links of 6 coordinates and 5 rows: two of them, and A, meet 3 coordinates that
/// all links share, and which have 3 rows of their own.
fn bordered_kkt(links: usize, random: &mut Random) -> (Pattern, Vec<f64>) {
    let n = 6 * links + 3;
    let m = 5 * links + 3;
    let mut entries = vec![];
    let both = |entries: &mut Vec<(usize, usize, f64)>, i, j, x| entries.extend([(i, j, x), (j, i, x)]);
    for k in 0..links {
        // the end of the link before, the own coordinates and the shared ones
        let of_link: Vec<usize> =
            ((6 * k).saturating_sub(6)..(6 * k).saturating_sub(3)).chain(6 * k..6 * k + 6).collect();
        let shared = 6 * links..6 * links + 3;
        for (c, &i) in of_link.iter().enumerate() {
            entries.push((i, i, 4.0));
            of_link[..c].iter().for_each(|&j| both(&mut entries, i, j, random.next()));
            shared.clone().for_each(|j| both(&mut entries, i, j, random.next()));
        }
        for row in 0..5 {
            let on = of_link.iter().copied().chain(shared.clone().filter(|_| row < 2));
            on.for_each(|j| both(&mut entries, n + 5 * k + row, j, random.next()));
        }
    }
    for i in 0..3 {
        entries.push((6 * links + i, 6 * links + i, links as f64));
        (0..3).for_each(|j| both(&mut entries, n + 5 * links + i, 6 * links + j, random.next()));
    }
    let pattern = Pattern::from_entries(n + m, n + m, entries.iter().map(|&(i, j, _)| (i, j)));
    let mut values = vec![0.0; pattern.nnz()];
    for (i, j, x) in entries {
        values[pattern.position(i, j).unwrap()] = x;
    }
    (pattern, values)
}

/// Rows and columns that meet all others cost what they contain, in the factors and in the memory reserved
/// for them.
#[test]
fn a_border_keeps_the_fill_linear() {
    let mut random = Random(29);
    let mut fill = |links: usize| {
        let (pattern, values) = bordered_kkt(links, &mut random);
        let mut lu = SparseLu::new(&pattern).unwrap();
        lu.refactor(&values).unwrap();
        let x = random.vector(pattern.rows());
        let mut b = vec![0.0; x.len()];
        pattern.mul(&values, 1.0, &x, &mut b);
        lu.solve(&mut b);
        assert_close(&b, &x, 1e-9); // condition 1e6 × 2⁻⁵²
        [lu.entries(), lu.reserved()]
    };
    let fills = [100, 200, 400, 800].map(&mut fill);
    for pair in fills.windows(2) {
        let [before, after] = [pair[0], pair[1]];
        assert!((0..2).all(|c| after[c] as f64 <= 2.2 * before[c] as f64), "{before:?}, then {after:?}");
    }
}

/// Blocks of coordinates that are tied by rows: pivots are pairs of a coordinate and a multiplier, and L and
/// U have wide panels. Solutions have their digits for values that change while the pivots are kept, and L
/// and U are no larger than those of the pattern of a band.
#[test]
fn panels_keep_the_digits() {
    let bodies = 20;
    let mut random = Random(31);
    let n = 12 * bodies;
    let own = |b: usize| (12 * b..12 * b + 12).flat_map(move |i| (12 * b..12 * b + 12).map(move |j| (i, j)));
    let nn: Vec<(usize, usize)> = (0..bodies).flat_map(own).collect();
    let rows =
        |b: usize| (0..8).flat_map(move |r| (0..6).map(move |c| (8 * b + r, 12 * b + (5 * r + 2 * c) % 24)));
    let mn: Vec<(usize, usize)> = (0..bodies - 1).flat_map(rows).collect();
    let size = n + 8 * (bodies - 1);
    let ties = mn.iter().flat_map(|&(i, j)| [(n + i, j), (j, n + i)]);
    let pattern = Pattern::from_entries(size, size, nn.iter().copied().chain(ties));
    let mut lu = SparseLu::new(&pattern).unwrap();
    let first = random.vector(pattern.nnz());
    for k in 0..5 {
        let values: Vec<f64> = pattern
            .iter()
            .map(|(i, j, p)| first[p] + f64::from(i == j) * 4.0 + 1e-3 * k as f64 * random.next())
            .collect();
        lu.refactor(&values).unwrap();
        let x = random.vector(size);
        let mut b = vec![0.0; size];
        let mut c = vec![0.0; size];
        pattern.mul(&values, 1.0, &x, &mut b);
        pattern.mul_t(&values, 1.0, &x, &mut c);
        lu.solve(&mut b);
        lu.solve_t(&mut c);
        // 1e-9: condition ≤ 1e6 × 2⁻⁵²
        assert_close(&b, &x, 1e-9);
        assert_close(&c, &x, 1e-9);
    }
    assert_eq!(lu.choices(), 1);
    assert!(lu.entries() < 60 * size, "{} entries", lu.entries());
}

/// A diagonal that is zero until it is not: before, L and U are those of the pattern without it, and the
/// solutions have their digits before and after.
#[test]
fn optional_positions_appear() {
    let mut random = Random(37);
    let (pattern, with, without) = {
        let (pattern, values) = chain_kkt(40, &mut random);
        let all = pattern.iter().map(|(i, j, _)| (i, j)).chain((0..pattern.rows()).map(|i| (i, i)));
        let padded = Pattern::from_entries(pattern.rows(), pattern.rows(), all);
        let mut padded_values = vec![0.0; padded.nnz()];
        pattern.iter().for_each(|(i, j, p)| padded_values[padded.at(i, j) as usize] = values[p]);
        let mut lu = SparseLu::new(&pattern).unwrap();
        lu.refactor(&values).unwrap();
        (padded, padded_values, lu.entries())
    };
    let optional: Vec<u32> = (80..pattern.rows()).map(|i| pattern.at(i, i)).collect();
    let mut lu = SparseLu::with_optional(&pattern, &optional).unwrap();
    for (c, choices) in [(0.0, 1), (0.0, 1), (-1e-3, 2), (0.0, 2), (-2e-3, 2)] {
        let mut values = with.clone();
        optional.iter().for_each(|&p| values[p as usize] = c);
        assert_eq!(allocations(|| lu.refactor(&values).unwrap()), 0);
        let x = random.vector(pattern.rows());
        let mut b = vec![0.0; x.len()];
        pattern.mul(&values, 1.0, &x, &mut b);
        lu.solve(&mut b);
        assert_close(&b, &x, 1e-11); // condition ≤ 1e4 × 2⁻⁵²
        assert_eq!(lu.choices(), choices);
        assert!(choices > 1 || lu.entries() == without, "{} entries, {without} without", lu.entries());
    }
}
