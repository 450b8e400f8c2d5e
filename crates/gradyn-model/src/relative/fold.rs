//! Blocks of bodies, added up from the leaves to the root.
//!
//! ```text
//! X_ij            block of nodes i, j; each body is of the last node that moves it                      (1)
//! g_il = X_ij S_l  for coordinates l of j,   X_{i,before j} += X_ij        from the leaves to the root  (2)
//! K_kl = S_k·g_il  for coordinates k of i,   g_{before i,l} += g_il         likewise                    (3)
//! ```
//! Nothing is moved to another point on the way: all screws are about one point. The order is planned
//! at build.

use super::Carried;
use super::contraction::{Block, Blocks};
use super::spatial::Twist;
use gradyn_num::{Pattern, Scalar};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Coordinates that carry the same bodies.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The coordinates.
    pub coords: Range<u32>,
    /// The node before it.
    pub before: Option<usize>,
}

/// Nodes in order, those before first, and the last node that moves each body.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    /// The nodes, from the root to the leaves.
    pub list: Vec<Node>,
    /// That of each body that moves.
    pub of_body: Vec<Option<usize>>,
}
impl Nodes {
    /// For bodies on coordinates, each of which follows one before.
    pub(super) fn new(bodies: &[Carried], before: &[Option<u32>]) -> Self {
        let (list, of) = nodes(bodies, before);
        Self { list, of_body: bodies.iter().map(|b| b.last.map(|l| of[l as usize])).collect() }
    }
}

/// (2) for a block.
#[derive(Clone, Debug)]
struct Column {
    block: u32,
    before: Option<u32>,
    coords: Range<u32>,
    /// The vector of its first coordinate.
    vector: u32,
}

/// (3) for a vector.
#[derive(Clone, Debug)]
struct Row {
    vector: u32,
    before: Option<u32>,
    coords: Range<u32>,
    /// Where the positions of its entries begin.
    first: u32,
}

/// The order in which blocks are folded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fold {
    /// Node of each body.
    node: Vec<Option<usize>>,
    blocks: HashMap<[usize; 2], u32>,
    columns: Vec<Column>,
    rows: Vec<Row>,
    at: Vec<u32>,
    vectors: usize,
}

/// Nodes in order, and that of each coordinate.
fn nodes(bodies: &[Carried], before: &[Option<u32>]) -> (Vec<Node>, Vec<usize>) {
    // how many coordinates follow each, and where paths end
    let n = before.len();
    let mut next = vec![0; n];
    let mut ends = vec![false; n];
    before.iter().flatten().for_each(|&k| next[k as usize] += 1);
    bodies.iter().filter_map(|b| b.last).for_each(|l| ends[l as usize] = true);
    // coordinates in a row without branches are one node
    let mut list: Vec<Node> = vec![];
    let mut of: Vec<usize> = vec![];
    for l in 0..n as u32 {
        match before[l as usize] {
            Some(k) if k + 1 == l && next[k as usize] == 1 && !ends[k as usize] => {
                let node = of[k as usize];
                list[node].coords.end = l + 1;
                of.push(node);
            }
            other => {
                of.push(list.len());
                list.push(Node { coords: l..l + 1, before: other.map(|k| of[k as usize]) });
            }
        }
    }
    (list, of)
}

/// A node and all before it, the last first.
pub(super) fn up(list: &[Node], node: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(node), |&i| list[i].before)
}

