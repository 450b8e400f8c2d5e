//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Multibody dynamics with exact gradients.
#[derive(Parser)]
#[command(
    name = "gradyn",
    version,
    after_help = "Exit codes: 0 done; 1 the computation failed, or `verify` found a disagreement; 2 the \
        command line or the model file is wrong."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Parse and assemble a model: degrees of freedom, constraints, parameters and what they reach
    Check(CheckArgs),
    /// Run a model: trajectory as a table, summary of energy, drift and steps
    Simulate(RunArgs),
    /// Objectives and their gradients by one method
    Gradient(GradientArgs),
    /// The static equilibrium that a model starts in: places, forces, reactions, efforts of supports, and
    /// their sensitivities
    Equilibrium(EquilibriumArgs),
    /// Every formulation, integrator and sensitivity against one reference, in units of the error that each
    /// should have
    Verify(VerifyArgs),
    /// The parameters that make an objective least: progress, history, resume
    Optimize(OptimizeArgs),
    /// Objectives and gradients for many values of the parameters, as a table
    Sweep(SweepArgs),
    /// What there is: coordinates, formulations, integrators, sensitivities, options, joints, forces,
    /// sensors, optimizers, examples
    List { what: What },
    /// Write a bundled model file to start from
    Example {
        /// Name of the example (`gradyn list examples`)
        name: String,
        /// File to write; the screen if absent
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// JSON Schema of the model file, for editors
    Schema,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum What {
    Coordinates,
    Formulations,
    Integrators,
    Sensitivities,
    Options,
    Joints,
    Forces,
    Sensors,
    Optimizers,
    Examples,
}

#[derive(Args)]
pub(crate) struct ModelArgs {
    /// Model file (.toml, or .json with the same schema)
    pub model: PathBuf,
    /// Set a parameter or a constant; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Coordinates (`gradyn list coordinates`); those of the file, or natural, if absent
    #[arg(long, value_name = "NAME")]
    pub coordinates: Option<String>,
    /// Final time [s]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub t_end: Option<String>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// No progress and no warnings
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Print the model as TOML in which every instance of a template is written out, and nothing else
    #[arg(long, conflicts_with_all = ["json", "set", "t_end"])]
    pub expand: bool,
}

#[derive(Args)]
pub(crate) struct MethodArgs {
    /// Formulation (`gradyn list formulations`)
    #[arg(long)]
    pub formulation: Option<String>,
    /// Integrator (`gradyn list integrators`)
    #[arg(long)]
    pub integrator: Option<String>,
    /// Fixed step [s], such as 0.001 or "1 ms"
    #[arg(long, value_name = "H", conflicts_with_all = ["rtol", "atol"], allow_negative_numbers = true)]
    pub step: Option<String>,
    /// Relative tolerance of adaptive steps
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub rtol: Option<f64>,
    /// Absolute tolerance of adaptive steps; the relative one if absent
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    pub atol: Option<f64>,
    /// Option of the method (`gradyn list options`); repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub option: Vec<String>,
}

#[derive(Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Write the table to a file: .csv or .json
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Time between rows of the table [s]; every step if absent
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub output_step: Option<String>,
    /// Estimate the error of the formulation penalty by a second run with 10 alpha
    #[arg(long)]
    pub penalty_error: bool,
}

#[derive(Args)]
pub(crate) struct GradientArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Sensitivity method (`gradyn list sensitivities`)
    #[arg(long)]
    pub sensitivity: Option<String>,
    /// Write the history to a file (.csv or .json): sensitivities of every sensor against time for direct
    /// methods; for the adjoint the running gradient, the contribution of each step and dψ/d(initial state)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Check one direction of the gradient by a complex step through the program
    #[arg(long)]
    pub certify: bool,
    /// Estimate the error of the formulation penalty by a second run with 10 alpha
    #[arg(long)]
    pub penalty_error: bool,
}

#[derive(Args)]
#[command(after_help = "\
The model says `equilibrium` in [initial], with conditions for what the forces leave free (the place of a \
vehicle on the road, the angle of
a wheel) and, as `hold`, for what a support holds:

  [initial]
  equilibrium = { \"chassis.com.x\" = 0, \"chassis.yaw\" = 0 }
  hold        = { \"arm.angle\" = 0.1 }

Forces with active = \"motion\" are left out. Reactions and forces are those of the statics.

Examples:
  gradyn equilibrium quarter_car.toml
  gradyn equilibrium quarter_car.toml --set m_body=400 --gradient --json")]
pub(crate) struct EquilibriumArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Derivatives of the outputs (of the places of bodies, without [output]) with respect to the parameters
    #[arg(long)]
    pub gradient: bool,
}

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
Ctrl-C ends after the current one. The same command with --resume goes on, to the same result in every bit.

Exit codes: 0 a local optimum, a limit was reached, or Ctrl-C; 1 no start, no step or no solution; 2 the \
command line or the model file
is wrong.

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
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "\
One row for each sample: parameters, objectives, their derivatives, and why where there is no value. Samples \
are evaluated in parallel;
the table is the same for any number of threads. With --resume the rows that are there are kept.

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
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub random: Option<u32>,
    /// Seed of the random samples
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Samples from a .csv file whose columns are parameters
    #[arg(long, value_name = "FILE")]
    pub samples: Option<PathBuf>,
    /// Table to write (.csv, .parquet); the screen if absent
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Go on where the table ends
    #[arg(long, requires = "out")]
    pub resume: bool,
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

Exit codes: 0 no disagreement but explained ones; 1 a disagreement; 2 the command line or the model file is \
wrong.

Examples:
  gradyn verify five_bar.toml
  gradyn verify five_bar.toml --full --budget 5min --json")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The whole product formulation × integrator × sensitivity, not only the star around two centres
    #[arg(long)]
    pub full: bool,
    /// Run only what fits into this time, such as 60s, 2min or 500ms, the star first; the rest is listed
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

impl MethodArgs {
    /// Nothing asked: the file decides.
    pub(crate) fn none() -> Self {
        Self { formulation: None, integrator: None, step: None, rtol: None, atol: None, option: vec![] }
    }
}
