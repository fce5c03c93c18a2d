//! How long lookups take, in sentences.

use std::collections::BTreeMap;

use placelab_results::{Rounds, Timings};

use super::{COLD_DEPENDENT, Course, DENSE, DEPENDENT, courses};
use crate::charts::frame::left_out;
use crate::number::{self, bytes, nanoseconds, percent};
use crate::subject::Subject;
use crate::text::{list_up_to, plural};

pub(super) fn finding(subject: &Subject, timings: &Timings, courses: &[Course]) -> String {
    let mut sentences = Vec::new();
    if let Some(nodes) = subject.timed_nodes() {
        sentences.extend(extremes(subject, courses, nodes));
    }
    sentences.extend(growth(courses));
    sentences.extend(cold(subject, timings));
    sentences.extend(jumps(subject, timings));
    sentences.extend(steadiness(timings));
    sentences.push(harness(timings));
    sentences.join(" ") + &left_out(subject)
}

/// How far figures lie from themselves, and which are lost in the harness.
fn steadiness(timings: &Timings) -> Option<String> {
    let served = timings.lookups.iter().filter(|lookup| lookup.refusal.is_none());
    let all: Vec<&Rounds> =
        served.flat_map(|lookup| lookup.figures().map(|(_, rounds)| rounds)).collect();
    let mut spreads: Vec<f64> = all.iter().map(|rounds| rounds.aa_spread).collect();
    spreads.retain(|spread| spread.is_finite());
    spreads.sort_by(f64::total_cmp);
    let (middle, most) = (spreads.get(spreads.len() / 2)?, spreads.last()?);
    let within = all.iter().filter(|rounds| rounds.is_within_floor()).count() as u64;
    let lost = match within {
        0 => String::new(),
        _ => format!(
            " No more is left of {} than was subtracted: about as fast as doing nothing.",
            plural(within, "figure", "figures")
        ),
    };
    Some(format!(
        "Odd and even rounds of one figure (A/A) lie {} apart in the middle, {} at most.{lost}",
        percent(*middle),
        percent(*most)
    ))
}

/// What was subtracted, what stands apart, and how cold is cold.
fn harness(timings: &Timings) -> String {
    let machine = &timings.machine;
    format!(
        "The harness took {} a key in batches and {} a dependent lookup, which is subtracted. To \
         hash a key of {} takes {} more. Before cold figures {} were read to displace the \
         caches. Times hold for this machine only.",
        nanoseconds(machine.floor.batch_ns.median),
        nanoseconds(machine.floor.dependent_ns.median),
        plural(timings.key_hash.key_bytes.into(), "byte", "bytes"),
        nanoseconds(timings.key_hash.batch_ns.median),
        bytes(machine.displaced_bytes as f64)
    )
}

/// The fastest and the slowest at a count of nodes; those whose rounds overlap stand together.
fn extremes(subject: &Subject, courses: &[Course], nodes: u32) -> Option<String> {
    let rivals = courses.iter().filter(|course| course.contender.is_rival());
    let here: Vec<(&str, [f64; 3])> = rivals
        .filter_map(|course| Some((course.name.as_str(), *course.points.get(&nodes)?)))
        .collect();
    let fastest = here.iter().map(|(_, times)| times[2]).reduce(f64::min)?;
    let slowest = here.iter().map(|(_, times)| times[1]).reduce(f64::max)?;
    let group = |is_in: &dyn Fn(&[f64; 3]) -> bool| {
        let those: Vec<_> = here.iter().filter(|(_, times)| is_in(times)).collect();
        let medians = || those.iter().map(|(_, times)| times[0]);
        let (low, high) = (medians().reduce(f64::min)?, medians().reduce(f64::max)?);
        let names: Vec<&str> = those.iter().map(|(name, _)| *name).collect();
        Some((number::range(low, high, nanoseconds), list_up_to(&names, 6)))
    };
    let (low, fast) = group(&|times| times[1] <= fastest)?;
    let (high, slow) = group(&|times| times[2] >= slowest)?;
    let count = number::count(nodes.into());
    let apart = subject.others().map_or(String::new(), |others| format!(", {others} apart"));
    Some(if fastest < slowest {
        format!(
            "At {count} nodes, the count timed nearest to this fleet, a lookup in a batch takes \
             least for {fast} ({low}) and most for {slow} ({high}){apart}."
        )
    } else {
        format!("At {count} nodes no lookup time can be told from another ({low}).")
    })
}

