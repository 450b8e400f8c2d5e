//! Every name of the lists is read as itself, and a name that is on none of them is refused by name.

use crate::kit::elements::{force_word, shape_word};
use gradyn::Study;
use gradyn::file::{self, driver_quantities, force_types, joint_types, shape_types, tyre_law_types};
use gradyn_model::build::joint;
use gradyn_model::build::tyre::{self, LawReader};
use gradyn_model::mechanism::{Active, ForceKind, Height, JointKind, Mechanism, Number, Quantity, TyreLaw};
use gradyn_model::spec::Kind;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A mechanism of one section with one element.
fn read(section: &str, element: &Value) -> Result<Mechanism, gradyn_model::ModelError> {
    let text = json!({ "name": "list", "dimension": 3, section: { "x": element } }).to_string();
    file::read_json(&text).map(|f| f.mechanism)
}

/// A value that the schema of a key accepts.
fn sample(schema: &Value) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    if let Some(tables) = schema["oneOf"].as_array() {
        return table(&tables[0]);
    }
    if schema["anyOf"].is_array() {
        return json!([1, 0.2, 0.3]);
    }
    match (&schema["type"], &schema["items"]["type"]) {
        (Value::String(t), Value::String(items)) if t == "array" && items == "string" => {
            json!(["a.P", "b.Q"])
        }
        (Value::String(t), Value::Array(_)) if t == "array" => json!([1, 0.2, 0.3]),
        (Value::String(t), _) if t == "array" => json!([[1, 0.2, 0.3], [0.2, 1, 0.1]]),
        (Value::String(t), _) if t == "string" => json!("a.P"),
        _ => json!(1.5),
    }
}

/// A table with the keys that its schema requires.
fn table(schema: &Value) -> Value {
    let properties = &schema["properties"];
    let mut t = Map::new();
    for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let constant = &properties[key]["const"];
        let value = if constant.is_null() { sample(&properties[key]) } else { constant.clone() };
        t.insert(key.to_owned(), value);
    }
    Value::Object(t)
}

/// Tables of all types in a list of the schema.
fn tables(list: &Value) -> Vec<(String, Value)> {
    let name = |s: &Value| s["properties"]["type"]["const"].as_str().expect("a type").to_owned();
    list["oneOf"].as_array().expect("a list of types").iter().map(|s| (name(s), table(s))).collect()
}

fn section(name: &str) -> Value {
    file::schema()["properties"][name]["additionalProperties"].clone()
}

/// The message of a table whose type is on no list.
fn refused(section: &str, element: &Value, path: &[&str]) -> String {
    let mut element = element.clone();
    let inner = path.iter().fold(&mut element, |e, key| &mut e[*key]);
    inner["type"] = json!("bogus");
    read(section, &element).expect_err("no such type").message
}

/// Kinds of joints and couplings.
#[test]
fn joints_are_read_as_themselves() {
    let all = tables(&section("joint"));
    assert_eq!(all.len(), joint_types().len());
    for (name, element) in &all {
        let m = read("joint", element).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let joints = m.joints.iter().map(|j| j.kind.word());
        let words: Vec<&str> = joints.chain(m.couplings.iter().map(|c| c.kind.spec().name)).collect();
        assert_eq!(words, [name.as_str()]);
        assert!(refused("joint", element, &[]).contains("`bogus`"));
    }
}

/// The number of a kind is that of its key, and the kinds without one have no key for it.
#[test]
fn numbers_of_joints_are_those_of_their_keys() {
    for spec in joint::specs() {
        let kind = JointKind::from_name(spec.entry.name, 0.7.into()).expect("a listed name");
        assert_eq!(kind.word(), spec.entry.name);
        let key = spec.number().map(|_| 0.7.into());
        assert_eq!(kind.number(), key, "{}: `number` and the key of its `SPEC`", spec.entry.name);
        let numbers = spec.entry.fields.iter().filter(|f| matches!(f.kind, Kind::Number)).count();
        assert!(numbers <= 1, "{}: a kind has one number", spec.entry.name);
    }
    assert_eq!(JointKind::from_name("bogus", 0.0.into()), None);
}

