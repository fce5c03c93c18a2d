//! The steps of a lookup: counted as work, recorded as an explanation.

use crate::node::NodeId;

/// One step of a lookup in the scheme's own terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A hash or draw was made.
    Draw {
        /// Its value.
        value: u64,
    },
    /// A hash or draw was made, and its remainder picked one of some numbered buckets.
    Pick {
        /// Its value.
        value: u64,
        /// How many buckets there are to pick from.
        among: u64,
    },
    /// A table, point or candidate was looked at.
    Probe {
        /// Slot or position.
        at: u64,
        /// Who stands there.
        node: NodeId,
    },
    /// Jump hash drew its next bucket: (`from` + 1) × 2^31 ÷ `draw`, rounded down.
    Jump {
        /// The bucket so far.
        from: u32,
        /// From 1 to 2^31.
        draw: u64,
        /// The next bucket; at or beyond the count of buckets the walk ends where it is.
        to: u64,
    },
    /// A bucket out of service passed the key on.
    Pass {
        /// That bucket.
        from: u32,
        /// The one that stands in for it, or is next to it.
        to: u32,
    },
}

/// Receives the steps of a lookup. The walk of an algorithm is written once, generic over this,
/// so counted work and explanations are those of the timed code.
pub trait Trace {
    /// A step was taken.
    fn step(&mut self, step: Step);
}

/// Discards the steps: compiles to nothing.
pub struct Silent;

impl Trace for Silent {
    #[inline(always)]
    fn step(&mut self, _: Step) {}
}

/// Counts the steps.
#[derive(Default, Debug)]
pub struct Count(pub u64);

impl Trace for Count {
    #[inline]
    fn step(&mut self, _: Step) {
        self.0 += 1;
    }
}

/// Keeps the steps.
#[derive(Default, Debug)]
pub struct Record(pub Vec<Step>);

impl Trace for Record {
    fn step(&mut self, step: Step) {
        self.0.push(step);
    }
}
