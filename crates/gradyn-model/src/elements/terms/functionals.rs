//! Functionals and conditions: values, and rows of their partials.

use super::*;

impl Elements {
    pub(crate) fn functionals(&self, set: FunctionalSet) -> usize {
        self.set(set).program.outputs()
    }
    pub(crate) fn support(&self, set: FunctionalSet) -> &[u32] {
        &self.set(set).support
    }
    pub(crate) fn condition_pattern(&self, kinematics: Kinematics, k: usize) -> &[u32] {
        &self.condition(kinematics, k).coords
    }
    pub(crate) fn condition_support(&self, kinematics: Kinematics, k: usize) -> &[u32] {
        &self.condition(kinematics, k).support
    }
    pub(super) fn set(&self, set: FunctionalSet) -> &Functional {
        match set {
            FunctionalSet::Integrand => &self.integrand,
            FunctionalSet::Terminal => &self.terminal,
            FunctionalSet::Output => &self.output,
            FunctionalSet::Condition => &self.conditions,
            FunctionalSet::Cut => &self.cut_values,
            FunctionalSet::Event => &self.event_rows,
        }
    }
    /// Condition `k` of positions, or of velocities: the given ones, then the rates of the coordinates.
    pub(super) fn condition(&self, kinematics: Kinematics, k: usize) -> &Functional {
        match k.checked_sub(self.velocity.len()) {
            Some(i) if kinematics.is_velocity() => &self.at_rest[i],
            _ if kinematics.is_velocity() => &self.velocity[k],
            _ => &self.position[k],
        }
    }
}

impl<S: Scalar> ElementTerms<S> {
    #[inline]
    pub(crate) fn measure(&mut self, set: FunctionalSet, at: &At<S>, out: &mut [S]) {
        self.elements.set(set).eval(
            at,
            &self.elements.sensed(),
            &self.mass,
            &self.args,
            &mut self.functional,
            out,
        );
    }
    pub(crate) fn measure_row(&mut self, set: FunctionalSet, k: usize, at: &At<S>, row: &mut [S]) {
        // cotangents of output k
        self.functional_cotangent(|e| e.set(set), k, at);
        let f = self.elements.set(set);
        // (q̄, v̄, ā, λ̄) into the row, and cleared for the next time
        let mut rest = row;
        for x in [&mut self.cot.q, &mut self.cot.v, &mut self.cot.a, &mut self.cot.lam] {
            let (head, tail) = rest.split_at_mut(x.len());
            head.copy_from_slice(x);
            x.fill(S::zero());
            rest = tail;
        }
        // slots on their support
        for (r, &s) in rest.iter_mut().zip(&f.support) {
            *r = std::mem::replace(&mut self.cot.args[s as usize], S::zero());
        }
    }
    /// Values of the conditions of positions and of the chosen ones of velocities.
    pub(crate) fn conditions(&mut self, at: &At<S>, position: &mut [S], velocity: &mut [S]) {
        let positions = self.elements.position.iter().zip(position);
        let chosen = &self.start.velocity_conditions;
        let velocities =
            chosen.iter().map(|&k| self.elements.condition(Kinematics::Velocity, k as usize)).zip(velocity);
        for (f, o) in positions.chain(velocities) {
            let mut value = [S::zero()];
            f.eval(at, &self.elements.sensed(), &self.mass, &self.args, &mut self.functional, &mut value);
            *o = value[0];
        }
    }
    pub(crate) fn condition_row(
        &mut self,
        kinematics: Kinematics,
        k: usize,
        at: &At<S>,
        q: &mut [S],
        v: &mut [S],
        p: &mut [S],
    ) {
        let number = self.start.condition(kinematics, k);
        self.numbered_condition_row(kinematics, number, at, [q, v, p]);
    }
    /// The row of a condition by its number in the system.
    pub(crate) fn numbered_condition_row(
        &mut self,
        kinematics: Kinematics,
        number: usize,
        at: &At<S>,
        [q, v, p]: [&mut [S]; 3],
    ) {
        self.functional_cotangent(|e| e.condition(kinematics, number), 0, at);
        let f = self.elements.condition(kinematics, number);
        // what a condition reads is on its pattern: nothing else was written
        for ((q, v), &i) in q.iter_mut().zip(v).zip(&f.coords) {
            *q = std::mem::replace(&mut self.cot.q[i as usize], S::zero());
            *v = std::mem::replace(&mut self.cot.v[i as usize], S::zero());
            self.cot.a[i as usize] = S::zero();
        }
        for (p, &s) in p.iter_mut().zip(&f.support) {
            *p = std::mem::replace(&mut self.cot.args[s as usize], S::zero());
        }
    }
    /// Evaluates a functional and leaves the gradient of output `k` in the cotangents.
    pub(super) fn functional_cotangent(
        &mut self,
        which: impl Fn(&Elements) -> &Functional,
        k: usize,
        at: &At<S>,
    ) {
        let f = which(&self.elements);
        let sys = self.elements.sensed();
        let outputs = f.program.outputs();
        f.eval(at, &sys, &self.mass, &self.args, &mut self.functional, &mut self.value[..outputs]);
        f.pull_back(k, at, &sys, &self.mass, &self.args, &mut self.functional, &mut self.cot);
        if self.timed {
            self.elements.signals.pull_back(at.t, &self.args, &mut self.signals, &mut self.cot.bar());
        }
    }
}
