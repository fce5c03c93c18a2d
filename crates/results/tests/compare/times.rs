//! Which times are said to differ.

use placelab_results::compare::{Times, TimesCompared};
use placelab_results::{Run, Timings, Turn, compare};

use crate::made_up::{rounds, run, timings};

fn times(before: Option<&Timings>, after: Option<&Timings>) -> Times {
    let results = run();
    let of = |timings| Run { results: &results, timings };
    compare(of(before), of(after)).times
}

fn compared(before: &Timings, after: &Timings) -> TimesCompared {
    match times(Some(before), Some(after)) {
        Times::Compared(compared) => compared,
        other => panic!("{other:?}"),
    }
}

#[test]
fn times_apart_are_told() {
    let changed = compared(&timings(10.0), &timings(20.0));
    assert_eq!((changed.compared, changed.differences.len()), (5, 5));
    let (batch, build) = (&changed.differences[0], &changed.differences[4]);
    assert_eq!(
        (batch.what.as_str(), batch.nodes, batch.turn),
        ("batch lookup", Some(10), Turn::Worse)
    );
    assert_eq!(
        (build.what.as_str(), build.sides.after.median_ns),
        ("build of the first fleet", 20_000.0)
    );
    assert_eq!(compared(&timings(20.0), &timings(10.0)).differences[0].turn, Turn::Better);
    let same = compared(&timings(10.0), &timings(10.0));
    assert_eq!((same.compared, same.differences.len()), (5, 0));
}

#[test]
fn times_within_rounds_or_spread_are_not() {
    assert!(compared(&timings(10.0), &timings(12.0)).differences.is_empty(), "rounds overlap");
    let mut after = timings(13.0);
    assert_eq!(compared(&timings(10.0), &after).differences.len(), 5);
    after.lookups[0].batch_ns.aa_spread = 0.3;
    assert_eq!(compared(&timings(10.0), &after).differences.len(), 4, "it differs from itself");
    after.lookups[0].dependent_ns = rounds(f64::NAN);
    assert_eq!(compared(&timings(10.0), &after).differences.len(), 3, "no number");
}

#[test]
fn what_is_left_of_the_floor_says_nothing() {
    let (mut before, mut after) = (timings(10.0), timings(20.0));
    before.lookups[0].batch_ns.floor = 30.0;
    assert_eq!(compared(&before, &after).differences.len(), 5);
    after.lookups[0].batch_ns.floor = 30.0;
    assert_eq!(compared(&before, &after).differences.len(), 4);
    after.machine.displaced_bytes += 1;
    assert_eq!(compared(&before, &after).compared, 3, "cold is not the same cold");
}

#[test]
fn times_of_other_machines_are_not_compared() {
    let changes: [fn(&mut Timings); 5] = [
        |times| times.machine.cpu += "2",
        |times| times.machine.cores += 1,
        |times| times.machine.platform += "2",
        |times| times.machine.rustc += "2",
        |times| times.machine.profile = "debug".into(),
    ];
    for change in changes {
        let mut after = timings(20.0);
        change(&mut after);
        let Times::OtherMachine { machine } = times(Some(&timings(10.0)), Some(&after)) else {
            panic!("compared")
        };
        assert_eq!(machine.len(), 1);
    }
    let mut after = timings(20.0);
    (after.machine.load, after.busy) = (Some(9.0), vec!["busy".into()]);
    let busy = compared(&timings(10.0), &after).busy;
    assert!(!busy.before && busy.after);
}

#[test]
fn who_was_not_timed_is_said() {
    let Times::Missing { timed } = times(Some(&timings(1.0)), None) else { panic!("compared") };
    assert!(timed.before && !timed.after);
}
