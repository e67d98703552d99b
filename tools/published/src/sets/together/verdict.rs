//! Whether a model is better than the null models beyond noise.
//!
//! For each curve (a kernel, an application, a size) of a set: the excess of the null model's mean absolute error. Curves are drawn with
//! replacement, because the errors of points of one curve are correlated; if a set has fewer than six curves, points are drawn. The interval is
//! that of the percentile bootstrap of the mean.

use super::super::{Judged, MEASURED_AGAIN, NULLS, Part, Point, Summary, is_null_model, summary};
use numasim_evidence::statistics::{bootstrap_mean_interval, mean};

/// With fewer curves or points there is no verdict.
const LEAST: usize = 6;

/// The unit drawn with replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Drawn {
    /// Whole curves.
    Curves,
    /// Single points.
    Points,
}

/// The advantage over a null model.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Advantage {
    /// The null model.
    pub(crate) null: &'static str,
    /// The unit that was drawn.
    pub(crate) drawn: Drawn,
    /// Absolute error of the null model minus that of the model, relative to the measured value, as a mean.
    pub(crate) mean: f64,
    /// 95 % of it; `None` with fewer than six.
    pub(crate) interval: Option<(f64, f64)>,
}

/// A method on all curves of a set.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct OfSet {
    /// The question.
    pub(crate) part: Part,
    /// The machine, with what distinguishes its sets.
    pub(crate) set: String,
    /// The name of the model.
    pub(crate) model: &'static str,
    /// The treatment of its corrections.
    pub(crate) variant: String,
    /// The number of curves.
    pub(crate) curves: usize,
    /// All their points.
    pub(crate) summary: Summary,
    /// Against each null model of the set; empty for a null model, and for the repeated measurement.
    pub(crate) advantages: Vec<Advantage>,
}

impl OfSet {
    /// Better than every null model beyond noise; `None` for a method that is no model, or with too few values for a verdict.
    pub(crate) fn is_better(&self) -> Option<bool> {
        let known: Option<Vec<bool>> =
            self.advantages.iter().map(|one| Some(one.interval?.0 > 0.0)).collect();
        known.filter(|known| !known.is_empty()).map(|known| known.iter().all(|&better| better))
    }

    /// The null model that is hardest to beat.
    pub(crate) fn closest(&self) -> Option<&Advantage> {
        self.advantages.iter().min_by(|a, b| a.mean.total_cmp(&b.mean))
    }
}

/// Every method of every set.
pub(crate) fn of_sets(judged: &[Judged]) -> Vec<OfSet> {
    let mut keys: Vec<(Part, &str, &'static str, &str)> = Vec::new();
    for one in judged {
        let key = (one.part, one.set.as_str(), one.model, one.variant.as_str());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let of = |(part, set, model, variant): (Part, &str, &'static str, &str)| {
        let in_set = |one: &&Judged| one.part == part && one.set == set;
        let own: Vec<&Judged> = judged
            .iter()
            .filter(in_set)
            .filter(|one| (one.model, one.variant.as_str()) == (model, variant))
            .collect();
        let against = |null: &'static str| {
            let nulls: Vec<&Judged> = judged.iter().filter(in_set).filter(|one| one.model == null).collect();
            advantage(null, &own, &nulls)
        };
        let is_model = !is_null_model(model) && model != MEASURED_AGAIN;
        let advantages = if is_model { NULLS.into_iter().filter_map(against).collect() } else { Vec::new() };
        Some(OfSet {
            part,
            set: set.to_owned(),
            model,
            variant: variant.to_owned(),
            curves: own.len(),
            summary: summary(own.iter().flat_map(|one| &one.points))?,
            advantages,
        })
    };
    keys.into_iter().filter_map(of).collect()
}

/// The differences of a curve: the null model's point of the same name is that of the same load.
fn differences(own: &Judged, nulls: &[&Judged]) -> Option<Vec<f64>> {
    let null = nulls.iter().find(|null| null.traffic == own.traffic)?;
    let of = |point: &Point| {
        let alike = null.points.iter().find(|other| other.name == point.name)?;
        Some(alike.error().abs() - point.error().abs())
    };
    Some(own.points.iter().filter_map(of).collect())
}

fn advantage(null: &'static str, own: &[&Judged], nulls: &[&Judged]) -> Option<Advantage> {
    let curves: Vec<Vec<f64>> = own.iter().filter_map(|one| differences(one, nulls)).collect();
    let means: Vec<f64> = curves.iter().filter_map(|curve| mean(curve)).collect();
    let (drawn, values) =
        if means.len() >= LEAST { (Drawn::Curves, means) } else { (Drawn::Points, curves.concat()) };
    Some(Advantage { null, drawn, mean: mean(&values)?, interval: bootstrap_mean_interval(&values) })
}
