//! From the names of a study to a problem, and to the model that it needs: parameters that do not vary become
//! constants, objectives that nobody asks for are left out, limited expressions become objectives.

mod reach;

use super::fit::Fit;
use crate::file::{Limit, Limited, Optimize, Scenario};
use crate::prepared::Prepared;
use crate::reach::names;
use gradyn_model::ModelError;
use gradyn_model::error::nearest;
use gradyn_model::mechanism::{Mechanism, Objective, Text};
use gradyn_optimize::{Error, Method as Optimizer, Problem, Transform, Variable};
use reach::{check_reach, reads_motion};
use std::ops::Range;
use std::path::Path;

type Place = Option<Range<usize>>;

/// What a study needs.
pub(crate) struct Plan {
    /// The models: name, weight, mechanism. Without scenarios one model without a name.
    pub scenarios: Vec<(String, f64, Mechanism)>,
    /// The problem in numbers: variables, bounds, constraints.
    pub problem: Problem,
    /// Weight of each functional in what is minimised.
    pub weights: Vec<f64>,
    /// The constraints: equalities, then inequalities.
    pub rows: Vec<Row>,
    /// What the outputs are fitted to.
    pub fit: Option<Fit>,
}

/// sign (ψ - limit) = 0 or ≤ 0.
pub(crate) struct Row {
    pub scenario: usize,
    pub functional: usize,
    pub sign: f64,
    pub limit: f64,
}

impl Plan {
    /// Of the study of a model in a folder, whose record may be elsewhere or not; values, bounds and scales
    /// of the parameters are those of `nominal`.
    pub(crate) fn new(
        study: &Optimize,
        m: &Mechanism,
        nominal: &Prepared,
        folder: (&Path, bool),
    ) -> Result<Self, ModelError> {
        let varying = varying(study, m)?;
        let objectives = functionals(study, m)?;
        let mut mechanism = reduced(m, nominal, &varying, objectives);
        let fit = study.fit.as_ref().map(|fit| Fit::new(fit, folder, &mut mechanism)).transpose()?;
        check_reach(study, &mechanism)?;
        let weight =
            |o: &Objective| study.minimise.iter().filter(|w| w.0.text == o.name.text).map(|w| w.1).sum();
        let weights = mechanism.objectives.iter().map(weight).collect();
        let problem = problem(study, m, nominal, &varying)?;
        let (problem, rows) = constrained(problem, study, &mechanism)?;
        Ok(Self { scenarios: scenarios(study, &mechanism)?, problem, weights, rows, fit })
    }
}

/// The optimiser that is asked for, and where.
pub(crate) fn optimizer(
    study: &Optimize,
    given: Option<Optimizer>,
) -> Result<(Optimizer, Place), ModelError> {
    // found = of the command, of the file, or what fits the study
    let named = study.method.as_ref().filter(|_| given.is_none());
    let place = named.and_then(|t| t.place.clone());
    let fallback = match (&study.fit, &study.limits[..]) {
        (None, []) => Optimizer::Lbfgsb,
        (Some(_), []) => Optimizer::LevenbergMarquardt,
        _ => Optimizer::Sqp,
    };
    let found = named.and_then(|t| Optimizer::parse(&t.text).ok()).or(given).unwrap_or(fallback);
    // least squares need residuals
    if found.least_squares() && study.fit.is_none() {
        let others: Vec<&str> =
            Optimizer::ALL.iter().filter(|o| !o.least_squares()).map(|o| o.name()).collect();
        let e = ModelError::new(format!("{} needs residuals; the study minimises objectives", found.name()))
            .at(&place);
        return Err(e.help(format!("use one of {}, or `fit` in place of `minimise`", others.join(", "))));
    }
    Ok((found, place))
}

/// A name that is not in the list.
fn unknown(what: &str, name: &Text, valid: &[&str]) -> ModelError {
    let e = ModelError::new(format!("study, optimize: there is no {what} `{name}`")).at(&name.place);
    let near =
        nearest(&name.text, valid.iter().copied()).map_or(String::new(), |n| format!("did you mean `{n}`? "));
    e.help(if valid.is_empty() {
        format!("the model has no {what}")
    } else {
        format!("{near}valid: {}", valid.join(", "))
    })
}

