//! `placelab check`: is a scenario valid, what will happen, and what will it cost?

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use placelab_results::Timeline;
use placelab_sim::estimate::{Estimate, bytes_at_once, estimate};
use placelab_sim::keys::KeySource;
use placelab_sim::scenario::Prepared;
use placelab_timing::{Lookups, available_bytes};
use serde_json::json;

use crate::commands::prepare::{Changes, key_failure};
use crate::failure::Failure;
use crate::table::{Form, Table};

#[derive(Args)]
pub(crate) struct Options {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    /// One JSON array instead of tables
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
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
        failures.iter().for_each(|failure| eprintln!("{failure}"));
        last.map_or(Ok(()), Err)
    }

    fn check(&self, prepared: &Prepared) -> Result<serde_json::Value, Failure> {
        let keys = KeySource::open(&prepared.scenario.keys).map_err(key_failure)?.len();
        let plan = prepared.plan.to_results();
        let estimates = estimate(prepared, keys);
        let seconds = seconds(&estimates);
        if !self.json {
            print(prepared, keys, &plan, &estimates, &seconds)?;
        }
        let contender = |(one, seconds): (&Estimate, &f64)| {
            json!({
                "contender": one.contender,
                "snapshots": one.snapshots,
                "bytes": one.snapshot_bytes + one.tally_bytes,
                "lookups": one.lookups as f64,
                "cpu_seconds": seconds,
                "refusal": one.first.as_ref().err().map(ToString::to_string),
            })
        };
        Ok(json!({
            "scenario": prepared.scenario.name,
            "keys": keys,
            "seeds": prepared.scenario.seeds,
            "plan": plan,
            "contenders": estimates.iter().zip(&seconds).map(contender).collect::<Vec<_>>(),
        }))
    }
}

/// Processor seconds of each contender's lookups, by timing its first placement.
fn seconds(estimates: &[Estimate]) -> Vec<f64> {
    let lookups = Lookups::default();
    let one = |estimate: &Estimate| match &estimate.first {
        Ok(first) => estimate.lookups as f64 * lookups.batch_ns(first.as_ref())[0] / 1e9,
        Err(_) => 0.0,
    };
    estimates.iter().map(one).collect()
}

/// Refuses a run that would not fit into memory.
pub(crate) fn refuse_what_cannot_fit(
    prepared: &Prepared,
    keys: u64,
    threads: u64,
) -> Result<(), Failure> {
    let needed = bytes_at_once(&estimate(prepared, keys), threads);
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
    keys: u64,
    plan: &[Timeline],
    estimates: &[Estimate],
    seconds: &[f64],
) -> Result<(), Failure> {
    let scenario = &prepared.scenario;
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {}", scenario.name, scenario.title)?;
    writeln!(out, "{keys} keys, {} hash seeds, valid\n", scenario.seeds)?;
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
    for (one, seconds) in estimates.iter().zip(seconds) {
        let cost = match &one.first {
            Ok(_) => format!("{seconds:.1} s"),
            Err(error) => error.to_string(),
        };
        let memory = bytes(one.snapshot_bytes.saturating_add(one.tally_bytes));
        table.row([one.contender.clone(), format!("{:.1e}", one.lookups as f64), memory, cost]);
    }
    writeln!(out, "\nCost of the simulation, estimated on this machine")?;
    table.print(Form::Text)?;
    Ok(())
}

/// Bytes for a reader.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
