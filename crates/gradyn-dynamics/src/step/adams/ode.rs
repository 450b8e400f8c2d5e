//! Adams of variable order and step for any ẏ = f(s, y): what integrates adjoint equations backwards [B92,
//! section IV.B].
//!
//! The formulas are those of [`super`], the control is that of the runs; s increases, whatever it stands for.

use super::RESTARTS;
use super::coefficients::{Coefficients, kept};
use super::control::{Choice, Estimates, GEOMETRIC};
use crate::error::StepError;
use crate::step::Tolerance;

/// State and history of an integration.
pub struct Ode {
    most: usize,
    tol: Tolerance,
    /// State y of the integration.
    pub y: Vec<f64>,
    /// Differences φ_1, φ_2 … of the past node.
    phi: Vec<Vec<f64>>,
    before: Vec<f64>,
    choice: Choice,
    order: usize,
    known: usize,
    equal: usize,
}

impl Ode {
    /// From y, with orders up to `most`.
    pub fn new(y: Vec<f64>, most: usize, tol: Tolerance) -> Self {
        let phi = vec![vec![0.0; y.len()]; most + 2];
        let choice = Choice::new(most);
        Self { most, tol, y, phi, before: vec![], choice, order: 1, known: 1, equal: 0 }
    }
    /// Integrates over a smooth piece of length `length`, from s = 0; the history begins anew.
    pub fn integrate(
        &mut self,
        length: f64,
        mut f: impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), StepError>,
    ) -> Result<(), StepError> {
        self.before.clear();
        self.choice = Choice::new(self.most);
        (self.order, self.known) = (1, 1);
        f(0.0, &self.y, &mut self.phi[1])?;
        let mut h = (0.25 / self.norm(&self.phi[1], &self.y).sqrt()).min(length);
        let mut s = 0.0;
        let mut trial = Trial::new(self.y.len(), self.most);
        while s < length {
            let rest = length - s;
            let size = if rest <= 1.0001 * h { rest } else { h.min(0.5 * rest.max(h)) };
            if size < 16.0 * f64::EPSILON * length {
                return Err(StepError::BackwardStep { s, h: size });
            }
            let c = self.plan(size);
            let error = self.attempt(&c, size, &mut trial, |y, out| f(s + size, y, out))?;
            if error > 1.0 || error.is_nan() {
                h = size * self.choice.reject(c.order);
                continue;
            }
            s = if size == rest { length } else { s + size };
            f(s, &trial.y, &mut trial.phi[1])?;
            self.accept(&c, &mut trial);
            self.before.push(size);
            h = size * self.choice.accept(c.order, self.most, RESTARTS);
        }
        Ok(())
    }
    /// Root mean square in units of the tolerance.
    fn norm(&self, x: &[f64], y: &[f64]) -> f64 {
        let square = |(x, (a, b)): (&f64, (&f64, &f64))| {
            (x / (self.tol.atol + self.tol.rtol * a.abs().max(b.abs()))).powi(2)
        };
        (x.iter().zip(self.y.iter().zip(y)).map(square).sum::<f64>() / x.len() as f64).sqrt()
    }
    /// Order and coefficients of the next attempt.
    fn plan(&mut self, size: f64) -> Coefficients<f64> {
        let since = self.before.len();
        self.choice.begin(since, since < RESTARTS);
        if since < RESTARTS {
            self.known = 1;
        } else if self.choice.failures == 0 {
            self.known = kept(self.order, self.known, self.most);
        }
        let last = if self.known == 1 { 1 } else { self.order };
        let most = if last < GEOMETRIC || self.equal > last { last + 1 } else { last };
        self.order = self.choice.order.min(self.known).min(most);
        self.equal = 1 + self.before.iter().rev().take(self.known - 1).take_while(|h| **h == size).count();
        Coefficients::of(size, &self.before, self.order, self.known)
    }
    /// Predicts, evaluates, corrects; the error of the attempt.
    fn attempt(
        &mut self,
        c: &Coefficients<f64>,
        size: f64,
        trial: &mut Trial,
        f: impl FnOnce(&[f64], &mut [f64]) -> Result<(), StepError>,
    ) -> Result<f64, StepError> {
        let sum = |w: &[f64], i: usize| (1..=c.order).map(|k| w[k] * self.phi[k][i]).sum::<f64>();
        (0..self.y.len()).for_each(|i| trial.y[i] = self.y[i] + sum(&c.predictor, i));
        f(&trial.y, &mut trial.phi[1])?;
        (0..self.y.len())
            .for_each(|i| trial.y[i] = self.y[i] + sum(&c.corrector, i) + c.last * trial.phi[1][i]);
        let known = self.differences(c, trial);
        let norm = |j: usize| {
            (c.order + j > 2 && c.order + j - 1 <= known)
                .then(|| self.norm(&trial.phi[c.order + j - 1], &trial.y))
        };
        let estimates = Estimates::of(c, size, [norm(0), norm(1), norm(2), norm(3)], 0.0);
        self.choice.measured(estimates, self.equal);
        Ok(estimates.error)
    }
    /// φ_2 … of a trial from its φ_1; how many there are.
    fn differences(&self, c: &Coefficients<f64>, trial: &mut Trial) -> usize {
        let known = kept(c.order, c.known, self.most);
        for i in 1..known {
            let (low, high) = trial.phi.split_at_mut(i + 1);
            high[0].iter_mut().zip(&low[i]).zip(&self.phi[i]).for_each(|((o, a), b)| *o = a - c.beta[i] * b);
        }
        known
    }
    fn accept(&mut self, c: &Coefficients<f64>, trial: &mut Trial) {
        self.differences(c, trial);
        std::mem::swap(&mut self.y, &mut trial.y);
        std::mem::swap(&mut self.phi, &mut trial.phi);
    }
}

/// The new node of an attempt.
struct Trial {
    y: Vec<f64>,
    phi: Vec<Vec<f64>>,
}

impl Trial {
    fn new(size: usize, most: usize) -> Self {
        Self { y: vec![0.0; size], phi: vec![vec![0.0; size]; most + 2] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y'' = -y over two periods: the error is some tolerances.
    #[test]
    fn a_circle_closes() {
        for tol in [1e-4, 1e-7, 1e-10, 1e-12] {
            let mut ode = Ode::new(vec![1.0, 0.0], 12, Tolerance { rtol: tol, atol: tol });
            let mut count = 0;
            let turn = |_: f64, y: &[f64], out: &mut [f64]| {
                count += 1;
                out.copy_from_slice(&[-y[1], y[0]]);
                Ok(())
            };
            ode.integrate(4.0 * std::f64::consts::PI, turn).expect("integrates");
            let error = (ode.y[0] - 1.0).hypot(ode.y[1]);
            assert!(error < 50.0 * tol, "{error:.1e} at {tol:.0e}");
            assert!(count < 700, "{count} evaluations at {tol:.0e}");
        }
    }
}
