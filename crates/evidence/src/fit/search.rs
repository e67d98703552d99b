//! Finds the point of the smallest sum of squares.
//!
//! As long as no bottleneck changes, the model is smooth, and the method of Levenberg and Marquardt
//! (`least_squares`) finds the lowest point near a start in a few steps. If a bottleneck changes, the model
//! has a kink, and beyond it another valley. So there are several starts, spread evenly and always the same;
//! distant values of each free value are tried from the best points; and a search along the axes that needs
//! no slope follows the best of all into kinks.

use std::borrow::Cow;
use std::collections::HashSet;

use super::least_squares::minimize;
use super::objective::{Objective, Observed};

/// Number of starts in addition to the values of the file.
const STARTS: usize = 32;
/// Number of the best points that are examined more closely.
const CLOSER: usize = 5;
/// Number of trials for one value with the others unchanged, from 1 / [`WIDE`] to [`WIDE`] of its current
/// value.
const TRIED: i32 = 32;
const WIDE: f64 = 30.0;
/// Starts are within this factor of the file's values.
const SPREAD: f64 = 8.0;
/// Evaluations of the optimiser for each start and value.
const PATIENCE: usize = 60;

/// Of more scenarios, the search uses a part.
pub(super) const MOST_SCENARIOS: usize = 500;

/// The lowest point found from many starts.
pub(super) fn everywhere(objective: &Objective<'_>, observed: &[Observed]) -> Vec<f64> {
    let starts = (1..=STARTS).map(|number| around(&objective.start, number, SPREAD));
    let few = some_of(observed);
    let point = from(objective, &few, std::iter::once(objective.start.clone()).chain(starts));
    // The result for a part of many scenarios is refined to the lowest point of all.
    if few.len() < observed.len() { descend(objective, observed, point) } else { point }
}

/// The observations of at most [`MOST_SCENARIOS`] scenarios, evenly spread over all: valleys are visible in
/// these, and each step of a search costs a prediction of every scenario.
pub(super) fn some_of(observed: &[Observed]) -> Cow<'_, [Observed]> {
    let mut scenarios: Vec<usize> = observed.iter().map(|one| one.scenario).collect();
    scenarios.dedup();
    if scenarios.len() <= MOST_SCENARIOS {
        return Cow::Borrowed(observed);
    }
    let chosen: HashSet<usize> =
        (0..MOST_SCENARIOS).map(|i| scenarios[i * scenarios.len() / MOST_SCENARIOS]).collect();
    Cow::Owned(observed.iter().filter(|one| chosen.contains(&one.scenario)).copied().collect())
}

/// The lowest point found from the file's values and a few starts around them.
pub(super) fn from_a_few(objective: &Objective<'_>, observed: &[Observed]) -> Vec<f64> {
    const FEW: usize = 6;
    let starts = (1..=FEW).map(|number| around(&objective.start, number, 2.0));
    from(objective, observed, std::iter::once(objective.start.clone()).chain(starts))
}

/// A point within a factor of another one: the numbers fill that range evenly.
fn around(start: &[f64], number: usize, factor: f64) -> Vec<f64> {
    let offset = |p: usize| (2.0 * halton(number, PRIMES[p % PRIMES.len()]) - 1.0) * factor.ln();
    start.iter().enumerate().map(|(p, at)| at + offset(p)).collect()
}

/// The lowest point found from these starts; the first of equal ones.
pub(super) fn from(
    objective: &Objective<'_>,
    observed: &[Observed],
    starts: impl IntoIterator<Item = Vec<f64>>,
) -> Vec<f64> {
    let mut found: Vec<(f64, Vec<f64>)> = starts
        .into_iter()
        .map(|start| descend(objective, observed, start))
        .map(|point| (objective.cost(&point, observed), point))
        .collect();
    // Stable: among equal ones the first start, the file's, stays first.
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.dedup_by(|a, b| a.1.iter().zip(&b.1).all(|(a, b)| (a - b).abs() < 1e-6));
    found.truncate(CLOSER);
    let mut best = (f64::INFINITY, objective.start.clone());
    for (_, point) in found {
        let point = one_by_one(objective, observed, point);
        let cost = objective.cost(&point, observed);
        // A difference in the last digits is no reason to leave the values of the file.
        if cost < best.0 * (1.0 - 1e-9) {
            best = (cost, point);
        }
    }
    let point = along_axes(objective, observed, best.1);
    let again = descend(objective, observed, point.clone());
    if objective.cost(&again, observed) < objective.cost(&point, observed) { again } else { point }
}

