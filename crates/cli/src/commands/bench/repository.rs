//! What git says of the sources, and sources of other revisions beside ours.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use tempfile::TempDir;

use crate::failure::say;

/// What git prints, without the line end; nothing where it fails.
fn git<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Option<String> {
    let git = Command::new("git").args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = git.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_string())
}

/// The commit that is checked out here, where there is a repository.
pub(super) fn head() -> Option<String> {
    commit("HEAD")
}

/// The commit that a revision names.
pub(super) fn commit(revision: &str) -> Option<String> {
    let revision = format!("{revision}^{{commit}}");
    let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &revision];
    git(".".as_ref(), &arguments).filter(|commit| commit.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether files of the commit were changed. The history itself does not count: each record
/// changes it.
pub(super) fn is_dirty() -> bool {
    let tracked = ["status", "--porcelain", "--untracked-files=no", "--", ":(top)"];
    let but = ":(top,exclude)reports/history";
    git(".".as_ref(), &[&tracked[..], &[but]].concat()).is_some_and(|text| !text.is_empty())
}

/// The folder of the repository that we stand in.
pub(super) fn root() -> Option<PathBuf> {
    git(".".as_ref(), &["rev-parse", "--show-toplevel"]).map(PathBuf::from)
}

/// The sources of a commit in a temporary folder; both go when it is dropped.
pub(super) struct Worktree {
    root: PathBuf,
    folder: PathBuf,
    _parent: TempDir,
}

impl Worktree {
    pub(super) fn new(root: &Path, commit: &str) -> anyhow::Result<Self> {
        let parent = tempfile::tempdir().context("cannot make a temporary folder")?;
        let folder = parent.path().join(commit);
        let add = Command::new("git")
            .args(["worktree", "add", "--quiet", "--detach"])
            .arg(&folder)
            .arg(commit)
            .current_dir(root)
            .output()
            .context("cannot run git")?;
        let said = String::from_utf8_lossy(&add.stderr).trim().to_string();
        anyhow::ensure!(add.status.success(), "git worktree add: {said}");
        Ok(Worktree { root: root.into(), folder, _parent: parent })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        let remove = ["worktree", "remove", "--force"].map(OsStr::new);
        if git(&self.root, &[&remove[..], &[self.folder.as_os_str()]].concat()).is_none() {
            say("a worktree could not be removed: run `git worktree prune`");
        }
    }
}
