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

use placelab_core::{Footprint, Step, Trace};

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
                trace.step(Step::Jump { from: bucket, to: to.into() });
                bucket = to;
            }
        }
    }

    pub(crate) fn footprint(&self) -> Footprint {
        Footprint { shared_bytes: bytes_of(&self.removed), derived_bytes: bytes_of(&self.slots) }
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::Silent;
    use placelab_core::mix::stream;

    use super::*;

    /// The slow twin: the paper's four arrays. `at` holds the working buckets side by side, and
    /// `place` where each of them stands there.
    struct FourArrays {
        left: Vec<u32>,
        stand_in: Vec<u32>,
        at: Vec<u32>,
        place: Vec<u32>,
        removed: Vec<u32>,
    }

    impl FourArrays {
        fn new(capacity: u32) -> Self {
            let numbers = || (0..capacity).collect();
            let left = vec![0; capacity as usize];
            let (stand_in, at, place) = (numbers(), numbers(), numbers());
            FourArrays { left, stand_in, at, place, removed: Vec::new() }
        }

        fn working(&self) -> usize {
            self.left.len() - self.removed.len()
        }

        fn remove(&mut self, bucket: u32) {
            self.removed.push(bucket);
            let (last, here) = (self.working(), bucket as usize);
            self.left[here] = last as u32;
            let mover = self.at[last];
            self.at[self.place[here] as usize] = mover;
            self.place[mover as usize] = self.place[here];
            self.stand_in[here] = mover;
        }

        fn add(&mut self) -> u32 {
            let end = self.working();
            let bucket = self.removed.pop().unwrap();
            let here = bucket as usize;
            self.left[here] = 0;
            self.place[self.at[end] as usize] = end as u32;
            self.at[self.place[here] as usize] = bucket;
            self.stand_in[here] = bucket;
            bucket
        }

        fn lookup(&self, mut bucket: u32, draw: impl Fn(u32, u32) -> u32) -> u32 {
            while self.left[bucket as usize] > 0 {
                let left = self.left[bucket as usize];
                let mut other = draw(bucket, left);
                while self.left[other as usize] >= left {
                    other = self.stand_in[other as usize];
                }
                bucket = other;
            }
            bucket
        }
    }

    /// Random scripts (seed 41) over capacities 1 … 20, down to one bucket and up to all of them.
    #[test]
    fn two_arrays_answer_as_four() {
        for run in 0..200 {
            let capacity = 1 + run % 20;
            let (mut twin, mut log) = (FourArrays::new(capacity), StandIns::default());
            for step in 0..60 {
                let random = stream(41, u64::from(run * 100 + step));
                let working: Vec<u32> =
                    (0..capacity).filter(|b| twin.left[*b as usize] == 0).collect();
                // Half of a script shrinks, the other half grows.
                let grows = random % 4 < if step < 30 { 1 } else { 3 };
                if grows && !twin.removed.is_empty() {
                    assert_eq!(Some(twin.add()), log.restore());
                } else if !grows && working.len() > 1 {
                    let bucket = working[(random >> 32) as usize % working.len()];
                    twin.remove(bucket);
                    log.remove(bucket, capacity - log.len() - 1);
                }
                for key in 0..40 {
                    let draw = |bucket: u32, left: u32| {
                        (stream(key, bucket.into()) % u64::from(left)) as u32
                    };
                    let start = (stream(key, 1 << 40) % u64::from(capacity)) as u32;
                    let settled =
                        log.settle(start, &mut Silent, |bucket, left, _| draw(bucket, left));
                    assert_eq!(settled, twin.lookup(start, draw), "run {run}, step {step}");
                }
            }
        }
    }
}
