//! What an agent is to decide, from files and command line: checked, before anything is made.

use std::time::Duration;

use numasim_host::system::NodeCores;
use numasim_model::Study;
use numasim_model::units::Seconds;
use numasim_policy::{Policy, PolicyName};
use numasim_study::{SourceFile, TableKind};

use crate::args::{AgentArgs, is_period};
use crate::commands::host_nodes;
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;
use crate::trace::{has_machine, host_of};
use numasim_ask::located::Located;
use numasim_ask::over_time::policy_of_files;

/// Without a flag and a file.
const PERIOD_MS: f64 = 80.0;

/// What an agent is to decide.
pub(super) struct Question {
    /// Its `[policy]` is what holds: that of the command line, where it says so.
    pub(super) study: Study,
    /// The input files themselves.
    pub(super) sources: Vec<SourceFile>,
    pub(super) policy: PolicyName,
    /// `None` where nobody decides.
    pub(super) decides: Option<Box<dyn Policy + Send>>,
    pub(super) period: Duration,
    /// The nodes of this host that are those of the machine, where they are.
    pub(super) host: Option<Vec<NodeCores>>,
}

/// Reads and checks.
///
/// # Errors
/// Wrong files; with `--this-host` a machine that is more than this host; a policy that an agent has not, or that cannot be made;
/// a period that is too long.
pub(super) fn read(args: &AgentArgs, shell: &Shell) -> Result<Question, Failure> {
    let sources = files::read_texts(&args.files)?;
    let has_machine = sources.iter().any(|source| has_machine(&source.text));
    let mut host = if has_machine { None } else { Some(host_nodes::this_host()?) };
    let mut all = sources.clone();
    if let Some(host) = &host {
        let cores: Vec<u32> =
            host.iter().map(|node| u32::try_from(node.cores.len()).unwrap_or(u32::MAX)).collect();
        all.push(host_of("this host".to_owned(), &cores));
    }
    let reading = files::read_from_texts(&all)?;
    let has_period = !reading.is_default(TableKind::Policy, "", "period_ms");
    let (mut study, located) = Located::split(reading, all);
    if has_machine && args.this_host {
        host = Some(host_nodes::of_machine(&study.machine)?);
    }
    let policy = policy(args, &study, &located, has_machine)?;
    let period_ms = period_ms(args, &study, has_period)?;
    study.dynamics.policy.period = Seconds::new(period_ms / 1e3);
    let decides = policy.make(&study).map_err(|error| {
        Failure::input(format!("policy '{policy}' cannot decide for these files")).caused_by(&error)
    })?;
    warn_of_data(&study, &policy, shell);
    let period = Duration::from_secs_f64(period_ms / 1e3);
    Ok(Question { study, sources, policy, decides, period, host })
}

fn policy(
    args: &AgentArgs,
    study: &Study,
    located: &Located,
    has_machine: bool,
) -> Result<PolicyName, Failure> {
    let policy = match (&args.policy, &study.dynamics.policy.name) {
        (Some(policy), _) => policy.clone(),
        (None, Some(_)) => policy_of_files(study, located)?,
        (None, None) => PolicyName::FairShare,
    };
    if policy == PolicyName::Script {
        return Err(Failure::input("policy 'script' is for simulations: an agent has no [[command]] tables")
            .hint("`numasim simulate --help` says what the other policies do"));
    }
    if policy.computes() && !has_machine {
        return Err(Failure::input(format!("policy '{policy}' computes, and no file has a [machine]"))
            .hint("name the machine file of this host; `numasim calibrate` writes one"));
    }
    Ok(policy)
}

fn period_ms(args: &AgentArgs, study: &Study, has_period: bool) -> Result<f64, Failure> {
    let of_files = || if has_period { study.dynamics.policy.period.value() * 1e3 } else { PERIOD_MS };
    let period_ms = args.period_ms.unwrap_or_else(of_files);
    if is_period(period_ms) {
        return Ok(period_ms);
    }
    Err(Failure::input(format!("an agent cannot decide every {period_ms} ms, as period_ms of [policy] says"))
        .hint("write 0 or 1 to 60000, or give --period-ms"))
}

/// Where data lies, no agent decides.
fn warn_of_data(study: &Study, policy: &PolicyName, shell: &Shell) {
    let PolicyName::Static(name) = policy else { return };
    let scenario = study.scenarios.iter().find(|scenario| scenario.name == *name);
    let has_data =
        |data: &[numasim_model::Data]| study.apps.iter().zip(data).any(|(app, data)| app.data != *data);
    if scenario.is_some_and(|scenario| has_data(&scenario.data)) {
        shell.warn(format!("the data of scenario '{name}' is ignored: an agent moves threads, not data"));
    }
}
