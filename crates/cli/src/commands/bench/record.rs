//! `placelab bench record`: what `cargo bench` found goes to the history of this machine.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use placelab_regress::{append, read_criterion};
use placelab_results::history::SCHEMA;
use placelab_results::{BenchMachine, BenchRun};
use placelab_sim::diagnostics::shown;
use placelab_timing::{cores, cpu, host_name, now, rustc};
use serde_json::json;

use super::{Place, checked_name, file_failure, repository};
use crate::failure::{Failure, warn};
use crate::number::grouped;

#[derive(Args)]
pub(crate) struct Options {
    /// Criterion's folder, where not as `cargo bench` has it: target/criterion. Benches of earlier
    /// runs that are still there are recorded too
    #[arg(long, value_name = "DIR")]
    criterion: Option<PathBuf>,
    /// Which of the saved baselines; `new` is the last run
    #[arg(long, value_name = "NAME", default_value = "new")]
    baseline: String,
    #[command(flatten)]
    place: Place,
    /// What this machine is called, where not as it calls itself
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// One JSON object instead of a line
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let machine = self.machine()?;
        let folder = self.criterion.clone().unwrap_or_else(default_folder);
        let mut read = read_criterion(&folder, &self.baseline).map_err(file_failure)?;
        if read.benches.is_empty() {
            // There is something, and nothing of it is whole.
            return Err(file_failure(read.faults.swap_remove(0)));
        }
        for fault in &read.faults {
            warn(&format!("left out: {fault}"));
        }
        let run = BenchRun {
            schema: SCHEMA,
            machine,
            commit: repository::head(),
            is_dirty: repository::is_dirty(),
            when: now(),
            rustc: rustc().into(),
            benches: read.benches,
        };
        let added = append(&self.place.history, &run).map_err(file_failure)?;
        if let Some(aside) = &added.torn {
            warn(&format!("the last line was torn: it is kept in {}", aside.display()));
        }
        let file = added.path.display().to_string();
        let mut out = io::stdout().lock();
        if self.json {
            let json = json!({
                "file": file,
                "runs": added.runs,
                "benches": run.benches.len(),
                "left_out": read.faults.len(),
                "torn": added.torn.map(|aside| aside.display().to_string()),
            });
            return Ok(writeln!(out, "{json:#}")?);
        }
        let benches = grouped(&run.benches.len().to_string());
        let word = if run.benches.len() == 1 { "bench" } else { "benches" };
        let (file, runs) = (shown(&file), added.runs);
        Ok(writeln!(out, "recorded {benches} {word} as run {runs} of {file}")?)
    }

    /// This machine under the name that it was given or gives itself.
    fn machine(&self) -> Result<BenchMachine, Failure> {
        let name = match &self.machine {
            Some(name) => {
                checked_name(name)?;
                name.clone()
            }
            None => {
                let name = host_name().unwrap_or_default();
                let unfit =
                    || Failure::Invalid("this machine has no name: give it by --machine".into());
                checked_name(&name).map_err(|_| unfit())?;
                name
            }
        };
        Ok(BenchMachine { name, cpu: cpu(), cores: cores() })
    }
}

/// Where criterion writes: as its own variable says, or cargo's, or below the target folder.
fn default_folder() -> PathBuf {
    if let Some(home) = env::var_os("CRITERION_HOME") {
        return home.into();
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    target.join("criterion")
}
