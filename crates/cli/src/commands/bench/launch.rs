//! One launch of a bench: a fresh process, with a folder of its own for what criterion writes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use placelab_regress::{FileError, Mistake, read_criterion};
use placelab_sim::diagnostics::shown;

use super::file_failure;
use super::program::Program;
use crate::failure::Failure;
use crate::interrupt;

/// Short: many launches say more than a long one.
const SETTINGS: [&str; 9] = [
    "--noplot",
    "--warm-up-time",
    "0.1",
    "--measurement-time",
    "0.3",
    "--sample-size",
    "10",
    // Of what criterion draws anew only the median is read, which needs none of it.
    "--nresamples",
    "1001",
];
/// Bytes of what a bench says that a message repeats.
const SAID_BYTES_MAX: u64 = 1_000;

/// Median nanoseconds of an element by the ids of benches.
pub(super) type Medians = BTreeMap<String, f64>;

/// Where launches write, and which benches they take.
pub(super) struct Launcher<'a> {
    folder: &'a Path,
    filter: Option<&'a str>,
    launches: u32,
}

impl<'a> Launcher<'a> {
    pub(super) fn new(folder: &'a Path, filter: Option<&'a str>) -> Self {
        Launcher { folder, filter, launches: 0 }
    }

    /// Launches a program and waits until it ends.
    pub(super) fn launch(&mut self, program: &Program) -> Result<Medians, Failure> {
        // Of one length too, as the paths of the programs are.
        let home = self.folder.join(format!("launch-{:04}", self.launches));
        self.launches += 1;
        fs::create_dir(&home)?;
        let said = home.join("said");
        let status = Command::new(&program.path)
            .arg("--bench")
            .args(self.filter)
            .args(SETTINGS)
            .env("CRITERION_HOME", &home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&said)?)
            .status()
            .with_context(|| format!("{}: cannot be started", program.name))?;
        interrupt::check()?;
        if !status.success() {
            let (name, said) = (&program.name, last_words(&said));
            return Err(Failure::Internal(anyhow::anyhow!("{name}: {status}\n{said}")));
        }
        let medians = self.medians(&home).map_err(|error| self.explained(program, error))?;
        fs::remove_dir_all(&home)?;
        Ok(medians)
    }

    /// What a launch wrote; all of it has to be whole.
    fn medians(&self, home: &Path) -> Result<Medians, FileError> {
        let mut read = read_criterion(home, "new")?;
        match read.faults.is_empty() {
            true => Ok(read.benches.into_iter().map(|b| (b.id, b.median_ns)).collect()),
            false => Err(read.faults.swap_remove(0)),
        }
    }

    fn explained(&self, program: &Program, error: FileError) -> Failure {
        match (&*error.mistake, self.filter) {
            (Mistake::NoBench { .. }, Some(filter)) => Failure::Invalid(format!(
                "{}: no bench matches --filter `{filter}`\nhelp: `BENCH --bench --list` prints \
                 what there is",
                program.name
            )),
            (Mistake::NoBench { .. }, None) => Failure::Invalid(format!(
                "{}: it ran no bench\nhelp: is it a bench of criterion?",
                program.name
            )),
            _ => file_failure(error),
        }
    }
}

/// The end of what a program said.
fn last_words(path: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(path)?;
        let start = file.metadata()?.len().saturating_sub(SAID_BYTES_MAX);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(SAID_BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let words = read().unwrap_or_default();
    words.trim_end().lines().map(shown).collect::<Vec<_>>().join("\n")
}
