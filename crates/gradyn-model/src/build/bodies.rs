//! Bodies as symbols: points, mass, centre of mass, inertia.

use super::numbers::{Numbers, unknown};
use super::shapes;
use super::vectors::{Symbols, difference, dot};
use crate::error::ModelError;
use crate::mechanism::{Body, Mechanism, Number, Text};
use crate::program::{Graph, Sym};

/// A point of a body, in its frame.
pub(crate) struct LocalPoint<'g> {
    /// Name within the body.
    pub name: String,
    /// Coordinates in the body's frame.
    pub at: Symbols<'g>,
    /// Their nominal values.
    pub value: Vec<f64>,
    /// The class of coincident points that it belongs to, as coordinates.
    pub class: usize,
    /// The class of coincident points in the assembled mechanism, whether coordinates are shared or not.
    pub spot: usize,
}

/// Inertia about the centre of mass.
pub(crate) enum Inertia<'g> {
    /// About the normal of the plane; of a rod in space, about any normal of it.
    Polar(Sym<'g>),
    /// The tensor, by rows.
    Tensor([[Sym<'g>; 3]; 3]),
}

/// A body's geometry and inertia as symbols, before it has coordinates.
pub(crate) struct Solid<'g> {
    /// Name of the body (the last one is the ground).
    pub name: String,
    /// Its points; the last one of a moving body is its centre of mass, `com`.
    pub points: Vec<LocalPoint<'g>>,
    /// The mass m [kg].
    pub mass: Sym<'g>,
    /// Inertia about the centre of mass [kg m²].
    pub inertia: Inertia<'g>,
    /// Centre of mass.
    pub com: Symbols<'g>,
    /// The rod's two points.
    pub rod: Option<[usize; 2]>,
    /// Sizes of the shape: must be positive, or, if not `true`, zero or positive.
    pub sizes: Vec<(&'static str, Sym<'g>, bool)>,
}

/// Names that a point cannot have: they are sensors of a body.
pub(super) const SENSORS: [&str; 11] = [
    "com",
    "angle",
    "roll",
    "pitch",
    "yaw",
    "omega",
    "kinetic",
    "potential",
    "energy",
    "momentum",
    "angular_momentum",
];

struct Points<'a, 'g> {
    body: &'a str,
    list: Vec<LocalPoint<'g>>,
}
impl<'a, 'g> Points<'a, 'g> {
    /// The points of a body, then its hard points.
    fn read(b: &'a Body, m: &Mechanism, n: &mut Numbers<'g>) -> Result<Self, ModelError> {
        let name = &b.name.text;
        let what = |field: &str| format!("body `{name}`, {field}");
        let mut points = Points { body: name, list: vec![] };
        for (t, at) in &b.points {
            let at = n.vector(at, &what(&format!("point `{t}`")))?;
            points.push(t, at)?;
        }
        for t in &b.hard {
            let Some((_, at)) = m.hard_points.iter().find(|(h, _)| h.text == t.text) else {
                return Err(unknown("hard point", t, m.hard_points.iter().map(|h| h.0.text.as_str())));
            };
            let at = n.vector(at, &what(&format!("hard point `{t}`")))?;
            points.push(t, at)?;
        }
        Ok(points)
    }
    fn push(&mut self, t: &Text, at: Symbols<'g>) -> Result<(), ModelError> {
        if SENSORS.contains(&t.text.as_str()) || self.find(t).is_some() {
            return Err(
                ModelError::new(format!("body `{}`: the point name `{t}` is taken", self.body)).at(&t.place)
            );
        }
        self.list.push(LocalPoint {
            name: t.text.clone(),
            value: vec![0.0; at.len()],
            at,
            class: 0,
            spot: 0,
        });
        Ok(())
    }
    fn find(&self, t: &Text) -> Option<usize> {
        self.list.iter().position(|p| p.name == t.text)
    }
}

impl<'g> Solid<'g> {
    /// Reads a body; checks are by nominal values later.
    pub(crate) fn read(b: &Body, m: &Mechanism, n: &mut Numbers<'g>) -> Result<Self, ModelError> {
        let name = &b.name.text;
        let mut points = Points::read(b, m, n)?;
        // com: as given, else the middle of the rod, else the origin
        let rod = rod(b, &mut points, n)?;
        let middle = rod.map(|[i, j]| {
            let ends = points.list[i].at.iter().zip(&points.list[j].at);
            ends.map(|(&a, &b)| (a + b) * 0.5).collect::<Symbols>()
        });
        let com = match &b.com {
            Some(c) => n.vector(c, &format!("body `{name}`, com"))?,
            None => middle.unwrap_or_else(|| vec![n.graph.constant(0.0); m.dimension]),
        };
        // m, I: a rod of length² ℓ² has its own inertia
        let length2 = rod.map(|[i, j]| {
            let d = difference(&points.list[j].at, &points.list[i].at);
            dot(&d, &d)
        });
        let (mass, inertia, sizes) = inertia(b, length2, n)?;
        // the centre of mass is the last point
        let mut points = points.list;
        points.push(LocalPoint {
            name: "com".into(),
            value: vec![0.0; com.len()],
            at: com.clone(),
            class: 0,
            spot: 0,
        });
        Ok(Self { name: name.clone(), points, mass, inertia, com, rod, sizes })
    }
    /// The ground: fixed points, no inertia.
    pub(crate) fn ground(m: &Mechanism, n: &mut Numbers<'g>) -> Result<Self, ModelError> {
        let zero = n.graph.constant(0.0);
        // points, whose names differ
        let mut points: Vec<LocalPoint> = vec![];
        for (t, at) in &m.ground {
            if points.iter().any(|p| p.name == t.text) {
                return Err(ModelError::new(format!("ground: the point name `{t}` is taken")).at(&t.place));
            }
            let at = n.vector(at, &format!("ground point `{t}`"))?;
            points.push(LocalPoint {
                name: t.text.clone(),
                value: vec![0.0; m.dimension],
                at,
                class: 0,
                spot: 0,
            });
        }
        // the ground has neither mass nor inertia
        let com = vec![zero; m.dimension];
        Ok(Self {
            name: "ground".into(),
            points,
            mass: zero,
            inertia: Inertia::Polar(zero),
            com,
            rod: None,
            sizes: vec![],
        })
    }
    /// The nominal distance of two points.
    pub(crate) fn distance(&self, i: usize, j: usize) -> f64 {
        let a = &self.points[i].value;
        let b = &self.points[j].value;
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }
    /// Points that the model names: without the centre of mass of a moving body.
    pub(crate) fn named_points(&self) -> impl Iterator<Item = &LocalPoint<'g>> {
        self.points.iter().filter(|p| p.name != "com")
    }
}

/// The two ends of a rod: points of the body, or new ones at the origin and at [length, 0, …].
fn rod<'g>(
    b: &Body,
    points: &mut Points<'_, 'g>,
    n: &mut Numbers<'g>,
) -> Result<Option<[usize; 2]>, ModelError> {
    let Some(r) = &b.rod else { return Ok(None) };
    // both ends are points already
    if let (Some(i), Some(j)) = (points.find(&r.points[0]), points.find(&r.points[1])) {
        return Ok(Some([i, j]));
    }
    // else point 1 is the origin, point 2 = (ℓ, 0, …)
    let length = r.length.as_ref().ok_or_else(|| {
        let help = "give `length`, or list both ends as hard points";
        ModelError::new(format!("body `{}`: the rod has no length", b.name)).at(&b.name.place).help(help)
    })?;
    let length = n.number(length, &format!("body `{}`, rod length", b.name))?;
    let mut at = vec![n.graph.constant(0.0); n.dimension];
    points.push(&r.points[0], at.clone())?;
    at[0] = length;
    points.push(&r.points[1], at)?;
    Ok(Some([points.list.len() - 2, points.list.len() - 1]))
}

