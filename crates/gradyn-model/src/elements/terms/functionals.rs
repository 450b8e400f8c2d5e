//! Functionals and conditions: values, and rows of their partials.

use super::*;

impl Elements {
    pub(crate) fn functionals(&self, set: Set) -> usize {
        self.set(set).program.outputs()
    }
    pub(crate) fn support(&self, set: Set) -> &[u32] {
        &self.set(set).support
    }
    #[inline]
    pub(crate) fn measure<S: Scalar>(&self, set: Set, at: &At<S>, d: &mut Data<S>, out: &mut [S]) {
        self.set(set).eval(at, &self.sensed(), &d.mass, &d.args, &mut d.functional, out);
    }
    pub(crate) fn measure_row<S: Scalar>(
        &self,
        set: Set,
        k: usize,
        at: &At<S>,
        d: &mut Data<S>,
        row: &mut [S],
    ) {
        // cotangents of output k
        let f = self.set(set);
        self.functional_cotangent(f, k, at, d);
        // (q̄, v̄, ā, λ̄) into the row, and cleared for the next time
        let mut rest = row;
        for x in [&mut d.cot.q, &mut d.cot.v, &mut d.cot.a, &mut d.cot.lam] {
            let (head, tail) = rest.split_at_mut(x.len());
            head.copy_from_slice(x);
            x.fill(S::zero());
            rest = tail;
        }
        // slots on their support
        for (r, &s) in rest.iter_mut().zip(&f.support) {
            *r = std::mem::replace(&mut d.cot.args[s as usize], S::zero());
        }
    }
    /// Values of the conditions of positions and of the chosen ones of velocities.
    pub(crate) fn conditions<S: Scalar>(
        &self,
        at: &At<S>,
        chosen: &[u32],
        d: &mut Data<S>,
        position: &mut [S],
        velocity: &mut [S],
    ) {
        let positions = self.position.iter().zip(position);
        let velocities = chosen.iter().map(|&k| self.condition(true, k as usize)).zip(velocity);
        for (f, o) in positions.chain(velocities) {
            let mut value = [S::zero()];
            f.eval(at, &self.sensed(), &d.mass, &d.args, &mut d.functional, &mut value);
            *o = value[0];
        }
    }
    pub(crate) fn condition_pattern(&self, velocity: bool, k: usize) -> &[u32] {
        &self.condition(velocity, k).coords
    }
    pub(crate) fn condition_support(&self, velocity: bool, k: usize) -> &[u32] {
        &self.condition(velocity, k).support
    }
    pub(crate) fn condition_row<S: Scalar>(
        &self,
        velocity: bool,
        k: usize,
        at: &At<S>,
        d: &mut Data<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        let f = self.condition(velocity, k);
        self.functional_cotangent(f, 0, at, d);
        // what a condition reads is on its pattern: nothing else was written
        for ((q, v), &i) in q.iter_mut().zip(v).zip(&f.coords) {
            *q = std::mem::replace(&mut d.cot.q[i as usize], S::zero());
            *v = std::mem::replace(&mut d.cot.v[i as usize], S::zero());
            d.cot.a[i as usize] = S::zero();
        }
        for (p, &s) in p.iter_mut().zip(&f.support) {
            *p = std::mem::replace(&mut d.cot.args[s as usize], S::zero());
        }
    }
    pub(super) fn set(&self, set: Set) -> &Functional {
        match set {
            Set::Integrand => &self.integrand,
            Set::Terminal => &self.terminal,
            Set::Output => &self.output,
        }
    }
    /// Condition `k` of positions, or of velocities: the given ones, then the rates of the coordinates.
    pub(super) fn condition(&self, velocity: bool, k: usize) -> &Functional {
        match k.checked_sub(self.velocity.len()) {
            Some(i) if velocity => &self.at_rest[i],
            _ if velocity => &self.velocity[k],
            _ => &self.position[k],
        }
    }
    /// Evaluates a functional and leaves the gradient of output `k` in the cotangents.
    pub(super) fn functional_cotangent<S: Scalar>(
        &self,
        f: &Functional,
        k: usize,
        at: &At<S>,
        d: &mut Data<S>,
    ) {
        let sys = self.sensed();
        let outputs = f.program.outputs();
        f.eval(at, &sys, &d.mass, &d.args, &mut d.functional, &mut d.value[..outputs]);
        f.pull_back(k, at, &sys, &d.mass, &d.args, &mut d.functional, &mut d.cot);
        if d.timed {
            self.signals.pull_back(at.t, &d.args, &mut d.signals, &mut d.cot.bar());
        }
    }
}
