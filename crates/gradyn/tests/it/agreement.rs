//! Discrete direct = discrete adjoint = automatic = complex step, for every registered formulation ×
//! integrator, every example and every number of every example as a parameter; an extrapolated difference on
//! the frozen plan is the independent arbiter.

use crate::kit::agree::{agree, gradient, refused, run, scales, tolerance};
use crate::kit::cases::{STEP, STEPS, cases, step};
use crate::kit::pairs::{self, Choice, paired};
use gradyn::registry::{Variant, combinations, variants};
use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared, Projections, Sensitivity};
use gradyn_model::mechanism::ForceKind;
use gradyn_testkit::compare::distance;
use gradyn_testkit::models;
use gradyn_testkit::parametrise::{only_used, parametrise};

#[test]
fn all_exact_methods_agree_to_rounding() {
    exact_methods_agree(paired);
}

#[test]
#[ignore = "all"]
fn all_exact_methods_agree_to_rounding_in_full() {
    exact_methods_agree(pairs::all);
}

/// Direct, adjoint, automatic and complex step on every case, by the methods of a choice.
fn exact_methods_agree(methods: Choice) {
    for (k, (name, mechanism)) in cases().into_iter().enumerate() {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (formulation, integrator) in methods(k) {
            let what = format!("{name}, {} + {}", formulation.name(), integrator.name());
            let method = Method { formulation, integrator, ..Method::default() }.step(step(&name));
            if refused(&model, &method) {
                continue;
            }
            let run = run(&model, &method);
            assert!(
                run.trajectory.plan.h.last().is_some_and(|h| *h < 0.8 * step(&name)),
                "{what}: the last step is a short one"
            );
            agree(&what, &model, &run, tolerance(formulation, integrator));
        }
    }
}

/// Steps that the registry makes by an option: with this one.
fn with_option(name: &str) -> Vec<Variant> {
    variants().into_iter().filter(|v| v.option.is_some_and(|o| o.0 == name)).collect()
}

/// The same where the other choices of projections are made, and with steps of one run that project and steps
/// that do not.
#[test]
fn exact_methods_agree_with_any_projections() {
    let choices = with_option("projection");
    let mut both = vec![false; choices.len()];
    for (name, mechanism) in cases() {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (k, v) in choices.iter().enumerate() {
            let what = format!("{name}, {v}");
            // 1e-10: above what a projection leaves, below what a step adds
            let method = Method { projection_tol: 1e-10, ..Method::of(v).expect("registered") };
            if refused(&model, &method) {
                continue;
            }
            // twice the step: half as many
            let projection = method.projections();
            let run = run(&model, &method.step(2.0 * step(&name)));
            let plan = &run.trajectory.plan;
            let made: Vec<u32> = (1..=plan.steps()).flat_map(|n| plan.choice(n)).copied().collect();
            assert_eq!(made.is_empty(), projection != Projections::Conditional, "{what}");
            both[k] |= made.contains(&0) && made.contains(&1);
            // bare index 3 hands the rounding of its accelerations from step to step
            let bare = projection == Projections::Off && v.formulation.position_level();
            agree(&what, &model, &run, if bare { 1e-9 } else { 1e-10 });
        }
    }
    for (v, both) in choices.iter().zip(both) {
        assert_eq!(both, v.option == Some(("projection", "conditional")), "{v}: steps with and without");
    }
}

#[test]
fn extrapolated_differences_agree_on_the_frozen_plan() {
    differences_agree(paired);
}

#[test]
#[ignore = "all"]
fn extrapolated_differences_agree_on_the_frozen_plan_in_full() {
    differences_agree(pairs::all);
}

/// Differences on the frozen plan of every case, by the methods of a choice.
fn differences_agree(methods: Choice) {
    for (k, (name, mechanism)) in cases().into_iter().enumerate() {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (formulation, integrator) in methods(k) {
            let what = format!("{name}, {} + {}", formulation.name(), integrator.name());
            let method = Method { formulation, integrator, ..Method::default() }.step(step(&name));
            if refused(&model, &method) {
                continue;
            }
            let run = run(&model, &method);
            let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            // the long step has the smaller rounding error, the short one the smaller truncation error (a top
            // turns 1.5 rad a step, independent coordinates bend the motion)
            let (mut d, most) = (f64::INFINITY, 1e4 * tolerance(formulation, integrator));
            for h in [5e-5, 1e-5, 2e-4, 2e-6] {
                let rows = match model.extrapolated_differences(&run, h) {
                    Ok(rows) => rows,
                    // the first steps of adams are shorter than a difference of the start time
                    Err(e) if e.to_string().contains("move a declared time") => continue,
                    Err(e) => panic!("{what}: {e}"),
                };
                d = d.min(distance(&rows, &adjoint, &scales(&model)));
                if d <= most {
                    break;
                }
            }
            assert!(d <= most, "{what}: differences are {d:.1e} from discrete-adjoint");
        }
    }
}

