//! A question about the failures of a fleet, answered for contenders over all hash seeds.

use placelab_core::{CopyRule, DomainRule, HashSeed, NodeId, PlacementError, Roster, establish};
use placelab_metrics::failures::{Aftermath, Failures, summarise};
use placelab_metrics::loss::{IdealSets, Loss};
use placelab_results::{
    Cascade, FailureAnswer, FailureFigures, FailureKind, FailureQuestion, IdealRisks, LossRisk,
    Measure, fixed,
};

use super::{Capacity, Cascades, Keyset, Plan, Subject};
use crate::keys::KeySource;
use crate::scenario::ContenderRequest;

/// What is asked of each contender.
#[derive(Clone, Copy, Debug)]
pub struct Inquiry<'a> {
    /// A fleet that can hold the copies.
    pub roster: &'a Roster,
    /// Copies of each key.
    pub copies: CopyRule,
    /// What loads count.
    pub measure: Measure,
    /// How much each node can take.
    pub capacity: &'a Capacity,
    /// So many nodes fail at random, for losses; at most those of positive weight.
    pub down: u32,
    /// Hash seeds 0 … `seeds` − 1 are looked at.
    pub seeds: u32,
}

/// What one hash seed adds.
struct OfSeeds {
    peak: f64,
    overloaded: u64,
    partners: f64,
    /// Of every copy, and of a quorum.
    losses: [Loss; 2],
    cascades: Option<Cascades>,
    singles: Option<Failures>,
    pairs: Option<Failures>,
}

