//! Certificates as JSON objects, for the command and for other languages.

use super::{Certificate, Errors, Moved, Outcome, Reason};
use crate::error::Place;
use crate::prepared::Prepared;
use serde_json::{Map, Value, json};

impl Certificate {
    /// The certificate of a model as an object; `places` says where the file is about a reason.
    pub fn object(&self, model: &Prepared, places: impl Fn(&Reason) -> Vec<Place>) -> Value {
        // reasons with their lines
        let reason = |r: &Reason| {
            let about = r.subjects.first().map(|s| s.name.clone());
            let place = |p: &Place| json!({"line": p.line, "column": p.column});
            let places: Vec<Value> = places(r).iter().map(place).collect();
            json!({"verdict": r.verdict.name(), "text": r.text, "about": about, "places": places})
        };
        let moved = self.objectives.iter().zip(&self.moved).map(|(name, m)| m.object(name));
        let [program, products, differences, errors] = self.seconds;
        let mut o = json!({
            "verdict": self.verdict.name(),
            "reasons": self.reasons.iter().map(reason).collect::<Vec<_>>(),
            "moved": moved.collect::<Vec<_>>(),
            "seconds": {"program": program, "products": products, "moved": differences, "errors": errors},
        });

        // checks that could be made
        if let Some(check) = &self.program {
            let horizon = Some(check.growth.horizon()).filter(|h| h.is_finite());
            o["direction_by_complex_step"] = check.distance().into();
            o["growth"] = json!({"rate": check.growth.rate, "horizon": horizon});
            if !check.zero.is_empty() {
                o["zero_to_rounding"] = json!(check.zero);
            }
        }
        if let Some(check) = &self.products {
            o["products"] = json!({"records": check.records, "distance": check.distance, "time": check.time});
        }
        if let Some(errors) = &self.errors {
            o["errors"] = errors_object(model, &self.objectives, errors);
        }
        o
    }
}

impl Moved {
    /// The moved difference of an objective as an object.
    pub fn object(&self, objective: &str) -> Value {
        let outcome = match self.outcome {
            Outcome::Agrees => "agrees",
            Outcome::Differs => "differs",
            Outcome::Unsettled => "unsettled",
            Outcome::NotRun => "not-run",
        };
        json!({
            "objective": objective, "outcome": outcome, "gradient": self.along, "difference": self.difference,
            "distance": self.distance, "bar": self.bar, "change": self.change,
        })
    }
}

/// ± of every objective and of every entry of its gradient.
fn errors_object(model: &Prepared, objectives: &[String], errors: &Errors) -> Value {
    let of = |j: usize| {
        let entries = model.parameters().iter().zip(&errors.gradient[j]);
        let gradient: Map<String, Value> = entries.map(|(p, x)| (p.name.clone(), (*x).into())).collect();
        json!({"value": errors.values[j], "gradient": gradient})
    };
    let all: Map<String, Value> =
        objectives.iter().enumerate().map(|(j, name)| (name.clone(), of(j))).collect();
    json!({"by": errors.other, "objectives": all})
}
