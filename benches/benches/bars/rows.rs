//! What bars are measured with, and the rows that come of it.

use comfy_table::{Table, presets};
use placelab_algorithms::simd::Level;
use placelab_benches::Batch;
use placelab_benches::ours::{Weights, fleet, in_batches, placement};
use placelab_benches::versus::{Clock, Effort, Ratio, Runner, race};
use placelab_core::Placement;
use serde_json::json;

use crate::rivals::{self, Hashing, Lookup};

/// What a figure has to keep to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn is_kept(self, figure: f64) -> bool {
        match self {
            Bound::AtLeast(least) => figure >= least,
            Bound::AtMost(most) => figure <= most,
        }
    }

    fn words(self) -> String {
        match self {
            Bound::AtLeast(least) => format!("≥ {least}"),
            Bound::AtMost(most) => format!("≤ {most}"),
        }
    }
}

/// One case of a bar.
pub(crate) struct Row {
    id: &'static str,
    what: &'static str,
    case: String,
    bound: Bound,
    /// The ratio, or why there is none.
    figure: Result<Ratio, String>,
}

impl Row {
    pub(crate) fn is_failed(&self) -> bool {
        self.figure.as_ref().is_ok_and(|ratio| !self.bound.is_kept(ratio.value))
    }

    fn verdict(&self) -> &'static str {
        match self.figure {
            Err(_) => "skipped",
            Ok(_) if self.is_failed() => "FAIL",
            Ok(_) => "pass",
        }
    }
}

/// How a placement of ours is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// In batches, by the instructions of a level.
    Batches(Level),
    /// In batches, by the best that the machine has.
    Best,
}

impl Way {
    fn level(self) -> Level {
        match self {
            Way::Batches(level) => level,
            Way::Best => Level::available().last().unwrap_or(Level::Portable),
        }
    }
}

/// Keys, the time that may be taken, and the rows so far.
pub(crate) struct Laboratory {
    pub effort: Effort,
    pub batch: Batch,
    bar: (&'static str, &'static str),
    rows: Vec<Row>,
}

impl Laboratory {
    pub(crate) fn new(is_test: bool) -> Self {
        let effort = if is_test { Effort::TEST } else { Effort::FULL };
        let batch = Batch::distinct(0, effort.keys as u64);
        Laboratory { effort, batch, bar: ("", ""), rows: Vec::new() }
    }

    pub(crate) fn begin(&mut self, id: &'static str, what: &'static str) {
        self.bar = (id, what);
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether figures count for nothing and sizes may be small.
    pub(crate) fn is_test(&self) -> bool {
        self.effort.rounds == Effort::TEST.rounds
    }

    /// Adds a case of the bar.
    pub(crate) fn record(&mut self, case: String, bound: Bound, figure: Result<Ratio, String>) {
        let (id, what) = self.bar;
        self.rows.push(Row { id, what, case, bound, figure });
    }

    /// A runner over the first keys.
    pub(crate) fn lookup(&self, mut lookup: Lookup) -> Runner<'_> {
        Runner::new(self.effort.keys, move |count| lookup(self.batch.first(count)))
    }

    /// A runner that asks a placement of ours.
    pub(crate) fn ours<'a>(&'a self, placement: &'a dyn Placement, way: Way) -> Runner<'a> {
        let mut owners = Vec::new();
        Runner::new(self.effort.keys, move |count| {
            in_batches(placement, way.level(), self.batch.first(count), &mut owners)
        })
    }

    /// A case in which ours is some times faster than a peer.
    pub(crate) fn against(&mut self, ours: &Ours<'_>, nodes: u32, least: f64, peer: Call) {
        let case = format!("{}, N = {nodes}", ours.name());
        let figure = self.times_faster(ours, nodes, peer);
        self.record(case, Bound::AtLeast(least), figure);
    }

    fn times_faster(&self, ours: &Ours<'_>, nodes: u32, peer: Call) -> Result<Ratio, String> {
        let placement = ours.placement(nodes)?;
        let peer = self.lookup(peer.lookup(nodes));
        let runners = vec![self.ours(placement.as_ref(), ours.way), peer];
        let times = race(self.effort, Clock::Thread, runners);
        Ok(times.ratio(1, 0))
    }
}

/// A call of a peer.
#[derive(Clone, Copy)]
pub(crate) struct Call(pub &'static str, pub &'static str, pub Hashing);

impl Call {
    /// What it makes of so many nodes.
    pub(crate) fn lookup(self, nodes: u32) -> Lookup {
        let Call(crate_name, call, hashing) = self;
        let mut peers = rivals::groups().into_iter().flat_map(|group| group.peers);
        let peer = peers
            .find(|peer| (peer.crate_name, peer.call, peer.hashing) == (crate_name, call, hashing));
        (peer.expect("bars name peers").build)(nodes)
    }
}

/// An algorithm of ours and how it is asked.
pub(crate) struct Ours<'a> {
    pub text: &'a str,
    pub weights: Weights,
    pub way: Way,
}

impl<'a> Ours<'a> {
    pub(crate) fn new(text: &'a str, way: Way) -> Self {
        Ours { text, weights: Weights::Equal, way }
    }

    fn name(&self) -> String {
        match self.way {
            Way::Batches(level) => format!("{}, {level}", self.text),
            Way::Best => self.text.into(),
        }
    }

    /// The placement, or why there is none here.
    pub(crate) fn placement(&self, nodes: u32) -> Result<Box<dyn Placement>, String> {
        let level = self.way.level();
        if !level.is_available() {
            return Err(format!("this machine has no {level}"));
        }
        placement(self.text, fleet(nodes, self.weights))
    }
}

/// Rows for people.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["bar", "case", "ratio", "of a round", "bound", "verdict"]);
    for row in rows {
        let shown = |ratio: &Ratio| {
            let Ratio { value, least, most } = ratio;
            [format!("{value:.3}"), format!("{least:.3} – {most:.3}")]
        };
        let none = || ["–".to_string(), "–".to_string()];
        let [ratio, rounds] = row.figure.as_ref().map_or_else(|_| none(), shown);
        let verdict = match &row.figure {
            Err(reason) => format!("skipped: {reason}"),
            Ok(_) => row.verdict().into(),
        };
        let [id, case] = [row.id.to_string(), row.case.clone()];
        table.add_row([id, case, ratio, rounds, row.bound.words(), verdict]);
    }
    table.to_string()
}

/// Rows for programs.
pub(crate) fn json(rows: &[Row]) -> String {
    let row = |row: &Row| {
        let (kind, bound) = match row.bound {
            Bound::AtLeast(least) => ("at-least", least),
            Bound::AtMost(most) => ("at-most", most),
        };
        json!({
            "id": row.id,
            "what": row.what,
            "case": row.case,
            "ratio": row.figure.as_ref().ok().map(|ratio| ratio.value),
            "rounds": row.figure.as_ref().ok().map(|ratio| [ratio.least, ratio.most]),
            "bound": { kind: bound },
            "verdict": row.verdict().to_lowercase(),
            "reason": row.figure.as_ref().err(),
        })
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    serde_json::to_string_pretty(&json!({ "schema": 1, "bars": rows })).expect("numbers are finite")
}
