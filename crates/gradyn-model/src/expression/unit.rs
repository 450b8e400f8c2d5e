//! Units of numbers: value in SI = number × multiplier / divisor. Two factors, because 9/1000 is 0.009 and 9
//! × 0.001 is not.

use std::f64::consts::PI;

/// Units: name, multiplier, divisor.
#[rustfmt::skip]
pub(crate) const UNITS: &[(&str, f64, f64)] = &[
    ("deg", PI, 180.0), ("rad", 1.0, 1.0), ("%", 1.0, 100.0),
    ("m", 1.0, 1.0), ("mm", 1.0, 1e3), ("cm", 1.0, 1e2), ("km", 1e3, 1.0), ("um", 1.0, 1e6),
    ("in", 254.0, 1e4), ("ft", 3048.0, 1e4),
    ("s", 1.0, 1.0), ("ms", 1.0, 1e3), ("us", 1.0, 1e6), ("min", 60.0, 1.0), ("h", 3600.0, 1.0),
    ("Hz", 1.0, 1.0),
    ("kg", 1.0, 1.0), ("g", 1.0, 1e3), ("t", 1e3, 1.0),
    ("N", 1.0, 1.0), ("kN", 1e3, 1.0), ("MN", 1e6, 1.0), ("Nm", 1.0, 1.0), ("kNm", 1e3, 1.0),
    ("J", 1.0, 1.0), ("kJ", 1e3, 1.0), ("W", 1.0, 1.0), ("kW", 1e3, 1.0),
    ("Pa", 1.0, 1.0), ("kPa", 1e3, 1.0), ("MPa", 1e6, 1.0), ("GPa", 1e9, 1.0),
];

/// `number` of `unit` in SI; `None` if there is no such unit.
pub(super) fn to_si(number: f64, unit: &str) -> Option<f64> {
    UNITS.iter().find(|(name, ..)| *name == unit).map(|(_, times, over)| number * times / over)
}

/// The units, for a message.
pub(super) fn list() -> String {
    UNITS.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

/// SI value of a label such as `kN/mm`, `kg m^2` or `N·m/rad`; `None` if it is not made of known units. What
/// follows one `/` up to the next is its divisor.
pub(crate) fn label_factor(label: &str) -> Option<f64> {
    let separate = |c: char| c.is_whitespace() || matches!(c, '*' | '·' | '⋅' | '(' | ')');
    let mut factor = 1.0;
    for (k, part) in label.split('/').enumerate() {
        for word in part.split(separate).filter(|w| !w.is_empty() && *w != "1") {
            let (name, power) = exponent(word);
            let value = to_si(1.0, name)?.powi(power);
            factor = if k == 0 { factor * value } else { factor / value };
        }
    }
    Some(factor)
}

/// `m^2`, `m2`, `m²`: the unit and its power.
fn exponent(word: &str) -> (&str, i32) {
    let name =
        word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '^' | '-' | '²' | '³' | '⁻' | '¹'));
    let power = match &word[name.len()..] {
        "" => Some(1),
        "²" => Some(2),
        "³" => Some(3),
        "⁻¹" => Some(-1),
        "⁻²" => Some(-2),
        digits => digits.trim_start_matches('^').parse().ok(),
    };
    power.map_or((word, 1), |p| (name, p)) // what is no power is no unit either
}
