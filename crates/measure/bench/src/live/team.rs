//! The threads of an application: a pool of the runtime, and what its agent hears.

use std::sync::atomic::Ordering::Relaxed;

use numasim_model::cpus::CpuList;
use numasim_runtime::{Agent, Bind, Layout, Order, Pool, PoolNode, Waiting};

use super::board::{Counts, OnNode};
use super::order::{Node, Tasks};

/// Its threads.
pub(super) struct Team {
    pool: Pool,
}

impl Team {
    /// Starts them; from now on the agent of the environment knows them, if there is any.
    ///
    /// # Errors
    /// Why they cannot start, for people.
    pub(super) fn start(tasks: &Tasks, nodes: &[Node]) -> Result<Self, String> {
        let node = |node: &Node| PoolNode {
            workers: node.threads,
            cores: node.cores,
            cpus: CpuList::new(node.cpus.clone()).ok(),
        };
        let bind = if tasks.bind_to_core { Bind::Core } else { Bind::Node };
        let agent = Agent::of_environment(tasks.control).map_err(|error| error.to_string())?;
        let layout =
            Layout::new(nodes.iter().map(node).collect(), bind).map_err(|error| error.to_string())?;
        let pool = Pool::with_agent(layout, agent).map_err(|error| error.to_string())?;
        Ok(Self { pool })
    }

    /// Has all tasks of a phase done, and returns when they are.
    pub(super) fn phase(&self, number: usize, tasks: u64, task: &(dyn Fn(u64) + Sync)) {
        self.pool.phase(number);
        self.pool.scope(|scope| {
            for one in 0..tasks {
                scope.spawn(move |_| task(one));
            }
        });
    }

    /// Says how many iterations are done.
    pub(super) fn progress(&self, iterations: u64) {
        self.pool.progress(usize::try_from(iterations).unwrap_or(usize::MAX));
    }

    /// Says that there is no iteration under way, and why; [`Waiting::None`]: there is one again.
    pub(super) fn waiting(&self, waiting: Waiting) {
        self.pool.waiting(waiting);
    }

    /// Lets all threads run, whatever the agent says: tasks that nobody may run would keep the end waiting.
    pub(super) fn let_go(&self) {
        // The one order that fits every pool.
        let _ = self.pool.order(&Order::All);
    }

    /// Writes down how many threads are kept from running.
    pub(super) fn note(&self, counts: Counts<'_>, app: usize) {
        for (node, &blocked) in self.pool.status().blocked.iter().enumerate() {
            counts.on_node(app, node, OnNode::Blocked).store(blocked as u64, Relaxed);
        }
    }
}
