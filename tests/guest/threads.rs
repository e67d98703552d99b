//! Threads and pages as the guest's kernel shows them, and applications as the agent shows them.

use std::collections::BTreeMap;

use numasim_model::cpus::CpuList;
use serde_json::Value;

use super::results::Guest;

/// A thread, as `threads` of `tests/guest/overlay/lib/agent` writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) name: String,
    /// Its allowed processors.
    pub(crate) cpus: Vec<u32>,
    /// Its run time, in ticks of the kernel.
    pub(crate) ticks: u64,
}

impl Thread {
    pub(crate) fn is_worker(&self) -> bool {
        self.name.starts_with("worker ")
    }

    /// The node of its processors: node n has 2n and 2n + 1.
    pub(crate) fn node(&self) -> usize {
        let node = self.cpus[0] / 2;
        assert!(self.cpus.iter().all(|cpu| cpu / 2 == node), "a worker on several nodes: {self:?}");
        node as usize
    }
}

/// The threads of a step.
pub(crate) fn threads(guest: &Guest, step: &str) -> Vec<Thread> {
    let thread = |line: &str| {
        let [name, cpus, times] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{step}: {line}") };
        let cpus = CpuList::parse(cpus).unwrap_or_else(|error| panic!("{step}: {line}: {error}"));
        let ticks = times.split(' ').map(|ticks| ticks.parse::<u64>().expect("a number")).sum();
        Thread { name: name.to_owned(), cpus: cpus.as_slice().to_vec(), ticks }
    };
    let found: Vec<Thread> = guest.done(step).lines().map(thread).collect();
    assert!(!found.is_empty(), "{step}: no thread");
    found
}

/// The number of occurrences of each value.
pub(crate) fn counted<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts
}

/// The application of this name in a status of the agent or in the result of a run.
pub(crate) fn app<'a>(document: &'a Value, name: &str) -> &'a Value {
    let apps = document["apps"].as_array().expect("applications");
    apps.iter().find(|app| app["name"] == name).unwrap_or_else(|| panic!("no '{name}' in {document}"))
}

/// A list of numbers.
pub(crate) fn numbers(value: &Value) -> Vec<u64> {
    let numbers = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    numbers.iter().map(|number| number.as_u64().expect("a whole number")).collect()
}

/// The pages of `numa_maps` that are bound, by node; each must be on the node to which it is bound.
pub(crate) fn bound_pages(guest: &Guest, step: &str) -> Vec<u64> {
    let mut pages = vec![0; 4];
    for line in guest.done(step).lines() {
        let words = || line.split_ascii_whitespace();
        let bound = words().find_map(|word| word.strip_prefix("bind:")).expect("the lines with it");
        for word in words() {
            let Some((node, count)) = word.strip_prefix('N').and_then(|word| word.split_once('=')) else {
                continue;
            };
            assert_eq!(node, bound, "pages that are not where they are bound to: {line}");
            pages[node.parse::<usize>().expect("a node")] += count.parse::<u64>().expect("a number");
        }
    }
    pages
}
