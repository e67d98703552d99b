//! The files of a profile of a graph: what follows from the graph alone, and a task's seconds.

use crate::classes::Templates;
use crate::fault::File;
use crate::profile::{Setting, access, block, block_hint, edt, meta, new_task, raw, task_hint};
use numasim_graph::values::{BlockId, TaskGraph, TaskId};
use numasim_model::NodeId;
use std::fmt;
use std::fmt::Write;

/// A graph whose tasks are timed.
#[derive(Clone, Debug)]
pub struct Profiled<'a> {
    graph: &'a TaskGraph,
    /// Those with cores, ascending.
    nodes: Vec<NodeId>,
    /// Per block: who creates it, and its place among the blocks of its creator.
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

    /// The name of a block; empty where it has none.
    pub fn block_name(&self, block: BlockId) -> &str {
        self.graph.block_name(block).unwrap_or_default()
    }

    /// The place of a node among those with cores.
    pub fn place(&self, node: NodeId) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// What a task is made from.
    fn template(&self, task: TaskId) -> String {
        Templates::name_of(self.graph.type_name(task), self.graph.accesses(task).len())
    }

    /// Lines of `ptrace-raw.csv`: the seconds of a task.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_seconds(
        &self,
        task: TaskId,
        timings: &[(Setting, f64)],
        out: &mut impl Write,
    ) -> fmt::Result {
        let template = self.template(task);
        timings.iter().try_for_each(|&(setting, seconds)| raw(out, &template, task.0, setting, seconds))
    }

    /// A file of the profile; nothing of `ptrace-raw.csv`, which has what was measured, and of what is no file of a profile.
    ///
    /// # Errors
    /// Those of `out`.
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
                // Places count nodes with cores; the first one is near.
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
