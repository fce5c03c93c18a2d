//! The scenario again for fleets around its own: would the answer be another one?
//!
//! A fleet of another size has as many keys a node, and counts in events grow and shrink with it;
//! nodes that events name stay as they are. Keys are those of the scenario's source, or uniform
//! ones for a file. Only rivals run, at few seeds, and the whole may cost a quarter of the run, or
//! a fraction of a second.

use std::sync::Arc;

use placelab_core::{FleetSize, Node, Role, Roster};
use placelab_results::{Outlook, OutlookFleet, Requirement, RunResults, verdict};

use crate::keys::KeySource;
use crate::plan::{Plan, plan};
use crate::run::replayed;
use crate::scenario::{
    ContenderRequest, Event, Fleet, Joining, KeyRequest, Picked, Prepared, Scenario, SourceRequest,
    TimelineRequest, Verb,
};
use crate::sweep::{Progress, Unwatched};

/// Sizes of the fleet over the scenario's own, as fractions.
const SIZES: [(u32, u32); 4] = [(1, 2), (2, 1), (5, 1), (20, 1)];
/// How much heavier every other node is.
const RATIOS: [u32; 2] = [2, 10];
/// Hash seeds, at most.
const SEEDS_MAX: u32 = 3;
/// Keys a node, at most: enough for chance to be small beside what is required.
const KEYS_A_NODE_MAX: u64 = 10_000;
/// The run over what all fleets may cost together.
const RUNS: u64 = 4;
/// Steps of lookups that are always allowed, a fraction of a second.
const COST_FREE: u64 = 30_000_000;
/// Nodes of another fleet, each as often as it is heavy, at most: the memory of the run was looked
/// at before, that of larger fleets was not.
const NODES_MAX: u32 = 20_000;
/// Fleets that span so much are what the scenario is about: it needs no further ones.
const SPAN_MAX: u32 = 100;

/// A fleet to look at.
#[derive(Clone, Copy)]
struct Variant {
    size: (u32, u32),
    ratio: u32,
}

const OWN: Variant = Variant { size: (1, 1), ratio: 1 };

/// Looks at fleets around the scenario's own; none where nothing is required that such a run could
/// judge, where there is nobody to choose, or where the scenario goes through many sizes itself.
pub(crate) fn outlook(
    prepared: &Prepared,
    source: &KeySource,
    progress: &dyn Progress,
) -> Option<Outlook> {
    let (scenario, plan) = (&prepared.scenario, &prepared.plan);
    if scenario.requirements.is_empty() {
        return None;
    }
    let steps = plan.timelines.iter().flat_map(|timeline| &timeline.steps);
    let sizes = || steps.clone().map(|step| step.after.len() as u32);
    if sizes().max()? / sizes().min()?.max(1) >= SPAN_MAX {
        return None;
    }
    let mut budget = (cost(scenario, plan, source.len()) / RUNS).max(COST_FREE);
    let own = Small::new(scenario, OWN, source.len())?;
    progress.begin("looking at other fleets", 1 + (SIZES.len() + RATIOS.len()) as u64);
    budget = budget.checked_sub(own.cost())?;
    let results = own.run()?;
    progress.advance(1);
    let requirements = judged(&results);
    let sized = SIZES.map(|size| Variant { size, ..OWN });
    let weighted = RATIOS.map(|ratio| Variant { ratio, ..OWN });
    let look = |variant: Variant| {
        progress.advance(1);
        let nodes = times(plan.start.len() as u32, variant.size).checked_mul(variant.ratio)?;
        if nodes > NODES_MAX {
            return None;
        }
        let small = Small::new(scenario, variant, source.len())?;
        budget = budget.checked_sub(small.cost())?;
        Some(answer(small.run()?, &requirements, variant))
    };
    let others: Vec<OutlookFleet> = match requirements.is_empty() {
        true => Vec::new(),
        false => sized.into_iter().chain(weighted).filter_map(look).collect(),
    };
    (!others.is_empty()).then(|| Outlook {
        seeds: own.scenario.seeds,
        requirements: requirements.iter().map(Requirement::text).collect(),
        own: answer(results, &requirements, OWN),
        others,
    })
}

/// The requirements that such a run has a figure for.
fn judged(results: &RunResults) -> Vec<Requirement> {
    let judged = verdict(results, None).contenders;
    let has_figure =
        |index: usize| judged.iter().any(|contender| contender.judgements[index].met.is_some());
    let requirements = results.requirements.iter().enumerate();
    let those = requirements.filter(|(index, _)| has_figure(*index));
    those.map(|(_, requirement)| requirement.clone()).collect()
}

fn answer(mut results: RunResults, requirements: &[Requirement], variant: Variant) -> OutlookFleet {
    results.requirements = requirements.to_vec();
    let judged = verdict(&results, None);
    let missed = judged.contenders.iter().filter(|contender| !contender.suitable);
    let missed = missed.map(|contender| {
        let unmet = contender.judgements.iter().find(|judgement| judgement.met != Some(true));
        let requirement = unmet.map(|judgement| judgement.requirement.clone());
        let reason = contender.refusal.clone().or(requirement).unwrap_or_default();
        (contender.name.clone(), reason)
    });
    OutlookFleet {
        nodes: results.plan[0].steps[0].nodes,
        ratio: variant.ratio,
        keys: results.keys.count,
        missed: missed.collect(),
        suitable: judged.suitable,
    }
}