/// How many times as long a dependent lookup takes once the caches are displaced; those whose
/// rounds overlap take no longer that can be told.
fn cold(subject: &Subject, timings: &Timings) -> Option<String> {
    let nodes = subject.timed_nodes()?;
    let warm = courses(subject, timings, &DEPENDENT);
    let cold = courses(subject, timings, &COLD_DEPENDENT);
    let (mut longer, mut alike) = (Vec::new(), Vec::new());
    for course in cold.iter().filter(|course| course.contender.is_rival()) {
        let Some(cold) = course.points.get(&nodes) else { continue };
        let own = warm.iter().find(|warm| warm.index == course.index);
        let Some(warm) = own.and_then(|own| own.points.get(&nodes)) else { continue };
        match cold[1] > warm[2] {
            true => longer.push((cold[0] / warm[0], course.name.as_str())),
            false => alike.push(course.name.as_str()),
        }
    }
    longer.sort_by(|a, b| b.0.total_cmp(&a.0));
    let longer: Vec<String> = longer
        .into_iter()
        .map(|(times, name)| format!("{name} {}-fold", number::ratio(times, 1)))
        .collect();
    let count = number::count(nodes.into());
    let alike = match alike.is_empty() {
        true => String::new(),
        false => format!(" No longer than rounds tell apart: {}.", list_up_to(&alike, 6)),
    };
    let what = format!("At {count} nodes a dependent lookup takes longer cold than warm");
    match longer.is_empty() {
        true if alike.is_empty() => None,
        true => Some(format!(
            "Cold and warm dependent lookups cannot be told apart at {count} \
                              nodes."
        )),
        false => Some(format!("{what}: {}.{alike}", list_up_to(&longer, 12))),
    }
}

/// How much slower lookups become from the smallest to the largest fleet.
fn growth(courses: &[Course]) -> Option<String> {
    let least = courses.iter().filter_map(|course| course.points.keys().next()).min()?;
    let most = courses.iter().filter_map(|course| course.points.keys().last()).max()?;
    let rivals = courses.iter().filter(|course| course.contender.is_rival());
    let growth: Vec<String> = rivals
        .filter_map(|course| {
            let (first, last) = (course.points.get(least)?[0], course.points.get(most)?[0]);
            Some(format!("{} {}-fold", course.name, number::ratio(last / first, 1)))
        })
        .collect();
    (!growth.is_empty() && least < most).then(|| {
        format!(
            "From {} to {} nodes the median grows: {}.",
            number::count((*least).into()),
            number::count((*most).into()),
            list_up_to(&growth, 12)
        )
    })
}

/// Which lookups become cheaper again as the fleet grows, and by how much at most: what no size in
/// each decade would show. Falls whose rounds overlap are no falls.
fn jumps(subject: &Subject, timings: &Timings) -> Option<String> {
    let dense = courses(subject, timings, &DENSE);
    let most = dense.iter().filter_map(|course| course.points.keys().last()).max()?;
    let mut falls: Vec<(f64, String)> = Vec::new();
    for course in dense.iter().filter(|course| course.contender.is_rival()) {
        let Some((from, to)) = deepest_fall(&course.points) else { continue };
        let (high, low) = (course.points[&from][0], course.points[&to][0]);
        falls.push((
            high / low,
            format!(
                "{} ({} at {} nodes, {} at {})",
                course.name,
                nanoseconds(high),
                number::count(from.into()),
                nanoseconds(low),
                number::count(to.into())
            ),
        ));
    }
    falls.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names: Vec<&str> = falls.iter().map(|(_, words)| words.as_str()).collect();
    let most = number::count((*most).into());
    Some(match names.is_empty() {
        true => format!("No lookup becomes much cheaper as the fleet grows to {most} nodes."),
        false => format!(
            "On the way to {most} nodes lookups become cheaper again for {}.",
            list_up_to(&names, 6)
        ),
    })
}

/// A fall of a time by this part or more is told.
const FALL_MIN: f64 = 0.3;

/// Between which sizes a time falls most as the fleet grows.
fn deepest_fall(points: &BTreeMap<u32, [f64; 3]>) -> Option<(u32, u32)> {
    let mut deepest = None;
    let mut highest: Option<(u32, [f64; 3])> = None;
    for (&nodes, &times) in points {
        let Some((from, before)) = highest.filter(|(_, before)| before[0] > times[0]) else {
            highest = Some((nodes, times));
            continue;
        };
        let part = 1.0 - times[0] / before[0];
        if part >= FALL_MIN && before[1] > times[2] && deepest.is_none_or(|(p, _)| part > p) {
            deepest = Some((part, (from, nodes)));
        }
    }
    deepest.map(|(_, sizes)| sizes)
}
