//! `cargo bench --bench peers`: every peer beside this project's algorithm, on the same keys.
//!
//! Prints how many times as long each takes as a batch of ours, and how many keys get another
//! owner from those that claim the same function. `-- --write` writes that to `docs/PEERS.md` as
//! well; `-- --test` only shows that everything can be timed.

mod page;
#[path = "../rivals/mod.rs"]
mod rivals;

use std::collections::{BTreeMap, BTreeSet};

use placelab_algorithms::simd::Level;
use placelab_benches::ours::{fleet, in_batches, one_by_one, placement};
use placelab_benches::versus::{Clock, Effort, Runner, race};
use placelab_benches::{Batch, NODE_COUNTS};
use placelab_core::{Key, Keys, Placement};
use rivals::{Answers, Group, Lookup, Peer};

/// What takes part, as tables name it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Contender {
    place: usize,
    name: String,
    how: String,
}

/// Figures of a group.
struct Standing {
    group: Group,
    /// Times of a batch of ours, by contender and fleet.
    ratios: BTreeMap<Contender, BTreeMap<u32, f64>>,
    /// How many keys have another owner, by call and fleet.
    differing: BTreeMap<Contender, BTreeMap<u32, usize>>,
}

fn ours(name: &str, place: usize, how: &str) -> Contender {
    Contender { place, name: format!("**placelab** {name}"), how: how.into() }
}

fn theirs(place: usize, peer: &Peer) -> Contender {
    let name = format!("`{}` {}", peer.crate_name, peer.call);
    Contender { place, name, how: peer.hashing.words().into() }
}

/// One fleet of a group: a race between our single lookup, our batches by level, and the peers.
fn meet(standing: &mut Standing, nodes: u32, effort: Effort, batch: &Batch) {
    let group = &standing.group;
    let text = group.text(nodes);
    let placement = placement(&text, fleet(nodes, group.weights)).expect("ours serve such fleets");
    let placement = placement.as_ref();
    let mut names = vec![ours("single lookups", 0, "takes a hash")];
    let mut runners =
        vec![Runner::new(effort.keys, |count| one_by_one(placement, batch.first(count)))];
    let levels: Vec<Level> = Level::available().collect();
    for &level in &levels {
        names.push(ours(&format!("batches, {level}"), names.len(), "takes a hash"));
        let mut owners = Vec::new();
        runners.push(Runner::new(effort.keys, move |count| {
            in_batches(placement, level, batch.first(count), &mut owners)
        }));
    }
    let base = runners.len() - 1;
    for peer in &group.peers {
        let contender = theirs(names.len(), peer);
        names.push(contender.clone());
        if peer.nodes_max < nodes {
            continue;
        }
        let mut lookup = (peer.build)(nodes);
        if peer.answers == Answers::Ours {
            let differing = differing(placement, &mut lookup, batch.first(effort.keys));
            standing.differing.entry(contender).or_default().insert(nodes, differing);
        }
        runners.push(Runner::new(effort.keys, move |count| lookup(batch.first(count))));
    }
    let is_present = |contender: &Contender| {
        let peer = contender.place.checked_sub(levels.len() + 1);
        peer.is_none_or(|peer| group.peers[peer].nodes_max >= nodes)
    };
    let present: Vec<Contender> = names.iter().filter(|name| is_present(name)).cloned().collect();
    let times = race(effort, Clock::Thread, runners);
    for (runner, contender) in present.into_iter().enumerate() {
        standing
            .ratios
            .entry(contender)
            .or_default()
            .insert(nodes, times.ratio(runner, base).value);
    }
}

/// How many keys a peer gives to another node than ours.
fn differing(placement: &dyn Placement, lookup: &mut Lookup, keys: Keys<'_>) -> usize {
    let differs = |hash: &&[_]| {
        let [placelab_core::KeyHash(key)] = **hash else { unreachable!("keys come one by one") };
        lookup(Keys::hashed(hash)) != u64::from(placement.place(Key::hashed(key)).0)
    };
    keys.hashes.chunks(1).filter(differs).count()
}

/// Each crate of the manifest takes part, and no other.
fn check(groups: &[Group]) {
    let named: BTreeSet<&str> =
        groups.iter().flat_map(|group| &group.peers).map(|peer| peer.crate_name).collect();
    let versions = page::versions();
    let listed: BTreeSet<&str> = versions.keys().map(String::as_str).collect();
    assert_eq!(named, listed, "the manifest lists the peers");
}

fn main() {
    let is_asked = |flag: &str| std::env::args().any(|argument| argument == flag);
    let effort = if is_asked("--test") { Effort::TEST } else { Effort::FULL };
    let groups = rivals::groups();
    check(&groups);
    let batch = Batch::distinct(0, effort.keys as u64);
    let mut standings = Vec::new();
    for group in groups {
        eprintln!("{} …", group.ours);
        let mut standing = Standing { group, ratios: BTreeMap::new(), differing: BTreeMap::new() };
        let tested = |nodes: &u32| !is_asked("--test") || *nodes <= 100;
        for nodes in NODE_COUNTS.into_iter().filter(tested) {
            meet(&mut standing, nodes, effort, &batch);
        }
        standings.push(standing);
    }
    let page = page::page(&standings, effort);
    println!("{page}");
    if is_asked("--write") && !is_asked("--test") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/PEERS.md");
        std::fs::write(path, page).expect("the documentation can be written");
    }
}
