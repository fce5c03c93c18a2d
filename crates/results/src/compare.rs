//! What changed from one run to another: a pure function of both.
//!
//! Contenders are matched by their names. First stands what changed in the question, then whose
//! verdict changed, then which figures differ by more than the luck of the hash seeds, at the
//! worst step of each. Ranges that overlap do not show that nothing changed; seeds are not paired,
//! since results do not keep the figure of each.

mod design;
mod figures;
mod times;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::schema::{Contender, Role, RunResults};
use crate::timings::Timings;
use crate::verdict::{ContenderVerdict, Verdict, verdict};

pub use design::{DesignChange, Value};
pub use figures::{Difference, Figures, WorstFigure};
pub(crate) use times::other_machine;
pub use times::{TimeDifference, TimeRange, Times, TimesCompared};
pub use verdicts::{ExpectationChange, VerdictChange};

/// What was found out in a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Run<'a> {
    /// Its results.
    pub results: &'a RunResults,
    /// Its times, where there are some.
    pub timings: Option<&'a Timings>,
}

/// The same of the run before and of the run after.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Sides<T> {
    /// Of the run before.
    pub before: T,
    /// Of the run after.
    pub after: T,
}

impl<T> Sides<T> {
    /// Something of both.
    pub fn map<U>(self, of: impl Fn(T) -> U) -> Sides<U> {
        Sides { before: of(self.before), after: of(self.after) }
    }

    /// Both by reference.
    pub fn as_ref(&self) -> Sides<&T> {
        Sides { before: &self.before, after: &self.after }
    }
}

impl<T: PartialEq> Sides<T> {
    /// Whether they differ.
    pub fn differ(&self) -> bool {
        self.before != self.after
    }
}

impl<T> Sides<Option<T>> {
    /// Both, where there are both.
    pub fn both(self) -> Option<Sides<T>> {
        Some(Sides { before: self.before?, after: self.after? })
    }
}

/// Which way something turned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// To the better.
    Better,
    /// To the worse.
    Worse,
    /// It changed, and no order is claimed.
    Neither,
}

impl Turn {
    /// To the better or to the worse.
    fn better(is_better: bool) -> Self {
        if is_better { Turn::Better } else { Turn::Worse }
    }
}

/// What changed from one run to another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// What the runs are.
    pub runs: Sides<RunFacts>,
    /// Whether the results are the same in everything; times aside.
    pub same_results: bool,
    /// Whether both runs have seeds enough to put figures in an order.
    pub has_order: bool,
    /// What changed in the question.
    pub design: Vec<DesignChange>,
    /// Names of contenders that only one run has.
    pub contenders_only: Sides<Vec<String>>,
    /// The contenders of both, in the order of the run after.
    pub contenders: Vec<ComparedContender>,
    /// Expectations of both runs that held in one only.
    pub expectations: Vec<ExpectationChange>,
    /// Verdicts on contenders of both runs that changed.
    pub verdicts: Vec<VerdictChange>,
    /// The figures of contenders of both runs.
    pub figures: Figures,
    /// Their times.
    pub times: Times,
}

/// What a run is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunFacts {
    /// Name of the scenario.
    pub scenario: String,
    /// The question in a line.
    pub title: String,
    /// Version of the program.
    pub version: String,
    /// How many keys.
    pub keys: u64,
    /// How many hash seeds.
    pub seeds: u32,
    /// Names of the rivals that met every requirement and took every step.
    pub suitable: Vec<String>,
    /// Which of them to take; none where there are none, or where nothing is required.
    pub recommended: Option<String>,
}

/// A contender of both runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ComparedContender {
    /// Its name.
    pub name: String,
    /// Why it is in the run after.
    pub role: Role,
    /// Whether it met every requirement and took every step.
    pub suitable: Sides<bool>,
}

/// A contender of both runs with all that is known of it.
struct Pair<'a> {
    name: &'a str,
    contenders: Sides<&'a Contender>,
    judged: Sides<&'a ContenderVerdict>,
}

impl Pair<'_> {
    /// Whether it came equally far: who could not go on has other steps to be judged by.
    fn came_equally_far(&self) -> bool {
        !self.judged.map(|judged| &judged.refusal).differ()
    }
}

/// Compares a run with the one before.
pub fn compare(before: Run, after: Run) -> Comparison {
    let runs = Sides { before, after };
    let results = runs.map(|run| run.results);
    let verdicts = runs.map(|run| verdict(run.results, run.timings));
    let pairs = pairs(results, &verdicts);
    Comparison {
        runs: Sides {
            before: facts(results.before, &verdicts.before),
            after: facts(results.after, &verdicts.after),
        },
        same_results: results.before == results.after,
        has_order: before.results.has_order() && after.results.has_order(),
        design: design::design(results, &pairs),
        contenders_only: only(results.map(|run| names(&run.contenders))),
        contenders: pairs.iter().map(compared).collect(),
        expectations: verdicts::expectations(results),
        verdicts: verdicts::changes(results, &pairs),
        figures: figures::figures(results, &pairs),
        times: times::times(runs),
    }
}

fn facts(results: &RunResults, verdict: &Verdict) -> RunFacts {
    RunFacts {
        scenario: results.scenario.name.clone(),
        title: results.scenario.title.clone(),
        version: results.version.clone(),
        keys: results.keys.count,
        seeds: results.seeds,
        suitable: verdict.suitable.clone(),
        recommended: verdict.recommendation.as_ref().map(|one| one.contender.clone()),
    }
}

fn compared(pair: &Pair) -> ComparedContender {
    ComparedContender {
        name: pair.name.into(),
        role: pair.contenders.after.role,
        suitable: pair.judged.map(|judged| judged.suitable),
    }
}

/// The contenders of both runs. Of several with one name the first counts.
fn pairs<'a>(results: Sides<&'a RunResults>, verdicts: &'a Sides<Verdict>) -> Vec<Pair<'a>> {
    let mut known = BTreeMap::new();
    let judged = |results: &'a RunResults, verdict: &'a Verdict| {
        std::iter::zip(&results.contenders, &verdict.contenders)
    };
    for (contender, judged) in judged(results.before, &verdicts.before) {
        known.entry(contender.name.as_str()).or_insert((contender, judged));
    }
    let mut pairs = Vec::new();
    for (contender, judged) in judged(results.after, &verdicts.after) {
        // Taken out, so that a second one of that name finds nothing.
        if let Some((before, judged_before)) = known.remove(contender.name.as_str()) {
            pairs.push(Pair {
                name: &contender.name,
                contenders: Sides { before, after: contender },
                judged: Sides { before: judged_before, after: judged },
            });
        }
    }
    pairs
}

fn names(contenders: &[Contender]) -> Vec<&str> {
    contenders.iter().map(|contender| contender.name.as_str()).collect()
}

/// What only one side has, in its order.
fn only(sides: Sides<Vec<&str>>) -> Sides<Vec<String>> {
    let known = sides.as_ref().map(|all| all.iter().copied().collect::<BTreeSet<&str>>());
    let missing = |all: &[&str], known: &BTreeSet<&str>| {
        all.iter().filter(|one| !known.contains(*one)).map(|one| one.to_string()).collect()
    };
    Sides {
        before: missing(&sides.before, &known.after),
        after: missing(&sides.after, &known.before),
    }
}
