//! Distance joint: two points keep a distance L, as by a rod without mass.
//!
//! ```text
//! ½ (|r₂ - r₁|² - L²) = 0
//! ```
//! (4) of `rows`; its rate vanishes with r₂ - r₁, so that L > 0.

use super::*;

/// The points keep a distance.
pub(super) struct Distance;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "distance",
        doc: "The points keep a distance.",
        fields: &[
            BETWEEN,
            must("length", Kind::Number, "Distance, > 0.").unit("m").even().positive(),
            PENALTY,
        ],
    },
    spatial: false,
    rows: [1, 1],
    slips: [0, 0],
    shares_point: [false, false],
    shares_axis: false,
    directions: [[false, false], [false, false]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[Coordinate::Angle], &[]],
    carry: [Carry::Never, Carry::Never],
    pose: Pose { says: 0, attitude: Attitude::Kept, swing: Swing::None },
    written: [&[], &[]],
    one_sided: None,
};

impl JointType for Distance {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, number: Number) -> JointKind {
        JointKind::Distance { length: number }
    }
    fn number<'k>(&self, kind: &'k mut JointKind) -> Option<&'k mut Number> {
        let JointKind::Distance { length } = kind else { unreachable!("a joint of another kind") };
        Some(length)
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        let length = maker.number()?;
        maker.distance(length);
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
