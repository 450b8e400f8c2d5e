//! Measured orders of convergence against a fine run of DOPRI5, which agrees with an adaptive one of
//! tolerance 1e-12.

use gradyn_dynamics::control::{Controller, Mesh};
use gradyn_dynamics::simulate::unobserved;
use gradyn_dynamics::tableau::{DOP853, DOPRI5, GAUSS4, RADAU3, RADAU5, RK4, SDIRK4, Tableau};
use gradyn_dynamics::{
    Integrated, Lagrange, Newmark, RungeKutta, Scheme, StepError, StepRecipe, Trajectory, simulate,
};
use gradyn_model::mechanism::ForceKind;
use gradyn_model::{FunctionalSet, Mechanics, Mechanism, Model};
use gradyn_testkit::models::{
    double_pendulum, driven, five_bar, free_body, pendulum, ready, slider_crank, spring_mass,
};

fn run<T: Clone + Into<StepRecipe>>(step: &T, model: &Model, p: &[f64], control: Controller) -> Trajectory {
    let (start, end) = (model.times.start, model.times.end);
    let (t0, t1) = (p[start as usize], p[end as usize]);
    let knots: Vec<f64> = model.splines.iter().flat_map(|s| s.knots(t0, t1)).collect();
    let mesh = Mesh::new((t0, Some(start)), &[], &knots, (t1, Some(end))).expect("a mesh");
    simulate(&step.clone().into(), p, &model.angles, &mesh, &control, &mut unobserved)
        .unwrap_or_else(|e| panic!("{}: {e}", model.name))
}

fn runge_kutta(sys: &Mechanics, tableau: &'static Tableau) -> RungeKutta {
    RungeKutta {
        sys: sys.clone(),
        f: Lagrange::ACCELERATION,
        state: Integrated::Full,
        freedoms: vec![],
        tableau,
    }
}

fn newmark(sys: &Mechanics, f: Lagrange, xi: f64) -> Newmark {
    Newmark::new(sys, f, Scheme::dissipative(xi))
}

/// (q, v) and z of the last record.
fn result(run: &Trajectory) -> Vec<f64> {
    let (lay, x) = (run.layout, run.last());
    [&x[..2 * lay.n], &x[lay.z()..lay.head()]].concat()
}

/// Error below 1e-14: what order 5 leaves of 1e-11 at ten times the step.
fn reference(model: &Model, p: &[f64]) -> Vec<f64> {
    result(&run(&runge_kutta(&model.system, &DOPRI5), model, p, Controller::fixed(5e-4)))
}

/// Slopes log₂(e(h)/e(h/2)) over `count` halvings, of (q, v) and of z.
fn slopes<T: Clone + Into<StepRecipe>>(
    step: &T,
    model: &Model,
    p: &[f64],
    h: f64,
    count: usize,
) -> Vec<[f64; 2]> {
    let truth = reference(model, p);
    let n2 = 2 * step.clone().into().layout().n;
    let errors: Vec<[f64; 2]> = (0..=count)
        .map(|k| {
            let x = result(&run(step, model, p, Controller::fixed(h / f64::powi(2.0, k as i32))));
            let size = |r: std::ops::Range<usize>| r.map(|i| (x[i] - truth[i]).powi(2)).sum::<f64>().sqrt();
            [size(0..n2), size(n2..x.len())]
        })
        .collect();
    errors.windows(2).map(|e| [(e[0][0] / e[1][0]).log2(), (e[0][1] / e[1][1]).log2()]).collect()
}

/// The last slope is within 0.1 of the order for (q, v), and not below it for z, whose error may start with a
/// later term.
fn has_order<T: Clone + Into<StepRecipe>>(what: &str, step: &T, r: (&Model, &[f64]), h: f64, order: f64) {
    let slopes = slopes(step, r.0, r.1, h, 3);
    let last = slopes.last().expect("three slopes");
    assert!((last[0] - order).abs() <= 0.1, "{what}: order of (q, v) {slopes:.2?}");
    assert!(last[1] >= order - 0.1, "{what}: order of z {slopes:.2?}");
}

