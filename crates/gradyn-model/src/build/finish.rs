//! The last stage: inertia, functionals, final indices, patterns, and everything compiled onto them.

use super::functionals::{Conditions, Draft, Objectives};
use super::numbering::Numbering;
use super::numbers::Quad;
use super::tree::{Edge, TreeMaker};
use super::{Builder, Model, ParameterInfo, Sharing, Times};
use crate::cut::Cut;
use crate::elements::{Elements, RowPenalties};
use crate::error::ModelError;
use crate::event::EventRule;
use crate::formula::Formula;
use crate::functional::Functional;
use crate::load::Load;
use crate::mechanics::{Coordinates, Kind, Mechanics};
use crate::mechanism::{InitialVelocity, Mechanism, Number, Penalty, Text};
use crate::ports::Ports;
use crate::program::{Program, Sym};
use crate::quadratic::{Form, QuadraticRows, RowTerms};
use crate::relative::{Reference, Relative, Tree};
use crate::row::{Owner, RowName};
use crate::side::Side;
use crate::signal::Signals;
use crate::start::Start;
use crate::system::{AngleName, Dims, Patterns, Statics};
use crate::warning::{Warning, WarningCode};
use gradyn_num::Pattern;
use std::collections::BTreeMap;
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

/// Rows, inertia and weights on slots.
struct Terms {
    rows: Vec<RowTerms>,
    row_names: Vec<RowName>,
    penalties: Vec<Penalty>,
    /// (i, j, slot) of M, in order.
    inertia: Vec<(u32, u32, u32)>,
    /// (coordinate, slot) of the weights.
    weights: Vec<(u32, u32)>,
    /// The slot of the constant of the potential.
    level: u32,
}

/// What is read of a run, and where its bodies are.
struct Asked {
    objectives: Objectives,
    outputs: (Vec<String>, Draft),
    conditions: Conditions,
    times: Times,
    /// Conditions whose sides are data of a run, with the functional of their g.
    sides: (Vec<Side>, Draft),
    /// Expressions that may jump or kink without a condition, with the functional of their values.
    cuts: (Vec<Cut>, Draft),
    /// Events, with the functional of the velocities and positions that they give.
    events: (Vec<EventRule>, Draft),
    frames: Vec<(usize, Ports)>,
    tree: Option<Tree>,
    /// Products of directions that a joint holds parallel, by its name.
    aligned: Vec<(String, Form)>,
}

