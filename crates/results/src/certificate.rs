//! Certificates: what algorithms were found to keep.

use serde::{Deserialize, Serialize};

/// A promise that can be checked on any algorithm.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LawText {
    /// The name in certificates.
    pub name: String,
    /// What it says, in a sentence.
    pub says: String,
}

/// One algorithm under every law.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The algorithm with the parameters that are not defaults.
    pub contender: String,
    /// The name of each law and what became of it.
    pub findings: Vec<(String, Finding)>,
}

/// What became of one law.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// It holds.
    Held,
    /// The algorithm does not claim it.
    NotClaimed,
    /// It does not hold: what was found, in a sentence.
    Failed(String),
}

impl Certificate {
    /// Whether no law failed.
    pub fn holds(&self) -> bool {
        self.failures().next().is_none()
    }

    /// The laws that failed, with what was found.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.findings.iter().filter_map(|(law, finding)| match finding {
            Finding::Failed(text) => Some((law.as_str(), text.as_str())),
            Finding::Held | Finding::NotClaimed => None,
        })
    }

    /// How many laws hold.
    pub fn held(&self) -> usize {
        self.findings.iter().filter(|(_, finding)| *finding == Finding::Held).count()
    }

    /// How many laws the algorithm claims, or is bound by.
    pub fn claimed(&self) -> usize {
        self.findings.len() - self.not_claimed().count()
    }

    /// The laws that the algorithm does not claim.
    pub fn not_claimed(&self) -> impl Iterator<Item = &str> {
        let open = self.findings.iter().filter(|(_, finding)| *finding == Finding::NotClaimed);
        open.map(|(law, _)| law.as_str())
    }
}
