//! A bench as a program: one that is there, or one that is built from a revision.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use placelab_sim::diagnostics::shown;
use serde::Deserialize;

use super::repository::{self, Worktree};
use crate::failure::{Failure, say};
use crate::interrupt;

/// Most bytes that cargo may say: some kilobytes for each crate.
const CARGO_BYTES_MAX: u64 = 256 << 20;

/// A copy of a bench. Copies have paths of one length, since where the stack of a process begins
/// depends on it.
#[derive(Clone)]
pub(super) struct Program {
    /// The copy.
    pub(super) path: PathBuf,
    /// What it was copied from: a path, or a revision with its commit.
    pub(super) name: String,
}

impl Program {
    /// The bench that a text names, an executable or a revision, as a copy in a folder.
    pub(super) fn new(text: &str, bench: &str, folder: &Path) -> Result<Self, Failure> {
        fs::create_dir(folder)?;
        let path = folder.join("bench");
        let copy = |from: &Path| -> Result<(), Failure> {
            let shown = from.display();
            fs::copy(from, &path).with_context(|| format!("{shown}: cannot be copied"))?;
            Ok(())
        };
        let file = Path::new(text);
        if file.is_file() {
            check_executable(file)?;
            copy(file)?;
            return Ok(Program { path, name: shown(text) });
        }
        let commit = repository::commit(text).ok_or_else(|| {
            Failure::Invalid(format!(
                "{text}: neither an executable nor a revision of git\nhelp: build a bench by \
                 `cargo bench --no-run`, which prints where it is, or name a commit"
            ))
        })?;
        let root = repository::root().context("the repository has no folder of sources")?;
        copy(&build(&root, &commit, bench)?)?;
        let short: String = commit.chars().take(12).collect();
        Ok(Program { path, name: format!("{} ({short})", shown(text)) })
    }
}

/// Whether the system would start a file.
fn check_executable(file: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(file)?.permissions().mode() & 0o111 == 0 {
            return Err(Failure::Invalid(format!(
                "{}: not an executable\nhelp: build a bench by `cargo bench --no-run`, which \
                 prints where it is",
                file.display()
            )));
        }
    }
    Ok(())
}

/// Builds a bench from the sources of a commit, in a target folder that stays; gives where it is.
fn build(root: &Path, commit: &str, bench: &str) -> Result<PathBuf, Failure> {
    say(&format!("building bench {} of {commit}", shown(bench)));
    let sources = Worktree::new(root, commit)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = root.join("target/compare").join(commit);
    let mut child = Command::new(cargo)
        .args(["bench", "-p", "placelab-benches", "--bench", bench, "--no-run"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(sources.folder())
        .env("CARGO_TARGET_DIR", &target)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo")?;
    let found = executable_in(&mut child, bench);
    let status = child.wait()?;
    interrupt::check()?;
    let failed =
        |reason: &str| Failure::Internal(anyhow::anyhow!("bench {bench} of {commit}: {reason}"));
    if !status.success() {
        return Err(failed("cargo could not build it"));
    }
    found?.ok_or_else(|| failed("cargo did not say where it is"))
}

/// What cargo says of a thing that it made.
#[derive(Deserialize)]
struct Artifact {
    target: Target,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

/// Where cargo says that a bench is; everything that it says is read, so that it does not wait.
fn executable_in(child: &mut Child, bench: &str) -> anyhow::Result<Option<PathBuf>> {
    let said = child.stdout.take().context("cargo says nothing")?;
    let mut found = None;
    for line in BufReader::new(said.take(CARGO_BYTES_MAX)).split(b'\n') {
        // Other messages have no target, and are not for us.
        let Ok(artifact) = serde_json::from_slice::<Artifact>(&line?) else { continue };
        let is_it =
            artifact.target.name == bench && artifact.target.kind.iter().any(|k| k == "bench");
        if is_it && artifact.executable.is_some() {
            found = artifact.executable;
        }
    }
    Ok(found)
}
