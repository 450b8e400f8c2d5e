//! Screw joint: a cylindrical joint whose angle moves it along.
//!
//! ```text
//! (r₂ - r₁)·n₁ = (r₂ - r₁)·b₁ = 0,   a₂·n₁ = a₂·b₁ = 0
//! s - lead θ/2π = 0                      force -λ a₁, torque λ lead/2π a₁ on body 2                    (1)
//! ```
//! with (3) and (5) of `rows`, s = (r₂ - r₁)·a₁ and the angle θ of n₂ from n₁, over any number of turns.

use super::*;
use crate::build::joints::number_of;
use crate::build::numbers::Quad;
use crate::row::Owner;
use std::f64::consts::TAU;

/// A cylindrical joint with a lead.
pub(super) struct Screw;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "screw",
        doc: "Space: a cylindrical joint in which position = lead · angle / 2π.",
        fields: &[
            BETWEEN,
            AXIS,
            AXES,
            NORMAL,
            NORMALS,
            must("lead", Kind::Number, "Advance per turn.").unit("m").odd(),
            PENALTY,
            TREE,
        ],
    },
    spatial: true,
    rows: [0, 5],
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

impl JointType for Screw {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, number: Number) -> JointKind {
        JointKind::Screw { lead: number }
    }
    fn number<'k>(&self, kind: &'k mut JointKind) -> Option<&'k mut Number> {
        let JointKind::Screw { lead } = kind else { unreachable!("a joint of another kind") };
        Some(lead)
    }
    fn check(&self, _: &mut Directions) -> Made<()> {
        Ok(())
    }
    fn rows(&self, maker: &mut Maker) -> Made<()> {
        maker.on_line();
        maker.parallel();
        Ok(())
    }
    /// Pushes (1) and adds its force and torque to the reaction.
    fn formulas(&self, b: &mut Builder, k: usize) -> Made<()> {
        let j = &b.m.joints[k];
        let name = &j.name;
        let lead = number_of(j, &mut b.numbers)?;
        let ends = b.joint_ends(k);
        let angle = b.joint_angle(k, Coordinate::Angle).expect("a screw turns");
        let axis = b.joint_frames[k].axes[0].clone();
        let row = b.rows.list.len() + b.formulas.len();
        // (1)
        b.row(Owner::Joint, name, "screw", |env| {
            let s = env.joint_position(k, &axis);
            let θ = env.angle(angle);
            Ok(s - env.parameter(lead / TAU) * θ)
        })?;
        // force -λ a₁, torque λ lead/2π a₁
        let a = b.frames[ends[0].0].direction(&axis);
        let reaction = b.reactions.get_mut(&name.text).expect("joints were added");
        for i in 0..3 {
            reaction.force[i].push((row, Quad::zero(b.graph).plus(b.graph.constant(-1.0), &a[i])));
            reaction.torque[i].push((row, Quad::zero(b.graph).plus(lead / TAU, &a[i])));
        }
        Ok(())
    }
    fn slip<'h>(&self, _: &mut SensorEnv<'_, '_, '_, 'h>, _: usize) -> Made<Option<Slip<'h>>> {
        Ok(None)
    }
}
