//! What a fleet goes through, and who owns keys afterwards.

use placelab_core::{
    Capability, Change, Claim, History, NodeId, NodeName, Placement, PlacementError, Roster,
    Weight, advance,
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
    let mut placements = Vec::new();
    for nodes in [1, 2, 3, 7, 16, 33] {
        placements.push(subject.fleet(nodes)?);
    }
    if subject.can(Capability::Weights) {
        let idle = subject.serve(weighted(&[0, 3, 0, 1]), PUBLISHED);
        placements.push(idle.map_err(|error| error.to_string())?);
    }
    if subject.can(Capability::RemoveAny) {
        let gone = [Change::Remove(NodeId(3)), Change::Remove(NodeId(0))];
        placements.push(subject.step(subject.fleet(9)?.as_ref(), &gone)?);
    }
    placements.iter().try_for_each(|placement| lives(placement.as_ref(), &sample))
}

/// Whether every owner is a member of positive weight.
fn lives(placement: &dyn Placement, sample: &Sample) -> Finding {
    let roster = placement.roster();
    for owner in sample.owners(placement) {
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
        let error = advance(subject.spec, before.as_ref(), &[change]).err();
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
    let mut nodes = forward.roster().nodes().to_vec();
    nodes.reverse();
    let backward = Roster::new(nodes).and_then(|roster| subject.serve(roster, PUBLISHED));
    let backward = backward.map_err(|error| error.to_string())?;
    let answers = sample.owners(forward.as_ref());
    hold(sample.owners(backward.as_ref()) == answers, || "13 nodes in reverse differ".into())?;
    if subject.can(Capability::RemoveAny) {
        let [a, b] = [[NodeId(4), NodeId(9)], [NodeId(9), NodeId(4)]].map(|gone| {
            gone.iter().try_fold(forward.fork(), |placement, id| {
                subject.step(placement.as_ref(), &[Change::Remove(*id)])
            })
        });
        let same = sample.owners(a?.as_ref()) == sample.owners(b?.as_ref());
        hold(same, || "removing #4 and #9 in another order differs".into())?;
    }
    Ok(())
}

/// Random scripts, many of their changes impossible: never a dead owner, and where the order is
/// free the state after any history is that of a fresh start.
pub(super) fn scripts(subject: &Subject) -> Finding {
    let sample = Sample::new(64);
    each_script(subject, |script, placements, _| {
        let failed = |error: String| format!("script {script}: {error}");
        for placement in &placements {
            lives(placement.as_ref(), &sample).map_err(failed)?;
        }
        let last = placements.last().expect("a first fleet");
        if subject.spec.claims(Claim::OrderFree) {
            let fresh = subject.serve(last.roster().clone(), PUBLISHED);
            let fresh = fresh.map_err(|error| failed(error.to_string()))?;
            let same = sample.owners(fresh.as_ref()) == sample.owners(last.as_ref());
            hold(same, || format!("script {script}: a fresh start differs"))?;
        }
        Ok(())
    })
}

/// The twin agrees at the end of every script.
pub(super) fn twin(subject: &Subject) -> Finding {
    let sample = Sample::new(64);
    let Subject { spec, arguments } = subject;
    each_script(subject, |script, placements, history| {
        let twin = (spec.naive)(arguments, PUBLISHED, history, sample.keys());
        let last = placements.last().expect("a first fleet");
        hold(sample.owners(last.as_ref()) == twin, || {
            format!("script {script}: the twin differs after {history:?}")
        })
    })
}

/// Shows each script: its number, the placement of every state, and what was done. What is refused
/// leaves no trace: a placement never changes.
fn each_script(
    subject: &Subject,
    look: impl Fn(u64, Vec<Box<dyn Placement>>, &History) -> Finding,
) -> Finding {
    for script in 0..SCRIPTS {
        let mut draws = Xoshiro256PlusPlus::seed_from_u64(SCRIPT_SEED + script);
        let first = subject.fleet(1 + (script % 6) as u32)?;
        let mut history = History::new(first.roster().clone());
        let mut placements = vec![first];
        for _ in 0..8 {
            let changes: Vec<Change> =
                (0..1 + draws.next_u64() % 2).map(|_| change(&mut draws)).collect();
            let before = placements.last().expect("a first fleet");
            if let Ok(next) = advance(subject.spec, before.as_ref(), &changes) {
                placements.push(next);
                history.steps.push(changes);
            }
        }
        look(script, placements, &history)?;
    }
    Ok(())
}

fn change(draws: &mut Xoshiro256PlusPlus) -> Change {
    let id = (draws.next_u64() % 9) as u32;
    match draws.next_u64() % 5 {
        0 | 1 => Change::Add(Roster::numbered_node(id)),
        2 => Change::Remove(NodeId(id)),
        3 => Change::Rename(NodeId(id), NodeName::numbered(9 - id)),
        _ => Change::Reweight(NodeId(id), Weight::units(id % 3)),
    }
}
