//! Tests of the library through its front door.

mod adams;
mod agreement;
mod alarms;
mod ali3p;
mod alloc_free;
mod certificate;
mod check;
mod continuous;
mod control;
mod convergence;
mod coordinates;
mod cost;
mod cuts;
mod documents;
mod edges;
mod elements;
mod equilibrium;
mod events;
mod examples;
mod faults;
mod file;
mod final_time;
mod five_bar;
mod fuzz;
mod identification;
mod kit;
mod lists;
mod long_trees;
mod maggi;
mod maximum;
mod measured;
mod memory;
mod messages;
mod mobility;
mod optimize;
mod orders;
mod overconstrained;
mod penalty;
mod random;
mod random_loops;
mod redundant;
mod refusals;
mod rotors;
mod second;
mod singular;
mod soak;
mod sparse;
mod stiff;
mod study;
mod suite;
mod synthesis;
mod template;
#[path = "../../../gradyn-model/tests/it/terms.rs"]
mod terms;
mod trust;
mod uneven;
mod user;
mod values;
mod vehicles;
mod verify;
mod vjp;

use gradyn_model::mechanism::Mechanism;

/// What the tests of terms run over, by name.
fn mechanisms() -> Vec<(String, Mechanism)> {
    kit::elements::all().into_iter().map(|e| (e.name, e.mechanism)).collect()
}
