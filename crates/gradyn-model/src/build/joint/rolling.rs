//! Rolling: a thin disc of body 2 on a plane of body 1, in the plane on a line.
//!
//! ```text
//! contact       n·(r₂ - r₁) - R s = 0,  s = √(1 - (n·a)²)    a: axis of the disc, n: normal of the plane (1)
//! lowest point  ρ = -R (n - (n·a) a)/s,   p = r₂ + ρ                                                    (2)
//! rolling       t·(v₂(p) - v₁(p)) = 0                        for each t across n                        (3)
//! ```
//! Body 1 carries the plane, body 2 is the disc with its centre r₂; in the plane n = t⊥ of the line t, and
//! s = 1. The force on body 2 is -(λ₀ n + Σ λ_k t_k) at p. (1) is a row of position level, whose gradient is
//! the force n at p because p is the lowest point. Undefined where the disc lies flat on the plane (s = 0).

use super::*;
use crate::build::joints::number_of;
use crate::build::vectors::{cross, difference, dot, scaled};
use crate::program::Sym;
use crate::row::Owner;

/// A disc that rolls without slipping.
pub(super) struct Rolling;

const SPEC: JointSpec = JointSpec {
    entry: Variant {
        name: "rolling",
        doc: "A thin disc around point 2 rolls without slipping on the plane through point 1; \
              in the plane on a line.",
        fields: &[BETWEEN, AXIS_OF_LINE, AXES_OF_DISC, RADIUS, PENALTY],
    },
    spatial: false,
    rows: [1, 1],
    slips: [1, 2],
    shares_point: [false, false],
    shares_axis: false,
    directions: [[true, true], [true, true]],
    axes: [[true, false], [true, true]],
    holds_angle: false,
    coordinates: [&[Coordinate::Angle], &[]],
    carry: [Carry::Never, Carry::Never],
    pose: Pose { says: 0, attitude: Attitude::Crossed, swing: Swing::None },
    written: [&[], &["axis"]],
    one_sided: Some(ONE_SIDED),
};

impl JointType for Rolling {
    fn spec(&self) -> &'static JointSpec {
        &SPEC
    }
    fn kind(&self, number: Number) -> JointKind {
        JointKind::Rolling { radius: number }
    }
    fn number<'k>(&self, kind: &'k mut JointKind) -> Option<&'k mut Number> {
        let JointKind::Rolling { radius } = kind else { unreachable!("a joint of another kind") };
        Some(radius)
    }
    fn check(&self, directions: &mut Directions) -> Made<()> {
        let j = directions.joint;
        if directions.b.m.dimension == 2 || j.axes.iter().all(Option::is_some) {
            return Ok(());
        }
        let e =
            ModelError::new(format!("joint `{}`: a disc that rolls needs `axes`", j.name)).at(&j.name.place);
        Err(e.help("axes = [normal of the plane in body 1, axis of the disc in body 2]"))
    }
    fn rows(&self, _: &mut Maker) -> Made<()> {
        Ok(())
    }
    /// Pushes the row (1) of the contact.
    fn formulas(&self, b: &mut Builder, k: usize) -> Made<()> {
        let name = &b.m.joints[k].name;
        let row = b.rows.list.len() + b.formulas.len();
        b.row(Owner::Joint, name, "contact", |env| {
            let ends = env.b.joint_ends(k).map(|r| env.b.port(r));
            let [r1, r2] = [env.port(&ends[0]), env.port(&ends[1])];
            let touch = touch(env, k)?;
            Ok(dot(&touch.normal, &difference(&r2, &r1)) - touch.height)
        })?;
        b.slip_rows.insert(k, vec![row]);
        Ok(())
    }
    /// n, t and ρ of (2), (3).
    fn slip<'h>(&self, env: &mut SensorEnv<'_, '_, '_, 'h>, k: usize) -> Made<Option<Slip<'h>>> {
        let touch = touch(env, k)?;
        Ok(Some(Slip { normal: Some(touch.normal), tangents: touch.tangents, arm: Some(touch.arm) }))
    }
}

const AXIS_OF_LINE: Field = may(
    "axis",
    Kind::Vector,
    "Plane: direction of the line in the frame of body 1, with the disc on its left; its x axis if absent.",
);
const AXES_OF_DISC: Field = may(
    "axes",
    Kind::VectorPair,
    "Space: the normal of the plane in the frame of body 1 and the axis of the disc in that of body 2.",
);
const RADIUS: Field = must("radius", Kind::Number, "Radius of the disc, > 0.").unit("m").even().positive();
const ONE_SIDED: [&str; 2] = [
    "a disc in the plane rolls on the left of its line",
    "write the mirror image by hand, with the opposite `axis`",
];

/// Where a disc touches a plane.
struct Touch<'h> {
    /// n, the normal of the plane.
    normal: Symbols<'h>,
    /// t across n: one in the plane, two in space.
    tangents: Vec<Symbols<'h>>,
    /// ρ, from the centre to the lowest point [m].
    arm: Symbols<'h>,
    /// R s, the height of the centre [m].
    height: Sym<'h>,
}

/// (2) of joint `k`.
fn touch<'h>(env: &mut SensorEnv<'_, '_, '_, 'h>, k: usize) -> Made<Touch<'h>> {
    let radius = number_of(&env.b.m.joints[k], &mut env.b.numbers)?;
    let radius = env.parameter(radius);
    let frame = env.b.joint_frames[k].clone();
    let bodies = env.b.joint_ends(k).map(|e| e.0);
    // plane: n = t⊥, ρ = -R n
    if env.b.m.dimension == 2 {
        let t = env.direction(bodies[0], &frame.axes[0]);
        let normal = vec![-t[1], t[0]];
        let arm = scaled(-radius, &normal);
        return Ok(Touch { normal, tangents: vec![t], arm, height: radius });
    }
    // n, t₁, t₂ of body 1, a of body 2
    let normal = env.direction(bodies[0], &frame.axes[0]);
    let across = [frame.normals[0].clone(), cross(&frame.axes[0], &frame.normals[0])];
    let tangents = across.iter().map(|t| env.direction(bodies[0], t)).collect();
    let a = env.direction(bodies[1], &frame.axes[1]);
    // s = √(1 - (n·a)²), ρ = -R (n - (n·a) a)/s
    let lean = dot(&normal, &a);
    let s = (1.0 - lean * lean).sqrt();
    let arm = scaled(-radius / s, &difference(&normal, &scaled(lean, &a)));
    Ok(Touch { normal, tangents, arm, height: radius * s })
}
