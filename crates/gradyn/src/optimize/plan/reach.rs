//! Which parameters change what a study asks for.

use crate::file::Optimize;
use crate::reach::{names, parameter_users};
use gradyn_model::ModelError;
use gradyn_model::mechanism::{Mechanism, Number, Objective, Text};

/// Something that parameters should change.
struct Target<'a> {
    name: &'a Text,
    owner: String,
    /// Does it follow the motion?
    moves: bool,
    /// Is it an integral over time?
    integral: bool,
}

/// Does an expression read a sensor, not only parameters, constants and points?
pub(super) fn reads_motion(x: &Number, m: &Mechanism) -> bool {
    let constants = m.constants.iter().map(|c| &c.0).chain(m.hard_points.iter().map(|p| &p.0));
    let still: Vec<&str> =
        m.parameters.iter().map(|p| &p.name).chain(constants).map(|t| t.text.as_str()).collect();
    names(x)
        .iter()
        .any(|name| name.split('.').next().is_some_and(|first| first != "ground" && !still.contains(&first)))
}

/// Every functional and every fitted column depends on a parameter, and every parameter reaches one of them.
pub(super) fn check_reach(study: &Optimize, m: &Mechanism) -> Result<(), ModelError> {
    let reaches = parameter_users(m);
    let targets = targets(study, m);
    // depends = it reads the parameter itself, or a motion or times that the parameter changes
    let depends = |target: &Target, p: &str| {
        let aside = ["output ", "objective ", "constant ", "hard point "];
        let motion = reaches[p].iter().any(|owner| !aside.iter().any(|a| owner.starts_with(a)));
        let times = reaches[p].iter().any(|owner| owner == "times") || (motion && m.until.is_some());
        reaches[p].contains(&target.owner) || (motion && target.moves) || (times && target.integral)
    };
    // targets that no parameter changes
    for o in &targets {
        if !m.parameters.iter().any(|p| depends(o, &p.name.text)) {
            let e =
                ModelError::new(format!("study, optimize: `{}` depends on no parameter that varies", o.name));
            return Err(e
                .at(&o.name.place)
                .help("look at `parameters` of [study.optimize], and at what they reach: `gradyn check`"));
        }
    }
    // parameters that change no target
    for p in &m.parameters {
        if !targets.iter().any(|o| depends(o, &p.name.text)) {
            let mention =
                study.parameters.iter().flatten().find(|n| n.text == p.name.text).unwrap_or(&p.name);
            let goal = if study.fit.is_some() { "a fitted column" } else { "what is minimised" };
            let message =
                format!("study, optimize: parameter `{}` reaches neither {goal} nor a constraint", p.name);
            return Err(ModelError::new(message)
                .at(&mention.place)
                .help("leave it out of `parameters` in [study.optimize]"));
        }
    }
    Ok(())
}

/// What a study asks for: functionals, and the columns of a fit.
fn targets<'a>(study: &Optimize, m: &'a Mechanism) -> Vec<Target<'a>> {
    let moves = |o: &Objective| o.integral.iter().chain(&o.terminal).any(|x| reads_motion(x, m));
    let functional = |o: &'a Objective| Target {
        name: &o.name,
        owner: format!("objective {}", o.name),
        moves: moves(o),
        integral: o.integral.is_some(),
    };
    // a column is read at the times of its record
    let column = |(name, x): &'a (Text, Number)| Target {
        name,
        owner: format!("output {name}"),
        moves: reads_motion(x, m),
        integral: false,
    };
    let fitted = m.outputs.iter().filter(|_| study.fit.is_some());
    m.objectives.iter().map(functional).chain(fitted.map(column)).collect()
}
