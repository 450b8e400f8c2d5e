//! Arguments of the commands that run a model many times.

use super::{MethodArgs, ModelArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "\
The model says in its study what to do:

  [study.optimize]
  minimise   = \"psi\"                                                # or a weighted sum \
  { psi1 = 1, psi2 = 0.2 }
  parameters = [\"kL1\", \"cS1\"]                                     # all if absent; bounds and scales are \
  those of [parameters]
  constraint = { stroke = { objective = \"psi2\", max = 0.1 } }
  starts     = { count = 100, seed = 1 }                              # many starts between the bounds, in \
  parallel

or, in place of minimise, which record to fit:

  fit        = { record = \"measured.csv\", columns = { x = { scale = 0.002 } } }

A design that cannot be assembled or simulated shortens the step. Every evaluation is a line of the history, \
with all digits;
Ctrl-C or SIGTERM ends after the current one. The same command with --resume goes on, to the same result in \
every bit.

Exit codes: 0 a local optimum, a limit was reached, or it was ended; 1 no start, no step or no solution; 2 \
the command line or the model
file is wrong.

Examples:
  gradyn optimize five_bar_balance.toml --write balanced.toml
  gradyn optimize four_bar_synthesis.toml --starts 20 --seed 7
  gradyn optimize five_bar_identification.toml
  gradyn optimize iltis.toml --coordinates relative-0 --resume")]
pub(crate) struct OptimizeArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Sensitivity method (`gradyn list sensitivities`)
    #[arg(long)]
    pub sensitivity: Option<String>,
    /// Optimiser (`gradyn list optimizers`); that of the file if absent
    #[arg(long, value_name = "NAME")]
    pub optimizer: Option<String>,
    /// So many starts between the bounds of the parameters, the model as it is included; those of the file if
    /// absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub starts: Option<u32>,
    /// Seed of the starts
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// How the starts are spread: sobol or latin-hypercube
    #[arg(long, value_name = "NAME")]
    pub sampling: Option<String>,
    /// Most evaluations of each start, those of the history included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_evaluations: Option<u32>,
    /// History, one line of JSON for each evaluation; MODEL.history.jsonl if absent
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Go on where the history ends
    #[arg(long)]
    pub resume: bool,
    /// Write the model file with the new values; comments and layout stay
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Write the table of the new design to a file (.csv or .json), and that of the start beside it
    /// (.before.csv or .before.json)
    #[arg(long, value_name = "FILE", conflicts_with = "memory")]
    pub out: Option<PathBuf>,
    /// Replace files that exist, the model by --write too; --resume does so but for the history and the model
    #[arg(long)]
    pub overwrite: bool,
    /// Let the record of a fit be outside of the folder of the model
    #[arg(long)]
    pub allow_path: bool,
    /// Do not ask whether the gradient of the last design is that of the problem
    #[arg(long)]
    pub no_certificate: bool,
    /// Exit code 1 unless the verdict of the certificate is `trusted`
    #[arg(long, conflicts_with = "no_certificate")]
    pub strict: bool,
}

#[derive(Args)]
#[command(after_help = "\
One row for each sample: parameters, objectives, their derivatives, kinds of warnings with their counts, and \
why where there is no value.
Samples are evaluated in parallel; the table is the same for any number of threads. With --resume the rows \
that are there are kept.

Examples:
  gradyn sweep five_bar_balance.toml --vary L_s1=2:3:11 --vary L_s2=1.5,2,2.5 --out table.csv
  gradyn sweep five_bar_balance.toml --vary L_s1=2:3 --vary L_s2=1:2 --random 100 --seed 7 --out table.csv
  gradyn sweep five_bar_balance.toml --samples designs.csv --out table.csv --resume")]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Sensitivity method (`gradyn list sensitivities`)
    #[arg(long)]
    pub sensitivity: Option<String>,
    /// Values of a parameter: FROM:TO:COUNT or A,B,C for a grid; FROM:TO with --random; repeatable
    #[arg(long, value_name = "NAME=VALUES", required_unless_present = "samples", conflicts_with = "samples")]
    pub vary: Vec<String>,
    /// So many random samples (a Latin hypercube) instead of a grid
    #[arg(long, value_name = "N", conflicts_with = "samples")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub random: Option<u32>,
    /// Seed of the random samples
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Samples from a .csv file whose columns are parameters, below the folder of the model
    #[arg(long, value_name = "FILE")]
    pub samples: Option<PathBuf>,
    /// Let the file of the samples be elsewhere
    #[arg(long, requires = "samples")]
    pub allow_path: bool,
    /// Table to write (.csv, .parquet); the screen if absent
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Go on where the table ends
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Replace the table if it exists
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub overwrite: bool,
    /// A column with the verdict of the certificate of each gradient; costs some more runs a row
    #[arg(long)]
    pub certificate: bool,
    /// Threads; one for each core if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
}

#[derive(Args)]
#[command(after_help = "\
A row is one combination. `off` is the distance of its worst entry from what it is compared with, `expected` \
the error that it should
have: h against h/2 for fixed steps, a tolerance against a hundredth of it for adaptive ones, alpha against \
10 alpha for penalty,
rounding for derivatives of the same run, the error of differences. Both are relative to the size of the \
objective: the largest of its
value and of its gradient times the scales of the parameters. `ratio` is one by the other.
  ✓ agrees: ratio up to 10    ~ loose: so does it, but the expected error is above 5 %    ! explained: a \
  warning of the run says why
  ✗ differs                   - refused, or stopped, with the reason

All methods differentiate runs. Whether the gradient of the reference is that of the problem is asked of runs of \
designs beside this one.

Exit codes: 0 no disagreement but explained ones; 1 a disagreement, with other methods or with runs of moved \
designs, or nothing was
compared; 2 the command line or the model file is wrong.

Examples:
  gradyn verify five_bar.toml
  gradyn verify five_bar.toml --full --budget 5min --json")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The whole product formulation × integrator × sensitivity, not only the star around two centres
    #[arg(long)]
    pub full: bool,
    /// Run only what fits into this time, such as 60s, 2min or 500ms, the reference and the star first; the
    /// rest is listed
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub budget: Option<String>,
    /// Formulation of a centre (`gradyn list formulations`); that of the file if absent
    #[arg(long)]
    pub formulation: Option<String>,
    /// Integrator of a centre (`gradyn list integrators`); that of the file if absent
    #[arg(long)]
    pub integrator: Option<String>,
    /// Step of the integrators with fixed steps [s], such as 0.001 or "1 ms"
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub step: Option<String>,
    /// Option of the methods that use it (`gradyn list options`); repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub option: Vec<String>,
}

impl VerifyArgs {
    /// What is asked of the method.
    pub(crate) fn method(&self) -> MethodArgs {
        let formulation = self.formulation.clone();
        let integrator = self.integrator.clone();
        MethodArgs {
            formulation,
            integrator,
            step: self.step.clone(),
            option: self.option.clone(),
            ..MethodArgs::none()
        }
    }
}

#[derive(Args)]
#[command(after_help = "\
A number agrees with its reference if it is within `accuracy`: that of the reference and that of the method.

Examples:
  gradyn suite
  gradyn suite five_bar coach --json
  gradyn suite --export suite

Exit codes: 0 everything agrees; 1 something does not, or did not run; 2 the command line is wrong.")]
pub(crate) struct SuiteArgs {
    /// Benchmarks to run (`gradyn suite --list`); all of them if absent
    pub names: Vec<String>,
    /// Name the benchmarks and run nothing
    #[arg(long, conflicts_with_all = ["json", "export"])]
    pub list: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Write the benchmarks as JSON files for other programs into a folder, and run nothing
    #[arg(long, value_name = "FOLDER", conflicts_with = "json")]
    pub export: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long, requires = "export")]
    pub overwrite: bool,
    /// No progress
    #[arg(long)]
    pub quiet: bool,
}
