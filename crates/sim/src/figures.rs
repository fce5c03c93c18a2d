//! The figures of one contender at one hash seed: a tally turned into metrics.

mod held;
mod shares;
mod switch;

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{
    Change, Claim, CopyRule, Count, HashSeed, Key, KeyPart, Keys, NodeId, Placement, Placer, Roster,
};
use placelab_metrics::copies::Copies;
use placelab_metrics::fill::Fills;
use placelab_metrics::flows::{Amounts, FlowCell};
use placelab_metrics::holdings::Holdings;
use placelab_metrics::load::{Balance, balance, ratios};
use placelab_metrics::movement::{Spread, Targets, half_change, movement, spread};
use placelab_metrics::uniform::g_test;
use placelab_results::{Measure, NODE_ROWS_MAX, NODES_LISTED_MAX};

use crate::chance::{Chances, rank_weights};
use crate::keys::{KeyChunk, KeySource};
use crate::plan::{Plan, PlannedStep, PlannedTimeline};
use crate::replay::{Burden, Comparison, Comparisons, Course, Replay, Snapshot, replay};
use crate::scenario::{Capacities, ContenderRequest};
use crate::sweep::{Marks, Progress, Sweep};

/// Keys over which the work of a lookup is averaged.
const WORK_KEYS: u64 = 1_024;

/// What one contender did at one seed: one entry a timeline.
pub struct SeedFigures {
    /// Figures of each step reached, and why the timeline ended early.
    pub timelines: Vec<TimelineFigures>,
    /// The balance of the first fleet's ranks at each mark; empty where it was refused.
    pub fills: Vec<Balance>,
}

/// What one contender did at one seed in one timeline.
pub struct TimelineFigures {
    /// One entry a step reached.
    pub steps: Vec<StepFigures>,
    /// Index of the step that was refused, and why.
    pub refusal: Option<(usize, placelab_core::PlacementError)>,
}

/// One state and the step that led there.
#[derive(Default)]
pub struct StepFigures {
    /// Metrics by id.
    pub metrics: BTreeMap<String, f64>,
    /// Load over fair load of each member in roster order, by measure; empty for large fleets.
    pub ratios: BTreeMap<Measure, Vec<f64>>,
    /// Exact share over fair share of each member in roster order, where there are exact shares.
    pub shares: Option<Vec<f64>>,
    /// The moves of the step; kept for the first seed.
    pub cells: Vec<FlowCell>,
    /// Who received the keys of nodes that went.
    pub spread: Option<Spread>,
    /// The place of the node that is full first.
    pub first_full: Option<usize>,
}

/// Everything that is the same for all contenders and seeds.
pub struct Setting<'a> {
    /// The events.
    pub plan: &'a Plan,
    /// The keys.
    pub source: &'a KeySource,
    /// What chance would give.
    pub chances: &'a Chances,
    /// Copies of each key, and how they spread.
    pub copies: CopyRule,
    /// How much nodes can take, where that is bounded.
    pub capacities: Option<&'a Capacities>,
    /// Where the first fleet is looked at as keys come.
    pub marks: Marks<'a>,
}

impl Setting<'_> {
    fn node_count(&self) -> usize {
        self.plan.names.names().len()
    }
}

