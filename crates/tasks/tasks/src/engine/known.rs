//! Rates of sets of tasks that were met before.

use std::collections::HashMap;

/// Sets that are remembered: with 64 classes each, 6 MiB.
const MOST: usize = 4096;
/// Sets looked for between two looks whether that helps.
const TRIES_PER_LOOK: u32 = 1024;
/// So many more are not looked for where it did not.
const PAUSE: u32 = 16 * TRIES_PER_LOOK;

/// So many tasks of a class, and their rate in GB/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Member {
    /// Its number, and which class it is of all that ever were: numbers are used again.
    pub(super) class: usize,
    pub(super) serial: u64,
    pub(super) count: usize,
    pub(super) rate: f64,
}

/// Sets of tasks and their rates. A set is found by the sum of a number for each of its tasks, and compared in full.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    sets: HashMap<u64, Box<[Member]>>,
    tries: u32,
    hits: u32,
    /// Sets that are not looked for yet.
    pause: u32,
}

impl Known {
    /// The set of that number, of `classes` different ones, all of which are `there`, if it was met before.
    pub(super) fn recall(
        &mut self,
        number: u64,
        classes: usize,
        is_there: impl Fn(&Member) -> bool,
    ) -> Option<&[Member]> {
        if self.pause > 0 {
            self.pause -= 1;
            return None;
        }
        self.tries += 1;
        if self.tries >= TRIES_PER_LOOK {
            if self.hits < TRIES_PER_LOOK / 8 {
                self.pause = PAUSE;
                self.sets.clear();
            }
            (self.tries, self.hits) = (0, 0);
        }
        let known = self.sets.get(&number)?;
        let is_same = known.len() == classes && known.iter().all(is_there);
        self.hits += u32::from(is_same);
        is_same.then_some(known)
    }

    /// Remembers the set that was just looked for.
    pub(super) fn learn(&mut self, number: u64, set: impl FnOnce() -> Box<[Member]>) {
        if self.pause > 0 {
            return;
        }
        if self.sets.len() >= MOST {
            self.sets.clear();
        }
        self.sets.insert(number, set());
    }
}

/// A number that looks like a random one (the finaliser of SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
pub(super) fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many tasks of each of these classes.
    type Set<'s> = &'s [(u64, usize)];

    fn number(set: Set<'_>) -> u64 {
        set.iter()
            .map(|&(serial, count)| scattered(serial).wrapping_mul(count as u64))
            .fold(0, u64::wrapping_add)
    }

    fn rates(known: &mut Known, numbered: Set<'_>, set: Set<'_>) -> Option<Vec<f64>> {
        let is_there = |member: &Member| set.contains(&(member.serial, member.count));
        let members = known.recall(number(numbered), set.len(), is_there)?;
        Some(members.iter().map(|member| member.rate).collect())
    }

    fn learn(known: &mut Known, set: Set<'_>, rates: &[f64]) {
        let member =
            |(&(serial, count), &rate): (&(u64, usize), &f64)| Member { class: 0, serial, count, rate };
        known.learn(number(set), || set.iter().zip(rates).map(member).collect());
    }

    #[test]
    fn a_set_is_recalled_and_no_other_one_is() {
        let mut known = Known::default();
        let met = [(1, 5), (3, 2)];
        assert_eq!(rates(&mut known, &met, &met), None);
        learn(&mut known, &met, &[2.0, 0.5]);
        assert_eq!(rates(&mut known, &met, &met), Some(vec![2.0, 0.5]));
        assert_eq!(rates(&mut known, &[(1, 5), (3, 3)], &[(1, 5), (3, 3)]), None);
        // The same number, though another set: not taken for it.
        for other in [&[(1, 5)][..], &[(1, 5), (3, 3)], &[(1, 5), (4, 2)], &[(1, 5), (3, 2), (4, 1)]] {
            assert_eq!(rates(&mut known, &met, other), None);
        }
    }

    #[test]
    fn sets_that_never_come_back_are_not_remembered() {
        let mut known = Known::default();
        for serial in 0..2 * u64::from(TRIES_PER_LOOK) {
            let once = [(serial, 1)];
            assert_eq!(rates(&mut known, &once, &once), None);
            learn(&mut known, &once, &[1.0]);
        }
        assert!(known.sets.is_empty());
    }
}
