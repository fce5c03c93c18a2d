//! A contest: every node of positive weight scores for a key, and the highest score wins.
//!
//! The shape of the rendezvous family; each member is a [`Score`]. Entrants stand in name order,
//! so a contest does not depend on history, and "the first of equals wins" is the rule that ties
//! go by name bytes. Cost: N scores a lookup; the first k candidates O(N + k log N).
//!
//! A score may know quicker ways to the same winners. Several memberships cost little more than
//! one: while its holder stays, a key goes to the better one of the holder and the best of those
//! who came, and only keys whose holder went are contested anew.

use std::any::Any;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;
use std::ops::ControlFlow;

use placelab_core::{
    Anatomy, Change, Footprint, HashSeed, Key, KeyHash, Keys, Node, NodeId, Placement,
    PlacementError, Roster, Scheme, Step, Trace,
};

use crate::range_hash::{bytes_of, trimmed};

/// How an entrant scores for a key.
pub(crate) trait Score: Clone + Send + Sync + 'static {
    /// What of a node a score reads.
    type Entrant: Clone + PartialEq + Send + Sync;
    /// Greater wins.
    type Value: Ord + Copy;

    /// What is made of a node once.
    fn entrant(seed: HashSeed, node: &Node) -> Self::Entrant;

    /// The score of a pair.
    fn score(seed: HashSeed, key: Key<'_>, entrant: &Self::Entrant) -> Self::Value;

    /// A score as a trace shows it.
    fn shown(value: Self::Value) -> u64;

    /// The place of the winner: of the greatest score the first.
    #[inline]
    fn first(seed: HashSeed, key: Key<'_>, entrants: &[Self::Entrant]) -> usize {
        leader(entrants.iter().map(|entrant| Self::score(seed, key, entrant)), |_, _| ())
    }

    /// The places of the winners of a batch, `places` being as long as that.
    fn leaders(seed: HashSeed, keys: Keys<'_>, entrants: &[Self::Entrant], places: &mut [u32]) {
        for (index, place) in places.iter_mut().enumerate() {
            *place = Self::first(seed, keys.get(index), entrants) as u32;
        }
    }

    /// How the score of one entrant compares with that of another.
    #[inline]
    fn compare(
        seed: HashSeed,
        key: Key<'_>,
        one: &Self::Entrant,
        other: &Self::Entrant,
    ) -> Ordering {
        Self::score(seed, key, one).cmp(&Self::score(seed, key, other))
    }
}

/// A placement by contest.
#[derive(Clone)]
pub(crate) struct Contest<S: Score> {
    seed: HashSeed,
    roster: Roster,
    entrants: Vec<S::Entrant>,
    ids: Vec<NodeId>,
}

impl<S: Score> Contest<S> {
    /// The contest of a roster.
    pub(crate) fn new(seed: HashSeed, roster: Roster) -> Self {
        let (entrants, ids) =
            roster.serving_by_name().map(|node| (S::entrant(seed, node), node.id)).unzip();
        Contest { seed, roster, entrants: trimmed(entrants), ids: trimmed(ids) }
    }

    /// The owners of the places of a batch.
    fn name(&self, places: &[u32], owners: &mut [NodeId]) {
        for (owner, &place) in owners.iter_mut().zip(places) {
            *owner = self.ids[place as usize];
        }
    }

