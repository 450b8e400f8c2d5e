//! Quadratic rows that kinds of joints are made of, with what they push.
//!
//! Each side of a joint has a point r, and in space a unit axis a with normals n and b = a × n. Never a cross
//! product of three rows with rank two: parallel directions are two rows (one in the plane), regular at every
//! angle.
//!
//! ```text
//! points coincide    r₂ - r₁ = 0                               force on body 2: -λ                 (1)
//! plane angle        x₁' × x₂ = 0, x₁' = R(angle) x₁           torque on body 2: -λ x₁'·x₂         (2)
//! on a line          (r₂ - r₁)·n₁ = 0, (r₂ - r₁)·b₁ = 0        force on body 2: -λ n₁              (3)
//! distance           ½ (|r₂ - r₁|² - L²) = 0                   force on body 2: -λ (r₂ - r₁)       (4)
//! axes parallel      a₂·n₁ = 0, a₂·b₁ = 0                      torque on body 2: -λ a₂ × n₁        (5)
//! no turning         n₂·b₁' = 0, b₁' = b₁ turned by the angle  torque on body 2: -λ n₂ × b₁'       (6)
//! on a plane         (r₂ - r₁)·a₁ = 0                          force on body 2: -λ a₁              (7)
//! ```
//! Reactions are those on body 2 by body 1, in the global frame, the torque about point 2. Rows of points and
//! axes that the bodies share are left out; a joint whose reaction is asked for is not shared.

use crate::build::joints::{Ends, JointFrame, number_of};
use crate::build::numbers::{Numbers, Quad};
use crate::build::vectors::{AXES, Port, cross, cross_part, minus, normal, plus, same, unit};
use crate::error::ModelError;
use crate::mechanism::Joint;
use crate::program::Sym;
use crate::row::{Owner, RowName};

/// A component of a reaction: Σ λ_row ψ_row(q).
pub(crate) type Component<'g> = Vec<(usize, Quad<'g>)>;

/// The reaction of a joint.
#[derive(Clone)]
pub(crate) struct Reaction<'g> {
    /// Components of the force.
    pub(crate) force: Vec<Component<'g>>,
    /// The torque: one component in the plane, three in space.
    pub(crate) torque: Vec<Component<'g>>,
    /// Products of directions that are parallel in the joint: positive where it is not half a turn off.
    pub(crate) aligned: Vec<Quad<'g>>,
}

impl Reaction<'_> {
    /// A reaction without rows.
    pub(crate) fn none(dimension: usize) -> Self {
        let torques = if dimension == 2 { 1 } else { 3 };
        Self { force: vec![vec![]; dimension], torque: vec![vec![]; torques], aligned: vec![] }
    }
}

/// Rows of the system with their names, as they are being made.
pub(crate) struct Rows<'g> {
    /// Each row with its name.
    pub(crate) list: Vec<(RowName, Quad<'g>)>,
}

/// Builder of the rows of one joint.
pub(crate) struct Maker<'a, 'g> {
    /// The joint that the rows are of.
    pub(crate) joint: &'a Joint,
    /// Its directions.
    pub(crate) frame: &'a JointFrame<'g>,
    /// What it connects.
    pub(crate) ends: &'a Ends<'a, 'g>,
    /// Are its points one already?
    pub(crate) closed: bool,
    /// Reads its number.
    pub(crate) n: &'a mut Numbers<'g>,
    /// All rows so far.
    pub(crate) rows: &'a mut Rows<'g>,
    /// Its reaction so far.
    pub(crate) r: Reaction<'g>,
    /// The number 1 as a symbol.
    pub(crate) one: Sym<'g>,
}

impl<'g> Rows<'g> {
    /// Adds a row and returns its index.
    pub(crate) fn push(&mut self, name: RowName, row: Quad<'g>) -> usize {
        self.list.push((name, row));
        self.list.len() - 1
    }
}

