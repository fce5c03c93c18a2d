//! `algorithms` and `canaries`: who is compared.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use placelab_core::request::RequestError;
use placelab_core::{AlgorithmSpec, Arguments};

use super::ContenderRequest;
use super::field::Field;
use super::select::{SelectError, contender, select};
use super::suggest::among;
use super::table::Table;
use crate::diagnostics::{Diagnostic, quoted};
use crate::paths::{PARAMETER_BYTES_MAX, PathError, read_text};

/// In every run unless `canaries = false`: what must look terrible, and what must look like
/// chance.
pub const CANARIES: [&str; 2] = ["modulo", "ideal"];

/// Most contenders that the texts of one scenario may ask for, before duplicates are dropped.
const ASKED_MAX: usize = 1_000;

/// Reads who is compared.
pub(super) fn read(
    table: &Table<'_>,
    registry: &[&'static AlgorithmSpec],
    folder: &Path,
) -> Option<Vec<ContenderRequest>> {
    let canaries = table.get("canaries").map_or(Some(true), |field| field.flag());
    let field = table.required("algorithms")?;
    let elements = field.list()?;
    if elements.is_empty() {
        table.report.add(field.error("`algorithms` is empty").label("at least one is needed"));
    }
    let files = Files { folder, read: RefCell::default(), limit: Cell::new(false) };
    let (mut contenders, mut names, mut asked) = (Vec::new(), BTreeSet::new(), 0);
    let mut complete = !elements.is_empty();
    for element in elements {
        let Some(selected) = read_one(&element, registry, &files) else {
            complete = false;
            continue;
        };
        asked += selected.len();
        if asked > ASKED_MAX {
            let message = format!("more than {ASKED_MAX} contenders are asked for");
            table.report.add(element.error(message).label("this one is too much").limit());
            return None;
        }
        for one in selected {
            if names.insert(one.name()) {
                contenders.push(one);
            }
        }
    }
    if canaries? {
        add_canaries(&mut contenders, registry);
    }
    complete.then_some(contenders)
}

fn read_one(
    element: &Field<'_>,
    registry: &[&'static AlgorithmSpec],
    files: &Files<'_>,
) -> Option<Vec<ContenderRequest>> {
    files.limit.set(false);
    let error = match select(element.text()?, registry, &|path| files.load(path)) {
        Ok(mut selected) => {
            selected.iter_mut().for_each(|one| one.span = Some(element.span()));
            return Some(selected);
        }
        Err(error) => error,
    };
    let diagnostic = element.error(error.to_string());
    element.report.add(match error {
        SelectError::Unknown { help, .. } => diagnostic.label("unknown algorithm").help(help),
        SelectError::Request(RequestError::Sweep { .. }) => diagnostic.limit(),
        _ if files.limit.get() => diagnostic.limit(),
        _ => diagnostic,
    });
    None
}

fn add_canaries(contenders: &mut Vec<ContenderRequest>, registry: &[&'static AlgorithmSpec]) {
    for name in CANARIES {
        let is_listed = contenders.iter().any(|listed| listed.spec.name == name);
        let spec = registry.iter().copied().find(|spec| spec.name == name && !is_listed);
        contenders.extend(spec.map(|spec| contender(spec, Arguments::defaults(spec))));
    }
}

/// Files that parameters name, each read once however often a sweep names it.
struct Files<'a> {
    folder: &'a Path,
    read: RefCell<BTreeMap<String, Arc<str>>>,
    /// Whether the last file was refused for its size.
    limit: Cell<bool>,
}

impl Files<'_> {
    fn load(&self, path: &str) -> Result<Arc<str>, String> {
        if let Some(contents) = self.read.borrow().get(path) {
            return Ok(contents.clone());
        }
        let contents = read_text(self.folder, path, PARAMETER_BYTES_MAX).map_err(|error| {
            self.limit.set(matches!(error, PathError::Limit { .. }));
            error.to_string()
        })?;
        let contents: Arc<str> = contents.into();
        self.read.borrow_mut().insert(path.into(), contents.clone());
        Ok(contents)
    }
}

/// The error for a pattern that means none of the contenders.
pub(super) fn none_meant(field: &Field<'_>, pattern: &str, names: &[String]) -> Diagnostic {
    let message = format!("no contender matches {}", quoted(pattern));
    let word = pattern.trim_matches('*');
    field.error(message).help(among(word, names.iter().map(String::as_str)))
}
