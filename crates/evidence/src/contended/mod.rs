//! Scenarios that can distinguish the sharing models on a machine: a pure function of the machine.
//!
//! # Problem
//! Without contention every sharing model is right, and a comparison between two different sets of
//! applications answers no real question. So each *question* here places the same applications in several
//! ways, with all cores of the participating nodes if possible.
//!
//! # Questions
//! - **own**: two applications with local data share every node, in steps of their threads: reads with reads,
//!   with copy and triad (which use non-temporal stores), and with one that computes.
//! - **two sources**: all cores of two nodes read one memory: every pair of nodes. Every memory on up to four
//!   nodes, otherwise the first.
//! - **steps**: threads local to the data, and an increasing number of threads of another node on the same
//!   memory: over its fastest and its slowest link, with half and with all cores local to the data.
//! - **part**: an application on all nodes with a part of its data on the first one, from a quarter to all,
//!   or interleaved.
//! - **both ways**: two nodes read each other's memory, for each partner of the first node; and all nodes at
//!   once, each that of the node half the machine away, which fills shared links from both sides.
//!
//! # The last-level cache
//! On hosts with one node it is also tested, but separately ([`CachePlan`]): the models do not cover it, so
//! its measurements say nothing about them.

mod cache;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, Machine, NodeId, Study};

use crate::compare::CONTENDED;
pub use crate::contended::cache::{CachePlan, CacheRun, CachedApp, LastLevel, NoCache, cached};
use crate::null_models::{self, Contention};

/// An application of the file.
#[derive(Clone, Copy)]
struct Kind {
    /// The name of its instances, without the number.
    name: &'static str,
    kernel: &'static str,
    /// FLOP per byte.
    intensity: f64,
}

/// FLOP per byte: 1/32 for applications that memory limits, 16 for those that it does not.
const KINDS: [Kind; 5] = [
    Kind { name: "read", kernel: "read", intensity: 1.0 / 32.0 },
    Kind { name: "copy", kernel: "copy", intensity: 1.0 / 32.0 },
    Kind { name: "triad", kernel: "triad", intensity: 1.0 / 12.0 },
    Kind { name: "update", kernel: "update", intensity: 1.0 / 16.0 },
    Kind { name: "compute", kernel: "read", intensity: 16.0 },
];

/// An application with threads in a scenario.
#[derive(Clone, Debug, PartialEq)]
struct Placed {
    /// Its instance: "read-1".
    app: String,
    /// Number of threads on each node.
    threads: Vec<u32>,
    /// TOML of its data; `None` for local data.
    data: Option<String>,
}

/// A scenario of the file.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    name: String,
    apps: Vec<Placed>,
}

/// Applications and scenarios for a machine, as an input file in addition to that of the machine.
pub fn scenarios(machine: &Machine) -> String {
    let head = "# Made by `numasim validate` for the machine beside it: the same applications placed in several ways, so that memories and\n\
                # links are asked for more than they have wherever this machine can do that.\n";
    file(head, &all(machine))
}

/// The input file of some scenarios.
fn file(head: &str, rows: &[Row]) -> String {
    let mut text = head.to_owned();
    let mut apps: Vec<&str> =
        rows.iter().flat_map(|row| &row.apps).map(|placed| placed.app.as_str()).collect();
    apps.sort_unstable();
    apps.dedup();
    // Writing to a String cannot fail.
    for kind in KINDS {
        for app in apps.iter().filter(|app| app.rsplit_once('-').is_some_and(|(name, _)| name == kind.name)) {
            let _ = writeln!(
                text,
                "\n[[app]]\nname = \"{app}\"\narithmetic_intensity = {}\nkernel = \"{}\"",
                kind.intensity, kind.kernel
            );
        }
    }
    for row in rows {
        let threads: Vec<String> =
            row.apps.iter().map(|app| format!("\"{}\" = {:?}", app.app, app.threads)).collect();
        let _ =
            writeln!(text, "\n[[scenario]]\nname = \"{}\"\nthreads = {{ {} }}", row.name, threads.join(", "));
        let data: Vec<String> = row
            .apps
            .iter()
            .filter_map(|app| Some(format!("\"{}\" = {}", app.app, app.data.as_ref()?)))
            .collect();
        if !data.is_empty() {
            let _ = writeln!(text, "data = {{ {} }}", data.join(", "));
        }
    }
    text
}

