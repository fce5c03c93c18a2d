//! Who owns how much.

use std::collections::BTreeMap;

use placelab_algorithms::REGISTRY;
use placelab_core::{Capability, Claim, Roster};

use crate::support::{Sample, build, numbered, owners, weighted};

/// Shares are fair where claimed: G-test of 1,000 keys a node. Family-wise level 0.1 % over
/// about 100 tests by a bound of 6 standard deviations of the approximated normal.
#[test]
fn shares_are_fair_where_claimed() {
    for &spec in REGISTRY.iter().filter(|spec| spec.claims(Claim::FairShares)) {
        let mut rosters: Vec<Roster> =
            [2, 3, 5, 8, 16, 33, 64].map(|count| Roster::numbered(count).unwrap()).to_vec();
        if spec.can(Capability::Weights) {
            rosters.extend([weighted(&[1, 2, 3]), weighted(&[1, 10, 0, 5])]);
        }
        for roster in rosters {
            let placement = build(spec, roster.clone());
            let keys = Sample::new(1_000 * roster.len() as u64);
            let mut counts = BTreeMap::new();
            owners(placement.as_ref(), &keys)
                .iter()
                .for_each(|&id| *counts.entry(id).or_insert(0) += 1);
            let total = roster.total_weight() as f64;
            let (mut g, mut degrees) = (0.0, -1.0f64);
            for node in roster.nodes() {
                let observed = f64::from(counts.get(&node.id).copied().unwrap_or(0));
                let expected = keys.hashes.len() as f64 * node.weight.micros() as f64 / total;
                if expected == 0.0 {
                    assert_eq!(observed, 0.0, "{}: weight 0 owns nothing", spec.name);
                    continue;
                }
                degrees += 1.0;
                g += 2.0 * observed * placelab_core::math::ln(observed / expected);
            }
            let bound = degrees + 6.0 * (2.0 * degrees).sqrt() + 12.0;
            assert!(g < bound, "{} over {} nodes: G = {g}", spec.name, roster.len());
        }
    }
}

#[test]
fn exact_shares_are_complete_and_what_sampling_finds() {
    let keys = Sample::new(200_000);
    for &spec in REGISTRY.iter() {
        let Some(shares) = numbered(spec, 5).shares() else { continue };
        assert_eq!(shares.parts.iter().map(|(_, part)| part).sum::<u128>(), shares.whole);
        let found = owners(numbered(spec, 5).as_ref(), &keys);
        for (id, part) in shares.parts {
            let exact = part as f64 / shares.whole as f64;
            let sampled = found.iter().filter(|&&owner| owner == id).count() as f64 / 200_000.0;
            assert!((exact - sampled).abs() < 0.006, "{}: {exact} against {sampled}", spec.name);
        }
    }
}
