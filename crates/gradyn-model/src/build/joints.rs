//! Joints in natural coordinates are builders of quadratic rows.
//!
//! Each side of a joint has a point r, and in space a unit axis a with normals n and b = a × n. Never a cross
//! product of three rows with rank two: parallel directions are two rows (one in the plane), regular at every
//! angle.
//!
//! ```text
//! points coincide    r₂ - r₁ = 0                               force on body 2: -λ                 (1)
//! plane angle        x₁' × x₂ = 0, x₁' = R(angle) x₁           torque on body 2: -λ x₁'·x₂         (2)
//! on a line          (r₂ - r₁)·n₁ = 0, (r₂ - r₁)·b₁ = 0        force on body 2: -λ n₁              (3)
//! distance           ½ (|r₂ - r₁|² - L²) = 0                   force on body 2: -λ (r₂ - r₁)       (4)
//! axes parallel      a₂·n₁ = 0, a₂·b₁ = 0                      torque on body 2: -λ a₂ × n₁        (5)
//! no turning         n₂·b₁' = 0, b₁' = b₁ turned by the angle  torque on body 2: -λ n₂ × b₁'       (6)
//! on a plane         (r₂ - r₁)·a₁ = 0                          force on body 2: -λ a₁              (7)
//! universal          a₁·a₂ = 0                                 torque on body 2: -λ a₂ × a₁        (8)
//! ```
//! Reactions are those on body 2 by body 1, in the global frame, the torque about point 2. Rows of points and
//! axes that the bodies share are left out; a joint whose reaction is asked for is not shared.

use super::frames::Frame;
use super::numbers::{Numbers, Quad};
use super::vectors::{
    AXES, Port, Symbols, cross, cross_part, difference, dot, minus, normal, plus, same, scaled, unit,
};
use super::{Builder, PointRef};
use crate::error::ModelError;
use crate::mechanism::{Joint, JointKind};
use crate::program::Sym;
use crate::row::{Owner, RowName};
use crate::warning::{Warning, WarningCode};

/// A component of a reaction: Σ λ_row ψ_row(q).
pub type Component<'g> = Vec<(usize, Quad<'g>)>;

/// The reaction of a joint.
#[derive(Clone)]
pub struct Reaction<'g> {
    /// Components of the force.
    pub force: Vec<Component<'g>>,
    /// The torque: one component in the plane, three in space.
    pub torque: Vec<Component<'g>>,
    /// Products of directions that are parallel in the joint: positive where it is not half a turn off.
    pub aligned: Vec<Quad<'g>>,
}

impl Reaction<'_> {
    /// No rows.
    pub fn none(dimension: usize) -> Self {
        let torques = if dimension == 2 { 1 } else { 3 };
        Self { force: vec![vec![]; dimension], torque: vec![vec![]; torques], aligned: vec![] }
    }
}

/// Rows of the system with their names, as they are being made.
pub struct Rows<'g> {
    /// (name, row).
    pub list: Vec<(RowName, Quad<'g>)>,
}