/// Adaptive runs on their frozen plan, with the rejected steps forgotten.
#[test]
fn adaptive_runs_are_exact_on_their_plan() {
    adaptive_runs_are_exact(paired);
}

#[test]
#[ignore = "all"]
fn adaptive_runs_are_exact_on_their_plan_in_full() {
    adaptive_runs_are_exact(pairs::all);
}

/// Adjoint and automatic derivatives of adaptive runs of every case, by the methods of a choice.
fn adaptive_runs_are_exact(methods: Choice) {
    for (k, (name, mechanism)) in cases().into_iter().enumerate() {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (formulation, integrator) in methods(k).into_iter().filter(|c| c.1.adapts()) {
            let method = Method { formulation, integrator, ..Method::default() }.tolerance(1e-6, 1e-6);
            if refused(&model, &method) {
                continue;
            }
            let run = run(&model, &method);
            let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            let (automatic, _) = gradient(&model, &run, Sensitivity::Automatic);
            let d = distance(&automatic, &adjoint, &scales(&model));
            // estimates of low order ask for steps that are ten times shorter than those above
            let steps = run.trajectory.plan.steps() as f64;
            let most = if formulation == Formulation::Index3 { 1e-8 } else { (1e-12 * steps).max(3e-10) };
            assert!(
                d <= most,
                "{name}, {} + {}: {d:.1e} in {steps} steps",
                formulation.name(),
                integrator.name()
            );
        }
    }
}

/// Projections onto c = 0 and ċ = 0 of rows of velocity level: exact, and held to rounding.
#[test]
fn projections_take_rows_of_velocity_level() {
    for name in ["knife_edge", "rolling_disc"] {
        let text = gradyn::examples::find(name).expect("bundled").replace("t_end  = 2", "t_end  = 0.078");
        let file = gradyn::file::read_toml(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let model = Prepared::new(&only_used(&parametrise(&file.mechanism).0))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        for formulation in ["index1", "penalty"] {
            let method = Method::new(formulation, "newmark").expect("registered").step(STEP);
            let run = run(&model, &Method { projection: Some(Projections::On), ..method });
            // 1e-13: velocities of 2 m/s
            assert!(run.drift[1] <= 1e-13, "{name}, {formulation}: {:.1e}", run.drift[1]);
            let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
                let d = distance(&gradient(&model, &run, s).0, &adjoint, &scales(&model));
                assert!(d <= 1e-10, "{name}, {formulation}: {} is {d:.1e} from discrete-adjoint", s.name());
            }
        }
    }
}

/// The tangent as matrix of the projections: it depends on q, v* and the parameters. Plane and space, with
/// and without dampers, at every step and at some.
#[test]
fn exact_methods_agree_with_tangent_projections() {
    let mut both = false;
    for (name, mechanism) in cases() {
        let wanted =
            ["five_bar", "four_bar", "slider_crank", "rssr", "stewart", "knife_edge", "redundant_four_bar"];
        if !wanted.iter().any(|w| name == format!("example {w}")) {
            continue;
        }
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (formulation, integrator) in
            combinations().into_iter().filter(|c| c.1.coordinate() && c.0.position_level())
        {
            for projection in [Projections::On, Projections::Conditional] {
                let what =
                    format!("{name}, {} + {}, {}", formulation.name(), integrator.name(), projection.name());
                let mut method =
                    Method { formulation, integrator, projection_tol: 1e-10, ..Method::default() }
                        .step(step(&name));
                method.projection = Some(projection);
                method.set("projection_matrix", "tangent").expect("an option");
                if refused(&model, &method) {
                    continue;
                }
                let run = run(&model, &method);
                let plan = &run.trajectory.plan;
                let made: Vec<u32> = (1..=plan.steps()).flat_map(|n| plan.choice(n)).copied().collect();
                both |= made.contains(&0) && made.contains(&1);
                agree(&what, &model, &run, 1e-10);
            }
        }
    }
    assert!(both, "steps with and without projections");
}

