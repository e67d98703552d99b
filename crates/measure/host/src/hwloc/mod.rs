//! The only folder that names hwlocality: its release is an alpha, and its types stay behind this door. What hwloc finds leaves it as XML,
//! which `xml_topology` reads.

mod synthetic;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use hwlocality::Topology;
use hwlocality::topology::builder::{BuildFlags, TopologyBuilder};
use hwlocality::topology::export::xml::XMLExportFlags;
use numasim_model::cpus::CpuList;

use crate::topology::{Counting, HostTopology, Origin};
use crate::xml_topology::{Reading, System};
use crate::{DetectError, Source, affinity, xml_topology};

/// Linux is built for at most half as many. The XML of many more has gigabytes.
const MOST_PROCESSORS: u64 = 16_384;

/// Reads this host or a synthetic description; see [`crate::detect`].
pub(crate) fn read(source: Source<'_>, counting: Counting) -> Result<HostTopology, DetectError> {
    match source {
        Source::ThisHost => this_host(counting),
        Source::Synthetic(description) => {
            let wrong = |why| DetectError::Synthetic { text: description.into(), why };
            let refused = |_| wrong(synthetic::mistake(description));
            let builder = Topology::builder().from_synthetic(description).map_err(refused)?;
            let topology = build(builder).map_err(|_| wrong(synthetic::mistake(description)))?;
            let text = exported(&topology).map_err(wrong)?;
            let reading = Reading {
                name: description,
                by: "hwloc from a synthetic description",
                origin: Origin::Other,
                counting,
                system: System::default(),
                described: true,
            };
            xml_topology::read(&text, &reading)
        }
        Source::Xml { text, name } => crate::detect(Source::Xml { text, name }, counting, ""),
    }
}

/// The variable of hwloc that names a file with XML.
const FILE: &str = "HWLOC_XMLFILE";

fn this_host(counting: Counting) -> Result<HostTopology, DetectError> {
    let unreadable = |why| DetectError::Unreadable("this host", why);
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let other = "hwloc, from what its environment variables name, not from this host";
    // hwloc trusts its XML: a damaged one ends the program.
    if let Some(file) = variable(FILE) {
        let shown = Path::new(&file).display().to_string();
        let text = std::fs::read_to_string(&file)
            .map_err(|error| unreadable(format!("{FILE} names {shown}, which cannot be read: {error}")))?;
        let here = variable("HWLOC_THISSYSTEM").is_some_and(|value| value == "1");
        let (name, by) =
            if here { (own_name().unwrap_or_default(), "hwloc") } else { (String::new(), other) };
        let reading = Reading {
            name: &name,
            by,
            origin: if here { Origin::ThisHost } else { Origin::Other },
            counting,
            system: if here { system(Path::new("/"), true) } else { System::default() },
            described: false,
        };
        return xml_topology::read(&text, &reading);
    }
    let topology = build(everything(Topology::builder()).map_err(unreadable)?).map_err(unreadable)?;
    // HWLOC_SYNTHETIC and HWLOC_FSROOT put another machine in the place of this one.
    let here = topology.is_this_system();
    let text = exported(&topology).map_err(unreadable)?;
    let root = variable("HWLOC_FSROOT").map(PathBuf::from);
    let described = root.is_none() && !here;
    let system = match (&root, here) {
        (Some(root), _) => system(root, here),
        (None, true) => system(Path::new("/"), true),
        (None, false) => System::default(),
    };
    let name = own_name().filter(|_| here).unwrap_or_default();
    let reading = Reading {
        name: &name,
        by: if here { "hwloc" } else { other },
        origin: if here { Origin::ThisHost } else { Origin::Other },
        counting,
        system,
        described,
    };
    xml_topology::read(&text, &reading)
}

/// What a Linux with its files below `root` says; of this host also what is switched off and what this process may use.
fn system(root: &Path, here: bool) -> System {
    let system = crate::system::System::at(root);
    let nodes = system.node_cpus();
    // A container may hide the lists.
    let told = nodes.iter().any(|(_, cpus)| !cpus.is_empty());
    let mut found = System { nodes: if told { nodes } else { Vec::new() }, ..System::default() };
    if here {
        let read = |what: &str| {
            let list = std::fs::read_to_string(format!("/sys/devices/system/cpu/{what}")).ok()?;
            CpuList::parse(&list).ok().map(|list| list.as_slice().to_vec())
        };
        if let (Some(present), Some(online)) = (read("present"), read("online")) {
            found.offline = present.into_iter().filter(|cpu| !online.contains(cpu)).collect();
        }
        // Of this thread: the mask of a process is the one of its first thread, and nothing was bound yet.
        found.mask = affinity::allowed().ok();
    }
    found
}

/// The name of this host.
fn own_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    // What Linux says where it was given no name.
    Some(name.trim().to_owned()).filter(|name| !["", "(none)"].contains(&name.as_str()))
}

/// Also what this process may not use, to be able to say so.
fn everything(builder: TopologyBuilder) -> Result<TopologyBuilder, String> {
    builder.with_flags(BuildFlags::INCLUDE_DISALLOWED).map_err(|error| error.to_string())
}

fn build(builder: TopologyBuilder) -> Result<Topology, String> {
    builder.build().map_err(|error| error.to_string())
}

fn exported(topology: &Topology) -> Result<String, String> {
    let processors = topology.cpuset().weight().map_or(u64::MAX, |count| count as u64);
    if processors > MOST_PROCESSORS {
        return Err(format!("it has {processors} processors, more than {MOST_PROCESSORS}"));
    }
    topology
        .export_xml(XMLExportFlags::empty())
        .map(|text| text.to_string())
        .map_err(|error| error.to_string())
}
