//! Mobility and redundancy of the joints, whatever the coordinates of a run, and the counts of every family.
//!
//! Coordinates decide which rows come into being: joints that share points and axes, or that a tree carries, have none. So the joints are
//! counted where every body is free and every joint has all its rows, in Cartesian coordinates at the assembled start:
//!
//! ```text
//! freedom   = Σ freedoms of the bodies - rank                     6, 3 in the plane, 5 of a rod in space   (1)
//! redundant = rows of joints, drivers and constraints - rank                                              (2)
//! ```
//! Rows of Euler parameters and of rods belong to bodies: (1) has them in the freedoms, (2) has not. Dependencies nᵀΦ_q = 0 with an
//! element in common are one group (3): which elements are in it, and how many rows too many it has, does not depend on the rows left out.

use crate::error::Error;
use crate::prepared::Prepared;
use crate::redundancy::reads_shared;
use gradyn_dynamics::assembly::{Ranks, ranks_at};
use gradyn_model::mechanism::Mechanism;
use gradyn_model::{Coordinates, Model, RowName, System};
use gradyn_num::{Dependent, largest};
use std::collections::BTreeSet;

/// Coefficients of a dependency below this part of the largest one are roundings.
const ZERO: f64 = 1e-6;

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
    /// Counts of the other coordinates, or why there are none.
    pub families: Vec<(Coordinates, Result<Counts, Error>)>,
}

/// Joints, drivers and constraints that repeat each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Rows too many.
    pub redundant: usize,
    /// The elements, in the order of the model.
    pub among: Vec<String>,
}

/// Sizes in coordinates of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The coordinates of a run: Cartesian instead of relative ones where a shared load is read.
    pub family: Coordinates,
    /// Coordinates.
    pub coordinates: usize,
    /// Constraints.
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
        let redundant = dims.m - independent[1].len();
        Self { family: model.family, coordinates: dims.n, constraints: dims.m, redundant, freedom }
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
        let ranks = ranks_at(&model.system, t, &p, &model.angles, model.system.drawn());
        Ok(Self { model, ranks })
    }
    fn counts(&self) -> Counts {
        Counts::new(&self.model, &self.ranks.independent)
    }
}

impl Prepared {
    /// Sizes of this model.
    pub fn counts(&self) -> Counts {
        Counts::new(&self.model, &self.assembled.independent)
    }
}

impl Mobility {
    /// Of a mechanism that can be assembled.
    pub fn of(m: &Mechanism) -> Result<Self, Error> {
        let natural = Prepared::framed(m)?;
        let Ranked { model, ranks } = Ranked::new(m, &natural, Coordinates::Cartesian)?;
        let cartesian = Counts::new(&model, &ranks.independent);
        let relative = || -> Result<Counts, Error> {
            let r = Ranked::new(m, &natural, Coordinates::Relative0)?;
            let shared = reads_shared(&r.model.system, &r.ranks.redundant);
            Ok(if shared { cartesian } else { r.counts() })
        };
        // the two kinds of relative coordinates differ in their masses only
        let relative = relative();
        let families = Coordinates::ALL.map(|family| {
            let counts = match family {
                Coordinates::Natural if natural.reads_shared() => Prepared::new(m).map(|p| p.counts()),
                Coordinates::Natural => Ok(natural.counts()),
                Coordinates::Cartesian => Ok(cartesian),
                _ => relative.clone(),
            };
            let run = |c: Counts| if c.family == Coordinates::Cartesian { c } else { Counts { family, ..c } };
            (family, counts.map(run))
        });
        let names = model.system.row_names();
        let constraints = names.iter().filter(|n| !n.owner.of_body()).count();
        let groups = groups(names, &ranks.redundant);
        Ok(Self { freedom: cartesian.freedom, constraints, redundant: cartesian.redundant, groups, families: families.into() })
    }
}

/// (3).
fn groups(names: &[RowName], redundant: &[Dependent]) -> Vec<Group> {
    // an element by its first row
    let first = |k: usize| names.iter().position(|n| n.element == names[k].element).unwrap_or(k);
    let mut groups: Vec<(usize, BTreeSet<usize>)> = vec![];
    for d in redundant {
        let zero = ZERO * largest(d.on.iter().map(|o| o.1).chain([1.0]));
        let rows = d.on.iter().filter(|o| o.1.abs() > zero).map(|o| o.0).chain([d.row]);
        let mut all = (1, rows.filter(|&k| !names[k].owner.of_body()).map(first).collect::<BTreeSet<_>>());
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
