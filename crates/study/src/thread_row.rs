//! Reads the threads of one application: a number for every node, or one for each.

use toml::de::DeValue;

use numasim_model::allocation::OnNode;
use numasim_model::ids::NodeId;

use super::names::plural;
use super::problem::{Place, Problem, ProblemKind};
use super::value::{Count, Value};

const THREADS: Count = Count { what: "a number of threads", example: "2", min: 0, max: u32::MAX as u64 };
const HINT: &str = "write a number for every node, e.g. `2`, or one entry for each node, e.g. `[2, 0]`";

/// A number for every node with cores, or one for each node; at most `most` on each.
pub fn read(value: &Value<'_>, most: u32, cores: Option<&[u32]>) -> Option<Vec<u32>> {
    let count = Count { max: u64::from(most), ..THREADS };
    row(value, count, cores, Some, |_, entry| entry.count_of(count), |&threads| threads)
}

/// The same, with optional entries for each L3 domain of a node: `domains` is the number of domains of each
/// node.
pub(super) fn read_places(
    value: &Value<'_>,
    cores: Option<&[u32]>,
    domains: Option<&[usize]>,
) -> Option<Vec<OnNode>> {
    let entry = |node: usize, entry: &Value<'_>| {
        if !is_list(entry) {
            return entry.count_of(THREADS).map(OnNode::Threads);
        }
        let list = entry.list("a list", HINT)?;
        let got = list.len();
        if let Some(domains) =
            domains.and_then(|domains| domains.get(node)).filter(|&&domains| domains != got)
        {
            let message = format!(
                "`{}` has {}, but node {node} has {}",
                entry.name,
                plural(got, "entry"),
                plural(*domains, "L3 domain")
            );
            let hint =
                "write a number for the node, or one entry for each of its L3 domains (`cores_per_l3`)";
            entry.report(ProblemKind::WrongLength, message, &plural(got, "entry"), hint);
            return None;
        }
        let threads: Vec<Option<u32>> = list.iter().map(|entry| entry.count_of(THREADS)).collect();
        threads.into_iter().collect::<Option<_>>().map(OnNode::Domains)
    };
    row(value, THREADS, cores, |threads| Some(OnNode::Threads(threads)), entry, OnNode::threads)
}

/// One value for every node with cores, or one entry for each node.
fn row<T: Clone>(
    value: &Value<'_>,
    count: Count,
    cores: Option<&[u32]>,
    of_number: impl Fn(u32) -> Option<T>,
    entry: impl Fn(usize, &Value<'_>) -> Option<T>,
    threads_of: impl Fn(&T) -> u32,
) -> Option<Vec<T>> {
    if !is_list(value) {
        if !matches!(value.get(), DeValue::Integer(_) | DeValue::Float(_) | DeValue::String(_)) {
            value.wrong_type("a whole number or a list", HINT);
            return None;
        }
        let threads = value.count_of(count)?;
        let on = |&cores: &u32| of_number(if cores == 0 { 0 } else { threads });
        return cores.unwrap_or_default().iter().map(on).collect();
    }
    let entries = value.list("a list", HINT)?;
    let threads: Vec<Option<T>> = entries.iter().enumerate().map(|(node, own)| entry(node, own)).collect();
    let nodes = cores.map_or(entries.len(), <[u32]>::len);
    if nodes != entries.len() {
        let message = format!(
            "`{}` has {}, but the machine has {}",
            value.name,
            plural(entries.len(), "entry"),
            plural(nodes, "node")
        );
        let hint = "write one entry for each node; 0 where the app has no threads";
        value.report(ProblemKind::WrongLength, message, &plural(entries.len(), "entry"), hint);
        return None;
    }
    let threads: Vec<T> = threads.into_iter().collect::<Option<_>>()?;
    let mut fits = true;
    for (node, ((entry, own), &cores)) in
        entries.iter().zip(&threads).zip(cores.unwrap_or_default()).enumerate()
    {
        let threads = threads_of(own);
        if cores == 0 && threads > 0 {
            let message =
                format!("node {node} has no cores, so it cannot run {}", plural(threads as usize, "thread"));
            let hint = "write 0 here; an app can still keep its data on this node";
            entry.report(ProblemKind::TooManyThreads, message, "node without cores", hint);
            fits = false;
        }
    }
    fits.then_some(threads)
}

/// Whether the value has an entry for each node.
pub fn is_list(value: &Value<'_>) -> bool {
    matches!(value.get(), DeValue::Array(_))
}

/// Returns `None` and reports an application with threads on a node that it may not use.
pub fn nodes_are_allowed(
    value: &Value<'_>,
    threads: &[u32],
    allowed: Option<(&[NodeId], &Place)>,
) -> Option<()> {
    let Some((nodes, place)) = allowed else { return Some(()) };
    let Some(node) = (0..threads.len()).find(|&node| threads[node] > 0 && !nodes.contains(&NodeId(node)))
    else {
        return Some(());
    };
    let message =
        format!("{} on node {node}, which this app may not use", plural(threads[node] as usize, "thread"));
    let list = value.list_entry(node);
    let (shown, label, hint) = match &list {
        Some(entry) => (entry, "not one of its nodes", "write 0 here, or add the node to `nodes` of the app"),
        None => (
            value,
            "this many on every node",
            "write one entry for each node, 0 where the app may have none, e.g. `[2, 0]`",
        ),
    };
    let problem = Problem::new(ProblemKind::BadValue, message)
        .at(shown.place(), label)
        .related(place.clone(), "its threads may run here only")
        .hint(hint);
    value.source.log.report(problem);
    None
}
