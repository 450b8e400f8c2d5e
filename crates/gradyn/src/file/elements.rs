//! Checked tree → [`Mechanism`] and `StudySection`. The reader has seen every key and type; defaults here
//! are those of the format.

mod keys;
mod optimize;
mod parameters;
mod study;
mod vehicle;

pub(super) use study::study;

use super::tree::{Node, Table, Value};
use gradyn_model::ModelError;
use gradyn_model::build::joint::{COUPLINGS, JointSpec};
use gradyn_model::mechanism::*;
use gradyn_model::spec::Kind;
use keys::{
    choice, elements, maybe, no_type, number, numbers, pair, positive, section, sides, text, texts, values,
    vector, vectors, word,
};
use parameters::{parameters, spline};
use study::{event, final_time, initial, objective};

/// The mechanism of a file.
pub(crate) fn mechanism(root: &Table) -> Result<Mechanism, ModelError> {
    // dimension and gravity
    let mut m = Mechanism::new(&text(root, "name").unwrap_or_default().text);
    if let Some(Node { value: Value::Number(d), .. }) = root.get("dimension") {
        m.dimension = *d as usize;
    }
    m.gravity = vector(root, "gravity").unwrap_or(Vector::Components(vec![0.0.into(); m.dimension], None));
    // names for expressions
    let lists = parameters(root, &mut m)?;
    m.constants = numbers(root, "constants").collect();
    m.hard_points = vectors(root, "points");
    bodies(root, &mut m)?;
    // forces and functions of time
    m.drivers = elements(root, "driver").map(|(n, t)| driver(n, t)).collect::<Result<_, _>>()?;
    m.forces = elements(root, "force").map(|(n, t)| force(n, t)).collect::<Result<_, _>>()?;
    m.roads = elements(root, "road").map(|(n, t)| vehicle::road(n, t)).collect::<Result<_, _>>()?;
    m.splines = elements(root, "spline").map(|(n, t)| spline(n, t, &lists)).collect::<Result<_, _>>()?;
    // events, start, functionals, times
    m.events = elements(root, "event").map(|(n, t)| event(n, t)).collect::<Result<_, _>>()?;
    m.initial = section(root, "initial").map_or(Ok(Initial::default()), initial)?;
    m.objectives = elements(root, "objective").map(|(n, t)| objective(n, t)).collect::<Result<_, _>>()?;
    m.outputs = numbers(root, "output").collect();
    if let Some(s) = section(root, "study") {
        m.t_start = number(s, "t_start", 0.0);
        (m.t_end, m.until) = final_time(s)?;
        m.breaks = s.get("breaks").map_or(vec![], Node::numbers);
    }
    Ok(m)
}

/// Bodies and what connects them: joints, constraints, and their penalty factors.
fn bodies(root: &Table, m: &mut Mechanism) -> Result<(), ModelError> {
    // bodies and what connects them
    m.ground = section(root, "ground").map_or(vec![], |g| vectors(g, "points"));
    m.bodies = elements(root, "body").map(|(n, t)| body(n, t)).collect::<Result<_, _>>()?;
    for (name, t) in elements(root, "joint") {
        match coupling(&name, t) {
            Some(coupling) => m.couplings.push(coupling),
            None => m.joints.push(joint(name, t, m.dimension)?),
        }
    }
    // constraints of positions and of velocities
    let constraint =
        |key: &'static str| elements(root, "constraint").filter_map(move |(n, t)| Some((n, maybe(t, key)?)));
    m.constraints = numbers(root, "constraint").chain(constraint("position")).collect();
    m.velocity_constraints = constraint("velocity").collect();
    // penalty factors of whatever has rows
    for key in ["body", "joint", "constraint", "driver"] {
        for (name, t) in elements(root, key) {
            let factors = penalty(t, &format!("{key} `{name}`"))?;
            m.penalties.extend(factors.map(|p| (name, p)));
        }
    }
    Ok(())
}

fn body(name: Text, t: &Table) -> Result<Body, ModelError> {
    let rod = section(t, "rod");
    let own = maybe(t, "mass");
    let inner = rod.and_then(|r| maybe(r, "mass"));
    if let (Some(_), Some(second)) = (&own, &inner) {
        let e = ModelError::new(format!("body `{name}`: the mass is given twice")).at(&second.place);
        return Err(e.help("give it either for the body or inside `rod`"));
    }
    Ok(Body {
        mass: own.or(inner),
        com: vector(t, "com"),
        inertia: values(t, "inertia"),
        points: vectors(t, "points"),
        hard: texts(t, "hard"),
        rod: rod.map(|r| Rod { points: pair(r, "points"), length: maybe(r, "length") }),
        shape: section(t, "shape").map(|s| shape(s, &name)).transpose()?,
        name,
    })
}

