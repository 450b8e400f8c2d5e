//! A model that is built, assembled and checked, and what can be asked of it: runs and gradients.

use crate::equilibrium::{settle, undefined};
use crate::error::{ALL_PRESCRIBED, Error, assembly};
use crate::method::{Method, with_step};
use crate::progress::{Clock, Observer};
use crate::registry::{Formulation, Projections};
use crate::until::named;
use crate::watch::Jump;
use gradyn_dynamics::assembly::{Assembled, assemble};
use gradyn_dynamics::control::Mesh;
use gradyn_dynamics::formulation::largest_mass;
use gradyn_dynamics::simulate::continue_run;
use gradyn_dynamics::{Step, StepError, Trajectory};
use gradyn_model::build::Positive;
use gradyn_model::mechanism::Mechanism;
use gradyn_model::{
    Coordinates, LEVEL, Model, ModelError, Owner, RowName, Set, Subject, System, Warning, WarningCode, build,
    build_apart, build_framed, build_in,
};
use gradyn_num::largest;
use gradyn_sensitivity::values;
use std::ops::ControlFlow;

/// Steps at the border of stability go to and fro across it: from this part on they count as limited by it.
const BORDER: f64 = 0.8;

/// A model at certain parameters, assembled.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The model.
    pub model: Model,
    /// Parameters ρ.
    pub rho: Vec<f64>,
    /// Its assembly at the start.
    pub assembled: Assembled,
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
    /// Parameters of the run; if a condition gives the final time, that is the last of them.
    pub rho: Vec<f64>,
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

/// Iterations of a step that has lost its way: those that have not need fewer than ten.
const WANDERING: usize = 20;

