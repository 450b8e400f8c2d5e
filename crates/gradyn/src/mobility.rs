//! Mobility and redundancy of the joints, whatever the coordinates of a run, and the counts of every family.
//!
//! Coordinates decide which rows come into being: joints that share points and axes, or that a tree carries,
//! have none. So the joints are counted where every body is free and every joint has all its rows, in
//! Cartesian coordinates at the assembled start:
//!
//! ```text
//! freedom   = Σ freedoms of the bodies - rank                    6, 3 in the plane, 5 of a rod in space  (1)
//! redundant = rows of joints, drivers and constraints - rank                                            (2)
//! ```
//! Rows of Euler parameters and of rods belong to bodies: (1) has them in the freedoms, (2) has not.
//! Dependencies nᵀΦ_q = 0 with an element in common are one group (3): which elements are in it, and how many
//! rows too many it has, does not depend on the rows left out.

use crate::error::Error;
use crate::prepare::reads_shared;
use crate::prepared::Prepared;
use gradyn_dynamics::assembly::{Ranks, ranks_at};
use gradyn_model::mechanism::Mechanism;
use gradyn_model::{Coordinates, Model, RowName};
use gradyn_num::{Dependent, largest};
use std::collections::{BTreeSet, HashMap};

/// Coefficients of a dependency below this part of the largest one are roundings.
const ZERO: f64 = 1e-6;

/// Most bodies of models whose relative coordinates are counted: those of a long chain take long to build.
const BODIES: usize = 200;

/// What the joints leave free and hold more than once.
#[derive(Clone, Debug)]
pub struct Mobility {
    /// Degrees of freedom of positions and of velocities, (1).
    pub freedom: [usize; 2],
    /// Rows of joints, drivers and constraints.
    pub constraints: usize,
    /// The redundant ones of them, (2).
    pub redundant: usize,
    /// What they are among, (3).
    pub groups: Vec<Group>,
    /// Counts of every family, or why there are none.
    pub families: Vec<(Coordinates, Family)>,
}

/// Joints, drivers and constraints that repeat each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Rows too many.
    pub redundant: usize,
    /// The elements, in the order of their rows.
    pub among: Vec<String>,
}

/// What is known of a family.
#[derive(Clone, Debug)]
pub enum Family {
    /// Counts of the model.
    Counted(Counts),
    /// It refuses the model.
    Refused(Error),
    /// The model is too large to count them by the way.
    Large,
}

impl From<Result<Counts, Error>> for Family {
    fn from(counts: Result<Counts, Error>) -> Self {
        counts.map_or_else(Self::Refused, Self::Counted)
    }
}

/// Sizes in coordinates of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Are they those of Cartesian coordinates? A run takes these instead of relative ones where a shared
    /// load is read.
    pub cartesian: bool,
    /// Number of coordinates.
    pub coordinates: usize,
    /// Number of constraint rows.
    pub constraints: usize,
    /// Those that a run leaves out.
    pub redundant: usize,
    /// Degrees of freedom of positions and of velocities.
    pub freedom: [usize; 2],
}

impl Counts {
    fn new(model: &Model, independent: &[Vec<u32>; 2]) -> Self {
        let dims = model.system.dims();
        let freedom = [0, 1].map(|k| dims.n - independent[k].len());
        // rows that are switched off at the start hold nothing
        let rows = dims.m - model.system.row_choice().off.len();
        let redundant = rows - independent[1].len();
        Self {
            cartesian: model.family == Coordinates::Cartesian,
            coordinates: dims.n,
            constraints: rows,
            redundant,
            freedom,
        }
    }
}

/// A model where the natural coordinates of another were assembled, and its ranks there.
struct Ranked {
    model: Model,
    ranks: Ranks,
}

impl Ranked {
    fn new(m: &Mechanism, natural: &Prepared, family: Coordinates) -> Result<Self, Error> {
        let model = natural.drawn_in(m, family)?;
        let p = model.slots(&model.rho());
        let t = p[model.times.start as usize];
        let ranks = ranks_at(&model.system, t, &p, &model.angles, model.system.guess());
        Ok(Self { model, ranks })
    }
}

