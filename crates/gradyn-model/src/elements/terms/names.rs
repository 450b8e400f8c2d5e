//! Angles and names, and how many elements were visited.

use super::*;

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
