//! Systems of first order, as a user would write them.

use gradyn_model::user::StateSpace;
use gradyn_num::{Dual, Scalar};

/// The manipulator of B92: y = (Z1, GA1, Y2, BE2, AL3), z = ẏ, p = (F1Z, L1Z, t1, L, M2, I3Z).
///
/// ```text
/// T = ½ Σ m |ṙ|² + ½ Σ ωᵀ I ω,   M = T_zz,   q - k = Q - V_y - (Ṁ z - T_y)                        (1)
/// ```
#[derive(Clone)]
pub struct Manipulator;

/// Place r₃ of the third body at the reference parameters [m].
pub const TARGET: [f64; 3] = [-0.09732568697343198, 0.5188553447892895, -0.015589325363182811];
/// Distance of the third centre of mass from its axis [m].
const OFFSET: f64 = 0.05;
/// Acceleration of gravity [m/s²].
const G: f64 = 9.81;
/// Mass of the first body [kg].
const M1: f64 = 250.0;
/// Mass of the third body [kg].
const M3: f64 = 100.0;

type Vec3<S> = [S; 3];

fn about_x<S: Scalar>(a: S, v: Vec3<S>) -> Vec3<S> {
    [v[0], a.cos() * v[1] - a.sin() * v[2], a.sin() * v[1] + a.cos() * v[2]]
}
fn about_y<S: Scalar>(a: S, v: Vec3<S>) -> Vec3<S> {
    [a.cos() * v[0] + a.sin() * v[2], v[1], a.cos() * v[2] - a.sin() * v[0]]
}
fn about_z<S: Scalar>(a: S, v: Vec3<S>) -> Vec3<S> {
    [a.cos() * v[0] - a.sin() * v[1], a.sin() * v[0] + a.cos() * v[1], v[2]]
}
fn plus<S: Scalar>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    std::array::from_fn(|i| a[i] + b[i])
}

impl Manipulator {
    /// Centres of mass r₁, r₂, r₃.
    fn centres<S: Scalar>(y: &[S], length: S) -> [Vec3<S>; 3] {
        let zero = S::zero();
        let r1 = [zero, zero, y[0]];
        let r2 = plus(r1, about_z(y[1], [zero, y[2], zero]));
        let arm = plus([zero, length, zero], about_x(y[4], [zero, S::from(OFFSET), zero]));
        [r1, r2, plus(r2, about_z(y[1], about_y(y[3], arm)))]
    }
    /// ω₂ and ω₃ in the axes of their bodies.
    fn turns<S: Scalar>(y: &[S], z: &[S]) -> [Vec3<S>; 2] {
        let zero = S::zero();
        let second = plus(about_y(-y[3], [zero, zero, z[1]]), [zero, z[3], zero]);
        [second, plus(about_x(-y[4], second), [z[4], zero, zero])]
    }
    /// Kinetic energy T.
    fn kinetic<S: Scalar>(y: &[S], z: &[S], p: &[S]) -> S {
        let moving: Vec<Dual<S, 1>> = y.iter().zip(z).map(|(y, z)| Dual::along(*y, *z)).collect();
        let r = Self::centres(&moving, Dual::constant(p[3]));
        let masses = [S::from(M1), p[4], S::from(M3)];
        let inertia = [[13.0, 0.75, 13.0].map(S::from), [S::from(4.0), S::one(), p[5]]];
        let mut twice = z[1] * z[1] * 90.0;
        for (m, r) in masses.iter().zip(&r) {
            twice += r.iter().fold(S::zero(), |s, x| s + *m * x.eps[0] * x.eps[0]);
        }
        for (inertia, turn) in inertia.iter().zip(Self::turns(y, z)) {
            twice += inertia.iter().zip(turn).fold(S::zero(), |s, (i, w)| s + *i * w * w);
        }
        twice * 0.5
    }
    /// Potential energy V.
    fn potential<S: Scalar>(y: &[S], p: &[S]) -> S {
        let [r1, r2, r3] = Self::centres(y, p[3]);
        (r1[2] * M1 + r2[2] * p[4] + r3[2] * M3) * G
    }
    /// Momentum M x = T_z at z = x.
    fn momentum<S: Scalar>(y: &[S], x: &[S], p: &[S]) -> [S; 5] {
        let fixed = |x: &[S]| x.iter().map(|x| Dual::<S, 5>::constant(*x)).collect::<Vec<_>>();
        let x: Vec<Dual<S, 5>> = (0..5).map(|k| Dual::var(x[k], k)).collect();
        Self::kinetic(&fixed(y), &x, &fixed(p)).eps
    }
}

