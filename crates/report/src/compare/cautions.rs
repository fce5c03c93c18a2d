//! What to be careful with in a comparison.

use placelab_results::compare::DesignChange;
use placelab_results::worst::ORDERED_SEEDS_MIN;
use placelab_results::{Comparison, Sides, Times};

use crate::number;
use crate::text::{list, plural};

/// What to be careful with, a sentence or two each.
pub(super) fn cautions(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    if !comparison.same_results {
        lines.extend(same_question(comparison));
        lines.extend(few_seeds(comparison));
    }
    if comparison.design.iter().any(|one| one.what.starts_with("timeline ")) {
        lines.push(
            "The events differ, and with them what has to move: look at what moved beyond the \
             least, and without a reason. The worst of more steps is worse on average, under an \
             ideal hash too."
                .into(),
        );
    }
    if comparison.runs.as_ref().map(|run| run.keys).differ() {
        lines.push(
            "The numbers of keys differ, and with them what chance gives: look at the largest \
             load above chance rather than at the largest load."
                .into(),
        );
    }
    lines.extend(times_caution(comparison));
    lines
}

/// Where nobody changed the question, the program did.
fn same_question(comparison: &Comparison) -> Option<String> {
    let is_version = |one: &DesignChange| one.what == "version of placelab";
    let nobody = Sides { before: vec![], after: vec![] };
    let has_others = comparison.contenders_only != nobody;
    let has_changed = has_others || comparison.design.iter().any(|one| !is_version(one));
    if has_changed {
        return None;
    }
    let sentence = match comparison.runs.as_ref().map(|run| &run.version).differ() {
        true => {
            "The question is the same: what differs comes from the other version of the program."
        }
        false => {
            "Question and version are the same: what differs comes from a change of the program."
        }
    };
    Some(sentence.into())
}

fn few_seeds(comparison: &Comparison) -> Option<String> {
    (!comparison.has_order).then(|| {
        let seeds = comparison.runs.as_ref().map(|run| u64::from(run.seeds));
        let least = seeds.before.min(seeds.after);
        let but = match comparison.times {
            Times::Compared(_) => " but of times",
            _ => "",
        };
        format!(
            "No order is claimed{but}: {} of {ORDERED_SEEDS_MIN} at least say too little \
             of luck.",
            plural(least, "hash seed", "hash seeds")
        )
    })
}

/// What to know of times.
fn times_caution(comparison: &Comparison) -> Option<String> {
    match &comparison.times {
        Times::Missing { timed: Sides { before: false, after: false } } => None,
        Times::Missing { timed } => Some(format!(
            "Times are not compared: only the run {} has some.",
            if timed.before { "before" } else { "after" }
        )),
        Times::OtherMachine { machine } => {
            let differs: Vec<&str> = machine.iter().map(|one| one.what.as_str()).collect();
            Some(format!(
                "Times are not compared, since they are of different machines or builds: {} \
                 not the same. Requirements about time were judged on each run's own.",
                list(&differs)
            ))
        }
        Times::Compared(times) => {
            let busy = match times.busy {
                Sides { before: false, after: false } => "",
                _ => "The machine was busy when times were taken: distrust them. ",
            };
            Some(format!(
                "{busy}{} of {} lie apart by more than a run is off from itself; the next run of \
                 the same program may be off by as much as a third.",
                number::count(times.differences.len() as u64),
                plural(times.compared, "time", "times")
            ))
        }
    }
}
