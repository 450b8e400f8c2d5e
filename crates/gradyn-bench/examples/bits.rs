//! Question: did a change of structure change a bit?
//!
//! One line for each example, family of coordinates, formulation and integrator: hashes of the plan with its
//! records, of ψ, and of the gradients by the direct, the adjoint and the automatic method, on a run of a few
//! steps. Two programs that write the same lines compute the same bits: `cargo xtask bits` before and after.
//! The first argument is the file to write; further ones pick the examples whose names contain one of them.

use gradyn::registry::combinations;
use gradyn::{Coordinates, Method, Prepared, Sensitivity};
use rayon::prelude::*;

/// Steps of a run, the last one a short one.
const STEPS: f64 = 7.5;
/// Step size [s]: a rotor at hundreds of rad/s still turns by little.
const STEP: f64 = 1e-3;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a file to write");
    let words: Vec<String> = arguments.collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|w| name.contains(w.as_str()));
    let examples: Vec<_> = gradyn::examples::ALL.iter().filter(|e| wanted(e.0)).collect();
    let lines: Vec<Vec<String>> = examples.par_iter().map(|(name, text)| lines_of(name, text)).collect();
    let text = lines.iter().flatten().map(|line| format!("{line}\n")).collect::<String>();
    std::fs::write(&path, text).unwrap_or_else(|e| panic!("{path}: {e}"));
    println!("{} lines in {path}", lines.iter().flatten().count());
}

/// The lines of one example.
fn lines_of(name: &str, text: &str) -> Vec<String> {
    let mut mechanism = gradyn::file::read_toml(text).expect("bundled").mechanism;
    if mechanism.until.is_none() {
        let built = gradyn_model::build(&mechanism).expect("bundled");
        let start = built.slots(&built.rho())[built.times.start as usize];
        mechanism.t_end = (start + STEPS * STEP).into();
    }
    let mut lines = vec![];
    for family in Coordinates::ALL {
        let model = Prepared::new_in(&mechanism, family);
        for (formulation, integrator) in combinations() {
            let method = Method { formulation, integrator, ..Method::default() }.step(STEP);
            let hashes = model.as_ref().map_or("no model".into(), |model| hashes(model, &method));
            let [f, i] = [formulation.name(), integrator.name()];
            lines.push(format!("{name} {} {f} {i} {hashes}", family.name()));
        }
    }
    lines
}

/// Hashes of what a run and its gradients are.
fn hashes(model: &Prepared, method: &Method) -> String {
    let Ok(run) = model.run(method) else { return "no run".into() };
    let plan = &run.trajectory.plan;
    let choices = (0..=plan.steps()).flat_map(|n| plan.choice(n)).map(|c| f64::from(*c));
    let records = plan.t.iter().chain(&plan.branches).chain(&run.trajectory.x).copied().chain(choices);
    let mut text = format!("{:016x} {:016x}", hash(records), hash(run.psi.iter().copied()));
    for s in [Sensitivity::DiscreteDirect, Sensitivity::DiscreteAdjoint, Sensitivity::Automatic] {
        match model.gradient(&run, s) {
            Ok(g) => text += &format!(" {:016x}", hash(g.rows.into_iter().flatten())),
            Err(_) => text += " no-gradient",
        }
    }
    text
}

/// FNV-1a of the bytes of some numbers.
fn hash(numbers: impl Iterator<Item = f64>) -> u64 {
    let bytes = numbers.flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
