//! What failures do, in sentences.

use placelab_results::{Contender, FailureAnswer, FailureFigures, FailureQuestion};

use super::{capacity, fair_after, looked_at};
use crate::charts::frame::left_out;
use crate::number::{count, percent, ratio};
use crate::subject::Subject;
use crate::text::{list_up_to, one_line, plural};

/// Contenders that a sentence names.
const NAMES_MAX: usize = 10;

pub(super) fn finding(subject: &Subject, question: &FailureQuestion) -> String {
    let mut sentences = Vec::new();
    let said = |print: fn(f64) -> String, value: &dyn Fn(&FailureFigures) -> Option<f64>| {
        let all = looked_at(subject);
        let mut all: Vec<(f64, &Contender)> =
            all.filter_map(|(contender, of)| Some((value(of)?, contender))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let one = |(value, contender): &(f64, &Contender)| {
            format!("{} {}", subject.name(contender), print(*value))
        };
        let names: Vec<String> = all.iter().map(one).collect();
        (!names.is_empty()).then(|| list_up_to(&names, NAMES_MAX))
    };
    if let Some(names) = said(|v| ratio(v, 2), &|of| Some(of.single.as_ref()?.headroom)) {
        let fair = fair_after(subject)[0].map_or(String::new(), |fair| {
            format!("; shared out by weight it would be {}", ratio(fair, 2))
        });
        sentences.push(format!(
            "Load of the fullest node after the worst failure of one, × fair: {names}{fair}."
        ));
    }
    sentences.extend(overloaded(subject));
    sentences.extend(cascades(subject, question));
    if question.replicas > 1
        && let Some(names) = said(percent, &|of| Some(of.quorum_lost.probability))
    {
        let ideal = question.ideal.as_ref().map_or(String::new(), |ideal| {
            format!("; of an ideal hash {}", percent(ideal.quorum_lost))
        });
        let down = plural(question.down.into(), "node", "nodes");
        sentences.push(format!(
            "With {down} down at random some key loses a quorum of its copies with probability: \
             {names}{ideal}. Who shares keys with more partners spreads a failure wider, and loses \
             something sooner."
        ));
    }
    sentences.extend(refused(subject));
    sentences.join(" ") + &left_out(subject)
}

/// Whose nodes are above their capacity before anybody fails.
fn overloaded(subject: &Subject) -> Option<String> {
    let those = looked_at(subject).filter(|(_, of)| of.overloaded > 0);
    let one = |(contender, of): (&Contender, &FailureFigures)| {
        let nodes = plural(of.overloaded, "node", "nodes");
        format!("{} {nodes}", subject.name(contender))
    };
    let names: Vec<String> = those.map(one).collect();
    let names = list_up_to(&names, NAMES_MAX);
    (!names.is_empty()).then(|| format!("Above capacity before anybody fails: {names}."))
}

/// How far failures go.
fn cascades(subject: &Subject, question: &FailureQuestion) -> Option<String> {
    let at = capacity(question);
    looked_at(subject).find(|(_, of)| of.cascade.is_some())?;
    let spreading = looked_at(subject).filter_map(|(contender, of)| {
        let cascade = of.cascade.as_ref().filter(|cascade| cascade.spread > 0)?;
        Some(format!(
            "{} in {} of failures ({} lost on average, {} at most)",
            subject.name(contender),
            percent(cascade.spreading),
            plural_mean(cascade.lost),
            count(cascade.lost_most)
        ))
    });
    let spreading: Vec<String> = spreading.collect();
    if spreading.is_empty() {
        return Some(format!("{at} no failure of one overloads another node."));
    }
    let names = list_up_to(&spreading, NAMES_MAX);
    Some(format!("{at} the failure of one overloads another node: {names}."))
}

fn plural_mean(nodes: f64) -> String {
    let nodes = ratio(nodes, 2);
    if nodes == "1.00" { "1 node".into() } else { format!("{nodes} nodes") }
}

fn refused(subject: &Subject) -> Option<String> {
    let contenders = subject.results.contenders.iter();
    let one = |contender: &Contender| match contender.failures.as_ref()? {
        FailureAnswer::Refused { refusal } => {
            Some(format!("{} ({})", subject.name(contender), one_line(refusal)))
        }
        FailureAnswer::Found(_) => None,
    };
    let names: Vec<String> = contenders.filter_map(one).collect();
    (!names.is_empty()).then(|| format!("Refused: {}.", list_up_to(&names, NAMES_MAX)))
}