/// The pendulum without the objective that reads λ.
fn kinematic_pendulum() -> Mechanism {
    let mut m = pendulum();
    m.objectives.remove(0);
    m
}

/// The five-bar for a second.
fn short_five_bar() -> Mechanism {
    let mut m = five_bar();
    m.t_end = 1.0.into();
    m
}

#[test]
fn newmark_trapezoidal_is_second_order() {
    for (m, h) in [
        (kinematic_pendulum(), 0.02),
        (short_five_bar(), 0.01),
        (double_pendulum(), 0.01),
        (spring_mass(), 0.01),
    ] {
        let r = ready(&m);
        for (law, f) in [("index 3", Lagrange::INDEX3), ("index 1", Lagrange::index1(1.0, 5.0))] {
            let step = StepRecipe::from(newmark(&r.model.system, f, 0.0));
            assert_eq!(step.order(), 2);
            has_order(&format!("{}, {law}", m.name), &step, (&r.model, &r.p), h, 2.0);
        }
    }
}

/// The members of the family that dissipate without loss of order.
fn dissipative_schemes() -> [Scheme; 5] {
    [
        Scheme::hht(0.05),
        Scheme::hht(0.3),
        Scheme::generalized_alpha(0.8),
        Scheme::generalized_alpha(0.4),
        Scheme::generalized_alpha(0.0),
    ]
}

#[test]
fn generalised_alpha_is_second_order() {
    for (m, h) in [
        (kinematic_pendulum(), 0.01),
        (short_five_bar(), 0.005),
        (double_pendulum(), 0.005),
        (spring_mass(), 0.005),
    ] {
        let r = ready(&m);
        for scheme in dissipative_schemes() {
            for (law, f) in [("index 3", Lagrange::INDEX3), ("index 1", Lagrange::index1(1.0, 5.0))] {
                let step = StepRecipe::from(Newmark::new(&r.model.system, f, scheme));
                assert_eq!(step.order(), 2, "{scheme:?}");
                let (what, slopes) =
                    (format!("{}, {law}, {scheme:?}", m.name), slopes(&step, &r.model, &r.p, h, 3));
                assert!((slopes[2][0] - 2.0).abs() <= 0.1, "{what}: order of (q, v) {slopes:.2?}");
                // those of the five-bar pass through zero between two of these steps
                let z = m.name == "five-bar" || slopes[2][1] >= 1.9;
                assert!(z, "{what}: order of z {slopes:.2?}");
            }
        }
    }
}

/// ρ_∞ = 1 and α_f = 0 are the trapezoidal rule: the first to rounding with its â, the second to the last
/// bit.
#[test]
fn members_without_dissipation_are_the_trapezoidal_rule() {
    let r = ready(&short_five_bar());
    let end = |scheme: Scheme| {
        result(&run(
            &Newmark::new(&r.model.system, Lagrange::INDEX3, scheme),
            &r.model,
            &r.p,
            Controller::fixed(0.01),
        ))
    };
    let truth = end(Scheme::TRAPEZOIDAL);
    assert_eq!(end(Scheme::hht(0.0)), truth);
    let error =
        end(Scheme::generalized_alpha(1.0)).iter().zip(&truth).fold(0.0f64, |s, (a, b)| s.max((a - b).abs()));
    // 1e-12: 100 steps of roundings
    assert!(error < 1e-12, "{error:e}");
}

#[test]
fn runge_kutta_has_the_order_of_its_tableau() {
    for (m, h4, h5) in
        [(pendulum(), 0.03, 0.03), (short_five_bar(), 0.02, 0.03), (double_pendulum(), 0.02, 0.02)]
    {
        let r = ready(&m);
        for (tableau, h) in [(&RK4, h4), (&DOPRI5, h5)] {
            let step = runge_kutta(&r.model.system, tableau);
            has_order(
                &format!("{}, {}", m.name, tableau.name),
                &step,
                (&r.model, &r.p),
                h,
                tableau.order as f64,
            );
        }
    }
}

