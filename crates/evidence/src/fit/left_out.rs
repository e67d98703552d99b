//! Leaves each scenario out in turn, fits to the others, and predicts it: what a fit is worth where nothing was
//! measured.

use super::certainty::{self, Certainty};
use super::objective::{Objective, Observed};
use super::search;

/// Scenarios are left out one by one up to this number; more are left out in this many groups.
pub(super) const GROUPS: usize = 100;
/// The same where there are more scenarios than a search takes: then each fit is one to a part of the others.
const FEW_GROUPS: usize = 10;

/// A prediction of an observation by a fit that did not see its scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Blind {
    /// Predicted GFLOPS.
    Predicted(f64),
    /// Without its scenario these figures of the machine are not determined, by key.
    Undetermined(Vec<String>),
}

/// What leaving out says.
pub(super) struct LeftOut {
    /// For each observation, in their order.
    pub(super) blind: Vec<Blind>,
    /// For each figure: smallest and largest value among the fits that determine it.
    pub(super) ranges: Vec<Option<(f64, f64)>>,
}

/// `None` with fewer than two scenarios: nothing would be left.
pub(super) fn each(
    objective: &Objective<'_>,
    best: &[f64],
    observed: &[Observed],
) -> Result<Option<LeftOut>, String> {
    let mut scenarios: Vec<usize> = observed.iter().map(|one| one.scenario).collect();
    scenarios.dedup();
    if scenarios.len() < 2 {
        return Ok(None);
    }
    let groups =
        scenarios.len().min(if scenarios.len() > search::MOST_SCENARIOS { FEW_GROUPS } else { GROUPS });
    let group_of = |one: &Observed| scenarios.binary_search(&one.scenario).unwrap_or_default() % groups;
    let mut blind: Vec<Option<Blind>> = vec![None; observed.len()];
    let mut ranges: Vec<Option<(f64, f64)>> = vec![None; objective.parameters.len()];
    for group in 0..groups {
        let (out, kept): (Vec<Observed>, Vec<Observed>) =
            observed.iter().partition(|one| group_of(one) == group);
        let kept = search::some_of(&kept);
        let point = search::from(objective, &kept, [best.to_vec(), objective.start.clone()]);
        let certainties = certainty::look(objective, &point, &kept)?;
        let determined = |p: usize| matches!(certainties.of[p], Certainty::Determined(_));
        let values = objective.values(&point);
        for (p, range) in ranges.iter_mut().enumerate().filter(|(p, _)| determined(*p)) {
            let (low, high) = range.unwrap_or((values[p], values[p]));
            *range = Some((low.min(values[p]), high.max(values[p])));
        }
        let predicted = objective.predicted(&point, &out)?;
        let slopes = objective.slopes(&point, &out)?;
        let places = (0..observed.len()).filter(|&place| group_of(&observed[place]) == group);
        for (row, place) in places.enumerate() {
            let missing: Vec<String> = (0..objective.parameters.len())
                .filter(|&p| !determined(p) && slopes[p][row].abs() > 1e-4)
                .map(|p| objective.parameters[p].key().to_owned())
                .collect();
            blind[place] = Some(if missing.is_empty() {
                Blind::Predicted(predicted[row])
            } else {
                Blind::Undetermined(missing)
            });
        }
    }
    Ok(blind.into_iter().collect::<Option<Vec<Blind>>>().map(|blind| LeftOut { blind, ranges }))
}
