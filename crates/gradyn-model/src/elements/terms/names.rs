//! Angles and names, and how many elements were visited.

use super::*;
use crate::quadratic::Form;

impl Elements {
    pub(crate) fn angle_name(&self, k: usize) -> AngleName {
        self.angle_names[k].clone()
    }
    pub(crate) fn row_name(&self, k: usize) -> String {
        self.row_names[k].to_string()
    }
    pub(crate) fn condition_name(&self, kinematics: Kinematics, k: usize) -> String {
        match k.checked_sub(self.velocity.len()) {
            Some(i) if kinematics.is_velocity() => format!("velocity of {}", self.coordinate_names[i]),
            _ => self.condition_names[kinematics.index()][k].clone(),
        }
    }
    pub(crate) fn coordinate_name(&self, i: usize) -> String {
        self.coordinate_names[i].clone()
    }
}

impl<S: Scalar> ElementTerms<S> {
    pub(crate) fn visits(&self) -> usize {
        self.visits
    }
}

impl ElementTerms<f64> {
    /// θ = atan2(Y, X) with its rates, of the angles that anything reads; Y and X are quadratic forms, so
    /// that differences along v and a are exact.
    pub(crate) fn angle_motion(&mut self, [q, v, a]: [&[f64]; 3], out: &mut [Option<AngleMotion>]) {
        // q + v, q - v, q + a, q - a
        for ((to, d), s) in self.around.iter_mut().zip([v, v, a, a]).zip([1.0, -1.0, 1.0, -1.0]) {
            to.iter_mut().zip(q).zip(d).for_each(|((to, q), d)| *to = q + s * d);
        }
        let Self { args, around, elements, .. } = self;
        let p = &args.values;
        for ((out, (y, x)), tracked) in out.iter_mut().zip(&elements.angles).zip(&elements.tracked) {
            // value, rate and second rate of a form
            let rates = |form: &Form| {
                let at = quadratic(form, p, q);
                let [ahead, behind, up, down] = around.each_ref().map(|q| quadratic(form, p, q));
                [at, 0.5 * (ahead - behind), ahead + behind - 2.0 * at + 0.5 * (up - down)]
            };
            let [y, y1, y2] = rates(y);
            let [x, x1, x2] = rates(x);
            let square = x * x + y * y;
            let rate = (x * y1 - y * x1) / square;
            let second = (x * y2 - y * x2) / square - 2.0 * rate * (x * x1 + y * y1) / square;
            *out = tracked.then_some(AngleMotion { angle: y.atan2(x), rate, second });
        }
    }
    pub(crate) fn angles(&mut self, q: &[f64], out: &mut [f64]) {
        let p = &self.args.values;
        out.copy_from_slice(&p[p.len() - self.elements.dims.angles..]);
        for ((out, (y, x)), _) in out
            .iter_mut()
            .zip(&self.elements.angles)
            .zip(&self.elements.tracked)
            .filter(|(_, tracked)| **tracked)
        {
            let angle = quadratic(y, p, q).atan2(quadratic(x, p, q));
            *out = angle + TAU * ((*out - angle) / TAU).round();
        }
    }
}
