//! A final time that a condition gives: closed forms, every method, and what is refused.

use gradyn::registry::{combinations, variants};
use gradyn::{Method, Prepared, Run, Sensitivity};
use gradyn_num::{Scalar, Wide};
use gradyn_testkit::compare::distance;
use std::f64::consts::PI;

const TEXT: &str = include_str!("../../models/event_pendulum.toml");

fn prepared(text: &str) -> Prepared {
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{e}"))
}

fn run(model: &Prepared, method: &Method) -> Run {
    model
        .run(method)
        .unwrap_or_else(|e| panic!("{} + {}: {e}", method.formulation.name(), method.integrator.name()))
}

fn fails(text: &str) -> String {
    let method = Method::new("maggi", "dopri5").expect("exists").tolerance(1e-10, 1e-10);
    prepared(text).run(&method).err().expect("refused").to_string()
}

/// K(k) and E(k) by arithmetic-geometric means.
fn elliptic(k: f64) -> (f64, f64) {
    let (mut a, mut b, mut c, mut sum, mut power) = (1.0, (1.0 - k * k).sqrt(), k, 0.5 * k * k, 0.5);
    while f64::abs(c) > 1e-17 {
        (a, b, c) = (0.5 * (a + b), f64::sqrt(a * b), 0.5 * (a - b));
        power *= 2.0;
        sum += power * c * c;
    }
    let big_k = std::f64::consts::FRAC_PI_2 / a;
    (big_k, big_k * (1.0 - sum))
}

/// Time and speed at the vertical, and their derivatives over (L, θ₀).
fn closed_form(length: f64, theta0: f64) -> ([f64; 2], [[f64; 2]; 2]) {
    let (w, a) = ((1.5 * 9.81 / length).sqrt(), theta0 + std::f64::consts::FRAC_PI_2);
    let k = (0.5 * a).sin();
    let (big_k, e) = elliptic(k);
    let dk = 0.5 * (0.5 * a).cos();
    let slope = e / (k * (1.0 - k * k)) - big_k / k;
    let (t, speed) = (big_k / w, -2.0 * w * k);
    ([t, speed], [[0.5 * t / length, slope * dk / w], [-0.5 * speed / length, -2.0 * w * dk]])
}

#[test]
fn the_pendulum_has_its_closed_form() {
    let model = prepared(TEXT);
    let (values, gradient) = closed_form(model.rho()[0], model.rho()[1]);
    let method = Method::new("maggi", "dop853").expect("exists").tolerance(1e-13, 1e-13);
    let run = run(&model, &method);
    assert_eq!(run.psi.len(), 3);
    for (k, value) in values.iter().enumerate() {
        assert!((run.psi[k] - value).abs() < 1e-11, "{} is not {value}", run.psi[k]);
    }
    for s in Sensitivity::ALL.iter().filter(|s| s.fits(run.method.formulation)) {
        let rows = model.gradient(&run, *s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
        assert!(rows.len() == 3 && rows[0].len() == 2, "{}", s.name());
        let least = match s {
            Sensitivity::FiniteDifference => 1e-8,
            // continuous ones see the error of steps that are chosen for the run
            s if s.is_continuous() => 2e-10,
            Sensitivity::Extrapolated => 1e-9,
            _ => 1e-10,
        };
        for (row, truth) in rows.iter().zip(&gradient) {
            for (x, truth) in row.iter().zip(truth) {
                assert!((x - truth).abs() < least, "{}: {x} is not {truth}", s.name());
            }
        }
    }
    let rows = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
    assert!(model.check_program(&run, &rows).expect("runs").distance() < 1e-10);
}

/// The oscillator m ÿ = -c y from y(0) = y0, ẏ(0) = z0 until a condition, its final time, position and
/// velocity; parameters c, z0, m.
fn oscillator(y0: f64, until: &str) -> Prepared {
    let edits = [
        ("position = { \"mass.P.x\" = 0 }", format!("position = {{ \"mass.P.x\" = {y0} }}")),
        (
            "psi = { terminal = \"mass.P.x\" }",
            "time = { integral = \"1\" }\ny1 = { terminal = \"mass.P.x\" }\nz1 = { terminal \
             = \"vel(mass.P.x)\" }"
                .into(),
        ),
        ("t_end  = \"pi/2\"", format!("until = \"{until}\"\nt_max = 10")),
    ];
    let mut text = gradyn::examples::find("oscillator").expect("bundled").to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, &to);
    }
    prepared(&text)
}

