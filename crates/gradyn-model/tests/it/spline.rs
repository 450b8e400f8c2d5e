//! Splines: interpolation, smoothness, ends, knots.

use gradyn_model::program::{Graph, Sym};
use gradyn_model::spline::{Kind, SplineError, UniformSpline, coefficients_clamped, coefficients_cyclic};
use gradyn_num::{Complex, ProgramScalar, Scalar};

fn data(n: usize) -> Vec<f64> {
    (0..n).map(|i| (1.7 * i as f64 + 0.3).sin() + 0.2 * ((i * i) as f64).cos()).collect()
}

/// Coefficients through the program of symbols, values first, then slopes.
fn coefficients(kind: Kind, y: &[f64], slopes: [f64; 2], dt: f64) -> Vec<f64> {
    let graph = Graph::new();
    let input: Vec<Sym> = (0..y.len() + 2).map(|i| graph.input(i)).collect();
    let (values, s) = input.split_at(y.len());
    let c = match kind {
        Kind::Cyclic => coefficients_cyclic(values),
        Kind::Clamped => coefficients_clamped(values, Some(s[0]), Some(s[1]), dt),
    };
    let program = graph.program(&c.expect("enough values"));
    assert!(program.registers() < 12 * y.len() + 200, "O(N) registers, not {}", program.registers());
    let x: Vec<f64> = y.iter().copied().chain(slopes).collect();
    let mut regs = vec![0.0; program.registers()];
    program.eval(&x, &mut regs);
    (0..program.outputs()).map(|k| program.output(k, &regs)).collect()
}

fn sum<S: Scalar>(spline: &UniformSpline, c: &[f64], (first, w): (usize, [S; 4])) -> S {
    (0..4).fold(S::zero(), |f, j| f + w[j] * c[spline.index(first, j)])
}

/// Value, first and second derivative of the polynomial of an interval at t (second: difference of first,
/// exact for a cubic).
fn jets(spline: &UniformSpline, c: &[f64], interval: usize, t: f64) -> [f64; 3] {
    let slope = |t: f64| {
        let mut z = Complex::from(t);
        *z.part_mut(0) = 1e-30;
        sum(spline, c, spline.active_in(interval, z)).part(0) / 1e-30
    };
    let h = 0.25 * spline.dt();
    [sum(spline, c, spline.active_in(interval, t)), slope(t), (slope(t + h) - slope(t - h)) / (2.0 * h)]
}

fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} against {b}");
}

#[test]
fn cyclic_splines_interpolate_and_are_smooth_and_periodic() {
    for n in 1..=50 {
        let (y, spline) = (data(n), UniformSpline::new(Kind::Cyclic, 0.3, 2.5, n).unwrap());
        let c = coefficients(Kind::Cyclic, &y, [0.0; 2], spline.dt());
        assert_eq!(c.len(), spline.coefficients());
        for i in 0..n {
            let t = 0.3 + i as f64 * spline.dt();
            assert_eq!(spline.interval(t), i);
            close(sum(&spline, &c, spline.active(t)), y[i], 1e-14, "value");
            // from the left and from the right
            let (left, right) = (jets(&spline, &c, (i + n - 1) % n, t), jets(&spline, &c, i, t));
            if n > 1 {
                for d in 0..3 {
                    // rounding of s, times |f⁽ᵈ⁺¹⁾| ~ Δt⁻⁽ᵈ⁺¹⁾
                    close(left[d], right[d], 1e-13 * spline.dt().powi(-(d as i32)), "derivative");
                }
            }
        }
        for k in 0..40 {
            let t = 0.3 + 0.07 * k as f64;
            let f = |t: f64| sum(&spline, &c, spline.active(t));
            // 1e-12: t + 3T is rounded, |f'| ~ 1/Δt
            close(f(t + 3.0 * 2.5), f(t), 1e-12, "period");
            close(f(t - 2.0 * 2.5), f(t), 1e-12, "period");
        }
    }
}

#[test]
fn clamped_splines_interpolate_are_smooth_and_have_their_slopes() {
    for n in 2..=50 {
        let spline = UniformSpline::new(Kind::Clamped, -1.0, 3.7, n).unwrap();
        let (y, dt) = (data(n), spline.dt());
        let c = coefficients(Kind::Clamped, &y, [0.5, -0.75], dt);
        assert_eq!(c.len(), n + 2);
        for i in 0..n {
            let t = -1.0 + i as f64 * dt;
            assert_eq!(spline.interval(t), i.min(n - 2));
            close(sum(&spline, &c, spline.active(t)), y[i], 1e-14, "value");
            if (1..n - 1).contains(&i) {
                let (left, right) = (jets(&spline, &c, i - 1, t), jets(&spline, &c, i, t));
                for d in 0..3 {
                    close(left[d], right[d], 1e-13 * dt.powi(-(d as i32)), "derivative");
                }
            }
        }
        let end = -1.0 + 3.7;
        close(jets(&spline, &c, 0, -1.0)[1], 0.5, 1e-13 / dt, "start slope");
        close(jets(&spline, &c, n - 2, end)[1], -0.75, 1e-13 / dt, "end slope");
        // held outside, with zero slope
        for (t, value, interval) in [(-1.5, y[0], n), (end + 1e-9, y[n - 1], n - 1), (99.0, y[n - 1], n - 1)]
        {
            assert_eq!(spline.interval(t), interval);
            let [f, slope, curvature] = jets(&spline, &c, interval, t);
            close(f, value, 1e-14, "held value");
            assert_eq!((slope, curvature), (0.0, 0.0));
        }
    }
}

