//! Free joint: it holds nothing and names the relative motion of two bodies.
//!
//! In relative coordinates body 2 slides from the point of body 1 and turns by an angle or Euler parameters.

use super::*;

/// Nothing is held.
pub(super) struct Free;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "free",
        doc: "Nothing is held: a name for the relative motion.",
        fields: &[BETWEEN, TREE],
    },
    spatial: false,
    rows: [0, 0],
    slips: [0, 0],
    shares_point: [false, false],
    shares_axis: false,
    directions: [[false, false], [false, false]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[Coordinate::Angle], &[]],
    carry: [Carry::Freely, Carry::Freely],
    pose: Pose { says: 0, attitude: Attitude::Kept, swing: Swing::None },
    written: [&[], &[]],
    one_sided: None,
};

impl JointType for Free {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::Free
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
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
