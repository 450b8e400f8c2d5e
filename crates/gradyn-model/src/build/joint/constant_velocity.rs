//! Constant-velocity joint of drive shafts, such as a Rzeppa joint: a common centre, and equal angles of
//! rotation of both shafts whatever the bend.
//!
//! Each shaft has its axis a, which both point the same way along the drive, with n and b = a × n. Body 2 in
//! body 1 is a bend by β about some u across a₁, after a twist τ about the shaft. The joint lets it bend and
//! not twist. A bend about u has a symmetric block on (n₁, b₁), with trace 1 + cos β, so that
//!
//! ```text
//! r₂ - r₁ = 0
//! b₁·n₂ - n₁·b₂ = (1 + cos β) sin τ = 0       torque on body 2: -λ (n₂ × b₁ - b₂ × n₁)               (1)
//! n₁·n₂ + b₁·b₂ = (1 + cos β) cos τ > 0       the branch τ = 0                                       (2)
//! ```
//! with (1) of `rows`. (1) is quadratic in natural coordinates, and its derivative by τ is 1 + cos β: regular
//! for every bend below 180°. Where it holds, n₂ × b₁ - b₂ × n₁ = a₁ + a₂, so that the rate of (1) is
//!
//! ```text
//! (ω₂ - ω₁)·(a₁ + a₂) = 0                                                                            (3)
//! ```
//! the homokinetic condition: with shafts in bearings, ω_i = Ω_i a_i and Ω₂ (1 + cos β) = Ω₁ (1 + cos β). The
//! joint transmits a torque along the bisector of the axes, and a second one bends the shafts: T tan(β/2).
//!
//! Bends are no product of turns about fixed axes: in relative coordinates the joint closes a loop.

use super::*;

/// A common point, and no twist of one shaft against the other.
pub(super) struct ConstantVelocity;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "constant-velocity",
        doc: "Space: the points coincide, body 2 bends in any way but does not twist \
              about the axes of the shafts.",
        fields: &[BETWEEN, AXIS, AXES, NORMAL, NORMALS, PENALTY],
    },
    spatial: true,
    rows: [0, 4],
    slips: [0, 0],
    shares_point: [true, true],
    shares_axis: false,
    directions: [[true, true], [true, true]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[], &[]],
    carry: [Carry::Never, Carry::Never],
    pose: Pose { says: 2, attitude: Attitude::Turned, swing: Swing::Any },
    written: [&[], &["axis", "normal"]],
    one_sided: None,
};

impl JointType for ConstantVelocity {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, _: Number) -> JointKind {
        JointKind::ConstantVelocity
    }
    fn number<'k>(&self, _: &'k mut JointKind) -> Option<&'k mut Number> {
        None
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.coincide();
        // (1)
        let [n1, n2] = [maker.normal(0), maker.normal(1)];
        let [b1, b2] = [maker.binormal(0), maker.binormal(1)];
        let twist = maker.zero().plus_dot(maker.one, &b1, &n2).plus_dot(-maker.one, &n1, &b2);
        let row = maker.row("twist", twist);
        maker.push_torque(row, &n2, &b1);
        maker.push_torque(row, &n1, &b2);
        // (2)
        maker.r.aligned.push(maker.zero().plus_dot(maker.one, &n1, &n2).plus_dot(maker.one, &b1, &b2));
        Ok(())
    }
    fn formulas(&self, _: &mut Builder, _: usize) -> Made<()> {
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
