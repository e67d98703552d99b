//! A set of workers (or of anything that is numbered from 0), of which the n-th is found quickly.

/// Numbers below a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WorkerSet {
    words: Vec<u64>,
    count: usize,
}

impl WorkerSet {
    /// The empty set of numbers below `limit`.
    pub(super) fn new(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(64)], count: 0 }
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.count
    }

    /// Whether `number` is one of them.
    pub(super) fn contains(&self, number: u32) -> bool {
        self.words.get(word(number)).is_some_and(|word| word & bit(number) != 0)
    }

    /// Adds a number.
    pub(super) fn insert(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(word(number))
            && *word & bit(number) == 0
        {
            *word |= bit(number);
            self.count += 1;
        }
    }

    /// Takes a number out.
    pub(super) fn remove(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(word(number))
            && *word & bit(number) != 0
        {
            *word &= !bit(number);
            self.count -= 1;
        }
    }

    /// The how-manieth of them it is, in cyclic order from `start`.
    pub(super) fn nth_from(&self, start: u32, nth: usize) -> Option<u32> {
        let place = self.below(start).checked_add(nth)?;
        self.nth(place.checked_rem(self.count)?)
    }

    /// All of them, in cyclic order from `start`.
    pub(super) fn all_from(&self, start: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.count).filter_map(move |nth| self.nth_from(start, nth))
    }

    /// How many are less than `number`.
    fn below(&self, number: u32) -> usize {
        let full = word(number);
        let whole = self.words.iter().take(full).map(|word| word.count_ones()).sum::<u32>();
        let part = self.words.get(full).map_or(0, |word| (word & (bit(number) - 1)).count_ones());
        (whole + part) as usize
    }

    /// The how-manieth of them it is, ascending.
    fn nth(&self, nth: usize) -> Option<u32> {
        let mut left = nth;
        for (base, &word) in (0..).step_by(64).zip(&self.words) {
            let ones = word.count_ones() as usize;
            if left < ones {
                let without_lower = (0..left).fold(word, |word, _| word & word.wrapping_sub(1));
                return Some(base + without_lower.trailing_zeros());
            }
            left -= ones;
        }
        None
    }
}

const fn word(number: u32) -> usize {
    (number / 64) as usize
}

const fn bit(number: u32) -> u64 {
    1 << (number % 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_in_cyclic_order() {
        let mut set = WorkerSet::new(200);
        for number in [3, 63, 64, 130, 199, 63] {
            set.insert(number);
        }
        assert_eq!((set.len(), set.contains(64), set.contains(65)), (5, true, false));
        assert_eq!(set.all_from(0).collect::<Vec<_>>(), [3, 63, 64, 130, 199]);
        assert_eq!(set.all_from(64).collect::<Vec<_>>(), [64, 130, 199, 3, 63]);
        assert_eq!(set.all_from(65).collect::<Vec<_>>(), [130, 199, 3, 63, 64]);
        // Behind the last one.
        assert_eq!(set.nth_from(200, 0), Some(3));
        set.remove(64);
        set.remove(64);
        assert_eq!((set.len(), set.nth_from(64, 1)), (4, Some(199)));
    }

    #[test]
    fn nothing_is_found_in_an_empty_set() {
        let mut set = WorkerSet::new(0);
        set.insert(5);
        assert_eq!((set.len(), set.contains(5), set.nth_from(0, 0)), (0, false, None));
    }
}
