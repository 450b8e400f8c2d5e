//! Forces.

use super::*;
use gradyn_model::mechanism::Text;

/// What every force draws first, whether it needs it or not.
struct Drawn {
    damping: f64,
    /// Name of the body that moves.
    body: String,
    /// A number that depends on time and on the motion of the body.
    read: String,
    law: ContactLaw,
    frame: Option<Text>,
}

impl Draft {
    /// A force between two bodies, where they can have it.
    pub(super) fn load(&mut self, k: usize, link: &Link, floating: bool) {
        let mut r = Random(link.seed);
        let ends = self.pick(link, floating);
        let Some(moving) = ends[0].or(ends[1]) else { return };
        let rod = ends.iter().flatten().any(|&b| self.bodies[b].rod);
        let kind = if self.conservative { link.kind % 2 } else { link.kind % 10 };
        if (rod && ![0, 2].contains(&kind)) || (ends[0] == ends[1] && ![2, 3].contains(&kind)) {
            return;
        }
        if let Some(force) = self.force_kind(kind, ends, moving, floating, &mut r) {
            self.m.force(&format!("F{k}"), force);
        }
    }
    /// The force of a kind, if the bodies can have it.
    fn force_kind(
        &mut self,
        kind: u8,
        ends: [Option<usize>; 2],
        moving: usize,
        floating: bool,
        r: &mut Random,
    ) -> Option<ForceKind> {
        let drawn = self.drawn(moving, r);
        let read = drawn.read.as_str();

        // between points, in joints, on one body, in contact
        Some(match kind {
            0 => self.spring(ends, drawn.damping, r),
            1 => return self.torsion(ends, drawn.damping, r),
            2 if !floating => self.push(moving, &drawn, r),
            3 => self.torque(ends, moving, &drawn),
            4 => ForceKind::Actuator { joint: self.jointed(false)?, effort: read.into() },
            5 => ForceKind::Friction {
                joint: self.jointed(false)?,
                limit: r.between(0.1, 1.0).into(),
                speed: 0.5.into(),
                viscous: 0.1.into(),
            },
            6 => self.bump_stop(ends, drawn.law, r),
            7 => self.bushing(ends, r),
            8 => self.contact(ends, drawn.law, r),
            _ => return None,
        })
    }
    /// The numbers that all forces draw.
    fn drawn(&self, moving: usize, r: &mut Random) -> Drawn {
        let damping = if self.conservative { 0.0 } else { r.between(0.1, 1.0) };
        let body = self.bodies[moving].name.clone();
        let read = format!("{:e} + sin(3 * t) - 0.2 * vel({body}.com.x)", r.between(-1.0, 1.0));
        let law = ContactLaw {
            stiffness: r.between(20.0, 60.0).into(),
            damping: r.between(0.0, 0.3).into(),
            width: 0.3.into(),
        };
        let frame = (r.unit() < 0.5).then(|| body.as_str().into());
        Drawn { damping, body, read, law, frame }
    }
    /// The last joint with a coordinate, or with an angle.
    fn jointed(&self, angle: bool) -> Option<Text> {
        let mut fits =
            self.coordinates.iter().filter(|c| if angle { c.2.is_some() } else { c.2.or(c.3).is_some() });
        fits.next_back().map(|c| Text::from(c.0.as_str()))
    }
    /// Two points and their distance, and a stiffness.
    fn apart(&mut self, ends: [Option<usize>; 2], r: &mut Random) -> ([Text; 2], f64, f64) {
        let [(a, ra), (b, rb)] = ends.map(|b| self.handle(b, r));
        let length = norm(&add(&ra, -1.0, &rb));
        ([a.into(), b.into()], length, r.between(5.0, 50.0))
    }
    /// A spring-damper; if energy need not be kept, with a further force.
    fn spring(&mut self, ends: [Option<usize>; 2], damping: f64, r: &mut Random) -> ForceKind {
        let (between, length, stiffness) = self.apart(ends, r);
        ForceKind::SpringDamper {
            between,
            stiffness: stiffness.into(),
            damping: damping.into(),
            length: (0.8 * length).into(),
            force: (!self.conservative).then(|| "0.3 * length * speed + length^3".into()),
        }
    }
    /// A bump stop that is beyond its end.
    fn bump_stop(&mut self, ends: [Option<usize>; 2], law: ContactLaw, r: &mut Random) -> ForceKind {
        let (between, length, _) = self.apart(ends, r);
        let pull = r.unit() < 0.5;
        let stop = if pull { length - 0.1 } else { length + 0.1 };
        ForceKind::BumpStop { between, length: stop.into(), pull, law }
    }
    /// A torsional spring-damper in a joint, or in the plane between bodies.
    fn torsion(&self, ends: [Option<usize>; 2], damping: f64, r: &mut Random) -> Option<ForceKind> {
        let by_joint = self.jointed(true).filter(|_| self.d == 3 || r.unit() < 0.5);
        let about = match by_joint {
            Some(j) => About::Joint(j),
            None if self.d == 2 => About::Bodies(ends.map(|b| self.name(b).into())),
            None => return None,
        };
        let torque = (!self.conservative).then(|| "0.3 * angle^3 + 0.1 * speed * angle".into());
        Some(ForceKind::Torsion {
            about,
            stiffness: r.between(0.5, 4.0).into(),
            damping: damping.into(),
            angle: 0.2.into(),
            torque,
        })
    }
    /// A force at a point of the body.
    fn push(&mut self, moving: usize, drawn: &Drawn, r: &mut Random) -> ForceKind {
        let at = self.handle(Some(moving), r).0.into();
        let component = |k| if k == 0 { drawn.read.as_str().into() } else { Number::from("wave") };
        let force = Vector::Components((0..self.d).map(component).collect(), None);
        let rod = self.bodies[moving].rod;
        ForceKind::Point { at, force, frame: drawn.frame.clone().filter(|_| !rod) }
    }
    /// A torque on the body, against the other one.
    fn torque(&self, ends: [Option<usize>; 2], moving: usize, drawn: &Drawn) -> ForceKind {
        let reaction = self.name(ends.iter().copied().find(|b| *b != Some(moving)).unwrap_or(None));
        let component = |k| if k == 0 { drawn.read.as_str().into() } else { Number::from("0.3 * wave") };
        ForceKind::Torque {
            on: drawn.body.as_str().into(),
            reaction: reaction.into(),
            torque: (0..if self.d == 2 { 1 } else { 3 }).map(component).collect(),
            frame: drawn.frame.clone().filter(|_| self.d == 3),
        }
    }
    /// A bushing between two points.
    fn bushing(&mut self, ends: [Option<usize>; 2], r: &mut Random) -> ForceKind {
        let [(a, _), (b, _)] = ends.map(|b| self.handle(b, r));
        let n = if self.d == 2 { 3 } else { 6 };
        let mut list = |a: f64, b: f64| (0..n).map(|_| r.between(a, b).into()).collect::<Vec<Number>>();
        let stiffness = list(2.0, 20.0);
        let damping = list(0.1, 1.0);
        let axis = (self.d == 3).then(|| self.direction(None, &[0.2, -0.3, 1.0]));
        let between = [a.into(), b.into()];
        ForceKind::Bushing { between, axes: [axis, None], stiffness, damping, force: vec![] }
    }
    /// A point of one body in contact with a plane of the other.
    fn contact(&mut self, ends: [Option<usize>; 2], law: ContactLaw, r: &mut Random) -> ForceKind {
        // the plane, and a point a little below it
        let u = r.direction(self.d);
        let (plane, at) = self.handle(ends[0], r);
        let side = add(&at, -r.between(0.05, 0.25), &u);
        let shift = r.between(-0.3, 0.3);
        let along = if self.d == 2 { [-u[1], u[0], 0.0] } else { across(&u, r) };
        let point = self.point(ends[1], &add(&side, shift, &along));

        // the law between them
        ForceKind::Contact {
            point: point.into(),
            plane: plane.into(),
            normal: Some(self.direction(ends[0], &u)),
            law,
            friction: 0.3.into(),
            speed: 0.2.into(),
        }
    }
}
