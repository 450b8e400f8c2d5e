//! Planar joint: body 2 moves in a plane of body 1.
//!
//! ```text
//! (r₂ - r₁)·a₁ = 0,   a₂·n₁ = a₂·b₁ = 0
//! ```
//! (7) and (5) of `rows`; coordinates x = (r₂ - r₁)·n₁, y = (r₂ - r₁)·b₁ and the angle of n₂ from n₁.

use super::*;

/// Point 2 stays in a plane of body 1, the axes are parallel.
pub(super) struct Planar;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "planar",
        doc: "Space: point 2 stays in the plane through point 1 across the axis, the axes stay parallel.",
        fields: &[BETWEEN, AXIS, AXES, NORMAL, NORMALS, PENALTY, TREE],
    },
    spatial: true,
    rows: [0, 3],
    slips: [0, 0],
    shares_point: [false, false],
    shares_axis: true,
    directions: [[true, true], [true, true]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[], &[Coordinate::X, Coordinate::Y, Coordinate::Angle]],
    carry: [
        Carry::Never,
        Carry::By(&[Move::Slide(0), Move::Slide(1), Move::Revolve(2)], &["x", "y", "angle"], Triads::Usual),
    ],
    pose: Pose { says: 2, attitude: Attitude::Turned, swing: Swing::None },
    written: [&[], &["axis", "normal"]],
    one_sided: None,
};

impl JointType for Planar {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::Planar
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.on_plane();
        maker.parallel();
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
