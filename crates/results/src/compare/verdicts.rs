//! Whose verdict changed: suitable or not, each requirement, refusals, evenness; and expectations.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Pair, Sides, Turn};
use crate::catalogue::Measure;
use crate::evenness::Likeness;
use crate::schema::{Requirement, RunResults};

/// A verdict on a contender that is not the same in both runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "about", rename_all = "kebab-case")]
pub enum VerdictChange {
    /// Whether it met every requirement and took every step.
    Suitable {
        /// The contender.
        contender: String,
        /// Whether it was.
        met: Sides<bool>,
    },
    /// A requirement that both runs state.
    Requirement {
        /// The contender.
        contender: String,
        /// The requirement.
        requirement: Requirement,
        /// Whether it was met; none where there was no figure.
        met: Sides<Option<bool>>,
        /// The median it was judged by.
        measured: Sides<Option<f64>>,
    },
    /// The first event it could not do.
    Refusal {
        /// The contender.
        contender: String,
        /// The event and the reason; none where it took every step.
        refusal: Sides<Option<String>>,
    },
    /// What chance has to do with its loads.
    Evenness {
        /// The contender.
        contender: String,
        /// By what loads are counted.
        measure: Measure,
        /// The verdict.
        likeness: Sides<Likeness>,
    },
}

impl VerdictChange {
    /// Which way it turned. Worse than chance is no fault of itself, and a requirement without a
    /// figure is neither met nor broken.
    pub fn turn(&self) -> Turn {
        match self {
            VerdictChange::Suitable { met, .. } => Turn::better(met.after),
            VerdictChange::Requirement { met, .. } => match met.both() {
                Some(met) => Turn::better(met.after),
                None => Turn::Neither,
            },
            VerdictChange::Refusal { refusal, .. } => match (&refusal.before, &refusal.after) {
                (Some(_), Some(_)) => Turn::Neither,
                (_, after) => Turn::better(after.is_none()),
            },
            VerdictChange::Evenness { .. } => Turn::Neither,
        }
    }
}

/// An expectation of both runs that held in one only.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExpectationChange {
    /// The expectation in words.
    pub text: String,
    /// Whether it held.
    pub met: Sides<bool>,
}

/// The verdicts that changed, by contender.
pub(super) fn changes(runs: Sides<&RunResults>, pairs: &[Pair]) -> Vec<VerdictChange> {
    let mut changes = Vec::new();
    for pair in pairs {
        changes.extend(suitable(pair));
        changes.extend(refusal(pair));
        changes.extend(requirements(runs, pair));
        changes.extend(Measure::ALL.into_iter().filter_map(|by| evenness(runs, pair, by)));
    }
    changes
}

fn suitable(pair: &Pair) -> Option<VerdictChange> {
    let met = pair.judged.map(|judged| judged.suitable);
    met.differ().then(|| VerdictChange::Suitable { contender: pair.name.into(), met })
}

fn refusal(pair: &Pair) -> Option<VerdictChange> {
    let refusal = pair.judged.map(|judged| judged.refusal.clone());
    refusal.differ().then(|| VerdictChange::Refusal { contender: pair.name.into(), refusal })
}

fn requirements(runs: Sides<&RunResults>, pair: &Pair) -> Vec<VerdictChange> {
    let before = pair.judged.before.judgements.iter();
    let before: BTreeMap<&str, _> =
        before.map(|judgement| (judgement.requirement.as_str(), judgement)).collect();
    let after = std::iter::zip(&runs.after.requirements, &pair.judged.after.judgements);
    let changed = after.filter_map(|(requirement, after)| {
        let before = *before.get(after.requirement.as_str())?;
        let sides = Sides { before, after };
        let met = sides.map(|judgement| judgement.met);
        met.differ().then(|| VerdictChange::Requirement {
            contender: pair.name.into(),
            requirement: requirement.clone(),
            met,
            measured: sides.map(|judgement| judgement.measured.map(|figure| figure.median)),
        })
    });
    changed.collect()
}

fn evenness(runs: Sides<&RunResults>, pair: &Pair, measure: Measure) -> Option<VerdictChange> {
    let likeness = Sides {
        before: runs.before.likeness(pair.contenders.before, measure)?,
        after: runs.after.likeness(pair.contenders.after, measure)?,
    };
    let contender = pair.name.to_string();
    likeness.differ().then_some(VerdictChange::Evenness { contender, measure, likeness })
}

/// The expectations that held in one run only.
pub(super) fn expectations(runs: Sides<&RunResults>) -> Vec<ExpectationChange> {
    let before = runs.before.expectations.iter();
    let before: BTreeMap<&str, bool> = before.map(|one| (one.text.as_str(), one.met)).collect();
    let changed = runs.after.expectations.iter().filter_map(|after| {
        let met = Sides { before: *before.get(after.text.as_str())?, after: after.met };
        met.differ().then(|| ExpectationChange { text: after.text.clone(), met })
    });
    changed.collect()
}
