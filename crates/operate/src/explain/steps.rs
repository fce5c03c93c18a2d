//! The steps of a trace in the terms of the scheme.

use std::cmp::Reverse;

use placelab_core::{Anatomy, Key, NodeId};
use serde::Serialize;

/// Scores that are told of: the highest ones.
pub const SCORES_MAX: usize = 100;

/// One step of a lookup.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Step {
    /// What happened, with its figures.
    #[serde(flatten)]
    pub event: Event,
    /// The same in a sentence.
    pub says: String,
}

/// What happened in a step. Hashes and positions are 16 hexadecimal digits; parts are those of the
/// circle, from 0 to 1.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Event {
    /// The key stands on the circle.
    Stand {
        /// Where.
        position: String,
        /// How much of the circle lies before that.
        part: f64,
    },
    /// A hash or draw was made.
    Draw {
        /// What it gave.
        value: String,
    },
    /// A hash or draw was made, and its remainder picked a bucket.
    Pick {
        /// What it gave.
        value: String,
        /// How many buckets there were to pick from.
        among: u64,
        /// `value` modulo `among`.
        bucket: u64,
        /// Whether the bucket is out of service.
        is_out: bool,
    },
    /// Jump hash drew its next bucket.
    Jump {
        /// The bucket so far.
        bucket: u32,
        /// From 1 to 2^31.
        draw: u64,
        /// (`bucket` + 1) × 2^31 ÷ `draw`.
        reaches: f64,
        /// That, rounded down.
        to: u64,
        /// How many buckets there are.
        buckets: usize,
        /// Whether that is beyond the last one, so that the key stays in `bucket`.
        ends: bool,
    },
    /// A bucket out of service passed the key on.
    Pass {
        /// That bucket.
        bucket: u32,
        /// Who stands in for it, or is next to it.
        to: u32,
    },
    /// The bucket that the key ends in.
    Bucket {
        /// Its number.
        bucket: usize,
        /// Whose it is.
        node: String,
    },
    /// A point of the circle was looked at.
    Point {
        /// Where it is.
        position: String,
        /// How much of the circle lies before that.
        part: f64,
        /// Whose it is.
        node: String,
        /// How far behind the key it is, round the circle.
        distance: f64,
        /// Whether it is the closest one so far.
        leads: bool,
    },
    /// A node scored.
    Score {
        /// Its rank, from 1.
        rank: usize,
        /// Who it is.
        node: String,
        /// What it scored.
        score: String,
    },
    /// A slot was read.
    Slot {
        /// Its number.
        slot: u64,
        /// How many there are.
        slots: usize,
        /// Whose it is.
        node: String,
        /// When its owner took it, from 1, where nodes take turns.
        turn: Option<u32>,
    },
    /// A node was looked at.
    Look {
        /// What of it, in the scheme's own terms.
        at: String,
        /// Who it is.
        node: String,
    },
}

pub(super) fn hex(value: u64) -> String {
    format!("{value:016x}")
}

/// How much of the circle lies before a position, from 0 to 1.
pub fn part(position: u64) -> f64 {
    position as f64 / 18_446_744_073_709_551_616.0
}

/// What is told of a trace.
pub(super) fn steps(
    key: Key<'_>,
    trace: &[placelab_core::Step],
    anatomy: Option<&Anatomy>,
    owner: NodeId,
    name: &dyn Fn(NodeId) -> String,
) -> Vec<Step> {
    let events = match anatomy {
        Some(Anatomy::Circle(points)) => circle(key, trace, points, name),
        Some(Anatomy::Scores) => ranked(trace, name),
        Some(Anatomy::Table { owners, turns }) => table(trace, owners, turns, name),
        Some(Anatomy::Buckets(owners)) => buckets(trace, owners, owner, name),
        None => trace.iter().map(|step| plain(step, name)).collect(),
    };
    events.into_iter().map(|event| Step { says: says(&event), event }).collect()
}

/// A step of which no more is known.
fn plain(step: &placelab_core::Step, name: &dyn Fn(NodeId) -> String) -> Event {
    use placelab_core::Step::{Draw, Jump, Pass, Pick, Probe};
    match *step {
        Draw { value } => Event::Draw { value: hex(value) },
        Pick { value, among } => pick(value, among, &[]),
        Probe { at, node } => Event::Look { at: hex(at), node: name(node) },
        Jump { from, draw, to } => jump((from, draw, to), usize::MAX),
        Pass { from, to } => Event::Pass { bucket: from, to },
    }
}

/// The bucket that a remainder picks; one that nobody has is out of service.
fn pick(value: u64, among: u64, owners: &[NodeId]) -> Event {
    let bucket = value % among.max(1);
    let is_out = owners.get(bucket as usize).is_none_or(|owner| *owner == NodeId::NOBODY);
    Event::Pick { value: hex(value), among, bucket, is_out }
}

/// The next bucket of jump hash among so many.
fn jump((bucket, draw, to): (u32, u64, u64), buckets: usize) -> Event {
    let reaches = (f64::from(bucket) + 1.0) * 2_147_483_648.0 / draw as f64;
    Event::Jump { bucket, draw, reaches, to, buckets, ends: to >= buckets as u64 }
}

