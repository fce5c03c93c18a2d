//! Where a figure lies as against chance.

use placelab_results::Measured;

use crate::text::list_up_to;

/// Where the interval of a figure lies as against the band of chance.
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

impl Standing {
    pub(crate) fn of(measured: &Measured) -> Self {
        match measured.chance {
            Some(chance) if measured.low > chance.high => Standing::Above,
            Some(chance) if measured.high < chance.low => Standing::Below,
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
