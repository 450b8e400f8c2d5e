//! Joints in natural coordinates are builders of quadratic rows.
//!
//! Never a cross product of three rows with rank two: parallel directions are one row, regular at every angle.
//!
//! ```text
//! revolute, fixed    r₂ - r₁ = 0                               force on body 2: -λ                 (1)
//! fixed, prismatic   x₁' × x₂ = 0, x₁' = R(angle) x₁           torque on body 2: -λ x₁'·x₂         (2)
//! prismatic, line    (r₂ - r₁)·n₁ = 0                          force on body 2: -λ n₁              (3)
//! distance           ½ (|r₂ - r₁|² - L²) = 0                   force on body 2: -λ (r₂ - r₁)       (4)
//! ```
//! Reactions are those on body 2 by body 1, in the global frame, the torque about point 2. A revolute joint whose points are
//! shared has no rows; one whose reaction is asked for is not shared.

use super::bodies::{Frame, Port, minus, normal};
use super::numbers::{Numbers, Quad};
use crate::error::ModelError;
use crate::mechanism::{Joint, JointKind, Vector};
use crate::program::Sym;

/// A component of a reaction: Σ λ_row ψ_row(q).
pub type Component<'g> = Vec<(usize, Quad<'g>)>;

/// The reaction of a joint: force x, force y, torque.
#[derive(Clone)]
pub struct Reaction<'g> {
    /// Components.
    pub parts: [Component<'g>; 3],
    /// x₁'·x₂ of a joint that holds an angle.
    pub aligned: Option<Quad<'g>>,
}

/// Rows of the system with their names, as they are being made.
pub struct Rows<'g> {
    /// (name, row).
    pub list: Vec<(String, Quad<'g>)>,
}

/// What a joint connects: frames and points of bodies 1 and 2.
pub struct Ends<'a, 'g> {
    /// Frames.
    pub frames: [&'a Frame<'g>; 2],
    /// Points.
    pub points: [Port<'g>; 2],
}

/// Adds the rows of a joint and returns its reaction.
pub fn add<'g>(j: &Joint, ends: &Ends<'_, 'g>, n: &mut Numbers<'g>, rows: &mut Rows<'g>) -> Result<Reaction<'g>, ModelError> {
    let mut r = Reaction { parts: [vec![], vec![], vec![]], aligned: None };
    let name = &j.name.text;
    match &j.kind {
        JointKind::Revolute => coincide(name, ends, n, rows, &mut r),
        JointKind::Fixed { angle } => {
            coincide(name, ends, n, rows, &mut r);
            let angle = n.number(angle, &format!("joint `{name}`, angle"))?;
            parallel(name, ends, angle, n, rows, &mut r);
        }
        JointKind::Prismatic { axis, angle } => {
            on_line(name, ends, axis, n, rows, &mut r)?;
            let angle = n.number(angle, &format!("joint `{name}`, angle"))?;
            parallel(name, ends, angle, n, rows, &mut r);
        }
        JointKind::PointOnLine { axis } => on_line(name, ends, axis, n, rows, &mut r)?,
        JointKind::Distance { length } => {
            let l = n.number(length, &format!("joint `{name}`, length"))?;
            let d = minus(&ends.points[1], &ends.points[0]);
            let half = n.graph.constant(0.5);
            let row =
                rows.push(format!("{name} (distance)"), Quad::zero(n.graph).plus_dot(half, &d, &d).plus_constant(l * l * -0.5));
            for (part, d) in r.parts.iter_mut().zip(&d) {
                part.push((row, Quad::zero(n.graph).plus(n.graph.constant(-1.0), d))); // (4)
            }
        }
    }
    Ok(r)
}

impl<'g> Rows<'g> {
    /// Adds a row and returns its index.
    pub fn push(&mut self, name: String, row: Quad<'g>) -> usize {
        self.list.push((name, row));
        self.list.len() - 1
    }
}

/// (1), unless both points are the same coordinates already.
fn coincide<'g>(name: &str, ends: &Ends<'_, 'g>, n: &Numbers<'g>, rows: &mut Rows<'g>, r: &mut Reaction<'g>) {
    let [a, b] = &ends.points;
    if a[0].same(&b[0]) && a[1].same(&b[1]) {
        return;
    }
    for (k, axis) in ["x", "y"].into_iter().enumerate() {
        let (one, minus) = (n.graph.constant(1.0), n.graph.constant(-1.0));
        let row = rows.push(format!("{name} ({axis})"), Quad::zero(n.graph).plus(one, &b[k]).plus(minus, &a[k]));
        r.parts[k].push((row, Quad::zero(n.graph).plus_constant(minus)));
    }
}

/// (2).
fn parallel<'g>(name: &str, ends: &Ends<'_, 'g>, angle: Sym<'g>, n: &Numbers<'g>, rows: &mut Rows<'g>, r: &mut Reaction<'g>) {
    let (one, zero, minus) = (n.graph.constant(1.0), n.graph.constant(0.0), n.graph.constant(-1.0));
    let x1 = ends.frames[0].direction([angle.cos(), angle.sin()]);
    let x2 = ends.frames[1].direction([one, zero]);
    let row = rows.push(format!("{name} (angle)"), Quad::zero(n.graph).plus_dot(one, &normal(&x1), &x2));
    r.parts[2].push((row, Quad::zero(n.graph).plus_dot(minus, &x1, &x2)));
    r.aligned = Some(Quad::zero(n.graph).plus_dot(one, &x1, &x2));
}

/// (3).
fn on_line<'g>(
    name: &str,
    ends: &Ends<'_, 'g>,
    axis: &Option<Vector>,
    n: &mut Numbers<'g>,
    rows: &mut Rows<'g>,
    r: &mut Reaction<'g>,
) -> Result<(), ModelError> {
    let axis = match axis {
        Some(axis) => {
            let [x, y] = n.vector(axis, &format!("joint `{name}`, axis"))?;
            let length = (x * x + y * y).sqrt();
            if length.as_constant() == Some(0.0) {
                return Err(ModelError::new(format!("joint `{name}`: the axis has length zero")).at(&place(axis)));
            }
            [x / length, y / length]
        }
        None => [n.graph.constant(1.0), n.graph.constant(0.0)],
    };
    let normal = normal(&ends.frames[0].direction(axis));
    let d = minus(&ends.points[1], &ends.points[0]);
    let row = rows.push(format!("{name} (line)"), Quad::zero(n.graph).plus_dot(n.graph.constant(1.0), &d, &normal));
    for (part, axis) in r.parts.iter_mut().zip(&normal) {
        part.push((row, Quad::zero(n.graph).plus(n.graph.constant(-1.0), axis)));
    }
    Ok(())
}

/// Where a vector stands in the file.
pub fn place(v: &Vector) -> Option<std::ops::Range<usize>> {
    match v {
        Vector::Components(_, place) => place.clone(),
        Vector::Expression(e) => e.place.clone(),
    }
}
