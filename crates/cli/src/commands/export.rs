//! `numasim export`: the machine for another tool.

use numasim_evidence::formats::hwloc::export::xml;

use crate::args::{ExportArgs, ExportHwlocArgs, ExportKind};
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &ExportArgs, shell: &Shell) -> Result<(), Failure> {
    match &args.kind {
        ExportKind::Hwloc(args) => hwloc(args, shell),
    }
}

fn hwloc(args: &ExportHwlocArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let machine = files::read_study(&args.files)?.study.at_rest.machine;
    let xml = xml(&machine).map_err(|error| Failure::input(error.to_string()))?;
    if xml.rounding > 0.0 {
        shell.note(format!(
            "bandwidths are rounded to whole MiB/s, by at most {} %",
            numasim_draw::figures::rounded(xml.rounding * 100.0)
        ));
    }
    xml.notes.iter().for_each(|note| shell.note(note));
    destination.deliver(&xml.text)
}
