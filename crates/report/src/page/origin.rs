//! Where the figures come from: everything needed to make them again.

use maud::{Markup, html};
use placelab_results::{Contender, Floor, Rounds, Timeline, Timings};

use crate::number::{aa_spread, bytes, count, nanoseconds, percent, ratio};
use crate::page::tables;
use crate::subject::Subject;
use crate::text::plural;

pub(super) fn section(subject: &Subject) -> Markup {
    let results = subject.results;
    let keys = &results.keys;
    html! {
        section aria-labelledby="provenance" {
            h2 id="provenance" { "Provenance" }
            dl.facts {
                dt { "Command" } dd { code { (results.scenario.command) } }
                dt { "Program" } dd { "placelab " (results.version) }
                dt { "Scenario" }
                dd { (results.scenario.name) ", SHA-256 " code { (results.scenario.sha256) } }
                dt { "Keys" }
                dd {
                    (plural(keys.count, "key", "keys"))
                    ", " (keys.source) ", hashed by " (keys.hash)
                    @if let Some(requests) = keys.requests {
                        ", " (plural(requests, "request", "requests"))
                    }
                    @if let Some(bytes) = keys.bytes { ", " (count(bytes)) " bytes" }
                    @if let Some(sha256) = &keys.sha256 { ", SHA-256 " code { (sha256) } }
                }
                dt { "Seeds" }
                dd { (subject.seeds()) }
            }
            @if let Some(timings) = subject.timings { (machine(timings)) }
            h3 { "Plan" }
            @for timeline in &results.plan { (plan(timeline)) }
            h3 { "Contenders" }
            (contenders(subject))
        }
    }
}

fn machine(timings: &Timings) -> Markup {
    let (machine, key_hash) = (&timings.machine, &timings.key_hash);
    html! {
        h3 { "Machine of the times" }
        dl.facts {
            dt { "Processor" }
            dd {
                (machine.cpu) ", "
                (plural(machine.cores.into(), "logical processor", "logical processors"))
            }
            dt { "Platform" } dd { (machine.platform) }
            dt { "Compiler" } dd { (machine.rustc) ", " (machine.profile) " profile" }
            @if let Some(load) = machine.load {
                dt { "Load before the run" } dd { (ratio(load, 2)) }
            }
            dt { "Harness, subtracted" } dd { (floor(&machine.floor)) }
            dt { "Harness for schemes that read the bytes of keys, subtracted" }
            dd { (floor(&machine.bytes_floor)) }
            dt { "Caches displaced before cold figures by" }
            dd { (bytes(machine.displaced_bytes as f64)) " that were read" }
            dt { "Hash of a key, apart from lookups" }
            dd {
                (nanoseconds(key_hash.batch_ns.median)) " for "
                (plural(key_hash.key_bytes.into(), "byte", "bytes")) " by " (key_hash.function)
                ", " (aa_spread(&key_hash.batch_ns))
            }
            @if !timings.busy.is_empty() {
                dt { "Busy" }
                dd { @for sign in &timings.busy { (sign) " " } }
            }
        }
    }
}

/// What a lookup that does nothing takes.
fn floor(floor: &Floor) -> String {
    let part = |rounds: &Rounds| format!("{}, {}", nanoseconds(rounds.median), aa_spread(rounds));
    format!(
        "{} a key in batches; {} a dependent lookup",
        part(&floor.batch_ns),
        part(&floor.dependent_ns)
    )
}

fn plan(timeline: &Timeline) -> Markup {
    html! {
        div.table tabindex="0" role="region" aria-label={ "Plan of " (timeline.name) } {
            table.plan {
                caption { (timeline.name) }
                thead {
                    tr {
                        th scope="col" { "step" }
                        th scope="col" { "event" }
                        th scope="col" { "what changes" }
                        th scope="col" class="figure" { "nodes after" }
                        th scope="col" class="figure" { "least movement" }
                    }
                }
                tbody {
                    @for (index, step) in timeline.steps.iter().enumerate() {
                        tr {
                            th scope="row" { (index) ". " (step.label) }
                            td { (step.verb) }
                            td.prose { (step.changes) }
                            td.figure { (count(step.nodes.into())) }
                            td.figure { (percent(step.minimum)) }
                        }
                    }
                }
            }
        }
    }
}

fn contenders(subject: &Subject) -> Markup {
    html! {
        div.table tabindex="0" role="region" aria-label="Contenders" {
            table.contenders {
                thead {
                    tr {
                        th scope="col" { "contender" }
                        th scope="col" { "what it is" }
                        th scope="col" { "parameters" }
                        th scope="col" { "can" }
                        th scope="col" { "lookup" }
                        th scope="col" { "published" }
                    }
                }
                tbody {
                    @for (index, contender) in subject.results.contenders.iter().enumerate() {
                        tr data-of=(index) {
                            th scope="row" {
                                (tables::swatch(subject.look(index)))
                                (contender.name)
                                small {
                                    (contender.family)
                                    @if !contender.is_rival() { ", " (contender.role.name()) }
                                    @if contender.load_aware { ", keys in order" }
                                }
                            }
                            td.prose { (contender.summary) }
                            td {
                                @if contender.parameters.is_empty() { "none" }
                                @for (name, value) in &contender.parameters {
                                    code { (name) "=" (value) } " "
                                }
                            }
                            td { (capabilities(contender)) }
                            td { (contender.lookup_cost) }
                            td.prose { (contender.year) ": " (contender.citation) }
                        }
                    }
                }
            }
        }
    }
}

fn capabilities(contender: &Contender) -> String {
    let tail = match contender.capabilities.iter().any(|can| can == "remove-any") {
        true => None,
        false => Some("grow and shrink at the tail"),
    };
    let all: Vec<&str> =
        tail.into_iter().chain(contender.capabilities.iter().map(String::as_str)).collect();
    all.join(", ")
}
