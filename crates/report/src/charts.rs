//! The charts. Each is one file that turns results into a scene, a caption and a table of its
//! data, and one line in [`CHARTS`].

mod balance;
mod copies;
mod cost;
mod crossover;
mod failure;
mod fill;
mod flows;
mod frame;
mod headroom;
pub(crate) mod history;
mod latency;
mod movement;
mod parameters;
mod pareto;
mod peak;
mod percentiles;
mod quantisation;
mod skew;
mod tables;
mod timeline;
mod transfer;
mod weights;

use crate::scene::Scene;
use crate::subject::Subject;
use crate::table::Table;

/// A chart before any backend.
pub(crate) struct Chart {
    /// Name of files and anchors: lower case and hyphens.
    pub(crate) name: &'static str,
    /// What it shows, in a few words.
    pub(crate) title: &'static str,
    /// How to read it, in a line.
    pub(crate) reading: String,
    /// What it found, in sentences with numbers.
    pub(crate) finding: String,
    pub(crate) scene: Scene,
    pub(crate) table: Table,
}

/// A chart on a page, by whatever name.
pub(crate) struct Figure<'a> {
    /// Its anchor.
    pub(crate) name: &'a str,
    pub(crate) title: &'a str,
    pub(crate) reading: &'a str,
    pub(crate) finding: &'a str,
    pub(crate) scene: &'a Scene,
    pub(crate) table: &'a Table,
}

impl Chart {
    pub(crate) fn figure(&self) -> Figure<'_> {
        let Chart { name, title, reading, finding, scene, table } = self;
        Figure { name, title, reading, finding, scene, table }
    }
}

/// Makes a chart where the results have something to show.
type Maker = fn(&Subject) -> Option<Chart>;

/// Every chart, in the order of the report.
const CHARTS: &[Maker] = &[
    quantisation::chart,
    pareto::chart,
    parameters::chart,
    balance::by_keys,
    balance::by_requests,
    skew::chart,
    weights::chart,
    fill::chart,
    movement::chart,
    timeline::chart,
    flows::chart,
    transfer::chart,
    copies::chart,
    peak::chart,
    failure::chart,
    headroom::chart,
    tables::chart,
    cost::chart,
    latency::chart,
    percentiles::chart,
    crossover::chart,
];

/// The charts that these results have something for.
pub(crate) fn all(subject: &Subject) -> Vec<Chart> {
    CHARTS.iter().filter_map(|make| make(subject)).collect()
}
