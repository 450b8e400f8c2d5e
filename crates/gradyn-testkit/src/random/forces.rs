//! Forces.

use super::*;

impl Draft {
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
    pub(super) fn force_kind(
        &mut self,
        kind: u8,
        ends: [Option<usize>; 2],
        moving: usize,
        floating: bool,
        r: &mut Random,
    ) -> Option<ForceKind> {
        let damping: f64 = if self.conservative { 0.0 } else { r.between(0.1, 1.0) };
        let body = self.bodies[moving].name.clone();
        let read = format!("{:e} + sin(3 * t) - 0.2 * vel({body}.com.x)", r.between(-1.0, 1.0));
        let law = ContactLaw {
            stiffness: r.between(20.0, 60.0).into(),
            damping: r.between(0.0, 0.3).into(),
            width: 0.3.into(),
        };
        let joint = |s: &Self, angle: bool| {
            let mut fits =
                s.coordinates.iter().filter(|c| if angle { c.2.is_some() } else { c.2.or(c.3).is_some() });
            fits.next_back().map(|c| gradyn_model::mechanism::Text::from(c.0.as_str()))
        };
        let frame = (r.unit() < 0.5).then(|| body.as_str().into());
        let rod = self.bodies[moving].rod;
        Some(match kind {
            0 | 6 => {
                let ((a, ra), (b, rb)) = (self.handle(ends[0], r), self.handle(ends[1], r));
                let (between, length) = ([a.into(), b.into()], norm(&add(&ra, -1.0, &rb)));
                let force = (!self.conservative).then(|| "0.3 * length * speed + length^3".into());
                let stiffness = r.between(5.0, 50.0).into();
                if kind == 6 {
                    let pull = r.unit() < 0.5;
                    let stop = if pull { length - 0.1 } else { length + 0.1 };
                    return Some(ForceKind::BumpStop { between, length: stop.into(), pull, law });
                }
                ForceKind::SpringDamper {
                    between,
                    stiffness,
                    damping: damping.into(),
                    length: (0.8 * length).into(),
                    force,
                }
            }
            1 => {
                let by_joint = joint(self, true).filter(|_| self.d == 3 || r.unit() < 0.5);
                let about = match by_joint {
                    Some(j) => About::Joint(j),
                    None if self.d == 2 => About::Bodies(ends.map(|b| self.name(b).into())),
                    None => return None,
                };
                let torque = (!self.conservative).then(|| "0.3 * angle^3 + 0.1 * speed * angle".into());
                ForceKind::Torsion {
                    about,
                    stiffness: r.between(0.5, 4.0).into(),
                    damping: damping.into(),
                    angle: 0.2.into(),
                    torque,
                }
            }
            2 if !floating => {
                let at = self.handle(Some(moving), r).0.into();
                let force = Vector::Components(
                    (0..self.d)
                        .map(|k| if k == 0 { read.as_str().into() } else { Number::from("wave") })
                        .collect(),
                    None,
                );
                ForceKind::Point { at, force, frame: frame.filter(|_| !rod) }
            }
            3 => {
                let reaction = self.name(ends.iter().copied().find(|b| *b != Some(moving)).unwrap_or(None));
                let torque = (0..if self.d == 2 { 1 } else { 3 })
                    .map(|k| if k == 0 { read.as_str().into() } else { Number::from("0.3 * wave") });
                ForceKind::Torque {
                    on: body.as_str().into(),
                    reaction: reaction.into(),
                    torque: torque.collect(),
                    frame: frame.filter(|_| self.d == 3),
                }
            }
            4 => ForceKind::Actuator { joint: joint(self, false)?, effort: read.into() },
            5 => ForceKind::Friction {
                joint: joint(self, false)?,
                limit: r.between(0.1, 1.0).into(),
                speed: 0.5.into(),
                viscous: 0.1.into(),
            },
            7 => {
                let ((a, _), (b, _)) = (self.handle(ends[0], r), self.handle(ends[1], r));
                let n = if self.d == 2 { 3 } else { 6 };
                let mut list =
                    |a: f64, b: f64| (0..n).map(|_| r.between(a, b).into()).collect::<Vec<Number>>();
                let (stiffness, damping) = (list(2.0, 20.0), list(0.1, 1.0));
                let axis = (self.d == 3).then(|| self.direction(None, &[0.2, -0.3, 1.0]));
                ForceKind::Bushing {
                    between: [a.into(), b.into()],
                    axes: [axis, None],
                    stiffness,
                    damping,
                    force: vec![],
                }
            }
            8 => {
                let u = r.direction(self.d);
                let (plane, at) = self.handle(ends[0], r);
                let side = add(&at, -r.between(0.05, 0.25), &u);
                let point = self.point(
                    ends[1],
                    &add(
                        &side,
                        r.between(-0.3, 0.3),
                        &if self.d == 2 { [-u[1], u[0], 0.0] } else { across(&u, r) },
                    ),
                );
                let normal = Some(self.direction(ends[0], &u));
                ForceKind::Contact {
                    point: point.into(),
                    plane: plane.into(),
                    normal,
                    law,
                    friction: 0.3.into(),
                    speed: 0.2.into(),
                }
            }
            _ => return None,
        })
    }
}