impl Prepared {
    /// Sizes of this model.
    pub fn counts(&self) -> Counts {
        Counts::new(&self.model, &self.assembled.independent)
    }
    /// Names of the rows that a run keeps: those of bodies, and those of joints, drivers and constraints.
    pub fn kept(&self) -> [Vec<String>; 2] {
        let rows = self.assembled.independent[1].iter().map(|&k| &self.model.system.row_names()[k as usize]);
        let (bodies, joints): (Vec<_>, Vec<_>) = rows.partition(|r| r.owner.of_body());
        [bodies, joints].map(|list| list.iter().map(ToString::to_string).collect())
    }
}

impl Mobility {
    /// Of a mechanism that can be assembled.
    pub fn of(m: &Mechanism) -> Result<Self, Error> {
        let natural = Prepared::framed(m)?;
        let Ranked { model, ranks } = Ranked::new(m, &natural, Coordinates::Cartesian)?;
        let cartesian = Counts::new(&model, &ranks.independent);
        // the two kinds of relative coordinates differ in their masses only
        let relative = (m.bodies.len() <= BODIES).then(|| relative(m, &natural, cartesian));
        let families = Coordinates::ALL.map(|family| {
            let counted = match family {
                Coordinates::Natural if reads_shared(&natural.model.system, &natural.assembled.redundant) => {
                    Prepared::new(m).map(|p| p.counts()).into()
                }
                Coordinates::Natural => Family::Counted(natural.counts()),
                Coordinates::Cartesian => Family::Counted(cartesian),
                _ => relative.clone().map_or(Family::Large, Family::from),
            };
            (family, counted)
        });
        let names = model.system.row_names();
        let off = model.system.row_choice().off.len();
        let constraints = names.iter().filter(|n| !n.owner.of_body()).count() - off;
        let groups = groups(names, &ranks.redundant);
        Ok(Self {
            freedom: cartesian.freedom,
            constraints,
            redundant: cartesian.redundant,
            groups,
            families: families.into(),
        })
    }
}

/// Counts of relative coordinates: those of Cartesian ones where a shared load is read.
fn relative(m: &Mechanism, natural: &Prepared, cartesian: Counts) -> Result<Counts, Error> {
    let Ranked { model, ranks } = Ranked::new(m, natural, Coordinates::Relative0)?;
    let shared = reads_shared(&model.system, &ranks.redundant);
    Ok(if shared { cartesian } else { Counts::new(&model, &ranks.independent) })
}

/// Groups of dependencies with elements in common (3).
fn groups(names: &[RowName], redundant: &[Dependent]) -> Vec<Group> {
    // an element by its first row
    let mut known = HashMap::new();
    let first: Vec<usize> =
        names.iter().enumerate().map(|(k, n)| *known.entry(&n.element).or_insert(k)).collect();
    let mut groups: Vec<(usize, BTreeSet<usize>)> = vec![];
    for d in redundant {
        let zero = ZERO * largest(d.on.iter().map(|o| o.1).chain([1.0]));
        let rows = d.on.iter().filter(|o| o.1.abs() > zero).map(|o| o.0).chain([d.row]);
        let mut all =
            (1, rows.filter(|&k| !names[k].owner.of_body()).map(|k| first[k]).collect::<BTreeSet<_>>());
        let (apart, met): (Vec<_>, Vec<_>) = groups.into_iter().partition(|g| g.1.is_disjoint(&all.1));
        met.into_iter().for_each(|g| {
            all.0 += g.0;
            all.1.extend(g.1);
        });
        groups = apart.into_iter().chain([all]).collect();
    }
    groups.sort_by_key(|g| g.1.first().copied());
    let named = |(redundant, rows): (usize, BTreeSet<usize>)| {
        let among = rows.into_iter().map(|k| names[k].element.clone()).collect();
        Group { redundant, among }
    };
    groups.into_iter().map(named).collect()
}
