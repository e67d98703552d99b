//! A graph whose tasks take as long in the simulation as here.

use numasim_model::Machine;
use numasim_model::graph::TaskGraph;

use crate::serial::Serial;

/// `graph` with work that a core of `machine` does in the mean time that a task of its kind took in a serial run: tasks that compute or wait for memory longer
/// than their FLOP say have more work, first tasks (`init`) have some at all. What tasks move stays, so that those that run together still share bandwidth.
///
/// With nodes of different cores it is the first one's time: nothing else was measured.
pub fn calibrated(graph: &TaskGraph, machine: &Machine, serial: &Serial) -> TaskGraph {
    let peak = machine.compute_nodes().next().map_or(0.0, |node| machine.node(node).gflops_per_core.value());
    let kinds: Vec<_> = graph.tasks().map(|task| graph.kind(task).0 as usize).collect();
    graph.clone().with_work(|task| {
        let kind = kinds.get(task.0 as usize).and_then(|&kind| serial.kinds.get(kind));
        kind.map_or(0.0, |&(seconds, _)| seconds * peak)
    })
}
