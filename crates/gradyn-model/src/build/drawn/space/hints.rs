//! What the model says about a first drawing: conditions, drivers and `near`.

use super::*;

impl SpaceDrawing<'_, '_, '_> {
    /// What conditions, drivers and `near` say.
    pub(super) fn hints(&mut self, driven: &[(usize, f64)]) -> Result<Hints, ModelError> {
        let mut hints = Hints::default();
        for (key, value) in self.b.m.initial.positions() {
            if let Source::Expression(text) = &key.source {
                self.hint(text.trim(), value, &mut hints);
            }
        }
        for (name, at) in &self.b.m.initial.near {
            let value = self.b.numbers.vector(at, &format!("initial.near `{name}`"))?;
            let value = vec3(&self.b.numbers.nominal(&value));
            match name.text.strip_suffix(".attitude") {
                Some(body) => {
                    let b = self.b.body(&Text { text: body.into(), place: name.place.clone() })?;
                    hints.attitude.insert(b, value);
                }
                None => {
                    let r = self.b.point_ref(name)?;
                    if r.0 == self.b.ground() {
                        return Err(unknown("moving point", name, []).help("name a point of a body"));
                    }
                    // conditions on components go first
                    let hint = hints.points.entry(r).or_default();
                    hint.iter_mut().zip(value).for_each(|(h, x)| *h = h.or(Some(x)));
                }
            }
        }
        self.joint_hints(driven, &mut hints)?;
        Ok(hints)
    }
    /// Angles of joints that are driven, given or held.
    fn joint_hints(&mut self, driven: &[(usize, f64)], hints: &mut Hints) -> Result<(), ModelError> {
        for (k, j) in self.b.m.joints.iter().enumerate() {
            for (which, part) in [(1, 0), (2, 2)] {
                let Some(a) = self.b.angle_index.get(&format!("joint {k} {which}")).copied() else {
                    continue;
                };
                let value = driven.iter().find(|d| d.0 == a).map(|d| d.1).or(self.b.angles[a].near);
                if let Some(v) = value {
                    hints.joints.entry(k).or_default()[part] = v;
                }
            }
            if j.kind.spec().holds_angle {
                let angle = number_of(j, &mut self.b.numbers)?;
                hints.joints.entry(k).or_default()[0] = self.b.numbers.nominal(&[angle])[0];
            }
        }
        Ok(())
    }
    pub(super) fn hint(&mut self, key: &str, value: &Number, hints: &mut Hints) {
        // what the key names, and the value if it is a number
        let parts: Vec<&str> = key.split('.').collect();
        let scalar =
            self.b.numbers.number(value, "initial position").ok().map(|s| self.b.numbers.nominal(&[s])[0]);
        let body = parts.first().and_then(|b| self.b.body_index.get(*b)).copied();
        let angle = ["roll", "pitch", "yaw"].iter().position(|a| parts.get(1) == Some(a));
        let joint = parts.first().and_then(|j| self.b.joint_index(j));
        // an angle of a body, a point, a component of a point, or a coordinate of a joint
        match (body, joint, &parts[1..], scalar) {
            (Some(b), _, [_], Some(x)) if angle.is_some() => {
                hints.attitude.entry(b).or_default()[angle.expect("just found")] = x;
            }
            (Some(b), _, [point], None) => {
                let found = self.b.solids[b].points.iter().position(|p| p.name == **point);
                let vector =
                    self.b.numbers.vector(&Vector::Expression(value.clone()), "initial position").ok();
                if let (Some(i), Some(v)) = (found, vector) {
                    hints.points.insert((b, i), vec3(&self.b.numbers.nominal(&v)).map(Some));
                }
            }
            (Some(b), _, [point, axis], Some(x)) => {
                let k = ["x", "y", "z"].iter().position(|a| a == axis);
                if let (Some(i), Some(k)) =
                    (self.b.solids[b].points.iter().position(|p| p.name == **point), k)
                {
                    hints.points.entry((b, i)).or_default()[k] = Some(x);
                }
            }
            (None, Some(k), ["angle" | "angle_1"], Some(x)) => hints.joints.entry(k).or_default()[0] = x,
            (None, Some(k), ["angle_2"], Some(x)) => hints.joints.entry(k).or_default()[2] = x,
            (None, Some(k), ["position"], Some(x)) => hints.joints.entry(k).or_default()[1] = x,
            _ => {}
        }
    }
}
