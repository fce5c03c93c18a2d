//! An interrupt (Ctrl-C) of a command that starts programs: they end by it, the command cleans up.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From here on an interrupt does not end this process at once, but at its next [`check`]. The
/// programs that it started get the interrupt from the terminal too.
pub(crate) fn outlive() {
    // Where that cannot be had, an interrupt ends the process as ever.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
}

/// Whether to go on.
///
/// # Errors
/// [`Failure::Interrupted`] after an interrupt.
pub(crate) fn check() -> Result<(), Failure> {
    if INTERRUPTED.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}
