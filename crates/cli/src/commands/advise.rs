//! `numasim advise`: advised moves on this host, and the commands for them.

mod moves;

use numasim_ask::advise::advise;

use super::snapshot;
use crate::args::AdviseArgs;
use crate::failure::Failure;
use crate::shell::Shell;
use crate::threads;
use crate::watch::Watch;

/// Runs the command.
pub(crate) fn run(args: &AdviseArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let found = snapshot::look(&args.look, args.apart.seconds)?;
    snapshot::tell(&found, shell);
    threads::start(None)?;
    let watch = Watch::start(None, args.objective, shell);
    let advice = advise(found, args.objective, &watch)?;
    if args.emit {
        let (text, warnings) = moves::script(&advice, &shell.style(true));
        shell.warn_all(&warnings);
        return destination.deliver(&text);
    }
    shell.answer(&destination, args.output.format, |style| advice.text(style), &advice, || advice.csv())
}
