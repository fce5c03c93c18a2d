//! Summarise: figures of every seed become the results of a contender.

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{Capability, NodeId, NodeName, PlacementError, Roster};
use placelab_metrics::flows::FlowCell;
use placelab_metrics::load::Balance;
use placelab_metrics::movement::{Spread, Targets};
use placelab_metrics::null::UnitNull;
use placelab_metrics::special::Tails;
use placelab_results::{
    Chance, Contender, ContenderTimeline, Evenness, FLOW_ROWS_MAX, FLOWS_LISTED_MAX, Failure, Fill,
    Flow, Measure, Measured, NODES_LISTED_MAX, NodeLoad, NodeRatio, Refusal, Role, Step, fixed,
    metric, quantile,
};

use crate::figures::{SeedFigures, Setting, StepFigures};
use crate::plan::PlannedStep;
use crate::scenario::ContenderRequest;
use crate::theory::{closed_forms, theory};

/// The results of a contender from its figures at each seed, the published function first.
pub fn summarise(
    setting: &Setting<'_>,
    contender: &ContenderRequest,
    seeds: &[SeedFigures],
) -> Contender {
    let spec = contender.spec;
    let timelines = (0..setting.plan.timelines.len())
        .map(|timeline| summarise_timeline(setting, contender, timeline, seeds))
        .collect();
    let parameters = contender.arguments.values().iter();
    Contender {
        name: contender.name(),
        algorithm: spec.name.into(),
        parameters: parameters.map(|(name, value)| ((*name).into(), value.to_string())).collect(),
        family: spec.family.into(),
        year: spec.year,
        citation: spec.citation.into(),
        summary: spec.summary.into(),
        lookup_cost: spec.lookup_cost.into(),
        capabilities: Capability::ALL
            .into_iter()
            .filter(|can| spec.offers(&contender.arguments, *can))
            .map(|can| can.name().into())
            .collect(),
        claims: spec.claims.iter().map(|claim| claim.name().into()).collect(),
        role: role(spec.role),
        load_aware: spec.is_load_aware(),
        certificate: None,
        closed_forms: closed_forms(spec),
        timelines,
        fills: fills(setting, seeds),
        failures: None,
    }
}

/// The first fleet as keys come.
fn fills(setting: &Setting<'_>, seeds: &[SeedFigures]) -> Vec<Fill> {
    let reached = seeds.iter().map(|seed| seed.fills.len()).min().unwrap_or(0);
    let fill = |mark: usize| {
        let (unit, chance) = setting.chances.at_mark(mark);
        let over = |figure: fn(&Balance) -> f64, chance: Chance| {
            let values: Vec<f64> = seeds.iter().map(|seed| figure(&seed.fills[mark])).collect();
            Measured::over_seeds(&values, Some(rounded(chance)))
        };
        let cvs: Vec<f64> = seeds.iter().map(|seed| seed.fills[mark].cv).collect();
        Fill {
            keys: setting.marks.keys[mark],
            max_over_mean: over(|balance| balance.max_over_mean, chance.max_over_mean),
            min_over_mean: over(|balance| balance.min_over_mean, chance.min_over_mean),
            cv: over(|balance| balance.cv, chance.cv),
            evenness: unit.evenness(&cvs).map(p_values),
        }
    };
    (0..reached).map(fill).collect()
}

fn role(role: placelab_core::Role) -> Role {
    match role {
        placelab_core::Role::Rival => Role::Rival,
        placelab_core::Role::Canary => Role::Canary,
        placelab_core::Role::Exhibit => Role::Exhibit,
    }
}

fn summarise_timeline(
    setting: &Setting<'_>,
    contender: &ContenderRequest,
    timeline: usize,
    seeds: &[SeedFigures],
) -> ContenderTimeline {
    let planned = &setting.plan.timelines[timeline];
    let reached = seeds.iter().map(|seed| seed.timelines[timeline].steps.len()).min().unwrap_or(0);
    let flow_rows = (FLOW_ROWS_MAX / planned.steps.len()).clamp(10, FLOWS_LISTED_MAX);
    let step = |index: usize| {
        let each: Vec<&StepFigures> =
            seeds.iter().map(|seed| &seed.timelines[timeline].steps[index]).collect();
        summarise_step(setting, contender, &planned.steps[index], &each, flow_rows)
    };
    let earliest = seeds
        .iter()
        .filter_map(|seed| seed.timelines[timeline].refusal.as_ref())
        .min_by_key(|(step, _)| *step);
    ContenderTimeline {
        steps: (0..reached).map(step).collect(),
        totals: match earliest {
            None => totals(seeds.iter().map(|seed| &seed.timelines[timeline].steps[..])),
            Some(_) => BTreeMap::new(),
        },
        refusal: earliest.map(|(step, error)| Refusal {
            step: *step,
            capability: match error {
                PlacementError::Unsupported { capability, .. } => Some(capability.name().into()),
                _ => None,
            },
            reason: error.to_string(),
        }),
    }
}

