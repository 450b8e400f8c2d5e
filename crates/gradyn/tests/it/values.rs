//! Other values in the text of a model file.

use gradyn::file::with_values;
use std::path::Path;

fn toml(text: &str, values: &[(&str, f64)]) -> Result<String, String> {
    let values: Vec<(String, f64)> = values.iter().map(|(n, x)| ((*n).into(), *x)).collect();
    with_values(Path::new("m.toml"), text, &values).map_err(|e| e.message)
}

const MODEL: &str = r#"name = "m"    # the name
[parameters]
a = 1                                # short
b   = { value = "sqrt(2)/2", unit = "m", min = 0 }  # an expression
c = { value = 0, count = 3 }         # a list
d = { value = [1, "2", 3.0] }
e = '''
  3'''
[constants]
k = "2 * a"
l = 4
"#;

/// Only the bytes of the values change.
#[test]
fn comments_and_layout_stay() {
    let new = toml(
        MODEL,
        &[("a", 1e-7), ("b", 2.5), ("c_0", 1.0), ("c_1", -1.0), ("c_2", 0.1), ("d_1", 7.0), ("l", 1e22)],
    )
    .unwrap();
    let expected = MODEL
        .replace("a = 1   ", "a = 1e-7   ")
        .replace("\"sqrt(2)/2\"", "2.5")
        .replace("value = 0, count", "value = [1.0, -1.0, 0.1], count")
        .replace("\"2\"", "7.0")
        .replace("l = 4", "l = 1e22");
    assert_eq!(new, expected);
    // equal values of a list stay one number
    let new = toml(MODEL, &[("c_0", 2.0), ("c_1", 2.0), ("c_2", 2.0)]).unwrap();
    assert_eq!(new, MODEL.replace("value = 0, count", "value = 2.0, count"));
}

/// JSON has the same values.
#[test]
fn json_is_written_too() {
    let text = r#"{"name": "m", "parameters": {"a": 1, "b": {"value": "sqrt(2)", "min": 0}}}"#;
    let new = with_values(Path::new("m.json"), text, &[("b".into(), 0.1), ("a".into(), 3.0)]).unwrap();
    assert_eq!(new, r#"{"name": "m", "parameters": {"a": 3.0, "b": {"value": 0.1, "min": 0}}}"#);
}

/// What has no place of its own is refused: part of a list, copies of a template with different values.
#[test]
fn shared_places_are_refused() {
    let lost = |name: &str| Err(format!("the value of `{name}` has no place of its own in the file"));
    assert_eq!(toml(MODEL, &[("c_0", 1.0), ("c_1", 2.0)]), lost("c_0"));
    assert_eq!(toml(MODEL, &[("c_0", 1.0), ("c_1", 1.0)]), lost("c_2"));
    assert_eq!(toml(MODEL, &[("zz", 1.0)]), lost("zz"));
    let template = "name = \"m\"\n[template.T.parameters]\na = 1\n[instance]\nx = { use = \"T\" }\ny = { \
        use = \"T\" }\n";
    assert_eq!(toml(template, &[("x_a", 1.0), ("y_a", 2.0)]), lost("x_a"));
    assert_eq!(toml(template, &[("x_a", 3.0), ("y_a", 3.0)]).unwrap(), template.replace("a = 1", "a = 3.0"));
}
