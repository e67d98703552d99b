//! The data size of a thread at which its cache holds little of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use numasim_model::cpus::CpuList;

/// Data is at least this multiple of the thread's share of the last-level cache (the rule of STREAM).
const TIMES: f64 = 4.0;
/// Minimum data size: even if caches are small or unknown, a chunk of work must stay small compared with the data.
const LEAST: u64 = 64 << 20;
/// Data is a multiple of this: whole huge pages.
const UNIT: u64 = 2 << 20;

/// Data for each thread in bytes when threads run on these logical CPUs at the same time: 4 x the largest share of a last-level cache for
/// any of them, at least 64 MiB, whole huge pages.
///
/// The share of a thread is the cache divided by the threads that run on it, not by its cores: a thread alone has the whole cache. A thread
/// that may use several logical CPUs counts equally on each. If the system does not report the caches, the result is 64 MiB.
pub fn bytes_per_thread(threads: &[&CpuList]) -> u64 {
    below(Path::new("/sys/devices/system/cpu"), threads)
}

fn below(root: &Path, threads: &[&CpuList]) -> u64 {
    // The cache, its size, the threads on it.
    let mut caches: BTreeMap<String, (u64, f64)> = BTreeMap::new();
    for cpus in threads {
        for cpu in cpus.as_slice() {
            if let Some((shared_by, size)) = last_level(&root.join(format!("cpu{cpu}/cache"))) {
                caches.entry(shared_by).or_insert((size, 0.0)).1 += 1.0 / cpus.as_slice().len() as f64;
            }
        }
    }
    let share = |(size, threads): &(u64, f64)| *size as f64 / threads.max(1.0);
    let largest = caches.values().map(share).fold(0.0, f64::max);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, far below 2^53")]
    let bytes = (TIMES * largest).ceil() as u64;
    bytes.max(LEAST).next_multiple_of(UNIT)
}

/// Combined size in bytes of the last-level caches of threads on these logical CPUs; `None` if the system does not report it.
pub fn last_level_bytes(threads: &[&CpuList]) -> Option<u64> {
    together(Path::new("/sys/devices/system/cpu"), threads)
}

fn together(root: &Path, threads: &[&CpuList]) -> Option<u64> {
    let cpus = threads.iter().flat_map(|cpus| cpus.as_slice());
    let caches: BTreeMap<String, u64> =
        cpus.map(|cpu| last_level(&root.join(format!("cpu{cpu}/cache")))).collect::<Option<_>>()?;
    (!caches.is_empty()).then(|| caches.values().sum())
}

/// A last-level cache that several logical CPUs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedCache {
    /// Its size in bytes.
    pub bytes: u64,
    /// Size in bytes of the next smaller data cache of the first of them; `None` if there is none.
    pub below_bytes: Option<u64>,
    /// Number of the first logical CPUs of the list that share it.
    pub sharers: usize,
}

/// The last-level cache of the first of these logical CPUs; `None` if the system does not report it.
pub fn shared_last_level(cpus: &CpuList) -> Option<SharedCache> {
    shared(Path::new("/sys/devices/system/cpu"), cpus)
}

fn shared(root: &Path, cpus: &CpuList) -> Option<SharedCache> {
    let folder = |cpu: &u32| root.join(format!("cpu{cpu}/cache"));
    let (first, all) = (folder(cpus.as_slice().first()?), cpus.as_slice().iter());
    let (shared_by, bytes) = last_level(&first)?;
    let same = |cpu: &&u32| last_level(&folder(cpu)).is_some_and(|(others, _)| others == shared_by);
    let mut levels = of_data(&first)?;
    levels.sort_unstable_by_key(|(level, ..)| *level);
    let below_bytes = levels.iter().rev().nth(1).map(|(.., bytes)| *bytes);
    Some(SharedCache { bytes, below_bytes, sharers: all.take_while(same).count() })
}

/// Logical CPUs that share the last-level cache, in the format of the kernel, and its size in bytes.
fn last_level(caches: &Path) -> Option<(String, u64)> {
    let found = of_data(caches)?.into_iter();
    found.max_by_key(|(level, ..)| *level).map(|(_, shared_by, size)| (shared_by, size))
}

