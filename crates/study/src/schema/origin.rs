//! `[machine.provenance]`, where figures come from, and `[machine.sharing]`, how the machine shares bandwidth.

use schemars::JsonSchema;
use serde::Serialize;

use super::range::positive;
use numasim_model::machine::FigureKind;
use numasim_model::sharing::ModelKind;

/// How each figure of the machine came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProvenanceTable {
    /// Of the numbers of cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<FigureTable>,
    /// Of the peak of a core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gflops_per_core: Option<FigureTable>,
    /// Of what one thread can draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_bandwidth_gbs: Option<FigureTable>,
    /// Of the memory controllers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_gbs: Option<FigureTable>,
    /// Of the links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_gbs: Option<FigureTable>,
    /// Of the links between nodes on different sockets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket_link_gbs: Option<FigureTable>,
    /// Of the shared links, also of `shared_link_gbs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_link: Option<FigureTable>,
    /// Of what the threads of a node can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_gbs: Option<FigureTable>,
    /// Of the sizes of the memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<FigureTable>,
    /// Of the bandwidth of memories under the kernel `copy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_gbs: Option<FigureTable>,
    /// Of the bandwidth of memories under the kernel `triad`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triad_gbs: Option<FigureTable>,
    /// Of the bandwidth of memories under the kernel `update`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_gbs: Option<FigureTable>,
    /// Of the bandwidth matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_matrix_gbs: Option<FigureTable>,
    /// Of the latency matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_matrix_ns: Option<FigureTable>,
    /// Of the sizes of the last-level caches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llc_mb: Option<FigureTable>,
    /// Of what one core reads from a last-level cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llc_gbs: Option<FigureTable>,
    /// Of the firmware's distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_matrix: Option<FigureTable>,
    /// Of the parameters of the sharing model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing: Option<FigureTable>,
}

/// The sharing model of the machine and its corrections; `numasim models` explains all of them. A correction that is
/// not given is switched off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SharingTable {
    /// The model. Default: "baseline-proportional"; `--model` wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelKind>,
    /// How soft the corner of a controller is: 1/p of the smooth minimum of demand and bandwidth. Default: 0, hard.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub saturation_knee: Option<f64>,
    /// What a controller loses when it is asked for more than it has: B / (1 + loss (asked / B - 1)). Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub overload_loss: Option<f64>,
    /// The most one thread draws from the memory of its own node in GB/s. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub core_local_gbs: Option<f64>,
    /// The most one thread draws from the memory of another node in GB/s. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub core_remote_gbs: Option<f64>,
    /// Cache lines of 64 byte that one thread has under way: with a latency it draws at most lines x 64 byte / latency.
    /// Needs `latency_matrix_ns`. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-3, max = 1e6))]
    pub outstanding_lines: Option<f64>,
    /// The part of the bandwidth of every link that data gets. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-3, max = 1.0))]
    pub link_efficiency: Option<f64>,
    /// GB/s that the home controller loses for each GB/s read from outside, beyond it. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub remote_loss: Option<f64>,
    /// The right of remote traffic at a controller where local traffic has 1. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-3, max = 1e3))]
    pub remote_weight: Option<f64>,
    /// The model ecm: what each further thread adds to the latency of a line, in transfer times of a line. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub ecm_penalty: Option<f64>,
}

/// Kind and source of one figure.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FigureTable {
    /// Measured, theoretical, estimated or assumed.
    pub kind: FigureKind,
    /// Who measured or computed it, and how; free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How far off it may be, in percent of the figure, or of the worst one where the key has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub uncertainty_percent: Option<f64>,
    /// Half-width of its interval of 95 %, in percent of the figure, or of the worst one where the key has several: the
    /// true figure lies between figure / (1 + p / 100) and figure x (1 + p / 100). Predictions get an interval for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub interval95_percent: Option<f64>,
}
