//! What each force applies, in symbols: work on ports and the sensors that read it.
//!
//! ```text
//! spring      T = k (ℓ - ℓ₀) + c ℓ̇ + f                                                            (1)
//! ```
//! A force f at a point of body 2 reacts on body 1 as -f at its own point r₁ and the torque -(r₂ - r₁) × f,
//! so that momentum and angular momentum are kept.

mod bushing;
mod contact;
mod tyre;
mod work;

pub(crate) use tyre::Guard;

use super::joint::Coordinate;
use super::sensors::list;
use super::symbols::SensorEnv;
use super::vectors::{Port, Symbols, combination, cross, difference, dot, opposite, scaled};
use crate::error::ModelError;
use crate::expression::{Value, compile};
use crate::mechanism::{About, Force, ForceKind, Number, Source, Text, Vector};
use crate::ports::Affine;
use crate::program::Sym;

/// (port component, force on it).
pub(super) type Work<'g, 'h> = Vec<(Affine<'g>, Sym<'h>)>;

/// What a force applies.
#[derive(Default)]
pub(crate) struct Applied<'g, 'h> {
    /// (port component, force on it).
    pub work: Work<'g, 'h>,
    /// (port component, force on it) of what acts in motion only: it has no meaning at rest.
    pub motion: Work<'g, 'h>,
    /// Where the force is not defined.
    pub guards: Vec<Guard<'h>>,
    /// Sensors by name.
    pub sensors: Vec<(&'static str, Value<'h>)>,
    /// Elastic energy of a linear spring.
    pub energy: Option<Sym<'h>>,
}

type Made<T> = Result<T, ModelError>;

