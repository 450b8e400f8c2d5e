//! An order of rows and columns with little work for given values [Markowitz 1957].
//!
//! ```text
//! step k:  the entry (i, j) with |a_ij| ≥ τ max_r |a_rj| and the least (|row i| - 1) (|column j| - 1)  (1)
//! a_rc -= a_rj a_ic / a_ij  for r in column j, c in row i                                              (2)
//! ```
//! Among orders with the same L and U, one in which a pivot follows at once where it waits for no other:
//!
//! ```text
//! k may come when all pivots that change its row or column have come; the latest of those comes first  (3)
//! ```
//! so that columns of L with the same rows are neighbours. Of equal products in (1), the largest entry in its
//! column.
//!
//! Rows and columns pivot in pairs: COLAMD, which orders for any choice of rows, cannot do so for the
//! multipliers of a saddle-point matrix. Patterns are sets of bits and values a dense matrix, so it is for
//! sizes up to [`LARGEST_SIZE`].

use super::lu::THRESHOLD;
use super::order::Order;
use crate::Pattern;

/// Largest size, for which the dense matrix takes 2 MB.
pub(crate) const LARGEST_SIZE: usize = 512;

/// Entries up to this size, of a matrix whose largest are about 1, are no pivots.
const LARGEST_ZERO: f64 = 1e-14;

/// Place of a row or column that has none yet.
const NONE: u32 = u32::MAX;

/// What is left of the matrix; memory for one size.
#[derive(Clone, Debug)]
pub(crate) struct Markowitz {
    n: usize,
    /// Values, by columns.
    a: Vec<f64>,
    /// The columns of each row.
    rows: Sets,
    /// The rows of each column.
    columns: Sets,
    /// Place of each row and column.
    places: [Vec<u32>; 2],
    /// Pivots of (3) that are still to come before a place.
    before: Vec<u32>,
    /// Places of (3) that may come.
    ready: Vec<u32>,
    /// Rows and columns in the order before (3).
    old: [Vec<u32>; 2],
}

/// Sets of numbers below n.
#[derive(Clone, Debug)]
struct Sets {
    words: usize,
    bits: Vec<u64>,
    sizes: Vec<u32>,
}

