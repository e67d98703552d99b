//! Values in slots of time, drawn as the columns of a picture: several slots become one where there are more than it has room for.

use super::canvas::{At, Canvas, Stroke};
use super::palette::Colour;
use super::panel::Panel;

/// Most columns of a picture: two pixels each.
pub(super) const MOST: usize = 380;

/// How slots become columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    /// Length of a slot and of all of them, in the unit of the axis; the last slot may be shorter.
    pub(super) slot: f64,
    pub(super) end: f64,
    /// Slots of a column.
    pub(super) slots: usize,
}

/// Values in the columns of the picture: where each ends, and its value.
pub(super) type Steps = Vec<(f64, f64)>;

/// What of several slots in one column is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Mean,
    Most,
    /// The value of the last one: of what only grows.
    Last,
}

impl Columns {
    /// So many slots in at most so many columns.
    pub(super) fn new(slot: f64, end: f64, slots: usize, columns: usize) -> Self {
        Self { slot, end, slots: slots.div_ceil(columns.clamp(1, MOST)).max(1) }
    }

    /// The values of slots; equal neighbours are one.
    pub(super) fn steps(&self, values: &[f64], of: Of) -> Steps {
        let mut steps = Steps::new();
        for (i, column) in values.chunks(self.slots).enumerate() {
            let end = (self.slot * (i * self.slots + column.len()) as f64).min(self.end);
            let value = match of {
                Of::Most => column.iter().copied().fold(0.0, f64::max),
                // The last slot may be shorter than the others; among several in one column that is not seen.
                Of::Mean => mean(column),
                Of::Last => column.last().copied().unwrap_or(0.0),
            };
            match steps.last_mut() {
                Some(last) if (last.1 - value).abs() <= 1e-9 * value.abs() => last.0 = end,
                _ => steps.push((end, value)),
            }
        }
        steps
    }

    /// Where `upper` is above `lower`: runs of (from, to, lower, upper).
    pub(super) fn filled(&self, lower: &[f64], upper: &[f64]) -> Vec<Vec<(f64, f64, f64, f64)>> {
        let mut runs: Vec<Vec<(f64, f64, f64, f64)>> = Vec::new();
        let mut is_open = false;
        for (i, (low, high)) in lower.chunks(self.slots).zip(upper.chunks(self.slots)).enumerate() {
            let from = self.slot * (i * self.slots) as f64;
            let to = (from + self.slot * low.len() as f64).min(self.end);
            let (low, high) = (mean(low), mean(high));
            if high - low <= 1e-12 {
                is_open = false;
                continue;
            }
            match runs.last_mut().filter(|_| is_open) {
                Some(run) => match run.last_mut() {
                    Some(last) if (last.2, last.3) == (low, high) => last.1 = to,
                    _ => run.push((from, to, low, high)),
                },
                None => runs.push(vec![(from, to, low, high)]),
            }
            is_open = true;
        }
        runs
    }

    /// Fills what lies between two rows of values; nothing is drawn where nothing lies between.
    pub(super) fn fill(
        &self,
        canvas: &mut Canvas,
        panel: &Panel,
        (lower, upper): (&[f64], &[f64]),
        colour: Colour,
    ) {
        let at = |time: f64, value: f64| (panel.across(time), panel.up(value).max(panel.place.y));
        // A shape for each time in which there is something.
        for part in &self.filled(lower, upper) {
            let mut points: Vec<At> = Vec::new();
            let mut back: Vec<At> = Vec::new();
            for &(from, to, low, high) in part {
                points.extend([at(from, high), at(to, high)]);
                back.extend([at(from, low), at(to, low)]);
            }
            points.extend(back.into_iter().rev());
            canvas.polygon(&points, Some(colour), None);
        }
    }

    /// Fills sums of rows of `slots` values, each above the one before.
    pub(super) fn stack<'a>(
        &self,
        canvas: &mut Canvas,
        panel: &Panel,
        slots: usize,
        sums: impl IntoIterator<Item = (Vec<&'a [f64]>, Colour)>,
    ) {
        let mut lower = vec![0.0; slots];
        for (rows, colour) in sums {
            let mut upper = lower.clone();
            for row in rows {
                upper.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
            self.fill(canvas, panel, (&lower, &upper), colour);
            lower = upper;
        }
    }

    /// Draws values as a line of steps.
    pub(super) fn line(
        &self,
        canvas: &mut Canvas,
        panel: &Panel,
        (values, of): (&[f64], Of),
        stroke: Stroke,
    ) {
        let mut points: Vec<At> = Vec::new();
        let mut from = 0.0;
        for (to, value) in self.steps(values, of) {
            points.extend([panel.at((from, value)), panel.at((to, value))]);
            from = to;
        }
        canvas.path(&points, stroke);
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_slots_are_one_shape() {
        let columns = Columns::new(0.0375, 37.5, 1000, MOST);
        assert_eq!(columns.filled(&[0.0; 1000], &[4.0; 1000]), [vec![(0.0, 37.5, 0.0, 4.0)]]);
    }

    #[test]
    fn columns_of_several_slots_keep_the_mean_the_most_and_the_last() {
        // Four slots of 1 s in two columns; the last slot ends with the picture.
        let columns = Columns::new(1.0, 3.5, 4, 2);
        let values = [1.0, 3.0, 0.0, 2.0];
        assert_eq!(columns.steps(&values, Of::Mean), [(2.0, 2.0), (3.5, 1.0)]);
        assert_eq!(columns.steps(&values, Of::Most), [(2.0, 3.0), (3.5, 2.0)]);
        assert_eq!(columns.steps(&values, Of::Last), [(2.0, 3.0), (3.5, 2.0)]);
    }
}
