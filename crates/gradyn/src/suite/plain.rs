//! A benchmark as plain data for other programs.

use super::{Benchmark, broken, data_of, text};
use crate::error::Error;
use crate::method::Stepping;
use gradyn_model::mechanism::{Body, Mechanism, Number, Source, Text};
use serde_json::{Map, Value, json};
use std::path::Path;

/// What the numbers of a file are, in words.
const FORMAT: &str = "SI units: kg, m, s, N, rad. `model` is the model file with every part written out, keys \
    as in docs/MODEL_FILE.md, where a text is an expression of parameters, constants, points and sensors. \
    `start` has every body at the start, at the given values of the parameters: mass, inertia about the \
    centre of mass in the axes of the body, centre of mass, axes (unit vectors, in the plane an angle), points, \
    velocity of the centre of mass and angular velocity, all in space. `references` are the numbers to \
    compare with; |error| ≤ absolute + relative |number|.";

impl Benchmark {
    /// Everything that another program needs: model, bodies at the start, numbers with their accuracies and
    /// sources.
    pub fn plain(&self) -> Result<Value, Error> {
        // what is in the data already
        let mut o: Map<String, Value> =
            serde_json::from_str(data_of(&self.name)).map_err(|e| broken(&self.name, &e.to_string()))?;
        o.insert("format".into(), FORMAT.into());

        // parameters with their values, times, model, start
        let m = self.mechanism()?;
        let study = self.study(m.clone())?;
        let value = |(name, x): (String, f64)| json!({"name": name, "value": x});
        let parameters = study.parameters()?.into_iter().zip(study.defaults()?).map(value).collect();
        o.insert("parameters".into(), parameters);
        let (start, end) = study.times()?;
        o.insert("times".into(), json!({"start": start, "end": end}));
        o.insert("start".into(), self.start(m)?);
        o.insert("model".into(), self.expanded()?);
        Ok(Value::Object(o))
    }
    /// The model file without templates, as an object.
    fn expanded(&self) -> Result<Value, Error> {
        let wrong = |why: String| broken(&self.name, &why);
        let text = text(&self.model).ok_or_else(|| wrong("its model is missing".into()))?;
        let text = crate::file::expanded(Path::new("model.toml"), text)?;
        let table: toml::Table = toml::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        serde_json::to_value(table).map_err(|e| wrong(e.to_string()))
    }
    /// Masses, places and velocities of the bodies at the start.
    fn start(&self, mut m: Mechanism) -> Result<Value, Error> {
        // columns = everything about every body, measured on a short run
        let space = m.dimension == 3;
        let bodies: Vec<(String, Vec<(String, Vec<String>)>)> =
            m.bodies.iter().map(|b| (b.name.text.clone(), columns(b, space))).collect();
        m.outputs = vec![];
        for expression in bodies.iter().flat_map(|b| &b.1).flat_map(|c| &c.1) {
            let name = Text::from(format!("c{}", m.outputs.len()));
            m.outputs.push((name, Number::from(expression.as_str())));
        }
        m.objectives = vec![];
        m.breaks = vec![];
        m.until = None;
        m.t_start = 0.0.into();
        m.t_end = 1e-9.into();
        let mut study = self.study(m)?;
        study.stepping(Stepping::Fixed(1e-9));
        let model = study.nominal()?;
        let run = model.run()?;
        let table = model.prepared.table(&run.run, None)?;

        // object = its first row, without the time, by bodies and columns
        let mut row = table.rows.first().map_or(&[][..], Vec::as_slice).iter().skip(1).map(|x| tidy(*x));
        let mut object = Map::new();
        for (body, columns) in bodies {
            let mut o = Map::new();
            for (name, parts) in columns {
                let values: Vec<f64> = row.by_ref().take(parts.len()).collect();
                let value = if parts.len() == 1 { json!(values[0]) } else { json!(values) };
                o.insert(name, value);
            }
            object.insert(body, Value::Object(o));
        }
        Ok(Value::Object(object))
    }
}

/// Rounded to twelve decimals: what is left of zero is not worth a digit.
fn tidy(x: f64) -> f64 {
    let rounded = (x * 1e12).round() / 1e12;
    if x.abs() < 1e3 { rounded + 0.0 } else { x }
}

/// A column: its name and the expressions of its parts.
type Column = (String, Vec<String>);

/// What is said of a body.
fn columns(b: &Body, space: bool) -> Vec<Column> {
    let name = &b.name.text;
    let mut all = vec![
        ("mass".to_owned(), vec![mass(b)]),
        ("inertia".to_owned(), inertia(b, space)),
        ("com".to_owned(), parts(&format!("{name}.com"), space)),
    ];
    all.extend(attitude(b, space));
    all.extend(points(b).into_iter().map(|p| (format!("point {p}"), parts(&format!("{name}.{p}"), space))));
    all
}

/// The components of a vector.
fn parts(vector: &str, space: bool) -> Vec<String> {
    let axes: &[&str] = if space { &["x", "y", "z"] } else { &["x", "y"] };
    axes.iter().map(|k| format!("{vector}.{k}")).collect()
}

/// Attitude, velocity and angular velocity; a rod in space has no axes.
fn attitude(b: &Body, space: bool) -> Vec<Column> {
    let name = &b.name.text;
    let velocity = ("velocity".to_owned(), parts(&format!("vel({name}.com)"), space));
    let omega = format!("{name}.omega");
    if !space {
        return vec![
            ("angle".into(), vec![format!("{name}.angle")]),
            velocity,
            ("omega".into(), vec![omega]),
        ];
    }
    if b.rod.is_some() {
        return vec![velocity];
    }
    let axis =
        |(k, e): (usize, &str)| (format!("axis_{}", k + 1), parts(&format!("axis({name}, {e})"), true));
    let mut all: Vec<Column> =
        ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"].into_iter().enumerate().map(axis).collect();
    all.push(velocity);
    all.push(("omega".into(), parts(&omega, true)));
    all
}

/// Names of the points, each once.
fn points(b: &Body) -> Vec<&str> {
    let of_rod = b.rod.iter().flat_map(|r| &r.points);
    let mut names: Vec<&str> = vec![];
    for point in b.points.iter().map(|p| &p.0).chain(&b.hard).chain(of_rod) {
        if !names.contains(&point.text.as_str()) {
            names.push(&point.text);
        }
    }
    names
}

/// The expression of a number.
fn written(x: &Number) -> String {
    match &x.source {
        Source::Value(x) => format!("({x:?})"),
        Source::Expression(text) => format!("({text})"),
    }
}

fn mass(b: &Body) -> String {
    b.mass.as_ref().map_or("0".into(), written)
}

/// The moments of inertia about the centre of mass; those of a rod follow from its length.
fn inertia(b: &Body, space: bool) -> Vec<String> {
    let name = &b.name.text;
    let moments: Vec<String> = b.inertia.iter().map(written).collect();
    match (&b.rod, &moments[..]) {
        (Some(rod), []) => {
            let [one, two] = &rod.points;
            vec![format!("{}*norm2({name}.{one} - {name}.{two})/12", mass(b))]
        }
        (_, []) => vec!["0".into()],
        (_, [all]) if space => vec![all.clone(), all.clone(), all.clone()],
        _ => moments,
    }
}
