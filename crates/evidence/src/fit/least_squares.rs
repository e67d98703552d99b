//! Nonlinear least squares: the method of Levenberg and Marquardt, as in MINPACK's `lmder` and `lmpar`, and
//! singular values.
//!
//! J. J. Moré, "The Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics
//! 630 (1978), 105-116.
//!
//! Implemented here because a fit has at most a dozen values: the crate `levenberg-marquardt` needs
//! `nalgebra` and 25 more packages for matrices of that size. Matrices are lists of columns.

/// A matrix, column by column.
pub(super) type Columns = Vec<Vec<f64>>;

/// A relative change of the sum or of the point that ends the search, and the cosine at which residuals and
/// slopes count as orthogonal.
const TOLERANCE: f64 = 30.0 * f64::EPSILON;
/// The first step is at most this many times the distance of the point from zero.
const FIRST_STEP: f64 = 100.0;
/// A step is accepted if its length deviates by at most this fraction from the allowed length.
const NEAR: f64 = 0.1;

/// The euclidean length, without overflow.
pub(super) fn norm(values: &[f64]) -> f64 {
    let largest = largest(values);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * values.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt()
}

/// The largest of the absolute values; NaN if one of them is.
pub(super) fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |most, value| if value.abs() > most || value.is_nan() { value.abs() } else { most })
}

/// The sum of products.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `to` += `factor` * `from`.
fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

/// The point of a smaller sum of squared residuals that is reached from `point`, downhill, with about
/// `patience` evaluations for each coordinate. The search ends at its current point if a function returns
/// `None`.
pub(super) fn minimize(
    mut point: Vec<f64>,
    patience: usize,
    residuals: impl Fn(&[f64]) -> Option<Vec<f64>>,
    jacobian: impl Fn(&[f64]) -> Option<Columns>,
) -> Vec<f64> {
    let most = patience * (point.len() + 1);
    let Some(mut off) = residuals(&point) else { return point };
    let mut length = norm(&off);
    let mut evaluations = 1;
    let mut damping = 0.0;
    let mut allowed = f64::NAN; // set by the first slopes
    let mut scale: Option<Vec<f64>> = None;
    while length.is_finite() && length > f64::MIN_POSITIVE && !point.is_empty() {
        let Some(columns) = jacobian(&point) else { break };
        let norms: Vec<f64> = columns.iter().map(|column| norm(column)).collect();
        let factored = Factored::new(columns, &off);
        let steepest = factored.steepest(length, &norms);
        if steepest.is_nan() || steepest <= TOLERANCE {
            break;
        }
        if let Some(scale) = &mut scale {
            scale.iter_mut().zip(&norms).for_each(|(scale, norm)| *scale = scale.max(*norm));
        } else {
            let first: Vec<f64> = norms.iter().map(|&norm| if norm == 0.0 { 1.0 } else { norm }).collect();
            let far = norm(&product(&first, &point));
            allowed = if far == 0.0 { FIRST_STEP } else { FIRST_STEP * far };
            scale = Some(first);
        }
        let scale = scale.as_deref().unwrap_or_default();
        loop {
            let step = factored.step(scale, allowed, damping);
            damping = step.damping;
            let along = (factored.change(&step.change) / length).powi(2);
            let damped = (damping.sqrt() * step.length / length).powi(2);
            if !(step.length + along + damped).is_finite() {
                return point;
            }
            let (promised, slope) = (along + 2.0 * damped, -(along + damped));
            if evaluations == 1 {
                allowed = allowed.min(step.length);
            }
            let there: Vec<f64> = point.iter().zip(&step.change).map(|(at, step)| at - step).collect();
            evaluations += 1;
            let Some(off_there) = residuals(&there) else { return point };
            let length_there = norm(&off_there);
            let much_worse = length_there.is_nan() || NEAR * length_there >= length;
            let gained = if much_worse { -1.0 } else { 1.0 - (length_there / length).powi(2) };
            let ratio = if promised == 0.0 { 0.0 } else { gained / promised };
            if ratio <= 0.25 {
                let factor = if gained >= 0.0 { 0.5 } else { 0.5 * slope / (slope + 0.5 * gained) };
                let factor = if much_worse || factor < 0.1 { 0.1 } else { factor };
                allowed = factor * allowed.min(10.0 * step.length);
                damping /= factor;
            } else if damping == 0.0 || ratio >= 0.75 {
                allowed = 2.0 * step.length;
                damping *= 0.5;
            }
            let is_better = ratio >= 1e-4;
            if is_better {
                (point, off, length) = (there, off_there, length_there);
            }
            let still = gained.abs() <= TOLERANCE && promised <= TOLERANCE && ratio <= 2.0;
            let near = allowed <= TOLERANCE * norm(&product(scale, &point));
            if still || near || evaluations >= most {
                return point;
            }
            if is_better {
                break;
            }
        }
    }
    point
}

