//! What failures do, as tables and as JSON.

use std::io::{self, Write};

use placelab_core::{DomainRule, NodeId};
use placelab_metrics::failures::{Aftermath, Failures};
use placelab_metrics::loss::{IdealSets, Loss};
use placelab_sim::failures::{Cascades, Way};
use serde_json::{Value, json};

use super::question::Question;
use super::{Answer, Found};
use crate::failure::Failure;
use crate::number::{grouped, number, probability};
use crate::table::{Form, Table};

/// How the states after failures are found, in words.
pub(super) fn way(way: Way) -> &'static str {
    match way {
        Way::Candidates => "all failures in one pass over the keys",
        Way::Slots => "each failure replayed over the slots of its table",
        Way::Replay => "each failure replayed over the keys",
    }
}

pub(super) fn print(question: &Question, answers: &[Answer]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let [keys, nodes] = [question.key_count, question.serving() as u64].map(whole);
    let copies = match question.copies.count {
        1 => "one copy of each".into(),
        copies => format!("{copies} copies of each on distinct nodes{}", rules(question)),
    };
    let seeds = if question.seeds == 1 { "hash seed" } else { "hash seeds" };
    writeln!(out, "{keys} keys, {copies}, {nodes} nodes, {} {seeds}", question.seeds)?;
    writeln!(
        out,
        "Loads are copies over the fair part of a node by its weight while everybody is up."
    )?;
    for Answer { contender, found } in answers {
        match found {
            Ok(found) => print_one(question, contender, found)?,
            Err(error) => writeln!(out, "\n{contender}: {error}")?,
        }
    }
    Ok(())
}

/// What copies heed, for a sentence.
fn rules(question: &Question) -> String {
    let kinds = [("zones", question.copies.zones), ("racks", question.copies.racks)];
    let heeded = kinds.into_iter().filter(|(_, rule)| *rule != DomainRule::Ignore);
    heeded.map(|(kind, rule)| format!(", {kind}: {}", rule.name())).collect()
}

fn print_one(question: &Question, contender: &str, found: &Found) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "\n{contender}: {}", way(found.plan.way))?;
    if let Some(refusal) = found.plan.refusal() {
        let impossible = found.plan.nodes - found.plan.possible() as u64;
        let after = if impossible == 1 { "failure" } else { "failures" };
        writeln!(out, "It cannot go on after {} single {after}: {refusal}", whole(impossible))?;
    }
    if found.singles.is_some() || found.pairs.is_some() {
        failures_table(question, found).print(Form::Text)?;
    }
    risks_table(question, found).print(Form::Text)?;
    Ok(())
}

/// Single failures and pairs side by side.
fn failures_table(question: &Question, found: &Found) -> Table {
    let kinds = [found.singles.as_ref(), found.pairs.as_ref()];
    let mut table = Table::new(&["figure", "one fails", "two fail", "fair"]);
    let mut row = |name: &str, figure: &dyn Fn(&Failures) -> String, fair: &str| {
        let [one, two] = kinds.map(|kind| kind.map_or(String::new(), figure));
        table.row([name.into(), one, two, fair.into()]);
    };
    let seeds = u64::from(question.seeds);
    let all = [found.plan.nodes, pairs(found.plan.nodes)].map(|count| count * seeds);
    let fair_after = |of: &Failures| number(of.worst.fair_after);
    let fair = found.singles.as_ref().map_or(String::new(), fair_after);
    row(
        "failures looked at",
        &|of| {
            let is_single = of.worst.gone.len() == 1;
            format!("{} of {}", whole(of.count), whole(all[usize::from(!is_single)]))
        },
        "",
    );
    row("worst failure", &|of| names(question, &of.worst.gone), "");
    row("its worst receiver", &|of| receiver(question, &of.worst), "");
    row(
        "the receiver's load ÷ fair, before → after",
        &|of| match of.worst.worst {
            Some(worst) => format!("{} → {}", number(worst.before), number(worst.after)),
            None => String::new(),
        },
        &format!("1 → {fair}"),
    );
    row("headroom: largest load after any failure ÷ fair", &|of| number(of.worst.headroom), &fair);
    row("headroom over a node's own load before", &|of| headroom(of.own_headroom), &fair);
    row(
        "receivers, mean of survivors",
        &|of| format!("{} of {}", number(of.receivers), number(of.survivors)),
        "all",
    );
    row("fewest receivers", &|of| whole(of.receivers_fewest), "all");
    row("largest extra ÷ fair, mean", &|of| number(of.max_extra), "1");
    row("largest extra ÷ fair, worst", &|of| number(of.max_extra_worst), "1");
    table
}