impl Inquiry<'_> {
    /// The question in results.
    pub fn question(&self, source: &KeySource) -> FailureQuestion {
        FailureQuestion {
            keys: source.len(),
            nodes: self.nodes(),
            replicas: self.copies.count as u32,
            zone_rule: self.copies.zones.name().into(),
            rack_rule: self.copies.racks.name().into(),
            seeds: self.seeds,
            measure: self.measure.name().into(),
            down: self.down,
            quorum: self.quorum() as u32,
            capacity: match self.capacity {
                Capacity::OwnLoad(factor) => Some(*factor),
                Capacity::Own(_) => None,
            },
            ideal: self.ideal(source.len()),
        }
    }

    /// What will be looked at of a contender at each seed.
    ///
    /// # Errors
    /// Why it cannot serve the fleet.
    pub fn plan(
        &self,
        contender: &ContenderRequest,
        source: &KeySource,
    ) -> Result<Plan, PlacementError> {
        self.with_subject(contender, source, 0, |subject| Ok(subject.plan(self.seeds)))
    }

    /// The figures of a contender.
    pub fn answer(&self, contender: &ContenderRequest, source: &KeySource) -> FailureAnswer {
        match self.figures(contender, source) {
            Ok(figures) => FailureAnswer::Found(Box::new(figures)),
            Err(error) => FailureAnswer::Refused { refusal: error.to_string() },
        }
    }

    fn figures(
        &self,
        contender: &ContenderRequest,
        source: &KeySource,
    ) -> Result<FailureFigures, PlacementError> {
        let of = |seed: u32| {
            self.with_subject(contender, source, seed, |subject| {
                let plan = subject.plan(self.seeds);
                Ok((self.look(&subject, &plan)?, plan))
            })
        };
        let (mut all, plan) = of(0)?;
        for seed in 1..self.seeds {
            all = all.merge(of(seed)?.0);
        }
        Ok(self.in_results(all, &plan))
    }

    /// One seed: its keys and placement are dropped before the next.
    fn with_subject<T>(
        &self,
        contender: &ContenderRequest,
        source: &KeySource,
        seed: u32,
        then: impl FnOnce(Subject<'_>) -> Result<T, PlacementError>,
    ) -> Result<T, PlacementError> {
        let ContenderRequest { spec, arguments, .. } = contender;
        let seed = HashSeed(seed.into());
        let placement = establish(spec, arguments, seed, self.roster.clone())?;
        let keys = Keyset::of(source, spec.reads, seed, self.measure);
        then(Subject::new(spec, placement.as_ref(), self.copies, keys)?)
    }

    fn look(&self, subject: &Subject<'_>, plan: &Plan) -> Result<OfSeeds, PlacementError> {
        let findings = subject.look(plan, self.capacity)?;
        let nodes = self.roster.serving_ids();
        let loss = |quorum| findings.holders.loss(quorum, self.down as usize, &nodes);
        Ok(OfSeeds {
            peak: findings.calm.peak(),
            overloaded: findings.calm.overloaded(),
            partners: findings.holders.partners(&nodes),
            losses: [loss(self.copies.count), loss(self.quorum())],
            cascades: subject.cascades(&findings, self.seeds),
            singles: summarise(&findings.singles),
            pairs: summarise(&findings.pairs),
        })
    }

    fn in_results(&self, all: OfSeeds, plan: &Plan) -> FailureFigures {
        let nodes = u64::from(self.nodes());
        let kinds = [(&all.singles, nodes), (&all.pairs, nodes * nodes.saturating_sub(1) / 2)];
        let [single, pair] = kinds.map(|(kind, of)| {
            kind.as_ref().map(|kind| self.kind(kind, of * u64::from(self.seeds)))
        });
        let [all_lost, quorum_lost] = all.losses.map(risk);
        FailureFigures {
            way: plan.way,
            refused: plan.nodes - plan.possible() as u64,
            refused_because: plan.refusal().map(ToString::to_string),
            max_over_mean: fixed(all.peak),
            overloaded: all.overloaded,
            single,
            pair,
            partners: fixed(all.partners / f64::from(self.seeds)),
            all_lost,
            quorum_lost,
            cascade: all.cascades.map(cascade),
        }
    }

    fn kind(&self, kind: &Failures, of: u64) -> FailureKind {
        let Aftermath { gone, worst, headroom, fair_after, .. } = &kind.worst;
        FailureKind {
            looked_at: kind.count,
            of,
            worst_failure: gone.iter().map(|node| self.name(*node)).collect(),
            worst_receiver: worst.map(|worst| self.name(worst.node)),
            load_before: worst.map(|worst| fixed(worst.before)),
            load_after: worst.map(|worst| fixed(worst.after)),
            headroom: fixed(*headroom),
            own_headroom: Some(kind.own_headroom).filter(|one| one.is_finite()).map(fixed),
            fair_after: fixed(*fair_after),
            receivers: fixed(kind.receivers),
            receivers_fewest: kind.receivers_fewest,
            survivors: fixed(kind.survivors),
            max_extra: fixed(kind.max_extra),
            max_extra_worst: fixed(kind.max_extra_worst),
        }
    }

    fn name(&self, node: NodeId) -> String {
        self.roster.get(node).expect("who fails was a member").name.as_str().into()
    }

    /// How many nodes can fail.
    fn nodes(&self) -> u32 {
        self.roster.serving().count() as u32
    }

    /// Copies that are more than half.
    fn quorum(&self) -> usize {
        self.copies.count / 2 + 1
    }

    /// What chance would give, where every set of nodes is as good as another.
    fn ideal(&self, keys: u64) -> Option<IdealRisks> {
        let CopyRule { count, zones, racks } = self.copies;
        let is_plain = zones == DomainRule::Ignore && racks == DomainRule::Ignore;
        let mut serving = self.roster.serving();
        let first = serving.next()?.weight;
        let is_equal = serving.all(|node| node.weight == first);
        let sets = IdealSets { keys, copies: count, nodes: self.nodes() as usize };
        let loss = |quorum| fixed(sets.loss(quorum, self.down as usize));
        (is_plain && is_equal).then(|| IdealRisks {
            partners: fixed(sets.partners()),
            all_lost: loss(count),
            quorum_lost: loss(self.quorum()),
        })
    }
}

fn risk(loss: Loss) -> LossRisk {
    let interval = loss.interval();
    LossRisk {
        probability: fixed(loss.probability()),
        low: interval.map(|(low, _)| fixed(low)),
        high: interval.map(|(_, high)| fixed(high)),
        exact: loss.is_exact,
    }
}

fn cascade(cascades: Cascades) -> Cascade {
    Cascade {
        failures: cascades.failures,
        spreading: fixed(cascades.spreading()),
        followed: cascades.followed,
        spread: cascades.spread,
        lost: fixed(cascades.lost_mean()),
        lost_most: cascades.lost_most,
    }
}

impl OfSeeds {
    fn merge(self, other: OfSeeds) -> OfSeeds {
        let ([a, b], [c, d]) = (self.losses, other.losses);
        OfSeeds {
            peak: self.peak.max(other.peak),
            overloaded: self.overloaded.max(other.overloaded),
            partners: self.partners + other.partners,
            losses: [a.merge(c), b.merge(d)],
            cascades: both(self.cascades, other.cascades, Cascades::merge),
            singles: both(self.singles, other.singles, Failures::merge),
            pairs: both(self.pairs, other.pairs, Failures::merge),
        }
    }
}

fn both<T>(one: Option<T>, other: Option<T>, merge: fn(T, T) -> T) -> Option<T> {
    one.into_iter().chain(other).reduce(merge)
}
