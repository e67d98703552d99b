//! Reads the threads of one application: a number for every node, or one for each.

use toml::de::DeValue;

use numasim_model::ids::NodeId;

use super::names::plural;
use super::problem::{Place, Problem, ProblemKind};
use super::value::{Count, Value};

const THREADS: Count = Count { what: "a number of threads", example: "2", min: 0, max: u32::MAX as u64 };
const HINT: &str = "write a number for every node, e.g. `2`, or one entry for each node, e.g. `[2, 0]`";

/// A number for every node with cores, or one for each node; at most `most` on each.
pub fn read(value: &Value<'_>, most: u32, cores: Option<&[u32]>) -> Option<Vec<u32>> {
    let count = Count { max: u64::from(most), ..THREADS };
    if !is_list(value) {
        if !matches!(value.get(), DeValue::Integer(_) | DeValue::Float(_) | DeValue::String(_)) {
            value.wrong_type("a whole number or a list", HINT);
            return None;
        }
        let threads = value.count_of(count)?;
        let on = |&cores: &u32| if cores == 0 { 0 } else { threads };
        return Some(cores.unwrap_or_default().iter().map(on).collect());
    }
    let entries = value.list("a list", HINT)?;
    let threads: Vec<Option<u32>> = entries.iter().map(|entry| entry.count_of(count)).collect();
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
    let threads: Vec<u32> = threads.into_iter().collect::<Option<_>>()?;
    let mut fits = true;
    for (node, ((entry, &threads), &cores)) in
        entries.iter().zip(&threads).zip(cores.unwrap_or_default()).enumerate()
    {
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

/// `None`, and a report, where an application has threads on a node that it may not use.
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
        format!("{} on node {node}, where this app may have none", plural(threads[node] as usize, "thread"));
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
