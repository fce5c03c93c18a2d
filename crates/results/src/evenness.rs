//! Whether loads differ by chance alone: the verdict of a test, in a word.

use serde::{Deserialize, Serialize};

use crate::schema::{Contender, RunResults};

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

/// What chance has to do with the loads of a contender.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// They are what an ideal hash gives.
    Chance,
    /// At some step they differ by more.
    Worse,
    /// At some step they differ by less, and at none by more.
    Better,
}

impl Likeness {
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
    /// Tests of evenness in this run: one a step, contender and side.
    pub fn evenness_tests(&self) -> usize {
        2 * self.contenders.iter().map(|contender| evenness(contender).count()).sum::<usize>()
    }

    /// What chance has to do with the loads of a contender by keys. Each test is held to [`LEVEL`]
    /// over the number of tests in the run (Bonferroni). None where nothing could be tested.
    pub fn likeness(&self, contender: &Contender) -> Option<Likeness> {
        let level = LEVEL / self.evenness_tests() as f64;
        let steps = || evenness(contender);
        steps().next()?;
        if steps().any(|step| step.uneven < level) {
            Some(Likeness::Worse)
        } else if steps().any(|step| step.even < level) {
            Some(Likeness::Better)
        } else {
            Some(Likeness::Chance)
        }
    }
}

fn evenness(contender: &Contender) -> impl Iterator<Item = Evenness> {
    let steps = contender.timelines.iter().flat_map(|timeline| &timeline.steps);
    steps.filter_map(|step| step.evenness)
}
