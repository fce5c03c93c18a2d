//! Loss: the probability that random failures take every copy of some key, or a quorum of them.
//!
//! What counts is the number of *distinct* sets of nodes that hold the copies of some key: the
//! more sets, the more likely one of them is among the nodes that fail. Many virtual nodes spread
//! the load of a failure and pay for it here (Cidon et al., "Copysets", USENIX ATC 2013).
//!
//! Cost: a draw of f nodes looks at the sets of these nodes alone. Exact where all choices of the
//! failures can be gone through, a Monte Carlo estimate with a fixed seed elsewhere.

use placelab_core::NodeId;
use placelab_core::math::{exp, sqrt};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::special::ln_one_plus;

/// Most choices of failures that are gone through one by one.
const CHOICES_MAX: u128 = 100_000;
/// Sets that the draws of an estimate look at in all, about.
const LOOKS: f64 = 5e7;
/// The seed of the draws.
const DRAW_SEED: u64 = 0x6c6f_7373_2121_2121;
/// 97.5th percentile of the normal law.
const NORMAL: f64 = 1.959_963_984_540_054;

/// The distinct sets of nodes that hold the copies of keys.
#[derive(Clone, Debug)]
pub struct Holders {
    copies: usize,
    /// Set after set, the members of each ascending.
    members: Vec<NodeId>,
}

impl Holders {
    /// Most copies of a key.
    pub const COPIES_MAX: usize = 8;

    /// The distinct ones of many sets of so many copies, one after the other. Panics where there
    /// are more copies than [`Holders::COPIES_MAX`], or none.
    pub fn new(copies: usize, sets: &[NodeId]) -> Self {
        assert!((1..=Self::COPIES_MAX).contains(&copies), "{copies} copies of a key");
        let row = |set: &[NodeId]| {
            let mut row = [NodeId::NOBODY; Self::COPIES_MAX];
            row[..copies].copy_from_slice(set);
            row[..copies].sort_unstable();
            row
        };
        let mut rows: Vec<_> = sets.chunks_exact(copies).map(row).collect();
        rows.sort_unstable();
        rows.dedup();
        Holders { copies, members: rows.iter().flat_map(|row| &row[..copies]).copied().collect() }
    }

    /// The distinct sets of these and of others.
    pub fn merge(self, other: Holders) -> Self {
        assert_eq!(self.copies, other.copies, "sets of one number of copies");
        Holders::new(self.copies, &[self.members, other.members].concat())
    }

    /// How many distinct sets there are.
    pub fn count(&self) -> usize {
        self.members.len() / self.copies
    }

    fn sets(&self) -> impl Iterator<Item = &[NodeId]> {
        self.members.chunks_exact(self.copies)
    }

    /// With how many others a node shares keys: the mean over these nodes.
    pub fn partners(&self, nodes: &[NodeId]) -> f64 {
        let mut distinct = Vec::new();
        for set in self.sets() {
            for (at, node) in set.iter().enumerate() {
                distinct.extend(set[at + 1..].iter().map(|partner| (node, partner)));
            }
        }
        distinct.sort_unstable();
        distinct.dedup();
        2.0 * distinct.len() as f64 / nodes.len() as f64
    }

    /// The chance that some key loses at least `quorum` of its copies when `down` of the nodes
    /// fail at random. Panics where the nodes are fewer, or the quorum is not of the copies.
    pub fn loss(&self, quorum: usize, down: usize, nodes: &[NodeId]) -> Loss {
        assert!(0 < quorum && quorum <= self.copies, "a quorum of {} copies", self.copies);
        assert!(down <= nodes.len(), "{down} failures of {} nodes", nodes.len());
        let search = Search::new(self, quorum, nodes);
        match choices(nodes.len(), down) {
            all if all <= CHOICES_MAX => search.all(down, nodes),
            _ => search.draws(down, nodes),
        }
    }
}

/// How many choices there are of so many nodes, as far as it matters.
fn choices(nodes: usize, down: usize) -> u128 {
    let mut choices = 1u128;
    for at in 0..down.min(nodes - down) {
        choices = choices * (nodes - at) as u128 / (at + 1) as u128;
        if choices > CHOICES_MAX {
            break;
        }
    }
    choices
}

/// In how many choices of failures something was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// Choices in which it was.
    pub lost: u64,
    /// Choices looked at.
    pub looked_at: u64,
    /// Whether these are all there are.
    pub is_exact: bool,
}

impl Loss {
    /// The probability, or its estimate.
    pub fn probability(&self) -> f64 {
        self.lost as f64 / self.looked_at as f64
    }

