//! Fleets and contenders for the tests of this crate.

use placelab_core::mix::{MULTIPLIERS, stream};
use placelab_core::{
    AlgorithmRequest, AlgorithmSpec, Arguments, Change, HashSeed, History, Identities, Key,
    KeyHash, Keys, Node, NodeName, Placement, Roster, Step, Trace, Weight, advance, establish,
};

/// Nodes of these names and weight 1.
pub(crate) fn named(names: &[&str]) -> Roster {
    let mut identities = Identities::default();
    let node = |name: &&str| {
        let name = NodeName::new(name).unwrap();
        Node { id: identities.of(&name), name, weight: Weight::ONE, zone: None, rack: None }
    };
    Roster::new(names.iter().map(node).collect()).unwrap()
}

/// `node-0` … of these weights.
pub(crate) fn weighted(weights: &[u32]) -> Roster {
    let node = |(index, &weight): (usize, &u32)| Node {
        weight: Weight::units(weight),
        ..Roster::numbered_node(index as u32)
    };
    Roster::new(weights.iter().enumerate().map(node).collect()).unwrap()
}

/// The contender that a text asks for, and its placement of a roster.
pub(crate) fn contender(
    text: &str,
    roster: Roster,
) -> (&'static AlgorithmSpec, Box<dyn Placement>) {
    let (spec, arguments) = asked_for(text);
    (spec, establish(spec, &arguments, HashSeed::PUBLISHED, roster).unwrap())
}

fn asked_for(text: &str) -> (&'static AlgorithmSpec, Arguments) {
    let request = AlgorithmRequest::expand(text).unwrap().remove(0);
    let spec = crate::find(&request.name).unwrap();
    (spec, request.arguments(spec, &|_| unreachable!("no file is named")).unwrap())
}

/// Holds the contender that a text asks for to its twin: keys of these hashes, over a roster.
pub(crate) fn twin_agrees(
    text: &str,
    seed: HashSeed,
    roster: Roster,
    hashes: impl Iterator<Item = u64>,
) {
    let (spec, arguments) = asked_for(text);
    let placement = establish(spec, &arguments, seed, roster.clone()).unwrap();
    let hashes: Vec<KeyHash> = hashes.map(KeyHash).collect();
    let twin = (spec.naive)(&arguments, seed, &History::new(roster), Keys::hashed(&hashes));
    for (hash, owner) in hashes.into_iter().zip(twin) {
        assert_eq!(placement.place(Key::hashed(hash.0)), owner, "{text}, {:x}", hash.0);
    }
}

/// Takes a contender through `steps` steps, those that it refuses left out, and holds it to its
/// twin after each. `changes` tells what happens to a roster in a step.
pub(crate) fn hold_to_twin(
    text: &str,
    first: Roster,
    steps: u64,
    changes: impl Fn(u64, &Roster) -> Vec<Change>,
) {
    let (spec, arguments) = asked_for(text);
    let mut placement = establish(spec, &arguments, HashSeed::PUBLISHED, first.clone()).unwrap();
    let mut history = History::new(first);
    let hashes: Vec<KeyHash> = (0..40).map(|i| KeyHash(stream(7, i))).collect();
    for step in 0..steps {
        let changes = changes(step, placement.roster());
        let Ok(next) = advance(spec, placement.as_ref(), &changes) else { continue };
        placement = next;
        history.steps.push(changes);
        let owners = hashes.iter().map(|hash| placement.place(Key::hashed(hash.0)));
        let keys = Keys::hashed(&hashes);
        let twin = (spec.naive)(&arguments, HashSeed::PUBLISHED, &history, keys);
        assert!(owners.eq(twin), "{text}: {history:?}");
    }
}

/// Whether nodes of weights 1, 2, 3 have these shares, within five standard deviations of 10^6
/// keys.
pub(crate) fn shares_of_one_two_three(spec: &'static AlgorithmSpec, expected: [f64; 3]) {
    let arguments = Arguments::defaults(spec);
    let placement = establish(spec, &arguments, HashSeed(0), weighted(&[1, 2, 3])).unwrap();
    let mut loads = [0u32; 3];
    (0..1_000_000).for_each(|i| loads[placement.place(Key::hashed(stream(7, i))).index()] += 1);
    for (load, expected) in loads.into_iter().zip(expected) {
        let share = f64::from(load) / 1e6;
        assert!((share - expected).abs() < 0.0025, "{share} against {expected}");
    }
}

/// Counts hashes and draws, and no other steps.
#[derive(Default)]
pub(crate) struct Draws(pub(crate) u64);

impl Trace for Draws {
    fn step(&mut self, step: Step) {
        self.0 += u64::from(matches!(step, Step::Draw { .. } | Step::Pick { .. }));
    }
}

/// The word that is stirred into another.
pub(crate) fn unstirred(z: u64) -> u64 {
    let z = z.wrapping_mul(inverse(MULTIPLIERS[1]));
    let z = z ^ (z >> 27) ^ (z >> 54);
    z.wrapping_mul(inverse(MULTIPLIERS[0]))
}

/// The word that is mixed into another.
pub(crate) fn unmixed(z: u64) -> u64 {
    let z = unstirred(z ^ (z >> 31) ^ (z >> 62));
    z ^ (z >> 30) ^ (z >> 60)
}

/// What gives 1 with an odd number: each of Newton's steps doubles the bits that are right.
fn inverse(of: u64) -> u64 {
    (0..6).fold(of, |x, _| x.wrapping_mul(2u64.wrapping_sub(of.wrapping_mul(x))))
}
