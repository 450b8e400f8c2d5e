//! A model that is built, assembled and checked at values of its parameters.

mod jump;
mod passed;
mod start;

pub use jump::Jump;
pub use passed::{Break, Passed};

pub(crate) use start::{reads_shared, shared_rows, undefined_force};

use crate::error::{Error, assembly};
use crate::method::Method;
use gradyn_dynamics::assembly::{Assembled, assemble};
use gradyn_dynamics::control::Mesh;
use gradyn_dynamics::{StepError, Trajectory};
use gradyn_model::mechanism::Mechanism;
use gradyn_model::{
    Coordinates, Mechanics, Model, ModelError, Owner, ParameterInfo, RowChoice, Warning, build, build_apart,
    build_framed, build_in,
};
use start::{check_start, settle, undefined};
use std::sync::Arc;

/// A model at certain parameters, assembled.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The model, built and assembled.
    pub model: Model,
    /// ρ, with the final time where a condition gives it.
    pub(crate) rho: Vec<f64>,
    /// Its assembly at the start.
    pub assembled: Assembled,
    /// Times at which steps end without a break [s], in the order of outputs.
    pub(crate) samples: Vec<f64>,
}

/// A forward run.
pub struct Run {
    /// How it was made.
    pub method: Method,
    /// Records and plan.
    pub trajectory: Trajectory,
    /// Values of the objectives.
    pub psi: Vec<f64>,
    /// Computing time [s].
    pub seconds: f64,
    /// The system that ran: its equations are those of the models that may be asked about the run.
    pub(crate) system: Mechanics,
    /// ρ, with the final time that the run found where a condition gives it.
    pub(crate) rho: Vec<f64>,
    /// What jumps at a declared time: only kinks of forces and of driver accelerations are handled there.
    pub jump: Option<Jump>,
    /// The first expression that jumps or kinks where no condition ends a step: it has no gradient.
    pub passed: Option<Passed>,
    /// When the run passes a singular position.
    pub singular: Option<f64>,
    /// Things to know about this run.
    pub warnings: Vec<Warning>,
    /// Largest |Φ|, |Φ̇| at a node.
    pub drift: [f64; 2],
    /// Energy at the start and largest deviation from it: (E₀, max |E - E₀|) [J].
    pub energy: (f64, f64),
}

