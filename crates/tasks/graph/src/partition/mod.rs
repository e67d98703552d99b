//! Assigns the tasks of a window to sockets, so that tasks that exchange data are together and all sockets have work.
//!
//! A window is an undirected graph: tasks that weigh 1 or their time ([`VertexWeight`]), and an edge for each pair of which one reads
//! data that the other wrote, with the bytes that it declares (WAR and WAW move nothing and are no edges here). The objective to minimise
//! is the sum over the edges of bytes x distance between the sockets of both ends ([`cost`]). A socket gets weight in proportion to its
//! cores, with a tolerance of 5 % ([`Sockets::room`]; one task more if tasks weigh their time). Tasks may be fixed. That is the mapping
//! of paper 001 (section 3.1.4), which uses SCOTCH for it.
//!
//! [`Partitioner::Recursive`], without C: dual recursive bipartitioning (Pellegrini, *Static mapping by dual recursive bipartitioning of
//! process and architecture graphs*, SHPCC 1994). The sockets are split in two groups far from each other, the tasks in two sets with few
//! bytes between them, and so on in each half; tasks that were assigned elsewhere attract their neighbours (all in `recursive`). The two
//! sets are found on coarser and coarser graphs (heavy-edge matching: Karypis, Kumar 1998); a first guess is made on the coarsest and
//! refined on the way back (Fiduccia, Mattheyses 1982: `sides`). Finally all sockets exchange tasks, then whole parts (`among`).
//!
//! [`Partitioner::Metis`] (feature `metis`): METIS finds parts; those that are too large are balanced (`metis`), and all are assigned to
//! sockets (`among`). It is not used for windows with fewer than two tasks for one of three or more sockets.
//!
//! Tasks without any edge fill up the sockets in creation order; a window without edges is therefore cut into consecutive groups, as
//! SCOTCH does (paper 001, section 3.2.4).

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of tasks and sockets fit into 32 bits: a graph has at most 10^7 tasks"
)]

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

#[cfg(doc)]
use crate::values::VertexWeight;
use crate::values::{Partitioner, Ties};

pub use window::{Cost, Parent, Sockets, WindowGraph, Writers, cost};

mod among;
#[cfg(feature = "metis")]
mod metis;
#[cfg(test)]
mod properties;
mod recursive;
mod sides;
#[cfg(test)]
mod tests;
mod window;

/// The input of a partitioner.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// The tasks and the bytes between them.
    pub graph: &'a WindowGraph,
    /// The sockets where they may go.
    pub sockets: &'a Sockets,
    /// The sockets of tasks that are already decided: indices in `sockets`; tasks beyond the end are free.
    pub fixed: &'a [Option<u32>],
    /// Whether the order in which equal choices are tried is random.
    pub ties: Ties,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of the window: each window has separate random numbers.
    pub number: u64,
}

/// Why there is no partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartitionError {
    /// No node has cores.
    #[error("no node has cores")]
    NoSockets,
    /// The program is built without this partitioner.
    #[error("this program is built without the partitioner {}; build it with `--features {}`", .0.as_str(), .0.as_str())]
    NotBuilt(Partitioner),
    /// METIS failed.
    #[error("METIS found no partition: {0}; `partitioner = \"recursive\"` does without it")]
    Metis(&'static str),
}

/// Whether the program is built with a partitioner.
pub const fn is_built(partitioner: Partitioner) -> bool {
    match partitioner {
        Partitioner::Recursive => true,
        Partitioner::Metis => cfg!(feature = "metis"),
    }
}

/// Time to partition a window, ns per task and edge with bytes, unless a file sets it.
///
/// Measured: METIS 5.2.1 alone (crate `metis` 0.2.2, with the C sources in it, gcc 12.2), k-way with 5 % of imbalance, with the graph
/// already built, the least of up to 100 calls; the median of 120 windows: seven codes of paper 001 and Cholesky with their initial tasks
/// and one or two iterations, 90 to 5000 tasks, in 2, 4 and 8 parts. On 2 shared virtual cores of an AMD EPYC, with other load. Single
/// windows take 40 to 10,000 ns, most in 8 parts of few tasks; the medians are 100 (2 parts), 280 (4) and 1070 (8).
/// `benches/partition.rs` repeats the measurement.
pub const NS_PER_VERTEX_EDGE: f64 = 220.0;

