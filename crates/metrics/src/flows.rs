//! Where keys went: a matrix from source to destination, exact and mergeable.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use placelab_core::NodeId;
use placelab_core::mix::mix;

/// Amounts by measure: keys, then requests and bytes where keys have them.
pub type Amounts = [u64; 3];

/// A matrix of moves; integers, so that merging in any order gives the same.
#[derive(Clone, Debug)]
pub struct Flows {
    node_count: usize,
    cells: Cells,
}

#[derive(Clone, Debug)]
enum Cells {
    /// Row by row, a row for each source.
    Dense(Vec<Amounts>),
    /// By source and destination. Read out sorted; sums do not mind the order of merging.
    Sparse(HashMap<u64, Amounts, BuildHasherDefault<MixHasher>>),
}

/// One cell of the matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowCell {
    /// Owner before.
    pub source: NodeId,
    /// Owner after.
    pub destination: NodeId,
    /// How much went.
    pub amounts: Amounts,
}

impl Flows {
    /// No moves yet, with a cell for each pair of nodes with identities below `node_count`.
    pub fn dense(node_count: usize) -> Self {
        Flows { node_count, cells: Cells::Dense(vec![[0; 3]; node_count * node_count]) }
    }

    /// No moves yet, with cells only where something moves.
    pub fn sparse() -> Self {
        Flows { node_count: 0, cells: Cells::Sparse(HashMap::default()) }
    }

    /// Bytes of a dense matrix.
    pub fn dense_bytes(node_count: usize) -> usize {
        node_count.saturating_mul(node_count).saturating_mul(size_of::<Amounts>())
    }

    /// Adds a move.
    #[inline]
    pub fn add(&mut self, source: NodeId, destination: NodeId, amounts: Amounts) {
        let cell = match &mut self.cells {
            Cells::Dense(cells) => {
                &mut cells[source.index() * self.node_count + destination.index()]
            }
            Cells::Sparse(cells) => {
                cells.entry(u64::from(source.0) << 32 | u64::from(destination.0)).or_default()
            }
        };
        for (sum, amount) in cell.iter_mut().zip(amounts) {
            *sum += amount;
        }
    }

    /// Adds another matrix of the same fleet.
    pub fn merge(&mut self, other: Flows) {
        match (&mut self.cells, other.cells) {
            (Cells::Dense(cells), Cells::Dense(others)) => {
                for (sums, amounts) in cells.iter_mut().zip(others) {
                    sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
                }
            }
            (_, Cells::Sparse(others)) => {
                for (cell, amounts) in others {
                    self.add(NodeId((cell >> 32) as u32), NodeId(cell as u32), amounts);
                }
            }
            (Cells::Sparse(_), Cells::Dense(_)) => unreachable!("matrices are of one fleet"),
        }
    }

    /// The cells that hold something, by source, then destination.
    pub fn cells(&self) -> Vec<FlowCell> {
        let cell = |source: u32, destination: u32, amounts: Amounts| FlowCell {
            source: NodeId(source),
            destination: NodeId(destination),
            amounts,
        };
        match &self.cells {
            Cells::Dense(cells) => {
                let width = self.node_count.max(1);
                let filled = cells.iter().enumerate().filter(|(_, amounts)| amounts[0] > 0);
                filled
                    .map(|(at, &amounts)| cell((at / width) as u32, (at % width) as u32, amounts))
                    .collect()
            }
            Cells::Sparse(cells) => {
                let mut sorted: Vec<(u64, Amounts)> =
                    cells.iter().map(|(&at, &amounts)| (at, amounts)).collect();
                sorted.sort_unstable_by_key(|&(at, _)| at);
                let split = |(at, amounts)| cell((at >> 32) as u32, at as u32, amounts);
                sorted.into_iter().map(split).collect()
            }
        }
    }
}

/// Hashes the one integer of a cell; the standard hasher costs more than the count itself.
#[derive(Clone, Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_agree_in_any_order() {
        let moves: Vec<(u32, u32)> = (0..400).map(|i| (i % 7, (i * i) % 11)).collect();
        let matrix = |mut flows: Flows, moves: &[(u32, u32)]| {
            for (at, &(a, b)) in moves.iter().enumerate() {
                flows.add(NodeId(a), NodeId(b), [1, at as u64, 2]);
            }
            flows
        };
        let whole = matrix(Flows::dense(11), &moves).cells();
        let mut halves = matrix(Flows::sparse(), &[]);
        let mut reversed = moves.clone();
        reversed.reverse();
        halves.merge(matrix(Flows::sparse(), &reversed));
        let keys = |cells: Vec<FlowCell>| {
            cells.iter().map(|c| (c.source, c.destination, c.amounts[0])).collect::<Vec<_>>()
        };
        assert_eq!(keys(whole.clone()), keys(halves.cells()));
        assert_eq!(whole.iter().map(|cell| cell.amounts[1]).sum::<u64>(), (0..400).sum::<u64>());
    }
}
