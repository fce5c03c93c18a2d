//! `placelab check`: is a scenario valid, what will happen, and what will it cost? Without a file:
//! is every algorithm what it says?

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use placelab_core::{PlacementError, Placer};
use placelab_results::Timeline;
use placelab_sim::estimate::{Estimate, bytes_at_once, estimate, results_bytes};
use placelab_sim::keys::KeySource;
use placelab_sim::scenario::Prepared;
use placelab_timing::{Lookups, available_bytes};
use serde_json::json;

use crate::commands::certify;
use crate::commands::prepare::{Changes, diagnosed, key_failure};
use crate::failure::{Failure, say};
use crate::folder::JSON_BYTES_MAX;
use crate::table::{Form, Table};

#[derive(Args)]
pub(crate) struct Options {
    /// Scenario files; without any, every algorithm is held to the laws
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    /// One JSON array instead of tables
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.files.is_empty() {
            return certify::run(self.json);
        }
        let mut failures = Vec::new();
        let mut all = Vec::new();
        for file in &self.files {
            let checked = self.changes.read(file).and_then(|prepared| self.check(&prepared));
            match checked {
                Ok(json) => all.push(json),
                Err(failure) => failures.push(failure),
            }
        }
        if self.json {
            writeln!(io::stdout().lock(), "{:#}", serde_json::Value::from(all))?;
        }
        // Every file is looked at before the first failure ends the command.
        let last = failures.pop();
        failures.iter().for_each(|failure| say(&failure.to_string()));
        last.map_or(Ok(()), Err)
    }

    fn check(&self, prepared: &Prepared) -> Result<serde_json::Value, Failure> {
        let source = KeySource::open(&prepared.scenario.keys).map_err(key_failure)?;
        let plan = prepared.plan.to_results();
        let lookups = Lookups::default();
        let copies = prepared.scenario.fleet.copies;
        let estimates = estimate(prepared, &source, |contender, placer| {
            let reads = contender.spec.reads;
            match placer {
                Placer::Assignment(assignment) => {
                    lookups.assign_ns(reads, assignment.as_ref(), source.len())
                }
                Placer::Placement(placement) => {
                    let owner = lookups.batch_ns(reads, placement.as_ref());
                    match copies.chooser(placement.roster()) {
                        Ok(chooser) if copies.count > 1 => {
                            owner + lookups.copies_ns(reads, placement.as_ref(), &chooser)
                        }
                        _ => owner,
                    }
                }
            }
        });
        if !self.json {
            print(prepared, &source, &plan, &estimates)?;
        }
        refuse_what_cannot_fit(prepared, &estimates, &source, threads(None))?;
        let contender = |one: &Estimate| {
            json!({
                "contender": one.contender,
                "snapshots": one.snapshots,
                "bytes": one.bytes,
                "lookups": one.lookups as f64,
                "cpu_seconds": one.probed.as_ref().ok().map(|ns| seconds(one, *ns)),
                "refusal": one.probed.as_ref().err().map(ToString::to_string),
            })
        };
        Ok(json!({
            "scenario": prepared.scenario.name,
            "keys": source.len(),
            "seeds": prepared.scenario.seeds,
            "plan": plan,
            "contenders": estimates.iter().map(contender).collect::<Vec<_>>(),
        }))
    }
}

/// Threads of a run: those asked for, else as many as the machine has.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(available, usize::from)
}

/// Processor seconds of a contender's lookups at so many nanoseconds each.
fn seconds(estimate: &Estimate, lookup_ns: f64) -> f64 {
    estimate.lookups as f64 * lookup_ns / 1e9
}

/// Refuses a run that would not fit into memory, or whose first fleet a contender cannot hold that
/// was asked for by name: that is a mistake in the scenario and no finding about the contender.
pub(crate) fn refuse_what_cannot_fit(
    prepared: &Prepared,
    estimates: &[Estimate],
    source: &KeySource,
    threads: usize,
) -> Result<(), Failure> {
    for (contender, one) in prepared.scenario.contenders.iter().zip(estimates) {
        let (true, Err(error)) = (contender.is_named, &one.probed) else { continue };
        let code = match error {
            PlacementError::Limit { .. } => 4,
            PlacementError::Parameter { .. } => 2,
            _ => continue,
        };
        return Err(diagnosed(code, &prepared.cannot_hold(contender, error)));
    }
    let written = results_bytes(estimates);
    if written > JSON_BYTES_MAX {
        return Err(Failure::Limit(format!(
            "the results would be about {} and at most {} can be read again: lower the events \
             or the contenders",
            bytes(written),
            bytes(JSON_BYTES_MAX)
        )));
    }
    let needed = bytes_at_once(prepared, estimates, source, threads as u64);
    match available_bytes() {
        Some(available) if needed > available / 5 * 4 => Err(Failure::Limit(format!(
            "the run would hold {} at once and this machine has {} to spare: \
             lower the nodes, the virtual nodes or --threads",
            bytes(needed),
            bytes(available)
        ))),
        _ => Ok(()),
    }
}

fn print(
    prepared: &Prepared,
    source: &KeySource,
    plan: &[Timeline],
    estimates: &[Estimate],
) -> Result<(), Failure> {
    let scenario = &prepared.scenario;
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {}", scenario.name, scenario.title)?;
    let seeds = if scenario.seeds == 1 { "hash seed" } else { "hash seeds" };
    writeln!(out, "{} keys, {} {seeds}, valid\n", source.len(), scenario.seeds)?;
    for timeline in plan {
        writeln!(out, "Timeline “{}”", timeline.name)?;
        let mut table = Table::new(&["step", "verb", "what changes", "nodes", "least to move"]);
        for step in &timeline.steps {
            table.row([
                step.label.clone(),
                step.verb.clone(),
                step.changes.clone(),
                step.nodes.to_string(),
                format!("{:.2} %", step.minimum * 100.0),
            ]);
        }
        table.print(Form::Text)?;
    }
    let mut table = Table::new(&["contender", "lookups", "memory", "processor time"]);
    for one in estimates {
        let cost = match &one.probed {
            Ok(ns) => format!("{:.1} s", seconds(one, *ns)),
            Err(error) => error.to_string(),
        };
        let lookups = format!("{:.1e}", one.lookups as f64);
        table.row([one.contender.clone(), lookups, bytes(one.bytes), cost]);
    }
    writeln!(out, "\nCost of the simulation, estimated on this machine")?;
    Ok(table.print(Form::Text)?)
}

/// Bytes for a reader.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