/// Without slopes: those of zero.
#[test]
fn slopes_default_to_zero() {
    let graph = Graph::new();
    let values: Vec<_> = data(7).into_iter().map(|y| graph.constant(y)).collect();
    let zero = graph.constant(0.0);
    let a = coefficients_clamped(&values, None, None, 0.1).unwrap();
    let b = coefficients_clamped(&values, Some(zero), Some(zero), 0.1).unwrap();
    for (a, b) in a.iter().zip(&b) {
        assert_eq!(a.as_constant(), b.as_constant());
    }
}

/// A cubic is its own clamped spline; a constant its own cyclic one.
#[test]
fn polynomials_are_reproduced() {
    let spline = UniformSpline::new(Kind::Clamped, 0.0, 2.0, 9).unwrap();
    let (f, slope) = (|t: f64| 1.0 + t * (2.0 + t * (-3.0 + t)), |t: f64| 2.0 + t * (-6.0 + 3.0 * t));
    let y: Vec<f64> = (0..9).map(|i| f(i as f64 * spline.dt())).collect();
    let c = coefficients(Kind::Clamped, &y, [slope(0.0), slope(2.0)], spline.dt());
    for k in 0..=200 {
        let t = 0.01 * k as f64;
        close(sum(&spline, &c, spline.active(t)), f(t), 1e-14, "cubic");
    }
    for n in 1..6 {
        for c in coefficients(Kind::Cyclic, &vec![2.5; n], [0.0; 2], 1.0) {
            close(c, 2.5, 1e-14, "constant");
        }
    }
}

/// The weights sum to 1, on every scalar.
#[test]
fn weights_are_a_partition_of_one() {
    let spline = UniformSpline::new(Kind::Cyclic, 0.0, 1.0, 7).unwrap();
    for k in 0..100 {
        let (first, w) = spline.active(0.031 * k as f64 - 1.0);
        assert!(first < 7);
        close(w.iter().sum(), 1.0, 1e-15, "sum of weights");
        assert!(w.iter().all(|w| *w >= 0.0));
    }
}

/// A time computed as t₀ + iΔt lies in the interval to its right, however it rounds, in every period.
#[test]
fn knots_belong_to_the_interval_on_their_right() {
    for n in 1..60 {
        for (t0, length) in [(0.0, 5.0), (0.1, 0.7), (-3.3, 1e-3), (1e3, std::f64::consts::PI)] {
            let spline = UniformSpline::new(Kind::Cyclic, t0, length, n).unwrap();
            for (i, k) in (-30i32..200).enumerate() {
                let t = t0 + f64::from(k) * spline.dt();
                assert_eq!(spline.interval(t), (i + 30 * n - 30) % n, "n = {n}, t0 = {t0}, k = {k}");
            }
        }
    }
}

#[test]
fn knots_are_strictly_inside() {
    let spline = UniformSpline::new(Kind::Cyclic, 0.1, 0.4, 4).unwrap();
    let dt = spline.dt();
    let expected: Vec<f64> = (-1..=6).map(|i| 0.1 + f64::from(i) * dt).collect();
    assert_eq!(spline.knots(expected[0], expected[7]), expected[1..7]);
    assert_eq!(spline.knots(expected[0] - 1e-9, expected[7] + 1e-9), expected);
    assert_eq!(spline.knots(1.0, 1.0), []);
    assert_eq!(spline.knots(2.0, 1.0), []);
    assert_eq!(spline.knots(f64::NAN, 1.0), []);
    let spline = UniformSpline::new(Kind::Clamped, 0.1, 0.4, 5).unwrap();
    let expected: Vec<f64> = (0..5).map(|i| 0.1 + f64::from(i) * spline.dt()).collect();
    assert_eq!(spline.knots(-10.0, 10.0), expected);
    assert_eq!(spline.knots(f64::NEG_INFINITY, f64::INFINITY), expected);
    assert_eq!(spline.knots(0.1, 0.5), expected[1..4]);
}

#[test]
fn too_few_values_and_bad_intervals_are_errors() {
    let graph = Graph::new();
    let too_few = |kind, needed, given| SplineError::TooFew { kind, needed, given };
    assert_eq!(coefficients_cyclic(&[]).unwrap_err(), too_few("cyclic", 1, 0));
    assert_eq!(
        coefficients_clamped(&[graph.input(0)], None, None, 1.0).unwrap_err(),
        too_few("clamped", 2, 1)
    );
    assert_eq!(UniformSpline::new(Kind::Cyclic, 0.0, 1.0, 0), Err(too_few("cyclic", 1, 0)));
    assert_eq!(UniformSpline::new(Kind::Clamped, 0.0, 1.0, 1), Err(too_few("clamped", 2, 1)));
    for (t0, length) in [(0.0, 0.0), (0.0, -1.0), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY)] {
        assert!(matches!(UniformSpline::new(Kind::Cyclic, t0, length, 3), Err(SplineError::Interval { .. })));
    }
    let message = UniformSpline::new(Kind::Clamped, 0.0, 1.0, 1).unwrap_err().to_string();
    assert_eq!(message, "a clamped spline needs at least 2 value(s), not 1");
}
