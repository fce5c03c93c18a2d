//! What the words mean, and what the figures do not say.

use std::collections::BTreeSet;

use maud::{Markup, html};
use placelab_results::{Better, LEVEL, Role, metric};

use crate::number::{count, percent};
use crate::subject::{Subject, steps};
use crate::text::plural;

pub(super) fn section(subject: &Subject) -> Markup {
    html! {
        section aria-labelledby="method" {
            h2 id="method" { "Method and caveats" }
            h3 { "How to read the figures" }
            (words(subject))
            h3 { "What they do not say" }
            (caveats(subject))
            (glossary(subject))
        }
    }
}

fn words(subject: &Subject) -> Markup {
    let results = subject.results;
    html! {
        dl.words {
            dt { "Key" }
            dd {
                "One of the things that are placed, as its hash (" (results.keys.hash)
                "). Every contender places the same keys."
            }
            dt { "Seed" }
            dd {
                "Seed 0 is the published hash function, the one that users deploy. Every further \
                 seed is an independent draw of the same scheme, so that luck is visible."
            }
            (of_chance(subject))
            @if results.few_keys.is_some() {
                dt { "Finite-key floor" }
                dd {
                    "What an ideal hash leaves where nodes have few keys: idle nodes, and one that \
                     has far more than its part. No hash gets below it on average. A table can: \
                     loads are whole keys, so of equal nodes one has at least the keys by the \
                     nodes, rounded up."
                }
            }
            dt { "With a reason" }
            dd {
                "A key moved to a node whose weight rose relative to its old owner's: a node that \
                 joined, came back or grew, or a survivor in place of a node that went."
            }
            dt { "Sideways" }
            dd { "A key moved although no weight rose relative to the old owner's: wasted." }
            dt { "What exact shares need" }
            dd {
                "Half the sum over the nodes of the absolute change of target share: what moves at \
                 least, on average, where shares are exact. By the luck of the keys, or where \
                 shares are not exact, less may move."
            }
            dt { "Canary" }
            dd {
                "A scheme of known quality, in the run to show that the figures tell good from \
                 bad. It is never a choice."
            }
            @if !subject.names_of(Role::Exhibit).is_empty() {
                dt { "Exhibit" }
                dd {
                    "A construction known to be wrong, or a curiosity, in the run to be looked at. \
                     It is never a choice either."
                }
            }
            @if results.contenders.iter().any(|contender| contender.load_aware) {
                dt { "Load-aware" }
                dd {
                    "Who gets a key depends on the loads so far. Such contenders get the keys \
                     one after the other in the order of the key source, and after a step all of \
                     them afresh in the same order. Their steps of a lookup are those of a pass \
                     over a sample alone; a single lookup has no time."
                }
            }
            @if results.replicas > 1 {
                dt { "Copies" }
                dd {
                    "Each key has " (count(results.replicas.into())) " copies on as many nodes; \
                     the first of them is its owner. Loads and movement are those of owners. \
                     Copies made are those of the whole set, whatever their order; by rank the \
                     first, second and further copies each count as a thing of their own. A copy \
                     is made sideways where no node lost one relative to which the new one's \
                     weight rose. Fair loads by copies are of weights cut to one copy of each key."
                }
            }
        }
    }
}

/// What intervals, bands and verdicts cover.
fn of_chance(subject: &Subject) -> Markup {
    let results = subject.results;
    html! {
        dt { "Interval" }
        dd {
            "From the 5th to the 95th percentile over "
            (plural(results.seeds.into(), "hash seed", "hash seeds"))
            @if results.seeds < 20 { ", with fewer than 20 close to their extremes" }
            "; each seed places the same " (plural(results.keys.count, "key", "keys"))
            ", all of them. It covers the draw of the hash and where that puts the keys, not other \
             numbers or popularities of keys, other fleets or events. Ranges that overlap do not \
             say that contenders are alike: one draw may be on either side. \
             Steps of a lookup are means over the first 1,024 keys."
        }
        dt { "Band of chance" }
        dd {
            "What an ideal hash gives for the same keys, weights and nodes, 5–95 %. One \
             ideal hash in ten lies outside, and a fullest node inside does not show that loads \
             are as even as chance: the verdict is that on evenness."
        }
        @if subject.has("share.max_over_mean") {
            dt { "Exact share" }
            dd {
                "The part of all possible keys that a node owns, from arcs, table entries or \
                 weights: a property of the scheme, in which no key is drawn. A scheme without \
                 exact shares has none; its loads are counted over the keys of the run, and \
                 hold their chance."
            }
        }
        @if results.evenness_tests() > 0 {
            dt { "Evenness" }
            dd {
                "Whether loads are what ideal hashes give, over all steps and seeds: chance, worse \
                 than chance or better than chance. By Pearson's statistic, summed over the \
                 seeds; where keys have requests or bytes, with each pair of keys weighed by \
                 them. The run makes " (count(results.evenness_tests() as u64))
                " such tests, each held to " (percent(LEVEL)) " over their number: were \
                 everybody an ideal hash, anybody would be called anything else in at most "
                (percent(LEVEL)) " of runs."
            }
        }
    }
}

fn caveats(subject: &Subject) -> Markup {
    let results = subject.results;
    let largest = results.keys.largest_request_share;
    html! {
        ul {
            li {
                "Balance by keys is not balance by work. A hot key stays on one node wherever it \
                 is placed"
                @if let Some(share) = largest {
                    "; here the largest key has " (percent(share)) " of all requests"
                }
                "."
            }
            li {
                "The least and the largest of many nodes lie apart by chance alone; with fewer \
                 keys they lie farther apart."
            }
            li {
                "A sum over steps counts a key again each time it moves. Its interval is \
                 that of the sums at each seed."
            }
            li {
                "A step of a lookup costs more in one scheme than in another: steps tell how work \
                 grows, not how long it takes."
            }
            li {
                "Nothing here knows of "
                @if results.replicas < 2 { "replicas, of " }
                "copying speed or of caches that must warm up."
            }
            @if subject.timings.is_some() {
                li { "Times hold for the machine named below only, and vary from run to run." }
            }
        }
    }
}

/// Definitions of the metrics that the results hold.
fn glossary(subject: &Subject) -> Markup {
    let all = subject.results.contenders.iter().flat_map(steps);
    let ids: BTreeSet<&str> =
        all.flat_map(|(_, _, step)| step.metrics.keys().map(String::as_str)).collect();
    let bases: BTreeSet<&str> = ids.iter().filter_map(|id| Some(metric(id)?.0.id)).collect();
    let known = placelab_results::METRICS.iter().filter(|metric| {
        let timed = metric.unit == "ns" || metric.unit == "µs";
        bases.contains(metric.id) || (timed && subject.timings.is_some())
    });
    html! {
        details {
            summary { "Every metric and its definition" }
            div.table tabindex="0" role="region" aria-label="Metrics" {
                table.definitions {
                    thead {
                        tr {
                            th scope="col" { "metric" }
                            th scope="col" { "unit" }
                            th scope="col" { "better" }
                            th scope="col" { "definition" }
                        }
                    }
                    tbody {
                        @for metric in known {
                            tr {
                                th scope="row" { (metric.label) small { (metric.id) } }
                                td { (metric.unit) }
                                td {
                                    @match metric.better {
                                        Better::Lower => "lower",
                                        Better::Higher => "higher",
                                        Better::Neither => "neither",
                                    }
                                }
                                td { (metric.definition) }
                            }
                        }
                    }
                }
            }
        }
    }
}