/// Contention of the scenarios of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// Number of scenarios.
    pub scenarios: usize,
    /// Number of scenarios that oversubscribe a resource by at least a factor of [`CONTENDED`].
    pub contended: usize,
    /// Number of these that leave a choice: another contended scenario places the same applications.
    pub choices: usize,
    /// The most contended one.
    pub highest: Option<(String, Contention)>,
}

/// The contention of the scenarios of `study`; those with open homes count as not contended.
pub fn outlook(study: &Study) -> Outlook {
    let of = study.scenarios.iter().filter_map(|scenario| {
        let contention = null_models::predict(study, scenario).ok()?.contention?;
        let apps: Vec<usize> =
            (0..study.apps.len()).filter(|&app| scenario.allocation.total(AppId(app)) > 0).collect();
        Some((scenario.name.clone(), contention, apps))
    });
    let known: Vec<(String, Contention, Vec<usize>)> = of.collect();
    let contended: Vec<_> = known.iter().filter(|(_, contention, _)| contention.ratio >= CONTENDED).collect();
    let choices =
        contended.iter().filter(|one| contended.iter().filter(|other| other.2 == one.2).count() > 1).count();
    let highest = known.iter().reduce(|most, next| if next.1.ratio > most.1.ratio { next } else { most });
    Outlook {
        scenarios: study.scenarios.len(),
        contended: contended.len(),
        choices,
        highest: highest.map(|(name, contention, _)| (name.clone(), *contention)),
    }
}

/// Up to this number of nodes, all pairs of nodes read all memories.
const FEW_NODES: usize = 4;

/// Pairs that share every node.
const OWN: [[&str; 2]; 6] = [
    ["read", "read"],
    ["read", "copy"],
    ["read", "triad"],
    ["copy", "triad"],
    ["read", "compute"],
    ["triad", "compute"],
];

/// All scenarios of a machine.
fn all(machine: &Machine) -> Vec<Row> {
    let mut rows = own(machine);
    let nodes: Vec<NodeId> = machine.compute_nodes().collect();
    if machine.node_count() > 1 {
        rows.extend(two_sources(machine, &nodes));
        rows.extend(steps(machine, &nodes));
        rows.extend(part(machine));
        rows.extend(both_ways(machine, &nodes));
    }
    rows
}

/// Threads on some nodes, none on the others.
fn on(machine: &Machine, threads: impl Fn(NodeId) -> u32) -> Vec<u32> {
    machine.node_ids().map(threads).collect()
}

fn cores(machine: &Machine, node: NodeId) -> u32 {
    machine.node(node).cores
}

fn home(node: NodeId) -> String {
    format!("{{ home = {} }}", node.0)
}

/// The first and the second of two equal kinds, or the first of both.
fn pair([first, second]: [&str; 2]) -> [String; 2] {
    let number = if first == second { 2 } else { 1 };
    [format!("{first}-1"), format!("{second}-{number}")]
}

