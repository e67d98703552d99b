//! Whether there is room for a graph and its simulations, known before the first of them begins.

use numasim_graph::Dependencies;
use numasim_model::graph::TaskGraph;

use crate::failure::Failure;

/// Most memory for a graph and its simulations, in bytes: 4 GiB.
const MOST_BYTES: f64 = (4_u64 << 30) as f64;

/// Bytes that things of a kind take.
struct Price {
    task: f64,
    block: f64,
    access: f64,
    edge: f64,
}

/// Of the graph and its edges, whoever many simulations there are.
const GRAPH: Price = Price { task: 40.0, block: 16.0, access: 8.0, edge: 4.0 };
/// Of one simulation: measured (10^6 tasks with a block and two accesses each: 200 B for a task and what belongs to it), rounded up.
const SIMULATION: Price = Price { task: 110.0, block: 80.0, access: 16.0, edge: 0.0 };

impl Price {
    fn of(&self, graph: &TaskGraph, edges: usize) -> f64 {
        self.task * graph.task_count() as f64
            + self.block * graph.blocks().len() as f64
            + self.access * graph.access_count() as f64
            + self.edge * edges as f64
    }
}

/// How many simulations there is room for at a time, at least one.
///
/// # Errors
/// There is no room for one.
pub(super) fn at_a_time(graph: &TaskGraph, dependencies: &Dependencies) -> Result<usize, Failure> {
    let of_graph = GRAPH.of(graph, dependencies.edge_count());
    let each = SIMULATION.of(graph, dependencies.edge_count());
    if of_graph + each > MOST_BYTES {
        let message = format!(
            "a graph of {} tasks, {} blocks, {} accesses and {} edges may need {:.1} GiB of memory; at most {:.0} GiB are taken",
            graph.task_count(),
            graph.blocks().len(),
            graph.access_count(),
            dependencies.edge_count(),
            (of_graph + each) / (1_u64 << 30) as f64,
            MOST_BYTES / (1_u64 << 30) as f64,
        );
        return Err(Failure::input(message).hint("simulate fewer iterations, or coarser tasks"));
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 1; more than usize::MAX are as many"
    )]
    let fit = if each > 0.0 { ((MOST_BYTES - of_graph) / each) as usize } else { usize::MAX };
    Ok(fit.max(1))
}
