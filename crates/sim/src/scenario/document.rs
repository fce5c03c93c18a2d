//! A scenario file as a whole: every part read, then checked against the others.

use std::path::Path;

use placelab_core::AlgorithmSpec;
use toml::de::DeTable;

use super::expectations::Known;
use super::table::{Report, Table};
use super::{Scenario, contenders, expectations, failures, fleet, keys, prose, timelines};
use crate::diagnostics::Diagnostic;
use crate::plan::{Plan, plan_timelines};

/// What a file is read with.
pub(super) struct Context<'a> {
    /// File name without folder and ending.
    pub(super) name: &'a str,
    pub(super) sha256: String,
    /// Where files that the scenario names are looked for.
    pub(super) folder: &'a Path,
    pub(super) registry: &'a [&'static AlgorithmSpec],
}

/// Reads a parsed file.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn read(
    root: &DeTable<'_>,
    context: &Context<'_>,
) -> Result<(Scenario, Plan), Vec<Diagnostic>> {
    let report = Report::default();
    let prepared = read_parts(&Table::new("the scenario", root, None, &report), context);
    let errors = report.into_list();
    match prepared {
        Some(prepared) if errors.is_empty() => Ok(prepared),
        _ => {
            assert!(!errors.is_empty(), "a scenario that cannot be read has an error");
            Err(errors)
        }
    }
}

fn read_parts(root: &Table<'_>, context: &Context<'_>) -> Option<(Scenario, Plan)> {
    if !prose::has_known_schema(root) {
        return None;
    }
    let prose = prose::read(root, context.name);
    let contenders = contenders::read(root, context.registry, context.folder);
    let keys = section(root, "keys", "[keys]").and_then(|table| keys::read(&table, context.folder));
    let fleet = section(root, "fleet", "[fleet]")
        .and_then(|table| fleet::read(&table, keys.as_ref().map(|keys| &keys.source)));
    let failures = root
        .optional("failures", |field| failures::read(&field.table("[failures]")?, fleet.as_ref()));
    let errors_before = root.report.len();
    let timelines = timelines::read(root);
    let events_are_whole = root.report.len() == errors_before;
    let plan = fleet.as_ref().and_then(|fleet| {
        plan_timelines(fleet, &timelines.list)
            .map_err(|errors| errors.into_iter().for_each(|error| root.report.add(error)))
            .ok()
    });
    let known = Known {
        contenders: contenders.as_deref(),
        timelines: &timelines,
        source: keys.as_ref().map(|keys| &keys.source),
        replicas: fleet.as_ref().map(|fleet| fleet.copies.count),
        plan: plan.as_ref().filter(|_| events_are_whole),
    };
    let requirements = expectations::requirements(root, &known);
    let expectations = expectations::expectations(root, &known);
    root.finish();
    let prose = prose?;
    let scenario = Scenario {
        name: context.name.into(),
        title: prose.title,
        why: prose.why,
        sha256: context.sha256.clone(),
        contenders: contenders?,
        seeds: prose.seeds,
        keys: keys?,
        fleet: fleet?,
        failures: failures?,
        timelines: timelines.list,
        expectations,
        requirements,
    };
    Some((scenario, plan?))
}

fn section<'a>(root: &Table<'a>, name: &'static str, title: &'static str) -> Option<Table<'a>> {
    root.required(name)?.table(title)
}
