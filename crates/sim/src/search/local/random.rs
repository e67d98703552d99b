//! The only source of random numbers.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

/// The generator of a restart: the same numbers on every platform for the same seed and restart.
pub(crate) fn generator(seed: u64, restart: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(restart);
    random
}
