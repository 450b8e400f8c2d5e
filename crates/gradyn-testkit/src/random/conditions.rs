//! Objectives, and conditions that fix what the joints leave free.

use super::*;
use gradyn_model::Kinematics;

impl Draft {
    /// Adds the bodies, objectives and conditions.
    pub(super) fn finish(mut self, r: &mut Random) -> Result<Mechanism, String> {
        if self.freedom == 0 && self.m.drivers.is_empty() {
            return Err("does not move".into());
        }

        // the spline that forces read
        let values = (0..4).map(|_| r.between(-1.0, 1.0).into()).collect();
        if format!("{:?}", self.m.forces).contains("wave") {
            self.m.splines.push(Spline {
                name: "wave".into(),
                cyclic: true,
                start: 0.0.into(),
                duration: 0.1.into(),
                values,
            });
        }

        // bodies, and where they are
        for p in &self.bodies {
            self.m.bodies.push(p.body.clone());
            let near = self.near(p);
            self.m.initial.near.extend(near.into_iter().map(|(what, at)| (what.into(), at)));
        }

        // what the start leaves open
        self.objectives(r);
        self.conditions(r)?;
        Ok(self.m)
    }
    /// Where a body is drawn: attitude, points, centre of mass.
    fn near(&self, p: &Placed) -> Vec<(String, Vector)> {
        let named = |what: &str, at: Vector| (format!("{}.{what}", p.name), at);
        let mut near = vec![];
        if self.d == 3 && !p.rod && !p.hard {
            near.push(named("attitude", p.attitude.into()));
        }
        if p.rod {
            let tip = add(&scaled(2.0, &p.com), -1.0, &p.origin);
            near.push(named("A", self.vector(&p.origin)));
            near.push(named("B", self.vector(&tip)));
            return near;
        }
        near.push(named("com", self.vector(&p.com)));

        // in the plane a point beside it says the angle
        if let (2, false, Some((name, Vector::Components(x, _)))) = (self.d, p.hard, p.body.points.first()) {
            let [x, y] = [0, 1].map(|k| if let Source::Value(v) = x[k].source { v } else { 0.0 });
            let at = add(&add(&p.origin, x, &p.axes[0]), y, &p.axes[1]);
            near.push(named(&name.text, self.vector(&at)));
        }
        near
    }
    /// An integral that reads positions and perhaps a reaction, and a terminal value that reads all rates.
    fn objectives(&mut self, r: &mut Random) {
        let body = self.bodies[r.below(self.bodies.len())].name.clone();
        let joint = (!self.m.joints.is_empty())
            .then(|| self.m.joints[r.below(self.m.joints.len())].name.text.clone());

        // the points of a free joint are there to be read
        let free = self.m.joints.iter().filter(|j| j.kind == JointKind::Free);
        let free: String = free.map(|j| format!(" + norm2({} - {})", j.between[0], j.between[1])).collect();
        let read = r.unit() < 0.5 && !self.repeated;
        let reaction =
            joint.filter(|_| read).map_or(String::new(), |j| format!(" + norm2({j}.reaction) / 1000"));

        // both objectives
        let third = if self.d == 3 { ", 0.2" } else { "" };
        self.m.integral("path", &format!("norm2({body}.com - [1, 0.5{third}]){reaction}{free}"));
        let rates = format!("vel({body}.com.x) + 0.01 * norm2(acc({body}.com))");
        self.m.terminal("end", &format!("system.kinetic + norm2({body}.com) + {rates}"));
    }
    /// Conditions at the start by (2).
    pub(super) fn conditions(&mut self, r: &mut Random) -> Result<(), String> {
        // poses of all bodies
        let mut candidates: Vec<(String, f64)> = vec![];
        for p in &self.bodies {
            let place = |what: &str, at: &V3| -> Vec<(String, f64)> {
                (0..self.d).map(|k| (format!("{}.{what}.{}", p.name, ["x", "y", "z"][k]), at[k])).collect()
            };
            candidates.extend(place("com", &p.com));
            if p.rod {
                candidates.extend(place("B", &add(&scaled(2.0, &p.com), -1.0, &p.origin)));
            } else if self.d == 2 {
                candidates.push((format!("{}.angle", p.name), p.attitude[2]));
            } else {
                candidates.extend(
                    (0..3).map(|k| (format!("{}.{}", p.name, ["roll", "pitch", "yaw"][k]), p.attitude[k])),
                );
            }
        }

        // those that fix the positions, and those that fix the velocities
        let mut all = self.m.clone();
        all.initial.position = candidates.iter().map(|(k, x)| (k.as_str().into(), (*x).into())).collect();
        let [places, rates] = pivots(&all, self.freedom, self.slips, self.repeated)?;
        self.m.initial.position =
            places.iter().map(|&k| (candidates[k].0.as_str().into(), candidates[k].1.into())).collect();
        let rates =
            rates.iter().map(|&k| (candidates[k].0.as_str().into(), r.between(-1.0, 1.0).into())).collect();
        self.m.initial.velocity = InitialVelocity::Conditions(rates);
        Ok(())
    }
}

