//! `numasim top` without an agent: the host by node and by application, as observed by `snapshot`.

use numasim_ask::snapshot::snapshot;

use super::terminal;
use crate::args::TopArgs;
use crate::commands::snapshot::{asked, failure, look};
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;

/// Prints one frame, or shows the host until the user quits.
pub(super) fn run(args: &TopArgs, shell: &Shell) -> Result<(), Failure> {
    let style = shell.style(false);
    if args.once || !args.look.root.is_empty() {
        return Destination::Stdout.deliver(&look(&args.look, args.interval_ms)?.frame(&style));
    }
    let asked = asked(&args.look)?;
    let wrong = |error| failure(&args.look, error);
    let host = asked.host().map_err(wrong)?;
    let mut before = asked.now(&host);
    terminal::live_text(args.interval_ms, || {
        let after = asked.now(&host);
        let found = snapshot(asked.between(&host, Some(&before), &after).map_err(wrong)?)?;
        before = after;
        Ok(found.frame(&style))
    })
}
