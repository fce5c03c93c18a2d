//! Who takes the next turn: how Maglev's table counts weights.
//!
//! The paper leaves its weighting open, and each product has its own. A rule is an endless
//! sequence of nodes that take turns; what a turn does is the same under all of them.
//!
//! Katran's second version: in each round every node earns its weight, and takes a turn and pays
//! the largest weight once it has earned that. Envoy: weights are parts of their sum, and in
//! iteration t a node takes a turn where t times its weight has reached its target, which starts
//! at 0 and grows by the largest weight with each turn; so everybody has a turn in the first
//! iteration, however light. IPVS: in each round a node takes as many turns in a row as its
//! weight over the greatest common divisor, cut to 6 bits and at least 1.
//!
//! Not copied, but held to in the tests: Katran's first version counts weights in the first round
//! alone, so that 1:100 fills a table 50:50; Cilium ignores weights unless their mean is 2.

use std::collections::BTreeMap;

use super::Turns;
use super::claims::claimed;
use crate::range_hash::greatest_common;

/// The rules, by their names as parameters.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    KatranV2,
    Envoy,
    /// Turns in a row, as IPVS has it.
    Turns,
}

impl Rule {
    /// The values of the parameter.
    pub(super) const NAMES: &'static [&'static str] = &["katran-v2", "envoy", "turns"];

    /// The rule of a name.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "envoy" => Rule::Envoy,
            "turns" => Rule::Turns,
            _ => Rule::KatranV2,
        }
    }

    /// The table of `size` slots. Panics where no node has a positive weight.
    ///
    /// Equal nodes take their turns one after the other, whatever the rule.
    pub(super) fn populate(self, size: u32, nodes: &[Turns]) -> Vec<u32> {
        assert!(nodes.iter().any(|node| node.weight > 0), "somebody has a positive weight");
        match self {
            _ if are_alike(nodes) => claimed(size, nodes, weighty(nodes).cycle()),
            Rule::KatranV2 => claimed(size, nodes, katran_v2(nodes)),
            Rule::Envoy => claimed(size, nodes, envoy(nodes)),
            Rule::Turns => claimed(size, nodes, in_a_row(nodes)),
        }
    }

    /// Who has each turn, for as long as anybody asks; indices into `nodes`.
    pub(super) fn order(self, nodes: &[Turns]) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            _ if are_alike(nodes) => Box::new(weighty(nodes).cycle()),
            Rule::KatranV2 => Box::new(katran_v2(nodes)),
            Rule::Envoy => Box::new(envoy(nodes)),
            Rule::Turns => Box::new(in_a_row(nodes)),
        }
    }
}

/// The nodes that take turns.
fn weighty(nodes: &[Turns]) -> impl Iterator<Item = u32> + Clone {
    (0..).zip(nodes).filter(|(_, node)| node.weight > 0).map(|(index, _)| index)
}

/// Whether all of them have one weight.
fn are_alike(nodes: &[Turns]) -> bool {
    let heaviest = heaviest(nodes);
    nodes.iter().all(|node| node.weight == 0 || node.weight == heaviest)
}

fn katran_v2(nodes: &[Turns]) -> impl Iterator<Item = u32> {
    let heaviest = heaviest(nodes);
    // What each node keeps of its earnings after its last turn.
    let mut kept = vec![0; nodes.len()];
    Rounds::new(nodes, move |index, round| {
        let (weight, kept) = (nodes[index as usize].weight, &mut kept[index as usize]);
        let rounds = (heaviest - *kept).div_ceil(weight);
        *kept = *kept + rounds * weight - heaviest;
        round.saturating_add(rounds)
    })
}

/// Envoy's arithmetic is that of doubles, and a product that is rounded down puts a turn off: so
/// ours is, too. It adds, multiplies and divides, which have the same bits everywhere.
fn envoy(nodes: &[Turns]) -> impl Iterator<Item = u32> {
    let sum: u128 = nodes.iter().map(|node| u128::from(node.weight)).sum();
    let part = move |weight: u64| weight as f64 / sum as f64;
    let largest = part(heaviest(nodes));
    let mut targets = vec![0.0; nodes.len()];
    Rounds::new(nodes, move |index, round| {
        let (part, target) = (part(nodes[index as usize].weight), &mut targets[index as usize]);
        let has_reached = |iteration: u64| iteration as f64 * part >= *target;
        let mut iteration = ((*target / part) as u64).max(round + 1);
        while iteration > round + 1 && has_reached(iteration - 1) {
            iteration -= 1;
        }
        while !has_reached(iteration) {
            iteration += 1;
        }
        *target += largest;
        iteration
    })
}

fn in_a_row(nodes: &[Turns]) -> impl Iterator<Item = u32> {
    /// Bits of the most turns in a row.
    const BITS_MAX: u32 = 6;
    let divisor = nodes.iter().fold(0, |divisor, node| greatest_common(divisor, node.weight));
    let bits = u64::BITS - (heaviest(nodes) / divisor).leading_zeros();
    let shift = bits.saturating_sub(BITS_MAX);
    let turns = move |(index, node): (u32, &Turns)| {
        let turns = match node.weight {
            0 => 0,
            weight => ((weight / divisor) >> shift).max(1),
        };
        std::iter::repeat_n(index, turns as usize)
    };
    let round: Vec<u32> = (0..).zip(nodes).flat_map(turns).collect();
    (0..).map(move |turn| round[turn % round.len()])
}

fn heaviest(nodes: &[Turns]) -> u64 {
    nodes.iter().map(|node| node.weight).max().unwrap_or(0)
}

/// Turns by rounds, within a round in the order of the nodes. Rounds in which nobody takes one are
/// never looked at, so that one heavy node among thousands of light ones costs no more than equal
/// ones.
struct Rounds<F> {
    /// The round of a node's next turn, after its turn in a round; first asked for round 0.
    after: F,
    /// Nodes by the round of their next turn.
    due: BTreeMap<u64, Vec<u32>>,
    /// Who has yet to take a turn in this round.
    takers: std::vec::IntoIter<u32>,
}

impl<F: FnMut(u32, u64) -> u64> Rounds<F> {
    fn new(nodes: &[Turns], after: F) -> Self {
        let mut rounds = Rounds { after, due: BTreeMap::new(), takers: Vec::new().into_iter() };
        weighty(nodes).for_each(|index| rounds.put_off(index, 0));
        rounds
    }

    fn put_off(&mut self, index: u32, round: u64) {
        self.due.entry((self.after)(index, round)).or_default().push(index);
    }
}

impl<F: FnMut(u32, u64) -> u64> Iterator for Rounds<F> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.takers.len() == 0 {
            let (round, mut takers) = self.due.pop_first()?;
            takers.sort_unstable();
            takers.iter().for_each(|&index| self.put_off(index, round));
            self.takers = takers.into_iter();
        }
        self.takers.next()
    }
}

#[cfg(test)]
mod tests;
