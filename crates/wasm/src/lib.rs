//! The module of the explorer: what a page needs of placements, as JSON and as plain arrays.
//!
//! Compiled to WebAssembly it runs inside a page, without a server; the page's script draws and
//! decides nothing. [`Session`] is all of it, and runs anywhere; [`exports`] is its door for
//! scripts. No algorithm is written here, nor a figure: those are the product's own.

pub mod exports;
mod fleet;
mod protocol;
mod session;

pub use protocol::{
    AlgorithmView, AnatomyView, Error, FleetNode, KeyFormat, Moves, NodeView, Request, Side, View,
};
pub use session::Session;
