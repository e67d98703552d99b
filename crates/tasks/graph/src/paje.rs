//! A trace in the Paje format: times of tasks on the workers of the nodes, for tools such as pajeng, ViTE and StarVZ.
//!
//! The text begins with a definition of each event (`%EventDef NAME NUMBER`, its fields in order), then has an event for each line: its
//! number and its fields (Schnorr, "Paje trace file format", 2016; Kergommeaux, Stein, Bernard, "Paje, an interactive visualization tool
//! for tuning multi-threaded parallel applications", 2000). Containers are the program, its nodes and their workers, and the master if it
//! partitions. A worker has a state for each kind of task, from the time when it takes a task to the end of the task; the extra fields
//! `Task` and `Name` identify the task. Between tasks it has no state. Times are in seconds, ascending.

use std::fmt::{self, Write};

use numasim_model::{Machine, NodeId};

use crate::export::Ran;
use crate::values::TaskGraph;

/// The definitions. Numbers of events are ours; names and fields are those of the format.
const HEADER: &str = "\
%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 2
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 3
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 4
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 5
% Time date
% Type string
% Container string
% Value string
% Task string
% Name string
%EndEventDef
%EventDef PajePopState 6
% Time date
% Type string
% Container string
%EndEventDef
0 P 0 Program
0 N P Node
0 W N Worker
0 M P Master
1 S W Task
1 SM M Master
";

/// The master partitions a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partition {
    /// Tasks of the window.
    pub tasks: usize,
    /// When it began, in seconds.
    pub start_s: f64,
    /// When it ended, in seconds.
    pub end_s: f64,
}