impl Sets {
    fn new(n: usize) -> Self {
        let words = n.div_ceil(64).max(1);
        Self { words, bits: vec![0; n * words], sizes: vec![0; n] }
    }
    fn clear(&mut self) {
        self.bits.fill(0);
        self.sizes.fill(0);
    }
    fn insert(&mut self, set: usize, k: usize) {
        self.bits[set * self.words + k / 64] |= 1 << (k % 64);
        self.sizes[set] += 1;
    }
    fn remove(&mut self, set: usize, k: usize) {
        self.bits[set * self.words + k / 64] &= !(1 << (k % 64));
        self.sizes[set] -= 1;
    }
    /// set ← set ∪ other.
    fn unite(&mut self, set: usize, other: usize) {
        let mut size = 0;
        for w in 0..self.words {
            let word = self.bits[set * self.words + w] | self.bits[other * self.words + w];
            self.bits[set * self.words + w] = word;
            size += word.count_ones();
        }
        self.sizes[set] = size;
    }
    /// Its numbers, increasing.
    fn iter(&self, set: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.bits[set * self.words..][..self.words].iter().enumerate();
        words.flat_map(|(w, &word)| {
            let next = |&rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(word).filter(|&word| word != 0), next)
                .map(move |rest| 64 * w + rest.trailing_zeros() as usize)
        })
    }
    /// Calls a function of its numbers, increasing.
    #[inline]
    fn for_each(&self, set: usize, mut f: impl FnMut(usize)) {
        for w in 0..self.words {
            let mut rest = self.bits[set * self.words + w];
            while rest != 0 {
                f(64 * w + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
    /// The least number from `from` on.
    fn next(&self, set: usize, from: usize) -> Option<usize> {
        let bits = &self.bits[set * self.words..][..self.words];
        let first = (bits.get(from / 64)? >> (from % 64)) << (from % 64);
        let rest = bits[from / 64 + 1..].iter().copied();
        let mut words = std::iter::once(first).chain(rest).zip(from / 64..);
        words.find(|w| w.0 != 0).map(|(word, w)| 64 * w + word.trailing_zeros() as usize)
    }
}

impl Markowitz {
    /// Memory for matrices of size n.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            a: vec![0.0; n * n],
            rows: Sets::new(n),
            columns: Sets::new(n),
            places: [vec![NONE; n], vec![NONE; n]],
            before: vec![0; n],
            ready: vec![0; n],
            old: [vec![0; n], vec![0; n]],
        }
    }
    /// The pivots of (1) in the order (3); where there are none left, the other rows and columns follow as
    /// they are.
    pub(crate) fn order(
        &mut self,
        pattern: &Pattern,
        present: impl Fn(usize) -> bool,
        values: &[f64],
        order: &mut Order,
    ) {
        // pivots
        self.start(pattern, present, values);
        let mut k = 0;
        while let Some((i, j)) = self.best() {
            self.eliminate(i, j);
            order.rows[k] = i as u32;
            order.columns[k] = j as u32;
            self.places[0][i] = k as u32;
            self.places[1][j] = k as u32;
            k += 1;
        }

        // rows and columns without one
        for (places, order) in self.places.iter().zip([&mut order.rows, &mut order.columns]) {
            let rest = (0..self.n).filter(|&i| places[i] == NONE);
            order[k..].iter_mut().zip(rest).for_each(|(o, i)| *o = i as u32);
        }

        // (3), without a border
        if k == self.n {
            self.follow(order);
        }
        order.border = self.n;
        order.long.fill(false);
    }
    /// Places that pivot k changes: columns of its row, rows of its column.
    fn changed<'a>(&'a self, k: usize) -> impl Iterator<Item = usize> + 'a {
        let [rows, columns] = &self.old;
        let of_row = self.rows.iter(rows[k] as usize).map(|j| self.places[1][j] as usize);
        of_row.chain(self.columns.iter(columns[k] as usize).map(|i| self.places[0][i] as usize))
    }
    /// Puts the pivots into the order (3).
    fn follow(&mut self, order: &mut Order) {
        self.old[0].copy_from_slice(&order.rows);
        self.old[1].copy_from_slice(&order.columns);

        // how many pivots come before each
        let mut before = std::mem::take(&mut self.before);
        let mut ready = std::mem::take(&mut self.ready);
        before.fill(0);
        (0..self.n).for_each(|k| self.changed(k).for_each(|c| before[c] += 1));

        // those that wait for none, the first on top
        let mut count = 0;
        for k in (0..self.n).rev().filter(|&k| before[k] == 0) {
            ready[count] = k as u32;
            count += 1;
        }

        // the top comes, and what waited for it alone comes next
        let mut place = 0;
        while count > 0 {
            count -= 1;
            let k = ready[count] as usize;
            order.rows[place] = self.old[0][k];
            order.columns[place] = self.old[1][k];
            place += 1;
            for c in self.changed(k) {
                before[c] -= 1;
                if before[c] == 0 {
                    ready[count] = c as u32;
                    count += 1;
                }
            }
        }
        self.before = before;
        self.ready = ready;
    }
    /// Takes the values of the present positions; nothing has a place.
    fn start(&mut self, pattern: &Pattern, present: impl Fn(usize) -> bool, values: &[f64]) {
        self.a.fill(0.0);
        self.rows.clear();
        self.columns.clear();
        self.places.iter_mut().for_each(|places| places.fill(NONE));
        for (i, j, p) in pattern.iter().filter(|e| present(e.2)) {
            self.rows.insert(i, j);
            self.columns.insert(j, i);
            self.a[j * self.n + i] = values[p];
        }
    }
    /// The entry of (1), columns with few rows first: a column of c rows has no product below (c - 1) times
    /// the shortest row.
    fn best(&self) -> Option<(usize, usize)> {
        let mut best = None;
        let mut least = u32::MAX;
        let mut largest = 0.0;
        let shortest = self.rows.sizes.iter().filter(|&&s| s > 0).min()? - 1;
        let fewest = *self.columns.sizes.iter().filter(|&&s| s > 0).min()?;
        for few in [fewest + 1, u32::MAX] {
            for j in 0..self.n {
                // columns that cannot be better, or were seen
                let length = self.columns.sizes[j];
                let seen = few == u32::MAX && length <= fewest + 1;
                if length == 0 || seen || length > few || (length - 1) * shortest > least {
                    continue;
                }

                // max_r |a_rj|, and the best entry of the column
                let column = &self.a[j * self.n..][..self.n];
                let mut max = 0.0f64;
                self.columns.for_each(j, |i| max = max.max(column[i].abs()));
                self.columns.for_each(j, |i| {
                    let size = column[i].abs();
                    let work = (length - 1) * (self.rows.sizes[i] - 1);
                    let good = work <= least && size > LARGEST_ZERO && size >= THRESHOLD * max;
                    if good && (work < least || size / max > largest) {
                        (best, least, largest) = (Some((i, j)), work, size / max);
                    }
                });
            }
        }
        best
    }
    /// Eliminates by (2), after which row i and column j are gone.
    fn eliminate(&mut self, i: usize, j: usize) {
        let Self { n, a, rows, columns, .. } = self;

        // the pivot itself leaves first
        rows.remove(i, j);
        columns.remove(j, i);
        let pivot = a[j * *n + i];

        // a_rc -= a_rj a_ic / a_ij, column by column
        let mut c = 0;
        while let Some(column) = rows.next(i, c) {
            c = column + 1;
            columns.remove(column, i);
            columns.unite(column, j);
            let f = a[column * *n + i] / pivot;
            let [to, from] = a
                .get_disjoint_mut([column * *n..(column + 1) * *n, j * *n..(j + 1) * *n])
                .expect("column j left row i before its other columns are taken");
            columns.for_each(j, |r| to[r] -= f * from[r]);
        }

        // patterns of the rows
        let mut r = 0;
        while let Some(row) = columns.next(j, r) {
            r = row + 1;
            rows.remove(row, j);
            rows.unite(row, i);
        }
        rows.sizes[i] = 0;
        columns.sizes[j] = 0;
    }
}
