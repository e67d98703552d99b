//! Data placement of an application, from the lists of its processes and the statistics of its group.

use std::collections::BTreeMap;

use super::{Details, GroupDetails, Unseen};
use crate::formats::cgroup::read_numa_stat;
use crate::formats::numa_maps::{Pages, read_numa_maps};

/// Data on nodes of the operating system.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Bytes on each node; `None` if unknown.
    pub(super) data: Option<BTreeMap<u32, u64>>,
    /// The source.
    pub(super) source: Option<&'static str>,
    /// The share of it with an interleave policy, 0 to 1.
    pub(super) interleaved: f64,
    /// Values that are unknown, a sentence each.
    pub(super) notes: Vec<String>,
}

/// The data of several processes together. Shared memory is in the list of each and counts once. The source
/// is `numa_maps` if all lists may be read, because only it includes reserved huge pages; otherwise
/// `memory.numa_stat`; otherwise the readable lists.
pub(super) fn of(processes: &[(u32, &Details)], group: Option<&GroupDetails>) -> Found {
    let mut found = Found::default();
    let mut pages = Vec::new();
    let mut denied = 0;
    let mut odd = Vec::new();
    for (pid, details) in processes {
        match &details.numa_maps {
            Ok(text) if text.trim().is_empty() => {}
            // A list without data adds nothing.
            Ok(text) => match read_numa_maps(text) {
                Ok(read) => pages.push(read),
                Err(problem) if problem.message.starts_with("no page of data") => {}
                Err(problem) => {
                    odd.push(format!("numa_maps of process {pid} is not understood: {}", problem.message));
                }
            },
            Err(Unseen::Denied) => denied += 1,
            Err(Unseen::Absent) => {}
        }
    }
    let statistics = group.and_then(|group| read_numa_stat(group.numa_stat.as_ref()?, group.unified));
    let lists = together(&pages);
    found.interleaved = {
        let all: f64 = pages.iter().map(|pages| pages.bytes() as f64).sum();
        let asked: f64 = pages.iter().map(|pages| pages.interleaved_by_policy() * pages.bytes() as f64).sum();
        if all > 0.0 { asked / all } else { 0.0 }
    };
    found.notes.extend(odd.iter().cloned());
    if pages.iter().any(|pages| pages.old_pages) {
        found.notes.push(
            "numa_maps gives no page size for some mappings: they count with 4 kB, huge ones with 2 MB"
                .to_owned(),
        );
    }
    match statistics {
        Some(statistics) if denied > 0 || !odd.is_empty() || lists.is_empty() => {
            let mut data = statistics.anon;
            for (node, bytes) in statistics.shared {
                *data.entry(node).or_default() += bytes;
            }
            if denied > 0 {
                found.notes.push(format!(
                    "numa_maps of {denied} of {} processes may not be read: the data is that of memory.numa_stat, which has no reserved huge pages",
                    processes.len()
                ));
            }
            found.data = Some(data);
            found.source = Some("memory.numa_stat of its control group");
        }
        _ if lists.is_empty() => {
            if denied > 0 {
                found.notes.push(
                    "numa_maps may not be read: where its data lies is unknown; ask as its user, or as root"
                        .to_owned(),
                );
            }
        }
        _ => {
            if denied > 0 {
                found.notes.push(format!(
                    "numa_maps of {denied} of {} processes may not be read: their own data is missing",
                    processes.len()
                ));
            }
            found.data = Some(lists);
            found.source = Some("numa_maps of its processes");
        }
    }
    if let Some(data) = &mut found.data {
        data.retain(|_, bytes| *bytes > 0);
    }
    found
}

/// The data of several lists, with each shared object once: on each node the maximum over the lists.
fn together(pages: &[Pages]) -> BTreeMap<u32, u64> {
    let mut sum: BTreeMap<u32, u64> = BTreeMap::new();
    let mut shared: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
    for list in pages {
        let mut own = list.data.clone();
        for (object, nodes) in &list.shared {
            let most = shared.entry(object).or_default();
            for (node, bytes) in nodes {
                if let Some(own) = own.get_mut(node) {
                    *own = own.saturating_sub(*bytes);
                }
                let most = most.entry(*node).or_default();
                *most = (*most).max(*bytes);
            }
        }
        for (node, bytes) in own {
            *sum.entry(node).or_default() += bytes;
        }
    }
    for (node, bytes) in shared.into_values().flatten() {
        *sum.entry(node).or_default() += bytes;
    }
    sum
}
