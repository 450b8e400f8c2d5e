//! The bundled model files.

/// (name, text) of every example.
pub const ALL: &[(&str, &str)] = &[
    ("pendulum", include_str!("../models/pendulum.toml")),
    ("double_pendulum", include_str!("../models/double_pendulum.toml")),
    ("event_pendulum", include_str!("../models/event_pendulum.toml")),
    ("bouncing_ball", include_str!("../models/bouncing_ball.toml")),
    ("catapult", include_str!("../models/catapult.toml")),
    ("pendulum_array", include_str!("../models/pendulum_array.toml")),
    ("oscillator", include_str!("../models/oscillator.toml")),
    ("oscillator_rates", include_str!("../models/oscillator_rates.toml")),
    ("mathieu", include_str!("../models/mathieu.toml")),
    ("slider_crank", include_str!("../models/slider_crank.toml")),
    ("slider_crank_codesign", include_str!("../models/slider_crank_codesign.toml")),
    ("four_bar", include_str!("../models/four_bar.toml")),
    ("four_bar_synthesis", include_str!("../models/four_bar_synthesis.toml")),
    ("five_bar", include_str!("../models/five_bar.toml")),
    ("five_bar_balance", include_str!("../models/five_bar_balance.toml")),
    ("five_bar_identification", include_str!("../models/five_bar_identification.toml")),
    ("five_bar_control", include_str!("../models/five_bar_control.toml")),
    ("n_pendulum", include_str!("../models/n_pendulum.toml")),
    ("n_pendulum_3d", include_str!("../models/n_pendulum_3d.toml")),
    ("quick_return", include_str!("../models/quick_return.toml")),
    ("planetary_gear", include_str!("../models/planetary_gear.toml")),
    ("crane", include_str!("../models/crane.toml")),
    ("jansen", include_str!("../models/jansen.toml")),
    ("rssr", include_str!("../models/rssr.toml")),
    ("universal_shaft", include_str!("../models/universal_shaft.toml")),
    ("cv_shaft", include_str!("../models/cv_shaft.toml")),
    ("spinning_top", include_str!("../models/spinning_top.toml")),
    ("gyroscope", include_str!("../models/gyroscope.toml")),
    ("manipulator", include_str!("../models/manipulator.toml")),
    ("manipulator_minimum_time", include_str!("../models/manipulator_minimum_time.toml")),
    ("tumbling_body", include_str!("../models/tumbling_body.toml")),
    ("redundant_four_bar", include_str!("../models/redundant_four_bar.toml")),
    ("bricard", include_str!("../models/bricard.toml")),
    ("bennett", include_str!("../models/bennett.toml")),
    ("stewart", include_str!("../models/stewart.toml")),
    ("change_point", include_str!("../models/change_point.toml")),
    ("knife_edge", include_str!("../models/knife_edge.toml")),
    ("rolling_disc", include_str!("../models/rolling_disc.toml")),
    ("quarter_car", include_str!("../models/quarter_car.toml")),
    ("iltis", include_str!("../models/iltis.toml")),
    ("four_wheeler", include_str!("../models/four_wheeler.toml")),
    ("coach", include_str!("../models/coach.toml")),
];

/// The examples whose full run takes minutes without optimisation: loops over all examples take short runs of
/// them, or leave them out.
pub const VEHICLES: &[&str] = &["iltis", "four_wheeler", "coach"];

/// The text of an example.
pub fn find(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
