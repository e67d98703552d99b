//! A graph that can be profiled: a tree with one root, whose names fit into cells.

use numasim_model::graph::{BlockId, TaskGraph, TaskId};
use numasim_model::{Machine, NodeId};
use numasim_plan::Templates;
use numasim_plan::profile::fits_a_cell;

use crate::failure::Failure;

/// A tree program and the nodes of its machine.
pub(super) struct Program<'a> {
    pub(super) graph: &'a TaskGraph,
    /// Nodes with cores, ascending.
    pub(super) nodes: Vec<NodeId>,
    /// Per block: who creates it, and its place among the blocks of its creator.
    pub(super) creators: Vec<(TaskId, u64)>,
}

impl<'a> Program<'a> {
    /// # Errors
    /// Not exactly one task without a creator; a name that does not fit into a cell; a task or block that should be on a node without cores.
    pub(super) fn of(machine: &Machine, graph: &'a TaskGraph) -> Result<Self, Failure> {
        one_root(graph)?;
        if let Some(kind) = graph.types().iter().find(|kind| !fits_a_cell(kind)) {
            return Err(Failure::input(format!("the type `{kind}` has a semicolon"))
                .hint("cells of a profile are separated by semicolons: give it another name"));
        }
        let mut created = vec![0_u64; graph.task_count()];
        let creators = graph.block_creators().into_iter().map(|creator| {
            let seq = created.get_mut(creator.0 as usize).map_or(0, |seq| std::mem::replace(seq, *seq + 1));
            (creator, seq)
        });
        let creators = creators.collect();
        let program = Self { graph, nodes: machine.compute_nodes().collect(), creators };
        for task in graph.tasks() {
            program.known(graph.affinity(task), || format!("{} has the affinity", named(graph, task)))?;
        }
        for block in program.blocks() {
            if !fits_a_cell(program.block_name(block)) {
                let name = program.block_name(block);
                return Err(Failure::input(format!("the name `{name}` of a block has a semicolon"))
                    .hint("cells of a profile are separated by semicolons: give it another name"));
            }
            program.known(graph.hint(block), || format!("block {} has the hint", block.0))?;
        }
        Ok(program)
    }

    /// All blocks by number.
    pub(super) fn blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        // There are at most MAX_TASKS.
        (0..u32::try_from(self.graph.blocks().len()).unwrap_or(u32::MAX)).map(BlockId)
    }

    /// The name of a block; empty where it has none.
    pub(super) fn block_name(&self, block: BlockId) -> &str {
        self.graph.block_name(block).unwrap_or_default()
    }

    /// What a task is made from.
    pub(super) fn template(&self, task: TaskId) -> String {
        Templates::name_of(self.graph.type_name(task), self.graph.accesses(task).len())
    }

    /// The place of a node among those with cores.
    pub(super) fn place(&self, node: NodeId) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// Where the profile runs.
    pub(super) fn near(&self) -> usize {
        self.nodes.first().map_or(0, |node| node.0)
    }

    /// Where the data is that is far.
    pub(super) fn far(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.0)
    }

    fn known(&self, node: Option<NodeId>, what: impl FnOnce() -> String) -> Result<(), Failure> {
        match node.filter(|node| self.place(*node).is_none()) {
            None => Ok(()),
            Some(node) => Err(Failure::input(format!("{} {}, which has no cores", what(), node.0))
                .hint("name a node with cores")),
        }
    }
}

fn one_root(graph: &TaskGraph) -> Result<(), Failure> {
    let mut roots = graph.tasks().filter(|task| graph.created_by(*task).is_none());
    let Some(first) = roots.next() else {
        return Err(Failure::input("there is no task to profile")
            .hint("a profile is of a tree program: a task that creates others"));
    };
    match roots.next() {
        None => Ok(()),
        Some(second) => Err(Failure::input(format!(
            "{} and {} have no `created_by`: a profile is of a program that begins with one task",
            named(graph, first),
            named(graph, second)
        ))
        .hint("give every other task the task that creates it")),
    }
}

fn named(graph: &TaskGraph, task: TaskId) -> String {
    graph.task_name(task).map_or_else(|| format!("task {}", task.0), |name| format!("task `{name}`"))
}
