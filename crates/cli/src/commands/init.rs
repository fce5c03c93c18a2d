//! `placelab init`: a commented scenario to start from.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;

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
            Ok(mut file) => file.write_all(TEMPLATE.as_bytes())?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Failure::Invalid(format!(
                    "{shown} exists already: choose another name"
                )));
            }
            Err(error) => return Err(anyhow::anyhow!("cannot write {shown}: {error}").into()),
        }
        eprintln!("wrote {shown}; try: placelab check {shown}");
        Ok(())
    }
}
