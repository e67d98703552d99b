//! The layout of the host: its nodes and cores, as far as this process may use them.

use numasim_host::affinity::{AffinityError, allowed};
use numasim_host::system::System;
use numasim_model::cpus::CpuList;

use super::{Bind, Layout, LayoutError, PoolNode};

/// Why the host cannot be laid out.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The system does not say which processors this process may use; only Linux does.
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    /// No core may be used.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl Layout {
    /// The NUMA nodes of this host in the order of the system, and on each a worker for each core of which this process
    /// may use a processor. Without hwloc: `/sys` tells, distances too.
    ///
    /// # Errors
    /// Every variant of [`HostError`].
    pub fn of_this_host(bind: Bind) -> Result<Self, HostError> {
        let found = System::host().node_cores(&allowed()?);
        let nodes = found.iter().map(|node| {
            let cores = node.cores.len();
            // The first processor of each core, then the second ones.
            let most = node.cores.iter().map(Vec::len).max().unwrap_or(0);
            let round = |thread: usize| node.cores.iter().filter_map(move |core| core.get(thread).copied());
            let cpus = CpuList::new((0..most).flat_map(round).collect()).ok();
            PoolNode { workers: cores, cores, cpus }
        });
        let layout = Self::new(nodes.collect(), bind)?;
        let row = |number: u32| {
            let path = format!("/sys/devices/system/node/node{number}/distance");
            numbers(&std::fs::read_to_string(path).unwrap_or_default())
        };
        // A system that does not tell has nodes that are all as far from each other.
        let table = found.iter().map(|node| row(node.number)).collect();
        Ok(layout.clone().with_distances(table).unwrap_or(layout))
    }

    /// The same nodes with so many workers on each; the rest of a list that is too short is 0.
    ///
    /// # Errors
    /// [`LayoutError::NoWorker`].
    pub fn with_workers(mut self, workers: &[usize]) -> Result<Self, LayoutError> {
        for (place, node) in self.nodes.iter_mut().enumerate() {
            node.workers = workers.get(place).copied().unwrap_or(0);
        }
        if self.nodes.iter().all(|node| node.workers == 0) {
            return Err(LayoutError::NoWorker(self.nodes.len()));
        }
        Ok(self)
    }
}

fn numbers(text: &str) -> Vec<u32> {
    text.split_whitespace().map_while(|word| word.parse().ok()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn every_core_that_may_be_used_has_a_worker() {
        let layout = Layout::of_this_host(Bind::Core).expect("Linux tells");
        let cores: usize = layout.nodes().iter().map(|node| node.cores).sum();
        assert_eq!(layout.workers().iter().sum::<usize>(), cores);
        let allowed = allowed().expect("Linux tells");
        let cpus = layout.nodes().iter().filter_map(|node| node.cpus.as_ref());
        let mut cpus: Vec<u32> = cpus.flat_map(|list| list.as_slice().to_vec()).collect();
        cpus.sort_unstable();
        assert_eq!(cpus, allowed);
    }

    #[test]
    fn other_numbers_of_workers_need_one_in_all() {
        let layout = Layout::of_this_host(Bind::Node).expect("Linux tells");
        let nodes = layout.nodes().len();
        assert_eq!(layout.clone().with_workers(&[3]).expect("a layout").workers()[0], 3);
        assert_eq!(layout.with_workers(&[]), Err(LayoutError::NoWorker(nodes)));
    }

    #[test]
    fn distances_are_numbers_between_spaces() {
        assert_eq!(numbers("10 21\n"), [10, 21]);
        assert_eq!(numbers(""), [0_u32; 0]);
    }
}
