//! What a figure is: its key, unit and range.

use std::ops::Range;

use super::range::ValueRange;
use numasim_model::access::Access;
use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_CORES_PER_NODE;
use numasim_model::sharing_model::Parameter;

/// A number of the input files, or several that are changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Of one node; `None`: of every node that has cores, or, for the bandwidths of its memory, of every node that
    /// has memory.
    Node(NodeFigure, Option<NodeId>),
    /// Bandwidth of one link (node of the cores, node of the memory), GB/s; `None`: of every link.
    Link(Option<(NodeId, NodeId)>),
    /// What a shared link carries in each direction, GB/s, by its place in [`numasim_model::Machine::shared_links`].
    SharedLink(usize),
    /// A parameter of the sharing model.
    Sharing(Parameter),
    /// Of these application instances.
    App(AppFigure, Range<usize>),
}

/// A figure of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeFigure {
    /// Cores.
    Cores,
    /// Peak of one core, GFLOPS.
    GflopsPerCore,
    /// Bandwidth of the memory controller, GB/s.
    Bandwidth,
    /// The most one thread can draw, GB/s.
    CoreBandwidth,
    /// The most that all threads of the node can read together, GB/s.
    Read,
    /// Bandwidth of the memory under a kernel that writes, GB/s.
    Kernel(Access),
}

/// A number of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppFigure {
    /// FLOP per byte.
    ArithmeticIntensity,
    /// Fewest threads that explore may give it.
    MinThreads,
    /// Most threads that explore may give it.
    MaxThreads,
    /// Weight in the objectives.
    Weight,
    /// Work, GFLOP.
    Work,
}

impl NodeFigure {
    /// Its key in `[[machine.node]]`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Cores => "cores",
            Self::GflopsPerCore => "gflops_per_core",
            Self::Bandwidth => "bandwidth_gbs",
            Self::CoreBandwidth => "core_bandwidth_gbs",
            Self::Read => "read_gbs",
            Self::Kernel(kernel) => kernel.figure_key(),
        }
    }

    /// Whether it belongs to the memory of a node, not to its cores.
    pub(super) const fn is_of_memory(self) -> bool {
        matches!(self, Self::Bandwidth | Self::Kernel(_))
    }
}

impl AppFigure {
    /// Its key in `[[app]]`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::ArithmeticIntensity => "arithmetic_intensity",
            Self::MinThreads => "min_threads",
            Self::MaxThreads => "max_threads",
            Self::Weight => "weight",
            Self::Work => "work_gflop",
        }
    }
}

impl Figure {
    /// The last part of its key, which says what it is: `bandwidth_gbs`.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Node(figure, _) => figure.key(),
            Self::Link(_) => "link_gbs",
            Self::SharedLink(_) => "shared_link",
            Self::Sharing(parameter) => parameter.key(),
            Self::App(figure, _) => figure.key(),
        }
    }

    /// The unit of its values; empty for a plain number.
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Node(NodeFigure::GflopsPerCore, _) => "GFLOPS",
            Self::Node(
                NodeFigure::Bandwidth | NodeFigure::CoreBandwidth | NodeFigure::Read | NodeFigure::Kernel(_),
                _,
            )
            | Self::Link(_)
            | Self::SharedLink(_) => "GB/s",
            Self::Sharing(parameter) => parameter.unit(),
            Self::App(AppFigure::ArithmeticIntensity, _) => "FLOP/byte",
            Self::App(AppFigure::Work, _) => "GFLOP",
            Self::Node(NodeFigure::Cores, _) | Self::App(..) => "",
        }
    }

    /// The values that it may have.
    pub const fn range(&self) -> ValueRange {
        match self {
            // `cores_per_node` is of the nodes that have cores.
            Self::Node(NodeFigure::Cores, node) => {
                ValueRange::whole(if node.is_none() { 1 } else { 0 }, MAX_CORES_PER_NODE)
            }
            Self::App(AppFigure::MinThreads | AppFigure::MaxThreads, _) => ValueRange::whole(0, u32::MAX),
            Self::App(AppFigure::Weight, _) => ValueRange::NotNegative,
            Self::Sharing(parameter) => ValueRange::Parameter(*parameter),
            Self::Node(..) | Self::Link(_) | Self::SharedLink(_) | Self::App(..) => ValueRange::Positive,
        }
    }

    /// Whether it stands for one value of the whole machine; where a node or a link has its own, that one holds.
    pub const fn is_of_whole_machine(&self) -> bool {
        matches!(self, Self::Node(_, None) | Self::Link(None) | Self::Sharing(_))
    }
}
