//! Everything known while the system is being built, and what all stages ask of it.

use super::bodies::Solid;
use super::coordinates::Coordinate;
use super::cuts::CutTable;
use super::forces::Compiled;
use super::frames::Frame;
use super::joint::{Reaction, Rows};
use super::joints::JointFrame;
use super::numbers::{Numbers, Quad, SlotTable, unknown};
use super::sides::SideTable;
use super::symbols::AngleDef;
use super::vectors::{Port, Symbols};
use super::{Positive, SIGNAL};
use crate::error::ModelError;
use crate::formula::Formula;
use crate::guard::Guard;
use crate::load::Load;
use crate::mechanism::{Mechanism, Text};
use crate::ports::{Affine, Entry, Ports};
use crate::program::{Graph, Table};
use crate::row::RowName;
use crate::signal::Signal;
use crate::spline::{self, SplineError, UniformSpline};
use std::collections::HashMap;
use std::sync::Arc;

/// What a reference such as `A1.P1` names: body index (the last is the ground) and point index.
pub(crate) type PointRef = (usize, usize);

/// Everything known while the system is being built.
pub(crate) struct Builder<'g, 'm> {
    pub(super) m: &'m Mechanism,
    pub(super) graph: &'g Graph,
    pub(super) numbers: Numbers<'g>,
    pub(super) slots: SlotTable<'g>,
    pub(super) solids: Vec<Solid<'g>>,
    pub(super) body_index: HashMap<String, usize>,
    pub(super) frames: Vec<Frame<'g>>,
    pub(super) coordinates: Vec<Coordinate>,
    pub(super) gravity: Symbols<'g>,
    pub(super) joint_frames: Vec<JointFrame<'g>>,
    /// Points of the joints.
    pub(super) joint_points: Vec<[PointRef; 2]>,
    pub(super) joint_names: HashMap<String, usize>,
    pub(super) force_names: HashMap<String, usize>,
    /// Points of each class of coincident points.
    pub(super) class_points: HashMap<usize, Vec<PointRef>>,
    pub(super) rows: Rows<'g>,
    pub(super) reactions: HashMap<String, Reaction<'g>>,
    pub(super) formulas: Vec<(RowName, Formula)>,
    /// Rows of velocity level, which come last.
    pub(super) velocity_rows: Vec<(RowName, Formula)>,
    /// Rows of the joints that roll or slide on an edge.
    pub(super) slip_rows: HashMap<usize, Vec<usize>>,
    pub(super) formula_index: HashMap<String, usize>,
    pub(super) forces: Vec<Compiled>,
    pub(super) loads: Vec<Load>,
    pub(super) signals: Vec<Signal>,
    pub(super) signal_names: HashMap<String, u32>,
    pub(super) splines: Vec<UniformSpline>,
    /// Tables of the roads that are given by points.
    pub(super) road_tables: Vec<Option<Arc<Table>>>,
    pub(super) guards: Vec<Guard>,
    /// Conditions whose sides are data of a run.
    pub(super) sides: SideTable,
    /// Expressions that may jump or kink without a condition.
    pub(super) cuts: CutTable,
    /// Sides of the forces that events switch, by name.
    pub(super) modes: HashMap<String, u32>,
    pub(super) angles: Vec<AngleDef<'g>>,
    pub(super) angle_index: HashMap<String, usize>,
    /// (angle, signal) of driven angles.
    pub(super) driven: Vec<(usize, u32)>,
    /// Joints with rows of their own, because their reaction is read or nothing is shared, and whether their
    /// torque is read.
    pub(super) wanted: HashMap<String, bool>,
    /// Numbers that must not be negative.
    pub(super) positive: Vec<Positive>,
    /// Joints that hold directions parallel: their product is positive.
    pub(super) aligned: Vec<(String, Quad<'g>)>,
}

impl<'g, 'm> Builder<'g, 'm> {
    /// Nothing is built yet; names are indexed.
    pub(super) fn new(
        m: &'m Mechanism,
        graph: &'g Graph,
        mut numbers: Numbers<'g>,
        solids: Vec<Solid<'g>>,
    ) -> Result<Self, ModelError> {
        // numbers of bodies by name; the ground comes last
        let index = |names: &mut dyn Iterator<Item = &Text>| -> HashMap<String, usize> {
            names.enumerate().map(|(k, t)| (t.text.clone(), k)).collect()
        };
        let mut body_index = index(&mut m.bodies.iter().map(|b| &b.name));
        body_index.insert("ground".into(), m.bodies.len());
        let gravity = numbers.vector(&m.gravity, "gravity")?;
        // everything that later stages fill is empty
        Ok(Self {
            m,
            graph,
            slots: SlotTable::new(graph),
            numbers,
            solids,
            body_index,
            frames: vec![],
            coordinates: vec![],
            gravity,
            joint_frames: vec![],
            joint_points: vec![],
            joint_names: index(&mut m.joints.iter().map(|j| &j.name)),
            force_names: index(&mut m.forces.iter().map(|f| &f.name)),
            class_points: HashMap::new(),
            rows: Rows { list: vec![] },
            reactions: HashMap::new(),
            formulas: vec![],
            velocity_rows: vec![],
            slip_rows: HashMap::new(),
            formula_index: HashMap::new(),
            forces: vec![],
            loads: vec![],
            signals: vec![],
            signal_names: HashMap::new(),
            splines: vec![],
            road_tables: vec![],
            guards: vec![],
            sides: SideTable::default(),
            cuts: CutTable::default(),
            angles: vec![],
            angle_index: HashMap::new(),
            driven: vec![],
            wanted: HashMap::new(),
            modes: HashMap::new(),
            positive: vec![],
            aligned: vec![],
        })
    }
    /// The index of the ground, the last of the solids.
    pub(super) fn ground(&self) -> usize {
        self.solids.len() - 1
    }
    /// The body of a name.
    pub(super) fn body(&self, t: &Text) -> Result<usize, ModelError> {
        let found = self.body_index.get(&t.text).copied();
        found.ok_or_else(|| unknown("body", t, self.solids.iter().map(|s| s.name.as_str())))
    }
    /// The point that `body.point` names.
    pub(super) fn point_ref(&self, t: &Text) -> Result<PointRef, ModelError> {
        // `body.point` → body and point
        let Some((body, point)) = t.text.split_once('.') else {
            let e = ModelError::new(format!("`{t}` is not a point")).at(&t.place);
            return Err(e.help("write body.point or ground.point"));
        };
        let body = self.body(&Text { text: body.into(), place: t.place.clone() })?;
        let solid = &self.solids[body];
        // the point by its name, or what the body has instead
        match solid.points.iter().position(|p| p.name == point) {
            Some(i) => Ok((body, i)),
            None => {
                let owner = if body == self.ground() {
                    "the ground".into()
                } else {
                    format!("body `{}`", solid.name)
                };
                let known: Vec<&str> = solid.named_points().map(|p| p.name.as_str()).collect();
                let near = crate::error::nearest(point, known.iter().copied())
                    .map_or(String::new(), |n| format!("did you mean `{n}`? "));
                let list = if known.is_empty() {
                    "it has no points".into()
                } else {
                    format!("it has {}", known.join(", "))
                };
                Err(ModelError::new(format!("{owner} has no point `{point}`"))
                    .at(&t.place)
                    .help(format!("{near}{list}")))
            }
        }
    }
    /// A point by its coordinates.
    pub(super) fn port(&self, (body, point): PointRef) -> Port<'g> {
        self.frames[body].point(&self.solids[body], point)
    }
    /// Affine forms on slots.
    pub(super) fn ports(&mut self, args: &[&Affine<'g>]) -> Ports {
        let mut ports = Ports::default();
        for (a, affine) in args.iter().enumerate() {
            for &(i, c) in &affine.terms {
                ports.linear.push(Entry { arg: a as u32, coord: i as u32, slot: self.slots.slot(c) });
            }
            if affine.constant.as_constant() != Some(0.0) {
                ports.constant.push((a as u32, self.slots.slot(affine.constant)));
            }
        }
        ports
    }
    /// The splines of the mechanism, as signals.
    pub(super) fn add_splines(&mut self) -> Result<(), ModelError> {
        for s in &self.m.splines {
            let what = format!("spline `{}`", s.name);
            // t₀ and T, numbers that no parameter changes
            let start = self.numbers.constant(&s.start, &format!("{what}, start"))?;
            let duration = self.numbers.constant(&s.duration, &format!("{what}, duration"))?;
            if duration <= 0.0 {
                return Err(
                    ModelError::new(format!("{what}: the duration must be positive")).at(&s.duration.place)
                );
            }
            // values at the knots → coefficients c
            let values =
                s.values.iter().map(|v| self.numbers.number(v, &what)).collect::<Result<Vec<_>, _>>()?;
            let wrong = |e: SplineError| ModelError::new(format!("{what}: {e}")).at(&s.name.place);
            let kind = if s.cyclic { spline::Kind::Cyclic } else { spline::Kind::Clamped };
            let spline = UniformSpline::new(kind, start, duration, values.len()).map_err(wrong)?;
            let coefficients = match kind {
                spline::Kind::Cyclic => spline::coefficients_cyclic(&values),
                spline::Kind::Clamped => spline::coefficients_clamped(&values, None, None, spline.dt()),
            }
            .map_err(wrong)?;
            // c → slots; the spline becomes a signal
            let slots = coefficients.into_iter().map(|c| self.slots.slot(c)).collect();
            self.signal_names.insert(s.name.text.clone(), SIGNAL + self.signals.len() as u32);
            self.splines.push(spline);
            self.signals.push(Signal::Spline(spline, slots));
        }
        Ok(())
    }
}
