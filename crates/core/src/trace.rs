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
    /// A table, point or candidate was looked at.
    Probe {
        /// Slot or position.
        at: u64,
        /// Who stands there.
        node: NodeId,
    },
    /// A walk over numbered buckets moved on.
    Jump {
        /// The bucket so far.
        from: u32,
        /// The next candidate; at or beyond the bucket count where jump hash ends its walk.
        to: u64,
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
