//! Checked tree → [`Mechanism`] and [`StudySection`]. The reader has seen every key and type; defaults here
//! are those of the format.

mod optimize;
mod vehicle;

use super::StudySection;
use super::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::build::joint::{COUPLINGS, JointSpec};
use gradyn_model::error::nearest;
use gradyn_model::expression::constant;
use gradyn_model::mechanism::*;
use gradyn_model::spec::{Kind, MAX_COUNT};
use std::ops::Range;

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
    // forces and functions of time
    m.drivers = elements(root, "driver").map(|(n, t)| driver(n, t)).collect::<Result<_, _>>()?;
    m.forces = elements(root, "force").map(|(n, t)| force(n, t)).collect::<Result<_, _>>()?;
    m.roads = elements(root, "road").map(|(n, t)| vehicle::road(n, t)).collect::<Result<_, _>>()?;
    m.splines = elements(root, "spline").map(|(n, t)| spline(n, t, &lists)).collect::<Result<_, _>>()?;
    // start, functionals, times
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

// values of keys

fn section<'a>(t: &'a Table, key: &str) -> Option<&'a Table> {
    t.get(key)?.table()
}
fn entries<'a>(t: &'a Table, key: &str) -> impl Iterator<Item = &'a (Word, Node)> {
    section(t, key).into_iter().flat_map(|t| &t.entries)
}
fn elements<'a>(t: &'a Table, key: &str) -> impl Iterator<Item = (Text, &'a Table)> {
    entries(t, key).filter_map(|(name, node)| Some((name.name(), node.table()?)))
}
fn text(t: &Table, key: &str) -> Option<Text> {
    t.get(key)?.word().map(Word::name)
}
fn word(t: &Table, key: &str) -> Text {
    text(t, key).unwrap_or_default()
}
fn texts(t: &Table, key: &str) -> Vec<Text> {
    t.get(key).map_or(&[][..], Node::items).iter().filter_map(|n| n.word().map(Word::name)).collect()
}
fn maybe(t: &Table, key: &str) -> Option<Number> {
    t.get(key)?.number()
}
fn number(t: &Table, key: &str, default: f64) -> Number {
    maybe(t, key).unwrap_or(default.into())
}
fn vector(t: &Table, key: &str) -> Option<Vector> {
    t.get(key)?.vector()
}
fn pair(t: &Table, key: &str) -> [Text; 2] {
    let item = |i: usize| t.get(key)?.items().get(i)?.word().map(Word::name);
    [0, 1].map(|i| item(i).unwrap_or_default())
}
/// A number or a list of them, rows of a matrix one after the other.
fn values(t: &Table, key: &str) -> Vec<Number> {
    let Some(node) = t.get(key) else { return vec![] };
    match &node.value {
        Value::List(items) => {
            let row = |i: &Node| {
                if let Value::List(_) = i.value { i.numbers() } else { i.number().into_iter().collect() }
            };
            items.iter().flat_map(row).collect()
        }
        _ => node.number().into_iter().collect(),
    }
}
/// One of some words by its name; the reader has seen that it is one of them.
fn choice<T: Copy>(t: &Table, key: &str, owner: &str, words: &[(&str, T)]) -> Result<Option<T>, ModelError> {
    let Some(word) = text(t, key) else { return Ok(None) };
    match words.iter().find(|w| w.0 == word.text) {
        Some(found) => Ok(Some(found.1)),
        None => Err(no_type(owner, key, &word)),
    }
}
/// A name that is in the tables of the format, but that the element does not have.
fn no_type(owner: &str, noun: &str, word: &Text) -> ModelError {
    ModelError::new(format!("{owner}: there is no {noun} `{word}`")).at(&word.place)
}
/// `one` for both sides, or `two` for each; both is a mistake.
fn sides(t: &Table, owner: &Text, [one, two]: [&str; 2]) -> Result<[Option<Vector>; 2], ModelError> {
    if let (Some(_), Some((key, _))) = (t.get(one), t.entries.iter().find(|(k, _)| k.text == two)) {
        let e = ModelError::new(format!("joint `{owner}`: `{one}` and `{two}` are both given"))
            .at(&Some(key.place.clone()));
        return Err(e.help(format!("`{one}` is for both bodies, `{two}` has one for each")));
    }
    let item = |i: usize| t.get(two)?.items().get(i)?.vector();
    Ok([0, 1].map(|i| vector(t, one).or(item(i))))
}
fn numbers(t: &Table, key: &str) -> impl Iterator<Item = (Text, Number)> {
    entries(t, key).filter_map(|(name, node)| Some((name.name(), node.number()?)))
}
fn vectors(t: &Table, key: &str) -> Vec<(Text, Vector)> {
    entries(t, key).filter_map(|(name, node)| Some((name.name(), node.vector()?))).collect()
}
fn conditions(t: &Table, key: &str) -> Vec<(Number, Number)> {
    entries(t, key).filter_map(|(key, node)| Some((key.expression(), node.number()?))).collect()
}

