//! Reads the figures that the machine may give for all nodes, and a node for itself: what its threads can draw and read,
//! how much memory it has, what that delivers to kernels that write, and its last-level cache. The own figure of a node holds.

use numasim_model::access::Access;
use numasim_model::app::App;
use numasim_model::ids::NodeId;
use numasim_model::machine::{KernelBandwidths, LastLevelCache, Machine};
use numasim_model::units::{GigabytesPerSecond, Megabytes};

use super::log::Log;
use super::problem::{Problem, ProblemKind};
use super::reading::TableKind;
use super::table::TableReader;
use super::value::{BANDWIDTH, MEMORY_OF_NODES, Quantity};

/// Key, what it is, and what holds where no file gives it; of kernels [`note_kernels`] says that where an application uses them.
const KEYS: [(&str, Quantity, Option<&str>); 8] = [
    ("core_bandwidth_gbs", BANDWIDTH, Some("no limit")),
    (
        "read_gbs",
        Quantity {
            what: "what the threads of a node can read together in GB/s",
            example: "100.0",
            ..BANDWIDTH
        },
        Some("no limit"),
    ),
    (MEMORY_GIB, MEMORY_OF_NODES, Some("not given")),
    (Access::Copy.figure_key(), KERNEL, None),
    (Access::Triad.figure_key(), KERNEL, None),
    (Access::Update.figure_key(), KERNEL, None),
    (LLC_MB, CACHE, None),
    (LLC_GBS, CACHE_BANDWIDTH, None),
];
/// 0 of a node says that it has no memory.
const MEMORY_GIB: &str = "memory_gib";
/// Keys of the last-level cache; [`note_caches`] says what holds without them where there are tasks.
const LLC_MB: &str = "llc_mb";
const LLC_GBS: &str = "llc_gbs";
/// The first key of a kernel.
const FIRST_KERNEL: usize = 3;
const KERNEL: Quantity = Quantity {
    what: "what the memory of a node delivers to this kernel in GB/s, as the kernel counts its traffic",
    example: "24.0",
    ..BANDWIDTH
};

const CACHE: Quantity = Quantity {
    what: "the size of the last-level cache of a node in MB (10^6 bytes), 0 for none",
    example: "20.0",
    zero: true,
};
const CACHE_BANDWIDTH: Quantity = Quantity {
    what: "what one core reads from the last-level cache of its node in GB/s",
    example: "25.0",
    ..BANDWIDTH
};

/// The figures, as far as a file gives them.
#[derive(Clone, Copy, Default)]
pub(super) struct NodeLimits([Option<f64>; KEYS.len()]);

impl NodeLimits {
    /// Reads them from `[machine]`; `None` if one of them makes no sense.
    pub(super) fn read(table: &mut TableReader<'_>) -> Option<Self> {
        Self::read_with(table, |_| false)
    }

    /// Reads them from a `[[machine.node]]`, which may have no memory; `None` if one of them makes no sense.
    pub(super) fn read_of_node(table: &mut TableReader<'_>) -> Option<Self> {
        let limits = Self::read_with(table, |key| key == MEMORY_GIB)?;
        let kernel = Access::WRITING.into_iter().find_map(|kernel| table.place_of(kernel.figure_key()));
        let (Some(kernel), true) = (kernel, limits.has_no_memory()) else { return Some(limits) };
        let message = "the node has no memory, but a bandwidth of its memory";
        let problem = Problem::new(ProblemKind::Conflict, message)
            .at(kernel, "of which memory?")
            .hint("leave it out, or write the size of the memory, e.g. `memory_gib = 64.0`");
        let problem = match table.place_of(MEMORY_GIB) {
            Some(place) => problem.related(place, "0: the node has no memory"),
            None => problem,
        };
        table.source.log.report(problem);
        None
    }

