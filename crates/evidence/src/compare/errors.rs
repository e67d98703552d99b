//! From measurements to statistics: spreads, errors, and summaries.

use std::collections::BTreeMap;

use crate::compare::comparison::{
    Choice, Compared, ComparedScenario, Comparison, Coverage, Errors, Held, Pair, Regret, Spread, Way,
};
use crate::compare::read::{Measured, Repetition};
use crate::null_models::NullModel;
use crate::statistics::{equal, mean, median, median_interval, percentile, spread};

/// Statistics of some repetitions; `None` without any.
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

/// Prediction and repetitions, with the predictions of null models; `None` without repetitions.
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

/// The sums over several applications, in the repetitions that all of them have.
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

/// Summary of the errors of all values; a value that was measured as 0 has no error.
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

/// The cost of trusting the model; `None` with fewer than two scenarios, or if only zero was measured.
pub(super) fn regret(totals: &[(&str, f64, f64)]) -> Option<Regret> {
    if totals.len() < 2 {
        return None;
    }
    let most = totals.iter().map(|&(_, predicted, _)| predicted).fold(0.0, f64::max);
    let preferred = totals.iter().filter(|&&(_, predicted, _)| equal(predicted, most));
    let preferred = preferred.min_by(|a, b| a.2.total_cmp(&b.2))?;
    // The first of equal ones.
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

/// Regret among scenarios of the same applications, unless all scenarios have the same ones.
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

/// The 95 % intervals of a model for one scenario, GFLOPS, from the uncertainty of the machine's values.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedIntervals {
    /// For all applications together.
    pub total: (f64, f64),
    /// For each application, with its name.
    pub apps: Vec<(String, (f64, f64))>,
}

/// The contribution of the model's own error to a 95 % interval, to either side, as a fraction of the
/// prediction. It was chosen by bandwidth over cores of the published machines in the selection set: 95 % of
/// their points are within 5.2 % of `ecm` with the recommended corrections
/// (`results/published-data/CHOICES.md`).
pub const MODEL_ERROR: f64 = 0.05;

/// The interval of a prediction including the error of the model. The values of a machine and the model err
/// independently, so squares add up.
pub fn with_model_error((low, high): (f64, f64), predicted: f64) -> (f64, f64) {
    let own = MODEL_ERROR * predicted.abs();
    (predicted - (predicted - low).hypot(own), predicted + (high - predicted).hypot(own))
}

impl Comparison {
    /// The same comparison with the intervals of the predictions, extended by [`MODEL_ERROR`]; `of` is called
    /// for each scenario with its name.
    #[must_use]
    pub fn with_intervals(mut self, mut of: impl FnMut(&str) -> Option<PredictedIntervals>) -> Self {
        for scenario in &mut self.scenarios {
            let Some(found) = of(&scenario.name) else { continue };
            if let Some(total) = &mut scenario.total {
                total.gflops.interval = Some(with_model_error(found.total, total.gflops.predicted));
            }
            for app in &mut scenario.apps {
                let interval = found.apps.iter().find(|(name, _)| *name == app.name);
                if let (Some(compared), Some((_, interval))) = (&mut app.compared, interval) {
                    compared.gflops.interval = Some(with_model_error(*interval, compared.gflops.predicted));
                }
            }
        }
        self.coverage = coverage(&self.scenarios);
        self
    }
}

/// `None` without intervals.
pub(super) fn coverage(scenarios: &[ComparedScenario]) -> Option<Coverage> {
    let totals = held(scenarios.iter().filter_map(|scenario| scenario.total.as_ref()));
    let apps = scenarios.iter().flat_map(|scenario| &scenario.apps);
    let apps = held(apps.filter_map(|app| app.compared.as_ref()));
    let any = [totals, apps].iter().any(|held| held.measured.model.of + held.predicted.model.of > 0);
    any.then_some(Coverage { totals, apps })
}

fn held<'a>(all: impl Iterator<Item = &'a Compared>) -> Held {
    let [mut measured, mut predicted, mut both] = [Tally::default(), Tally::default(), Tally::default()];
    for compared in all {
        let pair = &compared.gflops;
        let median = pair.measured.median;
        let (of_model, of_measured) = (pair.interval, pair.measured.interval);
        let width = |(low, high): (f64, f64)| (high - low) / median;
        let nulls = compared.null_gflops;
        measured.count(of_measured.map(width), pair.predicted, nulls, |figure, _| {
            Some(holds(of_measured?, figure))
        });
        predicted.count(of_model.map(width), pair.predicted, nulls, |_, scale| {
            Some(holds(scaled(of_model?, scale), median))
        });
        let widths = of_model.zip(of_measured);
        both.count(widths.map(|(a, b)| width(a).hypot(width(b))), pair.predicted, nulls, |figure, scale| {
            let (of_model, of_measured) = widths?;
            let model = towards(scaled(of_model, scale), figure, median);
            let measured = towards(of_measured, median, figure);
            Some((figure - median).abs() <= model.hypot(measured))
        });
    }
    Held { measured: measured.way(), predicted: predicted.way(), both: both.way() }
}

/// Whether the interval contains the value.
fn holds((low, high): (f64, f64), figure: f64) -> bool {
    low <= figure && figure <= high
}

/// The interval of the model around a value `scale` times as large, with the same relative width.
fn scaled((low, high): (f64, f64), scale: f64) -> (f64, f64) {
    (scale * low, scale * high)
}

/// The reach of an interval around `from` in the direction of `to`.
fn towards((low, high): (f64, f64), from: f64, to: f64) -> f64 {
    if to > from { high - from } else { from - low }
}

/// A running count for one way of counting.
#[derive(Default)]
struct Tally {
    way: Way,
    /// Widths of all values except those measured as 0.
    widths: Vec<f64>,
}

