//! A point of body 2 on a plane of body 1.
//!
//! ```text
//! (r₂ - r₁)·a₁ = 0
//! ```
//! (7) of `rows`.

use super::*;

/// Point 2 stays in a plane of body 1.
pub(super) struct PointOnPlane;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "point-on-plane",
        doc: "Space: point 2 stays in the plane through point 1 across the axis of body 1.",
        fields: &[BETWEEN, AXIS, PENALTY],
    },
    spatial: true,
    rows: [0, 1],
    slips: [0, 0],
    shares_point: [false, false],
    shares_axis: false,
    directions: [[true, false], [true, false]],
    axes: [[true, false], [true, false]],
    holds_angle: false,
    coordinates: [&[], &[]],
    carry: [Carry::Never, Carry::Never],
    pose: Pose { says: 0, attitude: Attitude::Kept, swing: Swing::None },
    written: [&[], &["axis"]],
    one_sided: None,
};

impl JointType for PointOnPlane {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::PointOnPlane
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.on_plane();
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
