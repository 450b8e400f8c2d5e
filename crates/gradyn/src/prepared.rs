//! A model that is built, assembled and checked, and what can be asked of it: runs and gradients.

use crate::diagnose::{self, Jump, on_another_branch, reads_shared};
use crate::equilibrium::{settle, undefined};
use crate::error::{ALL_PRESCRIBED, Error, assembly};
use crate::method::Method;
use crate::progress::{Observer, Stopwatch};
use crate::registry::Formulation;
use crate::until::named;
use gradyn_dynamics::assembly::{Assembled, assemble};
use gradyn_dynamics::control::Mesh;
use gradyn_dynamics::simulate::continue_run;
use gradyn_dynamics::{StepError, Trajectory};
use gradyn_model::mechanism::Mechanism;
use gradyn_model::{
    Coordinates, LEVEL, Model, ModelError, RowName, System, Warning, build, build_apart, build_framed,
    build_in,
};
use gradyn_sensitivity::values;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A model at certain parameters, assembled.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The model.
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
    /// Objectives.
    pub psi: Vec<f64>,
    /// Seconds.
    pub seconds: f64,
    /// ρ, with the final time that the run found where a condition gives it.
    pub(crate) rho: Vec<f64>,
    /// What jumps at a declared time: only kinks of forces and of driver accelerations are handled there.
    pub jump: Option<Jump>,
    /// When the run passes a singular position.
    pub singular: Option<f64>,
    /// Things to know about this run.
    pub warnings: Vec<Warning>,
    /// Largest |Φ|, |Φ̇| at a node.
    pub drift: [f64; 2],
    /// Energy at the start and largest deviation from it: (E₀, max |E - E₀|) [J].
    pub energy: (f64, f64),
}

/// Parts of the way to a design that cannot be assembled at once.
const WALK: usize = 8;

