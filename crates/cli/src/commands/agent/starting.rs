//! Starts an agent: everything is checked before anything is made, and what was made is removed where it cannot start.

use numasim_agent::Settings;
use numasim_agent::server::{Agent, serve};
use numasim_agent::socket::Socket;

use super::processes::Processes;
use super::question::{self, Question};
use super::socket_path;
use super::telling::Told;
use crate::args::AgentArgs;
use crate::failure::Failure;
use crate::shell::Shell;
use crate::trace::{AgentRecord, Of};

/// Serves until somebody ends it.
pub(super) fn run(args: &AgentArgs, shell: &Shell) -> Result<(), Failure> {
    let path = socket_path(args.socket.as_deref())?;
    let question = question::read(args, shell)?;
    let adopted = Processes::begin(&args.adopt, &args.adopt_started, question.host.as_deref())?;
    adopted.ways().iter().for_each(|way| shell.note(way));
    let record = record(args, &question)?;
    let socket = match Socket::listen(&path) {
        Ok(socket) => socket,
        Err(error) => {
            if let Some(record) = record {
                record.discard();
            }
            return Err(Failure::input(error.to_string()));
        }
    };
    let shown = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
    let Question { study, policy, decides, period, host, .. } = question;
    let settings = Settings {
        study,
        policy,
        period,
        dry_run: args.dry_run,
        pid: u64::from(std::process::id()),
        socket: shown.display().to_string(),
    };
    let no_thread = |error| Failure::input("this host has no room for another thread").caused_by(&error);
    let mut outside = Told::new(&path, record).map_err(no_thread)?;
    let adopted = Box::new(adopted);
    let agent = Agent { settings, policy: decides, socket, host, adopted, outside: &mut outside };
    serve(agent).map_err(|error| {
        if !outside.has_listened
            && let Some(record) = &args.record
        {
            let _ = std::fs::remove_file(record);
        }
        Failure::input("the agent cannot go on").caused_by(&error)
    })
}

fn record(args: &AgentArgs, question: &Question) -> Result<Option<AgentRecord>, Failure> {
    let Some(path) = &args.record else { return Ok(None) };
    let looks = question.decides.as_ref().map(|policy| policy.looks_at());
    let of = Of {
        study: &question.study,
        sources: &question.sources,
        policy: &question.policy,
        model: None,
        looks_at_work: looks.is_some_and(|looks| looks.work),
    };
    AgentRecord::create(path, &of).map(Some)
}
