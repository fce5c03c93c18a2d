//! Which figures are said to differ.

use placelab_results::Turn;

use crate::made_up::{around, compared, put, run, with};

#[test]
fn the_same_run_twice_has_no_differences() {
    let run = with("load.excess", around(0.2, 0.05));
    let same = compared(&run, &run);
    assert!(same.same_results && same.design.is_empty() && same.verdicts.is_empty());
    assert_eq!((same.figures.compared, same.figures.within), (1, 0));
    assert!(same.figures.differences.is_empty());
}

#[test]
fn ranges_apart_are_told_and_signed() {
    for (id, before, after, turn) in [
        ("load.excess", 0.2, 0.1, Turn::Better),
        ("load.excess", 0.1, 0.2, Turn::Worse),
        ("load.min_over_mean", 0.2, 0.1, Turn::Worse),
        ("movement.moved.requests", 0.3, 0.1, Turn::Better),
    ] {
        let changed = compared(&with(id, around(before, 0.04)), &with(id, around(after, 0.04)));
        let [one] = &changed.figures.differences[..] else { panic!("{id}: {changed:?}") };
        assert_eq!((one.contender.as_str(), one.metric.as_str(), one.turn), ("ring", id, turn));
        assert_eq!((one.sides.before.median, one.sides.after.median), (before, after));
        assert!(!changed.same_results);
    }
}

#[test]
fn ranges_that_touch_are_no_difference() {
    let before = with("load.excess", around(0.25, 0.125));
    let touching = compared(&before, &with("load.excess", around(0.5, 0.125)));
    assert_eq!((touching.figures.within, touching.figures.differences.len()), (1, 0));
    let apart = compared(&before, &with("load.excess", around(0.5, 0.124)));
    assert_eq!((apart.figures.within, apart.figures.differences.len()), (0, 1));
}

#[test]
fn few_seeds_claim_no_order() {
    let before = with("load.excess", around(0.1, 0.01));
    let mut after = with("load.excess", around(0.2, 0.01));
    after.seeds = 9;
    let changed = compared(&before, &after);
    assert!(!changed.has_order);
    assert_eq!(changed.figures.differences[0].turn, Turn::Neither);
}

#[test]
fn figures_to_read_others_by_are_left_out() {
    let before = with("load.p_max", around(0.1, 0.01));
    let changed = compared(&before, &with("load.p_max", around(0.9, 0.01)));
    assert_eq!(changed.figures.compared, 0);
}

/// Each run has its own worst step, named in its words.
#[test]
fn the_worst_step_of_each_run_counts() {
    let mut before = with("load.excess", around(0.1, 0.01));
    put(&mut before, 0, 0, "load.excess", around(0.3, 0.01));
    let after = with("load.excess", around(0.2, 0.01));
    let changed = compared(&before, &after);
    let one = &changed.figures.differences[0];
    assert_eq!(one.turn, Turn::Better);
    assert_eq!(
        (one.sides.before.step.as_str(), one.sides.after.step.as_str()),
        ("“start”", "“add”")
    );
}

#[test]
fn what_one_run_lacks_is_named() {
    let before = with("load.excess", around(0.1, 0.01));
    let changed = compared(&before, &with("load.cv", around(0.1, 0.01)));
    let only = changed.figures.only;
    assert_eq!((only.before.len(), only.after.len()), (1, 1));
    assert!(only.before.contains("load.excess") && only.after.contains("load.cv"));
}

#[test]
fn what_is_no_number_is_no_figure() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let before = with("load.excess", around(0.1, 0.01));
        let changed = compared(&before, &with("load.excess", around(odd, 0.01)));
        assert_eq!(changed.figures.compared, 0);
        assert!(serde_json::to_string(&changed).is_ok());
    }
}

#[test]
fn contenders_of_one_run_are_listed_and_the_first_of_a_name_counts() {
    let mut before = with("load.excess", around(0.1, 0.01));
    before.contenders[1].name = "gone".into();
    let mut after = with("load.excess", around(0.1, 0.01));
    let mut twin = after.contenders[0].clone();
    twin.timelines.clear();
    after.contenders.push(twin);
    let changed = compared(&before, &after);
    assert_eq!(changed.contenders_only.before, ["gone"]);
    assert_eq!(changed.contenders_only.after, ["modulo"]);
    assert_eq!((changed.contenders.len(), changed.figures.compared), (1, 1));

    after.contenders.clear();
    assert_eq!(compared(&after, &run()).contenders_only.after, ["ring", "modulo"]);
}
