//! The registry as a whole, and what particular algorithms are known for. The laws that hold for
//! everybody are in `crates/conformance`.

use placelab_algorithms::{REGISTRY, find};
use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmRequest, Arguments, Capability, Change, HashFunction, HashSeed, Key, NodeId,
    Placement, PlacementError, Placer, Roster, Weight, establish,
};

fn contender(text: &str, seed: HashSeed, nodes: u32) -> Box<dyn Placement> {
    let request = AlgorithmRequest::expand(text).unwrap().remove(0);
    let spec = find(&request.name).unwrap();
    let arguments = request.arguments(spec, &|_| unreachable!("no file is named")).unwrap();
    establish(spec, &arguments, seed, Roster::numbered(nodes).unwrap()).unwrap()
}

fn owners(placement: &dyn Placement, keys: u64) -> Vec<NodeId> {
    (0..keys).map(|index| placement.place(Key::hashed(stream(11, index)))).collect()
}

#[test]
fn the_registry_has_each_name_once_and_says_what_it_is() {
    let mut names: Vec<&str> = REGISTRY.iter().map(|spec| spec.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), REGISTRY.len());
    for spec in REGISTRY.iter() {
        for text in [spec.family, spec.citation, spec.summary, spec.lookup_cost, spec.memory_cost] {
            assert!(!text.is_empty(), "{}", spec.name);
        }
        assert_eq!(spec.resolution.is_some(), spec.can(Capability::Weights), "{}", spec.name);
        // Defaults pass their own checks, or this panics.
        Arguments::defaults(spec);
    }
}

/// Everybody drained at once: a typed error, and nothing has changed.
#[test]
fn nobody_is_left_where_all_are_drained() {
    let drained: Vec<Change> =
        (0..3).map(|id| Change::Reweight(NodeId(id), Weight::ZERO)).collect();
    for spec in REGISTRY.iter().filter(|spec| spec.can(Capability::Weights)) {
        let (arguments, roster) = (Arguments::defaults(spec), Roster::numbered(3).unwrap());
        let before = Placer::first(spec, &arguments, HashSeed(0), roster).unwrap();
        let refused = before.after(spec, &drained).err();
        assert_eq!(refused, Some(PlacementError::NobodyLeft), "{}", spec.name);
        let weights = before.scheme().roster().nodes().iter().map(|node| node.weight);
        assert!(weights.eq([Weight::ONE; 3]), "{}", spec.name);
    }
}

/// Modulo N → M moves 1 − min(N, M) ÷ lcm(N, M) of the keys.
#[test]
fn modulo_moves_what_the_closed_form_says() {
    for (n, m, expected) in [(4, 5, 0.8), (20, 30, 2.0 / 3.0), (64, 65, 64.0 / 65.0)] {
        let [a, b] = [n, m].map(|nodes| contender("modulo", HashSeed(0), nodes));
        let (before, after) = (owners(a.as_ref(), 200_000), owners(b.as_ref(), 200_000));
        let moved = std::iter::zip(before, after).filter(|(a, b)| a != b).count() as f64;
        let greatest = (1..=n).rev().find(|d| n % d == 0 && m % d == 0).unwrap();
        let closed = 1.0 - f64::from(n.min(m)) / f64::from(n / greatest * m);
        assert!((closed - expected).abs() < 1e-12, "{n} → {m}");
        assert!((moved / 200_000.0 - closed).abs() < 0.005, "{n} → {m}: {moved}");
    }
}

/// Equal weights give the unweighted answers: the clocks order by the same scores.
#[test]
fn weighted_rendezvous_with_equal_weights_is_rendezvous() {
    let [plain, weighted] = ["rendezvous", "weighted-rendezvous"]
        .map(|name| owners(contender(name, HashSeed(0), 9).as_ref(), 20_000));
    assert_eq!(plain, weighted);
}

/// Exact shares of ten nodes that are named alike scatter by √((N − 1) ÷ (N·V + 1)) where the hash
/// spreads what differs in a digit, and far more where it does not.
#[test]
fn weak_hashes_make_worse_rings() {
    let closed = (9.0 / f64::from(10 * 160 + 1)).sqrt();
    let scatter = |hash: &str| {
        let deviation = |seed| {
            let shares = contender(&format!("ring:hash={hash}"), HashSeed(seed), 10).shares();
            let shares = shares.unwrap();
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
