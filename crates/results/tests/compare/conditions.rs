//! Conditions that must not come true.

use placelab_results::{Condition, ConditionError, Run, RunResults, Timings};

use crate::made_up::{around, put, run, timings, untimed, with};

fn condition(text: &str) -> Condition {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn values(text: &str, before: &RunResults, after: &RunResults) -> Vec<f64> {
    let condition = condition(text);
    condition.values(untimed(before), untimed(after)).into_iter().map(|(_, value)| value).collect()
}

#[test]
fn conditions_are_read_as_they_are_written() {
    for (text, says) in [
        ("load.excess > 0.05", "load.excess > 0.05"),
        (" load.excess>=5e-2 ", "load.excess >= 0.05"),
        ("load.min_over_mean < 1", "load.min_over_mean < 1"),
        ("change of load.cv.requests<=-1", "change of load.cv.requests <= -1"),
    ] {
        assert_eq!(condition(text).to_string(), says);
    }
}

#[test]
fn what_is_no_condition_says_why() {
    let parse = |text: &str| text.parse::<Condition>().unwrap_err();
    for text in ["", ">", "load.excess", "load.excess 5", "load.excess >", "> 5", "load.excess = 5"]
    {
        assert_eq!(parse(text), ConditionError::Form, "{text}");
    }
    for text in
        ["load.exces > 5", "changes of load.excess > 5", "load.p_max.bytes > 5", "a\u{1b} > 1"]
    {
        assert!(matches!(parse(text), ConditionError::UnknownMetric { .. }), "{text}");
    }
    for bound in ["nan", "inf", "-inf", "1e999", "x", "0,5", "5 %", "> 1"] {
        let error = parse(&format!("load.excess > {bound}"));
        assert!(matches!(error, ConditionError::NotANumber { .. }), "{bound}: {error}");
    }
}

#[test]
fn the_bound_itself_belongs_to_two_of_four() {
    for (sign, below, at, above) in [
        (">", false, false, true),
        (">=", false, true, true),
        ("<", true, false, false),
        ("<=", true, true, false),
    ] {
        let condition = condition(&format!("load.excess {sign} 1"));
        let met = [0.5, 1.0, 1.5].map(|value| condition.is_met_by(value));
        assert_eq!(met, [below, at, above], "{sign}");
    }
}

/// Of the steps of the run after, the one that is nearest to meeting it; canaries are to be bad.
#[test]
fn rivals_are_judged_by_their_worst_step() {
    let before = with("load.excess", around(0.5, 0.0));
    let mut after = with("load.excess", around(0.25, 0.0));
    put(&mut after, 0, 0, "load.excess", around(0.125, 0.0));
    put(&mut after, 1, 0, "load.excess", around(9.0, 0.0));
    assert_eq!(values("load.excess > 0", &before, &after), [0.25]);
    assert_eq!(values("load.excess < 0", &before, &after), [0.125]);
    assert_eq!(values("change of load.excess > 0", &before, &after), [-0.25]);
    assert_eq!(values("load.cv > 0", &before, &after), [0.0; 0]);
    assert_eq!(values("load.excess > 0", &run(), &after), [0.25], "whether or not it was before");
    assert_eq!(values("change of load.excess > 0", &run(), &after), [0.0; 0]);
    put(&mut after, 0, 1, "load.excess", around(f64::NAN, 0.0));
    assert_eq!(values("load.excess > 0", &before, &after), [0.125]);
}

#[test]
fn times_are_judged_and_their_change_on_one_machine_only() {
    let results = run();
    let (before, mut after) = (timings(10.0), timings(15.0));
    let values = |text: &str, after: &Timings| {
        let [before, after] =
            [&before, after].map(|times| Run { results: &results, timings: Some(times) });
        let values = condition(text).values(before, after);
        values.into_iter().map(|(_, value)| value).collect::<Vec<f64>>()
    };
    assert_eq!(values("time.lookup_ns > 0", &after), [15.0]);
    assert_eq!(values("change of time.lookup_ns > 0", &after), [5.0]);
    after.machine.cores = 64;
    assert_eq!(values("time.lookup_ns > 0", &after), [15.0]);
    assert_eq!(values("change of time.lookup_ns > 0", &after), [0.0; 0]);
    assert!(
        condition("time.lookup_ns > 0").values(untimed(&results), untimed(&results)).is_empty()
    );
}
