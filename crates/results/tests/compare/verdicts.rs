//! Whose verdict is said to have changed.

use placelab_results::compare::VerdictChange;
use placelab_results::{Evenness, Expectation, Refusal, Requirement, Sides, Turn};

use crate::made_up::{around, compared, run, with};

fn at_most(metric: &str, max: f64) -> Requirement {
    Requirement { metric: Some(metric.into()), min: None, max: Some(max), capability: None }
}

#[test]
fn a_requirement_that_is_no_longer_met_is_told() {
    let mut before = with("load.excess", around(0.1, 0.05));
    before.requirements = vec![at_most("load.excess", 0.12)];
    let mut after = with("load.excess", around(0.14, 0.05));
    after.requirements = vec![at_most("load.cv", 1.0), at_most("load.excess", 0.12)];
    let changed = compared(&before, &after);
    assert!(changed.figures.differences.is_empty(), "a verdict looks at the median alone");
    let told = changed.verdicts.iter().filter_map(|one| match one {
        VerdictChange::Requirement { contender, requirement, met, measured } => {
            Some((contender.as_str(), requirement.text(), *met, *measured, one.turn()))
        }
        _ => None,
    });
    let expected = (
        "ring",
        "load.excess at most 0.12".to_string(),
        Sides { before: Some(true), after: Some(false) },
        Sides { before: Some(0.1), after: Some(0.14) },
        Turn::Worse,
    );
    assert_eq!(told.collect::<Vec<_>>(), [expected]);
    let recommended = changed.runs.as_ref().map(|run| run.recommended.as_deref());
    assert_eq!(recommended, Sides { before: Some("ring"), after: None });
    assert_eq!(
        (&changed.runs.before.suitable[..], &changed.runs.after.suitable[..]),
        (&["ring".to_string()][..], &[][..])
    );
    assert_eq!(changed.contenders[0].suitable, Sides { before: true, after: false });
}

/// Who cannot go on has fewer steps to be judged by: its figures have no order.
#[test]
fn a_refusal_is_told_and_takes_the_order_away() {
    let mut before = with("load.excess", around(0.1, 0.01));
    let after = with("load.excess", around(0.2, 0.01));
    assert_eq!(compared(&before, &after).figures.differences[0].turn, Turn::Worse);
    before.contenders[0].timelines[0].refusal =
        Some(Refusal { step: 1, capability: None, reason: "no".into() });
    let changed = compared(&before, &after);
    assert_eq!(changed.figures.differences[0].turn, Turn::Neither);
    let refusal = Sides { before: Some("add: no".to_string()), after: None };
    let told = VerdictChange::Refusal { contender: "ring".into(), refusal };
    assert!(changed.verdicts.contains(&told), "{:?}", changed.verdicts);
    assert_eq!(told.turn(), Turn::Better);
    let same = compared(&before, &before);
    assert!(same.verdicts.is_empty());
}

#[test]
fn evenness_and_expectations_are_told() {
    let (mut before, mut after) = (run(), run());
    for (run, uneven, met) in [(&mut before, 0.5, true), (&mut after, 0.0, false)] {
        let evenness = Evenness { uneven, even: 0.5 };
        run.contenders[0].timelines[0].steps[1].evenness.insert("keys".into(), evenness);
        let text = "load.cv at most 1".into();
        run.expectations = vec![Expectation { text, met, checked: 1, failures: vec![] }];
    }
    let changed = compared(&before, &after);
    let [VerdictChange::Evenness { likeness, .. }] = &changed.verdicts[..] else {
        panic!("{:?}", changed.verdicts)
    };
    assert_eq!(
        likeness.map(|one| one.name()),
        Sides { before: "chance", after: "worse than chance" }
    );
    assert_eq!(changed.expectations[0].met, Sides { before: true, after: false });
}