/// Unit axes and normals of both sides, in the frames of the bodies.
#[derive(Clone)]
pub struct JointFrame<'g> {
    /// a₁, a₂.
    pub axes: [Symbols<'g>; 2],
    /// n₁, n₂.
    pub normals: [Symbols<'g>; 2],
}

/// What a joint connects: frames and points of bodies 1 and 2.
pub struct Ends<'a, 'g> {
    /// Frames.
    pub frames: [&'a Frame<'g>; 2],
    /// Points.
    pub points: [Port<'g>; 2],
}

impl JointKind {
    /// Do its points coincide?
    pub fn shares_point(&self, dimension: usize) -> bool {
        match self {
            JointKind::Revolute | JointKind::Spherical | JointKind::Universal => true,
            JointKind::Fixed { .. } => dimension == 3,
            _ => false,
        }
    }
    /// Are its axes parallel, in space?
    pub fn shares_axis(&self) -> bool {
        use JointKind::*;
        matches!(self, Revolute | Cylindrical | Planar | Prismatic { .. } | Screw { .. } | Fixed { .. })
    }
    /// Does it exist in space only?
    fn spatial(&self) -> bool {
        use JointKind::*;
        matches!(self, Cylindrical | Screw { .. } | Spherical | Universal | Planar | PointOnPlane)
    }
    /// Does it use directions of body 1, of body 2?
    fn directions(&self, dimension: usize) -> [bool; 2] {
        use JointKind::*;
        match self {
            Revolute => [dimension == 3; 2],
            Spherical | Distance { .. } | Free => [false; 2],
            PointOnLine | PointOnPlane => [true, false],
            _ => [true; 2],
        }
    }
    /// Its name in a file.
    pub fn word(&self) -> &'static str {
        match self {
            JointKind::Revolute => "revolute",
            JointKind::Prismatic { .. } => "prismatic",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Screw { .. } => "screw",
            JointKind::Spherical => "spherical",
            JointKind::Universal => "universal",
            JointKind::Planar => "planar",
            JointKind::Fixed { .. } => "fixed",
            JointKind::Free => "free",
            JointKind::Distance { .. } => "distance",
            JointKind::PointOnLine => "point-on-line",
            JointKind::PointOnPlane => "point-on-plane",
            JointKind::KnifeEdge => "knife-edge",
            JointKind::Rolling { .. } => "rolling",
        }
    }
}

impl<'g> Builder<'g, '_> {
    /// The two points of joint `k`.
    pub(super) fn joint_ends(&self, k: usize) -> [PointRef; 2] {
        self.joint_points[k]
    }
    /// The two points of a joint, which must belong to different bodies.
    fn read_joint_ends(&self, j: &Joint) -> Result<[PointRef; 2], ModelError> {
        let [a, b] = [self.point_ref(&j.between[0])?, self.point_ref(&j.between[1])?];
        if a.0 == b.0 {
            let e = ModelError::new(format!(
                "joint `{}` connects `{}` with itself",
                j.name, self.solids[a.0].name
            ));
            return Err(e
                .at(&j.between[1].place)
                .help("a joint needs two different bodies, or a body and the ground"));
        }
        Ok([a, b])
    }
    /// Axes and normals of every joint.
    pub(super) fn read_joint_frames(&mut self) -> Result<(), ModelError> {
        let dimension = self.m.dimension;
        for j in &self.m.joints {
            if dimension == 2 && j.kind.spatial() {
                let message = format!("joint `{}`: a {} joint needs a model in space", j.name, j.kind.word());
                return Err(ModelError::new(message)
                    .at(&j.name.place)
                    .help("write dimension = 3, or use a plane joint"));
            }
            let ends = self.read_joint_ends(j)?;
            for (side, needs) in j.kind.directions(dimension).into_iter().enumerate() {
                let solid = &self.solids[ends[side].0];
                if needs && dimension == 3 && solid.rod.is_some() {
                    let message = format!(
                        "joint `{}`: `{}` is a rod, which has no directions but its own",
                        j.name, solid.name
                    );
                    let help = "use spherical, distance or free joints on rods, or describe the body by `shape` or `inertia`";
                    return Err(ModelError::new(message).at(&j.name.place).help(help));
                }
            }
            if dimension == 3
                && matches!(j.kind, JointKind::Rolling { .. })
                && j.axes.iter().any(Option::is_none)
            {
                let e = ModelError::new(format!("joint `{}`: a disc that rolls needs `axes`", j.name))
                    .at(&j.name.place);
                return Err(e.help("axes = [normal of the plane in body 1, axis of the disc in body 2]"));
            }
            let frame = self.read_joint_frame(j)?;
            if j.kind == JointKind::Universal {
                self.check_universal(j, ends, &frame)?;
            }
            self.joint_frames.push(frame);
            self.joint_points.push(ends);
        }
        Ok(())
    }
    /// The axes of a universal joint are perpendicular where it is assembled: not parallel in the design
    /// configuration.
    fn check_universal(
        &mut self,
        j: &Joint,
        ends: [PointRef; 2],
        frame: &JointFrame<'g>,
    ) -> Result<(), ModelError> {
        let cosine = self.numbers.nominal(&[dot(&frame.axes[0], &frame.axes[1])])[0];
        if cosine.abs() < 1.0 - 1e-9 {
            return Ok(());
        }
        let drawn = |b: usize| self.m.bodies.get(b).is_none_or(|body| !body.hard.is_empty());
        let message = format!("joint `{}`: its two axes are parallel", j.name);
        if ends.iter().all(|e| drawn(e.0)) {
            let help = "the axes of a universal joint are perpendicular: `axes` has one for each body, such as [[1, 0, 0], [0, 1, 0]]";
            let place = j.axes[1].as_ref().and_then(|a| a.place()).or(j.name.place.clone());
            return Err(ModelError::new(message).at(&place).help(help));
        }
        let then = "the bodies are assembled a quarter turn from each other";
        let text = format!("{message} in the frames of the bodies: {then}");
        let warning = Warning::new(WarningCode::ParallelAxes, text).about(Owner::Joint, &j.name);
        self.numbers.warnings.push(warning);
        Ok(())
    }
    fn read_joint_frame(&mut self, j: &Joint) -> Result<JointFrame<'g>, ModelError> {
        let (n, last) = (&mut self.numbers, if self.m.dimension == 2 { 0 } else { 2 });
        let mut side = |k: usize| -> Result<(Symbols<'g>, Symbols<'g>), ModelError> {
            let axis = n.direction(j.axes[k].as_ref(), last, &format!("joint `{}`: the axis", j.name))?;
            let what = format!("joint `{}`: the normal", j.name);
            let normal = match &j.normals[k] {
                Some(v) if n.dimension == 3 => n.across(v, &axis, &what)?,
                Some(v) => {
                    let e = ModelError::new(format!("{what} belongs to joints in space")).at(&v.place());
                    return Err(e.help("remove it"));
                }
                None => normal_of(&axis, n)?,
            };
            Ok((axis, normal))
        };
        let (a1, n1) = side(0)?;
        let (a2, n2) = side(1)?;
        Ok(JointFrame { axes: [a1, a2], normals: [n1, n2] })
    }
}

