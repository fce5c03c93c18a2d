//! The command line: wires registry, simulator, timing and report; no logic of its own.
//!
//! One file a command in `commands/`. Data goes to standard output, talk and progress to standard
//! error. Exit codes are those of [`failure::Failure`].

mod commands;
mod failure;
mod folder;
mod interrupt;
mod meter;
mod number;
mod progress;
mod table;

use std::process::ExitCode;

use clap::Parser;
use placelab_algorithms::simd;

use commands::Command;
use failure::{Failure, say};

/// Comparative benchmark and simulation suite for key placement (consistent hashing).
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

/// Forces the vector instructions that `PLACELAB_SIMD` names.
fn force_level() -> Result<(), Failure> {
    let Some(name) = std::env::var_os("PLACELAB_SIMD") else { return Ok(()) };
    let forced = name.to_string_lossy().parse().and_then(simd::force);
    forced.map_err(|error| Failure::Invalid(format!("PLACELAB_SIMD: {error}")))
}

fn main() -> ExitCode {
    let options = Options::parse();
    match force_level().and_then(|()| options.command.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}
