//! What failures do, as tables.

use std::io::{self, Write};

use placelab_results::{FailureAnswer, FailureFigures, FailureKind, FailureQuestion, Way};

use super::{Answer, Answers};
use crate::failure::Failure;
use crate::number::{grouped, number, probability};
use crate::table::{Form, Table};

/// How the states after failures are found, in words.
pub(super) fn way(way: Way) -> &'static str {
    match way {
        Way::Candidates => "all failures in one pass over the keys",
        Way::Slot => "each failure replayed over the slots of its table",
        Way::Replay => "each failure replayed over the keys",
    }
}

pub(super) fn print(answers: &Answers) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let question = &answers.question;
    let [keys, nodes] = [question.keys, question.nodes.into()].map(whole);
    let copies = match question.replicas {
        1 => "one copy of each".into(),
        copies => format!("{copies} copies of each on distinct nodes{}", rules(question)),
    };
    let seeds = if question.seeds == 1 { "hash seed" } else { "hash seeds" };
    writeln!(out, "{keys} keys, {copies}, {nodes} nodes, {} {seeds}", question.seeds)?;
    writeln!(
        out,
        "Loads are copies over the fair part of a node by its weight while everybody is up."
    )?;
    for Answer { contender, answer } in &answers.contenders {
        match answer {
            FailureAnswer::Found(figures) => print_one(question, contender, figures)?,
            FailureAnswer::Refused { refusal } => writeln!(out, "\n{contender}: {refusal}")?,
        }
    }
    Ok(())
}

/// What copies heed, for a sentence.
fn rules(question: &FailureQuestion) -> String {
    let kinds = [("zones", &question.zone_rule), ("racks", &question.rack_rule)];
    let heeded = kinds.into_iter().filter(|(_, rule)| *rule != "ignore");
    heeded.map(|(kind, rule)| format!(", {kind}: {rule}")).collect()
}

fn print_one(
    question: &FailureQuestion,
    contender: &str,
    figures: &FailureFigures,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "\n{contender}: {}", way(figures.way))?;
    if let Some(refusal) = &figures.refused_because {
        let after = if figures.refused == 1 { "failure" } else { "failures" };
        let refused = whole(figures.refused);
        writeln!(out, "It cannot go on after {refused} single {after}: {refusal}")?;
    }
    if figures.single.is_some() || figures.pair.is_some() {
        failures_table(figures).print(Form::Text)?;
    }
    risks_table(question, figures).print(Form::Text)?;
    Ok(())
}

/// Single failures and pairs side by side.
fn failures_table(figures: &FailureFigures) -> Table {
    let kinds = [figures.single.as_ref(), figures.pair.as_ref()];
    let mut table = Table::new(&["figure", "one fails", "two fail", "fair"]);
    let mut row = |name: &str, figure: &dyn Fn(&FailureKind) -> String, fair: &str| {
        let [one, two] = kinds.map(|kind| kind.map_or(String::new(), figure));
        table.row([name.into(), one, two, fair.into()]);
    };
    let fair = kinds[0].map_or(String::new(), |of| number(of.fair_after));
    let looked_at = |of: &FailureKind| format!("{} of {}", whole(of.looked_at), whole(of.of));
    row("failures looked at", &looked_at, "");
    row("worst failure", &|of| of.worst_failure.join(", "), "");
    let receiver = |of: &FailureKind| of.worst_receiver.clone().unwrap_or("nobody".into());
    row("its worst receiver", &receiver, "");
    row(
        "the receiver's load ÷ fair, before → after",
        &|of| match (of.load_before, of.load_after) {
            (Some(before), Some(after)) => format!("{} → {}", number(before), number(after)),
            _ => String::new(),
        },
        &format!("1 → {fair}"),
    );
    row("headroom: largest load after any failure ÷ fair", &|of| number(of.headroom), &fair);
    // A factor that may not be enough, however large.
    let own = |of: &FailureKind| of.own_headroom.map_or("no factor".into(), number);
    row("headroom over a node's own load before", &own, &fair);
    let receivers =
        |of: &FailureKind| format!("{} of {}", number(of.receivers), number(of.survivors));
    row("receivers, mean of survivors", &receivers, "all");
    row("fewest receivers", &|of| whole(of.receivers_fewest), "all");
    row("largest extra ÷ fair, mean", &|of| number(of.max_extra), "1");
    row("largest extra ÷ fair, worst", &|of| number(of.max_extra_worst), "1");
    table
}

/// What holds for the fleet as a whole.
fn risks_table(question: &FailureQuestion, figures: &FailureFigures) -> Table {
    let mut table = Table::new(&["figure", "value", "95 % interval", "ideal hash"]);
    let peak = "largest load ÷ fair before any failure".into();
    table.row([peak, number(figures.max_over_mean), String::new(), String::new()]);
    let (others, down) = (u64::from(question.nodes) - 1, question.down);
    let partners = format!("{} of {}", number(figures.partners), whole(others));
    let ideal = question.ideal.as_ref();
    let mean = ideal.map_or(String::new(), |ideal| number(ideal.partners));
    table.row(["partners of a node, mean".into(), partners, String::new(), mean]);
    let losses = [
        ("every copy", figures.all_lost, ideal.map(|ideal| ideal.all_lost)),
        ("a quorum of the copies", figures.quorum_lost, ideal.map(|ideal| ideal.quorum_lost)),
    ];
    for (what, loss, ideal) in losses {
        let interval = loss.low.zip(loss.high).map_or("exact".into(), |(low, high)| {
            format!("{} – {}", probability(low), probability(high))
        });
        let name = format!("P({what} of some key lost), {down} down");
        let ideal = ideal.map_or(String::new(), probability);
        table.row([name, probability(loss.probability), interval, ideal]);
    }
    if let Some(cascade) = &figures.cascade {
        let at = question.capacity.map_or("own capacities".into(), |factor| {
            format!("capacity {} × own load", number(factor))
        });
        let mut row = |name: String, value: String| {
            table.row([name, value, String::new(), String::new()]);
        };
        row(format!("single failures that spread, {at}"), probability(cascade.spreading));
        row(format!("nodes lost, mean, {at}"), number(cascade.lost));
        row(format!("nodes lost, most, {at}"), whole(cascade.lost_most));
        if cascade.followed < cascade.spread {
            let part = format!("{} of {}", whole(cascade.followed), whole(cascade.spread));
            row("spreading failures that were followed".into(), part);
        }
    }
    table
}

fn whole(count: u64) -> String {
    grouped(&count.to_string())
}
