//! Runs the binary and looks at what it says.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The binary with these arguments, from the root of the workspace.
pub(crate) fn placelab(arguments: &[&str]) -> Said {
    with_input(arguments, b"")
}

/// The same with something on standard input.
pub(crate) fn with_input(arguments: &[&str], input: &[u8]) -> Said {
    said(binary().args(arguments), input)
}

/// The same with the vector instructions of a level.
pub(crate) fn at_level(level: &str, arguments: &[&str]) -> Said {
    said(binary().env("PLACELAB_SIMD", level).args(arguments), b"")
}

/// The same in another folder, with variables of the environment.
pub(crate) fn in_folder(folder: &Path, variables: &[(&str, &Path)], arguments: &[&str]) -> Said {
    let mut command = binary();
    command.args(arguments).envs(variables.iter().copied()).env_remove("CRITERION_HOME");
    Said(command.current_dir(folder).stdin(Stdio::null()).output().unwrap())
}

fn binary() -> Command {
    Command::new(env!("CARGO_BIN_EXE_placelab"))
}

fn said(command: &mut Command, input: &[u8]) -> Said {
    let mut child = command
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    Said(child.wait_with_output().unwrap())
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What a command said.
pub(crate) struct Said(Output);

impl Said {
    pub(crate) fn code(&self) -> i32 {
        self.0.status.code().expect("it was not killed")
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    /// The output of a command that succeeds.
    pub(crate) fn ok(&self) -> String {
        assert_eq!(self.code(), 0, "{}", self.err());
        self.out()
    }
}