/// Some unit vector across a unit vector: made from the coordinate axis that is farthest from it.
pub fn normal_of<'g>(axis: &Symbols<'g>, n: &mut Numbers<'g>) -> Result<Symbols<'g>, ModelError> {
    if axis.len() == 2 {
        return Ok(vec![-axis[1], axis[0]]);
    }
    let value = n.nominal(axis);
    let k = (0..3).min_by(|&a, &b| value[a].abs().total_cmp(&value[b].abs())).unwrap_or(0);
    let start = unit(n.graph, 3, k);
    let across = difference(&start, &scaled(axis[k], axis));
    n.normalised(across, "a normal", &None)
}

/// Builder of the rows of one joint.
struct Maker<'a, 'g> {
    name: &'a str,
    frame: &'a JointFrame<'g>,
    ends: &'a Ends<'a, 'g>,
    rows: &'a mut Rows<'g>,
    r: Reaction<'g>,
    one: Sym<'g>,
}

/// Adds the rows of a joint and returns its reaction; `closed`: its points are one already.
pub fn add<'g>(
    j: &Joint,
    frame: &JointFrame<'g>,
    ends: &Ends<'_, 'g>,
    closed: bool,
    n: &mut Numbers<'g>,
    rows: &mut Rows<'g>,
) -> Result<Reaction<'g>, ModelError> {
    let (name, plane) = (&j.name.text, n.dimension == 2);
    let r = Reaction::none(n.dimension);
    let mut maker = Maker { name, frame, ends, rows, r, one: n.graph.constant(1.0) };
    let number = |x, what: &str, n: &mut Numbers<'g>| n.number(x, &format!("joint `{name}`, {what}"));
    match &j.kind {
        JointKind::Revolute | JointKind::Spherical | JointKind::Universal | JointKind::Fixed { .. }
            if !closed =>
        {
            maker.coincide();
        }
        JointKind::Prismatic { .. }
        | JointKind::Cylindrical
        | JointKind::Screw { .. }
        | JointKind::PointOnLine => maker.on_line(),
        JointKind::Planar | JointKind::PointOnPlane => maker.on_plane(),
        JointKind::Distance { length } => maker.distance(number(length, "length", n)?),
        _ => {}
    }
    match &j.kind {
        JointKind::Prismatic { angle } | JointKind::Fixed { angle } => {
            let angle = number(angle, "angle", n)?;
            match plane {
                true => maker.plane_angle(angle),
                false => {
                    maker.parallel();
                    maker.no_turning(angle);
                }
            }
        }
        JointKind::Universal => maker.universal(),
        kind if !plane && kind.shares_axis() => maker.parallel(),
        _ => {}
    }
    Ok(maker.r)
}

impl<'g> Rows<'g> {
    /// Adds a row and returns its index.
    pub fn push(&mut self, name: RowName, row: Quad<'g>) -> usize {
        self.list.push((name, row));
        self.list.len() - 1
    }
}

