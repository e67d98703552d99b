//! The lines of a trace as types. Each is one JSON object; keys that are not known are ignored.

use numasim_model::dynamics::{Control, Order};
use numasim_model::units::Gflop;
use numasim_policy::{AppView, Waiting};
use serde::{Deserialize, Serialize};

/// The version of the format.
pub(super) const SCHEMA: u64 = 1;
/// What an application waits for that has an iteration under way.
const NOTHING: &str = "none";

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
    pub(super) control: String,
    pub(super) threads: Vec<u32>,
    pub(super) running: Vec<u32>,
    pub(super) blocked: Vec<u32>,
    pub(super) progress: u64,
    pub(super) waiting: String,
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
            control: view.control.as_str().to_owned(),
            threads: view.threads.clone(),
            running: view.running.clone(),
            blocked: view.blocked.clone(),
            progress: view.progress,
            waiting: view.waiting.map_or(NOTHING, Waiting::as_str).to_owned(),
            queued: view.queued,
            phase: view.phase,
            left_gflop: view.left.filter(|_| looks_at_work).map(Gflop::value),
        }
    }

    /// Which orders it can follow; `None` for a word that is none.
    pub(super) fn control(&self) -> Option<Control> {
        Control::ALL.into_iter().find(|control| control.as_str() == self.control)
    }

    /// What it waits for; an error for a word that is none.
    pub(super) fn waiting(&self) -> Result<Option<Waiting>, ()> {
        if self.waiting == NOTHING {
            return Ok(None);
        }
        let all = [Waiting::Input, Waiting::Output, Waiting::Call];
        all.into_iter().find(|waiting| waiting.as_str() == self.waiting).map(Some).ok_or(())
    }
}

/// What an application is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Action {
    pub(super) app: String,
    /// 1 for the first one that it is told, and so on.
    pub(super) seq: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) per_node: Option<Vec<u32>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) total: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cores: Option<Vec<u32>>,
    /// The reason, where the policy gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
}

impl Action {
    /// What `app` is told.
    pub(super) fn new(app: &str, seq: u64, order: &Order, why: Option<String>) -> Self {
        let mut action = Self { app: app.to_owned(), seq, why, ..Self::default() };
        match order {
            Order::Total(threads) => action.total = Some(*threads),
            Order::PerNode(threads) => action.per_node = Some(threads.clone()),
            Order::Cores(cores) => action.cores = Some(cores.clone()),
        }
        action
    }
}

/// As it stands in a trace.
pub(super) fn json(line: &impl Serialize) -> String {
    // Numbers, text and lists: nothing can fail.
    serde_json::to_string(line).unwrap_or_default()
}
