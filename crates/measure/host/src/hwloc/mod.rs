//! The only folder that uses hwlocality: its release is an alpha, and its types do not leave this module. Results of hwloc leave it as XML,
//! which `evidence` reads like that of another machine.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use hwlocality::Topology;
use hwlocality::topology::builder::{BuildFlags, TopologyBuilder};
use hwlocality::topology::export::xml::XMLExportFlags;
use numasim_evidence::formats::hwloc::{self as xml, Reading, System};
use numasim_model::cpus::CpuList;
use numasim_study::topology::{Counting, HostTopology, Origin};

use crate::{DetectError, Source, affinity};

/// Linux supports at most half of that. The XML of many more takes gigabytes.
const MOST_PROCESSORS: u64 = 16_384;

/// Reads this host or a synthetic description; see [`crate::detect`].
pub(crate) fn read(source: Source<'_>, counting: Counting) -> Result<HostTopology, DetectError> {
    match source {
        Source::ThisHost => this_host(counting),
        Source::Synthetic(description) => {
            let wrong = |why| DetectError::Synthetic { text: description.into(), why };
            let refused = |_| wrong(mistake(description));
            let builder = Topology::builder().from_synthetic(description).map_err(refused)?;
            let topology = build(builder).map_err(|_| wrong(mistake(description)))?;
            let text = exported(&topology).map_err(wrong)?;
            let reading = Reading {
                name: description,
                by: "hwloc from a synthetic description",
                origin: Origin::Other,
                counting,
                system: System::default(),
                described: true,
            };
            Ok(xml::read(&text, &reading)?)
        }
    }
}

/// The variable of hwloc that names a file with XML.
const FILE: &str = "HWLOC_XMLFILE";

fn this_host(counting: Counting) -> Result<HostTopology, DetectError> {
    let unreadable = |why| DetectError::Unreadable("this host", why);
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let other = "hwloc, from what its environment variables name, not from this host";
    // hwloc trusts its XML: a damaged one crashes the program.
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
        return Ok(xml::read(&text, &reading)?);
    }
    let topology = build(everything(Topology::builder()).map_err(unreadable)?).map_err(unreadable)?;
    // HWLOC_SYNTHETIC and HWLOC_FSROOT replace this machine by another one.
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
    Ok(xml::read(&text, &reading)?)
}

/// The facts of a Linux system with its files below `root`; for this host also offline logical CPUs and those that this process may use.
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
        // The mask of this thread: the mask of a process is that of its first thread, and nothing was bound yet.
        found.mask = affinity::allowed().ok();
    }
    found
}

/// The name of this host.
fn own_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    // The value of Linux without a configured name.
    Some(name.trim().to_owned()).filter(|name| !["", "(none)"].contains(&name.as_str()))
}

/// Includes parts that this process may not use, to be able to report them.
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

/// The types that people write; hwloc accepts a few more spellings.
const TYPES: [&str; 14] = [
    "machine", "package", "pack", "socket", "group", "die", "node", "numa", "numanode", "core", "pu",
    "thread", "l1", "l2",
];

/// The likely mistake in a description that hwloc rejected.
fn mistake(text: &str) -> String {
    if text.trim().is_empty() {
        return "it is empty".into();
    }
    let mut last = "";
    // Attributes are in brackets and may contain spaces.
    let mut depth = 0_i32;
    let mut words: Vec<String> = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        match words.last_mut() {
            Some(word) if !(c.is_whitespace() && depth <= 0) => word.push(c),
            _ => words.push(String::new()),
        }
    }
    if depth != 0 {
        return "a bracket is not closed".into();
    }
    for word in words.iter().filter(|word| !word.is_empty() && !word.starts_with('[')) {
        let plain = word.split('(').next().unwrap_or_default();
        let (kind, number) = match plain.split_once(':') {
            Some((kind, number)) => (Some(kind), number),
            None => (None, plain),
        };
        match number.parse::<u32>() {
            Ok(0) => return format!("in '{word}' the number is 0"),
            Ok(_) => {}
            Err(_) if kind.is_none() => return format!("'{word}' has no number, as in core:20"),
            Err(_) => return format!("in '{word}' there is no number behind the colon"),
        }
        if let Some(kind) = kind {
            let lower = kind.to_lowercase();
            let known = TYPES.contains(&lower.as_str())
                || lower
                    .strip_prefix('l')
                    .is_some_and(|rest| rest.starts_with(|c: char| ('1'..='5').contains(&c)));
            if !known {
                return format!("hwloc knows no '{kind}'");
            }
            last = kind;
        }
    }
    if !["pu", "thread"].contains(&last.to_lowercase().as_str()) && !last.is_empty() {
        return format!("it ends with '{last}', not with the hardware threads (pu)");
    }
    "hwloc refuses it: each kind may be there once, the larger ones first".into()
}