/// Long steps: h^8 and h^5 leave few halvings above rounding.
#[test]
fn high_and_implicit_orders_are_those_of_the_tableau() {
    for (m, long) in [(pendulum(), 1.0), (short_five_bar(), 0.5), (double_pendulum(), 0.4)] {
        let r = ready(&m);
        for (tableau, h) in
            [(&DOP853, 0.16), (&GAUSS4, 0.04), (&RADAU3, 0.02), (&RADAU5, 0.1), (&SDIRK4, 0.02)]
        {
            let slopes = slopes(&runge_kutta(&r.model.system, tableau), &r.model, &r.p, long * h, 2);
            let (last, order) = (slopes.last().expect("two slopes"), tableau.order as f64);
            // DOP853 is seen before its asymptotic range, from above
            let most = if tableau.order == 8 { 1.0 } else { 0.1 };
            let what = format!("{}, {}: {slopes:.2?}", m.name, tableau.name);
            assert!(last[0] >= order - 0.1 && last[0] <= order + most, "(q, v) of {what}");
            assert!(last[1] >= order - 0.35, "z of {what}");
        }
    }
}

/// Constraints at the level of positions: 2s-1 for q, s for v, s-1 for a and λ [Hairer, Lubich & Roche; Jay].
#[test]
fn radau_on_positions_has_its_orders() {
    for (m, fine) in [(pendulum(), 1.0), (short_five_bar(), 1.0), (double_pendulum(), 0.5)] {
        let r = ready(&m);
        let sys = &r.model.system;
        let truth = run(&runge_kutta(sys, &DOPRI5), &r.model, &r.p, Controller::fixed(5e-4)).last().to_vec();
        for (tableau, h, orders) in
            [(&RADAU3, 0.005, [3.0, 2.0, 1.0, 1.0]), (&RADAU5, 0.02, [5.0, 3.0, 2.0, 2.0])]
        {
            let step = RungeKutta { f: Lagrange::INDEX3, ..runge_kutta(sys, tableau) };
            let errors = |h: f64| {
                let run = run(&step, &r.model, &r.p, Controller::fixed(h));
                let size = |part: std::ops::Range<usize>| {
                    part.map(|i| (run.last()[i] - truth[i]).powi(2)).sum::<f64>().sqrt()
                };
                run.layout.blocks().map(|(_, part)| size(part))
            };
            let (coarse, half) = (errors(fine * h), errors(0.5 * fine * h));
            for k in 0..4 {
                let slope = (coarse[k] / half[k]).log2();
                assert!(
                    (slope - orders[k]).abs() <= 0.25,
                    "{}, {}: block {k} has order {slope:.2}",
                    m.name,
                    tableau.name
                );
            }
        }
    }
}

/// Baumgarte's terms do not change the order.
#[test]
fn index_1_with_stabilisation_keeps_the_order() {
    let r = ready(&double_pendulum());
    for (tableau, h) in [(&RK4, 0.02), (&DOPRI5, 0.02)] {
        let step = RungeKutta { f: Lagrange::index1(1.0, 3.0), ..runge_kutta(&r.model.system, tableau) };
        has_order(tableau.name, &step, (&r.model, &r.p), h, tableau.order as f64);
    }
}

/// Splines are C² only: steps that end on their knots keep the order of smooth pieces.
#[test]
fn order_is_kept_over_spline_knots() {
    let r = ready(&spring_mass());
    for (tableau, h) in [(&RK4, 0.02), (&DOPRI5, 0.05)] {
        has_order(
            tableau.name,
            &runge_kutta(&r.model.system, tableau),
            (&r.model, &r.p),
            h,
            tableau.order as f64,
        );
    }
}

