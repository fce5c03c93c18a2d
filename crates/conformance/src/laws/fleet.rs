//! What a fleet goes through, and who owns keys afterwards.

use std::collections::BTreeSet;

use placelab_core::{
    AlgorithmSpec, Capability, Change, Claim, HashSeed, History, NodeId, NodeName, PlacementError,
    Placer, Roster, Weight,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::sample::Sample;
use crate::subject::{Finding, PUBLISHED, Subject, hold, weighted};

/// Scripts of a certificate; tests enumerate small worlds beside them.
const SCRIPTS: u64 = 200;
const SCRIPT_SEED: u64 = 0x636f_6e66_6f72_6d00;

/// Only live nodes of positive weight own keys.
pub(super) fn range(subject: &Subject) -> Finding {
    let sample = Sample::new(2_000);
    let mut placers = Vec::new();
    for nodes in [1, 2, 3, 7, 16, 33] {
        placers.push(subject.fleet(nodes)?);
    }
    if subject.can(Capability::Weights) {
        let idle = subject.serve(weighted(&[0, 3, 0, 1]), PUBLISHED);
        placers.push(idle.map_err(|error| error.to_string())?);
    }
    if subject.can(Capability::RemoveAny) {
        let gone = [Change::Remove(NodeId(3)), Change::Remove(NodeId(0))];
        placers.push(subject.step(&subject.fleet(9)?, &gone)?);
    }
    placers.iter().try_for_each(|placer| lives(placer, &sample))
}

/// Whether every owner is a member of positive weight.
fn lives(placer: &Placer, sample: &Sample) -> Finding {
    let roster = placer.scheme().roster();
    for owner in sample.owners(placer) {
        let lives = roster.get(owner).is_some_and(|node| node.weight > Weight::ZERO);
        hold(lives, || format!("node #{} of {} owns a key", owner.0, roster.len()))?;
    }
    Ok(())
}

/// What is declared can be done; what is not is refused with that very capability.
pub(super) fn capabilities(subject: &Subject) -> Finding {
    let needs = [
        (Capability::RemoveAny, Change::Remove(NodeId(2))),
        (Capability::Weights, Change::Reweight(NodeId(2), Weight::units(3))),
    ];
    let before = subject.fleet(6)?;
    for (capability, change) in needs {
        let error = before.after(subject.spec, &[change]).err();
        let expected = match subject.can(capability) {
            true => None,
            false => Some(PlacementError::Unsupported { capability, change: Some(0) }),
        };
        hold(error == expected, || format!("{capability}: {error:?}"))?;
    }
    let unequal = subject.serve(weighted(&[1, 2]), PUBLISHED);
    let can = subject.can(Capability::Weights);
    hold(unequal.is_ok() == can, || format!("weights 1:2: {:?}", unequal.err()))
}

/// The order of joining does not matter, nor does that of updates.
pub(super) fn order_free(subject: &Subject) -> Finding {
    let sample = Sample::new(3_000);
    let forward = subject.fleet(13)?;
    let mut nodes = forward.scheme().roster().nodes().to_vec();
    nodes.reverse();
    let backward = Roster::new(nodes).and_then(|roster| subject.serve(roster, PUBLISHED));
    let backward = backward.map_err(|error| error.to_string())?;
    let answers = sample.owners(&forward);
    hold(sample.owners(&backward) == answers, || "13 nodes in reverse differ".into())?;
    if subject.can(Capability::RemoveAny) {
        let [a, b] = [[NodeId(4), NodeId(9)], [NodeId(9), NodeId(4)]].map(|gone| {
            gone.iter().try_fold(forward.fork(), |placement, id| {
                subject.step(&placement, &[Change::Remove(*id)])
            })
        });
        let same = sample.owners(&a?) == sample.owners(&b?);
        hold(same, || "removing #4 and #9 in another order differs".into())?;
    }
    Ok(())
}

/// A random script, many of its changes impossible. What is refused leaves no trace: what was made
/// never changes.
struct Script {
    number: u64,
    seed: HashSeed,
    /// What was done.
    history: History,
    /// What was made of every state.
    placers: Vec<Placer>,
}

impl Script {
    /// From a fleet of one to six nodes under one of three hash seeds, the published one first.
    fn new(subject: &Subject, number: u64) -> Result<Self, String> {
        let mut draws = Xoshiro256PlusPlus::seed_from_u64(SCRIPT_SEED + number);
        let seed = HashSeed(number / 6 % 3);
        let failed = |error: PlacementError| format!("script {number}: {error}");
        let start = Roster::numbered(1 + (number % 6) as u32).map_err(failed)?;
        let first = subject.serve(start.clone(), seed).map_err(failed)?;
        let mut script =
            Script { number, seed, history: History::new(start), placers: vec![first] };
        for _ in 0..8 {
            let changes: Vec<Change> =
                (0..1 + draws.next_u64() % 2).map(|_| change(&mut draws)).collect();
            if let Ok(next) = script.last().after(subject.spec, &changes) {
                script.placers.push(next);
                script.history.steps.push(changes);
            }
        }
        Ok(script)
    }

    fn last(&self) -> &Placer {
        self.placers.last().expect("the first fleet is there")
    }

    /// A finding about it.
    fn hold(&self, holds: bool, wrong: &str) -> Finding {
        hold(holds, || format!("script {}, {:?}: {wrong}", self.number, self.history))
    }
}

/// Never a dead owner, and where the order is free the state after any history is that of a fresh
/// start.
pub(super) fn scripts(subject: &Subject) -> Finding {
    (0..SCRIPTS).try_for_each(|number| {
        let script = Script::new(subject, number)?;
        let sample = Sample::new(64).salted(script.seed);
        for placer in &script.placers {
            lives(placer, &sample).map_err(|error| format!("script {number}: {error}"))?;
        }
        if subject.spec.claims(Claim::OrderFree) {
            let roster = script.last().scheme().roster().clone();
            let fresh = subject.serve(roster, script.seed).map_err(|error| error.to_string())?;
            let same = sample.owners(&fresh) == sample.owners(script.last());
            script.hold(same, "a fresh start differs")?;
        }
        Ok(())
    })
}

/// The twin agrees at the end of every script.
pub(super) fn twin(subject: &Subject) -> Finding {
    let Subject { spec, arguments } = subject;
    (0..SCRIPTS).try_for_each(|number| {
        let script = Script::new(subject, number)?;
        let sample = Sample::new(64).salted(script.seed);
        let twin = (spec.naive)(arguments, script.seed, &script.history, sample.keys());
        script.hold(sample.owners(script.last()) == twin, "the twin differs")
    })
}

/// Whether a scheme has a table of owners that all clients hold.
pub(super) fn has_table(spec: &'static AlgorithmSpec) -> bool {
    let placement = Subject::small(spec).placement(2);
    placement.is_ok_and(|placement| placement.table().is_some())
}

/// The owner of a key is that of its row: while there are as many rows, one node follows another
/// only where it does so in some row.
pub(super) fn table(subject: &Subject) -> Finding {
    let rows = |placer: &Placer| placer.placement().and_then(|placement| placement.table());
    (0..SCRIPTS).try_for_each(|number| {
        let script = Script::new(subject, number)?;
        let sample = Sample::new(64).salted(script.seed);
        for pair in script.placers.windows(2) {
            let tables = rows(&pair[0]).zip(rows(&pair[1]));
            let Some((old, new)) = tables.filter(|(old, new)| old.len() == new.len()) else {
                continue;
            };
            let follows: BTreeSet<(NodeId, NodeId)> = std::iter::zip(old, new).collect();
            let [old, new] = [&pair[0], &pair[1]].map(|placer| sample.owners(placer));
            let holds = std::iter::zip(old, new).all(|owners| follows.contains(&owners));
            script.hold(holds, "a key has another owner than any row")?;
        }
        Ok(())
    })
}

fn change(draws: &mut Xoshiro256PlusPlus) -> Change {
    let id = (draws.next_u64() % 9) as u32;
    match draws.next_u64() % 5 {
        0 | 1 => Change::Add(Roster::numbered_node(id)),
        2 => Change::Remove(NodeId(id)),
        3 => Change::Rename(NodeId(id), NodeName::numbered(9 - id)),
        _ => Change::Reweight(NodeId(id), Weight::units((draws.next_u64() % 4) as u32)),
    }
}
