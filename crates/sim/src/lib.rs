//! Simulation: a scenario file in, results out.
//!
//! [`scenario`] reads a file and [`plan`] resolves its events; [`keys`] makes what is placed.
//! [`run`](run()) replays the plan against each contender ([`replay`]), places every key under
//! every state ([`sweep`]), turns counts into figures ([`figures`]) and summarises them over the
//! hash seeds ([`summary`]), beside what chance would give ([`chance`]). [`observed`] reads what
//! another system counted, and [`failures`] looks at every failure of a fleet.
//!
//! Results are a function of the scenario and its key file alone: no clock, no environment, the
//! same bytes for any number of threads. This crate sees traits, never algorithms: the registry
//! is handed in.

pub mod chance;
pub mod diagnostics;
pub mod estimate;
pub mod failures;
mod few_keys;
pub mod figures;
pub mod fleet;
mod judge;
pub mod keys;
pub mod observed;
mod outlook;
pub mod overrides;
pub mod paths;
pub mod plan;
pub mod replay;
pub mod run;
pub mod scenario;
pub mod summary;
pub mod sweep;
mod theory;

pub use run::run;