/// Strong dampers and springs make the tangent differ from M: projections by both are exact, differ from each
/// other, and pass a complex step through the program.
#[test]
fn tangent_projections_see_dampers() {
    let mut m = models::five_bar();
    let between = ["B12.P2".into(), "ground.O".into()];
    let spring = ForceKind::SpringDamper {
        between,
        stiffness: "k2".into(),
        damping: "c2".into(),
        length: 1.0.into(),
        force: Some("30 * speed^2".into()),
    };
    m.ground_point("O", [0.2, -3.0]);
    m.parameter("k2", 400.0).parameter("c2", 60.0);
    m.force("strong", spring);
    m.t_end = 0.3.into();
    let model = Prepared::new(&m).expect("builds");
    for (formulation, integrator) in
        combinations().into_iter().filter(|c| c.1.coordinate() && c.0.position_level())
    {
        let what = format!("{} + {}", formulation.name(), integrator.name());
        let [mass, tangent] = ["mass", "tangent"].map(|matrix| {
            let mut method = Method { formulation, integrator, ..Method::default() }.step(0.01);
            method.set("projection_matrix", matrix).expect("an option");
            run(&model, &method)
        });
        let d = distance(std::slice::from_ref(&mass.psi), std::slice::from_ref(&tangent.psi), &[1.0; 3]);
        assert!(d > 1e-9 && d < 1e-2, "{what}: {d:.1e} between the two");
        agree(&what, &model, &tangent, 1e-10);
        let (adjoint, _) = gradient(&model, &tangent, Sensitivity::DiscreteAdjoint);
        let differences = model.extrapolated_differences(&tangent, 1e-4).expect("replayed");
        let d = distance(&differences, &adjoint, &scales(&model));
        assert!(d <= 1e-6, "{what}: differences are {d:.1e} from discrete-adjoint");
    }
}

/// Explicit steps with more objectives than products without matrices are made for: the first columns and the
/// others agree with all.
#[test]
fn explicit_steps_are_exact_for_many_objectives() {
    let mut m = models::five_bar();
    let more: Vec<_> = m
        .objectives
        .iter()
        .map(|o| {
            let mut o = o.clone();
            o.name.text += "_again";
            o
        })
        .collect();
    m.objectives.extend(more);
    m.t_end = 0.1.into();
    for family in [Coordinates::Natural, Coordinates::Relative0] {
        let model = Prepared::new_in(&m, family).expect("builds");
        for integrator in ["rk4", "adams-bashforth"] {
            let run = run(&model, &Method::new("index1", integrator).expect("registered").step(0.01));
            let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
            let (direct, _) = gradient(&model, &run, Sensitivity::DiscreteDirect);
            assert_eq!(adjoint.len(), 6);
            let d = distance(&direct, &adjoint, &scales(&model));
            assert!(d <= 1e-10, "{integrator}, {}: {d:.1e}", family.name());
        }
    }
}

/// A break time that a parameter moves, between fixed steps of multistep methods.
#[test]
fn multistep_methods_are_exact_over_moving_breaks() {
    let mut m = models::pendulum();
    m.parameter("moment", 0.31);
    let push =
        ForceKind::Point { at: "bar.B".into(), force: ["30 * max(t - moment, 0)", "0"].into(), frame: None };
    m.force("push", push);
    (m.breaks, m.t_end) = (vec!["moment".into()], "0.5 + T".into());
    let model = Prepared::new(&m).expect("builds");
    for (formulation, integrator) in combinations().into_iter().filter(|c| c.1.multistep()) {
        let what = format!("{} {}", formulation.name(), integrator.name());
        let run = run(&model, &Method { formulation, integrator, ..Method::default() }.step(0.01));
        let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
        for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
            let d = distance(&gradient(&model, &run, s).0, &adjoint, &scales(&model));
            assert!(d <= 1e-10, "{what}: {} is {d:.1e} from discrete-adjoint", s.name());
        }
    }
}

