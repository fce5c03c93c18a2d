//! `placelab explore`: it writes a whole page or none, and says how to get what it needs.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Said, placelab};

fn explore(folder: &Path, module: &[u8], out: &str) -> Said {
    let path = folder.join("given.wasm");
    fs::write(&path, module).unwrap();
    let out = folder.join(out);
    placelab(&["explore", "--module", path.to_str().unwrap(), "--out", out.to_str().unwrap()])
}

#[test]
fn a_page_is_written_whole_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    for module in [b"\0asm\x01\0\0\0".as_slice(), b"\0asm\x01\0\0\0more"] {
        explore(folder.path(), module, "page.html").ok();
        let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the page and the module");
}

#[test]
fn what_is_no_module_or_no_explorer_stays() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.html"), "my home page").unwrap();
    let said = explore(folder.path(), b"\0asm\x01\0\0\0", "mine.html");
    assert_eq!(said.code(), 1);
    assert!(said.err().contains("mine.html is not an explorer of placelab"), "{}", said.err());
    assert_eq!(fs::read_to_string(folder.path().join("mine.html")).unwrap(), "my home page");
    let said = explore(folder.path(), b"ELF", "page.html");
    assert_eq!(said.code(), 2);
    assert!(said.err().contains("given.wasm is no WebAssembly module"), "{}", said.err());
    let said = placelab(&["explore", "--module", "/nowhere/placelab.wasm"]);
    assert_eq!(said.code(), 1);
    assert!(said.err().contains("cannot read /nowhere/placelab.wasm"), "{}", said.err());
    assert!(!folder.path().join("page.html").exists());
}

/// A program that stands alone has no module beside it.
#[test]
fn without_a_module_it_says_how_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("deep/placelab");
    fs::create_dir(folder.path().join("deep")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_placelab"), &program).unwrap();
    let run = || {
        let ended = Command::new(&program).arg("explore").current_dir(folder.path()).output();
        let ended = ended.unwrap();
        (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
    };
    let (code, said) = run();
    assert_eq!(code, Some(2), "{said}");
    for part in ["scripts/wasm", "rustup target add wasm32-unknown-unknown", "--module"] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    fs::write(folder.path().join("placelab.wasm"), b"\0asm\x01\0\0\0").unwrap();
    assert_eq!(run().0, Some(0));
    assert!(folder.path().join("explorer.html").exists());
}