/// A step from a point: it is subtracted.
struct Step {
    change: Vec<f64>,
    damping: f64,
    /// Length of the step in units of the scale.
    length: f64,
}

/// A Jacobian as Q R, columns with the greatest norm first, and Q' times the residuals.
struct Factored {
    upper: Upper,
    /// The coordinate of each column.
    order: Vec<usize>,
    rotated: Vec<f64>,
}

impl Factored {
    /// By Householder's reflections.
    fn new(mut columns: Columns, residuals: &[f64]) -> Self {
        let count = columns.len();
        let mut rotated = residuals.to_vec();
        // Fewer residuals than coordinates: adds equations without content.
        for column in columns.iter_mut().chain([&mut rotated]) {
            column.resize(residuals.len().max(count), 0.0);
        }
        let mut order: Vec<usize> = (0..count).collect();
        for j in 0..count {
            let rest = columns[j..].iter().map(|column| norm(&column[j..])).enumerate();
            let widest = rest.reduce(|most, next| if next.1 > most.1 { next } else { most });
            let Some((widest, length)) = widest.filter(|(_, length)| *length != 0.0) else { break };
            columns.swap(j, j + widest);
            order.swap(j, j + widest);
            let (done, open) = columns.split_at_mut(j + 1);
            let axis = &mut done[j];
            let length = if axis[j] < 0.0 { -length } else { length };
            let mut mirror: Vec<f64> = axis[j..].iter().map(|value| value / length).collect();
            mirror[0] += 1.0;
            for column in open.iter_mut().chain([&mut rotated]) {
                let factor = -dot(&column[j..], &mirror) / mirror[0];
                add(&mut column[j..], factor, &mirror);
            }
            axis[j] = -length;
            axis[j + 1..].fill(0.0);
        }
        let row = |i: usize| columns.iter().map(|column| column[i]).collect();
        let upper = Upper { rows: (0..count).map(row).collect() };
        rotated.truncate(count);
        Self { upper, order, rotated }
    }

    /// The largest cosine between the residuals, which have this length, and the slopes of a coordinate.
    fn steepest(&self, length: f64, norms: &[f64]) -> f64 {
        let along = self.upper.transposed_times(&self.rotated);
        let cosines = along.iter().zip(&self.order).filter(|(_, at)| norms[**at] != 0.0);
        let cosines: Vec<f64> = cosines.map(|(along, &at)| along / length / norms[at]).collect();
        largest(&cosines)
    }

    /// Change of the residuals by a step if they are linear.
    fn change(&self, step: &[f64]) -> f64 {
        let ordered = self.ordered(step);
        let along = self.upper.rows.iter().map(|row| dot(row, &ordered));
        norm(&along.collect::<Vec<_>>())
    }

