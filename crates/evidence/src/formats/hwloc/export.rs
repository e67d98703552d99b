//! From a machine to XML that hwloc reads (version 2, hwloc 2.3 and newer): its nodes, L3 domains and cores,
//! with the values of memories as memory attributes for the cores that read. The output is text only, so
//! hwloc is not needed to write it.
//!
//! Bandwidths are written as `Bandwidth`, which most programs request, and as `ReadBandwidth`, which they
//! are, in whole MiB/s; latencies in whole ns; distances as those of the firmware. Values that hwloc cannot
//! represent are texts (`infos`) of the machine with names that begin with `numasim`, so that `import hwloc`
//! can read them back.

#[cfg(test)]
mod tests;

use std::fmt;
use std::fmt::Write as _;

use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::machine::Machine;
use numasim_model::text::is_hidden;
use numasim_model::units::GigabytesPerSecond;
use numasim_study::keys::{Key, node, provenance, shared_link, sharing};

/// Names of the texts of a machine in XML that numasim writes.
pub(super) mod keys {
    /// The name of the machine.
    pub(in crate::formats::hwloc) const NAME: &str = "numasimMachine";
    /// The source of its values.
    pub(in crate::formats::hwloc) const SOURCE: &str = "numasimSource";
    /// The kind of its bandwidths: measured, theoretical, estimated or assumed.
    pub(in crate::formats::hwloc) const BANDWIDTH_KIND: &str = "numasimBandwidthKind";
    /// The person or tool that measured or computed them.
    pub(in crate::formats::hwloc) const BANDWIDTH_SOURCE: &str = "numasimBandwidthSource";
    /// Peak of a core in GFLOPS, node by node, separated by spaces; 0 for a memory-only node.
    pub(in crate::formats::hwloc) const GFLOPS_PER_CORE: &str = "numasimGflopsPerCore";
}

/// Maximum number of logical CPUs that Linux supports; each is two elements with two CPU lists.
pub const MOST_CORES: u64 = 8192;

/// The output.
#[derive(Clone, Debug, PartialEq)]
pub struct Xml {
    /// The text of the file.
    pub text: String,
    /// The largest relative rounding of a bandwidth to whole MiB/s.
    pub rounding: f64,
    /// Properties of the machine that are not in it, or were assumed, one sentence each.
    pub notes: Vec<String>,
}

/// A machine with more than [`MOST_CORES`] cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hwloc XML is written for at most {MOST_CORES} cores, and this machine has {0}")]
pub struct TooManyCores(pub u64);

/// A node with the numbers of the operating system.
struct Place {
    number: u32,
    cpus: Vec<u32>,
    /// The number of the object in the XML.
    object: u64,
}

/// Writes the machine.
///
/// # Errors
/// [`TooManyCores`].
pub fn xml(machine: &Machine) -> Result<Xml, TooManyCores> {
    let cores = machine.total_cores();
    if cores > MOST_CORES {
        return Err(TooManyCores(cores));
    }
    let mut notes = Vec::new();
    let mut places = places(machine, &mut notes);
    let mut out = Writer::new();
    let all = Bits::of(places.iter().flat_map(|place| place.cpus.iter().copied()));
    let nodes = Bits::of(places.iter().map(|place| place.number));
    let root = out.object(
        "Machine",
        0,
        &all,
        &nodes,
        &[("allowed_cpuset", &all.to_string()), ("allowed_nodeset", &nodes.to_string())],
    );
    debug_assert_eq!(root, 1);
    infos(&mut out, machine);
    let grouped = machine.compute_nodes().count() > 1;
    // hwloc gives up if the memories of one place do not ascend.
    let mut beside_all: Vec<usize> =
        (0..places.len()).filter(|&node| !grouped || places[node].cpus.is_empty()).collect();
    beside_all.sort_by_key(|&node| places[node].number);
    for node in beside_all {
        places[node].object = memory(&mut out, machine, NodeId(node), places[node].number, &all);
        out.close();
    }
    let mut domains = 0;
    for (node, place) in places.iter_mut().enumerate().filter(|(_, place)| !place.cpus.is_empty()) {
        let own = Bits::of(place.cpus.iter().copied());
        let home = Bits::of([place.number]);
        if grouped {
            // A machine file does not describe sockets: the cores of a node are a group, of a kind that hwloc
            // does not know.
            out.object("Group", place.number, &own, &home, &[("kind", "0"), ("subkind", "0")]);
            place.object = memory(&mut out, machine, NodeId(node), place.number, &own);
            out.close();
        }
        let own = machine.node(NodeId(node));
        let in_domain = own.domain_cores().max(1) as usize;
        for (domain, cpus) in place.cpus.chunks(in_domain).enumerate() {
            if own.domains() > 1 {
                // Size unknown: hwloc writes 0 for an unknown size.
                let cache = [
                    ("cache_size", "0"),
                    ("depth", "3"),
                    ("cache_linesize", "64"),
                    ("cache_associativity", "0"),
                    ("cache_type", "0"),
                ];
                let number = u32::try_from(domains + domain).unwrap_or(u32::MAX);
                out.object("L3Cache", number, &Bits::of(cpus.iter().copied()), &home, &cache);
            }
            for &cpu in cpus {
                let one = Bits::of([cpu]);
                out.object("Core", cpu, &one, &home, &[]);
                out.object("PU", cpu, &one, &home, &[]);
                out.close();
                out.close();
            }
            if own.domains() > 1 {
                out.close();
            }
        }
        domains += own.domains();
        if grouped {
            out.close();
        }
    }
    out.close();
    distances(&mut out, machine, &places, &mut notes);
    let rounding = attributes(&mut out, machine, &places, &all);
    left_out(machine, &mut notes);
    Ok(Xml { text: out.finish(), rounding, notes })
}

