//! How often intervals hold what they promise to hold.

use super::comparison::{Compared, ComparedScenario, Comparison};
use super::held::{Coverage, Held, Share};

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
    let any = [totals, apps].iter().any(|held| held.measured.of + held.predicted.of > 0);
    any.then_some(Coverage { totals, apps })
}

fn held<'a>(all: impl Iterator<Item = &'a Compared>) -> Held {
    let nothing = Share::default();
    let mut held = Held { measured: nothing, predicted: nothing, both: nothing };
    for compared in all {
        let pair = &compared.gflops;
        let (predicted, median) = (pair.predicted, pair.measured.median);
        let holds = |(low, high): (f64, f64), figure: f64| low <= figure && figure <= high;
        held.measured.count(pair.measured.interval.map(|interval| holds(interval, predicted)));
        held.predicted.count(pair.interval.map(|interval| holds(interval, median)));
        let both = pair.interval.zip(pair.measured.interval).map(|(of_model, of_measured)| {
            let towards = |(low, high): (f64, f64), from: f64, to: f64| {
                if to > from { high - from } else { from - low }
            };
            let model = towards(of_model, predicted, median);
            let measured = towards(of_measured, median, predicted);
            (predicted - median).abs() <= model.hypot(measured)
        });
        held.both.count(both);
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Pair, Spread};

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
        let total = Some(Compared { gflops, predicted_bandwidth_gbs: 1.0, bandwidth_gbs: None });
        ComparedScenario {
            name: "s".into(),
            total,
            apps: Vec::new(),
            doubts: std::collections::BTreeSet::new(),
            contention: None,
        }
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
        assert_eq!(found, Held { measured: share(1), predicted: share(2), both: share(3) });
    }

    #[test]
    fn what_has_no_interval_does_not_count() {
        assert_eq!(coverage(&[scenario(10.0, None, None)]), None);
        let found = coverage(&[scenario(10.0, None, Some((9.0, 11.0)))]).expect("a measured interval").totals;
        assert_eq!((found.measured, found.predicted.of, found.both.of), (Share { held: 1, of: 1 }, 0, 0));
    }
}
