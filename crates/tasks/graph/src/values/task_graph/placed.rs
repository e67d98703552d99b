//! A graph whose tasks and blocks have been given their nodes.

use super::super::parts::{BlockHome, BlockId, TaskId};
use super::{TASKWAIT, TaskGraph};
use numasim_model::ids::NodeId;

impl TaskGraph {
    /// The same graph with other sockets and homes.
    #[must_use]
    pub fn placed(
        &self,
        socket: impl Fn(TaskId) -> Option<NodeId>,
        home: impl Fn(BlockId) -> BlockHome,
    ) -> Self {
        let mut graph = self.clone();
        for (task, record) in (0..).map(TaskId).zip(&mut graph.tasks) {
            let node = socket(task).map_or(0, |node| u32::try_from(node.0 + 1).unwrap_or(0));
            record.socket = (record.socket & TASKWAIT) | (node & !TASKWAIT);
        }
        for (block, known) in (0..).map(BlockId).zip(&mut graph.blocks) {
            known.home = home(block);
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parts::Block;
    use super::super::{NewTask, TaskGraphBuilder};
    use super::*;

    #[test]
    fn sockets_and_homes_change_and_nothing_else() {
        let mut graph = TaskGraphBuilder::new("placed");
        let kind = graph.kind("work");
        graph.block(Block { bytes: 8.0, home: BlockHome::Open }, Some("X")).expect("a block");
        for taskwait in [false, true] {
            let task = NewTask {
                kind,
                gflop: 1.0,
                accesses: &[],
                socket: Some(NodeId(1)),
                taskwait,
                name: Some("t"),
            };
            graph.task(task).expect("a task");
        }
        let graph = graph.finish();
        let placed = graph.placed(|task| (task.0 == 1).then_some(NodeId(3)), |_| BlockHome::Node(NodeId(2)));
        assert_eq!([TaskId(0), TaskId(1)].map(|task| placed.socket(task)), [None, Some(NodeId(3))]);
        assert!(!placed.taskwait(TaskId(0)) && placed.taskwait(TaskId(1)));
        assert_eq!(placed.blocks()[0].home, BlockHome::Node(NodeId(2)));
        assert_eq!(placed.placed(|_| Some(NodeId(1)), |_| BlockHome::Open), graph);
    }
}
