//! What an operator asks of any contender.
//!
//! Start with [`explain()`]: how one key is placed, step by step, in the scheme's own terms. It
//! knows no algorithm: it reads the trace of the timed code and the anatomy of its placement. This
//! crate has no threads, files, clocks or environment.

pub mod explain;

pub use explain::{Explanation, explain};
