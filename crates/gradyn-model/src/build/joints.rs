//! The joints of a mechanism: what they connect, their directions and their numbers.

use super::frames::Frame;
use super::joint::{Directions, Maker, Reaction, Rows, joint_type};
use super::numbers::Numbers;
use super::vectors::{Port, Symbols, difference, scaled, unit};
use super::{Builder, PointRef};
use crate::error::ModelError;
use crate::mechanism::Joint;
use crate::program::Sym;

/// Unit axes and normals of both sides, in the frames of the bodies.
#[derive(Clone)]
pub(crate) struct JointFrame<'g> {
    /// The axes a₁ and a₂.
    pub(crate) axes: [Symbols<'g>; 2],
    /// The normals n₁ and n₂.
    pub(crate) normals: [Symbols<'g>; 2],
}

/// What a joint connects: frames and points of bodies 1 and 2.
pub(crate) struct Ends<'a, 'g> {
    /// Frames of bodies 1 and 2.
    pub(crate) frames: [&'a Frame<'g>; 2],
    /// Points on bodies 1 and 2.
    pub(crate) points: [Port<'g>; 2],
}

impl<'g> Builder<'g, '_> {
    /// The two points of joint `k`.
    pub(super) fn joint_ends(&self, k: usize) -> [PointRef; 2] {
        self.joint_points[k]
    }
    /// The two points of a joint, which must belong to different bodies.
    fn read_joint_ends(&self, j: &Joint) -> Result<[PointRef; 2], ModelError> {
        let [a, b] = [self.point_ref(&j.between[0])?, self.point_ref(&j.between[1])?];
        if a.0 == b.0 {
            let e = ModelError::new(format!(
                "joint `{}` connects `{}` with itself",
                j.name, self.solids[a.0].name
            ));
            return Err(e
                .at(&j.between[1].place)
                .help("a joint needs two different bodies, or a body and the ground"));
        }
        Ok([a, b])
    }
    /// Axes and normals of every joint.
    pub(super) fn read_joint_frames(&mut self) -> Result<(), ModelError> {
        let dimension = self.m.dimension;
        for j in &self.m.joints {
            // joints of space need space
            let spec = j.kind.spec();
            if dimension == 2 && spec.spatial {
                let message = format!("joint `{}`: a {} joint needs a model in space", j.name, j.kind.word());
                return Err(ModelError::new(message)
                    .at(&j.name.place)
                    .help("write dimension = 3, or use a plane joint"));
            }
            // a rod in space has no directions
            let ends = self.read_joint_ends(j)?;
            for (side, needs) in spec.directions[dimension - 2].into_iter().enumerate() {
                let solid = &self.solids[ends[side].0];
                if needs && dimension == 3 && solid.rod.is_some() {
                    let message = format!(
                        "joint `{}`: `{}` is a rod, which has no directions but its own",
                        j.name, solid.name
                    );
                    let help = "use spherical, distance or free joints on rods, \
                                or describe the body by `shape` or `inertia`";
                    return Err(ModelError::new(message).at(&j.name.place).help(help));
                }
            }
            // axes and normals, which the kind may refuse
            let frame = self.read_joint_frame(j)?;
            let mut directions = Directions { b: self, joint: j, ends, frame: &frame };
            joint_type(&j.kind).check(&mut directions)?;
            self.joint_frames.push(frame);
            self.joint_points.push(ends);
        }
        Ok(())
    }
    /// Unit axes and normals of both sides.
    fn read_joint_frame(&mut self, j: &Joint) -> Result<JointFrame<'g>, ModelError> {
        let n = &mut self.numbers;
        let last = if self.m.dimension == 2 { 0 } else { 2 };
        // a and n of one side, n across a
        let mut side = |k: usize| -> Result<(Symbols<'g>, Symbols<'g>), ModelError> {
            let axis = n.direction(j.axes[k].as_ref(), last, &format!("joint `{}`: the axis", j.name))?;
            let what = format!("joint `{}`: the normal", j.name);
            let normal = match &j.normals[k] {
                Some(v) if n.dimension == 3 => n.across(v, &axis, &what)?,
                Some(v) => {
                    let e = ModelError::new(format!("{what} belongs to joints in space")).at(&v.place());
                    return Err(e.help("remove it"));
                }
                None => normal_of(&axis, n)?,
            };
            Ok((axis, normal))
        };
        // both sides
        let (a1, n1) = side(0)?;
        let (a2, n2) = side(1)?;
        Ok(JointFrame { axes: [a1, a2], normals: [n1, n2] })
    }
}

/// Some unit vector across a unit vector: made from the coordinate axis that is farthest from it.
pub(crate) fn normal_of<'g>(axis: &Symbols<'g>, n: &mut Numbers<'g>) -> Result<Symbols<'g>, ModelError> {
    if axis.len() == 2 {
        return Ok(vec![-axis[1], axis[0]]);
    }
    let value = n.nominal(axis);
    let k = (0..3).min_by(|&a, &b| value[a].abs().total_cmp(&value[b].abs())).unwrap_or(0);
    let start = unit(n.graph, 3, k);
    let across = difference(&start, &scaled(axis[k], axis));
    n.normalised(across, "a normal", &None)
}

/// The number of a joint that has one, with its key in messages.
pub(crate) fn number_of<'g>(j: &Joint, n: &mut Numbers<'g>) -> Result<Sym<'g>, ModelError> {
    let found = j.kind.spec().number().zip(j.kind.number());
    let (field, x) = found.expect("only kinds with a number ask for it");
    n.number(&x, &format!("joint `{}`, {}", j.name, field.name))
}

/// Adds the rows of a joint and returns its reaction; `closed`: its points are one already.
pub(crate) fn add<'g>(
    joint: &Joint,
    frame: &JointFrame<'g>,
    ends: &Ends<'_, 'g>,
    closed: bool,
    n: &mut Numbers<'g>,
    rows: &mut Rows<'g>,
) -> Result<Reaction<'g>, ModelError> {
    let r = Reaction::none(n.dimension);
    let one = n.graph.constant(1.0);
    let mut maker = Maker { joint, frame, ends, closed, n, rows, r, one };
    joint_type(&joint.kind).rows(&mut maker)?;
    Ok(maker.r)
}
