//! Plane: rough poses from hard points, `near`, angle conditions and shared points.

use super::super::joints::number_of;
use super::super::{Builder, unknown};
use crate::error::ModelError;
use crate::mechanism::{Source, Text};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Rough pose of a body: origin of its frame and angle.
type Pose = ([f64; 2], f64);

/// A drawing of a plane mechanism.
pub(super) struct PlaneDrawing<'a, 'g, 'm> {
    /// What is drawn.
    pub b: &'a mut Builder<'g, 'm>,
}

impl PlaneDrawing<'_, '_, '_> {
    /// Rough coordinates, and the angle of each body.
    pub(super) fn draw(&mut self, driven: &[(usize, f64)]) -> Result<(Vec<f64>, Vec<f64>), ModelError> {
        let mut angles = self.angle_conditions()?;
        let mut known = self.known_points()?;
        let ground = self.b.ground();
        angles.insert(ground, 0.0);
        let driven =
            driven.iter().filter_map(|&(k, value)| self.b.angles[k].bodies.map(|(a, b)| (a, b, value)));
        let driven: Vec<(usize, usize, f64)> = driven.collect();
        let held: Vec<(usize, usize, f64)> = driven.into_iter().chain(self.held_angles()?).collect();
        spread(&held, &mut angles);
        let mut poses: Vec<Option<Pose>> = vec![None; ground + 1];
        poses[ground] = Some(([0.0; 2], 0.0));
        for (b, body) in self.b.m.bodies.iter().enumerate() {
            if !body.hard.is_empty() && !angles.contains_key(&b) {
                self.settle(b, ([0.0; 2], 0.0), &mut poses, &mut known);
            }
        }
        // two points, or a point and an angle; then a point with a guessed angle; then anything
        for guess in 0..3 {
            // around all bodies until a whole round settles none
            let mut b = 0;
            let mut idle = 0;
            while idle < ground {
                idle += 1;
                if poses[b].is_none()
                    && let Some(pose) = self.pose(b, guess, &angles, &known)
                {
                    self.settle(b, pose, &mut poses, &mut known);
                    angles.entry(b).or_insert(pose.1);
                    spread(&held, &mut angles);
                    idle = 0;
                }
                b = (b + 1) % ground;
            }
        }
        let drawn = (0..self.b.coordinates.len()).map(|i| self.drawn_coordinate(i, &poses, &known)).collect();
        let turns =
            (0..=ground).map(|b| angles.get(&b).copied().or(poses[b].map(|p| p.1)).unwrap_or(0.0)).collect();
        Ok((drawn, turns))
    }
    /// Bodies whose angle is a position condition, with its nominal value.
    fn angle_conditions(&mut self) -> Result<HashMap<usize, f64>, ModelError> {
        let mut found = HashMap::new();
        for (key, value) in self.b.m.initial.positions() {
            let Source::Expression(text) = &key.source else { continue };
            let Some(body) = text.trim().strip_suffix(".angle") else { continue };
            if let Some(&b) = self.b.body_index.get(body)
                && let Ok(v) = self.b.numbers.number(value, "initial angle")
            {
                found.insert(b, self.b.numbers.nominal(&[v])[0]);
            }
        }
        Ok(found)
    }
    /// (body 1, body 2, angle) of the joints that hold an angle, at nominal values.
    fn held_angles(&mut self) -> Result<Vec<(usize, usize, f64)>, ModelError> {
        let mut held = vec![];
        for j in self.b.m.joints.iter().filter(|j| j.kind.spec().holds_angle) {
            let [a, b] = [self.b.point_ref(&j.between[0])?.0, self.b.point_ref(&j.between[1])?.0];
            let angle = number_of(j, &mut self.b.numbers)?;
            held.push((a, b, self.b.numbers.nominal(&[angle])[0]));
        }
        Ok(held)
    }
    /// Rough positions by class: ground points and `near`.
    fn known_points(&mut self) -> Result<HashMap<usize, [f64; 2]>, ModelError> {
        let ground = self.b.ground();
        let mut known: HashMap<usize, [f64; 2]> =
            self.b.solids[ground].points.iter().map(|p| (p.spot, pair(&p.value))).collect();
        for (name, at) in &self.b.m.initial.near {
            let what = format!("initial.near `{name}`");
            let at = self.b.numbers.vector(at, &what)?;
            let value = self.b.numbers.nominal(&at);
            let (b, i) = self.b.point_ref(&Text { text: name.text.clone(), place: name.place.clone() })?;
            if b == ground {
                return Err(unknown("moving point", name, []).help("name a point of a body"));
            }
            known.insert(self.b.solids[b].points[i].spot, [value[0], value[1]]);
        }
        Ok(known)
    }
    fn pose(
        &self,
        b: usize,
        guess: usize,
        angles: &HashMap<usize, f64>,
        known: &HashMap<usize, [f64; 2]>,
    ) -> Option<Pose> {
        let solid = &self.b.solids[b];
        let here: Vec<usize> =
            (0..solid.points.len()).filter(|&i| known.contains_key(&solid.points[i].spot)).collect();
        let at = |i: usize| known[&solid.points[i].spot];
        let place = |i: usize, θ: f64| {
            let x = &solid.points[i].value;
            let r = at(i);
            let (s, c) = θ.sin_cos();
            ([r[0] - c * x[0] + s * x[1], r[1] - s * x[0] - c * x[1]], θ)
        };
        let pairs = here
            .iter()
            .flat_map(|&i| here.iter().map(move |&j| (i, j)))
            .filter(|&(i, j)| solid.distance(i, j) > 1e-9);
        let pair = pairs.max_by(|a, b| solid.distance(a.0, a.1).total_cmp(&solid.distance(b.0, b.1)));
        match (here.first(), angles.get(&b), pair, guess) {
            (Some(&i), Some(&θ), _, _) => Some(place(i, θ)),
            (_, None, Some((i, j)), _) => {
                let a = &solid.points[i].value;
                let b = &solid.points[j].value;
                let ra = at(i);
                let rb = at(j);
                let local = (b[1] - a[1]).atan2(b[0] - a[0]);
                let θ = (rb[1] - ra[1]).atan2(rb[0] - ra[0]) - local;
                Some(place(i, θ - TAU * (θ / TAU).round())) // only an angle that the model says has turns
            }
            (Some(&i), None, None, 1 | 2) => Some(place(i, 0.0)),
            (None, θ, _, 2) => Some(([0.0; 2], θ.copied().unwrap_or(0.0))),
            _ => None,
        }
    }
    fn settle(&self, b: usize, pose: Pose, poses: &mut [Option<Pose>], known: &mut HashMap<usize, [f64; 2]>) {
        poses[b] = Some(pose);
        for p in &self.b.solids[b].points {
            known.entry(p.spot).or_insert_with(|| place(pose, &p.value));
        }
    }
    fn drawn_coordinate(&self, i: usize, poses: &[Option<Pose>], known: &HashMap<usize, [f64; 2]>) -> f64 {
        let c = &self.b.coordinates[i];
        match c.of {
            Ok(point) => known[&self.b.solids[c.body].points[point].spot][c.axis],
            Err(_) => {
                let θ = poses[c.body].map_or(0.0, |p| p.1);
                [θ.cos(), θ.sin()][c.axis]
            }
        }
    }
}

/// Angles that follow from others through joints and drivers that hold them.
fn spread(held: &[(usize, usize, f64)], angles: &mut HashMap<usize, f64>) {
    let mut more = true;
    while std::mem::take(&mut more) {
        for &(a, b, angle) in held {
            match (angles.get(&a).copied(), angles.get(&b).copied()) {
                (Some(x), None) => angles.insert(b, x + angle),
                (None, Some(x)) => angles.insert(a, x - angle),
                _ => continue,
            };
            more = true;
        }
    }
}

fn place((o, θ): Pose, x: &[f64]) -> [f64; 2] {
    let (s, c) = θ.sin_cos();
    [o[0] + c * x[0] - s * x[1], o[1] + s * x[0] + c * x[1]]
}

fn pair(x: &[f64]) -> [f64; 2] {
    [x[0], x[1]]
}
