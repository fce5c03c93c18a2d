//! What a run says: the schema of simulation and timing results, and the metric catalogue.
//!
//! [`RunResults`] is simulation only: it depends on the scenario, the key file and the version of
//! the code, and on nothing else, so running again gives the same bytes. [`Timings`] belongs to a
//! machine. Reports are drawn from these two and see nothing of the simulator.
//!
//! Numbers are rounded to nine decimals where they enter ([`fixed`]), so the text of a result is
//! short, stable and easy to compare.

pub mod catalogue;
pub mod certificate;
pub mod compare;
pub mod condition;
pub mod evenness;
pub mod failures;
pub mod few_keys;
pub mod history;
pub mod outlook;
pub mod plan;
pub mod recommendation;
pub mod schema;
pub mod theory;
pub mod timings;
pub mod verdict;
pub mod worst;

pub use catalogue::{Better, METRICS, Measure, Metric, metric};
pub use certificate::{Certificate, Finding, LawText};
pub use compare::{Comparison, Run, Sides, Times, Turn, compare};
pub use condition::{Condition, ConditionError};
pub use evenness::{Evenness, LEVEL, Likeness};
pub use failures::{
    Cascade, FailureAnswer, FailureFigures, FailureKind, FailureQuestion, IdealRisks, LossRisk, Way,
};
pub use few_keys::{FewKeys, KEYS_A_NODE_MIN, Quantum, table_floor};
pub use history::{BenchMachine, BenchRun, BenchTime};
pub use outlook::{Outlook, OutlookFleet};
pub use plan::{CROPPED_LISTED_MAX, Cropped, PlannedStep, Timeline};
pub use recommendation::{Alternative, Outdone, PRICES, Recommendation, Upkeep};
pub use schema::*;
pub use theory::{ClosedForm, Theory};
pub use timings::{
    DenseTime, Floor, KeyHashTime, LookupTime, Machine, PERCENTILES, PercentileTime, Rounds,
    SizedTime, Timings, UpdateTime,
};
pub use verdict::{ContenderVerdict, Judgement, Spread, Verdict, verdict};

/// A number rounded to nine decimals, as results keep it; negative zero becomes zero. What would
/// round to zero stays what it is, so that "exactly 0" can be judged.
pub fn fixed(value: f64) -> f64 {
    let scaled = value * 1e9;
    let rounded = if scaled.abs() < 9e15 { scaled.round() / 1e9 } else { value };
    if rounded == 0.0 { value + 0.0 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::fixed;

    #[test]
    fn nothing_but_zero_becomes_zero() {
        assert_eq!(fixed(1.0 / 3.0), 0.333_333_333);
        assert_eq!(fixed(1e-12), 1e-12);
        assert_eq!(fixed(-0.0).to_bits(), 0);
        assert_eq!(fixed(123_456_789_012_345.6), 123_456_789_012_345.6);
    }
}
