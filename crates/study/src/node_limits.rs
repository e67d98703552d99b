//! Reads the figures that the machine may give for all nodes, and a node for itself: what its threads can draw and read,
//! how much memory it has, what that delivers to kernels that write, and its last-level cache. The own figure of a node holds.

use std::collections::BTreeMap;

use numasim_model::access::Access;
use numasim_model::app::App;
use numasim_model::ids::NodeId;
use numasim_model::machine::{LastLevelCache, Machine, Node};
use numasim_model::units::{GigabytesPerSecond, Megabytes};

use super::keys::{Key, machine as keys, node};
use super::log::Log;
use super::problem::{Problem, ProblemKind};
use super::reading::TableKind;
use super::table::TableReader;

/// The keys that both tables have, as a node declares them.
fn shared_keys() -> impl Iterator<Item = &'static Key> {
    node::TABLE.keys.iter().copied().filter(|key| key.inherited.is_some())
}

/// The figures by the names of their keys, as far as a file gives them.
#[derive(Clone, Default)]
pub(super) struct NodeLimits(BTreeMap<&'static str, f64>);

impl NodeLimits {
    /// Reads them from `[machine]`; `None` if one of them makes no sense.
    pub(super) fn read(table: &mut TableReader<'_>) -> Option<Self> {
        // Each is read, so that every mistake is reported.
        let read: Vec<(&str, Option<f64>)> = shared_keys()
            .filter_map(|key| table.named(key.name).map(|value| (key.name, value.number())))
            .collect();
        read.into_iter().map(|(key, value)| Some((key, value?))).collect::<Option<_>>().map(Self)
    }

    /// Reads them from a `[[machine.node]]`, which may have no memory; `None` if one of them makes no sense.
    pub(super) fn read_of_node(table: &mut TableReader<'_>) -> Option<Self> {
        let limits = Self::read(table)?;
        let kernel = [&node::COPY_GBS, &node::TRIAD_GBS, &node::UPDATE_GBS]
            .into_iter()
            .find_map(|kernel| table.place_of(kernel));
        let (Some(kernel), true) = (kernel, limits.has_no_memory()) else { return Some(limits) };
        let message = "the node has no memory, but a bandwidth of its memory";
        let problem = Problem::new(ProblemKind::Conflict, message)
            .at(kernel, "of which memory?")
            .hint("leave it out, or write the size of the memory, e.g. `memory_gib = 64.0`");
        let problem = match table.place_of(&node::MEMORY_GIB) {
            Some(place) => problem.related(place, "0: the node has no memory"),
            None => problem,
        };
        table.source.log.report(problem);
        None
    }

    /// These, and what is missing from `machine`.
    pub(super) fn or(&self, machine: &Self) -> Self {
        let mut both = machine.0.clone();
        both.extend(&self.0);
        Self(both)
    }

    fn get(&self, key: &Key) -> Option<f64> {
        self.0.get(key.name).copied()
    }

    /// Whether it says that the node has no memory.
    pub(super) fn has_no_memory(&self) -> bool {
        self.get(&node::MEMORY_GIB) == Some(0.0)
    }

    /// Its last-level cache, where a file gives one; the outer `None` where it says nothing of it.
    #[allow(clippy::option_option, reason = "not said, none, or one")]
    pub(super) fn cache(&self) -> Option<Option<LastLevelCache>> {
        let size = self.get(&node::LLC_MB)?;
        let core_bandwidth = self.get(&node::LLC_GBS).map(GigabytesPerSecond::new);
        Some((size > 0.0).then_some(LastLevelCache { size: Megabytes::new(size), core_bandwidth }))
    }

    /// Puts them into a node.
    pub(super) fn put(&self, into: &mut Node) {
        for key in shared_keys() {
            if let (Some(field), Some(value)) = (key.node, self.get(key)) {
                (field.put)(into, value);
            }
        }
    }
}

/// Reports `llc_gbs` where no cache has a size.
pub(super) fn check_caches(table: &TableReader<'_>, machine: &NodeLimits, nodes: &[Option<NodeLimits>]) {
    let some =
        |key: &Key| std::iter::once(machine).chain(nodes.iter().flatten()).any(|own| own.get(key).is_some());
    let broken = nodes.iter().any(Option::is_none);
    if broken || !some(&keys::LLC_GBS) || some(&keys::LLC_MB) {
        return;
    }
    let message = "`llc_gbs` is the bandwidth of a cache, but `llc_mb` is not given";
    let place = table.place_of(&keys::LLC_GBS).unwrap_or_else(|| table.place());
    let problem = Problem::new(ProblemKind::MissingKey, message)
        .at(place, "of which cache?")
        .hint("add its size in MB (10^6 bytes), e.g. `llc_mb = 20.0`");
    table.source.log.report(problem);
}

/// Notes what the machine does not say of its caches, where there are tasks: nobody else looks at them.
pub(super) fn note_caches(log: &Log, machine: &Machine) {
    let with = || machine.compute_nodes().filter_map(|node| machine.cache(node));
    if with().next().is_none() {
        if !machine.says_caches() {
            log.note_default(TableKind::Machine, machine.name(), keys::LLC_MB.name, keys::LLC_MB.default);
        }
    } else if with().all(|cache| cache.core_bandwidth.is_none()) {
        log.note_default(TableKind::Machine, machine.name(), keys::LLC_GBS.name, keys::LLC_GBS.default);
    }
    if !machine.has_distances() && machine.compute_nodes().count() > 1 {
        let Key { name, default, .. } = keys::DISTANCE_MATRIX;
        log.note_default(TableKind::Machine, machine.name(), name, default);
    }
}

/// Notes kernels of applications that a memory has no figure of.
pub(super) fn note_kernels(log: &Log, machine: &Machine, apps: &[App]) {
    let used = |kernel: &Access| apps.iter().any(|app| app.kernel == *kernel);
    for kernel in Access::WRITING.into_iter().filter(used) {
        let note = |table, name: &str| {
            log.note_default(table, name, kernel.figure_key(), keys::COPY_GBS.default);
        };
        if !machine.has_figure_of(kernel) {
            note(TableKind::Machine, machine.name());
            continue;
        }
        let open = |node: &NodeId| machine.node(*node).kernels.get(kernel).is_none();
        machine.memory_nodes().filter(open).for_each(|node| note(TableKind::Node, &node.0.to_string()));
    }
}

/// Notes what neither the machine nor a node gives; a node that could not be read is `None`. Of kernels and caches that is noted where
/// something uses them.
pub(super) fn note_defaults(log: &Log, name: &str, machine: &NodeLimits, nodes: &[Option<NodeLimits>]) {
    for key in shared_keys().filter(|key| !key.noted_when_used && machine.get(key).is_none()) {
        let open = |node: &Option<NodeLimits>| node.as_ref().is_some_and(|node| node.get(key).is_none());
        if nodes.iter().all(open) {
            log.note_default(TableKind::Machine, name, key.name, key.default);
            continue;
        }
        for (index, _) in nodes.iter().enumerate().filter(|(_, node)| open(node)) {
            log.note_default(TableKind::Node, &index.to_string(), key.name, key.default);
        }
    }
}
