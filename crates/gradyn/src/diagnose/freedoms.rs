//! Independent coordinates that the user names for `maggi`.
//!
//! ```text
//! [ Φ_q ; B ] regular,   B picks the named coordinates,   [ Φ_q ; B ]⁻¹ = [ S  R ]    (1)  [M13, Eqs. 13–16]
//! ```
//! They stay for the whole run. With rows of velocity level there are fewer independent velocities: the first
//! of the names. (1) is checked at the start; where the largest entry of R is large, the run warns, and where
//! (1) ends, it says so. It ends too where a run seems to go on: at an extreme of a named coordinate
//!
//! ```text
//! det [ Φ_q ; B ] changes its sign between nodes,                                     (2)
//! or it would on q + h v while it does not,   or R is beyond bounds
//! ```
//! because (1) is singular between: the run passes by luck, turns back as no motion does, or stays there.

use super::singular::{DETERMINANT, NEAR, nearest_minimum, sign};
use crate::error::Error;
use crate::method::Method;
use crate::prepare::{Prepared, Run};
use crate::registry::Formulation;
use gradyn_dynamics::block::{Kinematic, choose};
use gradyn_dynamics::{StepError, Trajectory};
use gradyn_model::error::nearest;
use gradyn_model::{Evaluator, Kinematics, Mechanics, Owner, Warning, WarningCode};
use gradyn_num::{Independence, Pattern, largest, row_dependencies};

/// What is left of a row of (1) beside the others that counts as nothing.
const ZERO: f64 = 1e-8;

/// Largest entry of R, relative to that of chosen coordinates at the start, of which a run warns.
const GROWTH: f64 = 5.0;

/// Largest entry of R, relative to that of chosen coordinates at the start, of which a run is refused.
const LOST: f64 = 1e3;

impl Method {
    /// Does it keep to coordinates that the user names?
    pub(crate) fn has_freedoms(&self) -> bool {
        self.formulation == Formulation::Maggi && !self.freedoms.is_empty()
    }
    /// The named coordinates; what is not known is refused by [`Prepared::check_freedoms`].
    pub(crate) fn independent_coordinates(&self, sys: &Mechanics) -> Vec<u32> {
        if !self.has_freedoms() {
            return vec![];
        }
        let names = names(sys);
        self.freedoms.iter().filter_map(|f| names.iter().position(|n| n == f)).map(|i| i as u32).collect()
    }
}

impl Prepared {
    /// Refuses names that do not exist, too many, too few, and those that do not determine the velocities at
    /// the start.
    pub(crate) fn check_freedoms(&self, method: &Method) -> Result<(), Error> {
        if !method.has_freedoms() {
            return Ok(());
        }
        let sys = &self.model.system;
        let given = &method.freedoms;
        let names = names(&self.model.system);
        // every name is a coordinate
        if let Some(name) = given.iter().find(|f| !names.contains(f)) {
            let hint = nearest(name, names.iter().map(String::as_str))
                .map_or(String::new(), |n| format!("did you mean `{n}`? "));
            return Err(Error::method(
                format!("freedoms: there is no coordinate `{name}`"),
                format!("{hint}`gradyn check` lists them"),
            )
            .about(Owner::Coordinate, name));
        }
        // every name stands once
        if let Some((_, name)) = given.iter().enumerate().find(|(k, f)| given[..*k].contains(f)) {
            return Err(Error::method(
                format!("freedoms: `{name}` is named twice"),
                "name each coordinate once",
            )
            .about(Owner::Coordinate, name));
        }
        // as many names as degrees of freedom
        let free = sys.dims().n - sys.independent(Kinematics::Position).len();
        if given.len() != free {
            let what = if free == 1 { "degree" } else { "degrees" };
            let message = format!("freedoms: the model has {free} {what} of freedom, not {}", given.len());
            return Err(Error::method(message, "name as many coordinates as degrees of freedom"));
        }
        // (1) at the start, for positions and velocities
        Kinematics::ALL.into_iter().try_for_each(|kinematics| check_regular(self, method, kinematics))
    }
}