    /// `zero`: whether a key may be 0 here.
    fn read_with(table: &mut TableReader<'_>, zero: impl Fn(&str) -> bool) -> Option<Self> {
        // Each is read, so that every mistake is reported.
        let values = KEYS.map(|(key, quantity, _)| {
            let quantity = Quantity { zero: quantity.zero || zero(key), ..quantity };
            table.optional(key).map(|value| value.number(quantity))
        });
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

    /// Whether it says that the node has no memory.
    pub(super) fn has_no_memory(&self) -> bool {
        self.memory() == Some(0.0)
    }

    /// Its memory in GiB; 0 for none.
    pub(super) const fn memory(&self) -> Option<f64> {
        self.0[2]
    }

    /// Its last-level cache, where a file gives one; the outer `None` where it says nothing of it.
    #[allow(clippy::option_option, reason = "not said, none, or one")]
    pub(super) fn cache(&self) -> Option<Option<LastLevelCache>> {
        let (size, bandwidth) = (self.0[KEYS.len() - 2]?, self.0[KEYS.len() - 1]);
        let core_bandwidth = bandwidth.map(GigabytesPerSecond::new);
        Some((size > 0.0).then_some(LastLevelCache { size: Megabytes::new(size), core_bandwidth }))
    }

    /// What its memory delivers to kernels that write.
    pub(super) fn kernels(&self) -> KernelBandwidths {
        let mut kernels = KernelBandwidths::NONE;
        for (kernel, figure) in Access::WRITING.into_iter().zip(&self.0[FIRST_KERNEL..]) {
            if let Some(figure) = figure {
                kernels.set(kernel, GigabytesPerSecond::new(*figure));
            }
        }
        kernels
    }
}

/// Reports `llc_gbs` where no cache has a size.
pub(super) fn check_caches(table: &TableReader<'_>, machine: NodeLimits, nodes: &[Option<NodeLimits>]) {
    let all = || std::iter::once(&machine).chain(nodes.iter().flatten());
    let (size, bandwidth) = (KEYS.len() - 2, KEYS.len() - 1);
    let broken = nodes.iter().any(Option::is_none);
    if broken || all().all(|own| own.0[bandwidth].is_none()) || all().any(|own| own.0[size].is_some()) {
        return;
    }
    let message = format!("`{LLC_GBS}` is the bandwidth of a cache, but `{LLC_MB}` is not given");
    let place = table.place_of(LLC_GBS).unwrap_or_else(|| table.place());
    let problem = Problem::new(ProblemKind::MissingKey, message)
        .at(place, "of which cache?")
        .hint(format!("add its size in MB (10^6 bytes), e.g. `{LLC_MB} = 20.0`"));
    table.source.log.report(problem);
}

/// Notes what the machine does not say of its caches, where there are tasks: nobody else looks at them.
pub(super) fn note_caches(log: &Log, machine: &Machine) {
    let with = || machine.compute_nodes().filter_map(|node| machine.cache(node));
    if with().next().is_none() {
        if !machine.says_caches() {
            log.note_default(TableKind::Machine, machine.name(), LLC_MB, "none");
        }
    } else if with().all(|cache| cache.core_bandwidth.is_none()) {
        log.note_default(TableKind::Machine, machine.name(), LLC_GBS, "no limit");
    }
    if !machine.has_distances() && machine.compute_nodes().count() > 1 {
        log.note_default(TableKind::Machine, machine.name(), "distance_matrix", "not given");
    }
}

/// Notes kernels of applications that a memory has no figure of.
pub(super) fn note_kernels(log: &Log, machine: &Machine, apps: &[App]) {
    let used = |kernel: &Access| apps.iter().any(|app| app.kernel == *kernel);
    for kernel in Access::WRITING.into_iter().filter(used) {
        let note = |table, name: &str| {
            log.note_default(table, name, kernel.figure_key(), "the bandwidth of reads");
        };
        if !machine.has_figure_of(kernel) {
            note(TableKind::Machine, machine.name());
            continue;
        }
        let open = |node: &NodeId| machine.node(*node).kernels.get(kernel).is_none();
        machine.memory_nodes().filter(open).for_each(|node| note(TableKind::Node, &node.0.to_string()));
    }
}

/// Notes what neither the machine nor a node gives; a node that could not be read is `None`.
pub(super) fn note_defaults(log: &Log, name: &str, machine: NodeLimits, nodes: &[Option<NodeLimits>]) {
    for (number, (key, _, default)) in KEYS.into_iter().enumerate() {
        let Some(default) = default.filter(|_| machine.0[number].is_none()) else { continue };
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
