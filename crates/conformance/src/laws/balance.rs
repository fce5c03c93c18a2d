//! Who owns how much.

use std::collections::BTreeMap;

use placelab_core::{Capability, NodeId, Placer};
use placelab_metrics::uniform::g_test;

use crate::sample::Sample;
use crate::subject::{Finding, PUBLISHED, Subject, hold, weighted};

/// Keys a node: enough for the law of large numbers of the G-test.
const KEYS_PER_NODE: u64 = 1_000;
/// Family-wise level of all tests of one law: each of T tests is held to this over T.
const LEVEL: f64 = 0.001;

/// Loads in roster order, from [`KEYS_PER_NODE`] keys a node.
fn loads(placer: &Placer) -> Vec<u64> {
    let roster = placer.scheme().roster();
    let mut counts: BTreeMap<NodeId, u64> = BTreeMap::new();
    let sample = Sample::new(KEYS_PER_NODE * roster.len() as u64);
    sample.owners(placer).iter().for_each(|id| *counts.entry(*id).or_default() += 1);
    let load = |node: &placelab_core::Node| counts.get(&node.id).copied().unwrap_or(0);
    roster.nodes().iter().map(load).collect()
}

/// Whether loads follow the weights, at this level.
fn follow(placer: &Placer, level: f64) -> Finding {
    let roster = placer.scheme().roster();
    let weights: Vec<u64> = roster.nodes().iter().map(|node| node.weight.micros()).collect();
    let Some(p) = g_test(&loads(placer), &weights) else { return Ok(()) };
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
    sizes.iter().try_for_each(|&nodes| follow(&subject.fleet(nodes)?, level))
}

/// A G-test of some unequal fleets.
pub(super) fn weights(subject: &Subject) -> Finding {
    let fleets: [&[u32]; 4] = [&[1, 2, 3], &[1, 10, 0, 5], &[4, 5, 7], &[1, 1, 1, 1, 1, 1, 1, 100]];
    fleets.iter().try_for_each(|weights| {
        let placer = subject.serve(weighted(weights), PUBLISHED);
        let placer = placer.map_err(|error| format!("{weights:?}: {error}"))?;
        follow(&placer, LEVEL / fleets.len() as f64)
    })
}

/// Exact shares sum to the whole, and a sample of keys finds them.
pub(super) fn exact_shares(subject: &Subject) -> Finding {
    let sample = Sample::new(50_000);
    for nodes in [1, 5, 12] {
        let placer = subject.fleet(nodes)?;
        let Some(placement) = placer.placement() else { continue };
        let Some(shares) = placement.shares() else { continue };
        let sum: u128 = shares.parts.iter().map(|(_, part)| part).sum();
        hold(sum == shares.whole, || format!("{nodes} nodes: {sum} of {}", shares.whole))?;
        let owners = sample.owners(&placer);
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
        let idle = loads(&subject.fleet(nodes)?).iter().position(|&load| load == 0);
        hold(idle.is_none(), || format!("{nodes} nodes: node-{} owns nothing", idle.unwrap_or(0)))?;
    }
    Ok(())
}

/// No node takes more than its bound, and together they have room for every key.
pub(super) fn bounds(subject: &Subject) -> Finding {
    let mut placers = vec![subject.fleet(1)?, subject.fleet(2)?, subject.fleet(16)?];
    if subject.can(Capability::Weights) {
        let unequal = subject.serve(weighted(&[1, 10, 0, 5]), PUBLISHED);
        placers.push(unequal.map_err(|error| error.to_string())?);
    }
    for (placer, keys) in placers.iter().flat_map(|placer| [1, 17, 1_000].map(|n| (placer, n))) {
        let Placer::Assignment(assignment) = placer else { continue };
        let sample = Sample::new(keys);
        let mut ledger = assignment.open(keys).map_err(|error| error.to_string())?;
        let mut owners = vec![NodeId::NOBODY; sample.hashes.len()];
        ledger.assign_many(sample.keys(), &mut owners);
        let mut room = 0u64;
        for node in assignment.roster().nodes() {
            let Some(capacity) = ledger.capacity(node.id) else { return Ok(()) };
            let load = owners.iter().filter(|&&owner| owner == node.id).count() as u64;
            room = room.saturating_add(capacity);
            hold(load <= capacity, || {
                format!("{} has {load} of {keys} keys, and its bound is {capacity}", node.name)
            })?;
        }
        hold(room >= keys, || format!("room for {room} of {keys} keys"))?;
    }
    Ok(())
}
