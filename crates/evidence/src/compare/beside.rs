//! The model compared with null models, which do not model sharing ([`crate::null_models`]), and the verdict.
//!
//! # Beyond noise
//! For each total the advantage over a null model is the absolute error of the null model minus that of the
//! model. Its mean is resampled (percentile bootstrap, paired: both errors come from the same measurements):
//! scenarios are drawn with replacement, and for each drawn scenario its repetitions, whose median counts as
//! everywhere in a comparison. The model is better if the 95 % interval is above 0. Below [`FEWEST`]
//! scenarios there is no interval: even if all of five were better, that has a chance of 2 / 2^5 = 6 %
//! without any difference (sign test).
//!
//! # Verdict
//! Only scenarios that oversubscribe some resource by at least a factor of [`CONTENDED`]
//! ([`crate::null_models::Contention`]) count for it: without contention every sharing model is right.

use super::comparison::{Advantage, Beside, BesideNull, Contended, Errors, Verdict};
use super::errors::errors;
use crate::null_models::{Contention, NullModel};
use crate::statistics::{Draws, mean, median, percentile};

/// A scenario with at least this demand / capacity counts for a verdict.
pub const CONTENDED: f64 = 1.3;
/// Minimum number of scenarios for an interval.
pub const FEWEST: usize = 6;

/// The total of a scenario, or an application in it.
pub(super) struct Figure {
    pub(super) scenario: String,
    pub(super) app: Option<String>,
    pub(super) contention: Option<Contention>,
    /// GFLOPS of each repetition.
    pub(super) measured: Vec<f64>,
    /// GFLOPS predicted by the model.
    pub(super) model: f64,
    /// GFLOPS predicted by [`NullModel::ALL`].
    pub(super) nulls: [f64; 2],
}

/// Absolute and signed errors are relative to a measured value.
fn error(predicted: f64, measured: f64) -> Option<f64> {
    (measured > 0.0).then(|| (predicted - measured) / measured)
}

impl Figure {
    fn is_contended(&self) -> bool {
        self.contention.is_some_and(|contention| contention.ratio >= CONTENDED)
    }
}

/// The errors of the predictions for some values.
fn errors_of<'f>(
    figures: impl Iterator<Item = &'f Figure>,
    predicted: impl Fn(&Figure) -> f64,
) -> Option<Errors> {
    errors(figures.filter_map(|figure| {
        let error = error(predicted(figure), median(&figure.measured)?)?;
        Some((figure.scenario.as_str(), figure.app.as_deref(), error))
    }))
}

/// Null models on some totals and applications.
fn nulls(totals: &[&Figure], apps: &[&Figure]) -> Vec<BesideNull> {
    let judged = |null: NullModel| {
        let of_null = |figure: &Figure| figure.nulls[null as usize];
        BesideNull {
            null,
            totals: errors_of(totals.iter().copied(), of_null),
            apps: errors_of(apps.iter().copied(), of_null),
            advantage: advantage(totals, null),
        }
    };
    let known = NullModel::ALL.into_iter().map(judged);
    known.filter(|null| null.totals.is_some() || null.apps.is_some()).collect()
}

/// The difference between the errors of a null model and those of the model.
fn advantage(figures: &[&Figure], null: NullModel) -> Option<Advantage> {
    let smaller = |figure: &Figure, measured: &[f64]| {
        let measured = median(measured)?;
        let (other, own) = (error(figure.nulls[null as usize], measured)?, error(figure.model, measured)?);
        Some(other.abs() - own.abs())
    };
    let known: Vec<(&Figure, f64)> =
        figures.iter().filter_map(|figure| Some((*figure, smaller(figure, &figure.measured)?))).collect();
    let plain = mean(&known.iter().map(|(_, smaller)| *smaller).collect::<Vec<_>>())?;
    if known.len() < FEWEST {
        return Some(Advantage { mean: plain, interval: None });
    }
    let mut draws = Draws::default();
    let mut sample = Vec::new();
    let means: Vec<f64> = (0..samples(&known))
        .map(|_| {
            let sum: f64 = (0..known.len())
                .map(|_| {
                    let (figure, plain) = known[draws.below(known.len())];
                    sample.clear();
                    sample.extend(
                        (0..figure.measured.len())
                            .map(|_| figure.measured[draws.below(figure.measured.len())]),
                    );
                    // Only zeros were drawn: the error is relative to nothing.
                    smaller(figure, &sample).unwrap_or(plain)
                })
                .sum();
            sum / known.len() as f64
        })
        .collect();
    let interval = Some((percentile(&means, 0.025)?, percentile(&means, 0.975)?));
    Some(Advantage { mean: plain, interval })
}

