//! Drivers, gears, user constraints, knife edges and rolling discs.

use super::*;

/// How drivers move.
const MOTION: &str = "0.2 * t + 0.05 * sin(4 * t)";

impl Draft {
    /// A user constraint, a driver, a gear, a rack, a knife edge or a rolling disc, where a degree of freedom
    /// is left for it.
    pub(super) fn row(&mut self, k: usize, link: &Link) {
        let mut r = Random(link.seed);
        let ends = self.pick(link, false);
        // a driver may take the last degree of freedom: then it moves the mechanism alone
        let takes = [0, 0, 0, 0, 1, 1, 1, self.d as isize][link.kind as usize % 8];
        if self.freedom - self.slips < 1 + takes || ends[0] == ends[1] {
            return;
        }
        let name = format!("D{k}");
        match link.kind % 8 {
            0..=3 => self.driver(&name, link.kind % 8, ends, &mut r),
            4 => self.coupling(&name, &mut r),
            6 => self.edge(&name, ends, &mut r),
            7 => self.disc(&name, ends, &mut r),
            _ => self.constraint(&name, ends, &mut r),
        }
    }
    /// A driver of a distance, a coordinate, an angle or the coordinate of a joint.
    fn driver(&mut self, name: &str, kind: u8, ends: [Option<usize>; 2], r: &mut Random) {
        // what is driven, and its value where it is drawn
        let (quantity, value) = match kind {
            0 => {
                let [(a, ra), (b, rb)] = ends.map(|b| self.handle(b, r));
                (Quantity::Distance(a.into(), b.into()), norm(&add(&ra, -1.0, &rb)))
            }
            1 => {
                let (a, ra) = self.handle(ends[0].or(ends[1]), r);
                let axis = r.below(self.d);
                (Quantity::Coordinate(format!("{a}.{}", ["x", "y", "z"][axis]).into()), ra[axis])
            }
            2 if self.d == 2 => {
                let [a, b] = ends.map(|b| self.name(b).into());
                (Quantity::Angle(a, b), self.angle(ends[1]) - self.angle(ends[0]))
            }
            _ => {
                let found = self.coordinates.iter().find(|c| c.2.or(c.3).is_some());
                let Some((joint, _, angle, position)) = found else { return };
                let what = if position.is_some() { "position" } else { "angle" };
                let value = position.or(*angle).unwrap_or(0.0);
                (Quantity::Sensor(format!("{joint}.{what}").into()), value)
            }
        };

        // it moves from there
        let value = format!("{value:e} + {MOTION}").into();
        self.m.drivers.push(Driver { name: name.into(), quantity, value });
        self.freedom -= 1;
    }
    /// A constraint by an expression of two points.
    fn constraint(&mut self, name: &str, ends: [Option<usize>; 2], r: &mut Random) {
        let [(a, ra), (b, rb)] = ends.map(|b| self.handle(b, r));
        let c = norm(&add(&ra, -1.0, &rb)) + 0.3 * ra[0] * rb[1] - 0.2 * ra[1];
        let text = format!("distance({a}, {b}) + 0.3 * {a}.x * {b}.y - 0.2 * {a}.y - ({c:e})");
        self.m.constraints.push((name.into(), text.into()));
        self.freedom -= 1;
    }
    /// A knife edge in a body that is no rod.
    fn edge(&mut self, name: &str, mut ends: [Option<usize>; 2], r: &mut Random) {
        ends.sort_by_key(|b| b.is_some_and(|b| !self.bodies[b].rod));
        if ends.iter().any(|b| b.is_some_and(|b| self.bodies[b].rod)) {
            return;
        }
        let [(a, _), (b, _)] = ends.map(|b| self.handle(b, r));
        let axis = r.direction(self.d);
        let mut j = Joint::new(name, JointKind::KnifeEdge, &a, &b);
        j.axes = [None, Some(self.direction(ends[1], &axis))];
        self.m.joint(j);
        self.slips += 1;
    }
    /// A disc that rolls on a line or a plane: R = n·(r₂ - r₁)/s.
    fn disc(&mut self, name: &str, ends: [Option<usize>; 2], r: &mut Random) {
        if ends.iter().any(|b| b.is_some_and(|b| self.bodies[b].rod)) {
            return;
        }

        // n towards the centre of the disc
        let [(a, ra), (b, rb)] = ends.map(|b| self.handle(b, r));
        let apart = add(&rb, -1.0, &ra);
        let mut n = r.direction(self.d);
        if dot(&n, &apart) < 0.0 {
            n = scaled(-1.0, &n);
        }

        // its axis, and the sine of the angle between axis and n
        let (axis, s) = match self.d {
            2 => (None, 1.0),
            _ => {
                let axis = add(&across(&n, r), 0.4, &n);
                let axis = scaled(1.0 / norm(&axis), &axis);
                (Some(axis), (1.0 - dot(&n, &axis).powi(2)).sqrt())
            }
        };

        // the joint
        let first = if self.d == 2 { [n[1], -n[0], 0.0] } else { n };
        let mut j = Joint::new(name, JointKind::Rolling { radius: (dot(&n, &apart) / s).into() }, &a, &b);
        j.axes = [Some(self.direction(ends[0], &first)), axis.map(|u| self.direction(ends[1], &u))];
        self.m.joint(j);
        self.freedom -= 1;
        self.slips += self.d as isize - 1;
    }
    /// A gear or a rack between two joints with a body in common.
    pub(super) fn coupling(&mut self, name: &str, r: &mut Random) {
        let all = self.coordinates.clone();
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                // a with an angle, b with a body in common
                let (Some(θ), true) = (a.2, i != j && a.1.iter().any(|x| b.1.contains(x))) else { continue };
                let factor = r.between(0.3, 1.5);
                let (kind, offset) = match (b.2, b.3) {
                    (Some(other), _) if i < j => {
                        (CouplingKind::Gear { ratio: factor.into() }, θ - factor * other)
                    }
                    (_, Some(s)) => (CouplingKind::Rack { radius: factor.into() }, s - factor * θ),
                    _ => continue,
                };

                // the first pair is enough
                let joints = [a.0.as_str().into(), b.0.as_str().into()];
                self.m.couplings.push(Coupling { name: name.into(), kind, joints, offset: offset.into() });
                self.freedom -= 1;
                return;
            }
        }
    }
}
