//! The bundled model files.

/// (name, text) of every example.
pub const ALL: &[(&str, &str)] = &[
    ("pendulum", include_str!("../../../examples/pendulum.toml")),
    ("double_pendulum", include_str!("../../../examples/double_pendulum.toml")),
    ("event_pendulum", include_str!("../../../examples/event_pendulum.toml")),
    ("bouncing_ball", include_str!("../../../examples/bouncing_ball.toml")),
    ("catapult", include_str!("../../../examples/catapult.toml")),
    ("pendulum_array", include_str!("../../../examples/pendulum_array.toml")),
    ("oscillator", include_str!("../../../examples/oscillator.toml")),
    ("oscillator_rates", include_str!("../../../examples/oscillator_rates.toml")),
    ("mathieu", include_str!("../../../examples/mathieu.toml")),
    ("slider_crank", include_str!("../../../examples/slider_crank.toml")),
    ("slider_crank_codesign", include_str!("../../../examples/slider_crank_codesign.toml")),
    ("four_bar", include_str!("../../../examples/four_bar.toml")),
    ("four_bar_synthesis", include_str!("../../../examples/four_bar_synthesis.toml")),
    ("five_bar", include_str!("../../../examples/five_bar.toml")),
    ("five_bar_balance", include_str!("../../../examples/five_bar_balance.toml")),
    ("five_bar_identification", include_str!("../../../examples/five_bar_identification.toml")),
    ("five_bar_control", include_str!("../../../examples/five_bar_control.toml")),
    ("n_pendulum", include_str!("../../../examples/n_pendulum.toml")),
    ("n_pendulum_3d", include_str!("../../../examples/n_pendulum_3d.toml")),
    ("quick_return", include_str!("../../../examples/quick_return.toml")),
    ("planetary_gear", include_str!("../../../examples/planetary_gear.toml")),
    ("crane", include_str!("../../../examples/crane.toml")),
    ("jansen", include_str!("../../../examples/jansen.toml")),
    ("rssr", include_str!("../../../examples/rssr.toml")),
    ("universal_shaft", include_str!("../../../examples/universal_shaft.toml")),
    ("cv_shaft", include_str!("../../../examples/cv_shaft.toml")),
    ("spinning_top", include_str!("../../../examples/spinning_top.toml")),
    ("gyroscope", include_str!("../../../examples/gyroscope.toml")),
    ("manipulator", include_str!("../../../examples/manipulator.toml")),
    ("manipulator_minimum_time", include_str!("../../../examples/manipulator_minimum_time.toml")),
    ("tumbling_body", include_str!("../../../examples/tumbling_body.toml")),
    ("redundant_four_bar", include_str!("../../../examples/redundant_four_bar.toml")),
    ("bricard", include_str!("../../../examples/bricard.toml")),
    ("bennett", include_str!("../../../examples/bennett.toml")),
    ("stewart", include_str!("../../../examples/stewart.toml")),
    ("change_point", include_str!("../../../examples/change_point.toml")),
    ("knife_edge", include_str!("../../../examples/knife_edge.toml")),
    ("rolling_disc", include_str!("../../../examples/rolling_disc.toml")),
    ("quarter_car", include_str!("../../../examples/quarter_car.toml")),
    ("iltis", include_str!("../../../examples/iltis.toml")),
    ("four_wheeler", include_str!("../../../examples/four_wheeler.toml")),
    ("coach", include_str!("../../../examples/coach.toml")),
];

/// The examples whose full run takes minutes without optimisation: loops over all examples take short runs of
/// them, or leave them out.
pub const VEHICLES: &[&str] = &["iltis", "four_wheeler", "coach"];

/// The text of an example.
pub fn find(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