/// Oscillators until y(t1) = 0 and until ẏ(t1) = 0: final time, state and derivatives in closed form, to
/// 1e-10.
#[test]
fn the_oscillator_has_its_closed_form() {
    // c, z0, m as variables of duals
    let [c, z0, m] = [1.3, 0.5, 0.8];
    let at = [Wide::var(c, 0), Wide::var(z0, 1), Wide::var(m, 2)];
    let (w, pi) = ((at[0] / at[2]).sqrt(), Wide::from(std::f64::consts::PI));
    let zero = Wide::from(0.0);
    // from y0 ≠ 0: tan(w t1) = -y0 w/z0, in the second quadrant, with the speed √(z0² + (y0 w)²)
    let y0 = 0.2;
    let u = w * y0 / at[1];
    let later = [(pi - u.atan()) / w, zero, -(at[1] * at[1] + w * w * (y0 * y0)).sqrt()];
    let cases = [
        // y = 0 at the start too: the condition is y + (ẏ + z0)/2, positive until π/w, where ẏ = -z0
        (oscillator(0.0, "mass.P.x + 0.5*(vel(mass.P.x) + z0)"), [pi / w, zero, -at[1]]),
        (oscillator(0.0, "vel(mass.P.x)"), [pi / w * 0.5, at[1] / w, zero]),
        (oscillator(y0, "mass.P.x"), later),
    ];
    for (model, truth) in cases {
        let model = model.at(&[c, z0, m]).expect("assembles");
        for (formulation, integrator) in [("maggi", "dop853"), ("index1", "dop853"), ("maggi", "adams")] {
            let run =
                run(&model, &Method::new(formulation, integrator).expect("exists").tolerance(1e-13, 1e-13));
            for (psi, truth) in run.psi.iter().zip(&truth) {
                assert!(
                    (psi - truth.re).abs() < 1e-11,
                    "{formulation} + {integrator}: {psi} is not {}",
                    truth.re
                );
            }
            let all = [
                Sensitivity::DiscreteAdjoint,
                Sensitivity::DiscreteDirect,
                Sensitivity::Direct,
                Sensitivity::AdjointStateSpace,
            ];
            for s in all.iter().filter(|s| s.fits(run.method.formulation)) {
                let rows = model.gradient(&run, *s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
                for (row, truth) in rows.iter().zip(&truth) {
                    for (x, truth) in row.iter().zip(&truth.eps) {
                        assert!(
                            (x - truth).abs() < 1e-10,
                            "{formulation} + {integrator}, {}: {x} is not {truth}",
                            s.name()
                        );
                    }
                }
            }
        }
    }
}

/// The discrete methods on every step, against each other and against extrapolated differences of whole runs
/// that find their own final time.
#[test]
fn every_step_ends_at_the_condition() {
    let model = prepared(TEXT);
    let scales: Vec<f64> = model.parameters().iter().map(|p| p.scale).collect();
    for v in variants() {
        let method = Method::of(&v).expect("registered").step(0.01);
        let run = self::run(&model, &method);
        let adjoint =
            model.gradient(&run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{v}: {e}")).rows;
        for s in Sensitivity::ALL.iter().filter(|s| s.is_exact()) {
            let rows = model.gradient(&run, *s).unwrap_or_else(|e| panic!("{v}: {e}")).rows;
            let d = distance(&rows, &adjoint, &scales);
            // a = Δq/(βh²) in a last step that may be as short as 0.1 h
            assert!(d < 1e-9, "{v}: {} is {d:.1e} from discrete-adjoint", s.name());
        }
    }
    for (formulation, integrator) in combinations() {
        let method = Method { formulation, integrator, ..Method::default() }.step(0.01);
        let adjoint =
            model.gradient(&run(&model, &method), Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
        let psi = |k: usize, δ: f64| {
            let mut rho: Vec<f64> = model.rho()[..2].to_vec();
            rho[k] += δ;
            run(&model.at(&rho).expect("assembles"), &method).psi
        };
        let difference = |j: usize, k: usize, δ: f64| (psi(k, δ)[j] - psi(k, -δ)[j]) / (2.0 * δ);
        for (j, row) in adjoint.iter().enumerate() {
            for (k, x) in row.iter().enumerate() {
                let d = (4.0 * difference(j, k, 5e-5) - difference(j, k, 1e-4)) / 3.0;
                let what = format!("{} + {}, d{}/d{}", formulation.name(), integrator.name(), j, k);
                assert!((d - x).abs() < 2e-6 * (1.0 + x.abs()), "{what}: {x} is not {d}");
            }
        }
    }
}

/// Continuous methods beside the derivative of the steps: their distance falls at the order of the
/// integrator, whatever the formulation and whether stages are implicit. Runs end a third of a step after a
/// node, with half the step two thirds.
#[test]
fn continuous_methods_converge_with_a_condition() {
    let model = prepared(TEXT);
    let scales: Vec<f64> = model.parameters().iter().map(|p| p.scale).collect();
    let t = closed_form(model.rho()[0], model.rho()[1]).0[0];
    for (formulation, integrator, slack) in [
        ("penalty", "rk4", 0.5),
        // stiff stabilisation: orders between that of the stages and that of the scheme at steps of a
        // hundredth of a second
        ("penalty", "gauss4", 1.3),
        ("penalty", "sdirk4", 0.5),
        ("penalty", "newmark", 0.5),
        ("maggi", "gauss4", 0.5),
        ("maggi", "sdirk4", 0.5),
        ("maggi", "radau5", 0.5),
    ] {
        let gaps = |h: f64| {
            let r = run(&model, &Method::new(formulation, integrator).expect("exists").step(h));
            let rows =
                |s: Sensitivity| model.gradient(&r, s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
            let exact = rows(Sensitivity::DiscreteAdjoint);
            let fits = Sensitivity::ALL.iter().filter(|s| s.is_continuous() && s.fits(r.method.formulation));
            fits.map(|s| (s.name(), distance(&rows(*s), &exact, &scales))).collect::<Vec<_>>()
        };
        let order = gradyn::Integrator::parse(integrator).expect("exists").order() as f64;
        let [coarse, fine] = [t / (30.0 + 1.0 / 3.0), t / (60.0 + 2.0 / 3.0)].map(gaps);
        for ((name, coarse), (_, fine)) in coarse.iter().zip(&fine) {
            let slope = (coarse / fine).log2();
            let what = format!(
                "{formulation} + {integrator}, {name}: {coarse:.1e} → {fine:.1e}, order {slope:.2} of {order}"
            );
            // the tangent of a coordinate step is that of its equations: rounding
            assert!(slope > order - slack || *fine < 1e-10, "{what}");
        }
    }
}

/// A condition that is met exactly on a node gives what it gives beside it.
#[test]
fn a_node_at_the_condition_changes_nothing() {
    let model = prepared(TEXT);
    let method = |h: f64| Method::new("index1", "gauss4").expect("exists").step(h);
    let t = run(&model, &method(1e-3)).psi[0];
    let gradient = |h: f64| {
        let r = run(&model, &method(h));
        (r.psi.clone(), model.gradient(&r, Sensitivity::DiscreteAdjoint).expect("a gradient").rows)
    };
    // on a node, just before one, just after one: the error of the scheme is 1e-11
    let (psi, rows) = gradient(t / 600.0);
    for h in [t / 600.0 * (1.0 + 1e-9), t / 600.0 * (1.0 - 1e-9), t / 600.5] {
        let (other, other_rows) = gradient(h);
        assert!(psi.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-8), "{psi:?} {other:?}");
        let pairs = rows.iter().flatten().zip(other_rows.iter().flatten());
        assert!(
            pairs.clone().all(|(a, b)| (a - b).abs() < 1e-7 * (1.0 + a.abs())),
            "{rows:?} {other_rows:?}"
        );
    }
}

/// A terminal value that reads t sees the final time, not the latest one.
#[test]
fn terminal_values_read_the_final_time() {
    let model = prepared(
        &TEXT
            .replace("terminal = \"bar.B.x\"", "terminal = \"t\"")
            .replace("integral = \"norm2(pin.reaction)\", ", ""),
    );
    let run = run(&model, &Method::new("maggi", "dop853").expect("exists").tolerance(1e-12, 1e-12));
    assert!((run.psi[2] - run.psi[0]).abs() < 1e-14, "{:?}", run.psi);
    for s in Sensitivity::ALL
        .iter()
        .filter(|s| s.is_exact() || s.is_continuous())
        .filter(|s| s.fits(run.method.formulation))
    {
        let rows = model.gradient(&run, *s).unwrap_or_else(|e| panic!("{}: {e}", s.name())).rows;
        assert!(rows[0].iter().zip(&rows[2]).all(|(a, b)| (a - b).abs() < 1e-11), "{}: {rows:?}", s.name());
    }
}

#[test]
fn what_has_no_final_time_is_refused() {
    let with = |until: &str| TEXT.replace("\"bar.angle + pi/2\"", until);
    let e = fails(&with("\"bar.angle - theta0\""));
    assert!(e.contains("holds at the start already"), "{e}");
    let e = fails(&with("\"bar.angle + 4\""));
    assert!(e.contains("is not met before t_max = 5 s") && e.contains("nearest to zero"), "{e}");
    // the height at the start, up to a rounding
    let e = fails(&with("\"bar.B.y + sin(pi/6) + 1e-16\""));
    assert!(e.contains("holds at the start"), "{e}");
    let e = fails(&with("\"(bar.angle + pi/2)^3\""));
    assert!(e.contains("grazes zero"), "{e}");
    // touches zero and turns back
    let e = fails(&with("\"(bar.angle + pi/2)^2\""));
    assert!(e.contains("is not met before t_max"), "{e}");
    let file = |text: &str| gradyn::file::read_toml(text).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(file(&TEXT.replace("t_max  = 5", "")).contains("`until` needs a latest time"));
    assert!(file(&TEXT.replace("t_max  = 5", "t_end = 5\nt_max = 5")).contains("both `t_end` and `until`"));
    assert!(file(&TEXT.replace("until  = \"bar.angle + pi/2\"", "")).contains("`t_max` belongs to `until`"));
}

/// The oscillator y = sin(t)/2, 1.2 - y: nearest to zero at π/2 with 0.7, between nodes; -1.2 - y at 3π/2
/// with -0.7, the sign included.
#[test]
fn the_nearest_approach_is_between_nodes() {
    let nearest = |until: &str| {
        let model = oscillator(0.0, until);
        let method = Method::new("maggi", "rk4").expect("exists").step(0.11);
        let error = model.run(&method).err();
        match error.as_ref().and_then(gradyn::Error::step) {
            Some(&gradyn_dynamics::StepError::NeverMet { nearest, t, .. }) => (nearest, t),
            _ => panic!("{until}: {error:?}"),
        }
    };
    for (until, h, t) in [("1.2 - mass.P.x", 0.7, 0.5 * PI), ("-1.2 - mass.P.x", -0.7, 1.5 * PI)] {
        let (nearest, when) = nearest(until);
        // the cubic: h⁴/384, of its extreme h³
        assert!((nearest - h).abs() < 1e-6 && (when - t).abs() < 1e-3, "{until}: {nearest} at {when}");
    }
}

/// The first of several crossings counts, also if two are in one step.
#[test]
fn the_first_crossing_counts() {
    let model = prepared(&TEXT.replace("t_max  = 5", "t_max = 20"));
    let once = run(&model, &Method::new("maggi", "dop853").expect("exists").tolerance(1e-12, 1e-12)).psi[0];
    // |angle + pi/2| < 0.05 lasts for 17 ms, a fifth of a step
    let text = TEXT.replace("\"bar.angle + pi/2\"", "\"(bar.angle + pi/2)^2 - 0.0025\"");
    let first = run(&prepared(&text), &Method::new("maggi", "gauss4").expect("exists").step(0.085)).psi[0];
    assert!(first < once && once - first < 0.02, "{first} {once}");
}

/// Conditions on accelerations and reactions, whose rates the run does not know: found at the same time by
/// every step.
#[test]
fn conditions_on_accelerations_and_reactions() {
    for (until, truth) in [
        ("acc(bar.angle)", 0.439_453_701_17),
        ("pin.reaction.y - 25", 0.293_224),
        ("(bar.angle + pi/2)*(1 + acc(bar.angle)^2)", 0.439_453_701_17),
    ] {
        let model = prepared(&TEXT.replace("\"bar.angle + pi/2\"", &format!("\"{until}\"")));
        for (formulation, integrator) in combinations() {
            for h in [0.01, 0.05] {
                let method = Method { formulation, integrator, ..Method::default() }.step(h);
                let run = run(&model, &method);
                let what = format!("{until}: {} + {}, h = {h}", formulation.name(), integrator.name());
                // accelerations of index 3 have an error of order h
                assert!((run.psi[0] - truth).abs() < h, "{what}: {}", run.psi[0]);
            }
        }
    }
}

/// Two crossings within a step that hardly passes zero.
#[test]
fn shallow_crossings_are_found() {
    let model = prepared(&TEXT.replace("\"bar.angle + pi/2\"", "\"bar.B.y + 0.99999*L\""));
    for integrator in ["rk4", "dop853", "radau5"] {
        let run = run(&model, &Method::new("maggi", integrator).expect("exists").step(0.05));
        assert!((run.psi[0] - 0.438).abs() < 2e-3, "{integrator}: {}", run.psi[0]);
    }
}

#[test]
fn a_condition_that_is_not_finite_is_named() {
    let e = fails(&TEXT.replace("\"bar.angle + pi/2\"", "\"sqrt(-bar.B.y - 0.6) - 0.1\""));
    assert!(e.contains("the condition for the final time") && e.contains("not a finite number"), "{e}");
    let e = prepared_error(&TEXT.replace("t_max  = 5", "t_max = -1"));
    assert!(e.contains("t_max = -1"), "{e}");
}

fn prepared_error(text: &str) -> String {
    let method = Method::new("maggi", "dopri5").expect("exists").tolerance(1e-10, 1e-10);
    prepared(text).run(&method).err().map(|e| e.to_string()).unwrap_or_default()
}
