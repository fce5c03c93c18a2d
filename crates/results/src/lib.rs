//! What a run says: the schema of simulation and timing results, and the metric catalogue.
//!
//! [`RunResults`] is simulation only: it depends on the scenario, the key file and the version of
//! the code, and on nothing else, so running again gives the same bytes. [`Timings`] belongs to a
//! machine. Reports are drawn from these two and see nothing of the simulator.
//!
//! Numbers are rounded to nine decimals where they enter ([`fixed`]), so the text of a result is
//! short, stable and easy to compare.

pub mod catalogue;
pub mod schema;
pub mod timings;
pub mod verdict;

pub use catalogue::{Better, METRICS, Measure, Metric, metric};
pub use schema::*;
pub use timings::{LookupTime, Machine, Timings, UpdateTime};
pub use verdict::{ContenderVerdict, Judgement, Verdict, verdict};

/// A number rounded to nine decimals, as results keep it; negative zero becomes zero.
pub fn fixed(value: f64) -> f64 {
    let scaled = value * 1e9;
    if scaled.abs() < 9e15 { scaled.round() / 1e9 + 0.0 } else { value }
}
