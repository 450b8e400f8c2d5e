//! Revolute joint: body 2 turns about an axis of body 1.
//!
//! ```text
//! plane    r₂ - r₁ = 0
//! space    r₂ - r₁ = 0,   a₂·n₁ = 0,   a₂·b₁ = 0
//! ```
//! (1) and (5) of `rows`; the angle is that of n₂ from n₁ about a₁. Regular in every position.

use super::*;

/// The points coincide; in space the axes too.
pub(super) struct Revolute;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "revolute",
        doc: "The points coincide; in space the axes too.",
        fields: &[BETWEEN, AXIS, AXES, NORMAL, NORMALS, PENALTY, TREE],
    },
    spatial: false,
    rows: [2, 5],
    slips: [0, 0],
    shares_point: [true, true],
    shares_axis: true,
    directions: [[false, false], [true, true]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[Coordinate::Angle], &[Coordinate::Angle]],
    carry: [
        Carry::By(&[Move::Revolve(2)], &["angle"], Triads::None),
        Carry::By(&[Move::Revolve(2)], &["angle"], Triads::Usual),
    ],
    pose: Pose { says: 3, attitude: Attitude::Turned, swing: Swing::Axis },
    written: [&[], &["axis", "normal"]],
    one_sided: None,
};

impl JointType for Revolute {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::Revolute
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.coincide();
        if !maker.plane() {
            maker.parallel();
        }
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
