//! Conditions that must not come true of a run: `load.excess > 0.05`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::catalogue::metric;
use crate::compare::{Run, Sides, other_machine};
use crate::fixed;
use crate::schema::Contender;
use crate::verdict::figures;

/// A condition on a figure of the run after, or on its change.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    quantity: Quantity,
    metric: String,
    relation: Relation,
    bound: f64,
}

/// What is held against the bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quantity {
    /// The figure of the run after.
    After,
    /// The figure of the run after less the one of the run before.
    Change,
}

/// How a figure that meets the condition compares with the bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Above,
    AtLeast,
    Below,
    AtMost,
}

/// What a change is called.
const CHANGE: &str = "change of ";

/// Longer signs first: `>=` begins with `>`.
const SIGNS: [(&str, Relation); 4] = [
    (">=", Relation::AtLeast),
    ("<=", Relation::AtMost),
    (">", Relation::Above),
    ("<", Relation::Below),
];

impl Relation {
    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Relation::Above => value > bound,
            Relation::AtLeast => value >= bound,
            Relation::Below => value < bound,
            Relation::AtMost => value <= bound,
        }
    }

    /// The median of some steps that is nearest to meeting the condition.
    fn nearest(self, medians: impl Iterator<Item = f64>) -> Option<f64> {
        match self {
            Relation::Above | Relation::AtLeast => medians.reduce(f64::max),
            Relation::Below | Relation::AtMost => medians.reduce(f64::min),
        }
    }

    fn sign(self) -> &'static str {
        let own = SIGNS.iter().find(|(_, relation)| *relation == self);
        own.map_or("", |(sign, _)| sign)
    }
}

/// Why a text is no condition.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// It is not of the form of one.
    #[error(
        "a condition is a metric, one of > >= < <=, and a number: `load.excess > 0.05`, or \
         `change of load.excess > 0.01`"
    )]
    Form,
    /// There is no such metric.
    #[error("no metric is called `{name}`: `placelab list metrics` names them all")]
    UnknownMetric {
        /// The name that was given.
        name: String,
    },
    /// The bound is no number.
    #[error("`{bound}` is no number: write it as 0.05 or 5e-2")]
    NotANumber {
        /// What stands in its place.
        bound: String,
    },
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let text = text.trim();
        let (quantity, rest) = match text.strip_prefix(CHANGE) {
            Some(rest) => (Quantity::Change, rest),
            None => (Quantity::After, text),
        };
        let split = |&(sign, relation): &(&str, Relation)| {
            let (name, bound) = rest.split_once(sign)?;
            Some((name.trim(), relation, bound.trim()))
        };
        let (name, relation, bound) = SIGNS.iter().find_map(split).ok_or(ConditionError::Form)?;
        if name.is_empty() || bound.is_empty() {
            return Err(ConditionError::Form);
        }
        if metric(name).is_none() {
            return Err(ConditionError::UnknownMetric { name: name.into() });
        }
        match bound.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                Ok(Condition { quantity, metric: name.into(), relation, bound: value })
            }
            _ => Err(ConditionError::NotANumber { bound: bound.into() }),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = match self.quantity {
            Quantity::After => "",
            Quantity::Change => CHANGE,
        };
        write!(f, "{change}{} {} {}", self.metric, self.relation.sign(), self.bound)
    }
}

impl Condition {
    /// Whether a value meets the condition.
    pub fn is_met_by(&self, value: f64) -> bool {
        self.relation.holds(value, self.bound)
    }

    /// Each rival of the run after with the value that the condition is about: of its steps the
    /// median that is nearest to meeting it, or how that changed since the run before. A time is
    /// the one that requirements are judged by; of different machines no change is known. Who has
    /// no such figure is left out.
    pub fn values<'a>(&self, before: Run, after: Run<'a>) -> Vec<(&'a str, f64)> {
        let value = |run: Run, one: &Contender| {
            let figures = figures(run.results, run.timings, one, &self.metric);
            let medians = figures.into_iter().map(|figure| figure.median);
            self.relation.nearest(medians.filter(|median| median.is_finite()))
        };
        let timings = Sides { before: before.timings, after: after.timings }.both();
        let is_elsewhere = self.metric.starts_with("time.")
            && timings.is_some_and(|timings| !other_machine(timings).is_empty());
        let known: BTreeMap<&str, &Contender> =
            before.results.contenders.iter().rev().map(|one| (one.name.as_str(), one)).collect();
        let rivals = after.results.contenders.iter().filter(|one| one.is_rival());
        let valued = rivals.filter_map(|one| {
            let own = value(after, one)?;
            match self.quantity {
                Quantity::After => Some((one.name.as_str(), own)),
                Quantity::Change if is_elsewhere => None,
                Quantity::Change => {
                    let earlier = value(before, known.get(one.name.as_str())?)?;
                    Some((one.name.as_str(), fixed(own - earlier)))
                }
            }
        });
        valued.collect()
    }
}
