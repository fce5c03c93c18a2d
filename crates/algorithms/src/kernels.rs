//! Batch kernels: lookups of many keys by the vector instructions of the machine.
//!
//! One module an algorithm, with one safe function that takes the level, the hashes of the keys and
//! what the scheme knows, and fills the answers in; which level is used is [`crate::simd`]'s. A
//! kernel answers as the single lookup does, key for key, and its tests hold every level that the
//! machine has to that, for batches of any length. Only these modules may use `unsafe`.

pub(crate) mod anchor;
