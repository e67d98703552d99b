//! Initial values of matrices and grids, which follow from the position alone so that they can always be recomputed; and the three arrays
//! that steps read and write in turn.

/// A number in [-1, 1) for a row and a column.
pub(crate) fn number(row: usize, column: usize) -> f64 {
    // 53 bits, exactly.
    (bits(row, column) >> 11) as f64 * (2.0 / 9_007_199_254_740_992.0) - 1.0
}

/// 64 bits for a row and a column (SplitMix64 of both; Steele, Lea, Flood 2014).
pub(crate) fn bits(row: usize, column: usize) -> u64 {
    let mut bits = (row as u64)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add((column as u64).wrapping_mul(0xD1B5_4A32_D192_ED03))
        .wrapping_add(0x2545_F491_4F6C_DD1D);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Fills rows of `width` elements, starting with the one at that row and column.
pub(crate) fn rows(
    data: &mut [f64],
    width: usize,
    (row, column): (usize, usize),
    number: impl Fn(usize, usize) -> f64,
) {
    for (row, elements) in (row..).zip(data.chunks_mut(width.max(1))) {
        for (column, element) in (column..).zip(elements) {
            *element = number(row, column);
        }
    }
}

// Three arrays of which each step reads the output of the previous one: the first holds the initial values of the problem, the two others
// are written in turn.
//
// After a fixed number of steps the problem starts again, so that numbers neither grow nor vanish in long runs, and a serial run has the
// same length.

/// The arrays that a step reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Steps since the problem started again.
    pub(crate) number: u64,
    /// The array that is read: 0, 1 or 2.
    pub(crate) read: usize,
    /// The array that is written: 1 or 2.
    pub(crate) written: usize,
}

impl Turn {
    /// The turn of a step, if the problem starts again after `period` steps, an even number.
    pub(crate) fn of(step: u64, period: u64) -> Self {
        let number = step % period.max(1);
        let even = number.is_multiple_of(2);
        let read = if number == 0 { 0 } else { 1 + usize::from(even) };
        Self { number, read, written: if even { 1 } else { 2 } }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_spread_evenly() {
        // The mean of 10^4 numbers of variance 1/3 is within 4 standard errors, 4 x sqrt(1/3) / 100 = 0.023, of 0.
        let all: Vec<f64> = (0..10_000).map(|place| number(place / 100, place % 100)).collect();
        let mean = all.iter().sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.023, "{mean}");
        assert!(all.iter().all(|number| (-1.0..1.0).contains(number)));
        assert_ne!(number(1, 2), number(2, 1));
    }
}

#[cfg(test)]
mod turns_tests {
    use super::*;

    #[test]
    fn steps_take_turns_and_start_again() {
        let turn = |step| {
            let Turn { number, read, written } = Turn::of(step, 20);
            (number, read, written)
        };
        assert_eq!([0, 1, 2, 3].map(turn), [(0, 0, 1), (1, 1, 2), (2, 2, 1), (3, 1, 2)]);
        assert_eq!([19, 20, 21].map(turn), [(19, 1, 2), (0, 0, 1), (1, 1, 2)]);
    }
}