// parameters and splines

/// List parameters and how many values they have.
type Lists = Vec<(String, usize)>;

fn parameters(root: &Table, m: &mut Mechanism) -> Result<Lists, ModelError> {
    let mut lists = vec![];
    // a number alone is a parameter without bounds
    for (name, node) in entries(root, "parameters") {
        let Some(t) = node.table() else {
            let value = node.number().unwrap_or(0.0.into());
            m.parameters.push(Parameter {
                name: name.name(),
                value,
                unit: String::new(),
                min: None,
                max: None,
                scale: None,
            });
            continue;
        };
        // a table: one parameter, or one for each value of a list
        let one = |name: Text, value: Number| Parameter {
            name,
            value,
            unit: text(t, "unit").unwrap_or_default().text,
            min: maybe(t, "min"),
            max: maybe(t, "max"),
            scale: maybe(t, "scale"),
        };
        match list_values(name, t)? {
            None => m.parameters.push(one(name.name(), number(t, "value", 0.0))),
            Some(values) => {
                lists.push((name.text.clone(), values.len()));
                let named =
                    |i: usize| Text { text: format!("{}_{i}", name.text), place: Some(name.place.clone()) };
                m.parameters.extend(values.into_iter().enumerate().map(|(i, v)| one(named(i), v)));
            }
        }
    }
    Ok(lists)
}

/// The values of a list parameter; `None` if it is a single one.
fn list_values(name: &Word, t: &Table) -> Result<Option<Vec<Number>>, ModelError> {
    // count and values, as far as they are given
    let count = t
        .get("count")
        .and_then(|c| if let Value::Number(x) = c.value { Some((x as usize, &c.place)) } else { None });
    let values =
        t.get("value").filter(|v| matches!(v.value, Value::List(_))).map(|v| (v.numbers(), &v.place));
    let wrong = |message: String, place: &Range<usize>| {
        Err(ModelError::new(format!("parameter `{}`, {message}", name.text)).at(&Some(place.clone())))
    };
    // values, where both agree
    match (count, values) {
        (_, Some((v, place))) if v.is_empty() || v.len() > MAX_COUNT => {
            wrong(format!("value: from 1 to {MAX_COUNT} values are expected here, not {}", v.len()), place)
        }
        (Some((n, place)), Some((v, _))) if v.len() != n => {
            wrong(format!("count: {n}, but `value` has {} values", v.len()), place)
        }
        (_, Some((v, _))) => Ok(Some(v)),
        (Some((n, _)), None) => Ok(Some(vec![number(t, "value", 0.0); n])),
        (None, None) => Ok(None),
    }
}

fn spline(name: Text, t: &Table, lists: &Lists) -> Result<Spline, ModelError> {
    // kind, and its keys
    let kinds = [("cyclic", true), ("clamped", false)];
    let cyclic = choice(t, "kind", &format!("spline `{name}`"), &kinds)?.unwrap_or(false);
    if let Some((key, _)) = t.entries.iter().find(|(k, _)| k.text == "period" && !cyclic) {
        let e = ModelError::new(format!("spline `{name}`: only a cyclic spline has a period"))
            .at(&Some(key.place.clone()));
        return Err(e.help("write `duration`: the time from the first to the last value"));
    }
    // values = numbers, or the members of a list parameter
    let values = match text(t, "values") {
        None => t.get("values").map_or(vec![], Node::numbers),
        Some(list) => {
            let Some((_, n)) = lists.iter().find(|l| l.0 == list.text) else {
                let e =
                    ModelError::new(format!("spline `{name}`, values: there is no list parameter `{list}`"))
                        .at(&list.place);
                return Err(e.help(match nearest(&list.text, lists.iter().map(|l| l.0.as_str())) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "a list parameter has a `count`, or a list as its `value`".into(),
                }));
            };
            let named = |i| Source::Expression(format!("{list}_{i}"));
            (0..*n).map(|i| Number { source: named(i), place: list.place.clone(), exact: false }).collect()
        }
    };
    // duration or period
    let duration = maybe(t, "duration").or(maybe(t, "period")).unwrap_or(1.0.into());
    Ok(Spline { name, cyclic, start: number(t, "start", 0.0), duration, values })
}

