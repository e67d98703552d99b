//! Values that no topology contains: given by a person, or by the source of the topology.

use crate::keys::{Key, machine, provenance as keys};
use crate::writing::{Lines, float};
use numasim_model::machine::{FigureKind, Provenance};

use crate::topology::{Cache, Counting, HostNode, HostTopology};

/// Values that a person gives for all nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// Peak of one core in GFLOPS.
    pub gflops_per_core: Option<f64>,
    /// Bandwidth of a node's memory for its own cores, in GB/s.
    pub bandwidth_gbs: Option<f64>,
    /// Bandwidth of the cores of a node from the memory of another one, in GB/s.
    pub link_gbs: Option<f64>,
    /// Hardware threads per core if logical CPUs were counted as cores.
    pub threads_per_core: Option<u32>,
}

/// All known values in addition to the topology.
pub(super) struct Known<'a> {
    pub(super) host: &'a HostTopology,
    pub(super) given: Given,
    /// The source of values that were not given: they only exist to be replaced.
    pub(super) assumed: Option<&'static str>,
}

impl Known<'_> {
    /// A key with its value. Without a value, the key as a comment followed by `hint`, which also follows a
    /// value that is only assumed.
    pub(super) fn put(&self, lines: &mut Lines, key: &Key, figure: Option<f64>, hint: &str) {
        match figure.map(float) {
            Some(figure) if self.assumed.is_some() => {
                lines.put(key, format_args!("{figure}  {}", hint.trim_start()));
            }
            Some(figure) => lines.put(key, figure),
            None => lines.open(key, hint),
        }
    }

    /// The number of cores of a node, `None` if only logical CPUs are known.
    pub(super) fn cores(&self, cores: u32) -> Option<u32> {
        (cores == 0 || self.host.counting != Counting::Processors).then_some(cores)
    }

    /// The peak of a core of a node.
    pub(super) fn peak(&self, node: usize) -> Option<f64> {
        let told = self
            .host
            .figures
            .as_ref()
            .and_then(|figures| figures.gflops_per_core.as_ref()?.get(node).copied());
        self.given.gflops_per_core.or(told.filter(|&peak| peak > 0.0))
    }

    /// The peak of a core, if it is the same on all nodes.
    pub(super) fn peak_of_all(&self) -> Option<f64> {
        let first = self.peak(0)?;
        (0..self.host.nodes.len()).all(|node| self.peak(node) == Some(first)).then_some(first)
    }

    /// The bandwidth of each pair of nodes: of the source, or `bandwidth_gbs` and `link_gbs`; `None` if open.
    /// Assumed values also apply to memories without cores. A node without memory delivers nothing, and a
    /// memory-only node has no cores.
    pub(super) fn cells(&self) -> Vec<Vec<Option<f64>>> {
        if let Some(figures) = &self.host.figures {
            return figures
                .bandwidth
                .iter()
                .map(|row| row.iter().map(|cell| Some(cell.value())).collect())
                .collect();
        }
        let nodes = &self.host.nodes;
        let cell = |(from, node): (usize, &HostNode), (to, memory): (usize, &HostNode)| match (
            from == to,
            node.cores > 0,
        ) {
            _ if memory.without_memory() => Some(0.0),
            (true, true) => self.given.bandwidth_gbs,
            (true, false) => self.given.bandwidth_gbs.filter(|_| self.assumed.is_some()),
            (false, true) => self.given.link_gbs,
            (false, false) => Some(0.0),
        };
        let row = |from| nodes.iter().enumerate().map(|to| cell(from, to)).collect();
        nodes.iter().enumerate().map(row).collect()
    }

    /// All bandwidths, if each is known.
    pub(super) fn matrix(&self) -> Option<Vec<Vec<f64>>> {
        self.cells().into_iter().map(|row| row.into_iter().collect()).collect()
    }

    /// Whether any bandwidth is known: the matrix is then a key, and not a comment.
    pub(super) fn some_bandwidth(&self) -> bool {
        self.host.figures.is_some() || self.given.bandwidth_gbs.is_some() || self.given.link_gbs.is_some()
    }

    /// Whether all values that a machine needs are known.
    pub(super) fn complete(&self) -> bool {
        let nodes = self.host.nodes.iter().enumerate();
        let peaks = nodes.clone().all(|(node, found)| found.cores == 0 || self.peak(node).is_some());
        let cores = nodes.clone().all(|(_, found)| self.cores(found.cores).is_some());
        let single = self.host.nodes.len() == 1 && self.given.bandwidth_gbs.is_some();
        cores && peaks && (single || self.matrix().is_some())
    }

    /// `[machine.provenance]` of these values; `matrix`: the bandwidths are in a matrix.
    pub(super) fn provenance(&self, matrix: bool, lines: &mut Lines) {
        let given = |what: &str| {
            let source =
                self.assumed.map_or_else(|| format!("given to numasim import, {what}"), str::to_owned);
            Provenance::of(FigureKind::Assumed, source)
        };
        let Given { gflops_per_core, bandwidth_gbs, link_gbs, threads_per_core } = self.given;
        let link_gbs = link_gbs.filter(|_| matrix || self.assumed.is_none() || self.host.nodes.len() > 1);
        let mut entries = Vec::new();
        entries.extend(threads_per_core.map(|_| (&keys::CORES, given("--threads-per-core"))));
        entries.extend(gflops_per_core.map(|_| (&keys::GFLOPS_PER_CORE, given("--gflops-per-core"))));
        let (bandwidth, link) = (bandwidth_gbs.map(|_| "--bandwidth-gbs"), link_gbs.map(|_| "--link-gbs"));
        match (&self.host.figures, matrix) {
            (Some(figures), _) => {
                let origin = figures.origin.clone().map(|(kind, source)| Provenance::of(kind, source));
                entries.extend(origin.map(|origin| (&keys::BANDWIDTH_MATRIX_GBS, origin)));
            }
            (None, true) => {
                let options: Vec<&str> = bandwidth.into_iter().chain(link).collect();
                entries.push((&keys::BANDWIDTH_MATRIX_GBS, given(&options.join(" and "))));
            }
            (None, false) => {
                entries.extend(bandwidth.map(|option| (&keys::BANDWIDTH_GBS, given(option))));
                entries.extend(link.map(|option| (&keys::LINK_GBS, given(option))));
            }
        }
        lines.origins(entries.iter().map(|(key, origin)| (key.name, origin)));
    }
}

