//! What happens between the nodes of a run, where its steps do not look.
//!
//! ```text
//! |f(t) - p(t)| > 0.4 max |f(t) - f(t_n)|          f: what acts on the way through a step                 (1)
//! h |a| > π max(1, p/4) max |v|                    fewer than two steps of order p a period               (2)
//! ```
//! p(t) is the polynomial through as many points of the step as its scheme looks at. (1) sees a blow between
//! two nodes and a force that has the same value at each of them, to which runs with other steps may be
//! blind. (2) sees a vibration that implicit steps take away, or keep at a wrong frequency, and a decay that
//! ends within one step: of a vibration of frequency ω it is ωh, coordinate by coordinate.

use crate::diagnose::Acting;
use crate::prepared::{Prepared, Run};
use gradyn_model::{Owner, Subject};
use gradyn_num::largest;
use std::f64::consts::PI;

/// The part of the largest change by time that polynomials may be off.
const MOST: f64 = 0.4;
/// Changes below this part of what acts are rounding.
const ROUNDING: f64 = 1e-6;
/// Points of all steps that are asked for (1).
const ASKED: usize = 10_000;
/// Points of a step, at least and at most.
const POINTS: [usize; 2] = [8, 80];
/// Coordinates that are slower than this part of the fastest have its speed in (2).
const SLOW: f64 = 1e-2;
/// Ways of a step below this part of the largest coordinate are rounding.
const TINY: f64 = 1e-9;

/// What happens between two nodes, and what of the model it is about, where that is known.
pub(super) struct Passed {
    pub text: String,
    pub subject: Option<Subject>,
}

/// The first step between whose ends something happens, (1), and then what.
pub(super) fn between(model: &Prepared, run: &Run) -> Option<Passed> {
    let plan = &run.trajectory.plan;
    let text = |n: usize, what: &str| {
        let [a, b] = [plan.t[n - 1], plan.t[n]];
        format!("{what} between the nodes at {a} s and {b} s: take shorter steps")
    };
    if let Some((n, k, i)) = acts(model, run) {
        // acting = forces, rows, integrands
        let sys = &model.model.system;
        let subject = match k {
            1 => sys.row_names().get(i).map(|row| Subject::new(row.owner, &row.element)),
            2 => model.objectives().get(i).map(|name| Subject::new(Owner::Objective, name)),
            _ => None,
        };
        return Some(Passed { text: text(n, "what acts changes"), subject });
    }
    let n = fast(run)?;
    Some(Passed { text: text(n, "the motion turns, or a fast decay ends,"), subject: None })
}

/// (1): the first step in which what acts leaves its polynomial, which quantity that is, and which entry of
/// it.
fn acts(model: &Prepared, run: &Run) -> Option<(usize, usize, usize)> {
    let plan = &run.trajectory.plan;
    let stride = (plan.steps() * POINTS[0]).div_ceil(ASKED).max(1);
    let points = (ASKED / plan.steps().max(1)).clamp(POINTS[0], POINTS[1]);
    // nodes of the polynomial: 2 for order 2, 3 for 4 and 5, 5 for 8
    let nodes = match run.method.integrator.order() {
        ..=2 => 2,
        order => order / 2 + 1,
    };
    let p = model.slots();
    let mut terms = model.model.system.evaluator(&p);
    // (largest |f|, largest change) of each quantity, and the steps with what their worst entries are off
    let mut sizes = [[0.0f64; 2]; 3];
    let mut off: Vec<(usize, [(f64, usize); 3])> = vec![];
    for n in (1..=plan.steps()).step_by(stride).filter(|&n| !plan.restarts[n] && plan.h[n - 1] > 0.0) {
        let acting = Acting::new(run, n, &mut terms);
        let mut at = |θ: f64| acting.at(θ, &mut terms);
        let known: Vec<[Vec<f64>; 3]> = (0..nodes).map(|i| at(i as f64 / (nodes - 1) as f64)).collect();
        let mut most = [(0.0f64, 0); 3];
        for i in 1..points {
            // no point is at a part of the step that signals may repeat in
            let θ = (i as f64 - 0.381_966) / (points - 1) as f64;
            let weights = lagrange(nodes, θ);
            for (k, y) in at(θ).iter().enumerate() {
                let polynomial = |j: usize| (0..nodes).map(|i| weights[i] * known[i][k][j]).sum::<f64>();
                for (j, y) in y.iter().enumerate() {
                    let distance = (y - polynomial(j)).abs();
                    most[k] = if distance > most[k].0 { (distance, j) } else { most[k] };
                }
                let change = largest(y.iter().zip(&known[0][k]).map(|(y, first)| y - first));
                sizes[k] = [sizes[k][0].max(largest(y.iter().copied())), sizes[k][1].max(change)];
            }
        }
        off.push((n, most));
    }
    let beyond = |most: &[(f64, usize); 3], k: usize| {
        most[k].0 > MOST * sizes[k][1] && sizes[k][1] > ROUNDING * sizes[k][0]
    };
    let first = |(n, most): &(usize, [(f64, usize); 3])| {
        (0..3).find(|&k| beyond(most, k)).map(|k| (*n, k, most[k].1))
    };
    off.iter().find_map(first)
}

/// Weights at θ of the polynomial through equally spaced nodes of a step.
fn lagrange(nodes: usize, θ: f64) -> Vec<f64> {
    let x = |i: usize| i as f64 / (nodes - 1) as f64;
    let others = |i: usize| (0..nodes).filter(move |j| *j != i);
    (0..nodes).map(|i| others(i).map(|j| (θ - x(j)) / (x(i) - x(j))).product()).collect()
}

/// (2): the first node whose acceleration, kept up for a step, gives more than the largest speed.
fn fast(run: &Run) -> Option<usize> {
    let plan = &run.trajectory.plan;
    let lay = run.trajectory.layout;
    // max |q_i| and max |v_i|, in one look at all records
    let mut sizes = vec![0.0f64; lay.a()];
    for n in 0..=plan.steps() {
        let record = run.trajectory.record(n);
        sizes.iter_mut().zip(record.iter()).for_each(|(size, x)| *size = largest([*size, *x]));
    }
    // speeds, not less than a part of that of all coordinates
    let speeds = &sizes[lay.v()..];
    let least = SLOW * largest(speeds.iter().copied());
    let far = largest(sizes[..lay.n].iter().copied());
    let most = PI * (run.method.integrator.order() as f64 / 4.0).max(1.0);
    let is_fast = |n: &usize| {
        let h = plan.h[*n];
        let record = run.trajectory.record(*n);
        let accelerations = &record[lay.a()..lay.a() + lay.n];
        let beyond = |(a, v): (&f64, &f64)| h * a.abs() > most * v.max(least) && h * h * a.abs() > TINY * far;
        accelerations.iter().zip(speeds).any(beyond)
    };
    (0..plan.steps()).find(is_fast).map(|n| n + 1)
}
