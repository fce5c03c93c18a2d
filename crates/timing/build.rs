//! Tells the crate which compiler builds it: times mean nothing without.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=PLACELAB_RUSTC={}", version.unwrap_or_default().trim());
    println!("cargo::rerun-if-changed=build.rs");
}
