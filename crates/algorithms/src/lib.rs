//! Every placement algorithm, one file each, and the registry.
//!
//! To add one, write its file (module documentation with citation, cost and limits; the type; its
//! traits; `pub(crate) static SPEC`; a vector test) and add its `mod` line and its line in
//! [`REGISTRY`] below. Laws, command line, documentation tables, benches and scenarios that ask
//! for `*` pick it up from there; nothing else is edited, and a test holds that.
//!
//! Stateless functions from a hash and a count to a bucket implement [`RangeHash`]; the adapter
//! [`TailOnly`] makes them placements.

mod ideal;
mod jump;
mod maglev;
mod modulo;
mod rendezvous;
mod ring;
mod weighted_rendezvous;

mod circle;
mod entrants;
mod range_hash;
#[cfg(test)]
mod vectors;

use placelab_core::AlgorithmSpec;

pub use jump::Jump;
pub use maglev::{Turns, populate};
pub use range_hash::{RangeHash, TailOnly};

/// Every algorithm in the order in which they are listed: canaries first.
pub static REGISTRY: &[&AlgorithmSpec] = &[
    &modulo::SPEC,
    &ideal::SPEC,
    &jump::SPEC,
    &ring::SPEC,
    &rendezvous::SPEC,
    &weighted_rendezvous::SPEC,
    &maglev::SPEC,
];

/// The algorithm with this name.
pub fn find(name: &str) -> Option<&'static AlgorithmSpec> {
    REGISTRY.iter().find(|spec| spec.name == name).copied()
}

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
