//! What the figures of a machine and of applications are now.

use super::kind::{AppFigure, Figure, NodeFigure};
use numasim_model::app::App;
use numasim_model::ids::NodeId;
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflop, GigabytesPerSecond};

/// What a node has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Has {
    cores: bool,
    memory: bool,
}

impl Has {
    pub(super) fn of(node: &Node) -> Self {
        Self { cores: node.cores > 0, memory: node.has_memory() }
    }
}

impl NodeFigure {
    /// Its value; `None` where the machine does not limit it, or has no such memory.
    pub(super) fn of(self, node: &Node) -> Option<f64> {
        match self {
            Self::Bandwidth if !node.has_memory() => None,
            Self::Cores => Some(f64::from(node.cores)),
            Self::GflopsPerCore => Some(node.gflops_per_core.value()),
            Self::Bandwidth => Some(node.bandwidth.value()),
            Self::CoreBandwidth => node.core_bandwidth.map(GigabytesPerSecond::value),
            Self::Read => node.read_bandwidth.map(GigabytesPerSecond::value),
            Self::Kernel(kernel) => node.kernels.get(kernel).map(GigabytesPerSecond::value),
        }
    }

    /// Whether a key that names `only`, or no node, stands for node `n`.
    pub(super) fn covers(self, only: Option<NodeId>, n: usize, has: Has) -> bool {
        let is_there = if self.is_of_memory() { has.memory } else { has.cores };
        only.map_or(is_there, |only| only == NodeId(n))
    }
}

impl AppFigure {
    /// Its value; `None` where the application has none.
    pub(super) fn of(self, app: &App) -> Option<f64> {
        match self {
            Self::ArithmeticIntensity => Some(app.arithmetic_intensity.value()),
            Self::MinThreads => Some(f64::from(app.min_threads)),
            Self::MaxThreads => app.max_threads.map(f64::from),
            Self::Weight => Some(app.weight),
            Self::Work => app.work.map(Gflop::value),
        }
    }
}

impl Figure {
    /// The values in `machine` and `apps`, one for each node, link or application that it stands for and that has one.
    pub fn values(&self, machine: &Machine, apps: &[App]) -> Vec<f64> {
        let link = |(from, to)| machine.link(from, to).map(GigabytesPerSecond::value);
        match self {
            Self::Node(figure, only) => {
                let nodes = machine.nodes().iter().enumerate();
                let covered = nodes.filter(|(n, node)| figure.covers(*only, *n, Has::of(node)));
                covered.filter_map(|(_, node)| figure.of(node)).collect()
            }
            Self::Link(Some(pair)) => link(*pair).into_iter().collect(),
            Self::Link(None) => {
                let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
                pairs.filter_map(link).collect()
            }
            Self::SharedLink(number) => {
                machine.shared_links().get(*number).map(|link| link.bandwidth.value()).into_iter().collect()
            }
            Self::Sharing(parameter) => machine.sharing().parameters.get(*parameter).into_iter().collect(),
            Self::App(figure, range) => {
                apps.get(range.clone()).into_iter().flatten().filter_map(|app| figure.of(app)).collect()
            }
        }
    }
}
