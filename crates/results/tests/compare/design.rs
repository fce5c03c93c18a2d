//! What is said to have changed in the question.

use placelab_results::compare::{DesignChange, Value};
use placelab_results::{Requirement, RunResults, Sides};

use crate::made_up::{compared, run};

/// What is told of a run that was changed so.
fn told(change: impl Fn(&mut RunResults)) -> Vec<(String, Option<String>, Option<String>)> {
    let mut after = run();
    change(&mut after);
    let text = |value: &Option<Value>| match value {
        Some(Value::Count(count)) => Some(count.to_string()),
        Some(Value::Text(text)) => Some(text.clone()),
        None => None,
    };
    let design = compared(&run(), &after).design;
    let one = |DesignChange { what, sides }: DesignChange| {
        let Sides { before, after } = sides.as_ref().map(text);
        (what, before, after)
    };
    design.into_iter().map(one).collect()
}

fn some(what: &str, before: &str, after: &str) -> (String, Option<String>, Option<String>) {
    (what.into(), Some(before.into()), Some(after.into()))
}

#[test]
fn each_change_of_the_question_is_told() {
    assert!(told(|_| ()).is_empty());
    assert_eq!(told(|run| run.keys.count = 5_000), [some("keys", "1000", "5000")]);
    assert_eq!(told(|run| run.seeds = 3), [some("hash seeds", "10", "3")]);
    assert_eq!(told(|run| run.replicas = 3), [some("copies of each key", "1", "3")]);
    assert_eq!(
        told(|run| run.keys.requests = Some(7)),
        [("requests".into(), None, Some("7".into()))]
    );
    let more = told(|run| {
        run.contenders[0].parameters.insert("vnodes".into(), "160".into());
        run.contenders[0].capabilities.push("weights".into());
    });
    assert_eq!(
        more,
        [some("parameters of ring", "", "vnodes=160"), some("capabilities of ring", "", "weights")]
    );
    let need =
        || Requirement { metric: None, min: None, max: None, capability: Some("weights".into()) };
    let added = told(|run| run.requirements.push(need()));
    assert_eq!(added, [("requirement".into(), None, Some("can weights".into()))]);
}

#[test]
fn requirements_on_one_figure_stand_side_by_side() {
    let at_most = |metric: &str, max: f64| Requirement {
        metric: Some(metric.into()),
        min: None,
        max: Some(max),
        capability: None,
    };
    let (mut before, mut after) = (run(), run());
    before.requirements = vec![at_most("load.cv", 1.0), at_most("load.excess", 0.1)];
    after.requirements = vec![at_most("work.lookup", 9.0), at_most("load.excess", 0.2)];
    let design = compared(&before, &after).design;
    let told: Vec<_> = design.iter().map(|one| (&one.sides.before, &one.sides.after)).collect();
    let [none, cv, was, now, work] = [
        None,
        Some("load.cv at most 1"),
        Some("load.excess at most 0.1"),
        Some("load.excess at most 0.2"),
        Some("work.lookup at most 9"),
    ]
    .map(|text| text.map(|text| Value::Text(text.into())));
    assert_eq!(told, [(&cv, &none), (&was, &now), (&none, &work)]);
}

#[test]
fn events_are_told_by_their_span_or_the_first_other_step() {
    let longer = told(|run| {
        let mut step = run.plan[0].steps[1].clone();
        step.nodes = 9;
        run.plan[0].steps.push(step);
    });
    let spans = some("timeline “grow”", "1 step, 3 to 4 nodes", "2 steps, 3 to 9 nodes");
    assert_eq!(longer, [spans]);
    let other = told(|run| run.plan[0].steps[1].minimum = 0.5);
    let (_, before, after) = &other[0];
    assert!(before.as_ref().unwrap().contains("step 1, “add” (join): a node joins; 4 nodes"));
    assert!(after.as_ref().unwrap().ends_with("least movement 50.00 %"));
    let renamed = told(|run| run.plan[0].name = "shrink".into());
    assert_eq!(renamed.len(), 2);
    assert_eq!((&renamed[0].2, &renamed[1].1), (&None, &None));
}

#[test]
fn weights_are_told_where_they_differ() {
    let heavier = told(|run| {
        let step = &mut run.contenders[0].timelines[0].steps[0];
        step.nodes[0].weight = "2".into();
        for index in 1..20 {
            let mut node = step.nodes[0].clone();
            node.name = format!("node-{index:02}");
            step.nodes.push(node);
        }
    });
    let [(what, before, Some(after))] = &heavier[..] else { panic!("{heavier:?}") };
    assert_eq!(
        (what.as_str(), before.as_deref()),
        ("nodes of the first fleet, with weights", Some("node-0=1"))
    );
    assert!(after.starts_with("node-0=2, node-01=2") && after.ends_with(" and 12 more"), "{after}");
}
