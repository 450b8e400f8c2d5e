//! Matrices over the frames x, contracted to the coordinates.
//!
//! ```text
//! x_{z_l} = P S_l,   ẋ_{z_l} = Ṗ S_l + P Ṡ_l,   ẍ_{z_l} = P̈ S_l + 2 Ṗ Ṡ_l + P S̈_l                   (1)
//! P s = (u + ω × p, ω × e_k),   Ṗ s = (ω × ṗ, ω × ė_k),   P̈ s = (ω × p̈, ω × ë_k)        s = (ω, u)  (2)
//! Σ_k S_kᵀ X_ab (S_l, Ṡ_l, S̈_l)      over all bodies a after k and b after l:  X in blocks of 6 × 6  (3)
//! ```
//! (1) are rates of x_{z_l}, because partial derivatives commute. Coordinates that carry the same bodies form
//! a node; what belongs to a body is added to the nodes before it, once for all that they carry (`fold.rs`).
//! Bodies whose frame coordinates are coordinates have unit vectors in place of screws.

use super::fold::{Fold, Nodes};
use super::spatial::{Twist, V3};
use super::stress::spread;
use super::touch::Touch;
use super::{Carried, PARTS, Relative, path};
use crate::elements::{Acting, ElementTerms, Elements};
use crate::system::{At, Patterns};
use gradyn_num::{Pattern, Scalar};
use std::collections::{BTreeMap, HashSet};

/// Six rows of six.
pub(super) type Block<S> = [Twist<S>; 6];

/// Twelve components of a frame, of its rate or of its second rate.
pub(super) type Parts<S> = [S; PARTS];

/// Entries of a row that belong to one body.
#[derive(Clone, Debug)]
struct RowBlock {
    body: usize,
    /// (position on m × N, component of the frame).
    entries: Vec<(u32, u8)>,
    /// Each coordinate of the path, and its position on m × n.
    map: Vec<(u32, u32)>,
}

/// Entries of a pair of bodies.
#[derive(Clone, Debug)]
struct PairBlock {
    bodies: [usize; 2],
    /// The block that it is added to.
    block: u32,
    /// (position on N × N, components of the frames).
    entries: Vec<(u32, u8, u8)>,
}

/// Where entries over x belong.
#[derive(Clone, Debug)]
pub(crate) struct Contraction {
    rows: Vec<RowBlock>,
    /// Forces, then loads.
    touches: Vec<Touch>,
    /// Entries of rows times multipliers.
    stresses: Vec<PairBlock>,
    /// The block of each body with itself.
    own: Vec<Option<u32>>,
    /// (k, l, position of (k, l), of (l, k)): l moves k or is of the same link.
    pub on_path: Vec<(u32, u32, u32, u32)>,
    pub(super) fold: Fold,
}

/// Memory of (3): X for S, Ṡ, S̈, and the frames with their rates.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<S> {
    pub(super) x: [Vec<Block<S>>; 3],
    /// Products of one element.
    pub(super) products: [Vec<Twist<S>>; 2],
    /// X times columns, for two matrices.
    pub(super) vectors: [Vec<Twist<S>>; 2],
    /// x, ẋ, ẍ of each body.
    pub(super) moving: [Vec<Parts<S>>; 3],
}

impl<S: Scalar> Blocks<S> {
    /// X = 0, the first so many of them.
    pub(super) fn clear(&mut self, count: usize) {
        self.x[..count].iter_mut().flatten().flatten().for_each(|row| *row = Twist::zero());
    }
}

/// Body and component of each entry of x.
pub(super) fn owners(bodies: &[Carried], n: usize) -> Vec<(usize, u8)> {
    let mut owners = vec![(0, 0); n];
    for (b, body) in bodies.iter().enumerate() {
        for (i, &part) in body.parts.iter().enumerate() {
            owners[body.first as usize + i] = (b, part);
        }
    }
    owners
}

