//! The command line: wires registry, simulator, timing and report; no logic of its own.
//!
//! One file a command in `commands/`. Data goes to standard output, talk and progress to standard
//! error. Exit codes are those of [`failure::Failure`].

mod commands;
mod failure;
mod folder;
mod meter;
mod number;
mod progress;
mod table;

use std::process::ExitCode;

use clap::Parser;

use commands::Command;
use failure::{Failure, say};

/// Comparative benchmark and simulation suite for key placement (consistent hashing).
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match Options::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}