/// What holds for the fleet as a whole.
fn risks_table(question: &Question, found: &Found) -> Table {
    let mut table = Table::new(&["figure", "value", "95 % interval", "ideal hash"]);
    let peak = "largest load ÷ fair before any failure".into();
    table.row([peak, number(found.peak), String::new(), String::new()]);
    let ideal = ideal(question);
    let (others, down) = (question.serving() as u64 - 1, question.down);
    let partners = format!("{} of {}", number(found.partners), whole(others));
    let mean = ideal.map(|sets| number(sets.partners())).unwrap_or_default();
    table.row(["partners of a node, mean".into(), partners, String::new(), mean]);
    let losses = [
        ("every copy", question.copies.count, found.all_lost),
        ("a quorum of the copies", question.quorum(), found.quorum_lost),
    ];
    for (what, quorum, loss) in losses {
        let interval = loss.interval().map_or("exact".into(), |(low, high)| {
            format!("{} – {}", probability(low), probability(high))
        });
        let ideal = ideal.map_or(String::new(), |sets| probability(sets.loss(quorum, down)));
        let name = format!("P({what} of some key lost), {down} down");
        table.row([name, probability(loss.probability()), interval, ideal]);
    }
    if let Some(cascades) = &found.cascades {
        let at = format!("capacity {} × own load", number(question.capacity));
        let mut row = |name: String, value: String| {
            table.row([name, value, String::new(), String::new()]);
        };
        row(format!("single failures that spread, {at}"), probability(cascades.spreading()));
        row(format!("nodes lost, mean, {at}"), number(cascades.lost_mean()));
        row(format!("nodes lost, most, {at}"), whole(cascades.lost_most));
        if cascades.followed < cascades.spread {
            let part = format!("{} of {}", whole(cascades.followed), whole(cascades.spread));
            row("spreading failures that were followed".into(), part);
        }
    }
    table
}

/// What chance would give, where every set of nodes is as good as another.
fn ideal(question: &Question) -> Option<IdealSets> {
    let copies = question.copies;
    let is_plain = copies.zones == DomainRule::Ignore && copies.racks == DomainRule::Ignore;
    let mut serving = question.roster.serving();
    let first = serving.next()?.weight;
    let is_equal = serving.all(|node| node.weight == first);
    (is_plain && is_equal).then(|| IdealSets {
        keys: question.key_count,
        copies: copies.count,
        nodes: question.serving(),
    })
}

fn pairs(nodes: u64) -> u64 {
    nodes * nodes.saturating_sub(1) / 2
}

fn whole(count: u64) -> String {
    grouped(&count.to_string())
}

/// A factor that may not be enough, however large.
fn headroom(factor: f64) -> String {
    if factor.is_finite() { number(factor) } else { "no factor".into() }
}

fn name(question: &Question, node: NodeId) -> String {
    question.roster.get(node).expect("who fails was a member").name.as_str().into()
}

fn names(question: &Question, nodes: &[NodeId]) -> String {
    nodes.iter().map(|node| name(question, *node)).collect::<Vec<_>>().join(", ")
}

fn receiver(question: &Question, of: &Aftermath) -> String {
    of.worst.map_or("nobody".into(), |worst| name(question, worst.node))
}

pub(super) fn json(question: &Question, answers: &[Answer]) -> Value {
    let contender = |Answer { contender, found }: &Answer| match found {
        Ok(found) => found_json(question, contender, found),
        Err(error) => json!({ "contender": contender, "refusal": error.to_string() }),
    };
    let copies = question.copies;
    json!({
        "keys": question.key_count,
        "nodes": question.serving(),
        "replicas": copies.count,
        "zone_rule": copies.zones.name(),
        "rack_rule": copies.racks.name(),
        "seeds": question.seeds,
        "down": question.down,
        "quorum": question.quorum(),
        "capacity": question.capacity,
        "contenders": answers.iter().map(contender).collect::<Vec<_>>(),
    })
}

fn found_json(question: &Question, contender: &str, found: &Found) -> Value {
    let Found { plan, all_lost, quorum_lost, .. } = found;
    let failures = |of: &Option<Failures>| of.as_ref().map(|of| failures_json(question, of));
    let ideal = ideal(question);
    let ideal_loss = |quorum| ideal.map(|sets| sets.loss(quorum, question.down) + 0.0);
    json!({
        "contender": contender,
        "way": plan.way.name(),
        "refused": plan.nodes - plan.possible() as u64,
        "refusal": plan.refusal().map(ToString::to_string),
        "max_over_mean": found.peak,
        "single": failures(&found.singles),
        "pair": failures(&found.pairs),
        "partners": found.partners,
        "partners_ideal": ideal.map(|sets| sets.partners()),
        "all_lost": loss_json(all_lost, ideal_loss(question.copies.count)),
        "quorum_lost": loss_json(quorum_lost, ideal_loss(question.quorum())),
        "cascade": found.cascades.as_ref().map(cascades_json),
    })
}

fn failures_json(question: &Question, of: &Failures) -> Value {
    let Aftermath { gone, worst, headroom, fair_after, .. } = &of.worst;
    json!({
        "looked_at": of.count,
        "worst_failure": gone.iter().map(|node| name(question, *node)).collect::<Vec<_>>(),
        "worst_receiver": worst.map(|worst| name(question, worst.node)),
        "load_before": worst.map(|worst| worst.before),
        "load_after": worst.map(|worst| worst.after),
        "headroom": headroom,
        "own_headroom": of.own_headroom.is_finite().then_some(of.own_headroom),
        "fair_after": fair_after,
        "receivers": of.receivers,
        "receivers_fewest": of.receivers_fewest,
        "survivors": of.survivors,
        "max_extra": of.max_extra,
        "max_extra_worst": of.max_extra_worst,
    })
}

fn loss_json(loss: &Loss, ideal: Option<f64>) -> Value {
    let interval = loss.interval();
    json!({
        "probability": loss.probability() + 0.0,
        "low": interval.map(|(low, _)| low),
        "high": interval.map(|(_, high)| high),
        "exact": loss.is_exact,
        "ideal": ideal,
    })
}

fn cascades_json(cascades: &Cascades) -> Value {
    json!({
        "failures": cascades.failures,
        "spreading": cascades.spreading() + 0.0,
        "followed": cascades.followed,
        "lost": cascades.lost_mean(),
        "lost_most": cascades.lost_most,
    })
}