/// Replays, sweeps and measures one contender at one seed.
pub fn figures(
    setting: &Setting<'_>,
    contender: &ContenderRequest,
    seed: HashSeed,
    progress: &dyn Progress,
) -> SeedFigures {
    let burden = Burden { keys: setting.source.len(), replicas: setting.copies.count };
    let replayed = replay(contender, seed, setting.plan, burden);
    if replayed.snapshots.is_empty() {
        progress.advance(setting.source.len());
        let refused = |course: Course| TimelineFigures { steps: vec![], refusal: course.refusal };
        let timelines = replayed.courses.into_iter().map(refused).collect();
        return SeedFigures { timelines, fills: Vec::new() };
    }
    let comparisons = comparisons(setting.plan, &replayed);
    let sweep = Sweep {
        source: setting.source,
        reads: contender.spec.reads,
        snapshots: &replayed.snapshots,
        comparisons: &comparisons,
        copies: setting.copies,
        node_count: setting.node_count(),
        marks: setting.marks,
    };
    let tally = sweep.run(progress);
    let fills = fills(setting, &tally.fills);
    let cells: Vec<Vec<FlowCell>> = tally.flows.iter().map(|flows| flows.cells()).collect();
    let measured = Measured {
        setting,
        snapshots: &replayed.snapshots,
        has_fair_shares: contender.spec.claims(Claim::FairShares),
        work: work(setting.source, contender.spec.reads, &replayed.snapshots),
        loads: loads(&replayed, &comparisons, tally.first, &cells),
        cells,
        copies: tally.copies,
        holdings: tally.holdings,
        comparisons: &comparisons,
    };
    let timelines = std::iter::zip(&setting.plan.timelines, replayed.courses)
        .map(|(timeline, course)| measured.timeline(timeline, course, seed))
        .collect();
    SeedFigures { timelines, fills }
}

/// The balance over the ranks of the first fleet at each mark.
fn fills(setting: &Setting<'_>, fills: &Fills) -> Vec<Balance> {
    let start = &setting.plan.start;
    let weights = rank_weights(start, setting.marks.ranks);
    let loads = fills.loads(&start.ids()).into_iter();
    loads.filter_map(|loads| balance(&ratios(&loads, &weights), &weights)).collect()
}

/// Every step against the state before, and every return against the state before the going.
fn comparisons(plan: &Plan, replayed: &Replay) -> Comparisons {
    let (mut steps, mut others) = (Vec::new(), Vec::new());
    for (timeline, course) in plan.timelines.iter().zip(&replayed.courses) {
        for step in 1..course.snapshots.len() {
            let (before, after) = (course.snapshots[step - 1], course.snapshots[step]);
            steps.push(Comparison { before, after });
            let returns = returns(timeline, course, step).into_keys();
            others.extend(returns.map(|before| Comparison { before, after }));
        }
    }
    Comparisons::new(steps, others)
}

/// The nodes that return in a step, by the last snapshot in which they were members.
fn returns(
    timeline: &PlannedTimeline,
    course: &Course,
    step: usize,
) -> BTreeMap<usize, BTreeSet<NodeId>> {
    let mut wanted: BTreeSet<NodeId> = timeline.steps[step].returned.iter().copied().collect();
    let mut found = BTreeMap::new();
    for before in (0..step).rev() {
        if wanted.is_empty() {
            break;
        }
        let members = timeline.steps[before].after.nodes().iter().map(|node| node.id);
        let here: BTreeSet<NodeId> = members.filter(|id| wanted.remove(id)).collect();
        if !here.is_empty() {
            found.insert(course.snapshots[before], here);
        }
    }
    found
}

/// Loads of every snapshot by identity: those before, plus what entered, minus what left.
fn loads(
    replayed: &Replay,
    comparisons: &Comparisons,
    first: Vec<Amounts>,
    cells: &[Vec<FlowCell>],
) -> Vec<Vec<Amounts>> {
    let mut loads = vec![Vec::new(); replayed.snapshots.len()];
    loads[0] = first;
    let steps = replayed.courses.iter().flat_map(|course| course.snapshots.windows(2));
    for step in steps {
        let comparison = Comparison { before: step[0], after: step[1] };
        let mut next: Vec<Amounts> = loads[comparison.before].clone();
        for cell in &cells[comparisons.place(comparison)] {
            for (measure, amount) in cell.amounts.into_iter().enumerate() {
                next[cell.destination.index()][measure] += amount;
                next[cell.source.index()][measure] -= amount;
            }
        }
        loads[comparison.after] = next;
    }
    loads
}