impl<'g> Builder<'g, '_> {
    /// The model of everything that was added.
    pub(super) fn finish(
        mut self,
        mut parameters: Vec<ParameterInfo>,
        rho: &[f64],
        (sharing, edges): (Sharing, Option<(Coordinates, Vec<Edge>)>),
    ) -> Result<Model, ModelError> {
        if self.coordinates.is_empty() {
            return Err(ModelError::new("the model has no moving body"));
        }
        let terms = self.terms()?;
        let mut asked = self.asked(sharing, edges.as_ref().map(|e| &e.1[..]))?;
        let (mut system, fix) = self.elements(terms, &mut asked);
        compile_functionals(&mut system, &fix, &mut asked);
        // a first drawing, and parameters that are read
        let program = self.graph.program(&self.slots.symbols);
        let family = edges.map_or(Coordinates::Natural, |e| e.0);
        let (system, angles) = self.placed(Arc::new(system), &fix, &mut asked, (&program, rho), family)?;
        for &i in program.used_inputs() {
            parameters[i].used = true;
        }
        let m = self.m;
        Ok(Model {
            name: m.name.clone(),
            system,
            full: None,
            family,
            frames: asked.frames,
            slots: Arc::new(program),
            parameters,
            until: false,
            objectives: m.objectives.iter().map(|o| o.name.text.clone()).collect(),
            maxima: m.objectives.iter().map(|o| o.maximum).collect(),
            columns: asked.outputs.0,
            times: asked.times,
            spline_names: self.m.splines.iter().map(|s| s.name.text.clone()).collect(),
            splines: self.splines,
            angles,
            positive: self.positive,
            warnings: distinct(self.numbers.warnings),
            conditions: asked.conditions.names,
            rest: m.initial.velocity == InitialVelocity::Rest,
            places: places(m),
            counts: [m.bodies.len(), m.joints.len() + m.couplings.len(), m.forces.len(), m.drivers.len()],
        })
    }
    /// The system with its start, in these coordinates or in those of the tree, and references of the angles.
    fn placed(
        &mut self,
        elements: Arc<Elements>,
        fix: &Numbering,
        asked: &mut Asked,
        (program, rho): (&Program, &[f64]),
        family: Coordinates,
    ) -> Result<(Mechanics, Vec<f64>), ModelError> {
        // a first drawing
        let driven = self.driven_angles(&elements, fix, program, rho, asked.times.start);
        let (drawn, angles) = self.drawn(&driven)?;
        let p = values(program, rho);
        let m_vel = elements.dims.m_vel;
        // the start
        let held = take(&mut asked.conditions.held);
        let statics = self.m.initial.equilibrium.as_ref().map(|_| Statics { held, balanced: vec![] });
        let velocity_conditions = (0..elements.velocity.len() as u32).collect();
        let (kind, guess) = placed(elements, drawn, asked.tree.take(), family, self.m.dimension, &p);
        let system = Mechanics::new(kind, Start { guess, statics, velocity_conditions });
        let off = self.m.initial.off.iter().flat_map(|t| system.rows_of(&t.text)).collect();
        let mut system = system.with_off(off)?;
        // conditions of velocity beside rows of velocity level
        let rest = self.m.initial.velocity == InitialVelocity::Rest;
        if rest && m_vel > 0 && system.statics().is_none() {
            let names = &mut asked.conditions.names.1;
            super::rest::keep_open(&mut system, names, &p, p[asked.times.start as usize], &angles);
        }
        Ok((system, angles))
    }
    /// Rows, inertia and weights; their numbers become slots.
    fn terms(&mut self) -> Result<Terms, ModelError> {
        let rows: Vec<RowTerms> = self.rows.list.iter().map(|(_, r)| r.row(&mut self.slots)).collect();
        let mut row_names: Vec<RowName> = self.rows.list.iter().map(|(name, _)| name.clone()).collect();
        row_names.extend(self.formulas.iter().chain(&self.velocity_rows).map(|(name, _)| name.clone()));
        let penalties = self.penalties(&row_names)?;
        let (mut inertia, weights, level) = self.inertia_and_weights()?;
        inertia.sort_by_key(|e| (e.0, e.1));
        Ok(Terms { rows, row_names, penalties, inertia, weights, level })
    }
    /// Functionals, times, frames and the tree: they may still add slots and angles.
    fn asked(&mut self, sharing: Sharing, edges: Option<&[Edge]>) -> Result<Asked, ModelError> {
        let objectives = self.objectives()?;
        let outputs = self.outputs()?;
        let conditions = self.conditions()?;
        let events = self.events()?;
        let sides = self.all_sides();
        let cuts = self.all_cuts();
        let times = self.times(&sides.0)?;
        let framed = matches!(sharing, Sharing::Framed | Sharing::Apart);
        let frames = if framed { self.body_frames() } else { vec![] };
        let make = |list: &[Edge]| TreeMaker { b: self, tree: Tree::default() }.make(list);
        let tree = edges.map(make).transpose()?;
        let aligned = take(&mut self.aligned);
        let aligned = aligned.into_iter().map(|(name, q)| (name, q.form(&mut self.slots))).collect();
        Ok(Asked { objectives, outputs, conditions, times, sides, cuts, events, frames, tree, aligned })
    }
    /// The system on its patterns, still without functionals, and the final indices.
    fn elements(&mut self, terms: Terms, asked: &mut Asked) -> (Elements, Numbering) {
        let Terms { rows, row_names, penalties, inertia, weights, level } = terms;
        // sizes and patterns
        let n = self.coordinates.len();
        let quads = self.angle_quads();
        let angles = quads.iter().map(|[y, x]| (y.form(&mut self.slots), x.form(&mut self.slots))).collect();
        let formulas = take(&mut self.formulas).into_iter().chain(take(&mut self.velocity_rows));
        let formulas: Vec<Formula> = formulas.map(|f| f.1).collect();
        let m_vel = formulas.iter().filter(|f| f.velocity()).count();
        let loads = take(&mut self.loads);
        let slots = self.slots.symbols.len();
        let m = rows.len() + formulas.len();
        let signals = self.signals.len();
        let angle_count = self.angles.len();
        let sides = asked.sides.0.len();
        let args = slots + signals + sides + angle_count;
        let dims = Dims { n, m, m_vel, slots, angles: angle_count, sides, args };
        let fix = Numbering { slots: slots as u32, signals: signals as u32, sides: sides as u32 };
        let patterns = self.patterns(&inertia, &rows, (&formulas, &loads), n, m);
        // compile onto the patterns
        let signals = Signals { list: self.signals.iter().map(|s| fix.signal(s)).collect() };
        let formulas = formulas
            .into_iter()
            .enumerate()
            .map(|(k, f)| fix.formula(f, rows.len() + k, &patterns))
            .collect::<Vec<_>>();
        let loads = loads.into_iter().map(|l| fix.load(l, &patterns.nn)).collect::<Vec<_>>();
        let guards = take(&mut self.guards).into_iter().map(|g| fix.guard(g)).collect::<Vec<_>>();
        let forces = self.forces.iter().map(|f| fix.force(f, &patterns.nn)).collect::<Vec<_>>();
        let inertia_at = inertia.iter().map(|e| patterns.nn.at(e.0 as usize, e.1 as usize));
        let system = Elements {
            dims,
            inertia_at: inertia_at.collect(),
            inertia,
            weights,
            level,
            rows: QuadraticRows::new(&rows, &patterns.nn, &patterns.mn),
            formulas,
            forces,
            loads,
            guards,
            signals,
            angles,
            angle_names: self
                .angles
                .iter()
                .map(|d| AngleName { text: d.text.clone(), attitude: d.attitude })
                .collect(),
            tracked: vec![],
            integrand: Functional::empty(),
            terminal: Functional::empty(),
            output: Functional::empty(),
            conditions: Functional::empty(),
            sides: take(&mut asked.sides.0),
            cuts: take(&mut asked.cuts.0),
            cut_values: Functional::empty(),
            event_rows: Functional::empty(),
            events: take(&mut asked.events.0),
            condition_names: [vec![], vec![]],
            position: vec![],
            velocity: vec![],
            at_rest: vec![],
            aligned: take(&mut asked.aligned),
            row_names,
            penalties: RowPenalties::new(&penalties, m_vel),
            coordinate_names: self.coordinates.iter().map(|c| c.name.clone()).collect(),
            patterns,
        };
        (system, fix)
    }
    /// The penalty factors of each row: those of the element that it belongs to.
    fn penalties(&mut self, rows: &[RowName]) -> Result<Vec<Penalty>, ModelError> {
        // factors are positive, and belong to an element with rows
        for (name, p) in &self.m.penalties {
            if ![p.alpha, p.xi, p.omega].iter().all(|x| *x > 0.0 && x.is_finite()) {
                return Err(ModelError::new(format!(
                    "`{name}`, penalty: positive factors are expected here"
                ))
                .at(&name.place));
            }
            if !rows.iter().any(|row| row.element == name.text) {
                let text = format!(
                    "`{name}` has no constraint row of its own: its points and axes are shared coordinates"
                );
                let warning = Warning::new(WarningCode::PenaltyUnused, text).about(Owner::Joint, name);
                self.numbers.warnings.push(warning);
            }
        }
        // the factors of each row
        let of = |row: &RowName| {
            self.m.penalties.iter().find(|p| p.0.text == row.element).map_or(Penalty::default(), |p| p.1)
        };
        Ok(rows.iter().map(of).collect())
    }
    fn angle_quads(&self) -> Vec<[Quad<'g>; 2]> {
        self.angles.iter().map(|d| d.quads(self.graph)).collect()
    }
    /// (angle, value at the start) of every driven angle.
    fn driven_angles(
        &self,
        system: &Arc<Elements>,
        fix: &Numbering,
        slots: &Program,
        rho: &[f64],
        start: u32,
    ) -> Vec<(usize, f64)> {
        let p = values(slots, rho);
        let mut terms = system.plain_terms(&p);
        terms.at_time(p[start as usize]);
        self.driven.iter().map(|&(k, u)| (k, terms.args.values[fix.arg(u) as usize])).collect()
    }
    /// Entries (i, j, slot) of M, (coordinate, slot) of the weights, and the slot of the potential's
    /// constant.
    fn inertia_and_weights(&mut self) -> Result<(Vec<(u32, u32, u32)>, Vec<(u32, u32)>, u32), ModelError> {
        // M_ij += c x_i y_j, and weights m g ∂r_G/∂q_i with the constant part of the potential
        let g = self.gravity.clone();
        let mut mass: BTreeMap<(usize, usize), Sym<'g>> = BTreeMap::new();
        let mut weight: BTreeMap<usize, Sym<'g>> = BTreeMap::new();
        let mut level = self.graph.constant(0.0);
        for (frame, solid) in self.frames.iter().zip(&self.solids[..self.solids.len() - 1]) {
            frame.inertia(solid, |a, b, c| {
                for (a, b) in a.iter().zip(b) {
                    for (&(i, x), &(j, y)) in a.terms.iter().flat_map(|x| b.terms.iter().map(move |y| (x, y)))
                    {
                        let entry = c * x * y;
                        mass.entry((i, j)).and_modify(|m| *m = *m + entry).or_insert(entry);
                    }
                }
            });
            for (r, &g) in frame.at(&solid.com).iter().zip(&g) {
                for &(i, c) in &r.terms {
                    let w = solid.mass * g * c;
                    weight.entry(i).and_modify(|x| *x = *x + w).or_insert(w);
                }
                level = level - solid.mass * g * r.constant;
            }
        }
        // entries that are not zero → slots
        let some = |s: &Sym| s.as_constant() != Some(0.0);
        let mass = mass
            .into_iter()
            .filter(|(_, s)| some(s))
            .map(|((i, j), s)| (i as u32, j as u32, self.slots.slot(s)))
            .collect();
        let weight = weight
            .into_iter()
            .filter(|(_, s)| some(s))
            .map(|(i, s)| (i as u32, self.slots.slot(s)))
            .collect();
        Ok((mass, weight, self.slots.slot(level)))
    }
    /// Slots of the times; conditions of time alone are breaks.
    fn times(&mut self, sides: &[Side]) -> Result<Times, ModelError> {
        let mut slot = |x: &Number, what: &str| Ok(self.slots.slot(self.numbers.number(x, what)?));
        let mut breaks =
            self.m.breaks.iter().map(|b| slot(b, "break time")).collect::<Result<Vec<u32>, _>>()?;
        for time in sides.iter().filter_map(|s| s.time) {
            if !breaks.contains(&time) {
                breaks.push(time);
            }
        }
        Ok(Times { start: slot(&self.m.t_start, "t_start")?, breaks, end: slot(&self.m.t_end, "t_end")? })
    }
    fn patterns(
        &self,
        inertia: &[(u32, u32, u32)],
        rows: &[RowTerms],
        (formulas, loads): (&[Formula], &[Load]),
        n: usize,
        m: usize,
    ) -> Patterns {
        // diagonal, M and the quadratic rows
        let mut nn = vec![];
        let mut mn = vec![];
        nn.extend((0..n).map(|i| (i, i)));
        nn.extend(inertia.iter().map(|e| (e.0 as usize, e.1 as usize)));
        for (k, row) in rows.iter().enumerate() {
            nn.extend(row.a.iter().map(|&(i, j, _)| (i, j)));
            mn.extend(row.coords().map(|i| (k, i)));
        }
        // formulas, forces and loads couple all coordinates that they read
        let mut pairs = |coords: &mut dyn Iterator<Item = u32>| {
            let mut coords: Vec<usize> = coords.map(|i| i as usize).collect();
            coords.sort_unstable();
            coords.dedup();
            nn.extend(coords.iter().flat_map(|&i| coords.iter().map(move |&j| (i, j))));
        };
        for (k, f) in formulas.iter().enumerate() {
            pairs(&mut f.entries().map(|e| e.coord));
            mn.extend(f.entries().map(|e| (rows.len() + k, e.coord as usize)));
        }
        self.forces.iter().for_each(|f| pairs(&mut f.element.ports.coords()));
        loads.iter().for_each(|l| {
            pairs(&mut l.work.coords().chain(l.positions.coords()).chain(l.velocities.coords()))
        });
        // positions of M on n × n
        let nn = Pattern::from_entries(n, n, nn);
        let mut mass: Vec<u32> = inertia.iter().map(|e| nn.at(e.0 as usize, e.1 as usize)).collect();
        mass.sort_unstable();
        mass.dedup();
        Patterns { nn, mn: Pattern::from_entries(m, n, mn), mass }
    }
}

