//! Spherical joint.
//!
//! ```text
//! r₂ - r₁ = 0
//! ```
//! (1) of `rows`. Relative coordinates are the Euler parameters of body 2 in body 1.

use super::*;

/// The points coincide.
pub(super) struct Spherical;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "spherical",
        doc: "Space: the points coincide.",
        fields: &[BETWEEN, PENALTY, TREE],
    },
    spatial: true,
    rows: [0, 3],
    slips: [0, 0],
    shares_point: [true, true],
    shares_axis: false,
    directions: [[false, false], [false, false]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[], &[]],
    carry: [Carry::Never, Carry::By(&[Move::Ball], &["e0", "e1", "e2", "e3"], Triads::None)],
    pose: Pose { says: 1, attitude: Attitude::Kept, swing: Swing::Any },
    written: [&[], &[]],
    one_sided: None,
};

impl JointType for Spherical {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::Spherical
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.coincide();
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