/// Sums of the movement over the steps at each seed.
fn totals<'a>(
    seeds: impl Iterator<Item = &'a [StepFigures]> + Clone,
) -> BTreeMap<String, Measured> {
    const SUMMED: [&str; 4] =
        ["movement.moved", "movement.forced", "movement.sideways", "movement.minimum"];
    let ids = SUMMED.iter().flat_map(|id| Measure::ALL.map(|measure| measure.id(id)));
    let total = |id: String| {
        let moves = |steps: &'a [StepFigures]| {
            let each = steps.iter().filter_map(|figures| figures.metrics.get(&id));
            each.copied().reduce(|sum, value| sum + value)
        };
        let values: Option<Vec<f64>> = seeds.clone().map(moves).collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some((id, Measured::over_seeds(&values, None)))
    };
    ids.filter_map(total).collect()
}

/// `flow_rows` is how many flows are listed.
fn summarise_step(
    setting: &Setting<'_>,
    contender: &ContenderRequest,
    planned: &PlannedStep,
    seeds: &[&StepFigures],
    flow_rows: usize,
) -> Step {
    let ids: BTreeSet<&String> = seeds.iter().flat_map(|figures| figures.metrics.keys()).collect();
    let measured = |id: &String| {
        let values: Vec<f64> =
            seeds.iter().filter_map(|figures| figures.metrics.get(id).copied()).collect();
        (id.clone(), Measured::over_seeds(&values, chance(setting, planned, id)))
    };
    let first = seeds[0];
    let (flows, flows_omitted) = flows(setting, planned, &first.cells, flow_rows);
    Step {
        metrics: ids.into_iter().map(measured).collect(),
        theory: theory(contender, planned, seeds),
        evenness: evenness(setting, planned, seeds),
        nodes: node_loads(&planned.after, seeds),
        flows,
        flows_omitted,
        failure: first.spread.as_ref().map(|spread| failure(planned, spread)),
        first_full: first.first_full.map(|node| planned.after.nodes()[node].name.to_string()),
    }
}

/// How the loads compare with ideal hashes by each measure, over all seeds together.
fn evenness(
    setting: &Setting<'_>,
    planned: &PlannedStep,
    seeds: &[&StepFigures],
) -> BTreeMap<String, Evenness> {
    let chance = setting.chances.of(&planned.after);
    let of = |measure: Measure| {
        let id = measure.id("load.cv");
        let cvs = seeds.iter().filter_map(|figures| figures.metrics.get(&id).copied());
        let tails = chance.evenness(measure, &cvs.collect::<Vec<f64>>())?;
        Some((measure.name().into(), p_values(tails)))
    };
    Measure::ALL.into_iter().filter_map(of).collect()
}

fn p_values(tails: Tails) -> Evenness {
    Evenness { uneven: fixed(tails.upper), even: fixed(tails.lower) }
}

/// What chance gives, as results keep it.
pub(crate) fn rounded(chance: Chance) -> Chance {
    let Chance { mean, low, high } = chance;
    Chance { mean: fixed(mean), low: fixed(low), high: fixed(high) }
}

/// What chance would give for a metric, where that is known.
fn chance(setting: &Setting<'_>, planned: &PlannedStep, id: &str) -> Option<Chance> {
    let keys = setting.source.len();
    let chance = match id {
        "movement.moved" => moved_by_chance(keys, planned.minimum()),
        "movement.excess" => {
            let moved = moved_by_chance(keys, planned.minimum());
            shifted(moved, -moved.mean)
        }
        "failure.max_extra" => extra_by_chance(keys, planned),
        "capacity.first_full" => full_by_chance(setting, &planned.after)?,
        _ => load_by_chance(setting, &planned.after, id)?,
    };
    Some(rounded(chance))
}

fn load_by_chance(setting: &Setting<'_>, roster: &Roster, id: &str) -> Option<Chance> {
    let (metric, measure) = metric(id)?;
    if metric.id.starts_with("replica.") {
        let copies = setting.chances.of(roster).copies.filter(|_| measure == Measure::Keys)?;
        return match metric.id {
            "replica.max_over_mean" => Some(copies.max_over_mean),
            "replica.min_over_mean" => Some(copies.min_over_mean),
            "replica.cv" => Some(copies.cv),
            _ => None,
        };
    }
    let load = setting.chances.of(roster).loads.get(&measure)?;
    match metric.id {
        "load.max_over_mean" => Some(load.max_over_mean),
        "load.min_over_mean" => Some(load.min_over_mean),
        "load.cv" => Some(load.cv),
        "load.excess" => Some(shifted(load.max_over_mean, -load.max_over_mean.mean)),
        _ => None,
    }
}

/// An ideal hash moves each key with the probability of the minimum: a binomial law, here by its
/// normal approximation.
fn moved_by_chance(keys: u64, minimum: f64) -> Chance {
    /// 95th percentile of the standard normal law.
    const NORMAL_95: f64 = 1.644_853_626_951_472_7;
    let spread = NORMAL_95 * (minimum * (1.0 - minimum) / keys as f64).sqrt();
    Chance { mean: minimum, low: minimum - spread, high: minimum + spread }
}

