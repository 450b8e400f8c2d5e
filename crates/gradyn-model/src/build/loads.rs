//! What each force applies, in symbols: work on ports and the sensors that read it.
//!
//! ```text
//! spring      T = k (ℓ - ℓ₀) + c ℓ̇ + f                                                            (1)
//! bushing     d = A₁ᵀ (r₂ - r₁), γ = ½ A₁ᵀ Σ u₁ₖ × u₂ₖ (plane: the angle);  (f, τ) = -(K (d, γ) + C (ḋ, γ̇) + …)   (2)
//! contact     δ = -(r - r₀)·n, N = k p(δ) (1 + d δ̇), friction -μ N v_t/√(|v_t|² + v_s²)              (3)
//! p(δ)        0;  w (s³ - s⁴/2), s = δ/w;  δ - w/2      for δ ≤ 0, δ ≤ w, beyond                    (4)
//! ```
//! A force f at a point of body 2 reacts on body 1 as -f at its own point r₁ and the torque -(r₂ - r₁) × f, so that momentum and
//! angular momentum are kept.

use super::joints::normal_of;
use super::sensors::{list, slides};
use super::symbols::SensorEnv;
use super::vectors::{Port, Symbols, combination, cross, difference, dot, opposite, scaled, sum};
use crate::error::ModelError;
use crate::expression::{Value, compile};
use crate::mechanism::{About, ContactLaw, Force, ForceKind, Number, Source, Text, Vector};
use crate::ports::Affine;
use crate::program::Sym;

/// What a force applies.
#[derive(Default)]
pub struct Applied<'g, 'h> {
    /// (port component, force on it).
    pub work: Vec<(Affine<'g>, Sym<'h>)>,
    /// Sensors by name.
    pub sensors: Vec<(&'static str, Value<'h>)>,
    /// Elastic energy of a linear spring.
    pub energy: Option<Sym<'h>>,
}

