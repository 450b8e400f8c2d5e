//! Events: conditions that the run watches, what they give to the motion, elements that they switch.
//!
//! ```text
//! force     f ← s f,   s = 1 or 0        s the side that events set                                      (1)
//! ```
//! Velocities and positions that they give are in [`given`].

mod given;

use super::functionals::{Draft, text};
use super::loads::Applied;
use super::symbols::SensorEnv;
use super::{Builder, Positive, SIDE, is_condition};
use crate::error::{ModelError, nearest};
use crate::event::EventRule;
use crate::expression::Value;
use crate::functional::Sensor;
use crate::mechanism::{Event, Number, Text};
use crate::program::{Graph, Sym};
use crate::row::Owner;
use crate::signal::Input;

type Made<T> = Result<T, ModelError>;

/// Sensors of a force that (1) switches with it; others are of the motion.
const FORCES: [&str; 4] = ["force", "torque", "effort", "normal"];

impl<'g> Builder<'g, '_> {
    /// Elements that events switch: forces get sides, joints get rows of their own.
    pub(super) fn read_switches(&mut self) -> Made<()> {
        let m = self.m;
        let until = m.objectives.len().checked_sub(1).is_some_and(|last| is_condition(m, last));
        for e in &m.events {
            check_actions(e)?;
            if e.end && until {
                let message = format!("event `{}` ends the run, and `until` of [study] does too", e.name);
                let help = "write `until` as an event with `end = true`, and `t_end` in place of `t_max`";
                return Err(ModelError::new(message).at(&e.name.place).help(help));
            }
        }
        let switched = m.events.iter().flat_map(|e| e.on.iter().chain(&e.off));
        for name in switched.chain(&m.initial.off) {
            self.check_switch(name)?;
            let off = m.initial.off.iter().any(|o| o.text == name.text);
            if self.force_names.contains_key(&name.text) {
                let known = self.modes.contains_key(&name.text);
                let side = (!known).then(|| self.sides.mode(format!("force `{name}`"), !off));
                self.modes.extend(side.map(|side| (name.text.clone(), side)));
            } else if self.joint_names.contains_key(&name.text) {
                self.wanted.insert(name.text.clone(), true);
            }
        }
        Ok(())
    }
    /// A name that an event switches is that of a force, a joint, a constraint or a driver, and can be so.
    fn check_switch(&self, name: &Text) -> Made<()> {
        let m = self.m;
        let constraints = m.constraints.iter().chain(&m.velocity_constraints).map(|c| &c.0);
        let rows = m.joints.iter().map(|j| &j.name).chain(m.couplings.iter().map(|c| &c.name));
        let rows = rows.chain(constraints).chain(m.drivers.iter().map(|d| &d.name));
        let mut known = m.forces.iter().map(|f| &f.name).chain(rows);
        if !known.clone().any(|k| k.text == name.text) {
            let guess = nearest(&name.text, known.by_ref().map(|k| k.text.as_str()));
            let guess = guess.map_or(String::new(), |n| format!("did you mean `{n}`? "));
            let e = ModelError::new(format!("there is no force, joint, constraint or driver `{name}`"));
            return Err(e.at(&name.place).help(format!("{guess}events switch forces and what has rows")));
        }
        // off at the start and never on, or on although it never was off
        let on = m.events.iter().any(|e| e.on.iter().any(|t| t.text == name.text));
        let off = m.events.iter().flat_map(|e| &e.off).chain(&m.initial.off);
        let off = off.into_iter().any(|t| t.text == name.text);
        if on && !off {
            let e = ModelError::new(format!("`{name}` is switched on and was never off")).at(&name.place);
            return Err(e.help(format!("add off = [\"{name}\"] to [initial] if it begins later")));
        }
        Ok(())
    }
    /// The events, and the functional of the velocities and positions that they give.
    pub(super) fn events(&mut self) -> Made<(Vec<EventRule>, Draft)> {
        let m = self.m;
        let mut rules = vec![];
        for e in &m.events {
            rules.push(self.rule(e)?);
        }
        // (w, r) and then (u, s) of each event, over shared inputs
        let graph = Graph::new();
        let mut env = SensorEnv::new(self, &graph);
        let mut outputs = vec![];
        for (e, rule) in m.events.iter().zip(&mut rules) {
            let given = env.given(e)?;
            for (list, rows) in [(given.velocities, &mut rule.rows), (given.positions, &mut rule.places)] {
                *rows = (outputs.len() as u32 / 2, list.len() as u32);
                outputs.extend(list.into_iter().flatten());
            }
        }
        let draft = env.draft(&outputs);
        Ok((rules, draft))
    }
    /// The condition of an event and what it switches; no velocities yet.
    fn rule(&mut self, e: &Event) -> Made<EventRule> {
        let what = format!("event `{}`", e.name);
        let graph = Graph::new();
        let mut env = SensorEnv::new(self, &graph);
        let g = env.number_expression(&e.when, &what)?;
        if !graph.varies_smoothly(g) {
            let message = format!("{what}: `{}` does not pass zero, it jumps", text(&e.when).text);
            let help = "write the difference, such as `b.P.y - 0.5` for `b.P.y < 0.5`, and a `direction`";
            return Err(ModelError::new(message).at(&e.when.place).help(help));
        }
        let reads_dynamics = env.draft(&[g]).sensors.iter().any(Sensor::needs_dynamics);
        let Some((side, same)) = env.event_side(g, &what) else {
            let message = format!("{what}: `{}` never changes", text(&e.when).text);
            return Err(ModelError::new(message).at(&e.when.place).help("it reads neither t nor the motion"));
        };
        // changes to side 0 and to side 1, where the side may be that of -g
        let passes = e.passes();
        let changes = [false, true].map(|up| passes.contains(up == same));
        self.sides.mark_event(side, changes);
        let switched = e.on.iter().map(|t| (t, true)).chain(e.off.iter().map(|t| (t, false)));
        let (forces, rows): (Vec<_>, Vec<_>) = switched.partition(|s| self.modes.contains_key(&s.0.text));
        Ok(EventRule {
            name: e.name.text.clone(),
            side: side as u32,
            changes,
            reads_dynamics,
            end: e.end,
            impact: e.impact.is_some(),
            rows: (0, 0),
            places: (0, 0),
            modes: forces.into_iter().map(|(t, on)| (self.modes[&t.text], on)).collect(),
            constraints: rows.into_iter().map(|(t, on)| (t.text.clone(), on)).collect(),
        })
    }
    /// The restitution of an impact, 0 < e ≤ 1.
    fn restitution(&mut self, e: &Event, x: &Number) -> Made<Sym<'g>> {
        let what = format!("event `{}`, impact", e.name);
        let symbol = self.numbers.number(x, &what)?;
        let value = self.numbers.nominal(&[symbol])[0];
        if !(value > 0.0 && value <= 1.0) {
            let e = ModelError::new(format!("{what}: the restitution is {value}")).at(&x.place);
            return Err(e.help(
                "it is above 0 and at most 1; bodies that stay in contact need a constraint that the event \
                 switches on",
            ));
        }
        // at every design
        let slot = self.slots.slot(symbol);
        self.positive.push(Positive::new((Owner::Event, &e.name), "restitution", slot, true));
        let slot = self.slots.slot(1.0 - symbol);
        self.positive.push(Positive::new((Owner::Event, &e.name), "1 - restitution", slot, false));
        Ok(symbol)
    }
}

