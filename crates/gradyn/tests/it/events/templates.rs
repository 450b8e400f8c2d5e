//! Events of templates: every copy has its own, mirrored copies have their mirror images.

use super::{accurate, prepared, run};
use gradyn::{Coordinates, Sensitivity};

/// A ball that rolls against a wall, jumps back, and is caught by a pin that ends its fall.
const LEG: &str = r#"
    name = "pair"
    gravity = [0, -9.81]
    parameters = { e = 0.7 }
    [template.leg]
    arguments = { v = 1, gap = 0.2 }
    body.rod = { rod = { points = ["A", "B"], length = 0.5 }, mass = 1 }
    ground.points = { O = [0.3, 0] }
    joint.pin = { type = "revolute", between = ["ground.O", "rod.A"] }
    force.push = { type = "torque", on = "rod", torque = 2 }
    initial = { position = { "rod.angle" = 0.2 }, velocity = { "rod.angle" = "-v" }, off = ["push"] }
    event.wall = { when = "rod.B.y + gap", impact = "e" }
    event.turn = { when = "rod.angle - 0.1", direction = "rising", on = ["push"], reset = { "rod.angle" = "vel(rod.angle) + 0.3" } }
    event.jump = { when = "rod.angle - 0.5", direction = "rising", off = ["push"], place = { PLACE } }
    objective.x = { terminal = "rod.B.x" }
    objective.y = { terminal = "rod.B.y" }
    [instance]
"#;

/// Another angle keeps its place in a model of several legs: each leg is run by itself.
fn leg(instance: &str) -> String {
    LEG.replace("PLACE", "\"rod.angle\" = \"0.5*rod.angle + 0.2\"") + instance
}

/// A mirrored copy moves as the mirror image of the copy.
#[test]
fn mirrored_events_are_mirror_images() {
    let methods = accurate("dopri5");
    let study = "\n[study]\nt_end = 1.1";
    for family in Coordinates::ALL {
        let plain = prepared(&(leg("l = { use = \"leg\", with = { v = 1.5 } }") + study), family);
        let mirror = leg("l = { use = \"leg\", with = { v = 1.5 }, mirror = \"x\" }") + study;
        let mirrored = prepared(&mirror, family);
        let [a, b] = [&plain, &mirrored].map(|m| run(m, &methods, family.name()));
        let happened = |r: &gradyn::Run| r.trajectory.plan.given_by.iter().flatten().count();
        assert!(happened(&a) >= 3, "{}: {} events", family.name(), happened(&a));
        assert_eq!(happened(&a), happened(&b), "{}", family.name());
        let [x, y] = [0, 1].map(|k| (a.psi[k], b.psi[k]));
        // objectives of a template are seen with its eyes
        assert!((x.0 - x.1).abs() < 1e-8 && (y.0 - y.1).abs() < 1e-8, "{}: {x:?}, {y:?}", family.name());
        let [g, h] = [(&plain, &a), (&mirrored, &b)]
            .map(|(m, r)| m.gradient(r, Sensitivity::DiscreteAdjoint).expect("differentiable").rows);
        assert!((g[0][0] - h[0][0]).abs() < 1e-7, "{}: {} and {}", family.name(), g[0][0], h[0][0]);
    }
}

/// Every copy switches its own forces, and what is off at the start adds up.
#[test]
fn copies_have_events_of_their_own() {
    let text = r#"
        name = "rows"
        parameters = { f = 2 }
        study = { t_end = 1 }
        [template.cart]
        required = ["at", "y"]
        ground.points = { O = [0, "y"] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
        force.push = { type = "force", at = "m.A", force = ["f", 0] }
        initial = { position = { "m.A.x" = 0 }, velocity = { "m.A.x" = 1 }, off = ["push"] }
        event.begins = { when = "m.A.x - at", on = ["push"] }
        objective.x = { terminal = "m.A.x" }
        [instance]
        one = { use = "cart", with = { at = 0.25, y = 0 } }
        two = { use = "cart", with = { at = 0.5, y = 1 } }
    "#;
    let model = prepared(text, Coordinates::Natural);
    let r = run(&model, &accurate("dopri5"), "rows");
    for (psi, at) in r.psi.iter().zip([0.25f64, 0.5]) {
        let exact = 1.0 + (1.0 - at).powi(2);
        assert!((psi - exact).abs() < 1e-9, "{psi}, not {exact}");
    }
}
