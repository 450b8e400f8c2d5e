//! Names that models, methods and studies may use, and the bundled examples.

use crate::errors::argument;
use gradyn::optimize::Optimizer;
use gradyn::registry::{Formulation, Integrator, OPTIONS, OptionEntry, SENSORS, Sensitivity};
use gradyn::study::AUTO;
use gradyn::{Coordinates, Verdict, WarningCode, examples, file};
use pyo3::prelude::*;

/// What can be listed.
const LISTS: &str = "coordinates, formulations, integrators, sensitivities, options, joints, forces, shapes, \
                     tyre_laws, sensors, optimizers, examples, warnings, verdicts";

/// Names with what they are.
type List = Vec<(String, String)>;

/// (name, what it is) of everything of a kind.
#[pyfunction]
pub(crate) fn listed(py: Python, what: &str) -> PyResult<List> {
    let pairs = |list: Vec<(&str, &str)>| -> List {
        list.into_iter().map(|(name, about)| (name.into(), about.into())).collect()
    };
    Ok(match what {
        "coordinates" => pairs(Coordinates::ALL.iter().map(|c| (c.name(), c.about())).collect()),
        "formulations" => Formulation::ALL.iter().map(|f| formulation(*f)).collect(),
        "integrators" => pairs(Integrator::ALL.iter().map(|i| (i.name(), i.about())).collect()),
        "sensitivities" => {
            pairs(Sensitivity::ALL.iter().map(|s| (s.name(), s.about())).chain([AUTO]).collect())
        }
        "options" => OPTIONS.iter().map(option).collect(),
        "joints" => pairs(file::joint_types()),
        "forces" => pairs(file::force_types()),
        "shapes" => pairs(file::shape_types()),
        "tyre_laws" => pairs(file::tyre_law_types()),
        "sensors" => pairs(SENSORS.to_vec()),
        "optimizers" => pairs(Optimizer::ALL.iter().map(|o| (o.name(), o.about())).collect()),
        "examples" => examples::ALL.iter().map(|(n, text)| ((*n).into(), first_sentence(text))).collect(),
        "warnings" => pairs(WarningCode::ALL.iter().map(|c| (c.name(), "")).collect()),
        "verdicts" => pairs(Verdict::ALL.iter().map(|v| (v.name(), "")).collect()),
        _ => return Err(argument(py, &format!("there is no list `{what}`"), &format!("valid: {LISTS}"))),
    })
}

/// A formulation with the integrators that it fits.
fn formulation(f: Formulation) -> (String, String) {
    let fits: Vec<&str> = Integrator::ALL.iter().filter(|i| f.fits(**i)).map(|i| i.name()).collect();
    (f.name().into(), format!("{}; with {}", f.about(), fits.join(", ")))
}

/// An option with its range and its default.
fn option(o: &OptionEntry) -> (String, String) {
    let range = o.range.map_or(String::new(), |r| format!("{r}; "));
    (o.name.into(), format!("{} ({range}default {})", o.about, o.default))
}

/// The first sentence of the remark at the top of a model file.
fn first_sentence(text: &str) -> String {
    let remark = text.lines().map_while(|l| l.strip_prefix('#')).map(str::trim);
    let remark: Vec<&str> = remark.take_while(|l| !l.is_empty()).collect();
    remark.join(" ").split_inclusive(". ").next().unwrap_or("").trim().into()
}

/// The text of a bundled model.
#[pyfunction]
pub(crate) fn example(py: Python, name: &str) -> PyResult<&'static str> {
    examples::find(name).ok_or_else(|| {
        let names: Vec<&str> = examples::ALL.iter().map(|e| e.0).collect();
        argument(py, &format!("there is no example `{name}`"), &format!("valid: {}", names.join(", ")))
    })
}

/// The JSON Schema of model files.
#[pyfunction]
pub(crate) fn schema() -> String {
    file::schema().to_string()
}
