//! Numbers as text without a format machine: this runs once a key.

/// A number as decimal text that counts up in place.
///
/// The last eight digits also stand in a register and are stored as one word: a hash reads
/// words, and a word just written byte by byte makes it wait for each of the bytes.
pub(super) struct Decimal {
    text: [u8; 24],
    first: usize,
    /// The last eight digits, the last one in the lowest byte.
    low: u64,
}

const END: usize = 24;
const LOW: usize = END - 8;

impl Decimal {
    /// The text of a number.
    pub(super) fn new(mut number: u64) -> Self {
        let (mut text, mut first) = ([b'0'; END], END);
        while first == END || number > 0 {
            first -= 1;
            text[first] = b'0' + (number % 10) as u8;
            number /= 10;
        }
        let mut low = [0; 8];
        low.copy_from_slice(&text[LOW..]);
        Decimal { text, first, low: u64::from_be_bytes(low) }
    }

    /// The digits, without leading zeros.
    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.text[self.first..]
    }

    /// The next number. Sources end long before the digits do.
    #[inline]
    pub(super) fn increment(&mut self) {
        self.low += 1;
        if self.low as u8 > b'9' {
            self.carry();
        }
        self.text[LOW..].copy_from_slice(&self.low.to_be_bytes());
    }

    /// Makes the last digit, which is one too high, a zero and passes one on. Before the first
    /// digit stand zeros, so a carry out of it makes a new digit.
    fn carry(&mut self) {
        self.text[LOW..].copy_from_slice(&(self.low - 1).to_be_bytes());
        let mut at = END - 1;
        while self.text[at] == b'9' {
            self.text[at] = b'0';
            at -= 1;
        }
        self.text[at] += 1;
        self.first = self.first.min(at);
        let mut low = [0; 8];
        low.copy_from_slice(&self.text[LOW..]);
        self.low = u64::from_be_bytes(low);
    }
}

/// Sixteen lower-case hex digits, made in two registers.
#[inline]
pub(super) fn hex(number: u64) -> [u8; 16] {
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
        for start in [0, 7, 95, 998, 99_999_990, 999_999_999_990, 123_456_789] {
            let mut decimal = Decimal::new(start);
            for number in start..start + 20 {
                assert_eq!(decimal.as_bytes(), number.to_string().as_bytes());
                decimal.increment();
            }
        }
    }

    #[test]
    fn hex_is_that_of_the_formatter() {
        for number in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX] {
            assert_eq!(hex(number).as_slice(), format!("{number:016x}").as_bytes());
        }
    }
}
