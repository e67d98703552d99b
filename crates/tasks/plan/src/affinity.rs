//! How much a class of tasks wants to be near what it accesses, slot by slot.
//!
//! A slot is the place of an access among those of a task. In each experiment one slot's block is near (or cached) and all others are not;
//! the faster the task then is beside the same with other slots, the more this block matters: 1 - (x - min) / (max - min). The three
//! experiments count as in the runtime of paper 000 (OCR-Vx): (0.1 cache + numa_fixed + numa_movable) / 2.1.

/// Slots whose means differ by at most this part of the largest are alike.
const ALIKE: f64 = 0.01;
/// What rounding may add to that.
const ROUNDING: f64 = 1e-12;

/// The experiments in which one slot is told from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Experiment {
    Cache,
    NumaFixed,
    NumaMovable,
}

impl Experiment {
    pub(crate) const ALL: [Self; 3] = [Self::Cache, Self::NumaFixed, Self::NumaMovable];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::NumaFixed => "numa_fixed",
            Self::NumaMovable => "numa_movable",
        }
    }

    const fn weight(self) -> f64 {
        match self {
            Self::Cache => 0.1,
            Self::NumaFixed | Self::NumaMovable => 1.0,
        }
    }
}

/// Sums and counts of what was measured of a slot, by experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    sum_s: [f64; 3],
    count: [u64; 3],
}

impl Sample {
    pub(crate) fn add(&mut self, experiment: Experiment, seconds: f64) {
        let at = experiment as usize;
        if let (Some(sum), Some(count)) = (self.sum_s.get_mut(at), self.count.get_mut(at)) {
            *sum += seconds;
            *count += 1;
        }
    }

    /// Mean seconds; `None` without any row.
    fn mean(&self, experiment: Experiment) -> Option<f64> {
        let at = experiment as usize;
        let count = self.count.get(at).copied().filter(|&count| count > 0)?;
        Some(self.sum_s.get(at)? / count as f64)
    }
}

/// The affinity of each slot, 0 to 1.
pub(crate) fn affinities(slots: &[Sample]) -> Vec<f64> {
    let mut together = vec![0.0; slots.len()];
    for experiment in Experiment::ALL {
        let means = || slots.iter().map(|slot| slot.mean(experiment));
        let (least, most) = means()
            .flatten()
            .fold((f64::INFINITY, 0.0_f64), |(least, most), mean| (least.min(mean), most.max(mean)));
        let spread = most - least;
        for (sum, mean) in together.iter_mut().zip(means()) {
            let affinity = match mean {
                None => 0.0,
                Some(_) if spread <= (ALIKE + ROUNDING) * most => 1.0,
                Some(mean) => 1.0 - (mean - least) / spread,
            };
            *sum += experiment.weight() * affinity;
        }
    }
    let weights: f64 = Experiment::ALL.into_iter().map(Experiment::weight).sum();
    for sum in &mut together {
        *sum /= weights;
    }
    together
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(seconds: &[[Option<f64>; 3]]) -> Vec<Sample> {
        let slot = |seconds: &[Option<f64>; 3]| {
            let mut sample = Sample::default();
            for (experiment, &seconds) in Experiment::ALL.into_iter().zip(seconds) {
                if let Some(seconds) = seconds {
                    sample.add(experiment, seconds);
                }
            }
            sample
        };
        seconds.iter().map(slot).collect()
    }

    fn alike(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}, {expected:?}");
    }

    #[test]
    fn the_fastest_slot_has_affinity_1_and_the_slowest_0() {
        // P-4: 1 - 0 / 1, 1 - 0.5 / 1, 1 - 1 / 1 in each experiment.
        let all = |seconds: f64| [Some(seconds); 3];
        alike(&affinities(&slots(&[all(1.0), all(1.5), all(2.0)])), &[1.0, 0.5, 0.0]);
    }

    #[test]
    fn slots_that_are_alike_all_have_affinity_1() {
        let all = |seconds: f64| [Some(seconds); 3];
        alike(&affinities(&slots(&[all(0.99), all(1.0)])), &[1.0, 1.0]);
        alike(&affinities(&slots(&[all(0.989), all(1.0)])), &[1.0, 0.0]);
        alike(&affinities(&slots(&[all(3.0)])), &[1.0]);
        alike(&affinities(&slots(&[all(0.0), all(0.0)])), &[1.0, 1.0]);
        alike(&affinities(&[]), &[]);
    }

    #[test]
    fn a_cache_counts_a_tenth_and_what_was_not_measured_nothing() {
        // Slot 0 never fitted a cache: (0 + 1 + 1) / 2.1; slot 1 alone did, and so is alike: (0.1 + 0 + 0) / 2.1.
        let found = affinities(&slots(&[
            [None, Some(1.0), Some(1.0)],
            [Some(1.0), Some(2.0), Some(2.0)],
            [None, None, None],
        ]));
        alike(&found, &[2.0 / 2.1, 0.1 / 2.1, 0.0]);
    }

    #[test]
    fn the_mean_of_all_rows_counts() {
        let mut slots = slots(&[[None, Some(1.0), None], [None, Some(3.0), None], [None, Some(5.0), None]]);
        slots[1].add(Experiment::NumaFixed, 5.0);
        // Means 1, 4, 5: affinities 1, 0.25, 0, divided by 2.1.
        alike(&affinities(&slots), &[1.0 / 2.1, 0.25 / 2.1, 0.0]);
    }
}