/// Types of forces.
#[test]
fn forces_are_read_as_themselves() {
    let all = tables(&section("force"));
    assert_eq!(all.len(), force_types().len());
    for (name, mut element) in all {
        if let "torsion" | "actuator" = name.as_str() {
            element["joint"] = json!("j");
        }
        let m = read("force", &element).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(force_word(&m.forces[0].kind), name);
        assert!(refused("force", &element, &[]).contains("`bogus`"));
        for (word, active) in [("always", Active::Always), ("motion", Active::Motion)] {
            element["active"] = json!(word);
            assert_eq!(read("force", &element).expect("a word of the format").forces[0].active, active);
        }
    }
}

/// Laws of tyres along the ground.
#[test]
fn tyre_laws_are_read_as_themselves() {
    let forces = tables(&section("force"));
    let mut tyre = forces.into_iter().find(|f| f.0 == "tyre").expect("a tyre").1;
    let all = section("force")["oneOf"].as_array().expect("types").clone();
    let schema = all.iter().find(|s| s["properties"]["type"]["const"] == "tyre").expect("a tyre").clone();
    let laws = tables(&schema["properties"]["law"]);
    assert_eq!(laws.len(), tyre_law_types().len());
    for (name, mut law) in laws {
        let fields = tyre::laws().find(|v| v.name == name).expect("a listed name").fields;
        for pair in fields.iter().filter(|f| f.required && matches!(f.kind, Kind::NumberOrNumbers)) {
            law[pair.name] = json!([0.8, 0.7]);
        }
        tyre["law"] = law;
        let m = read("force", &tyre).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let ForceKind::Tyre(found) = &m.forces[0].kind else { panic!("{name}: no tyre") };
        assert_eq!(found.law.word(), Some(name.as_str()));
        assert!(refused("force", &tyre, &["law"]).contains("`bogus`"));
    }
}

/// The numbers of a law are those that it reads, under the same keys, which are all that it has.
#[test]
fn numbers_of_tyre_laws_are_those_of_their_keys() {
    for entry in tyre::laws() {
        let read = RefCell::new(vec![]);
        let next = |key: &str| {
            let number = Number::from(0.5 + read.borrow().len() as f64);
            read.borrow_mut().push((key.to_owned(), number.clone()));
            number
        };
        let from = LawReader { one: &|key, _| next(key), both: &|key| Ok([next(key), next(key)]) };
        let law = TyreLaw::from_name(entry.name, &from).expect("a listed name").expect("numbers");
        let numbers = law.numbers().into_iter().map(|(key, x)| (key.to_owned(), x)).collect::<Vec<_>>();
        assert_eq!(numbers, *read.borrow(), "{}: `numbers` and `read`, in the same order", entry.name);
        let keys: BTreeSet<&str> = numbers.iter().map(|(key, _)| key.as_str()).collect();
        let fields = entry.fields.iter().map(|f| f.name).collect();
        assert_eq!(keys, fields, "{}: `numbers` and the keys of its entry", entry.name);
    }
}

/// Shapes of bodies.
#[test]
fn shapes_are_read_as_themselves() {
    let body = section("body");
    let all = tables(&body["properties"]["shape"]);
    assert_eq!(all.len(), shape_types().len());
    for (name, shape) in all {
        let element = json!({ "shape": shape });
        let m = read("body", &element).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(m.bodies[0].shape.as_ref().map(|s| shape_word(&s.kind)), Some(name.as_str()));
        assert!(refused("body", &element, &["shape"]).contains("`bogus`"));
    }
}

/// What drivers drive.
#[test]
fn drivers_are_read_as_themselves() {
    for key in driver_quantities() {
        let value = if *key == "distance" { json!(["a.P", "b.Q"]) } else { json!("a.P.x") };
        let m =
            read("driver", &json!({ *key: value, "value": 1 })).unwrap_or_else(|e| panic!("{key}: {e:?}"));
        let word = match m.drivers[0].quantity {
            Quantity::Angle(..) => "angle",
            Quantity::Distance(..) => "distance",
            Quantity::Coordinate(_) => "coordinate",
            Quantity::Sensor(_) => "sensor",
        };
        assert_eq!(word, *key);
    }
    let message = read("driver", &json!({ "bogus": "a", "value": 1 })).expect_err("no such key").message;
    assert!(message.contains("`bogus`"), "{message}");
}