impl<'g, 'h> SensorEnv<'_, 'g, '_, 'h> {
    /// What force `k` applies.
    pub(crate) fn applied(&mut self, k: usize) -> Made<Applied<'g, 'h>> {
        let m = self.b.m;
        let f: &Force = &m.forces[k];
        if self.reading.contains(&f.name.text) {
            let e = ModelError::new(format!("force `{}` reads itself", f.name)).at(&f.name.place);
            return Err(e.help("a force may read positions, velocities and other forces, not its own value"));
        }
        self.reading.push(f.name.text.clone());
        let outer = std::mem::take(&mut self.local); // names of the force that reads this one
        let applied = self.apply(f);
        self.local = outer;
        self.reading.pop();
        Ok(self.switched(&f.name.text, applied?))
    }
    fn apply(&mut self, f: &Force) -> Made<Applied<'g, 'h>> {
        let name = &f.name;
        // work on ports and sensors of each kind
        match &f.kind {
            ForceKind::SpringDamper { between, stiffness, damping, length, force } => {
                let (y, _) = self.length(between)?;
                self.law(name, ["force", "length"], y, [stiffness, damping, length], force.as_ref())
            }
            ForceKind::Torsion { about, stiffness, damping, angle, torque } => {
                self.torsion(name, about, [stiffness, damping, angle], torque.as_ref())
            }
            ForceKind::Point { at, force, frame } => self.point_load(name, at, force, frame),
            ForceKind::Torque { on, reaction, torque, frame } => {
                self.torque_load(name, [reaction, on], torque, frame)
            }
            ForceKind::Actuator { joint, effort } => {
                let effort = self.expression(effort, name, "effort")?;
                self.along_joint(name, joint, |_, _| effort)
            }
            ForceKind::Along { sensor, effort } => self.along_sensor(name, sensor, effort),
            ForceKind::Friction { joint, limit, speed, viscous } => {
                let [limit, speed, viscous] = [
                    self.expression(limit, name, "limit")?,
                    self.expression(speed, name, "speed")?,
                    self.expression(viscous, name, "viscous")?,
                ];
                self.along_joint(name, joint, |_, v| -(limit * (v / speed).tanh() + viscous * v))
            }
            ForceKind::Bushing { between, axes, stiffness, damping, force } => {
                bushing::bushing(self, name, between, axes, [stiffness, damping, force])
            }
            ForceKind::BumpStop { between, length, pull, law } => {
                contact::bump_stop(self, name, between, length, *pull, law)
            }
            ForceKind::Contact { point, plane, normal, law, friction, speed } => {
                contact::contact(self, name, [point, plane], normal.as_ref(), law, [friction, speed])
            }
            ForceKind::Tyre(tyre) => tyre::tyre(self, name, tyre),
        }
    }
    /// A force on a point, in global components or in those of a body.
    fn point_load(
        &mut self,
        name: &Text,
        at: &Text,
        force: &Vector,
        frame: &Option<Text>,
    ) -> Made<Applied<'g, 'h>> {
        let r = self.b.point_ref(at)?;
        let f = self.components(force, name, "force")?;
        let f = self.in_frame(f, frame)?;
        let mut a = Applied { sensors: vec![("force", Value::Vector(f.clone()))], ..Applied::default() };
        let port = self.b.port(r);
        push(&mut a.work, &port, &f);
        Ok(a)
    }
    /// A torque on the second body, and its reaction on the first.
    fn torque_load(
        &mut self,
        name: &Text,
        bodies: [&Text; 2],
        torque: &[Number],
        frame: &Option<Text>,
    ) -> Made<Applied<'g, 'h>> {
        // τ in global components
        let bodies = [self.b.body(bodies[0])?, self.b.body(bodies[1])?];
        let tau = torque.iter().map(|x| self.expression(x, name, "torque")).collect::<Made<Symbols>>()?;
        let tau = if tau.len() == 3 { self.in_frame(tau, frame)? } else { tau };
        // what sensors read, and its work on both bodies
        let value = if tau.len() == 1 { Value::Scalar(tau[0]) } else { Value::Vector(tau.clone()) };
        let mut a = Applied { sensors: vec![("torque", value)], ..Applied::default() };
        self.push_torque(&mut a.work, bodies[1], &tau, name)?;
        self.push_torque(&mut a.work, bodies[0], &opposite(&tau), name)?;
        Ok(a)
    }
    /// Elastic energies of the linear springs.
    pub(crate) fn springs(&mut self) -> Symbols<'h> {
        (0..self.b.m.forces.len()).filter_map(|k| self.applied(k).ok()?.energy).collect()
    }
    /// A number that may be an expression of sensors.
    pub(crate) fn expression(&mut self, x: &Number, name: &Text, field: &str) -> Made<Sym<'h>> {
        self.number_of(x, &format!("force `{name}`, {field}"))
    }
    /// A number of `what` that may be an expression of sensors.
    pub(crate) fn number_of(&mut self, x: &Number, what: &str) -> Made<Sym<'h>> {
        if let Source::Value(v) = x.source {
            if !v.is_finite() {
                return Err(ModelError::new(format!("{what}: {v} is not a finite number")).at(&x.place));
            }
            return Ok(self.graph.constant(v));
        }
        let ast = self.b.numbers.parse_with_sides(x, what)?;
        match compile(&ast, self.graph, self).map_err(|e| ModelError::expression(what, x, e))? {
            Value::Scalar(s) => Ok(s),
            Value::Vector(_) => {
                Err(ModelError::new(format!("{what}: a number is expected here, not a vector")).at(&x.place))
            }
        }
    }
    fn components(&mut self, v: &Vector, name: &Text, field: &str) -> Made<Symbols<'h>> {
        let d = self.b.m.dimension;
        let parts = match v {
            Vector::Components(c, _) => {
                c.iter().map(|x| self.expression(x, name, field)).collect::<Made<Symbols>>()?
            }
            Vector::Expression(x) => {
                let what = format!("force `{name}`, {field}");
                let ast = self.b.numbers.parse_with_sides(x, &what)?;
                list(&compile(&ast, self.graph, self).map_err(|e| ModelError::expression(&what, x, e))?)
            }
        };
        if parts.len() == d {
            return Ok(parts);
        }
        let e =
            ModelError::new(format!("force `{name}`, {field}: {} components in a {d}-D model", parts.len()));
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
            let e =
                ModelError::new(format!("`{t}` is a rod, which has no directions but its own")).at(&t.place);
            return Err(e.help("name a body with inertia or shape"));
        }
        Ok(b)
    }
    fn speed_of(&mut self, s: Sym<'h>, name: &Text) -> Made<Sym<'h>> {
        self.rate(s).map_err(|what| {
            ModelError::new(format!("force `{name}`: {what} is not available")).at(&name.place)
        })
    }
    fn speeds_of(&mut self, s: &[Sym<'h>], name: &Text) -> Made<Symbols<'h>> {
        self.rates(s).map_err(|what| {
            ModelError::new(format!("force `{name}`: {what} is not available")).at(&name.place)
        })
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
        // ẏ and the numbers k, c, y₀
        let speed = self.speed_of(y, name)?;
        let [k, c, rest] = [
            self.expression(k, name, "stiffness")?,
            self.expression(c, name, "damping")?,
            self.expression(rest, name, along)?,
        ];
        // k (y - y₀) + c ẏ + what is added
        let mut t = k * (y - rest) + c * speed;
        if let Some(x) = extra {
            let before = std::mem::replace(&mut self.local, vec![(along.into(), y), ("speed".into(), speed)]);
            let more = self.expression(x, name, effort);
            self.local = before;
            t = t + more?;
        }
        // sensors, and ½ k (y - y₀)² of a spring
        let sensors = [(effort, t), (along, y), ("speed", speed)].map(|(n, s)| (n, Value::Scalar(s)));
        let energy = (k.as_constant() != Some(0.0)).then(|| k * (y - rest) * (y - rest) * 0.5);
        // an element does the work, unless events switch it
        let parts = self.b.modes.contains_key(&name.text).then(|| self.gradient(y)).flatten();
        let work = parts.into_iter().flatten().map(|(x, slope)| (x, -(t * slope))).collect();
        Ok(Applied { sensors: sensors.to_vec(), energy, work, ..Applied::default() })
    }
    fn torsion(
        &mut self,
        name: &Text,
        about: &About,
        numbers: [&Number; 3],
        extra: Option<&Number>,
    ) -> Made<Applied<'g, 'h>> {
        // in the plane the angle of two bodies: an element does the work
        match about {
            About::Bodies(between) => {
                let [a, b] = [self.b.body(&between[0])?, self.b.body(&between[1])?];
                let k = self.b.plane_angle(a, b);
                let y = self.angle(k);
                self.law(name, ["torque", "angle"], y, numbers, extra)
            }
            // about a joint: the torque works on both bodies
            About::Joint(joint) => {
                let k = self.b.joint(joint)?;
                let Some(angle) = self.b.joint_angle(k, Coordinate::Angle) else {
                    let kind = self.b.m.joints[k].kind.word();
                    let e =
                        ModelError::new(format!("force `{name}`: the {kind} joint `{joint}` has no angle"))
                            .at(&joint.place);
                    return Err(e.help("revolute, cylindrical, screw and planar joints have one"));
                };
                let y = self.angle(angle);
                let mut a = self.law(name, ["torque", "angle"], y, numbers, extra)?;
                let Value::Scalar(t) = a.sensors[0].1 else { unreachable!("a torque is a number") };
                self.push_about_joint(&mut a.work, k, -t, name)?;
                Ok(a)
            }
        }
    }
    /// The joint of a name and its coordinate: angle, or position where it has no angle.
    pub(crate) fn joint_coordinate(&mut self, name: &Text, joint: &Text) -> Made<(usize, Sym<'h>)> {
        let k = self.b.joint(joint)?;
        if self.b.m.joints[k].kind.spec().slides() {
            let axis = self.b.joint_frames[k].axes[0].clone();
            return Ok((k, self.joint_position(k, &axis)));
        }
        match self.b.joint_angle(k, Coordinate::Angle) {
            Some(a) => Ok((k, self.angle(a))),
            None => {
                let kind = self.b.m.joints[k].kind.word();
                let e =
                    ModelError::new(format!("`{name}`: the {kind} joint `{joint}` has no single coordinate"))
                        .at(&joint.place);
                Err(e.help("revolute, prismatic, cylindrical and screw joints have one"))
            }
        }
    }
    /// An effort F along a sensor y of positions: F ∂y/∂x on every port component x that y reads.
    fn along_sensor(&mut self, name: &Text, sensor: &Number, effort: &Number) -> Made<Applied<'g, 'h>> {
        // y and its effort, an expression of `value` and `speed`
        let y = self.expression(sensor, name, "sensor")?;
        let speed = self.speed_of(y, name)?;
        let before = std::mem::replace(&mut self.local, vec![("value".into(), y), ("speed".into(), speed)]);
        let effort = self.expression(effort, name, "effort");
        self.local = before;
        let effort = effort?;
        // F ∂y/∂x on each port component
        let Some(slopes) = self.gradient(y) else {
            let e = ModelError::new(format!("force `{name}`: its sensor reads more than positions"))
                .at(&sensor.place);
            return Err(e.help("a force acts along an expression of positions and angles"));
        };
        let work = slopes.into_iter().map(|(x, slope)| (x, effort * slope)).collect();
        let sensors = vec![("effort", Value::Scalar(effort)), ("speed", Value::Scalar(speed))];
        Ok(Applied { work, sensors, ..Applied::default() })
    }
}

/// Work of f on a port; components that cannot move are left out.
fn push<'g, 'h>(work: &mut Work<'g, 'h>, port: &Port<'g>, f: &[Sym<'h>]) {
    let moving = port.iter().zip(f).filter(|(x, f)| !x.terms.is_empty() && f.as_constant() != Some(0.0));
    work.extend(moving.map(|(x, &f)| (x.clone(), f)));
}
