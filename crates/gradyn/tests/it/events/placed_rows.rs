//! Constraints that begin at positions which an event gives: which rows hold there, and whether they do.

use super::{DISCRETE, accurate, assert_values, prepared, run};
use gradyn::{Coordinates, Error};
use std::f64::consts::PI;

/// A rod that turns about a pin, with other lines of the file.
fn rod(lines: &str) -> String {
    format!(
        r#"
        name = "rod"
        parameters = {{ L = 1, d = 0 }}
        ground.points = {{ O = [0, 0], O2 = ["d", 0] }}
        body.rod.rod = {{ points = ["A", "B"], length = "L", mass = 1 }}
        joint.pin = {{ type = "revolute", between = ["ground.O", "rod.A"] }}
        objective.a = {{ terminal = "rod.angle" }}
        study = {{ t_end = 1 }}
        {lines}
        [initial]
        position = {{ "rod.angle" = 0 }}
        velocity = {{ "rod.angle" = 2 }}
        "#
    )
}

/// What a run of a rod is refused with, in all coordinates.
fn assert_refused(text: &str, message: &str) {
    for family in Coordinates::ALL {
        let e: Option<Error> = prepared(text, family).run(&accurate("dopri5")).err();
        let e = e.unwrap_or_else(|| panic!("{} runs: {message}", family.name()));
        assert!(e.message.contains(message), "{}: {}", family.name(), e.message);
    }
}

/// A latch that follows from the pin where the event happens, and holds the rod where it leads.
#[test]
fn rows_are_counted_where_a_place_leads() {
    let lines = r#"
        constraint.latch = "rod.B.y - 0.5"
        event.catch = { when = "rod.angle - pi/2", on = ["latch"], place = { "rod.angle" = "pi/6" } }
    "#;
    let text = rod(lines).replace("[initial]", "[initial]\noff = [\"latch\"]");
    assert_refused(&text, "event `catch` gives 1 position conditions where 0 are free");
}

/// A parallelogram; its middle link hangs from the coupler, and its foot is a joint.
fn parallelogram(lines: &str, initial: &str) -> String {
    format!(
        r#"
        name = "parallelogram"
        parameters = {{ w = 1, b = 3, c = 1, t1 = 0.2 }}
        ground.points = {{ O = [0, 0], M = [1, 0], P = [2, 0], N = [1, 0.001] }}
        body.one.rod = {{ points = ["A", "B"], length = 1, mass = 1 }}
        body.two.rod = {{ points = ["A", "B"], length = 1, mass = 1 }}
        body.middle.rod = {{ points = ["A", "B"], length = 1, mass = 1 }}
        body.coupler = {{ points = {{ B = [0, 0], D = [1, 0], C = [2, 0] }}, mass = 1, inertia = 0.3 }}
        joint.foot_one = {{ type = "revolute", between = ["ground.O", "one.A"] }}
        joint.foot_two = {{ type = "revolute", between = ["ground.P", "two.A"] }}
        joint.left = {{ type = "revolute", between = ["one.B", "coupler.B"] }}
        joint.right = {{ type = "revolute", between = ["two.B", "coupler.C"] }}
        joint.hang = {{ type = "revolute", between = ["coupler.D", "middle.A"] }}
        objective = {{ a = {{ terminal = "one.angle" }}, m = {{ terminal = "middle.angle" }} }}
        study = {{ t_end = 0.5 }}
        {lines}
        [initial]
        near = {{ "coupler.C" = [2.9, 0.5], "two.B" = [2.9, 0.5], "middle.B" = [1.2, -0.3] }}
        {initial}
        "#
    )
}

/// The middle link is hung in where it is parallel: its foot holds two rows where it hangs, and one there.
#[test]
fn a_link_is_hung_in_where_it_follows_from_the_others() {
    let initial = r#"
        off = ["foot"]
        position = { "one.angle" = 0.5, "middle.angle" = -2 }
        velocity = { "one.angle" = "w", "middle.angle" = 0 }
    "#;
    let lines = |foot: &str| {
        format!(
            r#"
            joint.foot = {{ type = "revolute", between = ["ground.{foot}", "middle.B"] }}
            event.hang = {{ when = "t - t1", on = ["foot"], place = {{ "one.angle" = "b - 2" }}, reset = {{ "one.angle" = "c" }} }}
            "#
        )
    };
    let a = 1.0 + 0.3;
    let slopes = vec![0.0, 1.0, 0.3, -1.0];
    let exact = [(a, slopes.clone()), (a - PI, slopes)];
    for family in Coordinates::ALL {
        let model = prepared(&parallelogram(&lines("M"), initial), family);
        assert_values(&model, &accurate("dopri5"), &exact, 1e-7, family.name());
    }
    // a foot that is 1 mm off
    for family in Coordinates::ALL {
        let model = prepared(&parallelogram(&lines("N"), initial), family);
        let e = model.run(&accurate("dopri5")).err().unwrap_or_else(|| panic!("{} runs", family.name()));
        let says = |what: &str| e.message.contains(what);
        assert!(says("does not hold") || says("where 0 are free"), "{}: {}", family.name(), e.message);
    }
}