/// The parameters that vary, in the order of the model.
fn varying(study: &Optimize, m: &Mechanism) -> Result<Vec<String>, ModelError> {
    let all: Vec<&str> = m.parameters.iter().map(|p| p.name.text.as_str()).collect();
    let Some(list) = &study.parameters else { return Ok(all.into_iter().map(str::to_owned).collect()) };
    for (i, name) in list.iter().enumerate() {
        if !all.contains(&name.text.as_str()) {
            return Err(unknown("parameter", name, &all));
        }
        if list[..i].iter().any(|n| n.text == name.text) {
            return Err(ModelError::new(format!("study, optimize: parameter `{name}` is there twice"))
                .at(&name.place));
        }
    }
    Ok(all.into_iter().filter(|p| list.iter().any(|n| n.text == *p)).map(str::to_owned).collect())
}

/// The objectives that are minimised or limited, then the limited expressions.
fn functionals(study: &Optimize, m: &Mechanism) -> Result<Vec<Objective>, ModelError> {
    // objectives that are asked for
    let all: Vec<&str> = m.objectives.iter().map(|o| o.name.text.as_str()).collect();
    let limited = study
        .limits
        .iter()
        .filter_map(|l| if let Limited::Objective(name) = &l.of { Some(name) } else { None });
    let asked: Vec<&Text> = study.minimise.iter().map(|w| &w.0).chain(limited).collect();
    if let Some(name) = asked.iter().find(|n| !all.contains(&n.text.as_str())) {
        return Err(unknown("objective", name, &all));
    }
    let used = m.objectives.iter().filter(|o| asked.iter().any(|n| n.text == o.name.text)).cloned();
    // values of constraints are objectives of their own
    let value = |l: &Limit| match &l.of {
        Limited::Objective(_) => None,
        Limited::Value(x) => {
            Some(Objective { name: l.name.clone(), integral: None, terminal: Some(x.clone()), maximum: None })
        }
    };
    for l in &study.limits {
        if matches!(l.of, Limited::Value(_)) && all.contains(&l.name.text.as_str()) {
            let e = ModelError::new(format!("constraint `{}` has the name of an objective", l.name))
                .at(&l.name.place);
            return Err(e.help("choose another name, or limit the objective with `objective`"));
        }
    }
    Ok(used.chain(study.limits.iter().filter_map(value)).collect())
}

/// The model with what varies and what is asked for.
fn reduced(m: &Mechanism, nominal: &Prepared, varying: &[String], objectives: Vec<Objective>) -> Mechanism {
    let varies = |name: &str| varying.iter().any(|v| v == name);
    let mut new = Mechanism { objectives, ..m.clone() };
    new.parameters.retain(|p| varies(&p.name.text));
    let held = m.parameters.iter().zip(&nominal.rho).filter(|(p, _)| !varies(&p.name.text));
    let held: Vec<_> = held.map(|(p, x)| (p.name.clone(), (*x).into())).collect();
    new.constants.splice(..0, held);
    new
}

/// Variables with the bounds and scales of the parameters.
fn problem(
    study: &Optimize,
    m: &Mechanism,
    nominal: &Prepared,
    varying: &[String],
) -> Result<Problem, ModelError> {
    // transforms of what varies
    let valid: Vec<&str> = varying.iter().map(String::as_str).collect();
    if let Some((name, _)) = study.transforms.iter().find(|t| !valid.contains(&t.0.text.as_str())) {
        return Err(unknown("varying parameter", name, &valid));
    }
    let transform = |name: &str| {
        study.transforms.iter().find(|t| t.0.text == name).and_then(|t| Transform::parse(&t.1.text).ok())
    };
    // variables with bounds and scales
    let infos = || nominal.parameters().iter().zip(&nominal.rho).filter(|(p, _)| varying.contains(&p.name));
    let variable = |p: &gradyn_model::ParameterInfo| {
        let lower = p.bounds.0.unwrap_or(f64::NEG_INFINITY);
        let upper = p.bounds.1.unwrap_or(f64::INFINITY);
        let transform = transform(&p.name).unwrap_or(Transform::Identity);
        Variable::between(&p.name, lower, upper).scale(p.scale).transform(transform)
    };
    // problem, its start and its scale
    let place = |e: Error| refused(e, m, &None);
    let problem = Problem::new(infos().map(|(p, _)| variable(p)).collect()).map_err(place)?;
    problem.check_start(&infos().map(|(_, x)| *x).collect::<Vec<_>>()).map_err(place)?;
    problem.value_scale(study.scale).map_err(place)
}

