//! Explanations over the whole registry: the last step names the owner, and figures add up.

use placelab_algorithms::REGISTRY;
use placelab_core::{
    AlgorithmSpec, Arguments, Build, HashFunction, HashSeed, Key, KeyHash, Placement, Roster,
    establish,
};
use placelab_operate::explain::{AfterLoss, Event, Explanation, explain};

fn established(spec: &'static AlgorithmSpec, nodes: u32) -> (Arguments, Box<dyn Placement>) {
    let arguments = Arguments::defaults(spec);
    let roster = Roster::numbered(nodes).unwrap();
    let placement = establish(spec, &arguments, HashSeed::PUBLISHED, roster).unwrap();
    (arguments, placement)
}

fn explained(name: &str, nodes: u32, key: &str) -> Explanation {
    let spec = placelab_algorithms::find(name).unwrap();
    let (arguments, placement) = established(spec, nodes);
    explain(spec, &arguments, &*placement, key_of(key))
}

fn key_of(text: &str) -> Key<'_> {
    Key { hash: KeyHash(HashFunction::Xxh3.hash(text.as_bytes())), bytes: text.as_bytes() }
}

/// Whom the steps end with, as a reader would tell who sees nothing but them.
fn last(steps: &Explanation) -> Option<&str> {
    let events = || steps.steps.iter().map(|step| &step.event);
    let winner = events().find_map(|event| match event {
        Event::Score { rank: 1, node, .. } => Some(node),
        _ => None,
    });
    let closest = events().rev().find_map(|event| match event {
        Event::Point { leads: true, node, .. }
        | Event::Slot { node, .. }
        | Event::Bucket { node, .. } => Some(node),
        _ => None,
    });
    winner.or(closest).map(String::as_str)
}

#[test]
fn steps_lead_to_the_owner() {
    let placements = REGISTRY.iter().filter(|spec| matches!(spec.build, Build::Placement(_)));
    let mut told = 0;
    for spec in placements {
        let (arguments, placement) = established(spec, 9);
        for number in 0..300 {
            let text = format!("key-{number}");
            let found = explain(spec, &arguments, &*placement, key_of(&text));
            let owner = placement.roster().get(placement.place(key_of(&text))).unwrap();
            assert_eq!(found.owner, owner.name.as_str(), "{}", spec.name);
            assert_eq!(found.candidates[0], found.owner, "{}", spec.name);
            assert!(!found.steps.is_empty(), "{} says nothing", spec.name);
            if let Some(last) = last(&found) {
                assert_eq!(last, found.owner, "{} {text}: {:#?}", spec.name, found.steps);
                told += 1;
            }
        }
    }
    // Only the canary `ideal` draws by a rule that its steps do not show.
    assert_eq!(told, 300 * (REGISTRY.iter().filter(|spec| is_told(spec)).count()));
}

fn is_told(spec: &AlgorithmSpec) -> bool {
    matches!(spec.build, Build::Placement(_)) && spec.name != "ideal"
}

/// A key that jumps several times: each stop follows from the one before by hand.
#[test]
fn jumps_add_up() {
    let found = explained("jump", 1_000, "user-17");
    let mut bucket = 0;
    for step in &found.steps {
        let Event::Jump { bucket: from, draw, reaches, to, ends, buckets } = step.event else {
            continue;
        };
        assert_eq!((u64::from(from), buckets), (bucket, 1_000));
        assert!((1..=1 << 31).contains(&draw));
        assert!((reaches - (bucket + 1) as f64 * f64::from(1u32 << 31) / draw as f64).abs() < 1e-9);
        assert_eq!(to, reaches.floor() as u64, "{}", step.says);
        assert_eq!(ends, to >= 1_000);
        bucket = if ends { bucket } else { to };
    }
    assert_eq!(found.owner, format!("node-{bucket}"));
    assert!(found.steps.len() > 2, "the key was to jump: {:?}", found.steps);
}

/// Chains of picks: each remainder is that of its hash, and the last bucket is the owner's.
#[test]
fn picks_add_up() {
    let mut met_one_out = 0;
    for key in 0..100 {
        let found = explained("anchor", 5, &format!("user-{key}"));
        for step in &found.steps {
            let Event::Pick { value, among, bucket, is_out } = &step.event else { continue };
            assert_eq!(u64::from_str_radix(value, 16).unwrap() % among, *bucket, "{}", step.says);
            // The first five buckets of sixteen are in service.
            assert_eq!(*is_out, *bucket >= 5, "{}", step.says);
            met_one_out += usize::from(*is_out);
        }
    }
    assert!(met_one_out > 50, "eleven buckets of sixteen are out of service");
}

#[test]
fn losses_are_told() {
    let keeps = explained("rendezvous", 5, "user-17");
    assert_eq!(keeps.after_loss, AfterLoss::Owner(keeps.candidates[1].clone()));
    let refuses = (0..50).map(|key| explained("jump", 5, &format!("k{key}")));
    let refuses = refuses.filter(|found| found.owner != "node-4");
    for found in refuses {
        let AfterLoss::Refused(reason) = &found.after_loss else { panic!("{found:?}") };
        assert!(reason.contains("remove-any"), "{reason}");
    }
    let alone = explained("ring", 1, "user-17");
    assert!(matches!(alone.after_loss, AfterLoss::Refused(_)), "nobody is left");
}

/// What a reader sees is safe to show: no control characters, and no longer than a line.
#[test]
fn keys_are_shown_safely() {
    let hostile = "\u{1b}[2J\u{202e}<img src=x>".to_string() + &"x".repeat(10_000);
    let found = explained("modulo", 3, &hostile);
    assert!(found.key.chars().count() <= 201 && found.key.ends_with('…'));
    assert!(!found.key.contains(['\u{1b}', '\u{202e}']));
    assert_eq!(found.key_bytes, hostile.len());
}
