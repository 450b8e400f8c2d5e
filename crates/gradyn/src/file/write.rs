//! A tree as TOML.

use super::tree::{Node, Table, Value, Word};

/// The whole file: values first, then the sections.
pub(crate) fn toml(root: &Table) -> String {
    let (sections, values): (Vec<_>, Vec<_>) =
        root.entries.iter().partition(|(_, node)| node.table().is_some());
    let mut out = String::new();
    values.into_iter().for_each(|(key, node)| out += &format!("{} = {}\n", name(key), value(node)));
    for (key, node) in sections {
        out += &format!("\n[{}]\n", name(key));
        for (key, node) in node.table().into_iter().flat_map(|t| &t.entries) {
            out += &format!("{} = {}\n", name(key), value(node));
        }
    }
    out
}

fn name(key: &Word) -> String {
    let bare =
        !key.text.is_empty() && key.text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { key.text.clone() } else { quoted(&key.text) }
}

fn value(node: &Node) -> String {
    match &node.value {
        Value::Text(word) => quoted(&word.text),
        Value::Number(x) => number(*x),
        Value::Flag(b) => b.to_string(),
        Value::Other(kind) => quoted(kind),
        Value::List(items) => format!("[{}]", items.iter().map(value).collect::<Vec<_>>().join(", ")),
        Value::Table(t) if t.entries.is_empty() => "{}".into(),
        Value::Table(t) => {
            let entries: Vec<String> =
                t.entries.iter().map(|(key, node)| format!("{} = {}", name(key), value(node))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// The shortest number that reads the same.
fn number(x: f64) -> String {
    if x.is_finite() && x.fract() == 0.0 && x.abs() < 1e15 {
        format!("{x:.0}")
    } else {
        format!("{x:?}").to_lowercase()
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}
