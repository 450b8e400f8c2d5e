//! Continuous sensitivities converge to the derivative of the steps at the order of their integrator.

use crate::kit::cases::{cases, step};
use gradyn::registry::{Variant, orders, variants};
use gradyn::{AlphaScaling, Formulation, Integrator, Method, Prepared, Projections, Sensitivity};
use gradyn_sensitivity::Gradient;
use gradyn_testkit::compare::distance;
use gradyn_testkit::models;

/// Distances of the continuous methods from the discrete adjoint, with steps h.
fn gaps(what: &str, model: &Prepared, v: &Variant, h: f64) -> Vec<(Sensitivity, f64)> {
    // one α for all rows: what its 1/α leaves is the floor of `converges`
    let alpha_scaling = AlphaScaling::Uniform;
    let method = Method::of(v).unwrap_or_else(|e| panic!("{what}: {e}")).step(h);
    let method = Method { alpha_scaling, ..method };
    let run = model.run(&method).unwrap_or_else(|e| panic!("{what}: {e}"));
    let of = |s: Sensitivity| -> Gradient {
        model.gradient(&run, s).unwrap_or_else(|e| panic!("{what}, {}: {e}", s.name())).rows
    };
    let scales: Vec<f64> = model.model.parameters.iter().map(|p| p.scale).collect();
    let exact = of(Sensitivity::DiscreteAdjoint);
    let refused = |s: Sensitivity| {
        s == Sensitivity::AdjointDae
            && v.formulation == Formulation::Ali3p
            && model.model.system.dims().m_vel > 0
    };
    let continuous =
        Sensitivity::ALL.iter().filter(|s| s.is_continuous() && s.fits(v.formulation) && !refused(**s));
    continuous.map(|s| (*s, distance(&of(*s), &exact, &scales))).collect()
}

/// The order at which both gradients converge: that of the slowest block.
fn order(v: &Variant, moving: bool) -> f64 {
    // where λ has a lower order, its derivative over a last step that moves has one less
    let [q, .., lam] = orders(v.formulation, v.integrator).map(|p| p as f64);
    let least = if lam < q && moving { lam - 1.0 } else { lam };
    // whether a step projects depends on roundings: the discrete gradient is of order 1 in the velocities
    let conditional = v.option == Some(("projection", Projections::Conditional.name()));
    if conditional && v.formulation.position_level() { 1.0 } else { least }
}

/// Does the final time depend on a parameter?
fn moving_end(model: &Prepared, p: &[f64]) -> bool {
    let mut slot = vec![0.0; p.len()];
    slot[model.model.times.end as usize] = 1.0;
    model.model.pull_back(model.rho(), &slot).iter().any(|x| *x != 0.0)
}

/// A third of the step, so that the last one is a third too: the gap falls by 3^p, or is rounding already.
fn converges(what: &str, model: &Prepared, v: &Variant, h: f64, slack: f64) {
    let p = model.slots();
    let moving = moving_end(model, &p);
    let order = |v: &Variant| order(v, moving);
    let (coarse, fine) = (gaps(what, model, v, h), gaps(what, model, v, h / 3.0));
    for ((s, coarse), (_, fine)) in coarse.into_iter().zip(fine) {
        let slope = (coarse / fine).ln() / 3f64.ln();
        let text =
            format!("{what}, {}: {coarse:.1e} → {fine:.1e}, order {slope:.2} of {}", s.name(), order(v));
        // the start of a coordinate step has the accelerations of Φ̈ = 0: those of the penalty formulation
        // differ by 1/α
        let floor = if v.formulation == Formulation::Penalty { 1e-8 } else { 2e-10 };
        assert!(slope >= order(v) - slack || fine < floor, "{text}");
    }
}

#[test]
fn every_step_on_the_five_bar() {
    let mut m = models::five_bar();
    m.t_end = 1.0.into();
    let model = Prepared::new(&m).expect("the five-bar builds");
    for v in variants() {
        converges(&v.to_string(), &model, &v, 0.02, 0.5);
    }
}

/// Every number of every example: geometry, drivers, start, final time; integral and terminal values,
/// accelerations, reactions.
#[test]
fn every_number_of_every_example() {
    let integrators = [Integrator::Newmark, Integrator::Rk4, Integrator::Radau5];
    for (name, mechanism) in cases() {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for v in variants().iter().filter(|v| v.option.is_none() && integrators.contains(&v.integrator)) {
            if model.model.system.dims().m_vel > 0 && v.formulation == Formulation::Index3 {
                continue;
            }
            converges(&format!("{name}, {v}"), &model, v, step(&name), 0.7);
        }
    }
}

