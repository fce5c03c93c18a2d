//! Keys from every source: what they are, and that any cut makes the same.

use std::path::Path;

use placelab_core::mix::stream;
use placelab_core::{HashFunction, KeyPart};
use placelab_results::Measure;
use placelab_sim::keys::{COUNT_MAX, KEY_STREAM, KeyChunk, KeyError, KeySource};
use placelab_sim::scenario::{Columns, KeyRequest, SourceRequest};

fn open(source: SourceRequest) -> Result<KeySource, KeyError> {
    KeySource::open(&KeyRequest { source, hash: HashFunction::Xxh64, marks: Vec::new() })
}

fn whole(source: &KeySource) -> KeyChunk {
    let mut chunk = KeyChunk::default();
    source.fill(0..source.len(), &mut chunk, KeyPart::Bytes);
    chunk
}

fn texts(chunk: &KeyChunk) -> Vec<String> {
    let text = |index| String::from_utf8_lossy(chunk.text.get(index)).into_owned();
    (0..chunk.text.len()).map(text).collect()
}

/// The weight of every key, one by one.
fn weights_of(source: &KeySource, measure: Measure) -> Vec<u64> {
    let run = |(weight, keys)| (0..keys).map(move |_| weight);
    source.weight_runs(measure).flat_map(run).collect()
}

/// Names of the columns of keys, requests and bytes; empty where there are none.
type Names = Option<[&'static str; 3]>;

/// A key file, its bytes and its columns.
fn file(contents: &[u8], columns: Names, limit: Option<u64>) -> Result<KeySource, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("keys");
    std::fs::write(&path, contents).expect("a file in a temporary folder");
    let some = |name: &str| (!name.is_empty()).then(|| name.to_string());
    let columns = columns.map(|[key, requests, bytes]| Columns {
        key: key.into(),
        requests: some(requests),
        bytes: some(bytes),
    });
    let source = SourceRequest::File { path, shown: "keys".into(), columns, limit };
    open(source).map_err(|error| error.to_string())
}

/// XXH64 of decimal texts, from the pinned vectors of a published article on jump hash.
#[test]
fn sequential_keys_are_decimal_texts() {
    let source = open(SourceRequest::Sequential { count: 10_000 }).unwrap();
    let chunk = whole(&source);
    assert_eq!(chunk.hashes[0].0, 7_148_434_200_721_666_028);
    assert_eq!(chunk.hashes[8842].0, 2_118_329_461_945_753_543);
    assert!(texts(&chunk).iter().enumerate().all(|(index, text)| *text == index.to_string()));
    assert!(source.measures().eq([Measure::Keys]) && chunk.requests.is_empty());
    assert_eq!(source.measures().collect::<Vec<_>>(), [Measure::Keys]);
}

#[test]
fn uniform_keys_are_hex_texts_of_the_stream() {
    let chunk = whole(&open(SourceRequest::Uniform { count: 300 }).unwrap());
    for (index, text) in texts(&chunk).iter().enumerate() {
        assert_eq!(*text, format!("{:016x}", stream(KEY_STREAM, index as u64)));
        assert_eq!(chunk.hashes[index].0, HashFunction::Xxh64.hash(text.as_bytes()));
    }
}

#[test]
fn zipf_requests_are_exact() {
    let source = open(SourceRequest::Zipf { count: 6, exponent: 1.0 }).unwrap();
    let chunk = whole(&source);
    assert_eq!(chunk.requests, [6, 3, 2, 1, 1, 1]);
    let uniform = whole(&open(SourceRequest::Uniform { count: 6 }).unwrap());
    assert_eq!(chunk.hashes, uniform.hashes, "the same keys, with requests");
    assert_eq!(source.totals().requests, Some(14));
    assert_eq!(weights_of(&source, Measure::Requests), chunk.requests);
    let runs: Vec<_> = source.weight_runs(Measure::Requests).collect();
    assert_eq!(runs, [(6, 1), (3, 1), (2, 1), (1, 3)]);
    assert_eq!(weights_of(&source, Measure::Keys).iter().sum::<u64>(), 6);
    assert_eq!(weights_of(&source, Measure::Bytes).len(), 0);
    assert_eq!(source.summary().largest_request_share, Some(0.428_571_429));
    assert_eq!(source.summary().source, "zipf: requests by rank to the power of −1");
}

#[test]
fn any_cut_makes_the_same_keys() {
    let csv = (0..500).fold(String::from("k,r,b\n"), |mut text, key| {
        text.push_str(&format!("key {key},{},{}\n", key * 7, key % 11));
        text
    });
    let sources = [
        open(SourceRequest::Sequential { count: 500 }).unwrap(),
        open(SourceRequest::Uniform { count: 500 }).unwrap(),
        open(SourceRequest::Zipf { count: 500, exponent: 0.8 }).unwrap(),
        file(csv.as_bytes(), Some(["k", "r", "b"]), None).unwrap(),
    ];
    for source in &sources {
        let whole = whole(source);
        let (mut hashes, mut requests, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut start, mut chunk) = (0, KeyChunk::default());
        for round in 0.. {
            let end = (start + stream(1, round) % 40).min(500);
            let reads = if round % 2 == 0 { KeyPart::Hash } else { KeyPart::Bytes };
            source.fill(start..end, &mut chunk, reads);
            let asked = if reads == KeyPart::Bytes { end - start } else { 0 };
            assert_eq!(chunk.text.len() as u64, asked, "text only where it is asked for");
            hashes.extend_from_slice(&chunk.hashes);
            requests.extend_from_slice(&chunk.requests);
            bytes.extend_from_slice(&chunk.bytes);
            start = end;
            if start == 500 {
                break;
            }
        }
        assert_eq!((hashes, requests, bytes), (whole.hashes, whole.requests, whole.bytes));
    }
}

