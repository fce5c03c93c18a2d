//! Whether a change made a bench slower: what criterion wrote, a history of it, and a comparison
//! that a noisy machine cannot fool.
//!
//! [`read_criterion`] takes the medians out of criterion's folder. [`append`] and [`read_history`]
//! keep them, one line a run, in a file for each machine. [`compare`] judges two programs by
//! launches that took turns, and says `slower` only where the noise of the machine cannot be the
//! cause; that noise is measured by launches of the base against itself.
//!
//! Nothing here has a clock or starts a program: times come from files and from the caller. Files
//! are untrusted: their sizes are limited, texts that could hide or forge others are refused, and
//! what is wrong is a [`FileError`] with the file, the cause and a remedy.
//!
//! ```
//! use placelab_regress::{Answer, Round, SEED, compare};
//! let quiet = |head_ns| Round { base_ns: 10.0, head_ns, again_ns: 10.1 };
//! let slower = compare(&[quiet(13.0); 9], SEED).unwrap();
//! assert_eq!(slower.answer, Answer::Slower);
//! let same = compare(&[quiet(10.2); 9], SEED).unwrap();
//! assert_eq!(same.answer, Answer::NoDifference);
//! ```

mod comparison;
mod criterion;
mod history;
mod mistake;
mod whole;

pub use comparison::{
    Answer, BAND_MIN, CompareError, Comparison, Draws, NOISE_MAX, NOISE_TIMES, RESAMPLES,
    ROUNDS_MAX, ROUNDS_MIN, Round, SEED, Side, compare, order,
};
pub use criterion::{BENCHES_MAX, Reading, read_criterion};
pub use history::{Appended, History, Torn, append, check_machine_name, read_history};
pub use mistake::{FileError, Mistake};

/// Largest file in bytes: 64 MiB.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
