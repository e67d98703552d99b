//! METIS: parts in proportion to the capacity of sockets, by k-way partitioning (Karypis, Kumar 1998).
//!
//! It does not support distances and fixed tasks, and requires integer weights. Fixed tasks are left out: `exchange` brings parts near
//! them. Parts that exceed their capacity give up tasks (`relief`).
//!
//! It draws from the `rand` of the C library, which all threads share: one window at a time, each from a separate seed, gives the same
//! parts on any number of threads. Another C library may draw other numbers.

use std::sync::{Mutex, PoisonError};

use crate::partition::window::{Sockets, WindowGraph};
use crate::partition::{PartitionError, Window};
use crate::values::Ties;

/// Bytes of an edge become a whole number of at most this value, because METIS adds them up in 32 bits.
const LARGEST: f64 = 1e9;

/// METIS works for one thread at a time. The lock contains no value: there is no state from one window to the next.
static ALONE: Mutex<()> = Mutex::new(());

/// Minimum number of tasks that the smallest of three or more parts must have.
const FEWEST: f64 = 2.0;

/// Whether there are too few tasks for METIS, which would print lines on standard output: it bisects a window, and each half again, each
/// time with an error of one or more tasks, and does not handle a half of three or more parts without a task. Two parts are one cut.
pub(super) fn has_few(tasks: usize, room: &[u64]) -> bool {
    let rooms = || room.iter().copied().filter(|&room| room > 0);
    let (sum, least) = (rooms().sum::<u64>(), rooms().min().unwrap_or(0));
    rooms().count() > 2 && tasks as f64 * (least as f64 / sum.max(1) as f64) < FEWEST
}

/// Assigns a socket to each of `free`.
pub(super) fn divide(
    window: &Window<'_>,
    free: &[u32],
    room: &[u64],
    parts: &mut [Option<u32>],
) -> Result<(), PartitionError> {
    let sockets: Vec<usize> = (0..room.len()).filter(|&socket| room[socket] > 0).collect();
    let mut places = vec![None; parts.len()];
    for (place, &task) in free.iter().enumerate() {
        // Tasks fit into 32 bits.
        places[task as usize] = Some(place as u32);
    }
    let graph = window.graph.part(free, &places);
    let total: f64 = graph.tasks().flat_map(|task| graph.neighbours(task)).map(|other| other.bytes).sum();
    let largest =
        graph.tasks().flat_map(|task| graph.neighbours(task)).map(|other| other.bytes).fold(0.0, f64::max);
    // Whole numbers are unchanged if they are small enough.
    let scale = (LARGEST / total.max(largest)).min(1.0);
    let too_large = PartitionError::Metis("too many edges");
    let number = |value: usize| metis::Idx::try_from(value).map_err(|_| too_large);
    let (mut starts, mut ends, mut bytes) = (vec![0], Vec::new(), Vec::new());
    let weights = graph.tasks().map(|task| metis::Idx::try_from(graph.weight(task)).map_err(|_| too_large));
    let weights: Vec<metis::Idx> = weights.collect::<Result<_, _>>()?;
    for task in graph.tasks() {
        for other in graph.neighbours(task) {
            ends.push(number(other.task as usize)?);
            bytes.push(((other.bytes * scale).round() as metis::Idx).max(1));
        }
        starts.push(number(ends.len())?);
    }
    let total_room: u64 = room.iter().sum();
    let shares: Vec<metis::Real> = sockets
        .iter()
        .map(|&socket| (room[socket] as f64 / total_room.max(1) as f64) as metis::Real)
        .collect();
    let mut found = vec![0; free.len()];
    if sockets.len() > 1 && !ends.is_empty() {
        let refused = |_| PartitionError::Metis("it refused the graph");
        let seed = if window.ties == Ties::Random { window.seed ^ window.number.rotate_left(32) } else { 0 };
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        metis::Graph::new(1, number(sockets.len())?, &starts, &ends)
            .map_err(|_| PartitionError::Metis("it refused the graph"))?
            .set_vwgt(&weights)
            .set_adjwgt(&bytes)
            .set_tpwgts(&shares)
            // In thousandths: 5 %.
            .set_option(metis::option::UFactor(50))
            .set_option(metis::option::Seed((seed & 0x7fff_ffff) as metis::Idx))
            .part_kway(&mut found)
            .map_err(refused)?;
    }
    for (&task, &part) in free.iter().zip(&found) {
        let socket = usize::try_from(part).ok().and_then(|part| sockets.get(part));
        // As many as the nodes of a machine.
        parts[task as usize] = socket.map(|&socket| socket as u32);
    }
    Ok(())
}

// Sockets that exceed their capacity give up tasks: those that lose least.

/// Moves tasks of `free`, which all have a socket, until no socket has more than `room` of them; the sum must suffice for all.
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
            loads[socket as usize] += graph.weight(task);
        }
    }
    while let Some(full) = (0..room.len()).find(|&socket| loads[socket] > room[socket]) {
        let cost = |task: u32, to: usize| -> f64 {
            let of = |other: &crate::partition::window::Neighbour| {
                parts[other.task as usize]
                    .map_or(0.0, |there| other.bytes * sockets.distance(to, there as usize))
            };
            graph.neighbours(task).iter().map(of).sum()
        };
        let mut best: Option<(f64, u32, usize)> = None;
        for &task in free.iter().filter(|&&task| parts[task as usize] == Some(full as u32)) {
            for to in (0..room.len()).filter(|&to| loads[to] + graph.weight(task) <= room[to]) {
                let loss = cost(task, to) - cost(task, full);
                if best.is_none_or(|(least, ..)| loss < least) {
                    best = Some((loss, task, to));
                }
            }
        }
        let Some((_, task, to)) = best else { break };
        parts[task as usize] = Some(to as u32);
        loads[full] -= graph.weight(task);
        loads[to] += graph.weight(task);
    }
}
