//! What an agent is started with.

use std::time::Duration;

use numasim_model::Study;
use numasim_policy::PolicyName;

/// What an agent is started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine, and the applications that are expected.
    pub study: Study,
    /// Who decides.
    pub policy: PolicyName,
    /// Time between two decisions; zero is whenever something changes.
    pub period: Duration,
    /// Whether no order is sent.
    pub dry_run: bool,
    /// This process.
    pub pid: u64,
    /// Where it listens, for people.
    pub socket: String,
}

impl Settings {
    /// Time between two decisions, in ms.
    pub fn period_ms(&self) -> f64 {
        self.period.as_secs_f64() * 1e3
    }

    /// Time between two statuses of an application: the period, within bounds; 80 ms where there is none.
    pub fn status_interval(&self) -> Duration {
        const WITHOUT: Duration = Duration::from_millis(80);
        let wanted = if self.period.is_zero() { WITHOUT } else { self.period };
        wanted.clamp(Duration::from_millis(20), Duration::from_secs(1))
    }

    /// Cores of each node.
    pub fn cores(&self) -> Vec<u32> {
        self.study.machine.nodes().iter().map(|node| node.cores).collect()
    }
}