impl Contraction {
    /// The patterns over the coordinates, and the maps to them. `balls`: first coordinates of Euler
    /// parameters, whose rows come first. Trees that are `long` have no matrices n × n: that pattern is
    /// empty.
    pub(super) fn new(
        elements: &Elements,
        bodies: &[Carried],
        nodes: &Nodes,
        before: &[Option<u32>],
        balls: &[u32],
        long: bool,
    ) -> (Patterns, Self) {
        // m × n: norms, then every row over the paths of its bodies
        let n = before.len();
        let inner = &elements.patterns;
        let owners = owners(bodies, inner.nn.rows());
        let (mn, rows) = row_blocks(&inner.mn, &owners, bodies, before, balls);
        // n × n: each path with itself, and paths of bodies that touch
        if long {
            let patterns = Patterns::new(Pattern::from_entries(n, n, []), mn);
            let own = vec![None; bodies.len()];
            let fold = Fold::default();
            return (patterns, Self { rows, touches: vec![], stresses: vec![], own, on_path: vec![], fold });
        }
        let paths: Vec<Vec<u32>> = bodies.iter().map(|b| path(before, b.last)).collect();
        let pairs = elements.stiff().map(|list| entries_by_pair(&inner.nn, &list, &owners));
        let touching: Vec<[usize; 2]> = pairs.iter().flat_map(|p| p.keys().copied()).collect();
        // blocks (3) and the order in which they are folded
        let patterns = Patterns::new(coupled(&paths, n, &touching), mn);
        let all: Vec<[usize; 2]> = touching.into_iter().chain((0..bodies.len()).map(|b| [b, b])).collect();
        let fold = Fold::new(nodes, &all, &patterns.nn);
        // where forces, loads and stresses go
        let touches = touches(elements, &owners, bodies, &fold);
        let [_, stresses] = pairs;
        let block = |(bodies, entries)| Some(PairBlock { block: fold.block(bodies)?, bodies, entries });
        let stresses = stresses.into_iter().filter_map(block).collect();
        // where M goes
        let own = (0..bodies.len()).map(|b| fold.block([b, b])).collect();
        let screws = bodies.iter().zip(&paths).filter(|(b, _)| b.link.is_some()).map(|(_, path)| &path[..]);
        let on_path = on_path(screws, &paths, n, &patterns.nn);
        (patterns, Self { rows, touches, stresses, own, on_path, fold })
    }
    /// Memory for the blocks of `bodies` bodies.
    pub(super) fn blocks<S: Scalar>(&self, bodies: usize) -> Blocks<S> {
        let (blocks, vectors) = self.fold.sizes();
        let x = || vec![[Twist::zero(); 6]; blocks];
        let outputs = self.touches.iter().map(Touch::outputs).max().unwrap_or(0);
        let products = || vec![Twist::zero(); outputs];
        let parts = || vec![[S::zero(); PARTS]; bodies];
        Blocks {
            x: [x(), x(), x()],
            products: [products(), products()],
            vectors: [vec![Twist::zero(); vectors], vec![Twist::zero(); vectors]],
            moving: [parts(), parts(), parts()],
        }
    }
}

/// Entries of m × n by row and body: (position, component of the frame).
fn entries_by_row(mn: &Pattern, owners: &[(usize, u8)]) -> BTreeMap<(usize, usize), Vec<(u32, u8)>> {
    let mut rows = BTreeMap::<(usize, usize), Vec<(u32, u8)>>::new();
    for (k, i, pos) in mn.iter() {
        let (b, part) = owners[i];
        rows.entry((k, b)).or_default().push((pos as u32, part));
    }
    rows
}

/// Listed entries of n × n by pairs of bodies: (position, components of both frames).
fn entries_by_pair(
    nn: &Pattern,
    list: &HashSet<u32>,
    owners: &[(usize, u8)],
) -> BTreeMap<[usize; 2], Vec<(u32, u8, u8)>> {
    let mut pairs = BTreeMap::<[usize; 2], Vec<(u32, u8, u8)>>::new();
    for (i, j, pos) in nn.iter().filter(|e| list.contains(&(e.2 as u32))) {
        let (a, s) = owners[i];
        let (b, t) = owners[j];
        pairs.entry([a, b]).or_default().push((pos as u32, s, t));
    }
    pairs
}

