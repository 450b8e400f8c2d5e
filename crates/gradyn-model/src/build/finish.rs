//! The last stage: inertia, functionals, final indices, patterns, and everything compiled onto them.

use super::numbering::Numbering;
use super::{Builder, Model, ParameterInfo, Times};
use crate::element::Element;
use crate::error::ModelError;
use crate::functional::Functional;
use crate::mechanism::{Number, Quantity};
use crate::natural::{Driver, Natural};
use crate::ports::Ports;
use crate::program::{Program, Sym};
use crate::quadratic::{Form, QuadraticRows, RowTerms};
use crate::signal::Signals;
use crate::system::{Dims, Patterns, System};
use gradyn_num::Pattern;
use std::collections::BTreeMap;

impl<'g> Builder<'g, '_> {
    pub(super) fn finish(mut self, mut parameters: Vec<ParameterInfo>, rho: &[f64]) -> Result<Model, ModelError> {
        let n = self.coordinates.len();
        if n == 0 {
            return Err(ModelError::new("the model has no moving body"));
        }
        // rows, inertia, weights
        let list = std::mem::take(&mut self.rows.list);
        let rows: Vec<RowTerms> = list.iter().map(|(_, r)| r.row(&mut self.slots)).collect();
        let mut row_names: Vec<String> = list.into_iter().map(|(name, _)| name).collect();
        row_names.extend(self.drivers.iter().map(|(name, _)| format!("{name} (driver)")));
        let (inertia, weights, level) = self.inertia_and_weights()?;
        // functionals: sensors may still add slots and angles
        let objectives = self.objectives()?;
        let outputs = self.outputs()?;
        let conditions = self.conditions()?;
        let times = self.times()?;
        let aligned: Vec<(String, Form)> =
            std::mem::take(&mut self.aligned).into_iter().map(|(name, q)| (name, q.form(&mut self.slots))).collect();
        // sizes and patterns
        let drivers = std::mem::take(&mut self.drivers);
        let (slots, m) = (self.slots.symbols.len(), rows.len() + drivers.len());
        let signals = self.signals.len();
        let dims = Dims { n, m, slots, angles: self.angles.len(), args: slots + signals + self.angles.len() };
        let fix = Numbering { slots: slots as u32, signals: signals as u32 };
        let patterns = self.patterns(&inertia, &rows, &drivers, n, m);
        // compile onto the patterns
        let signals = Signals { list: self.signals.iter().map(|s| fix.signal(s)).collect() };
        let drivers: Vec<Driver> =
            drivers.into_iter().enumerate().map(|(k, (_, e))| fix.driver(e, rows.len() + k, &patterns)).collect();
        let forces = self.forces.iter().map(|f| fix.force(f, &patterns.nn)).collect::<Vec<_>>();
        let inertia_at =
            inertia.iter().map(|e| patterns.nn.position(e.0 as usize, e.1 as usize).expect("M is in the pattern") as u32);
        let mut system = Natural {
            dims,
            inertia_at: inertia_at.collect(),
            inertia,
            weights,
            level,
            rows: QuadraticRows::new(&rows, &patterns.nn, &patterns.mn),
            driver_elements: drivers.iter().map(|d| d.element.clone()).collect(),
            drivers,
            forces,
            signals,
            angles: self.angles.iter().map(|(_, e)| fix.element(e)).collect(),
            angle_names: self.angles.iter().map(|((a, b), _)| self.angle_text(*a, *b)).collect(),
            integrand: Functional::empty(),
            terminal: Functional::empty(),
            output: Functional::empty(),
            position: vec![],
            velocity: vec![],
            drawn: vec![],
            aligned,
            row_names,
            coordinate_names: self.coordinates.clone(),
            patterns,
        };
        system.integrand = fix.functional(objectives.integrand, &system);
        system.terminal = fix.functional(objectives.terminal, &system);
        system.output = fix.functional(outputs.1, &system);
        system.position = conditions.position.into_iter().map(|f| fix.functional(f, &system)).collect();
        system.velocity = conditions.velocity.into_iter().map(|f| fix.functional(f, &system)).collect();
        let program = self.graph.program(&self.slots.symbols);
        let driven = self.driven_angles(&system, &program, rho, times.start);
        let (drawn, angles) = self.drawn(rho, &driven)?;
        system.drawn = drawn;
        for &i in program.used_inputs() {
            parameters[i].used = true;
        }
        let m = self.m;
        let named =
            m.joints.iter().map(|j| &j.name).chain(m.drivers.iter().map(|d| &d.name)).chain(m.bodies.iter().map(|b| &b.name));
        let named = named.chain(m.forces.iter().map(|f| &f.name));
        Ok(Model {
            name: m.name.clone(),
            system,
            slots: program,
            parameters,
            objectives: m.objectives.iter().map(|o| o.name.text.clone()).collect(),
            columns: outputs.0,
            times,
            splines: self.splines,
            angles,
            positive: self.positive,
            warnings: distinct(self.numbers.warnings),
            conditions: conditions.names,
            places: named.map(|t| (t.text.clone(), t.place.clone())).collect(),
            counts: [m.bodies.len(), m.joints.len(), m.forces.len(), m.drivers.len()],
        })
    }
    fn angle_text(&self, a: usize, b: usize) -> String {
        let name = |k: usize| &self.shapes[k].name;
        if a == self.ground() {
            format!("the angle of `{}`", name(b))
        } else {
            format!("the angle from `{}` to `{}`", name(a), name(b))
        }
    }
    /// (body 1, body 2, angle at the start) of every angle driver.
    fn driven_angles(&self, system: &Natural, slots: &Program, rho: &[f64], start: u32) -> Vec<(usize, usize, f64)> {
        let mut regs = vec![0.0; slots.registers()];
        slots.eval(rho, &mut regs);
        let p: Vec<f64> = (0..slots.outputs()).map(|k| slots.output(k, &regs)).collect();
        let mut d = system.data::<f64>();
        system.prepare(&p, &mut d);
        system.set_time(p[start as usize], &mut d);
        let value = |k: usize| d.args.values[system.driver_elements[k].params[0] as usize];
        let angle = |(k, driver): (usize, &crate::mechanism::Driver)| match &driver.quantity {
            Quantity::Angle(a, b) => Some((self.body(a).ok()?, self.body(b).ok()?, value(k))),
            _ => None,
        };
        self.m.drivers.iter().enumerate().filter_map(angle).collect()
    }
    /// Entries (i, j, slot) of M, (coordinate, slot) of the weights, and the slot of the potential's constant.
    fn inertia_and_weights(&mut self) -> Result<(Vec<(u32, u32, u32)>, Vec<(u32, u32)>, u32), ModelError> {
        let g = self.numbers.vector(&self.m.gravity, "gravity")?;
        let mut mass: BTreeMap<(usize, usize), Sym<'g>> = BTreeMap::new();
        let mut weight: BTreeMap<usize, Sym<'g>> = BTreeMap::new();
        let mut level = self.graph.constant(0.0);
        for (frame, shape) in self.frames.iter().zip(&self.shapes[..self.shapes.len() - 1]) {
            frame.inertia(shape, |a, b, c| {
                for (a, b) in a.iter().zip(b) {
                    for (&(i, x), &(j, y)) in a.terms.iter().flat_map(|x| b.terms.iter().map(move |y| (x, y))) {
                        let entry = c * x * y;
                        mass.entry((i, j)).and_modify(|m| *m = *m + entry).or_insert(entry);
                    }
                }
            });
            for (r, g) in frame.at(shape.com).iter().zip(g) {
                for &(i, c) in &r.terms {
                    let w = shape.mass * g * c;
                    weight.entry(i).and_modify(|x| *x = *x + w).or_insert(w);
                }
                level = level - shape.mass * g * r.constant;
            }
        }
        let some = |s: &Sym| s.as_constant() != Some(0.0);
        let mass =
            mass.into_iter().filter(|(_, s)| some(s)).map(|((i, j), s)| (i as u32, j as u32, self.slots.slot(s))).collect();
        let weight = weight.into_iter().filter(|(_, s)| some(s)).map(|(i, s)| (i as u32, self.slots.slot(s))).collect();
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
        drivers: &[(String, Element)],
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
        let mut pairs = |ports: &Ports| {
            let coords: Vec<usize> = ports.coords().map(|i| i as usize).collect();
            nn.extend(coords.iter().flat_map(|&i| coords.iter().map(move |&j| (i, j))));
        };
        for (k, (_, e)) in drivers.iter().enumerate() {
            pairs(&e.ports);
            mn.extend(e.ports.coords().map(|i| (rows.len() + k, i as usize)));
        }
        self.forces.iter().for_each(|f| pairs(&f.element.ports));
        Patterns { nn: Pattern::from_entries(n, n, nn), mn: Pattern::from_entries(m, n, mn) }
    }
}

/// Each text once, in order.
fn distinct(list: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    list.into_iter().filter(|w| seen.insert(w.clone())).collect()
}
