//! Placement of data and threads: of a running process, and from copies of `numa_maps`.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use numasim_evidence::app_profile::app_file::{DataFound, Resident};
use numasim_evidence::app_profile::placement::{
    EXPLAINED, Look, Verdict, classify, look, signature, working,
};
use numasim_evidence::formats::numa_maps::{Files, Pages, read_numa_maps};
use numasim_host::system::{Process, System};
use numasim_model::{Machine, Placement};
use numasim_study::SourceFile;

use super::Counted;
use crate::args::ProfileAppArgs;
use crate::failure::Failure;
use crate::files;

/// The findings about the data.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) data: Option<DataFound>,
    /// The name of the process.
    pub(super) process: Option<String>,
    /// Each source, in words.
    pub(super) origin: Vec<String>,
    pub(super) doubts: Vec<String>,
    /// Messages that are not warnings.
    pub(super) notes: Vec<String>,
}

/// Pages of one snapshot, and threads by the system's number of their node.
struct Seen {
    pages: Pages,
    threads: Option<BTreeMap<u32, u32>>,
}

/// Observes the process of `system`, and reads the copies.
pub(super) fn read(
    args: &ProfileAppArgs,
    machine: Option<&Machine>,
    counted: &Counted,
    system: &System,
) -> Result<Placed, Failure> {
    let mut placed = Placed::default();
    let given = args.threads_per_node.len();
    if given != 0 && given != args.numa_maps.len() {
        let message = format!(
            "--threads-per-node is given {given} times, --numa-maps has {} files",
            args.numa_maps.len()
        );
        return Err(Failure::input(message).hint("give it once for each file, in their order"));
    }
    let mut os_nodes = machine.map(os_nodes);
    let mut copies = Vec::new();
    for path in &args.numa_maps {
        let source = files::read_measurements(path)?;
        copies.push(pages(&source)?);
        placed.origin.push(format!("{}: where the pages of a process lie", path.display()));
    }
    let mut seen = Vec::new();
    if let Some(pid) = args.pid {
        let process =
            system.process(pid).map_err(|error| Failure::input(error.to_string()).hint(error.hint()))?;
        let mut nodes = system.node_cpus();
        if nodes.is_empty() {
            nodes.push((0, Vec::new())); // a system that does not report its nodes is one
        }
        os_nodes.get_or_insert_with(|| nodes.iter().map(|(number, _)| *number).collect());
        let text = process.numa_maps.clone();
        let pages = pages(&SourceFile { name: format!("/proc/{pid}/numa_maps"), text })?;
        let threads = threads(&process, &nodes, &mut placed);
        placed.origin.push(format!(
            "process {pid} ('{}'): where its pages lie, and on which nodes its threads run",
            process.name
        ));
        placed.process = Some(process.name);
        seen.push(Seen { pages, threads: Some(threads) });
    }
    let os_nodes = os_nodes.unwrap_or_else(|| {
        // Without a machine: the nodes with listed threads, or with data.
        let listed = args.threads_per_node.iter().map(|per_node| per_node.0.len()).max().unwrap_or(0);
        let used = copies.iter().filter_map(|pages| pages.data.keys().next_back()).max();
        (0..used.map_or(0, |most| most + 1).max(u32::try_from(listed).unwrap_or(0))).collect()
    });
    for (number, pages) in copies.into_iter().enumerate() {
        let threads = args.threads_per_node.get(number).map(|per_node| &per_node.0);
        if let Some(threads) = threads.filter(|threads| threads.len() != os_nodes.len()) {
            let message = format!(
                "--threads-per-node has {} numbers, and there are {} nodes",
                threads.len(),
                os_nodes.len()
            );
            return Err(
                Failure::input(message).hint("write a number for each node, 0 for a node without threads")
            );
        }
        let threads = threads.map(|threads| os_nodes.iter().copied().zip(threads.iter().copied()).collect());
        seen.push(Seen { pages, threads });
    }
    let looks = seen
        .iter()
        .map(|one| look(&one.pages, &os_nodes, one.threads.as_ref()))
        .collect::<Result<Vec<Look>, String>>();
    let looks = looks.map_err(|why| {
        Failure::input(why).hint(
            "name the machine on which it ran with --machine; `os_node` says what the system calls a node",
        )
    })?;
    placed.data = if looks.is_empty() { benched(counted) } else { found(&looks, &seen, &mut placed) };
    Ok(placed)
}

/// The operating system's numbers of the nodes of a machine.
fn os_nodes(machine: &Machine) -> Vec<u32> {
    let named = machine.os_nodes();
    if named.is_empty() {
        return machine.node_ids().filter_map(|node| u32::try_from(node.0).ok()).collect();
    }
    named.iter().map(|node| node.number).collect()
}

