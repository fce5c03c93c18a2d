//! A set of small numbers, a bit for each.

use crate::range_hash::bytes_of;

/// Numbers that are in a set; any number may be asked about.
#[derive(Clone, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    ones: u32,
}

impl Bits {
    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Puts a number in; nothing happens where it is in already.
    pub(crate) fn insert(&mut self, number: u32) {
        let at = number as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        self.ones += u32::from(!self.contains(number));
        self.words[at] |= 1 << (number % 64);
    }

    /// Takes a number out; nothing happens where it is not in.
    pub(crate) fn remove(&mut self, number: u32) {
        if self.contains(number) {
            self.words[number as usize / 64] &= !(1 << (number % 64));
            self.ones -= 1;
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u32 {
        self.ones
    }

    /// The lowest number.
    pub(crate) fn first(&self) -> Option<u32> {
        let at = self.words.iter().position(|&word| word != 0)?;
        Some(at as u32 * 64 + self.words[at].trailing_zeros())
    }

    /// Gives back the room for more.
    pub(crate) fn trim(&mut self) {
        self.words.shrink_to_fit();
    }

    /// Bytes of the bits.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_of(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use placelab_core::mix::stream;

    use super::*;

    #[test]
    fn a_set_of_numbers() {
        let (mut bits, mut twin) = (Bits::default(), BTreeSet::new());
        for i in 0..5_000 {
            let number = (stream(1, i) % 200) as u32;
            if stream(2, i).is_multiple_of(3) {
                bits.insert(number);
                twin.insert(number);
            } else {
                bits.remove(number);
                twin.remove(&number);
            }
            assert_eq!(bits.first(), twin.first().copied());
            assert_eq!(bits.len() as usize, twin.len());
            assert!((0..300).all(|number| bits.contains(number) == twin.contains(&number)));
        }
    }
}