/// Fractions of the cores of a node: one, a quarter, half, three quarters, all but one; each once.
fn parts(cores: u32) -> Vec<u32> {
    let mut parts = vec![1, cores / 4, cores / 2, cores - cores / 4, cores.saturating_sub(1)];
    parts.retain(|&part| part > 0 && part < cores);
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn own(machine: &Machine) -> Vec<Row> {
    let most = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(0);
    let row = |kinds: [&str; 2], part: u32| {
        let [first, second] = pair(kinds);
        // The same fraction of each node, with at least one thread of both if there are two cores.
        let share = |node: NodeId| {
            let cores = cores(machine, node);
            #[allow(clippy::cast_possible_truncation, reason = "at most the cores of a node")]
            let part = (u64::from(cores) * u64::from(part) / u64::from(most.max(1))) as u32;
            part.max(1).min(cores.saturating_sub(1))
        };
        Row {
            name: format!("own: {part} of {most} {first}, the others {second}"),
            apps: vec![
                Placed { app: first, threads: on(machine, share), data: None },
                Placed {
                    app: second,
                    threads: on(machine, |node| cores(machine, node) - share(node)),
                    data: None,
                },
            ],
        }
    };
    OWN.into_iter().flat_map(|kinds| parts(most).into_iter().map(move |part| row(kinds, part))).collect()
}

fn two_sources(machine: &Machine, nodes: &[NodeId]) -> Vec<Row> {
    let memories = if machine.node_count() <= FEW_NODES { machine.node_count() } else { 1 };
    let mut rows = Vec::new();
    for memory in machine.node_ids().take(memories) {
        for (i, &first) in nodes.iter().enumerate() {
            for &second in &nodes[i + 1..] {
                let all = |of: NodeId| on(machine, |node| if node == of { cores(machine, node) } else { 0 });
                rows.push(Row {
                    name: format!("two sources: nodes {} and {} on memory {}", first.0, second.0, memory.0),
                    apps: vec![
                        Placed { app: "read-1".into(), threads: all(first), data: Some(home(memory)) },
                        Placed { app: "read-2".into(), threads: all(second), data: Some(home(memory)) },
                    ],
                });
            }
        }
    }
    rows
}

/// The partners of `memory` over its fastest and its slowest link; one if all links are equal.
fn partners(machine: &Machine, nodes: &[NodeId], memory: NodeId) -> Vec<NodeId> {
    let width = |&node: &NodeId| machine.link(node, memory).map_or(0.0, GigabytesPerSecond::value);
    let others: Vec<NodeId> = nodes.iter().copied().filter(|&node| node != memory).collect();
    let widest = others.iter().copied().reduce(|a, b| if width(&b) > width(&a) { b } else { a });
    let narrowest = others.iter().copied().reduce(|a, b| if width(&b) < width(&a) { b } else { a });
    let mut found: Vec<NodeId> = widest.into_iter().chain(narrowest).collect();
    found.dedup();
    found
}

fn steps(machine: &Machine, nodes: &[NodeId]) -> Vec<Row> {
    let Some(&memory) = nodes.first() else { return Vec::new() };
    let beside = cores(machine, memory);
    let mut few = vec![beside.div_ceil(2), beside];
    few.dedup();
    let mut rows = Vec::new();
    for far in partners(machine, nodes, memory) {
        for &local in &few {
            let mut remote = parts(cores(machine, far));
            remote.push(cores(machine, far));
            for remote in remote {
                let of = |wanted: NodeId, threads: u32| {
                    on(machine, |node| if node == wanted { threads } else { 0 })
                };
                rows.push(Row {
                    name: format!(
                        "steps: {local} threads beside memory {}, {remote} of node {} on it",
                        memory.0, far.0
                    ),
                    apps: vec![
                        Placed { app: "read-1".into(), threads: of(memory, local), data: None },
                        Placed { app: "read-2".into(), threads: of(far, remote), data: Some(home(memory)) },
                    ],
                });
            }
        }
    }
    rows
}

fn part(machine: &Machine) -> Vec<Row> {
    let data = [
        ("a quarter of the data", "{ home = 0, share = 0.25 }"),
        ("half of the data", "{ home = 0, share = 0.5 }"),
        ("three quarters of the data", "{ home = 0, share = 0.75 }"),
        ("all data", "{ home = 0 }"),
    ];
    let row = |name: String, data: String| {
        let threads = on(machine, |node| cores(machine, node));
        Row { name, apps: vec![Placed { app: "read-1".into(), threads, data: Some(data) }] }
    };
    let mut rows: Vec<Row> = data
        .into_iter()
        .map(|(name, data)| row(format!("part: {name} on memory 0"), data.to_owned()))
        .collect();
    rows.push(row("part: interleaved data".to_owned(), "\"interleave\"".to_owned()));
    rows
}

fn both_ways(machine: &Machine, nodes: &[NodeId]) -> Vec<Row> {
    let reads = |number: usize, from: NodeId, memory: NodeId| Placed {
        app: format!("read-{number}"),
        threads: on(machine, |node| if node == from { cores(machine, node) } else { 0 }),
        data: Some(home(memory)),
    };
    let mut rows = Vec::new();
    if let [first, others @ ..] = nodes {
        rows.extend(others.iter().map(|other| Row {
            name: format!("both ways: nodes {} and {}", first.0, other.0),
            apps: vec![reads(1, *first, *other), reads(2, *other, *first)],
        }));
    }
    if nodes.len() > 2 {
        let far = |place: usize| nodes[(place + nodes.len() / 2) % nodes.len()];
        let apps = nodes.iter().enumerate().map(|(place, &node)| reads(place + 1, node, far(place)));
        rows.push(Row { name: "both ways: all nodes".to_owned(), apps: apps.collect() });
    }
    rows
}
