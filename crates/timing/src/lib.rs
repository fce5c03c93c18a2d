//! How fast contenders are on this machine: the only crate with a clock.
//!
//! Every figure is the median of [`ROUNDS`] rounds, with the least and the largest beside it, and
//! with its A/A spread: how far the medians of the odd and of the even rounds lie apart. Keys are
//! distinct, which is asserted, and hashed beforehand: a lookup of one key again and again teaches
//! it to the branch predictor and measures nothing. Nothing is counted inside a timed region. What
//! the harness itself takes ([`Floors`]) is measured the same way, subtracted and shown. A machine
//! that was busy with something else is called so ([`busy()`]).
//!
//! Times of different machines are never compared; on a shared machine even those of one machine
//! are only to be compared within one run.

mod busy;
mod dense;
mod floor;
mod harness;
mod lookup;
mod machine;
mod now;
mod percentiles;
mod update;

pub use busy::{AA_SPREAD_MAX, LOAD_MAX, UNSTEADY_PART_MAX, busy};
pub use floor::Floors;
pub use harness::ROUNDS;
pub use lookup::{Lookups, refused};
pub use machine::{
    available_bytes, cores, cpu, host_name, load, machine, peak_bytes, rustc, thread_cpu_ns,
};
pub use now::now;
pub use update::time_updates;
