//! Valid and invalid measured CSV files.

use std::fmt::Write as _;

use numasim_study::Problem;

use super::super::{Measured, read_measured};
use crate::measured::COLUMNS;

/// A row of the full form with the given values; the others are those of the benchmark.
fn row(scenario: &str, app: &str, node: u32, repetition: u32, gflops: &str, status: &str) -> String {
    let value = |column: &&str| match *column {
        "run" => "7f3a".to_owned(),
        "scenario" => format!("\"{scenario}\""),
        "app" => app.to_owned(),
        "node" => node.to_string(),
        "repetition" => repetition.to_string(),
        "threads" => "2".to_owned(),
        "bandwidth_gbs" => "10.5".to_owned(),
        "gflops" => gflops.to_owned(),
        "fitted" => "false".to_owned(),
        "status" => status.to_owned(),
        "problem" => {
            if status == "ok" {
                String::new()
            } else {
                "ran on processor 3".to_owned()
            }
        }
        "doubts" => "numa-balancing no-huge-pages".to_owned(),
        _ => "0".to_owned(),
    };
    COLUMNS.iter().map(value).collect::<Vec<_>>().join(",")
}

fn full(rows: &[String]) -> String {
    format!("{}\n{}\n", COLUMNS.join(","), rows.join("\n"))
}

fn gflops(measured: &Measured) -> Vec<(u32, f64)> {
    measured.repetitions.iter().map(|repetition| (repetition.number, repetition.gflops.value())).collect()
}

