//! Bodies in natural coordinates: which points and vectors carry them, and where everything else is.
//!
//! With basis (p, d), d the local vector e of length L (two points, or a point and the unit vector along local x),
//!
//! ```text
//! w = x - x_p,  α = w·e/L²,  β = e×w/L²,   r = p + α d + β d⊥                                     (1)
//! M = m p⊗p + m (p⊗s + s⊗p) + J d⊗d,   s = α_G d + β_G d⊥,   J = (I_G + m |w_G|²)/L²               (2)
//! φ = ½ (d·d - L²)                                                                              (3)
//! ```
//! All constant in q. For a two-point body (2) has m_ii = m - 2mα + J, m_ij = mα - J, m_jj = J.

use super::numbers::{Numbers, Quad, unknown};
use crate::error::ModelError;
use crate::mechanism::{Body, Mechanism, Text};
use crate::ports::Affine;
use crate::program::{Graph, Sym};

/// A plane vector that is affine in q.
pub type Port<'g> = [Affine<'g>; 2];

/// A point of a body, in its frame.
pub struct LocalPoint<'g> {
    /// Name.
    pub name: String,
    /// Coordinates in the body's frame.
    pub at: [Sym<'g>; 2],
    /// Their nominal values.
    pub value: [f64; 2],
    /// The class of coincident points that it belongs to.
    pub class: usize,
}

/// A body's geometry and inertia as symbols, before it has coordinates.
pub struct Shape<'g> {
    /// Name of the body (the last one is the ground).
    pub name: String,
    /// Its points; the centre of mass is `com`.
    pub points: Vec<LocalPoint<'g>>,
    /// Mass.
    pub mass: Sym<'g>,
    /// Moment of inertia about the centre of mass.
    pub inertia: Sym<'g>,
    /// Centre of mass.
    pub com: [Sym<'g>; 2],
    /// The rod's two points.
    pub rod: Option<[usize; 2]>,
}

/// (1): the basis of a body.
pub struct Frame<'g> {
    p: Port<'g>,
    d: Port<'g>,
    origin: [Sym<'g>; 2],
    e: [Sym<'g>; 2],
    /// Points of the basis, whose ports are coordinates themselves.
    basis: Vec<(usize, Port<'g>)>,
}

/// v⊥ = (-v_y, v_x).
pub fn normal<'g>(v: &Port<'g>) -> Port<'g> {
    let minus = v[0].constant.graph().constant(-1.0);
    [v[1].times(minus), v[0].clone()]
}
/// a + s b.
pub fn plus<'g>(a: &Port<'g>, s: Sym<'g>, b: &Port<'g>) -> Port<'g> {
    [a[0].plus(s, &b[0]), a[1].plus(s, &b[1])]
}
/// a - b.
pub fn minus<'g>(a: &Port<'g>, b: &Port<'g>) -> Port<'g> {
    [a[0].minus(&b[0]), a[1].minus(&b[1])]
}
/// A constant vector.
pub fn fixed<'g>(v: [Sym<'g>; 2]) -> Port<'g> {
    v.map(Affine::constant)
}

impl<'g> Shape<'g> {
    /// Reads a body; checks are by nominal values later.
    pub fn read(b: &Body, m: &Mechanism, n: &mut Numbers<'g>) -> Result<Self, ModelError> {
        let name = &b.name.text;
        let what = |field: &str| format!("body `{name}`, {field}");
        let zero = n.graph.constant(0.0);
        let mut points = vec![];
        let push = |points: &mut Vec<LocalPoint<'g>>, t: &Text, at: [Sym<'g>; 2]| {
            if t.text == "com" || t.text == "angle" || points.iter().any(|p: &LocalPoint| p.name == t.text) {
                return Err(ModelError::new(format!("body `{name}`: the point name `{t}` is taken")).at(&t.place));
            }
            points.push(LocalPoint { name: t.text.clone(), at, value: [0.0; 2], class: 0 });
            Ok(())
        };
        for (t, at) in &b.points {
            let at = n.vector(at, &what(&format!("point `{t}`")))?;
            push(&mut points, t, at)?;
        }
        for t in &b.hard {
            let Some((_, at)) = m.hard_points.iter().find(|(h, _)| h.text == t.text) else {
                return Err(unknown("hard point", t, m.hard_points.iter().map(|h| h.0.text.as_str())));
            };
            let at = n.vector(at, &what(&format!("hard point `{t}`")))?;
            push(&mut points, t, at)?;
        }
        let mass = n.number(&b.mass, &what("mass"))?;
        let (mut com, mut inertia, mut rod) = ([zero; 2], zero, None);
        if let Some(r) = &b.rod {
            let find = |points: &[LocalPoint], t: &Text| points.iter().position(|p| p.name == t.text);
            if let (Some(i), Some(j)) = (find(&points, &r.points[0]), find(&points, &r.points[1])) {
                rod = Some([i, j]);
            } else {
                let length = r.length.as_ref().ok_or_else(|| {
                    let help = "give `length`, or list both ends as hard points";
                    ModelError::new(format!("body `{name}`: the rod has no length")).at(&b.name.place).help(help)
                })?;
                let length = n.number(length, &what("rod length"))?;
                push(&mut points, &r.points[0], [zero; 2])?;
                push(&mut points, &r.points[1], [length, zero])?;
                rod = Some([points.len() - 2, points.len() - 1]);
            }
            if let Some([i, j]) = rod {
                let (a, b) = (points[i].at, points[j].at);
                com = [(a[0] + b[0]) * 0.5, (a[1] + b[1]) * 0.5];
                let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
                inertia = mass * (dx * dx + dy * dy) / 12.0;
            }
        }
        if let Some(c) = &b.com {
            com = n.vector(c, &what("com"))?;
        }
        if let Some(i) = &b.inertia {
            inertia = n.number(i, &what("inertia"))?;
        } else if rod.is_none() && mass.as_constant() != Some(0.0) {
            let help = "give `inertia` about the centre of mass, or `rod`";
            return Err(ModelError::new(format!("body `{name}` has mass but no inertia")).at(&b.name.place).help(help));
        }
        Ok(Self { name: name.clone(), points, mass, inertia, com, rod })
    }
    /// The ground: fixed points, no inertia.
    pub fn ground(m: &Mechanism, n: &mut Numbers<'g>) -> Result<Self, ModelError> {
        let zero = n.graph.constant(0.0);
        let mut points: Vec<LocalPoint> = vec![];
        for (t, at) in &m.ground {
            if points.iter().any(|p| p.name == t.text) {
                return Err(ModelError::new(format!("ground: the point name `{t}` is taken")).at(&t.place));
            }
            let at = n.vector(at, &format!("ground point `{t}`"))?;
            points.push(LocalPoint { name: t.text.clone(), at, value: [0.0; 2], class: 0 });
        }
        Ok(Self { name: "ground".into(), points, mass: zero, inertia: zero, com: [zero; 2], rod: None })
    }
    /// The nominal distance of two points.
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (self.points[i].value, self.points[j].value);
        (a[0] - b[0]).hypot(a[1] - b[1])
    }
}

