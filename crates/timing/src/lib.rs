//! How fast contenders are on this machine: the only crate with a clock.
//!
//! Every figure is the median of [`ROUNDS`] rounds, with the least and the largest beside it.
//! Keys are distinct and hashed beforehand: a lookup of one key again and again teaches it to the
//! branch predictor and measures nothing. Nothing is counted inside a timed region. What the
//! harness itself costs is measured the same way and printed with the machine ([`machine()`]).
//!
//! Times of different machines are never compared; on a shared machine even those of one machine
//! are only to be compared within one run.

mod harness;
mod lookup;
mod machine;
mod now;
mod update;

pub use harness::ROUNDS;
pub use lookup::{Lookups, refused};
pub use machine::{
    available_bytes, cores, cpu, host_name, machine, peak_bytes, rustc, thread_cpu_ns,
};
pub use now::now;
pub use update::time_updates;
