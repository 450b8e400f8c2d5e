//! How messages count and list.

/// `a` (1e3), `b` (2e1).
pub(super) fn sizes(list: &[(String, f64)]) -> String {
    list.iter().map(|(n, x)| format!("{n} ({x:.1e})")).collect::<Vec<_>>().join(", ")
}

pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", plural(n))
}

pub(super) fn given(conditions: &[String]) -> String {
    if conditions.is_empty() { String::new() } else { format!("; conditions given: {}", names(conditions)) }
}

pub(super) fn held(open: &[String]) -> String {
    if open.is_empty() { String::new() } else { format!("; there hardly any force holds {}", names(open)) }
}

/// Most rows that a message names, and most rows that one of them is said to follow from.
const ROWS: usize = 3;
const NAMES: usize = 6;

/// Names between backticks, separated by commas.
pub(super) fn names(list: &[String]) -> String {
    list.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// The first names of a list, and how many there are besides.
fn first_names(list: &[String]) -> String {
    match list.len().checked_sub(NAMES) {
        Some(rest) if rest > 1 => format!("{} and {rest} others", names(&list[..NAMES])),
        _ => names(list),
    }
}

pub(super) fn list(rows: &[(String, Vec<String>)]) -> String {
    let rest = rows.len().saturating_sub(ROWS);
    let shown = if rest > 1 { &rows[..ROWS] } else { rows };
    let each = shown.iter().map(|(row, on)| match first_names(on) {
        on if on.is_empty() => format!("`{row}` holds nothing that can move"),
        on => format!("`{row}` follows from {on}"),
    });
    let text = each.collect::<Vec<_>>().join("; ");
    if rest > 1 { format!("{text}; and {rest} rows more") } else { text }
}

pub(super) fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// Memory in binary units, rounded up.
pub(super) fn memory(bytes: usize) -> String {
    match bytes {
        b if b < 1 << 20 => format!("{} KiB", b.div_ceil(1 << 10)),
        b if b < 100 << 20 => format!("{:.1} MiB", (b as f64 / (1u64 << 20) as f64 * 10.0).ceil() / 10.0),
        b => format!("{} MiB", b.div_ceil(1 << 20)),
    }
}
