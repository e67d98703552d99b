//! A plan for one graph, task by task and block by block, as TOML: for graphs that no task tree repeats.

use std::fmt::{self, Write};

use numasim_graph::values::{BlockHome, BlockId, TaskGraph};

use crate::plan::{Escaped, Number};

/// What such a plan promises.
#[derive(Clone, Debug, PartialEq)]
pub struct Promise<'t> {
    /// The machine.
    pub machine: &'t str,
    /// Whose placement it is.
    pub scheduler: &'t str,
    /// The rule for homes of blocks.
    pub homes: &'t str,
    /// Simulated under the plan.
    pub makespan_s: f64,
    /// Simulated without any knowledge of data.
    pub before_s: f64,
    /// No plan is faster.
    pub bound_s: f64,
}

impl Promise<'_> {
    /// How many times as fast as without; 1 where nothing takes time.
    pub fn gain(&self) -> f64 {
        ratio(self.before_s, self.makespan_s)
    }

    /// What no plan gains more than.
    pub fn gain_at_most(&self) -> f64 {
        ratio(self.before_s, self.bound_s)
    }
}

fn ratio(before_s: f64, after_s: f64) -> f64 {
    if after_s > 0.0 { before_s / after_s } else { 1.0 }
}

/// Writes the plan: `graph` has a socket for each task and homes of blocks. Blocks without home are accessed by nobody.
///
/// # Errors
/// Those of `out`.
pub fn write(graph: &TaskGraph, promise: &Promise<'_>, out: &mut impl Write) -> fmt::Result {
    writeln!(
        out,
        "# Where the data and the tasks of one graph belong. Seconds are simulated; before_s is fifo with first touch,"
    )?;
    writeln!(
        out,
        "# gain = before_s / makespan_s, and no plan gains more than gain_at_most = before_s / bound_s."
    )?;
    writeln!(
        out,
        "[plan]\ngraph = \"{}\"\nmachine = \"{}\"",
        Escaped(graph.name()),
        Escaped(promise.machine)
    )?;
    writeln!(out, "tasks = {}\nblocks = {}", graph.task_count(), graph.blocks().len())?;
    writeln!(out, "placed_by = \"{}\"\nhomes = \"{}\"", promise.scheduler, promise.homes)?;
    writeln!(out, "makespan_s = {}\nbefore_s = {}", Number(promise.makespan_s), Number(promise.before_s))?;
    writeln!(out, "gain = {}\nbound_s = {}", Number(promise.gain()), Number(promise.bound_s))?;
    writeln!(out, "gain_at_most = {}", Number(promise.gain_at_most()))?;
    for (id, block) in (0..).map(BlockId).zip(graph.blocks()) {
        if block.home == BlockHome::Open {
            continue;
        }
        writeln!(out, "\n[[block]]\nid = {}", id.0)?;
        name(graph.block_name(id), out)?;
        match block.home {
            BlockHome::Node(node) => writeln!(out, "node = {}", node.0)?,
            BlockHome::Interleaved | BlockHome::Open => writeln!(out, "node = \"interleave\"")?,
        }
    }
    for task in graph.tasks() {
        writeln!(out, "\n[[task]]\nid = {}", task.0)?;
        name(graph.task_name(task), out)?;
        if let Some(node) = graph.socket(task) {
            writeln!(out, "node = {}", node.0)?;
        }
    }
    Ok(())
}

fn name(name: Option<&str>, out: &mut impl Write) -> fmt::Result {
    name.map_or(Ok(()), |name| writeln!(out, "name = \"{}\"", Escaped(name)))
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{Access, AccessMode, Block, NewTask, TaskGraphBuilder};
    use numasim_model::NodeId;

    use super::*;

    #[test]
    fn every_task_and_every_block_that_is_used_has_its_node() {
        let mut graph = TaskGraphBuilder::new("a \"b\"");
        let kind = graph.kind("work");
        let homes = [BlockHome::Node(NodeId(1)), BlockHome::Interleaved, BlockHome::Open];
        for (home, name) in homes.into_iter().zip([Some("X\\"), None, None]) {
            graph.block(Block { bytes: 8.0, home }, name).expect("a block");
        }
        let read = Access { block: BlockId(0), mode: AccessMode::In, declared_bytes: 8.0, moved_bytes: 8.0 };
        let task = NewTask {
            kind,
            gflop: 0.0,
            accesses: &[read],
            socket: Some(NodeId(1)),
            taskwait: false,
            name: Some("t"),
        };
        graph.task(task).expect("a task");
        let promise = Promise {
            machine: "M2",
            scheduler: "dep",
            homes: "first-touch",
            makespan_s: 0.5,
            before_s: 1.0,
            bound_s: 0.25,
        };
        let mut text = String::new();
        write(&graph.finish(), &promise, &mut text).expect("text");
        let read: toml::Table = text.parse().expect("TOML");
        assert_eq!(read["plan"]["graph"].as_str(), Some("a \"b\""));
        assert_eq!(
            (read["plan"]["gain"].as_float(), read["plan"]["gain_at_most"].as_float()),
            (Some(2.0), Some(4.0))
        );
        assert_eq!(
            read["block"].to_string(),
            "[{ id = 0, name = 'X\\', node = 1 }, { id = 1, node = \"interleave\" }]"
        );
        assert_eq!(read["task"].to_string(), "[{ id = 0, name = \"t\", node = 1 }]");
    }
}