/// Indices of independent conditions that fix the positions and the velocities that the rows of a mechanism
/// leave free in its drawn configuration. `freedom` is what the table of joints leaves to positions, `slips`
/// what velocities lose.
pub(super) fn pivots(
    m: &Mechanism,
    freedom: isize,
    slips: isize,
    repeated: bool,
) -> Result<[Vec<usize>; 2], String> {
    let model = build(m).map_err(|e| format!("does not build: {e}"))?;
    let (sys, p) = (&model.system, model.slots(&model.rho()));
    let (n, rows, held) = (sys.dims().n, sys.dims().m, sys.dims().m - sys.dims().m_vel);
    let (t, q, zero) = (p[model.times.start as usize], sys.guess().to_vec(), vec![0.0; n.max(rows)]);
    let mut d = sys.evaluator(&p);
    d.set_branches(&model.angles);
    d.at(t, &q);
    let at = At { t, q: &q, v: &zero[..n], a: &zero[..n], lam: &zero[..rows] };
    let mut phi = vec![0.0; rows];
    d.constraint(&at, [1.0, 0.0, 0.0], &mut phi);
    let worst = (0..held).fold(0, |w, k| if phi[k].abs() > phi[w].abs() { k } else { w });
    if phi[..held].get(worst).is_some_and(|x| x.abs() > 1e-9) {
        return Err(format!(
            "is not drawn where it is: {} is off by {:.1e}",
            sys.row_name(worst),
            phi[worst]
        ));
    }
    let dependencies = row_dependencies(&sys.patterns().mn, d.phi_q(), 1e-9);
    let dependent: Vec<usize> = dependencies.dependent.iter().map(|d| d.row).collect();
    // loops may repeat to the letter what shared axes hold already: such rows are left out as long as the
    // letters are the same
    let (freedom, extra) = (freedom - slips, if repeated { dependent.len() } else { 0 });
    let left = (n + extra) as isize - rows as isize;
    if left < freedom || (left > freedom && !looped(m)) {
        return Err(format!("has {n} - {rows} degrees of freedom, not {freedom}"));
    }
    if left > freedom || (!repeated && !dependent.is_empty()) {
        return Err("is redundant".into());
    }
    if dependencies.condition < 1e-3 {
        return Err("is close to singular".into());
    }
    let mut dense = vec![vec![0.0; n]; rows];
    sys.patterns().mn.iter().for_each(|(i, j, k)| dense[i][j] = d.phi_q()[k]);
    let count = model.conditions.0.len();
    let mut condition = |k: usize| {
        let (pattern, support) =
            (sys.condition_pattern(Kinematics::Position, k), sys.condition_support(Kinematics::Position, k));
        let (mut q, mut v, mut s) =
            (vec![0.0; pattern.len()], vec![0.0; pattern.len()], vec![0.0; support.len()]);
        d.condition_row(Kinematics::Position, k, &at, &mut q, &mut v, &mut s);
        let size = q.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
        let mut row = vec![0.0; n];
        pattern.iter().zip(&q).for_each(|(&i, x)| row[i as usize] = x / size);
        row
    };
    let conditions: Vec<Vec<f64>> = (0..count).map(&mut condition).collect();
    let independent =
        |rows: usize| (0..rows).filter(|k| !dependent.contains(k)).map(|k| dense[k].clone()).collect();
    Ok([complete(independent(held), conditions.clone())?, complete(independent(rows), conditions)?])
}

/// Conditions that complete the rows by (2).
fn complete(rows: Vec<Vec<f64>>, mut conditions: Vec<Vec<f64>>) -> Result<Vec<usize>, String> {
    // an orthonormal basis of the rows
    let mut kept = vec![];
    for row in rows {
        let row = rest(&kept, row);
        keep(&mut kept, row);
    }

    // and the condition that is farthest from it, as long as one is needed
    let mut chosen = vec![];
    while kept.len() < conditions[0].len() {
        conditions.iter_mut().for_each(|c| *c = rest(&kept, std::mem::take(c)));
        let size = |c: &[f64]| c.iter().map(|x| x * x).sum::<f64>();
        let best = (0..conditions.len())
            .fold(0, |b, k| if size(&conditions[k]) > size(&conditions[b]) { k } else { b });
        if size(&conditions[best]) < 1e-4 {
            return Err("is not fixed by poses".into());
        }
        keep(&mut kept, conditions[best].clone());
        chosen.push(best);
    }
    chosen.sort_unstable();
    Ok(chosen)
}

/// Does it have more joints than bodies?
pub(super) fn looped(m: &Mechanism) -> bool {
    m.joints.len() > m.bodies.len()
}

/// A row without its part in the span of orthonormal ones.
pub(super) fn rest(kept: &[Vec<f64>], mut row: Vec<f64>) -> Vec<f64> {
    for _ in 0..2 {
        for k in kept {
            let along: f64 = k.iter().zip(&row).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(k).for_each(|(x, k)| *x -= along * k);
        }
    }
    row
}

/// Adds a row, scaled to length 1.
pub(super) fn keep(kept: &mut Vec<Vec<f64>>, row: Vec<f64>) {
    let size = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    kept.push(row.into_iter().map(|x| x / size).collect());
}