impl StateSpace for Manipulator {
    fn positions(&self) -> Vec<String> {
        ["Z1", "GA1", "Y2", "BE2", "AL3"].map(String::from).to_vec()
    }
    fn velocities(&self) -> Vec<String> {
        self.positions().iter().map(|n| format!("d{n}")).collect()
    }
    fn parameters(&self) -> Vec<(String, f64)> {
        let list = [("F1Z", 4500.0), ("L1Z", 220.0), ("t1", 0.5), ("L", 0.5), ("M2", 155.0), ("I3Z", 4.2)];
        list.map(|(n, x)| (n.into(), x)).to_vec()
    }
    fn objectives(&self) -> Vec<String> {
        vec!["psi".into()]
    }
    fn rates<S: Scalar>(&self, _t: S, _y: &[S], z: &[S], _p: &[S], rates: &mut [S]) {
        rates.copy_from_slice(z);
    }
    fn mass<S: Scalar>(&self, _t: S, y: &[S], p: &[S], mass: &mut [S]) {
        for i in 0..5 {
            let unit: Vec<S> = (0..5).map(|k| S::from(f64::from(i == k))).collect();
            mass[i * 5..(i + 1) * 5].copy_from_slice(&Self::momentum(y, &unit, p));
        }
    }
    fn forces<S: Scalar>(&self, _t: S, y: &[S], z: &[S], p: &[S], forces: &mut [S]) {
        let fixed = |x: &[S]| x.iter().map(|x| Dual::<S, 1>::constant(*x)).collect::<Vec<_>>();
        let moving: Vec<Dual<S, 1>> = y.iter().zip(z).map(|(y, z)| Dual::along(*y, *z)).collect();
        let turned = Self::momentum(&moving, &fixed(z), &fixed(p));
        let y5: Vec<Dual<S, 5>> = (0..5).map(|k| Dual::var(y[k], k)).collect();
        let fixed = |x: &[S]| x.iter().map(|x| Dual::<S, 5>::constant(*x)).collect::<Vec<_>>();
        let lagrangian = Self::kinetic(&y5, &fixed(z), &fixed(p)) - Self::potential(&y5, &fixed(p));
        (0..5).for_each(|k| forces[k] = lagrangian.eps[k] - turned[k].eps[0]);
        forces[0] += p[0];
        forces[1] += p[1];
    }
    fn initial<S: Scalar>(&self, _t: S, y: &[S], z: &[S], _p: &[S], rows: &mut [S]) {
        rows[..5].copy_from_slice(y);
        rows[5..].copy_from_slice(z);
    }
    fn terminals<S: Scalar>(&self, _t: S, y: &[S], _z: &[S], p: &[S], values: &mut [S]) {
        let r = Self::centres(y, p[3])[2];
        values[0] = (0..3).fold(S::zero(), |s, k| s + (r[k] - S::from(TARGET[k])).powi(2));
    }
}

/// A skate with a mass that grows, written with a velocity along its edge: ẏ = v(y, z) is not z, M depends on
/// t, the start is implicit.
///
/// y = (x, y, φ), z = (u, ω): ẋ = u cos φ, ẏ = u sin φ, φ̇ = ω; (m + r t) u̇ = -d u + F cos(w t), J(1 + x²)
/// ω̇ = -k φ.
#[derive(Clone)]
pub struct Skate;

impl StateSpace for Skate {
    fn positions(&self) -> Vec<String> {
        ["x", "y", "phi"].map(String::from).to_vec()
    }
    fn velocities(&self) -> Vec<String> {
        ["u", "omega"].map(String::from).to_vec()
    }
    fn parameters(&self) -> Vec<(String, f64)> {
        let list = [
            ("m", 2.0),
            ("r", 0.3),
            ("d", 0.4),
            ("F", 1.5),
            ("w", 2.0),
            ("J", 0.7),
            ("k", 1.2),
            ("u0", 0.8),
            ("t1", 1.3),
        ];
        list.map(|(n, x)| (n.into(), x)).to_vec()
    }
    fn objectives(&self) -> Vec<String> {
        ["path", "rates", "gate"].map(String::from).to_vec()
    }
    fn rates<S: Scalar>(&self, _t: S, y: &[S], z: &[S], _p: &[S], rates: &mut [S]) {
        rates.copy_from_slice(&[z[0] * y[2].cos(), z[0] * y[2].sin(), z[1]]);
    }
    fn mass<S: Scalar>(&self, t: S, y: &[S], p: &[S], mass: &mut [S]) {
        mass[0] = p[0] + p[1] * t;
        mass[3] = p[5] * (S::one() + y[0] * y[0]);
    }
    fn forces<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], forces: &mut [S]) {
        forces[0] = p[3] * (p[4] * t).cos() - p[2] * z[0];
        forces[1] = -p[6] * y[2];
    }
    fn initial<S: Scalar>(&self, _t: S, y: &[S], z: &[S], p: &[S], rows: &mut [S]) {
        rows[0] = y[0] - S::from(0.1);
        rows[1] = y[1] + y[0] * y[0];
        rows[2] = y[2] - (p[7] * 0.5).sin();
        rows[3] = z[0] * z[0] - p[7] * p[7];
        rows[4] = z[1] + z[0] * y[2];
    }
    fn guess(&self) -> Vec<f64> {
        vec![0.0, 0.0, 0.0, 1.0, 0.0]
    }
    fn integrands<S: Scalar>(&self, t: S, y: &[S], z: &[S], dz: &[S], p: &[S], values: &mut [S]) {
        values[0] = y[0] * y[0] + y[1] * y[1] * t;
        values[1] = dz[0] * dz[0] + dz[1] * z[0] * p[2];
    }
    fn terminals<S: Scalar>(&self, t: S, y: &[S], z: &[S], p: &[S], values: &mut [S]) {
        values[0] = z[1] * p[5] + t * y[0];
        values[2] = y[0] - p[7];
    }
}
