//! scratch
use gradyn_dynamics::control::{Controller, Mesh};
use gradyn_dynamics::{simulate::replay_into, tableau::*, *};
use gradyn_sensitivity::*;
use gradyn_testkit::models;
use std::time::Instant;
fn time<T: Step>(name: &str, model: &gradyn_model::Model, step: &T, control: Controller, only: &str) {
    let rho = model.rho();
    let p = model.slots(&rho);
    let mesh = Mesh::new((0.0, None), &[], &[], (5.0, None)).unwrap();
    let mut run = simulate(step, &p, &model.angles, &mesh, &control, &mut |_, _| {}).unwrap();
    let mut l = step.linear(&p).unwrap();
    let n = run.plan.steps() as f64;
    let best = |f: &mut dyn FnMut()| {
        (0..200)
            .map(|_| {
                let t = Instant::now();
                f();
                t.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min)
    };
    let tf = if only != "a" { best(&mut || replay_into(step, &p, &mut run, &mut l).unwrap()) } else { 0.0 };
    let case = Case { step, model, rho: &rho, run: &run };
    let mut adj = Adjoint::new(&case).unwrap();
    let ta = if only != "f" {
        best(&mut || {
            adj.gradient(&case).unwrap();
        })
    } else {
        0.0
    };
    println!(
        "{name}: {n} steps forward {:.2} us, adjoint {:.2} us, ratio {:.2}  total {:.3} {:.3} ms",
        tf * 1e6 / n,
        ta * 1e6 / n,
        (tf + ta) / tf,
        tf * 1e3,
        (tf + ta) * 1e3
    );
}
fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let mut m = models::five_bar();
    m.objectives.truncate(1);
    let model = gradyn_model::build(&m).unwrap();
    let sys = &model.system;
    time(
        "newmark 1ms",
        &model,
        &Newmark { sys, f: Lagrange::INDEX3, beta: 0.25, gamma: 0.5, project: true, tolerance: 0.0 },
        Controller::fixed(1e-3),
        &only,
    );
    if only.is_empty() {
        time(
            "rk4 20ms",
            &model,
            &RungeKutta { sys, f: Lagrange::index1(1.0, 10.0), tableau: &RK4 },
            Controller::fixed(2e-2),
            &only,
        );
        time(
            "dopri5 6e-6",
            &model,
            &RungeKutta { sys, f: Lagrange::index1(1.0, 10.0), tableau: &DOPRI5 },
            Controller::adaptive(6e-6, 6e-6),
            &only,
        );
    }
}
