//! The files beside the page: data that other programs read, and what pictures say of themselves.

use std::collections::BTreeMap;

use placelab_report::{Artifact, render};
use placelab_results::RunResults;

use super::{fixture, rendered, text};

/// The records of a CSV file by the names of its columns.
fn records(artifacts: &[Artifact], name: &str) -> Vec<BTreeMap<String, String>> {
    let text = text(artifacts, name);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|record| record.expect(name)).collect()
}

#[test]
fn every_table_is_written_for_other_programs() {
    let results = fixture::growing();
    let artifacts = rendered("csv", &results, Some(&fixture::timings()));
    let summary = records(&artifacts, "summary.csv");
    assert_eq!(summary.len(), results.contenders.len());
    for (record, contender) in summary.iter().zip(&results.contenders) {
        assert!(record["contender"].starts_with(&contender.name));
        let number = |column: &str| -> f64 { record[column].parse().expect(column) };
        let [low, middle, high] = ["fullest node, low", "fullest node", "fullest node, high"]
            .map(|column| number(&format!("{column} (× fair, worst step)")));
        assert!(low <= middle && middle <= high, "{low} {middle} {high}");
        assert!(number("lookup time (ns; batch, 10 nodes)") > 0.0, "{record:?}");
    }
    for artifact in artifacts.iter().filter(|artifact| artifact.name.ends_with(".csv")) {
        let text = text(&artifacts, &artifact.name);
        assert!(!records(&artifacts, &artifact.name).is_empty(), "{}", artifact.name);
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    }
}

/// Pages leave rows out, files do not.
#[test]
fn long_tables_are_written_whole() {
    let mut results = fixture::growing();
    let planned = results.plan[1].steps[1].clone();
    results.plan[1].steps.extend(std::iter::repeat_n(planned, 70));
    for contender in &mut results.contenders {
        let taken = contender.timelines[1].steps[1].clone();
        contender.timelines[1].steps.extend(std::iter::repeat_n(taken, 70));
    }
    let artifacts = render(&results, None).unwrap();
    assert!(text(&artifacts, "index.html").contains("more rows left out"));
    assert!(records(&artifacts, "movement.csv").len() > 450);
}

#[test]
fn foreign_names_are_no_formulas() {
    let mut results = fixture::growing();
    for (contender, first) in results.contenders.iter_mut().zip(["=", "+", "-", "@", "\t=", "\r"]) {
        contender.name = format!("{first}cmd|' /C calc'!A0,\"{}", contender.name);
    }
    for artifact in rendered("formulas", &results, Some(&fixture::timings())) {
        let Some(_) = artifact.name.strip_suffix(".csv") else { continue };
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&*artifact.bytes);
        for field in reader.records().flat_map(|record| {
            let record = record.expect("as many fields in each record");
            record.iter().map(str::to_string).collect::<Vec<_>>()
        }) {
            let acts = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(!acts || field.parse::<f64>().is_ok(), "{}: {field}", artifact.name);
        }
    }
}

/// The texts of a picture by their keywords.
fn texts(results: &RunResults, name: &str) -> (BTreeMap<String, String>, (u32, u32)) {
    let artifacts = render(results, None).unwrap();
    let picture = artifacts.iter().find(|artifact| artifact.name == name).expect(name);
    let reader = png::Decoder::new(std::io::Cursor::new(&picture.bytes)).read_info().unwrap();
    let info = reader.info();
    let texts =
        info.utf8_text.iter().map(|chunk| (chunk.keyword.clone(), chunk.get_text().unwrap()));
    (texts.collect(), info.size())
}

#[test]
fn pictures_say_what_they_are_and_where_they_come_from() {
    let mut results = fixture::growing();
    results.scenario.title = "Größe – 日本".into();
    results.scenario.sha256 = "0123456789abcdef".repeat(4);
    let (texts, (width, _)) = texts(&results, "movement.png");
    assert_eq!(width, 1_600, "twice the size on a page");
    let title = &texts["Title"];
    assert!(title.starts_with("Größe – 日本: "), "{title}");
    assert_eq!(texts["Scenario SHA-256"], results.scenario.sha256);
    assert_eq!(texts["Scenario"], results.scenario.name);
    assert_eq!(texts["Seeds"], "20 hash seeds: 0 to 19");
    assert_eq!(texts["Software"], format!("placelab {}", results.version));
    assert!(texts["Description"].contains('%'), "{}", texts["Description"]);
}
