//! Machines and programs for these tests.

use numasim_bench::execute::{Cores, Workers};
use numasim_graph::generate;
use numasim_graph::values::{Generator, PagePlacement, RuntimeSettings, SchedulerSettings, TaskGraph};
use numasim_host::affinity;
use numasim_kernels::{Code, code};
use numasim_model::NodeId;
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_tasks::Question;

/// Equal nodes.
pub(crate) fn machine(nodes: usize, cores: u32) -> Machine {
    let node = Node {
        cores,
        gflops_per_core: Gflops::new(2.0),
        bandwidth: GigabytesPerSecond::new(1000.0),
        ..Node::default()
    };
    Machine::uniform("here", nodes, node, GigabytesPerSecond::new(1000.0)).expect("a machine")
}

/// A logical CPU for each worker; several share one if there are few.
pub(crate) fn cores(nodes: usize, cores: usize) -> Cores {
    let allowed = affinity::allowed().unwrap_or_else(|_| vec![0]);
    let cpu = |worker: usize| allowed[worker % allowed.len()];
    Cores((0..nodes).map(|node| (0..cores).map(|core| cpu(node * cores + core)).collect()).collect())
}

/// The workers of [`machine`], without an agent.
pub(crate) fn workers(nodes: usize, of_node: u32) -> Workers {
    Workers::start(&machine(nodes, of_node), &cores(nodes, of_node as usize), None).expect("threads")
}

/// For this number of nodes.
pub(crate) fn programs(nodes: usize) -> Vec<(TaskGraph, Box<dyn Code>)> {
    let some = [
        Generator::Cholesky { n: 5, tile: 16, init: true },
        Generator::Qr { n: 4, tile: 16, init: true },
        Generator::GaussSeidel { grid: 4, tile: 8, iterations: 5, control: 1, init: true },
        Generator::Jacobi { blocks: 6, rows: 24, columns: 16, iterations: 6, init: true },
        Generator::Stencil2d { n: 24, rows: 3, columns: 2, iterations: 8 },
    ];
    let sockets: Vec<NodeId> = (0..nodes).map(NodeId).collect();
    let program = |generator: Generator| {
        let graph = generate(&generator, "test", &sockets).expect("a graph");
        (graph, code(&generator).expect("kernels"))
    };
    some.into_iter().map(program).collect()
}

pub(crate) fn question<'a>(
    machine: &'a Machine,
    graph: &'a TaskGraph,
    scheduler: &'a SchedulerSettings,
    runtime: &'a RuntimeSettings,
) -> Question<'a> {
    Question {
        machine,
        graph,
        scheduler,
        runtime,
        placement: PagePlacement::FirstTouch,
        steal: true,
        contender: None,
        plan: None,
    }
}
