//! Mass and inertia of uniform solids and plates, per unit of mass, about their centre.
//!
//! ```text
//! box        Ixx = (b² + c²)/12 …            rectangle  (a² + b²)/12                              (1)
//! sphere     2/5 r²                          disc       r²/2                                      (2)
//! cylinder   axial (R² + r²)/2, transverse (3 (R² + r²) + l²)/12, r = 0 if solid; ring (R² + r²)/2  (3)
//! ```
//! A solid of revolution about a unit vector a has the tensor I_t 1 + (I_a - I_t) a aᵀ.

use super::bodies::{Inertia, tensor};
use super::numbers::Numbers;
use crate::error::ModelError;
use crate::mechanism::{Number, Shape, ShapeKind, Text, Vector};
use crate::program::{Graph, Sym};
use std::f64::consts::PI;

/// (name, size, whether it must be positive rather than not negative).
type Size<'g> = (&'static str, Sym<'g>, bool);

/// A shape as symbols.
pub(super) struct Measured<'g> {
    /// Density times volume (area in the plane).
    pub mass: Option<Sym<'g>>,
    /// Sizes that must be positive, or, if not `true`, zero or positive.
    pub sizes: Vec<Size<'g>>,
    /// Per unit of mass.
    unit: Unit<'g>,
}

enum Unit<'g> {
    Polar(Sym<'g>),
    Principal([Sym<'g>; 3]),
    /// (axial, transverse, axis).
    Revolution(Sym<'g>, Sym<'g>, Vec<Sym<'g>>),
}

impl<'g> Measured<'g> {
    /// The inertia of a mass.
    pub(super) fn inertia(&self, mass: Sym<'g>, graph: &'g Graph) -> Inertia<'g> {
        let zero = graph.constant(0.0);
        match &self.unit {
            Unit::Polar(i) => Inertia::Polar(mass * *i),
            Unit::Principal(i) => tensor(i.map(|i| mass * i), [zero; 3]),
            Unit::Revolution(axial, transverse, a) => {
                let more = *axial - *transverse;
                let off = |i: usize, j: usize| mass * more * a[i] * a[j];
                tensor(
                    std::array::from_fn(|k| mass * *transverse + off(k, k)),
                    [off(0, 1), off(0, 2), off(1, 2)],
                )
            }
        }
    }
}

/// Reads a shape.
pub(super) fn read<'g>(s: &Shape, body: &Text, n: &mut Numbers<'g>) -> Result<Measured<'g>, ModelError> {
    let what = format!("body `{body}`, shape");
    let mut sizes: Vec<Size> = vec![];
    // volume (area in the plane) and inertia per unit of mass
    let (volume, unit) = match &s.kind {
        ShapeKind::Box(sides) => cuboid(sides, body, n, &mut sizes)?,
        ShapeKind::Sphere(r) => {
            let r = n.number(r, &what)?;
            sizes.push(("radius", r, true));
            match n.dimension {
                2 => (r * r * PI, Unit::Polar(r * r * 0.5)),
                _ => (r * r * r * (4.0 / 3.0 * PI), Unit::Principal([r * r * 0.4; 3])), // (2)
            }
        }
        ShapeKind::Cylinder { radius, length, axis } => {
            let zero = n.graph.constant(0.0);
            let r = n.number(radius, &what)?;
            let l = n.number(length, &what)?;
            sizes.push(("radius", r, true));
            sizes.extend((n.dimension == 3).then_some(("length", l, true)));
            hollow([r, zero, l], axis, body, n)?
        }
        ShapeKind::Tube { outer, inner, length, axis } => {
            let given = [n.number(outer, &what)?, n.number(inner, &what)?, n.number(length, &what)?];
            sizes.push(("inner radius", given[1], false));
            sizes.push(("thickness of the tube", given[0] - given[1], true));
            sizes.push(("outer radius", given[0], true));
            sizes.extend((n.dimension == 3).then_some(("length", given[2], true)));
            hollow(given, axis, body, n)?
        }
    };
    let density = s.density.as_ref().map(|d| n.number(d, &format!("body `{body}`, density"))).transpose()?;
    Ok(Measured { mass: density.map(|d| d * volume), sizes, unit })
}

/// Volume (area in the plane) and inertia (1) of a box or rectangle.
fn cuboid<'g>(
    sides: &[Number],
    body: &Text,
    n: &mut Numbers<'g>,
    sizes: &mut Vec<Size<'g>>,
) -> Result<(Sym<'g>, Unit<'g>), ModelError> {
    // one side for each axis
    let what = format!("body `{body}`, shape");
    if sides.len() != n.dimension {
        let message = format!("{what}: {} side lengths in a {}-D model", sides.len(), n.dimension);
        return Err(ModelError::new(message).at(&body.place).help(format!("give {}", n.dimension)));
    }
    let a = sides.iter().map(|x| n.number(x, &what)).collect::<Result<Vec<_>, _>>()?;
    sizes.extend(a.iter().map(|&a| ("side of the box", a, true)));
    // (1)
    let square = |i: usize, j: usize| (a[i] * a[i] + a[j] * a[j]) / 12.0;
    Ok(match n.dimension {
        2 => (a[0] * a[1], Unit::Polar(square(0, 1))),
        _ => (a[0] * a[1] * a[2], Unit::Principal([square(1, 2), square(0, 2), square(0, 1)])),
    })
}

/// Volume (area in the plane) and inertia (3) of a cylinder or ring.
fn hollow<'g>(
    [outer, inner, l]: [Sym<'g>; 3],
    axis: &Option<Vector>,
    body: &Text,
    n: &mut Numbers<'g>,
) -> Result<(Sym<'g>, Unit<'g>), ModelError> {
    let squares = outer * outer + inner * inner;
    let area = (outer * outer - inner * inner) * PI;
    if n.dimension == 2 {
        return Ok((area, Unit::Polar(squares * 0.5)));
    }
    let a = n.direction(axis.as_ref(), 2, &format!("body `{body}`, axis of the shape"))?;
    Ok((area * l, Unit::Revolution(squares * 0.5, (squares * 3.0 + l * l) / 12.0, a)))
}
