//! The command line.

mod studies;

pub(crate) use studies::{OptimizeArgs, SuiteArgs, SweepArgs, VerifyArgs};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Multibody dynamics with exact gradients.
#[derive(Parser)]
#[command(
    name = "gradyn",
    version,
    after_help = "Exit codes: 0 done; 1 the computation failed, or `verify` or `suite` found a disagreement; 2 \
        the command line or the model file is wrong."
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
    /// Pinned benchmarks against references whose accuracy is known
    Suite(SuiteArgs),
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
        /// Replace the file if it exists
        #[arg(long, requires = "out")]
        overwrite: bool,
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
    /// Let the record of a fit be outside of the folder of the model
    #[arg(long)]
    pub allow_path: bool,
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
    /// Memory for the records of a run, such as 256MiB: some are kept and the others are made again, every
    /// bit as without it; all are kept if absent
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
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
    /// Replace the file if it exists
    #[arg(long, requires = "out")]
    pub overwrite: bool,
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
    #[arg(long, value_name = "FILE", conflicts_with = "memory")]
    pub out: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long, requires = "out")]
    pub overwrite: bool,
    /// Do not ask whether the gradient is that of the problem, nor what it is known to
    #[arg(long)]
    pub no_certificate: bool,
    /// Exit code 1 unless the verdict of the certificate is `trusted`
    #[arg(long, conflicts_with = "no_certificate")]
    pub strict: bool,
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

impl MethodArgs {
    /// Nothing asked: the file decides.
    pub(crate) fn none() -> Self {
        Self {
            formulation: None,
            integrator: None,
            step: None,
            rtol: None,
            atol: None,
            option: vec![],
            memory: None,
        }
    }
}
