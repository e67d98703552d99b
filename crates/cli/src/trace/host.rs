//! The machine of an agent whose files have none: its host.

use numasim_study::SourceFile;

/// Whether the text of a file has a machine.
pub(crate) fn has_machine(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("machine"))
}

/// A file with a host that has so many cores on each node. Of an agent's host, policies know the cores only: whoever computes
/// needs a machine.
pub(crate) fn host_of(name: String, cores: &[u32]) -> SourceFile {
    let node = |&cores: &u32| {
        let gflops = if cores == 0 { 0.0 } else { 1.0 };
        format!("[[machine.node]]\ncores = {cores}\ngflops_per_core = {gflops:?}\n")
    };
    let nodes: String = cores.iter().map(node).collect();
    let text = format!("[machine]\nname = \"host\"\nbandwidth_gbs = 1.0\nlink_gbs = 1.0\n{nodes}");
    SourceFile { name, text }
}