/// The pattern m × n, norms first, and the entries of each row over the paths of its bodies.
fn row_blocks(
    inner: &Pattern,
    owners: &[(usize, u8)],
    bodies: &[Carried],
    before: &[Option<u32>],
    balls: &[u32],
) -> (Pattern, Vec<RowBlock>) {
    // entries of the norms, then of every row over the paths of its bodies
    let rows = entries_by_row(inner, owners);
    let first = balls.len();
    let mut mn: Vec<(usize, usize)> =
        balls.iter().enumerate().flat_map(|(r, &k)| (0..4).map(move |i| (r, k as usize + i))).collect();
    for &(k, b) in rows.keys() {
        mn.extend(path(before, bodies[b].last).into_iter().map(|l| (first + k, l as usize)));
    }
    let mn = Pattern::from_entries(first + inner.rows(), before.len(), mn);
    // where they are in the pattern
    let block = |((k, b), entries): ((usize, usize), _)| {
        let coords = path(before, bodies[b].last).into_iter();
        RowBlock { body: b, entries, map: coords.map(|l| (l, mn.at(first + k, l as usize))).collect() }
    };
    let rows = rows.into_iter().map(block).collect();
    (mn, rows)
}

/// The pattern n × n: each path with itself, and paths of bodies that touch.
fn coupled(paths: &[Vec<u32>], n: usize, touching: &[[usize; 2]]) -> Pattern {
    let path = |b: usize| paths[b].iter().map(|&k| k as usize);
    let mut nn: Vec<(usize, usize)> = along_paths(paths, n).flat_map(|(k, l)| [(k, l), (l, k)]).collect();
    nn.extend(touching.iter().flat_map(|&[a, b]| path(a).flat_map(move |k| path(b).map(move |l| (k, l)))));
    Pattern::from_entries(n, n, nn)
}

/// What each force touches, then each load.
fn touches(elements: &Elements, owners: &[(usize, u8)], bodies: &[Carried], fold: &Fold) -> Vec<Touch> {
    let forces = elements.forces.iter().map(|f| Touch::new([&f.element.ports; 3], owners, bodies, fold));
    forces.chain(elements.loads.iter().map(|l| Touch::of(&l.load, owners, bodies, fold))).collect()
}

/// Each coordinate with itself and with those before it on its path: once, because a path is that of its last
/// coordinate.
fn along_paths(bodies: &[Vec<u32>], n: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut paths: Vec<&[u32]> = vec![&[]; n];
    for path in bodies {
        path.iter().enumerate().for_each(|(i, &k)| paths[k as usize] = &path[..=i]);
    }
    paths.into_iter().enumerate().flat_map(|(k, path)| path.iter().map(move |&l| (k, l as usize)))
}

/// Pairs of coordinates on one path that screws move, each once.
fn on_path<'p>(
    moved: impl Iterator<Item = &'p [u32]>,
    paths: &[Vec<u32>],
    n: usize,
    nn: &Pattern,
) -> Vec<(u32, u32, u32, u32)> {
    let mut screws = vec![false; n];
    moved.flatten().for_each(|&k| screws[k as usize] = true);
    let pairs = along_paths(paths, n).filter(|(k, _)| screws[*k]);
    pairs.map(|(k, l)| (k as u32, l as u32, nn.at(k, l), nn.at(l, k))).collect()
}

/// out += s times the row of P of a component of a frame, or of a rate of P with that rate of the frame.
#[inline]
fn add_component<S: Scalar>(parts: &Parts<S>, part: u8, s: S, moves: bool, out: &mut Twist<S>) {
    let first = part as usize / 3 * 3;
    let i = part as usize % 3;
    let j = (i + 1) % 3;
    let k = (i + 2) % 3;
    out.w[j] += s * parts[first + k];
    out.w[k] -= s * parts[first + j];
    if first == 0 && moves {
        out.u[i] += s;
    }
}

/// X += (row of P of a component)ᵀ v.
#[inline]
fn add_left<S: Scalar>(frame: &Parts<S>, part: usize, v: &Twist<S>, x: &mut Block<S>) {
    let first = part / 3 * 3;
    let i = part % 3;
    let j = (i + 1) % 3;
    let k = (i + 2) % 3;
    x[j].increase(frame[first + k], v);
    x[k].increase(-frame[first + j], v);
    if first == 0 {
        x[3 + i].increase(S::one(), v);
    }
}

