//! How many copies each node should hold.

use std::collections::{BTreeMap, BTreeSet};

use super::solve::{Allowance, Solver};
use crate::owner_table::largest_remainder;

impl Solver<'_> {
    /// In proportion to the weights, given what nodes hold already and can never give up. Where
    /// shards are kept to nodes that would have less than those shards need, these nodes share them
    /// and the others what is left.
    pub(super) fn set_targets(&mut self) {
        let mut kept = vec![0; self.allowances.len()];
        self.units.iter().for_each(|unit| kept[unit.allowance] += unit.size());
        let copies = self.copies as u64;
        let mut rooms: Vec<Room> = (0..self.nodes.len()).map(|node| self.room(node)).collect();
        let shards = self.shards.len() as u64;
        let most = self.most_of_domains(&kept);
        let mut all = targets(shards * copies, &rooms, &most);
        for (allowance, kept) in self.allowances.iter().zip(kept) {
            if self.is_short(allowance, kept, &all) {
                let here = || allowance.nodes.iter().map(|node| *node as usize);
                let own: Vec<Room> = here().map(|node| self.room(node)).collect();
                let own = targets(kept * copies, &own, &vec![kept; most.len()]);
                for (node, own) in here().zip(own) {
                    rooms[node].least = rooms[node].least.max(own);
                }
                all = targets(shards * copies, &rooms, &most);
            }
        }
        self.targets = all;
    }

    fn room(&self, node: usize) -> Room {
        Room {
            weight: self.nodes[node].weight.micros(),
            least: self.loads[node],
            most: self.most[node].min(self.shards.len() as u64),
            domain: self.domains[node],
        }
    }

    /// How many shards may be in each failure domain, of which each has one copy there: by how many
    /// there are of each allowance.
    fn most_of_domains(&self, kept: &[u64]) -> Vec<u64> {
        let count = self.domains.iter().max().map_or(0, |last| last + 1);
        let mut most = vec![0; count];
        for (allowance, kept) in self.allowances.iter().zip(kept) {
            self.domains_of(allowance).into_iter().for_each(|domain| most[domain] += kept);
        }
        most
    }

    fn domains_of(&self, allowance: &Allowance) -> BTreeSet<usize> {
        allowance.nodes.iter().map(|node| self.domains[*node as usize]).collect()
    }

    /// Whether targets leave too little on the nodes of an allowance for so many shards: on all of
    /// them, or in a domain that must have copies because there are few others.
    fn is_short(&self, allowance: &Allowance, kept: u64, targets: &[u64]) -> bool {
        let mut shares = BTreeMap::new();
        for node in &allowance.nodes {
            let node = *node as usize;
            *shares.entry(self.domains[node]).or_insert(0) += targets[node];
        }
        let in_each = (self.copies + 1).saturating_sub(shares.len()) as u64 * kept;
        shares.values().sum::<u64>() < kept * self.copies as u64
            || shares.values().any(|share| *share < in_each)
    }
}

/// Weight and bounds of one node.
struct Room {
    /// Its weight in micro-units.
    weight: u64,
    /// What it must hold at least.
    least: u64,
    /// What it can hold at most.
    most: u64,
    /// The number of its failure domain.
    domain: usize,
}

