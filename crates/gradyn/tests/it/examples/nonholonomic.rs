//! Constraints of velocity level against closed forms: trajectories, reactions and gradients. The derivatives
//! of the closed forms are taken with dual numbers.

use super::{close, method, precise, run, table};
use gradyn::registry::combinations;
use gradyn::{Method, Prepared, Run, Sensitivity};
use gradyn_num::{Scalar, Wide};

/// Numbers as variables of duals.
fn variables<const N: usize>(x: [f64; N]) -> [Wide; N] {
    std::array::from_fn(|k| Wide::var(x[k], k))
}

/// ψ and ∇ψ by the discrete adjoint against duals, to 1e-8.
fn check_gradient(model: &Prepared, run: &Run, truth: &[Wide]) {
    let rows = model.gradient(run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{e}")).rows;
    for (k, (psi, truth)) in run.psi.iter().zip(truth).enumerate() {
        let name = &model.model.objectives[k];
        close(name, 0.0, *psi, truth.re, 1e-8);
        for (p, (g, t)) in model.model.parameters.iter().zip(rows[k].iter().zip(&truth.eps)) {
            close(&format!("d{name}/d{}", p.name), 0.0, *g, *t, 1e-8);
        }
    }
}

/// u, ω and the angle of the Chaplygin sleigh: u' = a ω², ω' = -(m a/J) u ω, J = I + m a².
fn sleigh<S: Scalar>([m, i, a, u0, w0]: [S; 5], t: S) -> [S; 3] {
    let j = i + m * a * a;
    let size = (u0 * u0 + j / m * w0 * w0).sqrt();
    let s = a * m / j * size;
    // u₀ = U tanh x₀
    let start = ((size + u0) / (size - u0)).ln() * 0.5;
    let x = start + s * t;
    let turned = |x: S| (x * 0.5).tanh().atan() * 2.0;
    let ratio = (m / j).sqrt();
    [size * x.tanh(), size * ratio / x.cosh(), (turned(x) - turned(start)) / (a * ratio)]
}

/// ∫ u (cos θ, sin θ) dt by Gauss with three points on 400 parts: 1e-14.
fn path(x: [Wide; 5], t: f64) -> [Wide; 2] {
    let (parts, mut sum) = (400, [Wide::from(0.0); 2]);
    let h = t / f64::from(parts);
    for k in 0..parts {
        let middle = (f64::from(k) + 0.5) * h;
        for (z, w) in [(-0.6f64.sqrt(), 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.6f64.sqrt(), 5.0 / 18.0)] {
            let [u, _, θ] = sleigh(x, Wide::from(middle + z * h / 2.0));
            sum = [sum[0] + u * θ.cos() * (w * h), sum[1] + u * θ.sin() * (w * h)];
        }
    }
    sum
}

const SLEIGH: [f64; 5] = [2.0, 0.3, 0.4, 0.5, 2.0];

#[test]
fn sleigh_follows_its_closed_form() {
    let columns = [
        "dot(vel(sleigh.A), axis(sleigh, [1, 0]))",
        "sleigh.omega",
        "sleigh.angle",
        "blade.reaction.x",
        "system.kinetic",
    ];
    for row in table("knife_edge", &[], &columns, &precise()) {
        let (t, [m, _, a, ..]) = (row[0], SLEIGH);
        let [u, w, θ] = sleigh(SLEIGH, t);
        for (what, x, truth) in [("speed", row[1], u), ("spin", row[2], w), ("heading", row[3], θ)] {
            close(what, t, x, truth, 1e-8);
        }
        // m (u ω + a ω') across the blade, ω' = -(m a/J) u ω
        let j = SLEIGH[1] + m * a * a;
        close("side force", t, row[4], -m * u * w * (1.0 - m * a * a / j) * θ.sin(), 1e-8);
        close("energy", t, row[5], 0.5 * (m * 0.25 + j * 4.0), 1e-8);
    }
}

#[test]
fn sleigh_has_the_gradient_of_its_closed_form() {
    let (model, run) = run("knife_edge", &[], &["sleigh.angle"], &precise());
    let x = variables(SLEIGH);
    let [u, w, θ] = sleigh(x, Wide::from(2.0));
    let [px, py] = path(x, 2.0);
    check_gradient(&model, &run, &[u, w, θ, px, py]);
}

/// Every formulation and integrator that takes rows of velocity level, at its order.
#[test]
fn sleigh_runs_with_every_method() {
    let mut count = 0;
    for (formulation, integrator) in combinations() {
        let method = Method { formulation, integrator, ..Method::default() };
        let error = |h: f64| {
            let mut text = gradyn::examples::find("knife_edge").expect("bundled").to_owned();
            text = text.replace("t_end  = 2", "t_end  = 1");
            let model =
                Prepared::new(&gradyn::file::read_toml(&text).expect("reads").mechanism).expect("builds");
            let run = model.run(&method.clone().step(h)).ok()?;
            Some((run.psi[1] - sleigh(SLEIGH, 1.0)[1]).abs())
        };
        let what = format!("{} + {}", formulation.name(), integrator.name());
        let Some((coarse, fine)) = error(0.04).zip(error(0.02)) else {
            assert_eq!(formulation, gradyn::Formulation::Index3, "{what}");
            continue;
        };
        let order = (coarse / fine).log2();
        // 1e-9: the compliance of the penalty formulation
        assert!(order > integrator.order() as f64 - 0.75 || fine < 1e-8, "{what}: {coarse:.1e}, {fine:.1e}");
        let most = match integrator.order() {
            2 => 1e-2,
            3 => 1e-4,
            _ => 1e-6,
        };
        assert!(fine < most, "{what}: {fine:.1e}");
        count += 1;
    }
    assert!(count >= 6, "only {count} methods");
}

/// Largest |c| and |Φ̇| over a long run, with stabilisation.
#[test]
fn velocity_rows_do_not_drift() {
    let accurate = method("index1", "dopri5").tolerance(1e-11, 1e-11);
    for (name, t_end) in [("knife_edge", "t_end  = 40"), ("rolling_disc", "t_end  = 4")] {
        let (_, run) = run(name, &[("t_end  = 2", t_end)], &["system.kinetic"], &accurate);
        // speeds of 1 to 2 m/s
        assert!(run.drift[1] <= 1e-9, "{name}: {:.1e}", run.drift[1]);
        assert!(run.drift[0] <= 1e-9, "{name}: {:.1e}", run.drift[0]);
    }
}

/// A steady turn of a thin disc: speed, place of the centre at t, square of the force on it.
fn turn<S: Scalar>([m, r, lean, rate, g]: [S; 5], t: S) -> [S; 4] {
    let (a, c) = (m * r * r * 0.25, m * r * r * 0.5);
    let spin =
        (a * rate * rate * lean.cos() - m * g * r) * lean.sin() / ((c + m * r * r) * rate * lean.cos());
    let (v, φ) = (r * spin, rate * t);
    [
        v / rate * φ.sin(),
        v / rate * (S::one() - φ.cos()),
        r * lean.cos(),
        (m * g).powi(2) + (m * rate * v).powi(2),
    ]
}

const DISC: [f64; 5] = [0.5, 0.3, 0.3, -1.0, 9.81];

#[test]
fn disc_rolls_in_a_steady_turn() {
    let accurate = method("index1", "dopri5").tolerance(1e-11, 1e-11);
    let columns = [
        "disc.P.x",
        "disc.P.y",
        "disc.P.z",
        "asin(axis(disc, [0, 1, 0]).z)",
        "norm2(road.reaction)",
        "norm(road.torque)",
    ];
    for row in table("rolling_disc", &[], &columns, &accurate) {
        let truth = turn(DISC, row[0]);
        for (k, what) in ["x", "y", "z"].into_iter().enumerate() {
            close(what, row[0], row[k + 1], truth[k], 1e-8);
        }
        close("lean", row[0], row[4], 0.3, 1e-8);
        close("force", row[0], row[5], truth[3], 1e-8);
        // R (sin α m g + cos α m Ω v) about the direction of motion
        let v = 0.3 * 6.694276873712894;
        close(
            "torque",
            row[0],
            row[6],
            (0.3 * (0.3f64.sin() * 0.5 * 9.81 - 0.3f64.cos() * 0.5 * v)).abs(),
            1e-8,
        );
    }
}

#[test]
fn disc_has_the_gradient_of_its_closed_form() {
    let accurate = method("index1", "dopri5").tolerance(1e-11, 1e-11);
    let (model, run) = run("rolling_disc", &[("t_end  = 2", "t_end  = 1")], &["disc.P.x"], &accurate);
    let [x, y, z, force] = turn(variables(DISC), Wide::from(1.0));
    check_gradient(&model, &run, &[x, y, z, force]);
}

/// A disc in the plane down a slope that moves away: x = ½ g sin β t²/(1 + I/(m R²)), with all numbers as
/// parameters.
#[test]
fn plane_disc_rolls_down_a_slope() {
    let text = r#"
        name = "slope"
        parameters = { m = 2, I = 0.05, R = 0.3, b = 0.4, g = 9.81 }
        gravity = [0, "-g"]
        ground.points = { O = [0.2, 0.1] }
        body.disc = { points = { P = [0, 0] }, mass = "m", inertia = "I" }
        joint.road.type = "rolling"
        joint.road.between = ["ground.O", "disc.P"]
        joint.road.axis = ["cos(b)", "-sin(b)"]
        joint.road.radius = "R"
        initial.position = { "dot(disc.P - ground.O, [cos(b), -sin(b)])" = 0, "disc.angle" = 0 }
        initial.velocity = { "disc.omega" = 0 }
        objective.way = { terminal = "dot(disc.P - ground.O, [cos(b), -sin(b)])" }
        objective.angle = { terminal = "disc.angle" }
        objective.normal = { terminal = "dot(road.reaction, [sin(b), cos(b)])" }
        objective.grip = { terminal = "dot(road.reaction, [-cos(b), sin(b)])" }
        objective.torque = { terminal = "road.torque" }
        study = { t_end = 0.7 }
    "#;
    let model = Prepared::new(&gradyn::file::read_toml(text).expect("reads").mechanism)
        .unwrap_or_else(|e| panic!("{e}"));
    let run = model.run(&precise()).unwrap_or_else(|e| panic!("{e}"));
    let [m, i, r, b, g] = variables([2.0, 0.05, 0.3, 0.4, 9.81]);
    let a = g * b.sin() / (Wide::from(1.0) + i / (m * r * r));
    let way = a * (0.5 * 0.49);
    let grip = i * a / (r * r);
    check_gradient(&model, &run, &[way, -(way / r), m * g * b.cos(), grip, -(grip * r)]);
}
