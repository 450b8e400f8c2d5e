//! Universal joint: a cross with two axes, one in each body.
//!
//! ```text
//! r₂ - r₁ = 0
//! a₁·a₂ = 0                              torque on body 2: -λ a₂ × a₁                                  (1)
//! ```
//! with (1) of `rows`. The first angle is that of a₂ from n₁ about a₁, the second that of body 2 about a₂.
//! The speed ratio of two shafts in bearings is not constant; `constant_velocity` has a joint for that.

use super::*;
use crate::build::vectors::dot;
use crate::row::Owner;
use crate::warning::{Warning, WarningCode};

/// A common point and two perpendicular axes.
pub(super) struct Universal;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "universal",
        doc: "Space: the points coincide, the axes of both bodies stay perpendicular.",
        fields: &[
            BETWEEN,
            must("axes", Kind::VectorPair, "The axis of each body, in its frame."),
            NORMAL,
            NORMALS,
            PENALTY,
            TREE,
        ],
    },
    spatial: true,
    rows: [0, 4],
    slips: [0, 0],
    shares_point: [true, true],
    shares_axis: false,
    directions: [[true, true], [true, true]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[], &[Coordinate::FirstAngle, Coordinate::SecondAngle]],
    carry: [
        Carry::Never,
        Carry::By(&[Move::Revolve(2), Move::Revolve(0)], &["angle_1", "angle_2"], Triads::Crossed),
    ],
    pose: Pose { says: 2, attitude: Attitude::Crossed, swing: Swing::Any },
    written: [&[], &["axis", "normals"]],
    one_sided: None,
};

impl JointType for Universal {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::Universal
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    /// The axes of a universal joint are perpendicular where it is assembled: not parallel in the design
    /// configuration.
    fn check(&self, directions: &mut Directions) -> Made<()> {
        let Directions { b, joint: j, ends, frame } = directions;
        // |a₁·a₂| < 1: the axes are not parallel
        let cosine = b.numbers.nominal(&[dot(&frame.axes[0], &frame.axes[1])])[0];
        if cosine.abs() < 1.0 - 1e-9 {
            return Ok(());
        }
        // they must be perpendicular where both bodies are drawn in place
        let drawn = |body: usize| b.m.bodies.get(body).is_none_or(|body| !body.hard.is_empty());
        let message = format!("joint `{}`: its two axes are parallel", j.name);
        if ends.iter().all(|e| drawn(e.0)) {
            let help = "the axes of a universal joint are perpendicular: \
                        `axes` has one for each body, such as [[1, 0, 0], [0, 1, 0]]";
            let place = j.axes[1].as_ref().and_then(|a| a.place()).or(j.name.place.clone());
            return Err(ModelError::new(message).at(&place).help(help));
        }
        // else the bodies turn when they are assembled
        let then = "the bodies are assembled a quarter turn from each other";
        let text = format!("{message} in the frames of the bodies: {then}");
        let warning = Warning::new(WarningCode::ParallelAxes, text).about(Owner::Joint, &j.name);
        b.numbers.warnings.push(warning);
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.coincide();
        // (1)
        let a1 = maker.axis(0);
        let a2 = maker.axis(1);
        let row = maker.row("cross", maker.zero().plus_dot(maker.one, &a1, &a2));
        maker.push_torque(row, &a2, &a1);
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
