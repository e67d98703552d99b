//! The only folder that names hwlocality: its release is an alpha, and its types stay behind this door.

mod cores;
mod figures;
mod memory;
mod synthetic;
mod usable;
mod xml;

use hwlocality::Topology;
use hwlocality::topology::builder::{BuildFlags, TopologyBuilder};

use crate::topology::{Counting, HostTopology, Origin};
use crate::xml_file::keys;
use crate::{DetectError, Source};

/// Reads a topology; see [`crate::detect`].
pub(crate) fn read(source: Source<'_>, counting: Counting) -> Result<HostTopology, DetectError> {
    match source {
        Source::ThisHost => {
            let unreadable = |why| DetectError::Unreadable("this host", why);
            let topology = build(everything(Topology::builder()).map_err(unreadable)?).map_err(unreadable)?;
            // HWLOC_XMLFILE, HWLOC_SYNTHETIC and HWLOC_FSROOT put another machine in the place of this one.
            let origin = if topology.is_this_system() { Origin::ThisHost } else { Origin::Other };
            let (name, by) = match origin {
                Origin::ThisHost => (xml::own_name(), "hwloc"),
                Origin::Other => {
                    (None, "hwloc, from what its environment variables name, not from this host")
                }
            };
            let name = name.or_else(|| xml::name_inside(&topology)).unwrap_or_else(|| "this host".into());
            describe(&topology, name, by, origin, counting).map_err(unreadable)
        }
        Source::Xml { text, name } => {
            xml::check(text)?;
            let unreadable = |why| DetectError::Unreadable("this XML", why);
            let builder =
                Topology::builder().from_xml(text).map_err(|error| unreadable(error.to_string()))?;
            let topology = build(everything(builder).map_err(unreadable)?).map_err(unreadable)?;
            let inside = xml::name_inside(&topology).unwrap_or_else(|| name.to_owned());
            let by = if inside == name { "hwloc from XML".into() } else { format!("hwloc from {name}") };
            describe(&topology, inside, &by, Origin::Other, counting).map_err(unreadable)
        }
        Source::Synthetic(text) => {
            let wrong = |why| DetectError::Synthetic { text: text.into(), why };
            let refused = |_| wrong(synthetic::mistake(text));
            let builder = Topology::builder().from_synthetic(text).map_err(refused)?;
            let topology = build(builder).map_err(|_| wrong(synthetic::mistake(text)))?;
            describe(&topology, text.into(), "hwloc from a synthetic description", Origin::Other, counting)
                .map_err(wrong)
        }
    }
}

/// Also what this process may not use, to be able to say so.
fn everything(builder: TopologyBuilder) -> Result<TopologyBuilder, String> {
    builder.with_flags(BuildFlags::INCLUDE_DISALLOWED).map_err(|error| error.to_string())
}

fn build(builder: TopologyBuilder) -> Result<Topology, String> {
    builder.build().map_err(|error| error.to_string())
}

fn describe(
    topology: &Topology,
    name: String,
    by: &str,
    origin: Origin,
    counting: Counting,
) -> Result<HostTopology, String> {
    let usable = usable::find(topology, origin);
    let mut nodes = cores::nodes(topology, &usable, origin, counting)?;
    let figures = figures::figures(topology, &nodes);
    if figures.is_some() {
        // What numasim wrote there is no claim of a firmware.
        for node in &mut nodes {
            node.firmware = None;
        }
    }
    let told = xml::info(topology, keys::SOURCE)
        .map_or_else(String::new, |source| format!("; its figures: {source}"));
    let each = match counting {
        Counting::Cores | Counting::Processors => "one hardware thread per core",
        Counting::HardwareThreads => "every hardware thread as a core",
    };
    Ok(HostTopology {
        name,
        source: format!("numasim detect: read by {by}, {each}{told}"),
        origin,
        counting,
        caches: cores::caches(topology),
        distances: memory::distances(topology, &nodes),
        unusable: usable.unusable,
        figures,
        notes: Vec::new(),
        nodes,
    })
}

#[cfg(test)]
mod tests;
