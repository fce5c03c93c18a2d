//! `cargo bench --bench bars`: what this project holds itself to in speed, each bar a ratio.
//!
//! Both sides of a ratio are timed in one process, interleaved; the method is that of
//! [`placelab_benches::versus`]. `-- --only J2,H1` measures some bars, `-- --json` prints JSON, and
//! `-- --test` only shows that every bar can be measured. A bar that fails makes the exit code 1.

mod builds;
mod contests;
mod division_floor;
mod ranges;
#[path = "../rivals/mod.rs"]
#[expect(dead_code, reason = "what the other bench alone prints")]
mod rivals;
mod rows;
mod scenario;
mod tables;

use std::collections::BTreeSet;
use std::process::ExitCode;

use rows::{Laboratory, Row};

/// A claim: its name and how it is measured, which adds a row for each of its cases.
struct Bar {
    id: &'static str,
    what: &'static str,
    measure: fn(&mut Laboratory),
}

const fn bar(id: &'static str, what: &'static str, measure: fn(&mut Laboratory)) -> Bar {
    Bar { id, what, measure }
}

/// Every bar. "×" is how many times faster than the other side, or how many times its cost.
static BARS: [Bar; 21] = [
    bar("J1", "jump without vectors, × faster than jch", ranges::jump_portable),
    bar("J2", "jump in batches, × faster than jumpconsistenthash", ranges::jump_batches),
    bar("J3", "jump in batches, × the cost of its divisions alone", ranges::jump_floor),
    bar("C1", "flip and jump-back without vectors, × their crates", ranges::successors),
    bar("C2", "flip in batches, × faster than fliphash", ranges::flip_batches),
    bar("R1", "ring, × faster than hashring with a fast hasher", tables::ring),
    bar("R4", "ring, latency of one key, × faster than hashring", tables::ring_latency),
    bar("H1", "rendezvous without vectors, × faster than hash-rings", contests::portable),
    bar("H2", "rendezvous in batches, × faster than hash-rings", contests::batches),
    bar("W1", "weighted rendezvous without vectors, × hash-rings", contests::weighted_portable),
    bar("W2", "weighted rendezvous in batches, × hash-rings", contests::weighted_batches),
    bar("M1", "maglev, × faster than other crates", tables::maglev),
    bar("M2", "maglev's table, against others' making", builds::maglev),
    bar("B1", "ring built, × faster than hashring", builds::ring),
    bar("B2", "one node joins a ring, × the cost of building it", builds::ring_grows),
    bar("A1", "anchor, × faster than anchorhash with a fast hasher", tables::anchor),
    bar("P1", "multi-probe, × faster than hash-rings", tables::multi_probe),
    bar("S1", "scenario of jump, × the cost of a loop key by key", scenario::against_loop),
    bar("S2", "scenario, × the cost of its parts", scenario::against_parts),
    bar("S3", "scenario on all cores, × the processor time of one", scenario::on_all_cores),
    bar("S4", "rendezvous grows by one, × the cost of two placements", scenario::rendezvous_grows),
];

/// What the command line asks for.
struct Request {
    only: Option<BTreeSet<String>>,
    is_json: bool,
    is_test: bool,
}

fn request() -> Result<Request, String> {
    let mut request = Request { only: None, is_json: false, is_test: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo says so of itself.
            "--bench" => {}
            "--json" => request.is_json = true,
            "--test" => request.is_test = true,
            "--only" => {
                let list = arguments.next().ok_or("--only needs bars, such as J2,H1")?;
                request.only = Some(list.split(',').map(str::to_owned).collect());
            }
            other => return Err(format!("no such option: {other}")),
        }
    }
    let unknown = |id: &&String| BARS.iter().all(|bar| bar.id != **id);
    match request.only.iter().flatten().find(unknown) {
        Some(id) => Err(format!("there is no bar {id}")),
        None => Ok(request),
    }
}

fn main() -> ExitCode {
    let request = match request() {
        Ok(request) => request,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let mut laboratory = Laboratory::new(request.is_test);
    let is_due = |bar: &&Bar| request.only.as_ref().is_none_or(|only| only.contains(bar.id));
    for bar in BARS.iter().filter(is_due) {
        eprintln!("{}: {} …", bar.id, bar.what);
        laboratory.begin(bar.id, bar.what);
        (bar.measure)(&mut laboratory);
    }
    let rows = laboratory.rows();
    if request.is_test {
        println!("{} cases, none of them judged", rows.len());
        return ExitCode::SUCCESS;
    }
    println!("{}", if request.is_json { rows::json(rows) } else { rows::table(rows) });
    ExitCode::from(u8::from(rows.iter().any(Row::is_failed)))
}
