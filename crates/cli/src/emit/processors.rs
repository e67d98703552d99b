//! Where processor numbers come from: the machine file, an hwloc XML, or this host.

use std::path::PathBuf;

use numasim_bench::{DetectError, HostTopology};
use numasim_model::Machine;
use numasim_model::pinning::node_without_cpus;

use crate::args::EmitArgs;
use crate::failure::Failure;
use crate::files;

/// What `--cpus-from` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CpusFrom {
    /// The machine on which numasim runs.
    Host,
    /// A file that `lstopo` wrote.
    Xml(PathBuf),
}

impl CpusFrom {
    /// Reads the value of the switch; every text is one.
    #[allow(clippy::unnecessary_wraps, reason = "clap wants a result")]
    pub(crate) fn parse(text: &str) -> Result<Self, std::convert::Infallible> {
        Ok(if text == "host" { Self::Host } else { Self::Xml(text.into()) })
    }
}

/// What the messages say needs hwloc.
const PURPOSE: &str = "--cpus-from";

/// The machine with the processor numbers that `--emit` needs; unchanged without `--emit`.
///
/// Before a search, so that nobody waits for an answer that cannot be printed.
pub(crate) fn complete(machine: Machine, args: &EmitArgs) -> Result<Machine, Failure> {
    if args.emit.is_none() {
        return Ok(machine);
    }
    let machine = match &args.cpus_from {
        None => machine,
        Some(CpusFrom::Host) => adopt(machine, &told(numasim_bench::host_topology(PURPOSE))?, "this host")?,
        Some(CpusFrom::Xml(path)) => {
            let xml = files::read_topology(path)?;
            let name = path.display().to_string();
            let topology = numasim_bench::topology_of_xml(&xml, PURPOSE);
            adopt(
                machine,
                &told(topology)
                    .map_err(|failure| failure.hint(format!("is {name} what `lstopo {name}` wrote?")))?,
                &name,
            )?
        }
    };
    let Some(node) = node_without_cpus(&machine) else { return Ok(machine) };
    Err(Failure::input(format!(
        "--emit needs the processor numbers of the operating system, and those of {node} are not known"
    ))
    .hint(
        "add them to the machine file, one per core: `cpus = \"0-19\"` in each [[machine.node]], or \
         `cpus = [\"0-19\", \"20-39\"]` in [machine] (`lscpu -e=CPU,CORE,NODE` shows them)",
    )
    .hint("or take them from the machine itself: --cpus-from host, or --cpus-from FILE.xml written there by lstopo"))
}

fn told(read: Result<HostTopology, DetectError>) -> Result<HostTopology, Failure> {
    read.map_err(|error| Failure::input(error.to_string()))
}

fn adopt(machine: Machine, found: &HostTopology, source: &str) -> Result<Machine, Failure> {
    let name = machine.name().to_owned();
    machine.with_os_nodes(found.os_nodes()).map_err(|error| {
        Failure::input(format!("{source} is not the machine '{name}'"))
            .caused_by(&error)
            .hint("take --cpus-from on the machine that the file describes, or write `cpus` into the file")
    })
}
