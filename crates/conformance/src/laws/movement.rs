//! What moves, and what may not.

use placelab_core::{
    Capability, Change, Claim, HashSeed, NodeId, NodeName, Placer, Roster, Weight,
};
use placelab_metrics::movement::Targets;

use crate::sample::{Sample, part_moved};
use crate::subject::{Finding, Subject, hold};

/// Moves without a reason.
fn sideways(before: &Placer, after: &Placer, sample: &Sample) -> usize {
    let targets = Targets::new(before.scheme().roster(), after.scheme().roster(), 32);
    let moves = std::iter::zip(sample.owners(before), sample.owners(after));
    moves.filter(|&(a, b)| a != b && !targets.forces(a, b)).count()
}

/// On adding, removing and reweighting, keys move only to nodes whose relative weight rose.
pub(super) fn minimal(subject: &Subject) -> Finding {
    let sample = Sample::new(10_000);
    let before = subject.fleet(20)?;
    let add = |id| Change::Add(Roster::numbered_node(id));
    let mut steps = vec![vec![add(20), add(21)], vec![Change::Remove(NodeId(19))]];
    if subject.can(Capability::RemoveAny) {
        steps.push(vec![Change::Remove(NodeId(7)), add(20)]);
        steps.push(vec![Change::Remove(NodeId(0)), Change::Remove(NodeId(11))]);
    }
    if subject.can(Capability::Weights) {
        steps.push(vec![Change::Reweight(NodeId(3), Weight::units(2))]);
        steps.push(vec![Change::Reweight(NodeId(3), Weight::ZERO)]);
    }
    for changes in steps {
        let after = subject.step(&before, &changes)?;
        let owners = [&before, &after].map(|placement| sample.owners(placement));
        hold(owners[0] != owners[1], || format!("{changes:?} moves nothing"))?;
        let sideways = sideways(&before, &after, &sample);
        hold(sideways == 0, || format!("{changes:?}: {sideways} of 10,000 move sideways"))?;
    }
    Ok(())
}

/// A node that joins and leaves again leaves every key where it was.
pub(super) fn restores(subject: &Subject) -> Finding {
    let sample = Sample::new(3_000);
    for nodes in [1, 2, 5, 16, 31] {
        let before = subject.fleet(nodes)?;
        let add = [Change::Add(Roster::numbered_node(nodes))];
        let grown = subject.step(&before, &add)?;
        let back = subject.step(&grown, &[Change::Remove(NodeId(nodes))])?;
        let same = sample.owners(&back) == sample.owners(&before);
        hold(same, || format!("{nodes} nodes, one comes and goes: keys moved"))?;
    }
    Ok(())
}

/// Other names for the same machines move nothing, or what chance says; another hash seed moves
/// what chance says. Unequal shares leave more or less to chance.
pub(super) fn names_and_seeds(subject: &Subject) -> Finding {
    let sample = Sample::new(10_000);
    let before = subject.fleet(12)?;
    let owners = sample.owners(&before);
    let renames: Vec<Change> = (0..12)
        .map(|id| {
            let name = NodeName::new(&format!("cache-{}", 50 - id)).expect("a short name");
            Change::Rename(NodeId(id), name)
        })
        .collect();
    let renamed = subject.step(&before, &renames)?;
    let moved = part_moved(&owners, &sample.owners(&renamed));
    let bound = if subject.spec.claims(Claim::FairShares) { 0.02 } else { 0.06 };
    let by_chance = |moved: f64| (moved - 11.0 / 12.0).abs() < bound;
    hold(moved == 0.0 || by_chance(moved), || format!("renaming everybody moves {moved}"))?;
    let roster = before.scheme().roster().clone();
    let seed = HashSeed(3);
    let rehashed = subject.serve(roster, seed).map_err(|error| error.to_string())?;
    let moved = part_moved(&owners, &sample.salted(seed).owners(&rehashed));
    hold(by_chance(moved), || format!("another hash seed moves {moved}"))
}
