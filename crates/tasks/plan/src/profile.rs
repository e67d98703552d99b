//! Writes the files of a profile, line by line.
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
//! Only nodes with cores count. Numbers are written in the shortest form that reads back to the same value.

use std::fmt;
use std::fmt::Write;

use numasim_graph::values::{BlockId, TaskGraph, TaskId};
use numasim_model::NodeId;

use crate::classes::Templates;
use crate::fault::File;

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
    /// Its word, and its slot.
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

/// Whether a name fits in a cell.
pub fn fits_a_cell(name: &str) -> bool {
    !name.contains(|c| c == ';' || numasim_model::text::is_hidden(c))
}

/// `ptrace-meta.csv`.
///
/// # Errors
/// Errors of `out`.
pub fn meta(out: &mut impl Write, nodes: usize) -> fmt::Result {
    writeln!(out, "{nodes}")
}

/// A line of `ptrace-edt.csv`.
///
/// # Errors
/// Errors of `out`.
pub fn edt(out: &mut impl Write, task: u32, template: &str) -> fmt::Result {
    writeln!(out, "{task};{template}")
}

/// A line of `ptrace-new.csv`.
///
/// # Errors
/// Errors of `out`.
pub fn new_task(out: &mut impl Write, parent: u32, seq: u64, child: u32) -> fmt::Result {
    writeln!(out, "{parent};{seq};{child}")
}

/// A line of `ptrace-dbs.csv`, or with a name of `ptrace-dbs-named.csv`.
///
/// # Errors
/// Errors of `out`.
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
/// Errors of `out`.
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
/// Errors of `out`.
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
/// Errors of `out`.
pub fn task_hint(out: &mut impl Write, task: u32, node: usize) -> fmt::Result {
    writeln!(out, "{task};{node}")
}

/// A line of `ptrace-aff-dbs.csv`; without a hint `near` is the node of the profiling run.
///
/// # Errors
/// Errors of `out`.
pub fn block_hint(out: &mut impl Write, block: u32, hint: Option<usize>, near: usize) -> fmt::Result {
    writeln!(out, "{block};{};{}", u8::from(hint.is_some()), hint.unwrap_or(near))
}

/// A number in the shortest form that reads back to the same value.
struct Shortest(f64);

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0 removes the sign of -0.
        (self.0 + 0.0).fmt(f)
    }
}

// The files of a profile of a graph: the parts that follow from the graph alone, and a task's seconds.

/// A graph whose tasks are timed.
#[derive(Clone, Debug)]
pub struct Profiled<'a> {
    graph: &'a TaskGraph,
    /// Those with cores, ascending.
    nodes: Vec<NodeId>,
    /// Per block: its creator, and its index among the blocks of its creator.
    creators: Vec<(TaskId, u64)>,
}

impl<'a> Profiled<'a> {
    /// A graph on the nodes with cores, ascending.
    pub fn new(graph: &'a TaskGraph, nodes: Vec<NodeId>) -> Self {
        let mut created = vec![0_u64; graph.task_count()];
        let creators = graph.block_creators().into_iter().map(|creator| {
            let seq = created.get_mut(creator.0 as usize).map_or(0, |seq| std::mem::replace(seq, *seq + 1));
            (creator, seq)
        });
        Self { creators: creators.collect(), graph, nodes }
    }

    /// The graph.
    pub fn graph(&self) -> &'a TaskGraph {
        self.graph
    }

    /// Nodes with cores, ascending.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// All blocks by number.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        // There are at most MAX_TASKS.
        (0..u32::try_from(self.graph.blocks().len()).unwrap_or(u32::MAX)).map(BlockId)
    }

    /// The name of a block; empty if it has none.
    pub fn block_name(&self, block: BlockId) -> &str {
        self.graph.block_name(block).unwrap_or_default()
    }

    /// The index of a node among those with cores.
    pub fn place(&self, node: NodeId) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// The template of a task.
    fn template(&self, task: TaskId) -> String {
        Templates::name_of(self.graph.type_name(task), self.graph.accesses(task).len())
    }

    /// Lines of `ptrace-raw.csv`: the seconds of a task.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_seconds(
        &self,
        task: TaskId,
        timings: &[(Setting, f64)],
        out: &mut impl Write,
    ) -> fmt::Result {
        let template = self.template(task);
        timings.iter().try_for_each(|&(setting, seconds)| raw(out, &template, task.0, setting, seconds))
    }

    /// A file of the profile. Writes nothing for `ptrace-raw.csv`, which contains the measurements, and for files that do not belong to a
    /// profile.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(&self, file: File, out: &mut impl Write) -> fmt::Result {
        let graph = self.graph;
        match file {
            File::Meta => meta(out, self.nodes.len()),
            File::Edt => graph.tasks().try_for_each(|task| edt(out, task.0, &self.template(task))),
            File::New => graph.tasks().try_for_each(|task| match (graph.created_by(task), graph.seq(task)) {
                (Some(creator), Some(seq)) => new_task(out, creator.0, u64::from(seq), task.0),
                _ => Ok(()),
            }),
            File::Dbs => self.write_blocks(out, |_| ""),
            File::DbsNamed => self.write_blocks(out, |block| self.block_name(block)),
            File::Acc => graph.tasks().try_for_each(|task| {
                let template = self.template(task);
                graph.accesses(task).enumerate().try_for_each(|(slot, asked)| {
                    let name = self.block_name(asked.block);
                    access(out, &template, task.0, slot, name, asked.block.0)
                })
            }),
            File::AffEdt => {
                let place = |task| Some((task, self.place(graph.affinity(task)?)?));
                let mut hints = graph.tasks().filter_map(place);
                hints.try_for_each(|(task, place)| task_hint(out, task.0, place))
            }
            File::AffDbs => self.blocks().try_for_each(|block| {
                let hint = graph.hint(block).and_then(|node| self.place(node));
                // Indices count nodes with cores; the first one is near.
                block_hint(out, block.0, hint, 0)
            }),
            File::Raw | File::PlanDbs | File::PlanTree | File::PlanToml => Ok(()),
        }
    }

    fn write_blocks<'n>(&self, out: &mut impl Write, name: impl Fn(BlockId) -> &'n str) -> fmt::Result {
        let mut blocks = self.blocks().zip(self.graph.blocks()).zip(&self.creators);
        blocks.try_for_each(|((id, of_graph), (creator, seq))| {
            block(out, id.0, name(id), of_graph.bytes, creator.0, *seq)
        })
    }
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{Access, AccessMode, Block, BlockHome, NewTask, TaskGraphBuilder, TreeTask};

    use super::*;
    use crate::fault::File;
    use crate::profile::Profiled;
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
        // Nodes 2 and 5 have cores: indices 0 and 1.
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
