//! Plane examples.

use super::{Clamped, close, kinematic, precise, rk4, run, solve, table};
use gradyn::{Integrator, Sensitivity};
use std::f64::consts::PI;

/// Torque of the motor by virtual work: τ θ' = Σ m (r̈ - g)·r' + I ψ̈ ψ', primes are d/dθ.
#[test]
fn slider_crank_needs_the_torque_of_virtual_work() {
    let (r, l, m_c, m_r, m_s, g) = (0.2, 0.6, 1.0, 0.8, 1.5, 9.81);
    let (w, amplitude) = (2.0 * PI, 0.1);
    for m in kinematic(5e-3) {
        let rows = table("slider_crank", &[], &["motor.effort", "slider.B.x"], &m);
        assert!(rows.len() > 200);
        for row in &rows {
            let t = row[0];
            let (θ, dθ, ddθ) = (
                w * t + amplitude * (2.0 * w * t).sin(),
                w + 2.0 * w * amplitude * (2.0 * w * t).cos(),
                -4.0 * w * w * amplitude * (2.0 * w * t).sin(),
            );
            let (s, c) = θ.sin_cos();
            let sin_ψ = r * s / l;
            let cos_ψ = (1.0 - sin_ψ * sin_ψ).sqrt();
            let ψ1 = r * c / (l * cos_ψ); // the rod is ψ below the x axis
            let ψ2 = (-r * s + l * sin_ψ * ψ1 * ψ1) / (l * cos_ψ);
            // centre of the rod and slider: first and second derivatives with respect to θ
            let (x1, y1) = (-r * s - l / 2.0 * sin_ψ * ψ1, r * c / 2.0);
            let (x2, y2) = (-r * c - l / 2.0 * (cos_ψ * ψ1 * ψ1 + sin_ψ * ψ2), -r * s / 2.0);
            let (s1, s2) = (-r * s - l * sin_ψ * ψ1, -r * c - l * (cos_ψ * ψ1 * ψ1 + sin_ψ * ψ2));
            let inertia =
                m_c * r * r / 3.0 + m_r * (x1 * x1 + y1 * y1 + l * l / 12.0 * ψ1 * ψ1) + m_s * s1 * s1;
            let half = m_r * (x1 * x2 + y1 * y2 + l * l / 12.0 * ψ1 * ψ2) + m_s * s1 * s2;
            let weight = g * (m_c * r / 2.0 * c + m_r * y1);
            close("torque", t, row[1], inertia * ddθ + half * dθ * dθ + weight, 1e-10);
            close("slider", t, row[2], r * c + l * cos_ψ, 1e-10);
        }
    }
}

/// Ram at its closed-form place; the strokes take 2/3 s and 1/3 s.
#[test]
fn quick_return_goes_back_in_half_the_time() {
    let (r, d, lever, link, h) = (0.1f64, 0.2, 0.45, 0.2f64, 0.22);
    for m in kinematic(1.0 / 300.0) {
        let rows = table("quick_return", &[], &["ram.E.x", "vel(ram.E.x)"], &m);
        for row in &rows {
            let θ = -PI / 6.0 + 2.0 * PI * row[0];
            let φ = (r * θ.sin() + d).atan2(r * θ.cos());
            let (x, y) = (lever * φ.cos(), lever * φ.sin() - d);
            close("ram", row[0], row[1], x + (link * link - (h - y).powi(2)).sqrt(), 1e-10);
        }
        if m.integrator == Integrator::Dopri5 {
            continue; // its steps do not meet the ends of the strokes
        }
        // (180° + 2α)/(180° - 2α), sin α = r/d = 1/2: 240° and 120°
        let α = (r / d).asin();
        let ratio = (PI + 2.0 * α) / (PI - 2.0 * α);
        assert!((ratio - 2.0).abs() < 1e-14);
        let signs: Vec<f64> = rows.iter().map(|r| r[2].signum()).collect();
        for (i, row) in rows.iter().enumerate() {
            if i % 300 == 0 || i == 200 {
                assert!(row[2].abs() < 1e-9, "the ram stands at t = {}: {:.1e}", row[0], row[2]);
            } else {
                assert_eq!(signs[i], if i < 200 { -1.0 } else { 1.0 }, "t = {}", row[0]);
            }
        }
    }
}