/// Adams on its plan: orders that change, rejected steps, and a restart at a break time that a parameter
/// moves.
#[test]
fn adams_is_exact_over_orders_rejections_and_restarts() {
    let mut m = models::pendulum();
    let push = "30 * max(t - moment, 0) + 8 * exp(-((t - 0.7) / 0.02)^2)";
    m.parameter("moment", 0.31);
    m.force("push", ForceKind::Point { at: "bar.B".into(), force: [push, "0"].into(), frame: None });
    (m.breaks, m.t_end) = (vec!["moment".into()], "0.5 + T".into());
    let model = Prepared::new(&m).expect("builds");
    for (formulation, integrator) in combinations().into_iter().filter(|c| c.1 == Integrator::Adams) {
        let (what, method) = (
            formulation.name(),
            Method { formulation, integrator, ..Method::default() }.tolerance(1e-8, 1e-8),
        );
        let run = run(&model, &method);
        let plan = &run.trajectory.plan;
        // the last two choices of a record are the order and the differences that it knows
        let orders: Vec<u32> = (1..=plan.steps()).map(|n| plan.choice(n)[plan.choice_count - 2]).collect();
        let at =
            plan.declared.iter().skip(1).position(|slot| slot.is_some()).expect("the break time is a node")
                + 1;
        assert!(at < plan.steps() && orders.iter().max() >= Some(&6), "{what}: {orders:?}");
        assert_eq!([orders[0], orders[1], orders[at], orders[at + 1]], [1; 4], "{what}: restarts");
        assert!(run.trajectory.statistics.rejected > 0, "{what}: a step was rejected");
        let (adjoint, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
        for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
            let d = distance(&gradient(&model, &run, s).0, &adjoint, &scales(&model));
            assert!(d <= 1e-10, "{what}: {} is {d:.1e} from discrete-adjoint", s.name());
        }
        // shorter than the first step after the break
        let d = distance(
            &model.extrapolated_differences(&run, 1e-6).unwrap_or_else(|e| panic!("{what}: {e}")),
            &adjoint,
            &scales(&model),
        );
        assert!(d <= 1e-6, "{what}: differences are {d:.1e} from discrete-adjoint");
        let fine = |integrator: Integrator| {
            let method = Method { formulation, integrator, ..Method::default() }.tolerance(1e-11, 1e-11);
            gradient(&model, &self::run(&model, &method), Sensitivity::DiscreteAdjoint).0
        };
        let d = distance(&fine(integrator), &fine(Integrator::Dopri5), &scales(&model));
        assert!(d <= 1e-7, "{what}: {d:.1e} from dopri5");
        assert!(
            adjoint.iter().any(|row| row.last().is_some_and(|g| g.abs() > 1e-3)),
            "{what}: the break time matters"
        );
    }
}

/// The oracle works and can fail: without (Φ_qᵀλ)_q in the tangent, direct and adjoint agree with each other
/// and are wrong; automatic, on that same factor, stays right in more corrections.
#[test]
fn a_wrong_tangent_is_found() {
    let model = Prepared::new(&models::five_bar()).expect("the five-bar builds");
    for (formulation, integrator) in combinations() {
        let right = Method { formulation, integrator, ..Method::default() }.step(STEP);
        let wrong = right.clone().with_wrong_tangent();
        let run_right = run(&model, &right);
        let mut run_wrong = run(&model, &right);
        run_wrong.method = wrong;
        let what = format!("{} + {}", formulation.name(), integrator.name());
        let (truth, _) = gradient(&model, &run_right, Sensitivity::DiscreteAdjoint);
        let (adjoint, _) = gradient(&model, &run_wrong, Sensitivity::DiscreteAdjoint);
        let (direct, _) = gradient(&model, &run_wrong, Sensitivity::DiscreteDirect);
        let (automatic, corrections) = gradient(&model, &run_wrong, Sensitivity::Automatic);
        let s = scales(&model);
        assert!(distance(&direct, &adjoint, &s) <= 1e-10, "{what}: direct and adjoint agree with each other");
        assert!(distance(&adjoint, &truth, &s) > 1e-2, "{what}: and are wrong");
        assert!(distance(&automatic, &truth, &s) <= 1e-10, "{what}: automatic is right");
        assert!(corrections.is_some_and(|c| c.worst >= 2), "{what}: in more corrections");
    }
}