impl Tally {
    /// Calls `holds` for the predicted value and for those of null models, each with its ratio to the
    /// predicted one.
    fn count(
        &mut self,
        width: Option<f64>,
        predicted: f64,
        nulls: Option<[f64; NullModel::ALL.len()]>,
        holds: impl Fn(f64, f64) -> Option<bool>,
    ) {
        self.way.model.count(holds(predicted, 1.0));
        for (share, null) in self.way.nulls.iter_mut().zip(nulls.into_iter().flatten()) {
            // An interval around a prediction of 0 has no relative width.
            let scale = if predicted > 0.0 { null / predicted } else { 1.0 };
            share.count(holds(null, scale));
        }
        self.widths.extend(width.filter(|width| width.is_finite()));
    }

    fn way(self) -> Way {
        Way { mean_width: mean(&self.widths), ..self.way }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Pair, Share, Spread};

    fn scenario(
        predicted: f64,
        of_model: Option<(f64, f64)>,
        of_measured: Option<(f64, f64)>,
    ) -> ComparedScenario {
        let measured = Spread {
            median: 10.0,
            min: 9.0,
            max: 11.0,
            repetitions: 10,
            relative: None,
            interval: of_measured,
        };
        let gflops = Pair { predicted, measured, error: None, interval: of_model };
        let total =
            Some(Compared { gflops, predicted_bandwidth_gbs: 1.0, bandwidth_gbs: None, null_gflops: None });
        ComparedScenario {
            name: "s".into(),
            total,
            apps: Vec::new(),
            doubts: std::collections::BTreeSet::new(),
            contention: None,
        }
    }

    /// The same with the predictions of null models.
    fn beside(mut scenario: ComparedScenario, nulls: [f64; 2]) -> ComparedScenario {
        let total = scenario.total.as_mut().expect("a total");
        total.null_gflops = Some(nulls);
        scenario
    }

    #[test]
    fn each_way_counts_the_covered_values() {
        // Measured 10, 9.7 to 10.3; predicted to 0.4.
        let measured = Some((9.7, 10.3));
        let at = |predicted: f64| scenario(predicted, Some((predicted - 0.4, predicted + 0.4)), measured);
        // 10.2 is in both. 10.35 is 0.05 outside the measured one, 10 is in 9.95 to 10.75. 10.45 is in none,
        // but 0.45 <= sqrt(0.4^2 + 0.3^2) = 0.5. 10.6 is too far away.
        let all = [at(10.2), at(10.35), at(10.45), at(10.6)];
        let found = coverage(&all).expect("intervals").totals;
        let share = |held| Share { held, of: 4 };
        assert_eq!([found.measured.model, found.predicted.model, found.both.model], [1, 2, 3].map(share));
        // 0.6, 0.8 and sqrt(0.6^2 + 0.8^2) = 1 of 10.
        let widths = [found.measured, found.predicted, found.both].map(|way| way.mean_width.expect("four"));
        for (width, expected) in widths.into_iter().zip([0.06, 0.08, 0.1]) {
            assert!((width - expected).abs() < 1e-12, "{width} {expected}");
        }
        // Null models were not requested.
        assert_eq!(found.both.nulls, [Share::default(); 2]);
    }

    #[test]
    fn an_interval_that_contains_any_value_also_covers_null_models() {
        // Measured 10, 9.9 to 10.1. Predicted 10 with 5 to 15; without sharing 16, so 8 to 24; equal parts 30: 15 to 45.
        let wide = scenario(10.0, Some((5.0, 15.0)), Some((9.9, 10.1)));
        let found = coverage(&[beside(wide, [16.0, 30.0])]).expect("intervals").totals;
        let held = |way: Way| (way.model.held, way.nulls.map(|share| share.held));
        assert_eq!(held(found.measured), (1, [0, 0]));
        assert_eq!((held(found.predicted), held(found.both)), ((1, [1, 0]), (1, [1, 0])));
        assert_eq!(found.predicted.mean_width, Some(1.0));
        // With a tenth of the width, 9.5 to 10.5, only the model is covered: 15.2 to 16.8.
        let narrow = scenario(10.0, Some((9.5, 10.5)), Some((9.9, 10.1)));
        let found = coverage(&[beside(narrow, [16.0, 30.0])]).expect("intervals").totals;
        assert_eq!((held(found.predicted), held(found.both)), ((1, [0, 0]), (1, [0, 0])));
    }

    #[test]
    fn the_error_of_the_model_is_added_in_squares() {
        // 12 to 16 is 4 above, 12 to 9.5 is 2.5 below; 5 % of 12 is 0.6.
        let (low, high) = with_model_error((9.5, 16.0), 12.0);
        assert!((12.0 - low - (2.5_f64 * 2.5 + 0.36).sqrt()).abs() < 1e-12, "{low}");
        assert!((high - 12.0 - (16.36_f64).sqrt()).abs() < 1e-12, "{high}");
        assert_eq!(with_model_error((0.0, 0.0), 0.0), (0.0, 0.0));
    }

    #[test]
    fn values_without_an_interval_do_not_count() {
        assert_eq!(coverage(&[scenario(10.0, None, None)]), None);
        let measured = beside(scenario(10.0, None, Some((9.0, 11.0))), [10.5, 12.0]);
        let found = coverage(&[measured]).expect("a measured interval").totals;
        assert_eq!(found.measured.model, Share { held: 1, of: 1 });
        assert_eq!(found.measured.nulls, [Share { held: 1, of: 1 }, Share { held: 0, of: 1 }]);
        assert_eq!((found.predicted, found.both), (Way::default(), Way::default()));
    }
}