/// Objectives, outputs and conditions on the final indices.
fn compile_functionals(system: &mut Elements, fix: &Numbering, asked: &mut Asked) {
    system.integrand = fix.functional(take(&mut asked.objectives.integrand), system);
    system.terminal = fix.functional(take(&mut asked.objectives.terminal), system);
    system.output = fix.functional(take(&mut asked.outputs.1), system);
    system.conditions = fix.functional(take(&mut asked.sides.1), system);
    system.cut_values = fix.functional(take(&mut asked.cuts.1), system);
    system.event_rows = fix.functional(take(&mut asked.events.1), system);
    let c = &mut asked.conditions;
    let all = |list: &mut Vec<Draft>, system: &Elements| {
        take(list).into_iter().map(|f| fix.functional(f, system)).collect()
    };
    system.position = all(&mut c.position, system);
    system.velocity = all(&mut c.velocity, system);
    system.at_rest = all(&mut c.at_rest, system);
    system.tracked = system.tracked_angles();
    let texts = |list: &[Text]| list.iter().map(|t| t.text.clone()).collect();
    system.condition_names = [texts(&c.names.0), texts(&c.names.1)];
}

/// The elements themselves, or carried by a tree; and a guess of the start in these coordinates.
fn placed(
    system: Arc<Elements>,
    drawn: Vec<f64>,
    tree: Option<Tree>,
    family: Coordinates,
    dimension: usize,
    p: &[f64],
) -> (Kind, Vec<f64>) {
    let Some(tree) = tree else { return (Kind::Elements(system), drawn) };
    let reference = if family == Coordinates::Relative0 { Reference::Origin } else { Reference::Centre };
    let relative = Relative::new(system, drawn, tree, reference, dimension);
    let guess = relative.guess(p);
    (Kind::Tree(Arc::new(relative)), guess)
}

/// Where elements stand in the file, by name.
fn places(m: &Mechanism) -> Vec<(String, Option<Range<usize>>)> {
    let joints = m.joints.iter().map(|j| &j.name);
    let named = joints.chain(m.drivers.iter().map(|d| &d.name)).chain(m.bodies.iter().map(|b| &b.name));
    let named = named.chain(m.forces.iter().map(|f| &f.name)).chain(m.couplings.iter().map(|c| &c.name));
    let named = named.chain(m.constraints.iter().chain(&m.velocity_constraints).map(|c| &c.0));
    let named = named.chain(m.events.iter().map(|e| &e.name));
    named.map(|t| (t.text.clone(), t.place.clone())).collect()
}

/// Values of the slots p = e(ρ).
fn values(slots: &Program, rho: &[f64]) -> Vec<f64> {
    let mut regs = vec![0.0; slots.registers()];
    slots.eval(rho, &mut regs);
    (0..slots.outputs()).map(|k| slots.output(k, &regs)).collect()
}

/// Each text once, in order.
fn distinct(list: Vec<Warning>) -> Vec<Warning> {
    let mut seen = std::collections::HashSet::new();
    list.into_iter().filter(|w| seen.insert(w.clone())).collect()
}
