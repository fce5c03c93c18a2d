//! What a lookup costs, counted.

use placelab_core::mix::stream;
use placelab_core::{
    Capability, Change, Count, FleetSize, HashSeed, NodeId, PlacementError, Placer, Roster,
};

use crate::sample::Sample;
use crate::subject::{Finding, Subject, hold};

/// Fleets whose lookups are counted.
const SIZES: [u32; 6] = [1, 2, 8, 32, 100, 512];
/// One more, where a lookup does not ask everybody.
const LARGE: u32 = 5_000;
/// Tables of it above this take long to make, and smaller fleets have to do.
const TABLE_BYTES_MAX: u64 = 1 << 22;
/// Where the past of a fleet counts, one of so many nodes stays.
const ONE_STAYS_OF: [u32; 2] = [2, 10];
/// Fleets of each size, under as many hash seeds: where few nodes stand, and which of them go, is
/// chance as much as the keys are.
const FLEETS: u64 = 16;
/// Keys of each fleet.
const KEYS: u64 = 64;
/// Standard errors of the mean over the fleets that are granted to chance: sixteen fleets are
/// further off about once in ten thousand times.
const ERRORS: f64 = 5.0;
/// Steps that are granted beside: an event so rare that none of 1,024 lookups met it leaves no
/// trace in the standard error.
const UNSEEN: f64 = 0.01;

/// The mean steps of a lookup are at most as many as documented, and not below half of that.
pub(super) fn work(subject: &Subject) -> Finding {
    let large = (!subject.is_slow()).then_some(LARGE);
    SIZES.into_iter().chain(large).try_for_each(|first| {
        let fleet = FleetSize { first, now: first };
        let stays = ONE_STAYS_OF.map(|part| FleetSize { first, now: first.div_ceil(part) });
        let has_past = |later: &FleetSize| {
            let fresh = FleetSize { first: later.now, now: later.now };
            later.now < first && documented(subject, *later) != documented(subject, fresh)
        };
        let removes = subject.can(Capability::RemoveAny);
        let later = stays.into_iter().filter(|later| removes && has_past(later));
        std::iter::once(fleet).chain(later).try_for_each(|size| lookups(subject, size))
    })
}

fn documented(subject: &Subject, size: FleetSize) -> f64 {
    (subject.spec.steps)(&subject.arguments, size)
}

/// Whether lookups in fleets of one size take the documented steps. Fleets beyond a limit of the
/// algorithm are passed over.
fn lookups(subject: &Subject, size: FleetSize) -> Finding {
    let mut means = Vec::new();
    for seed in (0..FLEETS).map(HashSeed) {
        let roster = Roster::numbered(size.first).expect("fleets of laws are small");
        let fleet = match subject.serve(roster, seed) {
            Err(PlacementError::Limit { .. } | PlacementError::Parameter { .. }) => return Ok(()),
            fleet => fleet.map_err(|error| format!("{} equal nodes: {error}", size.first))?,
        };
        if size.first == LARGE && fleet.scheme().footprint().derived_bytes > TABLE_BYTES_MAX {
            return Ok(());
        }
        let fleet = subject.step(&fleet, &some_go(size, seed))?;
        means.push(mean_steps(&fleet, &Sample::new(KEYS).salted(seed)));
    }
    let count = FLEETS as f64;
    let mean = means.iter().sum::<f64>() / count;
    let squares: f64 = means.iter().map(|one| (one - mean) * (one - mean)).sum();
    let granted = ERRORS * (squares / (count - 1.0) / count).sqrt() + UNSEEN;
    let documented = documented(subject, size);
    hold((documented / 2.0 - granted..=documented + granted).contains(&mean), || {
        let FleetSize { first, now } = size;
        format!("{now} nodes of {first}: {mean:.2} steps, documented are {documented:.2}")
    })
}

/// The nodes that are not there any more leave in an order that the seed draws.
fn some_go(size: FleetSize, seed: HashSeed) -> Vec<Change> {
    let mut ids: Vec<u32> = (0..size.first).collect();
    ids.sort_by_key(|&id| stream(seed.0, id.into()));
    let gone = (size.first - size.now) as usize;
    ids.into_iter().take(gone).map(|id| Change::Remove(NodeId(id))).collect()
}

fn mean_steps(placer: &Placer, sample: &Sample) -> f64 {
    let mut count = Count::default();
    let placement = placer.placement().expect("it binds functions");
    sample.each().for_each(|key| {
        placement.trace(key, &mut count);
    });
    count.0 as f64 / KEYS as f64
}
