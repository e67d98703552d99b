//! What the figures of a machine and of applications are now.

use super::kind::Figure;
use crate::keys::Key;
use numasim_model::app::App;
use numasim_model::ids::NodeId;
use numasim_model::machine::{Machine, Node};
use numasim_model::units::GigabytesPerSecond;

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

    /// Whether a key that names `only`, or no node, stands for node `n`.
    pub(super) fn covers(self, key: &Key, only: Option<NodeId>, n: usize) -> bool {
        let is_there = if key.of_memory { self.memory } else { self.cores };
        only.map_or(is_there, |only| only == NodeId(n))
    }
}

impl Figure {
    /// The values in `machine` and `apps`, one for each node, link or application that it stands for and that has one.
    pub fn values(&self, machine: &Machine, apps: &[App]) -> Vec<f64> {
        let link = |(from, to)| machine.link(from, to).map(GigabytesPerSecond::value);
        match self {
            Self::Node(figure, only) => {
                let nodes = machine.nodes().iter().enumerate();
                let covered = nodes.filter(|(n, node)| Has::of(node).covers(figure, *only, *n));
                covered.filter_map(|(_, node)| (figure.node?.get)(node)).collect()
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
                let apps = apps.get(range.clone()).into_iter().flatten();
                apps.filter_map(|app| (figure.app?.get)(app)).collect()
            }
        }
    }
}
