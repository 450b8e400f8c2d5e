//! Units of numbers: value in SI = number × multiplier / divisor. Two factors, because 9/1000 is 0.009 and 9 × 0.001 is not.

use std::f64::consts::PI;

/// Units: name, multiplier, divisor.
#[rustfmt::skip]
pub const UNITS: &[(&str, f64, f64)] = &[
    ("deg", PI, 180.0), ("rad", 1.0, 1.0), ("%", 1.0, 100.0),
    ("m", 1.0, 1.0), ("mm", 1.0, 1e3), ("cm", 1.0, 1e2), ("km", 1e3, 1.0), ("um", 1.0, 1e6), ("in", 254.0, 1e4), ("ft", 3048.0, 1e4),
    ("s", 1.0, 1.0), ("ms", 1.0, 1e3), ("us", 1.0, 1e6), ("min", 60.0, 1.0), ("h", 3600.0, 1.0), ("Hz", 1.0, 1.0),
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
