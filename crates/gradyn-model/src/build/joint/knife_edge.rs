//! Knife edge: point 2 does not move along an axis of body 2.
//!
//! ```text
//! w·(v₂ - v₁(r₂)) = 0                    force on body 2: -λ w at r₂                                   (1)
//! ```
//! w is the axis in body 2, v₁(r₂) the velocity of the particle of body 1 at r₂, (1) of `velocity`. A row of
//! velocity level: it takes a direction of motion and no position.

use super::*;

/// Point 2 does not move along the axis of body 2.
pub(super) struct KnifeEdge;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "knife-edge",
        doc: "Point 2 does not move along the axis of body 2, relative to body 1.",
        fields: &[
            BETWEEN,
            must("axis", Kind::Vector, "The direction in the frame of body 2 along which it does not move."),
            PENALTY,
        ],
    },
    spatial: false,
    rows: [0, 0],
    slips: [1, 1],
    shares_point: [false, false],
    shares_axis: false,
    directions: [[true, true], [true, true]],
    axes: [[false, true], [false, true]],
    holds_angle: false,
    coordinates: [&[Coordinate::Angle], &[]],
    carry: [Carry::Never, Carry::Never],
    pose: Pose { says: 0, attitude: Attitude::Kept, swing: Swing::None },
    written: [&[], &[]],
    one_sided: None,
};

impl JointType for KnifeEdge {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::KnifeEdge
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, _: &mut Maker) -> Made<()> {
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    /// The direction w of (1), along which body 2 does not slip.
    fn slip<'h>(&self, env: &mut SensorEnv<'_, '_, '_, 'h>, k: usize) -> Made<Option<Slip<'h>>> {
        let two = env.b.joint_ends(k)[1];
        env.point(two);
        let axis = env.b.joint_frames[k].axes[1].clone();
        Ok(Some(Slip { normal: None, tangents: vec![env.direction(two.0, &axis)], arm: None }))
    }
}
