//! `numasim detect`: the skeleton of a machine file for this host, or for another one that hwloc can describe.

use numasim_evidence::formats::hwloc::read_xml;
use numasim_host::Source;
use numasim_study::topology::{Counting, HostTopology, Origin};

use crate::args::DetectArgs;
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let host = read(args)?;
    for unusable in host.unusable.iter().filter(|_| host.origin == Origin::ThisHost) {
        shell.note(format!("not used: {}", unusable.describe()));
    }
    let found = numasim_ask::detect::detect(&host);
    shell.answer(&destination, args.output.format, |style| found.text(style), &found, || found.csv())
}

fn read(args: &DetectArgs) -> Result<HostTopology, Failure> {
    let counting = if args.smt { Counting::HardwareThreads } else { Counting::Cores };
    if let Some(path) = &args.from_xml {
        let text = files::read_topology(path)?;
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        return read_xml(&text, &name, counting)
            .map_err(|error| Failure::input(format!("{}: {error}", path.display())).hint(error.hint()));
    }
    let source = args.from_synthetic.as_deref().map_or(Source::ThisHost, Source::Synthetic);
    numasim_host::detect(source, counting, "detect").map_err(|error| {
        let failure = Failure::input(error.to_string());
        error.hint().into_iter().fold(failure, Failure::hint)
    })
}