    /// The step that minimises linear residuals, shortened to about the allowed length if it would be longer,
    /// and the damping that does so.
    fn step(&self, scale: &[f64], allowed: f64, damping: f64) -> Step {
        const ROUNDS: usize = 10;
        let mut step = self.by_coordinate(&self.upper.solve(&self.rotated));
        let mut scaled = product(&step, scale);
        let mut length = norm(&scaled);
        let mut excess = length - allowed;
        if excess <= NEAR * allowed {
            return Step { change: step, damping: 0.0, length };
        }
        // Newton's step of the damping, by the derivative of the length.
        let correction = |upper: &Upper, scaled: &[f64], length: f64, excess: f64| {
            let direction: Vec<f64> =
                scaled.iter().zip(scale).map(|(scaled, scale)| scale * (scaled / length)).collect();
            let slope = norm(&upper.solve_transposed(&self.ordered(&direction)));
            excess / allowed / slope / slope
        };
        let is_regular = self.upper.rank() == scale.len();
        let mut low = if is_regular { correction(&self.upper, &scaled, length, excess) } else { 0.0 };
        let slopes = self.upper.transposed_times(&self.rotated);
        let slopes: Vec<f64> = slopes.iter().zip(&self.order).map(|(slope, &at)| slope / scale[at]).collect();
        let slope = norm(&slopes);
        let mut high = slope / allowed;
        if high == 0.0 {
            high = f64::MIN_POSITIVE / allowed.min(0.1);
        }
        let mut damping = damping.max(low).min(high);
        if damping == 0.0 {
            damping = slope / length;
        }
        for round in 1..=ROUNDS {
            if damping == 0.0 {
                damping = f64::MIN_POSITIVE.max(0.001 * high);
            }
            let weights: Vec<f64> = self.order.iter().map(|&at| damping.sqrt() * scale[at]).collect();
            let (upper, rotated) = self.damped(&weights);
            step = self.by_coordinate(&upper.solve(&rotated));
            scaled = product(&step, scale);
            length = norm(&scaled);
            let before = excess;
            excess = length - allowed;
            let is_near = excess.abs() <= NEAR * allowed || (low == 0.0 && excess <= before && before < 0.0);
            if round == ROUNDS || is_near {
                break;
            }
            if excess > 0.0 {
                low = low.max(damping);
            } else {
                high = high.min(damping);
            }
            damping = low.max(damping + correction(&upper, &scaled, length, excess));
        }
        Step { change: step, damping, length }
    }

    /// R and Q' b with a diagonal below them, by Givens' rotations.
    fn damped(&self, diagonal: &[f64]) -> (Upper, Vec<f64>) {
        let (mut upper, mut rotated) = (self.upper.clone(), self.rotated.clone());
        for (j, &weight) in diagonal.iter().enumerate() {
            let mut below = vec![0.0; diagonal.len()];
            below[j] = weight;
            let mut right = 0.0;
            for k in j..diagonal.len() {
                let row = &mut upper.rows[k];
                let length = row[k].hypot(below[k]);
                if length == 0.0 {
                    continue;
                }
                let (cosine, sine) = (row[k] / length, below[k] / length);
                let turn =
                    |a: &mut f64, b: &mut f64| (*a, *b) = (cosine * *a + sine * *b, cosine * *b - sine * *a);
                row[k..].iter_mut().zip(&mut below[k..]).for_each(|(a, b)| turn(a, b));
                turn(&mut rotated[k], &mut right);
            }
        }
        (upper, rotated)
    }

    fn by_coordinate(&self, ordered: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; ordered.len()];
        self.order.iter().zip(ordered).for_each(|(&at, value)| values[at] = *value);
        values
    }

    fn ordered(&self, values: &[f64]) -> Vec<f64> {
        self.order.iter().map(|&at| values[at]).collect()
    }
}

/// An upper triangle, row by row, with zeros below.
#[derive(Clone)]
struct Upper {
    rows: Vec<Vec<f64>>,
}

impl Upper {
    /// Rows before the first zero on the diagonal.
    fn rank(&self) -> usize {
        (0..self.rows.len()).find(|&i| self.rows[i][i] == 0.0).unwrap_or(self.rows.len())
    }

    /// Components beyond the rank are zero.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = vec![0.0; right.len()];
        for i in (0..self.rank()).rev() {
            let known = dot(&self.rows[i][i + 1..], &solution[i + 1..]);
            solution[i] = (right[i] - known) / self.rows[i][i];
        }
        solution
    }

    fn solve_transposed(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = right.to_vec();
        for (i, row) in self.rows.iter().enumerate() {
            let value = solution[i] / row[i];
            solution[i] = value;
            add(&mut solution[i + 1..], -value, &row[i + 1..]);
        }
        solution
    }

    fn transposed_times(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; values.len()];
        self.rows.iter().zip(values).for_each(|(row, value)| add(&mut sums, *value, row));
        sums
    }
}

