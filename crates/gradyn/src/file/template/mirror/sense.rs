//! What mirroring does to the names that an expression reads.

use super::super::Thing;
use super::super::scope::axis;
use super::super::text::{Context, Filled};
use super::{Flips, Sense, odd};
use crate::file::tree::Word;
use gradyn_model::ModelError;
use std::ops::Range;

/// Parts of a body that depend on the handedness of its frame.
const OF_FRAMES: [&str; 5] = ["roll", "pitch", "yaw", "omega", "angular_momentum"];

impl Context<'_> {
    /// The sense of an angle: it changes its sign where the handedness does.
    pub(super) fn turned(&self) -> Sense {
        if odd(&self.flips) { Sense::Minus } else { Sense::Same }
    }
    /// (1)–(3) for a name.
    pub(super) fn sense_of(
        &self,
        name: &str,
        span: &Range<usize>,
        filled: &Filled,
        word: &Word,
    ) -> Result<Sense, ModelError> {
        // what the name means inside of the template
        let parts: Vec<&str> = name.split('.').collect();
        let foreign = filled.is_foreign(&(span.start..span.start + parts[0].len()));
        let Some(thing) = (if foreign { None } else { self.scope.find(parts[0]) }) else {
            return self.sense_outside(name, &parts, word);
        };
        let second = parts.get(1).copied().unwrap_or("");
        let is = |names: &[&str]| names.contains(&second);
        let vector = |k: usize| self.arguments.get(k).is_some_and(|a| a.vector);
        let cannot = || Err(self.cannot(name, word));
        // sense by what it is
        Ok(match thing {
            Thing::Point => along(&parts, self.flips, 1),
            Thing::Argument(k, _) if vector(k) => along(&parts, self.flips, 1),
            Thing::Number | Thing::List | Thing::Argument(..) => Sense::Same,
            Thing::Spring | Thing::Distance => Sense::Same,
            Thing::Torsion | Thing::Angle => self.turned(),
            Thing::Body if second == "angle" => self.turned(),
            Thing::Body if is(&OF_FRAMES) => return cannot(),
            Thing::Body if is(&["kinetic", "potential", "energy"]) => Sense::Same,
            Thing::Joint if second.starts_with("angle") => self.turned(),
            Thing::Joint if second == "position" => Sense::Same,
            Thing::Joint if parts.len() == 2 && is(&["x", "y"]) => return cannot(),
            Thing::Force if is(&["normal", "gap", "kappa", "radius"]) => Sense::Same,
            Thing::Force if second == "alpha" => self.turned(),
            Thing::Force if second != "force" => return cannot(),
            Thing::Joint if second == "torque" && self.dimension == 2 => self.turned(),
            Thing::Joint if second == "torque" => return cannot(),
            Thing::Coordinate(3) => return cannot(),
            Thing::Coordinate(k) => component(self.flips, k),
            Thing::Body | Thing::Joint | Thing::Force => along(&parts, self.flips, 2),
        })
    }
    /// The sense of a name outside of the template, by its last part.
    fn sense_outside(&self, name: &str, parts: &[&str], word: &Word) -> Result<Sense, ModelError> {
        let second = parts.get(1).copied().unwrap_or("");
        let cannot = || Err(self.cannot(name, word));
        // of the system, of points, of angles; the rest is a vector, or cannot be known
        Ok(match (parts.len(), second) {
            _ if parts[0] == "system" && second.ends_with("momentum") => return cannot(),
            _ if parts[0] == "system" => Sense::Same,
            (1, _) | (2, "x" | "y" | "z") => vector_or_number(parts, self.point_above(parts[0])),
            (2, "angle" | "torque") if self.dimension == 2 => self.turned(),
            (2, "length" | "position" | "kinetic" | "potential" | "energy") => Sense::Same,
            (2, second) if OF_FRAMES.contains(&second) => return cannot(),
            (2, "angle_1" | "angle_2" | "multiplier" | "gap") => return cannot(),
            (2, "angle" | "torque" | "force" | "speed" | "effort") => return cannot(),
            _ => along(parts, self.flips, 2),
        })
    }
    /// The reflection of a hard point of a template above, as the model knows it.
    fn point_above(&self, name: &str) -> Option<Flips> {
        let mut above = self.parent;
        while let Some(c) = above {
            if let Some(own) = name.strip_prefix(c.prefix.as_str()) {
                match c.scope.find(own) {
                    Some(Thing::Point) => return Some(c.flips),
                    Some(Thing::Argument(k, _)) if c.arguments.get(k).is_some_and(|a| a.vector) => {
                        return Some(c.flips);
                    }
                    _ => {}
                }
            }
            above = c.parent;
        }
        None
    }
}

/// The sense of a component.
fn component(flips: Flips, k: usize) -> Sense {
    if flips.get(k) == Some(&true) { Sense::Minus } else { Sense::Same }
}

/// The sense of a vector, or of its component where one is named at `at`.
fn along(parts: &[&str], flips: Flips, at: usize) -> Sense {
    parts.get(at).map_or(Sense::Vector(flips), |a| component(flips, axis(a)))
}

/// The sense of a name alone: of a hard point above a vector, else of a number.
fn vector_or_number(parts: &[&str], point: Option<Flips>) -> Sense {
    point.map_or(Sense::Same, |flips| along(parts, flips, 1))
}
