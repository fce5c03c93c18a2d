//! Where a figure lies as against chance.

use placelab_results::Measured;

use crate::text::list_up_to;

/// Where the range of a figure over the seeds lies as against the band of chance. That is no test:
/// of an ideal hash a figure in twenty lies above. The verdict is that on evenness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// All of it below.
    Below,
    /// It reaches into the band.
    Within,
    /// All of it above.
    Above,
    /// Chance is not known.
    Unknown,
}

/// Seeds below which percentiles lie between two of them, and the least and largest are looked at
/// instead.
const PERCENTILE_SEEDS_MIN: u32 = 20;

/// What of a fullest node [`Standing::of`] looks at with so many seeds.
pub(crate) fn all_of_it(seeds: u32) -> &'static str {
    match seeds {
        PERCENTILE_SEEDS_MIN.. => "the whole range (5–95 % of the seeds)",
        _ => "every seed",
    }
}

impl Standing {
    /// Of a figure over so many seeds.
    pub(crate) fn of(measured: &Measured, seeds: u32) -> Self {
        let (low, high) = match seeds {
            PERCENTILE_SEEDS_MIN.. => (measured.low, measured.high),
            _ => (measured.min, measured.max),
        };
        match measured.chance {
            Some(chance) if low > chance.high => Standing::Above,
            Some(chance) if high < chance.low => Standing::Below,
            Some(chance) if chance.high.is_finite() => Standing::Within,
            _ => Standing::Unknown,
        }
    }
}

/// A sentence for each group of contenders that has some, with at most so many names.
pub(crate) fn named(groups: [(&str, &[String], usize); 3]) -> String {
    let some = groups.into_iter().filter(|(_, names, _)| !names.is_empty());
    let sentence = |(what, names, most)| format!("{what}: {}.", list_up_to(names, most));
    some.map(sentence).collect::<Vec<_>>().join(" ")
}