type Made<T> = Result<T, ModelError>;

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    /// What force `k` applies.
    pub fn applied(&mut self, k: usize) -> Made<Applied<'g, 'h>> {
        let m = self.b.m;
        let f: &Force = &m.forces[k];
        if self.reading.contains(&f.name.text) {
            let e = ModelError::new(format!("force `{}` reads itself", f.name)).at(&f.name.place);
            return Err(e.help("a force may read positions, velocities and other forces, not its own value"));
        }
        self.reading.push(f.name.text.clone());
        let applied = self.apply(f);
        self.reading.pop();
        applied
    }
    fn apply(&mut self, f: &Force) -> Made<Applied<'g, 'h>> {
        let name = &f.name;
        match &f.kind {
            ForceKind::SpringDamper { between, stiffness, damping, length, force } => {
                let (y, _) = self.length(between)?;
                self.law(name, ["force", "length"], y, [stiffness, damping, length], force.as_ref())
            }
            ForceKind::Torsion { about, stiffness, damping, angle, torque } => {
                self.torsion(name, about, [stiffness, damping, angle], torque.as_ref())
            }
            ForceKind::Point { at, force, frame } => {
                let r = self.b.point_ref(at)?;
                let f = self.components(force, name, "force")?;
                let f = self.in_frame(f, frame)?;
                let mut a = Applied { sensors: vec![("force", Value::Vector(f.clone()))], ..Applied::default() };
                let port = self.b.port(r);
                push(&mut a.work, &port, &f);
                Ok(a)
            }
            ForceKind::Torque { on, reaction, torque, frame } => {
                let bodies = [self.b.body(reaction)?, self.b.body(on)?];
                let tau = torque.iter().map(|x| self.expression(x, name, "torque")).collect::<Made<Symbols>>()?;
                let tau = if tau.len() == 3 { self.in_frame(tau, frame)? } else { tau };
                let value = if tau.len() == 1 { Value::Scalar(tau[0]) } else { Value::Vector(tau.clone()) };
                let mut a = Applied { sensors: vec![("torque", value)], ..Applied::default() };
                self.push_torque(&mut a.work, bodies[1], &tau, name)?;
                self.push_torque(&mut a.work, bodies[0], &opposite(&tau), name)?;
                Ok(a)
            }
            ForceKind::Actuator { joint, effort } => {
                let effort = self.expression(effort, name, "effort")?;
                self.along_joint(name, joint, |_, _| effort)
            }
            ForceKind::Friction { joint, limit, speed, viscous } => {
                let [limit, speed, viscous] = [
                    self.expression(limit, name, "limit")?,
                    self.expression(speed, name, "speed")?,
                    self.expression(viscous, name, "viscous")?,
                ];
                self.along_joint(name, joint, |_, v| -(limit * (v / speed).tanh() + viscous * v))
            }
            ForceKind::Bushing { between, axes, stiffness, damping, force } => {
                self.bushing(name, between, axes, [stiffness, damping, force])
            }
            ForceKind::BumpStop { between, length, pull, law } => self.bump_stop(name, between, length, *pull, law),
            ForceKind::Contact { point, plane, normal, law, friction, speed } => {
                self.contact(name, [point, plane], normal.as_ref(), law, [friction, speed])
            }
        }
    }
    /// Elastic energies of the linear springs.
    pub fn springs(&mut self) -> Symbols<'h> {
        (0..self.b.m.forces.len()).filter_map(|k| self.applied(k).ok()?.energy).collect()
    }
    /// A number that may be an expression of sensors.
    pub fn expression(&mut self, x: &Number, name: &Text, field: &str) -> Made<Sym<'h>> {
        let what = format!("force `{name}`, {field}");
        if let Source::Value(v) = x.source {
            return Ok(self.graph.constant(v));
        }
        let ast = self.b.numbers.parse(x, &what)?;
        match compile(&ast, self.graph, self).map_err(|e| ModelError::expression(&what, x, e))? {
            Value::Scalar(s) => Ok(s),
            Value::Vector(_) => Err(ModelError::new(format!("{what}: a number is expected here, not a vector")).at(&x.place)),
        }
    }
    fn components(&mut self, v: &Vector, name: &Text, field: &str) -> Made<Symbols<'h>> {
        let d = self.b.m.dimension;
        let parts = match v {
            Vector::Components(c, _) => c.iter().map(|x| self.expression(x, name, field)).collect::<Made<Symbols>>()?,
            Vector::Expression(x) => {
                let what = format!("force `{name}`, {field}");
                let ast = self.b.numbers.parse(x, &what)?;
                list(&compile(&ast, self.graph, self).map_err(|e| ModelError::expression(&what, x, e))?)
            }
        };
        if parts.len() == d {
            return Ok(parts);
        }
        let e = ModelError::new(format!("force `{name}`, {field}: {} components in a {d}-D model", parts.len()));
        Err(e.at(&v.place()).help(format!("write {d} components")))
    }
    /// Local components of a body → global ones.
    fn in_frame(&mut self, v: Symbols<'h>, frame: &Option<Text>) -> Made<Symbols<'h>> {
        let Some(frame) = frame else { return Ok(v) };
        let b = self.oriented_body(frame)?;
        let axes = self.axes(b);
        Ok(combination(&v, &axes))
    }
    fn oriented_body(&mut self, t: &Text) -> Made<usize> {
        let b = self.b.body(t)?;
        if self.b.frames[b].thin() {
            let e = ModelError::new(format!("`{t}` is a rod, which has no directions but its own")).at(&t.place);
            return Err(e.help("name a body with inertia or shape"));
        }
        Ok(b)
    }
    fn speed_of(&mut self, s: Sym<'h>, name: &Text) -> Made<Sym<'h>> {
        self.rate(s).map_err(|what| ModelError::new(format!("force `{name}`: {what} is not available")).at(&name.place))
    }
    fn speeds_of(&mut self, s: &[Sym<'h>], name: &Text) -> Made<Symbols<'h>> {
        self.rates(s).map_err(|what| ModelError::new(format!("force `{name}`: {what} is not available")).at(&name.place))
    }
    /// Distance of two points and the unit vector from the first to the second.
    fn length(&mut self, between: &[Text; 2]) -> Made<(Sym<'h>, Symbols<'h>)> {
        let [a, b] = [self.b.point_ref(&between[0])?, self.b.point_ref(&between[1])?].map(|r| self.b.port(r));
        let d = difference(&self.port(&b), &self.port(&a));
        let l = dot(&d, &d).sqrt();
        let direction = d.iter().map(|&d| d / l).collect();
        Ok((l, direction))
    }
    /// (1) along y, with its sensors; the restoring force is `effort`.
    fn law(
        &mut self,
        name: &Text,
        [effort, along]: [&'static str; 2],
        y: Sym<'h>,
        [k, c, rest]: [&Number; 3],
        extra: Option<&Number>,
    ) -> Made<Applied<'g, 'h>> {
        let speed = self.speed_of(y, name)?;
        let [k, c, rest] =
            [self.expression(k, name, "stiffness")?, self.expression(c, name, "damping")?, self.expression(rest, name, along)?];
        let mut t = k * (y - rest) + c * speed;
        if let Some(x) = extra {
            let before = std::mem::replace(&mut self.local, vec![(along.into(), y), ("speed".into(), speed)]);
            let more = self.expression(x, name, effort);
            self.local = before;
            t = t + more?;
        }
        let sensors = [(effort, t), (along, y), ("speed", speed)].map(|(n, s)| (n, Value::Scalar(s)));
        let energy = (k.as_constant() != Some(0.0)).then(|| k * (y - rest) * (y - rest) * 0.5);
        Ok(Applied { work: vec![], sensors: sensors.to_vec(), energy })
    }
    fn torsion(&mut self, name: &Text, about: &About, numbers: [&Number; 3], extra: Option<&Number>) -> Made<Applied<'g, 'h>> {
        match about {
            About::Bodies(between) => {
                let [a, b] = [self.b.body(&between[0])?, self.b.body(&between[1])?];
                let k = self.b.plane_angle(a, b);
                let y = self.angle(k);
                self.law(name, ["torque", "angle"], y, numbers, extra)
            }
            About::Joint(joint) => {
                let (k, y) = self.joint_coordinate(name, joint)?;
                let mut a = self.law(name, ["torque", "angle"], y, numbers, extra)?;
                let Value::Scalar(t) = a.sensors[0].1 else { unreachable!("a torque is a number") };
                self.push_along_joint(&mut a.work, k, -t, name)?;
                Ok(a)
            }
        }
    }
    /// The joint of a name and its coordinate: angle, or position where it has no angle.
    pub fn joint_coordinate(&mut self, name: &Text, joint: &Text) -> Made<(usize, Sym<'h>)> {
        let k = self.b.joint(joint)?;
        if slides(&self.b.m.joints[k].kind) {
            let axis = self.b.joint_frames[k].axes[0].clone();
            return Ok((k, self.joint_position(k, &axis)));
        }
        let single = self.b.m.joints[k].kind != crate::mechanism::JointKind::Universal;
        match self.b.joint_angle(k, 1).filter(|_| single) {
            Some(a) => Ok((k, self.angle(a))),
            None => {
                let kind = self.b.m.joints[k].kind.word();
                let e =
                    ModelError::new(format!("`{name}`: the {kind} joint `{joint}` has no single coordinate")).at(&joint.place);
                Err(e.help("revolute, prismatic, cylindrical, screw and planar joints have one"))
            }
        }
    }
    /// A force or torque e(y, ẏ) along the coordinate of a joint.
    fn along_joint(&mut self, name: &Text, joint: &Text, e: impl FnOnce(Sym<'h>, Sym<'h>) -> Sym<'h>) -> Made<Applied<'g, 'h>> {
        let (k, y) = self.joint_coordinate(name, joint)?;
        let speed = self.speed_of(y, name)?;
        let effort = e(y, speed);
        let sensors = vec![("effort", Value::Scalar(effort)), ("speed", Value::Scalar(speed))];
        let mut a = Applied { sensors, ..Applied::default() };
        self.push_along_joint(&mut a.work, k, effort, name)?;
        Ok(a)
    }
    /// An effort on body 2 of joint `k`, along or about its axis, and its reaction on body 1.
    fn push_along_joint(&mut self, work: &mut Vec<(Affine<'g>, Sym<'h>)>, k: usize, effort: Sym<'h>, name: &Text) -> Made<()> {
        let ends = self.b.joint_ends(k)?;
        let axis = self.b.frames[ends[0].0].direction(&self.b.joint_frames[k].axes[0]);
        if slides(&self.b.m.joints[k].kind) {
            let f = scaled(effort, &self.port(&axis));
            return self.push_pair(work, ends, &f, name);
        }
        let tau = if self.b.m.dimension == 2 { vec![effort] } else { scaled(effort, &self.port(&axis)) };
        self.push_torque(work, ends[1].0, &tau, name)?;
        self.push_torque(work, ends[0].0, &opposite(&tau), name)
    }
    /// f on point 2, -f on point 1 and the torque that the offset makes on body 1.
    fn push_pair(
        &mut self,
        work: &mut Vec<(Affine<'g>, Sym<'h>)>,
        ends: [super::PointRef; 2],
        f: &[Sym<'h>],
        name: &Text,
    ) -> Made<()> {
        let [r1, r2] = ends.map(|r| self.b.port(r));
        push(work, &r2, f);
        push(work, &r1, &opposite(f));
        let d = difference(&self.port(&r2), &self.port(&r1));
        let tau = if d.len() == 2 { vec![d[0] * f[1] - d[1] * f[0]] } else { cross(&d, f) };
        self.push_torque(work, ends[0].0, &opposite(&tau), name)
    }
    /// τ on a body: ½ (τ × u_k) on each of its unit vectors; τ u⊥ in the plane.
    fn push_torque(&mut self, work: &mut Vec<(Affine<'g>, Sym<'h>)>, body: usize, tau: &[Sym<'h>], name: &Text) -> Made<()> {
        if body == self.b.ground() || tau.iter().all(|t| t.as_constant() == Some(0.0)) {
            return Ok(());
        }
        if self.b.frames[body].thin() {
            let message = format!("force `{name}`: a torque cannot act on the rod `{}`", self.b.solids[body].name);
            return Err(ModelError::new(message).at(&name.place).help("describe the body by `shape` or `inertia`"));
        }
        let axes = self.b.frames[body].axes();
        if tau.len() == 1 {
            let x = self.port(&axes[0]);
            push(work, &axes[0], &[-(tau[0] * x[1]), tau[0] * x[0]]);
            return Ok(());
        }
        for axis in &axes {
            let u = self.port(axis);
            push(work, axis, &scaled(self.graph.constant(0.5), &cross(tau, &u)));
        }
        Ok(())
    }
    /// (2).
    fn bushing(
        &mut self,
        name: &Text,
        between: &[Text; 2],
        axes: &[Option<Vector>; 2],
        [stiffness, damping, extra]: [&[Number]; 3],
    ) -> Made<Applied<'g, 'h>> {
        let refs = [self.b.point_ref(&between[0])?, self.b.point_ref(&between[1])?];
        for (r, t) in refs.iter().zip(between) {
            self.oriented_body(&Text { text: self.b.solids[r.0].name.clone(), place: t.place.clone() })?;
        }
        let (frame, y) = self.bushing_motion(refs, axes, name)?;
        let speed = self.speeds_of(&y, name)?;
        let dimension = self.b.m.dimension;
        let mut f = vec![self.graph.constant(0.0); y.len()];
        for (numbers, x, field) in [(stiffness, &y, "stiffness"), (damping, &speed, "damping")] {
            let part = self.product(numbers, x, name, field)?;
            f = difference(&f, &part);
        }
        if !extra.is_empty() {
            if extra.len() != y.len() {
                let e = ModelError::new(format!(
                    "force `{name}`, force: {} expressions are expected here, not {}",
                    y.len(),
                    extra.len()
                ));
                return Err(e.at(&name.place).help("forces, then torques"));
            }
            let names: &[&str] = if dimension == 2 { &["x", "y", "rz", "vx", "vy", "wz"] } else { &BUSHING };
            let local = names.iter().map(|n| n.to_string()).zip(y.iter().chain(&speed).copied()).collect();
            let before = std::mem::replace(&mut self.local, local);
            let more = extra.iter().map(|x| self.expression(x, name, "force")).collect::<Made<Symbols>>();
            self.local = before;
            f = difference(&f, &more?);
        }
        let (force, torque) = f.split_at(dimension);
        let force = combination(force, &frame);
        let tau = if dimension == 2 { torque.to_vec() } else { combination(torque, &frame) };
        let mut a = Applied::default();
        self.push_pair(&mut a.work, refs, &force, name)?;
        self.push_torque(&mut a.work, refs[1].0, &tau, name)?;
        self.push_torque(&mut a.work, refs[0].0, &opposite(&tau), name)?;
        let vector = |v: &[Sym<'h>]| if v.len() == 1 { Value::Scalar(v[0]) } else { Value::Vector(v.to_vec()) };
        let (d, gamma) = y.split_at(dimension);
        a.sensors =
            vec![("force", vector(&force)), ("torque", vector(&tau)), ("displacement", vector(d)), ("rotation", vector(gamma))];
        Ok(a)
    }
    /// Axes of the bushing, fixed in body 1, and (d, γ) in them.
    fn bushing_motion(
        &mut self,
        refs: [super::PointRef; 2],
        axes: &[Option<Vector>; 2],
        name: &Text,
    ) -> Made<(Vec<Symbols<'h>>, Symbols<'h>)> {
        let bodies = refs.map(|r| r.0);
        let [r1, r2] = refs.map(|r| self.b.port(r));
        let d = difference(&self.port(&r2), &self.port(&r1));
        let frame = self.bushing_axes(bodies[0], axes, name)?;
        let mut y: Symbols = frame.iter().map(|u| dot(u, &d)).collect();
        if self.b.m.dimension == 2 {
            let k = self.b.plane_angle(bodies[0], bodies[1]);
            y.push(self.angle(k));
            return Ok((frame, y));
        }
        let (u1, u2) = (self.axes(bodies[0]), self.axes(bodies[1]));
        let turns = u1.iter().zip(&u2).map(|(a, b)| cross(a, b)).reduce(|a, b| sum(&a, &b)).expect("three axes");
        y.extend(frame.iter().map(|u| dot(u, &turns) * 0.5));
        Ok((frame, y))
    }
    fn bushing_axes(&mut self, body: usize, axes: &[Option<Vector>; 2], name: &Text) -> Made<Vec<Symbols<'h>>> {
        let [Some(axis), normal] = axes else { return Ok(self.axes(body)) };
        let what = format!("force `{name}`: the axis");
        let n = &mut self.b.numbers;
        let z = n.direction(Some(axis), 0, &what)?;
        let local = match (normal, n.dimension) {
            (_, 2) => vec![z.clone(), vec![-z[1], z[0]]],
            (None, _) => {
                let x = normal_of(&z, n)?;
                vec![x.clone(), cross(&z, &x), z]
            }
            (Some(v), _) => {
                let given = n.vector(v, &format!("force `{name}`: the normal"))?;
                let across = difference(&given, &scaled(dot(&given, &z), &z));
                let x = n.normalised(across, &format!("force `{name}`: the normal, across the axis,"), &v.place())?;
                vec![x.clone(), cross(&z, &x), z]
            }
        };
        Ok(local
            .iter()
            .map(|w| {
                let port = self.b.frames[body].direction(w);
                self.port(&port)
            })
            .collect())
    }
    /// A matrix given by its diagonal or in full, times x.
    fn product(&mut self, numbers: &[Number], x: &[Sym<'h>], name: &Text, field: &str) -> Made<Symbols<'h>> {
        let n = x.len();
        let a = numbers.iter().map(|k| self.expression(k, name, field)).collect::<Made<Symbols>>()?;
        match a.len() {
            0 => Ok(vec![self.graph.constant(0.0); n]),
            k if k == n => Ok(a.iter().zip(x).map(|(&a, &x)| a * x).collect()),
            k if k == n * n => Ok(a.chunks_exact(n).map(|row| dot(row, x)).collect()),
            k => {
                let e = ModelError::new(format!("force `{name}`, {field}: {n} or {} numbers are expected here, not {k}", n * n));
                Err(e.at(&name.place).help("the diagonal, or all rows: translations, then rotations"))
            }
        }
    }
    /// (4) and the normal force k p(δ) (1 + d δ̇).
    fn push_back(&mut self, delta: Sym<'h>, law: &ContactLaw, name: &Text) -> Made<Sym<'h>> {
        let [k, d, w] = [
            self.expression(&law.stiffness, name, "stiffness")?,
            self.expression(&law.damping, name, "damping")?,
            self.expression(&law.width, name, "width")?,
        ];
        let (rate, zero) = (self.speed_of(delta, name)?, self.graph.constant(0.0));
        let s = delta / w;
        let soft = w * (s * s * s - s * s * s * s * 0.5);
        let p = delta.gt(zero).select(delta.lt(w).select(soft, delta - w * 0.5), zero);
        Ok(k * p * (d * rate + 1.0))
    }
    fn bump_stop(
        &mut self,
        name: &Text,
        between: &[Text; 2],
        length: &Number,
        pull: bool,
        law: &ContactLaw,
    ) -> Made<Applied<'g, 'h>> {
        let (l, u) = self.length(between)?;
        let stop = self.expression(length, name, "length")?;
        let speed = self.speed_of(l, name)?;
        let delta = if pull { l - stop } else { stop - l };
        let n = self.push_back(delta, law, name)?;
        let n = if pull { -n } else { n };
        let refs = [self.b.point_ref(&between[0])?, self.b.point_ref(&between[1])?].map(|r| self.b.port(r));
        let f = scaled(n, &u);
        let sensors = [("force", -n), ("length", l), ("speed", speed)].map(|(k, s)| (k, Value::Scalar(s))).to_vec();
        let mut a = Applied { sensors, ..Applied::default() };
        push(&mut a.work, &refs[1], &f);
        push(&mut a.work, &refs[0], &opposite(&f));
        Ok(a)
    }
    /// (3).
    fn contact(
        &mut self,
        name: &Text,
        [point, plane]: [&Text; 2],
        normal: Option<&Vector>,
        law: &ContactLaw,
        [friction, speed]: [&Number; 2],
    ) -> Made<Applied<'g, 'h>> {
        let refs = [self.b.point_ref(plane)?, self.b.point_ref(point)?];
        let [r0, r] = refs.map(|r| self.b.port(r));
        let last = self.b.m.dimension - 1;
        let n = self.b.numbers.direction(normal, last, &format!("force `{name}`: the normal"))?;
        let n = self.b.frames[refs[0].0].direction(&n);
        let n = self.port(&n);
        let d = difference(&self.port(&r), &self.port(&r0));
        let gap = dot(&d, &n);
        let push_back = self.push_back(-gap, law, name)?;
        let [mu, slip] = [self.expression(friction, name, "friction")?, self.expression(speed, name, "speed")?];
        let mut f = scaled(push_back, &n);
        if mu.as_constant() != Some(0.0) {
            // velocity of the point as seen from the plane's body: rate of the local components
            let body = refs[0].0;
            let axes = self.axes(body);
            let local: Symbols = axes.iter().map(|u| dot(u, &d)).collect();
            let v = combination(&self.speeds_of(&local, name)?, &axes);
            let tangential = difference(&v, &scaled(dot(&v, &n), &n));
            let size = (dot(&tangential, &tangential) + slip * slip).sqrt();
            f = difference(&f, &scaled(mu * push_back / size, &tangential));
        }
        let sensors =
            vec![("force", Value::Vector(f.clone())), ("normal", Value::Scalar(push_back)), ("gap", Value::Scalar(gap))];
        let mut a = Applied { sensors, ..Applied::default() };
        self.push_pair(&mut a.work, refs, &f, name)?;
        Ok(a)
    }
}

/// Names of the displacements, rotations and their rates of a bushing in space.
const BUSHING: [&str; 12] = ["x", "y", "z", "rx", "ry", "rz", "vx", "vy", "vz", "wx", "wy", "wz"];

/// Work of f on a port; components that cannot move are left out.
fn push<'g, 'h>(work: &mut Vec<(Affine<'g>, Sym<'h>)>, port: &Port<'g>, f: &[Sym<'h>]) {
    let moving = port.iter().zip(f).filter(|(x, f)| !x.terms.is_empty() && f.as_constant() != Some(0.0));
    work.extend(moving.map(|(x, &f)| (x.clone(), f)));
}
