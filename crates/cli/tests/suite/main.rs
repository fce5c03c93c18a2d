//! The binary as users meet it, and the rules of the workspace.

mod bad_input;
mod bench;
mod commands;
mod compare;
mod explain;
mod explore;
mod failures;
mod generated;
mod golden;
mod levels;
mod null;
mod report;
mod support;
mod table;
mod workspace;
