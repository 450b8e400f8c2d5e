//! Laws of tyres along the ground: one file for each, which says everything about it.
//!
//! A law gives F_x and F_y by the normal force F_n and the slips κ and α of `loads/tyre.rs`, where α is
//! positive if the tyre pushes to its left. `law_type` is the only place that knows which file belongs to
//! which [`TyreLaw`].

mod linear;
mod magic_formula;
mod tanh;

use super::symbols::SensorEnv;
use crate::error::ModelError;
use crate::mechanism::{Number, Saturation, Text, Tyre, TyreLaw};
use crate::program::Sym;
use crate::spec::{Bound, Field, Kind, Variant, must};

type Made<T> = Result<T, ModelError>;

/// Where a law of a file reads its numbers from.
pub struct LawReader<'a> {
    /// The number of a key, or a default.
    pub one: &'a dyn Fn(&str, f64) -> Number,
    /// The two numbers of a key, or one for both.
    pub both: &'a dyn Fn(&str) -> Result<[Number; 2], ModelError>,
}

/// What a law does. There are no default methods: a new law says everything.
pub(crate) trait LawType: Sync {
    /// Its entry in a file: name, sentence and keys.
    fn entry(&self) -> &'static Variant;
    /// The law with the numbers of a file.
    fn read(&self, from: &LawReader) -> Made<TyreLaw>;
    /// The numbers in a law of this type with their keys in a file; both numbers of a pair have the same.
    fn numbers<'l>(&self, law: &'l mut TyreLaw) -> Vec<(&'static str, &'l mut Number)>;
    /// (F_x, F_y) of a law of this type with the normal force and (κ, α); `name` is the tyre.
    fn tangential<'h>(
        &self,
        env: &mut SensorEnv<'_, '_, '_, 'h>,
        name: &Text,
        law: &TyreLaw,
        normal: Sym<'h>,
        slip: [Sym<'h>; 2],
    ) -> Made<[Sym<'h>; 2]>;
}

/// One table of all laws, in the order of documents: a law that is not in it does not compile, and one that
/// is can be read.
macro_rules! laws {
    ($($law:ident => $file:ident :: $name:ident),* $(,)?) => {
        /// All laws, in the order of documents.
        const TYPES: &[&dyn LawType] = &[$(&$file::$name),*];

        /// The file of a law; nothing if there are no forces along the ground.
        pub(crate) fn law_type(law: &TyreLaw) -> Option<&'static dyn LawType> {
            match law {
                TyreLaw::None => None,
                $(TyreLaw::$law { .. } => Some(&$file::$name),)*
            }
        }
    };
}

laws! {
    Linear => linear::Linear,
    Tanh => tanh::Tanh,
    Magic => magic_formula::MagicFormula,
}

/// The entries of all laws in a file.
pub fn laws() -> impl Iterator<Item = &'static Variant> {
    TYPES.iter().map(|t| t.entry())
}

impl TyreLaw {
    /// The law of a name with the numbers of a file; none if there is no such name.
    #[doc(hidden)]
    pub fn from_name(name: &str, from: &LawReader) -> Option<Result<Self, ModelError>> {
        TYPES.iter().find(|t| t.entry().name == name).map(|t| t.read(from))
    }
    /// Its numbers with their keys in a file; both numbers of a pair have the same.
    pub fn numbers(&self) -> Vec<(&'static str, Number)> {
        self.clone().numbers_mut().into_iter().map(|(key, x)| (key, x.clone())).collect()
    }
    pub(crate) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut Number)> {
        law_type(self).map_or(vec![], |t| t.numbers(self))
    }
    /// Its name in a file; none if there are no forces along the ground.
    pub fn word(&self) -> Option<&'static str> {
        law_type(self).map(|t| t.entry().name)
    }
}

/// (key, number, whether it must not be zero) of what must not be negative.
pub(super) fn positive(tyre: &Tyre) -> Vec<(&'static str, Number, bool)> {
    let mut list = vec![
        ("radius", tyre.radius.clone(), true),
        ("stiffness", tyre.stiffness.clone(), false),
        ("damping", tyre.damping.clone(), false),
        ("width", tyre.width.clone(), true),
    ];
    let fields = law_type(&tyre.law).map_or(&[][..], |t| t.entry().fields);
    for (key, x) in tyre.law.numbers() {
        let field = fields.iter().find(|f| f.name == key);
        let bound = field.map_or(Bound::None, |f| f.bound);
        if bound != Bound::None {
            list.push((key, x, bound == Bound::Positive));
        }
    }
    list
}

// what laws with saturation have in common

const FRICTION: Field = must(
    "friction",
    Kind::NumberOrNumbers,
    "Friction coefficients [longitudinal, lateral], or one for both.",
)
.even()
.not_negative();
const CRITICAL: Field =
    must("critical", Kind::NumberOrNumbers, "Slips of saturation [κ, α in rad], or one for both, > 0.")
        .even()
        .positive();

/// Both numbers of a key.
fn pair<'l>(key: &'static str, numbers: &'l mut [Number; 2]) -> [(&'static str, &'l mut Number); 2] {
    numbers.each_mut().map(|x| (key, x))
}

/// g = (κ/κ_c, α/α_c), and μ.
fn saturation<'h>(
    env: &mut SensorEnv<'_, '_, '_, 'h>,
    name: &Text,
    s: &Saturation,
    slip: [Sym<'h>; 2],
) -> Made<([Sym<'h>; 2], [Sym<'h>; 2])> {
    let [kc, ac] = [
        env.expression(&s.critical[0], name, "critical")?,
        env.expression(&s.critical[1], name, "critical")?,
    ];
    let mu = [
        env.expression(&s.friction[0], name, "friction")?,
        env.expression(&s.friction[1], name, "friction")?,
    ];
    Ok(([slip[0] / kc, slip[1] / ac], mu))
}
