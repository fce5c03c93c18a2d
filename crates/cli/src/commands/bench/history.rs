//! `placelab bench history`: what benches took over the recorded runs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use placelab_regress::{History, read_history};
use placelab_results::{BenchRun, BenchTime};
use placelab_sim::diagnostics::shown;
use serde_json::{Value, json};

use super::{Place, checked_name, file_failure, ns, signed_percent};
use crate::failure::{Failure, warn};
use crate::folder::{self, HISTORY};
use crate::table::{Form, Table};

/// Most machines of a folder.
const MACHINES_MAX: usize = 64;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
    /// Only the runs of this machine
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Draw the history as a page that stands alone
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// One JSON array instead of tables
    #[arg(long)]
    json: bool,
}

/// A bench over the runs that have it.
struct Course<'a> {
    id: &'a str,
    runs: usize,
    first: &'a BenchTime,
    last: &'a BenchTime,
}

impl Course<'_> {
    /// The part by which the last median is above the first.
    fn change(&self) -> f64 {
        self.last.median_ns / self.first.median_ns - 1.0
    }
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if let Some(page) = &self.html {
            folder::check_page(&HISTORY, page)?;
        }
        let mut histories = Vec::new();
        for path in self.files()? {
            let history = read_history(&path).map_err(file_failure)?;
            if let Some(torn) = &history.torn {
                warn(&format!(
                    "{}, line {}: torn: {} bytes are no run; the next `placelab bench record` \
                     keeps them aside",
                    path.display(),
                    torn.line,
                    torn.bytes.len()
                ));
            }
            histories.push(history);
        }
        histories.retain(|history| !history.runs.is_empty());
        if histories.is_empty() {
            let place = self.place.history.display();
            return Err(Failure::Invalid(format!(
                "{place}: no runs are recorded there\nhelp: run `cargo bench`, then `placelab \
                 bench record`"
            )));
        }
        if let Some(page) = &self.html {
            let runs: Vec<&[BenchRun]> = histories.iter().map(|one| &one.runs[..]).collect();
            let drawn = placelab_report::history(&runs).context("cannot draw the history")?;
            folder::replace_page(&HISTORY, page, &drawn)?;
        }
        match self.json {
            true => {
                let all: Vec<Value> = histories.iter().map(json).collect();
                Ok(writeln!(io::stdout().lock(), "{:#}", Value::from(all))?)
            }
            false => Ok(histories.iter().try_for_each(print)?),
        }
    }

    /// The files of the machines that are asked for.
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let folder = &self.place.history;
        if let Some(name) = &self.machine {
            checked_name(name)?;
            return Ok(vec![folder.join(format!("{name}.jsonl"))]);
        }
        let shown = folder.display();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.with_context(|| format!("{shown}: cannot be read"))?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.with_context(|| format!("{shown}: cannot be read"))?.path();
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                files.push(path);
            }
            if files.len() > MACHINES_MAX {
                let text = format!("{shown}: more than {MACHINES_MAX} machines: choose --machine");
                return Err(Failure::Limit(text));
            }
        }
        files.sort();
        Ok(files)
    }
}

/// The benches of a history by their ids.
fn courses(history: &History) -> Vec<Course<'_>> {
    let mut courses = BTreeMap::<&str, Course>::new();
    for bench in history.runs.iter().flat_map(|run| &run.benches) {
        let (id, new) = (bench.id.as_str(), bench);
        let course = courses.entry(id).or_insert(Course { id, runs: 0, first: new, last: new });
        (course.runs, course.last) = (course.runs + 1, new);
    }
    courses.into_values().collect()
}

/// `0123456789ab, changed`.
fn commit(run: &BenchRun) -> String {
    let commit: String = run.commit.as_deref().unwrap_or("no commit").chars().take(12).collect();
    if run.is_dirty { format!("{commit}, changed") } else { commit }
}

fn print(history: &History) -> io::Result<()> {
    let (first, last) = (&history.runs[0], &history.runs[history.runs.len() - 1]);
    let machine = &last.machine;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}: {}, cores: {}\nruns: {}, from {} ({}) to {} ({})",
        machine.name,
        machine.cpu,
        machine.cores,
        history.runs.len(),
        first.when,
        commit(first),
        last.when,
        commit(last),
    )?;
    drop(out);
    let mut table = Table::new(&["bench", "runs", "first ns", "last ns", "change"]);
    for course in courses(history) {
        table.row([
            shown(course.id),
            course.runs.to_string(),
            ns(course.first.median_ns),
            ns(course.last.median_ns),
            signed_percent(course.change()),
        ]);
    }
    table.print(Form::Text)
}

fn json(history: &History) -> Value {
    let bench = |course: Course| {
        json!({
            "bench": course.id,
            "runs": course.runs,
            "first_ns": course.first.median_ns,
            "last_ns": course.last.median_ns,
            "change": course.change(),
        })
    };
    json!({
        "machine": history.runs[0].machine,
        "runs": history.runs.len(),
        "torn": history.torn.is_some(),
        "benches": courses(history).into_iter().map(bench).collect::<Vec<_>>(),
    })
}
