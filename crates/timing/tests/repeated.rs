//! What one repeated key does to a time: the measurement that `docs/METHODOLOGY.md` shows.
//!
//! Twice, since the project's jump hash takes short walks without branches, which leaves little to
//! learn: its own, and the loop of the paper step by step.

use std::hint::black_box;
use std::time::Instant;

use placelab_algorithms::find;
use placelab_core::mix::stream;
use placelab_core::{Arguments, HashSeed, Key, Placement, Roster, establish};

/// Distinct keys, too many to be learnt.
const DISTINCT: u64 = 1 << 15;
/// Keys of which each is looked up again and again.
const REPEATED: u64 = 256;
/// Lookups of such a key in a round.
const TIMES: u64 = 4_096;
/// Rounds, in each of which both ways are timed.
const ROUNDS: usize = 9;

fn jump(nodes: u32) -> Box<dyn Placement> {
    let spec = find("jump").expect("it is registered");
    let roster = Roster::numbered(nodes).expect("a fleet");
    establish(spec, &Arguments::defaults(spec), HashSeed::PUBLISHED, roster)
        .expect("jump serves it")
}

/// Jump hash as the paper has it: a branch for every step.
#[inline(never)]
fn stepwise(mut state: u64, nodes: u32) -> u32 {
    let (mut bucket, mut next) = (0, 0);
    while next < u64::from(nodes) {
        bucket = next;
        state = state.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        let draw = (state >> 33) as f64 + 1.0;
        next = ((bucket + 1) as f64 * (f64::from(1u32 << 31) / draw)) as u64;
    }
    bucket as u32
}

/// A lookup of a hashed key.
type Lookup<'a> = &'a dyn Fn(u64) -> u32;

/// Nanoseconds of each of so many lookups.
fn lookup_ns(look_up: Lookup<'_>, count: u64, key: impl Fn(u64) -> u64) -> f64 {
    let start = Instant::now();
    for index in 0..count {
        black_box(look_up(black_box(key(index))));
    }
    start.elapsed().as_nanos() as f64 / count as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Times of distinct keys and of every repeated key, in interleaved rounds.
fn measure(look_up: Lookup<'_>) -> (f64, Vec<f64>) {
    let keys: Vec<u64> = (0..DISTINCT).map(|index| stream(1, index)).collect();
    let mut distinct = Vec::new();
    let mut repeated = vec![Vec::new(); REPEATED as usize];
    for _ in 0..ROUNDS {
        let each = |index: u64| keys[index as usize];
        distinct.push(lookup_ns(look_up, DISTINCT, each));
        for (key, times) in keys.iter().zip(&mut repeated) {
            times.push(lookup_ns(look_up, TIMES, |_| *key));
        }
    }
    (median(distinct), repeated.into_iter().map(median).collect())
}

fn print(name: &str, nodes: u32, look_up: Lookup<'_>) {
    let (distinct, mut repeated) = measure(look_up);
    repeated.sort_unstable_by(f64::total_cmp);
    let mean = repeated.iter().sum::<f64>() / repeated.len() as f64;
    let factor = |time: f64| distinct / time;
    println!(
        "{name}, N = {nodes}: distinct {distinct:.1} ns, repeated {mean:.1} ns on average: \
         {:.1} x; by the key {:.1} to {:.1} x",
        factor(mean),
        factor(repeated[repeated.len() - 1]),
        factor(repeated[0])
    );
}

#[test]
#[ignore = "a measurement: run it with --release and --nocapture"]
fn one_repeated_key_flatters_jump() {
    for nodes in [10, 100, 1_000] {
        let placement = jump(nodes);
        print("jump", nodes, &|key| placement.place(Key::hashed(key)).0);
        print("jump step by step", nodes, &|key| stepwise(key, nodes));
    }
}

/// Both of what is measured are the same function.
#[test]
fn the_loop_of_the_paper_is_jump() {
    for nodes in [1, 2, 10, 100, 1_000] {
        let placement = jump(nodes);
        for key in (0..1_000).map(|index| stream(2, index)) {
            assert_eq!(placement.place(Key::hashed(key)).0, stepwise(key, nodes), "{key}, {nodes}");
        }
    }
}
