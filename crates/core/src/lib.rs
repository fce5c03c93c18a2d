//! The vocabulary of key placement.
//!
//! What every other crate speaks in: [`Key`]s that have been hashed, [`Node`]s with names and
//! weights, the [`Roster`] of a fleet and the [`Change`]s to it, and the traits [`Scheme`] and
//! [`Placement`] that an algorithm implements. Beside them stand the pinned functions on which
//! results depend: hashes ([`HashFunction`]), mixers and counter streams ([`mix`]) and elementary
//! functions with the same bits everywhere ([`math`]).
//!
//! Start with [`placement`]. This crate has no threads, files, clocks or environment and depends
//! on no other crate of the project.

pub mod assignment;
mod capability;
pub mod copies;
pub mod error;
pub mod hash;
pub mod key;
pub mod math;
pub mod mix;
pub mod node;
pub mod placement;
pub mod request;
pub mod roster;
pub mod spec;
pub mod trace;

pub use assignment::{Assignment, Ledger, Placer};
pub use capability::{Capability, OWNER_TABLE, RANGE_HASH};
pub use copies::{CopyChooser, CopyRule, DomainIndex, DomainRule, replicas};
pub use error::PlacementError;
pub use hash::{HashFunction, HashSeed};
pub use key::{Key, KeyHash, KeyText, Keys};
pub use node::{Domain, Node, NodeId, NodeName, Weight};
pub use placement::{Anatomy, Footprint, Placement, Scheme, Shares, advance, establish};
pub use request::AlgorithmRequest;
pub use roster::{Change, History, Identities, Roster};
pub use spec::{
    AlgorithmSpec, Arguments, Average, Build, Claim, ClosedForm, FleetSize, FleetWeight, KeyPart,
    ParameterKind, ParameterSpec, PlainStep, Resolution, Role, Value,
};
pub use trace::{Count, Record, Silent, Step, Trace};