/// By name.
#[test]
fn what_does_not_exist_is_refused() {
    let model = |name: &str| {
        let file = gradyn::file::read_toml(gradyn::examples::find(name).expect("an example")).expect("reads");
        Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let refusal = |name: &str, formulation: &str, s: Sensitivity| {
        let model = model(name);
        let method = Method::new(formulation, "newmark").expect("exists").step(0.01);
        let run = model.run(&method).unwrap_or_else(|e| panic!("{name}: {e}"));
        model.gradient(&run, s).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let e = refusal("five_bar", "index3", Sensitivity::AdjointExplicit);
    assert!(e.contains("adjoint-explicit does not work with index3"), "{e}");
    let e = refusal("knife_edge", "ali3p", Sensitivity::AdjointDae);
    assert!(e.contains("is a velocity constraint: adjoint-dae of index 3"), "{e}");
}

/// A kink whose time is a parameter: each step sees its own side of it.
#[test]
fn kinks_at_declared_times_keep_the_order() {
    let text = r#"
        name = "kink"
        dimension = 2
        gravity = [0, -9.81]
        [parameters]
        tb = 0.4
        c = 2
        [ground]
        points = { O = [0, 0] }
        [body.bar]
        rod = { points = ["A", "B"], length = 1, mass = 2 }
        [joint]
        pin = { type = "revolute", between = ["ground.O", "bar.A"] }
        [force]
        drive = { type = "torque", on = "bar", torque = "c*max(0, t - tb)*10" }
        [initial]
        position = { "bar.angle" = -0.5 }
        velocity = "rest"
        [objective]
        tip = { terminal = "bar.B.y", integral = "max(0, t - tb)*bar.B.x" }
        [study]
        t_end = 1
        breaks = ["tb"]
    "#;
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    let model = Prepared::new(&file.mechanism).expect("builds");
    let integrators =
        [Integrator::Rk4, Integrator::Dopri5, Integrator::Radau5, Integrator::Sdirk4, Integrator::Newmark];
    for v in variants().iter().filter(|v| v.option.is_none() && integrators.contains(&v.integrator)) {
        converges(&v.to_string(), &model, v, 0.02, 0.9);
    }
}

/// Adams backwards, with steps and orders of its own, on smooth pieces between knots and changes of
/// coordinates: the error follows the tolerance.
#[test]
fn adams_backwards_follows_the_tolerance() {
    let mut changes = 0;
    for mut m in
        [models::five_bar(), models::five_bar_control(6), models::slider_crank(), models::double_pendulum()]
    {
        m.t_end = 1.0.into();
        let model = Prepared::new(&m).expect("builds");
        let scales: Vec<f64> = model.parameters().iter().map(|p| p.scale).collect();
        let exact = Method::new("maggi", "dop853").expect("exists").tolerance(1e-13, 1e-13);
        let run = model.run(&exact).expect("runs");
        let truth = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
        for formulation in ["maggi", "index1"] {
            for tol in [1e-6, 1e-9, 1e-11] {
                let method = Method::new(formulation, "adams").expect("exists").tolerance(tol, tol);
                let run = model.run(&method).expect("runs");
                // order and known differences are the last two choices of a record
                let plan = &run.trajectory.plan;
                let coordinates = |n: usize| &plan.frozen(n).choice[..plan.choice_count - 2];
                changes += (2..=plan.steps()).filter(|n| coordinates(*n) != coordinates(n - 1)).count();
                for s in Sensitivity::ALL.iter().filter(|s| s.is_continuous() && s.fits(method.formulation)) {
                    let rows = model.gradient(&run, *s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
                    let d = distance(&rows, &truth, &scales);
                    assert!(
                        d < 200.0 * tol,
                        "{}, {formulation}, {} at {tol:.0e}: {d:.1e}",
                        model.model.name,
                        s.name()
                    );
                }
            }
        }
    }
    assert!(changes > 0, "a run must change its independent coordinates");
}

/// A pendulum whose pivot follows a clamped spline from t = 0.2 s to 0.6 s: u'' jumps at both ends.
fn carried(drive: &str) -> Prepared {
    let text = r#"
        name = "carried"
        dimension = 2
        gravity = [0, -9.81]
        [parameters]
        d = 0.3
        [ground]
        points = { O = [0, 0] }
        [body.cart]
        mass = 1
        inertia = 1
        points = { P = [0, 0] }
        [body.bar]
        rod = { points = ["A", "B"], length = 1, mass = 2 }
        [joint]
        guide = { type = "prismatic", between = ["ground.O", "cart.P"] }
        pin = { type = "revolute", between = ["cart.P", "bar.A"] }
        [spline.ramp]
        kind = "clamped"
        values = [0, "d"]
        start = 0.2
        duration = 0.4
        [driver]
        DRIVE
        [initial]
        position = { "bar.angle" = -0.5 }
        velocity = { "bar.angle" = 0 }
        [objective]
        tip = { terminal = "bar.B.y", integral = "bar.B.x" }
        [study]
        t_end = 1
    "#;
    let file = gradyn::file::read_toml(&text.replace("DRIVE", drive)).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"))
}

/// Distances of ψ and of its gradients by direct and by the explicit adjoint from a run of high accuracy.
fn errors(model: &Prepared, h: f64, truth: &(f64, f64)) -> [f64; 3] {
    let run = model.run(&Method::new("maggi", "rk4").expect("exists").step(h)).expect("runs");
    let of = |s: Sensitivity| (model.gradient(&run, s).expect("a gradient").rows[0][0] - truth.1).abs();
    [(run.psi[0] - truth.0).abs(), of(Sensitivity::Direct), of(Sensitivity::AdjointExplicit)]
}

/// The ends of a clamped spline: where it drives, accelerations jump, the run and continuous gradients are of
/// order 1, and the run warns by name; where it is a force nothing jumps, nothing is said, and the order is
/// that of the scheme.
#[test]
fn ends_of_clamped_splines() {
    let driven = carried("motor = { coordinate = \"cart.P.x\", value = \"ramp\" }");
    let pushed = carried(
        "motor = { coordinate = \"cart.P.x\", value = \"0\" }\n[force]\npush = { type = \"torque\", on \
         = \"bar\", torque = \"9*ramp\" }",
    );
    for (model, order, jumps) in [(driven, 1.0, 2), (pushed, 4.0, 0)] {
        // radau5 of index 3 has no stage at the beginning of a step: its run sees each side
        let exact = Method::new("index3", "radau5").expect("exists").step(1e-3);
        let run = model.run(&exact).expect("runs");
        let gradient = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows[0][0];
        let named = |w: &&gradyn::Warning| {
            w.to_string().starts_with("jump: the acceleration of `motor")
                && w.to_string().contains("where a clamped spline begins")
        };
        assert_eq!(run.warnings.iter().filter(named).count(), jumps, "{:?}", run.warnings);
        let [coarse, fine] = [0.01, 0.005].map(|h| errors(&model, h, &(run.psi[0], gradient)));
        for (coarse, fine) in coarse.iter().zip(fine) {
            let slope = (coarse / fine).log2();
            assert!((slope - order).abs() < 0.4, "{coarse:.1e} → {fine:.1e}: {slope:.2} of {order}");
        }
    }
}

/// Records of models with events hold their time, also where none happens: the final time, which is a
/// parameter, is that of the plan.
#[test]
fn runs_without_their_events_have_continuous_gradients() {
    let text = r#"
        name = "far"
        parameters = { f = 2, T = 1 }
        ground.points = { O = [0, 0] }
        body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
        initial = { position = { "m.A.x" = 0 }, velocity = { "m.A.x" = 0.5 } }
        force.push = { type = "force", at = "m.A", force = ["f", 0] }
        event.far = { when = "m.A.x - 9", end = true }
        objective = { x = { terminal = "t*m.A.x" }, work = { integral = "m.A.x" } }
        study.t_end = "T"
    "#;
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"));
    let run = model.run(&Method::new("index1", "rk4").expect("registered").step(0.01)).expect("runs");
    // x = T/2 + f T²/2: Tx and ∫x over f and T
    let exact = [[0.5, 1.0 + 3.0], [1.0 / 6.0, 0.5 + 1.0]];
    for s in Sensitivity::ALL.iter().filter(|s| s.fits(Formulation::Index1)) {
        let rows = model.gradient(&run, *s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
        for (row, exact) in rows.iter().zip(exact) {
            // 1e-6: differences; rk4 is exact for a constant force
            row.iter()
                .zip(exact)
                .for_each(|(x, exact)| assert!((x - exact).abs() < 1e-6, "{}: {rows:?}", s.name()));
        }
    }
}
