//! What the figures of a machine and of applications are now.

use super::kind::{AppFigure, Figure, NodeFigure};
use crate::app::App;
use crate::ids::NodeId;
use crate::machine::{Machine, Node};
use crate::units::{Gflop, GigabytesPerSecond};

impl NodeFigure {
    /// Its value; `None` where the machine does not limit it.
    pub(super) fn of(self, node: &Node) -> Option<f64> {
        match self {
            Self::Cores => Some(f64::from(node.cores)),
            Self::GflopsPerCore => Some(node.gflops_per_core.value()),
            Self::Bandwidth => Some(node.bandwidth.value()),
            Self::CoreBandwidth => node.core_bandwidth.map(GigabytesPerSecond::value),
            Self::Read => node.read_bandwidth.map(GigabytesPerSecond::value),
            Self::Kernel(kernel) => node.kernels.get(kernel).map(GigabytesPerSecond::value),
        }
    }

    /// Whether a key that names `only`, or no node, stands for node `n` that has cores or has none.
    pub(super) fn covers(self, only: Option<NodeId>, n: usize, has_cores: bool) -> bool {
        only.map_or(has_cores || self.is_of_memory(), |only| only == NodeId(n))
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
                let covered = nodes.filter(|(n, node)| figure.covers(*only, *n, node.cores > 0));
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