fn shape(t: &Table, body: &Text) -> Result<Shape, ModelError> {
    let length = number(t, "length", 0.0);
    let axis = vector(t, "axis");
    let kind = match word(t, "type").text.as_str() {
        "box" => ShapeKind::Box(values(t, "size")),
        "sphere" => ShapeKind::Sphere(number(t, "radius", 0.0)),
        "cylinder" => ShapeKind::Cylinder { radius: number(t, "radius", 0.0), length, axis },
        "tube" => {
            ShapeKind::Tube { outer: number(t, "outer", 0.0), inner: number(t, "inner", 0.0), length, axis }
        }
        _ => return Err(no_type(&format!("body `{body}`"), "shape type", &word(t, "type"))),
    };
    Ok(Shape { kind, density: maybe(t, "density") })
}

fn joint(name: Text, t: &Table, dimension: usize) -> Result<Joint, ModelError> {
    let owner = format!("joint `{name}`");
    let kind_name = word(t, "type");
    // the kind with its number
    let unknown = || no_type(&owner, "joint type", &kind_name);
    let spec = JointSpec::named(&kind_name.text).ok_or_else(unknown)?;
    let value = number(t, spec.number().map_or("", |f| f.name), 0.0);
    let kind = JointKind::from_name(&kind_name.text, value).ok_or_else(unknown)?;
    // directions, in the bodies that have them
    let mut axes = sides(t, &name, ["axis", "axes"])?;
    let normals = sides(t, &name, ["normal", "normals"])?;
    for (axis, has) in axes.iter_mut().zip(spec.axes[dimension - 2]) {
        *axis = axis.take().filter(|_| has);
    }
    let tree = choice(t, "tree", &owner, &[("keep", true), ("cut", false)])?;
    Ok(Joint { name, kind, between: pair(t, "between"), axes, normals, tree })
}

/// A gear or a rack; nothing if the type is none of them.
fn coupling(name: &Text, t: &Table) -> Option<Coupling> {
    let kind_name = word(t, "type");
    let entry = COUPLINGS.iter().find(|c| c.name == kind_name.text)?;
    let key = entry.fields.iter().find(|f| f.required && matches!(f.kind, Kind::Number))?.name;
    let kind = CouplingKind::from_name(&kind_name.text, number(t, key, 0.0))?;
    Some(Coupling { name: name.clone(), kind, joints: pair(t, "joints"), offset: number(t, "offset", 0.0) })
}

fn driver(name: Text, t: &Table) -> Result<Driver, ModelError> {
    let quantity = if let Some(x) = maybe(t, "sensor") {
        Quantity::Sensor(x)
    } else if let Some(body) = text(t, "angle") {
        Quantity::Angle("ground".into(), body)
    } else if let Some(coordinate) = text(t, "coordinate") {
        Quantity::Coordinate(coordinate)
    } else if t.get("distance").is_some() {
        let [a, b] = pair(t, "distance");
        Quantity::Distance(a, b)
    } else if t.get("angle").is_some() {
        let [a, b] = pair(t, "angle");
        Quantity::Angle(a, b)
    } else {
        return Err(ModelError::new(format!("driver `{name}`: what it drives is missing")).at(&name.place));
    };
    Ok(Driver { name, quantity, value: number(t, "value", 0.0) })
}

/// A factor of α, or a table of factors.
fn penalty(t: &Table, owner: &str) -> Result<Option<Penalty>, ModelError> {
    let Some(factors) = section(t, "penalty") else {
        return Ok(positive(t, "penalty", owner)?.map(|alpha| Penalty { alpha, ..Penalty::default() }));
    };
    let factor = |key: &str| Ok(positive(factors, key, &format!("{owner}, penalty"))?.unwrap_or(1.0));
    Ok(Some(Penalty { alpha: factor("alpha")?, xi: factor("xi")?, omega: factor("omega")? }))
}

fn force(name: Text, t: &Table) -> Result<Force, ModelError> {
    let kind = force_kind(&name, t)?;
    let times = [("always", Active::Always), ("motion", Active::Motion)];
    let active = choice(t, "active", &format!("force `{name}`"), &times)?.unwrap_or(Active::Always);
    Ok(Force { name, active, kind })
}

