//! Which times differ by more than one run differs from itself; on one machine only.

use std::collections::BTreeMap;

use serde::Serialize;

use super::design::{DesignChange, Value};
use super::{Run, Sides, Turn};
use crate::fixed;
use crate::timings::{Machine, Rounds, Timings};

/// What can be said of times.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Times {
    /// One of the runs has none, or both.
    Missing {
        /// Which run has some.
        timed: Sides<bool>,
    },
    /// They were taken on different machines, or by different builds: they are not compared.
    OtherMachine {
        /// What differs.
        machine: Vec<DesignChange>,
    },
    /// They were compared.
    Compared(TimesCompared),
}

/// Times of one machine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TimesCompared {
    /// How many were compared: lookups of each kind and number of nodes, builds and changes.
    pub compared: u64,
    /// Whether something says that the machine was busy.
    pub busy: Sides<bool>,
    /// Those that differ beyond the rounds and the A/A spread of both runs.
    pub differences: Vec<TimeDifference>,
}

/// A time that differs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TimeDifference {
    /// The contender.
    pub contender: String,
    /// What was timed, in words.
    pub what: String,
    /// Members of equal weight; none for the scenario's own fleet.
    pub nodes: Option<u32>,
    /// The time in each run.
    #[serde(flatten)]
    pub sides: Sides<TimeRange>,
    /// Which way it turned.
    pub turn: Turn,
}

/// A time over its rounds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct TimeRange {
    /// Median of the rounds, in nanoseconds.
    pub median_ns: f64,
    /// Least of the rounds.
    pub least_ns: f64,
    /// Largest of the rounds.
    pub largest_ns: f64,
}

/// What depends on the machine, by name.
type Property = (&'static str, fn(&Machine) -> Value);

const MACHINE: [Property; 5] = [
    ("processor", |machine| Value::Text(machine.cpu.clone())),
    ("logical processors", |machine| Value::Count(machine.cores.into())),
    ("platform", |machine| Value::Text(machine.platform.clone())),
    ("compiler", |machine| Value::Text(machine.rustc.clone())),
    ("profile", |machine| Value::Text(machine.profile.clone())),
];

/// Compares the times.
pub(super) fn times(runs: Sides<Run>) -> Times {
    let Some(timings) = runs.map(|run| run.timings).both() else {
        return Times::Missing { timed: runs.map(|run| run.timings.is_some()) };
    };
    let machine = other_machine(timings);
    if !machine.is_empty() {
        return Times::OtherMachine { machine };
    }
    let before: BTreeMap<_, _> = timed(timings.before).into_iter().collect();
    let mut compared = TimesCompared {
        compared: 0,
        busy: timings.map(|times| !times.busy.is_empty()),
        differences: Vec::new(),
    };
    let cold = timings.map(|times| times.machine.displaced_bytes).differ();
    for (key, after) in timed(timings.after) {
        if cold && key.1.starts_with("cold") {
            continue;
        }
        let Some(&before) = before.get(&key) else { continue };
        let sides = Sides { before, after };
        compared.compared += 1;
        if differ(sides) {
            compared.differences.push(TimeDifference {
                contender: key.0.into(),
                what: key.1,
                nodes: key.2,
                sides: sides.map(|(rounds, unit_ns)| TimeRange {
                    median_ns: fixed(rounds.median * unit_ns),
                    least_ns: fixed(rounds.least * unit_ns),
                    largest_ns: fixed(rounds.largest * unit_ns),
                }),
                turn: Turn::better(after.0.median < sides.before.0.median),
            });
        }
    }
    Times::Compared(compared)
}

/// What tells the machines apart; nothing where times may be compared.
pub(crate) fn other_machine(timings: Sides<&Timings>) -> Vec<DesignChange> {
    let property = |(what, of): &Property| {
        let sides = timings.map(|times| Some(of(&times.machine)));
        sides.differ().then(|| DesignChange { what: (*what).into(), sides })
    };
    MACHINE.iter().filter_map(property).collect()
}

/// A contender, what was timed and over how many nodes; the time, and the nanoseconds of its unit.
type Timed<'a> = ((&'a str, String, Option<u32>), (&'a Rounds, f64));

fn timed(times: &Timings) -> Vec<Timed<'_>> {
    let mut all = Vec::new();
    for lookup in times.lookups.iter().filter(|lookup| lookup.refusal.is_none()) {
        for (kind, rounds) in lookup.figures() {
            let key = (lookup.contender.as_str(), format!("{kind} lookup"), Some(lookup.nodes));
            all.push((key, (rounds, 1.0)));
        }
    }
    for update in &times.updates {
        let mut put = |what: &str, rounds| {
            all.push(((update.contender.as_str(), what.into(), None), (rounds, 1e3)));
        };
        put("build of the first fleet", &update.build_us);
        if let Some(apply) = &update.apply_us {
            put("first change", apply);
        }
    }
    all
}

/// Whether two times lie apart by more than either differs from itself. What is within the floor
/// on both sides says nothing.
fn differ(sides: Sides<(&Rounds, f64)>) -> bool {
    let Sides { before, after } = sides.map(|(rounds, _)| rounds);
    let numbers = |rounds: &Rounds| {
        [rounds.median, rounds.least, rounds.largest, rounds.aa_spread]
            .iter()
            .all(|x| x.is_finite())
    };
    if !numbers(before) || !numbers(after) || (before.is_within_floor() && after.is_within_floor())
    {
        return false;
    }
    let apart = before.largest < after.least || after.largest < before.least;
    let gap = (after.median - before.median).abs() / before.median.max(after.median);
    apart && gap > before.aa_spread.max(after.aa_spread)
}
