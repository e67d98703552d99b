//! Reads the figures that the machine may give for all nodes, and a node for itself: what its threads can draw and read,
//! and how much memory it has. The own figure of a node holds.

use super::log::Log;
use super::reading::TableKind;
use super::table::TableReader;
use super::value::{BANDWIDTH, MEMORY, Quantity};

/// Key, what it is, and what holds where no file gives it.
const KEYS: [(&str, Quantity, &str); 3] = [
    ("core_bandwidth_gbs", BANDWIDTH, "no limit"),
    (
        "read_gbs",
        Quantity {
            what: "what the threads of a node can read together in GB/s",
            example: "100.0",
            ..BANDWIDTH
        },
        "no limit",
    ),
    ("memory_gib", MEMORY, "not given"),
];

/// The figures, as far as a file gives them.
#[derive(Clone, Copy, Default)]
pub(super) struct NodeLimits([Option<f64>; KEYS.len()]);

impl NodeLimits {
    /// Reads them from `[machine]` or a `[[machine.node]]`; `None` if one of them makes no sense.
    pub(super) fn read(table: &mut TableReader<'_>) -> Option<Self> {
        // Each is read, so that every mistake is reported.
        let values = KEYS.map(|(key, quantity, _)| table.optional(key).map(|value| value.number(quantity)));
        if values.contains(&Some(None)) {
            return None;
        }
        Some(Self(values.map(Option::flatten)))
    }

    /// These, and what is missing from `machine`.
    pub(super) fn or(self, machine: Self) -> Self {
        let mut both = self.0;
        both.iter_mut().zip(machine.0).for_each(|(own, of_machine)| *own = own.or(of_machine));
        Self(both)
    }

    /// The most that one thread can draw in GB/s.
    pub(super) const fn core_bandwidth(&self) -> Option<f64> {
        self.0[0]
    }

    /// The most that all threads of the node can read together in GB/s.
    pub(super) const fn read_bandwidth(&self) -> Option<f64> {
        self.0[1]
    }

    /// Its memory in GiB.
    pub(super) const fn memory(&self) -> Option<f64> {
        self.0[2]
    }
}

/// Notes what neither the machine nor a node gives; a node that could not be read is `None`.
pub(super) fn note_defaults(log: &Log, name: &str, machine: NodeLimits, nodes: &[Option<NodeLimits>]) {
    for (number, (key, _, default)) in KEYS.into_iter().enumerate() {
        if machine.0[number].is_some() {
            continue;
        }
        let open = |node: &Option<NodeLimits>| node.is_some_and(|node| node.0[number].is_none());
        if nodes.iter().all(open) {
            log.note_default(TableKind::Machine, name, key, default);
            continue;
        }
        for (index, _) in nodes.iter().enumerate().filter(|(_, node)| open(node)) {
            log.note_default(TableKind::Node, &index.to_string(), key, default);
        }
    }
}
