//! How many bytes a function leaves on the heap: the allocator of the system, with a count that
//! runs only while somebody asks.
//!
//! While nobody asks an allocation costs one more read of a flag, so that what is timed is timed as
//! it would be without.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads are counting.
static COUNTING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Bytes allocated less bytes freed by this thread, while anybody counted. It is made without
    /// allocating, and needs no clearing up.
    static BYTES: Cell<i64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Metered = Metered;

/// The allocator of the system, metered.
struct Metered;

// SAFETY: every call goes to the allocator of the system as it came; the count is beside it.
#[allow(unsafe_code, reason = "an allocator can be counted from nowhere else")]
unsafe impl GlobalAlloc for Metered {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the rules of the same function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the rules of the same function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller keeps the rules of the same function.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the rules of the same function.
        unsafe { System.realloc(memory, layout, size) }
    }
}

fn count(bytes: i64) {
    if COUNTING.load(Ordering::Relaxed) > 0 {
        BYTES.set(BYTES.get() + bytes);
    }
}

/// Runs a function, and says how many bytes it left on the heap beyond what it found there; bytes
/// of other threads do not count.
pub(crate) fn bytes_left_by(run: &mut dyn FnMut()) -> i64 {
    COUNTING.fetch_add(1, Ordering::Relaxed);
    let before = BYTES.get();
    run();
    let left = BYTES.get() - before;
    COUNTING.fetch_sub(1, Ordering::Relaxed);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_counts_and_what_is_freed_does_not() {
        let mut kept = Vec::new();
        let mut leave = || {
            drop(vec![0u8; 5_000]);
            kept = Vec::<u8>::with_capacity(100);
            kept.reserve_exact(1_000);
        };
        assert_eq!(bytes_left_by(&mut leave), 1_000);
        assert_eq!(bytes_left_by(&mut || kept = Vec::new()), -1_000);
    }
}
