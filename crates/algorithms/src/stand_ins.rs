//! The removal log of AnchorHash: who stands in for a bucket that was removed.
//!
//! Source: Mendelson et al., "AnchorHash: A Scalable Consistent Hash", arXiv 1812.09674, in the
//! form that saves memory: for each removed bucket the number of buckets left working just after
//! it went, and one stand-in. A key that meets a removed bucket draws anew among as many numbers
//! as were left then, and follows stand-ins until the number is one that was working at that time.
//! Cost: 8 bytes a slot up to the highest removed bucket, and 4 for each removed one, which alone
//! need to be shared; an update O(1) amortised.
//!
//! What it cannot do: forget the order of removals. Buckets come back last removed, first back.

use placelab_core::{FleetSize, Footprint, Step, Trace};

use crate::bucket_set::in_rounds;
use crate::range_hash::bytes_of;

#[derive(Clone, Copy)]
struct Slot {
    /// Working buckets just after the removal; 0 for a bucket that works. So the last bucket
    /// cannot be removed: nothing would tell it from a working one.
    left: u32,
    stand_in: u32,
}

const WORKING: Slot = Slot { left: 0, stand_in: 0 };

/// Removed buckets, and who stands in for them.
#[derive(Clone, Default)]
pub(crate) struct StandIns {
    /// Buckets beyond the end work.
    slots: Vec<Slot>,
    /// In the order of removal.
    removed: Vec<u32>,
}

impl StandIns {
    #[inline]
    fn slot(&self, bucket: u32) -> Slot {
        self.slots.get(bucket as usize).copied().unwrap_or(WORKING)
    }

    /// How many are removed.
    pub(crate) fn len(&self) -> u32 {
        self.removed.len() as u32
    }

    /// Removes a working bucket, after which `left` ≥ 1 work.
    pub(crate) fn remove(&mut self, bucket: u32, left: u32) {
        // The bucket that has the highest number among those that worked until now.
        let mut stand_in = left;
        while self.slot(stand_in).left > left {
            stand_in = self.slot(stand_in).stand_in;
        }
        let at = bucket as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 1, WORKING);
        }
        self.slots[at] = Slot { left, stand_in };
        self.removed.push(bucket);
    }

    /// Puts the bucket that was removed last to work again.
    pub(crate) fn restore(&mut self) -> Option<u32> {
        let bucket = self.removed.pop()?;
        self.slots[bucket as usize] = WORKING;
        Some(bucket)
    }

    /// The working bucket for a key that came to `bucket`; `draw` gives a number below its second
    /// argument for the removed bucket that is its first.
    #[inline]
    pub(crate) fn settle<T: Trace + ?Sized>(
        &self,
        mut bucket: u32,
        trace: &mut T,
        mut draw: impl FnMut(u32, u32, &mut T) -> u32,
    ) -> u32 {
        loop {
            let left = self.slot(bucket).left;
            if left == 0 {
                return bucket;
            }
            bucket = draw(bucket, left, trace);
            while self.slot(bucket).left >= left {
                let to = self.slot(bucket).stand_in;
                trace.step(Step::Pass { from: bucket, to });
                bucket = to;
            }
        }
    }

    /// The same for many keys that came to these buckets, at most
    /// [`STAGED`](crate::bucket_set::STAGED); `draw` gets the place of a key among them
    /// instead of the bucket that it leaves.
    #[inline(always)]
    pub(crate) fn settle_many(&self, buckets: &mut [u32], mut draw: impl FnMut(usize, u32) -> u32) {
        let is_removed = |bucket| self.slot(bucket).left > 0;
        in_rounds(buckets, is_removed, |place, removed| {
            let left = self.slot(removed).left;
            let mut bucket = draw(place, left);
            while self.slot(bucket).left >= left {
                bucket = self.slot(bucket).stand_in;
            }
            bucket
        });
    }

    /// Gives back the room for more.
    pub(crate) fn trim(&mut self) {
        self.slots.shrink_to_fit();
        self.removed.shrink_to_fit();
    }

    pub(crate) fn footprint(&self) -> Footprint {
        Footprint { shared_bytes: bytes_of(&self.removed), derived_bytes: bytes_of(&self.slots) }
    }
}

/// The mean number of steps to settle a key after buckets were removed at random. A key met the
/// removal that left ℓ working with probability 1 ÷ (ℓ + 1), which is a draw; and the bucket drawn
/// had handed on at each removal since the first, that one included, with the like.
pub(crate) fn mean_steps(fleet: FleetSize) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for working in fleet.now + 1..=fleet.first {
        let part = 1.0 / f64::from(working);
        sum += part;
        squares += part * part;
    }
    sum + (sum * sum + squares) / 2.0
}
