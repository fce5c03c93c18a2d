//! Which algorithms a text such as `ring:vnodes={1,160}` or `*` asks for.

use placelab_core::request::{LoadFile, RequestError};
use placelab_core::{AlgorithmRequest, AlgorithmSpec, Arguments, Role};

use super::ContenderRequest;
use super::suggest::among;
use crate::diagnostics::quoted;

/// Why a text asks for no contender.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The text does not read as a request, or its parameters are wrong.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// No algorithm has this name.
    #[error("no algorithm is called {}", quoted(.name))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is, the nearest one first.
        help: String,
    },
}

/// The contenders that a text asks for: each combination of a sweep, and with `*` in the name
/// each rival that matches, in the order of the registry. Canaries and exhibits are matched by
/// their own names only, so that `*` asks for what one may choose.
///
/// # Errors
/// An unknown name, or what [`AlgorithmRequest`] says of the text and its parameters.
pub fn select(
    text: &str,
    registry: &[&'static AlgorithmSpec],
    load: &LoadFile<'_>,
) -> Result<Vec<ContenderRequest>, SelectError> {
    let mut selected = Vec::new();
    for request in AlgorithmRequest::expand(text)? {
        let matched: Vec<_> =
            registry.iter().copied().filter(|spec| is_meant(spec, &request.name)).collect();
        if matched.is_empty() {
            let skipped = registry.iter().any(|spec| glob_matches(&request.name, spec.name));
            let help = match skipped {
                true => "globs pass over canaries and exhibits: name them in full".into(),
                false => among(&request.name, registry.iter().map(|spec| spec.name)),
            };
            return Err(SelectError::Unknown { name: request.name, help });
        }
        for spec in matched {
            let arguments = request.arguments(spec, load)?;
            let is_named = spec.name == request.name;
            selected.push(ContenderRequest { is_named, ..contender(spec, arguments) });
        }
    }
    Ok(selected)
}

/// A contender with these parameters, for whatever reason it is there.
pub(super) fn contender(spec: &'static AlgorithmSpec, arguments: Arguments) -> ContenderRequest {
    ContenderRequest { spec, arguments, is_named: false, span: None }
}

fn is_meant(spec: &AlgorithmSpec, pattern: &str) -> bool {
    spec.name == pattern || (glob_matches(pattern, spec.name) && spec.role == Role::Rival)
}

/// Whether a name matches a pattern in which each `*` stands for any text, none included.
pub fn glob_matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or_default();
    // The leftmost place for each part leaves the most room for those after it.
    for part in parts {
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    name.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_names() {
        let cases = [
            ("ring", "ring", true),
            ("ring", "rings", false),
            ("ring*", "ring:vnodes=1", true),
            ("*", "", true),
            ("*ing", "ring", true),
            ("r*n*", "rendezvous", true),
            ("*a*a*", "a", false),
            ("a*a", "a", false),
            ("**", "x", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(glob_matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
