//! Links that several pairs of nodes use together, such as those between two sockets.

use super::error::MachineError;
use crate::bounds;
use crate::ids::NodeId;
use crate::units::GigabytesPerSecond;

/// Bandwidth that the reads of several pairs of nodes share, beside the links of the pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedLink {
    /// Its name: `xGMI`, `UPI`.
    pub name: String,
    /// What it carries in each direction.
    pub bandwidth: GigabytesPerSecond,
    /// Nodes whose cores read over it, ascending.
    pub from: Vec<NodeId>,
    /// Nodes whose memories they read, ascending; none of them in `from`.
    pub to: Vec<NodeId>,
    /// Whether cores of `to` also read memories of `from` over it, with a capacity of their own.
    pub both_ways: bool,
}

/// One direction of a shared link: a resource with a capacity of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedDirection<'a> {
    /// The link.
    pub link: &'a SharedLink,
    /// Nodes of the cores that read.
    pub from: &'a [NodeId],
    /// Nodes of the memories that are read.
    pub to: &'a [NodeId],
}

impl SharedDirection<'_> {
    /// Whether cores of `from` read the memory of `to` over it.
    pub fn carries(&self, from: NodeId, to: NodeId) -> bool {
        self.from.binary_search(&from).is_ok() && self.to.binary_search(&to).is_ok()
    }
}

impl SharedLink {
    /// Its directions: one, or both.
    pub fn directions(&self) -> impl Iterator<Item = SharedDirection<'_>> {
        let there = SharedDirection { link: self, from: &self.from, to: &self.to };
        let back = SharedDirection { link: self, from: &self.to, to: &self.from };
        std::iter::once(there).chain(self.both_ways.then_some(back))
    }

    /// Checks it for a machine of `nodes` nodes, and sorts its groups.
    pub(super) fn checked(mut self, nodes: usize) -> Result<Self, MachineError> {
        let name = || self.name.clone();
        let value = self.bandwidth.value();
        if let Some(misfit) = bounds::misfit(value, false) {
            return Err(MachineError::SharedLinkBandwidth { name: name(), must: misfit.must, value });
        }
        if self.from.is_empty() || self.to.is_empty() {
            return Err(MachineError::SharedLinkGroup { name: name(), why: "a group without nodes" });
        }
        if self.from.iter().chain(&self.to).any(|node| node.0 >= nodes) {
            return Err(MachineError::SharedLinkGroup { name: name(), why: "a node that is not there" });
        }
        let mut all = [self.from.as_slice(), self.to.as_slice()].concat();
        all.sort_unstable();
        if all.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(MachineError::SharedLinkGroup { name: name(), why: "a node twice" });
        }
        self.from.sort_unstable();
        self.to.sort_unstable();
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(from: &[usize], to: &[usize], gbs: f64) -> SharedLink {
        let nodes = |list: &[usize]| list.iter().copied().map(NodeId).collect();
        SharedLink {
            name: "xGMI".to_owned(),
            bandwidth: GigabytesPerSecond::new(gbs),
            from: nodes(from),
            to: nodes(to),
            both_ways: true,
        }
    }

    #[test]
    fn both_directions_carry_their_own_pairs() {
        let link = link(&[1, 0], &[3, 2], 60.0).checked(4).expect("two groups");
        let carried: Vec<(bool, bool)> = link
            .directions()
            .map(|d| (d.carries(NodeId(0), NodeId(3)), d.carries(NodeId(3), NodeId(0))))
            .collect();
        assert_eq!(carried, [(true, false), (false, true)]);
        assert!(!link.directions().any(|direction| direction.carries(NodeId(0), NodeId(1))));
    }

    #[test]
    fn groups_that_make_no_sense_are_refused() {
        let wrong = [(&[0, 1][..], &[1][..]), (&[0], &[4]), (&[], &[1]), (&[0, 0], &[1])];
        for (from, to) in wrong {
            assert!(matches!(link(from, to, 60.0).checked(4), Err(MachineError::SharedLinkGroup { .. })));
        }
        assert!(matches!(link(&[0], &[1], 0.0).checked(4), Err(MachineError::SharedLinkBandwidth { .. })));
    }
}
