//! Relative coordinates: the coordinates of the joints of a spanning tree.
//!
//! ```text
//! x = X(z; p)                            frames of the bodies: centre of mass and axes       (1)
//! ẋ = J ż,   ẍ = J z̈ + γ,   γ = J̇ ż                                                        (2)
//! Φ(x), Q(x, ẋ), M_x, functionals        elements on frames: [`Elements`] with coordinates x (3)
//! M = Jᵀ M_x J,   Q_z = Jᵀ (Q - M_x γ)   Φ_z = Φ_x J                                         (4)  [A22, C12]
//! ```
//! So one spring file serves both families. Rows of x are those of the joints that close loops (of joints
//! whose reaction is read, too), of drivers and of the user; rows of z keep the length of Euler parameters. M
//! is accumulated from the leaves to the root, about the global origin or about the centres of mass
//! ([`Reference`]).

mod articulated;
mod border;
mod chain;
mod contraction;
mod data;
mod draw;
mod euler;
mod fold;
mod mass;
mod part;
mod placed;
mod pull;
mod spatial;
mod stress;
mod sweep;
mod terms;
mod touch;

pub use articulated::Articulated;
pub(crate) use chain::{Chain, Link, Motion};
pub(crate) use data::TreeTerms;
pub(crate) use mass::Reference;

use crate::elements::Elements;
use crate::guard::Outside;
use crate::row::{Owner, RowName};
use crate::row_status::{Active, RowStatus};
use crate::system::{At, Dims, FunctionalSet, Patterns};
use contraction::Contraction;
use fold::Nodes;
use mass::Pseudo;
use part::Part;
use std::cell::Cell;
use std::sync::Arc;

/// Components of a frame: p, e₁, e₂, e₃.
pub(crate) const PARTS: usize = 12;

/// Coordinates of a path up to which M and the tangents are matrices n × n: M of a path is full.
pub const LONGEST_PATH: usize = 128;

thread_local!(static LONGEST_FULL: Cell<usize> = const { Cell::new(LONGEST_PATH) });

/// Runs `f`, in which trees are built with matrices n × n up to paths of `n` coordinates: how tests compare
/// articulated bodies with matrices on one model.
#[doc(hidden)]
pub fn matrices_up_to<R>(n: usize, f: impl FnOnce() -> R) -> R {
    let before = LONGEST_FULL.replace(n);
    let result = f();
    LONGEST_FULL.set(before);
    result
}

/// Coordinates of the longest path.
fn longest(before: &[Option<u32>]) -> usize {
    let mut depth = vec![1; before.len()];
    for (k, parent) in before.iter().enumerate() {
        depth[k] += parent.map_or(0, |p| depth[p as usize]);
    }
    depth.into_iter().max().unwrap_or(0)
}

/// A body: where its frame is in x, and the coordinates that move it.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// The link whose frame is the body's; none for a body whose frame coordinates are coordinates
    /// themselves.
    pub link: Option<u32>,
    /// First of its components in x.
    pub first: u32,
    /// Which components of the frame they are.
    pub parts: &'static [u8],
    /// The last of the coordinates that move it; none for a body that does not move.
    pub last: Option<u32>,
}

impl Carried {
    /// Coordinates of a body without a link: those of its frame.
    pub(crate) fn own(&self) -> std::ops::Range<u32> {
        let end = self.last.map_or(0, |l| l + 1);
        end - self.parts.len() as u32..end
    }
}

/// Coordinates from the root to `last`, in order, where `before` is the coordinate before each.
pub(crate) fn path(before: &[Option<u32>], last: Option<u32>) -> Vec<u32> {
    let mut list: Vec<u32> = std::iter::successors(last, |&k| before[k as usize]).collect();
    list.reverse();
    list
}

