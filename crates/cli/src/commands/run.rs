//! `placelab run`: scenarios in, reports out.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use placelab_conformance::{law_texts, recorded};
use placelab_report::IndexEntry;
use placelab_results::{RunResults, Timings, Verdict, verdict};
use placelab_sim::diagnostics::shown;
use placelab_sim::estimate::estimate;
use placelab_sim::keys::KeySource;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::Prepared;
use serde_json::json;

use crate::commands::check::{refuse_what_cannot_fit, threads};
use crate::commands::prepare::{Changes, key_failure};
use crate::commands::report;
use crate::commands::time::Timer;
use crate::failure::{Failure, say, unless_closed};
use crate::folder;
use crate::progress::Bar;
use crate::table::{Form, Table};

#[derive(Args)]
pub(crate) struct Options {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    /// Threads; results do not depend on it
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Folder for reports: that of scenario NAME goes to DIR/NAME, an index of several to
    /// DIR/index.html
    #[arg(long, value_name = "DIR", default_value = "reports")]
    out: PathBuf,
    /// Do not time lookups and changes
    #[arg(long)]
    no_timing: bool,
    /// Exit with 3 where no contender meets every requirement
    #[arg(long)]
    strict: bool,
    /// One JSON array with the verdicts instead of tables
    #[arg(long)]
    json: bool,
}

/// The name of an index.
const INDEX: &str = "index.html";

/// What became of one scenario.
struct Outcome {
    results: RunResults,
    timings: Option<Timings>,
    verdict: Verdict,
    folder: PathBuf,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let prepared = self.prepare()?;
        let (mut outcomes, mut failures) = (Vec::new(), Vec::new());
        let mut timer = Timer::new();
        for (file, prepared) in self.files.iter().zip(&prepared) {
            // What stands in one scenario's way is none of the others' business.
            match self.run_one(file, prepared, &mut timer) {
                Ok(outcome) if self.json => outcomes.push(outcome),
                Ok(outcome) => {
                    unless_closed(outcome.print())?;
                    outcomes.push(outcome);
                }
                Err(failure) => failures.push(failure),
            }
        }
        if let Some(path) = self.index() {
            folder::replace_page(&folder::INDEX, &path, &drawn(&outcomes))?;
        }
        if self.json {
            let all: Vec<_> = outcomes.iter().map(Outcome::json).collect();
            let printed = writeln!(io::stdout().lock(), "{:#}", serde_json::Value::from(all));
            unless_closed(printed.map_err(Failure::from))?;
        } else if let Some(path) = self.index() {
            let path = shown(&path.to_string_lossy());
            let printed = writeln!(io::stdout().lock(), "index: {path}");
            unless_closed(printed.map_err(Failure::from))?;
        }
        // The last failure ends the command with its code; those before it are said at once.
        let judged = self.judge(&outcomes).err();
        failures.splice(0..0, judged);
        let last = failures.pop();
        failures.iter().for_each(|failure| say(&failure.to_string()));
        last.map_or(Ok(()), Err)
    }

    /// Where the index of the reports goes; one report needs none.
    fn index(&self) -> Option<PathBuf> {
        (self.files.len() > 1).then(|| self.out.join(INDEX))
    }

    /// Reads every file before the first one runs: a mistake in the last is not found after
    /// hours.
    fn prepare(&self) -> Result<Vec<Prepared>, Failure> {
        let mut names = BTreeSet::new();
        let mut all = Vec::new();
        if self.out.exists() && !self.out.is_dir() {
            let text = format!("{} is not a folder: choose another --out", self.out.display());
            return Err(Failure::Invalid(text));
        }
        if let Some(path) = self.index() {
            folder::check_page(&folder::INDEX, &path)?;
        }
        for file in &self.files {
            let prepared = self.changes.read(file)?;
            let name = prepared.scenario.name.clone();
            if !names.insert(name.clone()) {
                return Err(Failure::Invalid(format!(
                    "{}: another file is called {name} too, and their reports would be one folder",
                    file.display()
                )));
            }
            // Where the case of letters tells no names apart, any such name is the index's.
            if name.starts_with('.') || name.eq_ignore_ascii_case(INDEX) {
                let file = file.display();
                return Err(Failure::Invalid(format!(
                    "{file}: a report cannot be called {name}: rename the file"
                )));
            }
            folder::check(&self.out.join(&name))?;
            all.push(prepared);
        }
        Ok(all)
    }

    fn run_one(
        &self,
        file: &Path,
        prepared: &Prepared,
        timer: &mut Timer,
    ) -> Result<Outcome, Failure> {
        let source = KeySource::open(&prepared.scenario.keys).map_err(key_failure)?;
        let threads = threads(self.threads);
        let estimates = estimate(prepared, &source, |_, _| 0.0);
        refuse_what_cannot_fit(prepared, &estimates, &source, threads)?;
        let mut results = {
            let bar = Bar::new();
            let settings = Settings { threads: Some(threads) };
            run(prepared, &source, &self.changes.command(file), settings, &bar)
                .context("cannot start the run")?
        };
        certified(&mut results);
        let folder = self.out.join(&results.scenario.name);
        report::write(&folder, &results, None)?;
        let timings = (!self.no_timing).then(|| {
            let bar = Bar::new();
            timer.time(prepared, &bar)
        });
        if let Some(timings) = &timings {
            let name = &results.scenario.name;
            timings.busy.iter().for_each(|sign| say(&format!("busy machine: {name}: {sign}")));
            report::write(&folder, &results, Some(timings))?;
        }
        let verdict = verdict(&results, timings.as_ref());
        Ok(Outcome { results, timings, verdict, folder })
    }

    fn judge(&self, outcomes: &[Outcome]) -> Result<(), Failure> {
        let mut unmet = Vec::new();
        for outcome in outcomes {
            let name = &outcome.results.scenario.name;
            for expectation in outcome.results.expectations.iter().filter(|one| !one.met) {
                unmet.push(format!("{name}: expected {}", expectation.text));
                unmet.extend(expectation.failures.iter().map(|failure| format!("  {failure}")));
            }
            let required = !outcome.results.requirements.is_empty();
            if self.strict && required && outcome.verdict.suitable.is_empty() {
                unmet.push(format!("{name}: no contender meets every requirement"));
            }
        }
        if unmet.is_empty() { Ok(()) } else { Err(Failure::Unmet(unmet.join("\n"))) }
    }
}

