//! Random picks that anybody can repeat.

use placelab_core::mix::stream;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The seed of every random pick of every plan.
pub const PICK_SEED: u64 = 0x706c_6163_656c_6162;

/// The generator of one step of one timeline, whatever other steps drew.
pub(super) fn generator(timeline: usize, step: usize) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(stream(stream(PICK_SEED, timeline as u64), step as u64))
}

/// `count` distinct indices below `length`, ascending. Panics where there are not so many.
///
/// Written out, not taken from a library, because plans stand in results: a new version of a
/// library may shuffle differently.
pub(crate) fn pick(mut generator: Xoshiro256PlusPlus, length: usize, count: usize) -> Vec<usize> {
    assert!(count <= length, "{count} picks of {length}");
    let mut indices: Vec<usize> = (0..length).collect();
    for chosen in 0..count {
        let rest = (length - chosen) as u64;
        indices.swap(chosen, chosen + below(&mut generator, rest) as usize);
    }
    indices.truncate(count);
    indices.sort_unstable();
    indices
}

/// An unbiased draw below `bound`: the product method with rejection (Lemire 2019).
fn below(generator: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    let rejected = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(generator.next_u64()) * u128::from(bound);
        if product as u64 >= rejected {
            return (product >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_distinct_and_repeatable() {
        let picked = pick(generator(0, 1), 10, 4);
        assert_eq!(picked, pick(generator(0, 1), 10, 4));
        assert!(picked.windows(2).all(|pair| pair[0] < pair[1]) && picked[3] < 10);
        assert_eq!(pick(generator(3, 1), 5, 5), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn every_member_is_picked_as_often() {
        let mut counts = [0u32; 7];
        for step in 0..7_000 {
            pick(generator(0, step), 7, 2).into_iter().for_each(|index| counts[index] += 1);
        }
        // Each count is binomial(7000, 2/7): mean 2000, standard deviation 38.
        assert!(counts.iter().all(|count| count.abs_diff(2_000) < 190), "{counts:?}");
    }
}
