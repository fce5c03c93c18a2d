//! `placelab list`: what there is.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use placelab_algorithms::REGISTRY;
use placelab_conformance::recorded;
use placelab_core::{AlgorithmSpec, HashFunction, Resolution, Role};
use placelab_results::{Certificate, METRICS};
use placelab_sim::diagnostics::shown;
use placelab_sim::scenario::read;

use crate::failure::Failure;
use crate::table::{Form, Table};

#[derive(Args)]
pub(crate) struct Options {
    /// What to list
    what: What,
    /// Where scenarios are looked for
    #[arg(long, value_name = "DIR", default_value = "scenarios/curated")]
    folder: PathBuf,
    /// One JSON array
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// A Markdown table
    #[arg(long)]
    markdown: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    Algorithms,
    Metrics,
    Hashes,
    Scenarios,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let form = match (self.json, self.markdown) {
            (true, _) => Form::Json,
            (_, true) => Form::Markdown,
            _ => Form::Text,
        };
        let table = match self.what {
            What::Algorithms => algorithms(form),
            What::Metrics => metrics(),
            What::Hashes => hashes(),
            What::Scenarios => scenarios(&self.folder, form)?,
        };
        Ok(table.print(form)?)
    }
}

/// A terminal has room for what one chooses by; the other forms have everything.
fn algorithms(form: Form) -> Table {
    let can = |spec: &AlgorithmSpec| {
        let names: Vec<&str> = spec.capabilities.iter().map(|can| can.name()).collect();
        if names.is_empty() { "tail only".into() } else { names.join(", ") }
    };
    let parameters = |spec: &AlgorithmSpec| {
        let one = |parameter: &placelab_core::ParameterSpec| {
            let default = parameter.default.map_or(String::new(), |text| format!("={text}"));
            let kind = parameter.kind.describe();
            format!("{}{default} ({}; {kind})", parameter.name, parameter.help)
        };
        spec.parameters.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    if form == Form::Text {
        let mut table =
            Table::new(&["name", "what it is", "can", "lightest weight", "lookup", "parameters"]);
        for spec in REGISTRY.iter() {
            let names: Vec<&str> = spec.parameters.iter().map(|one| one.name).collect();
            let summary = match spec.role {
                Role::Rival => spec.summary.into(),
                role => format!("{}: {}", role.name(), spec.summary),
            };
            let [name, lookup] = [spec.name, spec.lookup_cost].map(String::from);
            table.row([name, summary, can(spec), resolution(spec), lookup, names.join(", ")]);
        }
        return table;
    }
    let mut table = Table::new(&[
        "name",
        "role",
        "family",
        "year",
        "what it is",
        "lookup",
        "memory",
        "can",
        "lightest weight",
        "claims",
        "parameters",
        "citation",
        "implementations",
        "certificate",
    ]);
    let certificates = recorded();
    for spec in REGISTRY.iter() {
        let claims: Vec<&str> = spec.claims.iter().map(|claim| claim.name()).collect();
        table.row([
            spec.name.into(),
            spec.role.name().into(),
            spec.family.into(),
            spec.year.to_string(),
            spec.summary.into(),
            spec.lookup_cost.into(),
            spec.memory_cost.into(),
            can(spec),
            resolution(spec),
            claims.join(", "),
            parameters(spec),
            spec.citation.into(),
            spec.implementations.into(),
            certificate(spec, &certificates),
        ]);
    }
    table
}

/// The lightest weight that has its share, and what tables pay for lighter ones.
fn resolution(spec: &AlgorithmSpec) -> String {
    match spec.resolution {
        None => String::new(),
        Some(Resolution { lightest, memory: "none", .. }) => lightest.into(),
        Some(Resolution { lightest, memory, .. }) => format!("{lightest}: {memory}"),
    }
}

/// How many laws an algorithm keeps of those that it claims.
fn certificate(spec: &AlgorithmSpec, recorded: &[Certificate]) -> String {
    let Some(own) = recorded.iter().find(|one| one.contender == spec.name) else {
        return "none".into();
    };
    let laws = own.claimed();
    let rest: Vec<&str> = own.not_claimed().collect();
    let rest = match rest.is_empty() {
        true => String::new(),
        false => format!("; not claimed: {}", rest.join(", ")),
    };
    format!("{} of {laws} laws{rest}", own.held())
}

fn metrics() -> Table {
    let mut table = Table::new(&["id", "unit", "better", "by", "definition"]);
    for metric in METRICS {
        let by = if metric.by_measure { "keys, requests, bytes" } else { "keys" };
        let better = format!("{:?}", metric.better).to_lowercase();
        let cells = [metric.id, metric.unit, better.as_str(), by, metric.definition];
        table.row(cells.map(String::from));
    }
    table
}

fn hashes() -> Table {
    let mut table = Table::new(&["name", "bits", "what it is"]);
    for hash in HashFunction::ALL {
        table.row([hash.name().into(), hash.bits().to_string(), hash.describe().into()]);
    }
    table
}

fn scenarios(folder: &Path, form: Form) -> Result<Table, Failure> {
    let entries = std::fs::read_dir(folder).with_context(|| {
        format!("cannot list {}: name another folder with --folder", folder.display())
    })?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let headings: &[&'static str] = match form {
        Form::Text => &["file", "question"],
        _ => &["file", "question", "why"],
    };
    let mut table = Table::new(headings);
    for path in paths {
        let (title, why) = match read(&path, &REGISTRY) {
            Ok(prepared) => (prepared.scenario.title, prepared.scenario.why),
            Err(_) => ("not valid: placelab check says why".into(), String::new()),
        };
        let cells = [shown(&path.to_string_lossy()), title, why];
        table.row(cells.into_iter().take(headings.len()));
    }
    Ok(table)
}
