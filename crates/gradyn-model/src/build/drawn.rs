//! A start for the assembly: rough poses from hard points, `near`, angle conditions and shared points.

use super::{Builder, evaluate, unknown};
use crate::error::ModelError;
use crate::expression::{Expr, parse};
use crate::mechanism::{JointKind, Source, Text};
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Rough pose of a body: origin of its frame and angle.
type Pose = ([f64; 2], f64);

impl Builder<'_, '_> {
    /// Rough coordinates and the references of the angles.
    pub(super) fn drawn(&mut self, rho: &[f64], driven: &[(usize, usize, f64)]) -> Result<(Vec<f64>, Vec<f64>), ModelError> {
        let mut angles = self.angle_conditions(rho)?;
        let mut known = self.known_points(rho)?;
        let ground = self.ground();
        angles.insert(ground, 0.0);
        let held: Vec<(usize, usize, f64)> = driven.iter().copied().chain(self.held_angles(rho)?).collect();
        spread(&held, &mut angles);
        let mut poses: Vec<Option<Pose>> = vec![None; ground + 1];
        poses[ground] = Some(([0.0; 2], 0.0));
        for (b, body) in self.m.bodies.iter().enumerate() {
            if !body.hard.is_empty() && !angles.contains_key(&b) {
                self.settle(b, ([0.0; 2], 0.0), &mut poses, &mut known);
            }
        }
        // strict rounds first (two points, or a point and an angle), then a point with a guessed angle, then anything
        for guess in 0..3 {
            loop {
                let found =
                    (0..ground).filter(|&b| poses[b].is_none()).find_map(|b| Some((b, self.pose(b, guess, &angles, &known)?)));
                match found {
                    Some((b, pose)) => {
                        self.settle(b, pose, &mut poses, &mut known);
                        angles.entry(b).or_insert(pose.1);
                        spread(&held, &mut angles);
                    }
                    None => break,
                }
            }
        }
        let drawn = self.coordinates.iter().map(|name| self.drawn_coordinate(name, &poses, &known)).collect();
        let turn = |b: usize| angles.get(&b).copied().or(poses[b].map(|p| p.1)).unwrap_or(0.0);
        let relative = self.relative_angles(rho);
        let reference = |a: usize, b: usize| {
            let (ta, tb) = (turn(a), turn(b));
            // an angle of more than half a turn is meant as it stands; else the smaller relative angle
            let literal = ta.abs() > PI || tb.abs() > PI;
            let difference = if literal { tb - ta } else { tb - ta - TAU * ((tb - ta) / TAU).round() };
            relative.get(&(a, b)).copied().unwrap_or(difference)
        };
        let references = self.angles.iter().map(|((a, b), _)| reference(*a, *b)).collect();
        Ok((drawn, references))
    }
    /// Bodies whose angle is a position condition, with its nominal value.
    fn angle_conditions(&mut self, rho: &[f64]) -> Result<HashMap<usize, f64>, ModelError> {
        let mut found = HashMap::new();
        for (key, value) in &self.m.initial.position {
            let Source::Expression(text) = &key.source else { continue };
            let Some(body) = text.trim().strip_suffix(".angle") else { continue };
            if let Some(b) = self.shapes.iter().position(|s| s.name == body)
                && let Ok(v) = self.numbers.number(value, "initial angle")
            {
                found.insert(b, evaluate(self.graph, &[v], rho)[0]);
            }
        }
        Ok(found)
    }
    /// (body 1, body 2, angle) of the joints that hold an angle, at nominal values.
    fn held_angles(&mut self, rho: &[f64]) -> Result<Vec<(usize, usize, f64)>, ModelError> {
        let mut held = vec![];
        for j in &self.m.joints {
            if let JointKind::Prismatic { angle, .. } | JointKind::Fixed { angle } = &j.kind {
                let [a, b] = [self.point_ref(&j.between[0])?.0, self.point_ref(&j.between[1])?.0];
                let angle = self.numbers.number(angle, &format!("joint `{}`, angle", j.name))?;
                held.push((a, b, evaluate(self.graph, &[angle], rho)[0]));
            }
        }
        Ok(held)
    }
    /// Pairs of bodies whose relative angle is a position condition `angle(a, b)`, with its nominal value.
    fn relative_angles(&mut self, rho: &[f64]) -> HashMap<(usize, usize), f64> {
        let mut found = HashMap::new();
        for (key, value) in &self.m.initial.position {
            let Source::Expression(text) = &key.source else { continue };
            let Ok(Expr::Call { function, args }) = parse(text).map(|ast| ast.expr) else { continue };
            let names: Vec<_> = args.iter().map(|a| if let Expr::Name(n) = &a.expr { n.as_str() } else { "" }).collect();
            let body = |name: &str| self.shapes.iter().position(|s| s.name == name);
            if function == "angle"
                && let [Some(a), Some(b)] = [0, 1].map(|k| names.get(k).and_then(|n| body(n)))
                && let Ok(v) = self.numbers.number(value, "initial angle")
            {
                found.insert((a, b), evaluate(self.graph, &[v], rho)[0]);
            }
        }
        found
    }
    /// Rough positions by class: ground points and `near`.
    fn known_points(&mut self, rho: &[f64]) -> Result<HashMap<usize, [f64; 2]>, ModelError> {
        let ground = self.ground();
        let mut known: HashMap<usize, [f64; 2]> = self.shapes[ground].points.iter().map(|p| (p.class, p.value)).collect();
        for (name, at) in &self.m.initial.near {
            let what = format!("initial.near `{name}`");
            let at = self.numbers.vector(at, &what)?;
            let value = evaluate(self.graph, &at, rho);
            let (b, i) = self.point_ref(&Text { text: name.text.clone(), place: name.place.clone() })?;
            if b == ground {
                return Err(unknown("moving point", name, []).help("name a point of a body"));
            }
            known.insert(self.shapes[b].points[i].class, [value[0], value[1]]);
        }
        Ok(known)
    }
    fn pose(&self, b: usize, guess: usize, angles: &HashMap<usize, f64>, known: &HashMap<usize, [f64; 2]>) -> Option<Pose> {
        let shape = &self.shapes[b];
        let here: Vec<usize> = (0..shape.points.len()).filter(|&i| known.contains_key(&shape.points[i].class)).collect();
        let at = |i: usize| known[&shape.points[i].class];
        let place = |i: usize, θ: f64| {
            let (x, r, (s, c)) = (shape.points[i].value, at(i), θ.sin_cos());
            ([r[0] - c * x[0] + s * x[1], r[1] - s * x[0] - c * x[1]], θ)
        };
        let pairs = here.iter().flat_map(|&i| here.iter().map(move |&j| (i, j))).filter(|&(i, j)| shape.distance(i, j) > 1e-9);
        let pair = pairs.max_by(|a, b| shape.distance(a.0, a.1).total_cmp(&shape.distance(b.0, b.1)));
        match (here.first(), angles.get(&b), pair, guess) {
            (Some(&i), Some(&θ), _, _) => Some(place(i, θ)),
            (_, None, Some((i, j)), _) => {
                let (a, b, ra, rb) = (shape.points[i].value, shape.points[j].value, at(i), at(j));
                let local = (b[1] - a[1]).atan2(b[0] - a[0]);
                Some(place(i, (rb[1] - ra[1]).atan2(rb[0] - ra[0]) - local))
            }
            (Some(&i), None, None, 1 | 2) => Some(place(i, 0.0)),
            (None, θ, _, 2) => Some(([0.0; 2], θ.copied().unwrap_or(0.0))),
            _ => None,
        }
    }
    fn settle(&self, b: usize, pose: Pose, poses: &mut [Option<Pose>], known: &mut HashMap<usize, [f64; 2]>) {
        poses[b] = Some(pose);
        for p in &self.shapes[b].points {
            known.entry(p.class).or_insert_with(|| place(pose, p.value));
        }
    }
    /// A coordinate by its name: `body.point.x` or `body.ux`.
    fn drawn_coordinate(&self, name: &str, poses: &[Option<Pose>], known: &HashMap<usize, [f64; 2]>) -> f64 {
        let parts: Vec<&str> = name.split('.').collect();
        let b = self.shapes.iter().position(|s| s.name == parts[0]).expect("coordinates are named after bodies");
        let pose = poses[b].unwrap_or(([0.0; 2], 0.0));
        match parts[1..] {
            ["ux"] => pose.1.cos(),
            ["uy"] => pose.1.sin(),
            [point, axis] => {
                let k = usize::from(axis == "y");
                match self.shapes[b].points.iter().find(|p| p.name == point) {
                    Some(p) => known[&p.class][k],
                    None => pose.0[k],
                }
            }
            _ => unreachable!("a coordinate has a point or a vector"),
        }
    }
}

/// Angles that follow from others through joints and drivers that hold them.
fn spread(held: &[(usize, usize, f64)], angles: &mut HashMap<usize, f64>) {
    for _ in 0..held.len() {
        for &(a, b, angle) in held {
            match (angles.get(&a).copied(), angles.get(&b).copied()) {
                (Some(x), None) => angles.insert(b, x + angle),
                (None, Some(x)) => angles.insert(a, x - angle),
                _ => None,
            };
        }
    }
}

fn place((o, θ): Pose, x: [f64; 2]) -> [f64; 2] {
    let (s, c) = θ.sin_cos();
    [o[0] + c * x[0] - s * x[1], o[1] + s * x[0] + c * x[1]]
}
