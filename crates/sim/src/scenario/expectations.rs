//! `[[require]]` and `[[expect]]`: what the design needs, and what must hold.

use placelab_core::{AlgorithmRequest, Capability};
use placelab_results::{METRICS, Measure, Requirement, metric};

use super::contenders::none_meant;
use super::field::Field;
use super::suggest::among;
use super::table::Table;
use super::timelines::Timelines;
use super::{
    ContenderRequest, ExpectationRequest, ExpectedClaim, SeedScope, SourceRequest, glob_matches,
};
use crate::diagnostics::{Diagnostic, quoted};
use crate::plan::{Plan, START};

/// What expectations are checked against; parts that could not be read are absent.
pub(super) struct Known<'a> {
    pub(super) contenders: Option<&'a [ContenderRequest]>,
    pub(super) timelines: &'a Timelines,
    pub(super) source: Option<&'a SourceRequest>,
    /// Copies of each key.
    pub(super) replicas: Option<usize>,
    /// Every event of every timeline.
    pub(super) plan: Option<&'a Plan>,
}

/// Reads what the design needs.
pub(super) fn requirements(root: &Table<'_>, known: &Known<'_>) -> Vec<Requirement> {
    let tables = root.get("require").and_then(|field| field.tables("[[require]]"));
    tables.unwrap_or_default().iter().filter_map(|table| requirement(table, known)).collect()
}

fn requirement(table: &Table<'_>, known: &Known<'_>) -> Option<Requirement> {
    let (metric, capability) = (table.get("metric"), table.get("capability"));
    let bounds = bounds(table, metric.as_ref());
    table.finish();
    match (metric, capability) {
        (Some(field), None) => {
            let metric = Some(metric_id(&field, known)?);
            let (min, max) = bounds?;
            Some(Requirement { metric, min, max, capability: None })
        }
        (None, Some(field)) => {
            let capability = Some(capability_named(&field, &Capability::ALL)?.name().into());
            Some(Requirement { metric: None, min: None, max: None, capability })
        }
        _ => {
            let message = "[[require]] has either a `metric` with bounds or a `capability`";
            table.report.take(Err(table.error(message)))
        }
    }
}

/// Reads what must hold.
pub(super) fn expectations(root: &Table<'_>, known: &Known<'_>) -> Vec<ExpectationRequest> {
    let tables = root.get("expect").and_then(|field| field.tables("[[expect]]"));
    tables.unwrap_or_default().iter().filter_map(|table| expectation(table, known)).collect()
}

fn expectation(table: &Table<'_>, known: &Known<'_>) -> Option<ExpectationRequest> {
    let algorithms = table.get("algorithms").map_or(Some(Vec::new()), |f| patterns(&f, known));
    let timeline = table.optional("timeline", |field| timeline_named(field, known));
    let named = timeline.as_ref().and_then(|name| name.as_deref());
    let event = table.optional("event", |field| event_labelled(field, named, known));
    let claim = claim(table, known);
    table.finish();
    let (algorithms, event) = (algorithms?, event?);
    Some(ExpectationRequest { claim: claim?, algorithms, event, timeline: timeline? })
}

fn claim(table: &Table<'_>, known: &Known<'_>) -> Option<ExpectedClaim> {
    let (metric, refused) = (table.get("metric"), table.get("refused"));
    let seeds = table.get("seeds").map_or(Some("every"), |f| f.word(&["every", "median"]));
    let bounds = bounds(table, metric.as_ref());
    match (metric, refused) {
        (Some(field), None) => {
            let metric = metric_id(&field, known)?;
            if metric.starts_with("time.") {
                let message = format!("{} depends on the machine", quoted(&metric));
                let help = "an [[expect]] is about what every machine finds; use [[require]]";
                table.report.add(field.error(message).help(help));
                return None;
            }
            let seeds = if seeds? == "median" { SeedScope::Median } else { SeedScope::Every };
            let (min, max) = bounds?;
            Some(ExpectedClaim::Figure { metric, min, max, seeds })
        }
        (None, Some(field)) => {
            capability_named(&field, &Capability::DECLARED).map(ExpectedClaim::Refused)
        }
        _ => {
            let message = "[[expect]] has either a `metric` with bounds or `refused`";
            table.report.take(Err(table.error(message)))
        }
    }
}

type Bounds = (Option<f64>, Option<f64>);

/// `min` and `max`, of which a metric needs one and anything else has none.
fn bounds(table: &Table<'_>, metric: Option<&Field<'_>>) -> Option<Bounds> {
    let (min_field, max_field) = (table.get("min"), table.get("max"));
    let bound = |field: &Option<Field<'_>>| match field {
        Some(field) => field.number().map(Some),
        None => Some(None),
    };
    let (min, max) = (bound(&min_field), bound(&max_field));
    let error = match (metric, &min_field, &max_field) {
        (Some(metric), None, None) => {
            metric.error("a metric needs a bound").help("add `min = …`, `max = …` or both")
        }
        (None, Some(field), _) | (None, None, Some(field)) => {
            field.error(format!("`{}` is a bound of a `metric`, and there is none", field.name))
        }
        (Some(_), Some(_), Some(field)) if min?? > max?? => {
            field.error("`max` is below `min`").label("nothing can lie between them")
        }
        _ => return Some((min?, max?)),
    };
    table.report.take(Err(error))
}

