//! The bundled model files.

/// (name, text) of every example.
pub const ALL: &[(&str, &str)] = &[
    ("pendulum", include_str!("../../../examples/pendulum.toml")),
    ("double_pendulum", include_str!("../../../examples/double_pendulum.toml")),
    ("pendulum_array", include_str!("../../../examples/pendulum_array.toml")),
    ("oscillator", include_str!("../../../examples/oscillator.toml")),
    ("slider_crank", include_str!("../../../examples/slider_crank.toml")),
    ("four_bar", include_str!("../../../examples/four_bar.toml")),
    ("five_bar", include_str!("../../../examples/five_bar.toml")),
    ("five_bar_control", include_str!("../../../examples/five_bar_control.toml")),
];

/// The text of an example.
pub fn find(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