/// The singular values of a matrix and the direction of each, in no particular order: Jacobi's rotations of
/// pairs of columns until all are orthogonal. For a dozen columns that takes a few sweeps, and small values
/// are as exact as large ones.
pub(super) fn singular(mut columns: Columns) -> Vec<(f64, Vec<f64>)> {
    const SWEEPS: usize = 60;
    let count = columns.len();
    let unit = |p: usize| (0..count).map(|q| if p == q { 1.0 } else { 0.0 }).collect();
    let mut directions: Columns = (0..count).map(unit).collect();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..count {
            for q in p + 1..count {
                let (a, b, both) = (
                    dot(&columns[p], &columns[p]),
                    dot(&columns[q], &columns[q]),
                    dot(&columns[p], &columns[q]),
                );
                if both.abs() <= f64::EPSILON * (a * b).sqrt() {
                    continue;
                }
                turned = true;
                let half = (b - a) / (2.0 * both);
                let tangent = half.signum() / (half.abs() + half.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = cosine * tangent;
                for matrix in [&mut columns, &mut directions] {
                    let (left, right) = matrix.split_at_mut(q);
                    for (a, b) in left[p].iter_mut().zip(&mut right[0]) {
                        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
                    }
                }
            }
        }
        if !turned {
            break;
        }
    }
    columns.iter().map(|column| norm(column)).zip(directions).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Residuals of a point; slopes by central differences.
    fn lowest(start: &[f64], residuals: impl Fn(&[f64]) -> Vec<f64>) -> (Vec<f64>, f64) {
        let slopes = |at: &[f64]| {
            let column = |p: usize| {
                let step = 1e-6 * at[p].abs().max(1e-3);
                let (mut above, mut below) = (at.to_vec(), at.to_vec());
                above[p] += step;
                below[p] -= step;
                let rise = residuals(&above).into_iter().zip(residuals(&below));
                rise.map(|(above, below)| (above - below) / (2.0 * step)).collect()
            };
            Some((0..at.len()).map(column).collect())
        };
        let found = minimize(start.to_vec(), 400, |at| Some(residuals(at)), slopes);
        let sum = residuals(&found).iter().map(|off| off * off).sum();
        (found, sum)
    }

    #[track_caller]
    fn near(found: &[f64], known: &[f64], within: f64) {
        let off = found.iter().zip(known).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(found.len() == known.len() && off <= within, "{found:?} is not {known:?}");
    }

    #[test]
    fn a_line_through_three_points_solves_the_normal_equations() {
        // 0, 1, 2 -> 1, 2, 4: slope 1.5, 5 / 6 at zero; the squares of -1/6, 1/3, -1/6 add up to 1/6.
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)];
        let (found, sum) =
            lowest(&[0.0, 0.0], |at| points.iter().map(|(x, y)| at[0] + at[1] * x - y).collect());
        near(&found, &[5.0 / 6.0, 1.5], 1e-9);
        assert!((sum - 1.0 / 6.0).abs() < 1e-12, "{sum}");
    }

    #[test]
    fn fewer_residuals_than_coordinates_are_all_satisfied() {
        let (found, sum) = lowest(&[0.0, 0.0], |at| vec![at[0] + 2.0 * at[1] - 5.0]);
        assert!(sum < 1e-20, "{found:?}");
    }

    /// J. J. Moré, B. S. Garbow, K. E. Hillstrom, "Testing unconstrained optimization software", ACM TOMS 7 (1981), 17-41.
    #[test]
    fn classical_functions_have_their_known_minima() {
        let rosenbrock = |x: &[f64]| vec![10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]];
        near(&lowest(&[-1.2, 1.0], rosenbrock).0, &[1.0, 1.0], 1e-7);

        let freudenstein_roth = |x: &[f64]| {
            vec![
                -13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1],
                -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1],
            ]
        };
        // The other valley: there is no descent from here to (5, 4).
        let (found, sum) = lowest(&[0.5, -2.0], freudenstein_roth);
        near(&found, &[11.4128, -0.896_805], 1e-3);
        assert!((sum - 48.9842).abs() < 1e-3, "{sum}");

        let powell_badly_scaled =
            |x: &[f64]| vec![1e4 * x[0] * x[1] - 1.0, (-x[0]).exp() + (-x[1]).exp() - 1.0001];
        near(&lowest(&[0.0, 1.0], powell_badly_scaled).0, &[1.098_159e-5, 9.106_147], 1e-4);

        let helical = |x: &[f64]| {
            let turn = x[1].atan2(x[0]) / std::f64::consts::TAU;
            vec![10.0 * (x[2] - 10.0 * turn), 10.0 * (x[0].hypot(x[1]) - 1.0), x[2]]
        };
        near(&lowest(&[-1.0, 0.01, 0.0], helical).0, &[1.0, 0.0, 0.0], 1e-7);

        let beale = |x: &[f64]| {
            [1.5, 2.25, 2.625].iter().zip(1..).map(|(y, i)| y - x[0] * (1.0 - x[1].powi(i))).collect()
        };
        near(&lowest(&[1.0, 1.0], beale).0, &[3.0, 0.5], 1e-7);

        let wood = |x: &[f64]| {
            vec![
                10.0 * (x[1] - x[0] * x[0]),
                1.0 - x[0],
                90_f64.sqrt() * (x[3] - x[2] * x[2]),
                1.0 - x[2],
                10_f64.sqrt() * (x[1] + x[3] - 2.0),
                (x[1] - x[3]) / 10_f64.sqrt(),
            ]
        };
        near(&lowest(&[-3.0, -1.0, -3.0, -1.0], wood).0, &[1.0; 4], 1e-6);

        let bard = |x: &[f64]| {
            let y =
                [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39];
            let one = |(i, y): (usize, &f64)| {
                let (u, v) = (i as f64 + 1.0, 15.0 - i as f64);
                y - (x[0] + u / (v * x[1] + u.min(v) * x[2]))
            };
            y.iter().enumerate().map(one).collect()
        };
        let (found, sum) = lowest(&[1.0; 3], bard);
        near(&found, &[0.082_41, 1.133_0, 2.343_7], 1e-4);
        assert!((sum - 8.214_87e-3).abs() < 1e-8, "{sum}");

        let kowalik_osborne = |x: &[f64]| {
            let y = [0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246];
            let u = [4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625];
            let one = |(y, u): (&f64, f64)| y - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3]);
            y.iter().zip(u).map(one).collect()
        };
        let (_, sum) = lowest(&[0.25, 0.39, 0.415, 0.39], kowalik_osborne);
        assert!((sum - 3.075_05e-4).abs() < 1e-9, "{sum}");

        let meyer = |x: &[f64]| {
            let y = [
                34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0, 11540.0, 9744.0, 8261.0, 7030.0,
                6005.0, 5147.0, 4427.0, 3820.0, 3307.0, 2872.0,
            ];
            let one =
                |(i, y): (usize, &f64)| x[0] * (x[1] / (45.0 + 5.0 * (i as f64 + 1.0) + x[2])).exp() - y;
            y.iter().enumerate().map(one).collect()
        };
        let (_, sum) = lowest(&[0.02, 4000.0, 250.0], meyer);
        assert!((sum - 87.9458).abs() < 1e-3, "{sum}");
    }

    #[test]
    fn a_minimum_with_vanishing_slopes_is_approached() {
        let powell_singular = |x: &[f64]| {
            vec![
                x[0] + 10.0 * x[1],
                5_f64.sqrt() * (x[2] - x[3]),
                (x[1] - 2.0 * x[2]).powi(2),
                10_f64.sqrt() * (x[0] - x[3]).powi(2),
            ]
        };
        let (found, sum) = lowest(&[3.0, -1.0, 0.0, 1.0], powell_singular);
        assert!(sum < 1e-20 && largest(&found) < 1e-4, "{found:?}, {sum}");
    }

    #[test]
    fn the_search_stops_if_the_function_has_no_value() {
        let found =
            minimize(vec![1.0], 100, |at| (at[0] >= 0.5).then(|| vec![at[0]]), |_| Some(vec![vec![1.0]]));
        assert_eq!(found, [1.0]);
        assert_eq!(minimize(vec![1.0], 100, |_| None, |_| None), [1.0]);
        assert!(minimize(vec![], 100, |_| Some(vec![1.0]), |_| Some(vec![])).is_empty());
    }

    #[test]
    fn singular_values_match_a_matrix_solved_by_hand() {
        // [[3, 0], [4, 5]]: the eigenvalues of A'A = [[25, 20], [20, 25]] are 45 and 5, along (1, 1) and (1, -1).
        let mut found = singular(vec![vec![3.0, 4.0], vec![0.0, 5.0]]);
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        near(&[found[0].0, found[1].0], &[45_f64.sqrt(), 5_f64.sqrt()], 1e-12);
        assert!(
            (found[0].1[0] - found[0].1[1]).abs() < 1e-12 && (found[1].1[0] + found[1].1[1]).abs() < 1e-12
        );
        // Two equal columns have one direction without effect.
        let mut found = singular(vec![vec![1.0, 2.0], vec![1.0, 2.0]]);
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        near(&[found[0].0, found[1].0], &[10_f64.sqrt(), 0.0], 1e-12);
    }
}