    /// Turns the winners of a batch among those before into the winners here.
    fn succeed(&self, before: &Self, keys: Keys<'_>, places: &mut [u32]) {
        let Some(succession) = Succession::between(before, self) else {
            return S::leaders(self.seed, keys, &self.entrants, places);
        };
        let mut contested = Vec::new();
        let mut rivals = vec![0; places.len()];
        if succession.came.len() > 1 {
            let came: Vec<S::Entrant> =
                succession.came.iter().map(|&at| self.entrants[at as usize].clone()).collect();
            S::leaders(self.seed, keys, &came, &mut rivals);
        }
        for (index, (place, rival)) in places.iter_mut().zip(rivals).enumerate() {
            let holder = succession.kept[*place as usize];
            if holder == Succession::GONE {
                contested.push(index);
            } else if let Some(&rival) = succession.came.get(rival as usize) {
                let [one, other] = [rival, holder].map(|at| &self.entrants[at as usize]);
                let order = S::compare(self.seed, keys.get(index), one, other);
                let leads = order.is_gt() || (order.is_eq() && rival < holder);
                *place = if leads { rival } else { holder };
            } else {
                *place = holder;
            }
        }
        self.contest(&contested, keys, places);
    }

    /// The winners of some keys of a batch.
    fn contest(&self, contested: &[usize], keys: Keys<'_>, places: &mut [u32]) {
        let mut winners = vec![0; contested.len()];
        if keys.text.is_none() {
            let hashes: Vec<KeyHash> = contested.iter().map(|&index| keys.hashes[index]).collect();
            S::leaders(self.seed, Keys::hashed(&hashes), &self.entrants, &mut winners);
        } else {
            for (winner, &index) in winners.iter_mut().zip(contested) {
                *winner = S::first(self.seed, keys.get(index), &self.entrants) as u32;
            }
        }
        for (winner, &index) in winners.into_iter().zip(contested) {
            places[index] = winner;
        }
    }
}

/// What became of the entrants of a contest. Whoever has another weight or name since is another.
struct Succession {
    /// Where each of before stands after.
    kept: Vec<u32>,
    /// Where those stand who came.
    came: Vec<u32>,
}

impl Succession {
    /// The place of one who went.
    const GONE: u32 = u32::MAX;

    /// Nothing where more went than stayed, so that a contest of all is the shorter way, or where
    /// those who stayed stand in another order, by which equal scores go.
    fn between<S: Score>(before: &Contest<S>, after: &Contest<S>) -> Option<Self> {
        let largest = before.ids.iter().map(|id| id.index()).max().unwrap_or(0);
        let mut places = vec![usize::MAX; largest + 1];
        before.ids.iter().zip(0..).for_each(|(id, place)| places[id.index()] = place);
        let (mut kept, mut came) = (vec![Self::GONE; before.ids.len()], Vec::new());
        for (at, (id, entrant)) in (0..).zip(after.ids.iter().zip(&after.entrants)) {
            let place = places.get(id.index()).copied().unwrap_or(usize::MAX);
            match before.entrants.get(place) {
                Some(stood) if stood == entrant => kept[place] = at,
                _ => came.push(at),
            }
        }
        let stayed = || kept.iter().filter(|&&place| place != Self::GONE);
        let follows = before.seed == after.seed && stayed().is_sorted();
        (follows && 2 * stayed().count() >= kept.len()).then_some(Succession { kept, came })
    }
}

/// The place of the greatest score; of equals the first. `probe` sees each place and score.
#[inline(always)]
pub(crate) fn leader<V: Ord + Copy>(
    scores: impl Iterator<Item = V>,
    mut probe: impl FnMut(usize, V),
) -> usize {
    let mut contest = scores.enumerate();
    let (mut leader, mut best) = contest.next().expect("a roster has a node of positive weight");
    probe(leader, best);
    // The n-th entrant takes the lead with probability 1/n: a branch would be mispredicted again
    // and again among the first, and is free among the others.
    for (at, score) in contest.by_ref().take(15) {
        probe(at, score);
        let leads = score > best;
        best = select_unpredictable(leads, score, best);
        leader = select_unpredictable(leads, at, leader);
    }
    for (at, score) in contest {
        probe(at, score);
        if score > best {
            (best, leader) = (score, at);
        }
    }
    leader
}

