//! The effect of each step of the recommended method: the same points by one step after the other.
//!
//! The steps follow the development of the method: no fit, then three counts and no prior. Only counts that no step fits are counted, so that all
//! rows are about the same points; they are fewer than those of the recommended method alone. The null models and the paper's rule are listed with
//! them.

use std::collections::BTreeMap;

use super::curve::Rule;
use super::{
    Curve, Method, NULLS, PRIOR_WEIGHT, RRZE, by_null_model, calibrated_with, cores_in_words, predict, read,
    with_roles,
};
use crate::sets::{Judged, NO_FIT, Part, Point, PublishedError};

/// One step: its name, the counts that it fits, and the weight of its prior.
type Step = (&'static str, Rule, Option<f64>);

const THREE: Rule = Rule { three_quarters: false, two_cores: false, quarter: false };
const FOUR: Rule = Rule { three_quarters: true, ..THREE };

/// Each contains everything of the one before it.
const STEPS: [Step; 5] = [
    ("one core, half and all", THREE, None),
    ("and a prior", THREE, Some(PRIOR_WEIGHT)),
    ("and three quarters", FOUR, Some(PRIOR_WEIGHT)),
    ("and two cores", Rule { two_cores: true, ..FOUR }, Some(PRIOR_WEIGHT)),
    ("and a quarter: as advised", Rule::ALL, Some(PRIOR_WEIGHT)),
];

/// A model, its variant, and its prediction for every count of a curve.
type Says = (&'static str, &'static str, Vec<f64>);

/// GB/s of every count of a curve by the null models and the paper's rule.
fn each(curve: &Curve) -> Result<Vec<Says>, PublishedError> {
    let cores: Vec<u32> = curve.points.keys().copied().collect();
    let seen = curve.seen();
    let by_nulls =
        seen.iter().flat_map(|seen| NULLS.map(|null| (null, NO_FIT, by_null_model(curve, seen, null))));
    let mut all: Vec<Says> = by_nulls.collect();
    if seen.is_some() {
        let machine = super::advised(curve)?;
        all.push((
            Method::RECOMMENDED.kind().as_str(),
            "one core and all, no fit",
            predict(&machine, curve, &cores)?,
        ));
    }
    let hard = (Method::Hard, (Method::Hard.variant(), THREE, None));
    let steps = STEPS.map(|step| (Method::RECOMMENDED, step));
    for (method, (name, rule, weight)) in [hard].into_iter().chain(steps) {
        let Some(seen) = curve.seen_by(rule) else { continue };
        let machine = calibrated_with(curve, &seen, method, weight)?;
        all.push((method.kind().as_str(), name, predict(&machine, curve, &cores)?));
    }
    Ok(all)
}

/// The counts that no step fits.
fn never_seen(curve: &Curve) -> Vec<u32> {
    let seen: Vec<u32> =
        STEPS.iter().filter_map(|step| curve.seen_by(step.1)).flat_map(|seen| seen.counts).collect();
    curve.points.keys().copied().filter(|cores| !seen.contains(cores)).collect()
}

/// The curves of [`RRZE`]: all kernels of a machine are one set.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn carried() -> Result<Vec<Judged>, PublishedError> {
    let mut judged = judge(&read(RRZE).map_err(PublishedError::Data)?)?;
    with_roles(&mut judged);
    Ok(judged)
}

fn judge(curves: &[Curve]) -> Result<Vec<Judged>, PublishedError> {
    let mut all: Vec<Judged> = Vec::new();
    let mut places: BTreeMap<(String, &'static str, &'static str), usize> = BTreeMap::new();
    for curve in curves.iter().filter(|curve| curve.seen().is_some()) {
        let counted = never_seen(curve);
        for (model, variant, predicted) in each(curve)? {
            let place = *places.entry((curve.machine.clone(), model, variant)).or_insert_with(|| {
                all.push(empty(curve, model, variant));
                all.len() - 1
            });
            let every = curve.points.iter().zip(predicted).filter(|((cores, _), _)| counted.contains(cores));
            let points = every.map(|((&cores, &measured), predicted)| Point {
                name: format!("{}, {}, {}", curve.kernel, curve.name(), cores_in_words(cores)),
                measured,
                predicted,
            });
            if let Some(one) = all.get_mut(place) {
                one.points.extend(points);
            }
        }
    }
    Ok(all)
}

fn empty(curve: &Curve, model: &'static str, variant: &str) -> Judged {
    Judged {
        machine: Some(curve.machine.clone()),
        traffic: "all kernels".to_owned(),
        ..Judged::new(Part::Steps, curve.machine.clone(), (model, variant), [])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::tests::curve;

    #[test]
    fn a_step_counts_only_points_that_no_step_has_fitted() {
        // Saturated at half: the steps see 1, 4, 8, then 6, in the last step 2 (a quarter) in its place.
        let saturated = curve(&[30.0, 60.0, 80.0, 99.5, 99.8, 100.0, 100.0, 100.0]);
        assert_eq!(never_seen(&saturated), [3, 5, 7]);
        let judged = judge(&[saturated]).expect("fits");
        // Three null models, no fit, the paper's rule and five steps.
        assert_eq!(judged.len(), 10);
        assert!(judged.iter().all(|one| one.points.len() == 3), "{judged:?}");
        // Three cores of 30 GB/s each: 90; all have 100.
        assert!((judged[0].points[0].predicted - 90.0).abs() < 1e-12);
        assert!((judged[1].points[0].predicted - 100.0).abs() < 1e-12);
        // min(3 x 30, 100); measured: 80.
        assert!((judged[4].points[0].predicted - 90.0).abs() < 1e-9);
    }
}
