//! The verdict on observed counts.

use std::io::{self, Write};

use placelab_metrics::null::{Judgement, LEVEL, judge};
use serde_json::json;

use super::question::Question;
use crate::failure::Failure;
use crate::number::{number, probability};
use crate::table::{Form, Table};

/// Most nodes that are off of which a terminal shows each.
const SHOWN_MAX: usize = 20;
/// Most of which JSON has each.
const LISTED_MAX: usize = 1_000;

/// A judgement, and the names of the nodes it speaks of.
pub(super) struct Observed<'a> {
    judgement: Judgement,
    question: &'a Question,
}

impl<'a> Observed<'a> {
    pub(super) fn new(question: &'a Question, counts: &[u64]) -> Self {
        let judgement = judge(counts, &question.weights(), question.copies);
        Observed { judgement, question }
    }

    fn name(&self, node: usize) -> &'a str {
        self.question.nodes[node].name.as_str()
    }

    pub(super) fn print(&self) -> Result<(), Failure> {
        let Judgement { verdict, p_value, evidence, threshold, outliers } = &self.judgement;
        let mut out = io::stdout().lock();
        writeln!(out, "\nVerdict on the observed counts: {}", verdict.name())?;
        writeln!(
            out,
            "p-value {} over all {} questions; at most {} % of ideal hashes get another verdict \
             than chance.",
            probability(*p_value),
            evidence.len(),
            LEVEL * 100.0
        )?;
        let mut table = Table::new(&["probability by chance of", "p-value", "significant"]);
        for of in evidence {
            let is_so = if of.p_value <= *threshold { "yes" } else { "no" };
            table.row([of.question.name().into(), probability(of.p_value), is_so.into()]);
        }
        table.print(Form::Text)?;
        let (level, questions) = (probability(*threshold), evidence.len());
        writeln!(
            out,
            "Significant is a p-value of at most {level}: {LEVEL} over {questions} questions."
        )?;
        if outliers.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nNodes that chance does not explain: {}", outliers.len())?;
        let mut table = Table::new(&["node", "count", "expected", "p-value over all nodes"]);
        for outlier in outliers.iter().take(SHOWN_MAX) {
            table.row([
                self.name(outlier.node).into(),
                outlier.load.to_string(),
                number(outlier.expected),
                probability(outlier.p_value),
            ]);
        }
        table.print(Form::Text)?;
        if outliers.len() > SHOWN_MAX {
            writeln!(out, "and {} more: see --json", outliers.len() - SHOWN_MAX)?;
        }
        Ok(())
    }

    pub(super) fn json(&self) -> serde_json::Value {
        let Judgement { verdict, p_value, evidence, threshold, outliers } = &self.judgement;
        let answers: Vec<_> = evidence
            .iter()
            .map(|of| json!({ "question": of.question.name(), "p_value": of.p_value + 0.0 }))
            .collect();
        let nodes: Vec<_> = outliers
            .iter()
            .take(LISTED_MAX)
            .map(|outlier| {
                json!({
                    "node": self.name(outlier.node),
                    "count": outlier.load,
                    "expected": outlier.expected,
                    "p_value": outlier.p_value + 0.0,
                })
            })
            .collect();
        json!({
            "verdict": verdict.name(),
            "p_value": p_value + 0.0,
            "family_wise_level": LEVEL,
            "threshold": threshold,
            "evidence": answers,
            "nodes_off": outliers.len(),
            "nodes_off_listed": nodes,
        })
    }
}
