//! Reads the threads of a scenario: for each application a number for every node, or one for each.

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
}

type Rows = (Vec<Vec<u32>>, Vec<Option<usize>>);

/// Threads of each row, and the row of each instance.
pub(super) fn read_threads(
    value: &Value<'_>,
    scenario: &str,
    apps: &Apps,
    cores: Option<&[u32]>,
) -> Option<Rows> {
    let entries = look_up(value, THREADS_HINT, apps)?;
    let rows: Vec<Option<Row<'_>>> = entries
        .into_iter()
        .map(|(named, value)| {
            let threads = thread_row::read(&value, u32::MAX, cores)?;
            thread_row::nodes_are_allowed(&value, &threads, apps.nodes_of(named))?;
            Some(Row { value, named, threads })
        })
        .collect();
    let rows: Vec<Row<'_>> = rows.into_iter().collect::<Option<_>>()?;
    let row_of = by_instance(&rows, apps, |row| row.named);
    if let Some(cores) = cores {
        check_cores(&rows, &row_of, cores);
    }
    note_unnamed(value, scenario, apps, &row_of);
    Some((rows.into_iter().map(|row| row.threads).collect(), row_of))
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
