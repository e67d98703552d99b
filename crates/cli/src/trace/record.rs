//! The lines of a trace as types. Each is one JSON object; keys that are not known are ignored.

use numasim_model::order::{Control, Waiting};
use numasim_model::units::Gflop;
use numasim_policy::AppView;
use numasim_protocol::Action;
use serde::{Deserialize, Serialize};

/// The version of the format.
pub(super) const SCHEMA: u64 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Line {
    /// The first one.
    Start(Start),
    /// Every other one.
    Decision(Decision),
}

/// What everything else depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) schema: u64,
    /// Who wrote it, with its version.
    pub(super) program: String,
    /// As `--policy` takes it.
    pub(super) policy: String,
    /// Time between two decisions; 0 is whenever something happens.
    pub(super) period_ms: f64,
    /// Cores of each node.
    pub(super) cores: Vec<u32>,
    /// The input files themselves.
    pub(super) files: Vec<InputFile>,
    /// The sharing model, where it is not that of the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
}

/// One input file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct InputFile {
    pub(super) path: String,
    pub(super) text: String,
}

/// What the policy saw, and what was sent for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Decision {
    pub(super) time_s: f64,
    /// Those that are there, in file order.
    pub(super) apps: Vec<Seen>,
    /// Names of those of the files that were there.
    pub(super) gone: Vec<String>,
    /// What was sent, in file order.
    pub(super) actions: Vec<Action>,
}

/// One application as the policy saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) name: String,
    pub(super) control: Control,
    pub(super) threads: Vec<u32>,
    pub(super) running: Vec<u32>,
    pub(super) blocked: Vec<u32>,
    pub(super) progress: u64,
    pub(super) waiting: Waiting,
    /// Null where nobody told it.
    pub(super) queued: Option<u64>,
    pub(super) phase: usize,
    /// The work that is left, for a policy that looks at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) left_gflop: Option<f64>,
}

impl Seen {
    /// Of a view; the work that is left only where the policy looks at it.
    pub(super) fn new(name: &str, view: &AppView, looks_at_work: bool) -> Self {
        Self {
            name: name.to_owned(),
            control: view.control,
            threads: view.threads.clone(),
            running: view.running.clone(),
            blocked: view.blocked.clone(),
            progress: view.progress,
            waiting: view.waiting,
            queued: view.queued,
            phase: view.phase,
            left_gflop: view.left.filter(|_| looks_at_work).map(Gflop::value),
        }
    }
}

/// As it stands in a trace.
pub(super) fn json(line: &impl Serialize) -> String {
    // Numbers, text and lists: nothing can fail.
    serde_json::to_string(line).unwrap_or_default()
}
