//! Who owns how much.

use std::collections::BTreeMap;

use placelab_core::{NodeId, Placement};
use placelab_metrics::uniform::g_test;

use crate::sample::Sample;
use crate::subject::{Finding, PUBLISHED, Subject, hold, weighted};

/// Keys a node: enough for the law of large numbers of the G-test.
const KEYS_PER_NODE: u64 = 1_000;
/// Family-wise level of all tests of one law: each of T tests is held to this over T.
const LEVEL: f64 = 0.001;

/// Loads of a placement in roster order, from [`KEYS_PER_NODE`] keys a node.
fn loads(placement: &dyn Placement) -> Vec<u64> {
    let roster = placement.roster();
    let mut counts: BTreeMap<NodeId, u64> = BTreeMap::new();
    let sample = Sample::new(KEYS_PER_NODE * roster.len() as u64);
    sample.owners(placement).iter().for_each(|id| *counts.entry(*id).or_default() += 1);
    let load = |node: &placelab_core::Node| counts.get(&node.id).copied().unwrap_or(0);
    roster.nodes().iter().map(load).collect()
}

/// Whether loads follow the weights, at this level.
fn follow(placement: &dyn Placement, level: f64) -> Finding {
    let roster = placement.roster();
    let weights: Vec<u64> = roster.nodes().iter().map(|node| node.weight.micros()).collect();
    let Some(p) = g_test(&loads(placement), &weights) else { return Ok(()) };
    let weights: Vec<String> = roster.nodes().iter().map(|node| node.weight.to_string()).collect();
    let shown = || match roster.is_weighted() {
        true => format!("weights {}", weights.join(":")),
        false => format!("{} equal nodes", roster.len()),
    };
    hold(p >= level, || format!("{}: p = {p:.1e} by a G-test", shown()))
}

/// A G-test over every fleet of up to 64 nodes, and a few larger ones; of slow schemes over powers
/// of two.
pub(super) fn equal(subject: &Subject) -> Finding {
    let sizes: Vec<u32> = match subject.is_slow() {
        true => vec![2, 4, 8, 16, 32, 64],
        false => (2..=64).chain([100, 128, 257]).collect(),
    };
    let level = LEVEL / sizes.len() as f64;
    sizes.iter().try_for_each(|&nodes| follow(subject.fleet(nodes)?.as_ref(), level))
}

/// A G-test of some unequal fleets.
pub(super) fn weights(subject: &Subject) -> Finding {
    let fleets: [&[u32]; 4] = [&[1, 2, 3], &[1, 10, 0, 5], &[4, 5, 7], &[1, 1, 1, 1, 1, 1, 1, 100]];
    fleets.iter().try_for_each(|weights| {
        let placement = subject.serve(weighted(weights), PUBLISHED);
        let placement = placement.map_err(|error| format!("{weights:?}: {error}"))?;
        follow(placement.as_ref(), LEVEL / fleets.len() as f64)
    })
}

/// Exact shares sum to the whole, and a sample of keys finds them.
pub(super) fn exact_shares(subject: &Subject) -> Finding {
    let sample = Sample::new(50_000);
    for nodes in [1, 5, 12] {
        let placement = subject.fleet(nodes)?;
        let Some(shares) = placement.shares() else { continue };
        let sum: u128 = shares.parts.iter().map(|(_, part)| part).sum();
        hold(sum == shares.whole, || format!("{nodes} nodes: {sum} of {}", shares.whole))?;
        let owners = sample.owners(placement.as_ref());
        for (id, part) in shares.parts {
            let exact = part as f64 / shares.whole as f64;
            let found = owners.iter().filter(|&&owner| owner == id).count() as f64;
            let sampled = found / owners.len() as f64;
            // Five standard deviations.
            let bound = 5.0 * (exact * (1.0 - exact) / owners.len() as f64).sqrt() + 1e-9;
            let name = placement.roster().get(id).map(|node| node.name.clone());
            let wrong = || format!("{name:?} of {nodes}: exactly {exact}, sampled {sampled}");
            hold((exact - sampled).abs() <= bound, wrong)?;
        }
    }
    Ok(())
}

/// Nobody of a few equal nodes is left without a key.
pub(super) fn everybody_owns(subject: &Subject) -> Finding {
    for nodes in [1, 2, 3, 10, 16, 17, 40] {
        let placement = subject.fleet(nodes)?;
        let idle = loads(placement.as_ref()).iter().position(|&load| load == 0);
        hold(idle.is_none(), || format!("{nodes} nodes: node-{} owns nothing", idle.unwrap_or(0)))?;
    }
    Ok(())
}
