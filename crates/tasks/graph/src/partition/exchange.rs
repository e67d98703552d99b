//! Whole parts on sockets: two sockets that have room for it exchange their tasks where that brings bytes nearer.

use super::sockets::Sockets;
use super::window::WindowGraph;

/// Bytes between parts, and from parts to fixed tasks.
struct Between {
    count: usize,
    /// Of free tasks with free tasks, row by row, the same in both directions.
    parts: Vec<f64>,
    /// Of free tasks of a part (row) with fixed tasks on a socket (column).
    fixed: Vec<f64>,
    /// Free tasks of each part.
    sizes: Vec<u64>,
}

/// Exchanges the parts of `free`, which all have a socket, as long as that gets better. Only tasks of `free` move, at most `room` of them
/// to a socket.
pub(super) fn exchange(
    graph: &WindowGraph,
    sockets: &Sockets,
    free: &[u32],
    room: &[u64],
    parts: &mut [Option<u32>],
) {
    let count = sockets.count();
    let between = Between::of(graph, count, free, parts);
    // Of each part its socket.
    let mut at: Vec<usize> = (0..count).collect();
    let mut cost = between.cost(sockets, &at);
    let blur = 1e-12 * cost.abs();
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for one in 0..count {
            for other in one + 1..count {
                if between.sizes[one] > room[at[other]] || between.sizes[other] > room[at[one]] {
                    continue;
                }
                at.swap(one, other);
                let after = between.cost(sockets, &at);
                at.swap(one, other);
                if after < best.map_or(cost - blur, |(least, ..)| least) {
                    best = Some((after, one, other));
                }
            }
        }
        let Some((after, one, other)) = best else { break };
        at.swap(one, other);
        cost = after;
    }
    for &task in free {
        let part = &mut parts[task as usize];
        // As many as nodes of a machine.
        *part = part.map(|part| at[part as usize] as u32);
    }
}

impl Between {
    fn of(graph: &WindowGraph, count: usize, free: &[u32], parts: &[Option<u32>]) -> Self {
        let mut is_free = vec![false; parts.len()];
        for &task in free {
            is_free[task as usize] = true;
        }
        let mut between = Self {
            count,
            parts: vec![0.0; count * count],
            fixed: vec![0.0; count * count],
            sizes: vec![0; count],
        };
        for &task in free {
            let Some(from) = parts[task as usize] else { continue };
            between.sizes[from as usize] += 1;
            for other in graph.neighbours(task) {
                let Some(to) = parts[other.task as usize] else { continue };
                let cell = from as usize * count + to as usize;
                if is_free[other.task as usize] {
                    // Each pair is met from both ends.
                    between.parts[cell] += other.bytes / 2.0;
                } else {
                    between.fixed[cell] += other.bytes;
                }
            }
        }
        between
    }

    fn cost(&self, sockets: &Sockets, at: &[usize]) -> f64 {
        let mut cost = 0.0;
        for one in 0..self.count {
            for other in 0..self.count {
                let cell = one * self.count + other;
                cost += self.parts[cell] * sockets.distance(at[one], at[other]);
                cost += self.fixed[cell] * sockets.distance(at[one], other);
            }
        }
        cost
    }
}
