//! Aitken–Neville interpolation: exact for polynomials, and its error falls at its order on unequal meshes.

use gradyn_dynamics::interpolation::{MOST, aitken_neville, nearest};

/// A mesh on [0, 1] whose neighbouring steps differ by up to a factor of 2.
fn mesh(count: usize) -> Vec<f64> {
    let x = |i: usize| i as f64 / count as f64;
    (0..=count)
        .map(|i| x(i) + 0.15 / count as f64 * (7.0 * x(i)).sin() * (i % count != 0) as usize as f64)
        .collect()
}

fn interpolate(times: &[f64], order: usize, t: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rows: Vec<[f64; 2]> = times.iter().map(|&t| [f(t), 2.0 * f(t)]).collect();
    let mut out = [0.0; 2];
    aitken_neville(times, |n| &rows[n], t, order, &mut out);
    assert!((out[1] - 2.0 * out[0]).abs() <= 1e-13 * out[0].abs(), "all numbers of a row");
    out[0]
}

#[test]
fn polynomials_are_reproduced() {
    let times = mesh(20);
    for order in 0..=10 {
        let f = |t: f64| (0..=order).map(|k| (k as f64 + 0.3) * (t - 0.4).powi(k as i32)).sum::<f64>();
        for t in [0.0, 0.013, 0.31, 0.5, 0.777, 1.0] {
            // 1e-12: cancellation in differences of order 10
            assert!((interpolate(&times, order, t, f) - f(t)).abs() < 1e-12, "degree {order} at {t}");
        }
    }
}

/// The error of degree n falls as h^{n+1}.
#[test]
fn errors_fall_at_the_order() {
    let f = |t: f64| (3.0 * t).sin();
    let error = |count: usize, order: usize| {
        let times = mesh(count);
        (0..97)
            .map(|i| 0.1 + 0.8 * i as f64 / 96.0)
            .map(|t| (interpolate(&times, order, t, f) - f(t)).abs())
            .fold(0.0, f64::max)
    };
    for order in 1..=6 {
        let slope = (error(12, order) / error(48, order)).log2() / 2.0;
        assert!((slope - order as f64 - 1.0).abs() < 0.5, "degree {order}: slope {slope:.2}");
    }
}

#[test]
fn the_nearest_nodes_are_used() {
    let times = mesh(20);
    assert_eq!(nearest(&times, 0.0, 3), 0..4);
    assert_eq!(nearest(&times, 1.0, 3), 17..21);
    assert_eq!(nearest(&times, times[10] + 1e-6, 3), 9..13);
    assert_eq!(nearest(&times[..3], 0.05, 7), 0..3, "a short mesh lowers the degree");
    assert_eq!(nearest(&times, 0.5, 40).len(), MOST + 1);
}
