//! Natural coordinates: points and unit vectors shared by the bodies that they belong to.
//!
//! ```text
//! r = C(p) q + d(p)       every point and direction of a body                                     (1)
//! M constant, rows quadratic, drivers generic                                                    (2)
//! ```
//! A plane body has two points, or a point and a unit vector along its local x axis; revolute joints share points, so that
//! they need no rows. [`build`](crate::build::build) makes the system from a [`Mechanism`](crate::mechanism::Mechanism).

mod terms;

use crate::element::{Args, Element};
use crate::force::{Force, LawScratch};
use crate::functional::{Cotangent, Functional, FunctionalScratch, Sensed, quadratic};
use crate::geometry::Kind;
use crate::quadratic::{Form, QuadraticRows};
use crate::signal::{Scratch, Signals};
use crate::system::{Dims, Patterns, System};
use gradyn_num::{Jet, Scalar};

/// A driver: a generic constraint row on the patterns.
#[derive(Clone, Debug)]
pub struct Driver {
    /// The row's function.
    pub element: Element,
    /// Position of each port entry in row k of m × n.
    pub row: Vec<u32>,
    /// Position of each pair of port entries in n × n.
    pub pairs: Vec<u32>,
}

/// A mechanism in natural coordinates, with its functionals.
#[derive(Clone, Debug)]
pub struct Natural {
    pub(crate) dims: Dims,
    pub(crate) patterns: Patterns,
    /// (i, j, slot): entries of M, both triangles; positions in `inertia_at`.
    pub(crate) inertia: Vec<(u32, u32, u32)>,
    pub(crate) inertia_at: Vec<u32>,
    /// (coordinate, slot).
    pub(crate) weights: Vec<(u32, u32)>,
    /// Slot of the constant of the gravity potential.
    pub(crate) level: u32,
    pub(crate) rows: QuadraticRows,
    pub(crate) drivers: Vec<Driver>,
    pub(crate) driver_elements: Vec<Element>,
    pub(crate) forces: Vec<Force>,
    pub(crate) signals: Signals,
    /// Angle elements and the argument that holds their reference, in order.
    pub(crate) angles: Vec<Element>,
    pub(crate) angle_names: Vec<String>,
    pub(crate) integrand: Functional,
    pub(crate) terminal: Functional,
    pub(crate) output: Functional,
    pub(crate) position: Vec<Functional>,
    pub(crate) velocity: Vec<Functional>,
    pub(crate) drawn: Vec<f64>,
    /// Joints that hold an angle, with x₁'·x₂ > 0.
    pub(crate) aligned: Vec<(String, Form)>,
    pub(crate) row_names: Vec<String>,
    pub(crate) coordinate_names: Vec<String>,
}

/// What evaluation writes.
#[derive(Clone, Debug)]
pub struct Data<S> {
    pub(crate) args: Args<S>,
    pub(crate) phi_q: Vec<S>,
    pub(crate) mass: Vec<S>,
    signals: Scratch<S>,
    law: LawScratch<S>,
    functional: FunctionalScratch<S>,
    value: Vec<S>,
    /// f64 only: cotangents and tangents of the extended parameters.
    cot: Cotangent,
    dot: Vec<[f64; 3]>,
    /// Is there anything that moves with t?
    timed: bool,
    /// Elements evaluated.
    visits: usize,
}

impl Natural {
    pub(crate) fn sensed(&self) -> Sensed<'_> {
        Sensed {
            forces: &self.forces,
            drivers: &self.driver_elements,
            first_driver: self.rows.rows,
            weights: &self.weights,
            inertia: &self.inertia,
            level: self.level,
            nn: &self.patterns.nn,
        }
    }
    fn functionals(&self) -> impl Iterator<Item = &Functional> {
        [&self.integrand, &self.terminal, &self.output].into_iter().chain(&self.position).chain(&self.velocity)
    }
    fn new_data<S: Scalar>(&self) -> Data<S> {
        let Dims { n, m, slots, args: ext, .. } = self.dims;
        let signals = self.signals.list.len();
        let zero = S::zero();
        Data {
            args: Args { values: vec![zero; ext], rates: vec![(zero, zero); signals], slots },
            phi_q: vec![zero; self.patterns.mn.nnz()],
            mass: vec![zero; self.patterns.nn.nnz()],
            signals: self.signals.scratch(),
            law: LawScratch::new(self.forces.iter().map(|f| &f.law)),
            functional: FunctionalScratch::new(self.functionals()),
            value: vec![zero; self.functionals().map(|f| f.program.outputs()).max().unwrap_or(0)],
            cot: Cotangent {
                q: vec![0.0; n],
                v: vec![0.0; n],
                a: vec![0.0; n],
                lam: vec![0.0; m],
                args: vec![0.0; ext],
                rates: vec![(0.0, 0.0); signals],
                slots,
            },
            dot: vec![[0.0; 3]; signals],
            timed: signals > 0,
            visits: 0,
        }
    }
    /// Replaces the start of the assembly, for example by an assembled configuration.
    pub fn set_drawn(&mut self, q: &[f64]) {
        self.drawn.copy_from_slice(q);
    }
    /// The first joint or driver that holds its angle half a turn off at (t, q).
    pub fn flipped(&self, p: &[f64], t: f64, q: &[f64]) -> Option<String> {
        let mut d = self.new_data::<f64>();
        self.prepare(p, &mut d);
        self.set_time(t, &mut d);
        let joint = self.aligned.iter().find(|(_, form)| quadratic(form, &d.args.values, q) < 0.0).map(|(name, _)| name.clone());
        let against = |e: &Element| e.kind == Kind::AngleDriver && e.gradient(&d.args, q).1[4] > 0.0; // φ_θ = -d₁'·d₂
        let driver = self.driver_elements.iter().position(against);
        joint.or_else(|| driver.map(|k| self.row_names[self.rows.rows + k].trim_end_matches(" (driver)").to_owned()))
    }
    /// The first force along a distance whose ends pass through each other between two positions.
    pub fn reversed_force(&self, d: &Data<f64>, from: &[f64], to: &[f64]) -> Option<String> {
        let reversed = |f: &&Force| {
            let (a, b) = (f.element.gradient(&d.args, from).1, f.element.gradient(&d.args, to).1);
            f.element.kind == Kind::Distance && a[2] * b[2] + a[3] * b[3] < 0.0
        };
        self.forces.iter().find(reversed).map(|f| f.name.clone())
    }
    /// The first force along a distance whose ends coincide at q.
    pub fn collapsed_force(&self, p: &[f64], q: &[f64]) -> Option<String> {
        let mut d = self.new_data::<f64>();
        d.args.values[..p.len()].copy_from_slice(p);
        let size = q.iter().fold(0.0f64, |s, q| s.max(q.abs()));
        let collapsed = |f: &&Force| f.element.kind == Kind::Distance && f.element.value(&d.args, q) <= 1e-12 * size;
        self.forces.iter().find(collapsed).map(|f| f.name.clone())
    }
    /// Names of the constraint rows.
    pub fn row_names(&self) -> &[String] {
        &self.row_names
    }
    /// Does any objective read accelerations or multipliers?
    pub fn reads_dynamics(&self) -> bool {
        [&self.integrand, &self.terminal].iter().any(|f| f.sensors.iter().any(|s| s.needs_dynamics()))
    }
}

impl<S: Scalar> Data<S> {
    fn jet(&self, e: &Element, at: &crate::system::At<S>) -> Jet<S> {
        e.jet(&self.args, at.q, at.v, at.a)
    }
}
