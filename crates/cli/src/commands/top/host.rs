//! `numasim top` without an agent: the host by node and by application, as `snapshot` finds it.

use super::terminal;
use crate::args::TopArgs;
use crate::commands::snapshot::{hosts, look, moment, of_instants};
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;

/// Prints one frame, or shows the host until a person ends it.
pub(super) fn run(args: &TopArgs, shell: &Shell) -> Result<(), Failure> {
    let style = shell.style(false);
    if args.once || !args.look.root.is_empty() {
        return Destination::Stdout.deliver(&look(&args.look, args.interval_ms)?.frame(&style));
    }
    let (system, _) = hosts(&args.look)?;
    let mut before = moment(&args.look, &system);
    terminal::live_text(args.interval_ms, || {
        let after = moment(&args.look, &system);
        let found = of_instants(&args.look, &system, Some(&before), &after)?;
        before = after;
        Ok(found.frame(&style))
    })
}
