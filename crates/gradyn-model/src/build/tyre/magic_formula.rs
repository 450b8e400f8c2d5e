//! Magic Formula of a tyre, with the coefficients of a PAC2002 file; shifts, camber and aligning torque are
//! left out. With f_z = F_n/F_z0 - 1:
//!
//! ```text
//! y(x) = D sin(C atan(B x - E (B x - atan(B x)))),   B = K/(C D)    (1)
//! x:  D = F_n (PDX1 + PDX2 f_z),  E = PEX1 + PEX2 f_z + PEX3 f_z²,
//!     K = F_n (PKX1 + PKX2 f_z) exp(PKX3 f_z)                       (2)
//! y:  D = F_n (PDY1 + PDY2 f_z),  E = PEY1 + PEY2 f_z,
//!     K = |PKY1| F_z0 sin(2 atan(F_n/(PKY2 F_z0)))                  (3)
//! F_x = y_x(κ)/√(1 + (RBX1 α)²),   F_y = y_y(α)/√(1 + (RBY1 κ)²)    (4)
//! ```
//! α is positive where the tyre pushes to its left; the slip angle of tyre files has the opposite sign. sin(2
//! atan s) = 2 s/(1 + s²), so that D and K are both F_n times something finite: B exists at F_n = 0.

use super::*;
use crate::mechanism::MAGIC;

/// Magic Formula by the coefficients of a tyre file.
pub(super) struct MagicFormula;

const ENTRY: Variant = Variant {
    name: "magic-formula",
    doc: "Magic Formula by the coefficients of a PAC2002 file, without shifts, camber and aligning torque.",
    fields: &[
        coefficient("FZ0", "Nominal load [N].").positive(),
        coefficient("PCX1", "Longitudinal shape.").positive(),
        coefficient("PDX1", "Longitudinal friction."),
        coefficient("PDX2", "Its change with the load."),
        coefficient("PEX1", "Longitudinal curvature."),
        coefficient("PEX2", "Its change with the load."),
        coefficient("PEX3", "With its square."),
        coefficient("PKX1", "Longitudinal stiffness."),
        coefficient("PKX2", "Its change with the load."),
        coefficient("PKX3", "Exponent of that."),
        coefficient("PCY1", "Lateral shape.").positive(),
        coefficient("PDY1", "Lateral friction."),
        coefficient("PDY2", "Its change with the load."),
        coefficient("PEY1", "Lateral curvature."),
        coefficient("PEY2", "Its change with the load."),
        coefficient("PKY1", "Largest cornering stiffness over the nominal load."),
        coefficient("PKY2", "Load of it over the nominal one.").positive(),
        coefficient("RBX1", "Loss of longitudinal force by the slip angle."),
        coefficient("RBY1", "Loss of lateral force by longitudinal slip."),
    ],
};

impl LawType for MagicFormula {
    fn entry(&self) -> &'static Variant {
        &ENTRY
    }
    fn read(&self, from: &LawReader) -> Made<TyreLaw> {
        Ok(TyreLaw::Magic(MAGIC.iter().map(|key| (from.one)(key, 0.0)).collect()))
    }
    fn numbers<'l>(&self, law: &'l mut TyreLaw) -> Vec<(&'static str, &'l mut Number)> {
        let TyreLaw::Magic(list) = law else { unreachable!("a law of another type") };
        MAGIC.into_iter().zip(list).collect()
    }
    fn tangential<'h>(
        &self,
        env: &mut SensorEnv<'_, '_, '_, 'h>,
        name: &Text,
        law: &TyreLaw,
        normal: Sym<'h>,
        slip: [Sym<'h>; 2],
    ) -> Made<[Sym<'h>; 2]> {
        let TyreLaw::Magic(list) = law else { unreachable!("a law of another type") };
        let named = MAGIC.iter().zip(list).map(|(key, x)| env.expression(x, name, key));
        let numbers = named.collect::<Made<Vec<_>>>()?;
        let of = |key: &str| numbers[MAGIC.iter().position(|k| *k == key).expect("a coefficient")];
        Ok(magic_formula(of, normal, slip))
    }
}

const fn coefficient(name: &'static str, doc: &'static str) -> Field {
    must(name, Kind::Number, doc).even()
}

/// (1)–(4); `of` gives the coefficients.
fn magic_formula<'h>(
    of: impl Fn(&str) -> Sym<'h>,
    normal: Sym<'h>,
    [kappa, alpha]: [Sym<'h>; 2],
) -> [Sym<'h>; 2] {
    let load = normal / of("FZ0");
    let fz = load - 1.0;
    // (2) over F_n
    let d = of("PDX1") + of("PDX2") * fz;
    let e = of("PEX1") + fz * (of("PEX2") + of("PEX3") * fz);
    let k = (of("PKX1") + of("PKX2") * fz) * (of("PKX3") * fz).exp();
    let fx = normal * d * shape(of("PCX1"), d, e, k, kappa);
    // (3) over F_n
    let d = of("PDY1") + of("PDY2") * fz;
    let e = of("PEY1") + of("PEY2") * fz;
    let s = load / of("PKY2");
    let k = 2.0 * of("PKY1").abs() / (of("PKY2") * (s * s + 1.0));
    let fy = normal * d * shape(of("PCY1"), d, e, k, alpha);
    // (4)
    let weight = |b: Sym<'h>, slip: Sym<'h>| ((b * slip).powi(2) + 1.0).sqrt();
    [fx / weight(of("RBX1"), alpha), fy / weight(of("RBY1"), kappa)]
}

/// The curve (1) divided by its peak D.
fn shape<'h>(c: Sym<'h>, d: Sym<'h>, e: Sym<'h>, k: Sym<'h>, x: Sym<'h>) -> Sym<'h> {
    let bx = k / (c * d) * x;
    (c * (bx - e * (bx - bx.atan())).atan()).sin()
}
