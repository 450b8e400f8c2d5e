//! A start for the assembly: rough coordinates and the references of the angles.

mod plane;
mod space;

use super::Builder;
use super::vectors::Port;
use crate::error::ModelError;
use crate::ports::Affine;
use plane::PlaneDrawing;
use space::SpaceDrawing;
use std::f64::consts::{PI, TAU};

impl<'g> Builder<'g, '_> {
    /// Rough coordinates and the references of the angles; `driven`: (angle, value at the start).
    pub(super) fn drawn(&mut self, driven: &[(usize, f64)]) -> Result<(Vec<f64>, Vec<f64>), ModelError> {
        for &(k, value) in driven {
            self.angles[k].near = Some(value);
        }
        if self.m.dimension == 2 {
            let (drawn, turns) = PlaneDrawing { b: self }.draw(driven)?;
            let relative = |(a, b): (usize, usize)| {
                // an angle of more than half a turn is meant as it stands; else the smaller relative angle
                let ta: f64 = turns[a];
                let tb: f64 = turns[b];
                let literal = ta.abs() > PI || tb.abs() > PI;
                if literal { tb - ta } else { tb - ta - TAU * ((tb - ta) / TAU).round() }
            };
            let references =
                self.angles.iter().map(|d| d.near.or(d.bodies.map(relative)).unwrap_or(0.0)).collect();
            return Ok((drawn, references));
        }
        let drawn = SpaceDrawing { b: self }.draw(driven)?;
        let dot = |a: &Port<'g>, b: &Port<'g>| -> f64 {
            let a = self.drawn_port(a, &drawn);
            let b = self.drawn_port(b, &drawn);
            a.iter().zip(&b).map(|(a, b)| a * b).sum()
        };
        let references = self.angles.iter().map(|d| {
            let here = || dot(&d.y.0, &d.y.1).atan2(dot(&d.x.0, &d.x.1));
            d.near.unwrap_or_else(here)
        });
        let references = references.collect();
        Ok((drawn, references))
    }
    /// A port at some coordinates and the nominal parameters.
    fn drawn_port(&self, port: &Port<'g>, q: &[f64]) -> Vec<f64> {
        let one = |x: &Affine<'g>| {
            let constant = self.numbers.nominal(&[x.constant])[0];
            x.terms.iter().map(|&(i, c)| self.numbers.nominal(&[c])[0] * q[i]).sum::<f64>() + constant
        };
        port.iter().map(one).collect()
    }
}