/// A tree of joints, as the builder makes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The links between the bodies.
    pub chain: Chain,
    /// The bodies that the chain carries.
    pub bodies: Vec<Carried>,
    /// The link of the body that each link leads to.
    pub ends: Vec<u32>,
    /// Slots of the geometry.
    pub geometry: Vec<u32>,
    /// First coordinate of each set of Euler parameters, and the joint that it belongs to.
    pub balls: Vec<(u32, String)>,
    /// Names of the coordinates.
    pub names: Vec<String>,
    /// The coordinate before each on the way from the root.
    pub before: Vec<Option<u32>>,
}

/// A mechanism in relative coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Relative {
    inner: Arc<Elements>,
    dims: Dims,
    patterns: Patterns,
    chain: Chain,
    bodies: Vec<Carried>,
    /// The link of the body that each link leads to.
    ends: Vec<u32>,
    /// The coordinate before each on the way from the root.
    before: Vec<Option<u32>>,
    /// Slots of the geometry, in its order.
    geometry: Vec<u32>,
    /// First coordinate of each set of Euler parameters: one row for each, before all others.
    pub(crate) balls: Vec<u32>,
    /// Positions on m × n and on the diagonal of n × n of their coordinates, one set after the other.
    norms: Vec<[u32; 2]>,
    reference: Reference,
    /// What corrections of coordinates are measured by, at least: far from the origin, positions have the
    /// roundings of their distance.
    least_size: f64,
    contraction: Contraction,
    /// Bodies with a link, and where their inertia is.
    pseudo: Vec<(usize, Pseudo)>,
    /// (position on N × N, on n × n) of the masses of bodies without a link.
    alone: Vec<(u32, u32)>,
    /// Slots of each set of functionals.
    supports: [Vec<u32>; 6],
    /// What the conditions of positions and of velocities read.
    condition_parts: [Vec<Part>; 2],
    nodes: Nodes,
    /// Is a path so long that there are no matrices n × n?
    long: bool,
    /// Components of motions that are not zero, for the conditions of long trees.
    components: &'static [u8],
    /// Frames as they are drawn: x from which coordinates are guessed.
    sketch: Vec<f64>,
    row_names: Vec<RowName>,
    coordinate_names: Vec<String>,
}