/// Willis' equation, the start-up as an exponential, and the torques.
#[test]
fn planetary_gear_follows_willis() {
    let (zs, zp, module) = (24.0, 18.0, 4e-3);
    let zr = zs + 2.0 * zp;
    let (js, jc, mp, t0, w0, c) = (0.002, 0.02, 1.5, 5.0, 60.0, 0.8);
    let a: f64 = module * (zs + zp) / 2.0;
    let jp = mp * f64::powi(module * zp / 2.0, 2) / 2.0;
    let carrier = zs / (zs + zr); // ω_c/ω_s with the ring at rest
    let planet = carrier * (1.0 - zr / zp); // ω_p/ω_s: rolls in the ring
    let inertia = js + (jc + mp * a * a) * carrier * carrier + jp * planet * planet;
    let slope = t0 / w0 + c * carrier * carrier;
    let columns = [
        "vel(sun.angle)",
        "vel(planet.angle)",
        "vel(carrier.angle)",
        "vel(ring.angle)",
        "brake.effort",
        "acc(sun.angle)",
        "motor.torque",
    ];
    for m in kinematic(1e-3) {
        let exact = m.integrator == Integrator::Dopri5;
        for row in table("planetary_gear", &[], &columns, &m) {
            let [t, s, p, k, r, brake, acc, motor] = row[..] else { panic!("eight columns") };
            close("Willis", t, (s - k) * zs, -(r - k) * zr, 1e-10);
            close("planet", t, p, planet * s, 1e-10);
            close("carrier", t, k, carrier * s, 1e-10);
            if exact {
                close("sun", t, s, t0 / slope * (1.0 - (-slope / inertia * t).exp()), 1e-10);
                // all torques on the whole: motor + brake - load = rate of angular momentum
                let rate = acc * (js + (jc + mp * a * a) * carrier + jp * planet);
                close("brake", t, brake, rate - motor + c * k, 1e-10);
            }
        }
    }
    // steady: motor, brake and load are as 1 : z_r/z_s : -(1 + z_r/z_s)
    let rows = table("planetary_gear", &[("t_end  = 0.5", "t_end = 4")], &columns, &precise());
    let [.., k, _, brake, _, motor] = rows.last().expect("rows")[..] else { panic!("eight columns") };
    close("steady brake", 4.0, brake / motor, zr / zs, 1e-9);
    close("steady load", 4.0, c * k / motor, 1.0 + zr / zs, 1e-9);
}

/// The pendulum below a moving point: residual swing, the objective of the example.
fn residual_swing(x: &[f64; 7]) -> f64 {
    let (g, l) = (9.81, 5.0);
    let path = Clamped::new(x, 3.0);
    let end =
        rk4(|t, y| vec![y[1], -(g * y[0].sin() + path.at(t)[2] * y[0].cos()) / l], vec![0.0, 0.0], 3.0, 3000);
    // at the end the trolley stands
    (l * end[0].sin()).powi(2) * g / l + (l * end[0].cos() * end[1]).powi(2)
}

/// T = m (g cos θ + L θ̇² - ẍ sin θ); swing and its gradient by an independent pendulum.
#[test]
fn crane_tension_and_swing() {
    let (mass, g, l) = (800.0, 9.81, 5.0);
    let columns = [
        "load.H.x - trolley.T.x",
        "trolley.T.y - load.H.y",
        "vel(load.H.x - trolley.T.x)",
        "acc(trolley.T.x)",
        "norm(cable.reaction)",
        "dot(cable.reaction, trolley.T - load.H)",
        "drive.effort",
    ];
    let (model, run) = run("crane", &[], &columns, &precise());
    let path = [0.0, 0.2, 0.9, 2.0, 3.1, 3.8, 4.0];
    let spline = Clamped::new(&path, 3.0);
    for row in model.table(&run, None).expect("tabulated").rows {
        let [t, x, y, v, acc, tension, pull, drive] = row[..] else { panic!("eight columns") };
        let θ = x.atan2(y);
        let dθ = v / y;
        let closed = mass * (g * θ.cos() + l * dθ * dθ - acc * θ.sin());
        close("tension", t, tension, closed, 1e-10);
        assert!(pull > 0.0, "the cable pulls");
        close("drive", t, drive, 200.0 * acc - tension * θ.sin(), 1e-10);
        close("spline", t, acc, spline.at(t)[2], 1e-10);
    }
    close("swing", 3.0, run.psi[0], residual_swing(&path), 1e-10);
    let gradient = model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
    for k in 0..5 {
        let at = |e: f64| {
            let mut x = path;
            x[k + 1] += e;
            residual_swing(&x)
        };
        // the swing is a smooth function: central differences of order 4
        let e = 1e-3;
        let slope = (8.0 * (at(e) - at(-e)) - (at(2.0 * e) - at(-2.0 * e))) / (12.0 * e);
        close("gradient", 3.0, gradient[0][k], slope, 1e-9);
    }
}

/// The intersection of two circles that is to the left of the way from p to q.
fn left(p: [f64; 2], rp: f64, q: [f64; 2], rq: f64) -> [f64; 2] {
    let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
    let d = dx.hypot(dy);
    let along = (d * d + rp * rp - rq * rq) / (2.0 * d);
    let across = (rp * rp - along * along).sqrt();
    [p[0] + (along * dx - across * dy) / d, p[1] + (along * dy + across * dx) / d]
}

