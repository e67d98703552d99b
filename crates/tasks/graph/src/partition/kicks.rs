//! Small windows: some more starts, near to the best answer so far.
//!
//! `among` stops where no single task and no circle leads on. With a handful of tasks per socket that happens often, and another
//! start costs little; beyond some hundred tasks it brings nothing.

use super::among;
use super::random::Source;
use super::sockets::Sockets;
use super::window::WindowGraph;

/// Tasks that all further starts together may refine, and most starts.
const EFFORT: usize = 600;
const STARTS: usize = 60;

/// Makes the sockets of `free` better, with at most `room` of them on each, as they are now. All of them have one.
pub(super) fn kick(
    graph: &WindowGraph,
    sockets: &Sockets,
    free: &[u32],
    room: &[u64],
    parts: &mut Vec<Option<u32>>,
    random: &mut Source,
) {
    if sockets.count() < 2 {
        return;
    }
    let mut least = weighted(graph, sockets, parts);
    for _ in 0..(EFFORT / free.len().max(1)).min(STARTS) {
        let mut other = parts.clone();
        // Exchanges keep the sockets as full as they are.
        for _ in 0..free.len().div_ceil(3) {
            let (one, two) = (random.one_of(free), random.one_of(free));
            if let (Some(one), Some(two)) = (one, two) {
                other.swap(one as usize, two as usize);
            }
        }
        among::refine(graph, sockets, free, room, &mut other, random);
        let cost = weighted(graph, sockets, &other);
        if cost < least * (1.0 - 1e-12) {
            least = cost;
            *parts = other;
        }
    }
}

/// The sum of bytes x distance.
fn weighted(graph: &WindowGraph, sockets: &Sockets, parts: &[Option<u32>]) -> f64 {
    let mut sum = 0.0;
    for task in graph.tasks() {
        let Some(here) = parts[task as usize] else { continue };
        for other in graph.neighbours(task).iter().filter(|other| other.task > task) {
            let Some(there) = parts[other.task as usize] else { continue };
            sum += other.bytes * sockets.distance(here as usize, there as usize);
        }
    }
    sum
}
