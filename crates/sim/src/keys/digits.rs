//! Numbers as text without a format machine: this runs once a key.

use std::ops::Range;

/// Texts that are written before the first of them is read: a hash reads other words than those
/// that were written, and would wait for each of them. Whole tens.
const BLOCK: usize = 80;
/// Longest text: beyond any source.
const DIGITS_MAX: usize = 16;

/// Numbers as text, one after the other, all of one length: each at the end of its bytes.
pub(super) struct Block<'a> {
    texts: &'a [[u8; DIGITS_MAX]],
    length: usize,
}

impl Block<'_> {
    /// Each text without what stands before it.
    #[inline]
    pub(super) fn texts(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let start = DIGITS_MAX.saturating_sub(self.length);
        self.texts.iter().map(move |text| &text[start..])
    }
}

/// Visits the numbers of a range as decimal texts. They are below 10^15.
#[inline]
pub(super) fn decimals(range: Range<u64>, mut visit: impl FnMut(Block<'_>)) {
    let mut block = [[0; DIGITS_MAX]; BLOCK];
    let (mut number, mut tens) = (range.start, Decimal::new(range.start / 10));
    while number < range.end {
        let first = number / 10 * 10;
        for texts in block.chunks_exact_mut(10) {
            let zero = tens.next() << 8 | u128::from(b'0');
            (0..).zip(texts).for_each(|(digit, text)| *text = (zero | digit).to_be_bytes());
        }
        let end = range.end.min(first + BLOCK as u64);
        while number < end {
            let length = number.max(1).ilog10() + 1;
            let longer = end.min(10u64.pow(length));
            let texts = &block[(number - first) as usize..(longer - first) as usize];
            visit(Block { texts, length: length as usize });
            number = longer;
        }
    }
}

/// Visits numbers as texts of sixteen lower-case hex digits.
#[inline]
pub(super) fn hexes(mut numbers: impl Iterator<Item = u64>, mut visit: impl FnMut(Block<'_>)) {
    let mut block = [[0; DIGITS_MAX]; BLOCK];
    loop {
        let texts = block.iter_mut().zip(&mut numbers).map(|(text, number)| *text = hex(number));
        let count = texts.count();
        if count == 0 {
            return;
        }
        visit(Block { texts: &block[..count], length: DIGITS_MAX });
    }
}

/// A number as decimal text that counts up: a byte a digit, the last one lowest. A digit d is
/// kept as d + 246, so that 9 + 1 carries into the next.
struct Decimal(u128);

/// A byte each.
const EACH: u128 = u128::MAX / 255;
/// Sixteen zeros.
const ZEROS: u128 = EACH * 246;
/// From digits as they are kept to their characters.
const TO_TEXT: u128 = EACH * (246 - b'0' as u128);

impl Decimal {
    fn new(number: u64) -> Self {
        let digit = |place: usize| u128::from(number / 10u64.pow(place as u32) % 10) << (8 * place);
        Decimal(ZEROS + (0..DIGITS_MAX).map(digit).sum::<u128>())
    }

    /// The text of this number, with leading zeros; then counts up.
    #[inline]
    fn next(&mut self) -> u128 {
        let text = self.0 - TO_TEXT;
        self.0 += 1;
        if self.0 as u8 == 0 {
            let carried = self.0.trailing_zeros() / 8 * 8;
            self.0 |= ZEROS & ((1 << carried) - 1);
        }
        text
    }
}

/// Sixteen lower-case hex digits, made in two registers.
#[inline]
fn hex(number: u64) -> [u8; 16] {
    let mut text = [0; 16];
    text[..8].copy_from_slice(&eight_hex((number >> 32) as u32).to_be_bytes());
    text[8..].copy_from_slice(&eight_hex(number as u32).to_be_bytes());
    text
}

/// Eight hex digits, the last one in the lowest byte: halves, bytes, then nibbles are spread
/// apart, and each nibble becomes a letter where it is above nine.
#[inline]
fn eight_hex(number: u32) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut spread = u64::from(number);
    spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff;
    spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    spread = (spread | spread << 4) & (0x0f * EACH);
    let letters = (spread + 6 * EACH) >> 4 & EACH;
    spread + u64::from(b'0') * EACH + letters * u64::from(b'a' - b'9' - 1)
}

/// Any bytes in lower-case hex: digests.
pub(crate) fn hex_text(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or('?');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_count_up() {
        for start in [0, 7, 9, 10, 95, 998, 99_999_990, 999_999_999_990, 123_456_789] {
            let range = start..start + 250;
            let (mut texts, mut wanted) = (Vec::new(), Vec::new());
            decimals(range.clone(), |block| texts.extend(block.texts().map(<[u8]>::to_vec)));
            wanted.extend(range.map(|number| number.to_string().into_bytes()));
            assert_eq!(texts, wanted);
        }
    }

    #[test]
    fn hex_is_that_of_the_formatter() {
        for number in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX] {
            assert_eq!(hex(number).as_slice(), format!("{number:016x}").as_bytes());
        }
    }
}
