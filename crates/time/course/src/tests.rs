//! Tests of the keys about time.

mod bounds;
mod reading;

use std::collections::HashMap;

use numasim_study::ProblemKind;
use numasim_study::keys::{Shape, Table};
use numasim_study::testing::{self, MACHINE, files};

use crate::keys::{self, FILE};
use crate::{Binding, Pick, Reading, Synchronisation, Wake, read_study};

fn read(text: &str) -> Reading {
    read_study(&files(&[text])).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// Kind and marked text of each problem.
fn problems(texts: &[&str]) -> Vec<(ProblemKind, String)> {
    testing::problems(texts, read_study)
}

fn problem(text: &str) -> (ProblemKind, String) {
    testing::problem(text, read_study)
}

fn with_app(keys: &str) -> String {
    format!("{MACHINE}[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\n{keys}\n")
}

#[test]
fn defaults_over_time_are_listed_after_those_of_applications() {
    let reading = read(&with_app("weight = 2"));
    let found: Vec<String> = reading
        .defaults
        .iter()
        .map(|default| {
            format!("{} {} {} = {}", default.table.as_str(), default.name, default.key, default.value)
        })
        .skip_while(|default| !default.contains("max_threads"))
        .collect();
    let expected = [
        "app a max_threads = no limit",
        "app a iterations = 1",
        "app a scaling = linear",
        "app a io_ms = 0",
        "app a work_gflop = not given",
        "app a tasks = none: divisible work",
        "app a task_spread = 0",
        "app a arrives_s = 0",
        "app a threads = one per core",
        "app a command = none",
        "app a control = per-node",
        "app a bind = node",
        "app a pick = spread",
        "policy  name = none",
        "policy  period_ms = 0",
        "policy  command_ms = 0",
        "os  slice_ms = 3",
        "os  switch_us = 5",
        "os  refill_ms = 0.1",
    ];
    assert_eq!(found, expected);
}

/// The reader looks up every declared key, so that none is rejected as unknown.
#[test]
fn every_key_that_is_declared_is_asked_for() {
    let tables = [
        ("[[app]]", &keys::APP_TABLE),
        ("[[app]]\n[[app.phase]]", &keys::phase::TABLE),
        ("[[channel]]", &keys::channel::TABLE),
        ("[[call]]", &keys::call::TABLE),
        ("[[command]]", &keys::command::TABLE),
        ("[policy]", &keys::policy::TABLE),
        ("[os]", &keys::os::TABLE),
        ("[cluster]", &keys::cluster::TABLE),
    ];
    for (header, table) in tables {
        for key in table.keys {
            let text = format!("{MACHINE}{header}\n{} = nan\n", key.name);
            let found = problems(&[&text]);
            let unknown = found.iter().any(|(kind, _)| *kind == ProblemKind::UnknownKey);
            assert!(!unknown, "{header} {}: {found:?}", key.name);
        }
        let text = format!("{MACHINE}{header}\nnonsense = nan\n");
        assert!(problems(&[&text]).iter().any(|(kind, _)| *kind == ProblemKind::UnknownKey), "{header}");
    }
}

/// The declared words are those of the values, and the reader accepts them all.
#[test]
fn the_words_of_declarations_are_those_that_the_reader_knows() {
    fn add(table: &Table, into: &mut HashMap<&'static str, Vec<&'static str>>) {
        for key in table.keys {
            match &key.shape {
                Shape::Words(words) => {
                    into.insert(words.type_name, words.each().map(|(word, _)| word).collect());
                }
                Shape::Table(table) | Shape::Tables(table, ..) => add(table, into),
                _ => {}
            }
        }
    }
    let mut declared = HashMap::new();
    add(&FILE, &mut declared);
    assert_eq!(declared["SyncWord"], Synchronisation::ALL.map(Synchronisation::as_str));
    assert_eq!(declared["BindWord"], Binding::ALL.map(Binding::as_str));
    assert_eq!(declared["PickWord"], Pick::ALL.map(Pick::as_str));
    assert_eq!(declared["WakeWord"], Wake::ALL.map(Wake::as_str));
}

#[test]
fn data_of_a_phase_on_a_node_without_memory_is_refused() {
    let machine = "[machine]\nname = \"m\"\nbandwidth_gbs = 64\nlink_gbs = 16\n[[machine.node]]\ncores = 4\ngflops_per_core = 10\n[[machine.node]]\ncores = 4\ngflops_per_core = 10\nmemory_gib = 0\n";
    let app = "[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\nwork_gflop = 1\n[[app.phase]]\ndata = { home = 1 }\n";
    assert!(problems(&[&format!("{machine}{app}")]).contains(&(ProblemKind::BadValue, "1".to_owned())));
}
