//! `name:parameter=value,…`: how a contender is asked for in files and options.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::node::hides_text;
use crate::spec::{AlgorithmSpec, Arguments, ParameterKind, ParameterSpec, Value, is_prime};

/// An algorithm by name with some of its parameters, not yet checked against a spec.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AlgorithmRequest {
    /// The name; may hold `*` where several are asked for.
    pub name: String,
    /// Parameters by name.
    pub parameters: BTreeMap<String, String>,
}

/// What is wrong with a request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RequestError {
    /// The text does not read as `name:parameter=value,…`.
    #[error("`{text}` does not read as name:parameter=value,…: {reason}")]
    Form {
        /// What was given.
        text: String,
        /// Where it breaks.
        reason: &'static str,
    },
    /// A sweep asks for too many contenders.
    #[error(
        "`{text}` asks for {asked} contenders, at most {} are possible",
        AlgorithmRequest::SWEEP_MAX
    )]
    Sweep {
        /// What was given.
        text: String,
        /// How many.
        asked: u64,
    },
    /// The algorithm has no such parameter.
    #[error("`{algorithm}` has no parameter `{parameter}`; {known}")]
    Unknown {
        /// The algorithm.
        algorithm: &'static str,
        /// What was given.
        parameter: String,
        /// What there is.
        known: String,
    },
    /// The value is not one that the parameter takes.
    #[error("`{parameter}={value}` of `{algorithm}`: {reason}")]
    Value {
        /// The algorithm.
        algorithm: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        value: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
}

/// Reads a file that a parameter names; the error says why it could not.
pub type LoadFile<'a> = dyn Fn(&str) -> Result<Arc<str>, String> + 'a;

impl AlgorithmRequest {
    /// Most contenders that one text may ask for.
    pub const SWEEP_MAX: u64 = 1_000;

    /// Reads `name:parameter=value,…` where a value may be a sweep `{a,b,c}`; one request for
    /// each combination, the last parameter changing fastest.
    ///
    /// # Errors
    /// [`RequestError::Form`] and [`RequestError::Sweep`].
    pub fn expand(text: &str) -> Result<Vec<Self>, RequestError> {
        let shown = || text.chars().filter(|&c| !hides_text(c)).take(80).collect::<String>();
        let form = |reason| RequestError::Form { text: shown(), reason };
        let (name, list) = match text.split_once(':') {
            Some((name, list)) => (name.trim(), Some(list)),
            None => (text.trim(), None),
        };
        if name.is_empty() {
            return Err(form("the name is empty"));
        }
        if text.chars().any(hides_text) {
            return Err(form("it holds control or bidirectional characters"));
        }
        let mut all = vec![AlgorithmRequest { name: name.into(), parameters: BTreeMap::new() }];
        for part in list.map_or(Ok(Vec::new()), |list| split_outside_braces(list).map_err(form))? {
            let (parameter, value) =
                part.split_once('=').ok_or_else(|| form("a parameter needs `=` and a value"))?;
            let (parameter, value) = (parameter.trim(), value.trim());
            if parameter.is_empty() || value.is_empty() {
                return Err(form("a parameter and its value are not empty"));
            }
            let values: Vec<&str> = match value.strip_prefix('{').and_then(|v| v.strip_suffix('}'))
            {
                Some(sweep) if sweep.contains(['{', '}']) => {
                    return Err(form("a value is one sweep `{…}` and nothing else"));
                }
                Some(sweep) => sweep.split(',').map(str::trim).collect(),
                None => vec![value],
            };
            let asked = (all.len() * values.len()) as u64;
            if asked > Self::SWEEP_MAX {
                return Err(RequestError::Sweep { text: shown(), asked });
            }
            if all[0].parameters.contains_key(parameter) {
                return Err(form("a parameter stands there twice"));
            }
            all = all.iter().flat_map(|one| one.with_each(parameter, &values)).collect();
        }
        Ok(all)
    }

    fn with_each(&self, parameter: &str, values: &[&str]) -> Vec<Self> {
        let with = |value: &&str| {
            let mut one = self.clone();
            one.parameters.insert(parameter.into(), (*value).into());
            one
        };
        values.iter().map(with).collect()
    }

    /// Checks the parameters against a spec and fills in the defaults.
    ///
    /// # Errors
    /// [`RequestError::Unknown`] and [`RequestError::Value`].
    pub fn arguments(
        &self,
        spec: &'static AlgorithmSpec,
        load: &LoadFile<'_>,
    ) -> Result<Arguments, RequestError> {
        for parameter in self.parameters.keys() {
            if !spec.parameters.iter().any(|known| known.name == parameter) {
                let names: Vec<&str> = spec.parameters.iter().map(|known| known.name).collect();
                let known = if names.is_empty() {
                    "it has none".into()
                } else {
                    format!("it has {}", names.join(", "))
                };
                let parameter = parameter.chars().take(40).collect();
                return Err(RequestError::Unknown { algorithm: spec.name, parameter, known });
            }
        }
        let mut arguments = Arguments::default();
        for parameter in spec.parameters {
            let given = self.parameters.get(parameter.name).map(String::as_str);
            let Some(text) = given.or(parameter.default) else { continue };
            let value =
                read_value(parameter, text, load).map_err(|reason| RequestError::Value {
                    algorithm: spec.name,
                    parameter: parameter.name,
                    value: text.chars().take(80).collect(),
                    reason,
                })?;
            arguments.0.insert(parameter.name, value);
        }
        Ok(arguments)
    }
}

