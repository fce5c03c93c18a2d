//! Scenario files from outside: what is read, what is planned, and every error as a user sees it.

mod courses;
mod errors;
mod fleets;
mod globs;
mod hostile;
mod keys;
mod plans;
mod reading;
mod support;
mod verbs;