/// Numbers of nodes and logical CPUs: those of the file, or consecutive ones.
fn places(machine: &Machine, notes: &mut Vec<String>) -> Vec<Place> {
    let told = machine.os_nodes();
    let mut next = 0;
    let mut assumed = false;
    let mut places = Vec::new();
    for node in machine.node_ids() {
        let cores = machine.node(node).cores;
        let os = told.get(node.0);
        let number = os.map_or(u32::try_from(node.0).unwrap_or(u32::MAX), |os| os.number);
        let list = os.and_then(|os| os.cpus.as_ref()).map(CpuList::as_slice);
        let own: Option<Vec<u32>> =
            list.filter(|list| list.len() >= cores as usize).map(|list| list[..cores as usize].to_vec());
        assumed |= own.is_none() && cores > 0;
        places.push(Place { number, cpus: own.unwrap_or_default(), object: 0 });
    }
    if assumed {
        // Numbers of the file and generated ones might coincide.
        for (place, node) in places.iter_mut().zip(machine.nodes()) {
            place.cpus = (next..next + node.cores).collect();
            next += node.cores;
        }
        notes.push("the file has no `cpus`: processors are numbered 0, 1, 2, ... node by node".to_owned());
    }
    places
}

fn memory(out: &mut Writer, machine: &Machine, node: NodeId, number: u32, near: &Bits) -> u64 {
    // Rounded up: reading rounds down.
    let bytes =
        machine.node(node).memory.map(|memory| format!("{:.0}", (memory.value() * 1_073_741_824.0).ceil()));
    let size: Vec<(&str, &str)> = bytes.iter().map(|bytes| ("local_memory", bytes.as_str())).collect();
    out.object("NUMANode", number, near, &Bits::of([number]), &size)
}

/// Writes the values that hwloc cannot represent.
fn infos(out: &mut Writer, machine: &Machine) {
    out.info("Backend", "numasim");
    out.info(keys::NAME, machine.name());
    if let Some(source) = machine.source() {
        out.info(keys::SOURCE, source);
    }
    let provenance = [&provenance::BANDWIDTH_MATRIX_GBS, &provenance::BANDWIDTH_GBS]
        .map(|key| machine.provenance().get(key.name));
    if let Some(provenance) = provenance.into_iter().flatten().next() {
        out.info(keys::BANDWIDTH_KIND, provenance.kind.as_str());
        out.info(keys::BANDWIDTH_SOURCE, provenance.source.as_deref().unwrap_or_default());
    }
    let peaks: Vec<String> =
        machine.nodes().iter().map(|node| format!("{:?}", node.gflops_per_core.value())).collect();
    out.info(keys::GFLOPS_PER_CORE, &peaks.join(" "));
}

