//! How finely weights count, and whether their ratio is all that does.

use placelab_core::{Change, FleetWeight, HashSeed, Node, Placer, Roster, Weight};

use crate::sample::Sample;
use crate::subject::{Finding, PUBLISHED, Subject, hold};

/// Weight of a fleet of this law in micro-units: tables of up to 2^16 entries cut it into equal
/// parts that are whole numbers, so that they can be met exactly.
const WHOLE: u64 = 65_536_000;
/// Weight of the second node; the third has what the light one and it leave.
const SECOND: u64 = 20_000_000;
/// Hash seeds over which shares are averaged where they depend on them.
const SEEDS: u64 = 100;

/// What a light node has, as a part of all keys.
struct LightShare {
    mean: f64,
    /// Five standard errors of the mean.
    error: f64,
}

/// A light node beside two heavy ones is off by one part of the stated resolution at most, and one
/// of a quarter of such a part by half of what it should have, unless it is refused. Schemes that
/// know no exact shares, or promise none in proportion, have nothing that could be compared.
pub(super) fn resolution(subject: &Subject) -> Finding {
    let stated = subject.spec.resolution.ok_or("weights of no stated resolution")?;
    let units = |micros: u64| micros as f64 / Weight::MICROS as f64;
    let fleet = FleetWeight { sum: units(WHOLE), heaviest: units(WHOLE - SECOND) };
    let least = (stated.weight)(&subject.arguments, fleet) * Weight::MICROS as f64;
    if !least.is_finite() {
        return Ok(());
    }
    let target = |micros: u64| micros as f64 / WHOLE as f64;
    let light = [1.0, 2.0, 3.0, 10.0, 100.0].map(|times| times * least);
    for weight in light.into_iter().filter(|weight| *weight <= SECOND as f64) {
        let weight = weight.round() as u64;
        let served = light_share(subject, weight).map_err(|error| format!("{weight} µ: {error}"));
        let Some(share) = served? else { return Ok(()) };
        let apart = (share.mean - target(weight)).abs();
        // The weight itself was rounded, by up to half a micro-unit.
        hold(apart <= (least + 0.5) / WHOLE as f64 + share.error, || {
            format!("{} of {}: share {}", units(weight), fleet.sum, share.mean)
        })?;
    }
    let finer = (least / 4.0).round() as u64;
    match light_share(subject, finer.max(1)) {
        Ok(Some(share)) => {
            let apart = (share.mean - target(finer)).abs();
            hold(apart + share.error >= target(finer) / 2.0, || {
                format!("even {} of {} has its share {}", units(finer), fleet.sum, share.mean)
            })
        }
        _ => Ok(()),
    }
}

/// The exact share of a node of so many micro-units, over hash seeds; none where the scheme knows
/// none.
fn light_share(subject: &Subject, micros: u64) -> Result<Option<LightShare>, String> {
    let roster = fleet(&[micros, SECOND, WHOLE - SECOND - micros].map(weight));
    let light = roster.nodes()[0].id;
    let mut shares: Vec<f64> = Vec::new();
    // Tables deal alike at every seed.
    while shares.len() < 2 || (shares.len() < SEEDS as usize && shares[0] != shares[1]) {
        let placer = subject.serve(roster.clone(), HashSeed(shares.len() as u64));
        let placement = placer.and_then(Placer::into_placement).map_err(|error| error.to_string());
        let Some(exact) = placement?.shares() else { return Ok(None) };
        let part = exact.parts.iter().find(|(id, _)| *id == light).map_or(0, |(_, part)| *part);
        shares.push(part as f64 / exact.whole as f64);
    }
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Ok(Some(LightShare { mean, error: 5.0 * (variance / count).sqrt() }))
}

fn weight(micros: u64) -> Weight {
    let (units, rest) = (micros / Weight::MICROS, micros % Weight::MICROS);
    format!("{units}.{rest:06}").parse().expect("a weight of a law")
}

/// `node-0` … of these weights.
fn fleet(weights: &[Weight]) -> Roster {
    let node = |(id, &weight): (u32, &Weight)| Node { weight, ..Roster::numbered_node(id) };
    Roster::new((0..).zip(weights).map(node).collect()).expect("a fleet of a law")
}

/// Fleets in one ratio have the same owners, afresh and when one becomes the other.
pub(super) fn scale_free(subject: &Subject) -> Finding {
    let ratios = [
        ("1:2:3", "2:4:6"),
        ("1:2:3", "0.5:1:1.5"),
        ("1.00:1.25:1.75", "4:5:7"),
        ("4:5:7", "0.4:0.5:0.7"),
        ("1:10:0:5", "7:70:0:35"),
        ("1000:1:1", "1:0.001:0.001"),
        ("1:1:1:1:1", "0.3:0.3:0.3:0.3:0.3"),
    ];
    let sample = Sample::new(10_000);
    ratios.into_iter().try_for_each(|(one, other)| {
        let [before, fresh] = [one, other].map(|text| {
            let weights: Vec<Weight> =
                text.split(':').map(|weight| weight.parse().expect("a weight of a law")).collect();
            subject.serve(fleet(&weights), PUBLISHED).map_err(|error| format!("{text}: {error}"))
        });
        let (before, fresh) = (before?, fresh?);
        let nodes = fresh.scheme().roster().nodes().iter();
        let changes: Vec<Change> =
            nodes.map(|node| Change::Reweight(node.id, node.weight)).collect();
        let owners = sample.owners(&before);
        let after = subject.step(&before, &changes)?;
        hold(owners == sample.owners(&after), || format!("{one} becomes {other}: keys move"))?;
        hold(owners == sample.owners(&fresh), || format!("{one} and {other} differ"))
    })
}
