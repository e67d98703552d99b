//! Which numbers of threads there are on each node.

use numasim_model::Study;

use super::question::Addressed;
use crate::failure::Failure;

/// What a node offers.
pub(super) struct Room {
    /// Of the smallest node that has cores.
    pub(super) cores: u32,
    /// Nodes that have cores.
    pub(super) nodes: u64,
}

impl Room {
    /// Fewest and most threads of each instance on each node, by its limits for the whole machine.
    pub(super) fn limits(&self, study: &Study, addressed: &Addressed) -> (u32, u32) {
        let apps = || addressed.apps.iter().map(|&a| &study.apps[a]);
        let on_each = |threads: u64| u32::try_from(threads).unwrap_or(u32::MAX);
        let fewest = apps().map(|app| u64::from(app.min_threads).div_ceil(self.nodes)).max().unwrap_or(0);
        let most = apps().filter_map(|app| app.max_threads).map(|most| u64::from(most) / self.nodes).min();
        (on_each(fewest), most.map_or(u32::MAX, on_each))
    }

    /// The numbers of threads that can be.
    pub(super) fn threads(&self, study: &Study, addressed: &Addressed) -> Result<Vec<u32>, Failure> {
        let (fewest, most) = self.limits(study, addressed);
        let threads: Vec<u32> = (fewest..=most.min(self.cores / addressed.count())).collect();
        if threads.is_empty() {
            return Err(Failure::input(format!(
                "'{}' cannot have the same number of threads on every node: {} nodes of {} cores, its min_threads and its \
                 max_threads leave no number",
                addressed.name, self.nodes, self.cores
            ))
            .hint("change its limits, or name another application with --x and --y"));
        }
        Ok(threads)
    }
}