fn metric_id(field: &Field<'_>, known: &Known<'_>) -> Option<String> {
    let id = field.text()?;
    let Some((_, measure)) = metric(id) else {
        let error = field.error(format!("no metric is called {}", quoted(id)));
        return field.report.take(Err(error.help(metric_help(id))));
    };
    if measure != Measure::Keys && known.source.is_some_and(|source| !source.has(measure)) {
        let message = format!("{} needs keys with {}", quoted(id), measure.name());
        let label = format!("keys have no {} here", measure.name());
        return field.report.take(Err(field.error(message).label(label)));
    }
    if id.starts_with("replica.") && known.replicas == Some(1) {
        let error = field.error(format!("{} needs several copies of each key", quoted(id)));
        let help = "set `replicas` in [fleet] to 2 or more";
        return field.report.take(Err(error.label("each key has one here").help(help)));
    }
    Some(id.into())
}

fn metric_help(id: &str) -> String {
    let ids = METRICS.iter().map(|metric| metric.id);
    if let Some((base, suffix)) = id.rsplit_once('.')
        && METRICS.iter().any(|metric| metric.id == base)
    {
        let by = ["requests", "bytes"];
        return match by.contains(&suffix) {
            true => format!("{} is taken by keys only", quoted(base)),
            false => format!("beside {} there may be `.requests` and `.bytes`", quoted(base)),
        };
    }
    among(id, ids)
}

/// One of some capabilities by its name.
fn capability_named(field: &Field<'_>, among: &[Capability]) -> Option<Capability> {
    let words: Vec<&'static str> = among.iter().map(|capability| capability.name()).collect();
    let word = field.word(&words)?;
    among.iter().copied().find(|capability| capability.name() == word)
}

fn patterns(field: &Field<'_>, known: &Known<'_>) -> Option<Vec<String>> {
    let elements = field.list()?;
    if elements.is_empty() {
        let error = field.error("`algorithms` is empty").help("leave it out to mean every one");
        return field.report.take(Err(error));
    }
    let read = |element: &Field<'_>| {
        let pattern = element.text()?;
        let Some(contenders) = known.contenders else { return Some(pattern.to_string()) };
        let names: Vec<String> = contenders.iter().map(ContenderRequest::name).collect();
        let found: Result<String, Diagnostic> =
            match names.iter().any(|name| glob_matches(pattern, name)) {
                true => Ok(pattern.into()),
                false => as_written(pattern, contenders)
                    .ok_or_else(|| none_meant(element, pattern, &names)),
            };
        element.report.take(found)
    };
    let read: Vec<Option<String>> = elements.iter().map(read).collect();
    read.into_iter().collect()
}

/// The name of the contender that `algorithms` would make of this text: values that are defaults
/// are left out of names, and a file may write them.
fn as_written(text: &str, contenders: &[ContenderRequest]) -> Option<String> {
    let [request] = &AlgorithmRequest::expand(text).ok()?[..] else { return None };
    let meant = contenders.iter().find(|one| {
        let no_files = |_: &str| Err(String::new());
        let arguments = request.arguments(one.spec, &no_files);
        one.spec.name == request.name && arguments.is_ok_and(|all| all == one.arguments)
    });
    meant.map(ContenderRequest::name)
}

fn timeline_named(field: &Field<'_>, known: &Known<'_>) -> Option<String> {
    let name = field.text()?;
    if known.timelines.names().any(|timeline| timeline == name) {
        return Some(name.into());
    }
    let error = field.error(format!("no timeline is called {}", quoted(name)));
    field.report.take(Err(error.help(among(name, known.timelines.names()))))
}

/// A pattern over labels of planned steps: a rolling event makes several.
fn event_labelled(field: &Field<'_>, timeline: Option<&str>, known: &Known<'_>) -> Option<String> {
    let pattern = field.text()?;
    let Some(plan) = known.plan else { return Some(pattern.into()) };
    let meant = plan.timelines.iter().filter(|one| timeline.is_none_or(|name| one.name == name));
    let steps = meant.flat_map(|one| &one.steps);
    if steps.clone().any(|step| glob_matches(pattern, &step.label)) {
        return Some(pattern.into());
    }
    // Every timeline begins with `start`, which is listed once.
    let events = steps.map(|step| step.label.as_str()).filter(|label| *label != START);
    let labels: Vec<&str> = std::iter::once(START).chain(events).collect();
    let error = field.error(format!("no event has the label {}", quoted(pattern)));
    field.report.take(Err(error.help(among(pattern, labels))))
}
