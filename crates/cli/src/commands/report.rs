//! `placelab report`: a report drawn again from its results.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use placelab_results::{RunResults, Timings, schema, timings};
use placelab_sim::diagnostics::shown;
use serde::de::DeserializeOwned;

use crate::failure::{Failure, say};
use crate::folder::{self, RESULTS, TIMINGS, read_text};

#[derive(Args)]
pub(crate) struct Options {
    /// The report's folder, which holds results.json and perhaps timings.json
    dir: PathBuf,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let shown_dir = shown(&self.dir.to_string_lossy());
        // With every link and dot resolved, so that `.` has a name too.
        let dir = self.dir.canonicalize().with_context(|| format!("cannot read {shown_dir}"))?;
        let (results, timings) = read(&dir)?;
        write(&dir, &results, timings.as_ref())?;
        say(&format!("drew {shown_dir} again"));
        Ok(())
    }
}

/// Reads what a report's folder holds.
pub(crate) fn read(dir: &Path) -> Result<(RunResults, Option<Timings>), Failure> {
    let results = read_results(&dir.join(RESULTS))?;
    let path = dir.join(TIMINGS);
    let read = || read_json(&path, timings::SCHEMA);
    Ok((results, path.exists().then(read).transpose()?))
}

/// Reads a file of results.
pub(crate) fn read_results(path: &Path) -> Result<RunResults, Failure> {
    read_json(path, schema::SCHEMA)
}

fn read_json<T: DeserializeOwned>(path: &Path, schema: u32) -> Result<T, Failure> {
    let shown = path.display();
    let text = read_text(path).with_context(|| format!("cannot read {shown}"))?;
    let invalid = |reason: String| {
        Failure::Invalid(format!("{shown}: {reason}; only this version's results can be read"))
    };
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    if json["schema"] != schema {
        return Err(invalid(format!("its schema is not {schema}")));
    }
    serde_json::from_value(json).map_err(|error| invalid(error.to_string()))
}

/// Draws a report and puts it in its place.
pub(crate) fn write(
    dir: &Path,
    results: &RunResults,
    timings: Option<&Timings>,
) -> Result<(), Failure> {
    let mut files = vec![(RESULTS.to_string(), json(results)?)];
    if let Some(timings) = timings {
        files.push((TIMINGS.into(), json(timings)?));
    }
    let drawn = placelab_report::render(results, timings).context("cannot draw the report")?;
    files.extend(drawn.into_iter().map(|artifact| (artifact.name, artifact.bytes)));
    Ok(folder::replace(dir, &files)?)
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, Failure> {
    let mut text = serde_json::to_vec_pretty(value).context("cannot write JSON")?;
    text.push(b'\n');
    Ok(text)
}