impl Prepared {
    /// Builds, assembles and checks a mechanism in natural coordinates. Where a shared load is read, every
    /// joint has rows to carry its part.
    pub fn new(m: &Mechanism) -> Result<Self, Error> {
        Self::new_in(m, Coordinates::Natural)
    }
    /// Builds, assembles and checks a mechanism in coordinates of some family. Others than natural ones start where those are assembled, on
    /// the same branch; shared loads are read where every body is free and every joint has rows.
    pub fn new_in(m: &Mechanism, family: Coordinates) -> Result<Self, Error> {
        let build = |family: Coordinates| match family {
            Coordinates::Natural => Self::nominal(build(m).map_err(|e| named(m, e))?),
            _ => Self::nominal(Self::framed(m)?.drawn_in(m, family)?),
        };
        let mut new = build(family)?;
        if reads_shared(&new.model.system, &new.assembled.redundant) {
            new = match family {
                Coordinates::Natural => Self::nominal(build_apart(m).map_err(|e| named(m, e))?)?,
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
        Self::nominal(build_framed(m).map_err(|e| named(m, e))?)
    }
    /// The model in coordinates of another family, drawn where these frames are.
    pub(crate) fn drawn_in(&self, m: &Mechanism, family: Coordinates) -> Result<Model, Error> {
        let frames = self.model.frames_at(&self.model.slots(&self.rho), &self.assembled.q);
        let mut model = build_in(m, family).map_err(|e| named(m, e))?;
        let p = model.slots(&model.rho());
        model.system.start = Arc::new(model.system.start_near(&frames, &p));
        Ok(model)
    }
    /// This model at other parameters; nothing is rebuilt.
    pub fn at(&self, rho: &[f64]) -> Result<Self, Error> {
        self.check_count(rho)?;
        let new = Self::assemble(self.model.clone(), [rho, &self.rho[rho.len()..]].concat())?;
        Ok(Self { samples: self.samples.clone(), ..new })
    }
    /// This model at other parameters, on this branch: by a straight walk from here, where it cannot be assembled at once or not on
    /// this branch. What comes out depends on `rho` alone.
    pub fn reach(&self, rho: &[f64]) -> Result<Self, Error> {
        let checked = |model: Self| match on_another_branch(&model, self) {
            true => Err(ModelError::new("the design is assembled on another branch than the start").into()),
            false => Ok(model),
        };
        self.at(rho).and_then(checked).or_else(|e| self.walk(rho).and_then(checked).map_err(|_| e))
    }
    fn walk(&self, rho: &[f64]) -> Result<Self, Error> {
        let between =
            |part: f64| -> Vec<f64> { self.rho.iter().zip(rho).map(|(a, b)| a + part * (b - a)).collect() };
        let mut model = self.clone();
        for k in 1..WALK {
            model = model.at(&between(k as f64 / WALK as f64))?;
        }
        model.at(rho)
    }
    fn assemble(mut model: Model, rho: Vec<f64>) -> Result<Self, Error> {
        let p = model.slots(&rho);
        let names =
            |list: &[gradyn_model::mechanism::Text]| list.iter().map(|t| t.text.clone()).collect::<Vec<_>>();
        let (position, velocity) = (names(&model.conditions.0), names(&model.conditions.1));
        model.check(&p)?;
        let all = model.system.dims().all_rows();
        model.system.rows = Arc::new(model.system.rows.chosen(all, vec![]));
        let t = p[model.times.start as usize];
        let resting = model.rest && model.system.statics().is_some();
        let velocity = (!resting).then_some(&velocity[..]);
        let assembled = assemble(&model.system, t, &p, &model.angles, (&position, velocity))
            .map_err(|e| assembly(&model, undefined(&model, e, t, &p)))?;
        model.system.start = Arc::new(model.system.start.with_guess(&assembled.q));
        if let Some(e) = &assembled.equilibrium {
            settle(&mut model, e, assembled.velocity_freedom, &p, t);
        }
        model.system.rows = Arc::new(model.system.rows.chosen(assembled.independent.clone(), vec![]));
        model.full = None;
        if !assembled.redundant.is_empty() {
            model.full = Some(model.system.clone());
            let dropped = assembled.redundant.iter().map(|r| r.row as u32).collect();
            model.system.rows = Arc::new(model.system.rows.chosen(assembled.independent.clone(), dropped));
        }
        if let Some(name) = model.system.flipped(&p, &assembled.q) {
            let e = ModelError::new(format!("`{name}` was assembled half a turn off its angle"))
                .at(&model.place(&name));
            return Err(e.help("give the assembly a better start with `initial.near`").into());
        }
        if model.rest
            && let Some(row) = moving_row(&model.system, t, &p, &assembled.q, &model.angles)
        {
            let e = ModelError::new(format!(
                "velocity = \"rest\": `{row}` moves by itself, so that not everything can be at rest"
            ));
            let e = e.about(row.owner, &row.element);
            return Err(e.help(velocity_help(assembled.velocity_freedom)).into());
        }
        if let Some(name) = model.system.collapsed_force(&p, &assembled.q) {
            let e = ModelError::new(format!("force `{name}`: its ends coincide at the start"))
                .at(&model.place(&name));
            return Err(e
                .help("the direction of its force is not defined there; move one end or the initial position")
                .into());
        }
        Ok(Self { model, rho, assembled, samples: vec![] })
    }
    /// Times at which steps end.
    pub fn mesh(&self) -> Result<Mesh, Error> {
        let (p, times) = (self.model.slots(&self.rho), &self.model.times);
        let at = |slot: u32| p[slot as usize];
        let (start, end) = (at(times.start), at(times.end));
        let breaks: Vec<(f64, u32)> = times.breaks.iter().map(|&s| (at(s), s)).collect();
        if let Some(s) = self.model.splines.iter().find(|s| (end - start) / s.dt() > 1e6) {
            let message = format!(
                "a spline has a knot every {:.1e} s: too many for a run of {} s",
                s.dt(),
                end - start
            );
            return Err(ModelError::new(message).help("look at the duration of the splines").into());
        }
        let knots: Vec<f64> = self.model.splines.iter().flat_map(|s| s.knots(start, end)).collect();
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
        self.with_samples(mesh)
    }
    /// Refuses methods that do not exist, and those that do not fit this model.
    pub fn check_method(&self, method: &Method) -> Result<(), Error> {
        method.check()?;
        self.check_freedoms(method)?;
        if method.formulation != Formulation::Index3 {
            return Ok(());
        }
        let others = Formulation::ALL
            .iter()
            .filter(|f| **f != Formulation::Index3)
            .map(|f| f.name())
            .collect::<Vec<_>>();
        self.check_holonomic("index3", &format!("use one of {}", others.join(", ")))
    }
    /// Refuses rows of velocity level, for a method that holds constraints of positions only.
    pub(crate) fn check_holonomic(&self, method: &str, help: &str) -> Result<(), Error> {
        let sys = &self.model.system;
        if sys.dims().m_vel == 0 {
            return Ok(());
        }
        let row = &sys.row_names()[sys.dims().m - sys.dims().m_vel];
        let (owner, element) = (row.owner, &row.element);
        let message = format!(
            "{owner} `{element}` is a velocity constraint: {method} holds constraints of positions only"
        );
        Err(Error::method(message, help))
    }
    /// Runs from the start to the final time.
    pub fn run(&self, method: &Method) -> Result<Run, Error> {
        self.simulate(method, &mut |_| ControlFlow::Continue(()))
    }
    /// Runs from the start to the final time, or until the observer, which is called after each step, breaks
    /// the run off.
    pub fn simulate(&self, method: &Method, observe: Observer) -> Result<Run, Error> {
        self.check_method(method)?;
        let (mesh, p) = (self.mesh()?, self.model.slots(&self.rho));
        let control = method.controller(mesh.end() - mesh.start.0);
        let watch = Stopwatch::start();
        let observe = &mut watch.observer(mesh.end(), observe);
        let recipe = method.build(&self.model);
        let angles = &self.model.angles;
        let mut trajectory = Trajectory::start(&recipe, angles, &mesh);
        let until = self.model.until.then(|| trajectory.layout.o - 1);
        continue_run(&recipe, &p, angles, &mesh, &control, until, observe, &mut trajectory)
            .map_err(|e| diagnose::explain(self, e, method, &trajectory, &p))?;
        let psi = self.outer(values(&recipe, &self.model.slots(&self.rho_of(&trajectory)), &trajectory));
        let seconds = watch.seconds();
        let rho = self.rho_of(&trajectory);
        let p = self.model.slots(&rho);
        let mut run = Run {
            method: method.clone(),
            trajectory,
            psi: psi[..self.objectives().len()].to_vec(),
            seconds,
            warnings: method.unused_options(),
            drift: [0.0; 2],
            energy: (0.0, 0.0),
            rho,
            jump: None,
            singular: None,
        };
        diagnose::inspect(self, &mut run, &p)?;
        Ok(run)
    }
}

/// What to give instead of `velocity = "rest"`.
fn velocity_help(freedom: usize) -> &'static str {
    match freedom {
        0 => ALL_PRESCRIBED,
        _ => "give the velocity conditions one by one",
    }
}

/// Beside rows of velocity level, or in equilibrium: a row whose rate is not zero at rest, because it depends
/// on time or asks for a velocity.
fn moving_row(
    sys: &gradyn_model::Mechanics,
    t: f64,
    p: &[f64],
    q: &[f64],
    angles: &[f64],
) -> Option<RowName> {
    let dims = sys.dims();
    if dims.m_vel == 0 && sys.statics().is_none() {
        return None;
    }
    let (mut d, mut r, zero) = (sys.data::<f64>(), vec![0.0; dims.m], vec![0.0; dims.n.max(dims.m)]);
    sys.prepare(p, &mut d);
    sys.set_angles(angles, &mut d);
    sys.place(t, q, &mut d);
    let (v, lam) = (&zero[..dims.n], &zero[..dims.m]);
    sys.constraint(&gradyn_model::At { t, q, v, a: v, lam }, LEVEL[1], &mut d, &mut r);
    // 1e-12: a spline that starts at rest has a rate of some roundings
    r.iter().position(|r| r.abs() > 1e-12).map(|k| sys.row_names()[k].clone())
}
