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
    let shares = level(copies, nodes, rooms, domain_most);
    let mut targets: Vec<u64> = shares
        .iter()
        .zip(rooms)
        .map(|(share, room)| (share.floor() as u64).clamp(room.least, room.most))
        .collect();
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    let remainder = |at: usize| shares[at] - targets[at] as f64;
    order.sort_by(|a, b| remainder(*b).total_cmp(&remainder(*a)).then(a.cmp(b)));
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

/// Shares at the highest level of load over weight at which they sum to the copies.
fn level(copies: u64, nodes: &[&Node], rooms: &[Room], domain_most: Option<u64>) -> Vec<f64> {
    let weights: Vec<f64> = nodes.iter().map(|node| node.weight.micros() as f64).collect();
    let at = |level: f64| {
        let share = |(weight, room): (&f64, &Room)| {
            (level * weight).clamp(room.least as f64, room.most.max(room.least) as f64)
        };
        let mut shares: Vec<f64> = weights.iter().zip(rooms).map(share).collect();
        if let Some(most) = domain_most {
            crop(&mut shares, rooms, most as f64);
        }
        shares
    };
    let sum = |level: f64| at(level).iter().sum::<f64>();
    let total: f64 = weights.iter().sum();
    let (mut low, mut high) = (0.0, copies as f64 / total);
    while sum(high) < copies as f64 && high < 1e18 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if sum(middle) < copies as f64 { low = middle } else { high = middle }
    }
    at(high)
}

/// Scales down the shares of domains that would hold more than they can.
fn crop(shares: &mut [f64], rooms: &[Room], most: f64) {
    let mut held = vec![0.0; rooms.iter().map(|room| room.domain + 1).max().unwrap_or(0)];
    rooms.iter().zip(shares.iter()).for_each(|(room, share)| held[room.domain] += share);
    for (share, room) in shares.iter_mut().zip(rooms) {
        if held[room.domain] > most {
            *share *= most / held[room.domain];
        }
    }
}