/// The entrant of the greatest score; of equals the first.
#[inline(always)]
pub(crate) fn winner<V: Ord + Copy, T: Trace + ?Sized>(
    scores: impl Iterator<Item = V>,
    ids: &[NodeId],
    shown: impl Fn(V) -> u64,
    trace: &mut T,
) -> NodeId {
    let probe = |at: usize, score| trace.step(Step::Probe { at: shown(score), node: ids[at] });
    ids[leader(scores, probe)]
}

/// The entrants from the greatest score to the least; equals in their order.
pub(crate) fn ranked<V: Ord + Copy>(
    scores: impl Iterator<Item = V> + Clone,
    ids: &[NodeId],
) -> impl Iterator<Item = NodeId> {
    places(scores, ids.len()).map(|place| ids[place])
}

/// Where the entrants stand, so many of them, from the greatest score to the least.
///
/// Most keys ask for few. Those are found in one pass; for the others all scores are made again.
pub(crate) fn places<V: Ord + Copy>(
    scores: impl Iterator<Item = V> + Clone,
    count: usize,
) -> impl Iterator<Item = usize> {
    let few = Leaders::of(scores.clone());
    let others = move || {
        let scored = scores.enumerate().map(|(at, score)| (score, Reverse(at)));
        let mut heap: BinaryHeap<(V, Reverse<usize>)> = scored.collect::<Vec<_>>().into();
        std::iter::from_fn(move || heap.pop().map(|(_, Reverse(at))| at)).skip(FEW)
    };
    few.places().chain((count > FEW).then_some(others).into_iter().flat_map(|others| others()))
}

/// Entrants that are ranked in one pass.
const FEW: usize = 8;

/// The first of a ranking.
struct Leaders<V> {
    /// From the greatest, equals in their order; none where there are no entrants.
    best: Option<[(V, usize); FEW]>,
    count: usize,
}

impl<V: Ord + Copy> Leaders<V> {
    fn of(scores: impl Iterator<Item = V>) -> Self {
        let mut leaders = Leaders { best: None, count: 0 };
        for (at, score) in scores.enumerate() {
            let best = leaders.best.get_or_insert([(score, at); FEW]);
            let mut place = leaders.count;
            if place == FEW {
                if score <= best[FEW - 1].0 {
                    continue;
                }
                place -= 1;
            } else {
                leaders.count += 1;
            }
            while place > 0 && best[place - 1].0 < score {
                best[place] = best[place - 1];
                place -= 1;
            }
            best[place] = (score, at);
        }
        leaders
    }

    /// Where they stand.
    fn places(self) -> impl Iterator<Item = usize> {
        let places = self.best.map(|best| best.map(|(_, at)| at));
        places.into_iter().flatten().take(self.count)
    }
}

impl<S: Score> Scheme for Contest<S> {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        *self = Contest::new(self.seed, next);
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            shared_bytes: self.roster.shared_bytes(),
            derived_bytes: bytes_of(&self.entrants) + bytes_of(&self.ids),
        }
    }
}

