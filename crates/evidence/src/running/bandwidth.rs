//! Attribution of bandwidth: from the counters of monitoring groups to applications.

use std::collections::{BTreeMap, BTreeSet};

use super::Draft;
use crate::formats::resctrl::{LocalAndTotal, Moved};

/// The bandwidth of an application by its monitoring groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    pub(super) local_gbs: Option<f64>,
    pub(super) total_gbs: Option<f64>,
    /// The groups that are attributed to it.
    pub(super) groups: Vec<String>,
    /// The unknown values, and the reason.
    pub(super) why: Option<String>,
}

/// The bandwidth of each of `drafts`. A group is attributed to an application if all its busy threads belong
/// to that application; the bandwidth is known if all busy threads of the application are in such groups.
pub(super) fn of_each(drafts: &[Draft], moved: &[Moved], seconds: f64) -> Vec<Counted> {
    let busy: Vec<BTreeSet<u32>> = drafts
        .iter()
        .map(|draft| draft.tasks.iter().filter(|used| used.is_busy()).map(|used| used.task.tid).collect())
        .collect();
    let owner: BTreeMap<u32, usize> =
        busy.iter().enumerate().flat_map(|(app, tids)| tids.iter().map(move |&tid| (tid, app))).collect();
    let owners: Vec<BTreeSet<usize>> = moved
        .iter()
        .map(|group| group.tasks.iter().filter_map(|task| owner.get(task).copied()).collect())
        .collect();
    let of = |(app, threads): (usize, &BTreeSet<u32>)| {
        if threads.is_empty() {
            return Counted::default();
        }
        let touched: Vec<(&Moved, &BTreeSet<usize>)> =
            moved.iter().zip(&owners).filter(|(_, owners)| owners.contains(&app)).collect();
        let own: Vec<&Moved> = touched
            .iter()
            .filter(|(group, owners)| !group.is_root && owners.len() == 1)
            .map(|(group, _)| *group)
            .collect();
        let groups: Vec<String> = own.iter().map(|group| group.name.clone()).collect();
        let covered: BTreeSet<u32> = own.iter().flat_map(|group| &group.tasks).copied().collect();
        let covered = threads.intersection(&covered).count();
        if covered < threads.len() {
            let shared = touched.iter().find(|(group, owners)| !group.is_root && owners.len() > 1);
            let why = match shared {
                Some((group, _)) => {
                    format!("the monitoring group `{}` counts for other applications as well", group.name)
                }
                None if covered == 0 => "no monitoring group of resctrl has its threads".to_owned(),
                None => {
                    format!(
                        "monitoring groups of resctrl have only {covered} of its {} busy threads",
                        threads.len()
                    )
                }
            };
            return Counted {
                groups,
                why: Some(format!("its bandwidth is unknown: {why}")),
                ..Counted::default()
            };
        }
        let sums: Vec<LocalAndTotal<u64>> = own.iter().map(|group| group.sum()).collect();
        let gbs = |of: fn(&LocalAndTotal<u64>) -> Option<u64>| {
            let bytes = sums.iter().map(of).try_fold(0_u64, |sum, bytes| Some(sum.saturating_add(bytes?)))?;
            Some(bytes as f64 / 1e9 / seconds)
        };
        let (local_gbs, total_gbs) = (gbs(|sums| sums.0), gbs(|sums| sums.1));
        let unread = "a counter of its monitoring group could not be read by the kernel, or went back";
        let why = match (local_gbs, total_gbs) {
            (Some(_), Some(_)) => None,
            (None, Some(_)) => Some(format!("the local part of its bandwidth is unknown: {unread}")),
            (_, None) => Some(format!("its bandwidth is unknown: {unread}")),
        };
        Counted { local_gbs, total_gbs, groups, why }
    };
    busy.iter().enumerate().map(of).collect()
}

/// GB/s by the number of the L3 cache, over all groups: local and total.
pub(super) fn by_cache(moved: &[Moved], seconds: f64) -> BTreeMap<u32, LocalAndTotal<f64>> {
    let mut sums: BTreeMap<u32, LocalAndTotal<u64>> = BTreeMap::new();
    for (cache, counters) in moved.iter().flat_map(|group| &group.bytes) {
        let sum = sums.entry(*cache).or_insert((Some(0), Some(0)));
        let add = |sum: Option<u64>, part: Option<u64>| Some(sum?.saturating_add(part?));
        *sum = (add(sum.0, counters.local), add(sum.1, counters.total));
    }
    let gbs = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64 / 1e9 / seconds);
    sums.into_iter().map(|(cache, (local, total))| (cache, (gbs(local), gbs(total)))).collect()
}
