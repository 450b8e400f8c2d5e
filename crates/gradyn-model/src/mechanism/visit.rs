//! Every number of a mechanism that may be an expression of parameters.

use super::*;

type Visitor<'a> = &'a mut dyn FnMut(&str, &mut Number);

impl Vector {
    pub(super) fn visit(&mut self, owner: &str, f: Visitor) {
        match self {
            Vector::Components(c, _) => c.iter_mut().for_each(|x| f(owner, x)),
            Vector::Expression(x) => f(owner, x),
        }
    }
}

impl Mechanism {
    /// Calls `f(owner, number)` for every number that may be an expression of parameters; the owner is such
    /// as `body A1`.
    pub fn visit_numbers(&mut self, f: Visitor) {
        self.gravity.visit("gravity", f);
        self.constants.iter_mut().for_each(|(n, x)| f(&format!("constant {n}"), x));
        self.hard_points.iter_mut().for_each(|(n, v)| v.visit(&format!("hard point {n}"), f));
        self.ground.iter_mut().for_each(|(n, v)| v.visit(&format!("ground.{n}"), f));
        self.bodies.iter_mut().for_each(|b| b.visit(f));
        self.joints.iter_mut().for_each(|j| j.visit(f));
        self.couplings.iter_mut().for_each(|c| c.visit(f));
        let constraints = self.constraints.iter_mut().chain(&mut self.velocity_constraints);
        constraints.for_each(|(n, x)| f(&format!("constraint {n}"), x));
        for d in &mut self.drivers {
            let owner = format!("driver {}", d.name);
            if let Quantity::Sensor(x) = &mut d.quantity {
                f(&owner, x);
            }
            f(&owner, &mut d.value);
        }
        self.forces.iter_mut().for_each(|x| x.kind.visit(&format!("force {}", x.name), f));
        for r in &mut self.roads {
            if let Height::Expression(x) = &mut r.height {
                f(&format!("road {}", r.name), x);
            }
        }
        for s in &mut self.splines {
            s.values.iter_mut().for_each(|x| f(&format!("spline {}", s.name), x));
        }
        self.events.iter_mut().for_each(|e| e.visit(f));
        self.initial.visit(f);
        for o in &mut self.objectives {
            let owner = format!("objective {}", o.name);
            o.integral.iter_mut().chain(&mut o.terminal).for_each(|x| f(&owner, x));
        }
        self.until.iter_mut().for_each(|x| f("times", x));
        // the latest time is a constant
        let end = self.until.is_none().then_some(&mut self.t_end);
        [&mut self.t_start].into_iter().chain(end).chain(&mut self.breaks).for_each(|x| f("times", x));
    }
}

impl Event {
    fn visit(&mut self, f: Visitor) {
        let owner = format!("event {}", self.name);
        f(&owner, &mut self.when);
        self.impact.iter_mut().for_each(|x| f(&owner, x));
        self.reset.iter_mut().chain(&mut self.place).for_each(|(_, x)| f(&owner, x));
    }
}

impl Initial {
    fn visit(&mut self, f: Visitor) {
        self.position.iter_mut().for_each(|(_, v)| f("initial position", v));
        if let Some(e) = &mut self.equilibrium {
            e.free.iter_mut().chain(&mut e.hold).for_each(|(_, v)| f("equilibrium", v));
        }
        if let InitialVelocity::Conditions(list) = &mut self.velocity {
            list.iter_mut().for_each(|(_, v)| f("initial velocity", v));
        }
    }
}

impl Body {
    fn visit(&mut self, f: Visitor) {
        let owner = format!("body {}", self.name);
        self.mass.iter_mut().chain(&mut self.inertia).for_each(|x| f(&owner, x));
        self.com.iter_mut().chain(self.points.iter_mut().map(|p| &mut p.1)).for_each(|v| v.visit(&owner, f));
        self.rod.iter_mut().flat_map(|r| &mut r.length).for_each(|x| f(&owner, x));
        if let Some(shape) = &mut self.shape {
            shape.density.iter_mut().for_each(|x| f(&owner, x));
            shape.kind.visit(&owner, f);
        }
    }
}

impl ShapeKind {
    fn visit(&mut self, owner: &str, f: Visitor) {
        match self {
            ShapeKind::Box(sides) => sides.iter_mut().for_each(|x| f(owner, x)),
            ShapeKind::Sphere(radius) => f(owner, radius),
            ShapeKind::Cylinder { radius, length, axis } => {
                [radius, length].into_iter().for_each(|x| f(owner, x));
                axis.iter_mut().for_each(|v| v.visit(owner, f));
            }
            ShapeKind::Tube { outer, inner, length, axis } => {
                [outer, inner, length].into_iter().for_each(|x| f(owner, x));
                axis.iter_mut().for_each(|v| v.visit(owner, f));
            }
        }
    }
}

impl Joint {
    fn visit(&mut self, f: Visitor) {
        let owner = format!("joint {}", self.name);
        self.axes.iter_mut().chain(&mut self.normals).flatten().for_each(|v| v.visit(&owner, f));
        self.kind.number_mut().into_iter().for_each(|x| f(&owner, x));
    }
}

impl Coupling {
    fn visit(&mut self, f: Visitor) {
        let owner = format!("joint {}", self.name);
        match &mut self.kind {
            CouplingKind::Gear { ratio: x } | CouplingKind::Rack { radius: x } => f(&owner, x),
        }
        f(&owner, &mut self.offset);
    }
}

impl ContactLaw {
    fn visit(&mut self, owner: &str, f: Visitor) {
        [&mut self.stiffness, &mut self.damping, &mut self.width].into_iter().for_each(|x| f(owner, x));
    }
}

impl ForceKind {
    fn visit(&mut self, owner: &str, f: Visitor) {
        // the numbers of each kind, in the order of its fields
        match self {
            ForceKind::SpringDamper { stiffness, damping, length, force, .. } => {
                [stiffness, damping, length].into_iter().chain(force).for_each(|x| f(owner, x));
            }
            ForceKind::Torsion { stiffness, damping, angle, torque, .. } => {
                [stiffness, damping, angle].into_iter().chain(torque).for_each(|x| f(owner, x));
            }
            ForceKind::Point { force, .. } => force.visit(owner, f),
            ForceKind::Torque { torque, .. } => torque.iter_mut().for_each(|x| f(owner, x)),
            ForceKind::Actuator { effort, .. } => f(owner, effort),
            ForceKind::Along { sensor, effort } => [sensor, effort].into_iter().for_each(|x| f(owner, x)),
            ForceKind::Friction { limit, speed, viscous, .. } => {
                [limit, speed, viscous].into_iter().for_each(|x| f(owner, x));
            }
            ForceKind::Bushing { axes, stiffness, damping, force, .. } => {
                axes.iter_mut().flatten().for_each(|v| v.visit(owner, f));
                stiffness.iter_mut().chain(damping).chain(force).for_each(|x| f(owner, x));
            }
            ForceKind::BumpStop { length, law, .. } => {
                f(owner, length);
                law.visit(owner, f);
            }
            ForceKind::Contact { normal, law, friction, speed, .. } => {
                normal.iter_mut().for_each(|v| v.visit(owner, f));
                law.visit(owner, f);
                [friction, speed].into_iter().for_each(|x| f(owner, x));
            }
            ForceKind::Tyre(tyre) => tyre.visit(owner, f),
        }
    }
}
