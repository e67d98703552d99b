//! The one maker of random numbers.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

/// What is drawn: each has numbers of its own, so that one more draw here changes nothing there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// In which order idle workers look for tasks.
    Workers = 0,
    /// The work of tasks.
    Work = 1,
    /// What schedulers draw.
    Scheduler = 2,
    /// Which workers are dealt to whom.
    Dealing = 3,
    /// Mailboxes of workers that join a program.
    Joining = 4,
}

/// The generator of a seed for a purpose: the same numbers on every platform.
pub(crate) fn generator(seed: u64, stream: Stream) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream as u64);
    random
}
