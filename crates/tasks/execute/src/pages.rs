//! Where the blocks of a run are, beside who made them.

use numasim_host::memory::Pages;
use numasim_kernels::Store;
use numasim_model::NodeId;
use numasim_tasks::TaskRecord;

/// The whole pages of the blocks: by node of the machine whose worker made the block, on which nodes of the operating system they are.
/// By first touch they are on the node of that worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPages(pub Vec<Pages>);

impl BlockPages {
    /// Asks for every block; `None` where the system does not tell.
    pub(crate) fn of(store: &Store, records: &[TaskRecord], nodes: usize) -> Option<Self> {
        let mut made_on: Vec<Option<NodeId>> = Vec::new();
        for record in records {
            let task = record.task.0 as usize;
            if made_on.len() <= task {
                made_on.resize(task + 1, None);
            }
            if let Some(node) = made_on.get_mut(task) {
                *node = Some(record.node);
            }
        }
        let mut all = vec![Pages::default(); nodes];
        for (task, addresses) in store.made() {
            let node = made_on.get(task.0 as usize).copied().flatten();
            let Some(of_node) = node.and_then(|node| all.get_mut(node.0)) else { continue };
            of_node.add(&Pages::of(&addresses)?);
        }
        Some(Self(all))
    }
}
