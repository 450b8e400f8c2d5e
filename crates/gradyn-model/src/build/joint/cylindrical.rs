//! Cylindrical joint: body 2 slides along an axis of body 1 and turns about it.
//!
//! ```text
//! (r₂ - r₁)·n₁ = (r₂ - r₁)·b₁ = 0,   a₂·n₁ = a₂·b₁ = 0
//! ```
//! (3) and (5) of `rows`; position (r₂ - r₁)·a₁, angle of n₂ from n₁ about a₁.

use super::*;

/// Point 2 slides along the axis and body 2 turns about it.
pub(super) struct Cylindrical;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "cylindrical",
        doc: "Space: point 2 slides along the axis and body 2 turns about it.",
        fields: &[BETWEEN, AXIS, AXES, NORMAL, NORMALS, PENALTY, TREE],
    },
    spatial: true,
    rows: [0, 4],
    slips: [0, 0],
    shares_point: [false, false],
    shares_axis: true,
    directions: [[true, true], [true, true]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[], &[Coordinate::Angle, Coordinate::Position]],
    carry: [
        Carry::Never,
        Carry::By(&[Move::Slide(2), Move::Revolve(2)], &["position", "angle"], Triads::Usual),
    ],
    pose: Pose { says: 3, attitude: Attitude::Turned, swing: Swing::None },
    written: [&[], &["axis", "normal"]],
    one_sided: None,
};

impl JointType for Cylindrical {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::Cylindrical
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.on_line();
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
