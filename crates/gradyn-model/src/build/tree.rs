//! The spanning tree of relative coordinates: which joints carry the bodies, and the links that they are made
//! of.
//!
//! Bodies are attached one after the other by the joint with the fewest coordinates (Prim's algorithm); a
//! body that no joint reaches is free from the ground, the one with the most joints first. Joints that are
//! left close loops and get rows. So do joints whose reaction is read: a multiplier is needed. Rods in space
//! have no attitude about themselves; their points are coordinates.

mod hints;

use super::joint::{Carry, Move, Triads};
use super::joints::number_of;
use super::vectors::{Symbols, cross, difference, opposite, unit};
use super::{Builder, PointRef};
use crate::error::ModelError;
use crate::mechanics::Coordinates;
use crate::ports::Ports;
use crate::program::Sym;
use crate::relative::{Carried, Link, Motion, Tree};
use std::collections::{BTreeSet, HashSet};

/// Components of a frame in space, in the plane, and of a rod.
const SPACE: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const PLANE: [u8; 4] = [0, 1, 3, 4];

/// How a body is attached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub body: usize,
    /// The joint, and which of its sides is the parent; none: free from the ground.
    pub joint: Option<(usize, usize)>,
}

/// A motion with its numbers as symbols.
enum Piece<'g> {
    Shift(Symbols<'g>),
    Turn([Symbols<'g>; 3]),
    Revolve(usize, f64),
    Slide(usize, f64),
    Ball,
}

/// Chooses which joints carry the bodies.
pub(super) struct TreeChooser<'a, 'g, 'm> {
    /// The bodies and joints.
    pub b: &'a Builder<'g, 'm>,
    /// The family: Cartesian coordinates have no joints in their tree.
    pub coordinates: Coordinates,
    /// Joints whose reaction is read.
    pub read: &'a HashSet<String>,
}

impl TreeChooser<'_, '_, '_> {
    /// Attaches every body that has a frame.
    pub(super) fn choose(&self) -> Result<Vec<Edge>, ModelError> {
        let ground = self.b.ground();
        let joints = &self.b.m.joints;
        // usable joints of each body
        let mut of_body = vec![vec![]; ground + 1];
        for k in (0..joints.len()).filter(|&k| self.usable(k)) {
            (0..2).for_each(|side| of_body[self.b.joint_ends(k)[side].0].push((k, side)));
        }
        // attaching a body offers its joints, those of few freedoms and near the ground first
        let mut edges = vec![];
        let mut depth = vec![None; ground + 1];
        let mut frontier = BTreeSet::new();
        let mut open = self.by_joints().into_iter();
        let attach = |body: usize, at: usize, depth: &mut Vec<Option<usize>>, frontier: &mut BTreeSet<_>| {
            depth[body] = Some(at);
            for &(k, side) in &of_body[body] {
                let Some(cost) = self.cost(k) else { continue };
                frontier.insert((cost, at, k, side));
            }
        };
        // from the ground on: the cheapest joint, or a free body where none is left
        attach(ground, 0, &mut depth, &mut frontier);
        loop {
            let edge = if let Some((_, at, k, side)) = frontier.pop_first() {
                let body = self.b.joint_ends(k)[1 - side].0;
                (Edge { body, joint: Some((k, side)) }, at + 1)
            } else if let Some(body) = open.next() {
                (Edge { body, joint: None }, 1)
            } else {
                break;
            };
            if depth[edge.0.body].is_none() {
                attach(edge.0.body, edge.1, &mut depth, &mut frontier);
                edges.push(edge.0);
            }
        }
        self.check_hints(&edges)?;
        Ok(edges)
    }
    /// Can joint `k` carry a body? Both must have frames, nobody forbids it, and its rows are not read.
    fn usable(&self, k: usize) -> bool {
        let j = &self.b.m.joints[k];
        let ground = self.b.ground();
        let framed = self.b.joint_ends(k).iter().all(|e| e.0 == ground || !self.b.is_thin(e.0));
        self.coordinates != Coordinates::Cartesian
            && framed
            && j.tree != Some(false)
            && !self.read.contains(&j.name.text)
    }
    /// Joints that shall carry come first, then those of few freedoms; none has more than a free body.
    fn cost(&self, k: usize) -> Option<usize> {
        let dimension = self.b.m.dimension;
        let j = &self.b.m.joints[k];
        let free = if dimension == 2 { 3 } else { 7 };
        match j.kind.spec().carry[dimension - 2].freedom(dimension) {
            Some(_) if j.tree == Some(true) => Some(0),
            Some(freedom) if freedom <= free => Some(1 + freedom),
            _ => None,
        }
    }
    /// Bodies with frames, those with the most joints first; the heaviest of these.
    fn by_joints(&self) -> Vec<usize> {
        let mut joints = vec![0; self.b.ground() + 1];
        (0..self.b.m.joints.len()).flat_map(|k| self.b.joint_ends(k)).for_each(|end| joints[end.0] += 1);
        let mass: Vec<f64> =
            (0..self.b.ground()).map(|b| self.b.numbers.nominal(&[self.b.solids[b].mass])[0]).collect();
        let mut open: Vec<usize> = (0..self.b.ground()).filter(|&b| !self.b.is_thin(b)).collect();
        open.sort_by(|&a, &b| joints[b].cmp(&joints[a]).then(mass[b].total_cmp(&mass[a])));
        open
    }
}

