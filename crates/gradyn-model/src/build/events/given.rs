//! Velocities and positions that events give.
//!
//! ```text
//! impact    w = ġ,   r = -e ġ            g a gap of positions                                            (1)
//! reset     w = the velocity,   r = its value, by the motion before                                      (2)
//! place     u = the position,   s = its value, by the motion before                                      (3)
//!           w = u̇,   r = u̇ before        without a reset                                                 (4)
//! ```
//! Positions after an event are those that (3) gives: none is left to a projection, whose result would depend
//! on the coordinates. The same holds of velocities after it.

use super::super::ANGLE;
use super::super::functionals::{rate_of_plain, text};
use super::super::sensors::list;
use super::super::symbols::SensorEnv;
use super::{Made, SIDE};
use crate::error::ModelError;
use crate::expression::compile;
use crate::functional::Sensor;
use crate::mechanism::{Event, Number};
use crate::program::Sym;
use crate::signal::Input;

/// What an event gives: pairs of an expression after it and its value, by the motion before.
#[derive(Default)]
pub(super) struct Given<'h> {
    /// (w, r) of (1), (2) and (4).
    pub velocities: Vec<[Sym<'h>; 2]>,
    /// (u, s) of (3).
    pub positions: Vec<[Sym<'h>; 2]>,
}

/// An expression that an event gives, and its value.
type Pair<'a> = &'a (Number, Number);

impl<'h> SensorEnv<'_, '_, '_, 'h> {
    /// What an event gives.
    pub(super) fn given(&mut self, e: &Event) -> Made<Given<'h>> {
        let mut given = Given::default();
        self.impact(e, &mut given)?;
        e.reset.iter().try_for_each(|pair| self.reset(e, pair, &mut given))?;
        e.place.iter().try_for_each(|pair| self.place(e, pair, &mut given))?;
        Ok(given)
    }
    /// (1).
    fn impact(&mut self, e: &Event, given: &mut Given<'h>) -> Made<()> {
        let Some(x) = &e.impact else { return Ok(()) };
        let what = format!("event `{}`", e.name);
        let restitution = self.b.restitution(e, x)?;
        let restitution = self.parameter(restitution);
        let g = self.number_expression(&e.when, &what)?;
        let rate = self.rate(g).ok().filter(|_| !self.read_velocities(&[g]));
        let Some(rate) = rate else {
            let error = ModelError::new(format!("{what}: the gap reads more than positions"));
            return Err(error.at(&e.when.place).help("an impact acts along a gap of positions"));
        };
        self.check_velocity(rate, &e.when, &what)?;
        given.velocities.push([rate, -(restitution * rate)]);
        Ok(())
    }
    /// (2) of one velocity, or of each component of a vector.
    fn reset(&mut self, e: &Event, (key, value): Pair, given: &mut Given<'h>) -> Made<()> {
        let what = format!("event `{}`, reset", e.name);
        let ast = self.b.numbers.parse_with_sides(key, &what)?;
        let left = compile(&ast, self.graph, self).map_err(|e| ModelError::expression(&what, key, e))?;
        let left = rate_of_plain(self, list(&left), (&ast, key), true, &what)?;
        let right = self.values(value, (key, left.len()), &what)?;
        for (w, r) in left.into_iter().zip(right) {
            self.check_velocity(w, key, &what)?;
            self.check_unswitched([w, r], value, &what)?;
            given.velocities.push([w, r]);
        }
        Ok(())
    }
    /// (3) of one position, or of each component of a vector, and (4) where the event resets nothing.
    fn place(&mut self, e: &Event, (key, value): Pair, given: &mut Given<'h>) -> Made<()> {
        let what = format!("event `{}`, place", e.name);
        let ast = self.b.numbers.parse(key, &what)?;
        let left = compile(&ast, self.graph, self).map_err(|e| ModelError::expression(&what, key, e))?;
        let left = list(&left);
        let right = self.values(value, (key, left.len()), &what)?;
        for (u, s) in left.into_iter().zip(right) {
            let rate = self.rate(u).ok().filter(|_| self.is_position(u));
            let Some(rate) = rate else {
                let message = format!("{what}: `{}` is no position that can be given", text(key).text);
                let help = "it is an expression of positions; velocities are given by `reset`";
                return Err(ModelError::new(message).at(&key.place).help(help));
            };
            self.check_unswitched([u, s], value, &what)?;
            given.positions.push([u, s]);
            if e.keeps_rates {
                self.check_velocity(rate, key, &what)?;
                given.velocities.push([rate, rate]);
            }
        }
        Ok(())
    }
    /// The values of an expression of some components.
    fn values(&mut self, value: &Number, (key, count): (&Number, usize), what: &str) -> Made<Vec<Sym<'h>>> {
        let ast = self.b.numbers.parse(value, what)?;
        let right = compile(&ast, self.graph, self).map_err(|e| ModelError::expression(what, value, e))?;
        let right = list(&right);
        if right.len() == count {
            return Ok(right);
        }
        let message = format!("{what}: `{}` has {count} components", text(key).text);
        Err(ModelError::new(message).at(&value.place).help("give as many values"))
    }
    /// Does a symbol read positions, and nothing else of the motion?
    fn is_position(&self, u: Sym<'h>) -> bool {
        let sensors = self.draft(&[u]).sensors;
        !sensors.is_empty() && !sensors.iter().any(|s| s.needs_velocity() || s.needs_dynamics())
    }
    /// What an event gives is known before it: it reads no force that events switch.
    fn check_unswitched(&self, symbols: [Sym<'h>; 2], source: &Number, what: &str) -> Made<()> {
        let switched = |i: usize| matches!(self.inputs[i], Input::Arg(k) if (SIDE..ANGLE).contains(&k));
        if !symbols.iter().flat_map(|s| s.inputs()).any(switched) {
            return Ok(());
        }
        let message = format!("{what}: `{}` reads a force that events switch", text(source).text);
        Err(ModelError::new(message).at(&source.place).help("write the law of the force in its place"))
    }
    /// A velocity that an event gives is affine in velocities, and reads no more than them and positions.
    fn check_velocity(&self, w: Sym<'h>, source: &Number, what: &str) -> Made<()> {
        let draft = self.draft(&[w]);
        let velocity = |i: usize| match draft.inputs[i] {
            Input::Sensor(k) => matches!(draft.sensors[k as usize], Sensor::Affine(_, 1)),
            _ => false,
        };
        let plain = |s: &Sensor| matches!(s, Sensor::Affine(_, 0 | 1)) || !s.needs_velocity();
        let known = draft.sensors.iter().all(|s| plain(s) && !s.needs_dynamics());
        let reads = draft.program.used_inputs().iter().any(|&i| velocity(i));
        if known && reads && draft.program.affine(velocity) {
            return Ok(());
        }
        let message = format!("{what}: `{}` is no velocity that can be given", text(source).text);
        Err(ModelError::new(message).at(&source.place).help(
            "it is a position, whose rate is meant, or an expression A v + b where A and b do not depend on \
             velocities",
        ))
    }
}
