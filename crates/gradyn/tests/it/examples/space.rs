//! Examples in space.

use super::{Clamped, close, kinematic, method, precise, rk4, solve, table};
use std::f64::consts::{FRAC_PI_2, PI};

type V3 = [f64; 3];

fn dot(a: V3, b: V3) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
fn minus(a: V3, b: V3) -> V3 {
    std::array::from_fn(|k| a[k] - b[k])
}
fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Inertia of a cylinder about its end, across its axis.
fn about_end(m: f64, radius: f64, length: f64) -> f64 {
    m * (3.0 * radius * radius + length * length) / 12.0 + m * length * length / 4.0
}

/// φ(θ) by Newton on |B(θ) - C(φ)|² = L²; the energy from θ and θ̇ alone.
#[test]
fn rssr_closes_its_loop_and_keeps_its_energy() {
    let (r, s, l, d, g) = (0.1, 0.25, 0.44, [0.3, -0.2, 0.1], 9.81);
    let point_b = |θ: f64| [r * θ.cos(), r * θ.sin(), 0.0];
    let point_c = |φ: f64| [d[0], d[1] + s * φ.cos(), d[2] + s * φ.sin()];
    let tangents = |θ: f64, φ: f64| ([-r * θ.sin(), r * θ.cos(), 0.0], [0.0, -s * φ.sin(), s * φ.cos()]);
    for m in kinematic(1e-3) {
        let columns = ["crank_axle.angle", "rocker_axle.angle", "vel(crank_axle.angle)", "system.energy"];
        let (mut φ, mut e0) = (1.4, None);
        let rows = table("rssr", &[], &columns, &m);
        for row in &rows {
            let (t, θ) = (row[0], row[1]);
            for _ in 0..20 {
                let w = minus(point_b(θ), point_c(φ));
                φ += (dot(w, w) - l * l) / (2.0 * dot(w, tangents(θ, φ).1));
            }
            close("rocker", t, row[2], φ, 1e-10);
            // energy
            let (b1, c1) = tangents(θ, φ);
            let w = minus(point_b(θ), point_c(φ));
            let dφ = dot(w, b1) / dot(w, c1) * row[3];
            let (vb, vc) = (b1.map(|x| x * row[3]), c1.map(|x| x * dφ));
            let rod = 0.5 / 6.0 * (dot(vb, vb) + dot(vb, vc) + dot(vc, vc));
            let turning =
                0.5 * about_end(0.8, 0.015, r) * row[3] * row[3] + 0.5 * about_end(1.0, 0.015, s) * dφ * dφ;
            let height = 0.5 * g * point_c(φ)[2] / 2.0 + g * (d[2] + s / 2.0 * φ.sin());
            close("energy", t, row[4], rod + turning + height, 1e-9);
            let e0 = *e0.get_or_insert(row[4]);
            if m.integrator == gradyn::Integrator::Dopri5 {
                close("energy stays", t, row[4], e0, 1e-9);
            }
        }
        assert!(rows.last().is_some_and(|r| r[1] > 2.0 * PI), "more than a turn");
    }
}

