//! A graph that can be profiled: a tree with one root, whose names fit into cells.

use numasim_graph::values::{TaskGraph, TaskId};
use numasim_model::{Machine, NodeId};
use numasim_plan::Profiled;
use numasim_plan::profile::fits_a_cell;

use crate::failure::Failure;

/// A tree program and the nodes of its machine.
pub(super) struct Program<'a> {
    pub(super) profiled: Profiled<'a>,
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
        let program = Self { profiled: Profiled::new(graph, machine.compute_nodes().collect()) };
        for task in graph.tasks() {
            program.known(graph.affinity(task), || format!("{} has the affinity", named(graph, task)))?;
        }
        for block in program.profiled.blocks() {
            let name = program.profiled.block_name(block);
            if !fits_a_cell(name) {
                return Err(Failure::input(format!("the name `{name}` of a block has a semicolon"))
                    .hint("cells of a profile are separated by semicolons: give it another name"));
            }
            program.known(graph.hint(block), || format!("block {} has the hint", block.0))?;
        }
        Ok(program)
    }

    /// Where the profile runs.
    pub(super) fn near(&self) -> usize {
        self.profiled.nodes().first().map_or(0, |node| node.0)
    }

    /// Where the data is that is far.
    pub(super) fn far(&self) -> usize {
        self.profiled.nodes().last().map_or(0, |node| node.0)
    }

    fn known(&self, node: Option<NodeId>, what: impl FnOnce() -> String) -> Result<(), Failure> {
        match node.filter(|node| self.profiled.place(*node).is_none()) {
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
