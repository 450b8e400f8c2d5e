//! What can be asked of a model that is built, assembled and checked: other designs, and runs.

pub use crate::prepare::{Prepared, Run};

use crate::diagnose::{self, on_another_branch};
use crate::error::Error;
use crate::method::Method;
use crate::progress::{Observer, Stopwatch};
use crate::registry::Formulation;
use gradyn_dynamics::Trajectory;
use gradyn_dynamics::simulate::continue_run;
use gradyn_model::{LONGEST_PATH, ModelError};
use gradyn_sensitivity::values;
use std::ops::ControlFlow;

/// Parts of the way to a design that cannot be assembled at once.
const WALK: usize = 8;

impl Prepared {
    /// This model at other parameters, on this branch: at once if it can be, else by a straight walk of some
    /// designs from here to there. What comes out depends on where the walk begins, and not on designs
    /// before.
    pub fn at_on_branch(&self, rho: &[f64]) -> Result<Self, Error> {
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
    /// Refuses methods that do not exist, and those that do not fit this model.
    pub fn check_method(&self, method: &Method) -> Result<(), Error> {
        method.check()?;
        self.check_freedoms(method)?;
        self.check_long(method)?;
        self.check_events(method)?;
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
    /// Refuses methods that cannot follow what events do.
    fn check_events(&self, method: &Method) -> Result<(), Error> {
        let sys = &self.model.system;
        if sys.switches_rows() && method.has_freedoms() {
            let message = "freedoms: events switch constraints, and with them the number of freedoms";
            return Err(Error::method(message, "name none: maggi chooses them"));
        }
        let hit = sys.events().iter().find(|e| e.changes_velocities());
        match hit.filter(|_| sys.is_long()) {
            Some(e) => {
                let message = format!("event `{}` changes velocities of a tree with a long path", e.name);
                Err(Error::method(message, "use natural or Cartesian coordinates"))
            }
            None => Ok(()),
        }
    }
    /// Refuses methods that need matrices n × n where a path of the tree is too long for them.
    fn check_long(&self, method: &Method) -> Result<(), Error> {
        let whole = matches!(method.formulation, Formulation::Index1 | Formulation::Penalty);
        if !self.model.system.is_long()
            || (method.integrator.is_explicit() && whole && !method.projects_nodes())
        {
            return Ok(());
        }
        let names = format!("{} + {}", method.formulation.name(), method.integrator.name());
        let projected = if method.projects_nodes() { ", stabilisation=projection" } else { "" };
        let message = format!(
            "{names}{projected} needs tangent matrices, which {} coordinates have up to paths of \
             {LONGEST_PATH} coordinates; this tree has a longer one",
            self.model.family.name()
        );
        let help = "use natural coordinates, whose matrices are sparse, or index1 or penalty with an \
                    explicit integrator: rk4, dopri5, dop853, adams";
        Err(Error::method(message, help))
    }
    /// Runs from the start to the final time.
    pub fn run(&self, method: &Method) -> Result<Run, Error> {
        self.simulate(method, &mut |_| ControlFlow::Continue(()))
    }
    /// Runs from the start to the final time, or until the observer, which is called after each step, breaks
    /// the run off.
    pub fn simulate(&self, method: &Method, observe: Observer) -> Result<Run, Error> {
        self.inspected(self.walk_through(method, observe)?)
    }
    /// A run with what there is to know about it; what it must not have passed or decided is an error.
    #[doc(hidden)]
    pub fn inspected(&self, mut run: Run) -> Result<Run, Error> {
        let p = self.model.slots(&run.rho);
        diagnose::inspect(self, &mut run, &p)?;
        run.trajectory.check_made()?;
        Ok(run)
    }
    /// A run of which nobody asks more than values.
    pub(crate) fn uninspected(&self, method: &Method) -> Result<Run, Error> {
        self.walk_through(method, &mut |_| ControlFlow::Continue(()))
    }
    /// A run from the start to the final time, before it is inspected.
    fn walk_through(&self, method: &Method, observe: Observer) -> Result<Run, Error> {
        // mesh and controller of the method
        self.check_method(method)?;
        let mesh = self.mesh()?;
        let p = self.model.slots(&self.rho);
        let control = method.controller(mesh.end() - mesh.start.0);
        check_length(control.step, mesh.end() - mesh.start.0)?;
        let watch = Stopwatch::start();
        let observe = &mut watch.observer(mesh.end(), observe);
        // the run, step by step
        let recipe = method.build(&self.model);
        let angles = &self.model.angles;
        let mut trajectory = method.memory.limit(Trajectory::start(&recipe, angles, &mesh), &recipe, &p);
        let until = self.model.until.then(|| trajectory.layout.o - 1);
        continue_run(&recipe, &p, angles, &mesh, &control, until, observe, &mut trajectory)
            .map_err(|e| diagnose::explain(self, e, method, &trajectory, &p))?;
        // values of the objectives at the end that was found
        let psi = self.outer(values(&recipe, &self.model.slots(&self.rho_of(&trajectory)), &trajectory));
        let seconds = watch.seconds();
        let rho = self.rho_of(&trajectory);
        // nothing is seen on it yet
        Ok(Run {
            method: method.clone(),
            trajectory,
            psi: psi[..self.objectives().len()].to_vec(),
            seconds,
            warnings: method.unused_options(),
            drift: [0.0; 2],
            energy: (0.0, 0.0),
            system: self.model.system.clone(),
            rho,
            jump: None,
            passed: None,
            singular: None,
        })
    }
}

/// Refuses a fixed step [s] that is longer than the run.
fn check_length(step: Option<f64>, duration: f64) -> Result<(), Error> {
    match step.filter(|h| *h > duration * (1.0 + 1e-9)) {
        None => Ok(()),
        Some(h) => {
            let message = format!("a step of {h} s is longer than the run of {duration} s");
            Err(Error::method(message, "give a shorter one, such as a hundredth of the run"))
        }
    }
}
