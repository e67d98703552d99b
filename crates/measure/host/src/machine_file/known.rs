//! Figures that no topology shows: given by a person, or in the source of the topology.

use numasim_model::machine::{FigureKind, Provenance};
use numasim_study::keys::{Key, provenance as keys};
use numasim_study::writing::{Lines, float};

use crate::topology::{Counting, HostNode, HostTopology};

/// What a person gives for all nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// Peak of one core in GFLOPS.
    pub gflops_per_core: Option<f64>,
    /// What the memory of a node delivers to its own cores, in GB/s.
    pub bandwidth_gbs: Option<f64>,
    /// What the cores of a node get from the memory of another one, in GB/s.
    pub link_gbs: Option<f64>,
    /// Hardware threads that share a core, by which processors were counted as cores.
    pub threads_per_core: Option<u32>,
}

/// All that is known beside the topology.
pub(super) struct Known<'a> {
    pub(super) host: &'a HostTopology,
    pub(super) given: Given,
    /// Where the figures come from that nobody gave: each is only there to be replaced.
    pub(super) assumed: Option<&'static str>,
}

impl Known<'_> {
    /// A key with its figure, or the key as a comment with what stands behind it then, as behind one that is only assumed.
    pub(super) fn put(&self, lines: &mut Lines, key: &Key, figure: Option<f64>, hint: &str) {
        match figure.map(float) {
            Some(figure) if self.assumed.is_some() => {
                lines.put(key, format_args!("{figure}  {}", hint.trim_start()));
            }
            Some(figure) => lines.put(key, figure),
            None => lines.open(key, hint),
        }
    }

    /// The number of cores of a node, `None` where processors are all that is known.
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

    /// The peak of a core, where it is the same on all nodes.
    pub(super) fn peak_of_all(&self) -> Option<f64> {
        let first = self.peak(0)?;
        (0..self.host.nodes.len()).all(|node| self.peak(node) == Some(first)).then_some(first)
    }

    /// The bandwidth of each pair of nodes: of the source, or `bandwidth_gbs` and `link_gbs`; `None` where it is open. What is
    /// only assumed is so for memories without cores, too. A node without memory delivers nothing, and no core is on a memory-only node.
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

    /// All bandwidths, where each is known.
    pub(super) fn matrix(&self) -> Option<Vec<Vec<f64>>> {
        self.cells().into_iter().map(|row| row.into_iter().collect()).collect()
    }

    /// Some bandwidth is known: the matrix is a key, and not a comment.
    pub(super) fn some_bandwidth(&self) -> bool {
        self.host.figures.is_some() || self.given.bandwidth_gbs.is_some() || self.given.link_gbs.is_some()
    }

    /// Nothing that a machine needs is left open.
    pub(super) fn complete(&self) -> bool {
        let nodes = self.host.nodes.iter().enumerate();
        let peaks = nodes.clone().all(|(node, found)| found.cores == 0 || self.peak(node).is_some());
        let cores = nodes.clone().all(|(_, found)| self.cores(found.cores).is_some());
        let single = self.host.nodes.len() == 1 && self.given.bandwidth_gbs.is_some();
        cores && peaks && (single || self.matrix().is_some())
    }

    /// `[machine.provenance]` of these figures; `matrix`: the bandwidths stand in one.
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

/// What stands for a figure that is open inside of a table: a text, which `numasim check` names.
pub(super) const OPEN: &str = "\"?\"";
