//! Contenders with other parameters than the defaults, under the laws that may depend on them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use placelab_core::{
    AlgorithmRequest, AlgorithmSpec, Capability, Change, Claim, Count, HashFunction, HashSeed,
    NodeId, Placement, Roster, Weight, advance, establish,
};

use crate::support::{Sample, owners, sideways};

/// A contender as it is asked for, serving a fleet under a hash seed.
fn contender(
    text: &str,
    seed: HashSeed,
    roster: Roster,
) -> (&'static AlgorithmSpec, Box<dyn Placement>) {
    let request = AlgorithmRequest::expand(text).unwrap().remove(0);
    let spec = placelab_algorithms::find(&request.name).unwrap();
    let arguments = request.arguments(spec, &|_| unreachable!("no file is named")).unwrap();
    (spec, establish(spec, &arguments, seed, roster).unwrap())
}

fn variants() -> Vec<String> {
    let rings = HashFunction::NAMES.map(|hash| format!("ring:hash={hash}"));
    let others = [
        "ring:successor=after",
        "multi-probe:draws=independent",
        "multi-probe:probes=1",
        "lrh:candidates=1",
        "lrh:candidates=64,vnodes=1",
        "straw2:draw=16-bit",
        "carp:url-hash=accumulated",
        "jump+renumber:fill=swap-last",
        "jump+weighted:layout=contiguous",
        "jump+weighted:resolution=1",
        "maglev:weights=envoy",
        "maglev:weights=turns",
        "slots:hash=key",
        "flip:hash=xxh3",
        "jump-back:stream=xorshift",
    ];
    rings.into_iter().chain(others.map(String::from)).collect()
}

#[test]
fn variants_give_one_answer_and_complete_candidates() {
    let keys = Sample::new(300);
    for text in variants() {
        let (_, placement) = contender(&text, HashSeed::PUBLISHED, Roster::numbered(9).unwrap());
        let batch = owners(placement.as_ref(), &keys);
        for (key, owner) in keys.each().zip(batch) {
            let mut count = Count::default();
            assert_eq!(placement.trace(key, &mut count), owner, "{text}");
            assert!(count.0 > 0, "{text}");
            let mut seen = Vec::new();
            placement.candidates(key, &mut |node| {
                seen.push(node);
                ControlFlow::Continue(())
            });
            assert_eq!(seen[0], owner, "{text}");
            let distinct: BTreeSet<NodeId> = seen.iter().copied().collect();
            assert_eq!((seen.len(), distinct.len()), (9, 9), "{text}");
        }
    }
}

#[test]
fn variants_move_little_and_forget_their_history() {
    let keys = Sample::new(5_000);
    for text in variants() {
        let at = |roster| contender(&text, HashSeed::PUBLISHED, roster);
        let (spec, before) = at(Roster::numbered(20).unwrap());
        let mut steps = vec![
            vec![Change::Add(Roster::numbered_node(20))],
            vec![Change::Remove(NodeId(7)), Change::Add(Roster::numbered_node(21))],
        ];
        if spec.can(Capability::Weights) {
            steps.push(vec![Change::Reweight(NodeId(3), Weight::units(2))]);
            steps.push(vec![Change::Reweight(NodeId(3), Weight::ZERO)]);
        }
        for changes in steps {
            let Ok(after) = advance(spec, before.as_ref(), &changes) else {
                assert!(!spec.can(Capability::RemoveAny), "{text} on {changes:?}");
                continue;
            };
            if spec.claims(Claim::MinimalMovement) {
                let sideways = sideways(before.as_ref(), after.as_ref(), &keys);
                assert_eq!(sideways, 0, "{text} on {changes:?}");
            }
            let mut nodes = after.roster().nodes().to_vec();
            nodes.reverse();
            let (_, fresh) = at(Roster::new(nodes).unwrap());
            let same = owners(fresh.as_ref(), &keys) == owners(after.as_ref(), &keys);
            assert!(same || !spec.claims(Claim::OrderFree), "{text} on {changes:?}");
        }
    }
}

#[test]
fn seeds_draw_anew_for_variants() {
    let keys = Sample::new(4_000);
    for text in variants() {
        let at = |seed| {
            let fleet = Roster::numbered(10).unwrap();
            let (_, placement) = contender(&text, HashSeed(seed), fleet);
            owners(placement.as_ref(), &keys.salted(HashSeed(seed)))
        };
        let same = std::iter::zip(at(1), at(2)).filter(|(a, b)| a == b).count();
        assert!((200..900).contains(&same), "{text}: {same} of 4,000 alike by chance");
    }
}

/// Exact shares of ten nodes that are named alike scatter by √((N − 1) ÷ (N·V + 1)) where the hash
/// spreads what differs in a digit, and far more where it does not.
#[test]
fn weak_hashes_make_worse_rings() {
    let closed = (9.0 / f64::from(10 * 160 + 1)).sqrt();
    let scatter = |hash: &str| {
        let deviation = |seed| {
            let fleet = Roster::numbered(10).unwrap();
            let (_, ring) = contender(&format!("ring:hash={hash}"), HashSeed(seed), fleet);
            let shares = ring.shares().unwrap();
            let fair = shares.whole as f64 / 10.0;
            let square = |&(_, part): &(NodeId, u128)| (part as f64 / fair - 1.0).powi(2);
            (shares.parts.iter().map(square).sum::<f64>() / 10.0).sqrt()
        };
        (0..20).map(deviation).sum::<f64>() / 20.0 / closed
    };
    for hash in HashFunction::NAMES {
        let weak = ["fnv1a-32", "fnv1a-64", "crc32"].contains(&hash);
        let bounds = if weak { 2.0..20.0 } else { 0.8..1.2 };
        let scatter = scatter(hash);
        assert!(bounds.contains(&scatter), "{hash}: {scatter} of the closed form");
    }
}
