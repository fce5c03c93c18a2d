//! What the harness itself takes, to be subtracted from every lookup.

use std::hint::black_box;
use std::ops::ControlFlow;

use placelab_core::{
    Change, Footprint, Key, KeyPart, Keys, NodeId, Placement, PlacementError, Roster, Scheme, Trace,
};
use placelab_results::Floor;

use crate::harness::summarise;
use crate::lookup::Lookups;

/// Floors of lookups by the part of a key that is read: reaching its bytes takes time too.
#[derive(Clone, Copy, Debug)]
pub struct Floors {
    hash: Floor,
    bytes: Floor,
}

impl Floors {
    /// Times a placement that does nothing, with these keys.
    pub fn measure(lookups: &Lookups) -> Self {
        let floor = |reads: KeyPart| {
            let nothing = Nothing::new(reads);
            Floor {
                batch_ns: summarise(&lookups.batch_rounds(reads, &nothing), 0.0),
                dependent_ns: summarise(&lookups.dependent_rounds(reads, &nothing), 0.0),
            }
        };
        Floors { hash: floor(KeyPart::Hash), bytes: floor(KeyPart::Bytes) }
    }

    /// The floor of schemes that read this part of a key.
    pub fn of(&self, reads: KeyPart) -> &Floor {
        match reads {
            KeyPart::Hash => &self.hash,
            KeyPart::Bytes => &self.bytes,
        }
    }
}

/// A placement that does nothing: its answer is always 0, which only the program does not know.
/// For a single key the answer is made of the key, so that in a chain a lookup waits for the one
/// before here too; for a batch it is only written down, as everybody's answers are.
#[derive(Clone)]
pub(crate) struct Nothing {
    roster: Roster,
    reads: KeyPart,
    mask: u32,
}

impl Nothing {
    pub(crate) fn new(reads: KeyPart) -> Self {
        let roster = Roster::numbered(1).expect("one node is a fleet");
        Nothing { roster, reads, mask: black_box(0) }
    }
}

impl Scheme for Nothing {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint::default()
    }
}

impl Placement for Nothing {
    fn place(&self, key: Key<'_>) -> NodeId {
        let word = match self.reads {
            KeyPart::Hash => key.hash.0 as u32,
            KeyPart::Bytes => key.bytes.first().copied().unwrap_or(0).into(),
        };
        NodeId(word & self.mask)
    }

    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        out[..keys.hashes.len()].fill(NodeId(self.mask));
    }

    fn trace(&self, key: Key<'_>, _: &mut dyn Trace) -> NodeId {
        self.place(key)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let _ = visit(self.place(key));
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doing_nothing_takes_some_time() {
        let floors = Floors::measure(&Lookups::default());
        for reads in [KeyPart::Hash, KeyPart::Bytes] {
            let floor = floors.of(reads);
            assert!(floor.batch_ns.largest > 0.0 && floor.dependent_ns.median > 0.0, "{floor:?}");
        }
    }
}