fn distances(out: &mut Writer, machine: &Machine, places: &[Place], notes: &mut Vec<String>) {
    if !machine.has_distances() || places.len() < 2 {
        return;
    }
    let mut rounded = false;
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let values = pairs.filter_map(|(from, to)| machine.distance(from, to)).map(|distance| {
        rounded |= distance.fract() != 0.0;
        format!("{:.0}", distance.round())
    });
    let values: Vec<String> = values.collect();
    let numbers: Vec<String> = places.iter().map(|place| place.number.to_string()).collect();
    out.distances(&numbers, &values);
    if rounded {
        notes.push("distances are rounded to whole numbers".to_owned());
    }
}

/// Writes bandwidths and latencies; returns the largest relative rounding of a bandwidth.
fn attributes(out: &mut Writer, machine: &Machine, places: &[Place], all: &Bits) -> f64 {
    let mut rounding = 0.0_f64;
    let mut bandwidths = Vec::new();
    let mut latencies = Vec::new();
    for (to, target) in machine.node_ids().zip(places).filter(|(to, _)| machine.has_memory(*to)) {
        for (from, reader) in machine.node_ids().zip(places).filter(|(_, place)| !place.cpus.is_empty()) {
            let own = Bits::of(reader.cpus.iter().copied()).to_string();
            let gbs = if from == to { machine.controller(to) } else { machine.link(from, to) };
            if let Some(gbs) = gbs.map(GigabytesPerSecond::value) {
                let mib = to_mib(gbs);
                rounding = rounding.max((exact(mib) / gbs - 1.0).abs());
                bandwidths.push((target.object, own.clone(), mib));
            }
            if let Some(ns) = machine.latency_ns(from, to) {
                latencies.push((target.object, own, whole(ns)));
            }
        }
        // If one node has all cores, hwloc has one value for both, which is the link, the bandwidth of these
        // cores.
        if target.cpus.is_empty() && machine.compute_nodes().count() > 1 {
            // The bandwidth for all readers together. It comes last, because hwloc takes the first entry that
            // includes the reader's cores.
            let mib = to_mib(machine.node(to).bandwidth.value());
            bandwidths.push((target.object, all.to_string(), mib));
        }
    }
    // For one a higher value is better, for the other a lower one; both require the reader.
    out.attribute("Bandwidth", 5, &bandwidths);
    out.attribute("ReadBandwidth", 5, &bandwidths);
    if !latencies.is_empty() {
        out.attribute("Latency", 6, &latencies);
        out.attribute("ReadLatency", 6, &latencies);
    }
    rounding
}

/// Values that affect predictions and that hwloc cannot represent.
fn left_out(machine: &Machine, notes: &mut Vec<String>) {
    let nodes = machine.nodes();
    let given =
        |key: &Key| nodes.iter().any(|node| key.node.is_some_and(|field| (field.get)(node).is_some()));
    let kernels = [&node::COPY_GBS, &node::TRIAD_GBS, &node::UPDATE_GBS];
    let some = [
        (node::CORE_BANDWIDTH_GBS.name, given(&node::CORE_BANDWIDTH_GBS)),
        (node::READ_GBS.name, given(&node::READ_GBS)),
        (node::L3_READ_GBS.name, given(&node::L3_READ_GBS)),
        (&kernels.map(|key| key.name).join(", "), kernels.iter().any(|key| given(key))),
        (node::LLC_MB.name, machine.says_caches()),
        (shared_link::TABLE.title, !machine.shared_links().is_empty()),
        (sharing::TABLE.title, *machine.sharing() != numasim_model::Model::default()),
    ];
    if machine.compute_nodes().count() == 1 && machine.node_count() > 1 {
        notes.push("all cores are on one node: of memories without cores the link to them is in the XML, not what they have themselves".to_owned());
    }
    let names: Vec<&str> = some.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect();
    if !names.is_empty() {
        notes.push(format!("hwloc has no place for {}: not in the XML", names.join(", ")));
    }
}

/// A set of numbers.
struct Bits(Vec<u32>);