fn refused(text: &str) -> Problem {
    let mut problems = read_measured(text).expect_err("wrong");
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

/// The message, the marked text, and the correction.
fn message_of(text: &str) -> (String, &str, String) {
    let problem = refused(text);
    let span = problem.place.and_then(|place| place.span).expect("a place");
    (problem.message, &text[span], problem.hint.unwrap_or_default())
}

#[test]
fn the_minimal_form_has_a_total_if_the_app_is_empty() {
    let text = "# by hand\nscenario,app,gflops\n\"even 5,5\",,18.14\n\"even 5,5\",mem-1,1.5\n";
    let read = read_measured(text).expect("in order");
    let found: Vec<_> =
        read.measured.iter().map(|m| (m.scenario.as_str(), m.app.as_deref(), gflops(m))).collect();
    assert_eq!(found, [("even 5,5", None, vec![(1, 18.14)]), ("even 5,5", Some("mem-1"), vec![(1, 1.5)])]);
    assert_eq!((read.rows, read.measured[0].line), (2, 3));
    assert_eq!(read.measured[0].repetitions[0].bandwidth, None);
}

#[test]
fn columns_come_in_any_order_and_bandwidth_may_be_empty() {
    let text = "repetition,gflops,app,scenario,bandwidth_gbs\n2,4,a,s,8\n1,3,a,s,\n";
    let read = read_measured(text).expect("in order");
    assert_eq!(gflops(&read.measured[0]), [(1, 3.0), (2, 4.0)]);
    let bandwidth: Vec<_> = read.measured[0]
        .repetitions
        .iter()
        .map(|r| r.bandwidth.map(numasim_model::units::GigabytesPerSecond::value))
        .collect();
    assert_eq!(bandwidth, [None, Some(8.0)]);
}

#[test]
fn the_full_form_is_summed_over_nodes() {
    let rows =
        [row("s", "a", 0, 1, "1.5", "ok"), row("s", "a", 1, 1, "2.25", "ok"), row("s", "b", 0, 1, "9", "ok")];
    let read = read_measured(&full(&rows)).expect("in order");
    assert_eq!(gflops(&read.measured[0]), [(1, 3.75)]);
    // 10.5 GB/s on each of two nodes
    let bandwidth = read.measured[0].repetitions[0].bandwidth.expect("measured");
    assert_eq!(bandwidth.value(), 21.0);
    assert_eq!(read.measured[0].threads.clone().into_iter().collect::<Vec<_>>(), [(0, 2), (1, 2)]);
    assert!(read.measured[0].doubts.iter().eq(["no-huge-pages", "numa-balancing"]));
}

#[test]
fn a_repetition_with_a_misplaced_node_is_excluded_and_reported() {
    let rows = [
        row("s", "a", 0, 1, "1", "ok"),
        row("s", "a", 1, 1, "2", "misplaced"),
        row("s", "a", 0, 2, "3", "ok"),
        row("s", "a", 1, 2, "4", "ok"),
    ];
    let read = read_measured(&full(&rows)).expect("in order");
    assert_eq!(gflops(&read.measured[0]), [(2, 7.0)]);
    let left_out = &read.left_out[0];
    assert_eq!((left_out.line, left_out.repetition), (3, 1));
    assert_eq!(left_out.why, "misplaced: ran on processor 3");
}

#[test]
fn a_repetition_that_a_killed_run_left_unfinished_is_excluded() {
    let rows =
        [row("s", "a", 0, 1, "1", "ok"), row("s", "a", 1, 1, "2", "ok"), row("s", "a", 0, 2, "3", "ok")];
    let read = read_measured(&full(&rows)).expect("in order");
    assert_eq!(gflops(&read.measured[0]), [(1, 3.0)]);
    assert_eq!(read.left_out[0].why, "the row of node 1 is missing");
}

#[test]
fn errors_in_columns_are_reported_with_a_suggestion() {
    let (message, marked, hint) = message_of("scenario,app,gflop\ns,,1\n");
    assert_eq!((message.as_str(), marked), ("there is no column `gflop`", "gflop"));
    assert_eq!(hint, "did you mean `gflops`?");
    let (_, marked, hint) = message_of("scenario;app;gflops\ns;;1\n");
    assert_eq!((marked, hint.as_str()), ("scenario;app;gflops", "separate columns by commas"));
    let (message, ..) = message_of("scenario,gflops\ns,1\n");
    assert_eq!(message, "a column is missing: app");
    let (message, ..) = message_of("scenario,app,gflops,node\ns,a,1,0\n");
    assert_eq!(message, "columns are missing: repetition, threads, bandwidth_gbs, status");
    let (message, ..) = message_of("scenario,app,gflops\n");
    assert_eq!(message, "there are no rows below the header");
}

#[test]
fn invalid_values_are_rejected_at_their_place() {
    for (wrong, message) in [
        ("-1", "`gflops` is -1, but cannot be negative"),
        ("inf", "`gflops` is inf, which is not a finite number"),
        ("NaN", "`gflops` is NaN, which is not a finite number"),
        ("fast", "`gflops` is 'fast', not a number"),
    ] {
        let text = format!("scenario,app,gflops\ns,,1\nt,,{wrong}\n");
        let message_of = message_of(&text);
        assert_eq!((message_of.0.as_str(), message_of.1), (message, wrong));
        assert_eq!(message_of.2, "write GFLOPS, zero or more, such as 22.82");
    }
    let (message, ..) = message_of("scenario,app,gflops\ns,,\n");
    assert_eq!(message, "`gflops` is empty");
    let (message, marked, _) = message_of("scenario,app,gflops\n,a,1\n");
    assert_eq!((message.as_str(), marked), ("`scenario` is empty", ""));
    let (message, marked, _) = message_of("scenario,app,gflops,repetition\ns,a,1,0\n");
    assert_eq!((message.as_str(), marked), ("`repetition` is '0'", "0"));
}

#[test]
fn an_impossible_node_is_rejected_at_its_place() {
    // Nodes 0 to 1023 are valid; a larger number does not become the size of a machine.
    assert!(read_measured(&full(&[row("s", "a", 1023, 1, "1", "ok")])).is_ok());
    for node in [1024, u32::MAX] {
        let text = full(&[row("s", "a", 0, 1, "1", "ok"), row("s", "a", node, 1, "1", "ok")]);
        let (message, marked, _) = message_of(&text);
        let number = node.to_string();
        assert_eq!(
            (message, marked),
            (
                format!("there is no node {number}: a machine has at most 1024, numbered from 0"),
                number.as_str()
            )
        );
    }
}

#[test]
fn a_duplicate_row_is_shown_with_the_first() {
    let text = "scenario,app,gflops\ns,a,1\ns,a,2\n";
    let problem = refused(text);
    let related = problem.related.first().and_then(|(place, _)| place.span.clone()).expect("the first row");
    assert_eq!(&text[related], "s,a,1");
    assert!(problem.hint.expect("a hint").contains("a column `repetition`"));
    let rows = [row("s", "a", 0, 1, "1", "ok"), row("s", "a", 0, 1, "1", "ok")];
    assert!(refused(&full(&rows)).hint.expect("a hint").starts_with("keep one row for each"));
}

#[test]
fn rows_of_two_runs_do_not_mix() {
    let rows = [row("s", "a", 0, 1, "1", "ok"), row("s", "a", 0, 2, "1", "ok").replace("7f3a", "99")];
    assert_eq!(refused(&full(&rows)).message, "this row is of run '99', the rows before it of run '7f3a'");
}

#[test]
fn a_long_list_of_problems_is_cut() {
    let mut text = "scenario,app,gflops\n".to_owned();
    for n in 0..1000 {
        writeln!(text, "s{n},,x").expect("memory");
    }
    let problems = read_measured(&text).expect_err("no numbers");
    assert_eq!(problems.len(), 21);
}