/// Words that choose between two things.
#[test]
fn words_are_read_as_themselves() {
    let pin = json!({ "type": "revolute", "between": ["a.P", "b.Q"] });
    for (word, tree) in [("keep", Some(true)), ("cut", Some(false))] {
        let mut pin = pin.clone();
        pin["tree"] = json!(word);
        assert_eq!(read("joint", &pin).expect("a word of the format").joints[0].tree, tree);
    }
    for (word, pull) in [("below", false), ("above", true)] {
        let stop = json!({ "type": "bump-stop", "between": ["a.P", "b.Q"], "length": 1, "stiffness": 1,
            "width": 0.1, "side": word });
        let m = read("force", &stop).expect("a word of the format");
        assert!(matches!(m.forces[0].kind, ForceKind::BumpStop { pull: found, .. } if found == pull));
    }
    for (word, clamped) in [("natural", false), ("clamped", true)] {
        let road = json!({ "points": [[0, 0], [1, 0.1], [2, 0]], "ends": word });
        let m = read("road", &road).expect("a word of the format");
        assert!(matches!(m.roads[0].height, Height::Points { clamped: found, .. } if found == clamped));
    }
    for (word, cyclic) in [("cyclic", true), ("clamped", false)] {
        let spline = json!({ "kind": word, "values": [0, 1, 2, 1], "duration": 1 });
        assert_eq!(read("spline", &spline).expect("a word of the format").splines[0].cyclic, cyclic);
    }
}

/// A model in which every absent key that has a default is written out; counts what is written.
fn write_defaults(root: &Value, schema: &Value, value: &mut Value) -> usize {
    // sections of templates are those of a model
    if let Some(place) = schema["$ref"].as_str() {
        let section = root.pointer(place.trim_start_matches('#')).expect("a section of the schema");
        return write_defaults(root, section, value);
    }
    let Value::Object(table) = value else { return 0 };
    // the form that has the type of this table, or that is a table
    let forms = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    if let Some(forms) = forms.filter(|f| f.iter().any(|form| form["properties"].is_object())) {
        let named = |form: &&Value| form["properties"]["type"].get("const") == table.get("type");
        let form = forms.iter().find(named).expect("a type of the list");
        return write_defaults(root, form, value);
    }
    // names of elements, then keys
    let mut written = 0;
    if schema["additionalProperties"].is_object() {
        for element in table.values_mut() {
            written += write_defaults(root, &schema["additionalProperties"], element);
        }
    }
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(inner) = table.get_mut(key) {
            written += write_defaults(root, property, inner);
        } else if !property["default"].is_null() {
            table.insert(key.clone(), property["default"].clone());
            written += 1;
        }
    }
    written
}

/// Records and ψ of the first steps of a model.
fn first_steps(model: &Value) -> Result<Vec<f64>, gradyn::Error> {
    let mut study = Study::from_text("model.json", &model.to_string())?;
    let (start, _) = study.times()?;
    study.end_at(&format!("{start} + 0.004"));
    let run = study.nominal()?.run()?;
    Ok(run.run.trajectory.x.iter().chain(run.objectives()).copied().collect())
}

/// What the table of keys calls a default is what the reader takes: written out, it changes no bit.
#[test]
fn defaults_of_keys_are_those_of_the_reader() {
    let schema = file::schema();
    let mut written = 0;
    let mut compared = 0;
    for (name, text) in gradyn::examples::ALL {
        let mut model: Value = toml::from_str(text).expect("a bundled example");
        // a short run instead of one that ends by a condition
        if let Some(study) = model["study"].as_object_mut() {
            study.retain(|key, _| key != "until" && key != "t_max" && key != "breaks");
        }
        // names are sorted here: a constant may come before one that it needs
        let Ok(as_given) = first_steps(&model) else { continue };
        written += write_defaults(&schema, &schema, &mut model);
        let as_written = first_steps(&model).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(as_given, as_written, "{name}");
        compared += 1;
    }
    assert!(4 * compared > 3 * gradyn::examples::ALL.len(), "{compared} examples");
    assert!(written > 400, "{written} defaults");
}
