//! How one key is placed: the steps of its lookup with their arithmetic, in numbers that a reader
//! can follow by hand.
//!
//! Cost: one traced lookup, a copy of the placement's tables, and one change of the fleet.

mod steps;

use std::ops::ControlFlow;

use placelab_core::{
    AlgorithmSpec, Arguments, Change, Key, NodeId, Placement, Record, Roster, advance,
};
use serde::Serialize;

pub use steps::{Event, SCORES_MAX, Step, part};

/// Candidates that an explanation names.
pub const CANDIDATES_MAX: usize = 5;

/// How a key got to its owner.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    /// The contender by name: `ring:vnodes=20`.
    pub contender: String,
    /// The key, what cannot be shown replaced.
    pub key: String,
    /// Its length in bytes.
    pub key_bytes: usize,
    /// What was placed: the hash, 16 hexadecimal digits.
    pub hash: String,
    /// Members of positive weight.
    pub nodes: usize,
    /// Each step in turn.
    pub steps: Vec<Step>,
    /// Who has the key.
    pub owner: String,
    /// The first [`CANDIDATES_MAX`] nodes in order of preference, the owner first.
    pub candidates: Vec<String>,
    /// What would happen to this key if its owner were lost.
    pub after_loss: AfterLoss,
}

/// What becomes of a key whose owner is lost.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterLoss {
    /// It goes to this node.
    Owner(String),
    /// Nobody can have it, for this reason.
    Refused(String),
}

/// Explains the owner of a key under a placement of this algorithm with these arguments.
pub fn explain(
    spec: &AlgorithmSpec,
    arguments: &Arguments,
    placement: &dyn Placement,
    key: Key<'_>,
) -> Explanation {
    let roster = placement.roster();
    let mut trace = Record::default();
    let owner = placement.trace(key, &mut trace);
    let anatomy = placement.anatomy();
    let names = |id: NodeId| name(roster, id);
    let mut candidates = Vec::new();
    placement.candidates(key, &mut |node| {
        candidates.push(names(node));
        match candidates.len() < CANDIDATES_MAX {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    });
    Explanation {
        contender: arguments.contender(spec),
        key: shown(key.bytes),
        key_bytes: key.bytes.len(),
        hash: steps::hex(key.hash.0),
        nodes: roster.serving().count(),
        steps: steps::steps(key, &trace.0, anatomy.as_ref(), owner, &names),
        owner: names(owner),
        candidates,
        after_loss: after_loss(spec, placement, key, owner),
    }
}

fn after_loss(
    spec: &AlgorithmSpec,
    placement: &dyn Placement,
    key: Key<'_>,
    owner: NodeId,
) -> AfterLoss {
    match advance(spec, placement, &[Change::Remove(owner)]) {
        Ok(after) => AfterLoss::Owner(name(after.roster(), after.place(key))),
        Err(error) => AfterLoss::Refused(error.to_string()),
    }
}

fn name(roster: &Roster, id: NodeId) -> String {
    roster.get(id).map_or_else(String::new, |node| node.name.as_str().into())
}

/// Bytes as text that is safe to show, and no longer than a line.
fn shown(bytes: &[u8]) -> String {
    const CHARACTERS_MAX: usize = 200;
    let text = String::from_utf8_lossy(bytes);
    let safe =
        |c: char| if placelab_core::node::hides_text(c) { char::REPLACEMENT_CHARACTER } else { c };
    let mut characters = text.chars().map(safe);
    let mut shown: String = characters.by_ref().take(CHARACTERS_MAX).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}
