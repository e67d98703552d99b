//! The only source of random numbers.

use numasim_graph::values::{RuntimeSettings, TaskId};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, LogNormal};

/// Purposes of random numbers. Each has a separate stream, so that one more draw for one purpose changes nothing for another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// The order in which idle workers look for tasks.
    Workers = 0,
    /// The work of tasks.
    Work = 1,
    /// Draws of schedulers.
    Scheduler = 2,
    /// The programs to which workers are dealt.
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

// The variation of the work of each task, in addition to the graph: a factor with mean 1.

/// Words between the numbers of one task and the next: more than one draw ever takes, except for one in a billion.
const WORDS: u128 = 64;

/// Lognormal factors, the same for a task regardless of the scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    drawn: Option<(LogNormal<f64>, ChaCha8Rng)>,
}

impl Spread {
    /// From `[runtime]`: `task_spread`, the standard deviation of the logarithm, and `seed`.
    pub(crate) fn new(runtime: &RuntimeSettings) -> Self {
        let sigma = runtime.task_spread;
        let law = if sigma > 0.0 { LogNormal::new(-sigma * sigma / 2.0, sigma).ok() } else { None };
        Self { drawn: law.map(|law| (law, generator(runtime.seed, Stream::Work))) }
    }

    /// The factor of the FLOP and bytes of a task; 1 without variation.
    pub(crate) fn factor(&mut self, task: TaskId) -> f64 {
        let Some((law, random)) = &mut self.drawn else { return 1.0 };
        random.set_word_pos(u128::from(task.0) * WORDS);
        law.sample(random)
    }
}