// elements

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
    // what several types share
    let owner = format!("force `{name}`");
    let between = pair(t, "between");
    let stiffness = number(t, "stiffness", 0.0);
    let damping = number(t, "damping", 0.0);
    let law = || ContactLaw {
        stiffness: stiffness.clone(),
        damping: damping.clone(),
        width: number(t, "width", 0.0),
    };
    // kind by its type
    let kind = match word(t, "type").text.as_str() {
        "torsion" => ForceKind::Torsion {
            about: about(&name, t)?,
            stiffness,
            damping,
            angle: number(t, "angle", 0.0),
            torque: maybe(t, "torque"),
        },
        "force" => {
            let force = vector(t, "force").unwrap_or([0.0, 0.0].into());
            ForceKind::Point { at: word(t, "at"), force, frame: text(t, "frame") }
        }
        "torque" => {
            let reaction = text(t, "reaction").unwrap_or("ground".into());
            ForceKind::Torque {
                on: word(t, "on"),
                reaction,
                torque: values(t, "torque"),
                frame: text(t, "frame"),
            }
        }
        "actuator" => actuator(&name, t)?,
        "friction" => ForceKind::Friction {
            joint: word(t, "joint"),
            limit: number(t, "limit", 0.0),
            speed: number(t, "speed", 0.01),
            viscous: number(t, "viscous", 0.0),
        },
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
        "tyre" => ForceKind::Tyre(Box::new(vehicle::tyre(&name, t)?)),
        "spring-damper" => {
            let length = number(t, "length", 0.0);
            ForceKind::SpringDamper { between, stiffness, damping, length, force: maybe(t, "force") }
        }
        _ => return Err(no_type(&owner, "force type", &word(t, "type"))),
    };
    // when it acts
    let times = [("always", Active::Always), ("motion", Active::Motion)];
    let active = choice(t, "active", &owner, &times)?.unwrap_or(Active::Always);
    Ok(Force { name, active, kind })
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

fn initial(t: &Table) -> Result<Initial, ModelError> {
    // what contradicts itself
    let place = |key: &str| t.entries.iter().find(|(k, _)| k.text == key).map(|(k, _)| k.place.clone());
    if section(t, "equilibrium").is_some() && place("position").is_some() {
        let e = ModelError::new("[initial] has both `position` and `equilibrium`").at(&place("equilibrium"));
        return Err(e.help(
            "in an equilibrium the forces say where everything is: keep conditions for what they leave free",
        ));
    }
    if section(t, "equilibrium").is_none() && place("hold").is_some() {
        let e = ModelError::new("[initial]: `hold` belongs to `equilibrium`").at(&place("hold"));
        return Err(e.help("add equilibrium = {}, or write `position` instead of `hold`"));
    }
    // conditions of positions, of an equilibrium and of velocities
    let free = conditions(t, "equilibrium");
    let hold = conditions(t, "hold");
    let velocity = match section(t, "velocity") {
        Some(_) => InitialVelocity::Conditions(conditions(t, "velocity")),
        None => InitialVelocity::Rest,
    };
    let equilibrium = section(t, "equilibrium").map(|_| Equilibrium { free, hold });
    Ok(Initial { position: conditions(t, "position"), equilibrium, velocity, near: vectors(t, "near") })
}

/// The final time, or the latest one and the condition for it.
fn final_time(s: &Table) -> Result<(Number, Option<Number>), ModelError> {
    // t_end alone, or until with t_max
    let [end, until, most] = ["t_end", "until", "t_max"].map(|key| maybe(s, key));
    let wrong =
        |message: &str, at: &Number, help: &str| Err(ModelError::new(message).at(&at.place).help(help));
    match (end, until, most) {
        (Some(_), Some(until), _) => wrong(
            "[study] has both `t_end` and `until`",
            &until,
            "with `until` give the latest time as `t_max`",
        ),
        (_, Some(until), None) => {
            wrong("[study]: `until` needs a latest time", &until, "add `t_max`, such as t_max = 10")
        }
        (_, None, Some(most)) => wrong(
            "[study]: `t_max` belongs to `until`",
            &most,
            "give the final time as `t_end`, or a condition as `until`",
        ),
        (_, until @ Some(_), Some(most)) => Ok((most, until)),
        (end, None, None) => Ok((end.unwrap_or(1.0.into()), None)),
    }
}
fn objective(name: Text, t: &Table) -> Result<Objective, ModelError> {
    let parent = format!("objective `{name}`");
    // constants of a smooth maximum
    let [sharpness, duration] = ["sharpness", "duration"].map(|key| positive(t, key, &parent));
    let sharpness = sharpness?;
    let duration = duration?;
    let near = fixed(t, "near", &parent)?;
    let wrong = |message: &str, help: &str| {
        Err(ModelError::new(format!("{parent}: {message}")).at(&name.place).help(help))
    };
    // a maximum alone, or integral and terminal
    let [integral, terminal, y] = ["integral", "terminal", "maximum"].map(|key| maybe(t, key));
    match (y, sharpness, duration) {
        (Some(_), ..) if integral.is_some() || terminal.is_some() => wrong(
            "`maximum` stands alone",
            "make another objective of `integral` and `terminal`, and minimise both with weights",
        ),
        (Some(y), Some(sharpness), Some(duration)) => {
            let maximum = Some(Maximum { sharpness, duration, near: near.unwrap_or(0.0) });
            Ok(Objective { name, integral: Some(y), terminal: None, maximum })
        }
        (Some(_), ..) => wrong("`maximum` needs `sharpness` and `duration`", SMOOTH),
        (None, None, None) if near.is_none() => Ok(Objective { name, integral, terminal, maximum: None }),
        _ => wrong("`sharpness`, `duration` and `near` belong to `maximum`", SMOOTH),
    }
}

