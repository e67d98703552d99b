//! Small files of each kind by hand, their mistakes, and texts of any kind.

mod any_text;
mod dot;
mod starpu;
mod wfcommons;

use std::fmt::Write as _;

use numasim_study::Problem;

use super::{Imported, check_room, count, words};
use crate::testing::{located, rows};

/// The graph, and the warnings with their lines.
fn seen(text: &str, imported: &Imported) -> String {
    let mut seen = rows(&imported.graph);
    for warning in &imported.warnings {
        let span = warning.place.as_ref().and_then(|place| place.span.clone()).expect("a place");
        let line = 1 + text[..span.start].matches('\n').count();
        let _ = writeln!(seen, "warning: line {line}: {}", warning.message);
    }
    seen
}

fn refused(text: &str, read: Result<Imported, Vec<Problem>>) -> String {
    located(&read.expect_err("problems"), &[("file", text)])
}

#[test]
fn what_needs_more_than_four_gib_is_refused_with_what_it_needs() {
    assert_eq!(check_room("", [1 << 22, 1024], 0), Ok(()));
    let problems = check_room("", [5 << 20, 1024], 0).expect_err("too much");
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.message.contains("5.0 GiB"), "{}", problem.message);
}

#[test]
fn words_and_bytes_are_counted() {
    assert_eq!(words("a_1 -> b.2 [flop=1e9];\n\"größe\" "), 5);
    assert_eq!(count("{{}}", b'{'), 2);
}

/// StarPU counts from INT_MIN to INT_MAX, WfFormat permits any number, and DOT uses an attribute of ours. Higher is more urgent in all of
/// them.
#[test]
fn priorities_of_tasks_are_read() {
    let rec = "JobId: 1\nSubmitOrder: 1\nGFlop: 1\n\nJobId: 2\nSubmitOrder: 2\nPriority: -3\nGFlop: 1\n";
    let dot = "digraph { a [flop=1e9]; b [flop=1e9, priority=-3]; a -> b }";
    let workflow = r#"{"name":"w","schemaVersion":"1.5","workflow":{"specification":{"tasks":[
        {"name":"a","id":"1","parents":[],"children":[]},{"name":"b","id":"2","parents":["1"],"children":[]}],"files":[]},
        "execution":{"makespanInSeconds":2,"executedAt":"now","tasks":[
        {"id":"1","runtimeInSeconds":1},{"id":"2","runtimeInSeconds":1,"priority":-3.0}]}}}"#;
    let read = [
        super::starpu::read(rec, "g", None),
        super::dot::read(dot, "g"),
        super::wfcommons::read(workflow, "g", 1.0),
    ];
    for read in read {
        let graph = read.expect("a graph").graph;
        assert_eq!(graph.tasks().map(|task| graph.priority(task)).collect::<Vec<_>>(), [0.0, -3.0]);
    }
    let wrong = dot.replace("-3", "high");
    let problems = super::dot::read(&wrong, "g").expect_err("a word");
    assert_eq!(problems[0].message, "`priority` is 'high', not a number");
}