/// Number of samples, so that a file of 10,000 scenarios takes at most a second.
fn samples(known: &[(&Figure, f64)]) -> usize {
    let draws: usize = known.iter().map(|(figure, _)| figure.measured.len()).sum();
    (4_000_000 / draws.max(1)).clamp(200, 2000)
}

/// The values that count for a verdict.
fn contended(figures: &[Figure]) -> Vec<&Figure> {
    figures.iter().filter(|figure| figure.is_contended()).collect()
}

/// The null models compared with the model, and the verdict.
pub(super) fn beside(totals: &[Figure], apps: &[Figure]) -> Beside {
    let (few_totals, few_apps) = (contended(totals), contended(apps));
    let highest = totals.iter().filter_map(|figure| Some((figure, figure.contention?)));
    let highest = highest.reduce(|most, next| if next.1.ratio > most.1.ratio { next } else { most });
    let found = Contended {
        scenarios: few_totals.len(),
        totals: errors_of(few_totals.iter().copied(), |figure| figure.model),
        apps: errors_of(few_apps.iter().copied(), |figure| figure.model),
        nulls: nulls(&few_totals, &few_apps),
        highest: highest.map(|(figure, contention)| (figure.scenario.clone(), contention)),
    };
    let all = [totals, apps].map(|figures| figures.iter().collect::<Vec<_>>());
    Beside { nulls: nulls(&all[0], &all[1]), verdict: verdict(&found), contended: found }
}

fn verdict(contended: &Contended) -> Verdict {
    let known = contended.totals.as_ref().map_or(0, |errors| errors.count);
    let better = |null: &BesideNull| {
        null.advantage.is_some_and(|advantage| advantage.interval.is_some_and(|(low, _)| low > 0.0))
    };
    match (contended.highest.is_some(), known) {
        (false, _) => Verdict::NothingMeasured,
        (true, 0) => Verdict::NothingContended,
        (true, count) if count < FEWEST => Verdict::TooFew,
        _ => {
            let as_good: Vec<NullModel> =
                contended.nulls.iter().filter(|null| !better(null)).map(|null| null.null).collect();
            if as_good.is_empty() { Verdict::Better } else { Verdict::NullsAsGood(as_good) }
        }
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::NodeId;

    use super::*;
    use crate::null_models::Resource;

    /// A total with measurements around 10, with some noise.
    fn figure(name: usize, ratio: f64, model: f64, nulls: [f64; 2]) -> Figure {
        Figure {
            scenario: format!("s{name}"),
            app: None,
            contention: Some(Contention { ratio, resource: Resource::Controller(NodeId(0)) }),
            measured: vec![9.9, 10.0, 10.1],
            model,
            nulls,
        }
    }

    fn judged(count: usize, ratio: f64, model: f64, nulls: [f64; 2]) -> Beside {
        let totals: Vec<Figure> = (0..count).map(|name| figure(name, ratio, model, nulls)).collect();
        beside(&totals, &[])
    }

    #[test]
    fn a_model_with_smaller_errors_on_contended_scenarios_is_better() {
        let found = judged(6, 1.3, 10.2, [15.0, 8.0]);
        assert_eq!(found.verdict, Verdict::Better);
        // |15 - 10| / 10 - |10.2 - 10| / 10
        let advantage = found.nulls[0].advantage.expect("six totals");
        assert!((advantage.mean - 0.48).abs() < 1e-12);
        let (low, high) = advantage.interval.expect("six totals");
        assert!(low < 0.48 && 0.48 < high && high - low < 0.03, "{low} {high}");
        assert_eq!(found.nulls[1].totals.as_ref().map(|errors| (errors.mean * 1e3).round()), Some(200.0));
    }

    #[test]
    fn a_null_model_with_equal_predictions_is_as_good() {
        let found = judged(9, 2.0, 10.2, [15.0, 10.2]);
        assert_eq!(found.verdict, Verdict::NullsAsGood(vec![NullModel::EqualParts]));
        assert_eq!(found.nulls[1].advantage.and_then(|advantage| advantage.interval), Some((0.0, 0.0)));
    }

    #[test]
    fn without_contention_or_with_few_measurements_there_is_no_verdict() {
        assert_eq!(judged(20, 1.29, 10.0, [15.0, 15.0]).verdict, Verdict::NothingContended);
        assert_eq!(judged(5, 4.0, 10.0, [15.0, 15.0]).verdict, Verdict::TooFew);
        assert_eq!(judged(0, 4.0, 10.0, [15.0, 15.0]).verdict, Verdict::NothingMeasured);
        let found = judged(20, 1.29, 10.0, [15.0, 15.0]);
        assert_eq!(found.contended.highest.as_ref().map(|(_, contention)| contention.ratio), Some(1.29));
        assert_eq!(found.nulls.len(), 2);
    }
}
