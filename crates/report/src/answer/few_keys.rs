//! The finite-key floor: what a report says first where keys are few.

use placelab_results::{Chance, Contender, FewKeys, Likeness, Measure};

use super::NAMES_MAX;
use crate::number::{self, percent, ratio};
use crate::subject::Subject;
use crate::text::{list_up_to, plural};

/// Probability of an idle node from which on it goes without saying.
const CERTAIN: f64 = 0.999;

/// What chance leaves, what a table would reach, and who is better than chance.
pub(super) fn few_keys(subject: &Subject) -> Option<String> {
    let few = subject.results.few_keys.as_ref()?;
    // Whoever owns nothing may still have further copies.
    let owners = if subject.results.replicas > 1 { ", counting owners alone" } else { "" };
    let mut sentences = vec![
        format!(
            "{} over {} at {} are only {} a node{owners}.",
            plural(few.keys, "key", "keys"),
            plural(few.nodes.into(), "node", "nodes"),
            subject.step_name(few.timeline, few.step),
            ratio(few.keys as f64 / f64::from(few.nodes), 2),
        ),
        format!("An ideal hash leaves {}, and its fullest node has {}.", idle(few), fullest(few)),
        format!(
            "{} better than chance here on average: only a table, which somebody keeps, or at \
             best a rule that looks at loads {}.",
            // A hash that favours heavy nodes may have a lower largest ratio.
            if few.max_keys.is_some() {
                "No hash does"
            } else {
                "No hash that keeps to the weights does"
            },
            table(few)
        ),
    ];
    sentences.extend(better(subject, true).map(|who| {
        format!(
            "Better than chance there by the loads they look at, and no hashes of the key: {who}. \
             Where a key goes then depends on the keys before it, and somebody has to keep count."
        )
    }));
    sentences.extend(better(subject, false).map(|who| {
        format!(
            "More even than chance there although the key alone decides: {who}. These keys suit \
             it; others need not."
        )
    }));
    Some(sentences.join(" "))
}

/// `0.16 nodes idle on average (with a probability of 15.0 % some node is)`.
fn idle(few: &FewKeys) -> String {
    let probability = percent(few.idle_probability);
    if few.idle < 0.005 {
        return format!("no node idle but with a probability of {probability}");
    }
    let nodes = ratio(few.idle, 2);
    if few.idle_probability > CERTAIN {
        return format!("{nodes} nodes idle on average");
    }
    format!("{nodes} nodes idle on average (with a probability of {probability} some node is)")
}

/// `16.9 keys (5–95 %: 15–20), 1.98 × fair`.
fn fullest(few: &FewKeys) -> String {
    let with_interval = |chance: &Chance, unit: &str, print: fn(f64) -> String| {
        let interval = number::range(chance.low, chance.high, print);
        format!("{} {unit} (5–95 %: {interval})", print(chance.mean))
    };
    match &few.max_keys {
        Some(keys) => {
            let times = two_decimals(few.max_over_mean.mean);
            format!("{}, {times} × fair", with_interval(keys, "keys", number::few))
        }
        None => with_interval(&few.max_over_mean, "× fair", two_decimals),
    }
}

/// `reaches ⌈1,024 ÷ 120⌉ = 9 keys on the fullest node, 1.05 × fair`.
fn table(few: &FewKeys) -> String {
    let times = two_decimals(few.table_max_over_mean);
    let Some(most) = few.table_max_keys else {
        return format!("reaches the {times} × fair that whole keys allow on the fullest node");
    };
    let (keys, nodes) = (number::count(few.keys), number::count(few.nodes.into()));
    let most = plural(most, "key", "keys");
    format!("reaches ⌈{keys} ÷ {nodes}⌉ = {most} on the fullest node, {times} × fair")
}

fn two_decimals(value: f64) -> String {
    ratio(value, 2)
}

/// The contenders that are better than chance at the step spoken of, by whether they look at loads.
fn better(subject: &Subject, load_aware: bool) -> Option<String> {
    let those = subject.results.contenders.iter().filter(|contender| {
        contender.load_aware == load_aware
            && likeness_there(subject, contender) == Some(Likeness::Better)
    });
    let names: Vec<String> = those.map(|contender| subject.name(contender)).collect();
    (!names.is_empty()).then(|| list_up_to(&names, NAMES_MAX))
}

/// What chance has to do with the loads of a contender at the step with the fewest keys a node.
fn likeness_there(subject: &Subject, contender: &Contender) -> Option<Likeness> {
    let few = subject.results.few_keys.as_ref()?;
    let step = contender.timelines.get(few.timeline)?.steps.get(few.step)?;
    let evenness = step.evenness.get(Measure::Keys.name())?;
    Some(subject.results.likeness_of(*evenness))
}
