//! Three arrays of which each step reads what the one before wrote: the first holds what the problem begins with, the two others are written in turn.
//!
//! After so many steps the problem begins anew, so that numbers neither grow nor vanish however long it is repeated, and a serial run is as long.

/// Which arrays a step reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Steps since the problem began anew.
    pub(crate) number: u64,
    /// The array that is read: 0, 1 or 2.
    pub(crate) read: usize,
    /// The array that is written: 1 or 2.
    pub(crate) written: usize,
}

impl Turn {
    /// Of a step, where the problem begins anew after `period` steps, an even number.
    pub(crate) fn of(step: u64, period: u64) -> Self {
        let number = step % period.max(1);
        let even = number.is_multiple_of(2);
        let read = if number == 0 { 0 } else { 1 + usize::from(even) };
        Self { number, read, written: if even { 1 } else { 2 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_take_turns_and_begin_anew() {
        let turn = |step| {
            let Turn { number, read, written } = Turn::of(step, 20);
            (number, read, written)
        };
        assert_eq!([0, 1, 2, 3].map(turn), [(0, 0, 1), (1, 1, 2), (2, 2, 1), (3, 1, 2)]);
        assert_eq!([19, 20, 21].map(turn), [(19, 1, 2), (0, 0, 1), (1, 1, 2)]);
    }
}
