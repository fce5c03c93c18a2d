//! One answer however it is asked.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use placelab_core::{
    Capability, Change, CopyRule, Count, NodeId, PlacementError, Placer, Record, Roster, advance,
    replicas,
};

use crate::sample::Sample;
use crate::subject::{Finding, PUBLISHED, Subject, hold, weighted};

/// Single lookups, batches, several memberships and traces agree.
pub(super) fn one_answer(subject: &Subject) -> Finding {
    let sample = Sample::new(1_000);
    let join = [Change::Add(Roster::numbered_node(12))];
    let first = subject.placement(12)?;
    let later = advance(subject.spec, first.as_ref(), &join).map_err(|error| error.to_string())?;
    let [batch, later_batch] = [&first, &later].map(|placement| {
        let mut owners = vec![NodeId::NOBODY; sample.hashes.len()];
        placement.place_many(sample.keys(), &mut owners);
        owners
    });
    let mut rows = [vec![NodeId(u32::MAX); batch.len()], vec![NodeId(u32::MAX); batch.len()]];
    let [one, two] = &mut rows;
    first.place_across(&[later.as_ref()], sample.keys(), &mut [one, two]);
    hold(rows == [batch.clone(), later_batch], || "several memberships at once differ".into())?;
    for (key, owner) in sample.each().zip(batch) {
        let (mut count, mut record) = (Count::default(), Record::default());
        let traced = [first.trace(key, &mut count), first.trace(key, &mut record)];
        let agree = first.place(key) == owner && traced == [owner; 2];
        hold(agree, || format!("key {:x} has several owners", key.hash.0))?;
        let steps = record.0.len() as u64;
        hold(count.0 == steps && steps > 0, || format!("{} and {steps} steps", count.0))?;
    }
    Ok(())
}

/// A copy, a rebuild from the same history and another thread answer alike.
pub(super) fn deterministic(subject: &Subject) -> Finding {
    let sample = Sample::new(1_000);
    let history = [
        vec![Change::Add(Roster::numbered_node(9))],
        vec![Change::Add(Roster::numbered_node(10))],
        vec![Change::Remove(NodeId(10))],
    ];
    let live = || {
        let mut placement = subject.fleet(9)?;
        for changes in &history {
            placement = subject.step(&placement, changes)?;
        }
        Ok::<_, String>(placement)
    };
    let placement = live()?;
    let owners = sample.owners(&placement);
    hold(sample.owners(&placement.fork()) == owners, || "a copy differs".into())?;
    hold(sample.owners(&live()?) == owners, || "the same history differs".into())?;
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| sample.owners(&placement)).join());
    hold(elsewhere.is_ok_and(|other| other == owners), || "another thread differs".into())
}

/// Replicas are distinct, the owner first; more than there are nodes is a typed error.
pub(super) fn copies(subject: &Subject) -> Finding {
    let sample = Sample::new(100);
    let placement = subject.placement(8)?;
    for count in 1..=8 {
        let mut all = vec![NodeId(u32::MAX); count * sample.hashes.len()];
        let chooser = CopyRule::plain(count).chooser(placement.roster());
        let chooser = chooser.map_err(|error| error.to_string())?;
        chooser.choose_many(placement.as_ref(), sample.keys(), &mut all);
        for (key, copies) in sample.each().zip(all.chunks(count)) {
            let alone = replicas(placement.as_ref(), key, count);
            hold(alone.as_deref() == Ok(copies), || format!("{count} copies: {alone:?}"))?;
            let distinct: BTreeSet<&NodeId> = copies.iter().collect();
            let right = distinct.len() == count && copies[0] == placement.place(key);
            hold(right, || format!("{count} copies on {copies:?}"))?;
        }
    }
    let too_few = replicas(placement.as_ref(), sample.keys().get(0), 9);
    let expected = Err(PlacementError::TooFewNodes { asked: 9, serving: 8 });
    hold(too_few == expected, || format!("9 copies on 8 nodes: {too_few:?}"))
}

/// Every node of positive weight exactly once, the owner first.
pub(super) fn candidates(subject: &Subject) -> Finding {
    let mut rosters = vec![Roster::numbered(7).expect("seven nodes are few")];
    if subject.can(Capability::Weights) {
        // One so light that a table has no room for it, or cannot be made.
        let light = Change::Reweight(NodeId(0), "0.000001".parse().expect("a weight"));
        let uneven = weighted(&[1, 10, 0, 3]);
        rosters.push(uneven.after(&[light]).expect("others serve"));
        rosters.push(uneven);
    }
    for roster in rosters {
        let mut everybody: Vec<NodeId> = roster.serving().map(|node| node.id).collect();
        everybody.sort_unstable();
        let placed = subject.serve(roster, PUBLISHED).and_then(Placer::into_placement);
        let placement = match placed {
            Ok(placement) => placement,
            Err(PlacementError::Limit { .. } | PlacementError::Parameter { .. }) => continue,
            Err(error) => return Err(error.to_string()),
        };
        for key in Sample::new(200).each() {
            let mut seen = Vec::new();
            placement.candidates(key, &mut |node| {
                seen.push(node);
                ControlFlow::Continue(())
            });
            hold(seen.first() == Some(&placement.place(key)), || "the owner is not first".into())?;
            seen.sort_unstable();
            hold(seen == everybody, || format!("candidates are {seen:?}"))?;
        }
    }
    Ok(())
}
