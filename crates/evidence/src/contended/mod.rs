//! Scenarios that can decide how a machine shares bandwidth: a pure function of the machine.
//!
//! # Problem
//! Where nobody takes anything from anybody every rule of sharing is right, and which of two different sets of applications is
//! faster is nobody's question. So each *question* here places the same applications in several ways, with all cores of
//! the nodes that take part wherever there is room for it.
//!
//! # Questions
//! - **own**: two applications whose data is local share every node, in steps of their threads: reads beside reads, copy and triad (which
//!   store past the caches), and beside one that computes.
//! - **two sources**: all cores of two nodes read one memory: every pair of nodes. Every memory on up to four nodes, else the first.
//! - **steps**: threads beside the data, and more and more threads of another node on the same memory: over its widest and
//!   its narrowest link, with half and with all cores beside the data.
//! - **part**: an application on all nodes whose data lie on the first one in part, from a quarter to all, or interleaved.
//! - **both ways**: two nodes read each other's memory, for each partner of the first node; and all nodes at once, each that of the node
//!   half the machine away, which fills shared links from both sides.
//!
//! # The last-level cache
//! On hosts with one node it is asked, too, but apart ([`CachePlan`]): the models have no figure for it, so that what is measured there
//! decides nothing about them.

mod cache;
mod cached;
mod questions;

use std::fmt::Write as _;

use numasim_model::{AppId, Machine, Study};

use crate::compare::CONTENDED;
use crate::null_models::{self, Contention};

pub use cache::{CachePlan, CacheRun, LastLevel, NoCache};
pub use cached::{CachedApp, cached};

/// An application of the file.
#[derive(Clone, Copy)]
struct Kind {
    /// The name of its instances, without the number.
    name: &'static str,
    kernel: &'static str,
    /// FLOP per byte.
    intensity: f64,
}

/// FLOP per byte: 1/32 for what memory holds back, 16 for what it does not.
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
    /// On each node.
    threads: Vec<u32>,
    /// TOML of its data; local without it.
    data: Option<String>,
}

/// A scenario of the file.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    name: String,
    apps: Vec<Placed>,
}

/// Applications and scenarios for a machine, as an input file beside that of the machine.
pub fn scenarios(machine: &Machine) -> String {
    let head = "# Made by `numasim validate` for the machine beside it: the same applications placed in several ways, so that memories and\n\
                # links are asked for more than they have wherever this machine can do that.\n";
    file(head, &questions::of(machine))
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

/// How contended the scenarios of a study are.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// How many scenarios.
    pub scenarios: usize,
    /// How many of them want at least [`CONTENDED`] times what some resource has.
    pub contended: usize,
    /// How many of these leave a choice: another contended scenario places the same applications.
    pub choices: usize,
    /// The most contended one.
    pub highest: Option<(String, Contention)>,
}

/// How contended the scenarios of `study` are; those with open homes are not contended.
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

#[cfg(test)]
mod tests;
