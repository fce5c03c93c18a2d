//! What moves, and what may not.

use placelab_algorithms::REGISTRY;
use placelab_core::{
    Arguments, Capability, Change, Claim, HashSeed, NodeId, NodeName, Roster, Weight, advance,
    establish,
};

use crate::support::{Sample, build, numbered, owners, part_moved, sideways};

/// A deploy that gives every machine another name moves (N − 1) ÷ N of the keys where names are
/// hashed, and nothing where positions count or a table of owners is kept.
#[test]
fn renaming_everybody_moves_nearly_everything_or_nothing() {
    let sample = Sample::new(20_000);
    let renames: Vec<Change> = (0..12)
        .map(|id| Change::Rename(NodeId(id), NodeName::new(&format!("cache-{}", 50 - id)).unwrap()))
        .collect();
    for &spec in REGISTRY.iter() {
        let before = numbered(spec, 12);
        let after = advance(spec, before.as_ref(), &renames).unwrap();
        let moved = part_moved(&owners(before.as_ref(), &sample), &owners(after.as_ref(), &sample));
        let keeps_names_out = ["range hash", "owner table", "bucket set"].contains(&spec.family)
            || spec.name == "modulo";
        match keeps_names_out {
            true => assert_eq!(moved, 0.0, "{}", spec.name),
            false => {
                // Unequal shares and related scores leave more or less to chance.
                let bound = if spec.claims(Claim::FairShares) { 0.01 } else { 0.05 };
                assert!((moved - 11.0 / 12.0).abs() < bound, "{}: {moved}", spec.name);
            }
        }
    }
}

/// A deploy that changes the hash seed moves (N − 1) ÷ N of the keys under everybody.
#[test]
fn rehashing_moves_nearly_everything() {
    let sample = Sample::new(20_000);
    for &spec in REGISTRY.iter() {
        let at = |seed: HashSeed| {
            let arguments = Arguments::defaults(spec);
            let fleet = Roster::numbered(12).unwrap();
            let placement = establish(spec, &arguments, seed, fleet).unwrap();
            owners(placement.as_ref(), &sample.salted(seed))
        };
        let moved = part_moved(&at(HashSeed(3)), &at(HashSeed(3).rehashed(1)));
        assert!((moved - 11.0 / 12.0).abs() < 0.03, "{}: {moved}", spec.name);
    }
}

#[test]
fn movement_is_minimal_where_claimed() {
    let keys = Sample::new(20_000);
    for &spec in REGISTRY.iter().filter(|spec| spec.claims(Claim::MinimalMovement)) {
        let before = numbered(spec, 20);
        let mut steps = vec![
            vec![Change::Add(Roster::numbered_node(20)), Change::Add(Roster::numbered_node(21))],
            vec![Change::Remove(NodeId(19))],
        ];
        if spec.can(Capability::RemoveAny) {
            steps.push(vec![Change::Remove(NodeId(7)), Change::Add(Roster::numbered_node(20))]);
        }
        if spec.can(Capability::Weights) {
            steps.push(vec![Change::Reweight(NodeId(3), Weight::units(2))]);
            steps.push(vec![Change::Reweight(NodeId(3), Weight::ZERO)]);
        }
        for changes in steps {
            let after = advance(spec, before.as_ref(), &changes).unwrap();
            let moved =
                std::iter::zip(owners(before.as_ref(), &keys), owners(after.as_ref(), &keys))
                    .filter(|(a, b)| a != b)
                    .count();
            assert!(moved > 0, "{} reacts to {changes:?}", spec.name);
            let sideways = sideways(before.as_ref(), after.as_ref(), &keys);
            assert_eq!(sideways, 0, "{} on {changes:?}", spec.name);
        }
    }
}

#[test]
fn the_order_of_joining_does_not_matter_where_claimed() {
    let keys = Sample::new(5_000);
    for &spec in REGISTRY.iter().filter(|spec| spec.claims(Claim::OrderFree)) {
        let forward = numbered(spec, 13);
        let mut nodes = forward.roster().nodes().to_vec();
        nodes.reverse();
        let backward = build(spec, Roster::new(nodes).unwrap());
        let answers = owners(forward.as_ref(), &keys);
        assert_eq!(owners(backward.as_ref(), &keys), answers, "{}", spec.name);
    }
}

/// Modulo N → M moves 1 − min(N, M) ÷ lcm(N, M) of the keys.
#[test]
fn modulo_moves_what_the_closed_form_says() {
    let spec = placelab_algorithms::find("modulo").unwrap();
    let keys = Sample::new(200_000);
    for (n, m, expected) in [(4, 5, 0.8), (20, 30, 2.0 / 3.0), (64, 65, 64.0 / 65.0)] {
        let (a, b) = (numbered(spec, n), numbered(spec, m));
        let moved = std::iter::zip(owners(a.as_ref(), &keys), owners(b.as_ref(), &keys))
            .filter(|(a, b)| a != b)
            .count() as f64;
        let greatest = (1..=n).rev().find(|d| n % d == 0 && m % d == 0).unwrap();
        let closed = 1.0 - f64::from(n.min(m)) / f64::from(n / greatest * m);
        assert!((closed - expected).abs() < 1e-12, "{n} → {m}");
        assert!((moved / 200_000.0 - closed).abs() < 0.005, "{n} → {m}: {moved}");
    }
}
