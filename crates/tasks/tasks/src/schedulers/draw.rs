//! What a scheduler does where several things are equally good.

use numasim_graph::values::{RuntimeSettings, Ties};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::random::{Stream, generator};

/// Chooses among equal things: drawn, or always the first.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    ties: Ties,
    random: ChaCha8Rng,
}

impl Draw {
    /// As `[runtime]` has it: `ties` and `seed`.
    pub(super) fn new(runtime: &RuntimeSettings) -> Self {
        Self::of(runtime, Stream::Scheduler)
    }

    /// The same, with the numbers of another purpose.
    pub(super) fn of(runtime: &RuntimeSettings, stream: Stream) -> Self {
        Self { ties: runtime.ties, random: generator(runtime.seed, stream) }
    }

    /// One of `count` equal things in their order, from 0: drawn with `ties = "random"`, the first with `"order"`. Nothing is
    /// drawn of a single one.
    pub(super) fn of_equals(&mut self, count: usize) -> usize {
        if count > 1 && self.ties == Ties::Random { self.random.random_range(0..count) } else { 0 }
    }

    /// One of `count` things whatever `ties` says; 0 of none.
    pub(super) fn any(&mut self, count: usize) -> usize {
        if count > 1 { self.random.random_range(0..count) } else { 0 }
    }
}