#[test]
fn text_files_have_a_key_a_line() {
    let source = file(b"alpha\nbeta\r\n\xff\xfe\nalpha", None, None).unwrap();
    let chunk = whole(&source);
    assert_eq!(chunk.text.len(), 4, "duplicates and bytes that are no UTF-8 are keys too");
    assert_eq!((chunk.text.get(1), chunk.text.get(2)), (&b"beta"[..], &b"\xff\xfe"[..]));
    assert_eq!(chunk.hashes[0], chunk.hashes[3]);
    assert_eq!(whole(&file(b"a\nb\nc\n", None, Some(2)).unwrap()).text.len(), 2);
    // As `sha256sum` has it: of all six bytes, though only the first key is used.
    let digest = file(b"a\nb\nc\n", None, Some(1)).unwrap().summary().sha256.clone();
    let expected = "880553fca8fcea94e325ee2cfb48e5a985cc797f39a14cc6d3cedecfeb2ae4d2";
    assert_eq!(digest.as_deref(), Some(expected));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_key() {
    let lines = file(b"\xef\xbb\xbfalpha\nbeta\n", None, None).unwrap();
    assert_eq!(texts(&whole(&lines)), ["alpha", "beta"]);
    let csv = file(b"\xef\xbb\xbfkey\nalpha\n", Some(["key", "", ""]), None).unwrap();
    assert_eq!(texts(&whole(&csv)), ["alpha"]);
}

#[test]
fn csv_files_have_columns() {
    let csv = b"bytes,key,hits\n10,\"a,b\",3\n20,c,1\n";
    let source = file(csv, Some(["key", "hits", "bytes"]), None).unwrap();
    let chunk = whole(&source);
    assert_eq!((texts(&chunk), &chunk.requests), (vec!["a,b".into(), "c".into()], &vec![3, 1]));
    let totals = source.totals();
    assert_eq!((totals.keys, totals.requests, totals.bytes), (2, Some(4), Some(30)));
    assert_eq!(chunk.weights(Measure::Bytes), Some(&[10, 20][..]));
    assert_eq!(source.summary().largest_request_share, Some(0.75));
}

#[test]
fn wrong_files_say_which_line() {
    let columns = Some(["key", "hits", ""]);
    let huge = format!("key,hits\na,{}\nb,1\n", u64::MAX);
    let cases: [(&[u8], Names, &str); 9] = [
        (b"", None, "keys: there are no keys"),
        (b"a\n\nb\n", None, "keys, line 2: an empty line; a key has at least one byte"),
        (b"key,hits\n", columns, "keys: there are no keys"),
        (b"", columns, "keys, line 1: no column is called `key`; the file has no columns"),
        (
            b"key,hit\na,1\n",
            columns,
            "keys, line 1: no column is called `hits`; there are `key`, `hit`",
        ),
        (b"key,hits\na,1\n,2\n", columns, "keys, line 3: the key is empty"),
        (
            b"key,hits\na,1.5\n",
            columns,
            "keys, line 2: column `hits`: a whole number from 0 to 18446744073709551615 is needed, \
             not `1.5`",
        ),
        (b"key,hits\na,1\nb\n", columns, "keys, line 3: 1 fields where the header has 2"),
        (huge.as_bytes(), columns, "keys, line 3: column `hits`: the sum so far exceeds 2^64"),
    ];
    for (contents, columns, expected) in cases {
        assert_eq!(file(contents, columns, None).map(|source| source.len()), Err(expected.into()));
    }
}

#[test]
fn counts_have_limits() {
    for source in [
        SourceRequest::Sequential { count: COUNT_MAX + 1 },
        SourceRequest::Zipf { count: u64::MAX, exponent: 1.0 },
    ] {
        assert!(open(source).unwrap_err().is_limit());
    }
    let nobody = open(SourceRequest::Uniform { count: 0 });
    assert!(matches!(nobody, Err(KeyError::Empty { .. })));
    let absent = SourceRequest::File {
        path: Path::new("absent").into(),
        shown: "absent".into(),
        columns: None,
        limit: None,
    };
    assert!(matches!(open(absent), Err(KeyError::Io { .. })));
    let last = open(SourceRequest::Sequential { count: COUNT_MAX }).unwrap();
    let mut chunk = KeyChunk::default();
    last.fill(COUNT_MAX - 1..COUNT_MAX, &mut chunk, KeyPart::Bytes);
    assert_eq!(chunk.text.get(0), b"999999999999");
}
