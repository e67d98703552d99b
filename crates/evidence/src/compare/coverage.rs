//! How often intervals hold what they promise to hold.

use super::comparison::{Compared, ComparedScenario, Comparison};
use super::held::{Coverage, Held, Way};
use crate::null_models::NullModel;
use crate::statistics::mean;

/// The intervals of 95 % that a model has for one scenario, GFLOPS, from the uncertainty of the machine's figures.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedIntervals {
    /// Of all applications together.
    pub total: (f64, f64),
    /// Of each application, with its name.
    pub apps: Vec<(String, (f64, f64))>,
}

impl Comparison {
    /// The same comparison with the intervals of the predictions; `of` is asked for each scenario by its name.
    #[must_use]
    pub fn with_intervals(mut self, mut of: impl FnMut(&str) -> Option<PredictedIntervals>) -> Self {
        for scenario in &mut self.scenarios {
            let Some(found) = of(&scenario.name) else { continue };
            if let Some(total) = &mut scenario.total {
                total.gflops.interval = Some(found.total);
            }
            for app in &mut scenario.apps {
                let interval = found.apps.iter().find(|(name, _)| *name == app.name);
                if let (Some(compared), Some((_, interval))) = (&mut app.compared, interval) {
                    compared.gflops.interval = Some(*interval);
                }
            }
        }
        self.coverage = coverage(&self.scenarios);
        self
    }
}

/// `None` where nothing has an interval.
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

/// Whether the interval holds the figure.
fn holds((low, high): (f64, f64), figure: f64) -> bool {
    low <= figure && figure <= high
}

/// The interval of the model around a figure `scale` times as large, as wide in parts of that figure.
fn scaled((low, high): (f64, f64), scale: f64) -> (f64, f64) {
    (scale * low, scale * high)
}

/// How far an interval of a figure reaches in the direction of another figure.
fn towards((low, high): (f64, f64), from: f64, to: f64) -> f64 {
    if to > from { high - from } else { from - low }
}

/// One way of counting, as it goes on.
#[derive(Default)]
struct Tally {
    way: Way,
    /// Of the figures with a width, which all but those measured as 0 have.
    widths: Vec<f64>,
}

impl Tally {
    /// `holds` is asked for the predicted figure and for those of null models, each with how many times the predicted one it is.
    fn count(
        &mut self,
        width: Option<f64>,
        predicted: f64,
        nulls: Option<[f64; NullModel::ALL.len()]>,
        holds: impl Fn(f64, f64) -> Option<bool>,
    ) {
        self.way.model.count(holds(predicted, 1.0));
        for (share, null) in self.way.nulls.iter_mut().zip(nulls.into_iter().flatten()) {
            // Around a prediction of nothing no interval is relative.
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

    /// The same with what null models say.
    fn beside(mut scenario: ComparedScenario, nulls: [f64; 2]) -> ComparedScenario {
        let total = scenario.total.as_mut().expect("a total");
        total.null_gflops = Some(nulls);
        scenario
    }

    #[test]
    fn each_way_counts_what_it_holds() {
        // Measured 10, 9.7 to 10.3; predicted to 0.4.
        let measured = Some((9.7, 10.3));
        let at = |predicted: f64| scenario(predicted, Some((predicted - 0.4, predicted + 0.4)), measured);
        // 10.2 is in both; 10.35 is 0.05 outside the measured one, 10 is in 9.95 to 10.75; 10.45: in none, but
        // 0.45 <= sqrt(0.4^2 + 0.3^2) = 0.5; 10.6 is too far away.
        let all = [at(10.2), at(10.35), at(10.45), at(10.6)];
        let found = coverage(&all).expect("intervals").totals;
        let share = |held| Share { held, of: 4 };
        assert_eq!([found.measured.model, found.predicted.model, found.both.model], [1, 2, 3].map(share));
        // 0.6, 0.8 and sqrt(0.6^2 + 0.8^2) = 1 of 10.
        let widths = [found.measured, found.predicted, found.both].map(|way| way.mean_width.expect("four"));
        for (width, expected) in widths.into_iter().zip([0.06, 0.08, 0.1]) {
            assert!((width - expected).abs() < 1e-12, "{width} {expected}");
        }
        // Null models were not asked.
        assert_eq!(found.both.nulls, [Share::default(); 2]);
    }

    #[test]
    fn an_interval_that_holds_anything_holds_null_models_too() {
        // Measured 10, 9.9 to 10.1. Predicted 10 with 5 to 15; without sharing 16, so 8 to 24; equal parts 30: 15 to 45.
        let wide = scenario(10.0, Some((5.0, 15.0)), Some((9.9, 10.1)));
        let found = coverage(&[beside(wide, [16.0, 30.0])]).expect("intervals").totals;
        let held = |way: Way| (way.model.held, way.nulls.map(|share| share.held));
        assert_eq!(held(found.measured), (1, [0, 0]));
        assert_eq!((held(found.predicted), held(found.both)), ((1, [1, 0]), (1, [1, 0])));
        assert_eq!(found.predicted.mean_width, Some(1.0));
        // A tenth as wide, 9.5 to 10.5, it holds the model alone: 15.2 to 16.8.
        let narrow = scenario(10.0, Some((9.5, 10.5)), Some((9.9, 10.1)));
        let found = coverage(&[beside(narrow, [16.0, 30.0])]).expect("intervals").totals;
        assert_eq!((held(found.predicted), held(found.both)), ((1, [0, 0]), (1, [0, 0])));
    }

    #[test]
    fn what_has_no_interval_does_not_count() {
        assert_eq!(coverage(&[scenario(10.0, None, None)]), None);
        let measured = beside(scenario(10.0, None, Some((9.0, 11.0))), [10.5, 12.0]);
        let found = coverage(&[measured]).expect("a measured interval").totals;
        assert_eq!(found.measured.model, Share { held: 1, of: 1 });
        assert_eq!(found.measured.nulls, [Share { held: 1, of: 1 }, Share { held: 0, of: 1 }]);
        assert_eq!((found.predicted, found.both), (Way::default(), Way::default()));
    }
}