/// Mean steps of a lookup under each snapshot; where loads count, in a pass over these keys alone.
fn work(source: &KeySource, reads: KeyPart, snapshots: &[Snapshot]) -> Vec<f64> {
    let mut chunk = KeyChunk::default();
    source.fill(0..WORK_KEYS.min(source.len()), &mut chunk, reads);
    let text = (reads == KeyPart::Bytes).then_some(&chunk.text);
    let keys = Keys { hashes: &chunk.hashes, text };
    let mean = |snapshot: &Snapshot| {
        let mut count = Count::default();
        let keys = (0..chunk.hashes.len()).map(|key| keys.get(key));
        let salted = keys.map(|key| Key { hash: snapshot.seed.salt(key.hash), ..key });
        match &snapshot.placer {
            Placer::Placement(placement) => salted.for_each(|key| {
                placement.trace(key, &mut count);
            }),
            Placer::Assignment(assignment) => {
                let pass = assignment.open(chunk.hashes.len() as u64);
                let mut ledger = pass.expect("there is room for some where there is for all");
                salted.for_each(|key| {
                    ledger.assign(key, &mut count);
                });
            }
        }
        count.0 as f64 / chunk.hashes.len() as f64
    };
    snapshots.iter().map(mean).collect()
}

/// Members in all steps of a timeline.
fn rows(timeline: &PlannedTimeline) -> usize {
    timeline.steps.iter().map(|step| step.after.len()).sum()
}

/// The tally of one contender at one seed, taken apart.
struct Measured<'a> {
    setting: &'a Setting<'a>,
    /// Whether shares are said to be in proportion to the weights.
    has_fair_shares: bool,
    snapshots: &'a [Snapshot],
    work: Vec<f64>,
    loads: Vec<Vec<Amounts>>,
    cells: Vec<Vec<FlowCell>>,
    /// Of each step; empty where keys have one copy.
    copies: Vec<Copies>,
    /// Of each snapshot; likewise.
    holdings: Vec<Holdings>,
    comparisons: &'a Comparisons,
}

