//! Reads the threads of a scenario: for each application a number for every node, or one for each.

use std::collections::HashMap;
use std::slice;

use numasim_model::allocation::OnNode;
use numasim_model::app::Smt;
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

/// The entry of a scenario for one application, by group or by instance.
struct Row<'a> {
    value: Value<'a>,
    named: Named,
    threads: ThreadRow,
}

/// Threads on each node; if an entry is a list of L3 domains, threads in each of these.
pub(super) type ThreadRow = Vec<OnNode>;

type Rows = (Vec<ThreadRow>, Vec<Option<usize>>);

/// Threads of each row, and the row of each instance.
pub(super) fn read_threads(
    value: &Value<'_>,
    scenario: &str,
    apps: &Apps,
    smt: &[Smt],
    cores: Option<&[u32]>,
    machine: Option<&Machine>,
) -> Option<Rows> {
    let domains: Option<Vec<usize>> =
        machine.map(|machine| machine.nodes().iter().map(Node::domains).collect());
    let entries = look_up(value, THREADS_HINT, apps)?;
    let rows: Vec<Option<Row<'_>>> = entries
        .into_iter()
        .map(|(named, value)| {
            let threads = thread_row::read_places(&value, cores, domains.as_deref())?;
            let on_nodes: Vec<u32> = threads.iter().map(OnNode::threads).collect();
            thread_row::nodes_are_allowed(&value, &on_nodes, apps.nodes_of(named))?;
            Some(Row { value, named, threads })
        })
        .collect();
    let rows: Vec<Row<'_>> = rows.into_iter().collect::<Option<_>>()?;
    let row_of = by_instance(&rows, apps, |row| row.named);
    let uses = uses(&rows, &row_of, smt);
    rows.iter().zip(&uses).try_for_each(|(row, uses)| fill_cores(row, uses))?;
    if let Some(cores) = cores {
        check_cores(&rows, &uses, cores);
    }
    if let Some(machine) = machine {
        check_domains(&rows, &uses, machine);
    }
    note_unnamed(value, scenario, apps, &row_of);
    Some((rows.into_iter().map(|row| row.threads).collect(), row_of))
}

/// The number of cores that `threads` of each instance of a row use, or the minimum if the choice is open.
fn cores_of(uses: &[(Smt, u64)], threads: u32) -> u64 {
    let cores = |smt: Smt| if smt == Smt::Any { Smt::Both.cores(threads) } else { smt.cores(threads) };
    uses.iter().map(|&(smt, instances)| instances * u64::from(cores(smt))).sum()
}

/// Like [`check_cores`], for lists of L3 domains; other threads of the node are in the remaining ones.
fn check_domains(rows: &[Row<'_>], uses: &[Uses], machine: &Machine) {
    let mut used: HashMap<(usize, usize), u64> = HashMap::new();
    for (row, uses) in rows.iter().zip(uses) {
        for (node, on_node) in row.threads.iter().enumerate() {
            let (OnNode::Domains(list), Some(own)) = (on_node, machine.nodes().get(node)) else { continue };
            for (domain, &threads) in list.iter().enumerate() {
                let sum = used.entry((node, domain)).or_default();
                *sum = sum.saturating_add(cores_of(uses, threads));
                let cores = own.domain_cores();
                if *sum > u64::from(cores) {
                    let (what, than) = words_of_cores(slice::from_ref(uses));
                    let message = format!(
                        "L3 domain {domain} of node {node} gets {sum} {what}, but has {}",
                        plural(cores as usize, "core")
                    );
                    let label = format!("with these, there are more {than} in the domain");
                    let hint =
                        format!("let all apps together have at most {cores} in each L3 domain of the node");
                    row.value.report(ProblemKind::TooManyThreads, message, &label, hint);
                    return;
                }
            }
        }
    }
}

/// The words for the excess and for its limit.
fn words_of_cores(uses: &[Uses]) -> (&'static str, &'static str) {
    let one = uses.iter().flatten().all(|&(smt, instances)| smt == Smt::One || instances == 0);
    if one { ("threads", "threads than cores") } else { ("used cores", "used cores than there are") }
}

/// The number of instances that have the threads of a row, by their use of a core.
type Uses = [(Smt, u64); Smt::ALL.len()];

/// The number of instances that have the threads of each row, by their use of a core.
fn uses(rows: &[Row<'_>], row_of: &[Option<usize>], smt: &[Smt]) -> Vec<Uses> {
    let mut uses = vec![Smt::ALL.map(|smt| (smt, 0)); rows.len()];
    for (row, &smt) in row_of.iter().zip(smt) {
        let uses = row.and_then(|row| uses.get_mut(row)).into_iter().flatten();
        uses.filter(|(other, _)| *other == smt).for_each(|(_, count)| *count += 1);
    }
    uses
}

/// Returns `None` and reports an odd number of threads that should fill whole cores.
fn fill_cores(row: &Row<'_>, uses: &Uses) -> Option<()> {
    if !uses.iter().any(|&(smt, instances)| smt == Smt::Both && instances > 0) {
        return Some(());
    }
    let odd = row.threads.iter().enumerate().find_map(|(node, on_node)| match on_node {
        OnNode::Threads(threads) => (threads % 2 == 1).then_some((node, None, *threads)),
        OnNode::Domains(list) => {
            let (domain, &threads) = list.iter().enumerate().find(|(_, threads)| *threads % 2 == 1)?;
            Some((node, Some(domain), threads))
        }
    });
    let Some((node, domain, threads)) = odd else { return Some(()) };
    let domain = domain.map(|domain| format!("L3 domain {domain} of ")).unwrap_or_default();
    let message = format!(
        "{} on {domain}node {node}, but with `smt` \"both\" each core has two",
        plural(threads as usize, "thread")
    );
    let hint = "write even numbers, or `smt = \"one\"`";
    let entry = row.value.list_entry(node);
    entry.as_ref().unwrap_or(&row.value).report(
        ProblemKind::BadValue,
        message,
        "an odd number of threads",
        hint,
    );
    None
}

/// Checks that each core has at most one application, with one or both of its threads; reports the first
/// entry that exceeds the limit.
fn check_cores(rows: &[Row<'_>], uses: &[Uses], cores: &[u32]) {
    let mut sums = vec![0_u64; cores.len()];
    let mut culprit = None;
    for (row, uses) in rows.iter().zip(uses) {
        for (sum, on_node) in sums.iter_mut().zip(&row.threads) {
            *sum = sum.saturating_add(cores_of(uses, on_node.threads()));
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
    let (what, than) = words_of_cores(uses);
    let others = match full.len() - 1 {
        0 => String::new(),
        more => format!(" (and too many on {})", plural(more, "other node")),
    };
    let message =
        format!("node {node} gets {threads} {what}, but has {}{others}", plural(cores as usize, "core"));
    let label = format!("with these, there are more {than} on node {node}");
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