/// An ideal hash deals what the nodes that went would have had to the survivors by weight.
fn extra_by_chance(keys: u64, planned: &PlannedStep) -> Chance {
    let ids: BTreeSet<NodeId> = planned.gone.iter().copied().collect();
    let gone = planned.before.nodes().iter().filter(|node| ids.contains(&node.id));
    let gone: u128 = gone.map(|node| u128::from(node.weight.micros())).sum();
    let lost = keys as f64 * gone as f64 / planned.before.total_weight() as f64;
    let survivors = planned.after.nodes().iter().map(|node| node.weight.micros());
    UnitNull::new(lost.round() as u64, &survivors.collect::<Vec<_>>()).chance().max_over_mean
}

/// Where capacities are in proportion to the weights, the first node is full when the fullest
/// would be over its fair load by as much. The mean is that of the inverse to a first order.
fn full_by_chance(setting: &Setting<'_>, roster: &Roster) -> Option<Chance> {
    let capacities = setting.capacities?;
    let parts = roster
        .serving()
        .map(|node| Some(capacities.of(node.id)? as f64 / node.weight.micros() as f64));
    let parts: Vec<f64> = parts.collect::<Option<_>>()?;
    let is_even = parts.iter().all(|part| (part / parts[0] - 1.0).abs() < 1e-9);
    let chance = setting.chances.of(roster);
    let load = match setting.copies.count {
        1 => Some(chance.loads.get(&capacities.measure)?.max_over_mean),
        _ => chance
            .copies
            .filter(|_| capacities.measure == Measure::Keys)
            .map(|one| one.max_over_mean),
    };
    let most = load.filter(|most| is_even && most.low > 0.0)?;
    Some(Chance { mean: 1.0 / most.mean, low: 1.0 / most.high, high: 1.0 / most.low })
}

fn shifted(chance: Chance, by: f64) -> Chance {
    Chance { mean: chance.mean + by, low: chance.low + by, high: chance.high + by }
}

fn node_loads(roster: &Roster, seeds: &[&StepFigures]) -> Vec<NodeLoad> {
    if seeds.iter().any(|figures| figures.ratios.is_empty()) {
        return Vec::new();
    }
    let ratio = |measure: &Measure, node: usize| {
        let mut values: Vec<f64> =
            seeds.iter().map(|figures| figures.ratios[measure][node]).collect();
        let first = fixed(values[0]);
        values.sort_unstable_by(f64::total_cmp);
        NodeRatio {
            first,
            low: fixed(quantile(&values, 0.05)),
            high: fixed(quantile(&values, 0.95)),
        }
    };
    let measures = || seeds[0].ratios.keys();
    let load = |node: usize| -> BTreeMap<String, NodeRatio> {
        measures().map(|measure| (measure.name().into(), ratio(measure, node))).collect()
    };
    let node_load = |(index, node): (usize, &placelab_core::Node)| NodeLoad {
        name: node.name.to_string(),
        weight: node.weight.to_string(),
        share: seeds[0].shares.as_ref().map(|shares| fixed(shares[index])),
        load: load(index),
    };
    roster.nodes().iter().enumerate().map(node_load).collect()
}

/// Who received the keys of the nodes that went.
fn failure(planned: &PlannedStep, spread: &Spread) -> Failure {
    let (before, after) = (names(&planned.before), names(&planned.after));
    let listed = spread.extra.iter().take(NODES_LISTED_MAX);
    Failure {
        gone: planned.gone.iter().map(|id| before[id].to_string()).collect(),
        extra: listed.map(|(id, extra)| (after[id].to_string(), fixed(*extra))).collect(),
        survivors: spread.extra.len() as u32,
    }
}

/// What each member is called.
fn names(roster: &Roster) -> BTreeMap<NodeId, &NodeName> {
    roster.nodes().iter().map(|node| (node.id, &node.name)).collect()
}

/// The largest flows of the published function, and how many were left out.
fn flows(
    setting: &Setting<'_>,
    planned: &PlannedStep,
    cells: &[FlowCell],
    rows: usize,
) -> (Vec<Flow>, u64) {
    if cells.is_empty() {
        return (Vec::new(), 0);
    }
    let targets = Targets::new(&planned.before, &planned.after, setting.plan.names.names().len());
    let (before, after) = (names(&planned.before), names(&planned.after));
    let mut sorted = cells.to_vec();
    sorted.sort_by_key(|cell| (std::cmp::Reverse(cell.amounts[0]), cell.source, cell.destination));
    let totals = setting.source.totals();
    let flow = |cell: &FlowCell| Flow {
        source: before[&cell.source].to_string(),
        destination: after[&cell.destination].to_string(),
        keys: cell.amounts[0],
        requests: totals.requests.map(|_| cell.amounts[1]),
        bytes: totals.bytes.map(|_| cell.amounts[2]),
        forced: targets.forces(cell.source, cell.destination),
    };
    let omitted = sorted.len().saturating_sub(rows) as u64;
    (sorted.iter().take(rows).map(flow).collect(), omitted)
}
