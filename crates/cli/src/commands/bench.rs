//! `placelab bench`: whether a change made a bench slower, and what benches took over time.

mod compare;
mod history;
mod launch;
mod program;
mod record;
mod repository;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use placelab_regress::{FileError, Mistake, check_machine_name};

use crate::failure::Failure;

/// What can be done with benches.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Add what `cargo bench` found to the history of this machine
    Record(record::Options),
    /// Launch two builds in turns and say whether one is slower than this machine's noise
    Compare(compare::Options),
    /// Say what benches took over the recorded runs, and draw it
    History(history::Options),
}

impl Command {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::Record(options) => options.run(),
            Command::Compare(options) => options.run(),
            Command::History(options) => options.run(),
        }
    }
}

/// Where the history is.
#[derive(Args)]
struct Place {
    /// Folder of the history, a file for each machine
    #[arg(long, value_name = "DIR", default_value = "reports/history")]
    history: PathBuf,
}

/// What a file that cannot be used means for the exit code.
fn file_failure(error: FileError) -> Failure {
    let text = error.to_string();
    match *error.mistake {
        Mistake::Unreadable(_) | Mistake::Unwritable(_) => Failure::Internal(anyhow::anyhow!(text)),
        Mistake::TooLarge { .. } => Failure::Limit(text),
        _ => Failure::Invalid(text),
    }
}

/// A name given by --machine, if a machine may have it.
fn checked_name(name: &str) -> Result<(), Failure> {
    let refused = |mistake| Failure::Invalid(format!("--machine `{name}`: {mistake}"));
    check_machine_name(name).map_err(refused)
}

/// Nanoseconds with the digits that matter.
fn ns(value: f64) -> String {
    crate::number::number(value)
}

/// A difference as a part: `+12.3 %`.
fn signed_percent(part: f64) -> String {
    format!("{:+.1} %", part * 100.0)
}
