//! The file behind a study: where its errors are.

use crate::certificate::Reason;
use crate::error::{Error, ErrorKind, Place};
use crate::file::ModelFile;
use gradyn_model::{ModelError, Owner, Subject};
use std::ops::Range;

/// A model file with its name and its text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub name: String,
    pub text: String,
    pub file: ModelFile,
}

impl Source {
    /// An error of the model at the element that it is about, if it has no place of its own, with the copy of
    /// a template that it stands in; other errors stay as they are.
    pub(super) fn locate(&self, e: Error) -> Error {
        let ErrorKind::Model = e.kind else { return e };
        let place = e.bytes().or_else(|| e.subject.as_ref().and_then(|s| self.place_of(s)));
        let subject = e.subject.map(|s| *s);
        let e = ModelError { message: e.message, place, help: e.help, subject };
        let e = Error::from(self.file.explain(e));
        // a mechanism that a program has made has no text to show
        if self.text.is_empty() { e } else { e.in_text(&self.name, &self.text) }
    }
    /// Places in the file of what a reason of a certificate is about, in the order of their lines.
    pub(super) fn places(&self, reason: &Reason) -> Vec<Place> {
        if self.text.is_empty() {
            return vec![];
        }
        let named = reason.subjects.iter().filter_map(|s| self.place_of(s));
        let bytes = named.chain(reason.places.iter().cloned());
        let mut places: Vec<Place> = bytes.map(|b| Place::new(&self.name, &self.text, b)).collect();
        places.sort_by_key(|p| p.bytes.start);
        places.dedup_by_key(|p| p.line);
        places
    }
    /// Where the file names an element.
    fn place_of(&self, subject: &Subject) -> Option<Range<usize>> {
        let m = &self.file.mechanism;
        let named = |name: &gradyn_model::mechanism::Text| name.text == subject.name;
        let found = match subject.kind {
            Owner::Body | Owner::Norm => m.bodies.iter().map(|b| &b.name).find(|n| named(n)),
            Owner::Joint => m.joints.iter().map(|j| &j.name).find(|n| named(n)),
            Owner::Driver => m.drivers.iter().map(|d| &d.name).find(|n| named(n)),
            Owner::Force => m.forces.iter().map(|f| &f.name).find(|n| named(n)),
            Owner::Event => m.events.iter().map(|e| &e.name).find(|n| named(n)),
            Owner::Parameter => m.parameters.iter().map(|p| &p.name).find(|n| named(n)),
            // limited expressions are objectives of an optimisation
            Owner::Objective => {
                let limits = self.file.study.optimize.iter().flat_map(|o| &o.limits).map(|l| &l.name);
                m.objectives.iter().map(|o| &o.name).chain(limits).find(|n| named(n))
            }
            Owner::Constraint | Owner::Coordinate | Owner::Derivative | Owner::FinalTime | Owner::Option => {
                None
            }
        };
        found.and_then(|name| name.place.clone())
    }
}
