//! What failures do, as a table.

use placelab_results::{Contender, FailureAnswer, FailureKind, FailureQuestion, LossRisk, Way};

use super::capacity;
use crate::number::{self, count, percent, ratio};
use crate::subject::Subject;
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list, one_line};

pub(super) fn table(subject: &Subject, question: &FailureQuestion) -> Table {
    let down = count(question.down.into());
    let columns = vec![
        Column::words("contender"),
        Column::figures("before any failure", "fullest, × fair"),
        Column::figures("one fails", "fullest, × fair; over its own load"),
        Column::figures("two fail", "fullest, × fair; over its own load"),
        Column::figures("receivers of one", "mean of survivors, fewest"),
        Column::figures("largest extra", "one fails, × fair, mean, worst"),
        Column::figures("partners", "mean, of an ideal hash"),
        Column::figures("a quorum lost", format!("{down} down, ideal hash")),
        Column::figures("every copy lost", format!("{down} down, ideal hash")),
        Column::figures("failures that spread", capacity(question).to_lowercase()),
        Column::figures("nodes lost", "mean, most"),
        Column::words("looked at"),
    ];
    let contenders = subject.results.contenders.iter().enumerate();
    let rows = contenders.map(|(index, contender)| Row {
        look: Some(subject.look(index)),
        cells: cells(subject, question, contender),
    });
    Table::capped(columns, rows.collect())
}

fn cells(subject: &Subject, question: &FailureQuestion, contender: &Contender) -> Vec<Cell> {
    let name = Cell::new(subject.name(contender));
    let of = match &contender.failures {
        Some(FailureAnswer::Found(of)) => of,
        other => {
            let mut cells = vec![name];
            cells.resize(12, Cell::none());
            if let Some(FailureAnswer::Refused { refusal }) = other {
                cells[1] = Cell::new("refused").with_note(one_line(refusal));
            }
            return cells;
        }
    };
    let times = |value: f64| ratio(value, 2);
    let kind = |kind: &Option<FailureKind>| {
        kind.as_ref().map_or(Cell::none(), |kind| {
            let own = kind.own_headroom.map_or("no factor is enough".into(), times);
            Cell::new(times(kind.headroom)).with_note(own)
        })
    };
    let single = of.single.as_ref();
    let ideal = question.ideal.as_ref();
    let noted = |cell: Cell, ideal: Option<String>| match ideal {
        Some(ideal) => cell.with_note(ideal),
        None => cell,
    };
    let risk = |risk: &LossRisk, ideal: Option<f64>| {
        let interval = risk.low.zip(risk.high);
        let interval = interval.map(|(low, high)| number::range(low, high, percent));
        let text = percent(risk.probability);
        let text = interval.map_or(text.clone(), |interval| format!("{text} ({interval})"));
        noted(Cell::new(text), ideal.map(percent))
    };
    let kinds = [of.single.as_ref(), of.pair.as_ref()].into_iter().flatten();
    let looked: Vec<String> =
        kinds.map(|kind| format!("{} of {}", count(kind.looked_at), count(kind.of))).collect();
    let way = match of.way {
        Way::Candidates => "all in one pass",
        Way::Slot | Way::Replay => "replayed",
    };
    vec![
        name,
        Cell::new(times(of.max_over_mean)),
        kind(&of.single),
        kind(&of.pair),
        single.map_or(Cell::none(), |kind| {
            let receivers = format!("{} of {}", ratio(kind.receivers, 1), ratio(kind.survivors, 1));
            Cell::new(receivers).with_note(count(kind.receivers_fewest))
        }),
        single.map_or(Cell::none(), |kind| {
            Cell::new(times(kind.max_extra)).with_note(times(kind.max_extra_worst))
        }),
        noted(Cell::new(times(of.partners)), ideal.map(|ideal| times(ideal.partners))),
        risk(&of.quorum_lost, ideal.map(|ideal| ideal.quorum_lost)),
        risk(&of.all_lost, ideal.map(|ideal| ideal.all_lost)),
        of.cascade.map_or(Cell::none(), |cascade| Cell::new(percent(cascade.spreading))),
        of.cascade.map_or(Cell::none(), |cascade| {
            Cell::new(times(cascade.lost)).with_note(count(cascade.lost_most))
        }),
        Cell::new(way).with_note(list(&looked)),
    ]
}
