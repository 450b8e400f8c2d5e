//! Never wrong in silence: what cannot be computed is refused or reported, by name.

mod elements;
mod jumps;
mod methods;
mod positions;
mod velocities;

use gradyn::{Error, Method, Prepared, Run};

fn prepared(text: &str) -> Result<Prepared, Error> {
    Prepared::new(&gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}")).mechanism)
}

fn run(model: &Prepared, formulation: &str, integrator: &str, h: f64) -> Result<Run, Error> {
    model.run(&Method::new(formulation, integrator).expect("registered").step(h))
}

/// A mass on a rail with a force along it.
fn rail(force: &str, breaks: &str) -> Prepared {
    let text = format!(
        r#"
        name = "rail"
        parameters = {{ tb = 0.4, f = 10 }}
        ground.points = {{ O = [0, 0] }}
        body.m = {{ points = {{ A = [0, 0] }}, mass = 1, inertia = 1 }}
        joint.guide = {{ type = "prismatic", between = ["ground.O", "m.A"] }}
        force.push = {{ type = "force", at = "m.A", force = ["{force}", 0] }}
        initial.position = {{ "m.A.x" = 0 }}
        objective.x = {{ terminal = "m.A.x" }}
        study = {{ t_end = 1, breaks = [{breaks}] }}
        "#
    );
    prepared(&text).unwrap_or_else(|e| panic!("{e}"))
}
