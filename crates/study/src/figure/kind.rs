//! What a figure is: its key, unit and range.

use std::ops::Range;

use super::range::ValueRange;
use crate::keys::{Key, Shape, machine, shared_link};
use numasim_model::ids::NodeId;
use numasim_model::sharing::Parameter;

/// A number of the input files, or several that are changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Of one node, the number where the key says; `None`: of every node that has cores, or, for the bandwidths of its memory, of every node that
    /// has memory.
    Node(&'static Key, Option<NodeId>),
    /// Bandwidth of one link (node of the cores, node of the memory), GB/s; `None`: of every link.
    Link(Option<(NodeId, NodeId)>),
    /// What a shared link carries in each direction, GB/s, by its place in [`numasim_model::Machine::shared_links`].
    SharedLink(usize),
    /// A parameter of the sharing model.
    Sharing(Parameter),
    /// Of these application instances.
    App(&'static Key, Range<usize>),
}

impl Figure {
    /// The last part of its key, which says what it is: `bandwidth_gbs`.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Node(key, _) | Self::App(key, _) => key.name,
            Self::Link(_) => machine::LINK_GBS.name,
            Self::SharedLink(_) => machine::SHARED_LINK.name,
            Self::Sharing(parameter) => parameter.key(),
        }
    }

    /// The unit of its values; empty for a plain number.
    pub const fn unit(&self) -> &'static str {
        let key = match self {
            Self::Node(key, _) | Self::App(key, _) => *key,
            Self::Link(_) => &machine::LINK_GBS,
            Self::SharedLink(_) => &shared_link::GBS,
            Self::Sharing(parameter) => return parameter.unit(),
        };
        match key.changed_in {
            Some(unit) => unit,
            None => "",
        }
    }

    /// The values that it may have.
    pub const fn range(&self) -> ValueRange {
        match self {
            // Of all nodes it is `cores_per_node`, of those that have cores.
            Self::Node(Key { node: Some(_), shape: Shape::Whole(..), .. }, None) => {
                ValueRange::of(&machine::CORES_PER_NODE)
            }
            Self::Sharing(parameter) => ValueRange::Parameter(*parameter),
            Self::Node(key, _) | Self::App(key, _) => ValueRange::of(key),
            Self::Link(_) => ValueRange::of(&machine::LINK_GBS),
            Self::SharedLink(_) => ValueRange::of(&shared_link::GBS),
        }
    }

    /// Whether it stands for one value of the whole machine; where a node or a link has its own, that one holds.
    pub const fn is_of_whole_machine(&self) -> bool {
        matches!(self, Self::Node(_, None) | Self::Link(None) | Self::Sharing(_))
    }
}