/// ξ = -0.1: first order, and the energy of a conservative motion falls; ξ = 0 keeps it to O(h²).
#[test]
fn newmark_with_negative_xi_dissipates() {
    let mut m = kinematic_pendulum();
    m.outputs = vec![("E".into(), "system.energy".into())];
    let r = ready(&m);
    let sys = &r.model.system;
    let step = StepRecipe::from(newmark(sys, Lagrange::INDEX3, -0.1));
    assert_eq!(step.order(), 1);
    has_order("ξ = -0.1", &step, (&r.model, &r.p), 0.0025, 1.0);
    let energy = |xi: f64, h: f64| -> Vec<f64> {
        let mut p = r.p.clone();
        p[r.model.times.end as usize] = 4.0;
        let step = newmark(sys, Lagrange::INDEX3, xi);
        let run = run(&step, &r.model, &p, Controller::fixed(h));
        let mut terms = sys.evaluator(&p);
        let mut at = |n: usize| {
            let (t, x, mut out) = (run.plan.t[n], run.present(n), [0.0; 2]);
            terms.set_branches(&run.branches(n));
            terms.at(t, &x[..run.layout.n]);
            terms.measure(FunctionalSet::Output, &run.layout.node(t, x), &mut out);
            out[0]
        };
        (0..=run.plan.steps()).map(&mut at).collect()
    };
    let (kept, lost) = (energy(0.0, 0.01), energy(-0.1, 0.01));
    let drift = |e: &[f64]| e.last().expect("energies") - e[0];
    assert!(drift(&lost) < -0.05, "loss {}", drift(&lost));
    assert!(
        drift(&kept).abs() < 0.01 * drift(&lost).abs(),
        "drift {} against {}",
        drift(&kept),
        drift(&lost)
    );
}

/// Tolerances are met to a factor of 100 in (q, v, z), and fewer steps are made with looser ones.
#[test]
fn adaptive_runs_follow_their_tolerance() {
    for m in [pendulum(), short_five_bar(), driven(), slider_crank()] {
        let r = ready(&m);
        let truth = reference(&r.model, &r.p);
        for tableau in Tableau::ALL.into_iter().filter(|t| !t.error.is_empty()) {
            let step = runge_kutta(&r.model.system, tableau);
            // the estimates of low order ask for too many steps beyond 1e-8
            let tolerances =
                if tableau.estimate > 4 { [1e-4, 1e-6, 1e-8, 1e-12] } else { [1e-3, 1e-4, 1e-6, 1e-8] };
            let mut steps = vec![];
            for tol in tolerances {
                let run = run(&step, &r.model, &r.p, Controller::adaptive(tol, tol));
                for (x, y) in result(&run).iter().zip(&truth) {
                    let what = format!("{}, {}, {tol:.0e}", m.name, tableau.name);
                    assert!((x - y).abs() <= 100.0 * tol * y.abs().max(1.0), "{what}: {x} ≠ {y}");
                }
                steps.push(run.statistics.steps);
            }
            assert!(steps.is_sorted(), "{}, {}: {steps:?}", m.name, tableau.name);
        }
    }
}

