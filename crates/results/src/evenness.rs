//! Whether loads differ by chance alone: the verdict of a test, in a word.

use serde::{Deserialize, Serialize};

use crate::catalogue::Measure;
use crate::schema::{Contender, RunResults, Step};

/// Family-wise level: the probability that a run in which everybody is an ideal hash calls anybody
/// anything but chance.
pub const LEVEL: f64 = 0.01;

/// How the loads of one step, over all hash seeds together, compare with ideal hashes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evenness {
    /// Probability that ideal hashes are together at least as uneven.
    pub uneven: f64,
    /// Probability that ideal hashes are together at least as even.
    pub even: f64,
}

/// What chance has to do with some loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// They are what an ideal hash gives.
    Chance,
    /// They differ by more; of several, some do.
    Worse,
    /// They differ by less; of several, some do and none differs by more.
    Better,
}

impl Likeness {
    fn and(self, other: Likeness) -> Likeness {
        match (self, other) {
            (Likeness::Worse, _) | (_, Likeness::Worse) => Likeness::Worse,
            (Likeness::Better, _) | (_, Likeness::Better) => Likeness::Better,
            _ => Likeness::Chance,
        }
    }

    /// The verdict in words.
    pub fn name(self) -> &'static str {
        match self {
            Likeness::Chance => "chance",
            Likeness::Worse => "worse than chance",
            Likeness::Better => "better than chance",
        }
    }
}

impl RunResults {
    /// Tests of evenness in this run: one a contender, measure, step or mark, and side.
    pub fn evenness_tests(&self) -> usize {
        let of = |contender: &Contender| {
            let at_steps = steps(contender).map(|step| step.evenness.len()).sum::<usize>();
            at_steps + contender.fills.iter().filter(|fill| fill.evenness.is_some()).count()
        };
        2 * self.contenders.iter().map(of).sum::<usize>()
    }

    /// What chance has to do with the loads of a contender by a measure, over all its steps. Each
    /// test is held to [`LEVEL`] over the number of tests in the run (Bonferroni). None where
    /// nothing could be tested.
    pub fn likeness(&self, contender: &Contender, measure: Measure) -> Option<Likeness> {
        let tested = steps(contender).filter_map(|step| step.evenness.get(measure.name()));
        tested.map(|evenness| self.likeness_of(*evenness)).reduce(Likeness::and)
    }

    /// What chance has to do with the loads of one step or mark; held to the same level.
    pub fn likeness_of(&self, evenness: Evenness) -> Likeness {
        let level = LEVEL / self.evenness_tests() as f64;
        match (evenness.uneven < level, evenness.even < level) {
            (true, _) => Likeness::Worse,
            (_, true) => Likeness::Better,
            _ => Likeness::Chance,
        }
    }
}

fn steps(contender: &Contender) -> impl Iterator<Item = &Step> {
    contender.timelines.iter().flat_map(|timeline| &timeline.steps)
}
