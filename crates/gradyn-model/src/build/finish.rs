//! The last stage: inertia, functionals, final indices, patterns, and everything compiled onto them.

use super::numbering::Numbering;
use super::numbers::Quad;
use super::tree::Edge;
use super::{Builder, Model, ParameterInfo, Sharing, Times};
use crate::error::ModelError;
use crate::formula::Formula;
use crate::functional::Functional;
use crate::load::Load;
use crate::mechanics::{Coordinates, Mechanics};
use crate::mechanism::{InitialVelocity, Number, Penalty, Text};
use crate::natural::{Natural, RowPenalties};
use crate::program::{Program, Sym};
use crate::quadratic::{Form, QuadraticRows, RowTerms};
use crate::relative::{Reference, Relative};
use crate::row::{Owner, RowName};
use crate::signal::Signals;
use crate::system::{AngleName, Dims, Patterns, Statics, System};
use crate::warning::{Warning, WarningCode};
use gradyn_num::Pattern;
use std::collections::BTreeMap;

impl<'g> Builder<'g, '_> {
    pub(super) fn finish(
        mut self,
        mut parameters: Vec<ParameterInfo>,
        rho: &[f64],
        (sharing, edges): (Sharing, Option<(Coordinates, Vec<Edge>)>),
    ) -> Result<Model, ModelError> {
        let n = self.coordinates.len();
        if n == 0 {
            return Err(ModelError::new("the model has no moving body"));
        }
        // rows, inertia, weights
        let rows: Vec<RowTerms> = self.rows.list.iter().map(|(_, r)| r.row(&mut self.slots)).collect();
        let mut row_names: Vec<RowName> = self.rows.list.iter().map(|(name, _)| name.clone()).collect();
        row_names.extend(self.formulas.iter().chain(&self.velocity_rows).map(|(name, _)| name.clone()));
        let penalties = self.penalties(&row_names)?;
        let (mut inertia, weights, level) = self.inertia_and_weights()?;
        inertia.sort_by_key(|e| (e.0, e.1));
        // functionals: sensors may still add slots and angles
        let objectives = self.objectives()?;
        let outputs = self.outputs()?;
        let conditions = self.conditions()?;
        let times = self.times()?;
        let frames =
            if matches!(sharing, Sharing::Framed | Sharing::Apart) { self.body_frames() } else { vec![] };
        let tree = edges.as_ref().map(|(_, list)| self.make_tree(list)).transpose()?;
        let aligned: Vec<(String, Form)> = std::mem::take(&mut self.aligned)
            .into_iter()
            .map(|(name, q)| (name, q.form(&mut self.slots)))
            .collect();
        // sizes and patterns
        let graph = self.graph;
        let quads = self.angle_quads();
        let angles = quads.iter().map(|[y, x]| (y.form(&mut self.slots), x.form(&mut self.slots))).collect();
        let formulas =
            std::mem::take(&mut self.formulas).into_iter().chain(std::mem::take(&mut self.velocity_rows));
        let formulas: Vec<Formula> = formulas.map(|f| f.1).collect();
        let m_vel = formulas.iter().filter(|f| f.velocity()).count();
        let loads = std::mem::take(&mut self.loads);
        let (slots, m) = (self.slots.symbols.len(), rows.len() + formulas.len());
        let signals = self.signals.len();
        let dims =
            Dims { n, m, m_vel, slots, angles: self.angles.len(), args: slots + signals + self.angles.len() };
        let fix = Numbering { slots: slots as u32, signals: signals as u32 };
        let patterns = self.patterns(&inertia, &rows, (&formulas, &loads), n, m);
        // compile onto the patterns
        let signals = Signals { list: self.signals.iter().map(|s| fix.signal(s)).collect() };
        let formulas = formulas
            .into_iter()
            .enumerate()
            .map(|(k, f)| fix.formula(f, rows.len() + k, &patterns))
            .collect::<Vec<_>>();
        let loads = loads.into_iter().map(|l| fix.load(l, &patterns.nn)).collect::<Vec<_>>();
        let guards = std::mem::take(&mut self.guards).into_iter().map(|g| fix.guard(g)).collect::<Vec<_>>();
        let forces = self.forces.iter().map(|f| fix.force(f, &patterns.nn)).collect::<Vec<_>>();
        let inertia_at = inertia.iter().map(|e| patterns.nn.at(e.0 as usize, e.1 as usize));
        let mut system = Natural {
            dims,
            inertia_at: inertia_at.collect(),
            inertia,
            weights,
            level,
            rows: QuadraticRows::new(&rows, &patterns.nn, &patterns.mn),
            formulas,
            fixed: vec![false; forces.len() + loads.len()],
            inertial: true,
            rowed: true,
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
            condition_names: [vec![], vec![]],
            position: vec![],
            velocity: vec![],
            statics: self
                .m
                .initial
                .equilibrium
                .as_ref()
                .map(|_| Statics { held: conditions.held, balanced: vec![] }),
            at_rest: vec![],
            drawn: vec![],
            aligned,
            independent: [(0..(m - m_vel) as u32).collect(), (0..m as u32).collect()],
            dropped: vec![],
            row_names,
            penalties: RowPenalties::new(&penalties, m_vel),
            coordinate_names: self.coordinates.iter().map(|c| c.name.clone()).collect(),
            patterns,
        };
        system.integrand = fix.functional(objectives.integrand, &system);
        system.terminal = fix.functional(objectives.terminal, &system);
        system.output = fix.functional(outputs.1, &system);
        system.position = conditions.position.into_iter().map(|f| fix.functional(f, &system)).collect();
        system.velocity = conditions.velocity.into_iter().map(|f| fix.functional(f, &system)).collect();
        system.at_rest = conditions.at_rest.into_iter().map(|f| fix.functional(f, &system)).collect();
        system.tracked = system.tracked_angles();
        let program = graph.program(&self.slots.symbols);
        let driven = self.driven_angles(&system, &fix, &program, rho, times.start);
        let (drawn, angles) = self.drawn(&driven)?;
        system.drawn = drawn;
        let rest = self.m.initial.velocity == InitialVelocity::Rest;
        let (mut names, p) = (conditions.names, values(&program, rho));
        let texts = |list: &[Text]| list.iter().map(|t| t.text.clone()).collect();
        system.condition_names = [texts(&names.0), texts(&names.1)];
        let family = edges.as_ref().map_or(Coordinates::Natural, |e| e.0);
        let mut system = match tree {
            Some(tree) => {
                let reference =
                    if family == Coordinates::Relative0 { Reference::Origin } else { Reference::Centre };
                let mut relative = Relative::new(system, tree, reference, self.m.dimension);
                relative.draw(&p);
                Mechanics::Relative(Box::new(relative))
            }
            _ => Mechanics::Natural(Box::new(system)),
        };
        if rest && m_vel > 0 && system.statics().is_none() {
            super::rest::keep_open(&mut system, &mut names.1, &p, p[times.start as usize], &angles);
        }
        for &i in program.used_inputs() {
            parameters[i].used = true;
        }
        let m = self.m;
        let named = m
            .joints
            .iter()
            .map(|j| &j.name)
            .chain(m.drivers.iter().map(|d| &d.name))
            .chain(m.bodies.iter().map(|b| &b.name));
        let named = named.chain(m.forces.iter().map(|f| &f.name)).chain(m.couplings.iter().map(|c| &c.name));
        let named = named.chain(m.constraints.iter().chain(&m.velocity_constraints).map(|c| &c.0));
        Ok(Model {
            name: m.name.clone(),
            system,
            full: None,
            family,
            frames,
            slots: program,
            parameters,
            until: false,
            objectives: m.objectives.iter().map(|o| o.name.text.clone()).collect(),
            maxima: m.objectives.iter().map(|o| o.maximum).collect(),
            columns: outputs.0,
            times,
            splines: self.splines,
            angles,
            positive: self.positive,
            warnings: distinct(self.numbers.warnings),
            conditions: names,
            rest,
            places: named.map(|t| (t.text.clone(), t.place.clone())).collect(),
            counts: [m.bodies.len(), m.joints.len() + m.couplings.len(), m.forces.len(), m.drivers.len()],
        })
    }
    /// The penalty factors of each row: those of the element that it belongs to.
    fn penalties(&mut self, rows: &[RowName]) -> Result<Vec<Penalty>, ModelError> {
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
        system: &Natural,
        fix: &Numbering,
        slots: &Program,
        rho: &[f64],
        start: u32,
    ) -> Vec<(usize, f64)> {
        let p = values(slots, rho);
        let mut d = system.data::<f64>();
        system.prepare(&p, &mut d);
        system.set_time(p[start as usize], &mut d);
        self.driven.iter().map(|&(k, u)| (k, d.args.values[fix.arg(u) as usize])).collect()
    }
    /// Entries (i, j, slot) of M, (coordinate, slot) of the weights, and the slot of the potential's
    /// constant.
    fn inertia_and_weights(&mut self) -> Result<(Vec<(u32, u32, u32)>, Vec<(u32, u32)>, u32), ModelError> {
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
    fn times(&mut self) -> Result<Times, ModelError> {
        let mut slot = |x: &Number, what: &str| Ok(self.slots.slot(self.numbers.number(x, what)?));
        Ok(Times {
            start: slot(&self.m.t_start, "t_start")?,
            breaks: self.m.breaks.iter().map(|b| slot(b, "break time")).collect::<Result<_, _>>()?,
            end: slot(&self.m.t_end, "t_end")?,
        })
    }
    fn patterns(
        &self,
        inertia: &[(u32, u32, u32)],
        rows: &[RowTerms],
        (formulas, loads): (&[Formula], &[Load]),
        n: usize,
        m: usize,
    ) -> Patterns {
        let (mut nn, mut mn) = (vec![], vec![]);
        nn.extend((0..n).map(|i| (i, i)));
        nn.extend(inertia.iter().map(|e| (e.0 as usize, e.1 as usize)));
        for (k, row) in rows.iter().enumerate() {
            nn.extend(row.a.iter().map(|&(i, j, _)| (i, j)));
            mn.extend(row.coords().map(|i| (k, i)));
        }
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
        let nn = Pattern::from_entries(n, n, nn);
        let mut mass: Vec<u32> = inertia.iter().map(|e| nn.at(e.0 as usize, e.1 as usize)).collect();
        mass.sort_unstable();
        mass.dedup();
        Patterns { nn, mn: Pattern::from_entries(m, n, mn), mass }
    }
}

/// p = e(ρ).
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
