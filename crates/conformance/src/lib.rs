//! The laws that every placement algorithm is held to, and its certificate.
//!
//! A law is a promise that can be checked on any algorithm through its spec alone: one function
//! each in `laws/`, and the footprint, which takes a [`Meter`] of allocations. [`certify`] checks
//! all of them on one algorithm.
//! Some hold for everybody; others bind those who claim them. What a law finds is a sentence that
//! names the fleet and the figure, so that a failure can be replayed: fleets, keys and scripts are
//! the same in every run.
//!
//! [`enumerate`] goes through every short history of small fleets, which takes too long for a
//! certificate. Tests hold everybody to it.
//!
//! Tests hold the whole registry to the laws, and hold the laws to deliberately broken twins: a law
//! that catches nobody proves nothing.

mod certificate;
mod enumeration;
mod footprint;
mod laws;
mod sample;
mod subject;

pub use certificate::{certify, certify_all, law_texts, recorded};
pub use enumeration::enumerate;
pub use footprint::Meter;
pub use subject::Subject;
