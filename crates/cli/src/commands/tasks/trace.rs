//! `--trace`: when and where each task ran, as CSV, for Perfetto, or as StarPU's `tasks.rec` ([`export`]).
//!
//! | column | meaning |
//! |---|---|
//! | `scheduler`, `seed` | which simulation; under `--scenario` the name of the scenario |
//! | `task`, `type` | number of the task in creation order, and its kind |
//! | `socket` | the node that the scheduler gave it; empty where it gives none |
//! | `node`, `worker` | where it ran: NUMA node, and core counted over all nodes |
//! | `start_s`, `end_s` | when it was taken and when it ended, in simulated seconds |
//! | `source` | where the worker found it: `returned`, `successor`, `own`, `mailbox`, `shared` or `steal` |
//!
//! Tasks stand in the order of their ends. The JSON is a trace of complete events ("ph": "X", times in us): a process for each node, a
//! thread for each worker, and one for the master where it partitions.

use std::io::{self, Write};
use std::path::Path;

use numasim_ask::table::quoted;
use numasim_graph::export::{self, Ran};
use numasim_tasks::{Job, Program, TaskRecord};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::Text;

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Csv,
    Chrome,
    StarPu,
}

impl Kind {
    /// By the name of the file, for this number of runs.
    ///
    /// # Errors
    /// An ending of another kind of file; several runs in a file that has no place for them.
    pub(super) fn of(path: &Path, runs: usize) -> Result<Self, Failure> {
        let Some(ending) = path.extension() else { return Ok(Self::Csv) };
        let kinds = [("csv", Self::Csv), ("json", Self::Chrome), ("rec", Self::StarPu)];
        match kinds.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)) {
            Some((_, Self::StarPu)) if runs > 1 => {
                Err(Failure::input("a tasks.rec is of one run, and these are several")
                    .hint("give one --scheduler, and leave out --runs"))
            }
            Some((_, kind)) => Ok(*kind),
            None => Err(Failure::input(format!("{} has no ending of a trace", path.display()))
                .hint("end the name in .csv, in .json for Perfetto, or in .rec for StarPU's tasks.rec")),
        }
    }
}

/// Writes the trace of one simulation after the other.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    kind: Kind,
    /// Processes of simulations that are over: each node and each master is one.
    processes: usize,
    events: u64,
    failed: Option<io::Error>,
}

/// Writes the trace of a simulation.
pub(super) struct OfRun<'w, 'a, 'g> {
    writer: &'w mut Writer<'a>,
    program: &'g Program,
    scheduler: &'static str,
    seed: u64,
    nodes: usize,
    /// What has run, for a file that is written in the end.
    ran: Vec<Ran>,
}

impl<'a> Writer<'a> {
    /// Writes what stands at the top.
    ///
    /// # Errors
    /// Those of `out`.
    pub(super) fn start(out: &'a mut dyn Write, kind: Kind) -> io::Result<Self> {
        match kind {
            Kind::Csv => {
                out.write_all(b"scheduler,seed,task,type,socket,node,worker,start_s,end_s,source\n")?;
            }
            Kind::Chrome => out.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?,
            Kind::StarPu => {}
        }
        Ok(Self { out, kind, processes: 0, events: 0, failed: None })
    }

    /// The next simulation.
    pub(super) fn of_run<'w, 'g>(&'w mut self, job: &Job<'g>) -> OfRun<'w, 'a, 'g> {
        let nodes = job.machine.node_count();
        let (scheduler, seed) = (job.settings.label(), job.settings.runtime.seed);
        if self.kind == Kind::Chrome {
            let names = (0..nodes).map(|node| format!("node {node}")).chain(["master".to_owned()]);
            for (process, name) in (self.processes..).zip(names) {
                self.event(&json!({
                    "ph": "M", "name": "process_name", "pid": process, "tid": 0,
                    "args": { "name": format!("{name} ({scheduler}, seed {seed})") },
                }));
            }
        }
        OfRun { writer: self, program: job.program, scheduler, seed, nodes, ran: Vec::new() }
    }

    /// Writes what stands at the end.
    ///
    /// # Errors
    /// The first one of writing.
    pub(super) fn finish(self) -> io::Result<()> {
        match (self.failed, self.kind) {
            (Some(error), _) => Err(error),
            (None, Kind::Csv | Kind::StarPu) => Ok(()),
            (None, Kind::Chrome) => self.out.write_all(b"\n]}\n"),
        }
    }

    fn event(&mut self, event: &Value) {
        let comma = if self.events > 0 { "," } else { "" };
        self.events += 1;
        self.write(|out| write!(out, "{comma}\n{event}"));
    }

    fn write(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(self.out).err();
        }
    }
}

impl OfRun<'_, '_, '_> {
    /// Whether writing failed: then nobody needs the rest.
    pub(super) fn is_broken(&self) -> bool {
        self.writer.failed.is_some()
    }

    /// A task has ended.
    pub(super) fn ended(&mut self, record: &TaskRecord) {
        let TaskRecord { task, socket, node, worker, start_s, end_s, source, revoked: _, traffic } = *record;
        let graph = &self.program.graph;
        let kind = graph.type_name(task);
        match self.writer.kind {
            Kind::Csv => {
                let (scheduler, seed) = (self.scheduler, self.seed);
                let kind = quoted(kind);
                let socket = socket.map_or(String::new(), |socket| socket.0.to_string());
                let (task, node, source) = (task.0, node.0, source.as_str());
                self.writer.write(|out| {
                    writeln!(
                        out,
                        "{scheduler},{seed},{task},{kind},{socket},{node},{worker},{start_s},{end_s},{source}"
                    )
                });
            }
            Kind::Chrome => {
                let event = json!({
                    "ph": "X",
                    "name": graph.task_name(task).unwrap_or(kind),
                    "cat": kind,
                    "pid": self.writer.processes + node.0,
                    "tid": worker,
                    "ts": start_s * 1e6,
                    "dur": (end_s - start_s) * 1e6,
                    "args": {
                        "task": task.0,
                        "socket": socket.map(|socket| socket.0),
                        "source": source.as_str(),
                        "llc_local_bytes": traffic.llc_local,
                        "llc_remote_bytes": traffic.llc_remote,
                        "dram_local_bytes": traffic.dram_local,
                        "dram_remote_bytes": traffic.dram_remote,
                    },
                });
                self.writer.event(&event);
            }
            Kind::StarPu => self.ran.push(Ran { task, worker, node, start_s, end_s }),
        }
    }

    /// The master partitions.
    pub(super) fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        if self.writer.kind == Kind::Chrome {
            let event = json!({
                "ph": "X", "name": "partition", "cat": "master", "pid": self.writer.processes + self.nodes, "tid": 0,
                "ts": start_s * 1e6, "dur": (end_s - start_s) * 1e6, "args": { "tasks": tasks },
            });
            self.writer.event(&event);
        }
    }
}

impl Drop for OfRun<'_, '_, '_> {
    fn drop(&mut self) {
        self.writer.processes += self.nodes + 1;
        if self.writer.kind == Kind::StarPu {
            let Program { graph, dependencies, .. } = self.program;
            let ran = &self.ran;
            self.writer.write(|out| Text::to(out, |text| export::starpu(graph, dependencies, ran, text)));
        }
    }
}