/// ψ(ρ + ε δ) - ψ - ε ∇ψ·δ shrinks as ε².
#[test]
fn gradients_pass_the_taylor_test() {
    let model = Prepared::new(&models::five_bar()).expect("the five-bar builds");
    for (formulation, integrator) in combinations() {
        let method = Method { formulation, integrator, ..Method::default() }.step(0.02);
        let first = run(&model, &method);
        let (g, _) = gradient(&model, &first, Sensitivity::DiscreteAdjoint);
        let direction = [0.3, -0.2, 0.1, 0.25, -0.15];
        let remainder = |ε: f64| {
            let rho: Vec<f64> = model.rho().iter().zip(direction).map(|(r, d)| r + ε * d).collect();
            let moved = run(&model.at(&rho).expect("assembles"), &method);
            let slope: f64 = g[0].iter().zip(direction).map(|(g, d)| g * d).sum();
            (moved.psi[0] - first.psi[0] - ε * slope).abs()
        };
        let slope = (remainder(1e-3) / remainder(5e-4)).log2();
        assert!((slope - 2.0).abs() < 0.05, "{} + {}: slope {slope}", formulation.name(), integrator.name());
    }
}

/// Options that make another step: maggi on (q, ż), index1 with projected nodes. Its constraints then hold to
/// rounding.
#[test]
fn other_states_and_projected_nodes_are_exact() {
    for name in ["five_bar", "slider_crank", "redundant_four_bar", "knife_edge"] {
        let text = gradyn::examples::find(name).expect("bundled");
        let mut m = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{name}: {e}")).mechanism;
        m.t_end = (STEP * (STEPS as f64 - 0.5)).into();
        let model = Prepared::new(&m).unwrap_or_else(|e| panic!("{name}: {e}"));
        for v in [with_option("state"), with_option("stabilisation")].concat() {
            let (what, method) = (format!("{name}, {v}"), Method::of(&v).expect("registered").step(STEP));
            let run = run(&model, &method);
            assert!(
                !run.warnings.iter().any(|w| w.code == gradyn::WarningCode::UnusedOption),
                "{what}: {:?}",
                run.warnings
            );
            agree(&what, &model, &run, 1e-10);
            if method.projects_nodes() {
                assert!(run.drift[0] <= 1e-13 && run.drift[1] <= 1e-12, "{what}: {:?}", run.drift);
            }
        }
    }
}

/// An option that makes no other step says that it has no effect.
#[test]
fn an_option_of_another_step_is_reported() {
    for (formulation, integrator) in combinations() {
        let mut method = Method { formulation, integrator, ..Method::default() };
        for (name, value) in
            [("state", "mixed"), ("stabilisation", "projection"), ("projection", "conditional")]
        {
            method.set(name, value).unwrap_or_else(|e| panic!("{name}: {e}"));
            let exists =
                with_option(name).iter().any(|v| (v.formulation, v.integrator) == (formulation, integrator));
            let unused = method
                .unused_options()
                .iter()
                .any(|w| w.to_string().contains(&format!(": {name} has no effect")));
            assert_eq!(unused, !exists, "{} + {}, {name}", formulation.name(), integrator.name());
        }
    }
}

/// Bars of extrapolated differences are honest: the exact gradient lies within ten of them, or within the
/// tolerance.
#[test]
fn error_bars_of_extrapolated_differences_hold() {
    for (name, mechanism) in cases().into_iter().filter(|c| {
        ["pendulum", "five_bar", "slider_crank", "rssr"].iter().any(|n| c.0 == format!("example {n}"))
    }) {
        let model = Prepared::new(&mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
        let method =
            Method { formulation: Formulation::Index1, integrator: Integrator::Rk4, ..Method::default() };
        let run = run(&model, &method.step(step(&name)));
        let (exact, _) = gradient(&model, &run, Sensitivity::DiscreteAdjoint);
        let report =
            model.gradient(&run, Sensitivity::Extrapolated).unwrap_or_else(|e| panic!("{name}: {e}"));
        let bars = report.bars.as_ref().expect("extrapolated has bars");
        let mut known = 0;
        for (j, row) in exact.iter().enumerate() {
            for (k, g) in row.iter().enumerate() {
                let (d, bar) = ((report.rows[j][k] - g).abs(), bars[j][k]);
                let size = g.abs().max(run.psi[j].abs() / model.model.parameters[k].scale);
                assert!(
                    d <= 10.0 * bar + 1e-7 * size,
                    "{name}: entry {j}, {k} is {d:.1e} off with a bar of {bar:.1e}"
                );
                known += usize::from(bar <= 1e-7 * size);
            }
        }
        assert!(2 * known > exact.len() * exact[0].len(), "{name}: most entries converge");
    }
}