impl Bits {
    fn of(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut words: Vec<u32> = Vec::new();
        for number in numbers {
            let word = (number / 32) as usize;
            if words.len() <= word {
                words.resize(word + 1, 0);
            }
            if let Some(word) = words.get_mut(word) {
                *word |= 1 << (number % 32);
            }
        }
        Self(words)
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0x0");
        }
        for (place, word) in self.0.iter().rev().enumerate() {
            write!(f, "{}0x{word:08x}", if place == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

// The elements of hwloc's XML. Libraries that write XML escape apostrophes as `&apos;`, which the reader
// inside hwloc (built without libxml2) does not know: it knows seven names, and this module writes only
// these.

/// A file under construction.
struct Writer {
    text: String,
    /// Types of the open objects.
    depth: usize,
    /// Number of objects so far: each has a unique number, from 1.
    objects: u64,
}

// Writing to a String cannot fail.
impl Writer {
    fn new() -> Self {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n";
        Self { text: text.to_owned(), depth: 0, objects: 0 }
    }

    fn indent(&mut self) {
        for _ in 0..=self.depth {
            self.text.push_str("  ");
        }
    }

    /// Opens an object and returns its number. `number`: that of the operating system.
    fn object(&mut self, kind: &str, number: u32, cpus: &Bits, nodes: &Bits, more: &[(&str, &str)]) -> u64 {
        self.indent();
        self.depth += 1;
        self.objects += 1;
        let _ = write!(self.text, "<object type=\"{kind}\"");
        // The operating system does not number groups.
        if kind != "Group" {
            let _ = write!(self.text, " os_index=\"{number}\"");
        }
        let _ = write!(
            self.text,
            " cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" nodeset=\"{nodes}\" complete_nodeset=\"{nodes}\" gp_index=\"{}\"",
            self.objects
        );
        for (name, value) in more {
            let _ = write!(self.text, " {name}=\"{}\"", escaped(value));
        }
        self.text.push_str(">\n");
        self.objects
    }

    /// Closes the innermost object.
    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.text.push_str("</object>\n");
    }

    /// A text of the innermost object.
    fn info(&mut self, name: &str, value: &str) {
        self.indent();
        let _ = writeln!(self.text, "<info name=\"{name}\" value=\"{}\"/>", escaped(value));
    }

    /// Distances between nodes: of the firmware (1), larger is farther (4).
    fn distances(&mut self, nodes: &[String], values: &[String]) {
        let line = |numbers: &[String]| {
            let mut line = numbers.join(" ");
            line.push(' ');
            line
        };
        let (indexes, cells) = (line(nodes), line(values));
        let _ = writeln!(
            self.text,
            "  <distances2 type=\"NUMANode\" nbobjs=\"{}\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">\n    \
             <indexes length=\"{}\">{indexes}</indexes>",
            nodes.len(),
            indexes.len()
        );
        let _ = writeln!(
            self.text,
            "    <u64values length=\"{}\">{cells}</u64values>\n  </distances2>",
            cells.len()
        );
    }

    /// A memory attribute: values of memories for the logical CPUs that read.
    fn attribute(&mut self, name: &str, flags: u32, values: &[(u64, String, u64)]) {
        let _ = writeln!(self.text, "  <memattr name=\"{name}\" flags=\"{flags}\">");
        for (object, cpus, value) in values {
            let _ = writeln!(
                self.text,
                "    <memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"{object}\" value=\"{value}\" \
                 initiator_cpuset=\"{cpus}\"/>"
            );
        }
        self.text.push_str("  </memattr>\n");
    }

    fn finish(mut self) -> String {
        self.text.push_str("</topology>\n");
        self.text
    }
}

/// Escapes the value of an attribute. Hidden characters are omitted: XML cannot represent most of them.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if is_hidden(c) => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

const MIB: f64 = 1_048_576.0;

/// GB/s as whole MiB/s, at least 1: 0 is not a bandwidth.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 2^63")]
pub(super) fn to_mib(gbs: f64) -> u64 {
    (gbs * 1e9 / MIB).round().clamp(1.0, 9e18) as u64
}

/// MiB/s in GB/s, exactly.
pub(super) fn exact(mib: u64) -> f64 {
    mib as f64 * MIB / 1e9
}

/// The shortest number of GB/s that becomes this number of MiB/s: 32 for 30518, to which both 31.999918...
/// GB/s and 32.0004... round.
pub(super) fn shortest(mib: u64) -> f64 {
    let exact = exact(mib);
    let short = (0..6).find_map(|digits| {
        let short = format!("{exact:.digits$}").parse::<f64>().ok()?;
        (to_mib(short) == mib && short > 0.0).then_some(short)
    });
    short.unwrap_or(exact)
}

/// ns as whole ns, at least 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 2^63")]
fn whole(ns: f64) -> u64 {
    ns.round().clamp(1.0, 9e18) as u64
}
