//! A run: every contender at every seed, and the results.

use placelab_core::HashSeed;
use placelab_results::{Contender, Measure, RunResults, Scenario as Question, schema::SCHEMA};
use rayon::prelude::*;

use crate::chance::Chances;
use crate::failures::Inquiry;
use crate::few_keys::few_keys;
use crate::figures::{SeedFigures, Setting, figures};
use crate::judge::judge;
use crate::keys::KeySource;
use crate::outlook::outlook;
use crate::plan::Plan;
use crate::scenario::{ContenderRequest, Prepared, Scenario};
use crate::summary::summarise;
use crate::sweep::{Marks, Progress};

/// Why a run gave no results.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The thread pool could not be made.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// How to run; results do not depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Threads to use; as many as the machine has where none are given.
    pub threads: Option<usize>,
}

/// Runs a scenario over its keys. The same scenario and keys give the same results for any
/// settings. Laws and certificates are for the caller to add, who knows them.
///
/// # Errors
/// Threads that cannot be had.
pub fn run(
    prepared: &Prepared,
    source: &KeySource,
    command: &str,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<RunResults, RunError> {
    let Prepared { scenario, plan, .. } = prepared;
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(settings.threads.unwrap_or(0)).build()?;
    pool.install(|| {
        let mut results = replayed(scenario, plan, source, progress);
        results.scenario.command = command.into();
        results.expectations =
            scenario.expectations.iter().map(|request| judge(request, &results)).collect();
        results.outlook = outlook(prepared, source, progress);
        Ok(results)
    })
}

/// Replays and sweeps a scenario: its results, but for what is told of them afterwards.
pub(crate) fn replayed(
    scenario: &Scenario,
    plan: &Plan,
    source: &KeySource,
    progress: &dyn Progress,
) -> RunResults {
    let inquiry = scenario.failures.as_ref().map(|request| Inquiry {
        roster: &plan.start,
        copies: scenario.fleet.copies,
        measure: scenario.fleet.capacities.as_ref().map_or(Measure::Keys, |one| one.measure),
        capacity: &request.capacity,
        down: request.down,
        seeds: scenario.seeds,
    });
    let held = scenario.keys.marks.partition_point(|mark| *mark <= source.len());
    let marks = Marks { keys: &scenario.keys.marks[..held], ranks: scenario.fleet.ranks };
    let copies = scenario.fleet.copies;
    let chances = Chances::new(plan, source, marks, copies);
    let capacities = scenario.fleet.capacities.as_ref();
    let setting = Setting { plan, source, chances: &chances, copies, capacities, marks };
    RunResults {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").into(),
        scenario: Question {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            why: scenario.why.clone(),
            sha256: scenario.sha256.clone(),
            command: String::new(),
        },
        keys: source.summary().clone(),
        seeds: scenario.seeds,
        replicas: scenario.fleet.copies.count as u32,
        zone_rule: scenario.fleet.copies.zones.name().into(),
        rack_rule: scenario.fleet.copies.racks.name().into(),
        ranks: scenario.fleet.ranks,
        plan: plan.to_results(),
        few_keys: few_keys(plan, source.len(), &chances),
        failures: inquiry.map(|inquiry| inquiry.question(source)),
        contenders: sweep_all(scenario, &setting, inquiry, progress),
        outlook: None,
        expectations: Vec::new(),
        requirements: scenario.requirements.clone(),
        laws: Vec::new(),
    }
}

/// Every contender at every seed; the unit of work is one of each, and its snapshots are dropped
/// after its sweep. A contender is summed up when its seeds are done, so that figures of every
/// step are held for few contenders at a time. Failures are looked at for one contender after the
/// other: a look holds all keys at once, and is parallel in itself.
fn sweep_all(
    scenario: &Scenario,
    setting: &Setting<'_>,
    inquiry: Option<Inquiry<'_>>,
    progress: &dyn Progress,
) -> Vec<Contender> {
    let passes = 1 + u64::from(inquiry.is_some());
    let keys_of_one = setting.source.len().saturating_mul(scenario.seeds.into());
    let contenders = scenario.contenders.len() as u64;
    progress.begin("placing keys", keys_of_one.saturating_mul(passes * contenders));
    let one = |contender: &ContenderRequest| {
        let seeds: Vec<SeedFigures> = (0..scenario.seeds)
            .into_par_iter()
            .map(|seed| figures(setting, contender, HashSeed(seed.into()), progress))
            .collect();
        summarise(setting, contender, &seeds)
    };
    let mut all: Vec<Contender> = scenario.contenders.par_iter().map(one).collect();
    if let Some(inquiry) = inquiry {
        for (contender, request) in all.iter_mut().zip(&scenario.contenders) {
            contender.failures = Some(inquiry.answer(request, setting.source));
            progress.advance(keys_of_one);
        }
    }
    all
}