/// Copies in proportion to the weights by largest remainder, as far as the bounds of nodes and of
/// their domains, by number, allow; nodes are in name order, which breaks ties. Less than `copies`
/// together where no more fit.
fn targets(copies: u64, rooms: &[Room], domain_most: &[u64]) -> Vec<u64> {
    let parts: Vec<u64> = rooms.iter().map(|room| room.weight).collect();
    let exact = largest_remainder(copies, &parts);
    if within(&exact, rooms, domain_most) {
        return exact;
    }
    let shares = Fleet::new(rooms, domain_most).shares(copies as f64);
    let whole = |(share, room): (&f64, &Room)| {
        // What bisection leaves below a whole number is one.
        ((share + 1e-6).floor() as u64).clamp(room.least, room.most)
    };
    let mut targets: Vec<u64> = shares.iter().zip(rooms).map(whole).collect();
    let mut order: Vec<usize> = (0..rooms.len()).collect();
    let remainder = |at: usize| ((shares[at] - targets[at] as f64) * 1e6).round() as i64;
    order.sort_by_key(|at| (std::cmp::Reverse(remainder(*at)), *at));
    let mut left = copies.saturating_sub(targets.iter().sum());
    let mut held = vec![0; domain_most.len()];
    rooms.iter().zip(&targets).for_each(|(room, target)| held[room.domain] += target);
    // Rounding leaves less than one each; a second turn gives what full nodes could not take.
    while left > 0 {
        let before = left;
        for &at in &order {
            let room = &rooms[at];
            let fits = targets[at] < room.most && held[room.domain] < domain_most[room.domain];
            if left > 0 && fits {
                targets[at] += 1;
                held[room.domain] += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    targets
}

/// Whether targets are what nodes and domains can hold.
fn within(targets: &[u64], rooms: &[Room], domain_most: &[u64]) -> bool {
    let fits = |(target, room): (&u64, &Room)| (room.least..=room.most).contains(target);
    let mut left = domain_most.to_vec();
    let mut has_room = |(target, room): (&u64, &Room)| {
        let fits = *target <= left[room.domain];
        left[room.domain] = left[room.domain].saturating_sub(*target);
        fits
    };
    targets.iter().zip(rooms).all(|one| fits(one) && has_room(one))
}

/// Nodes by domain, to be filled to a level of load over weight.
struct Fleet<'a> {
    /// Of each domain its nodes, with their places.
    domains: Vec<Vec<(usize, &'a Room)>>,
    /// What each domain can hold.
    domain_most: &'a [u64],
    nodes: usize,
}

impl<'a> Fleet<'a> {
    fn new(rooms: &'a [Room], domain_most: &'a [u64]) -> Self {
        let mut domains = vec![Vec::new(); domain_most.len()];
        for (at, room) in rooms.iter().enumerate() {
            domains[room.domain].push((at, room));
        }
        Fleet { domains, domain_most, nodes: rooms.len() }
    }

    /// Shares that sum to so much, or to all that fits.
    fn shares(&self, copies: f64) -> Vec<f64> {
        let domains = || self.domains.iter().zip(self.domain_most);
        let sum = |level: f64| {
            domains().map(|(domain, most)| filled(domain, level).min(*most as f64)).sum::<f64>()
        };
        let level = level_of(copies, sum);
        let mut shares = vec![0.0; self.nodes];
        for (domain, most) in domains() {
            // A domain that is full stays at the level at which it is.
            let own = match filled(domain, level) < *most as f64 {
                true => level,
                false => level.min(level_of(*most as f64, |level| filled(domain, level))),
            };
            for (at, room) in domain {
                shares[*at] = share(room, own);
            }
        }
        shares
    }
}

fn share(room: &Room, level: f64) -> f64 {
    (level * room.weight as f64).clamp(room.least as f64, room.most.max(room.least) as f64)
}

fn filled(domain: &[(usize, &Room)], level: f64) -> f64 {
    domain.iter().map(|(_, room)| share(room, level)).sum()
}

/// The lowest level at which a sum that rises with it reaches so much, to a part in a billion; a
/// very high one where it never does. Weights are 1 to 10^15.
fn level_of(copies: f64, sum: impl Fn(f64) -> f64) -> f64 {
    const HIGHEST: f64 = 1e12;
    let aim = copies * (1.0 - 1e-12);
    let (mut low, mut high) = (0.0, 1e-15);
    while sum(high) < aim && high < HIGHEST {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if sum(middle) < aim { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use placelab_core::Weight;

    use super::*;

    /// Targets of nodes of these weights in these domains.
    fn of(weights: &[u32], domains: &[usize], copies: u64, domain_most: u64) -> Vec<u64> {
        let room = |(weight, domain): (&u32, &usize)| Room {
            weight: Weight::units(*weight).micros(),
            least: 0,
            most: 1 << 20,
            domain: *domain,
        };
        let rooms: Vec<Room> = weights.iter().zip(domains).map(room).collect();
        targets(copies, &rooms, &[domain_most; 3])
    }

    #[test]
    fn targets_are_in_proportion_within_full_domains_too() {
        assert_eq!(of(&[1, 2, 3], &[0, 1, 2], 1_024, 1_024), [171, 341, 512]);
        // As many copies as zones: each zone has every shard once, by weight within it.
        let two = of(&[3, 5, 8, 8, 2, 8], &[0, 1, 0, 1, 0, 1], 2_048, 1_024);
        assert_eq!(two, [236, 244, 630, 390, 158, 390]);
        let steep = of(&[10, 1, 1, 1], &[0, 0, 1, 1], 200, 100);
        assert_eq!(steep, [91, 9, 50, 50]);
        // The large zone is full; what it cannot have goes to the others.
        assert_eq!(of(&[6, 1, 1], &[0, 1, 2], 200, 100), [100, 50, 50]);
        assert_eq!(of(&[1, 1], &[0, 1], 300, 100), [100, 100], "no more fits");
    }

    #[test]
    fn bounds_are_kept() {
        let rooms = [(50, 60), (0, 10), (0, 100)];
        let rooms = rooms.map(|(least, most)| Room { weight: 1, least, most, domain: 0 });
        assert_eq!(targets(90, &rooms, &[90]), [50, 10, 30]);
    }
}