impl<'g> Maker<'_, 'g> {
    fn zero(&self) -> Quad<'g> {
        Quad::zero(self.one.graph())
    }
    fn row(&mut self, what: &str, row: Quad<'g>) -> usize {
        self.rows.push(RowName::new(Owner::Joint, self.name, what), row)
    }
    fn axis(&self, side: usize) -> Port<'g> {
        self.ends.frames[side].direction(&self.frame.axes[side])
    }
    fn normal(&self, side: usize) -> Port<'g> {
        self.ends.frames[side].direction(&self.frame.normals[side])
    }
    /// b = a × n.
    fn binormal(&self, side: usize) -> Port<'g> {
        self.ends.frames[side].direction(&cross(&self.frame.axes[side], &self.frame.normals[side]))
    }
    /// Force -λ d of a row on body 2.
    fn push_force(&mut self, row: usize, d: &Port<'g>) {
        for (part, d) in self.r.force.iter_mut().zip(d) {
            part.push((row, Quad::zero(self.one.graph()).plus(-self.one, d)));
        }
    }
    /// Torque -λ a × b of a row on body 2.
    fn push_torque(&mut self, row: usize, a: &Port<'g>, b: &Port<'g>) {
        for (k, part) in self.r.torque.iter_mut().enumerate() {
            part.push((row, cross_part(-self.one, a, b, k)));
        }
    }
    /// (1), unless both points are the same coordinates already.
    fn coincide(&mut self) {
        let [a, b] = &self.ends.points;
        if same(a, b) {
            return;
        }
        for k in 0..a.len() {
            let row = self.zero().plus(self.one, &b[k]).plus(-self.one, &a[k]);
            let row = self.row(AXES[k], row);
            let reaction = self.zero().plus_constant(-self.one);
            self.r.force[k].push((row, reaction));
        }
    }
    /// (2).
    fn plane_angle(&mut self, angle: Sym<'g>) {
        let x1 = self.ends.frames[0].direction(&[angle.cos(), angle.sin()]);
        let x2 = self.ends.frames[1].direction(&unit(self.one.graph(), 2, 0));
        let row = self.row("angle", self.zero().plus_dot(self.one, &normal(&x1), &x2));
        let reaction = self.zero().plus_dot(-self.one, &x1, &x2);
        self.r.torque[0].push((row, reaction));
        self.r.aligned.push(self.zero().plus_dot(self.one, &x1, &x2));
    }
    /// (3).
    fn on_line(&mut self) {
        let d = minus(&self.ends.points[1], &self.ends.points[0]);
        if d.len() == 2 {
            let n = normal(&self.axis(0));
            let row = self.row("line", self.zero().plus_dot(self.one, &d, &n));
            return self.push_force(row, &n);
        }
        for (what, w) in [("line 1", self.normal(0)), ("line 2", self.binormal(0))] {
            let row = self.row(what, self.zero().plus_dot(self.one, &d, &w));
            self.push_force(row, &w);
        }
    }
    /// (4).
    fn distance(&mut self, l: Sym<'g>) {
        let d = minus(&self.ends.points[1], &self.ends.points[0]);
        let half = self.one * 0.5;
        let row = self.row("distance", self.zero().plus_dot(half, &d, &d).plus_constant(l * l * -0.5));
        self.push_force(row, &d);
    }
    /// (5), unless both axes are the same coordinates already.
    fn parallel(&mut self) {
        let (a1, a2) = (self.axis(0), self.axis(1));
        if same(&a1, &a2) {
            return;
        }
        for (what, w) in [("axis 1", self.normal(0)), ("axis 2", self.binormal(0))] {
            let row = self.row(what, self.zero().plus_dot(self.one, &a2, &w));
            self.push_torque(row, &a2, &w);
        }
        self.r.aligned.push(self.zero().plus_dot(self.one, &a1, &a2));
    }
    /// (6).
    fn no_turning(&mut self, angle: Sym<'g>) {
        let (n1, b1, n2) = (self.normal(0), self.binormal(0), self.normal(1));
        let none = plus(&n1, -self.one, &n1);
        let turned = |c: Sym<'g>, s: Sym<'g>| plus(&plus(&none, c, &n1), s, &b1);
        let (along, across) = (turned(angle.cos(), angle.sin()), turned(-angle.sin(), angle.cos()));
        let row = self.row("angle", self.zero().plus_dot(self.one, &n2, &across));
        self.push_torque(row, &n2, &across);
        self.r.aligned.push(self.zero().plus_dot(self.one, &n2, &along));
    }
    /// (7).
    fn on_plane(&mut self) {
        let d = minus(&self.ends.points[1], &self.ends.points[0]);
        let a = self.axis(0);
        let row = self.row("plane", self.zero().plus_dot(self.one, &d, &a));
        self.push_force(row, &a);
    }
    /// (8).
    fn universal(&mut self) {
        let (a1, a2) = (self.axis(0), self.axis(1));
        let row = self.row("cross", self.zero().plus_dot(self.one, &a1, &a2));
        self.push_torque(row, &a2, &a1);
    }
}
