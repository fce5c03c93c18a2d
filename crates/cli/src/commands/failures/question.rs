//! What is asked: contenders, fleet, copies and keys, from the command line.

use placelab_core::{CopyRule, HashFunction, Roster};
use placelab_metrics::loss::Holders;
use placelab_results::Measure;
use placelab_sim::diagnostics::quoted;
use placelab_sim::failures::{Capacity, Inquiry};
use placelab_sim::scenario::{ContenderRequest, KeyRequest, SourceRequest};

use super::Options;
use crate::commands::prepare;
use crate::failure::Failure;

/// Most keys: all of them are held at once, with their copies.
const KEYS_MAX: u64 = 10_000_000;
/// Most hash seeds.
const SEEDS_MAX: u64 = 1_000;
/// Largest capacity.
const CAPACITY_MAX: f64 = 1e6;

/// A question that has an answer: a fleet that can hold the copies.
pub(super) struct Question {
    pub contenders: Vec<ContenderRequest>,
    pub roster: Roster,
    pub copies: CopyRule,
    pub keys: KeyRequest,
    pub seeds: u32,
    pub down: u32,
    pub capacity: Capacity,
}

impl Question {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let key_count = prepare::number("--keys", &options.keys, KEYS_MAX)?;
        let seeds = prepare::number("--seeds", &options.seeds, SEEDS_MAX)? as u32;
        let (roster, copies) = options.fleet.read(Holders::COPIES_MAX)?;
        let serving = roster.serving().count();
        let down = prepare::number("--down", &options.down, serving as u64)? as u32;
        let capacity = Capacity::OwnLoad(factor(&options.capacity)?);
        let contenders = prepare::contenders(&options.algorithm)?;
        let source = SourceRequest::Uniform { count: key_count };
        let keys = KeyRequest { source, hash: HashFunction::Xxh3, marks: Vec::new() };
        Ok(Question { contenders, roster, copies, keys, seeds, down, capacity })
    }

    pub(super) fn inquiry(&self) -> Inquiry<'_> {
        Inquiry {
            roster: &self.roster,
            copies: self.copies,
            measure: Measure::Keys,
            capacity: &self.capacity,
            down: self.down,
            seeds: self.seeds,
        }
    }
}

/// How many times its own load each node can take.
fn factor(text: &str) -> Result<f64, Failure> {
    let factor = text.replace('_', "").parse().ok();
    factor.filter(|factor| (1.0..=CAPACITY_MAX).contains(factor)).ok_or_else(|| {
        Failure::Invalid(format!(
            "--capacity {}: a number from 1 to {CAPACITY_MAX} is needed, such as 1.5: how many \
             times its own load each node can hold",
            quoted(text)
        ))
    })
}
