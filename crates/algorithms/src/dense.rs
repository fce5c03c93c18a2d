//! Tables of owners in as few bytes as their identities need: two each, or four.
//!
//! Identities are given out from 0 upwards, so those of most fleets fit 16 bits, and a table that
//! takes half the room stays in a cache of half the size.

use placelab_core::NodeId;

use crate::range_hash::{bytes_of, trimmed};

/// Who owns each row.
#[derive(Clone)]
pub(crate) enum Dense {
    /// Every identity fits.
    Narrow(Vec<u16>),
    Wide(Vec<NodeId>),
}

impl Dense {
    /// A table of these owners.
    pub(crate) fn new(owners: impl Iterator<Item = NodeId> + Clone) -> Self {
        match owners.clone().all(|owner| u16::try_from(owner.0).is_ok()) {
            true => Dense::Narrow(trimmed(owners.map(|owner| owner.0 as u16).collect())),
            false => Dense::Wide(trimmed(owners.collect())),
        }
    }

    /// The owner of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> NodeId {
        match self {
            Dense::Narrow(table) => NodeId(table[row].into()),
            Dense::Wide(table) => table[row],
        }
    }

    /// The owners of many rows, one for each place of `out`.
    #[inline]
    pub(crate) fn get_many(&self, rows: impl Iterator<Item = usize>, out: &mut [NodeId]) {
        let pairs = out.iter_mut().zip(rows);
        match self {
            Dense::Narrow(table) => pairs.for_each(|(out, row)| *out = NodeId(table[row].into())),
            Dense::Wide(table) => pairs.for_each(|(out, row)| *out = table[row]),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Dense::Narrow(table) => bytes_of(table),
            Dense::Wide(table) => bytes_of(table),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_those_given() {
        for (largest, bytes) in [(0xffff, 2), (0x1_0000, 4), (u32::MAX, 4)] {
            let owners = [0, 7, largest, 7].map(NodeId);
            let table = Dense::new(owners.into_iter());
            assert_eq!([0, 1, 2, 3].map(|row| table.get(row)), owners);
            let mut out = [NodeId::NOBODY; 3];
            table.get_many([2, 2, 1].into_iter(), &mut out);
            assert_eq!(out, [largest, largest, 7].map(NodeId));
            assert_eq!(table.bytes(), 4 * bytes);
        }
    }
}