impl Measured<'_> {
    fn timeline(
        &self,
        timeline: &PlannedTimeline,
        course: Course,
        seed: HashSeed,
    ) -> TimelineFigures {
        let last = course.snapshots.len() - 1;
        let lists_all = rows(timeline) <= NODE_ROWS_MAX;
        let step = |(index, planned): (usize, &PlannedStep)| {
            let after = course.snapshots[index];
            let mut figures = self.state(after, &planned.after);
            if !(lists_all || index == 0 || index == last) {
                figures.ratios.clear();
                figures.shares = None;
            }
            if index > 0 {
                let comparison = Comparison { before: course.snapshots[index - 1], after };
                self.step(planned, comparison, &mut figures);
                self.copies(planned, comparison, &mut figures);
                self.switch(comparison, &mut figures);
                self.restored(&returns(timeline, &course, index), after, &mut figures);
                if seed == HashSeed::PUBLISHED {
                    figures.cells.clone_from(self.cells_of(comparison));
                }
            }
            figures
        };
        let reached = timeline.steps.iter().take(course.snapshots.len());
        let steps = reached.enumerate().map(step).collect();
        TimelineFigures { steps, refusal: course.refusal }
    }

    fn cells_of(&self, comparison: Comparison) -> &Vec<FlowCell> {
        &self.cells[self.comparisons.place(comparison)]
    }

    fn measures(&self) -> impl Iterator<Item = Measure> {
        self.setting.source.measures()
    }

    /// The figures of a state: loads, shares, work, memory.
    fn state(&self, snapshot: usize, roster: &Roster) -> StepFigures {
        let mut figures = StepFigures::default();
        let weights: Vec<u64> = roster.nodes().iter().map(|node| node.weight.micros()).collect();
        let chance = self.setting.chances.of(roster);
        for measure in self.measures() {
            let load = |id: NodeId| self.loads[snapshot][id.index()][measure as usize];
            let loads: Vec<u128> = roster.nodes().iter().map(|node| load(node.id).into()).collect();
            let ratios = ratios(&loads, &weights);
            let mut put = |id: &str, value| figures.metrics.insert(measure.id(id), value);
            if let Some(balance) = balance(&ratios, &weights) {
                put("load.max_over_mean", balance.max_over_mean);
                put("load.min_over_mean", balance.min_over_mean);
                put("load.cv", balance.cv);
                let expected = chance.loads[&measure].max_over_mean.mean;
                put("load.excess", balance.max_over_mean - expected);
                if measure == Measure::Keys {
                    put("load.p_max", chance.unit.p_max(balance.max_over_mean));
                    let counts: Vec<u64> = loads.iter().map(|&load| load as u64).collect();
                    g_test(&counts, &weights).map(|p| put("load.p_uniform", p));
                }
            }
            if roster.len() <= NODES_LISTED_MAX {
                figures.ratios.insert(measure, ratios);
            }
        }
        self.shares(snapshot, roster, &weights, &mut figures);
        self.holdings(snapshot, roster, &weights, &mut figures);
        self.capacity(snapshot, roster, &mut figures);
        let footprint = self.snapshots[snapshot].placer.scheme().footprint();
        let mut put = |id: &str, value| figures.metrics.insert(id.into(), value);
        put("work.lookup", self.work[snapshot]);
        let placement = self.snapshots[snapshot].placer.placement();
        placement.and_then(Placement::table).map(|rows| put("table.rows", rows.len() as f64));
        put("memory.shared_bytes", footprint.shared_bytes as f64);
        put("memory.derived_bytes", footprint.derived_bytes as f64);
        figures
    }

    /// The figures of a step: movement, and what happened to the keys of nodes that went.
    fn step(&self, planned: &PlannedStep, comparison: Comparison, figures: &mut StepFigures) {
        let cells = self.cells_of(comparison);
        let targets = Targets::new(&planned.before, &planned.after, self.setting.node_count());
        let minimum = planned.minimum();
        figures.metrics.insert("movement.minimum".into(), minimum);
        for measure in self.measures() {
            let total = self.setting.source.totals().by(measure).unwrap_or(0);
            let moved = movement(cells, measure as usize, total, &targets);
            let loads = |snapshot: usize| -> Vec<u64> {
                self.loads[snapshot].iter().map(|amounts| amounts[measure as usize]).collect()
            };
            let mut put = |id: &str, value| figures.metrics.insert(measure.id(id), value);
            put("movement.moved", moved.moved);
            put("movement.forced", moved.forced);
            put("movement.sideways", moved.sideways);
            put("movement.max_in", moved.max_in);
            put("movement.max_out", moved.max_out);
            put("movement.excess", moved.moved - minimum);
            let realised = half_change(&loads(comparison.before), &loads(comparison.after));
            put("movement.minimum_realised", realised);
        }
        // Whoever joins in the same step is no survivor, and takes over what was his to take.
        let joins = planned.changes.iter().any(|change| matches!(change, Change::Add(_)));
        let spread = spread(cells, &planned.gone, &planned.after).filter(|_| !joins);
        if let Some(spread) = spread {
            let mut put = |id: &str, value| figures.metrics.insert(id.into(), value);
            put("failure.receivers", spread.receivers as f64);
            put("failure.max_extra", spread.max_extra);
            put("failure.spread", spread.effective);
            figures.spread = Some(spread);
        }
    }

    /// Of the keys that returning nodes had before they went, the part that they have again.
    fn restored(
        &self,
        returns: &BTreeMap<usize, BTreeSet<NodeId>>,
        after: usize,
        figures: &mut StepFigures,
    ) {
        let (mut had, mut lost) = (0, 0);
        for (&before, nodes) in returns {
            had += nodes.iter().map(|node| self.loads[before][node.index()][0]).sum::<u64>();
            let cells = self.cells_of(Comparison { before, after });
            let left = cells.iter().filter(|cell| nodes.contains(&cell.source));
            lost += left.map(|cell| cell.amounts[0]).sum::<u64>();
        }
        if had > 0 {
            let restored = (had - lost) as f64 / had as f64;
            figures.metrics.insert("failure.restored".into(), restored);
        }
    }
}
