//! `placelab table activate`: one version in the place of the one that it was planned from.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use placelab_sim::diagnostics::shown;
use placelab_tables::{ActivateError, activate};

use super::file_failure;
use crate::failure::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// The table that is to become active
    next: PathBuf,
    /// The file that clients read: the version that the next one replaces, or nothing yet
    active: PathBuf,
    /// One JSON object instead of a sentence
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let activated = activate(&self.next, &self.active).map_err(|error| match error {
            ActivateError::File(error) => file_failure(error),
            refused => Failure::Unmet(refused.to_string()),
        })?;
        let mut out = io::stdout().lock();
        if self.json {
            let (version, replaced) = (activated.version, activated.replaced);
            let json = serde_json::json!({ "version": version, "replaced": replaced });
            return Ok(writeln!(out, "{json:#}")?);
        }
        let replaced = activated.replaced.map_or("the first one there".into(), |replaced| {
            format!("in the place of version {replaced}")
        });
        let active = shown(&self.active.display().to_string());
        Ok(writeln!(out, "version {} is active in {active}, {replaced}", activated.version)?)
    }
}