impl Relative {
    /// Elements on frames, drawn at `sketch`, and a tree that carries them.
    pub(crate) fn new(
        inner: Arc<Elements>,
        sketch: Vec<f64>,
        tree: Tree,
        reference: Reference,
        dimension: usize,
    ) -> Self {
        // patterns over z, and how those of x are contracted to them
        let frames = inner.dims;
        let n = tree.names.len();
        let balls: Vec<u32> = tree.balls.iter().map(|b| b.0).collect();
        let nodes = Nodes::new(&tree.bodies, &tree.before);
        let long = longest(&tree.before) > LONGEST_FULL.get();
        let (mut patterns, contraction) =
            Contraction::new(&inner, &tree.bodies, &nodes, &tree.before, &balls, long);
        // rows: norms of Euler parameters first
        let norms = tree.balls.iter().map(|b| RowName::new(Owner::Norm, &b.1, "norm"));
        let row_names: Vec<RowName> = norms.chain(inner.row_names.iter().cloned()).collect();
        // M: bodies with frames by their pseudo-inertia, the others entry by entry
        let pseudo = tree.bodies.iter().enumerate().filter_map(|(i, b)| Some((i, b.link?, b.first as usize)));
        let pseudo = pseudo
            .map(|(i, link, first)| (i, Pseudo::new(link, first, dimension, &inner.patterns.nn)))
            .collect();
        let alone = if long { vec![] } else { alone(&tree.bodies, &inner.patterns, &patterns) };
        let on_path = contraction.on_path.iter().flat_map(|e| [e.2, e.3]);
        patterns.mass = sorted(on_path.chain(alone.iter().map(|e| e.1)).collect());
        // sizes; each norm has four entries on m × n and on the diagonal
        let dims = Dims { n, m: frames.m + balls.len(), ..frames };
        let four =
            balls.iter().enumerate().flat_map(|(row, &first)| (0..4).map(move |i| (row, first as usize + i)));
        let diagonal = |k: usize| if long { 0 } else { patterns.nn.at(k, k) };
        let norms = four.map(|(row, k)| [patterns.mn.at(row, k), diagonal(k)]).collect();
        // what depends on all of it comes last
        let Middle { origin, least_size } = match reference {
            Reference::Origin => Middle::NEAR,
            Reference::Centre => Middle::of(&tree.bodies, &sketch),
        };
        let mut new = Self {
            dims,
            patterns,
            contraction,
            pseudo,
            alone,
            chain: Chain { origin, ..tree.chain },
            bodies: tree.bodies,
            ends: tree.ends,
            before: tree.before,
            geometry: tree.geometry,
            balls,
            norms,
            reference,
            least_size,
            supports: Default::default(),
            condition_parts: Default::default(),
            nodes,
            long,
            components: border::components(dimension),
            sketch,
            row_names,
            coordinate_names: tree.names,
            inner,
        };
        new.find_supports();
        new.find_parts();
        new
    }
    /// Slots that functionals can depend on: their own, and those of the frames.
    fn find_supports(&mut self) {
        let with_geometry = |own: &[u32]| sorted(own.iter().chain(&self.geometry).copied().collect());
        self.supports = [
            FunctionalSet::Integrand,
            FunctionalSet::Terminal,
            FunctionalSet::Output,
            FunctionalSet::Condition,
            FunctionalSet::Cut,
            FunctionalSet::Event,
        ]
        .map(|set| {
            let own = self.inner.support(set);
            if self.inner.functionals(set) == 0 { vec![] } else { with_geometry(own) }
        });
    }
    /// Is a path so long that there are no matrices n × n?
    pub(crate) fn is_long(&self) -> bool {
        self.long
    }
    /// Compliances of all rows, from those of the rows of the elements.
    fn with_norms(&self, compliances: &[f64]) -> Vec<f64> {
        [&vec![1.0; self.balls.len()], compliances].concat()
    }
    /// All rows independent, none left out, every slot active.
    pub(crate) fn all_rows(&self) -> RowStatus {
        let elements = self.inner.forces.len() + self.inner.loads.len();
        let active = Active::all(elements, !self.geometry.is_empty());
        let compliances = self.with_norms(&self.inner.penalties.compliances);
        RowStatus::new(self.dims, self.balls.len(), compliances, active)
    }
    /// Bodies that a coordinate moves, those next to it first.
    pub(crate) fn moved_by(&self, coordinate: &str) -> Vec<String> {
        let Some(i) = self.coordinate_names.iter().position(|n| n == coordinate) else { return vec![] };
        let path = |b: &Carried| path(&self.before, b.last);
        let moves = |b: &&Carried| path(b).contains(&(i as u32));
        let mut moved: Vec<&Carried> = self.bodies.iter().filter(moves).collect();
        moved.sort_by_cached_key(|b| path(b).len());
        let name = |b: &Carried| {
            self.inner.coordinate_names[b.first as usize].split('.').next().unwrap_or("").to_owned()
        };
        moved.into_iter().map(name).collect()
    }
    /// What reads an active slot: gradients of the others are not wanted.
    pub(crate) fn active(&self, slots: &[bool]) -> Active {
        let shaped = self.geometry.iter().any(|&s| slots[s as usize]);
        Active { shaped, ..self.inner.active(slots) }
    }
    /// The elements, on frames.
    pub(crate) fn inner(&self) -> &Arc<Elements> {
        &self.inner
    }
    /// Compliances by the effective masses of the rows of the frames at (t, z).
    pub(crate) fn scaled_compliances(&self, p: &[f64], t: f64, z: &[f64]) -> Vec<f64> {
        self.with_norms(&self.inner.scaled_compliances(p, t, &self.frames_at(p, z)))
    }
    /// x at z, for the slots p.
    pub(crate) fn frames_at(&self, p: &[f64], z: &[f64]) -> Vec<f64> {
        let g: Vec<f64> = self.geometry.iter().map(|&s| p[s as usize]).collect();
        let mut seen = self.new_placed(self.inner.dims.n);
        self.pose_at(z, &g, &mut seen);
        let [x, ..] = seen.x;
        x
    }
    /// Names of the constraint rows.
    pub(crate) fn row_names(&self) -> &[RowName] {
        &self.row_names
    }
    /// Does any objective or output read the multiplier of a row?
    pub(crate) fn reads_multiplier(&self, row: usize) -> bool {
        row.checked_sub(self.balls.len()).is_some_and(|k| self.inner.reads_multiplier(k))
    }
}