impl<'g> Frame<'g> {
    /// A body carried by two of its points.
    pub fn two_points(shape: &Shape<'g>, [i, j]: [usize; 2], ri: Port<'g>, rj: Port<'g>) -> Self {
        let (a, b) = (shape.points[i].at, shape.points[j].at);
        let (d, e) = (minus(&rj, &ri), [b[0] - a[0], b[1] - a[1]]);
        Self { p: ri.clone(), d, origin: a, e, basis: vec![(i, ri), (j, rj)] }
    }
    /// A body carried by a point and the unit vector along its local x axis.
    pub fn point_and_vector(graph: &'g Graph, origin: [Sym<'g>; 2], point: Option<usize>, p: Port<'g>, u: Port<'g>) -> Self {
        let e = [graph.constant(1.0), graph.constant(0.0)];
        Self { basis: point.map(|i| (i, p.clone())).into_iter().collect(), p, d: u, origin, e }
    }
    /// The ground, which has no coordinates.
    pub fn ground(graph: &'g Graph) -> Self {
        let (one, zero) = (graph.constant(1.0), graph.constant(0.0));
        Self { p: fixed([zero; 2]), d: fixed([one, zero]), origin: [zero; 2], e: [one, zero], basis: vec![] }
    }
    /// (1): a point given in the body's frame.
    pub fn at(&self, x: [Sym<'g>; 2]) -> Port<'g> {
        plus(&self.p, self.d[0].constant.graph().constant(1.0), &self.direction([x[0] - self.origin[0], x[1] - self.origin[1]]))
    }
    /// Point `i` of the body.
    pub fn point(&self, shape: &Shape<'g>, i: usize) -> Port<'g> {
        match self.basis.iter().find(|(b, _)| *b == i) {
            Some((_, port)) => port.clone(),
            None => self.at(shape.points[i].at),
        }
    }
    /// (1): a vector given in the body's frame.
    pub fn direction(&self, w: [Sym<'g>; 2]) -> Port<'g> {
        let e = self.e;
        let length2 = e[0] * e[0] + e[1] * e[1];
        let (α, β) = ((w[0] * e[0] + w[1] * e[1]) / length2, (e[0] * w[1] - e[1] * w[0]) / length2);
        let zero = self.d[0].constant * 0.0;
        plus(&plus(&fixed([zero; 2]), α, &self.d), β, &normal(&self.d))
    }
    /// (3): the row that keeps the body rigid.
    pub fn rigid(&self, graph: &'g Graph) -> Quad<'g> {
        let e = self.e;
        let row = Quad::zero(graph).plus_dot(graph.constant(0.5), &self.d, &self.d);
        row.plus_constant((e[0] * e[0] + e[1] * e[1]) * -0.5)
    }
    /// (2): f(a, b, c) for each product c a⊗b of velocities in M.
    pub fn inertia(&self, shape: &Shape<'g>, mut f: impl FnMut(&Port<'g>, &Port<'g>, Sym<'g>)) {
        let w = [shape.com[0] - self.origin[0], shape.com[1] - self.origin[1]];
        let length2 = self.e[0] * self.e[0] + self.e[1] * self.e[1];
        let s = self.direction(w);
        f(&self.p, &self.p, shape.mass);
        f(&self.p, &s, shape.mass);
        f(&s, &self.p, shape.mass);
        f(&self.d, &self.d, (shape.inertia + shape.mass * (w[0] * w[0] + w[1] * w[1])) / length2);
    }
}
