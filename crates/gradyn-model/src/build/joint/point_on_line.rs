//! A point of body 2 on a line of body 1.
//!
//! ```text
//! plane    (r₂ - r₁)·n₁ = 0
//! space    (r₂ - r₁)·n₁ = (r₂ - r₁)·b₁ = 0
//! ```
//! (3) of `rows`; the position is (r₂ - r₁)·a₁.

use super::*;

/// Point 2 stays on a line of body 1.
pub(super) struct PointOnLine;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "point-on-line",
        doc: "Point 2 stays on the line through point 1 along the axis of body 1.",
        fields: &[BETWEEN, AXIS, PENALTY],
    },
    spatial: false,
    rows: [1, 2],
    slips: [0, 0],
    shares_point: [false, false],
    shares_axis: false,
    directions: [[true, false], [true, false]],
    axes: [[true, false], [true, false]],
    holds_angle: false,
    coordinates: [&[Coordinate::Angle, Coordinate::Position], &[Coordinate::Position]],
    carry: [Carry::Never, Carry::Never],
    pose: Pose { says: 0, attitude: Attitude::Kept, swing: Swing::None },
    written: [&["axis"], &["axis"]],
    one_sided: None,
};

impl JointType for PointOnLine {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::PointOnLine
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.on_line();
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
