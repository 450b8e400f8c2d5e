//! Matrices over the frames x, contracted with Jacobians of x over the coordinates.
//!
//! ```text
//! A J          rows of constraints                                                                (1)
//! Jᵀ A J'      pairs of bodies                                                                    (2)
//! ```
//! J is kept by body: for each coordinate of its path the twelve components of the frame. Positions are found at build.

use super::{Carried, PARTS, Relative};
use crate::system::Patterns;
use gradyn_num::{Pattern, Scalar};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Entries of a row that belong to one body.
#[derive(Clone, Debug)]
struct RowBlock {
    body: usize,
    /// (position on m × N, component of the frame).
    entries: Vec<(u32, u8)>,
    /// Position on m × n of each coordinate of the path.
    map: Vec<u32>,
}

/// Entries of a pair of bodies.
#[derive(Clone, Debug)]
struct PairBlock {
    bodies: [usize; 2],
    /// (position on N × N, components of the frames).
    entries: Vec<(u32, u8, u8)>,
    /// Position on n × n of each pair of coordinates, by rows.
    map: Vec<u32>,
}

/// (1), (2), and the pairs of coordinates on one path.
#[derive(Clone, Debug)]
pub struct Contraction {
    rows: Vec<RowBlock>,
    pairs: Vec<PairBlock>,
    /// Entries of M.
    masses: Vec<PairBlock>,
    /// (k, l, position of (k, l), of (l, k)): l moves k or is of the same link.
    pub on_path: Vec<(u32, u32, u32, u32)>,
    /// Where the Jacobian of each body begins.
    pub offsets: Vec<usize>,
    /// Numbers in a Jacobian.
    pub len: usize,
}

/// Body and component of each entry of x.
fn owners(bodies: &[Carried], n: usize) -> Vec<(usize, u8)> {
    let mut owners = vec![(0, 0); n];
    for (b, body) in bodies.iter().enumerate() {
        for (i, &part) in body.parts.iter().enumerate() {
            owners[body.first as usize + i] = (b, part);
        }
    }
    owners
}

impl Contraction {
    /// The patterns over the coordinates, and the maps to them. `balls`: first coordinates of Euler parameters, whose rows come first.
    pub fn new(inner: &Patterns, inertia: &[u32], bodies: &[Carried], n: usize, balls: &[u32]) -> (Patterns, Self) {
        let owners = owners(bodies, inner.nn.rows());
        let (mut rows, mut pairs) = (BTreeMap::<(usize, usize), Vec<(u32, u8)>>::new(), BTreeMap::new());
        for (k, i, pos) in inner.mn.iter() {
            let (b, part) = owners[i];
            rows.entry((k, b)).or_default().push((pos as u32, part));
        }
        for (i, j, pos) in inner.nn.iter() {
            let ((a, s), (b, t)) = (owners[i], owners[j]);
            pairs.entry([a, b]).or_insert_with(Vec::new).push((pos as u32, s, t));
        }
        let path = |b: usize| bodies[b].path.iter().map(|&k| k as usize);
        let (first, m) = (balls.len(), balls.len() + inner.mn.rows());
        let mut mn: Vec<(usize, usize)> =
            balls.iter().enumerate().flat_map(|(r, &k)| (0..4).map(move |i| (r, k as usize + i))).collect();
        mn.extend(rows.keys().flat_map(|&(k, b)| path(b).map(move |l| (first + k, l))));
        let mut nn: Vec<(usize, usize)> = (0..n).map(|k| (k, k)).collect();
        let all = pairs.keys().copied().chain((0..bodies.len()).map(|b| [b, b]));
        nn.extend(all.flat_map(|[a, b]| path(a).flat_map(move |k| path(b).map(move |l| (k, l)))));
        let patterns = Patterns::new(Pattern::from_entries(n, n, nn), Pattern::from_entries(m, n, mn));
        let rows = rows.into_iter().map(|((k, b), entries)| RowBlock {
            body: b,
            entries,
            map: path(b).map(|l| patterns.mn.at(first + k, l)).collect(),
        });
        let pairs = pairs.into_iter().map(|([a, b], entries)| {
            let map = path(a).flat_map(|k| path(b).map(move |l| (k, l))).map(|(k, l)| patterns.nn.at(k, l)).collect();
            PairBlock { bodies: [a, b], entries, map }
        });
        let (rows, pairs): (_, Vec<PairBlock>) = (rows.collect(), pairs.collect());
        let heavy: HashSet<u32> = inertia.iter().copied().collect();
        let within = pairs.iter().filter(|p| p.bodies[0] == p.bodies[1]);
        let masses = within
            .map(|p| PairBlock { entries: p.entries.iter().filter(|e| heavy.contains(&e.0)).copied().collect(), ..p.clone() });
        let masses = masses.filter(|p| !p.entries.is_empty()).collect();
        let (mut offsets, mut len) = (vec![], 0);
        for b in bodies {
            offsets.push(len);
            len += PARTS * b.path.len();
        }
        let on_path = on_path(bodies, &patterns.nn);
        (patterns, Self { rows, pairs, masses, on_path, offsets, len })
    }
    /// Where the Jacobian of coordinate `d` of the path of a body is.
    pub fn at(&self, body: usize, d: usize) -> Range<usize> {
        let first = self.offsets[body] + PARTS * d;
        first..first + PARTS
    }
}

