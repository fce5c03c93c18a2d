//! Which of the suitable contenders to take, and why.
//!
//! Whoever meets what the design needs is good enough: being better still is no reason where it has
//! its price. So a contender is set aside only where another *outdoes* it: clearly better (all of
//! the range over the seeds, or of the rounds of a time) in something that is required, or at no
//! more upkeep in what everybody pays ([`PRICES`]), and clearly worse in none of these. Those that
//! are left are not distinguishable, or trade one thing for another; of them the simplest is taken:
//! by [`Upkeep`], then the one that was published first, then in the order of the scenario.

use serde::Serialize;

use crate::schema::{Contender, Requirement, RunResults};
use crate::timings::Timings;
use crate::verdict::{Spread, worst_by};

/// What everybody pays, required or not: keys that move, copies that are made, steps of a lookup,
/// memory.
pub const PRICES: [&str; 5] = [
    "movement.moved",
    "movement.sideways",
    "replica.changed",
    "work.lookup",
    "memory.derived_bytes",
];
/// Bytes a member above which what is made of the list of members is a table.
const TABLE_BYTES_A_MEMBER: f64 = 64.0;
/// The claim of contenders to which the order is nothing in which members joined.
const ORDER_FREE: &str = "order-free";

/// What everybody who looks keys up has to have, from the simplest on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Upkeep {
    /// The list of members.
    Members,
    /// A table that everybody makes alike of the list of members.
    Table,
    /// Numbers of the members, or a history of them, that have to be agreed upon and kept.
    Numbers,
}

impl Upkeep {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Upkeep::Members => "the list of members",
            Upkeep::Table => "a table made of the list of members",
            Upkeep::Numbers => "numbers or a history of the members, agreed upon and kept",
        }
    }

    /// Of a contender, as its claims and its memory have it.
    pub fn of(contender: &Contender, results: &RunResults) -> Self {
        let members = |timeline: usize, step: usize| {
            Some(f64::from(results.plan.get(timeline)?.steps.get(step)?.nodes.max(1)))
        };
        let heavy = contender.timelines.iter().enumerate().any(|(timeline, done)| {
            done.steps.iter().enumerate().any(|(step, taken)| {
                let bytes = taken.metrics.get("memory.derived_bytes").map(|bytes| bytes.median);
                let members = members(timeline, step);
                bytes.zip(members).is_some_and(|(b, m)| b > m * TABLE_BYTES_A_MEMBER)
            })
        });
        match (contender.claims.iter().any(|claim| claim == ORDER_FREE), heavy) {
            (true, false) => Upkeep::Members,
            (true, true) => Upkeep::Table,
            (false, _) => Upkeep::Numbers,
        }
    }
}

/// What to take.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Recommendation {
    /// The contender.
    pub contender: String,
    /// What its users have to have.
    pub upkeep: Upkeep,
    /// Suitable too, and not set aside: not distinguishable from it, or better in one thing and
    /// worse in another. The simplest first.
    pub alternatives: Vec<Alternative>,
    /// Suitable too, but set aside.
    pub outdone: Vec<Outdone>,
}

impl Recommendation {
    /// Everybody else who is suitable: those that are left, then those that were set aside, the
    /// simplest of each first.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        let alternatives = self.alternatives.iter().map(|one| one.contender.as_str());
        alternatives.chain(self.outdone.iter().map(|one| one.contender.as_str()))
    }
}

/// A contender that might be taken instead.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Alternative {
    /// The contender.
    pub contender: String,
    /// What its users have to have.
    pub upkeep: Upkeep,
    /// Requirements, in words, and ids of [`PRICES`] in which it is clearly better than what is
    /// recommended.
    pub better: Vec<String>,
    /// Those in which it is clearly worse.
    pub worse: Vec<String>,
}

/// A contender that another one outdoes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outdone {
    /// The contender.
    pub contender: String,
    /// Who is clearly better; the simplest of those who are.
    pub by: String,
    /// Requirements, in words, and ids of [`PRICES`] in which.
    pub at: Vec<String>,
}

/// What may be taken, with a figure for each criterion.
struct Candidate<'a> {
    contender: &'a Contender,
    upkeep: Upkeep,
    figures: Vec<Option<Spread>>,
}

impl Candidate<'_> {
    fn name(&self) -> String {
        self.contender.name.clone()
    }
}

/// Something by which contenders are set against each other.
struct Criterion {
    /// The requirement in words, or the id of a price.
    text: String,
    requirement: Requirement,
    is_required: bool,
}