/// sn(x + K, k) = cd and K, by the arithmetic–geometric mean (Abramowitz and Stegun 16.4).
fn sn(x: f64, k: f64) -> f64 {
    let (mut a, mut b, mut c) = (vec![1.0f64], (1.0 - k * k).sqrt(), vec![k]);
    while c.last().is_some_and(|c| c.abs() > 1e-16) {
        let last = a[a.len() - 1];
        c.push((last - b) / 2.0);
        a.push((last + b) / 2.0);
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut φ = f64::powi(2.0, n as i32) * a[n] * x;
    for i in (1..=n).rev() {
        φ = (φ + (c[i] / a[i] * φ.sin()).asin()) / 2.0;
    }
    φ.sin()
}

/// K(k).
fn quarter(k: f64) -> f64 {
    let (mut a, mut b) = (1.0f64, (1.0 - k * k).sqrt());
    while (a - b).abs() > 1e-16 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

/// u = cos θ = u₁ + (u₂ - u₁) sn²(p t + K), from u̇² = (1 - u²)(α - β u) - (a - b u)²; precession by
/// quadrature.
#[test]
fn spinning_top_is_an_elliptic_function() {
    let (m, l, radius, height, g) = (0.5, 0.04, 0.03, 0.01, 9.81);
    let (i1, i3) =
        (m * l * l + m * (3.0 * radius * radius + height * height) / 12.0, m * radius * radius / 2.0);
    let (u0, w3, wp) = ((PI / 6.0).cos(), 150.0, 1.0);
    let lz = i1 * wp * (1.0 - u0 * u0) + i3 * w3 * u0;
    let energy = 0.5 * i1 * wp * wp * (1.0 - u0 * u0) + 0.5 * i3 * w3 * w3 + m * g * l * u0;
    let (a, b, α, β) = (lz / i1, i3 * w3 / i1, (2.0 * energy - i3 * w3 * w3) / i1, 2.0 * m * g * l / i1);
    // u₀ is a root of β u³ - (α + b²) u² + (2 a b - β) u + α - a²; the others have this sum and product
    let sum = (α + b * b) / β - u0;
    let product = -(α - a * a) / (β * u0);
    let root = (sum * sum / 4.0 - product).sqrt();
    let (u1, u3) = (sum / 2.0 - root, sum / 2.0 + root);
    assert!(-1.0 < u1 && u1 < u0 && u3 > 1.0, "it starts at the upper of its two ends: {u1} {u0} {u3}");
    let (k, p) = (((u0 - u1) / (u3 - u1)).sqrt(), (β * (u3 - u1)).sqrt() / 2.0);
    let u = |t: f64| u1 + (u0 - u1) * sn(p * t + quarter(k), k).powi(2);
    let rate = |t: f64| (a - b * u(t)) / (1.0 - u(t).powi(2));

    let columns = [
        "top.pitch + pi/2",
        "top.yaw",
        "system.energy",
        "system.angular_momentum.z",
        "dot(top.omega, axis(top, [1, 0, 0]))",
    ];
    let rows = table("spinning_top", &[], &columns, &precise());
    let (mut yaw, mut last, mut turns) = (0.0, 0.0, 0);
    for row in &rows {
        let t = row[0];
        // Gauss, 3 points, on steps of a few hundredths of the nutation
        let (h, x) = (t - last, 0.6f64.sqrt() / 2.0);
        yaw += h / 18.0
            * (5.0 * rate(last + h * (0.5 - x))
                + 8.0 * rate(last + h * 0.5)
                + 5.0 * rate(last + h * (0.5 + x)));
        turns = turns.max((p * t / (2.0 * quarter(k))) as usize);
        last = t;
        close("nutation", t, row[1], u(t).acos(), 1e-8);
        close("precession", t, row[2], yaw, 1e-8);
        close("energy", t, row[3], energy, 1e-8);
        close("angular momentum", t, row[4], lz, 1e-8);
        close("spin", t, row[5], w3, 1e-8);
    }
    assert!(turns >= 2, "{turns} nutations");
}

/// ω₂/ω₁ = cos β/(1 - sin²β cos²θ), and the torque of the drive from the power.
#[test]
fn universal_shaft_turns_unevenly() {
    let (β, ω, inertia, load) = (35f64.to_radians(), 4.0 * PI, 0.02, 30.0);
    let columns =
        ["hinge.angle", "dot(output.omega, [cos(beta), 0, sin(beta)])", "norm(output.omega)", "drive.effort"];
    let penalty = method("penalty", "dopri5").tolerance(1e-12, 1e-12);
    // 1e-6: the compliance 1/α
    let all = kinematic(2e-3).map(|m| (m, 1e-10)).into_iter().chain([(penalty, 1e-6)]);
    for (m, tolerance) in all {
        let rows = table("universal_shaft", &[], &columns, &m);
        assert!(rows.len() > 50);
        for row in rows {
            let (t, θ) = (row[0], ω * row[0]);
            let below = 1.0 - (β.sin() * θ.cos()).powi(2);
            let ratio = β.cos() / below;
            close("input", t, row[1], θ, tolerance);
            close("speed", t, row[2] / ω, ratio, tolerance);
            close("only along the shaft", t, row[3], row[2], tolerance);
            // τ ω₁ = J ω₂ ω̇₂ + T ω₂
            let slope = -ratio / below * 2.0 * β.sin().powi(2) * θ.cos() * θ.sin();
            close("effort", t, row[4], inertia * ratio * slope * ω * ω + ratio * load, 10.0 * tolerance);
        }
    }
}

/// Steady precession Ω = m g l/(J ω₃) with a horizontal axis, exactly; otherwise energy and angular momentum
/// stay.
#[test]
fn gyroscope_precesses_steadily() {
    let (inertia, w3, m, l, g) = (0.02, 100.0, 3.0, 0.12, 9.81);
    let columns = [
        "vertical.angle",
        "tilt.angle",
        "vel(vertical.angle)",
        "norm(spin.torque)",
        "system.energy",
        "system.angular_momentum.z",
        "dot(rotor.omega, axis(rotor, [1, 0, 0]))",
    ];
    let precession = m * g * l / (inertia * w3);
    let steady = ("slow = { value = 0.8", "slow = { value = 1");
    for row in table("gyroscope", &[steady], &columns, &precise()) {
        let t = row[0];
        close("precession", t, row[1], precession * t, 1e-8);
        close("tilt", t, row[2], 0.0, 1e-9);
        close("speed", t, row[3], precession, 1e-8);
        close("torque on the rotor", t, row[4], inertia * w3 * precession, 1e-8);
    }
    let rows = table("gyroscope", &[], &columns, &precise());
    let mut deepest = 0.0f64;
    for row in &rows {
        for (k, what) in [(5, "energy"), (6, "angular momentum"), (7, "spin")] {
            close(what, row[0], row[k], rows[0][k], 1e-9);
        }
        deepest = deepest.max(row[2]);
    }
    assert!(deepest > 1e-3, "it nods: {deepest}");
}

/// Euler's equations; 100 s with all integrals of the motion.
#[test]
fn tumbling_body_keeps_everything() {
    let (m, [a, b, c]) = (2.0, [0.4f64, 0.25, 0.08].map(|x| x * x));
    let i = [m * (b + c) / 12.0, m * (a + c) / 12.0, m * (a + b) / 12.0];
    let euler = |_: f64, w: &[f64]| {
        (0..3)
            .map(|k| (i[(k + 1) % 3] - i[(k + 2) % 3]) * w[(k + 1) % 3] * w[(k + 2) % 3] / i[k])
            .collect::<Vec<_>>()
    };
    let columns: Vec<String> = ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"]
        .iter()
        .map(|e| format!("dot(box.omega, axis(box, {e}))"))
        .chain(["x", "y", "z"].map(|k| format!("system.momentum.{k}")))
        .chain(["x", "y", "z"].map(|k| format!("system.angular_momentum.{k}")))
        .chain(["system.energy".to_owned()])
        .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = table("tumbling_body", &[], &columns, &precise());
    let end = rows.last().expect("rows");
    for (k, w) in rk4(euler, vec![0.02, 4.0, 0.0], 5.0, 20000).into_iter().enumerate() {
        close("Euler", 5.0, end[k + 1], w, 1e-8);
    }
    let rows = table(
        "tumbling_body",
        &[("t_end  = 5", "t_end = 100")],
        &columns,
        &method("index1", "dopri5").tolerance(1e-11, 1e-11),
    );
    let mut over = 0;
    for pair in rows.windows(2) {
        for k in 4..=10 {
            close(columns[k - 1], pair[1][0], pair[1][k], rows[0][k], 1e-9);
        }
        over += usize::from(pair[0][2] * pair[1][2] < 0.0);
    }
    assert!(over >= 10, "turned over {over} times");
}

/// Conditions on components of ω are taken as they stand, like those on ω.
#[test]
fn components_of_omega_are_velocity_conditions() {
    let edit = (
        r#""box.omega" = ["tilt", "w", 0]"#,
        r#""box.omega.x" = "tilt", "box.omega.y" = "w", "box.omega.z" = 0"#,
    );
    let m = method("index1", "rk4").step(0.01);
    let [one, two] = [&[][..], &[edit]].map(|edits| table("tumbling_body", edits, &["box.tip.x"], &m));
    assert_eq!(one, two);
}

/// Lengths for a pose lead to that pose; forces of the legs by Newton and Euler, six equations.
#[test]
fn stewart_legs_carry_the_platform() {
    let (big, small, m, c, inertia, g) = (1.2, 0.7, 300.0, [0.1, 0.0, 0.25], 60.0, 9.81);
    let on = |radius: f64, degrees: f64, z: f64| {
        let (s, c) = degrees.to_radians().sin_cos();
        [radius * c, radius * s, z]
    };
    let (height, yaw) =
        (Clamped::new(&[1.1, 1.4, 1.5, 1.3], 2.0), Clamped::new(&[0.0, 0.15, 0.3, -0.1, 0.0], 2.0));
    let columns: Vec<String> =
        ["platform.O.x", "platform.O.y", "platform.O.z", "platform.roll", "platform.pitch", "platform.yaw"]
            .map(str::to_owned)
            .into_iter()
            .chain((1..=6).map(|i| format!("leg{i}.effort")))
            .chain((1..=6).map(|i| format!("distance(ground.B{i}, platform.P{i})")))
            .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    for method in kinematic(1e-2) {
        for row in table("stewart", &[], &columns, &method) {
            let t = row[0];
            let ([h, _, ddh], [ψ, dψ, ddψ]) = (height.at(t), yaw.at(t));
            for (k, value) in [0.0, 0.0, h, 0.0, 0.0, ψ].into_iter().enumerate() {
                close(columns[k], t, row[k + 1], value, 1e-10);
            }
            let lower = [10.0, 110.0, 130.0, 230.0, 250.0, 350.0].map(|α| on(big, α, 0.0));
            let upper = [50.0, 70.0, 170.0, 190.0, 290.0, 310.0].map(|α| on(small, α + ψ.to_degrees(), h));
            let (sin, cos) = ψ.sin_cos();
            let arm = [cos * c[0], sin * c[0], c[2]]; // from O to the centre of mass
            let centre = [arm[0], arm[1], arm[2] + h];
            let acceleration = [-ddψ * arm[1] - dψ * dψ * arm[0], ddψ * arm[0] - dψ * dψ * arm[1], ddh];
            let (mut a, mut b) = (vec![vec![0.0; 6]; 6], vec![0.0; 6]);
            for leg in 0..6 {
                let d = minus(upper[leg], lower[leg]);
                let length = dot(d, d).sqrt();
                close("length", t, row[13 + leg], length, 1e-10);
                let u = d.map(|x| x / length);
                let moment = cross(minus(upper[leg], centre), u);
                (0..3).for_each(|k| (a[k][leg], a[k + 3][leg]) = (u[k], moment[k]));
            }
            (0..3).for_each(|k| b[k] = m * acceleration[k]);
            (b[2], b[5]) = (b[2] + m * g, inertia * ddψ);
            for (leg, f) in solve(a, b).into_iter().enumerate() {
                close("force", t, row[7 + leg], f, 1e-9);
            }
        }
    }
}
