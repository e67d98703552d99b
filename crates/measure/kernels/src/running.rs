//! A task of a program on its blocks.

use numasim_graph::values::{TaskGraph, TaskId};

use crate::codes::Code;
use crate::part::Fault;
use crate::store::Store;
use crate::work::Workspace;

impl Store {
    /// Runs a task.
    ///
    /// # Errors
    /// [`Fault`]: another task has what it accesses, or the kernel cannot go on.
    pub fn run(
        &self,
        graph: &TaskGraph,
        code: &dyn Code,
        task: TaskId,
        work: &mut Workspace,
    ) -> Result<(), Fault> {
        self.with(graph, task, |block| code.fresh(block), |parts| code.run(graph, task, parts, work))
    }
}