/// The index in `sockets` for each task, in order.
///
/// # Errors
/// [`PartitionError`].
pub fn partition(window: &Window<'_>, partitioner: Partitioner) -> Result<Vec<u32>, PartitionError> {
    let sockets = window.sockets;
    if sockets.count() == 0 {
        return Err(PartitionError::NoSockets);
    }
    let tasks = window.graph.task_count();
    let fixed = |task: usize| window.fixed.get(task).copied().flatten();
    // A socket that does not exist counts as none.
    let mut parts: Vec<Option<u32>> =
        (0..tasks).map(|task| fixed(task).filter(|&socket| (socket as usize) < sockets.count())).collect();
    let room = among::room_left(window.graph, sockets, &parts);
    let free: Vec<u32> = window
        .graph
        .tasks()
        .filter(|&task| parts[task as usize].is_none() && window.graph.connected(task))
        .collect();
    if !free.is_empty() {
        let mut random = Source::new(window.ties, window.seed, window.number);
        match partitioner {
            Partitioner::Recursive => {
                recursive::divide(window.graph, sockets, &free, &room, &mut parts, &mut random);
                among::refine(window.graph, sockets, &free, &room, &mut parts, &mut random);
                among::kick(window.graph, sockets, &free, &room, &mut parts, &mut random);
            }
            #[cfg(feature = "metis")]
            Partitioner::Metis => {
                if metis::has_few(free.len(), &room) {
                    recursive::divide(window.graph, sockets, &free, &room, &mut parts, &mut random);
                } else {
                    metis::divide(window, &free, &room, &mut parts)?;
                }
                metis::relieve(window.graph, sockets, &free, &room, &mut parts);
            }
            #[cfg(not(feature = "metis"))]
            Partitioner::Metis => return Err(PartitionError::NotBuilt(Partitioner::Metis)),
        }
        among::exchange(window.graph, sockets, &free, &room, &mut parts);
    }
    Ok(among::in_creation_order(window.graph, sockets, &parts))
}

// The only source of random numbers of partitions.

/// Draws at random, or in the order of numbers if ties are not random.
struct Source {
    draws: Option<ChaCha8Rng>,
    /// For draws that are always random: from the number of the window alone if ties are not random.
    always: ChaCha8Rng,
}

impl Source {
    /// The same numbers on every platform for the same seed and window.
    fn new(ties: Ties, seed: u64, window: u64) -> Self {
        let generator = |seed, stream| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(stream);
            random
        };
        // Lower streams are those of schedulers. Windows use even numbers, and odd ones for draws that are always random.
        let stream = (1 << 32) + window.wrapping_mul(2);
        match ties {
            Ties::Random => {
                Self { draws: Some(generator(seed, stream)), always: generator(seed, stream | 1) }
            }
            Ties::Order => Self { draws: None, always: generator(0, stream | 1) },
        }
    }

    /// `0..count` in the order in which they are tried.
    fn order(&mut self, count: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count).collect();
        if let Some(random) = &mut self.draws {
            for place in (1..order.len()).rev() {
                order.swap(place, random.random_range(0..=place));
            }
        }
        order
    }

    /// One of these, always at random; `None` if there is none.
    fn one_of(&mut self, of: &[u32]) -> Option<u32> {
        of.get(self.always.random_range(0..of.len().max(1))).copied()
    }

    /// `tries` of `0..count`, spread evenly, or random.
    fn some(&mut self, tries: u32, count: u32) -> Vec<u32> {
        match &mut self.draws {
            Some(random) if count > 0 => (0..tries).map(|_| random.random_range(0..count)).collect(),
            _ => {
                let place = |number: u32| u64::from(number) * u64::from(count) / u64::from(tries.max(1));
                // Below `count`.
                (0..tries.min(count)).map(|number| place(number) as u32).collect()
            }
        }
    }
}