/// Data caches, in no order: level, logical CPUs that share one, bytes.
fn of_data(caches: &Path) -> Option<Vec<(u32, String, u64)>> {
    let indices = fs::read_dir(caches).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let found = indices.filter_map(|index| {
        let text = |file: &str| Some(fs::read_to_string(index.join(file)).ok()?.trim().to_owned());
        let level: u32 = text("level")?.parse().ok()?;
        let holds_data = text("type")? != "Instruction";
        holds_data.then_some((level, text("shared_cpu_list")?, bytes(&text("size")?)?))
    });
    Some(found.collect())
}

/// `32K`, `30M`, `1G`.
fn bytes(size: &str) -> Option<u64> {
    let digits = size.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let unit: u64 = match size.strip_prefix(digits)? {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four logical CPUs; each pair shares 40 MiB.
    fn machine() -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary folder");
        for cpu in 0..4 {
            let pair = if cpu < 2 { "0-1" } else { "2-3" };
            for (index, (level, kind, size, shared)) in
                [("1", "Data", "48K", ""), ("1", "Instruction", "64K", ""), ("3", "Unified", "40960K", pair)]
                    .into_iter()
                    .enumerate()
            {
                let folder = root.path().join(format!("cpu{cpu}/cache/index{index}"));
                fs::create_dir_all(&folder).expect("a temporary folder");
                for (file, text) in
                    [("level", level), ("type", kind), ("size", size), ("shared_cpu_list", shared)]
                {
                    fs::write(folder.join(file), format!("{text}\n")).expect("a temporary file");
                }
            }
        }
        root
    }

    fn mib(threads: &[&str]) -> u64 {
        let lists: Vec<CpuList> = threads.iter().map(|list| CpuList::parse(list).expect("a list")).collect();
        below(machine().path(), &lists.iter().collect::<Vec<_>>()) >> 20
    }

    #[test]
    fn data_is_four_times_the_share_of_the_cache() {
        // Two threads share 40 MiB: 4 x 20. A thread alone has the whole cache: 4 x 40.
        assert_eq!(mib(&["0", "1"]), 80);
        assert_eq!(mib(&["0"]), 160);
        // The largest share counts: logical CPU 3 is alone on its cache.
        assert_eq!(mib(&["0", "1", "3"]), 160);
        // Eight threads of 5 MiB each: the minimum.
        assert_eq!(mib(&["0", "0", "0", "0", "1", "1", "1", "1"]), 64);
    }

    #[test]
    fn threads_that_are_bound_to_a_node_are_spread_over_its_caches() {
        // Four threads over both caches: two on each, 4 x 20.
        assert_eq!(mib(&["0-3", "0-3", "0-3", "0-3"]), 80);
    }

    #[test]
    fn an_unknown_cache_gives_the_minimum() {
        assert_eq!(mib(&["9"]), 64);
    }

    #[test]
    fn caches_of_threads_are_counted_once_each() {
        let root = machine();
        let bytes = |lists: &[&str]| {
            let lists: Vec<CpuList> =
                lists.iter().map(|list| CpuList::parse(list).expect("a list")).collect();
            together(root.path(), &lists.iter().collect::<Vec<_>>())
        };
        assert_eq!((bytes(&["0", "1"]), bytes(&["0", "2-3"])), (Some(40 << 20), Some(80 << 20)));
        assert_eq!((bytes(&["0", "9"]), bytes(&[])), (None, None));
    }

    #[test]
    fn a_shared_cache_counts_the_first_cpus_of_the_list() {
        let root = machine();
        let of = |list: &str| shared(root.path(), &CpuList::parse(list).expect("a list"));
        let pair = |sharers| Some(SharedCache { bytes: 40 << 20, below_bytes: Some(48 << 10), sharers });
        assert_eq!((of("0-3"), of("2,0,3"), of("9")), (pair(2), pair(1), None));
    }

    #[test]
    fn sizes_are_read_with_their_unit() {
        assert_eq!(bytes("491520K"), Some(480 << 20));
        assert_eq!(bytes("2M"), Some(2 << 20));
        assert_eq!(bytes("x"), None);
    }
}
