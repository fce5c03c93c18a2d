//! `placelab report`: a report drawn again from its results.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use placelab_results::{RunResults, Timings, schema, timings};
use placelab_sim::diagnostics::shown;
use serde::Deserialize;
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

/// What is read before all else: a file of another version differs in more than that.
#[derive(Deserialize)]
struct Head {
    schema: u32,
}

fn read_json<T: DeserializeOwned>(path: &Path, schema: u32) -> Result<T, Failure> {
    let text = read_text(path).with_context(|| format!("cannot read {}", path.display()))?;
    let head: Head = serde_json::from_str(&text).map_err(|error| unread(path, &error))?;
    if head.schema != schema {
        return Err(Failure::Invalid(format!(
            "{}: its schema is {}, and this version of placelab reads schema {schema}: use the \
             version that made it, or run the scenario again",
            path.display(),
            head.schema,
        )));
    }
    serde_json::from_str(&text).map_err(|error| unread(path, &error))
}

/// Where and why a file is not what a run writes.
fn unread(path: &Path, error: &serde_json::Error) -> Failure {
    const REASON_CHARS_MAX: usize = 200;
    let (line, column) = (error.line(), error.column());
    let reason = error.to_string();
    let place = format!(" at line {line} column {column}");
    let reason = reason.strip_suffix(&place).unwrap_or(&reason);
    let mut short: String = reason.chars().take(REASON_CHARS_MAX).collect();
    if short.len() < reason.len() {
        short.push('…');
    }
    Failure::Invalid(format!(
        "{}:{line}:{column}: {short}: this is not as a run wrote it; run the scenario again",
        path.display()
    ))
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