/// Mass, inertia and sizes of the shape.
type Weighed<'g> = (Sym<'g>, Inertia<'g>, Vec<(&'static str, Sym<'g>, bool)>);

/// Mass and inertia as given, or of the rod or the shape.
fn inertia<'g>(b: &Body, rod: Option<Sym<'g>>, n: &mut Numbers<'g>) -> Result<Weighed<'g>, ModelError> {
    let name = &b.name;
    let wrong = |message: &str, help: &str| {
        Err(ModelError::new(format!("body `{name}` {message}")).at(&name.place).help(help))
    };
    // m: given, or density times volume
    let own = b.mass.as_ref().map(|m| n.number(m, &format!("body `{name}`, mass"))).transpose()?;
    let shape = b.shape.as_ref().map(|s| shapes::read(s, name, n)).transpose()?;
    let dense = shape.as_ref().and_then(|s| s.mass);
    if own.is_some() && dense.is_some() {
        return wrong("has a mass and a density", "give one of them");
    }
    let mass = own.or(dense).unwrap_or(n.graph.constant(0.0));
    // I of a shape
    if shape.is_some() && (rod.is_some() || !b.inertia.is_empty()) {
        return wrong("has a shape and also a rod or an inertia", "give one of them");
    }
    if let Some(shape) = shape {
        if own.is_none() && dense.is_none() {
            return wrong(
                "has a shape, but no mass and no density",
                "give `mass` (0 if it has none), or `density` in `shape`",
            );
        }
        return Ok((mass, shape.inertia(mass, n.graph), shape.sizes));
    }
    // I as given; m ℓ²/12 of a rod; none without mass
    if !b.inertia.is_empty() {
        return Ok((mass, given(b, rod.is_some(), n)?, vec![]));
    }
    match rod {
        Some(length2) => Ok((mass, Inertia::Polar(mass * length2 / 12.0), vec![])),
        None if mass.as_constant() == Some(0.0) => Ok((mass, isotropic(mass, n.dimension), vec![])),
        None => wrong("has mass but no inertia", "give `inertia` about the centre of mass, `shape` or `rod`"),
    }
}