const SMOOTH: &str = "peak = { maximum = \"y\", sharpness = 100, duration = \"1 ms\" } is between the level \
    that y exceeds for 1 ms and the maximum + ln(T / 1 ms)/100";

// study

/// The study of a file.
pub(crate) fn study(root: &Table) -> Result<StudySection, ModelError> {
    let Some(s) = section(root, "study") else { return Ok(StudySection::default()) };
    // what is not of the method
    let output_step = positive(s, "output_step", "study")?;
    let optimize = section(s, "optimize").map(optimize::optimize).transpose()?;
    let Some(m) = section(s, "method") else {
        return Ok(StudySection { output_step, optimize, ..StudySection::default() });
    };
    // options as text, as on the command line
    let option = |(name, node): &(Word, Node)| {
        let value = match &node.value {
            Value::Text(word) => word.text.clone(),
            Value::Number(x) => x.to_string(),
            Value::Flag(b) => b.to_string(),
            _ => return None,
        };
        Some((name.name(), value))
    };
    // what is of the method
    let positive = |key: &str| positive(m, key, "study, method");
    Ok(StudySection {
        coordinates: text(m, "coordinates"),
        formulation: text(m, "formulation"),
        integrator: text(m, "integrator"),
        sensitivity: text(m, "sensitivity"),
        step: positive("step")?,
        rtol: positive("rtol")?,
        atol: positive("atol")?,
        tolerance_place: ["rtol", "atol"].iter().find_map(|key| maybe(m, key)?.place),
        freedoms: freedoms(m)?,
        options: entries(m, "options").filter_map(option).collect(),
        output_step,
        optimize,
    })
}

/// The independent coordinates that a method names: at least one, or no list.
fn freedoms(method: &Table) -> Result<Vec<Text>, ModelError> {
    let list = texts(method, "freedoms");
    match method.get("freedoms") {
        Some(node) if list.is_empty() => {
            let e =
                ModelError::new("study, method, freedoms: the list is empty").at(&Some(node.place.clone()));
            Err(e.help(
                "name the independent coordinates, which `gradyn check` lists, or leave `freedoms` out: they \
                are chosen then",
            ))
        }
        _ => Ok(list),
    }
}

/// A positive number that does not depend on anything.
fn positive(t: &Table, key: &str, parent: &str) -> Result<Option<f64>, ModelError> {
    match fixed(t, key, parent)? {
        Some(value) if !(value > 0.0 && value.is_finite()) => {
            let place = maybe(t, key).and_then(|n| n.place);
            Err(ModelError::new(format!("{parent}, {key}: a positive number is expected here, not {value}"))
                .at(&place))
        }
        value => Ok(value),
    }
}

/// A number that does not depend on anything.
fn fixed(t: &Table, key: &str, parent: &str) -> Result<Option<f64>, ModelError> {
    let finite = |n: Number| match value(&n, &format!("{parent}, {key}"))? {
        x if x.is_finite() => Ok(x),
        x => Err(ModelError::new(format!("{parent}, {key}: {x} is not a finite number")).at(&n.place)),
    };
    maybe(t, key).map(finite).transpose()
}
fn value(n: &Number, what: &str) -> Result<f64, ModelError> {
    match &n.source {
        Source::Value(x) => Ok(*x),
        Source::Expression(text) => constant(text).map_err(|e| ModelError::expression(what, n, e)),
    }
}
