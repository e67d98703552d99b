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
    /// Which class, of all that ever were.
    pub(super) serial: u64,
    pub(super) count: u32,
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
    /// The number of the set that was looked for.
    number: u64,
    /// The set in the order of classes.
    sorted: Vec<Member>,
}

impl Known {
    /// Fills in the rates of `set`, if it was met before; each class stands in it once.
    pub(super) fn recall(&mut self, set: &mut [Member]) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        let number = |member: &Member| scattered(member.serial).wrapping_mul(u64::from(member.count));
        self.number = set.iter().map(number).fold(0, u64::wrapping_add);
        self.tries += 1;
        if self.tries >= TRIES_PER_LOOK {
            if self.hits < TRIES_PER_LOOK / 8 {
                self.pause = PAUSE;
                self.sets.clear();
            }
            (self.tries, self.hits) = (0, 0);
        }
        let Some(known) = self.sets.get(&self.number).filter(|known| known.len() == set.len()) else {
            return false;
        };
        let rate = |member: &Member| {
            let place = known.binary_search_by_key(&member.serial, |known| known.serial).ok()?;
            known.get(place).filter(|known| known.count == member.count).map(|known| known.rate)
        };
        if !set.iter().all(|member| rate(member).is_some()) {
            return false;
        }
        for member in set.iter_mut() {
            member.rate = rate(member).unwrap_or(0.0);
        }
        self.hits += 1;
        true
    }

    /// Remembers the set that was just looked for.
    pub(super) fn learn(&mut self, set: &[Member]) {
        if self.pause > 0 {
            return;
        }
        if self.sets.len() >= MOST {
            self.sets.clear();
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(set);
        self.sorted.sort_unstable_by_key(|member| member.serial);
        self.sets.insert(self.number, self.sorted.as_slice().into());
    }
}

/// A number that looks like a random one (the finaliser of SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(members: &[(u64, u32)]) -> Vec<Member> {
        members.iter().map(|&(serial, count)| Member { serial, count, rate: 0.0 }).collect()
    }

    #[test]
    fn a_set_is_recalled_in_any_order_and_no_other_one_is() {
        let mut known = Known::default();
        let mut met = set(&[(3, 2), (1, 5)]);
        assert!(!known.recall(&mut met));
        (met[0].rate, met[1].rate) = (0.5, 2.0);
        known.learn(&met);
        let mut again = set(&[(1, 5), (3, 2)]);
        assert!(known.recall(&mut again));
        assert_eq!((again[0].rate, again[1].rate), (2.0, 0.5));
        assert!(!known.recall(&mut set(&[(1, 5), (3, 3)])));
        assert!(!known.recall(&mut set(&[(1, 5)])));
        // The same number, though another set: not taken for it.
        let mut known = Known::default();
        assert!(!known.recall(&mut set(&[(1, 1)])));
        known.learn(&set(&[(2, 1)]));
        assert!(!known.recall(&mut set(&[(1, 1)])));
    }

    #[test]
    fn sets_that_never_come_back_are_not_remembered() {
        let mut known = Known::default();
        for serial in 0..2 * u64::from(TRIES_PER_LOOK) {
            let mut once = set(&[(serial, 1)]);
            assert!(!known.recall(&mut once));
            known.learn(&once);
        }
        assert!(known.sets.is_empty());
    }
}
