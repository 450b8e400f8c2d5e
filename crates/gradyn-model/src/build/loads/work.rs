//! Efforts along joints and sensors, and the work of forces and torques on ports.

use super::*;
use crate::build::PointRef;

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    /// A force or torque e(y, ẏ) along the coordinate of a joint.
    pub(super) fn along_joint(
        &mut self,
        name: &Text,
        joint: &Text,
        e: impl FnOnce(Sym<'h>, Sym<'h>) -> Sym<'h>,
    ) -> Made<Applied<'g, 'h>> {
        // planar joints have several coordinates
        let k = self.b.joint(joint)?;
        if self.b.m.joints[k].kind.spec().coordinates[self.b.m.dimension - 2].contains(&Coordinate::X) {
            let message =
                format!("force `{name}`: the planar joint `{joint}` has three coordinates, x, y and angle");
            let help =
                "for its angle use `torsion` with `joint`, or `torque`; for x and y `force` or `bushing`";
            return Err(ModelError::new(message).at(&joint.place).help(help));
        }
        // y, ẏ → effort along y
        let (k, y) = self.joint_coordinate(name, joint)?;
        let speed = self.speed_of(y, name)?;
        let effort = e(y, speed);
        let sensors = vec![("effort", Value::Scalar(effort)), ("speed", Value::Scalar(speed))];
        let mut a = Applied { sensors, ..Applied::default() };
        self.push_along_joint(&mut a.work, k, effort, name)?;
        Ok(a)
    }
    /// An effort on body 2 of joint `k`, along or about its axis, and its reaction on body 1.
    pub(super) fn push_along_joint(
        &mut self,
        work: &mut Work<'g, 'h>,
        k: usize,
        effort: Sym<'h>,
        name: &Text,
    ) -> Made<()> {
        if !self.b.m.joints[k].kind.spec().slides() {
            return self.push_about_joint(work, k, effort, name);
        }
        let ends = self.b.joint_ends(k);
        let axis = self.b.frames[ends[0].0].direction(&self.b.joint_frames[k].axes[0]);
        let f = scaled(effort, &self.port(&axis));
        self.push_pair(work, ends, &f, name)
    }
    /// A torque on body 2 of joint `k` about its axis, and its reaction on body 1.
    pub(super) fn push_about_joint(
        &mut self,
        work: &mut Work<'g, 'h>,
        k: usize,
        effort: Sym<'h>,
        name: &Text,
    ) -> Made<()> {
        let ends = self.b.joint_ends(k);
        let axis = self.b.frames[ends[0].0].direction(&self.b.joint_frames[k].axes[0]);
        let tau = if self.b.m.dimension == 2 { vec![effort] } else { scaled(effort, &self.port(&axis)) };
        self.push_torque(work, ends[1].0, &tau, name)?;
        self.push_torque(work, ends[0].0, &opposite(&tau), name)
    }
    /// f on point 2, -f on point 1 and the torque that the offset makes on body 1.
    pub(super) fn push_pair(
        &mut self,
        work: &mut Work<'g, 'h>,
        ends: [PointRef; 2],
        f: &[Sym<'h>],
        name: &Text,
    ) -> Made<()> {
        let [r1, r2] = ends.map(|r| self.b.port(r));
        push(work, &r2, f);
        push(work, &r1, &opposite(f));
        let d = difference(&self.port(&r2), &self.port(&r1));
        let tau = if d.len() == 2 { vec![d[0] * f[1] - d[1] * f[0]] } else { cross(&d, f) };
        self.push_torque(work, ends[0].0, &opposite(&tau), name)
    }
    /// τ on a body: ½ (τ × u_k) on each of its unit vectors; τ u⊥ in the plane.
    pub(super) fn push_torque(
        &mut self,
        work: &mut Work<'g, 'h>,
        body: usize,
        tau: &[Sym<'h>],
        name: &Text,
    ) -> Made<()> {
        // nothing to do on the ground; rods carry no torque
        if body == self.b.ground() || tau.iter().all(|t| t.as_constant() == Some(0.0)) {
            return Ok(());
        }
        if self.b.frames[body].thin() {
            let message =
                format!("force `{name}`: a torque cannot act on the rod `{}`", self.b.solids[body].name);
            return Err(ModelError::new(message)
                .at(&name.place)
                .help("describe the body by `shape` or `inertia`"));
        }
        // τ u⊥·δu in the plane
        let axes = self.b.frames[body].axes();
        if tau.len() == 1 {
            let x = self.port(&axes[0]);
            push(work, &axes[0], &[-(tau[0] * x[1]), tau[0] * x[0]]);
            return Ok(());
        }
        // ½ Σ (τ × u_k)·δu_k in space
        for axis in &axes {
            let u = self.port(axis);
            push(work, axis, &scaled(self.graph.constant(0.5), &cross(tau, &u)));
        }
        Ok(())
    }
}
