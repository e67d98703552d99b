//! The one maker of random numbers.

use numasim_graph::values::{RuntimeSettings, TaskId};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, LogNormal};

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

// How much work each task has beside what the graph says: a factor with mean 1.

/// Words between the numbers of one task and the next: more than one draw ever takes, but for one in a billion.
const WORDS: u128 = 64;

/// Lognormal factors, the same for a task whatever the scheduler does.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    drawn: Option<(LogNormal<f64>, ChaCha8Rng)>,
}

impl Spread {
    /// As `[runtime]` has it: `task_spread` is the standard deviation of the logarithm, `seed`.
    pub(crate) fn new(runtime: &RuntimeSettings) -> Self {
        let sigma = runtime.task_spread;
        let law = if sigma > 0.0 { LogNormal::new(-sigma * sigma / 2.0, sigma).ok() } else { None };
        Self { drawn: law.map(|law| (law, generator(runtime.seed, Stream::Work))) }
    }

    /// The factor of the FLOP and bytes of a task; 1 without a spread.
    pub(crate) fn factor(&mut self, task: TaskId) -> f64 {
        let Some((law, random)) = &mut self.drawn else { return 1.0 };
        random.set_word_pos(u128::from(task.0) * WORDS);
        law.sample(random)
    }
}