/// The placeholder for an open value inside a table: a text, which `numasim check` names.
pub(super) const OPEN: &str = "\"?\"";

/// Memories count as equal if the smallest has at least this share of the largest: firmware and kernel
/// reserve a little of each.
const ALIKE: f64 = 0.9;

/// The memory keys of a machine file for all nodes together.
pub(super) enum Memory {
    /// The memory of a node is unknown: only a comment, or nothing if no memory is known.
    Unknown(Option<String>),
    /// The same size for each node.
    Each(String),
    /// Nearly the same size: the smallest, and all of them.
    Nearly(String, Vec<String>),
    /// Different sizes, written one by one.
    Different,
}

/// Bytes in GiB, rounded down to two digits, so that the file never promises more memory than exists; `None`
/// below that.
pub fn memory_gib(bytes: u64) -> Option<String> {
    let hundredths = (u128::from(bytes) * 100) >> 30;
    (hundredths > 0).then(|| format!("{}.{:02}", hundredths / 100, hundredths % 100))
}

/// Compares the memories of a host.
pub(super) fn of(host: &HostTopology) -> Memory {
    let bytes: Vec<u64> = host.nodes.iter().map(|node| node.memory_bytes.unwrap_or(0)).collect();
    if host.nodes.iter().any(HostNode::without_memory) {
        return Memory::Different;
    }
    let gib: Option<Vec<String>> = bytes.iter().map(|&bytes| memory_gib(bytes)).collect();
    let (Some(&least), Some(&most)) = (bytes.iter().min(), bytes.iter().max()) else {
        return Memory::Unknown(None);
    };
    match gib {
        None if most == 0 => Memory::Unknown(None),
        None => {
            let shown = bytes.iter().map(|&bytes| memory_gib(bytes).unwrap_or_else(|| "?".into()));
            Memory::Unknown(Some(shown.collect::<Vec<_>>().join(", ")))
        }
        Some(gib) if gib.iter().all(|one| *one == gib[0]) => Memory::Each(gib[0].clone()),
        Some(gib) if least as f64 >= ALIKE * most as f64 => {
            Memory::Nearly(memory_gib(least).unwrap_or_default(), gib)
        }
        Some(_) => Memory::Different,
    }
}

impl Memory {
    /// Writes the line for the short form of a machine.
    pub(super) fn write(&self, lines: &mut Lines) {
        let key = &machine::MEMORY_GIB;
        match self {
            Self::Each(gib) => lines.put(key, gib),
            Self::Nearly(least, all) => {
                lines.put(key, format_args!("{least}  # the smallest; node by node: {}", all.join(", ")));
            }
            Self::Unknown(Some(all)) => lines.comment(format_args!("{}, node by node: {all}", key.name)),
            Self::Unknown(None) | Self::Different => {}
        }
    }
}

