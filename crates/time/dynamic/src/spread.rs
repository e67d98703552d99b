//! The work of tasks where it is spread: lognormal factors of mean 1.

use numasim_course::Course;
use numasim_model::AppId;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, LogNormal};

/// By what the work of the tasks of an instance is multiplied under a seed, in the order in which they are taken, without end: for who
/// does really what is simulated.
pub fn task_factors(course: &Course, seed: u64, app: AppId) -> impl Iterator<Item = f64> + use<> {
    let mut spread = Spread::new(course, seed, app.0);
    std::iter::repeat_with(move || spread.next())
}

/// Factors for the tasks of one instance, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    drawn: Option<(LogNormal<f64>, ChaCha8Rng)>,
}

impl Spread {
    /// The stream of instance `number` under `seed`.
    pub(crate) fn new(course: &Course, seed: u64, number: usize) -> Self {
        // Of a lognormal distribution of mean 1: sigma^2 = ln(1 + cv^2), mu = -sigma^2 / 2.
        let variance = (course.task_spread * course.task_spread).ln_1p();
        let distribution =
            if variance > 0.0 { LogNormal::new(-variance / 2.0, variance.sqrt()).ok() } else { None };
        let drawn = distribution.map(|distribution| {
            let mut generator = ChaCha8Rng::seed_from_u64(seed);
            generator.set_stream(number as u64);
            (distribution, generator)
        });
        Self { drawn }
    }

    /// The factor of the next task.
    pub(crate) fn next(&mut self) -> f64 {
        self.drawn.as_mut().map_or(1.0, |(distribution, generator)| distribution.sample(generator))
    }
}