impl Arguments {
    /// The arguments of a spec when nothing is asked for. Panics where a default is wrong: a
    /// defect of the algorithm.
    pub fn defaults(spec: &'static AlgorithmSpec) -> Self {
        let request = AlgorithmRequest { name: spec.name.into(), parameters: BTreeMap::new() };
        request
            .arguments(spec, &|_| Err("defaults name no files".into()))
            .expect("defaults pass their own checks")
    }

    /// The name of the contender: the algorithm with every value that is not the default.
    pub fn contender(&self, spec: &AlgorithmSpec) -> String {
        let differs = |parameter: &&ParameterSpec| {
            let value = self.0.get(parameter.name).map(Value::to_string);
            value.as_deref() != parameter.default && value.is_some()
        };
        let shown: Vec<String> = spec
            .parameters
            .iter()
            .filter(differs)
            .map(|parameter| format!("{}={}", parameter.name, self.0[parameter.name]))
            .collect();
        match shown.is_empty() {
            true => spec.name.into(),
            false => format!("{}:{}", spec.name, shown.join(",")),
        }
    }
}

impl fmt::Display for AlgorithmRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (parameter, value)) in self.parameters.iter().enumerate() {
            let separator = if index == 0 { ':' } else { ',' };
            write!(f, "{separator}{parameter}={value}")?;
        }
        Ok(())
    }
}

fn split_outside_braces(list: &str) -> Result<Vec<&str>, &'static str> {
    let (mut parts, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices() {
        match c {
            '{' if inside => return Err("sweeps do not nest"),
            '{' => inside = true,
            '}' if !inside => return Err("a `}` stands without its `{`"),
            '}' => inside = false,
            ',' if !inside => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    if inside { Err("a sweep `{…}` is not closed") } else { Ok(parts) }
}

fn read_value(parameter: &ParameterSpec, text: &str, load: &LoadFile<'_>) -> Result<Value, String> {
    let expected = || format!("takes {}", parameter.kind.describe());
    let number = || text.replace('_', "").parse::<u64>().map_err(|_| expected());
    match &parameter.kind {
        ParameterKind::Count { min, max } => {
            let count = number()?;
            (*min..=*max).contains(&count).then_some(Value::Count(count)).ok_or_else(expected)
        }
        ParameterKind::Prime { max } => {
            let count = number()?;
            if count <= *max && is_prime(count) {
                return Ok(Value::Count(count));
            }
            Err(match (count..=*max).find(|&candidate| is_prime(candidate)) {
                Some(prime) => format!("{count} is not a prime; the next one is {prime}"),
                None => expected(),
            })
        }
        ParameterKind::Choice(words) => {
            words.contains(&text).then(|| Value::Text(text.into())).ok_or_else(expected)
        }
        ParameterKind::Text(check) => check(text).map(|()| Value::Text(text.into())),
        ParameterKind::File(check) => {
            let path = text.strip_prefix('@').ok_or_else(expected)?;
            let contents = load(path)?;
            check(&contents).map(|()| Value::File { path: path.into(), contents })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_expand_in_order() {
        let all = AlgorithmRequest::expand("ring:vnodes={1,160},hash={xxh3,crc32}").unwrap();
        let texts: Vec<String> = all.iter().map(AlgorithmRequest::to_string).collect();
        let expected = [
            "ring:hash=xxh3,vnodes=1",
            "ring:hash=crc32,vnodes=1",
            "ring:hash=xxh3,vnodes=160",
            "ring:hash=crc32,vnodes=160",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn broken_requests_are_typed() {
        for text in [
            "",
            ":a=1",
            "ring:",
            "ring:vnodes",
            "ring:vnodes=",
            "ring:vnodes={1",
            "ring:a=1,a=2",
            "ring:a={{1}}",
            "ring:a=1}",
            "ring:a={b}{c}",
            "ring:a=\u{1b}[2J",
        ] {
            assert!(
                matches!(AlgorithmRequest::expand(text), Err(RequestError::Form { .. })),
                "{text}"
            );
        }
        let values: Vec<String> = (0..40).map(|i| i.to_string()).collect();
        let list = values.join(",");
        let sweep = AlgorithmRequest::expand(&format!("ring:a={{{list}}},b={{{list}}}"));
        assert!(matches!(sweep, Err(RequestError::Sweep { asked: 1600, .. })));
    }
}