impl Relative {
    /// Are there rows over frames?
    pub(super) fn has_rows(&self) -> bool {
        !self.contraction.rows.is_empty()
    }
    /// x, ẋ, ẍ of the bodies, from lists over x, as far as they are given.
    pub(super) fn gather<S: Scalar>(&self, lists: &[&[S]], b: &mut Blocks<S>) {
        for (order, (to, from)) in b.moving.iter_mut().zip(lists).enumerate() {
            for (to, body) in to.iter_mut().zip(&self.bodies) {
                *to = if order == 0 { self.seen(body, from) } else { spread(body, from) };
            }
        }
    }
    /// out += s times the row of the order-th rate of P of a component of a body; without a link, its first
    /// components are coordinates.
    #[inline]
    pub(super) fn add_row<S: Scalar>(
        &self,
        (body, part): (usize, u8),
        s: S,
        order: usize,
        moving: &[Vec<Parts<S>>; 3],
        out: &mut Twist<S>,
    ) {
        match self.bodies[body].link {
            Some(_) => add_component(&moving[order][body], part, s, order == 0, out),
            None if order == 0 => *out.get_mut(part as usize) += s,
            None => {}
        }
    }
    /// out += A x_z on m × n: for each of some columns, sums of (A, weight, order of the rate of P).
    pub(super) fn add_rows<S: Scalar, const N: usize>(
        &self,
        terms: [&[(&[S], f64, usize)]; N],
        columns: [&[Twist<S>]; N],
        b: &Blocks<S>,
        out: &mut [S],
    ) {
        for block in &self.contraction.rows {
            // g = Σ a P, by order of the rate
            let mut g = [Twist::zero(); N];
            for (g, terms) in g.iter_mut().zip(terms) {
                for &(a, s, order) in terms {
                    let entries = block.entries.iter();
                    entries.for_each(|&(pos, part)| {
                        self.add_row((block.body, part), a[pos as usize] * s, order, &b.moving, g)
                    });
                }
            }
            // out += g·S over the path of the body
            for &(l, pos) in &block.map {
                for (g, columns) in g.iter().zip(columns) {
                    out[pos as usize] += g.dot(&columns[l as usize]);
                }
            }
        }
    }
    /// X₀ += Pᵀ (K P + C Ṗ), X₁ += Pᵀ C P for K and C of the forces.
    pub(super) fn add_force_blocks<S: Scalar>(
        &self,
        at: &At<S>,
        elements: &mut ElementTerms<S>,
        b: &mut Blocks<S>,
    ) {
        let forces = self.inner.forces.len();
        elements.each_tangent(at, |element, p, t| {
            let i = match element {
                Acting::Force(i, _) => i,
                Acting::Load(i, _) => forces + i,
            };
            self.add_touch(&self.contraction.touches[i], p, t, b);
        });
    }
    /// X₀ += Pᵀ A P for A of the rows.
    pub(super) fn add_stress_blocks<S: Scalar>(&self, a: &[S], b: &mut Blocks<S>) {
        let Blocks { x: [x0, ..], moving, .. } = b;
        for pair in &self.contraction.stresses {
            let [left, right] = pair.bodies;
            let mut products = [Twist::zero(); PARTS];
            for &(pos, s, t) in &pair.entries {
                self.add_row((right, t), a[pos as usize], 0, moving, &mut products[s as usize]);
            }
            self.add_lefts(left, &moving[0][left], &products, &mut x0[pair.block as usize]);
        }
    }
    #[inline]
    fn add_lefts<S: Scalar>(
        &self,
        body: usize,
        frame: &Parts<S>,
        products: &[Twist<S>; PARTS],
        x: &mut Block<S>,
    ) {
        let carried = &self.bodies[body];
        for (i, &part) in carried.parts.iter().enumerate() {
            let v = &products[part as usize];
            match carried.link {
                Some(_) => add_left(frame, part as usize, v, x),
                None => x[i].increase(S::one(), v),
            }
        }
    }
    /// X += s Pᵀ M P⁽ᵒ⁾ for the o-th rate of P, of every body.
    pub(super) fn add_mass_blocks<S: Scalar>(
        &self,
        mass: &[S],
        order: usize,
        s: f64,
        b: &mut Blocks<S>,
        into: usize,
    ) {
        // X of each body with itself, by its pseudo-inertia
        let Blocks { x, moving, .. } = b;
        for (i, pseudo) in &self.pseudo {
            let Some(block) = self.contraction.own[*i] else { continue };
            pseudo.add_block(
                mass,
                &moving[0][*i],
                &moving[order][*i],
                order == 0,
                s,
                &mut x[into][block as usize],
            );
        }
    }
}

/// Three numbers of a frame.
pub(super) fn element<S: Scalar>(x: &Parts<S>, a: usize) -> V3<S> {
    [x[3 * a], x[3 * a + 1], x[3 * a + 2]]
}
