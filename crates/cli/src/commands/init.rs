//! `placelab init`: a commented scenario to start from.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use crate::failure::{Failure, say};

#[derive(Args)]
pub(crate) struct Options {
    /// The file to write; standard output where none is given. Never overwrites.
    file: Option<PathBuf>,
}

/// The scenario; a test holds that it is valid.
pub(crate) const TEMPLATE: &str = include_str!("init.toml");

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let Some(path) = self.file else {
            return Ok(io::stdout().lock().write_all(TEMPLATE.as_bytes())?);
        };
        let shown = path.display();
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                if let Err(error) = file.write_all(TEMPLATE.as_bytes()) {
                    // Half a scenario helps nobody, and would be in the way of the next try.
                    let _ = std::fs::remove_file(&path);
                    return Err(anyhow::anyhow!("cannot write {shown}: {error}").into());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Failure::Invalid(format!(
                    "{shown} exists already: choose another name"
                )));
            }
            Err(error) => return Err(anyhow::anyhow!("cannot write {shown}: {error}").into()),
        }
        let wrote = format!("wrote {shown}; try: placelab check {shown}");
        say(&placelab_sim::diagnostics::shown(&wrote));
        Ok(())
    }
}
