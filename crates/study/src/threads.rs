//! Reads the threads of a scenario: for each application a number for every node, or one for each.

use std::collections::HashMap;

use numasim_model::allocation::OnNode;
use numasim_model::machine::{Machine, Node};

use super::apps::{Apps, Named};
use super::apps::{by_instance, look_up};
use super::names::plural;
use super::problem::ProblemKind;
use super::reading::TableKind;
use super::thread_row;
use super::value::Value;

const THREADS_HINT: &str =
    "write threads for each app: a number for every node, or a list, e.g. `{ mem = 1, compute = [5, 0] }`";

/// What a scenario says about one application, by group or by instance.
struct Row<'a> {
    value: Value<'a>,
    named: Named,
    threads: Vec<u32>,
    /// The same where some entry is a list of L3 domains.
    places: Option<Vec<OnNode>>,
}

/// Threads on each node, and in which L3 domains, where some entry is a list of these.
#[derive(Clone)]
pub(super) struct ThreadRow {
    pub(super) threads: Vec<u32>,
    pub(super) places: Option<Vec<OnNode>>,
}

type Rows = (Vec<ThreadRow>, Vec<Option<usize>>);

/// Threads of each row, and the row of each instance.
pub(super) fn read_threads(
    value: &Value<'_>,
    scenario: &str,
    apps: &Apps,
    cores: Option<&[u32]>,
    machine: Option<&Machine>,
) -> Option<Rows> {
    let domains: Option<Vec<usize>> =
        machine.map(|machine| machine.nodes().iter().map(Node::domains).collect());
    let entries = look_up(value, THREADS_HINT, apps)?;
    let rows: Vec<Option<Row<'_>>> = entries
        .into_iter()
        .map(|(named, value)| {
            let places = thread_row::read_places(&value, cores, domains.as_deref())?;
            let threads: Vec<u32> = places.iter().map(OnNode::threads).collect();
            let says_domains = places.iter().any(|on_node| matches!(on_node, OnNode::Domains(_)));
            let places = says_domains.then_some(places);
            thread_row::nodes_are_allowed(&value, &threads, apps.nodes_of(named))?;
            Some(Row { value, named, threads, places })
        })
        .collect();
    let rows: Vec<Row<'_>> = rows.into_iter().collect::<Option<_>>()?;
    let row_of = by_instance(&rows, apps, |row| row.named);
    if let Some(cores) = cores {
        check_cores(&rows, &row_of, cores);
    }
    if let Some(machine) = machine {
        check_domains(&rows, &row_of, machine);
    }
    note_unnamed(value, scenario, apps, &row_of);
    let row = |row: Row<'_>| ThreadRow { threads: row.threads, places: row.places };
    Some((rows.into_iter().map(row).collect(), row_of))
}

/// The same for lists of L3 domains; other threads of the node are in those that are left.
fn check_domains(rows: &[Row<'_>], row_of: &[Option<usize>], machine: &Machine) {
    let mut used: HashMap<(usize, usize), u64> = HashMap::new();
    for row in row_of.iter().flatten().filter_map(|&row| rows.get(row)) {
        for (node, on_node) in row.places.iter().flatten().enumerate() {
            let (OnNode::Domains(list), Some(own)) = (on_node, machine.nodes().get(node)) else { continue };
            for (domain, &threads) in list.iter().enumerate() {
                let sum = used.entry((node, domain)).or_default();
                *sum += u64::from(threads);
                let cores = own.domain_cores();
                if *sum > u64::from(cores) {
                    let message = format!(
                        "L3 domain {domain} of node {node} gets {sum} threads, but has {}",
                        plural(cores as usize, "core")
                    );
                    let label = "with these, there are more threads than cores in the domain";
                    let hint =
                        format!("let all apps together have at most {cores} in each L3 domain of the node");
                    row.value.report(ProblemKind::TooManyThreads, message, label, hint);
                    return;
                }
            }
        }
    }
}

/// At most one thread per core; the entry that goes over it first is the one that is shown.
fn check_cores(rows: &[Row<'_>], row_of: &[Option<usize>], cores: &[u32]) {
    let mut instances = vec![0_u64; rows.len()];
    for &row in row_of.iter().flatten() {
        if let Some(count) = instances.get_mut(row) {
            *count += 1;
        }
    }
    let mut sums = vec![0_u64; cores.len()];
    let mut culprit = None;
    for (row, &instances) in rows.iter().zip(&instances) {
        for (sum, &threads) in sums.iter_mut().zip(&row.threads) {
            *sum = sum.saturating_add(instances * u64::from(threads));
        }
        let over = |(sum, cores): (&u64, &u32)| *sum > u64::from(*cores);
        if culprit.is_none() && sums.iter().zip(cores).any(over) {
            culprit = Some(row);
        }
    }
    let full: Vec<(usize, u64, u32)> = sums
        .iter()
        .zip(cores)
        .enumerate()
        .filter(|&(_, (&sum, &cores))| sum > u64::from(cores))
        .map(|(node, (&sum, &cores))| (node, sum, cores))
        .collect();
    let (Some(culprit), Some(&(node, threads, cores))) = (culprit, full.first()) else { return };
    let others = match full.len() - 1 {
        0 => String::new(),
        more => format!(" (and too many on {})", plural(more, "other node")),
    };
    let message =
        format!("node {node} gets {threads} threads, but has {}{others}", plural(cores as usize, "core"));
    let label = format!("with these, there are more threads than cores on node {node}");
    let hint = format!(
        "let all apps together have at most {cores} on node {node}; each instance of a group gets the number that is written"
    );
    culprit.value.report(ProblemKind::TooManyThreads, message, &label, hint);
}

/// Notes the instances that a scenario does not name: a whole group by its name, others in ranges.
fn note_unnamed(value: &Value<'_>, scenario: &str, apps: &Apps, row_of: &[Option<usize>]) {
    let log = value.source.log;
    for group in &apps.groups {
        let range = group.first..group.first + group.instances;
        let Some(rows) = row_of.get(range.clone()) else { continue };
        if rows.iter().all(Option::is_none) {
            log.note_default(TableKind::Scenario, scenario, format!("threads.{}", group.name), "0");
            continue;
        }
        let mut open: Option<usize> = None;
        for (instance, row) in
            range.clone().zip(rows).map(|(i, row)| (i, row.is_none())).chain([(range.end, false)])
        {
            match (open, row) {
                (None, true) => open = Some(instance),
                (Some(start), false) => {
                    let first = apps.instance_name(start);
                    let key = if instance - start == 1 {
                        format!("threads.{first}")
                    } else {
                        format!("threads.{first} to {}", apps.instance_name(instance - 1))
                    };
                    log.note_default(TableKind::Scenario, scenario, key, "0");
                    open = None;
                }
                _ => {}
            }
        }
    }
}