/// An event of a container.
#[derive(Clone, Copy, Debug)]
enum Event<'a> {
    Takes(&'a Ran),
    Ends(&'a Ran),
    Partitions(&'a Partition),
    HasPartitioned,
}

/// Writes the trace of a run of `graph` on `machine`; `ran` may be in any order.
///
/// # Errors
/// Errors of `out`.
pub fn paje(
    graph: &TaskGraph,
    machine: &Machine,
    ran: &[Ran],
    partitions: &[Partition],
    out: &mut dyn Write,
) -> fmt::Result {
    out.write_str(HEADER)?;
    let kinds = graph.types().len();
    for (number, kind) in graph.types().iter().enumerate() {
        writeln!(out, "2 K{number} S {} \"{}\"", quoted(kind), colour(number, kinds))?;
    }
    writeln!(out, "2 KM SM partition \"0.5 0.5 0.5\"")?;
    writeln!(out, "3 0 program P 0 {}", quoted(graph.name()))?;
    let mut workers: Vec<(u32, NodeId)> = Vec::new();
    for node in machine.compute_nodes() {
        writeln!(out, "3 0 n{0} N program \"node {0}\"", node.0)?;
        for _ in 0..machine.node(node).cores {
            let worker = u32::try_from(workers.len()).map_err(|_| fmt::Error)?;
            workers.push((worker, node));
            writeln!(out, "3 0 w{worker} W n{} \"worker {worker}\"", node.0)?;
        }
    }
    if !partitions.is_empty() {
        writeln!(out, "3 0 master M program master")?;
    }
    let events = in_order(ran, partitions);
    let end_s = events.iter().map(|&(time, _)| time).fold(0.0, f64::max);
    for (time, event) in events {
        match event {
            Event::Takes(&Ran { task, worker, .. }) => {
                let kind = graph.kind(task).0;
                let name = quoted(graph.task_name(task).unwrap_or_else(|| graph.type_name(task)));
                writeln!(out, "5 {time} S w{worker} K{kind} {} {name}", task.0)?;
            }
            Event::Ends(ran) => writeln!(out, "6 {time} S w{}", ran.worker)?,
            Event::Partitions(of) => writeln!(out, "5 {time} SM master KM {} \"{0} tasks\"", of.tasks)?,
            Event::HasPartitioned => writeln!(out, "6 {time} SM master")?,
        }
    }
    for (worker, _) in &workers {
        writeln!(out, "4 {end_s} W w{worker}")?;
    }
    for node in machine.compute_nodes() {
        writeln!(out, "4 {end_s} N n{}", node.0)?;
    }
    if !partitions.is_empty() {
        writeln!(out, "4 {end_s} M master")?;
    }
    writeln!(out, "4 {end_s} P program")
}

/// All events by time. On one worker each task ends before the next one begins, even if both are at the same time.
fn in_order<'a>(ran: &'a [Ran], partitions: &'a [Partition]) -> Vec<(f64, Event<'a>)> {
    let mut tasks: Vec<&Ran> = ran.iter().collect();
    // A task without duration comes before one that begins when it does.
    tasks.sort_by(|a, b| a.start_s.total_cmp(&b.start_s).then(a.end_s.total_cmp(&b.end_s)));
    let mut events: Vec<(f64, Event<'a>)> = Vec::with_capacity(2 * (tasks.len() + partitions.len()));
    for ran in tasks {
        events.extend([(ran.start_s, Event::Takes(ran)), (ran.end_s, Event::Ends(ran))]);
    }
    for partition in partitions {
        events.extend([
            (partition.start_s, Event::Partitions(partition)),
            (partition.end_s, Event::HasPartitioned),
        ]);
    }
    // The sort is stable, and the events of each worker and of the master are in order.
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    events
}

/// A text as a field of an event: one word, or words between quotation marks.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace(['"', '\n', '\r'], " "))
}

/// Red, green and blue of one out of `kinds` kinds, from 0 to 1: hues at equal distances.
fn colour(number: usize, kinds: usize) -> String {
    let hue = 6.0 * number as f64 / kinds.max(1) as f64;
    // A component of 0.9 that rises and falls along the circle of hues, shifted by a third for each colour.
    let part = |shift: f64| {
        let distance = (hue - shift).rem_euclid(6.0);
        0.1 + 0.8 * (2.0 - distance.min(6.0 - distance)).clamp(0.0, 1.0)
    };
    format!("{:.2} {:.2} {:.2}", part(0.0), part(2.0), part(4.0))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use numasim_model::Node;
    use numasim_model::units::{Gflops, GigabytesPerSecond};

    use super::*;
    use crate::values::{NewTask, TaskGraphBuilder, TaskId};

    /// A reader's state of a trace: definitions first, then only names that were defined or created before.
    #[derive(Default)]
    struct Reader {
        /// Per number: the name of the event and its fields.
        definitions: HashMap<String, (String, Vec<String>)>,
        /// Aliases of types and values, with their parent types.
        types: HashMap<String, String>,
        /// Containers that exist, with their types.
        containers: HashMap<String, String>,
        /// Per container: values of present states and since when.
        states: BTreeMap<String, Vec<(String, f64)>>,
        /// Container, value, begin and end of each state that is over.
        over: Vec<(String, String, f64, f64)>,
        now: f64,
    }

    /// The fields of a line: words, or texts between quotation marks.
    fn fields(line: &str) -> Vec<String> {
        let mut all = Vec::new();
        for (number, part) in line.split('"').enumerate() {
            if number % 2 == 1 {
                all.push(part.to_owned());
            } else {
                all.extend(part.split_whitespace().map(str::to_owned));
            }
        }
        all
    }

    impl Reader {
        fn read(text: &str) -> Self {
            let mut reader = Self::default();
            let mut open: Option<String> = None;
            for line in text.lines() {
                if let Some(definition) = line.strip_prefix('%') {
                    let words = fields(definition);
                    match words.first().map(String::as_str) {
                        Some("EventDef") => {
                            let known = (words[1].clone(), Vec::new());
                            assert!(reader.definitions.insert(words[2].clone(), known).is_none());
                            open = Some(words[2].clone());
                        }
                        Some("EndEventDef") => open = None,
                        _ => {
                            let of = open.as_ref().and_then(|number| reader.definitions.get_mut(number));
                            let kinds = ["date", "int", "double", "hex", "string", "color"];
                            assert!(kinds.contains(&words[1].as_str()), "{line}");
                            of.expect("inside a definition").1.push(words[0].clone());
                        }
                    }
                    continue;
                }
                reader.event(line);
            }
            assert!(reader.containers.is_empty() && reader.states.values().all(Vec::is_empty));
            reader
        }

        fn event(&mut self, line: &str) {
            let mut words = fields(line).into_iter();
            let number = words.next().expect("a number");
            let (name, names) = self.definitions.get(&number).expect("a definition").clone();
            let values: Vec<String> = words.collect();
            assert_eq!(values.len(), names.len(), "{line}");
            let of = |field: &str| {
                values[names.iter().position(|name| name == field).expect("the format has this field")]
                    .clone()
            };
            if names.contains(&"Time".to_owned()) {
                let time: f64 = of("Time").parse().expect("a time");
                assert!(time >= self.now, "{line}");
                self.now = time;
            }
            match name.as_str() {
                "PajeDefineContainerType" | "PajeDefineStateType" | "PajeDefineEntityValue" => {
                    assert!(of("Type") == "0" || self.types.contains_key(&of("Type")), "{line}");
                    assert!(self.types.insert(of("Alias"), of("Type")).is_none(), "{line}");
                }
                "PajeCreateContainer" => {
                    let below = self.types.get(&of("Type")).expect("a type").clone();
                    let parent = self.containers.get(&of("Container")).cloned();
                    assert_eq!(parent.unwrap_or_else(|| "0".to_owned()), below, "{line}");
                    self.containers.insert(of("Alias"), of("Type"));
                }
                "PajeDestroyContainer" => assert_eq!(self.containers.remove(&of("Name")), Some(of("Type"))),
                "PajePushState" | "PajePopState" => {
                    assert_eq!(self.types.get(&of("Type")), self.containers.get(&of("Container")), "{line}");
                    let states = self.states.entry(of("Container")).or_default();
                    if name == "PajePushState" {
                        assert_eq!(self.types.get(&of("Value")), Some(&of("Type")), "{line}");
                        states.push((of("Value"), self.now));
                    } else {
                        let (value, since) = states.pop().expect("a state");
                        self.over.push((of("Container"), value, since, self.now));
                    }
                }
                other => panic!("{other} is no event of the format"),
            }
        }
    }

    /// Two workers on each of two nodes; tasks of kinds a and b, the second one without duration, and the third one directly after the first.
    #[test]
    fn a_reader_of_the_format_finds_every_task_again() {
        let node = Node {
            cores: 2,
            gflops_per_core: Gflops::new(1.0),
            bandwidth: GigabytesPerSecond::new(1.0),
            ..Node::default()
        };
        let machine = Machine::uniform("two", 2, node, GigabytesPerSecond::new(1.0)).expect("a machine");
        let mut graph = TaskGraphBuilder::new("the \"graph\"");
        for kind in ["a", "b", "a"] {
            let kind = graph.kind(kind);
            let task = NewTask { kind, gflop: 0.0, accesses: &[], socket: None, taskwait: false, name: None };
            graph.task(task).expect("a task");
        }
        let ran = |task, worker, start_s, end_s| {
            let node = NodeId(worker as usize / 2);
            Ran { task: TaskId(task), worker, node, start_s, end_s }
        };
        let ran = [ran(1, 3, 0.5, 0.5), ran(2, 0, 1.0, 2.5), ran(0, 0, 0.25, 1.0)];
        let partitions = [Partition { tasks: 3, start_s: 0.0, end_s: 0.25 }];
        let mut text = String::new();
        paje(&graph.finish(), &machine, &ran, &partitions, &mut text).expect("strings take all");
        let reader = Reader::read(&text);
        let state =
            |container: &str, value: &str, start, end| (container.to_owned(), value.to_owned(), start, end);
        assert_eq!(
            reader.over,
            [
                state("master", "KM", 0.0, 0.25),
                state("w3", "K1", 0.5, 0.5),
                state("w0", "K0", 0.25, 1.0),
                state("w0", "K0", 1.0, 2.5),
            ]
        );
        assert_eq!(reader.types["W"], "N");
    }

    #[test]
    fn kinds_have_different_colours() {
        assert_eq!(
            [0, 1, 2].map(|kind| colour(kind, 3)),
            ["0.90 0.10 0.10", "0.10 0.90 0.10", "0.10 0.10 0.90"]
        );
    }
}