/// The inertia as given.
fn given<'g>(b: &Body, rod: bool, n: &mut Numbers<'g>) -> Result<Inertia<'g>, ModelError> {
    let name = &b.name;
    // the moments and products in the order of the file
    let entries = b
        .inertia
        .iter()
        .map(|x| n.number(x, &format!("body `{name}`, inertia")))
        .collect::<Result<Vec<_>, _>>()?;
    // I: one number in the plane and of a rod, else 1, 3 or 6 of the tensor
    let polar = n.dimension == 2 || rod;
    match entries[..] {
        [i] if polar => Ok(Inertia::Polar(i)),
        [i] => Ok(isotropic(i, 3)),
        [x, y, z] if !polar => Ok(tensor([x, y, z], [n.graph.constant(0.0); 3])),
        [x, y, z, xy, xz, yz] if !polar => Ok(tensor([x, y, z], [xy, xz, yz])),
        _ => {
            let count = entries.len();
            let place = first_place(&b.inertia);
            let expected =
                if polar { "one number" } else { "1, 3 (Ixx Iyy Izz) or 6 numbers (…, Ixy Ixz Iyz)" };
            let e = ModelError::new(format!("body `{name}`, inertia: {expected} expected here, not {count}"))
                .at(&place);
            Err(e.help("about the centre of mass, in the axes of the body; Ixy = -∫ x y dm"))
        }
    }
}

fn first_place(list: &[Number]) -> Option<std::ops::Range<usize>> {
    list.first().and_then(|x| x.place.clone())
}

/// Inertia with equal moments i about every axis.
fn isotropic(i: Sym, dimension: usize) -> Inertia {
    match dimension {
        2 => Inertia::Polar(i),
        _ => tensor([i; 3], [i.graph().constant(0.0); 3]),
    }
}

/// The tensor from its diagonal and xy, xz, yz.
pub(super) fn tensor<'g>(d: [Sym<'g>; 3], [xy, xz, yz]: [Sym<'g>; 3]) -> Inertia<'g> {
    Inertia::Tensor([[d[0], xy, xz], [xy, d[1], yz], [xz, yz, d[2]]])
}

impl<'g> Inertia<'g> {
    /// S = ∫ x xᵀ dm about the centre of mass: ½ tr(I) 1 - I.
    pub(crate) fn second_moments(&self, graph: &'g Graph) -> [[Sym<'g>; 3]; 3] {
        match self {
            Inertia::Polar(_) => [[graph.constant(0.0); 3]; 3],
            Inertia::Tensor(i) => {
                let half = (i[0][0] + i[1][1] + i[2][2]) * 0.5;
                std::array::from_fn(|a| {
                    std::array::from_fn(|b| if a == b { half - i[a][a] } else { -i[a][b] })
                })
            }
        }
    }
}

/// The least eigenvalue of a symmetric 3 × 3 matrix (by rows) if it is clearly negative.
pub(super) fn negative(s: &[f64]) -> Option<f64> {
    let mut a: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| s[3 * i + j]));
    // Jacobi: turn each pair of axes until the matrix is diagonal
    for (p, q) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(30) {
        if a[p][q] == 0.0 {
            continue;
        }
        let ratio = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let tan = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
        let cos = 1.0 / tan.hypot(1.0);
        let sin = tan * cos;
        for k in 0..3 {
            (a[k][p], a[k][q]) = (cos * a[k][p] - sin * a[k][q], sin * a[k][p] + cos * a[k][q]);
        }
        for k in 0..3 {
            (a[p][k], a[q][k]) = (cos * a[p][k] - sin * a[q][k], sin * a[p][k] + cos * a[q][k]);
        }
    }
    let size = s.iter().fold(0.0f64, |a, x| a.max(x.abs()));
    let least = a[0][0].min(a[1][1]).min(a[2][2]);
    (least < -1e-9 * size).then_some(least)
}