/// Points and scores of a circle. A key starts at its hash, and again at each position that it
/// draws; the closest point behind leads.
fn circle(
    key: Key<'_>,
    trace: &[placelab_core::Step],
    points: &[(u64, NodeId)],
    name: &dyn Fn(NodeId) -> String,
) -> Vec<Event> {
    let draws = trace.iter().any(|step| matches!(step, placelab_core::Step::Draw { .. }));
    let mut events = Vec::new();
    let mut start = key.hash.0;
    let mut least = u64::MAX;
    if !draws {
        events.push(Event::Stand { position: hex(start), part: part(start) });
    }
    let mut scores = Vec::new();
    for step in trace {
        match *step {
            placelab_core::Step::Draw { value } => {
                start = value;
                events.push(Event::Stand { position: hex(value), part: part(value) });
            }
            placelab_core::Step::Probe { at, node } if is_point(points, at, node) => {
                let distance = at.wrapping_sub(start);
                let leads = distance < least && distance <= u64::MAX / 2 || points.len() == 1;
                least = if leads { distance } else { least };
                events.push(Event::Point {
                    position: hex(at),
                    part: part(at),
                    node: name(node),
                    distance: part(distance),
                    leads,
                });
            }
            placelab_core::Step::Probe { at, node } => scores.push((at, node)),
            _ => events.push(plain(step, name)),
        }
    }
    events.extend(by_rank(scores, name));
    events
}

fn is_point(points: &[(u64, NodeId)], at: u64, node: NodeId) -> bool {
    let first = points.partition_point(|(position, _)| *position < at);
    let mut alike = points[first..].iter().take_while(|(position, _)| *position == at);
    alike.any(|(_, owner)| *owner == node)
}

/// The scores of all nodes from the greatest on; equals stay in the order of their names.
fn ranked(trace: &[placelab_core::Step], name: &dyn Fn(NodeId) -> String) -> Vec<Event> {
    let scores = trace.iter().filter_map(|step| match *step {
        placelab_core::Step::Probe { at, node } => Some((at, node)),
        _ => None,
    });
    by_rank(scores.collect(), name)
}

fn by_rank(mut scores: Vec<(u64, NodeId)>, name: &dyn Fn(NodeId) -> String) -> Vec<Event> {
    scores.sort_by_key(|(score, _)| Reverse(*score));
    let score = |(rank, (score, node)): (usize, &(u64, NodeId))| Event::Score {
        rank,
        node: name(*node),
        score: hex(*score),
    };
    (1..).zip(&scores).take(SCORES_MAX).map(score).collect()
}

fn table(
    trace: &[placelab_core::Step],
    owners: &[NodeId],
    turns: &[u32],
    name: &dyn Fn(NodeId) -> String,
) -> Vec<Event> {
    let event = |step: &placelab_core::Step| match *step {
        placelab_core::Step::Probe { at, node } => Event::Slot {
            slot: at,
            slots: owners.len(),
            node: name(node),
            turn: turns.get(at as usize).copied(),
        },
        _ => plain(step, name),
    };
    trace.iter().map(event).collect()
}

/// The walk over numbered buckets and where it ends, where the owner has one bucket.
fn buckets(
    trace: &[placelab_core::Step],
    owners: &[NodeId],
    owner: NodeId,
    name: &dyn Fn(NodeId) -> String,
) -> Vec<Event> {
    let event = |step: &placelab_core::Step| match *step {
        placelab_core::Step::Jump { from, draw, to } => jump((from, draw, to), owners.len()),
        placelab_core::Step::Pick { value, among } => pick(value, among, owners),
        _ => plain(step, name),
    };
    let mut events: Vec<Event> = trace.iter().map(event).collect();
    let walked = events.iter().rev().find_map(|event| match event {
        Event::Jump { bucket, ends: true, .. } => Some(*bucket as usize),
        Event::Pass { to, .. } => Some(*to as usize),
        Event::Pick { bucket, .. } => Some(*bucket as usize),
        _ => None,
    });
    let own = || owners.iter().position(|other| *other == owner);
    let ends = walked.filter(|bucket| owners.get(*bucket) == Some(&owner)).or_else(own);
    events.extend(ends.map(|bucket| Event::Bucket { bucket, node: name(owner) }));
    events
}

// ---- words -----------------------------------------------------------------------------------

/// A part of the circle in percent, with the digits that tell points apart.
fn percent(part: f64) -> String {
    format!("{:.4} %", 100.0 * part)
}

fn says(event: &Event) -> String {
    match event {
        Event::Stand { position, part } => {
            format!("the key stands at {position}, after {} of the circle", percent(*part))
        }
        Event::Draw { value } => format!("hashes to {value}"),
        Event::Pick { value, among, bucket, is_out } => {
            let out = if *is_out { ", which is out of service" } else { "" };
            format!("hashes to {value}: modulo {among} that is bucket {bucket}{out}")
        }
        Event::Jump { bucket, draw, reaches, to, buckets, ends } => {
            let sum = format!("bucket {bucket}: ({bucket} + 1) × 2^31 ÷ {draw} = {reaches:.4}");
            match ends {
                true => format!("{sum}, not below {buckets}: the key stays in bucket {bucket}"),
                false => format!("{sum}: on to bucket {to}"),
            }
        }
        Event::Pass { bucket, to } => {
            format!("bucket {bucket} is out of service: bucket {to} stands in")
        }
        Event::Bucket { bucket, node } => format!("bucket {bucket} is that of {node}"),
        Event::Point { position, node, distance, leads, .. } => {
            let what = match leads {
                true => format!("{} further on", percent(*distance)),
                false if *distance > 0.5 => "which lies before the key".into(),
                false => format!("{} further on, farther than the closest", percent(*distance)),
            };
            format!("point {position} of {node}, {what}")
        }
        Event::Score { rank, node, score } => format!("{rank}. {node} scores {score}"),
        Event::Slot { slot, slots, node, turn } => {
            let when = turn.map_or_else(String::new, |turn| format!(", taken in turn {turn}"));
            format!("slot {slot} of {slots} is that of {node}{when}")
        }
        Event::Look { at, node } => format!("looks at {node} ({at})"),
    }
}
