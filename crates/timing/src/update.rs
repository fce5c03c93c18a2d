//! Cost of building and changing what places keys.

use std::hint::black_box;
use std::time::Instant;

use placelab_core::{PlacementError, Placer};
use placelab_results::{Rounds, UpdateTime};

use crate::harness::{ROUNDS, summarise};

/// Something that makes a placer.
pub(crate) type Make<'a> = dyn Fn() -> Result<Placer, PlacementError> + 'a;

/// Times a build, and a change where there is one.
///
/// # Errors
/// What the build says. A refused change is no error: it has no time.
pub fn time_updates(
    contender: &str,
    build: &Make<'_>,
    apply: Option<&Make<'_>>,
) -> Result<UpdateTime, PlacementError> {
    black_box(build()?);
    let possible = apply.filter(|apply| apply().is_ok());
    Ok(UpdateTime {
        contender: contender.into(),
        build_us: microseconds(build),
        apply_us: possible.map(microseconds),
    })
}

/// There is no floor: a read of the clock is nothing beside a build.
fn microseconds(make: &Make<'_>) -> Rounds {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        // Dropping the placer is not part of making it.
        let made = black_box(make());
        let spent = start.elapsed();
        drop(made);
        spent.as_nanos() as f64 / 1_000.0
    });
    summarise(&rounds.collect::<Vec<f64>>(), 0.0)
}
