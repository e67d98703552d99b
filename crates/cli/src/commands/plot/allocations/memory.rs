//! Whether the data of all fits into the memory of the nodes.

use numasim_model::memory::{self, MemoryFull};
use numasim_model::{Allocation, AppId, NodeId, Placement, Scenario, Study};

use crate::failure::Failure;
use numasim_ask::located::Located;
use numasim_ask::room;

/// The data of all applications of a study, with threads of those that take part.
pub(super) struct LyingData<'a> {
    study: &'a Study,
    placements: Vec<Placement>,
    taking_part: &'a [usize],
    /// Why the first allocation that does not fit does not.
    pub(super) full: Option<MemoryFull>,
}

impl<'a> LyingData<'a> {
    /// Data as in the scenario; an open home of an application without threads is nowhere.
    pub(super) fn new(study: &'a Study, scenario: Option<&Scenario>, taking_part: &'a [usize]) -> Self {
        let data = |a: usize| scenario.map_or(&study.apps[a].data, |scenario| &scenario.data[a]);
        let placements = (0..study.apps.len()).map(|a| data(a).placement_or_local()).collect();
        Self { study, placements, taking_part, full: None }
    }

    /// Whether it fits with these threads: for each application that takes part one number for each node.
    pub(super) fn fits(&mut self, threads: &[u32]) -> bool {
        let Study { machine, apps, .. } = self.study;
        if !memory::is_limited(machine, apps) {
            return true;
        }
        let nodes = machine.node_count();
        let mut allocation = Allocation::empty(apps.len(), nodes);
        for (&app, row) in self.taking_part.iter().zip(threads.chunks_exact(nodes)) {
            for (node, &threads) in row.iter().enumerate() {
                allocation.set(AppId(app), NodeId(node), threads);
            }
        }
        match memory::fits(machine, apps, &self.placements, &allocation) {
            Ok(()) => true,
            Err(full) => {
                self.full.get_or_insert(full);
                false
            }
        }
    }
}

/// No numbers of threads leave enough memory.
pub(super) fn no_room(study: &Study, full: &MemoryFull, located: Option<&Located>) -> Failure {
    let message = format!("the data does not fit with any numbers of threads: {}", room::words(study, full));
    let shown = located.and_then(|located| located.too_much_data(study, full, &message));
    shown.map_or_else(|| Failure::input(message).hint(room::hint()), Failure::from)
}