impl Prepared {
    /// Builds, assembles and checks a mechanism in natural coordinates. Where a shared load is read, every
    /// joint has rows to carry its part.
    pub fn new(m: &Mechanism) -> Result<Self, Error> {
        Self::new_in(m, Coordinates::Natural)
    }
    /// Builds, assembles and checks a mechanism in coordinates of some family. Others than natural ones start
    /// where those are assembled, on the same branch; shared loads are read where every body is free and
    /// every joint has rows.
    pub fn new_in(m: &Mechanism, family: Coordinates) -> Result<Self, Error> {
        let build = |family: Coordinates| match family {
            Coordinates::Natural => Self::nominal(build(m)?),
            _ => Self::nominal(Self::framed(m)?.drawn_in(m, family)?),
        };
        let mut new = build(family)?;
        if reads_shared(&new.model.system, &new.assembled.redundant) {
            new = match family {
                Coordinates::Natural => Self::nominal(build_apart(m)?)?,
                _ => build(Coordinates::Cartesian)?,
            };
        }
        // the scales of alpha_scaling=row: of the nominal start, whatever parameters follow
        let p = new.model.slots(&new.rho);
        let t = p[new.model.times.start as usize];
        let active = new.model.slots.varying();
        let Model { system, full, .. } = &mut new.model;
        for sys in std::iter::once(system).chain(full) {
            sys.rows = Arc::new(sys.scaled_rows(&p, t, &new.assembled.q));
            sys.rows = Arc::new(sys.active_rows(&active));
        }
        Ok(new)
    }
    fn nominal(model: Model) -> Result<Self, Error> {
        let rho = model.rho();
        Self::assemble(model, rho)
    }
    /// In natural coordinates, with the frames of all bodies.
    pub(crate) fn framed(m: &Mechanism) -> Result<Self, Error> {
        Self::nominal(build_framed(m)?)
    }
    /// The model in coordinates of another family, drawn where these frames are.
    pub(crate) fn drawn_in(&self, m: &Mechanism, family: Coordinates) -> Result<Model, Error> {
        let frames = self.model.frames_at(&self.model.slots(&self.rho), &self.assembled.q);
        let mut model = build_in(m, family)?;
        let p = model.slots(&model.rho());
        model.system.start = Arc::new(model.system.start_near(&frames, &p));
        Ok(model)
    }
    /// This model at other parameters; nothing is rebuilt. Bounds of parameters are those of studies and are
    /// not asked here.
    pub fn at(&self, rho: &[f64]) -> Result<Self, Error> {
        self.check_count(rho)?;
        if let Some((p, x)) = self.parameters().iter().zip(rho).find(|(_, x)| !x.is_finite()) {
            let e = Error::argument(format!("parameter `{}` is {x}", p.name), "give a finite number");
            return Err(e.about(Owner::Parameter, &p.name));
        }
        let new = Self::assemble(self.model.clone(), [rho, &self.rho[rho.len()..]].concat())?;
        Ok(Self { samples: self.samples.clone(), ..new })
    }
    fn assemble(mut model: Model, rho: Vec<f64>) -> Result<Self, Error> {
        // conditions by their names
        let p = model.slots(&rho);
        let names =
            |list: &[gradyn_model::mechanism::Text]| list.iter().map(|t| t.text.clone()).collect::<Vec<_>>();
        let position = names(&model.conditions.0);
        let velocity = names(&model.conditions.1);
        model.check(&rho)?;
        // the start, with all rows
        model.system = model.system.with_all_rows()?;
        let t = p[model.times.start as usize];
        let resting = model.rest && model.system.statics().is_some();
        let velocity = (!resting).then_some(&velocity[..]);
        let assembled = assemble(&model.system, t, &p, &model.angles, (&position, velocity))
            .map_err(|e| assembly(&model, undefined(&model, e, t, &p)))?;
        model.system.start = Arc::new(model.system.start.with_guess(&assembled.q)?);
        if let Some(angles) = &assembled.turned {
            model.angles.clone_from(angles);
        }
        if let Some(e) = &assembled.equilibrium {
            settle(&mut model, e, assembled.velocity_freedom, &p, t);
        }
        // the independent rows; the whole system stays where some are dropped
        let off = model.system.row_choice().off.clone();
        let mut choice = RowChoice { independent: assembled.independent.clone(), dropped: off.clone(), off };
        model.system = model.system.with_rows(&choice)?;
        model.full = None;
        if !assembled.redundant.is_empty() {
            model.full = Some(model.system.clone());
            choice.dropped.extend(assembled.redundant.iter().map(|r| r.row as u32));
            choice.dropped.sort_unstable();
            model.system = model.system.with_rows(&choice)?;
        }
        check_start(&model, &assembled, t, &p)?;
        Ok(Self { model, rho, assembled, samples: vec![] })
    }
    /// Times at which steps end.
    pub fn mesh(&self) -> Result<Mesh, Error> {
        // times of the design
        let p = self.model.slots(&self.rho);
        let times = &self.model.times;
        let at = |slot: u32| p[slot as usize];
        let start = at(times.start);
        let end = at(times.end);
        let breaks: Vec<(f64, u32)> = times.breaks.iter().map(|&s| (at(s), s)).collect();
        // knots of splines end steps, if they are not too many
        let mut splines = self.model.splines.iter().zip(&self.model.spline_names);
        if let Some((s, name)) = splines.find(|(s, _)| (end - start) / s.dt() > 1e6) {
            let every = s.dt();
            let duration = end - start;
            let message =
                format!("spline `{name}` has a knot every {every:.1e} s: too many for a run of {duration} s");
            return Err(ModelError::new(message).help("look at its duration, `period` or `length`").into());
        }
        let knots: Vec<f64> = self.model.splines.iter().flat_map(|s| s.knots(start, end)).collect();
        // mesh, and its mistakes in words of the file
        let mesh = Mesh::new((start, Some(times.start)), &breaks, &knots, (end, Some(times.end)));
        let name = if self.model.until { "t_max" } else { "t_end" };
        let mesh = mesh.map_err(|e| {
            let backward = |e| match e {
                StepError::Backward { start, end } => {
                    format!("the run must end after it starts: t_start = {start} s, {name} = {end} s")
                }
                e => e.to_string(),
            };
            ModelError::new(backward(e)).help(format!("look at t_start and {name} in [study]"))
        })?;
        // samples end steps too
        let help = "give samples between the start and the end of the run";
        mesh.with_samples(&self.samples).map_err(|e| Error::argument(e.to_string(), help))
    }
    /// Refuses rows of velocity level, for a method that holds constraints of positions only.
    pub(crate) fn check_holonomic(&self, method: &str, help: &str) -> Result<(), Error> {
        let sys = &self.model.system;
        if sys.dims().m_vel == 0 {
            return Ok(());
        }
        let row = &sys.row_names()[sys.dims().m - sys.dims().m_vel];
        let owner = row.owner;
        let element = &row.element;
        let message = format!(
            "{owner} `{element}` is a velocity constraint: {method} holds constraints of positions only"
        );
        Err(Error::method(message, help))
    }
    /// The parameters of the user.
    pub fn parameters(&self) -> &[ParameterInfo] {
        &self.model.parameters[..self.model.parameters.len() - usize::from(self.model.until)]
    }
    /// Values of the parameters.
    pub fn rho(&self) -> &[f64] {
        &self.rho[..self.parameters().len()]
    }
    /// Every number that kernels read at these parameters: p = e(ρ).
    pub fn slots(&self) -> Vec<f64> {
        self.model.slots(&self.rho)
    }
    /// Refuses another number of values than there are parameters.
    pub(crate) fn check_count(&self, rho: &[f64]) -> Result<(), Error> {
        let count = self.parameters().len();
        if rho.len() == count {
            return Ok(());
        }
        let values = plural(rho.len(), "value");
        let parameters = plural(count, "parameter");
        Err(Error::argument(format!("{values} for {parameters}"), "give one value for each parameter"))
    }
}

/// `1 value`, `2 values`.
fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
