//! XML of hwloc: what is looked at before hwloc reads it, and the name of the machine in it.

use hwlocality::Topology;

use crate::DetectError;
use crate::xml_file::keys;

/// Refuses what hwloc 2 cannot read. hwloc itself would say so on standard error, and give no reason here.
pub(super) fn check(text: &str) -> Result<(), DetectError> {
    if text.trim().is_empty() {
        return Err(DetectError::NotXml("it is empty"));
    }
    if text.contains('\0') {
        return Err(DetectError::NotXml("it is a binary file"));
    }
    let Some((_, rest)) = text.split_once("<topology") else {
        return Err(DetectError::NotXml("it has no element <topology>"));
    };
    if !text.contains("</topology>") {
        return Err(DetectError::NotXml("its element <topology> does not end; is the file cut off?"));
    }
    let attributes = rest.split('>').next().unwrap_or_default();
    let version = attributes.split_once("version=\"").and_then(|(_, rest)| rest.split('"').next());
    // Version 1 had no such attribute.
    match version
        .map(|version| (version, version.split('.').next().and_then(|major| major.parse::<u32>().ok())))
    {
        Some((version, Some(3..) | None)) => Err(DetectError::NewerXml(version.chars().take(20).collect())),
        _ => Ok(()),
    }
}

/// The name of this host.
pub(super) fn own_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    // What Linux says where nobody gave a name.
    Some(name.trim().to_owned()).filter(|name| !["", "(none)"].contains(&name.as_str()))
}

/// The name that a topology gives its machine: of the host, or of the product.
pub(super) fn name_inside(topology: &Topology) -> Option<String> {
    [keys::NAME, "HostName", "DMIProductName"].into_iter().find_map(|key| info(topology, key))
}

/// A text beside the machine; `None` where it is empty.
pub(super) fn info(topology: &Topology, key: &str) -> Option<String> {
    let text = topology.root_object().info(key)?.to_string_lossy();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
