//! resctrl: counters of memory traffic by monitoring group and L3 cache
//! (Documentation/filesystems/resctrl.rst).
//!
//! `mon_data/mon_L3_XX/mbm_local_bytes` and `mbm_total_bytes` count bytes since the creation of the group; XX
//! is the number of the L3 cache. A counter may be a word (`Unavailable`, `Error`), which means unknown and
//! not 0. The counters of a control group include those of its monitoring groups that can be read.

use std::collections::{BTreeMap, BTreeSet};

/// Counters of a group for one L3 cache; `None` is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bytes from the memory next to the cache.
    pub local: Option<u64>,
    /// All bytes.
    pub total: Option<u64>,
}

/// A group at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The control group that it is or belongs to; empty for the root.
    pub control: String,
    /// The name of the monitoring group; `None` for a control group.
    pub monitor: Option<String>,
    /// Threads of the group.
    pub tasks: BTreeSet<u32>,
    /// Counters by the number of the L3 cache.
    pub counters: BTreeMap<u32, Counters>,
}

impl Group {
    /// Its name in messages.
    pub fn name(&self) -> &str {
        self.monitor.as_deref().unwrap_or(&self.control)
    }

    /// Whether it is the root, which contains everything outside other groups.
    pub fn is_root(&self) -> bool {
        self.control.is_empty() && self.monitor.is_none()
    }
}

/// The text of a counter; a word is `None`.
pub fn counter(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// The number of the L3 cache of a folder such as `mon_L3_05`.
pub fn cache_of(folder: &str) -> Option<u32> {
    folder.strip_prefix("mon_L3_")?.parse().ok()
}

/// The threads of `tasks`.
pub fn tasks(text: &str) -> BTreeSet<u32> {
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

/// Bytes, or GB/s, from the memory next to a cache and from all memories; `None` is unknown.
pub type LocalAndTotal<T> = (Option<T>, Option<T>);

/// Traffic of a group between two instants in bytes, without that of its monitoring groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// The name of the group.
    pub name: String,
    /// Whether this is the root: everything outside other groups.
    pub is_root: bool,
    /// Threads of the group outside its monitoring groups.
    pub tasks: BTreeSet<u32>,
    /// Bytes by the number of the L3 cache.
    pub bytes: BTreeMap<u32, Counters>,
}

impl Moved {
    /// Bytes of all caches together: local and total. `None` if a counter of any cache is unknown.
    pub fn sum(&self) -> LocalAndTotal<u64> {
        let all = |of: fn(&Counters) -> Option<u64>| {
            if self.bytes.is_empty() {
                return None;
            }
            self.bytes.values().map(of).try_fold(0_u64, |sum, bytes| Some(sum.saturating_add(bytes?)))
        };
        (all(|counters| counters.local), all(|counters| counters.total))
    }
}

/// Traffic of every group between two instants.
pub fn moved(before: &[Group], after: &[Group]) -> Vec<Moved> {
    let differences: Vec<(&Group, BTreeMap<u32, Counters>)> =
        after.iter().map(|group| (group, difference(before, group))).collect();
    let of = |(group, own): &(&Group, BTreeMap<u32, Counters>)| {
        let children = || {
            differences.iter().filter(|(other, _)| {
                group.monitor.is_none() && other.monitor.is_some() && other.control == group.control
            })
        };
        let mut bytes = own.clone();
        for (_, child) in children() {
            for (cache, counters) in &mut bytes {
                let child = child.get(cache).copied().unwrap_or_default();
                // A counter that cannot be read is not in the sum of the kernel.
                let less = |all: Option<u64>, part: Option<u64>| {
                    all.map(|all| all.saturating_sub(part.unwrap_or(0)))
                };
                counters.local = less(counters.local, child.local);
                counters.total = less(counters.total, child.total);
            }
        }
        let mut tasks = group.tasks.clone();
        for (child, _) in children() {
            tasks.retain(|task| !child.tasks.contains(task));
        }
        Moved { name: group.name().to_owned(), is_root: group.is_root(), tasks, bytes }
    };
    differences.iter().map(of).collect()
}

/// Unknown if either value is missing, or a counter went back.
fn difference(before: &[Group], group: &Group) -> BTreeMap<u32, Counters> {
    let then = before.iter().find(|other| other.control == group.control && other.monitor == group.monitor);
    let of = |(cache, now): (&u32, &Counters)| {
        let then = then.and_then(|then| then.counters.get(cache)).copied().unwrap_or_default();
        let less = |now: Option<u64>, then: Option<u64>| now?.checked_sub(then?);
        (*cache, Counters { local: less(now.local, then.local), total: less(now.total, then.total) })
    };
    group.counters.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(control: &str, monitor: Option<&str>, tasks: &[u32], counters: &[(u64, u64)]) -> Group {
        let counters = (0..)
            .zip(counters)
            .map(|(cache, &(local, total))| (cache, Counters { local: Some(local), total: Some(total) }));
        Group {
            control: control.to_owned(),
            monitor: monitor.map(str::to_owned),
            tasks: tasks.iter().copied().collect(),
            counters: counters.collect(),
        }
    }

    #[test]
    fn a_control_group_has_the_traffic_outside_its_monitoring_groups() {
        let before = [group("", None, &[1], &[(0, 0)]), group("", Some("db"), &[7], &[(0, 0)])];
        let after = [group("", None, &[1, 7], &[(50, 90)]), group("", Some("db"), &[7], &[(20, 30)])];
        let moved = moved(&before, &after);
        assert_eq!((moved[0].sum(), moved[1].sum()), ((Some(30), Some(60)), (Some(20), Some(30))));
        assert_eq!((moved[0].is_root, moved[0].tasks.len()), (true, 1));
    }

    #[test]
    fn words_and_counters_that_went_back_are_unknown() {
        assert_eq!(["12\n", "Unavailable\n", "Error", ""].map(counter), [Some(12), None, None, None]);
        let before = [group("", Some("a"), &[7], &[(5, 9), (0, 0)])];
        let mut after = [group("", Some("a"), &[7], &[(4, 19), (1, 1)])];
        assert_eq!(moved(&before, &after)[0].sum(), (None, Some(11)));
        after[0].counters.insert(1, Counters::default());
        assert_eq!(moved(&before, &after)[0].sum(), (None, None));
    }

    #[test]
    fn folder_names_contain_the_number_of_their_cache() {
        assert_eq!(
            ["mon_L3_05", "mon_L3_16", "mon_sub_L3_01", "x"].map(cache_of),
            [Some(5), Some(16), None, None]
        );
        assert_eq!(tasks("7\n\n8 \nx\n").into_iter().collect::<Vec<_>>(), [7, 8]);
    }
}