impl<S: Score> Placement for Contest<S> {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.ids[S::first(self.seed, key, &self.entrants)]
    }

    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        let mut places = vec![0; keys.hashes.len()];
        S::leaders(self.seed, keys, &self.entrants, &mut places);
        self.name(&places, &mut out[..keys.hashes.len()]);
    }

    fn place_across(&self, later: &[&dyn Placement], keys: Keys<'_>, out: &mut [&mut [NodeId]]) {
        let mut contests = vec![self];
        contests.extend(later.iter().map(|&placement| {
            let any: &dyn Any = placement;
            any.downcast_ref::<Self>().expect("every placement is of one contender")
        }));
        let mut rows: Vec<_> = contests.iter().zip(out).collect();
        // From the larger end: what a larger fleet gives to whoever is in the smaller one too, the
        // smaller gives to the same.
        if contests.first().map(|one| one.ids.len()) < contests.last().map(|one| one.ids.len()) {
            rows.reverse();
        }
        let mut places = vec![0; keys.hashes.len()];
        let mut before: Option<&Self> = None;
        for (contest, row) in rows {
            match before {
                Some(before) => contest.succeed(before, keys, &mut places),
                None => S::leaders(self.seed, keys, &contest.entrants, &mut places),
            }
            contest.name(&places, &mut row[..keys.hashes.len()]);
            before = Some(contest);
        }
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        let scores = self.entrants.iter().map(|entrant| S::score(self.seed, key, entrant));
        winner(scores, &self.ids, S::shown, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let scores = self.entrants.iter().map(|entrant| S::score(self.seed, key, entrant));
        let _ = ranked(scores, &self.ids).try_for_each(visit);
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(Anatomy::Scores)
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{AlgorithmSpec, NodeName, Weight, advance};

    use super::*;
    use crate::fixtures::{contender, weighted};
    use crate::simd::{self, Level};

    /// Some change: one or many come or go, and where the algorithm allows it weights change.
    fn changes(step: u64, roster: &Roster) -> Vec<Change> {
        let ids = roster.ids();
        let next = 1 + ids.iter().map(|id| id.0).max().unwrap();
        let pick = |draw: u64| ids[stream(51, draw) as usize % ids.len()];
        match stream(50, step) % 7 {
            0 => vec![Change::Add(Roster::numbered_node(next))],
            1 => (next..next + 9).map(|id| Change::Add(Roster::numbered_node(id))).collect(),
            2 => vec![Change::Remove(pick(step))],
            3 => ids.iter().step_by(3).map(|&id| Change::Remove(id)).collect(),
            4 => vec![
                Change::Remove(pick(step)),
                Change::Add(Roster::numbered_node(next)),
                Change::Add(Roster::numbered_node(next + 1)),
            ],
            5 => vec![Change::Reweight(pick(step), Weight::units(3))],
            _ => vec![Change::Rename(pick(step), NodeName::numbered(1_000 + step as u32))],
        }
    }

    /// The placements that a few steps lead through.
    fn chain(
        spec: &'static AlgorithmSpec,
        first: Box<dyn Placement>,
        from: u64,
    ) -> Vec<Box<dyn Placement>> {
        let mut all = vec![first];
        for step in from..from + 4 {
            let before = all.last().unwrap();
            if let Ok(next) = advance(spec, before.as_ref(), &changes(step, before.roster())) {
                all.push(next);
            }
        }
        all
    }

    fn hold(text: &str, keys: u64) {
        let hashes: Vec<KeyHash> = (0..keys).map(|i| KeyHash(stream(52, i))).collect();
        let keys = Keys::hashed(&hashes);
        for from in 0..30 {
            let weights: Vec<u32> = (0..1 + stream(53, from) % 20).map(|_| 1).collect();
            let (spec, first) = contender(text, weighted(&weights));
            let all = chain(spec, first, 10 * from);
            let later: Vec<&dyn Placement> = all[1..].iter().map(|one| one.as_ref()).collect();
            let mut rows = vec![vec![NodeId::NOBODY; hashes.len()]; all.len()];
            let mut out: Vec<&mut [NodeId]> = rows.iter_mut().map(|row| &mut row[..]).collect();
            all[0].place_across(&later, keys, &mut out);
            for (placement, row) in all.iter().zip(rows) {
                let alone = hashes.iter().map(|hash| placement.place(Key::hashed(hash.0)));
                assert!(alone.eq(row.iter().copied()), "{text}, steps from {from}");
            }
        }
    }

    #[test]
    fn several_memberships_are_placed_as_each_is() {
        for level in Level::available() {
            simd::force(level).unwrap();
            for text in [
                "rendezvous",
                "weighted-rendezvous",
                "straw2",
                "straw2:draw=16-bit",
                "rendezvous:score=32",
                "weighted-rendezvous:score=32",
            ] {
                hold(text, 300);
            }
        }
        hold("rendezvous-sha256", 20);
    }
}
