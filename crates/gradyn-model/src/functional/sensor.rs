//! Sensors: their values, cotangents, and what they read.

use super::*;

impl Sensor {
    pub(super) fn value<S: Scalar>(&self, at: &At<S>, sys: &Sensed, mass: &[S], args: &Args<S>) -> S {
        // y of each kind of sensor
        match self {
            Sensor::Affine(ports, level) => {
                let mut x = [S::zero()];
                match level {
                    0 => ports.gather(&args.values, at.q, &mut x),
                    1 => ports.gather_rate(&args.values, at.v, &mut x),
                    _ => ports.gather_rate(&args.values, at.a, &mut x),
                }
                x[0]
            }
            Sensor::Reaction(rows) => {
                let mut sum = S::zero();
                for (k, row) in rows {
                    sum += at.lam[*k] * quadratic(row, &args.values, at.q);
                }
                sum
            }
            Sensor::Multiplier(k) => at.lam[*k],
            Sensor::Kinetic => {
                let mut sum = S::zero();
                for (i, j, pos) in sys.nn.iter() {
                    sum += mass[pos] * at.v[i] * at.v[j] * 0.5;
                }
                sum
            }
            Sensor::Gravity => {
                let mut sum = args.values[sys.level as usize];
                for &(i, s) in sys.weights {
                    sum -= args.values[s as usize] * at.q[i as usize];
                }
                sum
            }
        }
    }
    /// cot += s (∂y/∂x)ᵀ, (2).
    pub(super) fn pull_back<S: Scalar>(
        &self,
        s: S,
        at: &At<S>,
        sys: &Sensed,
        mass: &[S],
        args: &Args<S>,
        cot: &mut Cotangent<S>,
    ) {
        // (q̄, v̄, ā, λ̄, p̄) += s y_(q, v, a, λ, p) of each kind of sensor
        match self {
            Sensor::Affine(ports, level) => pull_affine(ports, *level, s, at, args, cot),
            Sensor::Reaction(rows) => {
                for (k, row) in rows {
                    cot.lam[*k] += s * quadratic(row, &args.values, at.q);
                    quadratic_t(row, s * at.lam[*k], at.q, &args.values, &mut cot.q, &mut cot.args);
                }
            }
            Sensor::Multiplier(k) => cot.lam[*k] += s,
            Sensor::Kinetic => {
                for (i, j, pos) in sys.nn.iter() {
                    cot.v[i] += s * mass[pos] * at.v[j];
                }
                for &(i, j, slot) in sys.inertia {
                    cot.args[slot as usize] += s * at.v[i as usize] * at.v[j as usize] * 0.5;
                }
            }
            Sensor::Gravity => {
                cot.args[sys.level as usize] += s;
                for &(i, slot) in sys.weights {
                    cot.q[i as usize] -= s * args.values[slot as usize];
                    cot.args[slot as usize] -= s * at.q[i as usize];
                }
            }
        }
    }
    /// Extended parameters that it reads.
    pub(super) fn reads(&self, sys: &Sensed, out: &mut Vec<u32>) {
        match self {
            Sensor::Affine(ports, _) => out.extend(ports.slots()),
            Sensor::Reaction(rows) => out.extend(rows.iter().flat_map(|(_, r)| {
                r.bilinear
                    .iter()
                    .map(|t| t.2)
                    .chain(r.linear.iter().map(|t| t.1))
                    .chain(r.constant.iter().copied())
            })),
            Sensor::Multiplier(_) => {}
            Sensor::Kinetic => out.extend(sys.inertia.iter().map(|e| e.2)),
            Sensor::Gravity => out.extend(sys.weights.iter().map(|w| w.1).chain([sys.level])),
        }
    }
    /// Coordinates that it reads, or `None` for all of them.
    pub(super) fn coords(&self, out: &mut Vec<u32>) -> Option<()> {
        match self {
            Sensor::Affine(ports, _) => out.extend(ports.coords()),
            Sensor::Multiplier(_) => {}
            Sensor::Reaction(rows) => out.extend(rows.iter().flat_map(|(_, r)| r.coords()).map(|i| i as u32)),
            Sensor::Kinetic | Sensor::Gravity => return None,
        }
        Some(())
    }
    /// Does the sensor depend on velocities?
    pub(crate) fn needs_velocity(&self) -> bool {
        matches!(self, Sensor::Affine(_, 1) | Sensor::Kinetic)
    }
    /// Does the sensor read the multiplier of a row?
    pub(crate) fn reads_multiplier(&self, row: usize) -> bool {
        match self {
            Sensor::Reaction(rows) => rows.iter().any(|r| r.0 == row),
            Sensor::Multiplier(k) => *k == row,
            _ => false,
        }
    }
    /// Does the sensor depend on the multipliers or accelerations?
    pub(crate) fn needs_dynamics(&self) -> bool {
        matches!(self, Sensor::Affine(_, 2) | Sensor::Reaction(_) | Sensor::Multiplier(_))
    }
}

/// cot += s (∂y/∂x)ᵀ of a port at a level: 0 of q, 1 of v, 2 of a.
fn pull_affine<S: Scalar>(
    ports: &Ports,
    level: usize,
    s: S,
    at: &At<S>,
    args: &Args<S>,
    cot: &mut Cotangent<S>,
) {
    // q̄, v̄ or ā
    let x = [&mut cot.q, &mut cot.v, &mut cot.a];
    let bar = [s];
    ports.scatter(&args.values, &bar, x.into_iter().nth(level).expect("a level is 0, 1 or 2"));
    // p̄
    match level {
        0 => ports.gather_p_t(at.q, &bar, &mut cot.args),
        1 => ports.gather_rate_p_t(at.v, &bar, &mut cot.args),
        _ => ports.gather_rate_p_t(at.a, &bar, &mut cot.args),
    }
}