impl Fold {
    /// For pairs of bodies.
    pub(super) fn new(nodes: &Nodes, pairs: &[[usize; 2]], nn: &Pattern) -> Self {
        let Nodes { list, of_body: node } = nodes;
        // columns of each row: nodes and all before them
        let mut columns = BTreeMap::<usize, BTreeSet<usize>>::new();
        for [a, b] in pairs {
            if let (Some(i), Some(j)) = (node[*a], node[*b]) {
                columns.entry(i).or_default().extend(up(list, j));
            }
        }
        let pairs = columns.iter().flat_map(|(&i, js)| js.iter().map(move |&j| [i, j]));
        let blocks: HashMap<[usize; 2], u32> = pairs.enumerate().map(|(k, pair)| (pair, k as u32)).collect();
        let mut fold = Self { node: node.clone(), blocks, ..Self::default() };
        let mut needed = BTreeMap::<usize, BTreeSet<usize>>::new();
        for (&i, js) in &columns {
            js.iter().for_each(|&j| needed.entry(j).or_default().extend(up(list, i)));
        }
        let vectors = fold.plan_rows(list, &needed, nn);
        for (&i, js) in &columns {
            for &j in js.iter().rev() {
                fold.columns.push(Column {
                    block: fold.blocks[&[i, j]],
                    before: list[j].before.map(|j| fold.blocks[&[i, j]]),
                    coords: list[j].coords.clone(),
                    vector: vectors[&(i, list[j].coords.start)],
                });
            }
        }
        fold
    }
    /// (3); the vector of each node and coordinate.
    fn plan_rows(
        &mut self,
        list: &[Node],
        needed: &BTreeMap<usize, BTreeSet<usize>>,
        nn: &Pattern,
    ) -> HashMap<(usize, u32), u32> {
        // a vector g_il for each node i and coordinate l
        let mut vectors = HashMap::new();
        for (&j, rows) in needed {
            for &i in rows {
                for l in list[j].coords.clone() {
                    vectors.insert((i, l), vectors.len() as u32);
                }
            }
        }
        // (3) from the leaves to the root, with positions on n × n
        for (&j, rows) in needed {
            for l in list[j].coords.clone() {
                for &i in rows.iter().rev() {
                    let vector = vectors[&(i, l)];
                    let before = list[i].before.map(|i| vectors[&(i, l)]);
                    self.rows.push(Row {
                        vector,
                        before,
                        coords: list[i].coords.clone(),
                        first: self.at.len() as u32,
                    });
                    self.at.extend(list[i].coords.clone().map(|k| nn.at(k as usize, l as usize)));
                }
            }
        }
        self.vectors = vectors.len();
        vectors
    }
    /// The block of a pair of bodies, unless one of them does not move.
    pub(super) fn block(&self, [a, b]: [usize; 2]) -> Option<u32> {
        Some(self.blocks[&[self.node[a]?, self.node[b]?]])
    }
    /// Numbers of blocks and of vectors.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.blocks.len(), self.vectors)
    }
    /// (2), (3): K with X₀ S + X₁ Ṡ + X₂ S̈ and, if it is wanted, C with X₁ S + 2 X₂ Ṡ. X is used up.
    pub(super) fn run<S: Scalar>(
        &self,
        [s, s1, s2]: [&[Twist<S>]; 3],
        b: &mut Blocks<S>,
        k: &mut [S],
        c: Option<&mut [S]>,
    ) {
        // vectors for K, and for C where it is asked for
        let both = c.is_some();
        let Blocks { x, vectors: [g, h], .. } = b;
        g.fill(Twist::zero());
        h.fill(Twist::zero());
        // (2): g += X S
        for column in &self.columns {
            let block = column.block as usize;
            for (v, l) in
                (column.vector as usize..).zip(column.coords.start as usize..column.coords.end as usize)
            {
                add_product(&x[0][block], &s[l], &mut g[v]);
                add_product(&x[1][block], &s1[l], &mut g[v]);
                if both {
                    add_product(&x[2][block], &s2[l], &mut g[v]);
                    add_product(&x[1][block], &s[l], &mut h[v]);
                    add_product(&x[2][block], &s1[l].plus(&s1[l]), &mut h[v]);
                }
            }
            // X goes to the node before
            if let Some(before) = column.before {
                for x in &mut x[..if both { 3 } else { 2 }] {
                    let from = x[block];
                    x[before as usize].iter_mut().zip(&from).for_each(|(x, y)| *x = x.plus(y));
                }
            }
        }
        // (3)
        self.add_vectors(s, g, k);
        if let Some(c) = c {
            self.add_vectors(s, h, c);
        }
    }
    /// Adds the products K_kl of (3).
    fn add_vectors<S: Scalar>(&self, s: &[Twist<S>], vectors: &mut [Twist<S>], out: &mut [S]) {
        for row in &self.rows {
            let v = vectors[row.vector as usize];
            let at = &self.at[row.first as usize..];
            for (k, &pos) in (row.coords.start as usize..row.coords.end as usize).zip(at) {
                out[pos as usize] += s[k].dot(&v);
            }
            if let Some(before) = row.before {
                let to = &mut vectors[before as usize];
                *to = to.plus(&v);
            }
        }
    }
}

/// Product with a block, out += X v.
#[inline]
fn add_product<S: Scalar>(x: &Block<S>, v: &Twist<S>, out: &mut Twist<S>) {
    for i in 0..3 {
        out.w[i] += x[i].dot(v);
        out.u[i] += x[3 + i].dot(v);
    }
}
