//! A set of places on one node: the first and the last of thousands in a few steps.

#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    words: Vec<u64>,
    count: u32,
}

impl Places {
    /// Room for `threads` places, none of them in the set.
    pub(super) fn new(threads: u32) -> Self {
        Self { words: vec![0; threads.div_ceil(64) as usize], count: 0 }
    }

    pub(super) fn len(&self) -> u32 {
        self.count
    }

    /// Adds a place that is not in the set.
    pub(super) fn insert(&mut self, place: u32) {
        self.words[(place / 64) as usize] |= 1 << (place % 64);
        self.count += 1;
    }

    /// Removes a place that is in the set.
    pub(super) fn remove(&mut self, place: u32) {
        self.words[(place / 64) as usize] &= !(1 << (place % 64));
        self.count -= 1;
    }

    pub(super) fn contains(&self, place: u32) -> bool {
        (self.words[(place / 64) as usize] >> (place % 64)) & 1 == 1
    }

    pub(super) fn first(&self) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let mut words = (0_u32..).zip(&self.words);
        words.find(|(_, word)| **word != 0).map(|(i, word)| 64 * i + word.trailing_zeros())
    }

    pub(super) fn last(&self) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let mut i = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.iter().rev().find_map(|word| {
            i -= 1;
            (*word != 0).then(|| 64 * i + 63 - word.leading_zeros())
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |word: u64| (0..64_u32).filter(move |bit| (word >> bit) & 1 == 1);
        (0_u32..).zip(&self.words).flat_map(move |(i, &word)| bits(word).map(move |bit| 64 * i + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_of_a_set_over_several_words() {
        let mut places = Places::new(200);
        assert_eq!((places.first(), places.last()), (None, None));
        for place in [70, 5, 199] {
            places.insert(place);
        }
        assert_eq!((places.first(), places.last()), (Some(5), Some(199)));
        places.remove(5);
        places.remove(199);
        assert_eq!(places.iter().collect::<Vec<_>>(), [70]);
        assert!(places.contains(70) && !places.contains(5));
    }
}