/// The scenario at a small scale.
struct Small {
    scenario: Scenario,
    plan: Plan,
    keys: u64,
}

impl Small {
    /// For another fleet; nothing where there are no rivals, or the fleet or its events cannot be.
    fn new(scenario: &Scenario, variant: Variant, keys: u64) -> Option<Self> {
        let own = &scenario.fleet.nodes;
        let count = times(own.len() as u32, variant.size);
        let a_node = (keys / own.len() as u64).clamp(1, KEYS_A_NODE_MAX);
        let keys = a_node * u64::from(count);
        let scenario = scaled(scenario, variant, count, keys)?;
        let plan = plan(&scenario).ok()?;
        (!scenario.contenders.is_empty()).then_some(Small { scenario, plan, keys })
    }

    fn cost(&self) -> u64 {
        cost(&self.scenario, &self.plan, self.keys)
    }

    fn run(&self) -> Option<RunResults> {
        let source = KeySource::open(&self.scenario.keys).ok()?;
        Some(replayed(&self.scenario, &self.plan, &source, &Unwatched))
    }
}

/// What a run costs: steps of all lookups, as the contenders themselves have it.
fn cost(scenario: &Scenario, plan: &Plan, keys: u64) -> u64 {
    let fleets = || plan.timelines.iter().flat_map(|timeline| &timeline.steps);
    let sizes = fleets().map(|step| step.after.len() as u32);
    let now = sizes.max().unwrap_or(1);
    let one = |contender: &ContenderRequest| {
        let steps = (contender.spec.steps)(&contender.arguments, FleetSize { first: now, now });
        // A step more for what every lookup costs.
        (steps.max(0.0) + 1.0) * fleets().count() as f64
    };
    let steps: f64 = scenario.contenders.iter().map(one).sum();
    (steps * keys as f64 * f64::from(scenario.seeds)) as u64
}

/// The scenario for a fleet of so many nodes, its rivals alone; nothing where a node would be too
/// heavy.
fn scaled(scenario: &Scenario, variant: Variant, count: u32, keys: u64) -> Option<Scenario> {
    let own = &scenario.fleet.nodes;
    let nodes = (0..count).map(|index| node(own, index, variant.ratio)).collect::<Option<_>>()?;
    let rivals = scenario.contenders.iter().filter(|one| one.spec.role == Role::Rival);
    Some(Scenario {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        why: String::new(),
        sha256: scenario.sha256.clone(),
        contenders: rivals.cloned().collect(),
        seeds: (scenario.seeds / RUNS as u32).clamp(1, SEEDS_MAX),
        keys: KeyRequest {
            source: so_many(&scenario.keys.source, keys),
            hash: scenario.keys.hash,
            marks: Vec::new(),
        },
        fleet: Fleet { nodes, capacities: None, ranks: 1, ..scenario.fleet.clone() },
        failures: None,
        timelines: scenario.timelines.iter().map(|one| timeline(one, variant.size)).collect(),
        expectations: Vec::new(),
        requirements: scenario.requirements.clone(),
    })
}

/// A count in proportion, at least one.
fn times(count: u32, (numerator, denominator): (u32, u32)) -> u32 {
    let scaled = u64::from(count) * u64::from(numerator);
    u32::try_from(scaled.div_ceil(denominator.into())).unwrap_or(u32::MAX).max(1)
}

/// A node of the scaled fleet: one of the scenario's own, or another like one of them.
fn node(own: &[Node], index: u32, ratio: u32) -> Option<Node> {
    let like = &own[index as usize % own.len()];
    let Node { id, name, .. } = match own.get(index as usize) {
        Some(node) => node.clone(),
        None => Roster::numbered_node(index),
    };
    let weight = if index % 2 == 1 { like.weight.times(ratio)? } else { like.weight };
    Some(Node { id, name, weight, ..like.clone() })
}

fn so_many(source: &SourceRequest, count: u64) -> SourceRequest {
    match source {
        SourceRequest::Sequential { .. } => SourceRequest::Sequential { count },
        SourceRequest::Zipf { exponent, .. } => SourceRequest::Zipf { count, exponent: *exponent },
        SourceRequest::Uniform { .. } | SourceRequest::File { .. } => {
            SourceRequest::Uniform { count }
        }
    }
}

fn timeline(request: &TimelineRequest, size: (u32, u32)) -> TimelineRequest {
    let event = |event: &Event| Event { verb: Arc::new(verb(&event.verb, size)), ..event.clone() };
    TimelineRequest {
        name: request.name.clone(),
        events: request.events.iter().map(event).collect(),
    }
}

/// What happens to a fleet of another size.
fn verb(verb: &Verb, size: (u32, u32)) -> Verb {
    let picked = |picked: &Picked| match picked {
        Picked::Count(count) => Picked::Count(times(*count, size)),
        named => named.clone(),
    };
    match verb {
        Verb::Join(Joining::Count(count)) => Verb::Join(Joining::Count(times(*count, size))),
        Verb::Leave(gone) => Verb::Leave(picked(gone)),
        Verb::Fail(gone) => Verb::Fail(picked(gone)),
        Verb::Recover(back) => Verb::Recover(picked(back)),
        Verb::Grow(total) => Verb::Grow(times(*total, size)),
        Verb::Shrink(total) => Verb::Shrink(times(*total, size)),
        Verb::Rolling(group) => Verb::Rolling(times(*group, size)),
        other => other.clone(),
    }
}
