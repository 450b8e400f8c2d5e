//! Memory that the records of a run may take.
//!
//! Within a budget a run keeps some of its records and makes the others again when they are asked for
//! (docs/design/37-memory.md); what it computes has every bit as without a budget.

use crate::error::Error;
use crate::prepare::Run;
use crate::registry::Sensitivity;
use gradyn_dynamics::{Budget, StepRecipe, Trajectory};

/// A budget for the records of a run, and what is free without one; none is known by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The most that records and plan may take [bytes].
    pub budget: Option<usize>,
    /// Memory of the machine that is free [bytes]: a run that needs more is refused.
    pub free: Option<usize>,
}

impl Memory {
    /// A trajectory that has only begun, within this memory; `p` are the slots of the run.
    pub(crate) fn limit(self, run: Trajectory, recipe: &StepRecipe, p: &[f64]) -> Trajectory {
        match self.budget {
            Some(bytes) => run.within(recipe, p, Budget { bytes }),
            None => run.with_free(self.free),
        }
    }
}

/// Sensitivities that need every record at once, and so no budget.
fn needs_all(sensitivity: Sensitivity) -> bool {
    let differences = [Sensitivity::FiniteDifference, Sensitivity::Extrapolated];
    sensitivity.is_continuous() || differences.contains(&sensitivity)
}

/// Refuses a sensitivity that cannot do with the records that a budget keeps.
pub(crate) fn check_sensitivity(run: &Run, sensitivity: Sensitivity) -> Result<(), Error> {
    if run.trajectory.is_whole() || !needs_all(sensitivity) {
        return Ok(());
    }
    refuse(sensitivity.name())
}

/// Refuses what needs every record at once, by its name, of a run with a budget.
pub(crate) fn check_whole(run: &Run, what: &str) -> Result<(), Error> {
    if run.trajectory.is_whole() { Ok(()) } else { refuse(what) }
}

fn refuse(what: &str) -> Result<(), Error> {
    let message = format!("{what} needs all records of a run at once, and this run has a memory budget");
    let help = "use discrete-adjoint, discrete-direct, automatic or complex-step, or run without the budget";
    Err(Error::method(message, help))
}