/// (1) at the start.
fn check_regular(model: &Prepared, method: &Method, kinematics: Kinematics) -> Result<(), Error> {
    // [Φ_q ; B] at the start
    let sys = &model.model.system;
    let p = model.model.slots(&model.rho);
    let mut terms = sys.evaluator(&p);
    terms.set_branches(&model.model.angles);
    terms.at(p[model.model.times.start as usize], &model.assembled.q);
    // first = a dependency of its rows
    let stack = Stack::new(sys, kinematics, &method.independent_coordinates(sys));
    let values = stack.values(sys, &terms);
    let found = row_dependencies(&stack.pattern, &values, ZERO);
    let Some(first) = found.dependent.first() else { return Ok(()) };
    // the named coordinates in it
    let m = stack.rows.len();
    let mut named: Vec<usize> =
        first.on.iter().map(|o| o.0).chain([first.row]).filter(|i| *i >= m).map(|i| i - m).collect();
    named.sort_unstable();
    let first = named.first().map(|&k| method.freedoms[k].clone());
    let named = named.iter().map(|&k| format!("`{}`", method.freedoms[k])).collect::<Vec<_>>();
    let verb = if named.len() == 1 { "is held by the constraints" } else { "follow from each other" };
    // message with the condition of [Φ_q ; B]
    let condition = stack.independence().condition(&stack.pattern, &values);
    let message = format!(
        "the freedoms do not determine the velocities at the start: {} {verb} (σ_min/σ_max of [Φ_q; B] \
         {condition:.0e})",
        named.join(", ")
    );
    let e = Error::method(message, "name coordinates that can move independently there");
    Err(first.into_iter().fold(e, |e, name| e.about(Owner::Coordinate, name)))
}

/// Where the named coordinates have come near an extreme; (2) is an error.
pub(super) fn freedoms(model: &Prepared, run: &Run, p: &[f64]) -> Result<Vec<Warning>, StepError> {
    let named = run.method.independent_coordinates(&model.model.system);
    if named.is_empty() {
        return Ok(vec![]);
    }
    // (2): the run ends where a named coordinate passes its extreme
    let terms = &mut model.model.whole().evaluator(p);
    for kinematics in Kinematics::ALL {
        let stacks = Stack::of_run(model, &run.trajectory, kinematics, &named);
        if let Some(n) = passes_extreme(model, &run.trajectory, &stacks, terms) {
            return Err(StepError::Freedoms {
                t: run.trajectory.plan.t[n],
                freedoms: run.method.freedoms.clone(),
            });
        }
    }
    // (2): it warns where R is large, and ends where R is beyond bounds
    for kinematics in Kinematics::ALL {
        let (worst, n, best) = worst_r(model, run, kinematics, &named, terms)?;
        let t = run.trajectory.plan.t[n];
        if worst > LOST * best {
            return Err(StepError::Freedoms { t, freedoms: run.method.freedoms.clone() });
        }
        if worst > GROWTH * best {
            let text = format!(
                "at t = {t} s the named coordinates hardly determine the velocities (largest entry of R \
                 {worst:.1e}; chosen ones have {best:.1} at the start): steps are less accurate there"
            );
            return Ok(vec![Warning::new(WarningCode::Freedoms, text)]);
        }
    }
    Ok(vec![])
}

