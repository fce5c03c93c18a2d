//! `placelab explore`: a page in which one sees how keys are placed.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use crate::failure::{Failure, say};
use crate::folder::{EXPLORER, check_page, replace_page};

/// What `scripts/wasm` calls the module.
const MODULE: &str = "placelab.wasm";
/// Largest module in bytes: twenty times what ours has.
const MODULE_BYTES_MAX: u64 = 32 << 20;
/// What every module begins with.
const MAGIC: &[u8] = b"\0asm";

#[derive(Args)]
pub(crate) struct Options {
    /// The page to write
    #[arg(long, value_name = "FILE", default_value = "explorer.html")]
    out: PathBuf,
    /// The module that runs in the page; where none is named, the one that scripts/wasm made
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        check_page(&EXPLORER, &self.out)?;
        let path = match &self.module {
            Some(path) => path.clone(),
            None => made().ok_or_else(missing)?,
        };
        let page = placelab_explorer::page(&read(&path)?);
        replace_page(&EXPLORER, &self.out, &page)?;
        say(&format!("explorer: {}", self.out.display()));
        Ok(())
    }
}

/// The module that stands beside this program, or above its folder as in cargo's.
fn made() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let places = program.ancestors().skip(1).take(2).map(|folder| folder.join(MODULE));
    places.into_iter().find(|path| path.is_file())
}

fn missing() -> Failure {
    Failure::Invalid(format!(
        "the explorer's module, {MODULE}, is not beside this program\nhelp: run scripts/wasm in \
         the sources, which needs `rustup target add wasm32-unknown-unknown` or Debian's \
         rustc-web; or name a module with --module"
    ))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let cannot = || format!("cannot read {shown}");
    let bytes = fs::metadata(path).with_context(cannot)?.len();
    if bytes > MODULE_BYTES_MAX {
        let text = format!("{shown} has {bytes} bytes, a module has at most {MODULE_BYTES_MAX}");
        return Err(Failure::Limit(text));
    }
    let mut module = Vec::new();
    let file = File::open(path).with_context(cannot)?;
    file.take(MODULE_BYTES_MAX).read_to_end(&mut module).with_context(cannot)?;
    match module.starts_with(MAGIC) {
        true => Ok(module),
        false => Err(Failure::Invalid(format!("{shown} is no WebAssembly module"))),
    }
}
