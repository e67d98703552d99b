//! What a partition costs.

use super::sockets::Sockets;
use super::window::WindowGraph;

/// What a partition costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Sum over all edges of bytes x distance between the sockets of both ends: what is minimised.
    pub weighted: f64,
    /// Pairs of tasks on different sockets with bytes between them.
    pub cut_edges: u64,
    /// These bytes.
    pub cut_bytes: f64,
}

/// What it costs to put each task where `parts` says: the place in `sockets`.
pub fn cost(graph: &WindowGraph, sockets: &Sockets, parts: &[u32]) -> Cost {
    let mut cost = Cost::default();
    let of = |task: u32| parts.get(task as usize).copied();
    for task in graph.tasks() {
        for neighbour in graph.neighbours(task).iter().filter(|neighbour| neighbour.task > task) {
            let (Some(one), Some(other)) = (of(task), of(neighbour.task)) else { continue };
            cost.weighted += neighbour.bytes * sockets.distance(one as usize, other as usize);
            if one != other {
                cost.cut_edges += 1;
                cost.cut_bytes += neighbour.bytes;
            }
        }
    }
    cost
}