/// Jansen's numbers (The Great Pretender, 2007), joint by joint as intersections of circles.
#[test]
fn jansen_foot_is_where_circles_meet() {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m] =
        [38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0].map(|x| x / 100.0);
    for method in kinematic(5e-3) {
        let mut lowest = f64::INFINITY;
        for row in table("jansen", &[], &["shank.F.x", "shank.F.y", "hip.S.x", "strut.U.y"], &method) {
            let θ = -2.0 * PI * row[0];
            let (q, crank) = ([-a, -l], [m * θ.cos(), m * θ.sin()]);
            let top = left(q, b, crank, j);
            let s = left(q, d, top, e);
            let r = left(crank, k, q, c);
            let u = left(r, g, s, f);
            let foot = left(r, i, u, h);
            for (n, value) in [foot[0], foot[1], s[0], u[1]].into_iter().enumerate() {
                close("jansen", row[0], row[n + 1], value, 1e-9);
            }
            lowest = lowest.min(foot[1]);
        }
        assert!((lowest + 0.94).abs() < 0.03, "the foot reaches {lowest} m");
    }
}

/// Angles of a chain of n uniform bars, by Lagrange's equations for its absolute angles.
fn chain(n: usize, start: Vec<f64>, t: f64, steps: usize) -> Vec<f64> {
    let (l, m, g) = (0.4, 0.3, 9.81);
    let mass = |i: usize, j: usize| {
        let below = (n - 1 - i.max(j)) as f64;
        m * l * l * (below + if i == j { 1.0 / 3.0 } else { 0.5 })
    };
    let rate = |_: f64, y: &[f64]| {
        let (θ, ω) = y.split_at(n);
        let a = (0..n).map(|i| (0..n).map(|j| mass(i, j) * (θ[i] - θ[j]).cos()).collect()).collect();
        let b = (0..n).map(|i| {
            let weight = m * g * l * ((n - 1 - i) as f64 + 0.5) * θ[i].cos();
            -weight - (0..n).map(|j| mass(i, j) * (θ[i] - θ[j]).sin() * ω[j] * ω[j]).sum::<f64>()
        });
        let acceleration = solve(a, b.collect());
        ω.iter().copied().chain(acceleration).collect()
    };
    rk4(rate, start.into_iter().chain(vec![0.0; n]).collect(), t, steps)
}

#[test]
fn n_pendulum_is_the_chain_of_lagrange() {
    for n in [2usize, 5] {
        let columns: Vec<String> =
            (1..=n).map(|i| format!("link_{i}_bar.angle")).chain(["system.energy".to_owned()]).collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let (count, last) = (format!("count = {n}"), format!("link_{n}_bar"));
        let rows = table("n_pendulum", &[("count = 5", &count), ("link_5_bar", &last)], &columns, &precise());
        let end = chain(n, (0..n).map(|i| (-10.0 + 15.0 * i as f64).to_radians()).collect(), 1.0, 4000);
        let row = rows.last().expect("rows");
        for i in 0..n {
            close("angle", 1.0, row[i + 1], end[i], 1e-9);
        }
        for r in &rows {
            close("energy", r[0], r[n + 1], rows[0][n + 1], 1e-9);
        }
    }
}

/// With everything in one plane the chain in space is that in the plane.
#[test]
fn n_pendulum_3d_without_push_is_plane() {
    let columns: Vec<String> = (1..=4)
        .flat_map(|i| ["x", "y", "z"].map(|c| format!("link_{i}_bar.B.{c}")))
        .chain(["system.energy".to_owned()])
        .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows =
        table("n_pendulum_3d", &[("push   = { value = 0.5", "push = { value = 0")], &columns, &precise());
    let end = chain(4, (0..4).map(|i| (-60.0 + 10.0 * i as f64).to_radians()).collect(), 1.0, 4000);
    let (row, mut x, mut z) = (rows.last().expect("rows"), 0.0, 0.0);
    for i in 0..4 {
        (x, z) = (x + 0.4 * end[i].cos(), z + 0.4 * end[i].sin());
        close("x", 1.0, row[3 * i + 1], x, 1e-9);
        close("y", 1.0, row[3 * i + 2], 0.0, 1e-12);
        close("z", 1.0, row[3 * i + 3], z, 1e-9);
    }
    // and with the push it keeps its energy and its angular momentum about the vertical
    let rows = table("n_pendulum_3d", &[], &["system.energy", "system.angular_momentum.z"], &precise());
    for r in &rows {
        close("energy", r[0], r[1], rows[0][1], 1e-9);
        close("angular momentum", r[0], r[2], rows[0][2], 1e-9);
    }
    assert!(rows[0][2].abs() > 1e-2);
}
