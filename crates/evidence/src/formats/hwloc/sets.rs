//! Sets of logical CPUs and nodes in the syntax of hwloc: `0x00000003,0xffffffff`, words of 32 bits, the
//! highest first, empty ones omitted.

use numasim_model::cpus::MAX_CPU;

/// A set of numbers from 0 to [`MAX_CPU`].
#[derive(Clone, Debug, Default)]
pub(super) struct Set(Vec<u64>);

impl Set {
    /// Reads a set; `Err` describes the text that is not one.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.starts_with("0xf...f") {
            return Err("without an end");
        }
        let mut words = Vec::new();
        for (place, word) in text.rsplit(',').enumerate() {
            let word = word.trim();
            let digits = word.strip_prefix("0x").unwrap_or(word);
            let word = match digits {
                "" if !word.is_empty() => return Err("no set of numbers"),
                "" => 0,
                _ if digits.len() > 8 && !text.contains(',') => return Self::long(digits),
                _ => u32::from_str_radix(digits, 16).map_err(|_| "no set of numbers")?,
            };
            if word == 0 {
                continue;
            }
            if place > MAX_CPU as usize / 32 {
                return Err("with numbers above 65535");
            }
            let (at, shift) = (place / 2, 32 * (place % 2));
            if words.len() <= at {
                words.resize(at + 1, 0);
            }
            if let Some(into) = words.get_mut(at) {
                *into |= u64::from(word) << shift;
            }
        }
        Ok(Self(words))
    }

    /// One number of more than 32 bits, as printed by taskset.
    fn long(digits: &str) -> Result<Self, &'static str> {
        let mut found = Self::default();
        for (place, digit) in digits.chars().rev().enumerate() {
            let digit = digit.to_digit(16).ok_or("no set of numbers")?;
            for bit in (0..4).filter(|bit| digit >> bit & 1 == 1) {
                let number = u32::try_from(place * 4 + bit).ok().filter(|&number| number <= MAX_CPU);
                found.insert(number.ok_or("with numbers above 65535")?);
            }
        }
        Ok(found)
    }

    pub(super) fn of(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self::default();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }

    /// Numbers above the largest are ignored.
    pub(super) fn insert(&mut self, number: u32) {
        if number > MAX_CPU {
            return;
        }
        let at = number as usize / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        if let Some(word) = self.0.get_mut(at) {
            *word |= 1 << (number % 64);
        }
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub(super) fn without(&self, other: &Self) -> Self {
        let word = |(at, word): (usize, &u64)| word & !other.0.get(at).copied().unwrap_or(0);
        Self(self.0.iter().enumerate().map(word).collect())
    }

    pub(super) fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether every number of `other` is in this set.
    pub(super) fn includes(&self, other: &Self) -> bool {
        other.without(self).is_empty()
    }

    /// The numbers, ascending.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let of = |(at, &word): (usize, &u64)| {
            let first = u32::try_from(at * 64).unwrap_or(u32::MAX);
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + bit)
        };
        self.0.iter().enumerate().flat_map(of).collect()
    }

    pub(super) fn first(&self) -> Option<u32> {
        let (at, word) = self.0.iter().enumerate().find(|(_, word)| **word != 0)?;
        u32::try_from(at * 64).ok().map(|first| first + word.trailing_zeros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_in_the_syntax_of_hwloc() {
        let numbers = |text: &str| Set::read(text).map(|set| set.numbers());
        assert_eq!(numbers("0x0000000b"), Ok(vec![0, 1, 3]));
        assert_eq!(numbers("0x0"), Ok(vec![]));
        // Bit 0 of the third word is 64; the empty word is 0.
        assert_eq!(numbers("0x00000001,,0x00000002"), Ok(vec![1, 64]));
        assert_eq!(numbers("0x1,0x00000003,0x0"), Ok(vec![32, 33, 64]));
        assert_eq!(numbers("0x100000000"), Ok(vec![32]));
        assert_eq!(numbers("0xf...f,0x1"), Err("without an end"));
        assert_eq!(numbers("0-3"), Err("no set of numbers"));
        assert_eq!(numbers(&format!("0x1{}", ",0x0".repeat(2048))), Err("with numbers above 65535"));
        assert_eq!(numbers(&format!("0x80000000{}", ",0x0".repeat(2047))), Ok(vec![65535]));
    }

    #[test]
    fn sets_are_compared_and_merged() {
        let (a, b) = (Set::of([0, 70]), Set::of([70, 3]));
        assert!(a.meets(&b) && !a.includes(&b) && a.includes(&Set::of([70])));
        assert_eq!((a.and(&b).numbers(), a.without(&b).numbers(), b.first()), (vec![70], vec![0], Some(3)));
        let mut both = a.clone();
        both.add(&b);
        assert_eq!((both.numbers(), both.len()), (vec![0, 3, 70], 3));
    }
}
