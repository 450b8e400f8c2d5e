//! Benchmarks of Gradyn: each answers a question and prints ratios measured in one run.

pub mod memory;

use gradyn::{Method, Prepared, Run};
use gradyn_dynamics::Trajectory;
use gradyn_dynamics::simulate::replay_into;
use gradyn_sensitivity::{Adjoint, Case};
use std::time::Instant;

/// A model with one run of a method, ready to be timed.
pub struct Bench {
    /// The model, built and assembled.
    pub model: Prepared,
    /// The method of the run.
    pub method: Method,
    /// One run, whose plan is timed again.
    pub run: Run,
}

/// Times of one case.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Steps of the run.
    pub steps: usize,
    /// The start, which is part of the forward run [s].
    pub start: f64,
    /// Forward run [s].
    pub forward: f64,
    /// Backward sweep [s].
    pub backward: f64,
}

impl Times {
    /// One line: µs per step and the cost of run and gradient in units of the run.
    pub fn line(&self, name: &str) -> String {
        let per = |s: f64| s * 1e6 / self.steps as f64;
        let both = self.forward + self.backward;
        format!(
            "{name:<36} {:>6} steps | forward {:6.3} µs/step, with gradient {:6.3} µs/step | {:7.3} ms, \
             {:7.3} ms | ratio {:.2}",
            self.steps,
            per(self.forward),
            per(both),
            self.forward * 1e3,
            both * 1e3,
            both / self.forward
        )
    }
}

impl Bench {
    /// Builds and runs once.
    pub fn new(model: Prepared, method: Method) -> Self {
        let run = model.run(&method).unwrap_or_else(|e| panic!("{}: {e}", model.model.name));
        Self { model, method, run }
    }
    /// Simulated time [s].
    pub fn seconds(&self) -> f64 {
        let t = &self.run.trajectory.plan.t;
        t[t.len() - 1] - t[0]
    }
    /// Best of `n` runs on the plan, and of `n` sweeps.
    pub fn times(&self, n: usize) -> Times {
        let recipe = self.method.build(&self.model.model);
        let p = self.model.slots();
        let mut trajectory: Trajectory = self.run.trajectory.clone();
        let mut chain = recipe.chain(&p).expect("the model ran before");
        let forward = best(n, || replay_into(&p, &mut trajectory, &mut chain).expect("the model ran before"));
        let (len, plan) = (trajectory.layout.len, &trajectory.plan);
        let start = best(n, || {
            let x = &mut trajectory.x[..len];
            chain.advance(plan.span(0, &p), plan.frozen(0), &[], x).expect("the model ran before");
        });
        let design = gradyn_sensitivity::Design::Model(&self.model.model);
        let case = Case::new(&recipe, design, self.model.rho(), &trajectory);
        let mut adjoint = Adjoint::new(&case).expect("the model ran before");
        let backward = best(n, || {
            adjoint.gradient(&case).expect("the model ran before");
        });
        Times { steps: trajectory.plan.steps(), start, forward, backward }
    }
    /// One forward run on the plan.
    pub fn forward(&self) -> Vec<f64> {
        let p = self.model.slots();
        let run = |x: Result<Trajectory, _>| x.expect("the model ran before").last().to_vec();
        let recipe = self.method.build(&self.model.model);
        run(gradyn_dynamics::simulate::replay(&recipe, &p, &self.run.trajectory.plan))
    }
    /// One gradient of the stored run.
    pub fn gradient(&self) -> Vec<Vec<f64>> {
        let g = self.model.gradient(&self.run, gradyn::Sensitivity::DiscreteAdjoint);
        g.expect("the model ran before").rows
    }
}

/// Seconds of the fastest of `n` calls: timings are noisy.
pub fn best(n: usize, mut f: impl FnMut()) -> f64 {
    let mut fastest = f64::INFINITY;
    for _ in 0..n {
        let started = Instant::now();
        f();
        fastest = fastest.min(started.elapsed().as_secs_f64());
    }
    fastest
}
