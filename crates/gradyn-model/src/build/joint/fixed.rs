//! Fixed joint: body 2 is held at an angle θ about the axis.
//!
//! ```text
//! plane    r₂ - r₁ = 0,   x₁' × x₂ = 0
//! space    r₂ - r₁ = 0,   a₂·n₁ = a₂·b₁ = 0,   n₂·b₁' = 0
//! ```
//! (1), (2), (5) and (6) of `rows`; x₁' and b₁' are turned by θ. In the plane its point is not shared.

use super::*;

/// The points coincide and directions are constant.
pub(super) struct Fixed;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "fixed",
        doc: "The points coincide and the directions are constant.",
        fields: &[BETWEEN, AXIS, AXES, NORMAL, NORMALS, ANGLE, PENALTY, TREE],
    },
    spatial: false,
    rows: [3, 6],
    slips: [0, 0],
    shares_point: [false, true],
    shares_axis: true,
    directions: [[true, true], [true, true]],
    axes: [[true, false], [true, true]],
    holds_angle: true,
    coordinates: [&[], &[]],
    carry: [Carry::By(&[], &[], Triads::None), Carry::By(&[], &[], Triads::Usual)],
    pose: Pose { says: 3, attitude: Attitude::Turned, swing: Swing::None },
    written: [&[], &["axis", "normal"]],
    one_sided: None,
};

impl JointType for Fixed {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, number: Number) -> JointKind {
        JointKind::Fixed { angle: number }
    }
    fn number<'k>(&self, kind: &'k mut JointKind) -> Option<&'k mut Number> {
        let JointKind::Fixed { angle } = kind else { unreachable!("a joint of another kind") };
        Some(angle)
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.coincide();
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
