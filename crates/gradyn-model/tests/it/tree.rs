//! Hints for the spanning tree of relative coordinates: what cannot be kept is refused, with the joints that
//! are in the way.

use gradyn_model::mechanism::Mechanism;
use gradyn_model::{Coordinates, build_in};
use gradyn_testkit::models::four_bar;

/// The four-bar with some joints hinted, and no reactions read.
fn hinted(hints: &[(usize, bool)]) -> Mechanism {
    let mut m = four_bar();
    m.outputs.clear();
    m.objectives.clear();
    hints.iter().for_each(|&(k, keep)| m.joints[k].tree = Some(keep));
    m
}

fn refusal(m: &Mechanism) -> String {
    let e = build_in(m, Coordinates::Relative0).map(|_| ()).expect_err("is refused");
    format!("{}; {}", e.message, e.help.unwrap_or_default())
}

/// A loop whose joints are all to be kept has no cut: the message names the joint and the others of its loop.
#[test]
fn a_loop_without_a_cut_is_refused_by_name() {
    let keep_all: Vec<(usize, bool)> = (0..4).map(|k| (k, true)).collect();
    let m = hinted(&keep_all);
    let names: Vec<String> = m.joints.iter().map(|j| format!("`{}`", j.name)).collect();
    let text = refusal(&m);
    assert!(text.contains("closes a loop with"), "{text}");
    names.iter().for_each(|name| assert!(text.contains(name), "{name}: {text}"));
    assert!(text.contains("tree = \"cut\""), "{text}");
    // Cartesian and natural coordinates have no tree
    for family in [Coordinates::Natural, Coordinates::Cartesian] {
        assert!(build_in(&m, family).is_ok(), "{}", family.name());
    }
}

/// Any joint of the loop can be the cut.
#[test]
fn any_joint_of_a_loop_can_be_cut() {
    for cut in 0..4 {
        let hints: Vec<(usize, bool)> = (0..4).map(|k| (k, k != cut)).collect();
        let m = hinted(&hints);
        let model =
            build_in(&m, Coordinates::Relative0).unwrap_or_else(|e| panic!("cut {cut}: {}", e.message));
        let rows = model.system.row_names();
        assert!(
            rows.len() == 2 && rows.iter().all(|r| r.element == m.joints[cut].name.text),
            "{cut}: {rows:?}"
        );
        assert_eq!(model.system.dims().n, 3, "angles of the joints that are kept");
    }
}

/// A joint whose reaction is read needs its rows.
#[test]
fn a_reaction_that_is_read_cannot_be_carried() {
    let mut m = hinted(&[(3, true)]);
    let name = m.joints[3].name.text.clone();
    m.outputs.push(("load".into(), format!("norm({name}.reaction)").into()));
    let text = refusal(&m);
    assert!(text.contains(&format!("`{name}`")) && text.contains("reaction is read"), "{text}");
}
