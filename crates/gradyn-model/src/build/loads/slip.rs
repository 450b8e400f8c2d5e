//! Forces of a tyre along the ground by its slips κ and α.
//!
//! ```text
//! g = (κ/κ_c, α/α_c),   F = F_n (μ_x g_x, μ_y g_y) f(g)                                              (1)
//! linear   g_x, g_y limited to ±1;   f = 1, or 1/|g| where |g| > 1                                  (2)   [P14, Eqs. 58, 59, 62–64]
//! tanh     f = tanh ρ/ρ,   ρ = √(|g|² + ε²)                                                          (3)
//! ```
//! P14 prints (2) without moduli, so that negative slip saturates by the ellipse only. Divided by F_n, (2)
//! needs no quotient 0/0 where the tyre leaves the ground.
//!
//! Magic Formula with the coefficients of a PAC2002 file, shifts, camber and aligning torque left out; f_z =
//! F_n/F_z0 - 1:
//!
//! ```text
//! y(x) = D sin(C atan(B x - E (B x - atan(B x)))),   B = K/(C D)                                     (4)
//! x:  D = F_n (PDX1 + PDX2 f_z),  E = PEX1 + PEX2 f_z + PEX3 f_z²,  K = F_n (PKX1 + PKX2 f_z) exp(PKX3 f_z)    (5)
//! y:  D = F_n (PDY1 + PDY2 f_z),  E = PEY1 + PEY2 f_z,  K = |PKY1| F_z0 sin(2 atan(F_n/(PKY2 F_z0)))          (6)
//! F_x = y_x(κ)/√(1 + (RBX1 α)²),   F_y = y_y(α)/√(1 + (RBY1 κ)²)                                  (7)
//! ```
//! α as in `tyre`, positive where the tyre pushes to its left; the slip angle of tyre files has the opposite
//! sign. sin(2 atan s) = 2 s/(1 + s²), so that D and K are both F_n times something finite: B exists at F_n =
//! 0.

use super::Made;
use crate::build::symbols::SensorEnv;
use crate::mechanism::{MAGIC, Saturation, Text, TyreLaw};
use crate::program::Sym;

impl<'h> SensorEnv<'_, '_, '_, 'h> {
    /// (F_x, F_y) of a law with the normal force and (κ, α).
    pub(super) fn tangential(
        &mut self,
        name: &Text,
        law: &TyreLaw,
        normal: Sym<'h>,
        slip: [Sym<'h>; 2],
    ) -> Made<[Sym<'h>; 2]> {
        let zero = self.graph.constant(0.0);
        match law {
            TyreLaw::None => Ok([zero, zero]),
            TyreLaw::Linear(s) => {
                let ([gx, gy], mu) = self.saturation(name, s, slip)?;
                let limited = |g: Sym<'h>| g.min(self.graph.constant(1.0)).max(self.graph.constant(-1.0));
                let (gx, gy) = (limited(gx), limited(gy));
                let square = gx * gx + gy * gy;
                let one = self.graph.constant(1.0);
                let f = square.gt(one).select(1.0 / square.sqrt(), one) * normal;
                Ok([mu[0] * gx * f, mu[1] * gy * f])
            }
            TyreLaw::Tanh(s) => {
                let ([gx, gy], mu) = self.saturation(name, s, slip)?;
                let rho = (gx * gx + gy * gy + self.expression(&s.smoothing, name, "smoothing")?).sqrt();
                let f = rho.tanh() / rho * normal;
                Ok([mu[0] * gx * f, mu[1] * gy * f])
            }
            TyreLaw::Magic(list) => {
                let numbers = MAGIC
                    .iter()
                    .zip(list)
                    .map(|(key, x)| self.expression(x, name, key))
                    .collect::<Made<Vec<_>>>()?;
                let of = |key: &str| numbers[MAGIC.iter().position(|k| *k == key).expect("a coefficient")];
                Ok(magic_formula(of, normal, slip))
            }
        }
    }
    /// g of (1), and μ.
    fn saturation(
        &mut self,
        name: &Text,
        s: &Saturation,
        slip: [Sym<'h>; 2],
    ) -> Made<([Sym<'h>; 2], [Sym<'h>; 2])> {
        let [kc, ac] = [
            self.expression(&s.critical[0], name, "critical")?,
            self.expression(&s.critical[1], name, "critical")?,
        ];
        let mu = [
            self.expression(&s.friction[0], name, "friction")?,
            self.expression(&s.friction[1], name, "friction")?,
        ];
        Ok(([slip[0] / kc, slip[1] / ac], mu))
    }
}

/// (4)–(7); `of` gives the coefficients.
fn magic_formula<'h>(
    of: impl Fn(&str) -> Sym<'h>,
    normal: Sym<'h>,
    [kappa, alpha]: [Sym<'h>; 2],
) -> [Sym<'h>; 2] {
    let load = normal / of("FZ0");
    let fz = load - 1.0;
    // (5) over F_n
    let d = of("PDX1") + of("PDX2") * fz;
    let e = of("PEX1") + fz * (of("PEX2") + of("PEX3") * fz);
    let k = (of("PKX1") + of("PKX2") * fz) * (of("PKX3") * fz).exp();
    let fx = normal * d * shape(of("PCX1"), d, e, k, kappa);
    // (6) over F_n
    let d = of("PDY1") + of("PDY2") * fz;
    let e = of("PEY1") + of("PEY2") * fz;
    let s = load / of("PKY2");
    let k = 2.0 * of("PKY1").abs() / (of("PKY2") * (s * s + 1.0));
    let fy = normal * d * shape(of("PCY1"), d, e, k, alpha);
    // (7)
    let weight = |b: Sym<'h>, slip: Sym<'h>| ((b * slip).powi(2) + 1.0).sqrt();
    [fx / weight(of("RBX1"), alpha), fy / weight(of("RBY1"), kappa)]
}

/// (4) over D.
fn shape<'h>(c: Sym<'h>, d: Sym<'h>, e: Sym<'h>, k: Sym<'h>, x: Sym<'h>) -> Sym<'h> {
    let bx = k / (c * d) * x;
    (c * (bx - e * (bx - bx.atan())).atan()).sin()
}
