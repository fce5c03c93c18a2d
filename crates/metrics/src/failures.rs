//! What a failure leaves behind: who receives the load of nodes that went, and how full it makes
//! them.

use placelab_core::{NodeId, Roster};

use crate::movement::weights_by_id;

/// A fleet before anybody fails; everything by identity.
#[derive(Clone, Debug)]
pub struct Calm {
    /// Who has a positive weight.
    serving: Vec<NodeId>,
    /// Weights in micro-units; 0 where there is no node.
    weights: Vec<u64>,
    /// Copies of keys, or numerators of exact shares.
    loads: Vec<u128>,
    /// What each node can take, in the unit of the loads.
    capacity: Vec<f64>,
    total_weight: f64,
    total_load: f64,
}

impl Calm {
    /// The loads of the nodes of a roster, whose identities are below their number, and what each
    /// node can take.
    pub fn new(roster: &Roster, loads: Vec<u128>, capacity: Vec<f64>) -> Self {
        Calm {
            serving: roster.serving_ids(),
            weights: weights_by_id(roster, loads.len()),
            total_weight: roster.total_weight() as f64,
            total_load: loads.iter().sum::<u128>() as f64,
            loads,
            capacity,
        }
    }

    /// The loads by identity.
    pub fn loads(&self) -> &[u128] {
        &self.loads
    }

    /// What each node can take, by identity.
    pub fn capacity(&self) -> &[f64] {
        &self.capacity
    }

    /// How many nodes have more than they can take although everybody is up.
    pub fn overloaded(&self) -> u64 {
        let is_over = |node: &&NodeId| self.is_over(**node, self.loads[node.index()]);
        self.serving.iter().filter(is_over).count() as u64
    }

    fn is_over(&self, node: NodeId, load: u128) -> bool {
        load as f64 > self.capacity[node.index()]
    }

    /// The largest load over its fair part.
    pub fn peak(&self) -> f64 {
        let ratios =
            self.serving.iter().map(|node| self.over_fair(*node, self.loads[node.index()]));
        ratios.fold(0.0, f64::max)
    }

    /// A load over what the node should have of the whole by its weight, everybody being up.
    fn over_fair(&self, node: NodeId, load: u128) -> f64 {
        let fair = self.total_load * self.weights[node.index()] as f64 / self.total_weight;
        if fair > 0.0 { load as f64 / fair } else { 0.0 }
    }

    /// What became of the fleet: loads after some nodes went, and what of them each other node
    /// received.
    pub fn aftermath(
        &self,
        gone: Vec<NodeId>,
        after: impl Fn(NodeId) -> u128,
        received: impl Fn(NodeId) -> u128,
    ) -> Aftermath {
        let weight = |node: NodeId| self.weights[node.index()] as f64;
        let survivors: Vec<NodeId> =
            self.serving.iter().copied().filter(|node| !gone.contains(node)).collect();
        let moved = survivors.iter().map(|node| received(*node)).sum::<u128>() as f64;
        let survivors_weight: f64 = survivors.iter().map(|node| weight(*node)).sum();
        let mut aftermath = Aftermath {
            survivors: survivors.len() as u64,
            receivers: 0,
            max_extra: 0.0,
            worst: None,
            headroom: 0.0,
            own_headroom: 1.0,
            overloaded: 0,
            fair_after: self.total_weight / survivors_weight,
            gone,
        };
        for node in survivors {
            let (before, after, part) = (self.loads[node.index()], after(node), received(node));
            aftermath.headroom = aftermath.headroom.max(self.over_fair(node, after));
            aftermath.overloaded += u64::from(self.is_over(node, after));
            if after > before {
                // Without a load of its own a node holds nothing, whatever the factor.
                aftermath.own_headroom = aftermath.own_headroom.max(after as f64 / before as f64);
            }
            if part > 0 {
                aftermath.receivers += 1;
                let extra = part as f64 / moved * survivors_weight / weight(node);
                aftermath.max_extra = aftermath.max_extra.max(extra);
                let [before, after] = [before, after].map(|load| self.over_fair(node, load));
                if aftermath.worst.is_none_or(|worst| after > worst.after) {
                    aftermath.worst = Some(Receiver { node, before, after });
                }
            }
        }
        aftermath
    }
}

/// A node that received something, with its load over its fair part; fair is what it should have
/// while everybody is up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Receiver {
    /// The node.
    pub node: NodeId,
    /// Before the failure.
    pub before: f64,
    /// After it.
    pub after: f64,
}

