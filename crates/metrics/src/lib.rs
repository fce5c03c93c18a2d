//! Statistics of placement.
//!
//! [`tally`], [`flows`], [`copies`] and [`holdings`] count: integers that merge exactly in any
//! order. [`load`], [`movement`] and [`capacity`] turn counts into the figures of the metric
//! catalogue. [`failures`], [`cascade`] and [`loss`] say what failures would do to a fleet.
//! [`null`], [`uniform`], [`spacings`] and [`special`] say what pure chance would give,
//! [`whole_keys`] what the best table would.

pub mod capacity;
pub mod cascade;
pub mod copies;
pub mod failures;
pub mod fill;
pub mod flows;
pub mod holdings;
pub mod load;
pub mod loss;
pub mod movement;
pub mod null;
pub mod spacings;
pub mod special;
pub mod tally;
pub mod uniform;
pub mod whole_keys;
