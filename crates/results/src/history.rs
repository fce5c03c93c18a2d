//! A history of benches: what one run of them took on one machine, one JSON line a run.

use serde::{Deserialize, Serialize};

/// Version of the layout of a line.
pub const SCHEMA: u32 = 1;

/// One run of benches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchRun {
    /// Version of the layout.
    pub schema: u32,
    /// Where it ran; a file has runs of one machine only.
    pub machine: BenchMachine,
    /// The commit that was checked out, in hexadecimal, where there is a repository.
    pub commit: Option<String>,
    /// Whether files of the commit were changed.
    pub is_dirty: bool,
    /// When it was recorded: `2026-11-30T18:36:27Z`.
    pub when: String,
    /// The compiler.
    pub rustc: String,
    /// What each bench took, by its id; no id stands there twice.
    pub benches: Vec<BenchTime>,
}

/// A machine, as far as times depend on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchMachine {
    /// What it is called; also the name of the file of its runs.
    pub name: String,
    /// Model of the processor.
    pub cpu: String,
    /// Logical processors.
    pub cores: u32,
}

/// What one bench took.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchTime {
    /// Its id: `lookup/jump/1000`.
    pub id: String,
    /// Elements of an iteration, such as lookups, where the bench says how many.
    pub elements: Option<u64>,
    /// Nanoseconds of an element, or of an iteration where elements are not said: the median of
    /// the samples of the run.
    pub median_ns: f64,
    /// The lower end of the interval of that median within the run.
    pub low_ns: f64,
    /// The upper end.
    pub high_ns: f64,
}