/// What one failure leaves behind.
#[derive(Clone, PartialEq, Debug)]
pub struct Aftermath {
    /// Who failed.
    pub gone: Vec<NodeId>,
    /// Other nodes of positive weight.
    pub survivors: u64,
    /// Survivors that receive something of what the nodes had.
    pub receivers: u64,
    /// Largest receiver's part of it over its fair part by weight; 0 where they had nothing.
    pub max_extra: f64,
    /// The receiver whose load over its fair part is then the largest.
    pub worst: Option<Receiver>,
    /// Largest load afterwards over the fair part with everybody up: the capacity, in fair
    /// parts, that a node needs.
    pub headroom: f64,
    /// Largest load afterwards over the same node's load before: the capacity, in loads of its
    /// own, that a node needs. Infinite where a node without load receives something.
    pub own_headroom: f64,
    /// Survivors that then have more than they can take.
    pub overloaded: u64,
    /// What every headroom would be if the survivors shared everything by weight.
    pub fair_after: f64,
}

/// Many failures of one kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Failures {
    /// How many were looked at.
    pub count: u64,
    /// The one of the largest headroom.
    pub worst: Aftermath,
    /// Mean number of receivers.
    pub receivers: f64,
    /// Fewest receivers.
    pub receivers_fewest: u64,
    /// Mean number of survivors.
    pub survivors: f64,
    /// Mean of the largest receivers' parts over their fair ones.
    pub max_extra: f64,
    /// The largest of them.
    pub max_extra_worst: f64,
    /// The largest headroom over a node's own load.
    pub own_headroom: f64,
}

impl Failures {
    /// Both together.
    pub fn merge(self, other: Failures) -> Failures {
        let count = self.count + other.count;
        let mean = |figure: fn(&Failures) -> f64| {
            let sums = [&self, &other].map(|one| figure(one) * one.count as f64);
            (sums[0] + sums[1]) / count as f64
        };
        Failures {
            count,
            receivers: mean(|one| one.receivers),
            receivers_fewest: self.receivers_fewest.min(other.receivers_fewest),
            survivors: mean(|one| one.survivors),
            max_extra: mean(|one| one.max_extra),
            max_extra_worst: self.max_extra_worst.max(other.max_extra_worst),
            own_headroom: self.own_headroom.max(other.own_headroom),
            worst: if other.worst.headroom > self.worst.headroom {
                other.worst
            } else {
                self.worst
            },
        }
    }
}

/// What many failures have in common; nothing where there is none.
pub fn summarise(all: &[Aftermath]) -> Option<Failures> {
    let worst = all.iter().reduce(|a, b| if b.headroom > a.headroom { b } else { a })?;
    let count = all.len() as f64;
    let mean = |figure: fn(&Aftermath) -> f64| all.iter().map(figure).sum::<f64>() / count;
    let largest = |figure: fn(&Aftermath) -> f64| all.iter().map(figure).fold(0.0, f64::max);
    Some(Failures {
        count: all.len() as u64,
        worst: worst.clone(),
        receivers: mean(|one| one.receivers as f64),
        receivers_fewest: all.iter().map(|one| one.receivers).min()?,
        survivors: mean(|one| one.survivors as f64),
        max_extra: mean(|one| one.max_extra),
        max_extra_worst: largest(|one| one.max_extra),
        own_headroom: largest(|one| one.own_headroom),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four equal nodes with 10, 10, 20 and 0; the third goes: 15 of its load to the first, 5 to
    /// the last.
    #[test]
    fn an_aftermath_by_hand() {
        let capacity = vec![15.0, 10.0, 19.0, f64::INFINITY];
        let calm = Calm::new(&Roster::numbered(4).unwrap(), vec![10, 10, 20, 0], capacity);
        assert_eq!((calm.peak(), calm.overloaded()), (2.0, 1));
        let received = |node: NodeId| [15, 0, 0, 5][node.index()];
        let after = |node: NodeId| [25, 10, 0, 5][node.index()];
        let one = calm.aftermath(vec![NodeId(2)], after, received);
        let worst = Receiver { node: NodeId(0), before: 1.0, after: 2.5 };
        assert_eq!((one.survivors, one.receivers, one.worst), (3, 2, Some(worst)));
        assert_eq!((one.max_extra, one.headroom, one.fair_after), (2.25, 2.5, 4.0 / 3.0));
        assert_eq!((one.own_headroom, one.overloaded), (f64::INFINITY, 1));
        let idle = calm.aftermath(vec![NodeId(3)], |node| calm.loads()[node.index()], |_| 0);
        assert_eq!((idle.receivers, idle.max_extra, idle.worst), (0, 0.0, None));
        assert_eq!((idle.headroom, idle.own_headroom), (2.0, 1.0));
        let both = summarise(&[idle.clone(), one.clone()]).unwrap();
        assert_eq!((both.count, both.receivers, both.receivers_fewest), (2, 1.0, 0));
        assert_eq!(both.worst, one);
        let apart = [&idle, &one].map(|each| summarise(std::slice::from_ref(each)).unwrap());
        assert_eq!(apart.into_iter().reduce(Failures::merge).unwrap(), both);
        assert_eq!(summarise(&[]), None);
    }
}