/// Size of the last-level caches of each node with cores in MB (10^6 bytes), if it is the same for all: the
/// sum over the caches of a node, as a node may have several and several nodes may share one. `None` if the
/// system reports too little.
pub fn llc_mb(host: &HostTopology) -> Option<f64> {
    let last = host.caches.iter().map(|cache| cache.level).max()?;
    let mut of_last = host.caches.iter().filter(|cache| cache.level == last);
    let (Some(cache), None) = (of_last.next(), of_last.next()) else { return None };
    // A cache of one core is not a cache of a node.
    let Cache { bytes, cores: 2.., count, .. } = *cache else { return None };
    let nodes = host.nodes.iter().filter(|node| node.cores > 0).map(|node| node.cores);
    let (least, most) = (nodes.clone().min()?, nodes.clone().max()?);
    // If nodes have different numbers of cores, it is unclear which caches are theirs.
    (least == most).then(|| bytes as f64 * f64::from(count) / nodes.count() as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gibibytes_are_rounded_down() {
        // 64 GB are 59.604 GiB.
        assert_eq!(memory_gib(64_000_000_000).as_deref(), Some("59.60"));
        assert_eq!(memory_gib(3 << 29).as_deref(), Some("1.50"));
        assert_eq!((memory_gib(u64::MAX).as_deref(), memory_gib(1 << 20)), (Some("17179869183.99"), None));
    }

    #[test]
    fn cores_without_memory_are_written_node_by_node() {
        let mut host = HostTopology::from_cores("box", &[1, 1]);
        host.nodes[1].memory_bytes = Some(0);
        assert!(matches!(of(&host), Memory::Different));
    }

    #[test]
    fn slightly_different_memories_use_the_smallest_and_very_different_ones_are_listed() {
        let line = |gib: &[u64]| {
            let mut host = HostTopology::from_cores("box", &vec![1; gib.len()]);
            for (node, gib) in host.nodes.iter_mut().zip(gib) {
                node.memory_bytes = Some(gib << 30).filter(|&bytes| bytes > 0);
            }
            let found = of(&host);
            let mut lines = Lines::default();
            found.write(&mut lines);
            (lines.text(), matches!(found, Memory::Different))
        };
        assert_eq!(line(&[64, 64]), ("memory_gib = 64.00\n".into(), false));
        let nearly = "memory_gib = 62.00  # the smallest; node by node: 62.00, 64.00\n";
        assert_eq!(line(&[62, 64]), (nearly.into(), false));
        assert_eq!(line(&[32, 64]), (String::new(), true));
        assert_eq!(line(&[0, 64]), ("# memory_gib, node by node: ?, 64.00\n".into(), false));
        assert_eq!(line(&[0, 0]), (String::new(), false));
    }
}

#[cfg(test)]
mod caches_tests {
    use super::*;
    use crate::topology::HostNode;

    fn host(cores: &[u32], caches: &[Cache]) -> Option<f64> {
        let node = |&cores: &u32| HostNode { cores, ..HostNode::default() };
        let nodes = cores.iter().map(node).collect();
        llc_mb(&HostTopology { nodes, caches: caches.to_vec(), ..HostTopology::default() })
    }

    const L2: Cache = Cache { level: 2, bytes: 1 << 20, cores: 1, count: 16 };

    #[test]
    fn a_node_has_all_caches_of_its_dies_or_its_share_of_a_shared_one() {
        // Two dies with 8 MiB each on each of two nodes, the third node is memory only: 16 MiB are 16.777216 MB.
        let dies = Cache { level: 3, bytes: 8 << 20, cores: 4, count: 4 };
        assert_eq!(host(&[8, 8, 0], &[L2, dies]), Some(16.777_216));
        // One cache of 32 MiB for two nodes.
        let shared = Cache { level: 3, bytes: 32 << 20, cores: 16, count: 1 };
        assert_eq!(host(&[8, 8], &[L2, shared]), Some(16.777_216));
    }

    #[test]
    fn unclear_values_are_omitted() {
        let l3 = Cache { level: 3, bytes: 8 << 20, cores: 8, count: 2 };
        assert_eq!(host(&[8, 8], &[]), None);
        assert_eq!(host(&[8, 8], &[L2]), None);
        assert_eq!(host(&[8, 4], &[L2, l3]), None);
        assert_eq!(host(&[8, 8], &[l3, Cache { bytes: 1 << 20, ..l3 }]), None);
    }
}