/// Keys and targets that read a parameter and the time, of a mechanism with redundant rows.
#[test]
fn keys_of_a_place_read_parameters_and_the_time() {
    let lines = r#"
        joint.foot = { type = "revolute", between = ["ground.M", "middle.B"] }
        event.jump = { when = "t - t1", place = { "2*one.angle - b*t" = "c*t" } }
    "#;
    let initial = r#"
        position = { "one.angle" = 0.5 }
        velocity = { "one.angle" = "w" }
    "#;
    let [w, b, c, t1] = [1.0, 3.0, 1.0, 0.2];
    let a = (b + c) * t1 / 2.0 + w * (0.5 - t1);
    let exact = [(a, vec![0.5 - t1, t1 / 2.0, t1 / 2.0, (b + c) / 2.0 - w])];
    for family in Coordinates::ALL {
        let model = prepared(&parallelogram(lines, initial), family);
        assert_values(&model, &accurate("dopri5"), &exact, 1e-7, family.name());
    }
}

/// A second pin, which follows from the first, beside a latch that determines where the rod is.
#[test]
fn redundant_rows_hold_where_they_begin() {
    let lines = |d: &str| {
        rod(r#"
            body.memory = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
            joint.slot = { type = "prismatic", between = ["ground.O", "memory.A"] }
            joint.second = { type = "revolute", between = ["ground.O2", "rod.A"] }
            constraint.latch = "rod.angle - memory.A.x"
            event.catch = { when = "rod.angle - 1", on = ["latch", "second"], place = { "rod.angle" = "0.5*L" } }
        "#)
        .replace("[initial]", "[initial]\noff = [\"latch\", \"second\"]")
        .replace("\"rod.angle\" = 0 }", "\"rod.angle\" = 0, \"memory.A.x\" = 0.1 }")
        .replace("\"rod.angle\" = 2 }", "\"rod.angle\" = 2, \"memory.A.x\" = 0 }")
        .replace("d = 0 }", &format!("d = {d} }}"))
    };
    assert_refused(&lines("0.001"), "does not hold where event `catch` switches it on");
    // the pin is there at this design only
    for family in Coordinates::ALL {
        let model = prepared(&lines("0"), family);
        let r = run(&model, &accurate("dopri5"), family.name());
        for s in DISCRETE {
            let e = model.gradient(&r, s).err().unwrap_or_else(|| panic!("{}", family.name()));
            // whichever check is the first
            let reasons =
                ["where event `catch` switches it on at this design only", "breaks a redundant loop"];
            assert!(reasons.iter().any(|r| e.message.contains(r)), "{}: {}", family.name(), e.message);
        }
        let fixed = lines("0").replace("O2 = [\"d\", 0]", "O2 = [0, 0]").replace(", d = 0", "");
        let model = prepared(&fixed, family);
        let r = run(&model, &accurate("dopri5"), family.name());
        assert!(model.gradient(&r, DISCRETE[1]).is_ok(), "{}", family.name());
    }
}

/// Events that happen with another one are held to what they are alone.
#[test]
fn places_that_follow_from_an_event_are_checked() {
    let hit = r#"event.hit = { when = "rod.angle - 1", reset = { "rod.angle" = -1 } }"#;
    let two = format!(
        r#"
        {hit}
        event.one = {{ when = "vel(rod.angle) - 0.5", place = {{ "rod.angle" = "rod.angle + 1" }} }}
        event.two = {{ when = "vel(rod.angle) - 0.7", place = {{ "rod.angle" = "2*rod.angle" }} }}
        "#
    );
    assert_refused(&rod(&two), "event `one` and of event `two` change at the same time");
    let pinned = format!(
        r#"
        {hit}
        joint.second = {{ type = "revolute", between = ["ground.O2", "rod.A"] }}
        event.one = {{ when = "vel(rod.angle) - 0.5", on = ["second"], place = {{ "rod.angle" = "rod.angle + 1" }} }}
        "#
    );
    let text =
        rod(&pinned).replace("[initial]", "[initial]\noff = [\"second\"]").replace("d = 0", "d = 0.001");
    assert_refused(&text, "does not hold where event `one` switches it on");
}