/// Pairs of coordinates on one path, each once.
fn on_path(bodies: &[Carried], nn: &Pattern) -> Vec<(u32, u32, u32, u32)> {
    let mut pairs: Vec<(u32, u32, u32, u32)> = vec![];
    for b in bodies.iter().filter(|b| b.link.is_some()) {
        for (i, &k) in b.path.iter().enumerate() {
            for &l in &b.path[..=i] {
                pairs.push((k, l, nn.at(k as usize, l as usize), nn.at(l as usize, k as usize)));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

impl Relative {
    /// out += s A J on m × n, (1).
    pub(super) fn add_rows<S: Scalar>(&self, a: &[S], s: f64, j: &[S], out: &mut [S]) {
        for block in &self.contraction.rows {
            for (d, &pos) in block.map.iter().enumerate() {
                let column = &j[self.contraction.at(block.body, d)];
                let mut sum = S::zero();
                for &(pos, part) in &block.entries {
                    sum += a[pos as usize] * column[part as usize];
                }
                out[pos as usize] += sum * s;
            }
        }
    }
    /// out += Σ s Jᵀ A J' on n × n, (2), for some (A, J', s).
    pub(super) fn add_pairs<S: Scalar>(&self, j: &[S], terms: &[(&[S], &[S], f64)], out: &mut [S]) {
        self.add_blocks(&self.contraction.pairs, j, terms, out);
    }
    /// The same for M, which has entries within bodies only.
    pub(super) fn add_masses<S: Scalar>(&self, j: &[S], term: (&[S], &[S], f64), out: &mut [S]) {
        self.add_blocks(&self.contraction.masses, j, &[term], out);
    }
    fn add_blocks<S: Scalar>(&self, blocks: &[PairBlock], j: &[S], terms: &[(&[S], &[S], f64)], out: &mut [S]) {
        for PairBlock { bodies: [left_body, right_body], entries, map } in blocks {
            // rows and forces share one pattern: a block often belongs to the other of them
            if terms.iter().all(|(a, _, _)| entries.iter().all(|e| a[e.0 as usize] == S::zero())) {
                continue;
            }
            let (rows, cols) = (self.bodies[*left_body].path.len(), self.bodies[*right_body].path.len());
            for d in 0..cols {
                let mut product = [S::zero(); PARTS];
                for (a, right, s) in terms {
                    let column = &right[self.contraction.at(*right_body, d)];
                    for &(pos, part, other) in entries {
                        product[part as usize] += a[pos as usize] * column[other as usize] * *s;
                    }
                }
                for r in 0..rows {
                    let row = &j[self.contraction.at(*left_body, r)];
                    let mut sum = S::zero();
                    row.iter().zip(&product).for_each(|(x, y)| sum += *x * *y);
                    out[map[r * cols + d] as usize] += sum;
                }
            }
        }
    }
}
