//! The step loop, forward and adjoint, allocates nothing.

use gradyn::registry::{Variant, variants};
use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared};
use gradyn_dynamics::StepRecipe;
use gradyn_dynamics::simulate::{replay_into, simulate, unobserved};
use gradyn_model::mechanism::Mechanism;
use gradyn_sensitivity::{Adjoint, Case};
use gradyn_testkit::alloc::{Counting, allocations};
use gradyn_testkit::chain::{chain, coaxial_chain, net, space_chain};

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations of a forward run and of an adjoint sweep.
fn count(recipe: &StepRecipe, model: &Prepared, run: &gradyn::Run) -> (usize, usize) {
    let p = model.slots();
    let mut trajectory = run.trajectory.clone();
    let mut chain = recipe.chain(&p).expect("factors");
    replay_into(&p, &mut trajectory, &mut chain).expect("runs");
    let before = allocations();
    replay_into(&p, &mut trajectory, &mut chain).expect("runs");
    let forward = allocations() - before;
    let design = gradyn_sensitivity::Design::Model(&model.model);
    let case = Case::new(recipe, design, model.rho(), &trajectory);
    let mut adjoint = Adjoint::new(&case).expect("factors");
    adjoint.gradient(&case).expect("sweeps");
    let before = allocations();
    adjoint.gradient(&case).expect("sweeps");
    (forward, allocations() - before)
}

/// Are the independent coordinates chosen again on the way?
fn switches(model: &Prepared, method: &Method) -> bool {
    let plan = model.run(method).expect("runs").trajectory.plan;
    // after the coordinates, adams chooses its order
    let coordinates = plan.choice_count - if method.integrator.multistep() { 2 } else { 0 };
    let lists: Vec<&[u32]> = (1..=plan.steps()).map(|n| plan.choice(n)).collect();
    method.formulation == Formulation::Maggi
        && lists.windows(2).any(|w| w[0][..coordinates] != w[1][..coordinates])
}

/// (forward, adjoint) on a run of some steps.
fn loops(model: &Prepared, method: &Method) -> (usize, usize, usize) {
    let run = model.run(method).expect("runs");
    let (forward, adjoint) = count(&method.build(&model.model), model, &run);
    (run.trajectory.plan.steps(), forward, adjoint)
}

/// Allocations of choosing and taking fixed steps, record 0 and memory included.
fn whole_run(model: &Prepared, method: &Method) -> usize {
    let (mesh, p) = (model.mesh().expect("times"), model.slots());
    let control = method.controller(mesh.end() - mesh.start.0);
    let count = |before: usize| allocations() - before;
    let recipe = method.build(&model.model);
    let before = allocations();
    simulate(&recipe, &p, &model.model.angles, &mesh, &control, &mut unobserved).expect("runs");
    count(before)
}

/// Small models, dense, and large ones, sparse; some of them in joint coordinates.
fn models() -> Vec<(String, Mechanism, Coordinates)> {
    // a run through a change point may stop
    let examples =
        crate::kit::cases::small_examples().filter(|e| e.0 != "change_point").map(|(name, text)| {
            let m = gradyn::file::read_toml(text).expect("parses").mechanism;
            ((*name).to_owned(), m)
        });
    let large = [chain(40), net(3, 8), space_chain(10), coaxial_chain(8)].map(|m| (m.name.clone(), m));
    let families = |(name, m): (String, Mechanism)| {
        let relative = ["four_bar", "rssr", "knife_edge"].contains(&name.as_str());
        let others = if relative { &[Coordinates::Relative0][..] } else { &[] };
        let all = others.iter().chain([&Coordinates::Natural]);
        all.map(|c| (name.clone(), m.clone(), *c)).collect::<Vec<_>>()
    };
    examples.chain(large).flat_map(families).collect()
}

/// One integrator of each family of steps.
const FAMILIES: &[Integrator] = &[
    Integrator::GeneralizedAlpha,
    Integrator::Dopri5,
    Integrator::Radau5,
    Integrator::Sdirk4,
    Integrator::Rodas4,
    Integrator::Adams,
    Integrator::Bashforth,
];

#[test]
fn loops_do_not_allocate() {
    for (name, mut m, family) in models() {
        // two given times, in place of a condition
        (m.until, m.t_end) = (None, 0.2.into());
        let short = Prepared::new_in(&m, family).expect("builds");
        m.t_end = 0.4.into();
        let long = Prepared::new_in(&m, family).expect("builds");
        // all steps on some models, one of each family on the others
        let name = if family == Coordinates::Natural { name } else { format!("{name}, {}", family.name()) };
        let some =
            ["five_bar", "slider_crank", "redundant_four_bar", "knife_edge", "rssr"].contains(&name.as_str());
        // options too where projections choose sparse pivots again
        let first =
            |v: &Variant| (v.option.is_none() || name.starts_with("net")) && FAMILIES.contains(&v.integrator);
        for v in variants().into_iter().filter(|v| some || first(v)) {
            // rotors turn 0.3 rad in 2 ms: too far for independent coordinates
            let h = if ["spinning_top", "gyroscope"].contains(&name.as_str()) { 5e-4 } else { 2e-3 };
            let method = Method::of(&v).expect("registered").step(h);
            if short.check_method(&method).is_err() {
                continue;
            }
            // matrices of independent coordinates are made anew where the choice changes
            if switches(&long, &method) {
                continue;
            }
            let (few, forward, setup) = loops(&short, &method);
            let (many, forward_long, setup_long) = loops(&long, &method);
            assert!(many > few + 90, "{name}: the long run has more steps");
            assert_eq!((forward, forward_long), (0, 0), "{name}, {v}: forward");
            // before and after the loops the slots and the result are allocated: the same for any number of
            // steps, but for pivots that are chosen again: each choice is noted for replays, and there are
            // fewer of them than steps
            let added = many - few;
            let (few, more) = (whole_run(&short, &method), whole_run(&long, &method));
            let what = format!("{name}, {v}");
            assert!(
                more <= few + 4 + added,
                "{what}: simulate allocates {few} times, and {more} times in twice as many steps"
            );
            assert!(
                setup_long <= setup + 4,
                "{what}: the adjoint allocates {setup} times, and {setup_long} times in twice as many steps"
            );
        }
    }
}

/// Long trees: factors and products without matrices. The adjoint allocates before and after its loop only:
/// the same for twice as many steps.
#[test]
fn loops_of_long_trees_do_not_allocate() {
    for mut mechanism in [chain(140), space_chain(132)] {
        let mut model = |t_end: f64| {
            mechanism.t_end = t_end.into();
            Prepared::new_in(&mechanism, Coordinates::Relative0).expect("builds")
        };
        let [short, long] = [0.016, 0.032].map(&mut model);
        assert!(long.model.system.is_long());
        for integrator in ["rk4", "adams"] {
            let method = Method::new("index1", integrator).expect("registered").step(2e-3);
            let [few, many] = [&short, &long].map(|model| loops(model, &method));
            let what = format!("{:?}, {integrator}", long.model.name);
            assert!(many.0 > few.0);
            assert_eq!((few.1, many.1), (0, 0), "{what}: forward");
            assert_eq!(few.2, many.2, "{what}: adjoint");
        }
    }
}
