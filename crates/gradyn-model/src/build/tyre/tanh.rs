//! The smooth form of the linear law of a tyre.
//!
//! ```text
//! g = (κ/κ_c, α/α_c),   F = F_n (μ_x g_x, μ_y g_y) f(g)                                              (1)
//! f = tanh ρ/ρ,   ρ = √(|g|² + ε²)                                                                   (2)
//! ```

use super::*;
use crate::spec::may;

/// Saturates by tanh, without kinks.
pub(super) struct Tanh;

const ENTRY: Variant =
    Variant { name: "tanh", doc: "The smooth form of `linear`.", fields: &[FRICTION, CRITICAL, SMOOTHING] };

impl LawType for Tanh {
    fn entry(&self) -> &'static Variant {
        &ENTRY
    }
    fn read(&self, from: &LawReader) -> Made<TyreLaw> {
        Ok(TyreLaw::Tanh(Saturation {
            friction: (from.both)("friction")?,
            critical: (from.both)("critical")?,
            smoothing: (from.one)("smoothing", 1e-6),
        }))
    }
    fn numbers<'l>(&self, law: &'l mut TyreLaw) -> Vec<(&'static str, &'l mut Number)> {
        let TyreLaw::Tanh(s) = law else { unreachable!("a law of another type") };
        let friction = pair("friction", &mut s.friction);
        let critical = pair("critical", &mut s.critical);
        let smoothing = [("smoothing", &mut s.smoothing)];
        friction.into_iter().chain(critical).chain(smoothing).collect()
    }
    fn tangential<'h>(
        &self,
        env: &mut SensorEnv<'_, '_, '_, 'h>,
        name: &Text,
        law: &TyreLaw,
        normal: Sym<'h>,
        slip: [Sym<'h>; 2],
    ) -> Made<[Sym<'h>; 2]> {
        let TyreLaw::Tanh(s) = law else { unreachable!("a law of another type") };
        // (1)
        let ([gx, gy], mu) = saturation(env, name, s, slip)?;
        // (2)
        let rho = (gx * gx + gy * gy + env.expression(&s.smoothing, name, "smoothing")?).sqrt();
        let f = rho.tanh() / rho * normal;
        Ok([mu[0] * gx * f, mu[1] * gy * f])
    }
}

const SMOOTHING: Field = may("smoothing", Kind::Number, "Under the root of the combined slip, > 0.")
    .default("1e-6")
    .even()
    .positive();
