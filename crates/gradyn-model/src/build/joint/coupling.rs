//! Gears and racks, which a file has among its joints: they tie the coordinates of two joints.
//!
//! ```text
//! gear    θ₁ - ratio θ₂ - offset = 0                                                               (1)
//! rack    s₂ - radius θ₁ - offset = 0                                                              (2)
//! ```
//! A mirror image changes the sign of angles: of a gear the offset changes, of a rack the radius.

use crate::mechanism::{CouplingKind, Number};
use crate::spec::{Field, Kind, PENALTY, Variant, may, must};

/// The couplings, in the order of documents.
pub const COUPLINGS: [&Variant; 2] = [&GEAR, &RACK];

const OFFSET: Field =
    may("offset", Kind::Number, "Where both coordinates start.").unit("rad or m").default("0");
const GEAR: Variant = Variant {
    name: "gear",
    doc: "angle of joint 1 = ratio · angle of joint 2 + offset.",
    fields: &[
        must("joints", Kind::Pair("joints"), "Two joints that turn, with a body (or the ground) in common."),
        must("ratio", Kind::Number, "Ratio of the angles; negative for wheels that turn against each other.")
            .even(),
        OFFSET.odd(),
        PENALTY,
    ],
};
const RACK: Variant = Variant {
    name: "rack",
    doc: "position of joint 2 = radius · angle of joint 1 + offset.",
    fields: &[
        must(
            "joints",
            Kind::Pair("joints"),
            "A joint that turns and one that slides, with a body (or the ground) in common.",
        ),
        must("radius", Kind::Number, "Pitch radius of the pinion.").unit("m").odd(),
        OFFSET.even(),
        PENALTY,
    ],
};

impl CouplingKind {
    /// The coupling of a name with the number that its first key of numbers has; none if
    /// there is no such name.
    pub fn from_name(name: &str, number: Number) -> Option<Self> {
        match name {
            "gear" => Some(CouplingKind::Gear { ratio: number }),
            "rack" => Some(CouplingKind::Rack { radius: number }),
            _ => None,
        }
    }
    /// Its entry in a file.
    #[doc(hidden)]
    pub fn spec(&self) -> &'static Variant {
        match self {
            CouplingKind::Gear { .. } => &GEAR,
            CouplingKind::Rack { .. } => &RACK,
        }
    }
}
