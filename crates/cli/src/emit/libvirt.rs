//! libvirt: a domain for each application, as in the documentation of the domain XML (formatdomain). A vCPU for each thread, bound to its
//! logical CPU. If local data is on several nodes, the guest has a cell for each node, bound to its memory.

use std::fmt::Write as _;

use numasim_model::cpus::ranges;
use numasim_model::{Machine, NodeId};

use crate::emit::job::{Job, Memory, os_number};
use crate::emit::text::{fact_lines, lines, not_started};
use crate::emit::{File, Target, names};

/// Writes the files of this kind.
pub(super) fn write(target: &mut Target<'_>) -> Vec<File> {
    let target = &*target;
    let names = names::unique(target.jobs.iter().map(|job| job.name), names::LIBVIRT, &[]);
    target.jobs.iter().zip(&names).map(|(job, name)| domain(target, job, name)).collect()
}

/// A cell of the guest.
struct Cell {
    node: NodeId,
    vcpus: std::ops::Range<usize>,
    mib: u64,
}

fn domain(target: &Target<'_>, job: &Job<'_>, name: &str) -> File {
    let cpus = job.paired_cpus();
    let mib = job.memory_mib.unwrap_or(1024 * cpus.len() as u64);
    let cells = cells(job, mib);
    let mut text = String::from("<!--\n");
    for line in said(target, job) {
        // Comments in XML must not contain `--`.
        text.push_str(format!("  {}", line.replace("--", "\u{2010}\u{2010}")).trim_end());
        text.push('\n');
    }
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "-->\n<domain type='kvm'>\n  <name>{}</name>\n  <memory unit='MiB'>{mib}</memory>\n  \
         <vcpu placement='static'>{}</vcpu>\n  <cputune>\n",
        escaped(name),
        cpus.len()
    );
    for (vcpu, cpu) in cpus.iter().enumerate() {
        let _ = writeln!(text, "    <vcpupin vcpu='{vcpu}' cpuset='{cpu}'/>");
    }
    let _ = write!(text, "    <emulatorpin cpuset='{}'/>\n  </cputune>\n  <numatune>\n", job.cpu_set());
    let mode = if matches!(job.memory, Memory::Interleaved(_)) { "interleave" } else { "strict" };
    let _ = writeln!(text, "    <memory mode='{mode}' nodeset='{}'/>", ranges(&job.memory_nodes()));
    for (id, cell) in cells.iter().enumerate() {
        let memory = os_number(target.machine, target.machine.local_memory(cell.node));
        let _ = writeln!(text, "    <memnode cellid='{id}' mode='strict' nodeset='{memory}'/>");
    }
    text.push_str("  </numatune>\n  <os>\n    <type>hvm</type>\n  </os>\n");
    guest(&mut text, target.machine, job, &cells);
    text.push_str("</domain>\n");
    File { name: format!("{}.xml", file_name(name)), text }
}

/// The comment above a domain.
fn said(target: &Target<'_>, job: &Job<'_>) -> Vec<String> {
    let mut said = fact_lines(target);
    said.push(String::new());
    said.extend(job.said().into_iter().flat_map(|(key, words)| lines(key, &words)));
    let memory = if job.memory_mib.is_some() {
        "The memory of the guest is memory_gib of the application; add what its system needs."
    } else {
        "memory_gib is not given: 1 GiB for each vCPU is a placeholder."
    };
    said.extend(lines("", memory));
    said.extend(lines("", "Merge it into the domain (virsh edit), or add devices and define it."));
    said.extend(not_started(target).iter().flat_map(|words| lines("", words)));
    said
}

/// The cells of a guest with local data on several nodes, each with the memory of its threads; empty for other guests.
fn cells(job: &Job<'_>, mib: u64) -> Vec<Cell> {
    if job.nodes.len() < 2 || job.memory != Memory::Own {
        return Vec::new();
    }
    let all = job.threads() as u128;
    let mut cells: Vec<Cell> = Vec::new();
    let mut before = 0;
    for cores in job.cores.chunk_by(|a, b| a.node == b.node) {
        let until = before + cores.iter().map(|core| core.cpus.len()).sum::<usize>();
        // Their sum is exactly the memory of the guest.
        let share = |vcpus: usize| u64::try_from(u128::from(mib) * vcpus as u128 / all).unwrap_or(mib);
        cells.push(Cell { node: cores[0].node, vcpus: before..until, mib: share(until) - share(before) });
        before = until;
    }
    cells
}

/// The logical CPUs and cells that the guest sees.
fn guest(text: &mut String, machine: &Machine, job: &Job<'_>, cells: &[Cell]) {
    let has_siblings = job.cores.iter().any(|core| core.cpus.len() > 1);
    if !has_siblings && cells.is_empty() {
        return;
    }
    text.push_str("  <cpu>\n");
    if has_siblings {
        // vCPUs 2i and 2i + 1 are the hardware threads of one core.
        let is_even = cells.windows(2).all(|pair| pair[0].vcpus.len() == pair[1].vcpus.len());
        let sockets = if is_even { cells.len().max(1) } else { 1 };
        let cores = job.cores.len() / sockets;
        let _ = writeln!(text, "    <topology sockets='{sockets}' dies='1' cores='{cores}' threads='2'/>");
    }
    if !cells.is_empty() {
        text.push_str("    <numa>\n");
        for (id, cell) in cells.iter().enumerate() {
            let vcpus: Vec<u32> = cell.vcpus.clone().filter_map(|vcpu| u32::try_from(vcpu).ok()).collect();
            let _ = write!(
                text,
                "      <cell id='{id}' cpus='{}' memory='{}' unit='MiB'",
                ranges(&vcpus),
                cell.mib
            );
            text.push_str(&distances(machine, cell, cells));
        }
        text.push_str("    </numa>\n");
    }
    text.push_str("  </cpu>\n");
}

/// The end of a cell: its distances to all cells, if the machine file contains them.
fn distances(machine: &Machine, cell: &Cell, cells: &[Cell]) -> String {
    if !machine.has_distances() {
        return "/>\n".to_owned();
    }
    let mut text = String::from(">\n        <distances>\n");
    for (id, other) in cells.iter().enumerate() {
        // libvirt: 10 to 255, with 10 for the cell itself.
        let distance = match machine.distance(cell.node, machine.local_memory(other.node)) {
            _ if other.node == cell.node => 10.0,
            distance => distance.unwrap_or(20.0).round().clamp(11.0, 254.0),
        };
        let _ = writeln!(text, "          <sibling id='{id}' value='{distance}'/>");
    }
    text + "        </distances>\n      </cell>\n"
}

/// The name of a file; the line above it is an XML comment, which must not contain `--`.
fn file_name(name: &str) -> String {
    let mut name = name.to_owned();
    while name.contains("--") {
        name = name.replace("--", "-");
    }
    name
}

/// A text inside an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