impl<'g> Maker<'_, 'g> {
    /// Is the model plane?
    pub(crate) fn plane(&self) -> bool {
        self.n.dimension == 2
    }
    /// The number of the joint.
    pub(crate) fn number(&mut self) -> Result<Sym<'g>, ModelError> {
        number_of(self.joint, self.n)
    }
    /// The form that is 0.
    pub(crate) fn zero(&self) -> Quad<'g> {
        Quad::zero(self.one.graph())
    }
    /// Adds a row and returns its index.
    pub(crate) fn row(&mut self, what: &str, row: Quad<'g>) -> usize {
        self.rows.push(RowName::new(Owner::Joint, &self.joint.name.text, what), row)
    }
    /// The axis of a side, in global components.
    pub(crate) fn axis(&self, side: usize) -> Port<'g> {
        self.ends.frames[side].direction(&self.frame.axes[side])
    }
    /// The normal of a side, in global components.
    pub(crate) fn normal(&self, side: usize) -> Port<'g> {
        self.ends.frames[side].direction(&self.frame.normals[side])
    }
    /// The binormal b = a × n of a side.
    pub(crate) fn binormal(&self, side: usize) -> Port<'g> {
        self.ends.frames[side].direction(&cross(&self.frame.axes[side], &self.frame.normals[side]))
    }
    /// Force -λ d of a row on body 2.
    pub(crate) fn push_force(&mut self, row: usize, d: &Port<'g>) {
        for (part, d) in self.r.force.iter_mut().zip(d) {
            part.push((row, Quad::zero(self.one.graph()).plus(-self.one, d)));
        }
    }
    /// Torque -λ a × b of a row on body 2.
    pub(crate) fn push_torque(&mut self, row: usize, a: &Port<'g>, b: &Port<'g>) {
        for (k, part) in self.r.torque.iter_mut().enumerate() {
            part.push((row, cross_part(-self.one, a, b, k)));
        }
    }
    /// (1), unless both points are one or the same coordinates already.
    pub(crate) fn coincide(&mut self) {
        let [a, b] = &self.ends.points;
        if self.closed || same(a, b) {
            return;
        }
        for k in 0..a.len() {
            let row = self.zero().plus(self.one, &b[k]).plus(-self.one, &a[k]);
            let row = self.row(AXES[k], row);
            let reaction = self.zero().plus_constant(-self.one);
            self.r.force[k].push((row, reaction));
        }
    }
    /// (2): body 2 is held at an angle of body 1, in the plane.
    pub(crate) fn plane_angle(&mut self, angle: Sym<'g>) {
        let x1 = self.ends.frames[0].direction(&[angle.cos(), angle.sin()]);
        let x2 = self.ends.frames[1].direction(&unit(self.one.graph(), 2, 0));
        let row = self.row("angle", self.zero().plus_dot(self.one, &normal(&x1), &x2));
        let reaction = self.zero().plus_dot(-self.one, &x1, &x2);
        self.r.torque[0].push((row, reaction));
        self.r.aligned.push(self.zero().plus_dot(self.one, &x1, &x2));
    }
    /// (3): point 2 is on the line through point 1 along axis 1.
    pub(crate) fn on_line(&mut self) {
        let d = minus(&self.ends.points[1], &self.ends.points[0]);
        if d.len() == 2 {
            let n = normal(&self.axis(0));
            let row = self.row("line", self.zero().plus_dot(self.one, &d, &n));
            return self.push_force(row, &n);
        }
        for (what, w) in [("line 1", self.normal(0)), ("line 2", self.binormal(0))] {
            let row = self.row(what, self.zero().plus_dot(self.one, &d, &w));
            self.push_force(row, &w);
        }
    }
    /// (4): the points keep the distance `l`.
    pub(crate) fn distance(&mut self, l: Sym<'g>) {
        let d = minus(&self.ends.points[1], &self.ends.points[0]);
        let half = self.one * 0.5;
        let row = self.row("distance", self.zero().plus_dot(half, &d, &d).plus_constant(l * l * -0.5));
        self.push_force(row, &d);
    }
    /// (5), unless both axes are the same coordinates already.
    pub(crate) fn parallel(&mut self) {
        let a1 = self.axis(0);
        let a2 = self.axis(1);
        if same(&a1, &a2) {
            return;
        }
        for (what, w) in [("axis 1", self.normal(0)), ("axis 2", self.binormal(0))] {
            let row = self.row(what, self.zero().plus_dot(self.one, &a2, &w));
            self.push_torque(row, &a2, &w);
        }
        self.r.aligned.push(self.zero().plus_dot(self.one, &a1, &a2));
    }
    /// (6): normal 2 is held at an angle of normal 1, about the axis.
    pub(crate) fn no_turning(&mut self, angle: Sym<'g>) {
        let n1 = self.normal(0);
        let b1 = self.binormal(0);
        let n2 = self.normal(1);
        let none = plus(&n1, -self.one, &n1);
        let turned = |c: Sym<'g>, s: Sym<'g>| plus(&plus(&none, c, &n1), s, &b1);
        let along = turned(angle.cos(), angle.sin());
        let across = turned(-angle.sin(), angle.cos());
        let row = self.row("angle", self.zero().plus_dot(self.one, &n2, &across));
        self.push_torque(row, &n2, &across);
        self.r.aligned.push(self.zero().plus_dot(self.one, &n2, &along));
    }
    /// (2), or (5) and (6): body 2 is held at the angle that is the number of the joint.
    pub(crate) fn hold_angle(&mut self) -> Result<(), ModelError> {
        let angle = self.number()?;
        match self.plane() {
            true => self.plane_angle(angle),
            false => {
                self.parallel();
                self.no_turning(angle);
            }
        }
        Ok(())
    }
    /// (7): point 2 is on the plane through point 1 across axis 1.
    pub(crate) fn on_plane(&mut self) {
        let d = minus(&self.ends.points[1], &self.ends.points[0]);
        let a = self.axis(0);
        let row = self.row("plane", self.zero().plus_dot(self.one, &d, &a));
        self.push_force(row, &a);
    }
}
