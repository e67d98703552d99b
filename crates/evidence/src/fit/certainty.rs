//! The values that the measurements determine at the lowest point, and their accuracy.

use super::least_squares::{Columns, dot, largest, norm, singular};
use super::objective::{Objective, Observed};
use crate::statistics::students_t;

/// A value has no influence if no error changes by more than this when the value grows by a factor of e: 0.01
/// %.
const INFLUENCE: f64 = 1e-4;
/// Step for inspecting both sides of a kink, on the logarithm: longer than the distance that the search
/// leaves between a point and a kink.
const SIDE: f64 = 1e-4;
/// At this factor from the lowest point, a value counts as open.
const FAR: f64 = 30.0;
/// Singular values below this fraction of the largest are zero: the slopes are exact to about 1e-9.
const SINGULAR: f64 = 1e-5;
/// Values with at least this component in a direction without effect belong to it.
const PART: f64 = 0.05;

/// The information of the measurements about one value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Certainty {
    /// Determined. The standard error of its logarithm; `None` if there are no more observations than values.
    Determined(Option<f64>),
    /// No observation depends on it here.
    NoInfluence,
    /// Only a lower bound is known; the logarithm of the bound.
    AtLeast(f64),
    /// Only an upper bound is known; the logarithm of the bound.
    AtMost(f64),
    /// At the end of the range of the search.
    AtEnd,
    /// Only determined together with these others, by index.
    Inseparable(Vec<usize>),
}

/// All values together.
pub(super) struct Certainties {
    pub(super) of: Vec<Certainty>,
    /// Number of observations less that of determined values, or combinations of values.
    pub(super) degrees_of_freedom: usize,
    /// Square root of (sum of squares / degrees of freedom).
    pub(super) scatter: Option<f64>,
}

/// Examines the values at the lowest point.
pub(super) fn look(
    objective: &Objective<'_>,
    point: &[f64],
    observed: &[Observed],
) -> Result<Certainties, String> {
    let errors = objective.errors(point, observed)?;
    let slopes = objective.slopes(point, observed)?;
    let count = objective.parameters.len();
    let mut of = Vec::with_capacity(count);
    for p in 0..count {
        let side = |step: f64| {
            let mut there = point.to_vec();
            there[p] += step;
            let there = objective.errors(&there, observed)?;
            let change: Vec<f64> = there.iter().zip(&errors).map(|(there, here)| there - here).collect();
            Ok::<_, String>(largest(&change) / SIDE)
        };
        let (above, below) = (side(SIDE)? > INFLUENCE, side(-SIDE)? > INFLUENCE);
        of.push(match (below, above) {
            _ if objective.at_end(point, p) => Certainty::AtEnd,
            (false, false) => Certainty::NoInfluence,
            (true, false) => Certainty::AtLeast(point[p]),
            (false, true) => Certainty::AtMost(point[p]),
            (true, true) => Certainty::Determined(None),
        });
    }
    let open: Vec<usize> = (0..count).filter(|&p| of[p] == Certainty::Determined(None)).collect();
    let rank = separate(&slopes, &open, &mut of, |degrees| {
        (degrees > 0).then(|| (dot(&errors, &errors) / degrees as f64).sqrt())
    });
    let degrees_of_freedom = observed.len().saturating_sub(rank);
    let scatter =
        (degrees_of_freedom > 0).then(|| (dot(&errors, &errors) / degrees_of_freedom as f64).sqrt());
    if let Some(scatter) = scatter {
        let reach = students_t(degrees_of_freedom) * scatter;
        let limit = dot(&errors, &errors) + reach * reach;
        for p in (0..count).filter(|&p| matches!(of[p], Certainty::Determined(_))).collect::<Vec<_>>() {
            if let Some(bound) = one_sided(objective, point, observed, p, limit) {
                of[p] = bound;
            }
        }
    }
    Ok(Certainties { of, degrees_of_freedom, scatter })
}

/// A bound for a value that only noise made look determined: far to one side, with the others unchanged, the
/// sum of squares stays below the limit of the 95 % interval (S (1 + t^2 / degrees of freedom)), and to the
/// other side it does not. An interval from slopes would have two ends there.
fn one_sided(
    objective: &Objective<'_>,
    point: &[f64],
    observed: &[Observed],
    p: usize,
    limit: f64,
) -> Option<Certainty> {
    let allowed = |offset: f64| {
        let mut there = point.to_vec();
        there[p] += offset;
        objective.errors(&there, observed).is_ok_and(|errors| dot(&errors, &errors) <= limit)
    };
    let far = FAR.ln();
    let sign = match (allowed(-far), allowed(far)) {
        (false, true) => -1.0,
        (true, false) => 1.0,
        _ => return None,
    };
    let (mut inside, mut outside) = (0.0, far);
    for _ in 0..40 {
        let middle = 0.5 * (inside + outside);
        if allowed(sign * middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    let bound = point[p] + sign * inside;
    Some(if sign < 0.0 { Certainty::AtLeast(bound) } else { Certainty::AtMost(bound) })
}

/// Finds combinations of values without effect, and standard errors of the others; returns the rank of the
/// slopes.
fn separate(
    slopes: &Columns,
    open: &[usize],
    of: &mut [Certainty],
    scatter: impl Fn(usize) -> Option<f64>,
) -> usize {
    if open.is_empty() {
        return 0;
    }
    let norms: Vec<f64> = open.iter().map(|&p| norm(&slopes[p])).collect();
    let unit = |(&p, &norm): (&usize, &f64)| {
        slopes[p].iter().map(|slope| if norm > 0.0 { slope / norm } else { 0.0 }).collect()
    };
    let (values, directions): (Vec<f64>, Columns) =
        singular(open.iter().zip(&norms).map(unit).collect()).into_iter().unzip();
    let widest = largest(&values);
    let is_zero = |j: usize| values[j] < SINGULAR * widest;
    let rank = (0..values.len()).filter(|&j| !is_zero(j)).count();
    let scatter = scatter(slopes.first().map_or(0, Vec::len).saturating_sub(rank));
    for (column, &p) in open.iter().enumerate() {
        let mut others: Vec<usize> = (0..values.len())
            .filter(|&j| is_zero(j) && directions[j][column].abs() > PART)
            .flat_map(|j| {
                let directions = &directions;
                (0..open.len())
                    .filter(move |&c| c != column && directions[j][c].abs() > PART)
                    .map(|c| open[c])
            })
            .collect();
        others.sort_unstable();
        others.dedup();
        of[p] = if others.is_empty() {
            let variance: f64 = (0..values.len())
                .filter(|&j| !is_zero(j))
                .map(|j| (directions[j][column] / values[j]).powi(2))
                .sum();
            Certainty::Determined(scatter.map(|scatter| scatter * variance.sqrt() / norms[column]))
        } else {
            Certainty::Inseparable(others)
        };
    }
    rank
}