/// The motion of a thrown body is quadratic: interpolants and nodes are exact to rounding.
#[test]
fn interpolants_reproduce_a_parabola() {
    let mut m = free_body();
    m.bodies[0].points.clear(); // its coordinates are then those of its centre of mass
    let r = ready(&m);
    let sys = &r.model.system;
    for tableau in [&RK4, &DOPRI5] {
        let step = StepRecipe::from(runge_kutta(sys, tableau));
        let run = run(&step, &r.model, &r.p, Controller::fixed(0.1));
        let mut chain = step.chain(&r.p).expect("memory");
        let mut out = vec![0.0; run.layout.z()];
        for n in 1..=run.plan.steps() {
            let link = run.link(n);
            let record = link.args(&r.p);
            for θ in [0.0, 0.3, 0.5, 0.9, 1.0] {
                chain.interpolate(&record, θ, &mut out).expect("regular");
                let t = record.span.t + θ * record.span.h;
                let truth = [
                    2.0 * t + 0.15 * t * t,
                    1.0 + 3.0 * t - 0.5 * 9.81 * t * t,
                    2.0 + 0.3 * t,
                    3.0 - 9.81 * t,
                ];
                let got = [out[0], out[1], out[4], out[5]];
                (0..4).for_each(|i| {
                    assert!((got[i] - truth[i]).abs() < 1e-13, "{}: {got:?} ≠ {truth:?}", tableau.name)
                });
                assert!((out[8] - 0.3).abs() < 1e-12 && (out[9] + 9.81).abs() < 1e-12, "accelerations");
            }
        }
    }
}

/// Interpolated states in the middle of steps converge at order 4 (the continuous extension; Hermite).
#[test]
fn interpolants_converge() {
    let r = ready(&pendulum());
    let sys = &r.model.system;
    let truth = |t: f64| {
        let mut p = r.p.clone();
        p[r.model.times.end as usize] = t;
        result(&run(&runge_kutta(sys, &DOPRI5), &r.model, &p, Controller::adaptive(1e-12, 1e-12)))
    };
    for tableau in [&RK4, &DOPRI5] {
        let step = StepRecipe::from(runge_kutta(sys, tableau));
        let error = |h: f64| -> f64 {
            let run = run(&step, &r.model, &r.p, Controller::fixed(h));
            let mut chain = step.chain(&r.p).expect("memory");
            let mut out = vec![0.0; run.layout.z()];
            let mut worst = 0.0f64;
            for (n, θ) in [(1, 0.3), (run.plan.steps() / 2, 0.5), (run.plan.steps(), 0.7)] {
                let link = run.link(n);
                let record = link.args(&r.p);
                chain.interpolate(&record, θ, &mut out).expect("regular");
                let y = truth(record.span.t + θ * record.span.h);
                worst = (0..2 * run.layout.n).fold(worst, |s, i| s.max((out[i] - y[i]).abs()));
            }
            worst
        };
        let slope = (error(0.03) / error(0.015)).log2();
        assert!(slope > 3.8, "{}: order {slope:.2}", tableau.name);
    }
}

/// λ* of index 3 belongs to a*, whose error normal to the constraints is O(h); λ = λ* + σ_a, which belongs to
/// the projected a, is of second order.
///
/// M a* + Φ_qᵀ λ* = Q and M (a - a*) + Φ_qᵀ σ_a = 0 give M a + Φ_qᵀ (λ* + σ_a) = Q.
#[test]
fn multipliers_of_newmark_have_their_order() {
    let r = ready(&pendulum());
    let sys = &r.model.system;
    let truth = run(&runge_kutta(sys, &DOPRI5), &r.model, &r.p, Controller::fixed(5e-4)).last().to_vec();
    for (law, f, star) in [("index 3", Lagrange::INDEX3, 1.0), ("index 1", Lagrange::index1(1.0, 5.0), 2.0)] {
        let errors = |h: f64| {
            let run = run(&newmark(sys, f, 0.0), &r.model, &r.p, Controller::fixed(h));
            let (lay, x) = (run.layout, run.last());
            let size = |from: usize| {
                let each = (0..lay.m).map(|i| x[from + i] - truth[lay.lam() + i]);
                each.map(|e| e * e).sum::<f64>().sqrt()
            };
            [size(lay.lam()), size(lay.head() + 2 * lay.m)]
        };
        let (coarse, fine) = (errors(0.005), errors(0.0025));
        let slopes = [0, 1].map(|k| (coarse[k] / fine[k]).log2());
        assert!((slopes[0] - 2.0).abs() <= 0.1, "{law}: order of λ {slopes:.2?}");
        assert!((slopes[1] - star).abs() <= 0.1, "{law}: order of λ* {slopes:.2?}");
    }
}

