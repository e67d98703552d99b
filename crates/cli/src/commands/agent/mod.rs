//! `numasim agent`: assigns cores to applications; also queries and stops a running agent.

#[cfg(target_os = "linux")]
mod asking;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod starting;

use crate::args::AgentArgs;
use crate::failure::Failure;
use crate::shell::Shell;
#[cfg(target_os = "linux")]
pub(super) use asking::Connection;
#[cfg(target_os = "linux")]
pub(super) use starting::{Asked, read_question};

/// Runs the command.
#[cfg(target_os = "linux")]
pub(crate) fn run(args: &AgentArgs, shell: &Shell) -> Result<(), Failure> {
    use crate::args::AgentCommand;

    match &args.command {
        None => starting::run(args, shell),
        Some(AgentCommand::Status { socket, format }) => asking::status(socket.as_deref(), *format, shell),
        Some(AgentCommand::Stop { socket }) => asking::stop(socket.as_deref()),
    }
}

/// Reports that agents are not supported.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &AgentArgs, _: &Shell) -> Result<(), Failure> {
    Err(Failure::input("an agent runs on Linux only")
        .hint("`numasim simulate --policy NAME` shows what it would decide"))
}

/// The path of the agent's socket.
#[cfg(target_os = "linux")]
pub(super) fn socket_path(flag: Option<&std::path::Path>) -> Result<std::path::PathBuf, Failure> {
    use numasim_host::agent_path::{self, Environment};

    let path = agent_path::socket_path(flag, &Environment::of_this_process());
    path.map_err(|error| Failure::input(error.to_string()))
}
