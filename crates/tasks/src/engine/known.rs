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
    /// [`scattered`] of that.
    pub(super) weight: u64,
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
}

impl Known {
    /// The rates of `set`, in its order, if it was met before; each class stands in it once, in the order of serials.
    pub(super) fn recall(&mut self, set: &[Member]) -> Option<impl Iterator<Item = f64>> {
        if self.pause > 0 {
            self.pause -= 1;
            return None;
        }
        let number = |member: &Member| member.weight.wrapping_mul(u64::from(member.count));
        self.number = set.iter().map(number).fold(0, u64::wrapping_add);
        self.tries += 1;
        if self.tries >= TRIES_PER_LOOK {
            if self.hits < TRIES_PER_LOOK / 8 {
                self.pause = PAUSE;
                self.sets.clear();
            }
            (self.tries, self.hits) = (0, 0);
        }
        let known = self.sets.get(&self.number).filter(|known| known.len() == set.len())?;
        let mut pairs = known.iter().zip(set);
        let same = pairs.all(|(known, new)| known.serial == new.serial && known.count == new.count);
        self.hits += u32::from(same);
        same.then(|| known.iter().map(|member| member.rate))
    }

    /// Remembers the rates of the set that was just looked for.
    pub(super) fn learn(&mut self, set: &[Member]) {
        if self.pause > 0 {
            return;
        }
        if self.sets.len() >= MOST {
            self.sets.clear();
        }
        self.sets.insert(self.number, set.into());
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

    fn set(members: &[(u64, u32)]) -> Vec<Member> {
        let member = |&(serial, count)| Member { serial, weight: scattered(serial), count, rate: 0.0 };
        members.iter().map(member).collect()
    }

    fn rates(known: &mut Known, members: &[(u64, u32)]) -> Option<Vec<f64>> {
        known.recall(&set(members)).map(Iterator::collect)
    }

    #[test]
    fn a_set_is_recalled_and_no_other_one_is() {
        let mut known = Known::default();
        let mut met = set(&[(1, 5), (3, 2)]);
        assert!(known.recall(&met).is_none());
        (met[0].rate, met[1].rate) = (2.0, 0.5);
        known.learn(&met);
        assert_eq!(rates(&mut known, &[(1, 5), (3, 2)]), Some(vec![2.0, 0.5]));
        assert_eq!(rates(&mut known, &[(1, 5), (3, 3)]), None);
        assert_eq!(rates(&mut known, &[(1, 5)]), None);
        // The same number, though another set: not taken for it.
        let mut known = Known::default();
        assert_eq!(rates(&mut known, &[(1, 1)]), None);
        known.learn(&set(&[(2, 1)]));
        assert_eq!(rates(&mut known, &[(1, 1)]), None);
    }

    #[test]
    fn sets_that_never_come_back_are_not_remembered() {
        let mut known = Known::default();
        for serial in 0..2 * u64::from(TRIES_PER_LOOK) {
            let once = set(&[(serial, 1)]);
            assert!(known.recall(&once).is_none());
            known.learn(&once);
        }
        assert!(known.sets.is_empty());
    }
}
