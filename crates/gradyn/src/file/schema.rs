//! JSON Schema of the file format, from the tables that the reader checks against.

use super::format::FILE;
use gradyn_model::spec::{Field, Kind, MAX_COUNT, Record, Variant};
use serde_json::{Map, Value, json};

/// The JSON Schema (2020-12) of a model file.
pub fn schema() -> Value {
    let mut root = Map::new();
    root.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".into(), json!("Gradyn model file"));
    if let Value::Object(file) = record(&FILE) {
        root.extend(file);
    }
    Value::Object(root)
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn kind(k: &Kind) -> Value {
    // parts of several kinds
    let text = json!({ "type": "string" });
    let number = json!({ "type": ["number", "string"] });
    let pair = || json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 });
    match k {
        Kind::Text => text,
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Number | Kind::Constant => number,
        Kind::Count => json!({ "type": "integer", "minimum": 1, "maximum": MAX_COUNT }),
        Kind::Dimension => json!({ "enum": [2, 3] }),
        Kind::Vector | Kind::Values => json!({ "anyOf": [text, list(number)] }),
        Kind::NumberOrVector | Kind::NumberOrNumbers => json!({ "anyOf": [number.clone(), list(number)] }),
        Kind::Numbers => list(number),
        Kind::VectorPair => {
            let items = json!({ "anyOf": [text, list(number)] });
            json!({ "type": "array", "items": items, "minItems": 2, "maxItems": 2 })
        }
        Kind::Matrix => json!({ "type": "array", "items": { "anyOf": [number.clone(), list(number)] } }),
        Kind::Pair(_) => pair(),
        Kind::OneOrPair(_) => json!({ "anyOf": [text, pair()] }),
        Kind::Texts(_) => list(text),
        Kind::Setting => json!({ "type": ["string", "number", "boolean"] }),
        Kind::Record(r) => record(r),
        Kind::Map(_, k) => json!({ "type": "object", "additionalProperties": kind(k) }),
        Kind::Variants(_, list) => json!({ "oneOf": list().into_iter().map(variant).collect::<Vec<_>>() }),
        Kind::Section(name) => json!({ "$ref": format!("#/properties/{name}") }),
        Kind::Either(short, table) => json!({ "anyOf": [kind(short), kind(table)] }),
    }
}

/// A table with these fields, and `type` if it is a variant.
fn object(fields: &[Field], tag: Option<&str>) -> Map<String, Value> {
    // properties with their descriptions
    let mut properties = Map::new();
    if let Some(tag) = tag {
        properties.insert("type".into(), json!({ "const": tag }));
    }
    for f in fields {
        let mut property = kind(&f.kind);
        property["description"] = json!(f.description());
        if !f.unit.is_empty() {
            property["unit"] = json!(f.unit);
        }
        if !f.default.is_empty() {
            property["default"] = serde_json::from_str(f.default).unwrap_or(json!(f.default));
        }
        properties.insert(f.name.into(), property);
    }
    // what must be there
    let required: Vec<&str> =
        tag.map(|_| "type").into_iter().chain(fields.iter().filter(|f| f.required).map(|f| f.name)).collect();
    // the object
    let mut object = Map::new();
    object.insert("type".into(), json!("object"));
    object.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        object.insert("required".into(), json!(required));
    }
    object.insert("additionalProperties".into(), json!(false));
    object
}

fn record(r: &Record) -> Value {
    let mut object = object(r.fields, None);
    if !r.one_of.is_empty() {
        let one = r.one_of.iter().map(|key| json!({ "required": [key] })).collect::<Vec<_>>();
        object.insert("oneOf".into(), json!(one));
    }
    Value::Object(object)
}

fn variant(v: &Variant) -> Value {
    let mut object = object(v.fields, Some(v.name));
    object.insert("description".into(), json!(v.doc));
    Value::Object(object)
}
