//! Constraints that held a condition at zero and are switched off: what follows does not depend on roundings.

use super::{accurate, maggi, prepared, run};
use gradyn::{Coordinates, Method};

/// A gripper that picks a load up where it meets it, and drops it again.
const GRIPPER: &str = r#"
    name = "gripper"
    gravity = [0, -9.81]
    parameters = { v = 3, m = 2, drop = 0.6 }
    ground.points = { O = [0, 0] }
    body.hand = { points = { H = [0, 0] }, mass = 1, inertia = 0.1 }
    body.load = { points = { L = [0, 0] }, mass = "m", inertia = 0.1 }
    joint.rail = { type = "prismatic", between = ["ground.O", "hand.H"] }
    joint.table = { type = "prismatic", between = ["ground.O", "load.L"] }
    constraint.grip = "load.L.x - hand.H.x"
    force.push = { type = "force", at = "hand.H", force = ["3*m", 0] }
    event.meet = { when = "load.L.x - hand.H.x", direction = "falling", on = ["grip"] }
    event.drop = { when = "t - drop", off = ["grip"] }
    objective = { hand = { terminal = "hand.H.x" }, load = { terminal = "load.L.x" } }
    study.t_end = 1
    [initial]
    position = { "hand.H.x" = 0, "load.L.x" = 0.5 }
    velocity = { "hand.H.x" = "v", "load.L.x" = 0 }
    off = ["grip"]
"#;

/// The hand goes on faster than the load when it is dropped: the condition changes its sign there, and
/// nothing happens at it.
#[test]
fn a_load_that_is_dropped_is_not_picked_up_again() {
    let exact = |rho: [f64; 3]| {
        let [v, m, drop] = rho;
        let f = 3.0 * m;
        // x = v t + f t²/2 = 0.5, then one mass, then two
        let t = ((v * v + f).sqrt() - v) / f;
        let u = (v + f * t) / (1.0 + m);
        let a = f / (1.0 + m);
        let held = drop - t;
        let at = 0.5 + u * held + 0.5 * a * held * held;
        let speed = u + a * held;
        let left = 1.0 - drop;
        [at + speed * left + 0.5 * f * left * left, at + speed * left]
    };
    let truth = exact([3.0, 2.0, 0.6]);
    let newmark = Method::new("index3", "newmark").expect("registered").step(1e-3);
    let methods = [
        (accurate("dopri5"), 1e-9),
        (accurate("radau5"), 1e-9),
        (maggi("dopri5", 1e-10), 1e-9),
        (maggi("radau5", 1e-8), 1e-7),
        (newmark, 1e-5),
    ];
    for family in Coordinates::ALL {
        for (method, most) in &methods {
            let names = format!("{} + {}", method.formulation.name(), method.integrator.name());
            let what = format!("{}, {names}", family.name());
            let model = prepared(GRIPPER, family);
            let r = run(&model, method, &what);
            assert_eq!(model.happened(&r).len(), 2, "{what}");
            for (x, exact) in r.psi.iter().zip(truth) {
                assert!((x - exact).abs() <= *most, "{what}: {x}, not {exact}");
            }
        }
    }
}
