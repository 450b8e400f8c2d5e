//! Linear law of a tyre, with the saturation ellipse [P14, Eqs. 58, 59, 62–64].
//!
//! ```text
//! g = (κ/κ_c, α/α_c),   F = F_n (μ_x g_x, μ_y g_y) f(g)                                              (1)
//! g_x, g_y limited to ±1;   f = 1, or 1/|g| where |g| > 1                                           (2)
//! ```
//! P14 prints (2) without moduli, so that negative slip saturates by the ellipse only. Divided by F_n, (2)
//! needs no quotient 0/0 where the tyre leaves the ground. It has kinks where it saturates.

use super::*;

/// Proportional to the slips up to the saturation ellipse.
pub(super) struct Linear;

const ENTRY: Variant = Variant {
    name: "linear",
    doc: "Proportional to the slips, with a saturation ellipse; has kinks.",
    fields: &[FRICTION, CRITICAL],
};

impl LawType for Linear {
    fn entry(&self) -> &'static Variant {
        &ENTRY
    }
    fn read(&self, from: &LawReader) -> Made<TyreLaw> {
        Ok(TyreLaw::Linear(Saturation {
            friction: (from.both)("friction")?,
            critical: (from.both)("critical")?,
            smoothing: 1e-6.into(), // nothing reads it
        }))
    }
    fn numbers<'l>(&self, law: &'l mut TyreLaw) -> Vec<(&'static str, &'l mut Number)> {
        let TyreLaw::Linear(s) = law else { unreachable!("a law of another type") };
        let friction = pair("friction", &mut s.friction);
        let critical = pair("critical", &mut s.critical);
        friction.into_iter().chain(critical).collect()
    }
    fn tangential<'h>(
        &self,
        env: &mut SensorEnv<'_, '_, '_, 'h>,
        name: &Text,
        law: &TyreLaw,
        normal: Sym<'h>,
        slip: [Sym<'h>; 2],
    ) -> Made<[Sym<'h>; 2]> {
        let TyreLaw::Linear(s) = law else { unreachable!("a law of another type") };
        // (1)
        let ([gx, gy], mu) = saturation(env, name, s, slip)?;
        // (2)
        let limited = |g: Sym<'h>| g.min(env.graph.constant(1.0)).max(env.graph.constant(-1.0));
        let gx = limited(gx);
        let gy = limited(gy);
        let square = gx * gx + gy * gy;
        let one = env.graph.constant(1.0);
        let f = normal / square.max(one).sqrt();
        Ok([mu[0] * gx * f, mu[1] * gy * f])
    }
}