/// What an optimiser refuses: at its parameter, or at another place.
pub(crate) fn refused(e: Error, m: &Mechanism, place: &Place) -> ModelError {
    let Error::Variable { name, what } = e else {
        return ModelError::new(format!("study, optimize: {e}")).at(place);
    };
    let place = m.parameters.iter().find(|p| p.name.text == name).and_then(|p| p.name.place.clone());
    let e = ModelError::new(format!("study, optimize: parameter `{name}`: {what}")).at(&place);
    e.help("change its value or its bounds here, or its transform in [study.optimize]")
}

/// The model in every scenario.
fn scenarios(study: &Optimize, m: &Mechanism) -> Result<Vec<(String, f64, Mechanism)>, ModelError> {
    // one = the mechanism with the constants of the scenario
    let valid: Vec<&str> = m.constants.iter().map(|c| c.0.text.as_str()).collect();
    let one = |s: &Scenario| {
        let mut new = m.clone();
        for (name, x) in &s.set {
            let constant = new.constants.iter_mut().find(|c| c.0.text == name.text);
            constant.ok_or_else(|| unknown("constant or parameter that does not vary", name, &valid))?.1 =
                (*x).into();
        }
        Ok((s.name.text.clone(), s.weight, new))
    };
    // scenarios, or the mechanism as it is
    match &study.scenarios[..] {
        [] => Ok(vec![(String::new(), 1.0, m.clone())]),
        [first, ..] if study.fit.is_some() => {
            let e = ModelError::new("study, optimize: a record is of one manoeuvre, and there are scenarios")
                .at(&first.name.place);
            Err(e.help("leave `scenario` out, or minimise objectives"))
        }
        _ => study.scenarios.iter().map(one).collect(),
    }
}

/// With the constraints, equalities first: in every scenario, but for expressions that are the same in all.
fn constrained(
    mut problem: Problem,
    study: &Optimize,
    m: &Mechanism,
) -> Result<(Problem, Vec<Row>), ModelError> {
    let mut rows = vec![];
    // equalities first, then inequalities
    for equal in [true, false] {
        for l in &study.limits {
            // everywhere = it is another number in each scenario
            let set =
                |name: &String| study.scenarios.iter().flat_map(|s| &s.set).any(|(n, _)| n.text == *name);
            let (name, everywhere) = match &l.of {
                Limited::Objective(name) => (name, true),
                Limited::Value(x) => (&l.name, reads_motion(x, m) || names(x).iter().any(set)),
            };
            let functional = m
                .objectives
                .iter()
                .position(|o| o.name.text == name.text)
                .expect("every limit has its functional");
            let count = if everywhere { study.scenarios.len().max(1) } else { 1 };
            // a row for each scenario and side
            for (scenario, (limit, sign, name)) in
                (0..count).flat_map(|s| sides(study, l, equal, everywhere, s).map(move |side| (s, side)))
            {
                let scale = l.scale.unwrap_or(if limit == 0.0 { 1.0 } else { limit.abs() });
                let added =
                    if equal { problem.equality(name, scale) } else { problem.inequality(name, scale) };
                problem =
                    added.map_err(|e| ModelError::new(format!("study, optimize: {e}")).at(&l.name.place))?;
                rows.push(Row { scenario, functional, sign, limit });
            }
        }
    }
    Ok((problem, rows))
}

/// The equality of a limit, or its inequalities, in a scenario: limit, sign and name.
fn sides(
    study: &Optimize,
    l: &Limit,
    equal: bool,
    everywhere: bool,
    scenario: usize,
) -> impl Iterator<Item = (f64, f64, String)> {
    // name, with the scenario where there are several
    let name = match study.scenarios.get(scenario) {
        Some(s) if study.scenarios.len() > 1 && everywhere => format!("{}, {}", l.name, s.name),
        _ => l.name.text.clone(),
    };
    // sides that are given
    let both = l.min.is_some() && l.max.is_some();
    let given = if equal {
        [(l.equal, 1.0, ""), (None, 1.0, "")]
    } else {
        [(l.min, -1.0, " (min)"), (l.max, 1.0, " (max)")]
    };
    given.into_iter().filter_map(move |(limit, sign, side)| {
        Some((limit?, sign, if both { format!("{name}{side}") } else { name.clone() }))
    })
}
