//! Every placement algorithm, one file each, and the registry.
//!
//! To add one, write its file (module documentation with citation, cost and limits; the type; its
//! traits; `pub(crate) static SPEC`; a vector test) and add its `mod` line and its line in
//! [`REGISTRY`] below. Laws, command line, documentation tables, benches and scenarios that ask
//! for `*` pick it up from there; nothing else is edited, and a test holds that.
//!
//! Functions that score pairs of key and node are a `Score` in a `Contest`. Stateless functions
//! from a hash and a count to a bucket implement [`RangeHash`]; their line is a `family`, and the
//! adapters make `X+renumber`, `X+alias` and `X+weighted` of them. Sets of numbered buckets of
//! which any may be removed are a `BucketSet`, and its `build` makes a placement of them.

mod anchor;
mod binomial;
mod bounded_load;
mod carp;
mod choose_k;
mod divided_rendezvous;
mod dx;
mod flip;
mod ideal;
mod jump;
mod jump_back;
mod jump_back_anchor;
mod lrh;
mod maglev;
mod memento;
mod modulo;
mod multi_probe;
mod multiply_shift;
mod naive_weighted_rendezvous;
mod point_hashes;
mod power;
mod rendezvous;
mod rendezvous_concat;
mod rendezvous_sha256;
mod ring;
mod slots;
mod straw2;
mod two_choices;
mod weighted_rendezvous;

mod adapters;
mod bits;
mod bucket_set;
mod circle;
mod clocks;
mod contest;
mod crc32c;
mod dense;
#[cfg(test)]
mod fixtures;
mod kernels;
mod load_aware;
mod owner_table;
mod permutation;
mod range_hash;
mod remainder;
mod seen;
mod stand_ins;
mod straw2_tables;
mod twins;
#[cfg(test)]
mod vectors;

pub mod published;
pub mod shard_map;
pub mod simd;

use std::sync::LazyLock;

use placelab_core::AlgorithmSpec;

use adapters::family;
use jump_back::JumpBack;

pub use jump::Jump;
pub use maglev::{Turns, populate};
pub use range_hash::RangeHash;

/// Every algorithm in the order in which they are listed: canaries first, exhibits last.
pub static REGISTRY: LazyLock<Vec<&'static AlgorithmSpec>> = LazyLock::new(|| {
    [
        vec![&modulo::SPEC],
        vec![&ideal::SPEC],
        family::<Jump>(&jump::SPEC),
        family::<JumpBack>(&jump_back::SPEC),
        family::<power::Power>(&power::SPEC),
        family::<flip::Flip>(&flip::SPEC),
        family::<binomial::Binomial>(&binomial::SPEC),
        family::<multiply_shift::MultiplyShift>(&multiply_shift::SPEC),
        vec![&anchor::SPEC],
        vec![&jump_back_anchor::SPEC],
        vec![&dx::SPEC],
        vec![&memento::SPEC],
        vec![&choose_k::SPEC],
        vec![&ring::SPEC],
        vec![&multi_probe::SPEC],
        vec![&lrh::SPEC],
        vec![&rendezvous::SPEC],
        vec![&weighted_rendezvous::SPEC],
        vec![&straw2::SPEC],
        vec![&carp::SPEC],
        vec![&maglev::SPEC],
        vec![&slots::SPEC],
        vec![&shard_map::SPEC],
        vec![&bounded_load::SPEC],
        vec![&two_choices::SPEC],
        vec![&naive_weighted_rendezvous::SPEC],
        vec![&divided_rendezvous::SPEC],
        vec![&rendezvous_sha256::SPEC],
        vec![&rendezvous_concat::SPEC],
    ]
    .concat()
});

/// The algorithm with this name.
pub fn find(name: &str) -> Option<&'static AlgorithmSpec> {
    REGISTRY.iter().find(|spec| spec.name == name).copied()
}

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
