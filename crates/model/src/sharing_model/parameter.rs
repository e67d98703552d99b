//! The figures of the sharing models beyond the machine's own: corrections, each of which its default switches off.
//!
//! A parameter is named by its key, in `[machine.sharing]`, in `sweep --set machine.sharing.KEY=…` and when it is
//! fitted to measurements. The unit is part of the key where there is one.

use super::kind::ModelKind;
use crate::bounds::{LARGEST, SMALLEST};

/// One of the corrections, or the one parameter of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parameter {
    /// How soft the transition to a saturated controller is.
    SaturationKnee,
    /// What a controller loses when it is asked for more than it has.
    OverloadLoss,
    /// The most one thread can draw from the memory of its own node.
    CoreLocal,
    /// The most one thread can draw from the memory of another node.
    CoreRemote,
    /// Cache lines that one thread has under way at a time.
    OutstandingLines,
    /// The part of a link's bandwidth that data really gets.
    LinkEfficiency,
    /// What remote readers cost the home node beyond what they get.
    RemoteLoss,
    /// The weight of remote traffic beside local traffic at a controller.
    RemoteWeight,
    /// The time that each other thread adds to a cache line on a busy controller or link.
    EcmPenalty,
}

impl Parameter {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 9] = [
        Self::SaturationKnee,
        Self::OverloadLoss,
        Self::CoreLocal,
        Self::CoreRemote,
        Self::OutstandingLines,
        Self::LinkEfficiency,
        Self::RemoteLoss,
        Self::RemoteWeight,
        Self::EcmPenalty,
    ];

    /// Its key in `[machine.sharing]`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::SaturationKnee => "saturation_knee",
            Self::OverloadLoss => "overload_loss",
            Self::CoreLocal => "core_local_gbs",
            Self::CoreRemote => "core_remote_gbs",
            Self::OutstandingLines => "outstanding_lines",
            Self::LinkEfficiency => "link_efficiency",
            Self::RemoteLoss => "remote_loss",
            Self::RemoteWeight => "remote_weight",
            Self::EcmPenalty => "ecm_penalty",
        }
    }

    /// The parameter with this key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|parameter| parameter.key() == key)
    }

    /// The unit of its value; empty for a plain number.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::CoreLocal | Self::CoreRemote => "GB/s",
            Self::OutstandingLines => "lines of 64 byte",
            Self::EcmPenalty => "transfer times of a line",
            _ => "",
        }
    }

    /// The value that switches it off; `None`: it is off where it is not given.
    pub const fn default(self) -> Option<f64> {
        match self {
            Self::SaturationKnee | Self::OverloadLoss | Self::RemoteLoss | Self::EcmPenalty => Some(0.0),
            Self::LinkEfficiency | Self::RemoteWeight => Some(1.0),
            Self::CoreLocal | Self::CoreRemote | Self::OutstandingLines => None,
        }
    }

    /// The smallest and the largest value it may have.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::SaturationKnee => (0.0, 1.0),
            Self::CoreLocal | Self::CoreRemote => (SMALLEST, LARGEST),
            Self::OutstandingLines => (1e-3, 1e6),
            Self::LinkEfficiency => (1e-3, 1.0),
            Self::OverloadLoss | Self::RemoteLoss | Self::EcmPenalty => (0.0, 100.0),
            Self::RemoteWeight => (1e-3, 1e3),
        }
    }

    /// "a number from 0 to 1".
    pub fn range_in_words(self) -> String {
        let (low, high) = self.range();
        if high > 1e9 {
            "a finite number above 0".to_owned()
        } else {
            format!("a number from {low} to {high}")
        }
    }

    /// What it means, in one or two sentences.
    pub const fn about(self) -> &'static str {
        match self {
            Self::SaturationKnee => {
                "A controller asked for W GB/s has (W^-p + B^-p)^(-1/p) GB/s with p = 1/saturation_knee, instead of \
                 min(W, B). 0 is the hard corner; at 0.1 a controller asked for just what it has gives 93 % of it."
            }
            Self::OverloadLoss => {
                "A controller asked for W GB/s, more than its B, has B / (1 + overload_loss x (W/B - 1)) GB/s: the more \
                 readers queue, the less it delivers. Only with a ceiling on single threads (core_local_gbs, \
                 core_bandwidth_gbs): without one a single thread may ask for many times B."
            }
            Self::CoreLocal => {
                "The most one thread draws from the memory of its own node. Data on several nodes: the time per byte \
                 is the mean over the data."
            }
            Self::CoreRemote => {
                "The most one thread draws from the memory of another node. Data on several nodes: the time per byte \
                 is the mean over the data."
            }
            Self::OutstandingLines => {
                "A thread with C lines under way draws at most C x 64 byte / latency from a memory. Needs \
                 latency_matrix_ns."
            }
            Self::LinkEfficiency => "The part of the bandwidth of every link that data gets.",
            Self::RemoteLoss => {
                "Each GB/s read from outside costs the home controller 1 + remote_loss GB/s: it then delivers \
                 B x (1 - remote_loss x remote / B) in all."
            }
            Self::RemoteWeight => {
                "A remote thread (baseline-proportional: a link) has this many times the right of a local one at a controller."
            }
            Self::EcmPenalty => {
                "p0 / T_mem: the latency that each further thread adds on a busy controller or link, in units of the time that it \
                 needs for a line. 0.2 to 0.4 on most machines."
            }
        }
    }

    /// Where it comes from.
    pub const fn source(self) -> &'static str {
        match self {
            Self::SaturationKnee => {
                "a common smooth minimum; the soft knee itself: Hofmann, Hager, Fey, arXiv 1803.01618"
            }
            Self::OverloadLoss => {
                "our addition, fitted: some controllers are slower with all cores reading than with half of them \
                 (ThunderX2 in the machine files of Kerncraft)"
            }
            Self::CoreLocal | Self::CoreRemote => {
                "McCalpin 2025: the bandwidth of one core is limited by concurrency and latency"
            }
            Self::OutstandingLines => "Little's law: concurrency = bandwidth x latency",
            Self::LinkEfficiency => "our addition: protocol overhead on links, fitted",
            Self::RemoteLoss => "our addition: coherence and probe traffic, B_eff = B (1 - beta rho), fitted",
            Self::RemoteWeight => "our addition: arbitration between local and remote requests, fitted",
            Self::EcmPenalty => "Hofmann, Hager, Fey, arXiv 1803.01618: T(n) = T + (n - 1) u(n - 1) p0",
        }
    }

    /// Whether a model looks at it.
    pub const fn is_used_by(self, kind: ModelKind) -> bool {
        match self {
            // Remote first leaves nothing to weigh.
            Self::RemoteWeight => !matches!(kind, ModelKind::RemoteFirst),
            Self::EcmPenalty => matches!(kind, ModelKind::Ecm),
            _ => true,
        }
    }
}
