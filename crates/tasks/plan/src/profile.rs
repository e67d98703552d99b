//! The files of a profile as they are written, line by line.
//!
//! ```text
//! ptrace-meta.csv        nodes
//! ptrace-edt.csv         task;template                       template: type/number of accesses
//! ptrace-new.csv         parent;seq;child
//! ptrace-dbs.csv         block;;;bytes;creator;seq
//! ptrace-dbs-named.csv   block;name;;bytes;creator;seq
//! ptrace-acc.csv         template;;task;slot;block name;;block
//! ptrace-raw.csv         template;;task;experiment;slot;seconds
//! ptrace-aff-edt.csv     task;node                           of tasks that have an affinity
//! ptrace-aff-dbs.csv     block;1;hint, block;0;node
//! ```
//!
//! Nodes count those with cores. Numbers are written in the shortest form that reads back to the same value.

use std::fmt;
use std::fmt::Write;

/// The setting in which a task was timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// All blocks near, caches cold.
    Normal,
    /// The block of one slot in the cache.
    Cache(usize),
    /// The block of one slot near, all others far.
    NumaFixed(usize),
    /// The same, by first touch.
    NumaMovable(usize),
    /// In the whole run.
    Full,
}

impl Setting {
    /// The word for it, and the slot that it is about.
    pub const fn parts(self) -> (&'static str, Option<usize>) {
        match self {
            Self::Normal => ("normal", None),
            Self::Cache(slot) => ("cache", Some(slot)),
            Self::NumaFixed(slot) => ("numa_fixed", Some(slot)),
            Self::NumaMovable(slot) => ("numa_movable", Some(slot)),
            Self::Full => ("full", None),
        }
    }
}

/// Whether a name can stand in a cell.
pub fn fits_a_cell(name: &str) -> bool {
    !name.contains(|c| c == ';' || numasim_model::text::is_hidden(c))
}

/// `ptrace-meta.csv`.
///
/// # Errors
/// Those of `out`.
pub fn meta(out: &mut impl Write, nodes: usize) -> fmt::Result {
    writeln!(out, "{nodes}")
}

/// A line of `ptrace-edt.csv`.
///
/// # Errors
/// Those of `out`.
pub fn edt(out: &mut impl Write, task: u32, template: &str) -> fmt::Result {
    writeln!(out, "{task};{template}")
}

/// A line of `ptrace-new.csv`.
///
/// # Errors
/// Those of `out`.
pub fn new_task(out: &mut impl Write, parent: u32, seq: u64, child: u32) -> fmt::Result {
    writeln!(out, "{parent};{seq};{child}")
}

/// A line of `ptrace-dbs.csv`, or with a name of `ptrace-dbs-named.csv`.
///
/// # Errors
/// Those of `out`.
pub fn block(
    out: &mut impl Write,
    block: u32,
    name: &str,
    bytes: f64,
    creator: u32,
    seq: u64,
) -> fmt::Result {
    writeln!(out, "{block};{name};;{};{creator};{seq}", Shortest(bytes))
}

/// A line of `ptrace-acc.csv`.
///
/// # Errors
/// Those of `out`.
pub fn access(
    out: &mut impl Write,
    template: &str,
    task: u32,
    slot: usize,
    name: &str,
    block: u32,
) -> fmt::Result {
    writeln!(out, "{template};;{task};{slot};{name};;{block}")
}

/// A line of `ptrace-raw.csv`.
///
/// # Errors
/// Those of `out`.
pub fn raw(out: &mut impl Write, template: &str, task: u32, setting: Setting, seconds: f64) -> fmt::Result {
    let (experiment, slot) = setting.parts();
    write!(out, "{template};;{task};{experiment};")?;
    match slot {
        Some(slot) => write!(out, "{slot}")?,
        None => out.write_char('-')?,
    }
    writeln!(out, ";{}", Shortest(seconds))
}

/// A line of `ptrace-aff-edt.csv`.
///
/// # Errors
/// Those of `out`.
pub fn task_hint(out: &mut impl Write, task: u32, node: usize) -> fmt::Result {
    writeln!(out, "{task};{node}")
}

/// A line of `ptrace-aff-dbs.csv`; without a hint `near` is where the profile ran.
///
/// # Errors
/// Those of `out`.
pub fn block_hint(out: &mut impl Write, block: u32, hint: Option<usize>, near: usize) -> fmt::Result {
    writeln!(out, "{block};{};{}", u8::from(hint.is_some()), hint.unwrap_or(near))
}

/// A number in the shortest form that reads back to the same value.
struct Shortest(f64);

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0 takes the sign from -0.
        (self.0 + 0.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{Access, AccessMode, Block, BlockHome, NewTask, TaskGraphBuilder, TreeTask};

    use super::*;
    use crate::fault::File;
    use crate::profiled::Profiled;
    use numasim_graph::values::TaskId;
    use numasim_model::ids::NodeId;

    #[test]
    fn files_say_what_the_graph_says_and_nodes_count_those_with_cores() {
        let mut graph = TaskGraphBuilder::new("tree");
        let (main, work) = (graph.kind("main"), graph.kind("work"));
        let block = graph.block(Block { bytes: 64.0, home: BlockHome::Open }, Some("x")).expect("a block");
        graph.block_hint(block, NodeId(5)).expect("a block");
        let read = Access { block, mode: AccessMode::In, declared_bytes: 64.0, moved_bytes: 64.0 };
        for (kind, created_by, accesses) in [(main, None, &[][..]), (work, Some(TaskId(0)), &[read])] {
            let task = NewTask { kind, gflop: 0.0, accesses, socket: None, taskwait: false, name: None };
            let affinity = created_by.map(|_| NodeId(2));
            graph.tree_task(task, TreeTask { created_by, affinity, ..TreeTask::default() }).expect("a task");
        }
        graph.block_created_by(block, TaskId(0)).expect("a task");
        let graph = graph.finish();
        // Nodes 2 and 5 have cores: places 0 and 1.
        let profiled = Profiled::new(&graph, vec![NodeId(2), NodeId(5)]);
        let text = |file| {
            let mut text = String::new();
            profiled.write(file, &mut text).expect("text");
            text
        };
        let all = File::PROFILE.map(text);
        let expected = [
            "2\n",
            "0;main/0\n1;work/1\n",
            "0;0;1\n",
            "0;;;64;0;0\n",
            "0;x;;64;0;0\n",
            "work/1;;1;0;x;;0\n",
            "",
            "1;0\n",
            "0;1;1\n",
        ];
        assert_eq!(all, expected);
        let mut seconds = String::new();
        let timings = [(Setting::Normal, 0.5), (Setting::Cache(0), 0.25)];
        profiled.write_seconds(TaskId(1), &timings, &mut seconds).expect("text");
        assert_eq!(seconds, "work/1;;1;normal;-;0.5\nwork/1;;1;cache;0;0.25\n");
    }
}
