//! `numasim top`: the current activity of an agent and its applications, requested repeatedly on one connection; without an agent, the
//! activity on the host.

#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod terminal;

use crate::args::TopArgs;
use crate::failure::Failure;
use crate::shell::Shell;

/// Runs the command.
#[cfg(target_os = "linux")]
pub(crate) fn run(args: &TopArgs, shell: &Shell) -> Result<(), Failure> {
    use crate::view::top::{Foot, Look, Seen, Traffic, text};

    let traffic = match args.files.as_slice() {
        [] => Traffic::default(),
        files => Traffic::of(&crate::files::read_study(files)?.study),
    };
    if !args.look.root.is_empty() || args.look.machine.is_some() || !args.look.select.is_empty() {
        return host::run(args, shell);
    }
    let path = super::agent::socket_path(args.socket.as_deref())?;
    let is_named =
        args.socket.is_some() || !args.files.is_empty() || std::env::var_os("NUMASIM_AGENT").is_some();
    let mut asking = match terminal::Asking::connect(&path) {
        Err(_) if !is_named => return host::run(args, shell),
        connected => connected.map_err(|error| nobody(&path, &error))?,
    };
    let status = asking.ask().map_err(|error| nobody(&path, &error))?;
    let seen = Seen::first(status, traffic);
    let style = shell.style(false);
    if !args.once {
        return terminal::live(asking, seen, args.interval_ms, style.unicode);
    }
    let look = Look { color: false, unicode: style.unicode, from: 0, foot: Foot::None };
    crate::output::Destination::Stdout.deliver(&text(&seen, look, style.width.unwrap_or(80)))
}

/// Other systems have no such sockets.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &TopArgs, _: &Shell) -> Result<(), Failure> {
    Err(Failure::input("`top` needs Linux, as the agent does"))
}

#[cfg(target_os = "linux")]
fn nobody(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("no agent answers at {}", path.display()))
        .because(error.to_string())
        .hint("start one with `numasim agent`, or name its socket with --socket or NUMASIM_AGENT")
}
