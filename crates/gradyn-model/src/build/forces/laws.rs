//! Scalar laws along distances, plane angles and coordinates.

use super::*;
use crate::build::PointRef;

impl ForceMaker<'_, '_, '_> {
    pub(super) fn two_bodies(
        &self,
        name: &Text,
        refs: [PointRef; 2],
        between: &[Text; 2],
    ) -> Result<(), ModelError> {
        if refs[0].0 == refs[1].0 {
            let e = ModelError::new(format!(
                "force `{name}` connects `{}` with itself",
                self.b.solids[refs[0].0].name
            ));
            return Err(e.at(&between[1].place).help("a force between two points of one body does nothing"));
        }
        Ok(())
    }
    pub(super) fn spring(&mut self, f: &Force) -> Result<(), ModelError> {
        let ForceKind::SpringDamper { between, stiffness, damping, length, force } = &f.kind else {
            return Ok(());
        };
        let name = &f.name;
        // its two ends, which are apart
        let [a, b] = [self.b.point_ref(&between[0])?, self.b.point_ref(&between[1])?];
        if a != b {
            self.two_bodies(name, [a, b], between)?;
        }
        if a == b || self.coincident(a, b) {
            let e = ModelError::new(format!(
                "force `{name}`: the ends `{}` and `{}` coincide",
                between[0], between[1]
            ));
            return Err(e.at(&between[1].place).help("a spring needs two different points"));
        }
        // y = |r₂ - r₁|, F by its law
        let kind = if self.b.m.dimension == 2 { Kind::Distance2 } else { Kind::Distance3 };
        let ports: Vec<_> = self.b.port(a).into_iter().chain(self.b.port(b)).collect();
        let element =
            Element { kind, ports: self.b.ports(&ports.iter().collect::<Vec<_>>()), params: vec![] };
        let law = self.law(name, [stiffness, damping, length], force.as_ref(), &["length", "speed"])?;
        self.push_force(name, "", element, law)
    }
    pub(super) fn plane_torsion(&mut self, f: &Force, between: &[Text; 2]) -> Result<(), ModelError> {
        let ForceKind::Torsion { stiffness, damping, angle, torque, .. } = &f.kind else { return Ok(()) };
        // bodies of the plane, not one and the same
        if self.b.m.dimension == 3 {
            let e =
                ModelError::new(format!("force `{}`: in space a torsional spring acts on a joint", f.name));
            return Err(e.at(&between[0].place).help("write joint = \"NAME\" instead of `between`"));
        }
        let [a, b] = [self.b.body(&between[0])?, self.b.body(&between[1])?];
        if a == b {
            let e = ModelError::new(format!("force `{}` connects `{}` with itself", f.name, between[0]));
            return Err(e.at(&between[1].place));
        }
        // y: their angle, F by its law
        let element = self.plane_angle_element(a, b);
        let law = self.law(&f.name, [stiffness, damping, angle], torque.as_ref(), &["angle", "speed"])?;
        self.push_force(&f.name, "", element, law)
    }
    pub(super) fn plane_angle_element(&mut self, a: usize, b: usize) -> Element {
        let k = self.b.plane_angle(a, b);
        let (d1, d2) = self.b.angles[k].x.clone();
        let ports = self.b.ports(&d1.iter().chain(&d2).collect::<Vec<_>>());
        Element { kind: Kind::Angle, ports, params: vec![ANGLE + k as u32] }
    }
    pub(super) fn point_force(&mut self, f: &Force, at: &Text, force: &Vector) -> Result<(), ModelError> {
        let r = self.b.point_ref(at)?;
        let port = self.b.port(r);
        let components = self.force_components(force, &format!("force `{}`, force", f.name))?;
        for ((axis, x), applied) in AXES.iter().zip(&port).zip(components) {
            let element = Element { kind: Kind::Coordinate, ports: self.b.ports(&[x]), params: vec![] };
            self.push_force(&f.name, &format!(".{axis}"), element, Law { applied, ..Law::none() })?;
        }
        Ok(())
    }
    /// Do two points coincide whatever the motion?
    pub(super) fn coincident(&self, a: PointRef, b: PointRef) -> bool {
        let spot = |(b, i): PointRef| self.b.solids[b].points[i].spot;
        let local = a.0 == b.0 && self.b.solids[a.0].distance(a.1, b.1) == 0.0;
        spot(a) == spot(b) || local
    }
    pub(super) fn vector_reads_sensors(&mut self, v: &Vector) -> bool {
        match v {
            Vector::Components(c, _) => c.iter().any(|x| self.reads_sensors(x)),
            Vector::Expression(x) => self.reads_sensors(x),
        }
    }
    pub(super) fn force_components(&mut self, force: &Vector, what: &str) -> Result<Vec<u32>, ModelError> {
        let d = self.b.m.dimension;
        // a vector written as text: its components may depend on t too
        if let Vector::Expression(x) = force
            && let Source::Expression(text) = &x.source
            && let Expr::Vector(items) = self.b.numbers.glance(x, what)?.expr
            && items.len() == d
        {
            let part = |item: &Ast| Number {
                source: Source::Expression(text[item.span.clone()].into()),
                place: x
                    .place
                    .clone()
                    .map(|p| if x.exact { p.start + item.span.start..p.start + item.span.end } else { p }),
                exact: x.exact,
            };
            return items.iter().map(|item| self.b.signal(&part(item), what)).collect();
        }
        match force {
            Vector::Components(c, _) if c.len() == d => c.iter().map(|c| self.b.signal(c, what)).collect(),
            v => {
                let v = self.b.numbers.vector(v, what)?;
                Ok(v.into_iter().map(|v| self.b.slots.slot(v)).collect())
            }
        }
    }
    pub(super) fn law(
        &mut self,
        name: &Text,
        [k, c, rest]: [&Number; 3],
        program: Option<&Number>,
        local: &[&str],
    ) -> Result<Law, ModelError> {
        let what = |field: &str| format!("force `{name}`, {field}");
        let force = self.b.force_names.get(&name.text).copied();
        Ok(Law {
            stiffness: self.b.signal(k, &what("stiffness"))?,
            damping: self.b.signal(c, &what("damping"))?,
            rest: self.b.signal(rest, &what(local[0]))?,
            applied: ZERO,
            program: program
                .map(|p| self.b.local_program(p, (local, force), &what("force"), |edge| edge))
                .transpose()?,
        })
    }
    pub(super) fn push_force(
        &mut self,
        name: &Text,
        part: &str,
        element: Element,
        law: Law,
    ) -> Result<(), ModelError> {
        if element.ports.linear.is_empty() {
            return Err(nothing_moves(name));
        }
        self.b.forces.push(Compiled { name: format!("{name}{part}"), element, law, motion: false });
        Ok(())
    }
}