/// The largest entry of R of the named coordinates, its node, and that of chosen coordinates at the
/// start, at least 1.
fn worst_r(
    model: &Prepared,
    run: &Run,
    kinematics: Kinematics,
    named: &[u32],
    terms: &mut Evaluator<f64>,
) -> Result<(f64, usize, f64), StepError> {
    let sys = &model.model.system;
    let plan = &run.trajectory.plan;
    let free = sys.dims().n - sys.independent(kinematics).len();
    let place = |n: usize, terms: &mut Evaluator<f64>| {
        terms.at(plan.t[n], &run.trajectory.record(n)[..sys.dims().n]);
    };
    // best = the largest entry of R of chosen coordinates at the start
    place(0, terms);
    let mut chosen = Kinematic::new(sys, kinematics, &choose(sys, kinematics, terms.phi_q()))?;
    let mut each = vec![Kinematic::new(sys, kinematics, &named[..free])?];
    for choice in &plan.row_choices {
        each.push(Kinematic::new(&run.system.with_rows(choice)?, kinematics, &named[..free])?);
    }
    let best = largest_r(sys, plan.t[0], terms, &mut chosen).max(1.0);
    // worst = that of the named ones over all nodes
    let mut size = |n: usize| {
        place(n, terms);
        largest_r(sys, plan.t[n], terms, &mut each[plan.rows[n] as usize])
    };
    let worst = (0..=plan.steps()).map(|n| (size(n), n)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    Ok((worst.0, worst.1, best))
}

/// The first node beyond a change of sign, (2); `stacks` has the matrix (1) for every choice of rows.
fn passes_extreme(
    model: &Prepared,
    run: &Trajectory,
    stacks: &[Stack],
    terms: &mut Evaluator<f64>,
) -> Option<usize> {
    let sys = &model.model.system;
    let plan = &run.plan;
    let n = run.layout.n;
    if n > DETERMINANT {
        return None;
    }
    let mut side = |stack: &Stack, k: usize, h: f64| {
        let x = run.record(k);
        let ahead =
            |a: f64| (0..n).map(|i| x[i] + h * x[n + i] + 0.5 * a * h * h * x[2 * n + i]).collect::<Vec<_>>();
        [0.0, 1.0].map(|a| {
            terms.at(plan.t[k] + h, &ahead(a));
            sign(stack.matrix(sys, terms))
        })
    };
    // a motion that turns before the extreme does not reach it with its acceleration either
    let beyond = |k: &usize| {
        let stack = &stacks[plan.rows[*k] as usize];
        let before = side(stack, *k - 1, 0.0)[0];
        side(stack, *k, 0.0)[0] != before || side(stack, *k - 1, plan.h[*k - 1]) == [-before; 2]
    };
    (1..=plan.steps()).find(beyond)
}

/// An error of a step near the end of (1), or beyond it.
pub(crate) fn explain_freedoms(
    model: &Prepared,
    e: StepError,
    method: &Method,
    run: &Trajectory,
    terms: &mut Evaluator<f64>,
) -> StepError {
    let sys = &model.model.system;
    let named = method.independent_coordinates(&model.model.system);
    if named.is_empty() {
        return e;
    }
    if let StepError::NotFollowed { t, .. } = e {
        return StepError::Freedoms { t, freedoms: method.freedoms.clone() };
    }
    // e, or (2) where it holds between the last nodes
    for kinematics in Kinematics::ALL {
        let stacks = Stack::of_run(model, run, kinematics, &named);
        if let Some(n) = passes_extreme(model, run, &stacks, terms) {
            return StepError::Freedoms { t: run.plan.t[n], freedoms: method.freedoms.clone() };
        }
        let stack = &stacks[run.plan.rows[run.plan.steps()] as usize];
        let mut rows = stack.independence();
        let (s, t) =
            nearest_minimum(sys, run, terms, |terms| rows.measure(&stack.pattern, &stack.values(sys, terms)));
        if s < 10.0 * NEAR {
            return StepError::Freedoms { t, freedoms: method.freedoms.clone() };
        }
    }
    e
}

fn names(sys: &Mechanics) -> Vec<String> {
    (0..sys.dims().n).map(|i| sys.coordinate_name(i)).collect()
}

/// The matrix of (1).
struct Stack {
    pattern: Pattern,
    rows: Vec<u32>,
}

impl Stack {
    /// With the rows of the system, and with those of every other choice of a run.
    fn of_run(model: &Prepared, run: &Trajectory, kinematics: Kinematics, named: &[u32]) -> Vec<Self> {
        let sys = &model.model.system;
        let own = std::iter::once(sys.row_choice());
        let choices = own.chain(&run.plan.row_choices);
        choices.map(|c| Self::of(sys, &c.independent[kinematics.index()], named)).collect()
    }
    /// With the rows of the system.
    fn new(sys: &Mechanics, kinematics: Kinematics, named: &[u32]) -> Self {
        Self::of(sys, sys.independent(kinematics), named)
    }
    fn of(sys: &Mechanics, rows: &[u32], named: &[u32]) -> Self {
        let n = sys.dims().n;
        let mn = &sys.patterns().mn;
        let rows = rows.to_vec();
        let part = mn.part(&rows);
        let picked = named[..n - rows.len()].iter().enumerate().map(|(k, &i)| (rows.len() + k, i as usize));
        let pattern = Pattern::from_entries(n, n, part.iter().map(|(i, j, _)| (i, j)).chain(picked));
        Self { pattern, rows }
    }
    fn values(&self, sys: &Mechanics, terms: &Evaluator<f64>) -> Vec<f64> {
        let mut values = sys.patterns().mn.part_values(&self.rows, terms.phi_q());
        values.resize(self.pattern.nnz(), 1.0);
        values
    }
    fn matrix(&self, sys: &Mechanics, terms: &Evaluator<f64>) -> Vec<Vec<f64>> {
        let n = self.pattern.rows();
        let values = self.values(sys, terms);
        let mut a = vec![vec![0.0; n]; n];
        self.pattern.iter().for_each(|(i, j, p)| a[i][j] = values[p]);
        a
    }
    fn independence(&self) -> Independence {
        Independence::new(&self.pattern, &(0..self.pattern.rows() as u32).collect::<Vec<_>>())
    }
}

/// The largest entry of R where the evaluator is.
fn largest_r(sys: &Mechanics, t: f64, terms: &Evaluator<f64>, kinematic: &mut Kinematic) -> f64 {
    if kinematic.refactor(sys, t, terms.phi_q()).is_err() {
        return f64::INFINITY;
    }
    let n = sys.dims().n;
    let free = kinematic.choice().len();
    let mut column = vec![0.0; n];
    let columns = (n - free..n).map(|j| {
        column.fill(0.0);
        column[j] = 1.0;
        kinematic.solve(&mut column);
        largest(column.iter().copied())
    });
    largest(columns)
}