impl TreeTerms<f64> {
    /// Why a force is not defined at the second of two points, or between them.
    pub(crate) fn undefined_force(&mut self, from: &At, to: &At) -> Option<Outside> {
        let [a, b] = [from, to].map(|at| {
            self.tree.see(at.q, Some((at.v, at.a)), &self.g, [&mut self.here, &mut self.seen]).x.clone()
        });
        let [from, to] =
            [(from.t, &a), (to.t, &b)].map(|(t, x)| At { t, q: &x[0], v: &x[1], a: &x[2], lam: &[] });
        self.inner.undefined_force(&from, &to)
    }
    /// The first force along a distance whose ends pass through each other between two positions.
    pub(crate) fn reversed_force(&mut self, from: &[f64], to: &[f64]) -> Option<String> {
        let [from, to] = [from, to]
            .map(|z| self.tree.see(z, None, &self.g, [&mut self.here, &mut self.seen]).x[0].clone());
        self.inner.reversed_force(&from, &to)
    }
}

/// A mechanism is far from the origin at so many times its own size.
const FAR: f64 = 100.0;

/// Where a mechanism is, as far as its numbers should know.
struct Middle {
    /// Reference point of frames and screws [m].
    origin: [f64; 3],
    /// What corrections of coordinates are measured by, at least.
    least_size: f64,
}

impl Middle {
    /// At the global origin.
    const NEAR: Self = Self { origin: [0.0; 3], least_size: 1.0 };
    /// The middle of the bodies that a chain carries, where they are drawn, if that is far away. Rounding of
    /// positions at a distance D turns a mechanism of size L by D/L roundings.
    fn of(bodies: &[Carried], sketch: &[f64]) -> Self {
        // places of the bodies, their mean and their largest distance L from it
        let frames = bodies.iter().filter(|b| b.link.is_some()).map(|b| stress::spread(b, sketch));
        let places: Vec<[f64; 3]> = frames.map(|frame| [frame[0], frame[1], frame[2]]).collect();
        let count = places.len().max(1) as f64;
        let origin: [f64; 3] = std::array::from_fn(|i| places.iter().map(|p| p[i]).sum::<f64>() / count);
        let norm = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let from_mean = places.iter().map(|p| norm(std::array::from_fn(|i| p[i] - origin[i])));
        let extent = from_mean.fold(0.0, f64::max);
        // a single body has no extent: as if it were of 1 m
        let distance = norm(origin);
        if distance <= FAR * extent {
            return Self::NEAR;
        }
        let extent = if extent > 0.0 { extent } else { 1.0 };
        Self { origin, least_size: (distance / extent).max(1.0) }
    }
}

fn sorted(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list.dedup();
    list
}

/// Entries of M of bodies whose frame coordinates are coordinates.
fn alone(bodies: &[Carried], inner: &Patterns, own: &Patterns) -> Vec<(u32, u32)> {
    let mut list = vec![];
    for b in bodies.iter().filter(|b| b.link.is_none()) {
        for (i, k) in b.own().enumerate() {
            for (j, l) in b.own().enumerate() {
                if let Some(from) = inner.nn.position(b.first as usize + i, b.first as usize + j) {
                    list.push((from as u32, own.nn.at(k as usize, l as usize)));
                }
            }
        }
    }
    list
}
