//! What forces touch: tangents between arguments of ports, contracted to blocks of bodies.
//!
//! ```text
//! r = c P,   ṙ = c Ṗ                          of each argument c·x of a port, for each body  (1)
//! X₀ += r_wᵀ (K r + C ṙ),   X₁ += r_wᵀ C r                                                   (2)
//! ```
//! The rows w of (2) are those of work, the columns those of positions (K) and velocities (C).
//!
//! An argument is one component of a point or of a direction: K and C are small before they meet the twelve
//! components of a frame.

use super::contraction::Blocks;
use super::fold::Fold;
use super::spatial::Twist;
use super::{Carried, Relative};
use crate::load::Load;
use crate::ports::{Ports, Tangents};
use gradyn_num::Scalar;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Arguments of a port that one body moves.
#[derive(Clone, Debug, Default)]
struct Arm {
    body: usize,
    /// (argument, its entries).
    args: Vec<(u32, Range<usize>)>,
    /// (component of the frame, slot).
    entries: Vec<(u8, u32)>,
}

/// What one body does to the columns.
#[derive(Clone, Debug)]
struct Side {
    position: Arm,
    velocity: Arm,
    /// Block of each row.
    blocks: Vec<u32>,
}

/// What an element touches.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    rows: Vec<Arm>,
    sides: Vec<Side>,
    /// Number of rows of (2).
    outputs: usize,
}

/// Arms of the bodies that move.
fn arms(ports: &Ports, owners: &[(usize, u8)], bodies: &[Carried]) -> BTreeMap<usize, Arm> {
    let mut sorted = BTreeMap::<(usize, u32), Vec<(u8, u32)>>::new();
    for e in &ports.linear {
        let (body, part) = owners[e.coord as usize];
        if bodies[body].last.is_some() {
            sorted.entry((body, e.arg)).or_default().push((part, e.slot));
        }
    }
    let mut arms = BTreeMap::<usize, Arm>::new();
    for ((body, arg), list) in sorted {
        let arm = arms.entry(body).or_insert_with(|| Arm { body, ..Arm::default() });
        let first = arm.entries.len();
        arm.args.push((arg, first..first + list.len()));
        arm.entries.extend(list);
    }
    arms
}

impl Touch {
    /// Work, positions and velocities of an element.
    pub(super) fn new(
        [work, positions, velocities]: [&Ports; 3],
        owners: &[(usize, u8)],
        bodies: &[Carried],
        fold: &Fold,
    ) -> Self {
        let [rows, mut position, mut velocity] =
            [work, positions, velocities].map(|p| arms(p, owners, bodies));
        let columns: BTreeSet<usize> = position.keys().chain(velocity.keys()).copied().collect();
        let rows: Vec<Arm> = rows.into_values().collect();
        let sides = columns.into_iter().map(|b| Side {
            position: position.remove(&b).unwrap_or_default(),
            velocity: velocity.remove(&b).unwrap_or_default(),
            blocks: rows.iter().filter_map(|row| fold.block([row.body, b])).collect(),
        });
        let outputs = work.linear.iter().map(|e| e.arg as usize + 1).max().unwrap_or(0);
        Self { sides: sides.collect(), rows, outputs }
    }
    /// What a load touches.
    pub(super) fn of(load: &Load, owners: &[(usize, u8)], bodies: &[Carried], fold: &Fold) -> Self {
        Self::new([&load.work, &load.positions, &load.velocities], owners, bodies, fold)
    }
    /// Number of rows of (2).
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }
}

impl Relative {
    /// (1) for an argument: with P (order 0) or Ṗ (order 1).
    #[inline]
    fn argument<S: Scalar>(
        &self,
        arm: &Arm,
        entries: Range<usize>,
        p: &[S],
        order: usize,
        b: &Blocks<S>,
    ) -> Twist<S> {
        let mut r = Twist::zero();
        for &(part, slot) in &arm.entries[entries] {
            self.add_row((arm.body, part), p[slot as usize], order, &b.moving, &mut r);
        }
        r
    }
    /// (2) for one element.
    pub(super) fn add_touch<S: Scalar>(&self, touch: &Touch, p: &[S], t: &Tangents<S>, b: &mut Blocks<S>) {
        let mut products = std::mem::take(&mut b.products);
        for side in &touch.sides {
            // K r + C ṙ and C r of this body, for each row of work
            let [first, second] = products.each_mut().map(|x| &mut x[..touch.outputs]);
            first.fill(Twist::zero());
            second.fill(Twist::zero());
            for (arg, entries) in &side.position.args {
                let r = self.argument(&side.position, entries.clone(), p, 0, b);
                for (w, k) in first.iter_mut().zip(t.values[*arg as usize..].iter().step_by(t.stride)) {
                    w.increase(*k, &r);
                }
            }
            for (arg, entries) in &side.velocity.args {
                let [r, rate] =
                    [0, 1].map(|order| self.argument(&side.velocity, entries.clone(), p, order, b));
                let column = t.values[t.split + *arg as usize..].iter().step_by(t.stride);
                for ((w, v), c) in first.iter_mut().zip(&mut *second).zip(column) {
                    w.increase(*c, &rate);
                    v.increase(*c, &r);
                }
            }
            // (2): times r_wᵀ, into the blocks
            for (row, &block) in touch.rows.iter().zip(&side.blocks) {
                for (arg, entries) in &row.args {
                    let r = self.argument(row, entries.clone(), p, 0, b);
                    let w = &first[*arg as usize];
                    let v = &second[*arg as usize];
                    let [x0, x1, _] = &mut b.x;
                    for i in 0..6 {
                        x0[block as usize][i].increase(r.get(i), w);
                        x1[block as usize][i].increase(r.get(i), v);
                    }
                }
            }
        }
        b.products = products;
    }
}
