//! Sockets that have more tasks than they may give some up: those that lose least.

use super::sockets::Sockets;
use super::window::WindowGraph;

/// Moves tasks of `free`, which all have a socket, until no socket has more than `room` of them; there must be room for all.
pub(super) fn relieve(
    graph: &WindowGraph,
    sockets: &Sockets,
    free: &[u32],
    room: &[u64],
    parts: &mut [Option<u32>],
) {
    let mut loads = vec![0_u64; room.len()];
    for &task in free {
        if let Some(socket) = parts[task as usize] {
            loads[socket as usize] += 1;
        }
    }
    while let Some(full) = (0..room.len()).find(|&socket| loads[socket] > room[socket]) {
        let cost = |task: u32, to: usize| -> f64 {
            let of = |other: &super::window::Neighbour| {
                parts[other.task as usize]
                    .map_or(0.0, |there| other.bytes * sockets.distance(to, there as usize))
            };
            graph.neighbours(task).iter().map(of).sum()
        };
        let mut best: Option<(f64, u32, usize)> = None;
        for &task in free.iter().filter(|&&task| parts[task as usize] == Some(full as u32)) {
            for to in (0..room.len()).filter(|&to| loads[to] < room[to]) {
                let loss = cost(task, to) - cost(task, full);
                if best.is_none_or(|(least, ..)| loss < least) {
                    best = Some((loss, task, to));
                }
            }
        }
        let Some((_, task, to)) = best else { break };
        parts[task as usize] = Some(to as u32);
        loads[full] -= 1;
        loads[to] += 1;
    }
}
