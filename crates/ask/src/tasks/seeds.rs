//! The simulations of a scheduler with several seeds: medians, and their uncertainty due to chance.

use numasim_evidence::statistics::{median, median_interval};
use serde::Serialize;

use super::{Tasked, TasksAnswer};
use crate::document::plain;
use crate::table::Of;

/// The simulations of one scheduler, or scenario.
#[derive(Clone, Debug)]
pub struct OfScheduler<'a> {
    /// Its name for people.
    pub label: &'static str,
    /// One simulation for each seed.
    pub runs: Vec<&'a Tasked>,
}

/// A value over several seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverSeeds {
    /// The median of the seeds.
    pub median: f64,
    /// Lower end of the interval that contains the median of all seeds in at least 95 % of cases, from order statistics; null with fewer
    /// than 6 seeds.
    pub low: Option<f64>,
    /// Upper end of this interval.
    pub high: Option<f64>,
}

impl OverSeeds {
    /// The median and interval of finite values; `None` without any.
    fn of(values: &[f64]) -> Option<Self> {
        let interval = median_interval(values);
        Some(Self {
            median: plain(median(values)?),
            low: interval.map(|(low, _)| plain(low)),
            high: interval.map(|(_, high)| plain(high)),
        })
    }
}

/// Results of one scheduler over its seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchedulerOverSeeds {
    /// The scheduler, or the scenario.
    pub scheduler: &'static str,
    /// Number of seeds.
    pub seeds: usize,
    /// Its makespan, in seconds.
    pub makespan_s: Option<OverSeeds>,
    /// Makespan of the first scheduler divided by its own, seed by seed; null if it has other seeds.
    pub speedup: Option<OverSeeds>,
}

impl TasksAnswer {
    /// The simulations by scheduler, in their order.
    pub fn schedulers(&self) -> Vec<OfScheduler<'_>> {
        let mut schedulers: Vec<OfScheduler<'_>> = Vec::new();
        for run in &self.runs {
            let is_new_seed = |known: &&mut OfScheduler<'_>| {
                known.label == run.label() && known.runs.iter().all(|other| other.seed != run.seed)
            };
            match schedulers.last_mut().filter(is_new_seed) {
                Some(known) => known.runs.push(run),
                None => schedulers.push(OfScheduler { label: run.label(), runs: vec![run] }),
            }
        }
        schedulers
    }

    /// Each scheduler over its seeds; empty if no scheduler has several.
    pub fn over_seeds(&self) -> Vec<SchedulerOverSeeds> {
        let schedulers = self.schedulers();
        let Some(first) = schedulers.first() else { return Vec::new() };
        if schedulers.iter().all(|one| one.runs.len() < 2) {
            return Vec::new();
        }
        schedulers.iter().map(|one| over_seeds(one, first)).collect()
    }

    /// The columns of the simulations. With several seeds they include those of the scheduler over its seeds, which are equal in each of
    /// its rows.
    pub fn columns(&self) -> Vec<Of<'_, &Tasked>> {
        let mut columns = super::columns();
        let all = self.over_seeds();
        if all.is_empty() {
            return columns;
        }
        let mut add = |name, of: fn(&SchedulerOverSeeds) -> Option<f64>| {
            let all = all.clone();
            columns.push(Of::number(name, move |row: &&Tasked| {
                all.iter().find(|one| one.scheduler == row.label()).and_then(of)
            }));
        };
        add("makespan_median_s", |one| one.makespan_s.map(|of| of.median));
        add("makespan_low_s", |one| one.makespan_s.and_then(|of| of.low));
        add("makespan_high_s", |one| one.makespan_s.and_then(|of| of.high));
        add("speedup_median", |one| one.speedup.map(|of| of.median));
        add("speedup_low", |one| one.speedup.and_then(|of| of.low));
        add("speedup_high", |one| one.speedup.and_then(|of| of.high));
        columns
    }
}

/// Speedups compare simulations with equal seeds: each seed yields one ratio.
fn over_seeds(one: &OfScheduler<'_>, first: &OfScheduler<'_>) -> SchedulerOverSeeds {
    let makespans: Vec<f64> = one.runs.iter().map(|run| run.makespan_s()).collect();
    let pairs = one.runs.iter().zip(&first.runs);
    let is_paired =
        one.runs.len() == first.runs.len() && pairs.clone().all(|(own, other)| own.seed == other.seed);
    let ratios: Vec<f64> = pairs.map(|(own, other)| other.makespan_s() / own.makespan_s()).collect();
    let speedup = (is_paired && ratios.iter().all(|ratio| ratio.is_finite())).then(|| OverSeeds::of(&ratios));
    SchedulerOverSeeds {
        scheduler: one.label,
        seeds: one.runs.len(),
        makespan_s: OverSeeds::of(&makespans),
        speedup: speedup.flatten(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With 6 values, all of them are on one side of the median in 2 x 1/2^6 = 3.1 % of cases, so the interval ranges from the smallest
    /// to the largest. With 5 values it would be 6.25 %.
    #[test]
    fn an_interval_needs_six_seeds() {
        let of = OverSeeds::of(&[6.0, 1.0, 3.0, 2.0, 5.0, 4.0]).expect("values");
        assert_eq!(of, OverSeeds { median: 3.5, low: Some(1.0), high: Some(6.0) });
        let few = OverSeeds::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("values");
        assert_eq!(few, OverSeeds { median: 3.0, low: None, high: None });
        assert_eq!(OverSeeds::of(&[]), None);
    }
}