impl Prepared {
    /// Builds, assembles and checks a mechanism in natural coordinates. Where a shared load is read, every
    /// joint has rows to carry its part.
    pub fn new(m: &Mechanism) -> Result<Self, Error> {
        Self::new_in(m, Coordinates::Natural)
    }
    /// The same in coordinates of some family. Others than natural ones start where those are assembled, on
    /// the same branch; shared loads are read where every body is free and every joint has rows.
    pub fn new_in(m: &Mechanism, family: Coordinates) -> Result<Self, Error> {
        let build = |family: Coordinates| match family {
            Coordinates::Natural => Self::nominal(build(m).map_err(|e| named(m, e))?),
            _ => Self::nominal(Self::framed(m)?.drawn_in(m, family)?),
        };
        let mut new = build(family)?;
        if new.reads_shared() {
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
        for sys in std::iter::once(system).chain(full.as_deref_mut()) {
            sys.scale_rows(&p, t, &new.assembled.q);
            sys.focus(&active);
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
        model.system.draw_by(&frames, &p);
        Ok(model)
    }
    /// The same model at other parameters; nothing is rebuilt.
    pub fn at(&self, rho: &[f64]) -> Result<Self, Error> {
        assert_eq!(rho.len(), self.parameters().len(), "one value for each parameter");
        Self::assemble(self.model.clone(), [rho, &self.rho[rho.len()..]].concat())
    }
    /// The same on this branch: by a straight walk from here, where it cannot be assembled at once or not on
    /// this branch. What comes out depends on `rho` alone.
    pub fn reach(&self, rho: &[f64]) -> Result<Self, Error> {
        let checked = |model: Self| match model.on_another_branch(self) {
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
        model.system.reset_rows();
        let t = p[model.times.start as usize];
        let resting = model.rest && model.system.statics().is_some();
        let velocity = (!resting).then_some(&velocity[..]);
        let assembled = assemble(&model.system, t, &p, &model.angles, (&position, velocity))
            .map_err(|e| assembly(&model, undefined(&model, e, t, &p)))?;
        model.system.set_drawn(&assembled.q);
        if let Some(e) = &assembled.equilibrium {
            settle(&mut model, e, assembled.velocity_freedom, &p, t);
        }
        model.system.set_rows(assembled.independent.clone(), vec![]);
        model.full = None;
        if !assembled.redundant.is_empty() {
            model.full = Some(Box::new(model.system.clone()));
            let dropped = assembled.redundant.iter().map(|r| r.row as u32).collect();
            model.system.set_rows(assembled.independent.clone(), dropped);
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
        Ok(Self { model, rho, assembled })
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
        mesh.map_err(|e| {
            let backward = |e| match e {
                StepError::Backward { start, end } => {
                    format!("the run must end after it starts: t_start = {start} s, {name} = {end} s")
                }
                e => e.to_string(),
            };
            ModelError::new(backward(e)).help(format!("look at t_start and {name} in [study]")).into()
        })
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
        let clock = Clock::start();
        let observe = &mut clock.observer(mesh.end(), observe);
        let step = method.build(&self.model);
        let (trajectory, psi) = with_step!(&step, step => {
            let mut run = Trajectory::start(step, &self.model.angles, &mesh);
            let until = self.model.until.then(|| run.layout.o - 1);
            continue_run(step, &p, &self.model.angles, &mesh, &control, until, observe, &mut run)
                .map_err(|e| self.explain(e, method, &run, &p))?;
            let psi = self.outer(values(step, &self.model.slots(&self.rho_of(&run)), &run));
            (run, psi)
        });
        let seconds = clock.seconds();
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
        self.check_defined(&run, &p)?;
        self.check_values(&run)?;
        self.check_redundancy(&run)?;
        self.inspect(&mut run, &p)?;
        Ok(run)
    }
    /// A singular matrix at a coordinate of a body without mass or inertia.
    pub(crate) fn massless(&self, e: StepError, p: &[f64]) -> StepError {
        let StepError::Singular { t, equation } = e else { return e };
        let lack = |body: String| {
            let subject = Subject::new(Owner::Body, &body);
            let zero = |x: &&Positive| {
                let inert = ["mass", "inertia", "Ixx", "Iyy", "Izz"].contains(&x.what.as_str());
                x.subject == subject && inert && p[x.slot as usize] == 0.0
            };
            let lacking = self.model.positive.iter().find(zero)?;
            Some((body, if lacking.what == "mass" { "mass" } else { "inertia" }))
        };
        match self.model.system.moved_by(&equation).into_iter().find_map(lack) {
            Some((body, lacks)) => StepError::Massless { t, equation, body, lacks },
            None => StepError::Singular { t, equation },
        }
    }
    /// An objective that is not a number is an error, at the time when it stopped being one.
    fn check_values(&self, run: &Run) -> Result<(), Error> {
        let (lay, plan) = (run.trajectory.layout, &run.trajectory.plan);
        for (k, name) in self.objectives().iter().enumerate() {
            let bad = (0..=plan.steps()).find(|&n| !run.trajectory.record(n)[lay.z() + k].is_finite());
            if let Some(n) = bad.or_else(|| (!run.psi[k].is_finite()).then_some(plan.steps())) {
                if self.model.maxima[k].is_some() {
                    let message = format!(
                        "objective `{name}`: the exponential of its smooth maximum leaves the range of numbers"
                    );
                    return Err(ModelError::new(message)
                        .about(Owner::Objective, name)
                        .help("give `near`, roughly the maximum, or a lower `sharpness`")
                        .into());
                }
                return Err(
                    StepError::NotFinite { t: plan.t[n], equation: format!("objective {name}") }.into()
                );
            }
        }
        Ok(())
    }
    /// Drift, energy and warnings of a run; named freedoms that passed an extreme are an error.
    fn inspect(&self, run: &mut Run, p: &[f64]) -> Result<(), Error> {
        let (sys, lay, plan) = (&self.model.system, run.trajectory.layout, &run.trajectory.plan);
        let mut d = sys.data::<f64>();
        sys.prepare(p, &mut d);
        let (mut r, mut y) = (vec![0.0; lay.m], vec![0.0; sys.functionals(Set::Output)]);
        let (mut growth, mut e0) = ([0.0f64; 2], 0.0);
        for n in 0..=plan.steps() {
            let at = lay.node(plan.t[n], run.trajectory.record(n));
            sys.set_angles(plan.angles(n), &mut d);
            sys.place(at.t, at.q, &mut d);
            for level in 0..2 {
                r.fill(0.0);
                sys.constraint(&at, LEVEL[level], &mut d, &mut r);
                let rows = if level == 0 { lay.m - sys.dims().m_vel } else { lay.m };
                let size = largest(r[..rows].iter().copied());
                run.drift[level] = run.drift[level].max(size);
                if level == 1 {
                    let late = 2 * n > plan.steps();
                    growth[usize::from(late)] = growth[usize::from(late)].max(size);
                }
            }
            sys.measure(Set::Output, &at, &mut d, &mut y);
            let energy = *y.last().expect("the energy is always there");
            if n == 0 {
                e0 = energy;
            }
            run.energy = (e0, run.energy.1.max((energy - e0).abs()));
        }
        self.warn_newmark(run, growth, &mut d);
        self.warn_stiff(run);
        self.warn_unstable(run);
        self.warn_shared(run);
        self.warn_geometry(run, &mut d);
        self.warn_singular(run, &mut d);
        self.check_freedoms_run(run, &mut d)?;
        run.jump = self.find_jump(run, &mut d);
        let jumps: Vec<Jump> = run.jump.iter().cloned().chain(self.spline_jumps(run, &mut d)).collect();
        run.warnings.extend(jumps.iter().map(Jump::warning));
        Ok(())
    }
    /// Constraints that do not hold, springs whose ends pass through each other.
    fn warn_geometry(&self, run: &mut Run, d: &mut <gradyn_model::Mechanics as System>::Data<f64>) {
        let (traj, n) = (&run.trajectory, run.trajectory.layout.n);
        let size = largest((0..=traj.plan.steps()).flat_map(|k| &traj.record(k)[..n]).copied());
        if run.drift[0] > 1e-3 * size * size.max(1.0) {
            let penalty = run.method.formulation == Formulation::Penalty;
            let advice = if penalty { "raise alpha, or take smaller steps" } else { "take smaller steps" };
            let text = format!("the constraints are violated by up to {:.1e}; {advice}", run.drift[0]);
            run.warnings.push(Warning::new(WarningCode::Drift, text));
        }
        let met = (1..=traj.plan.steps()).find_map(|k| {
            Some((k, self.model.system.reversed_force(d, &traj.record(k - 1)[..n], &traj.record(k)[..n])?))
        });
        if let Some((k, name)) = met {
            let t = traj.plan.t[k];
            let text = format!(
                "the ends of force `{name}` pass through each other near t = {t} s, where it is not defined"
            );
            run.warnings.push(Warning::new(WarningCode::EndsMeet, text).about(Owner::Force, name));
        }
    }
    /// Steps of an explicit integrator that stability limited.
    fn warn_stiff(&self, run: &mut Run) {
        let (any, traj) = (run.method.build(&self.model), &run.trajectory);
        let mut s = traj.statistics;
        if run.method.adapts() {
            let limited = |n: &usize| {
                with_step!(&any, step => step.stability(traj.plan.h[n - 1], traj.record(*n)))
                    .is_some_and(|x| x > BORDER)
            };
            s.limited = s.limited.max((1..=traj.plan.steps()).filter(limited).count());
        }
        if s.is_stiff() {
            let text = format!(
                "stability, not accuracy, limited {} of {} steps; an implicit integrator may need fewer, and gradients may be off by more than the tolerance",
                s.limited, s.steps
            );
            run.warnings.push(Warning::new(WarningCode::Stiff, text));
        }
    }
    /// What a coordinate step loses: velocities without projections, accelerations at short steps.
    fn warn_newmark(
        &self,
        run: &mut Run,
        growth: [f64; 2],
        d: &mut <gradyn_model::Mechanics as System>::Data<f64>,
    ) {
        let Some(scheme) = run.method.scheme() else { return };
        let [q, v, forces, accelerations, _] = self.scales(run, d);
        let h = run.trajectory.plan.h.iter().fold(f64::INFINITY, |s, h| s.min(*h));
        let (m, (iterations, n)) = (&run.method, run.trajectory.statistics.slowest);
        if iterations >= WANDERING {
            let t = run.trajectory.plan.t[n];
            let text = format!(
                "the step to t = {t} s needed {iterations} iterations; it may have come to another solution of its equations: take shorter steps"
            );
            run.warnings.push(Warning::new(WarningCode::SlowNewton, text));
        }
        if m.formulation.position_level() && m.projections() == Projections::Off && !scheme.dissipates() {
            let grew = growth[1] / growth[0].max(f64::MIN_POSITIVE);
            // q̇ = γ Δq/(βh): rounding of Φ̇ = Φ_q q̇, of which some hundred add up
            let rounding = 100.0 * f64::EPSILON * q * v.max(q * scheme.gamma / (scheme.beta * h));
            // 3: what begins at zero doubles by itself
            if grew > 3.0 && growth[1] > rounding {
                let text = format!(
                    "without projections the velocity violation |Φ̇| grows ({:.1e} in the first half of the run, {:.1e} in the second, × {grew:.1}); use projection=on",
                    growth[0], growth[1]
                );
                run.warnings.push(Warning::new(WarningCode::UnstableIndex3, text));
            }
        }
        // a = Δq/(βh²): rounding of q is amplified. At rest accelerations are small against those of the
        // forces alone; where nothing acts either, they are nothing but rounding and there is nothing to
        // compare with.
        let noise = f64::EPSILON * q / (scheme.beta * h * h);
        let alone = forces / largest_mass(&self.model.system, &self.model.slots(&self.rho));
        let scale = accelerations.max(alone);
        if self.model.system.reads_dynamics()
            && noise > 1e-6 * scale
            && (alone > 0.0 || accelerations > 10.0 * noise)
        {
            let text = format!(
                "at h = {h:.1e} s rounding makes accelerations and reactions uncertain by {noise:.1e} of {scale:.1e}"
            );
            run.warnings.push(Warning::new(WarningCode::SmallStep, text));
        }
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
