//! How much work each task has beside what the graph says: a factor with mean 1.

use numasim_graph::values::{RuntimeSettings, TaskId};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, LogNormal};

use crate::random::{Stream, generator};

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
