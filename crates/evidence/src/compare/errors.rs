//! From measurements to figures: spreads, errors, and what they are together.

use std::collections::BTreeMap;

use super::comparison::{Choice, Compared, ComparedScenario, Errors, Pair, Regret, Spread};
use super::read::{Measured, Repetition};
use crate::null_models::NullModel;
use crate::statistics::{equal, mean, median, median_interval, percentile, spread};

/// What some repetitions say; `None` without any.
fn over(values: &[f64]) -> Option<Spread> {
    Some(Spread {
        median: median(values)?,
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        repetitions: values.len(),
        relative: spread(values),
        interval: median_interval(values),
    })
}

fn pair(predicted: f64, measured: &[f64]) -> Option<Pair> {
    let measured = over(measured)?;
    let error = if measured.median > 0.0 {
        Some((predicted - measured.median) / measured.median)
    } else {
        (predicted == 0.0).then_some(0.0)
    };
    Some(Pair { predicted, measured, error, interval: None })
}

/// Prediction beside the repetitions, with what null models say; `None` without any.
pub(super) fn compared(
    gflops: f64,
    bandwidth_gbs: f64,
    null_gflops: Option<[f64; NullModel::ALL.len()]>,
    repetitions: &[Repetition],
) -> Option<Compared> {
    let measured: Vec<f64> = repetitions.iter().map(|repetition| repetition.gflops.value()).collect();
    let bandwidth: Option<Vec<f64>> =
        repetitions.iter().map(|repetition| Some(repetition.bandwidth?.value())).collect();
    Some(Compared {
        gflops: pair(gflops, &measured)?,
        predicted_bandwidth_gbs: bandwidth_gbs,
        bandwidth_gbs: bandwidth.and_then(|measured| pair(bandwidth_gbs, &measured)),
        null_gflops,
    })
}

/// What several applications did together, in the repetitions that all of them have.
pub(super) fn together(apps: &[&Measured]) -> Vec<Repetition> {
    let mut sums: BTreeMap<u32, (usize, Repetition)> = BTreeMap::new();
    for repetition in apps.iter().flat_map(|measured| &measured.repetitions) {
        sums.entry(repetition.number)
            .and_modify(|(count, sum)| {
                *count += 1;
                sum.gflops = sum.gflops + repetition.gflops;
                sum.bandwidth = sum.bandwidth.zip(repetition.bandwidth).map(|(sum, more)| sum + more);
            })
            .or_insert((1, *repetition));
    }
    sums.into_values().filter(|(count, _)| *count == apps.len()).map(|(_, sum)| sum).collect()
}

/// The errors of all figures together; a figure that was measured as 0 has none.
pub(super) fn errors<'a>(figures: impl Iterator<Item = (&'a str, Option<&'a str>, f64)>) -> Option<Errors> {
    let signed: Vec<(&str, Option<&str>, f64)> = figures.collect();
    let absolute: Vec<f64> = signed.iter().map(|(.., error)| error.abs()).collect();
    let (scenario, app, worst) = signed.iter().max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()))?;
    Some(Errors {
        count: absolute.len(),
        mean_signed: mean(&signed.iter().map(|(.., error)| *error).collect::<Vec<_>>())?,
        mean: mean(&absolute)?,
        median: median(&absolute)?,
        p95: percentile(&absolute, 0.95)?,
        worst: worst.abs(),
        worst_scenario: (*scenario).to_owned(),
        worst_app: app.map(str::to_owned),
    })
}

/// Errors of the totals.
pub(super) fn of_totals(scenarios: &[ComparedScenario]) -> Option<Errors> {
    errors(
        scenarios.iter().filter_map(|scenario| {
            Some((scenario.name.as_str(), None, scenario.total.as_ref()?.gflops.error?))
        }),
    )
}

/// Errors of the applications.
pub(super) fn of_apps(scenarios: &[ComparedScenario]) -> Option<Errors> {
    errors(scenarios.iter().flat_map(|scenario| {
        let measured =
            scenario.apps.iter().filter_map(|app| Some((app.name.as_str(), app.compared.as_ref()?)));
        measured
            .filter_map(|(app, compared)| Some((scenario.name.as_str(), Some(app), compared.gflops.error?)))
    }))
}

/// Predicted and measured totals.
pub(super) fn totals<'a>(
    scenarios: impl IntoIterator<Item = &'a ComparedScenario>,
) -> Vec<(&'a str, f64, f64)> {
    let total = |scenario: &'a ComparedScenario| {
        let gflops = &scenario.total.as_ref()?.gflops;
        Some((scenario.name.as_str(), gflops.predicted, gflops.measured.median))
    };
    scenarios.into_iter().filter_map(total).collect()
}

/// What it costs to trust the model; `None` with fewer than two scenarios, or where nothing was measured but zero.
pub(super) fn regret(totals: &[(&str, f64, f64)]) -> Option<Regret> {
    if totals.len() < 2 {
        return None;
    }
    let most = totals.iter().map(|&(_, predicted, _)| predicted).fold(0.0, f64::max);
    let preferred = totals.iter().filter(|&&(_, predicted, _)| equal(predicted, most));
    let preferred = preferred.min_by(|a, b| a.2.total_cmp(&b.2))?;
    // The first of equals.
    let best = totals.iter().rev().max_by(|a, b| a.2.total_cmp(&b.2))?;
    (best.2 > 0.0).then(|| Regret {
        preferred: preferred.0.to_owned(),
        preferred_gflops: preferred.2,
        best: best.0.to_owned(),
        best_gflops: best.2,
        relative: (best.2 - preferred.2) / best.2,
    })
}

/// Whether all scenarios with a total place the same applications.
pub(super) fn same_applications(scenarios: &[ComparedScenario]) -> bool {
    let apps = |scenario: &ComparedScenario| {
        scenario.apps.iter().map(|app| app.name.clone()).collect::<Vec<String>>()
    };
    let mut sets = scenarios.iter().filter(|scenario| scenario.total.is_some()).map(apps);
    let first = sets.next();
    sets.all(|set| Some(set) == first)
}

/// Regret among scenarios of the same applications, unless all scenarios are of the same.
pub(super) fn choices(scenarios: &[ComparedScenario]) -> Vec<Choice> {
    let mut sets: Vec<Vec<&str>> = Vec::new();
    let mut by_apps: BTreeMap<Vec<&str>, Vec<&ComparedScenario>> = BTreeMap::new();
    for scenario in scenarios.iter().filter(|scenario| scenario.total.is_some()) {
        let apps: Vec<&str> = scenario.apps.iter().map(|app| app.name.as_str()).collect();
        let known = by_apps.entry(apps.clone()).or_insert_with(|| {
            sets.push(apps);
            Vec::new()
        });
        known.push(scenario);
    }
    if sets.len() < 2 {
        return Vec::new();
    }
    let choice = |apps: Vec<&str>| {
        let scenarios = totals(by_apps.get(&apps)?.iter().copied());
        Some(Choice {
            apps: apps.into_iter().map(str::to_owned).collect(),
            scenarios: scenarios.len(),
            regret: regret(&scenarios)?,
        })
    };
    sets.into_iter().filter_map(choice).collect()
}
