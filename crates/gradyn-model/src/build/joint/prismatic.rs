//! Prismatic joint: body 2 slides along an axis of body 1 at a constant angle θ.
//!
//! ```text
//! plane    (r₂ - r₁)·n₁ = 0,   x₁' × x₂ = 0
//! space    (r₂ - r₁)·n₁ = (r₂ - r₁)·b₁ = 0,   a₂·n₁ = a₂·b₁ = 0,   n₂·b₁' = 0
//! ```
//! (3), (2), (5) and (6) of `rows`; x₁' and b₁' are turned by θ. The position is (r₂ - r₁)·a₁.

use super::*;

/// Point 2 slides along the axis; directions are constant.
pub(super) struct Prismatic;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "prismatic",
        doc: "Point 2 slides along the axis of body 1 at a constant angle.",
        fields: &[BETWEEN, AXIS, AXES, NORMAL, NORMALS, ANGLE, PENALTY, TREE],
    },
    spatial: false,
    rows: [2, 5],
    slips: [0, 0],
    shares_point: [false, false],
    shares_axis: true,
    directions: [[true, true], [true, true]],
    axes: [[true, false], [true, true]],
    holds_angle: true,
    coordinates: [&[Coordinate::Position], &[Coordinate::Position]],
    carry: [
        Carry::By(&[Move::Slide(0)], &["position"], Triads::Line),
        Carry::By(&[Move::Slide(2)], &["position"], Triads::Usual),
    ],
    pose: Pose { says: 3, attitude: Attitude::Turned, swing: Swing::None },
    written: [&["axis"], &["axis", "normal"]],
    one_sided: None,
};

impl JointType for Prismatic {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, number: Number) -> JointKind {
        JointKind::Prismatic { angle: number }
    }
    fn number<'k>(&self, kind: &'k mut JointKind) -> Option<&'k mut Number> {
        let JointKind::Prismatic { angle } = kind else { unreachable!("a joint of another kind") };
        Some(angle)
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.on_line();
        maker.hold_angle()?;
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
