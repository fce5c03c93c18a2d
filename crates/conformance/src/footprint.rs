//! What a placement holds, as an allocator counts it.

use placelab_core::{Capability, Change, NodeId, Roster, Scheme, Weight};

use crate::subject::{Finding, PUBLISHED, Subject, hold};

/// Runs a function, and says how many bytes it left on the heap beyond what it found there; bytes
/// of other threads do not count.
pub type Meter = fn(&mut dyn FnMut()) -> i64;

/// The part of what is held by which a footprint may be wrong.
const TOLERANCE: f64 = 0.1;
/// Bytes that are left aside: the structure around roster and tables, and its parameters. They are
/// the same for any fleet and any table, and nobody would compare them.
const STRUCTURE_BYTES: f64 = 256.0;

/// The name of the law.
pub(crate) const NAME: &str = "footprint";
/// What it says.
pub(crate) const SAYS: &str =
    "Memory is what an allocator counts, within a tenth, at first and after changes.";

/// Holds an algorithm to the law `footprint`, which binds everybody. Programs count allocations
/// each in a way of their own, so whoever asks brings a meter.
///
/// The roster is left aside on both sides. It is the harness's, with identities and zones and with
/// names that all placements of a run share, and every contender holds the same; a footprint
/// counts of it what clients would have to share.
///
/// # Errors
/// The first footprint that is wrong, in a sentence.
pub(crate) fn weigh(subject: &Subject, meter: Meter) -> Finding {
    [100, 1_000].into_iter().try_for_each(|nodes| weigh_fleet(subject, nodes, meter))
}

fn weigh_fleet(subject: &Subject, nodes: u32, meter: Meter) -> Finding {
    let start = Roster::numbered(nodes).expect("fleets of laws are small");
    let (mut roster, mut roster_bytes) = left_by(meter, || start.clone());
    let (placer, mut bytes) = left_by(meter, || subject.serve(start.clone(), PUBLISHED));
    let mut placer = placer.map_err(|error| format!("{nodes} equal nodes: {error}"))?;
    compare(placer.scheme(), bytes - roster_bytes)?;
    for changes in history(subject, nodes) {
        // What came before goes at once, so that what it shared with what comes after counts once.
        let (next, more) = left_by(meter, || {
            let next = subject.step(&placer, &changes);
            drop(placer);
            next
        });
        (placer, bytes) = (next?, bytes + more);
        let (next, more) = left_by(meter, || {
            let next = roster.after(&changes);
            drop(roster);
            next
        });
        roster = next.map_err(|error| error.to_string())?;
        roster_bytes += more;
        compare(placer.scheme(), bytes - roster_bytes)?;
    }
    Ok(())
}

/// What a function makes, with the bytes that it leaves.
fn left_by<T>(meter: Meter, make: impl FnOnce() -> T) -> (T, i64) {
    let (mut make, mut made) = (Some(make), None);
    let bytes = meter(&mut || made = make.take().map(|make| make()));
    (made.expect("a meter runs what it measures"), bytes)
}

/// Joins and removals, and what else the algorithm can do.
fn history(subject: &Subject, nodes: u32) -> Vec<Vec<Change>> {
    let add = |id| Change::Add(Roster::numbered_node(id));
    let remove = |id| Change::Remove(NodeId(id));
    let mut steps = vec![(nodes..nodes + 3).map(add).collect(), vec![remove(nodes + 2)]];
    if subject.can(Capability::RemoveAny) {
        let thirds = || (0..nodes).step_by(3);
        steps.push(thirds().map(remove).collect());
        steps.push(thirds().take(3).map(add).collect());
    }
    if subject.can(Capability::Weights) {
        let reweight = |(id, units)| Change::Reweight(NodeId(id), Weight::units(units));
        steps.push([(1, 2), (2, 0), (4, 3)].map(reweight).into());
    }
    steps
}

/// Whether a scheme holds so many bytes beside its roster as it says.
fn compare(scheme: &dyn Scheme, held: i64) -> Finding {
    let (footprint, roster) = (scheme.footprint(), scheme.roster());
    let total = footprint.shared_bytes + footprint.derived_bytes;
    let stated = total as f64 - roster.shared_bytes() as f64;
    let apart = (stated - held as f64).abs();
    hold(apart <= TOLERANCE * held as f64 + STRUCTURE_BYTES, || {
        format!("{} nodes: {stated} bytes beside the members, {held} are held", roster.len())
    })
}
