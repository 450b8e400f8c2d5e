//! Mechanisms → systems: every model builds, its sizes, its inertia, its parameters.

use gradyn_testkit::models::{all, ready};

#[test]
fn every_model_builds_and_assembles() {
    for (name, m) in all() {
        let r = ready(&m);
        println!("{name}: {:?} {:?} {:?}", gradyn_model::System::dims(&r.model.system), r.model.warnings, r.q);
        for p in &r.model.parameters {
            if !p.used {
                println!("   unused {}", p.name);
            }
        }
    }
}