/// λ of the projected accelerations is of second order in every member of the family.
#[test]
fn multipliers_of_generalised_alpha_are_second_order() {
    let r = ready(&pendulum());
    let sys = &r.model.system;
    let truth = run(&runge_kutta(sys, &DOPRI5), &r.model, &r.p, Controller::fixed(5e-4)).last().to_vec();
    for scheme in dissipative_schemes() {
        let error = |h: f64| {
            let run = run(&Newmark::new(sys, Lagrange::INDEX3, scheme), &r.model, &r.p, Controller::fixed(h));
            (run.layout.lam()..run.layout.z()).map(|i| (run.last()[i] - truth[i]).powi(2)).sum::<f64>().sqrt()
        };
        let slope = (error(0.0025) / error(0.00125)).log2();
        assert!((slope - 2.0).abs() <= 0.1, "{scheme:?}: order of λ {slope:.2}");
    }
}

/// More objectives than unknowns of a step.
#[test]
fn newmark_takes_more_objectives_than_unknowns() {
    let mut m = pendulum();
    (0..12).for_each(|k| {
        m.integral(&format!("extra{k}"), &format!("{} * bar.angle", k + 1));
    });
    let r = ready(&m);
    let run = run(&newmark(&r.model.system, Lagrange::INDEX3, 0.0), &r.model, &r.p, Controller::fixed(0.01));
    let z = &run.last()[run.layout.z()..run.layout.head()];
    (0..12).for_each(|k| assert!((z[3 + k] - (k + 1) as f64 * z[3]).abs() < 1e-12));
}

/// A force that stops to be a number: every step says so.
#[test]
fn nan_in_a_force_is_an_error_of_the_step() {
    let mut m = kinematic_pendulum();
    m.force("f", ForceKind::Point { at: "bar.B".into(), force: ["sqrt(0.3 - t)", "0"].into(), frame: None });
    let r = ready(&m);
    let sys = &r.model.system;
    let (p, end) = (&r.p, r.p[r.model.times.end as usize]);
    let mesh = Mesh::new((0.0, None), &[], &[], (end, None)).expect("a mesh");
    fn attempt<T: Clone + Into<StepRecipe>>(
        step: &T,
        p: &[f64],
        angles: &[f64],
        mesh: &Mesh,
    ) -> Result<Vec<f64>, StepError> {
        simulate(&step.clone().into(), p, angles, mesh, &Controller::fixed(0.02), &mut unobserved)
            .map(|r| result(&r))
    }
    let e = attempt(&newmark(sys, Lagrange::INDEX3, 0.0), p, &r.model.angles, &mesh);
    assert!(matches!(&e, Err(StepError::NotFinite { .. })), "Newmark: {e:?}");
    for tableau in Tableau::ALL {
        let e = attempt(&runge_kutta(sys, tableau), p, &r.model.angles, &mesh);
        assert!(matches!(&e, Err(StepError::NotFinite { .. })), "{}: {e:?}", tableau.name);
    }
}

/// An objective that stops to be a number ends an adaptive run with an error, not with a loop.
#[test]
fn nan_in_an_objective_ends_an_adaptive_run() {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut m = kinematic_pendulum();
        m.integral("root", "sqrt(0.3 - t)");
        let r = ready(&m);
        let step = runge_kutta(&r.model.system, &DOPRI5);
        let mesh = Mesh::new((0.0, None), &[], &[], (0.6, None)).expect("a mesh");
        let control = Controller::adaptive(1e-6, 1e-6);
        let e = simulate(&step.into(), &r.p, &r.model.angles, &mesh, &control, &mut unobserved)
            .map(|r| result(&r));
        send.send(e).expect("the test waits");
    });
    let e = receive.recv_timeout(std::time::Duration::from_secs(5)).expect("the run ends within 5 s");
    assert!(e.is_err(), "{e:?}");
}
