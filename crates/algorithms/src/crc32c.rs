//! CRC-32C of one 64-bit word, as the processor's instruction has it.
//!
//! Several reference programs hash with that instruction, which leaves out the inversions at both
//! ends that libraries make. Source of the polynomial: Castagnoli, Bräuer, Herrmann, "Optimization
//! of Cyclic Redundancy-Check Codes with 24 and 32 Parity Bits", IEEE Transactions on
//! Communications 41(6), 1993. Cost: eight table reads, 8 KiB of tables.
//!
//! What it cannot do: hide anything. It is linear in its input, so related words have related
//! values; keys must be hashed well before.

/// The polynomial, lowest power in the highest bit.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// Table *t* holds what a byte has become when *t* more zero bytes have passed.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        tables[0][byte] = value;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// The register after the eight bytes of `word`, lowest first. Of a word below 2^32 the upper
/// bytes fall away when compiled, since a table's first entry is 0.
#[inline(always)]
pub(crate) fn crc32c(word: u64, register: u32) -> u32 {
    let [a, b, c, d, e, f, g, h] = (word ^ u64::from(register)).to_le_bytes();
    let [t0, t1, t2, t3, t4, t5, t6, t7] = &TABLES;
    let first = t7[usize::from(a)] ^ t6[usize::from(b)] ^ t5[usize::from(c)] ^ t4[usize::from(d)];
    let last = t3[usize::from(e)] ^ t2[usize::from(f)] ^ t1[usize::from(g)] ^ t0[usize::from(h)];
    first ^ last
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;
    use crate::vectors::{golden, key_pairs};

    /// The slow twin: bit by bit.
    fn naive(word: u64, register: u32) -> u32 {
        let step = |crc: u32, at: u32| {
            let odd = (crc ^ (word >> at) as u32) & 1 == 1;
            if odd { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 }
        };
        (0..64).fold(register, step)
    }

    #[test]
    fn tables_and_bits_agree() {
        for i in 0..2_000 {
            let (word, register) = (stream(1, i), stream(2, i) as u32);
            assert_eq!(crc32c(word, register), naive(word, register));
        }
    }

    /// The values that the instruction gave for the keys of the AnchorHash vectors.
    #[test]
    fn golden_values_of_the_instruction() {
        let file = golden("anchor");
        let expected = file["crc32c_of_key_with_keys2"].as_array().unwrap();
        let values = key_pairs(&file).into_iter().map(|[one, two]| crc32c(one, two as u32));
        assert!(values.eq(expected.iter().map(|value| value.as_u64().unwrap() as u32)));
    }
}
