//! Which failures are looked at: all of them where that is cheap, else a sample with a fixed seed.

use placelab_core::{Capability, NodeId, PlacementError};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Subject, Way};
use crate::plan::picks::pick;

/// Sums that one pass holds for single failures: a row for each failure, a sum for each node.
pub(super) const SINGLE_SUMS: usize = 1 << 23;
/// Sums that it holds for pairs: as many as all pairs of 200 nodes need.
pub(super) const PAIR_SUMS: usize = 200 * 199 / 2 * 200;
/// Choices of copies that replaying over slots may take, at all hash seeds together, where a table
/// is made anew for as many: 1,000 failures over one of 65,537 slots.
const REPLAYED_SLOTS: usize = 132_000_000;
/// Bytes of a table that are made anew in the time of a choice of copies.
const BYTES_A_CHOICE: u64 = 4;
/// The same of replaying over keys, where a choice takes longer.
const REPLAYED_KEYS: usize = 20_000_000;
/// Pairs that replaying looks at even where single failures have used that up.
const REPLAYED_PAIRS_MIN: usize = 10;
/// The seed of every sample.
const SAMPLE_SEED: u64 = 0x6661_696c_7321_2121;

/// Failures to look at.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// Each of one node.
    pub singles: Vec<Vec<NodeId>>,
    /// Each of two: all that are possible among some nodes.
    pub pairs: Vec<Vec<NodeId>>,
    /// How many single failures are possible.
    pub possible: usize,
    /// Why another is not.
    pub refusal: Option<PlacementError>,
}

impl Sample {
    /// What is looked at at each of so many hash seeds.
    pub(super) fn new(subject: &Subject<'_>, seeds: u32) -> Self {
        let serving = subject.roster().serving_ids();
        let (mut possible, mut refusal) = (Vec::new(), None);
        for node in &serving {
            match subject.refusal(&[*node]) {
                None => possible.push(*node),
                Some(error) => refusal = refusal.or(Some(error)),
            }
        }
        let [singles_max, pairs_max] = most(subject, seeds, possible.len());
        let nodes = (2..).take_while(|nodes| nodes * (nodes - 1) / 2 <= pairs_max).last();
        let among = match subject.spec.can(Capability::RemoveAny) {
            true => some(&serving, nodes.unwrap_or(0)),
            false => serving[serving.len().saturating_sub(2)..].to_vec(),
        };
        let pairs = (0..among.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let pairs = pairs.map(|(a, b)| vec![among[a], among[b]]);
        let pairs = pairs.filter(|pair| subject.refusal(pair).is_none()).collect();
        Sample {
            singles: some(&possible, singles_max).into_iter().map(|node| vec![node]).collect(),
            pairs,
            possible: possible.len(),
            refusal,
        }
    }
}

/// Most single failures and most pairs to look at.
fn most(subject: &Subject<'_>, seeds: u32, possible: usize) -> [usize; 2] {
    let nodes = subject.node_count();
    let choices = match subject.way {
        Way::Candidates => {
            return [(SINGLE_SUMS / nodes).max(1), (PAIR_SUMS / nodes).max(1)];
        }
        Way::Slot => REPLAYED_SLOTS,
        Way::Replay => REPLAYED_KEYS,
    };
    let made_anew = subject.placement.footprint().derived_bytes / BYTES_A_CHOICE;
    let each = subject.keys.len() + made_anew as usize;
    let replays = (choices / each / seeds as usize).max(1);
    [replays, replays.saturating_sub(possible).max(REPLAYED_PAIRS_MIN)]
}

/// So many of some nodes, in their order; all where there are not more.
pub(super) fn some(nodes: &[NodeId], count: usize) -> Vec<NodeId> {
    if nodes.len() <= count {
        return nodes.to_vec();
    }
    let generator = Xoshiro256PlusPlus::seed_from_u64(SAMPLE_SEED);
    pick(generator, nodes.len(), count).into_iter().map(|at| nodes[at]).collect()
}