fn descend(objective: &Objective<'_>, observed: &[Observed], point: Vec<f64>) -> Vec<f64> {
    let before = objective.cost(&point, observed);
    let found = minimize(
        point.clone(),
        PATIENCE,
        |point| objective.residuals(point, observed),
        |point| objective.jacobian(point, observed),
    );
    let better = found.iter().all(|at| at.is_finite()) && objective.cost(&found, observed) <= before;
    if better { found } else { point }
}

/// Tries distant values of each free value, and continues from there as long as that helps: a value without
/// influence has no slope that would lead the optimiser to a region in which it has one.
fn one_by_one(objective: &Objective<'_>, observed: &[Observed], mut point: Vec<f64>) -> Vec<f64> {
    const ROUNDS: usize = 4;
    let mut cost = objective.cost(&point, observed);
    for _ in 0..ROUNDS {
        let before = cost;
        for p in 0..point.len() {
            let there = |step: i32| {
                let mut there = point.clone();
                there[p] += WIDE.ln() * f64::from(step) / f64::from(TRIED / 2);
                (objective.cost(&there, observed), there)
            };
            let nearest = (-TRIED / 2..=TRIED / 2).map(there).min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, lowest)) = nearest.filter(|(there, _)| *there < cost) else { continue };
            let lowest = descend(objective, observed, lowest);
            (cost, point) = (objective.cost(&lowest, observed), lowest);
        }
        if cost > before * (1.0 - 1e-6) {
            break;
        }
    }
    point
}

/// Steps along each axis as long as they help, then half as long.
fn along_axes(objective: &Objective<'_>, observed: &[Observed], mut point: Vec<f64>) -> Vec<f64> {
    /// Maximum number of steps of one length, so that a long valley ends.
    const STEPS: usize = 50;
    let mut cost = objective.cost(&point, observed);
    let mut width = 0.1;
    while width > 1e-10 {
        for _ in 0..STEPS {
            let mut moved = false;
            for p in 0..point.len() {
                for step in [width, -width] {
                    let mut next = point.clone();
                    next[p] += step;
                    let there = objective.cost(&next, observed);
                    if there < cost {
                        (point, cost, moved) = (next, there, true);
                    }
                }
            }
            if !moved {
                break;
            }
        }
        width /= 2.0;
    }
    point
}

/// Bases of the sequence, one for each value; with more values they repeat, and so do coordinates.
const PRIMES: [usize; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];

/// The Halton sequence: the digits of a number after the point, in reverse. J. H. Halton, Numerische
/// Mathematik 2 (1960), 84-90.
fn halton(mut number: usize, base: usize) -> f64 {
    let (mut value, mut part) = (0.0, 1.0);
    while number > 0 {
        part /= base as f64;
        value += part * (number % base) as f64;
        number /= base;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::{MOST_SCENARIOS, Observed, halton, some_of};

    #[test]
    fn the_search_uses_a_part_of_many_scenarios_and_all_of_few() {
        let observed = |count: usize| -> Vec<Observed> {
            let one = |scenario: usize| Observed { scenario, app: None, gflops: 1.0 };
            (0..count).flat_map(|scenario| [one(scenario), one(scenario)]).collect()
        };
        assert_eq!(some_of(&observed(MOST_SCENARIOS)).len(), 2 * MOST_SCENARIOS);
        let many = observed(100_000);
        let few = some_of(&many);
        assert_eq!(few.len(), 2 * MOST_SCENARIOS);
        // Every 200th, each with both of its observations.
        assert_eq!((few[0].scenario, few[1].scenario, few[2].scenario), (0, 0, 200));
    }

    #[test]
    fn the_sequence_fills_the_unit_evenly() {
        // 1, 10, 11, 100 in base 2 are 0.1, 0.01, 0.11, 0.001 reversed.
        assert_eq!([1, 2, 3, 4].map(|number| halton(number, 2)), [0.5, 0.25, 0.75, 0.125]);
        assert!((halton(5, 3) - (2.0 / 3.0 + 1.0 / 9.0)).abs() < 1e-15);
    }
}
