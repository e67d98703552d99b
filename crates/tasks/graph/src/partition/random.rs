//! The one maker of random numbers of partitions.

use crate::values::Ties;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Draws, or goes by number where ties are not drawn.
pub(super) struct Source {
    draws: Option<ChaCha8Rng>,
    /// Of what must be drawn: from the number of the window alone where ties are not drawn.
    always: ChaCha8Rng,
}

impl Source {
    /// The same numbers on every platform for the same seed and window.
    pub(super) fn new(ties: Ties, seed: u64, window: u64) -> Self {
        let generator = |seed, stream| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(stream);
            random
        };
        // Streams below are those of schedulers. Of windows: even numbers, and odd ones for what must be drawn.
        let stream = (1 << 32) + window.wrapping_mul(2);
        match ties {
            Ties::Random => {
                Self { draws: Some(generator(seed, stream)), always: generator(seed, stream | 1) }
            }
            Ties::Order => Self { draws: None, always: generator(0, stream | 1) },
        }
    }

    /// `0..count` in the order in which they are tried.
    pub(super) fn order(&mut self, count: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count).collect();
        if let Some(random) = &mut self.draws {
            for place in (1..order.len()).rev() {
                order.swap(place, random.random_range(0..=place));
            }
        }
        order
    }

    /// One of these, drawn in any case; `None` if there is none.
    pub(super) fn one_of(&mut self, of: &[u32]) -> Option<u32> {
        of.get(self.always.random_range(0..of.len().max(1))).copied()
    }

    /// `tries` of `0..count`, spread evenly, or drawn.
    pub(super) fn some(&mut self, tries: u32, count: u32) -> Vec<u32> {
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