    /// Wilson's 95 % interval of an estimate.
    pub fn interval(&self) -> Option<(f64, f64)> {
        if self.is_exact {
            return None;
        }
        let (count, square) = (self.looked_at as f64, NORMAL * NORMAL);
        let (part, denominator) = (self.probability(), 1.0 + square / count);
        let middle = part + square / (2.0 * count);
        let spread = part * (1.0 - part) / count + square / (4.0 * count * count);
        let half = NORMAL * sqrt(spread);
        Some((((middle - half) / denominator).max(0.0), ((middle + half) / denominator).min(1.0)))
    }

    /// Both, of different sets: the mean over them.
    pub fn merge(self, other: Loss) -> Loss {
        Loss {
            lost: self.lost + other.lost,
            looked_at: self.looked_at + other.looked_at,
            is_exact: self.is_exact && other.is_exact,
        }
    }
}

/// What an ideal hash would give: keys whose copies are on nodes drawn anew for each key, all sets
/// of equal nodes alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdealSets {
    /// Keys.
    pub keys: u64,
    /// Copies of each.
    pub copies: usize,
    /// Nodes, of which there are not fewer.
    pub nodes: usize,
}

impl IdealSets {
    /// Mean number of others with which a node shares keys.
    pub fn partners(&self) -> f64 {
        let (copies, nodes) = (self.copies as f64, self.nodes as f64);
        if self.nodes < 2 {
            return 0.0;
        }
        let pair = copies * (copies - 1.0) / (nodes * (nodes - 1.0));
        (nodes - 1.0) * self.of_some_key(pair)
    }

    /// The chance that some key loses at least `quorum` of its copies when `down` nodes fail: each
    /// key does so on its own, by the hypergeometric law.
    pub fn loss(&self, quorum: usize, down: usize) -> f64 {
        let up = self.nodes - down;
        let least = quorum.max(self.copies.saturating_sub(up));
        let lost = (least..=self.copies.min(down)).map(|lost| {
            let kept = self.copies - lost;
            // C(down, lost) · C(up, kept) ÷ C(nodes, copies), a copy at a time.
            let [taken, left] = [(lost, down), (kept, up)].map(|(some, of)| {
                (0..some).map(|at| (of - at) as f64 / (at + 1) as f64).product::<f64>()
            });
            let all = (0..self.copies).map(|at| (self.nodes - at) as f64 / (at + 1) as f64);
            taken * left / all.product::<f64>()
        });
        self.of_some_key(lost.sum::<f64>().min(1.0))
    }

    /// The chance that what a key has with this probability some key has.
    fn of_some_key(&self, of_one: f64) -> f64 {
        if of_one >= 1.0 { 1.0 } else { 1.0 - exp(self.keys as f64 * ln_one_plus(-of_one)) }
    }
}

/// Looks for a set that lost a quorum.
struct Search<'a> {
    holders: &'a Holders,
    quorum: usize,
    /// By identity the sets that the node is an early member of, one behind the other: a set that
    /// loses a quorum of q loses one of its first R − q + 1 members.
    early: Vec<Vec<NodeId>>,
}

impl<'a> Search<'a> {
    fn new(holders: &'a Holders, quorum: usize, nodes: &[NodeId]) -> Self {
        let largest = nodes.iter().map(|node| node.index()).max().unwrap_or(0);
        let mut early = vec![Vec::new(); largest + 1];
        for set in holders.sets() {
            for node in &set[..=holders.copies - quorum] {
                early[node.index()].extend_from_slice(set);
            }
        }
        Search { holders, quorum, early }
    }

    /// Whether a set lost a quorum; `is_down` says the same as `down`, by identity.
    fn is_lost(&self, down: impl IntoIterator<Item = NodeId>, is_down: &[bool]) -> bool {
        let lost = |set: &[NodeId]| {
            set.iter().map(|node| usize::from(is_down[node.index()])).sum::<usize>() >= self.quorum
        };
        let mut sets = down.into_iter().map(|node| &self.early[node.index()]);
        sets.any(|sets| sets.chunks_exact(self.holders.copies).any(lost))
    }

