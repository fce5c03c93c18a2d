//! How many copies each node should hold.

use placelab_core::Node;

/// Bounds of one node.
pub(super) struct Room {
    /// What it must hold at least.
    pub least: u64,
    /// What it can hold at most.
    pub most: u64,
    /// The number of its failure domain.
    pub domain: usize,
}

/// Copies in proportion to the weights by largest remainder, as far as the bounds of nodes and of
/// their domains allow; nodes are in name order, which breaks ties. Less than `copies` together
/// where no more fit.
pub(super) fn targets(
    copies: u64,
    nodes: &[&Node],
    rooms: &[Room],
    domain_most: Option<u64>,
) -> Vec<u64> {
    let shares = Fleet::new(nodes, rooms, domain_most).shares(copies as f64);
    let whole = |(share, room): (&f64, &Room)| {
        // What bisection leaves below a whole number is one.
        ((share + 1e-6).floor() as u64).clamp(room.least, room.most)
    };
    let mut targets: Vec<u64> = shares.iter().zip(rooms).map(whole).collect();
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    let remainder = |at: usize| ((shares[at] - targets[at] as f64) * 1e6).round() as i64;
    order.sort_by_key(|at| (std::cmp::Reverse(remainder(*at)), *at));
    let mut left = copies.saturating_sub(targets.iter().sum());
    let domains = rooms.iter().map(|room| room.domain + 1).max().unwrap_or(0);
    let mut held = vec![0; domains];
    rooms.iter().zip(&targets).for_each(|(room, target)| held[room.domain] += target);
    // Rounding leaves less than one each; a second turn gives what full nodes could not take.
    while left > 0 {
        let before = left;
        for &at in &order {
            let room = &rooms[at];
            let fits =
                targets[at] < room.most && domain_most.is_none_or(|most| held[room.domain] < most);
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

/// Nodes by domain, to be filled to a level of load over weight.
struct Fleet<'a> {
    /// Of each domain its nodes: place, weight and bounds.
    domains: Vec<Vec<(usize, f64, &'a Room)>>,
    domain_most: f64,
    nodes: usize,
}

impl<'a> Fleet<'a> {
    fn new(nodes: &[&Node], rooms: &'a [Room], domain_most: Option<u64>) -> Self {
        let count = rooms.iter().map(|room| room.domain + 1).max().unwrap_or(0);
        let mut domains = vec![Vec::new(); count];
        for (at, (node, room)) in nodes.iter().zip(rooms).enumerate() {
            domains[room.domain].push((at, node.weight.micros() as f64, room));
        }
        let domain_most = domain_most.map_or(f64::INFINITY, |most| most as f64);
        Fleet { domains, domain_most, nodes: nodes.len() }
    }

    /// Shares that sum to so much, or to all that fits.
    fn shares(&self, copies: f64) -> Vec<f64> {
        let sum = |level: f64| self.domains.iter().map(|one| self.held(one, level)).sum::<f64>();
        let level = level_of(copies, sum);
        let mut shares = vec![0.0; self.nodes];
        for domain in &self.domains {
            // A domain that is full stays at the level at which it is.
            let own = match self.held(domain, level) < self.domain_most {
                true => level,
                false => level.min(level_of(self.domain_most, |level| filled(domain, level))),
            };
            for (at, weight, room) in domain {
                shares[*at] = share(*weight, room, own);
            }
        }
        shares
    }

    fn held(&self, domain: &[(usize, f64, &Room)], level: f64) -> f64 {
        filled(domain, level).min(self.domain_most)
    }
}

fn share(weight: f64, room: &Room, level: f64) -> f64 {
    (level * weight).clamp(room.least as f64, room.most.max(room.least) as f64)
}

fn filled(domain: &[(usize, f64, &Room)], level: f64) -> f64 {
    domain.iter().map(|(_, weight, room)| share(*weight, room, level)).sum()
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
    use super::*;
    use crate::fixtures::weighted;

    /// Targets of nodes of these weights in these domains.
    fn of(weights: &[u32], domains: &[usize], copies: u64, domain_most: Option<u64>) -> Vec<u64> {
        let roster = weighted(weights);
        let nodes: Vec<&Node> = roster.nodes().iter().collect();
        let room = |domain: &usize| Room { least: 0, most: 1 << 20, domain: *domain };
        let rooms: Vec<Room> = domains.iter().map(room).collect();
        targets(copies, &nodes, &rooms, domain_most)
    }

    #[test]
    fn targets_are_in_proportion_within_full_domains_too() {
        assert_eq!(of(&[1, 2, 3], &[0, 1, 2], 1_024, None), [171, 341, 512]);
        // As many copies as zones: each zone has every shard once, by weight within it.
        let two = of(&[3, 5, 8, 8, 2, 8], &[0, 1, 0, 1, 0, 1], 2_048, Some(1_024));
        assert_eq!(two, [236, 244, 630, 390, 158, 390]);
        let steep = of(&[10, 1, 1, 1], &[0, 0, 1, 1], 200, Some(100));
        assert_eq!(steep, [91, 9, 50, 50]);
        // The large zone is full; what it cannot have goes to the others.
        assert_eq!(of(&[6, 1, 1], &[0, 1, 2], 200, Some(100)), [100, 50, 50]);
        assert_eq!(of(&[1, 1], &[0, 1], 300, Some(100)), [100, 100], "no more fits");
    }

    #[test]
    fn bounds_are_kept() {
        let roster = weighted(&[1, 1, 1]);
        let nodes: Vec<&Node> = roster.nodes().iter().collect();
        let rooms = [(50, 60), (0, 10), (0, 100)];
        let rooms = rooms.map(|(least, most)| Room { least, most, domain: 0 });
        assert_eq!(targets(90, &nodes, &rooms, None), [50, 10, 30]);
    }
}