fn pages(source: &SourceFile) -> Result<Pages, Failure> {
    read_numa_maps(&source.text).map_err(|problem| files::refused(&[problem], source.clone()))
}

/// Active threads, by node.
fn threads(process: &Process, nodes: &[(u32, Vec<u32>)], placed: &mut Placed) -> BTreeMap<u32, u32> {
    let all: Vec<(u32, u64)> = process.threads.iter().map(|thread| (thread.cpu, thread.ticks)).collect();
    let working = working(&all);
    placed.notes.push(format!("{} of {} threads have worked, and count", working.len(), all.len()));
    let mut threads = BTreeMap::new();
    for cpu in working {
        let node = nodes.iter().find(|(_, cpus)| cpus.contains(&cpu)).map_or(0, |(number, _)| *number);
        *threads.entry(node).or_default() += 1;
    }
    threads
}

/// The placement class of the page snapshots.
fn found(looks: &[Look], seen: &[Seen], placed: &mut Placed) -> Option<DataFound> {
    let verdict = by_policy(classify(looks)?, seen, placed);
    for one in seen {
        if one.pages.old_pages {
            placed.doubts.push(
                "some lines of numa_maps say no page size: their pages were counted with 4 kB, huge pages with 2 MB"
                    .to_owned(),
            );
        }
    }
    let most_left_out =
        seen.iter().map(|one| &one.pages).max_by(|a, b| a.left_out().total_cmp(&b.left_out()));
    if let Some(pages) = most_left_out.filter(|pages| pages.left_out() > EXPLAINED) {
        placed.doubts.push(format!(
            "{:.1} % of the resident pages are of programs and libraries, the largest of which is {}, and were left out",
            pages.left_out() * 100.0,
            pages.code.largest().unwrap_or_default()
        ));
    }
    if seen.iter().any(|one| one.threads.is_none()) {
        placed.doubts.push("the nodes of the threads are not known: give --threads-per-node to find the placement of the data".to_owned());
    }
    if matches!(verdict, Verdict::Equal(_)) && looks.len() == 1 {
        placed.doubts.push("several placements describe these pages: to tell them apart, add a second --numa-maps of a run with its threads on other nodes".to_owned());
    }
    if let Verdict::Told { best, .. } = &verdict
        && best.residual > EXPLAINED
    {
        placed.doubts.push(format!(
            "no placement explains where the data lies: the nearest leaves {:.1} % of it",
            best.residual * 100.0
        ));
    }
    let shares: Vec<String> = looks.iter().map(words).collect();
    let largest = seen.iter().map(|one| &one.pages).max_by_key(|pages| pages.bytes());
    Some(DataFound {
        verdict,
        source: format!("resident pages of data on nodes {}", shares.join(", then ")),
        signature: signature(looks),
        resident: largest.filter(|pages| pages.bytes() > 0).map(resident),
    })
}

fn resident(pages: &Pages) -> Resident {
    let of = |files: &Files| (files.bytes, files.largest().map(str::to_owned));
    Resident { data: pages.bytes(), mapped: of(&pages.mapped), left_out: of(&pages.code) }
}

/// If the pages are inconclusive, the memory policy in the kernel shows whether interleaving was requested.
fn by_policy(verdict: Verdict, seen: &[Seen], placed: &mut Placed) -> Verdict {
    /// Fraction of the data that must have this policy.
    const NEARLY_ALL: f64 = 0.95;
    let Verdict::Equal(classes) = &verdict else { return verdict };
    let asked = seen.iter().all(|one| one.pages.interleaved_by_policy() >= NEARLY_ALL);
    let interleaved = classes.iter().find(|class| class.placement == Placement::Interleave);
    match interleaved.filter(|_| asked) {
        Some(class) => {
            placed.notes.push(
                "its memory policy is to interleave, which decides between placements that look alike"
                    .to_owned(),
            );
            Verdict::Told { best: class.clone(), others: Vec::new() }
        }
        None => verdict,
    }
}

/// The data of a measured CSV, whose rows contain its placement.
fn benched(counted: &Counted) -> Option<DataFound> {
    let verdict = classify(&counted.looks)?;
    let source = "the column `data` of the measured CSV".to_owned();
    Some(DataFound { verdict, source, signature: None, resident: None })
}

/// `0: 75 %, 1: 25 % (threads on 0: 100 %)`.
fn words(look: &Look) -> String {
    let shares = |shares: &[f64]| {
        let shares = shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        shares.map(|(node, share)| format!("{node}: {:.1} %", share * 100.0)).collect::<Vec<_>>().join(", ")
    };
    let threads = look
        .threads
        .as_ref()
        .map_or_else(String::new, |threads| format!(" (threads on {})", shares(threads)));
    format!("{}{threads}", shares(&look.data))
}