    /// Every choice of so many nodes.
    fn all(&self, down: usize, nodes: &[NodeId]) -> Loss {
        let mut loss = Loss { lost: 0, looked_at: 0, is_exact: true };
        let mut is_down = vec![false; self.early.len()];
        let mut places: Vec<usize> = (0..down).collect();
        loop {
            places.iter().for_each(|place| is_down[nodes[*place].index()] = true);
            let is_lost = self.is_lost(places.iter().map(|place| nodes[*place]), &is_down);
            places.iter().for_each(|place| is_down[nodes[*place].index()] = false);
            loss.lost += u64::from(is_lost);
            loss.looked_at += 1;
            // The next choice: the last place that can move on does, those behind it follow.
            let room = |at: &usize| places[*at] < nodes.len() - down + at;
            let Some(at) = (0..down).rev().find(room) else { return loss };
            let next = places[at] + 1;
            (at..down).for_each(|behind| places[behind] = next + behind - at);
        }
    }

    /// Random choices.
    fn draws(&self, down: usize, nodes: &[NodeId]) -> Loss {
        let members: usize = self.early.iter().map(Vec::len).sum();
        let entries = members / self.holders.copies;
        let looks = down as f64 * (1.0 + entries as f64 / nodes.len() as f64);
        let draws = (LOOKS / looks).clamp(1e3, 1e5) as u64;
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(DRAW_SEED);
        let mut order = nodes.to_vec();
        let mut is_down = vec![false; self.early.len()];
        let mut loss = Loss { lost: 0, looked_at: draws, is_exact: false };
        for _ in 0..draws {
            for place in 0..down {
                let rest = (order.len() - place) as u128;
                let other = place + ((u128::from(generator.next_u64()) * rest) >> 64) as usize;
                order.swap(place, other);
            }
            let drawn = &order[..down];
            drawn.iter().for_each(|node| is_down[node.index()] = true);
            loss.lost += u64::from(self.is_lost(drawn.iter().copied(), &is_down));
            drawn.iter().for_each(|node| is_down[node.index()] = false);
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: impl IntoIterator<Item = u32>) -> Vec<NodeId> {
        numbers.into_iter().map(NodeId).collect()
    }

    /// {0, 1, 2} twice over and {2, 3, 4}, of six nodes.
    #[test]
    fn sets_by_hand() {
        let holders = Holders::new(3, &ids([2, 1, 0, 0, 1, 2, 4, 2, 3]));
        let nodes = ids(0..6);
        assert_eq!(holders.count(), 2);
        // Two partners each of 0, 1, 3, 4, four of 2, none of 5.
        assert_eq!(holders.partners(&nodes), 2.0);
        let part = |quorum, down| {
            let loss = holders.loss(quorum, down, &nodes);
            assert!(loss.is_exact && loss.interval().is_none());
            (loss.lost, loss.looked_at)
        };
        assert_eq!((part(3, 2), part(3, 3), part(2, 2)), ((0, 15), (2, 20), (6, 15)));
        // Of one node each key on it, of all nodes everything.
        assert_eq!((part(1, 1), part(3, 6), part(3, 0)), ((5, 6), (1, 1), (0, 1)));
        let apart = Holders::new(3, &ids([0, 1, 2])).merge(Holders::new(3, &ids([4, 3, 2])));
        assert_eq!(apart.members, holders.members);
    }

    /// One key on three of five nodes; all nodes; three keys on two of four of which one fails.
    #[test]
    fn ideal_sets_by_hand() {
        let one = IdealSets { keys: 1, copies: 3, nodes: 5 };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} for {b}");
        // Of ten pairs three are of the key: 4 · 0.3 partners.
        near(one.partners(), 1.2);
        // 3 of 10 choices of two nodes take two copies, 1 of 10 of three all.
        near(one.loss(2, 2), 0.3);
        near(one.loss(3, 3), 0.1);
        near(one.loss(3, 2), 0.0);
        near(one.loss(3, 5), 1.0);
        let three = IdealSets { keys: 3, copies: 2, nodes: 4 };
        near(three.loss(1, 1), 1.0 - 0.125);
        // Enough keys are on every set of nodes.
        near(IdealSets { keys: 1_000_000, copies: 3, nodes: 20 }.partners(), 19.0);
    }

    /// A random choice finds what all choices find.
    #[test]
    fn draws_estimate_what_all_choices_are() {
        let sets: Vec<NodeId> =
            (0..40).flat_map(|at| ids([at, (at + 3) % 40, (at + 7) % 40])).collect();
        let (holders, nodes) = (Holders::new(3, &sets), ids(0..40));
        for (quorum, down) in [(2, 3), (3, 3), (1, 2)] {
            let search = Search::new(&holders, quorum, &nodes);
            let [exact, drawn] = [search.all(down, &nodes), search.draws(down, &nodes)];
            let (low, high) = drawn.interval().unwrap();
            let probability = exact.probability();
            assert!(low <= probability && probability <= high, "{probability}: {low} to {high}");
        }
    }
}