/// What a force is, by its type.
fn force_kind(name: &Text, t: &Table) -> Result<ForceKind, ModelError> {
    Ok(match word(t, "type").text.as_str() {
        // on points, bodies and joints
        "torsion" => ForceKind::Torsion {
            about: about(name, t)?,
            stiffness: number(t, "stiffness", 0.0),
            damping: number(t, "damping", 0.0),
            angle: number(t, "angle", 0.0),
            torque: maybe(t, "torque"),
        },
        "force" => {
            let force = vector(t, "force").unwrap_or([0.0, 0.0].into());
            ForceKind::Point { at: word(t, "at"), force, frame: text(t, "frame") }
        }
        "torque" => {
            let on = word(t, "on");
            let reaction = text(t, "reaction").unwrap_or("ground".into());
            ForceKind::Torque { on, reaction, torque: values(t, "torque"), frame: text(t, "frame") }
        }
        "actuator" => actuator(name, t)?,
        "friction" => ForceKind::Friction {
            joint: word(t, "joint"),
            limit: number(t, "limit", 0.0),
            speed: number(t, "speed", 0.01),
            viscous: number(t, "viscous", 0.0),
        },
        "tyre" => ForceKind::Tyre(Box::new(vehicle::tyre(name, t)?)),
        // between two points
        _ => return between_points(name, t),
    })
}

/// Springs, bushings and contacts between two points.
fn between_points(name: &Text, t: &Table) -> Result<ForceKind, ModelError> {
    // what several types share
    let owner = format!("force `{name}`");
    let between = pair(t, "between");
    let stiffness = || number(t, "stiffness", 0.0);
    let damping = || number(t, "damping", 0.0);
    let law = || ContactLaw { stiffness: stiffness(), damping: damping(), width: number(t, "width", 0.0) };
    // kind by its type
    Ok(match word(t, "type").text.as_str() {
        "bushing" => ForceKind::Bushing {
            between,
            axes: [vector(t, "axis"), vector(t, "normal")],
            stiffness: values(t, "stiffness"),
            damping: values(t, "damping"),
            force: values(t, "force"),
        },
        "bump-stop" => {
            let pull = choice(t, "side", &owner, &[("below", false), ("above", true)])?.unwrap_or(false);
            ForceKind::BumpStop { between, length: number(t, "length", 0.0), pull, law: law() }
        }
        "contact" => ForceKind::Contact {
            point: word(t, "point"),
            plane: word(t, "plane"),
            normal: vector(t, "normal"),
            law: law(),
            friction: number(t, "friction", 0.0),
            speed: number(t, "speed", 0.01),
        },
        "spring-damper" => ForceKind::SpringDamper {
            between,
            stiffness: stiffness(),
            damping: damping(),
            length: number(t, "length", 0.0),
            force: maybe(t, "force"),
        },
        _ => return Err(no_type(&owner, "force type", &word(t, "type"))),
    })
}

/// What an actuator acts along.
fn actuator(name: &Text, t: &Table) -> Result<ForceKind, ModelError> {
    let effort = number(t, "effort", 0.0);
    match (text(t, "joint"), maybe(t, "sensor")) {
        (Some(joint), None) => Ok(ForceKind::Actuator { joint, effort }),
        (None, Some(sensor)) => Ok(ForceKind::Along { sensor, effort }),
        (given, _) => {
            let why = if given.is_some() {
                "both `joint` and `sensor` are given"
            } else {
                "`joint` or `sensor` is missing"
            };
            let e = ModelError::new(format!("force `{name}`: {why}")).at(&name.place);
            Err(e.help("joint = \"NAME\" for its coordinate, sensor = \"…\" for any expression of positions"))
        }
    }
}

/// What a torsional spring turns about.
fn about(name: &Text, t: &Table) -> Result<About, ModelError> {
    match (text(t, "joint"), t.get("between")) {
        (Some(joint), None) => Ok(About::Joint(joint)),
        (None, Some(_)) => Ok(About::Bodies(pair(t, "between"))),
        (given, _) => {
            let why = if given.is_some() {
                "both `between` and `joint` are given"
            } else {
                "`between` or `joint` is missing"
            };
            let e = ModelError::new(format!("force `{name}`: {why}")).at(&name.place);
            Err(e.help(
                "between = [\"body1\", \"body2\"] in the plane, joint = \"NAME\" for a joint that turns",
            ))
        }
    }
}