/// Makes the links of a tree; numbers become slots.
pub(super) struct TreeMaker<'a, 'g, 'm> {
    /// The bodies and joints.
    pub b: &'a mut Builder<'g, 'm>,
    /// The tree so far.
    pub tree: Tree,
}

impl<'g> TreeMaker<'_, 'g, '_> {
    /// The links of the edges; numbers become slots.
    pub(super) fn make(mut self, edges: &[Edge]) -> Result<Tree, ModelError> {
        // components of the frame of each body among x
        let ground = self.b.ground();
        let mut own = vec![vec![]; ground];
        self.b.coordinates.iter().enumerate().for_each(|(i, c)| own[c.body].push(i));
        let mut carried: Vec<Option<Carried>> = vec![None; ground];
        // links of each edge after those of its parent
        for edge in edges {
            let (parent, name) = match edge.joint {
                Some((k, side)) => (self.b.joint_ends(k)[side].0, self.b.m.joints[k].name.text.clone()),
                None => (ground, self.b.solids[edge.body].name.clone()),
            };
            let (pieces, words) = self.pieces(edge)?;
            let (mut link, mut last) =
                carried.get(parent).and_then(Option::as_ref).map_or((None, None), |c| (c.link, c.last));
            let first_link = self.tree.chain.links.len();
            let first = self.tree.names.len();
            for piece in pieces {
                self.push_link(piece, &mut link, &name);
            }
            // names of its coordinates, each behind the one before; all its links end at the last one
            self.tree.names.extend(words.iter().map(|w| format!("{name}.{w}")));
            for k in first as u32..self.tree.names.len() as u32 {
                self.tree.before.push(last.replace(k));
            }
            let end = link.expect("every edge has a link");
            self.tree.ends.extend((first_link..self.tree.chain.links.len()).map(|_| end));
            let parts: &[u8] = if self.b.m.dimension == 2 { &PLANE } else { &SPACE };
            carried[edge.body] = Some(Carried { link, first: own[edge.body][0] as u32, parts, last });
        }
        // bodies without a frame keep their own coordinates
        for b in 0..ground {
            if let Some(body) = carried[b].take() {
                self.tree.bodies.push(body);
                continue;
            }
            self.push_own(&own[b]);
        }
        Ok(self.tree)
    }
    /// A body without a frame, whose coordinates are its own.
    fn push_own(&mut self, own: &[usize]) {
        let first = self.tree.names.len() as u32;
        self.tree.names.extend(own.iter().map(|&i| self.b.coordinates[i].name.clone()));
        self.tree.chain.link_of.extend(own.iter().map(|_| None));
        let mut last = None;
        for k in first..first + own.len() as u32 {
            self.tree.before.push(last.replace(k));
        }
        self.tree.bodies.push(Carried { link: None, first: own[0] as u32, parts: &SPACE[..own.len()], last });
    }
    /// Adds the link of a piece behind `link`, which it becomes.
    fn push_link(&mut self, piece: Piece<'g>, link: &mut Option<u32>, name: &str) {
        // where its numbers and its coordinates begin
        let tree = &mut self.tree;
        let parent = *link;
        let at = tree.geometry.len() as u32;
        let coord = tree.chain.link_of.len() as u32;
        // the motion of (1) and (2) in `relative/chain.rs`, with its numbers as slots
        let motion = match piece {
            Piece::Shift(s) => {
                tree.geometry.extend(s.into_iter().map(|x| self.b.slots.slot(x)));
                Motion::Shift(at)
            }
            Piece::Turn(g) => {
                tree.geometry.extend(g.into_iter().flatten().map(|x| self.b.slots.slot(x)));
                Motion::Turn(at)
            }
            Piece::Revolve(axis, sign) => Motion::Revolve(axis, sign),
            Piece::Slide(axis, sign) => Motion::Slide(axis, sign),
            Piece::Ball => {
                tree.balls.push((coord, name.to_owned()));
                Motion::Ball
            }
        };
        // the link comes last
        let new = Link { parent, motion, coord };
        *link = Some(tree.chain.links.len() as u32);
        tree.chain.link_of.extend((0..new.count()).map(|_| *link));
        tree.chain.links.push(new);
    }
    /// The motions of an edge, and the names of its coordinates.
    fn pieces(&mut self, edge: &Edge) -> Result<(Vec<Piece<'g>>, Vec<&'static str>), ModelError> {
        let plane = self.b.m.dimension == 2;
        let Some((k, side)) = edge.joint else { return Ok(free(plane)) };
        let j = &self.b.m.joints[k];
        let ends = self.b.joint_ends(k);
        let spec = j.kind.spec();
        // from the frame of the parent to the point
        let mut list = vec![];
        shift(self.local(ends[side]), &mut list);
        let (motions, words, triads) = match spec.carry[self.b.m.dimension - 2] {
            Carry::By(motions, words, triads) => (motions, words, triads),
            Carry::Freely => {
                let (motions, words) = free(plane);
                list.extend(motions);
                return Ok((list, words));
            }
            Carry::Never => unreachable!("a joint without coordinates is no edge"),
        };
        let turned = spec.holds_angle.then(|| number_of(j, &mut self.b.numbers)).transpose()?;
        // to the triad of its side
        let triads = self.triads(k, triads);
        if let Some(t) = &triads {
            turn(t[side].clone(), &mut list);
        }
        let middle = self.middle(motions, turned, side);
        list.extend(middle);
        // from the triad of the other side to the frame of the body
        if let Some(t) = &triads {
            turn(transposed(&t[1 - side]), &mut list);
        }
        shift(opposite(&self.local(ends[1 - side])), &mut list);
        let words = if side == 1 { words.iter().rev().copied().collect() } else { words.to_vec() };
        // an edge has a link
        if list.is_empty() {
            list.push(Piece::Shift(vec![self.b.graph.constant(0.0); 3]));
        }
        Ok((list, words))
    }
    /// The motions of a joint with its constant angle, backwards from side 2.
    fn middle(&self, motions: &[Move], turned: Option<Sym<'g>>, side: usize) -> Vec<Piece<'g>> {
        let mut middle: Vec<Piece<'g>> = motions.iter().map(|m| piece(*m, side)).collect();
        let angle = turned.map(|a| if side == 0 { a } else { -a });
        if side == 1 {
            middle.reverse();
        }
        if let Some(angle) = angle {
            turn(self.about_axis(angle), &mut middle);
            if side == 1 {
                middle.rotate_right(1);
            }
        }
        middle
    }
    /// A point of a body from its centre of mass, in three components.
    fn local(&self, (b, i): PointRef) -> Symbols<'g> {
        let solid = &self.b.solids[b];
        let at = if solid.points[i].name == "com" && b != self.b.ground() {
            vec![self.b.graph.constant(0.0); self.b.m.dimension]
        } else {
            difference(&solid.points[i].at, &solid.com)
        };
        self.lifted(at)
    }
    fn lifted(&self, mut v: Symbols<'g>) -> Symbols<'g> {
        v.resize(3, self.b.graph.constant(0.0));
        v
    }
    /// Axes of the joint in both bodies, if its motion has any.
    fn triads(&self, k: usize, which: Triads) -> Option<[[Symbols<'g>; 3]; 2]> {
        // (n, b, a) of one side
        let frame = &self.b.joint_frames[k];
        let usual = |s: usize| {
            let a = &frame.axes[s];
            let n = &frame.normals[s];
            [n.clone(), cross(a, n), a.clone()]
        };
        // the triads whose first axis, or third, the joint turns about
        match which {
            Triads::None => None,
            Triads::Line => {
                let a = &frame.axes[0];
                let across = vec![-a[1], a[0]];
                let triad = [self.lifted(a.clone()), self.lifted(across), unit(self.b.graph, 3, 2)];
                Some([triad.clone(), triad])
            }
            Triads::Usual => Some([usual(0), usual(1)]),
            Triads::Crossed => {
                let a = &frame.axes[1];
                let n = &frame.normals[1];
                let second = [a.clone(), n.clone(), cross(a, n)];
                Some([usual(0), second])
            }
        }
    }
    /// The turn about the third axis.
    fn about_axis(&self, angle: Sym<'g>) -> [Symbols<'g>; 3] {
        let c = angle.cos();
        let s = angle.sin();
        let zero = self.b.graph.constant(0.0);
        [vec![c, s, zero], vec![-s, c, zero], unit(self.b.graph, 3, 2)]
    }
}

impl Builder<'_, '_> {
    /// Does the body have no directions but its own?
    pub(super) fn is_thin(&self, b: usize) -> bool {
        self.m.dimension == 3 && self.solids[b].rod.is_some()
    }
    /// Where the frames are in these coordinates: centre of mass and axes, of a rod in space its points.
    pub(super) fn body_frames(&mut self) -> Vec<(usize, Ports)> {
        let mut list = vec![];
        for b in 0..self.ground() {
            let frame = &self.frames[b];
            let solid = &self.solids[b];
            let ports: Vec<_> = match solid.rod.filter(|_| self.m.dimension == 3) {
                Some(ends) => ends.iter().flat_map(|&i| frame.point(solid, i)).collect(),
                None => {
                    let axes = frame.axes().into_iter().take(if self.m.dimension == 2 { 1 } else { 3 });
                    frame.at(&solid.com).into_iter().chain(axes.flatten()).collect()
                }
            };
            let ports: Vec<_> = ports.iter().collect();
            list.push((ports.len(), self.ports(&ports)));
        }
        list
    }
}

/// Slides, and a ball or a turn.
fn free<'g>(plane: bool) -> (Vec<Piece<'g>>, Vec<&'static str>) {
    let slides = |n: usize| (0..n).map(|k| Piece::Slide(k, 1.0));
    match plane {
        true => (slides(2).chain([Piece::Revolve(2, 1.0)]).collect(), vec!["x", "y", "angle"]),
        false => (slides(3).chain([Piece::Ball]).collect(), vec!["x", "y", "z", "e0", "e1", "e2", "e3"]),
    }
}

/// A motion of a joint, seen from one of its sides.
fn piece<'g>(motion: Move, side: usize) -> Piece<'g> {
    let sign = if side == 0 { 1.0 } else { -1.0 };
    match motion {
        Move::Revolve(axis) => Piece::Revolve(axis, sign),
        Move::Slide(axis) => Piece::Slide(axis, sign),
        Move::Ball => Piece::Ball,
    }
}

/// Adds a shift, unless it is none.
fn shift<'g>(s: Symbols<'g>, list: &mut Vec<Piece<'g>>) {
    if s.iter().any(|x| x.as_constant() != Some(0.0)) {
        list.push(Piece::Shift(s));
    }
}

/// Adds a turn, unless it is none.
fn turn<'g>(g: [Symbols<'g>; 3], list: &mut Vec<Piece<'g>>) {
    let one = |i: usize, j: usize| Some(f64::from(u8::from(i == j)));
    if (0..3).any(|i| (0..3).any(|j| g[i][j].as_constant() != one(i, j))) {
        list.push(Piece::Turn(g));
    }
}

fn transposed<'g>(g: &[Symbols<'g>; 3]) -> [Symbols<'g>; 3] {
    std::array::from_fn(|i| (0..3).map(|j| g[j][i]).collect())
}
