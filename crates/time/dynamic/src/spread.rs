//! Random draws of one application: the work of its tasks, the time that they take, and the threads that wake.
//!
//! Each use has a separate stream, so that its draws do not depend on the other uses.

use numasim_course::{Course, Wake};
use numasim_model::AppId;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, LogNormal};

/// The factors by which the work of the tasks of an instance is multiplied under a seed, in the order in which the tasks
/// are taken, without end. A real run uses them to do the work that is simulated.
pub fn task_factors(course: &Course, seed: u64, app: AppId) -> impl Iterator<Item = f64> + use<> {
    let mut work = Factors::new(course.task_spread, generator(seed, app.0, Use::Work));
    std::iter::repeat_with(move || work.next())
}

/// The uses of random numbers in one instance.
#[derive(Clone, Copy, Debug)]
enum Use {
    Work,
    Time,
    Wake,
}

/// The generator of instance `number` for one use.
fn generator(seed: u64, number: usize, of: Use) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    // Fewer than 2^32 instances fit into memory.
    generator.set_stream(number as u64 | (of as u64) << 32);
    generator
}

/// Lognormal factors of mean 1.
#[derive(Clone, Debug)]
struct Factors {
    drawn: Option<(LogNormal<f64>, ChaCha8Rng)>,
}

impl Factors {
    /// Factors with this coefficient of variation; all are 1 if it is 0.
    fn new(variation: f64, generator: ChaCha8Rng) -> Self {
        // A lognormal distribution of mean 1 has sigma^2 = ln(1 + cv^2) and mu = -sigma^2 / 2.
        let variance = (variation * variation).ln_1p();
        let distribution =
            if variance > 0.0 { LogNormal::new(-variance / 2.0, variance.sqrt()).ok() } else { None };
        Self { drawn: distribution.map(|distribution| (distribution, generator)) }
    }

    fn next(&mut self) -> f64 {
        self.drawn.as_mut().map_or(1.0, |(distribution, generator)| distribution.sample(generator))
    }
}

/// The factors of one task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Drawn {
    /// Of its work.
    pub(crate) work: f64,
    /// Of the time that this work takes.
    pub(crate) time: f64,
}

/// Factors for the tasks of one instance, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    work: Factors,
    time: Factors,
}

impl Spread {
    /// The factors of instance `number` under `seed`.
    pub(crate) fn new(course: &Course, seed: u64, number: usize) -> Self {
        Self {
            work: Factors::new(course.task_spread, generator(seed, number, Use::Work)),
            time: Factors::new(course.task_jitter, generator(seed, number, Use::Time)),
        }
    }

    /// The factors of the next task.
    pub(crate) fn next(&mut self) -> Drawn {
        Drawn { work: self.work.next(), time: self.time.next() }
    }
}

/// Chooses the blocked threads of one instance that an order unblocks.
#[derive(Clone, Debug)]
pub(crate) struct Waking {
    /// `None`: in order.
    random: Option<ChaCha8Rng>,
}

impl Waking {
    /// The choices of instance `number` under `seed`.
    pub(crate) fn new(course: &Course, seed: u64, number: usize) -> Self {
        let random = match course.wake {
            Wake::InOrder => None,
            Wake::Random => Some(generator(seed, number, Use::Wake)),
        };
        Self { random }
    }

    pub(crate) fn is_random(&self) -> bool {
        self.random.is_some()
    }

    /// The places, in ascending order, of `count` of `blocked` threads in their order. Nothing is drawn if all wake.
    pub(crate) fn choose(&mut self, blocked: usize, count: usize) -> Vec<usize> {
        let mut places: Vec<usize> = (0..blocked).collect();
        if let Some(random) = self.random.as_mut().filter(|_| count < blocked) {
            // The first steps of a Fisher-Yates shuffle: every set of `count` places has the same probability.
            for place in 0..count {
                places.swap(place, random.random_range(place..blocked));
            }
        }
        places.truncate(count);
        places.sort_unstable();
        places
    }
}
