//! Which vector instructions batches use: the best that the machine has, or less on request.
//!
//! Lookups of many keys have kernels of their own for some levels; every level gives the answers of
//! a single lookup, key for key. Programs may force a level to compare or to rule kernels out; the
//! command line does so from `PLACELAB_SIMD`.
//!
//! ```
//! use placelab_algorithms::simd::{self, Level};
//! assert!(simd::level().is_available());
//! simd::force(Level::Portable).unwrap();
//! assert_eq!(simd::level(), Level::Portable);
//! let unknown = "sse9".parse::<Level>().unwrap_err();
//! assert_eq!(unknown.to_string(), "no such level: `sse9`; there are portable, avx2, avx512");
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

use placelab_core::node::hides_text;

/// A set of instructions; each level has those of the ones before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// What the compiler makes of plain code.
    Portable,
    /// AVX2 with FMA, BMI2 and POPCNT.
    Avx2,
    /// AVX-512 F, DQ, VL, CD and BW.
    Avx512,
}

impl Level {
    /// Every level, from the least.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// The name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            Level::Avx2 => has_avx2(),
            Level::Avx512 => has_avx2() && has_avx512(),
        }
    }

    /// Those that this machine has, from the least.
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512bw")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, LevelError> {
        let named = Level::ALL.into_iter().find(|level| level.name() == text);
        named.ok_or_else(|| {
            let shown = text.chars().map(|c| if hides_text(c) { '\u{fffd}' } else { c });
            LevelError::Unknown { text: shown.take(40).collect() }
        })
    }
}

/// Why a level cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LevelError {
    /// Nothing is called so.
    #[error("no such level: `{text}`; there are {}", Level::ALL.map(Level::name).join(", "))]
    Unknown {
        /// As it was given.
        text: String,
    },
    /// This machine lacks the instructions.
    #[error("this machine has no {level}; it has {}", available())]
    Lacking {
        /// What was asked for.
        level: Level,
    },
}

fn available() -> String {
    Level::available().map(Level::name).collect::<Vec<_>>().join(", ")
}

/// The level in use by its place in [`Level::ALL`]; at first nobody has looked.
static IN_USE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

/// The level in use: what was forced, else the best that this machine has.
#[inline]
pub fn level() -> Level {
    match Level::ALL.get(usize::from(IN_USE.load(Ordering::Relaxed))) {
        Some(&level) => level,
        None => {
            let best = Level::available().last().unwrap_or(Level::Portable);
            IN_USE.store(best as u8, Ordering::Relaxed);
            best
        }
    }
}

/// Uses a level from now on, for every batch of the process.
///
/// # Errors
/// This machine lacks it; what was in use stays.
pub fn force(level: Level) -> Result<(), LevelError> {
    if !level.is_available() {
        return Err(LevelError::Lacking { level });
    }
    IN_USE.store(level as u8, Ordering::Relaxed);
    Ok(())
}