/// An event does something, and nothing that contradicts itself.
fn check_actions(e: &Event) -> Made<()> {
    let wrong = |message: &str, help: &str| {
        Err(ModelError::new(format!("event `{}` {message}", e.name)).at(&e.name.place).help(help))
    };
    let gives = e.impact.is_some() || !e.reset.is_empty() || !e.place.is_empty();
    let acts = gives || !e.on.is_empty() || !e.off.is_empty();
    match (e.end, acts) {
        (false, false) => wrong("does nothing", "give `end`, `impact`, `reset`, `place`, `on` or `off`"),
        _ if e.impact.is_some() && !e.place.is_empty() => {
            wrong("is an impact and gives positions", "give the velocities after it by `reset`")
        }
        (true, true) => wrong("ends the run and goes on", "give `end` to an event of its own"),
        _ => match e.on.iter().find(|t| e.off.iter().any(|o| o.text == t.text)) {
            Some(t) => wrong(&format!("switches `{t}` on and off"), "name it in one of both lists"),
            None => Ok(()),
        },
    }
}

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    /// (1) of a force, where events switch it.
    pub(super) fn switched(&mut self, name: &str, mut applied: Applied<'g, 'h>) -> Applied<'g, 'h> {
        let Some(&side) = self.b.modes.get(name) else { return applied };
        // the side, or how the force is at the start where that is not known
        let off = self.b.m.initial.off.iter().any(|t| t.text == name);
        let start = self.graph.constant(f64::from(u8::from(!off)));
        let s = self.input(Input::Arg(SIDE + side)).or(start);
        for (_, f) in applied.work.iter_mut().chain(&mut applied.motion) {
            *f = *f * s;
        }
        for (_, value) in applied.sensors.iter_mut().filter(|(what, _)| FORCES.contains(what)) {
            match value {
                Value::Scalar(x) => *x = *x * s,
                Value::Vector(x) => x.iter_mut().for_each(|x| *x = *x * s),
            }
        }
        applied.energy = applied.energy.map(|e| e * s);
        applied
    }
}