/// Adds what the algorithms are known to keep.
fn certified(results: &mut RunResults) {
    results.laws = law_texts();
    let recorded = recorded();
    for contender in &mut results.contenders {
        let own = recorded.iter().find(|one| one.contender == contender.algorithm);
        contender.certificate = own.cloned();
    }
}

/// The index of several reports.
fn drawn(outcomes: &[Outcome]) -> String {
    let entries = outcomes.iter().map(|outcome| IndexEntry {
        folder: &outcome.results.scenario.name,
        results: &outcome.results,
        timings: outcome.timings.as_ref(),
    });
    let entries: Vec<IndexEntry> = entries.collect();
    placelab_report::index(&entries)
}

impl Outcome {
    fn json(&self) -> serde_json::Value {
        json!({
            "scenario": self.results.scenario.name,
            "report": shown(&self.folder.join("index.html").to_string_lossy()),
            "verdict": self.verdict,
            "expectations": self.results.expectations,
        })
    }

    /// The figures one looks for first; the report has the others.
    fn print(&self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        for (index, timeline) in self.results.plan.iter().enumerate() {
            writeln!(out, "{} · {}", self.results.scenario.title, timeline.name)?;
            let mut table = Table::new(&[
                "contender",
                "largest load",
                "by chance",
                "moved",
                "least",
                "sideways",
                "refused",
            ]);
            for contender in &self.results.contenders {
                table.row(row(contender, &contender.timelines[index], timeline));
            }
            table.print(Form::Text)?;
        }
        let held = self.results.expectations.iter().filter(|one| one.met).count();
        let expected = self.results.expectations.len();
        if expected > 0 {
            writeln!(out, "{held} of {expected} expectations hold")?;
        }
        if !self.results.requirements.is_empty() {
            writeln!(out, "{}", shown(&self.recommended()))?;
        }
        let page = self.folder.join("index.html");
        Ok(writeln!(out, "report: {}", shown(&page.to_string_lossy()))?)
    }
}

impl Outcome {
    /// What to take, in a line; the report says why.
    fn recommended(&self) -> String {
        let Some(recommendation) = &self.verdict.recommendation else {
            return "recommended: nobody, for no contender meets every requirement".into();
        };
        let others: Vec<&str> = recommendation.others().collect();
        match others.is_empty() {
            true => format!("recommended: {}, which alone is suitable", recommendation.contender),
            false => format!(
                "recommended: {}; suitable too: {}",
                recommendation.contender,
                others.join(", ")
            ),
        }
    }
}

fn row(
    contender: &placelab_results::Contender,
    course: &placelab_results::ContenderTimeline,
    plan: &placelab_results::Timeline,
) -> [String; 7] {
    let medians = |id: &str| {
        let steps = course.steps.iter().filter_map(|step| step.metrics.get(id).copied());
        steps.collect::<Vec<_>>()
    };
    let percent = |id: &str| {
        let total = course.totals.get(id);
        total.map_or(String::new(), |total| format!("{:.2} %", total.median * 100.0))
    };
    let loads = medians("load.max_over_mean");
    let worst = loads.iter().max_by(|a, b| a.median.total_cmp(&b.median));
    let chance = worst.and_then(|measured| measured.chance);
    let refused = course.refusal.as_ref().map(|refusal| {
        let label = plan.steps.get(refusal.step).map_or("start", |step| step.label.as_str());
        format!("{label}: {}", refusal.reason)
    });
    [
        contender.name.clone(),
        worst.map_or(String::new(), |measured| format!("{:.3} × fair", measured.median)),
        chance.map_or(String::new(), |chance| format!("{:.3}", chance.mean)),
        percent("movement.moved"),
        percent("movement.minimum"),
        percent("movement.sideways"),
        refused.unwrap_or_default(),
    ]
}