/// What to take of the suitable contenders; nothing where nothing is required, for then everything
/// that takes every step is as good.
pub(crate) fn recommend(
    results: &RunResults,
    timings: Option<&Timings>,
    suitable: &[&Contender],
) -> Option<Recommendation> {
    if results.requirements.is_empty() {
        return None;
    }
    let rule = Rule::new(results);
    let candidate = |contender| Candidate {
        contender,
        upkeep: Upkeep::of(contender, results),
        figures: rule.figures(results, timings, contender),
    };
    let mut candidates: Vec<Candidate> = suitable.iter().copied().map(candidate).collect();
    candidates.sort_by_key(|one| (one.upkeep, one.contender.year));
    let outdone = |one: &Candidate| {
        let by = candidates.iter().find(|other| rule.outdoes(other, one))?;
        Some(Outdone { contender: one.name(), by: by.name(), at: rule.better(by, one) })
    };
    let set_aside: Vec<Option<Outdone>> = candidates.iter().map(outdone).collect();
    // Overlapping ranges might set everybody aside in a circle: then nobody is.
    let nobody = set_aside.iter().all(Option::is_some);
    let pairs = std::iter::zip(&candidates, &set_aside);
    let mut remaining = pairs.filter(|(_, aside)| nobody || aside.is_none()).map(|(one, _)| one);
    let first = remaining.next()?;
    let alternative = |other: &Candidate| Alternative {
        contender: other.name(),
        upkeep: other.upkeep,
        better: rule.better(other, first),
        worse: rule.better(first, other),
    };
    Some(Recommendation {
        contender: first.name(),
        upkeep: first.upkeep,
        alternatives: remaining.map(alternative).collect(),
        outdone: if nobody { Vec::new() } else { set_aside.into_iter().flatten().collect() },
    })
}

/// By what contenders are set against each other.
struct Rule {
    criteria: Vec<Criterion>,
    /// Whether ranges over the seeds say enough of luck.
    has_order: bool,
}

impl Rule {
    /// The requirements of a run, then the prices that they say nothing of.
    fn new(results: &RunResults) -> Self {
        let required = results.requirements.iter().map(|requirement| Criterion {
            text: requirement.text(),
            requirement: requirement.clone(),
            is_required: true,
        });
        let is_required =
            |id: &&str| results.requirements.iter().any(|one| one.metric.as_deref() == Some(*id));
        let paid = PRICES.into_iter().filter(|id| !is_required(id)).map(|id| {
            let (metric, max) = (Some(id.to_string()), Some(f64::INFINITY));
            let requirement = Requirement { metric, min: None, max, capability: None };
            Criterion { text: id.into(), requirement, is_required: false }
        });
        let criteria = required.chain(paid).collect();
        Rule { criteria, has_order: results.has_order() }
    }

    fn figures(
        &self,
        results: &RunResults,
        timings: Option<&Timings>,
        contender: &Contender,
    ) -> Vec<Option<Spread>> {
        let of =
            |criterion: &Criterion| worst_by(&criterion.requirement, results, timings, contender);
        self.criteria.iter().map(of).collect()
    }

    /// Whether one is clearly better than another in something required, or at no more upkeep in
    /// a price, and clearly worse nowhere.
    fn outdoes(&self, one: &Candidate, other: &Candidate) -> bool {
        let as_simple = one.upkeep <= other.upkeep;
        self.clearly_better(one, other).any(|criterion| criterion.is_required || as_simple)
            && self.clearly_better(other, one).next().is_none()
    }

    /// In what one is clearly better than another, in words.
    fn better(&self, one: &Candidate, other: &Candidate) -> Vec<String> {
        self.clearly_better(one, other).map(|criterion| criterion.text.clone()).collect()
    }

    fn clearly_better<'a>(
        &'a self,
        one: &'a Candidate,
        other: &'a Candidate,
    ) -> impl Iterator<Item = &'a Criterion> {
        let figures = std::iter::zip(&one.figures, &other.figures);
        let each = std::iter::zip(&self.criteria, figures);
        let better = each.filter(|(criterion, (a, b))| match (a, b) {
            (Some(a), Some(b)) => self.is_better(&criterion.requirement, *a, *b),
            _ => false,
        });
        better.map(|(criterion, _)| criterion)
    }

    /// Whether all of a figure's range lies on the better side of another's; between two bounds no
    /// side is better.
    fn is_better(&self, requirement: &Requirement, a: Spread, b: Spread) -> bool {
        let is_time = requirement.metric.as_ref().is_some_and(|id| id.starts_with("time."));
        (self.has_order || is_time)
            && match (requirement.min, requirement.max) {
                (None, Some(_)) => a.high < b.low,
                (Some(_), None) => a.low > b.high,
                _ => false,
            }
    }
}
