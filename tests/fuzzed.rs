//! Unusual files: the seeds of the fuzz targets (`fuzz/corpus/`), damaged at random, and the guarantees of their readers
//! for every text (`fuzz/src/lib.rs`). It repeats for a few seconds what `.ci/full` does for long.

#[path = "../fuzz/src/lib.rs"]
mod promises;

use std::fs;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

use crate::common::repository;
use crate::random::questions;

/// Damaged files for each reader.
const CASES: u32 = 250;

/// Lines that once caused mistakes, and numbers at the ends of their types.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "\"",
    "'''",
    "[[[[[[[[",
    "{",
    "#",
    ",",
    "\n",
    "\r\n",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{feff}",
    "µ",
    "=1+1",
];

/// One kind of damage; positions are drawn first and valid in every text.
#[derive(Clone, Debug)]
enum Damage {
    /// Flips a bit of a byte.
    Flip(Index, u8),
    /// Removes bytes.
    Delete(Index, usize),
    /// Repeats a line once or many times.
    Repeat(Index, usize),
    /// Moves a line.
    Move(Index, Index),
    /// Inserts a word.
    Insert(Index, &'static str),
    /// Replaces a number.
    Number(Index, &'static str),
    /// Replaces the end by that of another seed.
    Splice(Index, Index, Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    use Damage::{Delete, Flip, Insert, Move, Number, Repeat, Splice};
    let (place, word) = (any::<Index>, || proptest::sample::select(&WORDS[..]));
    prop_oneof![
        (place(), 0..8_u8).prop_map(|(at, bit)| Flip(at, bit)),
        (place(), 1..40_usize).prop_map(|(at, length)| Delete(at, length)),
        (place(), prop_oneof![Just(1_usize), 2..300_usize]).prop_map(|(at, times)| Repeat(at, times)),
        (place(), place()).prop_map(|(from, to)| Move(from, to)),
        (place(), word()).prop_map(|(at, word)| Insert(at, word)),
        (place(), word()).prop_map(|(at, word)| Number(at, word)),
        (place(), place(), place()).prop_map(|(seed, at, from)| Splice(seed, at, from)),
    ]
}

impl Damage {
    fn inflict(&self, bytes: &mut Vec<u8>, seeds: &[(String, Vec<u8>)]) {
        let end = bytes.len() + 1;
        match *self {
            Self::Flip(at, bit) if !bytes.is_empty() => bytes[at.index(end - 1)] ^= 1 << bit,
            Self::Delete(at, length) => {
                let start = at.index(end);
                bytes.drain(start..(start + length).min(end - 1));
            }
            Self::Insert(at, word) => {
                let start = at.index(end);
                bytes.splice(start..start, word.bytes());
            }
            Self::Repeat(at, times) => {
                let (start, line) = line(bytes, at);
                bytes.splice(start..start, line.repeat(times));
            }
            Self::Move(from, to) => {
                let (start, line) = line(bytes, from);
                bytes.drain(start..start + line.len());
                let to = self::line(bytes, to).0;
                bytes.splice(to..to, line);
            }
            Self::Number(at, word) => {
                let starts: Vec<usize> = (0..bytes.len())
                    .filter(|&i| bytes[i].is_ascii_digit() && (i == 0 || !is_of_a_number(bytes[i - 1])))
                    .collect();
                if !starts.is_empty() {
                    let start = *at.get(&starts);
                    let length = bytes[start..].iter().take_while(|&&byte| is_of_a_number(byte)).count();
                    bytes.splice(start..start + length, word.bytes());
                }
            }
            Self::Splice(seed, at, from) => {
                let other = &seed.get(seeds).1;
                bytes.truncate(at.index(end));
                bytes.extend_from_slice(&other[from.index(other.len() + 1)..]);
            }
            Self::Flip(..) => {}
        }
    }
}

fn is_of_a_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// The line around a place: its first byte, and its bytes with their line break.
fn line(bytes: &[u8], at: Index) -> (usize, Vec<u8>) {
    let at = at.index(bytes.len() + 1);
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let length =
        bytes[start..].iter().position(|&byte| byte == b'\n').map_or(bytes.len() - start, |end| end + 1);
    (start, bytes[start..start + length].to_vec())
}

/// The files of `fuzz/corpus/TARGET`, in order.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = fs::read_dir(repository("fuzz/corpus").join(target)).expect("a folder of seeds");
    let mut files: Vec<_> = folder.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(files.len() > 2, "{target} has {} seeds", files.len());
    files.iter().map(|file| (file.display().to_string(), fs::read(file).expect("readable"))).collect()
}

/// The seeds keep the guarantees unchanged, and so do `CASES` damaged ones.
fn keeps(target: &str, promise: fn(&[u8])) {
    let seeds = seeds(target);
    for (_, bytes) in &seeds {
        promise(bytes);
    }
    let question = (any::<Index>(), proptest::collection::vec(damage(), 1..6));
    // No file of failures: each failure becomes a seed.
    let config = ProptestConfig { failure_persistence: None, ..questions(CASES) };
    let result = TestRunner::new(config).run(&question, |(seed, damages)| {
        let (name, mut bytes) = seed.get(&seeds).clone();
        for damage in &damages {
            damage.inflict(&mut bytes, &seeds);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        std::panic::catch_unwind(|| promise(&bytes)).map_err(|why| {
            let why = why.downcast_ref::<String>().map_or("a panic", String::as_str);
            TestCaseError::fail(format!("{name}, damaged: {why}\n--- the text:\n{text:?}"))
        })
    });
    if let Err(why) = result {
        panic!("{why}\nwith the repair, put this text into fuzz/corpus/{target}/");
    }
}

#[test]
fn input_files() {
    keeps("toml", promises::toml);
}

#[test]
fn measured_csv() {
    keeps("measured", promises::measured);
}

#[test]
fn output_of_mlc() {
    keeps("mlc", promises::mlc);
}

#[test]
fn output_of_likwid() {
    keeps("likwid", promises::likwid);
}

#[test]
fn output_of_stream() {
    keeps("stream", promises::stream);
}

#[test]
fn files_of_tools_that_place_applications() {
    keeps("placed", promises::placed::placed);
}

#[test]
fn output_of_tools_that_print_topologies() {
    keeps("topology", promises::topologies::topology);
}

#[test]
fn output_of_counters_and_page_tables() {
    keeps("app_profile", promises::apps::app_profile);
}

#[test]
fn graphs_as_csv() {
    keeps("csv_graph", promises::graphs::csv_graph);
}

#[test]
fn graphs_of_other_tools() {
    keeps("wfcommons", promises::graphs::wfcommons);
    keeps("dot", promises::graphs::dot);
    keeps("starpu", promises::graphs::starpu);
}

/// Seeds that are rejected at their first character do not help the fuzzer.
#[test]
fn seeds_of_graphs_are_valid_unless_marked() {
    use numasim_graph::import::{dot, starpu, wfcommons};
    let reads = |target: &str, text: &str| match target {
        "csv_graph" => {
            let (blocks, tasks) = text.split_once(promises::NEXT_FILE).expect("two files");
            numasim_graph::csv::read("seed", blocks, tasks).is_ok()
        }
        "dot" => dot::read(text, "seed").is_ok(),
        "starpu" => starpu::read(text, "seed", 10.0).is_ok(),
        _ => wfcommons::read(text, "seed", 10.0).is_ok(),
    };
    for target in ["csv_graph", "dot", "starpu", "wfcommons"] {
        for (name, bytes) in seeds(target) {
            let text = String::from_utf8(bytes).expect("UTF-8");
            // A header alone is a graph without tasks.
            let is_refused = ["circle", "older", "header"].iter().any(|word| name.contains(word));
            assert_eq!(reads(target, &text), !is_refused, "{name}");
        }
    }
}

#[test]
fn parameters_of_generators() {
    keeps("generated", promises::graphs::generated);
}

#[test]
fn profiles_and_plans() {
    keeps("profile", promises::plans::profile);
    keeps("plan", promises::plans::plan);
}

#[test]
fn xml_of_hwloc() {
    keeps("hwloc_xml", promises::hwloc_xml);
}
